//! Objects: their names, and blobs read.

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::{GitError, Repo};
use crate::model::{Oid, hex};

pub(super) fn to_git2(oid: Oid) -> git2::Oid {
    git2::Oid::from_bytes(&oid.0).expect("because twenty bytes are an object's name")
}

pub(super) fn from_git2(oid: git2::Oid) -> Oid {
    let mut bytes = [0; 20];
    bytes.copy_from_slice(oid.as_bytes());
    Oid(bytes)
}

/// Reads forty hexadecimal digits, as git prints them. `None` for anything else.
pub fn parse_oid(text: &str) -> Option<Oid> {
    if text.len() != 40 {
        return None;
    }
    git2::Oid::from_str(text).ok().map(from_git2)
}

/// The name that these bytes have as a blob; nothing is written.
pub fn hash_blob(bytes: &[u8]) -> Oid {
    hash_object(git2::ObjectType::Blob, bytes)
}

/// The name that these bytes have as an object of this kind. libgit2 would look for made collisions as well, which takes
/// ten times as long: git does that for whatever comes from elsewhere, and the names here are compared with what is
/// there already.
pub(super) fn hash_object(kind: git2::ObjectType, bytes: &[u8]) -> Oid {
    let mut name = Sha1::new_with_prefix(format!("{} {}\0", kind.str(), bytes.len()));
    name.update(bytes);
    Oid(name.finalize().into())
}

/// SHA-256 in hexadecimal, for checksums of mdmem's own files in `.git/`.
pub(super) fn checksum(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

impl Repo {
    /// The bytes of a blob. Errors when the object is missing, damaged or no blob.
    pub fn blob(&self, oid: Oid) -> Result<Vec<u8>, GitError> {
        self.read(git2::ObjectType::Blob, to_git2(oid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_blob_as_git_does() {
        assert_eq!(
            hash_blob(b"").to_string(),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        );
        assert_eq!(
            hash_blob(b"hello\n").to_string(),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
    }

    #[test]
    fn reads_what_it_prints() {
        let oid = hash_blob(b"x");
        assert_eq!(parse_oid(&oid.to_string()), Some(oid));
        assert_eq!(parse_oid("abc"), None);
        assert_eq!(parse_oid(&"g".repeat(40)), None);
    }

    #[test]
    fn checksum_is_sha256() {
        assert_eq!(
            checksum(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
