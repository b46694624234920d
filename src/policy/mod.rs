//! The rules: retention, identity, consolidation, selection. Pure: values and a clock in, a plan out.

mod rules;

pub use rules::{
    ByImportance, BySource, HotRules, ReinforceRules, RenderRules, RetentionRules, Rules, TreeRules, TypeRule,
};
