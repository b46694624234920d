//! The meaning of a string, whoever typed it: canonical text, words, one line, names of files, hashes.
//! The meaning of a memory's words (its keys, its likeness to another) is in [`crate::policy`].

mod canonical;
mod chars;
mod conflict;
mod escapes;
mod hash;
mod hidden;
mod path_below;
mod phrases;
mod secrets;
mod sentence;
mod slug;
mod wanted_words;
mod wording;

pub use canonical::{canonical, words};
pub use chars::{is_cjk, is_line_break, is_punctuation, is_space, is_unspaced};
pub use conflict::conflict_line;
pub use escapes::{escapes, one_line, without_escapes};
pub use hash::{sha256, sha256_hex};
pub use hidden::{is_hidden, spelled_out, strays, without_strays};
pub use path_below::path_below;
pub use phrases::Phrases;
pub use secrets::{PatternError, Redactor, Secret, says_only_secrets};
pub use sentence::{counted, slip_of, some_of};
pub use slug::{folded_name, slug};
pub use wanted_words::{LineFilter, WantedWords};
pub use wording::wording;

/// A pattern that is a constant.
pub(crate) fn pattern(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("because the pattern is a constant")
}
