//! Searching memories: the tokens of a text, the words of a question, the ranking, the passages, the words that were
//! meant. All of it is a function of texts and numbers.

mod guess;
mod meaning;
mod passages;
mod prints;
mod query;
mod rank;
mod stem;
mod tokens;
mod turns;

pub use guess::Guess;
pub use meaning::{Near, parts};
pub use passages::Passage;
pub use prints::Prints;
pub use query::Query;
pub use rank::{Answer, Candidate, Ranked, Reasons, answer, matches, prints_of};
pub use turns::{APART, Turn, roots, scores};

/// A note for the tests.
#[cfg(test)]
fn note(path: &str, body: &str) -> crate::model::Memory {
    use crate::model::{Content, Id, Kind, Memory, StorePath};
    let (id, path) = (Id::parse("mem_note").unwrap(), StorePath::new(path).unwrap());
    let body = body.to_owned();
    Memory::new(id, path, Kind::new("reference"), Content::Note { body })
}
