//! The keys of a frontmatter that are mdmem's.

macro_rules! keys {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A top-level key of a frontmatter that is mdmem's (docs/file-format.md). Every other key is the person's.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $($(#[$doc])* $variant,)*
        }

        impl Key {
            /// The key as it stands in a file.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The key of that name, if it is one of mdmem's.
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

keys! {
    /// The stable name.
    Id = "id",
    /// feedback, decision, project, reference, user, or one from `mdmem.toml`.
    Type = "type",
    /// explicit, manual, compaction or extraction.
    Source = "source",
    /// active or superseded.
    Status = "status",
    /// Initial strength.
    Strength = "strength",
    /// The number of times that it recurred.
    Reinforcement = "reinforcement",
    /// When it was last reinforced.
    Reinforced = "reinforced",
    /// By which session, hashed.
    Session = "session",
    /// Start of the decay.
    Clock = "clock",
    /// When it was made.
    Created = "created",
    /// When its text last changed.
    Updated = "updated",
    /// low, normal or high.
    Importance = "importance",
    /// Breaks ties.
    Confidence = "confidence",
    /// Days; 0 = never.
    StaleAfter = "stale_after",
    /// The title.
    Name = "name",
    /// The hook.
    Description = "description",
    /// Most characters in the body.
    Limit = "limit",
    /// Tools must not change it.
    Readonly = "readonly",
    /// Ids that this memory replaced.
    Supersedes = "supersedes",
    /// The id that replaced this one.
    SupersededBy = "superseded_by",
    /// The id that this one contradicts.
    ConflictOf = "conflict_of",
    /// Words.
    Tags = "tags",
    /// Other names to find it by.
    Aliases = "aliases",
    /// The file outside the store that says it now.
    Promoted = "promoted",
    /// The text, where a body would read back differently.
    Text = "text",
    /// The reason that goes with `text`; without `text` it is the person's key.
    Rationale = "rationale",
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
