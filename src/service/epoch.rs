//! Use case: the texts that a session's system prompt gets, frozen for its epoch (`mdmem serve`).
//!
//! The bytes that are served are on disk before the answer, so that a restart serves the same bytes; the rules of when
//! it may change are `policy::decide_epoch`. Each decision is one line in `.mdmem/log`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::model::{Id, Timestamp};
use crate::policy::{
    ContextUse, EpochDecision, EpochQuestion, EpochReason, EpochRules, ForcedBy, Frozen, Rules, decide_epoch,
};
use crate::render;
use crate::session::{SessionState, WorkingMemory};
use crate::store::{FrozenPrompt, Sessions, session_hash};
use crate::text::sha256_hex;

use super::conversation::States;
use super::no_longer_said::{NewPatterns, Unscrubbed};
use super::prompt::OpenStores;
use super::{Background, Context, PromptRequest, ServiceError};

/// The most of a hook's text that Claude Code gives its model, in units of UTF-16: of a longer one it gives 2 KB.
pub const MOST_OF_A_HOOK: usize = 10_000;

/// A host's request for one model step.
#[derive(Debug, Clone, Default)]
pub struct SessionRequest {
    /// The session's id, as the host has it.
    pub session: String,
    /// The use of the context, where the host knows it.
    pub context: Option<ContextUse>,
    /// When the model last answered in this session, where the host knows.
    pub last_response: Option<Timestamp>,
    /// The most that the host takes of the texts with two line breaks between them, in units of UTF-16.
    pub most: Option<usize>,
}

/// When a host takes a new prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PromptTiming {
    /// At every step of the model: the prompt stands before the conversation.
    #[default]
    AtEveryStep,
    /// When a session begins, goes on, or is compacted: the prompt is a part of the conversation, and stays there.
    AtSessionStart,
}

/// The prompt that a session is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedPrompt {
    /// The texts, in order; none when there is nothing to say.
    pub system: Vec<String>,
    /// The reason of the choice: `first`, `unchanged`, `forced:…`, `pressure`, `ttl`, `kept`.
    pub reason: String,
    /// SHA-256 of the texts.
    pub hash: String,
    /// The memories that a new epoch shows and leaves out; `None` while one goes on.
    pub epoch: Option<Epoch>,
}

/// The memories that a new epoch's prompt shows and leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Epoch {
    /// The ids of the memories that are shown, in the order of the fates.
    pub shown: Vec<Id>,
    /// The number of memories that are left out, by reason.
    pub omitted: BTreeMap<&'static str, usize>,
    /// The number of lines of the hot state that are left out.
    pub hot_omitted: usize,
    /// The memories that the session had stored until then: the prompt shows them, or they compete for a place there.
    pub stored: Vec<Id>,
    /// The memories that the session's state speaks of and that are no longer in force.
    pub gone: Vec<Id>,
    /// True where a memory holds for some files alone, shown or not.
    pub has_partial: bool,
}

/// The prompts of one workspace's sessions, served from memory where the files did not change. It waits for no lock of
/// the store's or of a session's, and for nobody who writes.
pub struct PromptServer {
    context: Context,
    stores: OpenStores,
    states: States,
    /// The folder that file names are shown relative to.
    root: String,
    rules: EpochRules,
    current: Option<Current>,
    unscrubbed: Unscrubbed,
    new_patterns: NewPatterns,
}

/// The rendering of the stores. It is used again while the files are the same and the minute is not over.
struct Current {
    fresh: Freshness,
    memory: String,
    /// The characters of its memories.
    chars: usize,
    /// The epoch that it would begin, but for the hot state.
    epoch: Epoch,
    /// Every memory that it knows; with its words where only a hot state can say them.
    words: HashMap<Id, Option<String>>,
    /// The last texts that were made of it: a session asks at each of its steps, and its hot state rarely changes.
    fenced: Option<Fenced>,
}

/// The texts of a prompt in their fence, and the hot state that they hold.
struct Fenced {
    hot: String,
    system: Vec<String>,
    hash: String,
}

impl Fenced {
    fn new(memory: &str, hot: String) -> Self {
        let system = render::fenced(&[memory, &hot]);
        Self {
            hash: sha256_hex(system.join("\n\n").as_bytes()),
            system,
            hot,
        }
    }
}

/// The texts that a session would get now.
struct WouldBe {
    system: Vec<String>,
    hash: String,
    epoch: Epoch,
    left: Option<SessionState>,
}

/// The time of a rendering: the generation of the files, and the minute.
type Freshness = (u64, i64);

impl PromptServer {
    /// A server for the workspace of the context, with the files that `background` keeps up to date. A store that
    /// cannot be opened now is tried again when something is to be rendered: until then a session is served what was
    /// frozen for it.
    pub fn open(context: Context, background: &mut Background) -> Result<Self, ServiceError> {
        context.mend_link();
        let mut stores = OpenStores::sharing(&context, background)?;
        if let Err(error) = stores.follow(&context) {
            tracing::warn!(%error, "the store cannot be opened: sessions keep their last prompt");
        }
        if stores.workspace.is_some() {
            OpenStores::look_ahead(&context, background)?;
        }
        let place = context.place()?;
        Ok(Self {
            rules: rules_of(&stores),
            states: States::new(Sessions::of(&place.root)),
            root: place.shown_root().display().to_string(),
            context,
            stores,
            current: None,
            unscrubbed: Unscrubbed::default(),
            new_patterns: NewPatterns::default(),
        })
    }

    /// The states of the sessions, for those who change them.
    pub(super) fn states(&self) -> States {
        self.states.clone()
    }

    /// Answers a session. `generation` is a number that grows whenever a file of the stores may have changed. If the
    /// bytes are kept whatever the files say, nobody looks at the files.
    pub fn serve(&mut self, request: &SessionRequest, generation: u64) -> Result<ServedPrompt, ServiceError> {
        let now = self.context.clock.now();
        let fresh = (generation, now.as_millis().div_euclid(60_000));
        self.unscrubbed.follow(&self.stores);
        let state = self.states.get(&session_hash(&request.session), now);
        let state = self.unscrubbed.clean(state);
        let mut frozen = self.states.frozen(&request.session);
        let may_say_it =
            !self.unscrubbed.lists.is_empty() && self.unscrubbed.told.insert(request.session.clone());
        if let Some(frozen) = frozen.as_mut().filter(|_| may_say_it) {
            frozen.forced = frozen.forced.or(Some(ForcedBy::Forget));
            frozen.left = frozen.left.take().map(|left| self.unscrubbed.clean(left));
        }
        if let Some(frozen) = frozen.as_mut().filter(|frozen| frozen.forced.is_none()) {
            // A store that cannot be opened now keeps its prompts as they are.
            let is_open = self.stores.follow(&self.context).is_ok();
            if is_open && self.new_patterns.find_in(&self.stores, &request.session, frozen) {
                frozen.forced = Some(ForcedBy::Redaction);
            }
        }
        let last_response = request
            .last_response
            .or_else(|| frozen.as_ref().and_then(|frozen| frozen.last_response));
        let mut decision = self.decide(request, None, frozen.as_ref(), now, last_response);
        let mut would_be = None;
        let is_rendered = self
            .current
            .as_ref()
            .is_some_and(|current| current.fresh == fresh);
        if decision.renders() {
            self.forget_older_than(&state);
        }
        let is_asked_for = matches!(decision.reason, EpochReason::Forced(by) if by != ForcedBy::Compaction);
        if may_say_it || is_asked_for {
            // Another process changed files, and the watch may not have told of it yet.
            self.current = None;
            self.stores.read_anew();
        }
        if decision.renders() || is_rendered {
            match self.would_be(now, fresh, request, &state, frozen.as_ref()) {
                Ok(rendered) => {
                    let hash = Some(rendered.hash.as_str());
                    decision = self.decide(request, hash, frozen.as_ref(), now, last_response);
                    would_be = Some(rendered);
                }
                // A failing store never breaks a turn: the frozen text is as good as it was.
                Err(error) => {
                    let Some(frozen) = frozen else { return Err(error) };
                    self.unscrubbed.told.remove(&request.session);
                    let session = session_hash(&request.session);
                    tracing::warn!("prompt {session} store failed, kept: {error}");
                    return Ok(served(&frozen, EpochReason::Kept));
                }
            }
        }
        let hash = would_be.as_ref().map(|would_be| would_be.hash.clone());
        let is_new = frozen.is_none();
        let (next, epoch) = match (decision.renders(), frozen, would_be) {
            (true, _, Some(would_be)) => {
                let next = FrozenPrompt {
                    system: would_be.system,
                    hash: would_be.hash,
                    at: now,
                    pressure: decision.pressure,
                    last_response,
                    forced: None,
                    left: would_be.left,
                };
                (next, Some(would_be.epoch))
            }
            (_, Some(frozen), _) => {
                // A request for new bytes is answered when the bytes are what they would be anyway.
                let is_open = decision.reason != EpochReason::Unchanged;
                let next = FrozenPrompt {
                    pressure: decision.pressure,
                    last_response,
                    forced: frozen.forced.filter(|_| is_open),
                    ..frozen
                };
                (next, None)
            }
            (_, None, _) => unreachable!("because what was never frozen is rendered"),
        };
        self.states.freeze(&request.session, &next);
        if is_new {
            self.states.take_offer();
        }
        log_decision(&request.session, decision.reason, &next, hash.as_deref(), now);
        Ok(ServedPrompt {
            epoch,
            ..served(&next, decision.reason)
        })
    }

    /// Answers a session in the midst of its conversation ([`PromptTiming::AtSessionStart`]): with its first prompt, or
    /// with the one that somebody has asked for since; `None` where nobody has, or where it says the same.
    pub fn serve_if_asked(
        &mut self,
        request: &SessionRequest,
        generation: u64,
    ) -> Result<Option<ServedPrompt>, ServiceError> {
        let frozen = self.states.frozen(&request.session);
        if frozen.is_some_and(|frozen| frozen.forced.is_none()) {
            return Ok(None);
        }
        let served = self.serve(request, generation)?;
        Ok(served.epoch.is_some().then_some(served))
    }

    fn decide(
        &self,
        request: &SessionRequest,
        would_be: Option<&str>,
        frozen: Option<&FrozenPrompt>,
        now: Timestamp,
        last_response: Option<Timestamp>,
    ) -> EpochDecision {
        let question = EpochQuestion {
            would_be,
            now,
            last_response,
            context: request.context,
            forced: frozen.and_then(|frozen| frozen.forced),
        };
        let before = frozen.map(|frozen| Frozen {
            hash: &frozen.hash,
            at: frozen.at,
            pressure: frozen.pressure,
        });
        decide_epoch(before, &question, &self.rules)
    }

    /// Forgets the rendering where it does not know a memory that the session's state speaks of: that was stored since,
    /// or is gone.
    fn forget_older_than(&mut self, state: &SessionState) {
        self.current
            .take_if(|current| !state.named().all(|id| current.words.contains_key(id)));
    }

    fn would_be(
        &mut self,
        now: Timestamp,
        fresh: Freshness,
        request: &SessionRequest,
        state: &SessionState,
        frozen: Option<&FrozenPrompt>,
    ) -> Result<WouldBe, ServiceError> {
        let mut current = match self.current.take().filter(|current| current.fresh == fresh) {
            Some(current) => current,
            None => self.render(now, fresh, None)?,
        };
        let left = match frozen {
            // A session that had an epoch has lost its prompt, and is no new one.
            None if state.known_head.is_some() => None,
            None => {
                let new = session_hash(&request.session);
                let left = self
                    .states
                    .left_by_the_last(&new, now, self.store_rules().hot.handover);
                left.map(|left| self.unscrubbed.clean(left))
            }
            // The summary carries what was taken up.
            Some(frozen) if frozen.forced == Some(ForcedBy::Compaction) => None,
            Some(frozen) => frozen.left.clone(),
        };
        let (fenced, hot_omitted) = loop {
            let (hot, omitted) = self.hot(&current, state, left.as_ref(), now);
            let fenced = current.fenced.take().filter(|fenced| fenced.hot == hot);
            let fenced = fenced.unwrap_or_else(|| Fenced::new(&current.memory, hot));
            let units = fenced.system.join("\n\n").encode_utf16().count();
            let over = request.most.map_or(0, |most| units.saturating_sub(most));
            if over == 0 || current.chars == 0 {
                break (fenced, omitted);
            }
            current = self.render(now, fresh, Some(current.chars.saturating_sub(over)))?;
        };
        let epoch = Epoch {
            hot_omitted,
            stored: state.stored.iter().map(|stored| stored.id.clone()).collect(),
            gone: current.gone(state),
            ..current.epoch.clone()
        };
        let (system, hash) = (fenced.system.clone(), fenced.hash.clone());
        current.fenced = Some(fenced);
        self.current = Some(current);
        Ok(WouldBe {
            system,
            hash,
            epoch,
            left,
        })
    }

    /// The rules of the store that the prompt is of.
    fn store_rules(&self) -> Cow<'_, Rules> {
        let store = self.stores.workspace.as_ref().or(self.stores.global.as_ref());
        store.map_or_else(
            || Cow::Owned(Rules::default()),
            |store| Cow::Borrowed(store.rules()),
        )
    }

    /// The words of the hot state behind the memories, and the number of its lines that are left out.
    fn hot(
        &self,
        current: &Current,
        state: &SessionState,
        left: Option<&SessionState>,
        now: Timestamp,
    ) -> (String, usize) {
        let rules = self.store_rules();
        let hot = render::hot_snapshot(&current.shown_of(state, now), &self.root, &rules.hot, Some(now));
        let hot_text = render::with_working(&hot.text, state, &self.root, &rules.session);
        let handover = left.map(|left| {
            let mut left = current.shown_of(left, left.updated);
            if !rules.session.is_working {
                left.working = WorkingMemory::default();
            }
            render::left_by_the_last(&left, &self.root)
        });
        let mut parts = vec![hot_text, handover.unwrap_or_default()];
        parts.retain(|part| !part.is_empty());
        let hot_text = parts.join("\n");
        // A state was redacted when it was kept; the settings may know more secrets by now.
        let store = self.stores.workspace.as_ref().or(self.stores.global.as_ref());
        let hot_text = match store {
            Some(store) => store.redactor().redact(&hot_text).into_owned(),
            None => hot_text,
        };
        (hot_text, hot.omitted.len())
    }

    fn render(
        &mut self,
        now: Timestamp,
        fresh: Freshness,
        most_chars: Option<usize>,
    ) -> Result<Current, ServiceError> {
        self.stores.follow(&self.context)?;
        self.rules = rules_of(&self.stores);
        let rendered = self
            .stores
            .render_within(now, &PromptRequest::default(), most_chars)?;
        // The next session is to get what is found by then.
        let fresh = if rendered.is_behind {
            (fresh.0, i64::MIN)
        } else {
            fresh
        };
        let mut epoch = Epoch {
            has_partial: rendered.has_partial,
            ..Epoch::default()
        };
        let mut words = HashMap::with_capacity(rendered.fates.len());
        for fate in rendered.fates {
            words.insert(fate.id.clone(), fate.words);
            match fate.omitted {
                None => epoch.shown.push(fate.id),
                Some(reason) => *epoch.omitted.entry(reason).or_default() += 1,
            }
        }
        Ok(Current {
            fresh,
            chars: rendered.chars,
            memory: rendered.text,
            epoch,
            words,
            fenced: None,
        })
    }
}

impl Current {
    /// The part of a hot state that is true at `now` and that the prompt does not say anyway.
    fn shown_of(&self, state: &SessionState, now: Timestamp) -> SessionState {
        let mut shown = state.clone();
        shown.expire(now);
        shown.retell(|id| self.words.get(id)?.clone());
        shown
    }

    /// The memories that a state speaks of and that were replaced or removed: neither the prompt nor a hot state says
    /// them.
    fn gone(&self, state: &SessionState) -> Vec<Id> {
        let is_said = |id: &Id| self.epoch.shown.contains(id) || matches!(self.words.get(id), Some(Some(_)));
        state.named().filter(|id| !is_said(id)).cloned().collect()
    }
}

fn log_decision(
    session: &str,
    reason: EpochReason,
    next: &FrozenPrompt,
    would_be: Option<&str>,
    now: Timestamp,
) {
    let chars: usize = next.system.iter().map(|text| text.chars().count()).sum();
    let matches = match would_be {
        Some(would_be) if would_be == next.hash => "same",
        Some(_) => "differs",
        None => "not looked at",
    };
    let age = now.millis_since(next.at) / 1000;
    let session = session_hash(session);
    tracing::info!("prompt {session} {reason} {matches} {chars} characters, {age} s old");
}

fn rules_of(stores: &OpenStores) -> EpochRules {
    let store = stores.workspace.as_ref().or(stores.global.as_ref());
    store.map(|store| store.settings().epoch).unwrap_or_default()
}

fn served(frozen: &FrozenPrompt, reason: EpochReason) -> ServedPrompt {
    ServedPrompt {
        system: frozen.system.clone(),
        reason: reason.to_string(),
        hash: frozen.hash.clone(),
        epoch: None,
    }
}
