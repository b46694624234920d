//! What a tool does only with the person's leave: one rule, by whose words they are and where they stand, whichever tool
//! asks.

use std::path::Path;
use std::time::Duration;

use crate::capture;
use crate::model::{StorePath, Zone};
use crate::policy::zone;
use crate::session::SaidRequest;
use crate::store::StoredFile;
use crate::text::{canonical, words};

use super::super::super::ServiceError;
use super::super::super::change::Transaction;
use super::super::super::suggestions::{self, Suggested};
use super::super::Conversations;
use super::change::Planned;

/// The fewest words of the user's that are a request.
const QUOTED: usize = 3;
/// The requests of a session that may be quoted, and the most characters of each.
const SAID: usize = 40;
const SAID_CHARS: usize = 400;
/// A request may be quoted in every session of the workspace for so long after the last event of the one that heard it:
/// the tools of an agent with hooks are another process, which hears no message.
const WITHIN: Duration = Duration::from_hours(1);
/// The marks around a quotation.
const MARKS: [char; 10] = ['"', '“', '”', '„', '\'', '‘', '’', '«', '»', '`'];

/// The reason for which a person is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// Every workspace is shown it.
    Global,
    /// It is the word of a person.
    Persons,
    /// Every session is shown it.
    Pinned,
    /// It is forgotten for good.
    Forgetting,
}

impl Leave {
    /// What a model may do where the user asked for it.
    pub const QUOTE: &str = "; where the user asked for it, quote their whole request in `reason`";

    /// The question to the person.
    pub const fn question(self) -> &'static str {
        match self {
            Self::Global => "May the agent change the memory of all your workspaces?",
            Self::Persons => "May the agent change what you said or wrote?",
            Self::Pinned => "May the agent change what every session is shown?",
            Self::Forgetting => "May the agent forget this for good?",
        }
    }

    /// What a model does where nobody can be asked, or the person says no.
    pub const fn otherwise(self) -> &'static str {
        match self {
            Self::Global => {
                "leave `scope` out to store it for this workspace, or tell the user of `mdmem config set --user tools.global allow`"
            }
            Self::Persons | Self::Pinned => {
                "tell the user, who can do it with `mdmem edit`, `mdmem mv` or `mdmem rm`"
            }
            Self::Forgetting => "tell the user of `mdmem forget PATH`",
        }
    }
}

/// What a person has said to the question whether a call may do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answered {
    /// Nobody was asked yet.
    #[default]
    NotYet,
    /// Yes.
    Allowed,
    /// There is nobody to ask: a change of a text waits as a suggestion.
    Nobody,
}

/// The words by which a model may show that the user asks for it.
pub(super) struct Asked {
    pub(super) answered: Answered,
    /// The requests of the user's in this session that its reason quotes whole.
    pub(super) quoted: Vec<SaidRequest>,
    /// What a model may do beside, where a quotation can be looked up.
    advice: &'static str,
    pub(super) reason: String,
}

impl Conversations {
    /// Keeps the lines of a message that are requests in the user's own words, which a tool may quote.
    pub(in super::super) fn note_said(&mut self, session: &str, message: &str) {
        let own = capture::own_words(message);
        let request = |line: &str| {
            let asked = capture::outright(line, &self.patterns);
            let takes_back = !asked.taken_back.is_empty();
            let words = canonical(&self.redact(line));
            let is_kept = takes_back || !asked.memories.is_empty();
            (is_kept && words.len() <= SAID_CHARS).then_some(SaidRequest { words, takes_back })
        };
        let requests: Vec<SaidRequest> = own.lines().filter_map(request).collect();
        if requests.is_empty() {
            return;
        }
        let now = self.now();
        self.change_state(session, |state| {
            state.said.extend(requests);
            state.said.drain(..state.said.len().saturating_sub(SAID));
            state.updated = now;
        });
    }

    /// What is known of the person's leave for a call, whose reason may quote the user.
    pub(super) fn asked(&self, answered: Answered, reason: Option<&str>) -> Asked {
        let reason = self.redact(reason.unwrap_or_default());
        let quotations = reason.split(MARKS).chain(reason.split('"')).chain([&*reason]);
        let quotations: Vec<String> = quotations.map(canonical).collect();
        let is_quoted =
            |said: &SaidRequest| words(&said.words).count() >= QUOTED && quotations.contains(&said.words);
        let said = self.states.said_within(self.now(), WITHIN);
        Asked {
            answered,
            advice: if said.is_empty() { "" } else { Leave::QUOTE },
            quoted: said.into_iter().filter(is_quoted).collect(),
            reason,
        }
    }
}

impl Asked {
    /// An error where the person has to be asked about a change that is planned. Where nobody can be, a new text waits as
    /// a suggestion.
    pub(super) fn check(&self, tx: &Transaction<'_>, planned: &Planned) -> Result<(), ServiceError> {
        let file = tx.snapshot.file(&planned.path);
        let Some(leave) = needed(tx, planned, file) else {
            return Ok(());
        };
        let is_asked_for = |file: &StoredFile| {
            let about = format!("{} {}", file.memory.path, file.memory.content.as_body());
            let present = canonical(file.memory.content.keyed_text());
            // The request that made the memory asks for no change of it.
            let asks = |said: &SaidRequest| {
                (said.takes_back || !said.words.contains(&present))
                    && crate::policy::shares_a_fact(&said.words, &about)
            };
            leave != Leave::Forgetting && self.quoted.iter().any(asks)
        };
        if self.answered == Answered::Allowed || file.is_some_and(is_asked_for) {
            return Ok(());
        }
        let is_written =
            |to: &StorePath| *to == planned.path && tx.files.contains_key(Path::new(to.as_str()));
        let stays = planned.to.as_ref().is_none_or(is_written);
        if self.answered == Answered::Nobody
            && leave != Leave::Forgetting
            && stays
            && let Some(file) = file
        {
            let body = |to: &StorePath| {
                let parsed = super::memory::parse(tx.store, to, &tx.read(to)?);
                Ok::<_, ServiceError>(parsed.memory.content.as_body())
            };
            let body = planned.to.as_ref().map(body).transpose()?;
            let change = Suggested::Change(file, body.as_deref(), &self.reason);
            suggestions::suggest(tx.store, &change)?;
            return Err(ServiceError::Suggested(self.advice));
        }
        Err(ServiceError::Unasked(leave))
    }
}

/// The reason for which a person is asked about a change, if there is one.
fn needed(tx: &Transaction<'_>, planned: &Planned, file: Option<&StoredFile>) -> Option<Leave> {
    let is_pinned = |path: &StorePath| zone(path, tx.store.rules()) == Zone::Pinned;
    if planned.forgets {
        return Some(Leave::Forgetting);
    }
    if tx.targets().is_empty() {
        return None;
    }
    if file.is_some_and(|file| file.memory.source.is_persons()) {
        return Some(Leave::Persons);
    }
    let mut places = [
        Some(&planned.path).filter(|_| file.is_some()),
        planned.to.as_ref(),
    ]
    .into_iter();
    places
        .any(|path| path.is_some_and(is_pinned))
        .then_some(Leave::Pinned)
}
