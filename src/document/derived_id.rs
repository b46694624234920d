//! The id of a file that states none.

use crate::model::{Id, Oid};
use crate::text::sha256;

/// `mem_` and the first 128 bits of SHA-256 over its path and the blob that HEAD has there, written as a ULID is: the same
/// on every machine that has this commit. It changes with the file, until the engine writes it into the file.
pub fn derived_id(path: &str, blob: Oid) -> Id {
    nth_derived_id(path, blob, 0)
}

/// The same for a file of which others have the first `nth` of these ids.
pub fn nth_derived_id(path: &str, blob: Oid, nth: u32) -> Id {
    let first = format!("{path}\0{blob}");
    let digest = match nth {
        0 => sha256(first.as_bytes()),
        nth => sha256(format!("{first}\0{nth}").as_bytes()),
    };
    let bits = digest[..16].try_into().expect("because a digest has 32 bytes");
    Id::parse(&format!("mem_{}", ulid::Ulid(u128::from_be_bytes(bits))))
        .expect("because a ULID is letters and digits")
}
