//! The meaning of a string, whoever typed it: canonical text, words, one line, names of files, hashes.
//! The meaning of a memory's words (its keys, its likeness to another) is in [`crate::policy`].

mod canonical;
mod chars;
mod citations;
mod conflict;
mod escapes;
mod hidden;
mod path_below;
mod phrases;
mod secrets;
mod sentence;
mod slug;
mod wanted_words;
mod weights;
mod wording;

use sha2::{Digest, Sha256};

use crate::model::hex;

pub use canonical::{canonical, words};
pub use chars::{is_cjk, is_line_break, is_punctuation, is_space, is_unspaced};
pub use citations::citations;
pub use conflict::conflict_line;
pub use escapes::{escapes, one_line, without_escapes};
pub use hidden::{can_be_seen, is_hidden, spelled_out, strays, without_strays};
pub use path_below::path_below;
pub use phrases::Phrases;
pub use secrets::{PatternError, Redactor, Secret, says_only_secrets};
pub use sentence::{counted, slip_of, some_of};
pub use slug::{folded_name, folded_path, folded_stem, slug};
pub use wanted_words::{LineFilter, WantedWords};
pub(crate) use weights::Weights;
pub use wording::wording;

/// A pattern that is a constant.
pub(crate) fn pattern(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("because the pattern is a constant")
}

/// The SHA-256 of the bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The SHA-256 of the bytes, as 64 lower case hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_published_vector() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
