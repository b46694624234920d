//! The type of a memory.

/// The type of a memory (`type:` in its file, or its folder): a word, because `mdmem.toml` may add types.
/// What a type means (factor, cap, order) is in the rules, not here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(String);

impl Kind {
    /// The type of a file that neither says one nor lies in a type's folder.
    pub const DEFAULT: &'static str = "project";

    /// A type by its name: white space at the ends is not part of it, letters are lower case.
    pub fn new(name: &str) -> Self {
        Self(name.trim().to_lowercase())
    }

    /// The name, as in `type:` and as the folder's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Kind {
    fn default() -> Self {
        Self(Self::DEFAULT.to_owned())
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
