//! Prompt, hot snapshot, compaction and index: bytes from values. Every text comes from templates/.

mod commit_subject;
mod compaction;
mod conflicts;
mod extraction;
mod fence;
mod hot;
mod index;
mod layout;
#[cfg(test)]
mod length_tests;
mod markdown;
mod numbered;
mod page;
mod pinned;
mod prompt;
mod pruned;
mod ranked;
mod templates;
mod tree;
mod working;

pub use commit_subject::commit_subject;
pub use compaction::{CompactionContext, Todo, compaction_prompt};
pub use conflicts::{Contradicting, conflicts_page, contradictions_line};
pub use extraction::{
    ExtractionPrompt, MEMORIES_CHARS, extraction_prompt, reconciling_chars, reconciling_prompt,
};
pub use fence::fenced;
pub use hot::{HotOmitted, HotSnapshot, hot_snapshot, left_by_the_last};
pub use index::{Project, Unsettled, index, projects_page};
pub use layout::{PromptLayout, Scope};
pub use numbered::{NumberedList, numbered_memories};
pub use page::{SCRIPT, STYLE, address, page};
pub use pinned::note_for_file;
pub use prompt::{Prompt, prompt};
pub use pruned::{PrunedOutput, ToolOutput, ToolWork, prune_output};
pub use working::{with_working, working_blocks};
