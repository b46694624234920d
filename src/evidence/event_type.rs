//! The closed list of what is recorded (consolidation.md, "Evidence").

/// The type of an event. The words are those of the file, and stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// A candidate or a command of a summary was taken.
    ExtractionCandidateAccepted,
    /// A candidate or a command of a summary was refused.
    ExtractionCandidateRejected,
    /// The user asked to remember something.
    ExplicitMemoryDetected,
    /// The user's request stores nothing: negated, deferred, said twice, empty.
    ExplicitMemoryIgnored,
    /// A memory of this session is listed in its hot snapshot from now on.
    PendingMemoryAppended,
    /// A new epoch began, whose prompt has what was pending.
    PendingMemoryCleared,
    /// A candidate or request became a memory of its own.
    PromotionPromoted,
    /// Another memory says it in the same words.
    PromotionAbsorbedExact,
    /// Another memory says it in other words.
    PromotionAbsorbedIdentity,
    /// It replaced, or was replaced by, another one.
    PromotionSuperseded,
    /// It would win no place today, and went to the archive.
    PromotionRejectedCapacity,
    /// It could not be written, and is tried again.
    PromotionRetryScheduled,
    /// It could not be written, and is not tried again.
    PromotionRetryExhausted,
    /// A memory recurred.
    MemoryReinforced,
    /// A summary replaced a numbered memory.
    MemoryReplacedNumberedRef,
    /// Such a replacement was taken back (`mdmem diag revert`).
    MemoryRevertedNumberedRef,
    /// An import found that another memory says it already.
    MemoryMigrationSuperseded,
    /// An epoch's prompt shows these memories.
    RenderSelected,
    /// An epoch's prompt leaves these memories out.
    RenderOmitted,
    /// A file of mdmem's own could not be read, and was put aside.
    StorageCorruptQuarantined,
    /// The lock of an ended process was removed.
    StorageStaleLockRecovered,
    /// A lock was not to be had in time.
    StorageLockTimeout,
    /// A host's call failed.
    HookFailed,
    /// A model was asked what should be remembered, and its answer was carried out.
    PassEnded,
    /// A model was asked, and gave no answer that can be used.
    PassFailed,
}

/// Every type in the order of [`EventType`], with its type, phase and outcome in the words of the file.
// A table is read by its rows.
#[rustfmt::skip]
const WORDS: [(EventType, [&str; 3]); 25] = [
    (EventType::ExtractionCandidateAccepted, ["extraction_candidate_accepted", "extraction", "accepted"]),
    (EventType::ExtractionCandidateRejected, ["extraction_candidate_rejected", "extraction", "rejected"]),
    (EventType::ExplicitMemoryDetected, ["explicit_memory_detected", "explicit", "accepted"]),
    (EventType::ExplicitMemoryIgnored, ["explicit_memory_ignored", "explicit", "rejected"]),
    (EventType::PendingMemoryAppended, ["pending_memory_appended", "pending", "appended"]),
    (EventType::PendingMemoryCleared, ["pending_memory_cleared", "pending", "cleared"]),
    (EventType::PromotionPromoted, ["promotion_promoted", "promotion", "promoted"]),
    (EventType::PromotionAbsorbedExact, ["promotion_absorbed_exact", "promotion", "absorbed"]),
    (EventType::PromotionAbsorbedIdentity, ["promotion_absorbed_identity", "promotion", "absorbed"]),
    (EventType::PromotionSuperseded, ["promotion_superseded", "promotion", "superseded"]),
    (EventType::PromotionRejectedCapacity, ["promotion_rejected_capacity", "promotion", "rejected"]),
    (EventType::PromotionRetryScheduled, ["promotion_retry_scheduled", "promotion", "scheduled"]),
    (EventType::PromotionRetryExhausted, ["promotion_retry_exhausted", "promotion", "failed"]),
    (EventType::MemoryReinforced, ["memory_reinforced", "reinforcement", "reinforced"]),
    (EventType::MemoryReplacedNumberedRef, ["memory_replaced_numbered_ref", "replacement", "replaced"]),
    (EventType::MemoryRevertedNumberedRef, ["memory_reverted_numbered_ref", "replacement", "reverted"]),
    (EventType::MemoryMigrationSuperseded, ["memory_migration_superseded", "migration", "superseded"]),
    (EventType::RenderSelected, ["render_selected", "render", "selected"]),
    (EventType::RenderOmitted, ["render_omitted", "render", "omitted"]),
    (EventType::StorageCorruptQuarantined, ["storage_corrupt_quarantined", "storage", "quarantined"]),
    (EventType::StorageStaleLockRecovered, ["storage_stale_lock_recovered", "storage", "recovered"]),
    (EventType::StorageLockTimeout, ["storage_lock_timeout", "storage", "failed"]),
    (EventType::HookFailed, ["hook_failed", "hook", "failed"]),
    (EventType::PassEnded, ["pass_ended", "pass", "ended"]),
    (EventType::PassFailed, ["pass_failed", "pass", "failed"]),
];

impl EventType {
    /// Every type.
    pub fn all() -> impl Iterator<Item = Self> {
        WORDS.into_iter().map(|(event_type, _)| event_type)
    }

    /// The word for it, as in the file's `type`.
    pub const fn as_str(self) -> &'static str {
        self.words()[0]
    }

    /// The part of a memory's way that it belongs to, as in the file's `phase`.
    pub const fn phase(self) -> &'static str {
        self.words()[1]
    }

    /// Its end, as in the file's `outcome`.
    pub const fn outcome(self) -> &'static str {
        self.words()[2]
    }

    /// Reads [`Self::as_str`] back; `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::all().find(|known| known.as_str() == word)
    }

    /// Its type, phase and outcome.
    pub const fn words(self) -> [&'static str; 3] {
        WORDS[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_order_of_the_types() {
        for (place, event_type) in EventType::all().enumerate() {
            assert_eq!(event_type as usize, place, "{event_type:?}");
            assert_eq!(EventType::parse(event_type.as_str()), Some(event_type));
        }
    }
}
