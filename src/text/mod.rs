//! The meaning of a string, whoever typed it: canonical text, words, one line, names of files, hashes.
//! The meaning of a memory's words (its keys, its likeness to another) is in [`crate::policy`].

mod canonical;
mod chars;
mod conflict;
mod escapes;
mod file_name;
mod hash;
mod hidden;
mod one_line;
mod path_below;
mod phrases;
mod secrets;
mod sentence;
mod slug;
mod wanted_words;
mod wording;
mod words;

pub use canonical::canonical;
pub use chars::{is_cjk, is_line_break, is_punctuation, is_space, is_unspaced};
pub use conflict::conflict_line;
pub use escapes::{escapes, without_escapes};
pub use file_name::folded_name;
pub use hash::{sha256, sha256_hex};
pub use hidden::{is_hidden, spelled_out, strays, without_strays};
pub use one_line::one_line;
pub use path_below::path_below;
pub use phrases::Phrases;
pub use secrets::{PatternError, Redactor, Secret, says_only_secrets};
pub use sentence::{counted, slip_of, some_of};
pub use slug::slug;
pub use wanted_words::{LineFilter, WantedWords};
pub use wording::wording;
pub use words::words;

/// A pattern that is a constant.
pub(crate) fn pattern(pattern: &str) -> regex::Regex {
    regex::Regex::new(pattern).expect("because the pattern is a constant")
}
