//! The JSON forms that any host shows: a memory, a change and its commit, a finding. Each is named by the words of
//! the frontmatter and of the command line; the forms of one command alone stay with that command.

mod change;
mod finding;
mod memory;

pub(crate) use change::{
    ChangedJson, CommitJson, FoundJson, HeldJson, files_json, held_json, merged, with_commit,
};
pub(crate) use finding::{FindingJson, severity_word};
pub(crate) use memory::{MemoryJson, fate_word};
