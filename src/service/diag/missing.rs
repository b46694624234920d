//! What is on file and not in the prompt, and what was stored once and is gone?

use std::collections::{BTreeMap, BTreeSet};

use super::EventView;
use super::places::Places;
use crate::evidence::{EventType, Evidence, RecordedEvent};
use crate::model::{Id, StorePath};
use crate::policy::{Fate, Reason, Rules};
use crate::service::{MemoryView, Ranking, ServiceError};
use crate::store::Store;

/// A memory that is on file and not in the prompt now.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingMemory {
    /// The memory.
    pub view: MemoryView,
    /// Why, as a word.
    pub reason: &'static str,
    /// What would bring it in, as a sentence.
    pub mend: String,
}

/// A memory that was stored by the evidence and is no longer there.
#[derive(Debug, Clone, PartialEq)]
pub struct GoneMemory {
    /// Its id.
    pub id: Id,
    /// The event that stored it.
    pub stored: EventView,
    /// The last event that was about it, or named it.
    pub last: EventView,
    /// The memory that it gave way to, where the evidence says so and that one is there.
    pub instead: Option<StorePath>,
}

/// What is missing from the prompt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Missing {
    /// What is on file, the strongest first.
    pub memories: Vec<MissingMemory>,
    /// What is gone, in the order in which it was stored.
    pub gone: Vec<GoneMemory>,
}

/// Tells what an agent does not see now.
pub fn missing(store: &Store) -> Result<Missing, ServiceError> {
    let snapshot = store.load()?;
    let evidence = Evidence::read(store.root())?;
    let views = Ranking::new(store, &snapshot, store.now()).views();
    let memories = views.into_iter().filter_map(|view| {
        let Fate::Omitted(reason) = view.fate else {
            return None;
        };
        Some(MissingMemory {
            mend: mend(&view, reason, store.rules()),
            reason: reason.as_str(),
            view,
        })
    });
    Ok(Missing {
        memories: memories.collect(),
        gone: gone(&evidence.events, &Places::of(&snapshot)),
    })
}

/// What would bring a memory into the prompt.
fn mend(view: &MemoryView, reason: Reason, rules: &Rules) -> String {
    let path = &view.memory.path;
    let kind = &view.memory.kind;
    let instead = || {
        let instead = view.instead.as_ref();
        instead.map_or_else(|| "Another memory".to_owned(), StorePath::to_string)
    };
    match reason {
        Reason::Superseded => format!(
            "{} says it now; `mdmem diag explain {path}` shows how that came, and without `status` and `superseded_by` in its file (`mdmem edit {path}`) it is in force again.",
            instead()
        ),
        Reason::Archived => format!("`mdmem mv {path} {kind}/` brings it back into its type's folder."),
        Reason::Duplicate { .. } => {
            format!(
                "{} says the same and is shown; `mdmem tidy` settles the two.",
                instead()
            )
        }
        Reason::TypeCap => {
            let cap = rules.type_rule(kind).and_then(|rule| rule.cap);
            let cap = cap.map_or_else(String::new, |cap| format!(" (now {cap})"));
            format!(
                "Raise `type.{kind}.cap`{cap}, set `importance: high` in it, or pin it: `mdmem mv {path} system/`."
            )
        }
        Reason::GlobalCap => format!(
            "Raise `render.max_entries` (now {}), set `importance: high` in it, or pin it: `mdmem mv {path} system/`.",
            rules.render.max_entries
        ),
        Reason::CharBudget => format!(
            "Shorten it, or raise `render.max_chars` (now {}) and `render.total_chars` (now {}).",
            rules.render.max_chars, rules.render.total_chars
        ),
        Reason::EmptyRenderBudget => format!(
            "Raise `render.max_chars` (now {}) and `render.total_chars` (now {}).",
            rules.render.max_chars, rules.render.total_chars
        ),
        Reason::Unreadable => format!("`mdmem check {path}` names the line and the mend."),
    }
}

/// The memories that some event stored and that are not there.
fn gone(events: &[RecordedEvent], places: &Places) -> Vec<GoneMemory> {
    let mut seen = BTreeSet::new();
    let mut last: BTreeMap<&Id, &RecordedEvent> = BTreeMap::new();
    // That a prompt showed it says nothing about where it went.
    let decisions = |event: &&RecordedEvent| event.event_type != EventType::RenderSelected;
    for event in events.iter().filter(decisions) {
        let related = event.relations.iter().map(|relation| &relation.memory);
        for id in event
            .memory
            .iter()
            .chain(related)
            .filter_map(|memory| memory.id.as_ref())
        {
            last.insert(id, event);
        }
    }
    let mut gone = Vec::new();
    for event in events {
        let Some(id) = stored(event).filter(|id| places.of_id(id).is_none()) else {
            continue;
        };
        if seen.insert(id) {
            let last = last.get(id).copied().unwrap_or(event);
            let heir = ["absorbed_by", "superseded_by", "replacement"]
                .into_iter()
                .filter_map(|role| last.related(role))
                .find(|memory| memory.id.as_ref() != Some(id));
            gone.push(GoneMemory {
                id: id.clone(),
                stored: places.view(event),
                last: places.view(last),
                instead: heir.and_then(|memory| places.of_facts(memory)).cloned(),
            });
        }
    }
    gone
}

/// The memory that an event made a file of.
fn stored(event: &RecordedEvent) -> Option<&Id> {
    let memory = match event.event_type {
        EventType::PromotionPromoted
        | EventType::PromotionSuperseded
        | EventType::PromotionRejectedCapacity => event.memory.as_ref(),
        EventType::MemoryReplacedNumberedRef => event.related("replacement"),
        _ => None,
    };
    memory.and_then(|memory| memory.id.as_ref())
}
