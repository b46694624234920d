//! The level of a conversation's context: the cost of its answers, the advice about it, and a compaction that its agent
//! asks for (docs/working.md).

use crate::policy::{ContextRules, cut};
use crate::session::{ContextFigures, SessionState, TokenLimits, TokenUsage};
use crate::store::session_hash;

use super::super::ServiceError;
use super::Conversations;
use super::tools::check_no_order;

/// Below so many percent nothing is compacted for an agent.
const LEAST_PERCENT: u64 = 50;
/// Characters of the focus of a compaction.
const FOCUS_CHARS: usize = 300;

/// The advice about a context that is filling up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextAdvice {
    /// The figures.
    pub figures: ContextFigures,
    /// True where the agent has a tool to have the conversation compacted.
    pub may_compact: bool,
    /// True where the agent has a tool to keep what the next turn needs.
    pub has_session_memory: bool,
}

/// The context of a conversation, for its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextView {
    /// The figures; `None` where the level is not known.
    pub figures: Option<ContextFigures>,
    /// The tokens of the last answer; `None` before the first one, and after a compaction.
    pub used: Option<u64>,
    /// The characters of the system prompt that are mdmem's.
    pub prompt_chars: usize,
}

/// The reason why a conversation is not compacted for its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CompactionRefusal {
    /// `context.compact` is not on.
    #[error(
        "agents may not compact the conversation here (`context.compact`): continue, and end with what \
         the next turn needs"
    )]
    Off,
    /// The host's process ends with this turn.
    #[error(
        "there is nothing to compact, because the process ends with this turn: continue, and end with \
         what the next turn needs"
    )]
    EndsWithTurn,
    /// The level is not known.
    #[error("not compacted: the context's size is unknown. Continue; memory_context has the figures")]
    Unknown,
    /// There is room.
    #[error(
        "not compacted: the context is {percent} % full, and there is room up to {LEAST_PERCENT} %. \
         Continue; memory_context has the figures"
    )]
    Room {
        /// The part that is used.
        percent: u64,
    },
    /// A compaction was asked for already.
    #[error("a compaction was already requested and comes next: end this step")]
    UnderWay,
}

/// Says whether a host's process goes on after the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterTurn {
    /// It waits for the next turn.
    GoesOn,
    /// It ends.
    Ends,
}

impl Conversations {
    /// The rules of the context's level.
    pub fn context_rules(&self) -> ContextRules {
        self.rules().context
    }

    /// True where the level is of use: to the agent, or to the pruning of outputs.
    fn measures(&self) -> bool {
        self.context_rules().is_on() || self.prunes()
    }

    /// A model answered in a session, and it took these tokens. Answers without tokens and absurd ones do not count.
    pub fn answered(&mut self, session: &str, model: &str, usage: &TokenUsage, limits: TokenLimits) {
        if self.measures() && usage.used().is_some() {
            let rules = self.context_rules();
            self.change_context(&session_hash(session), |state| {
                state.context.answered(model, usage, limits, &rules.level);
            });
        }
    }

    /// The advice that is due, with which it is told.
    pub fn take_advice(&mut self, session: &str) -> Option<ContextAdvice> {
        let session = session_hash(session);
        self.states.get(&session, self.now()).context.due?;
        let state = self.change_context(&session, |state| state.context.due = None);
        self.advice(&state, self.context_rules())
    }

    /// A session rests. Gives the advice that the host is to give now by a message of its own.
    pub fn rests(&mut self, session: &str) -> Option<ContextAdvice> {
        let rules = self.context_rules();
        let session = session_hash(session);
        let mut context = self.states.get(&session, self.now()).context;
        if !rules.may_intervene || !context.intervene(&rules.level) {
            return None;
        }
        context.due = None;
        let state = self.change_context(&session, |state| state.context = context);
        self.advice(&state, rules)
    }

    /// The user begins a turn. Gives the advice that is due: it is told with the message.
    pub(super) fn begin_turn(&mut self, session: &str) -> Option<ContextAdvice> {
        let rules = self.context_rules();
        let is_measured = self.states.get(session, self.now()).context.model.is_some();
        if !is_measured {
            return None;
        }
        let mut due = None;
        let state = self.change_context(session, |state| {
            due = state.context.due.take();
            state.context.begin_turn();
        });
        self.advice(&state, rules).filter(|_| due.is_some())
    }

    /// The context of a session.
    pub fn context_view(&self, session: &str) -> ContextView {
        let context = self.states.get(&session_hash(session), self.now()).context;
        let frozen = self.states.frozen(session);
        let texts = frozen.iter().flat_map(|frozen| &frozen.system);
        ContextView {
            figures: context.figures(&self.context_rules().level),
            used: context.used,
            prompt_chars: texts.map(|text| text.chars().count()).sum(),
        }
    }

    /// An agent asks for its conversation to be compacted: the host is to do that now, and asks for the words of the
    /// prompt then, which name the focus. A text that gives orders to its reader is refused.
    pub fn ask_for_compaction(
        &mut self,
        session: &str,
        focus: &str,
        after: AfterTurn,
    ) -> Result<(), ServiceError> {
        let rules = self.context_rules();
        let session = session_hash(session);
        let context = self.states.get(&session, self.now()).context;
        let percent = context.figures(&rules.level).map(|figures| figures.percent());
        let refusal = match percent {
            _ if !rules.may_compact => Some(CompactionRefusal::Off),
            _ if after == AfterTurn::Ends => Some(CompactionRefusal::EndsWithTurn),
            _ if context.focus.is_some() => Some(CompactionRefusal::UnderWay),
            None => Some(CompactionRefusal::Unknown),
            Some(percent) => (percent < LEAST_PERCENT).then_some(CompactionRefusal::Room { percent }),
        };
        refusal.map_or(Ok(()), Err)?;
        check_no_order(focus)?;
        let focus = cut(self.redact(focus).trim(), FOCUS_CHARS);
        self.change_context(&session, |state| state.context.focus = Some(focus));
        Ok(())
    }

    fn advice(&self, state: &SessionState, rules: ContextRules) -> Option<ContextAdvice> {
        Some(ContextAdvice {
            figures: state.context.figures(&rules.level)?,
            may_compact: rules.may_compact,
            has_session_memory: self.has_session_memory(),
        })
    }

    /// Changes the state of a session in what HOT.md does not show.
    fn change_context(&self, session: &str, change: impl FnOnce(&mut SessionState)) -> SessionState {
        let now = self.now();
        let changed = self.states.change(session, now, self.wait(), |state| {
            state.updated = now;
            change(state);
        });
        changed.0
    }
}
