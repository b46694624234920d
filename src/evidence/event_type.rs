//! The closed list of what is recorded (consolidation.md, "Evidence").

/// What happened. The words are those of the file, and stay.
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
    /// What was heard became a memory of its own.
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
    /// What an epoch's prompt shows.
    RenderSelected,
    /// What an epoch's prompt leaves out.
    RenderOmitted,
    /// A file of mdmem's own could not be read, and was put aside.
    StorageCorruptQuarantined,
    /// The lock of an ended process was removed.
    StorageStaleLockRecovered,
    /// A lock was not to be had in time.
    StorageLockTimeout,
    /// A host's call failed.
    HookFailed,
}

impl EventType {
    /// Every type.
    pub const ALL: [Self; 23] = [
        Self::ExtractionCandidateAccepted,
        Self::ExtractionCandidateRejected,
        Self::ExplicitMemoryDetected,
        Self::ExplicitMemoryIgnored,
        Self::PendingMemoryAppended,
        Self::PendingMemoryCleared,
        Self::PromotionPromoted,
        Self::PromotionAbsorbedExact,
        Self::PromotionAbsorbedIdentity,
        Self::PromotionSuperseded,
        Self::PromotionRejectedCapacity,
        Self::PromotionRetryScheduled,
        Self::PromotionRetryExhausted,
        Self::MemoryReinforced,
        Self::MemoryReplacedNumberedRef,
        Self::MemoryRevertedNumberedRef,
        Self::MemoryMigrationSuperseded,
        Self::RenderSelected,
        Self::RenderOmitted,
        Self::StorageCorruptQuarantined,
        Self::StorageStaleLockRecovered,
        Self::StorageLockTimeout,
        Self::HookFailed,
    ];

    /// The word for it, as in the file's `type`.
    pub const fn as_str(self) -> &'static str {
        self.words()[0]
    }

    /// The part of a memory's way that it belongs to, as in the file's `phase`.
    pub const fn phase(self) -> &'static str {
        self.words()[1]
    }

    /// How it ended, as in the file's `outcome`.
    pub const fn outcome(self) -> &'static str {
        self.words()[2]
    }

    /// Reads [`Self::as_str`] back; `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Its type, phase and outcome.
    pub const fn words(self) -> [&'static str; 3] {
        match self {
            Self::ExtractionCandidateAccepted => ["extraction_candidate_accepted", "extraction", "accepted"],
            Self::ExtractionCandidateRejected => ["extraction_candidate_rejected", "extraction", "rejected"],
            Self::ExplicitMemoryDetected => ["explicit_memory_detected", "explicit", "accepted"],
            Self::ExplicitMemoryIgnored => ["explicit_memory_ignored", "explicit", "rejected"],
            Self::PendingMemoryAppended => ["pending_memory_appended", "pending", "appended"],
            Self::PendingMemoryCleared => ["pending_memory_cleared", "pending", "cleared"],
            Self::PromotionPromoted => ["promotion_promoted", "promotion", "promoted"],
            Self::PromotionAbsorbedExact => ["promotion_absorbed_exact", "promotion", "absorbed"],
            Self::PromotionAbsorbedIdentity => ["promotion_absorbed_identity", "promotion", "absorbed"],
            Self::PromotionSuperseded => ["promotion_superseded", "promotion", "superseded"],
            Self::PromotionRejectedCapacity => ["promotion_rejected_capacity", "promotion", "rejected"],
            Self::PromotionRetryScheduled => ["promotion_retry_scheduled", "promotion", "scheduled"],
            Self::PromotionRetryExhausted => ["promotion_retry_exhausted", "promotion", "failed"],
            Self::MemoryReinforced => ["memory_reinforced", "reinforcement", "reinforced"],
            Self::MemoryReplacedNumberedRef => ["memory_replaced_numbered_ref", "replacement", "replaced"],
            Self::MemoryRevertedNumberedRef => ["memory_reverted_numbered_ref", "replacement", "reverted"],
            Self::MemoryMigrationSuperseded => ["memory_migration_superseded", "migration", "superseded"],
            Self::RenderSelected => ["render_selected", "render", "selected"],
            Self::RenderOmitted => ["render_omitted", "render", "omitted"],
            Self::StorageCorruptQuarantined => ["storage_corrupt_quarantined", "storage", "quarantined"],
            Self::StorageStaleLockRecovered => ["storage_stale_lock_recovered", "storage", "recovered"],
            Self::StorageLockTimeout => ["storage_lock_timeout", "storage", "failed"],
            Self::HookFailed => ["hook_failed", "hook", "failed"],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_type_has_a_word_of_its_own_that_reads_back() {
        let words: BTreeSet<&str> = EventType::ALL.into_iter().map(EventType::as_str).collect();
        assert_eq!(words.len(), EventType::ALL.len());
        for event in EventType::ALL {
            assert_eq!(EventType::parse(event.as_str()), Some(event));
        }
        assert_eq!(EventType::parse("extraction"), None);
    }
}
