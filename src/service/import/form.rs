//! The forms in which other tools and people keep what a store can take, and how a form is told by looking.

use std::path::Path;

use super::source::Source;

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The JSON that `mdmem export` writes.
    Mdmem,
    /// The store of the OpenCode plugin opencode-memfs.
    OpencodeMemfs,
    /// A folder of notes with `name` and `metadata.type`, as coding agents keep them.
    AgentNotes,
    /// The files in which a workspace instructs its agents: CLAUDE.md, AGENTS.md, Cursor's rules, Serena's memories.
    Instructions,
    /// A folder of Serena's memories.
    Serena,
    /// A folder of basic-memory's.
    BasicMemory,
    /// The JSON that `engram export` writes.
    Engram,
    /// Any folder of markdown, or one file.
    Markdown,
}

/// The memories that a text with several statements becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// One note.
    #[default]
    Notes,
    /// A fact for each statement of a list, and a note for the rest.
    Facts,
}

/// The files in a workspace's root that agents read.
pub(super) const INSTRUCTION_FILES: [&str; 8] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".claude/CLAUDE.md",
    ".github/copilot-instructions.md",
];
/// Folders in a workspace's root whose files agents read.
pub(super) const INSTRUCTION_FOLDERS: [&str; 2] = [".cursor/rules", ".serena/memories"];

impl Form {
    /// The word for it on the command line and in a commit.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mdmem => "mdmem",
            Self::OpencodeMemfs => "opencode-memfs",
            Self::AgentNotes => "agent-notes",
            Self::Instructions => "instructions",
            Self::Serena => "serena",
            Self::BasicMemory => "basic-memory",
            Self::Engram => "engram",
            Self::Markdown => "markdown",
        }
    }

    /// Says whether a choice between notes and facts means something.
    pub(super) const fn has_facts(self) -> bool {
        !matches!(self, Self::Mdmem | Self::OpencodeMemfs | Self::AgentNotes)
    }

    /// Tells the form of JSON; `None` where it is of neither.
    pub(super) fn of_json(json: &serde_json::Value) -> Option<Self> {
        if json.get("mdmem_export").is_some() {
            return Some(Self::Mdmem);
        }
        json.get("observations")?.is_array().then_some(Self::Engram)
    }

    /// Tells the form of a folder by its layout, which needs no look into its files.
    pub(super) fn of_layout(folder: &Path) -> Option<Self> {
        let has = |name: &str| folder.join(name).is_dir();
        let is_part =
            folder.ends_with("global") || folder.parent().is_some_and(|above| above.ends_with("projects"));
        if has(".git") && (has("global/system") || has("projects")) || has("system") && is_part {
            return Some(Self::OpencodeMemfs);
        }
        if folder.ends_with(".serena/memories") {
            return Some(Self::Serena);
        }
        let mut places = INSTRUCTION_FILES.iter().chain(&INSTRUCTION_FOLDERS);
        let has_any = places.any(|name| folder.join(name).exists());
        (has_any || folder.ends_with(".cursor/rules")).then_some(Self::Instructions)
    }

    /// Tells the form of files by what their frontmatters state.
    pub(super) fn of_files(source: &Source) -> Self {
        let has = |key: &str, fits: fn(&str) -> bool| {
            let states = |text: &str| super::frontmatter::value(text, key).is_some_and(fits);
            source.files.iter().any(|file| file.text().is_ok_and(states))
        };
        let states = |key: &str| has(key, |_| true);
        // The pages of a site have one too, which begins at its root.
        if has("permalink", |link| !link.starts_with('/')) {
            Self::BasicMemory
        } else if states("name") && states("metadata") {
            Self::AgentNotes
        } else {
            Self::Markdown
        }
    }

    /// Tells the form of one file by its name.
    pub(super) fn of_name(file: &Path) -> Self {
        let is_known = INSTRUCTION_FILES.iter().any(|name| file.ends_with(name));
        let is_rule = file.extension().is_some_and(|extension| extension == "mdc");
        if is_known || is_rule {
            Self::Instructions
        } else {
            Self::Markdown
        }
    }
}
