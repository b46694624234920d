//! Searching memories: the tokens of a text, the words of a question, the ranking, the passages. All of it is a function
//! of texts and numbers.

mod passages;
mod query;
mod rank;
mod stem;
mod tokens;

pub use passages::Passage;
pub use query::Query;
pub use rank::{Candidate, Document, Ranked, Reasons, rank};
