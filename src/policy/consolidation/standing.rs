//! The standing of a memory: the keys of its file that recurrence changes.

use crate::model::{Memory, Moment, Timestamp};
use crate::policy::{ReinforceDecision, ReinforceRules, decide_reinforcement};

/// The keys of a memory that recurrence changes, and nothing else does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// `reinforcement`.
    pub reinforcement: u32,
    /// `reinforced`.
    pub reinforced: Moment,
    /// `session`.
    pub session: Option<String>,
    /// `clock`.
    pub clock: Moment,
}

impl Standing {
    /// The standing that a memory has.
    pub fn of(memory: &Memory) -> Self {
        Self {
            reinforcement: memory.reinforcement,
            reinforced: memory.reinforced,
            session: memory.session.clone(),
            clock: memory.clock,
        }
    }

    /// Takes the greater count and the later `reinforced` of a memory that this one absorbs, and nothing else.
    pub fn take(&mut self, absorbed: &Self) {
        self.reinforcement = self.reinforcement.max(absorbed.reinforcement);
        if absorbed.reinforced.known() > self.reinforced.known() {
            self.reinforced = absorbed.reinforced;
        }
    }

    /// Reinforces by one recurrence, if the window allows it (docs/why.md), and says what was decided.
    pub fn recur(
        &mut self,
        session: Option<&str>,
        now: Timestamp,
        rules: &ReinforceRules,
    ) -> ReinforceDecision {
        let last_session = self.session.as_deref();
        let decision = decide_reinforcement(
            self.reinforcement,
            self.reinforced,
            last_session,
            session,
            now,
            rules,
        );
        if decision.is_allowed() {
            self.reinforcement = decision.count;
            self.reinforced = Moment::At(now);
            self.clock = Moment::At(now);
            self.session = session.map(str::to_owned);
        }
        decision
    }
}
