//! The id of a file that states none.

use crate::model::{Id, Oid};
use crate::text::sha256;

/// `mem_` and the first 128 bits of SHA-256 over the path and the blob under which the file first appeared, written as a
/// ULID is.
pub fn derived_id(first_path: &str, first_blob: Oid) -> Id {
    nth_derived_id(first_path, first_blob, 0)
}

/// The same for a file before which `nth` others first appeared under the same path with the same blob, and were moved
/// away.
pub fn nth_derived_id(first_path: &str, first_blob: Oid, nth: u32) -> Id {
    let first = format!("{first_path}\0{first_blob}");
    let digest = match nth {
        0 => sha256(first.as_bytes()),
        nth => sha256(format!("{first}\0{nth}").as_bytes()),
    };
    let bits = digest[..16].try_into().expect("because a digest has 32 bytes");
    Id::parse(&format!("mem_{}", ulid::Ulid(u128::from_be_bytes(bits))))
        .expect("because a ULID is letters and digits")
}
