//! Prompt and index: bytes from values. Every text comes from templates/.

mod commit_subject;
mod index;
mod layout;
mod markdown;
mod pinned;
mod prompt;
mod ranked;
mod scope;
mod templates;
mod tree;

pub use commit_subject::commit_subject;
pub use index::index;
pub use layout::PromptLayout;
pub use prompt::{Prompt, prompt};
pub use scope::Scope;
