//! The rules: retention, identity, consolidation, selection. Pure: values and a clock in, a plan out.

mod addition;
mod budget;
mod competition;
mod consolidation;
mod context_rules;
mod corrected;
mod days;
mod dormancy;
mod epoch;
#[cfg(test)]
pub(crate) mod fixture;
mod holds_for;
mod identity;
mod likeness;
mod line;
mod newer;
mod numbered;
mod order;
mod prune_rules;
mod rank;
mod reconciling;
mod reinforcement;
mod retention;
mod retold;
mod rules;
mod selection;
mod subject;

pub use addition::{Addition, AdditionOutcome, Displaced, NewFile, Recalled, plan_addition};
pub use budget::{FittedPinned, Layout, Section, Shown, fit_pinned};
pub use competition::over_capacity;
pub use consolidation::{
    Absorption, Consolidation, Duplicate, FileFate, Standing, duplicates, prevails, related, tidy,
};
pub use context_rules::{CompactionPrompt, ContextRules, Level, LevelRules};
pub use corrected::{NoLonger, corrected, outdated, resembling};
pub use dormancy::Dormancy;
pub use epoch::{
    ContextUse, EpochDecision, EpochQuestion, EpochReason, EpochRules, ForcedBy, Frozen, Pressure,
    decide_epoch,
};
pub use holds_for::{holds_for, matching, pattern_fault};
pub use identity::{Entry, Identity, Keys, Numbers, keys, keys_of};
pub use likeness::{Likeness, same_words};
pub use line::{Line, LineNotes, as_plain, cut, plain, said_of};
pub use newer::{outdates, pair_signs};
pub use numbered::{NumberedMemories, NumberedMemory, is_replaceable};
pub use order::{ByInitialStrength, by_section, sort_by_initial_strength};
pub use prune_rules::{KeepRule, PruneMode, PruneRules};
pub use rank::{Fate, Place, Rank};
pub use reconciling::{Action, Hold, Named, Proposal, Reconciling, Verdict, batches, most_changed, numbered};
pub use reinforcement::{ReinforceDecision, ReinforceOutcome, decide_reinforcement};
pub use retention::{Strength, initial_strength, restated_strength, strength};
pub use retold::{retells, says_declined, shares_a_fact};
pub use rules::{
    ByImportance, BySource, HotRules, ReinforceRules, RenderRules, RetentionRules, Rules, SessionRules,
    TreeRules, TypeRule, zone,
};
pub use selection::{
    Candidates, Eligibility, Omitted, Reason, Selection, eligibility, is_emptied, says_nothing, select,
};
