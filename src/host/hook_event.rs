//! The hosts with hooks, and their events: a host starts a process for each, `mdmem hook EVENT --host NAME`.

use clap::ValueEnum;

/// An event of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookEvent {
    /// A session begins or goes on, also after /clear or a compaction: gives the memory
    SessionStart,
    /// The user has sent a message: stores what it asks to remember
    UserPromptSubmit,
    /// A tool has ended, well or with an error: notes the file or the command
    PostToolUse,
    /// A conversation is about to be compacted: gives what the summary is to teach
    PreCompact,
    /// A session ends: reads what its last summary teaches
    SessionEnd,
}

/// A host with hooks. Their events are those of Claude Code, also where a host calls them otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum HookHost {
    /// Claude Code
    #[default]
    ClaudeCode,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// GitHub Copilot CLI
    Copilot,
    /// Factory's Droid
    Droid,
    /// Pi, by mdmem's extension
    Pi,
}

impl HookHost {
    /// Its name on a command line, and in what a memory says about where it is from.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::Copilot => "copilot",
            Self::Droid => "droid",
            Self::Pi => "pi",
        }
    }

    /// The variable in which it names its project; the working folder may move with the model's `cd`.
    pub(crate) const fn project_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("CLAUDE_PROJECT_DIR"),
            Self::Gemini => Some("GEMINI_PROJECT_DIR"),
            Self::Qwen => Some("QWEN_PROJECT_DIR"),
            Self::Droid => Some("FACTORY_PROJECT_DIR"),
            Self::Codex | Self::Copilot | Self::Pi => None,
        }
    }
}
