//! The limits of the log (consolidation.md, "Evidence").

/// The most milliseconds that an event is kept: 90 days.
pub(super) const AGE: i64 = 90 * 86_400_000;
/// The most lines of `evidence.jsonl`.
pub(super) const LINES: usize = 5_000;
/// The most bytes of `evidence.jsonl`.
pub(super) const BYTES: usize = 2 << 20;

/// The most bytes of `evidence-unreadable.jsonl`.
pub(super) const UNREADABLE_BYTES: usize = 256 << 10;

/// The most that is read of a log. One that is larger was not made by this program.
pub(super) const MOST_READ: u64 = 256 << 20;
