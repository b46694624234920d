//! Use case: the texts that a session's system prompt gets, frozen for its epoch (`mdmem serve`).
//!
//! What is served is on disk before it is answered, so that a restart serves the same bytes; the rules of when it may
//! change are `policy::decide_epoch`. Each decision is one line in `.mdmem/log`.

use std::collections::BTreeMap;

use crate::model::{Id, Timestamp};
use crate::policy::{
    ContextUse, EpochAction, EpochQuestion, EpochReason, EpochRules, Frozen, HotRules, Pressure, Rules,
    decide_epoch,
};
use crate::render;
use crate::session::SessionState;
use crate::store::{FrozenPrompt, Sessions};
use crate::text::sha256_hex;

use super::frozen_sessions::FrozenSessions;
use super::prompt::OpenStores;
use super::{Context, PromptRequest, ServiceError};

/// What a host asks for one model step.
#[derive(Debug, Clone, Default)]
pub struct SessionRequest {
    /// The session's id, as the host has it.
    pub session: String,
    /// How full the context is, where the host knows.
    pub context: Option<ContextUse>,
    /// When the model last answered in this session, where the host knows.
    pub last_response: Option<Timestamp>,
}

/// What a session is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedPrompt {
    /// The texts, in order; none when there is nothing to say.
    pub system: Vec<String>,
    /// Why these: `first`, `unchanged`, `forced:…`, `pressure`, `ttl`, `kept`.
    pub reason: String,
    /// SHA-256 of the texts.
    pub hash: String,
    /// What a new epoch shows and leaves out; `None` while one goes on.
    pub epoch: Option<Epoch>,
}

/// What a new epoch's prompt shows and leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Epoch {
    /// The ids of the memories that are shown, in the order of the fates.
    pub shown: Vec<Id>,
    /// How many are left out, by reason.
    pub omitted: BTreeMap<&'static str, usize>,
    /// How many lines of the hot state are left out.
    pub hot_omitted: usize,
}

/// The sessions of one workspace, served from memory where the files did not change.
pub struct PromptServer {
    context: Context,
    stores: OpenStores,
    /// The generation of the files when the stores were opened.
    opened_at: Option<u64>,
    sessions: FrozenSessions,
    rules: EpochRules,
    current: Option<Current>,
}

/// What a session would get now.
struct Current {
    fresh: Freshness,
    memory: String,
    shown: Vec<Id>,
    omitted: BTreeMap<&'static str, usize>,
}

/// The texts that a session would get now.
struct WouldBe {
    system: Vec<String>,
    hash: String,
    epoch: Epoch,
}

/// When a rendering was made: it is used again while the files are the same and the minute is not over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Freshness {
    generation: u64,
    minute: i64,
}

impl PromptServer {
    /// A server for the workspace of the context. A store that cannot be opened now is tried again at each question:
    /// until then a session is served what was frozen for it.
    pub fn open(context: Context) -> Result<Self, ServiceError> {
        let stores = OpenStores::open(&context).unwrap_or_else(|error| {
            tracing::warn!(%error, "the store cannot be opened: sessions are served what they were given before");
            OpenStores::default()
        });
        let sessions = FrozenSessions::new(Sessions::of(&context.place()?.root));
        Ok(Self {
            rules: rules_of(&stores),
            context,
            stores,
            opened_at: None,
            sessions,
            current: None,
        })
    }

    /// Opens the stores anew where files changed: settings may be others now, or a store may have come.
    fn follow(&mut self, generation: u64) -> Result<(), ServiceError> {
        if self.opened_at != Some(generation) || self.stores.workspace.is_none() {
            self.stores = OpenStores::open(&self.context)?;
            self.rules = rules_of(&self.stores);
            self.opened_at = Some(generation);
        }
        Ok(())
    }

    /// What is known of a session in memory is forgotten.
    pub fn forget(&mut self, session: &str) {
        self.sessions.forget(session);
    }

    /// Answers a session. `generation` is a number that grows whenever a file of the stores may have changed; paths of the
    /// hot state are shown relative to `root`.
    pub fn serve(
        &mut self,
        request: &SessionRequest,
        generation: u64,
        state: &SessionState,
        root: &str,
    ) -> Result<ServedPrompt, ServiceError> {
        let now = self.context.clock.now();
        let frozen = self.sessions.get(&request.session);
        let would_be = match self.would_be(now, generation, state, root) {
            Ok(would_be) => would_be,
            // A failing store never breaks a turn: the frozen text is as good as it was.
            Err(error) => {
                let Some(frozen) = frozen else { return Err(error) };
                tracing::warn!("prompt {} store failed, kept: {error}", short(&request.session));
                return Ok(served(&frozen, EpochReason::Kept));
            }
        };
        let last_response = request
            .last_response
            .or_else(|| frozen.as_ref().and_then(|frozen| frozen.last_response));
        let question = EpochQuestion {
            would_be: &would_be.hash,
            now,
            last_response,
            context: request.context,
            forced: frozen.as_ref().and_then(|frozen| frozen.forced),
        };
        let before = frozen.as_ref().map(|frozen| Frozen {
            hash: &frozen.hash,
            at: frozen.at,
            pressure: frozen.pressure,
        });
        let decision = decide_epoch(before, &question, &self.rules);
        let next = match (decision.action(), &frozen) {
            (EpochAction::Keep, Some(frozen)) => {
                kept(frozen, decision.reason, decision.pressure, last_response)
            }
            _ => FrozenPrompt {
                system: would_be.system,
                hash: would_be.hash.clone(),
                at: now,
                pressure: decision.pressure,
                last_response,
                forced: None,
            },
        };
        self.sessions.keep(&request.session, &next);
        log_decision(&request.session, decision.reason, &next, &would_be.hash, now);
        let epoch = (decision.action() == EpochAction::Render).then_some(would_be.epoch);
        Ok(ServedPrompt {
            epoch,
            ..served(&next, decision.reason)
        })
    }

    fn would_be(
        &mut self,
        now: Timestamp,
        generation: u64,
        state: &SessionState,
        root: &str,
    ) -> Result<WouldBe, ServiceError> {
        let fresh = Freshness {
            generation,
            minute: now.as_millis().div_euclid(60_000),
        };
        let current = match self.current.take().filter(|current| current.fresh == fresh) {
            Some(current) => current,
            None => self.render(now, fresh)?,
        };
        let hot = render::hot_snapshot(&pending(state, &current.shown), root, &self.hot_rules());
        let epoch = Epoch {
            shown: current.shown.clone(),
            omitted: current.omitted.clone(),
            hot_omitted: hot.omitted.len(),
        };
        let texts = [current.memory.clone(), hot.text];
        self.current = Some(current);
        let system: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        Ok(WouldBe {
            hash: sha256_hex(system.join("\n\n").as_bytes()),
            system,
            epoch,
        })
    }

    fn hot_rules(&self) -> HotRules {
        let store = self.stores.workspace.as_ref().or(self.stores.global.as_ref());
        store.map_or_else(|| Rules::default().hot, |store| store.rules().hot)
    }

    fn render(&mut self, now: Timestamp, fresh: Freshness) -> Result<Current, ServiceError> {
        self.follow(fresh.generation)?;
        let rendered = self.stores.render(now, &PromptRequest::default())?;
        let mut shown = Vec::new();
        let mut omitted = BTreeMap::new();
        for fate in rendered.fates {
            match fate.omitted {
                None => shown.push(fate.id),
                Some(reason) => *omitted.entry(reason).or_default() += 1,
            }
        }
        Ok(Current {
            fresh,
            memory: rendered.text,
            shown,
            omitted,
        })
    }
}

fn log_decision(session: &str, reason: EpochReason, next: &FrozenPrompt, would_be: &str, now: Timestamp) {
    let chars: usize = next.system.iter().map(|text| text.chars().count()).sum();
    let matches = if next.hash == would_be { "same" } else { "differs" };
    let age = now.millis_since(next.at) / 1000;
    let session = short(session);
    tracing::info!("prompt {session} {reason} {matches} {chars} characters, {age} s old");
}

/// The state with only those of its stored memories that the prompt does not show anyway.
fn pending(state: &SessionState, shown: &[Id]) -> SessionState {
    let mut state = state.clone();
    state.stored.retain(|stored| !shown.contains(&stored.id));
    state
}

fn rules_of(stores: &OpenStores) -> EpochRules {
    let store = stores.workspace.as_ref().or(stores.global.as_ref());
    store
        .map(|store| epoch_rules(store.settings().epoch()))
        .unwrap_or_default()
}

fn epoch_rules(settings: crate::config::EpochSettings) -> EpochRules {
    let millis = |span: std::time::Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    EpochRules {
        ttl_millis: millis(settings.ttl),
        max_age_millis: millis(settings.max_age),
        pressure_percent: settings.pressure_percent,
    }
}

fn kept(
    frozen: &FrozenPrompt,
    reason: EpochReason,
    pressure: Pressure,
    last_response: Option<Timestamp>,
) -> FrozenPrompt {
    // What was asked for is answered when the bytes are what they would be anyway.
    let forced = if reason == EpochReason::Unchanged {
        None
    } else {
        frozen.forced
    };
    FrozenPrompt {
        pressure,
        last_response,
        forced,
        ..frozen.clone()
    }
}

fn served(frozen: &FrozenPrompt, reason: EpochReason) -> ServedPrompt {
    ServedPrompt {
        system: frozen.system.clone(),
        reason: reason.to_string(),
        hash: frozen.hash.clone(),
        epoch: None,
    }
}

fn short(session: &str) -> String {
    crate::store::session_hash(session)
}
