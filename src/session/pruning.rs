//! The counts of a conversation's tool outputs that were pruned.

/// Counts of a conversation's tool outputs that were shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruning {
    /// The outputs.
    pub calls: u64,
    /// The characters that they had.
    pub chars_in: u64,
    /// The characters that the conversation was given.
    pub chars_out: u64,
    /// The number of times that something was fetched back.
    pub fetched: u64,
}

impl std::ops::Add for Pruning {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            chars_in: self.chars_in.saturating_add(other.chars_in),
            chars_out: self.chars_out.saturating_add(other.chars_out),
            fetched: self.fetched.saturating_add(other.fetched),
        }
    }
}
