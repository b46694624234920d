//! The setting for the fate of a host's own prompt for a compaction.

use serde::{Deserialize, Serialize};

/// The form of the words for a compaction (`compaction.prompt`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompactionPrompt {
    /// A part for the end of the host's own template.
    #[default]
    Append,
    /// A prompt in its place.
    Replace,
}
