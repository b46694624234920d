//! The memory that Claude Code keeps by itself: files with an index of their own, in a folder of the user's for each
//! workspace. What its settings do, and which of its files it takes them from, is in `tests/claude_code/README.md`.

use std::borrow::Cow;
use std::path::Path;

use clap::ValueEnum;

use super::edit::{Entry, Setup};
use crate::model::CLAUDE_FOLDER;

/// The file of these settings: of one workspace, and the user's alone.
pub(super) const FILE: &str = ".claude/settings.local.json";
/// The agent whose memory it is.
pub(super) const AGENT: &str = "claude-code";

/// The place of the memory that Claude Code keeps by itself. Where none is chosen, it is as Claude Code has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OwnMemory {
    /// In the folder claude/ of the store: tracked, synced, found by every agent; it counts as an agent's words
    Store,
    /// Nowhere: switched off, so that Claude Code has mdmem's memory alone
    Off,
}

/// The entries of a choice, or of taking back whatever was chosen. `None` where the path is no text.
pub(super) fn entries(choice: Option<OwnMemory>, store: &Path, setup: Setup) -> Option<Vec<Entry>> {
    let folder = serde_json::to_string(store.join(CLAUDE_FOLDER).to_str()?).ok()?;
    let is_there = Entry::Member(&["autoMemoryDirectory"], Cow::Owned(folder));
    let is_off = Entry::Member(&["autoMemoryEnabled"], Cow::Borrowed("false"));
    Some(match (setup, choice) {
        (Setup::Connect, Some(OwnMemory::Store)) => {
            vec![Entry::InTheWay(&["autoMemoryEnabled"], "false"), is_there]
        }
        (Setup::Connect, _) => vec![is_off],
        (Setup::TakeBack, _) => vec![is_there, is_off],
    })
}
