//! The setting for the fate of a host's own prompt for a compaction.

/// The form of the words for a compaction (`compaction.prompt`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompactionPrompt {
    /// A part for the end of the host's own template.
    #[default]
    Append,
    /// A prompt in its place.
    Replace,
}

impl CompactionPrompt {
    /// The word in the settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Replace => "replace",
        }
    }
}

impl std::str::FromStr for CompactionPrompt {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        let all = [Self::Append, Self::Replace];
        all.into_iter().find(|known| known.as_str() == word).ok_or(())
    }
}
