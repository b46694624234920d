//! The decision about each entry: pure, so that a dry run, the import and the tests share it.
//!
//! An entry is known by its id; one that has none that a file can have is known by an id that its content and its place in
//! the source give, so that a second import finds both again, and knows what came from a place before.

mod places;

use std::collections::HashMap;

use self::places::{Arrived, OF_CONTENT, digits, is_ours};
use super::entry::{Entry, ImportFate, ImportedItem};
use crate::capture::is_planted;
use crate::document::{Forgotten, Key, KeyEdit, Readable, Value, body, derived_id, edit, parse};
use crate::git::hash_blob;
use crate::model::{Id, Importance, Kind, Memory, Oid, Status, StorePath, Timestamp, Zone};
use crate::policy::{Line, Rules, says_nothing, zone};
use crate::service::create::{check_no_reserved, check_not_excluded};
use crate::store::{MAX_FILE, Snapshot, TakenPaths, folder_kind};
use crate::sys::each;
use crate::text::{Redactor, conflict_line, one_line, slug, strays, without_strays, wording};

/// The characters of a text that a report shows.
const PREVIEW: usize = 120;
/// The longest name that still has room for a number behind it.
const LONGEST_STEM: usize = 240;
/// The plan of an import.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The fate of each entry.
    pub(super) items: Vec<ImportedItem>,
    /// The files to be written.
    pub(super) files: Vec<(StorePath, Vec<u8>)>,
    /// The memories in whose place another one of this import comes; `None` for one that is in force again.
    pub(super) replaced: Vec<(StorePath, Option<Id>)>,
}

/// By what is decided.
pub(super) struct Terms<'a> {
    pub(super) rules: &'a Rules,
    /// Takes out what looks like a credential; `None` where it stays.
    pub(super) redactor: Option<&'a Redactor>,
    pub(super) forgotten: &'a Forgotten,
    pub(super) now: Timestamp,
}

/// Decides what becomes of everything that came in, in a store that holds `present`.
pub(super) fn plan(entries: Vec<Entry>, present: &Snapshot, terms: &Terms<'_>) -> Plan {
    let mut planning = Planning::new(present, terms);
    let mut plan = Plan::default();
    for mut entry in each("comparing memories", entries) {
        if let Some(redactor) = terms.redactor {
            entry.redact(redactor);
        }
        let mut told = std::mem::take(&mut entry.told);
        let mut arrived = Arrived::default();
        let written = planning.decide(entry, &mut told, &mut arrived);
        arrived.file = written.is_some().then_some(plan.files.len());
        plan.files.extend(written);
        plan.items.push(told);
        planning.arrived.push(arrived);
    }
    planning.replace(&mut plan);
    plan
}

/// All that a prompt would show of a memory: of one that is pinned, or told beside a file, the whole body.
fn shown(memory: &Memory, terms: &Terms<'_>) -> String {
    if !memory.paths.is_empty() || zone(&memory.path, terms.rules) == Zone::Pinned {
        return memory.shown(&memory.content.as_body());
    }
    let line = Line::new(memory, terms.now, terms.rules);
    memory.shown(&[line.text, line.why.unwrap_or_default()].join("\n\n"))
}

struct Planning<'a> {
    terms: &'a Terms<'a>,
    present: &'a Snapshot,
    taken: TakenPaths,
    /// The memories of the store, and those that an import gave its id by the content of that.
    there: HashMap<&'a Id, &'a Memory>,
    imported: HashMap<&'a str, &'a Memory>,
    arrived: Vec<Arrived>,
    /// The entries that this import has seen: the id of the content and the path under each id.
    seen: HashMap<Id, (Id, StorePath)>,
    /// The active memories that there are, or will be, by their wording.
    worded: HashMap<String, (Id, StorePath)>,
}

impl<'a> Planning<'a> {
    fn new(present: &'a Snapshot, terms: &'a Terms<'a>) -> Self {
        let memories = || present.files.iter().map(|file| &file.memory);
        let others = present.others.iter().filter_map(|other| other.path.to_str());
        let paths = memories().map(|memory| memory.path.as_str());
        let ranked = memories().filter(|memory| {
            memory.status == Status::Active && zone(&memory.path, terms.rules) == Zone::Ranked
        });
        let worded = ranked.flat_map(|memory| {
            let at = (memory.id.clone(), memory.path.clone());
            wordings(memory).map(move |words| (words, at.clone()))
        });
        Self {
            terms,
            present,
            taken: TakenPaths::new(paths.chain(others)),
            there: memories().map(|memory| (&memory.id, memory)).collect(),
            imported: memories()
                .filter(|memory| is_ours(&memory.id))
                .map(|memory| (&memory.id.as_str()[OF_CONTENT], memory))
                .collect(),
            arrived: Vec::new(),
            seen: HashMap::new(),
            worded: worded.collect(),
        }
    }

    /// Decides about one entry, and gives the file that it becomes, if it does.
    fn decide(
        &mut self,
        mut entry: Entry,
        told: &mut ImportedItem,
        arrived: &mut Arrived,
    ) -> Option<(StorePath, Vec<u8>)> {
        let rules = self.terms.rules;
        let mut bytes = entry.bytes.take()?;
        let is_named = !entry.path.is_empty() && !entry.path.ends_with('/');
        let path = if is_named {
            self.wanted(&mut entry, &bytes, told)
        } else {
            StorePath::new(&format!("{}memory.md", entry.path))
                .expect("because a reader names a folder of ours")
        };
        let blob = hash_blob(&bytes);
        let of_folder = folder_kind(&path, rules);
        let read_as = |bytes: &[u8]| {
            parse(&path, bytes, of_folder.as_ref(), || {
                derived_id(path.as_str(), blob)
            })
        };
        let read = read_as(&bytes);
        // The keys that it gets are a part of what it says.
        let mut stated = edits(std::mem::take(&mut entry.keys), &read.memory);
        stated.extend(
            entry
                .restated
                .drain(..)
                .map(|(key, value)| KeyEdit::Set(key, value)),
        );
        let with_keys = (!stated.is_empty()).then(|| edit(&bytes, &stated).ok()).flatten();
        let mut memory = with_keys.map_or_else(|| read.memory.clone(), |bytes| read_as(&bytes).memory);
        // Names that an import gives are none of its own.
        memory.aliases = read.memory.aliases;
        let is_unknown = rules.type_rule(&memory.kind).is_none();
        if is_unknown && !entry.is_export {
            memory.kind = Kind::default();
        }
        let text = memory.content.keyed_text();
        let start: String = text.chars().take(PREVIEW).collect();
        one_line(&start).trim().clone_into(&mut told.preview);
        if told.preview.is_empty() {
            told.preview = memory.hook();
        }
        told.kind = Some(memory.kind.to_string());
        if let Some(reason) = unfit(&memory, read.readable, &bytes, entry.is_export) {
            told.say(reason);
            return None;
        }

        // What a file keeps in keys of its own is a part of what it says.
        let keys = memory
            .has_own_keys
            .then(|| &bytes[..bytes.len() - body(&bytes).len()]);
        let content = content_id(&memory, keys, told);
        arrived.place = Some(content.clone());
        text.clone_into(&mut arrived.text);
        let (id, mut path) = if entry.is_export {
            if self.seen.contains_key(&memory.id) {
                // It keeps its bytes, and so its own path counts: the store gives it an id by that.
                told.say(format!(
                    "it is a copy, with the id {} of another entry",
                    memory.id
                ));
                let there = self.present.file(&path);
                match there.filter(|there| there.states_id(&memory.id)) {
                    Some(there) => (there.memory.id.clone(), path),
                    None => self.by_place(&path, blob),
                }
            } else {
                (memory.id.clone(), path)
            }
        } else {
            // Its tool knows it by this id, whatever became of its words here.
            let of_tool = entry.id.as_deref();
            let own = of_tool.or(memory.id_stated.then_some(memory.id.as_str()));
            let file = Some(&memory).filter(|_| of_tool.is_none());
            let mut id = self.identify(own, file, &content, told);
            // What its tool changed since comes in the place of what it said.
            let there = self.there.get(&id).filter(|_| of_tool.is_some());
            let is_later = |there: &&&Memory| {
                memory.updated.known() > there.updated.known() && there.updated.known().is_some()
            };
            if let Some(there) = there
                .filter(is_later)
                .filter(|there| !says_the_same(there, &memory))
            {
                arrived.older = Some(there.path.clone());
                id = content.clone();
            }
            let mut keys = vec![KeyEdit::Set(Key::Id, Value::from(id.as_str()))];
            keys.extend(stated);
            if file.is_some() && is_unknown {
                keys.push(KeyEdit::Set(Key::Type, Value::from(memory.kind.as_str())));
            }
            match edit(&bytes, &keys) {
                Ok(edited) => {
                    bytes = edited;
                    (id, path)
                }
                Err(error) => {
                    told.say(format!("no key was added to it: {error}"));
                    self.by_place(&path, blob)
                }
            }
        };
        told.id = Some(id.to_string());
        let mut zone = zone(&path, rules);
        let is_active = memory.status == Status::Active && zone != Zone::Archive;
        let mut words: Vec<String> = wordings(&memory).filter(|_| is_active).collect();
        // All that it says has to be there: the last wording has the most of it.
        let same = words
            .last()
            .filter(|_| !entry.stands_alone && !memory.has_own_keys);
        if let Some((fate, id, there)) = self.settled(&id, text, same) {
            told.fate = fate;
            told.id = Some(id.to_string());
            told.path = there.as_ref().map(StorePath::to_string);
            let is_archived = |path: &StorePath| self::zone(path, rules) == Zone::Archive;
            if fate == ImportFate::AbsorbedExact && there.as_ref().is_some_and(is_archived) {
                told.say("that one is archived, so no prompt shows it");
            }
            if let (ImportFate::AlreadyThere, Some(path)) = (fate, there) {
                self.remember(id, content, path, words);
            }
            return None;
        }
        if let Some(fact) = self.fact_of(&content).filter(|_| entry.parts.is_some()) {
            told.fate = ImportFate::AbsorbedExact;
            told.path = Some(fact.path.to_string());
            told.say("already imported as facts: `--as facts` imports what changed");
            return None;
        }
        if entry.path.is_empty() && says_nothing(&memory.content, None) {
            told.fate = ImportFate::LeftOut;
            told.say("without the suspected secret it says nothing");
            return None;
        }
        if is_planted(&shown(&memory, self.terms)) {
            // An export keeps its paths. Everything else may come from anybody.
            let archived = StorePath::new(&format!("archive/{path}")).ok();
            if let Some(archived) = archived.filter(|_| !entry.is_export && zone != Zone::Archive) {
                told.say("it gives orders to the model: archived, so that no prompt shows it");
                (path, zone) = (archived, Zone::Archive);
                entry.path.insert_str(0, "archive/");
                words.clear();
            } else {
                told.say("it gives orders to the model");
            }
        }
        let path = if is_named {
            self.claim_at(&path)
        } else {
            self.claim(&entry.path, &memory)
        };
        told.fate = match (zone, memory.status) {
            (Zone::Archive, _) => ImportFate::Archived,
            (_, Status::Superseded) => ImportFate::Superseded,
            (_, Status::Active) => ImportFate::Imported,
        };
        told.path = Some(path.to_string());
        self.remember(id, content, path.clone(), words);
        Some((path, bytes))
    }

    /// The reason why nothing is to be written, with the memory that says it: it is there, another one says it, or it was
    /// forgotten for good.
    fn settled(
        &self,
        id: &Id,
        text: &str,
        said: Option<&String>,
    ) -> Option<(ImportFate, Id, Option<StorePath>)> {
        let same = || self.imported.get(is_ours(id).then(|| &id.as_str()[OF_CONTENT])?);
        if let Some(there) = self.there.get(id).or_else(same) {
            return Some((
                ImportFate::AlreadyThere,
                there.id.clone(),
                Some(there.path.clone()),
            ));
        }
        if let Some((_, path)) = self.seen.get(id) {
            return Some((ImportFate::AbsorbedExact, id.clone(), Some(path.clone())));
        }
        if let Some((id, path)) = said.and_then(|said| self.worded.get(said)) {
            return Some((ImportFate::AbsorbedExact, id.clone(), Some(path.clone())));
        }
        let forgotten = self.terms.forgotten;
        let is_forgotten = forgotten.holds(text) || forgotten.holds_id(id);
        is_forgotten.then(|| (ImportFate::AlreadyForgotten, id.clone(), None))
    }

    fn remember(&mut self, id: Id, content: Id, path: StorePath, words: Vec<String>) {
        for words in words {
            let same = self.worded.entry(words);
            same.or_insert_with(|| (id.clone(), path.clone()));
        }
        self.seen.entry(id).or_insert((content, path));
    }

    /// The id of an entry: its own, unless a file cannot have it, or something else has it too. People number their pages,
    /// or name them `intro`: a memory of the store with the id that a file states, and with other words, is another one.
    fn identify(
        &self,
        own: Option<&str>,
        file: Option<&Memory>,
        content: &Id,
        told: &mut ImportedItem,
    ) -> Id {
        let Some(own) = own else {
            return content.clone();
        };
        let reason = match Id::parse(own) {
            Err(_) => "its id is not valid here".to_owned(),
            Ok(id) => {
                let is_there = |file| {
                    self.there
                        .get(&id)
                        .is_some_and(|there| !says_the_same(there, file))
                };
                if file.is_some_and(is_there) {
                    format!("the store has another memory with the id {id}")
                } else if self.seen.get(&id).is_some_and(|(other, _)| other != content) {
                    format!("another entry has the id {id}")
                } else {
                    return id;
                }
            }
        };
        told.say(format!("{reason}: it gets a new one"));
        content.clone()
    }

    /// The id that the store gives a file which states none, and the path for it. Where the name is taken, an earlier
    /// import may have given it a number: the id of each numbered path is looked for, until a path is free.
    fn by_place(&self, wanted: &StorePath, blob: Oid) -> (Id, StorePath) {
        let (mut path, mut number) = (wanted.clone(), 1);
        loop {
            let id = derived_id(path.as_str(), blob);
            if self.there.contains_key(&id) || !self.taken.contains(path.as_str()) {
                return (id, path);
            }
            number += 1;
            let next = format!("{}/{}-{number}.md", wanted.parent(), short_stem(wanted));
            match StorePath::new(next.trim_start_matches('/')) {
                Ok(next) => path = next,
                Err(_) => return (id, path),
            }
        }
    }

    /// The path that it asks for, or one nearby where a store, or another system, has no such path, or must not show it.
    fn wanted(&self, entry: &mut Entry, bytes: &[u8], told: &mut ImportedItem) -> StorePath {
        let fits = |path: &str| -> Result<StorePath, String> {
            let redactor = self.terms.redactor;
            if redactor.is_some_and(|redactor| redactor.redact_path(path) != path) {
                return Err("suspected secret in its name".to_owned());
            }
            let path = StorePath::new(path).map_err(|error| error.to_string())?;
            if !entry.is_export && !is_held_everywhere(path.as_str()) {
                return Err("another system cannot hold its name".to_owned());
            }
            let checked = check_no_reserved(&path).and_then(|()| check_not_excluded(&path, self.terms.rules));
            checked.map(|()| path).map_err(|error| error.to_string())
        };
        let reason = match fits(&entry.path) {
            Ok(path) => return path,
            Err(reason) => reason,
        };
        let part = |part: &str| {
            let part = without_strays(part).replace(is_odd, "-");
            let part = part
                .trim_matches(' ')
                .trim_start_matches('.')
                .trim_end_matches(['.', ' '])
                .to_owned();
            match StorePath::new(&format!("{part}.md")) {
                Err(_) if !part.is_empty() => format!("{part}_"),
                _ => part,
            }
        };
        let asked = entry.path.strip_suffix(".md").unwrap_or(&entry.path);
        let parts: Vec<String> = asked
            .split('/')
            .map(part)
            .filter(|part| !part.is_empty())
            .collect();
        let held = parts.join("/");
        let text = String::from_utf8_lossy(body(bytes));
        let line = text.lines().find(|line| !line.trim().is_empty());
        let words = slug(line.unwrap_or_default());
        let folder = held.rsplit_once('/').map_or("project", |(folder, _)| folder);
        let ways = [
            format!("{held}.md"),
            format!("{held}_.md"),
            format!("{folder}/memory-{words}.md"),
            format!("project/memory-{words}.md"),
        ];
        let mut ways = ways.iter().filter_map(|way| fits(way).ok());
        let path = ways
            .next()
            .expect("because a slug in a folder of ours is a valid path");
        told.say(format!("{reason}: it gets another path"));
        // Links lead to it by its name.
        let name = asked.rsplit('/').next().unwrap_or_default();
        if self
            .terms
            .redactor
            .is_none_or(|redactor| redactor.redact_path(name) == name)
        {
            entry
                .keys
                .push((Key::Aliases, Value::List(vec![name.to_owned()])));
        }
        path
    }

    /// A free path beside the wanted one.
    fn claim_at(&mut self, wanted: &StorePath) -> StorePath {
        if self.taken.contains(wanted.as_str()) {
            return self.taken.claim_in(wanted.parent(), &short_stem(wanted));
        }
        self.taken.take(wanted.as_str());
        wanted.clone()
    }

    /// A free path by the words, in this folder or that of its type.
    fn claim(&mut self, folder: &str, memory: &Memory) -> StorePath {
        let text = memory.content.keyed_text();
        let first = if memory.content.is_note() {
            text.lines().next().unwrap_or_default()
        } else {
            text
        };
        if let Some(folder) = folder.strip_suffix('/') {
            return self.taken.claim_in(folder, &slug(first));
        }
        let Terms { rules, now, .. } = *self.terms;
        let kind = rules.type_rule(&memory.kind).map(|rule| rule.kind.clone());
        // A time that can name a folder.
        let when = memory
            .created
            .known()
            .filter(|time| time.as_millis() >= 0 && *time <= now);
        self.taken
            .claim(first, &kind.unwrap_or_default(), when.unwrap_or(now))
    }
}

/// The keys that a file gets beside its id: what is known of it and it does not state.
fn edits(known: Vec<(Key, Value)>, memory: &Memory) -> Vec<KeyEdit> {
    let keys = known.into_iter().filter(|(key, _)| match key {
        Key::Created => memory.created.known().is_none(),
        Key::Updated => memory.updated.known().is_none(),
        Key::Description => memory.description.is_none(),
        Key::Name => memory.name.is_none(),
        Key::Aliases => memory.aliases.is_empty(),
        Key::Paths => memory.paths.is_empty(),
        _ => true,
    });
    keys.map(|(key, value)| KeyEdit::Set(key, value)).collect()
}

/// A character that names have on some systems, and cannot have on others.
fn is_odd(c: char) -> bool {
    c.is_control() || ":*?\"<>|\\".contains(c)
}

/// Says whether every system can hold a path, and a person sees all of it.
fn is_held_everywhere(path: &str) -> bool {
    let is_held = |part: &str| {
        let stem = part.strip_suffix(".md").unwrap_or(part);
        !stem.starts_with(' ') && !stem.ends_with(['.', ' '])
    };
    path.split('/').all(is_held) && !path.contains(is_odd) && strays(path).next().is_none()
}

/// The name without `.md`, so short that a number has room behind it.
fn short_stem(path: &StorePath) -> String {
    let stem = path.stem();
    if stem.len() > LONGEST_STEM {
        slug(stem)
    } else {
        stem.to_owned()
    }
}

/// The reason why this is no memory. In an export every file is one that a save commits.
fn unfit(memory: &Memory, readable: Readable, bytes: &[u8], is_export: bool) -> Option<String> {
    let size = bytes.len() as u64;
    let is_empty = memory.content.keyed_text().trim().is_empty();
    let is_empty = is_empty && memory.description.is_none() && !memory.has_own_keys;
    let reason = if conflict_line(&String::from_utf8_lossy(bytes)).is_some() {
        "it has git's conflict markers: resolve them first"
    } else if size > MAX_FILE {
        return Some(format!(
            "it would be a file of {size} bytes, over the limit of {MAX_FILE}"
        ));
    } else if is_export {
        return None;
    } else if bytes.contains(&0) {
        "it has a NUL character, so it is not text"
    } else if readable == Readable::No {
        "its frontmatter cannot be read"
    } else if is_empty {
        "it is empty"
    } else {
        return None;
    };
    Some(reason.to_owned())
}

/// Says whether two memories have the same words; the description counts where a body has none.
fn says_the_same(one: &Memory, other: &Memory) -> bool {
    let words = |memory: &Memory| {
        let body = memory.content.keyed_text().trim().to_owned();
        let described = memory.description.clone().filter(|_| body.is_empty());
        (body, described, memory.content.rationale().map(str::to_owned))
    };
    words(one) == words(other)
}

/// The id that the content and the place give: of what it says, with its other keys and the frontmatter that it has, of its
/// file and of where it stands there.
fn content_id(memory: &Memory, keys: Option<&[u8]>, told: &ImportedItem) -> Id {
    let [file, place] = [&told.file, &told.place].map(|text| digits(text));
    let content = content_digits(memory, keys);
    Id::parse(&format!("mem_{content}{}{}", &file[..10], &place[..6]))
        .expect("because letters, digits and `_` make an id")
}

/// The part of it that the content gives.
fn content_digits(memory: &Memory, keys: Option<&[u8]>) -> String {
    let content = &memory.content;
    let rationale = content.rationale().unwrap_or_default();
    let words = format!("{}\0{}\0{rationale}", memory.kind, content.keyed_text());
    let keys = keys.map(|keys| String::from_utf8_lossy(keys).into_owned());
    let [scope, extras] = beside(memory);
    let words: Vec<String> = [Some(words), scope, extras, keys].into_iter().flatten().collect();
    digits(&words.join("\0"))[..16].to_owned()
}

/// The words by which another memory is found that says the same of the same things: those of its text, and then those
/// with all that an absorbed file would lose.
fn wordings(memory: &Memory) -> impl Iterator<Item = String> + use<> {
    let text = wording(memory.content.keyed_text()).join(" ");
    let [scope, extras] = beside(memory);
    let text = format!("{}:{text}\0{}", memory.kind, scope.unwrap_or_default());
    let whole = extras.map(|extras| format!("{text}\0{extras}"));
    std::iter::once(text).chain(whole)
}

/// What a memory says beside its text: whom and what that is about and how much it weighs, and what is said of it; each
/// `None` where it states nothing.
fn beside(memory: &Memory) -> [Option<String>; 2] {
    let weight = match memory.importance {
        Importance::Normal => "",
        other => other.as_str(),
    };
    let name = memory.name.as_deref().unwrap_or_default();
    let readonly = if memory.readonly { "readonly" } else { "" };
    let scope = [name, &memory.paths.join("\0"), weight, readonly].join("\0");
    let lists = [&memory.tags, &memory.aliases].map(|list| list.join("\0"));
    let [description, why] =
        [memory.description.as_deref(), memory.content.rationale()].map(Option::unwrap_or_default);
    let extras = [description, why, &lists[0], &lists[1]].join("\0");
    [scope, extras].map(|said| Some(said).filter(|said| !said.trim_matches('\0').is_empty()))
}

#[cfg(test)]
mod tests;
