//! How much the log keeps (consolidation.md, "Evidence").

/// Limits of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// The most days that an event is kept.
    pub(super) days: i64,
    /// The most lines.
    pub(super) lines: usize,
    /// The most bytes.
    pub(super) bytes: u64,
}

/// The limits of `evidence.jsonl`.
pub(super) const EVENTS: Limits = Limits {
    days: 90,
    lines: 5_000,
    bytes: 2 << 20,
};

/// The most bytes of `evidence-unreadable.jsonl`.
pub(super) const UNREADABLE_BYTES: usize = 256 << 10;

/// The most that is read of a log. One that is larger was not made by this program.
pub(super) const MOST_READ: u64 = 256 << 20;
