//! Searching memories: the index as a cache, and what ranks.
//!
//! `SQLite` stores tokens and says which memories have them (`index`). Everything else is a function of texts and
//! numbers: the tokens of a text, the words of a question, the ranking, the passages. Which files an index has to
//! have, and where it lies, is the store's.

mod index;
mod passages;
mod query;
mod rank;
mod stem;
mod tokens;

pub use index::{Facets, Index, IndexError, Row};
pub use passages::Passage;
pub use query::Query;
pub use rank::{Candidate, Document, Frequencies, Ranked, Reasons, rank};
