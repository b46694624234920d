//! Searching memories: the tokens of a text, the words of a question, the ranking, the passages, the words that were
//! meant. All of it is a function of texts and numbers.

mod glance;
mod guess;
mod passages;
mod query;
mod rank;
mod stem;
mod tokens;

pub use guess::Guess;
pub use passages::Passage;
pub use query::Query;
pub use rank::{Answer, Candidate, Document, Ranked, Reasons, answer, matches};
