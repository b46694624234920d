//! Taking back a numbered replacement: the memory that a summary replaced is in force again, and the one that replaced it
//! is superseded by it. Only while both are as the replacement left them.

use std::path::{Path, PathBuf};

use crate::document::{Key, KeyEdit, Value};
use crate::evidence::{Event, EventType, Evidence, MemoryFacts, RecordedEvent, key_hash};
use crate::git::trailer;
use crate::model::{Id, Memory, Status, StorePath, Zone};
use crate::service::accounting::{evidence_of, facts};
use crate::service::change::{Changed, Run, planned};
use crate::service::restore::force_epoch;
use crate::service::select_memory::Reach;
use crate::service::tidy::superseded_by;
use crate::service::{LogRequest, Ranking, ServiceError, log};
use crate::store::{Description, MassDeletion, Snapshot, Store, StoredFile, Writer};
use crate::text::one_line;

/// The roles of the two memories in the event.
const OLD: &str = "replaced";
const NEW: &str = "replacement";
/// The detail that names the event which was taken back.
const OF_EVENT: &str = "event";

/// A replacement that is taken back, or would be.
#[derive(Debug, Clone, PartialEq)]
pub struct Reverted {
    /// The event of the replacement.
    pub event: RecordedEvent,
    /// The memory that was replaced.
    pub old: Option<StorePath>,
    /// The memory that replaced it.
    pub new: Option<StorePath>,
    /// True when the memory that replaced it stays in force: it was there before, and was not made for this.
    pub new_stays: bool,
    /// The differences from what the replacement left; while there is a difference, the replacement is not taken back.
    pub differs: Vec<String>,
}

impl Reverted {
    /// The two memories, while nothing is in the way of taking the replacement back.
    pub fn ready(&self) -> Result<(&StorePath, &StorePath), ServiceError> {
        match (&self.old, &self.new, self.differs.as_slice()) {
            (Some(old), Some(new), []) => Ok((old, new)),
            _ => Err(ServiceError::NotAsReplaced {
                event: self.event.id.clone(),
                changed: self.differs.clone(),
            }),
        }
    }
}

/// Every replacement on record, the newest first, and what would be in the way of taking it back.
pub fn replacements(store: &Store) -> Result<Vec<Reverted>, ServiceError> {
    let files = store.load()?;
    let uncommitted = uncommitted(store, &files)?;
    let question = Question::new(store, files, uncommitted)?;
    let replaced = question.replaced();
    replaced.map(|event| question.plan(event)).collect()
}

/// Takes a replacement back, in one commit, and records that. `name` is the start of its event's id, its number (`M3`, the
/// last one of that number), or one of its two memories.
pub fn revert(
    store: &Store,
    host: &str,
    name: &str,
    run: Run,
) -> Result<(Reverted, Option<Changed>), ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let uncommitted = match run {
        Run::Dry => uncommitted(store, &store.load()?)?,
        // A real run sweeps first.
        Run::Real => Vec::new(),
    };
    let plan = |snapshot: &Snapshot| {
        let question = Question::new(store, snapshot.clone(), uncommitted)?;
        question.plan(question.find(name)?)
    };
    let mut record = None;
    let (reverted, mut changed) = planned(
        store,
        "mdmem diag revert",
        run,
        plan,
        |_, _| Ok(()),
        |writer, reverted| {
            let (old, new) = reverted.ready()?;
            let file = |path| {
                let file = writer.snapshot().file(path);
                file.expect("because it was planned with").clone()
            };
            let (old, new) = (file(old), file(new));
            record = Some(recorded(&reverted.event, &old, &new));
            exchange(writer, &reverted.event, &old.memory, &new.memory)
        },
    )?;
    force_epoch(store, changed.as_ref())?;
    if let (Some(event), Some(changed)) = (record, &mut changed)
        && let Err(error) = evidence_of(store, host).append(&[event], store.now())
    {
        // It is done, and git has it.
        changed.aftermath.notices.push(format!("not recorded: {error}"));
    }
    Ok((reverted, changed))
}

fn exchange(
    writer: &mut Writer<'_>,
    event: &RecordedEvent,
    old: &Memory,
    new: &Memory,
) -> Result<crate::store::CommitOutcome, ServiceError> {
    let mut in_force = vec![KeyEdit::Remove(Key::Status), KeyEdit::Remove(Key::SupersededBy)];
    if !old.id_stated {
        in_force.push(KeyEdit::Set(Key::Id, Value::Text(old.id.to_string())));
    }
    writer.edit_keys(&old.path, |_| in_force.clone())?;
    if is_made_for(new, old) {
        let out_of_force = out_of_force(new, old);
        writer.edit_keys(&new.path, |_| out_of_force.clone())?;
    }
    let number = event.text("ref").map_or("its number".to_owned(), one_line);
    let description = Description::op("revert", "revert")
        .about(&old.path)
        .detail(format!("replacement of {number}"))
        .with(trailer::REASON, format!("diag revert {}", one_line(&event.id)));
    Ok(writer.commit([old.path.as_str(), new.path.as_str()], &description)?)
}

/// True when a memory was made to replace another one, and says so; one that said the same before stays as it was.
fn is_made_for(new: &Memory, old: &Memory) -> bool {
    new.supersedes.contains(&old.id)
}

fn out_of_force(new: &Memory, old: &Memory) -> Vec<KeyEdit> {
    let others = new.supersedes.iter().filter(|id| **id != old.id);
    let others: Vec<String> = others.map(Id::to_string).collect();
    let mut edits = superseded_by(&old.id);
    edits.push(if others.is_empty() {
        KeyEdit::Remove(Key::Supersedes)
    } else {
        KeyEdit::Set(Key::Supersedes, Value::List(others))
    });
    edits
}

fn recorded(event: &RecordedEvent, old: &StoredFile, new: &StoredFile) -> Event {
    let facts = |file: &StoredFile, status: Status| MemoryFacts {
        status: Some(status),
        ..facts(&file.memory, &file.keys)
    };
    let status = if is_made_for(&new.memory, &old.memory) {
        Status::Superseded
    } else {
        new.memory.status
    };
    let mut reverted = Event::new(EventType::MemoryRevertedNumberedRef)
        .about(facts(old, Status::Active))
        .relates_to(OLD, facts(old, Status::Active))
        .relates_to(NEW, facts(new, status))
        .detail(OF_EVENT, event.id.clone())
        .detail("path", old.memory.path.as_str())
        .preview(old.memory.content.keyed_text());
    for key in ["ref", "snapshot"] {
        if let Some(value) = event.text(key) {
            reverted = reverted.detail(key, value);
        }
    }
    reverted
}

/// The paths that hold what HEAD does not.
fn uncommitted(store: &Store, files: &Snapshot) -> Result<Vec<PathBuf>, ServiceError> {
    let pending = store.pending(files, MassDeletion::Ask)?;
    let touched = pending.changes.iter().flat_map(crate::store::Change::touched);
    Ok(touched.map(Path::to_owned).collect())
}

/// The matter of a question: the files, the paths that are saved and not committed, and the recorded events.
struct Question<'a> {
    store: &'a Store,
    snapshot: Snapshot,
    uncommitted: Vec<PathBuf>,
    events: Vec<RecordedEvent>,
}

impl<'a> Question<'a> {
    fn new(store: &'a Store, snapshot: Snapshot, uncommitted: Vec<PathBuf>) -> Result<Self, ServiceError> {
        let events = Evidence::read(store.root())?.events;
        Ok(Self {
            store,
            snapshot,
            uncommitted,
            events,
        })
    }

    /// The events of replacements, the newest first.
    fn replaced(&self) -> impl Iterator<Item = &RecordedEvent> {
        let is_replacement =
            |event: &&RecordedEvent| event.event_type == EventType::MemoryReplacedNumberedRef;
        self.events.iter().rev().filter(is_replacement)
    }

    /// The last replacement that a name means; one that was not taken back, if there is one.
    fn find(&self, name: &str) -> Result<&RecordedEvent, ServiceError> {
        let memory = Ranking::new(self.store, &self.snapshot, self.store.now()).find(
            name,
            self.store.root(),
            Reach::Whole,
        );
        let id = memory.ok().map(|at| &self.snapshot.files[at].memory.id);
        let lower = name.to_lowercase();
        let is_meant = |event: &&RecordedEvent| {
            let of_event = lower.len() > 4 && event.id.to_lowercase().starts_with(&lower);
            let number = event.text("ref");
            of_event
                || number.is_some_and(|number| number.eq_ignore_ascii_case(name))
                || id.is_some_and(|id| event.concerns(id))
        };
        let open = self
            .replaced()
            .filter(is_meant)
            .find(|event| self.reverted(event).is_none());
        open.or_else(|| self.replaced().find(is_meant))
            .ok_or_else(|| ServiceError::NoReplacement(name.to_owned()))
    }

    /// The event that took a replacement back.
    fn reverted(&self, event: &RecordedEvent) -> Option<&RecordedEvent> {
        self.events.iter().find(|later| {
            later.event_type == EventType::MemoryRevertedNumberedRef
                && later.text(OF_EVENT) == Some(event.id.as_str())
        })
    }

    /// A memory of a replacement, or why it is not there.
    fn memory(&self, event: &RecordedEvent, role: &str) -> Result<&StoredFile, String> {
        let id = event.related(role).and_then(|memory| memory.id.as_ref());
        let id = id.ok_or_else(|| format!("its event does not name the {role} memory"))?;
        let file = self.snapshot.files.iter().find(|file| file.memory.id == *id);
        file.map(|file| &**file)
            .ok_or_else(|| format!("{id} (the {role} memory) is gone"))
    }

    fn plan(&self, event: &RecordedEvent) -> Result<Reverted, ServiceError> {
        let (old, new) = (self.memory(event, OLD), self.memory(event, NEW));
        let differs = match (self.reverted(event), &old, &new) {
            (Some(reverted), ..) => vec![format!("it was taken back already, at {}", reverted.at)],
            (None, Ok(old), Ok(new)) => self.differs(event, old, new)?,
            (None, old, new) => [old, new]
                .into_iter()
                .filter_map(|file| file.as_ref().err().cloned())
                .collect(),
        };
        let (old, new) = (old.ok(), new.ok());
        let path = |file: Option<&StoredFile>| file.map(|file| file.memory.path.clone());
        Ok(Reverted {
            event: event.clone(),
            old: path(old),
            new: path(new),
            new_stays: old
                .zip(new)
                .is_some_and(|(old, new)| !is_made_for(&new.memory, &old.memory)),
            differs,
        })
    }

    fn differs(
        &self,
        event: &RecordedEvent,
        old: &StoredFile,
        new: &StoredFile,
    ) -> Result<Vec<String>, ServiceError> {
        let mut differs = Vec::new();
        let (old_path, new_path) = (&old.memory.path, &new.memory.path);
        match &old.memory.superseded_by {
            _ if old.memory.status == Status::Active => differs.push(format!("{old_path} is in force again")),
            Some(by) if *by == new.memory.id => {}
            Some(by) => differs.push(format!("{old_path} is superseded by {by} by now")),
            None => differs.push(format!("{old_path} is superseded by nothing by now")),
        }
        if new.memory.status == Status::Superseded {
            differs.push(format!("{new_path} is superseded itself by now"));
        }
        for (role, file) in [(OLD, old), (NEW, new)] {
            let path = &file.memory.path;
            let recorded = event.related(role).and_then(|memory| memory.key_hash.as_deref());
            let is_other = recorded.is_some_and(|recorded| recorded != key_hash(&file.keys.exact));
            let is_uncommitted = self
                .uncommitted
                .iter()
                .any(|saved| saved == Path::new(path.as_str()));
            let faults = [
                (is_other, "says something else by now"),
                (file.zone == Zone::Archive, "is in the archive by now"),
                (file.memory.readonly, "is read-only"),
                (is_uncommitted, "has saves that are not committed yet"),
            ];
            let found = faults.into_iter().filter(|(is_so, _)| *is_so);
            differs.extend(found.map(|(_, fault)| format!("{path} {fault}")));
        }
        if differs.is_empty() {
            differs.extend(self.committed_since(event, [old_path, new_path])?);
        }
        Ok(differs)
    }

    /// The replacement is one commit of both files. A later one of but one of them came after it.
    fn committed_since(
        &self,
        event: &RecordedEvent,
        paths: [&StorePath; 2],
    ) -> Result<Option<String>, ServiceError> {
        let mut commits = Vec::new();
        for path in paths {
            let request = LogRequest {
                memory: Some(path.to_string()),
                limit: Some(1),
                since: None,
                ..LogRequest::default()
            };
            let mut last = log(self.store, &request)?;
            // The event is recorded after the commit, in whole seconds at the latest.
            last.retain(|step| step.commit.time.as_seconds() > event.at.as_seconds());
            commits.extend(last.pop().map(|step| (step.commit.oid, path)));
        }
        Ok(match commits.as_slice() {
            [] => None,
            [(old, _), (new, _)] if old == new => None,
            [(oid, path), ..] => Some(format!("{path} was changed since, by commit {}", oid.short())),
        })
    }
}
