//! The rules: retention, identity, consolidation, selection. Pure: values and a clock in, a plan out.

mod days;
mod reinforcement;
mod rules;

pub use reinforcement::{
    ReinforceBlock, ReinforceDecision, ReinforceMode, ReinforceOutcome, decide_reinforcement,
};
pub use rules::{
    ByImportance, BySource, HotRules, ReinforceRules, RenderRules, RetentionRules, Rules, TreeRules, TypeRule,
};
