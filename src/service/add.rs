//! Use case: remember one thing (`mdmem add`). It is in its type's folder before this returns, or another memory says it
//! already and is reinforced; which of the two is `policy::plan_addition`'s to decide.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::capture::Replaced;
use crate::document::read_content;
use crate::evidence::Event;
use crate::model::{Content, Id, Importance, Kind, Source, StorePath, Timestamp};
use crate::policy::{AdditionOutcome, Fate, Reason};
use crate::store::{Snapshot, Store};
use crate::sys::Ids;
use crate::text::{Redactor, one_line};

use super::accounting::{arrival, record};
use super::adding::{Adding, Arrived, described};
use super::agents_shell::check_agents_place;
use super::change::{Changed, changing};
use super::create::{check_no_credential, check_no_reserved};
use super::why::{explanation, limit};
use super::{Explanation, Ranking, ServiceError};

/// A request to remember one thing.
#[derive(Debug, Clone)]
pub struct AddRequest {
    /// The text; a `Why:` paragraph in it is the reason.
    pub text: String,
    /// The reason.
    pub why: Option<String>,
    /// The type; `None`: that of the path's folder, else project.
    pub kind: Option<Kind>,
    /// Its source.
    pub source: Source,
    /// The importance that its author gives it.
    pub importance: Importance,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Patterns of the files that it holds for; none: it holds everywhere.
    pub paths: Vec<String>,
    /// The hook of a note.
    pub description: Option<String>,
    /// Its path, instead of a slug in the type's folder.
    pub path: Option<StorePath>,
    /// The words for a fact that no longer holds: the one memory that says it makes room.
    pub replaces: Option<Replaced>,
    /// The session that asks (hashed), where there is one.
    pub session: Option<String>,
    /// The host that asks, for the evidence.
    pub host: String,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Added {
    /// Promoted, absorbed, or superseding another one.
    pub outcome: AdditionOutcome,
    /// The memory that says it from now on.
    pub path: StorePath,
    /// Its id.
    pub id: Id,
    /// The reinforcement of that memory, where it was there before; `None` for a new one.
    #[serde(rename = "reinforcement")]
    pub reinforced: Option<Reinforced>,
    /// Memories whose place it takes.
    pub displaced: Vec<StorePath>,
    /// The kinds of credentials that were taken out before anything was stored.
    pub redacted: Vec<&'static str>,
    /// The word for why the prompt leaves it out, where somebody looked.
    pub not_shown: Option<&'static str>,
    /// Its rank, where that was looked at because the prompt leaves it out.
    #[serde(skip)]
    pub explanation: Option<Box<Explanation>>,
    /// Its fate in the prompt, where somebody looked.
    #[serde(skip)]
    pub fate: Option<Fate>,
    /// True where somebody looked, and it is in the prompt.
    pub shown: bool,
    /// Memories that the prompt showed, and for which there is no room beside it, where somebody looked.
    pub pushed_out: Vec<StorePath>,
    /// The limit that leaves the first of these out, in words; and the setting, with the value that has room for it.
    #[serde(skip)]
    pub limit: Option<(String, Option<(String, usize)>)>,
    /// The commit.
    #[serde(flatten)]
    pub changed: Changed,
}

/// The reinforcement of a memory that recurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Reinforced {
    /// It was; this is its count from now on.
    Yes(u32),
    /// The window since the last time is not over.
    TooSoon,
    /// Its file is `readonly`.
    Readonly,
}

/// Adds a memory to a store, and looks what that does to the prompt.
pub fn add(store: &Store, ids: &Ids, request: &AddRequest) -> Result<Added, ServiceError> {
    store.check_settings()?;
    let mut redacted = BTreeSet::new();
    let request = &without_secrets(request, store.redactor(), &mut redacted);
    let names = [
        request.path.as_ref().map(StorePath::as_str),
        request.kind.as_ref().map(Kind::as_str),
    ];
    for name in names.into_iter().flatten() {
        check_no_credential(name, store.redactor())?;
    }
    if let Some(path) = &request.path {
        check_no_reserved(path)?;
        check_agents_place(store, "mdmem add", path)?;
    }
    let now = store.now();
    let ((arrived, events, seen, outcome), aftermath) = changing(store, "mdmem add", |writer| {
        let before = writer.snapshot().clone();
        let mut adding = Adding::new(writer, ids);
        let arrived = adding.add(request)?;
        let events = arrival(&arrived, adding.snapshot());
        let outcome = adding.commit(&described(std::slice::from_ref(&arrived), Some(request)))?;
        let seen = look(store, &before, writer.snapshot(), now, &arrived);
        Ok((arrived, events, seen, outcome))
    })?;
    let of_session = |event: Event| match &request.session {
        Some(session) => event.session(session.as_str()),
        None => event,
    };
    let events: Vec<Event> = events.into_iter().map(of_session).collect();
    record(store, &request.host, &events);
    Ok(Added {
        outcome: arrived.outcome,
        reinforced: reinforced(&arrived),
        displaced: arrived.displaced.into_iter().map(|(path, _)| path).collect(),
        path: arrived.path,
        id: arrived.id,
        redacted: redacted.into_iter().collect(),
        shown: matches!(seen.fate, Some(Fate::Pinned | Fate::Ranked)),
        fate: seen.fate,
        not_shown: seen.reason.map(Reason::as_str),
        explanation: seen.explanation,
        pushed_out: seen.pushed_out,
        limit: seen.limit,
        changed: Changed { outcome, aftermath },
    })
}

/// The effect of an addition on the prompt.
struct Seen {
    fate: Option<Fate>,
    /// The reason why it is left out, with its rank.
    reason: Option<Reason>,
    explanation: Option<Box<Explanation>>,
    pushed_out: Vec<StorePath>,
    limit: Option<(String, Option<(String, usize)>)>,
}

/// Compares the prompt before an addition with the prompt after it.
fn look(store: &Store, before: &Snapshot, after: &Snapshot, now: Timestamp, arrived: &Arrived) -> Seen {
    let ranking = Ranking::new(store, after, now);
    let place = after.files.iter().position(|file| file.memory.id == arrived.id);
    let fate = place.map(|place| ranking.fate(place));
    let reason = match fate {
        Some(Fate::Omitted(reason)) => Some(reason),
        _ => None,
    };
    let explained = place.filter(|_| reason.is_some());
    let mut pushed_out = BTreeSet::new();
    // A memory that a cap leaves out takes no room from any other one.
    if !matches!(reason, Some(Reason::TypeCap | Reason::GlobalCap)) {
        let before = Ranking::new(store, before, now).without_room();
        pushed_out = ranking.without_room();
        pushed_out.retain(|path| !before.contains(path) && *path != arrived.path);
    }
    let first = pushed_out.first().and_then(|path| after.place_of(path.as_str()));
    let limit = first.and_then(|at| {
        let reason = ranking.fate(at).reason()?;
        Some(limit(reason, &after.files[at].memory.kind, store.rules()))
    });
    Seen {
        fate,
        reason,
        limit,
        explanation: explained.map(|place| Box::new(explanation(store, &ranking, place, now))),
        pushed_out: pushed_out.into_iter().collect(),
    }
}

/// The request as it may be stored; the kinds of what was taken out are added to `kinds`.
fn without_secrets(
    request: &AddRequest,
    redactor: &Redactor,
    kinds: &mut BTreeSet<&'static str>,
) -> AddRequest {
    let mut clean = |text: &str| text_without_secrets(text, redactor, kinds);
    AddRequest {
        text: clean(&request.text),
        why: request.why.as_deref().map(&mut clean),
        description: request.description.as_deref().map(&mut clean),
        tags: request.tags.iter().map(|tag| clean(tag)).collect(),
        paths: request.paths.iter().map(|path| clean(path)).collect(),
        ..request.clone()
    }
}

/// A text as it may be stored; the kinds of what was taken out are added to `kinds`. A note is shown as it is written,
/// each block of a fact on one line.
pub(super) fn text_without_secrets(
    text: &str,
    redactor: &Redactor,
    kinds: &mut BTreeSet<&'static str>,
) -> String {
    kinds.extend(redactor.find(text).into_iter().map(|secret| secret.kind));
    let text = redactor.redact(text);
    if matches!(read_content(&text), Content::Note { .. }) {
        return text.into_owned();
    }
    let mut clean = |block: &str| {
        kinds.extend(
            redactor
                .find(&one_line(block))
                .into_iter()
                .map(|secret| secret.kind),
        );
        redactor.redact_line(block).into_owned()
    };
    let blocks: Vec<String> = text.split("\n\n").map(&mut clean).collect();
    blocks.join("\n\n")
}

fn reinforced(arrived: &Arrived) -> Option<Reinforced> {
    arrived.is_recalled().then(|| match &arrived.attempt {
        None => Reinforced::Readonly,
        Some(attempt) if attempt.is_allowed() => Reinforced::Yes(attempt.count),
        Some(_) => Reinforced::TooSoon,
    })
}
