//! The id of a file that states none.

use crate::model::{Id, Oid};
use crate::text::sha256;

/// `mem_` and the first 128 bits of SHA-256 over the path and the blob under which the file first appeared, written as a
/// ULID is.
pub fn derived_id(first_path: &str, first_blob: Oid) -> Id {
    let digest = sha256(format!("{first_path}\0{first_blob}").as_bytes());
    let bits = digest[..16].try_into().expect("because a digest has 32 bytes");
    Id::parse(&format!("mem_{}", ulid::Ulid(u128::from_be_bytes(bits))))
        .expect("because a ULID is letters and digits")
}
