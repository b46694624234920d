//! The stable name of a memory.

/// The stable name of a memory, kept across renames: `mem_` and a ULID where the engine made it, any single
/// word of printable characters where a person or another tool did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(String);

/// Why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no id: an id is one word of at most 128 letters, digits, `_`, `-`, `.` or `:`")]
pub struct IdError(pub String);

impl Id {
    /// Checks a text from a file or from a caller.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let valid = !text.is_empty() && text.len() <= 128 && text.chars().all(word);
        if valid {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError(text.chars().take(40).collect()))
        }
    }

    /// The id as it stands in a file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
