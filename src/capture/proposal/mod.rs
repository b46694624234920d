//! A model that read a conversation, or the memories of a store, proposes changes (docs/passes.md): its answer is read here,
//! and held against what was said. It is trusted in nothing: what cannot be read is refused with a cause, and every
//! proposal about a conversation names the words that it comes from.

mod answer;
mod listed;
mod talk;

pub use answer::{Answer, Proposal, RefusedProposal, read_answer};
pub use listed::AnswerFault;
pub use talk::{Speaker, Talk, Utterance, in_one_batch};
