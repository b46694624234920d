//! Prompt, hot snapshot, compaction and index: bytes from values. Every text comes from templates/.

mod commit_subject;
mod compaction;
mod conflicts;
mod fence;
mod hot;
mod index;
mod layout;
#[cfg(test)]
mod length_tests;
mod markdown;
mod numbered;
mod pinned;
mod projects;
mod prompt;
mod ranked;
mod templates;
mod tree;

pub use commit_subject::commit_subject;
pub use compaction::{CompactionContext, Todo, compaction_prompt};
pub use conflicts::conflicts_page;
pub use fence::fenced;
pub use hot::{HotOmitted, HotSnapshot, hot_snapshot, left_by_the_last};
pub use index::index;
pub use layout::{PromptLayout, Scope};
pub use numbered::{NumberedList, numbered_memories};
pub use projects::{Project, projects_page};
pub use prompt::{Prompt, prompt};
