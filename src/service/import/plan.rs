//! The decision about each entry: pure, so that a dry run, the import and the tests share it.
//!
//! An entry is known by its id; one that has none that a file can have is known by an id that its content gives, so
//! that a second import finds both again.

use std::borrow::Cow;
use std::collections::HashMap;

use super::incoming::{Incoming, Said, Way, known};
use super::redaction::redact;
use super::report::{ImportFate, ImportedItem};
use crate::document::{Forgotten, NewMemory, compose};
use crate::model::{Content, Id, Kind, Memory, Status, StorePath, Timestamp, Zone};
use crate::policy::{Rules, initial_strength, zone};
use crate::store::{MAX_FILE, Snapshot, StoredFile, TakenPaths};
use crate::text::{Redactor, conflict_line, one_line, sha256_hex, slug, wording};

/// The characters of a text that a report shows.
const PREVIEW: usize = 120;

/// The plan of an import.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The fate of each entry.
    pub(super) items: Vec<ImportedItem>,
    /// The files to be written.
    pub(super) files: Vec<(StorePath, Vec<u8>)>,
}

/// By what is decided.
pub(super) struct Terms<'a> {
    pub(super) rules: &'a Rules,
    /// Takes out what looks like a credential; `None` where it stays.
    pub(super) redactor: Option<&'a Redactor>,
    pub(super) forgotten: &'a Forgotten,
    pub(super) now: Timestamp,
}

impl Terms<'_> {
    /// Words of a source as a report may show them.
    fn shown(&self, words: String) -> String {
        match self.redactor.map(|redactor| redactor.redact_line(&words)) {
            Some(Cow::Owned(without)) => without,
            _ => words,
        }
    }
}

/// Decides what becomes of everything that came in, in a store that holds `present`.
pub(super) fn plan(incoming: Incoming, present: &Snapshot, terms: &Terms<'_>) -> Plan {
    let superseded_by = superseders(&incoming);
    let mut planning = Planning::new(present, terms);
    let mut plan = Plan::default();
    for item in incoming.items {
        let mut told = ImportedItem {
            file: item.file,
            place: terms.shown(item.place),
            line: item.line,
            ..ImportedItem::default()
        };
        match item.said {
            Err(reason) => told.remark = Some(terms.shown(reason)),
            Ok(said) => {
                let replaced = said.id.as_ref().and_then(|id| superseded_by.get(id));
                plan.files.extend(planning.decide(said, replaced, &mut told));
            }
        }
        plan.items.push(told);
    }
    for file in incoming.adopted {
        let mut told = ImportedItem {
            file: file.file.clone(),
            place: "file".to_owned(),
            ..ImportedItem::default()
        };
        plan.files.extend(planning.adopt(file, &mut told));
        plan.items.push(told);
    }
    plan
}

/// Gives the id that replaced each replaced id, by the word of the replacement.
fn superseders(incoming: &Incoming) -> HashMap<String, Id> {
    let said = incoming.items.iter().filter_map(|item| item.said.as_ref().ok());
    let mut replaced = HashMap::new();
    for said in said {
        if let Some(Ok(id)) = said.id.as_deref().map(Id::parse) {
            replaced.extend(
                said.memory
                    .supersedes
                    .iter()
                    .map(|old| (old.to_string(), id.clone())),
            );
        }
    }
    replaced
}

/// The words of a memory by which others are found that say exactly the same.
#[derive(Debug, Clone)]
pub(super) struct Worded {
    /// Those of its text.
    text: String,
    /// Those of its text, its description and its tags; `None` where it has neither of the two.
    whole: Option<String>,
}

/// The parts of a memory by which others are compared with it.
pub(super) struct Facts<'a> {
    /// The id that the content gives.
    pub(super) content: String,
    /// The wording of an active memory.
    pub(super) worded: Option<Worded>,
    /// True where an active memory that says exactly the same makes it needless.
    pub(super) waits: bool,
    /// The words that may be forgotten.
    pub(super) words: &'a str,
}

pub(super) struct Planning<'a> {
    pub(super) terms: &'a Terms<'a>,
    pub(super) taken: TakenPaths,
    /// The memories of the store.
    there: HashMap<&'a Id, &'a Memory>,
    /// The files of the store.
    files: HashMap<&'a StorePath, &'a StoredFile>,
    /// The entries that this import has seen: the content and the path under each id.
    seen: HashMap<Id, (String, StorePath)>,
    /// The active memories that there are, or will be, by their wording.
    worded: HashMap<String, (Id, StorePath)>,
}

impl<'a> Planning<'a> {
    fn new(present: &'a Snapshot, terms: &'a Terms<'a>) -> Self {
        let memories = || present.files.iter().map(|file| &file.memory);
        let others = present.others.iter().filter_map(|other| other.path.to_str());
        let paths = memories().map(|memory| memory.path.as_str());
        let worded = memories()
            .filter(|memory| {
                memory.status == Status::Active && zone(&memory.path, terms.rules) == Zone::Ranked
            })
            .flat_map(|memory| {
                let keys = worded_file(memory).keys();
                keys.map(|key| (key, (memory.id.clone(), memory.path.clone())))
            });
        let files = present.files.iter().map(|file| (&file.memory.path, &**file));
        Self {
            terms,
            files: files.collect(),
            taken: TakenPaths::new(paths.chain(others)),
            there: memories().map(|memory| (&memory.id, memory)).collect(),
            seen: HashMap::new(),
            worded: worded.collect(),
        }
    }

    /// Decides about one entry, and gives the file that it becomes, if it does.
    fn decide(
        &mut self,
        mut said: Said,
        superseded_by: Option<&Id>,
        told: &mut ImportedItem,
    ) -> Option<(StorePath, Vec<u8>)> {
        told.redacted = self
            .terms
            .redactor
            .map_or_else(Vec::new, |redactor| redact(&mut said, redactor));
        let memory = &mut said.memory;
        told.kind = Some(memory.kind.clone());
        told.preview = preview(memory.content.keyed_text());
        let content = content_id(&memory.kind, &memory.content);
        let id = self.identify(said.id.as_deref(), &content, told);
        told.id = Some(id.clone());

        let worded = (memory.status == Status::Active && !matches!(said.way, Way::Archived(_)))
            .then(|| worded(&memory.kind, &memory.content));
        let worded = worded.map(|text| Worded { text, whole: None });
        let facts = Facts {
            content,
            worded,
            waits: said.way == Way::Waiting,
            words: memory.content.keyed_text(),
        };
        if self.is_settled(&id, &facts, told) {
            return None;
        }
        let Facts { content, worded, .. } = facts;
        let (source, importance) = (memory.source, memory.importance);
        memory.strength = Some(initial_strength(
            &memory.kind,
            source,
            importance,
            self.terms.rules,
        ));
        if memory.status == Status::Superseded {
            memory.superseded_by = superseded_by.cloned();
        }
        let bytes = compose(&id, memory);
        if cannot_be_saved(&bytes, told) {
            return None;
        }
        let path = self.claim(&said);
        told.fate = match (said.way, said.memory.status) {
            (Way::Archived(_), _) => ImportFate::Archived,
            (_, Status::Superseded) => ImportFate::Superseded,
            (_, Status::Active) => ImportFate::Imported,
        };
        told.path = Some(path.clone());
        self.remember(&id, &content, path.clone(), worded);
        Some((path, bytes))
    }

    /// Says whether the store has a memory with this id.
    pub(super) fn has(&self, id: &Id) -> bool {
        self.there.contains_key(id)
    }

    /// Says whether an entry of this import had this id.
    pub(super) fn was_seen(&self, id: &Id) -> bool {
        self.seen.contains_key(id)
    }

    /// The id of the file that the store has at a path, where that file states `stated`.
    pub(super) fn there_as(&self, path: &StorePath, stated: &Id) -> Option<&Id> {
        let file = self.files.get(path)?;
        file.states_id(stated).then_some(&file.memory.id)
    }

    /// Says whether nothing is to be written: the memory is there, another one says it, or it was forgotten for good.
    pub(super) fn is_settled(&mut self, id: &Id, facts: &Facts<'_>, told: &mut ImportedItem) -> bool {
        if let Some(there) = self.there.get(id) {
            let path = there.path.clone();
            told.fate = ImportFate::AlreadyThere;
            told.path = Some(path.clone());
            self.remember(id, &facts.content, path, facts.worded.clone());
            return true;
        }
        if let Some((_, path)) = self.seen.get(id) {
            told.fate = ImportFate::AbsorbedExact;
            told.path = Some(path.clone());
            return true;
        }
        let same = facts
            .worded
            .as_ref()
            .and_then(|worded| self.worded.get(worded.key()));
        if let (true, Some((id, path))) = (facts.waits, same) {
            told.fate = ImportFate::AbsorbedExact;
            told.id = Some(id.clone());
            told.path = Some(path.clone());
            return true;
        }
        let forgotten = self.terms.forgotten;
        if forgotten.holds(facts.words) || forgotten.holds_id(id) {
            told.fate = ImportFate::AlreadyForgotten;
            return true;
        }
        false
    }

    /// The id of an entry: its own, unless a file cannot have it, or an entry that says something else has it too.
    pub(super) fn identify(&self, own: Option<&str>, content: &str, told: &mut ImportedItem) -> Id {
        let remark = match own.map(Id::parse) {
            Some(Ok(id)) => match self.seen.get(&id) {
                Some((other, _)) if other != content => Some(format!("another entry has the id {id}")),
                _ => return id,
            },
            Some(Err(_)) => Some("its id cannot be that of a memory".to_owned()),
            None => None,
        };
        named_anew(content, remark, told)
    }

    /// The id of a file that was written elsewhere. People number their pages, or name them `intro`: a memory of the store
    /// with the id that the file states, and with other words, is another one.
    pub(super) fn identify_file(&self, file: &Memory, content: &str, told: &mut ImportedItem) -> Id {
        let own = file.id_stated.then_some(&file.id);
        let there = own.and_then(|id| self.there.get(id));
        match there {
            Some(there) if !says_the_same(there, file) => {
                let remark = format!("the store has another memory with the id {}", file.id);
                named_anew(content, Some(remark), told)
            }
            _ => self.identify(own.map(Id::as_str), content, told),
        }
    }

    pub(super) fn remember(&mut self, id: &Id, content: &str, path: StorePath, worded: Option<Worded>) {
        for key in worded.into_iter().flat_map(Worded::keys) {
            let same = self.worded.entry(key);
            same.or_insert_with(|| (id.clone(), path.clone()));
        }
        self.seen
            .entry(id.clone())
            .or_insert_with(|| (content.to_owned(), path));
    }

    fn claim(&mut self, said: &Said) -> StorePath {
        let Terms { rules, now, .. } = *self.terms;
        let NewMemory {
            kind,
            content,
            created,
            ..
        } = &said.memory;
        let text = content.keyed_text();
        let first = if content.is_note() {
            text.lines().next().unwrap_or_default()
        } else {
            text
        };
        if let Way::Archived(folder) = said.way {
            return self.taken.claim_in(&format!("archive/{folder}"), &slug(first));
        }
        let kind = rules
            .type_rule(kind)
            .map_or_else(Kind::default, |rule| rule.kind.clone());
        // A time that can name a folder.
        let when = known(created.as_ref()).filter(|time| time.as_millis() >= 0 && *time <= now);
        self.taken.claim(first, &kind, when.unwrap_or(now))
    }
}

/// The id that the content gives, with the reason why it is not the entry's own.
fn named_anew(content: &str, remark: Option<String>, told: &mut ImportedItem) -> Id {
    told.remark = remark.map(|remark| format!("{remark}: it gets another one"));
    Id::parse(content).expect("because letters, digits and `_` make an id")
}

/// Says whether two memories have the same words; the description counts where a body has none.
fn says_the_same(one: &Memory, other: &Memory) -> bool {
    let words = |memory: &Memory| {
        let body = memory.content.keyed_text().trim().to_owned();
        let described = memory.description.clone().filter(|_| body.is_empty());
        let why = memory.content.rationale().map(str::to_owned);
        (body, described, why)
    };
    words(one) == words(other)
}

/// Says whether no save would commit such a file: it holds too much, or two versions between git's markers.
pub(super) fn cannot_be_saved(bytes: &[u8], told: &mut ImportedItem) -> bool {
    if conflict_line(&String::from_utf8_lossy(bytes)).is_some() {
        told.remark = Some("git left two versions between its markers: settle them first".to_owned());
        return true;
    }
    let is = bytes.len() as u64 > MAX_FILE;
    if is {
        told.remark = Some(format!(
            "it would be a file of {} bytes, more than the {MAX_FILE} of the longest memory",
            bytes.len()
        ));
    }
    is
}

/// The id that the content of an entry gives.
pub(super) fn content_id(kind: &Kind, content: &Content) -> String {
    let content = format!(
        "{}\0{}\0{}",
        kind,
        content.keyed_text(),
        content.rationale().unwrap_or_default()
    );
    format!("mem_{}", &sha256_hex(content.as_bytes())[..32])
}

/// The id that a file gives: of what it says, with the description and the tags that it has.
pub(super) fn file_id(memory: &Memory) -> String {
    match extras(memory) {
        None => content_id(&memory.kind, &memory.content),
        Some(extras) => {
            let content = format!("{}\0{extras}", content_id(&memory.kind, &memory.content));
            format!("mem_{}", &sha256_hex(content.as_bytes())[..32])
        }
    }
}

/// The words by which another memory says exactly the same.
fn worded(kind: &Kind, content: &Content) -> String {
    format!("{kind}:{}", wording(content.keyed_text()).join(" "))
}

/// The words of a file, with those of its description and its tags: an absorbed file would lose them.
pub(super) fn worded_file(memory: &Memory) -> Worded {
    let text = worded(&memory.kind, &memory.content);
    let whole = extras(memory).map(|extras| format!("{text}\0{extras}"));
    Worded { text, whole }
}

impl Worded {
    /// The words that another memory must have, so that nothing is lost.
    fn key(&self) -> &String {
        self.whole.as_ref().unwrap_or(&self.text)
    }

    /// All words by which it is found.
    fn keys(self) -> impl Iterator<Item = String> {
        std::iter::once(self.text).chain(self.whole)
    }
}

/// The description and the tags of a file; `None` where it has neither.
fn extras(memory: &Memory) -> Option<String> {
    let description = memory.description.as_deref().unwrap_or_default();
    let has_any = !description.is_empty() || !memory.tags.is_empty();
    has_any.then(|| format!("{description}\0{}", memory.tags.join("\0")))
}

pub(super) fn preview(text: &str) -> String {
    let start: String = text.chars().take(PREVIEW).collect();
    one_line(&start).trim().to_owned()
}

#[cfg(test)]
mod tests;
