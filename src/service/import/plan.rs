//! What is to become of each entry: pure, so that a dry run, the import and the tests share it.
//!
//! An entry is known by its id; one that has none that a file can have is known by an id that its content gives, so that
//! a second import finds both again.

use std::collections::HashMap;

use super::incoming::{Incoming, Item, Said, Way};
use super::report::{ImportFate, ImportedItem};
use super::{memory, redaction};
use crate::model::{Id, Kind, Status, StorePath, Timestamp, Zone};
use crate::policy::{self, Forgotten, Rules, zone};
use crate::store::{MAX_FILE, Snapshot, TakenPaths};
use crate::text::{Redactor, one_line, sha256_hex, slug};

/// The characters of a text that a report shows.
const PREVIEW: usize = 120;
/// The type, and so the folder, of an entry whose type this store does not know; the entry keeps its own.
const ELSEWHERE: &str = "project";

/// What an import would do.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What becomes of each entry.
    pub(super) items: Vec<ImportedItem>,
    /// The files to be written.
    pub(super) files: Vec<(StorePath, Vec<u8>)>,
}

/// By what is decided.
pub(super) struct Terms<'a> {
    pub(super) rules: &'a Rules,
    pub(super) redactor: &'a Redactor,
    pub(super) forgotten: &'a Forgotten,
    pub(super) now: Timestamp,
}

/// Decides what becomes of everything that came in, in a store that holds `present`.
pub(super) fn plan(incoming: Incoming, present: &Snapshot, terms: &Terms<'_>) -> Plan {
    let superseded_by = superseders(&incoming);
    let mut planning = Planning::new(&incoming, present, terms);
    let mut plan = Plan::default();
    for item in incoming.items {
        let mut told = ImportedItem {
            file: incoming.files[item.file].clone(),
            place: item.place,
            line: item.line,
            fate: ImportFate::Unreadable,
            id: None,
            path: None,
            kind: None,
            preview: String::new(),
            remark: None,
            redacted: Vec::new(),
        };
        match item.said {
            Err(reason) => told.remark = Some(reason),
            Ok(said) => {
                let replaced = said.id.as_ref().and_then(|id| superseded_by.get(id));
                plan.files.extend(planning.decide(said, replaced, &mut told));
            }
        }
        plan.items.push(told);
    }
    plan
}

/// Which id replaced which, by the word of the replacement.
fn superseders(incoming: &Incoming) -> HashMap<String, Id> {
    let said = incoming.items.iter().filter_map(|item| item.said.as_ref().ok());
    let mut replaced = HashMap::new();
    for said in said {
        if let Some(Ok(id)) = said.id.as_deref().map(Id::parse) {
            replaced.extend(said.supersedes.iter().map(|old| (old.to_string(), id.clone())));
        }
    }
    replaced
}

/// A memory that there is, or will be.
#[derive(Clone)]
struct Known {
    id: Id,
    path: StorePath,
}

struct Planning<'a> {
    terms: &'a Terms<'a>,
    taken: TakenPaths,
    /// The memories of the store.
    there: HashMap<&'a Id, &'a StorePath>,
    /// What this import has seen under an id, and what it said.
    seen: HashMap<Id, (String, StorePath)>,
    /// The active memories by their exact key; empty when nothing waits.
    exact: HashMap<String, Known>,
    something_waits: bool,
}

impl<'a> Planning<'a> {
    fn new(incoming: &Incoming, present: &'a Snapshot, terms: &'a Terms<'a>) -> Self {
        let waits = |item: &Item| matches!(&item.said, Ok(said) if said.way == Way::Waiting);
        let something_waits = incoming.items.iter().any(waits);
        let memories = || present.files.iter().map(|file| (&file.memory, &file.keys));
        let others = present.others.iter().filter_map(|other| other.path.to_str());
        let paths = memories().map(|(memory, _)| memory.path.as_str());
        let exact = memories()
            .filter(|(memory, _)| {
                something_waits
                    && memory.status == Status::Active
                    && zone(&memory.path, terms.rules) == Zone::Ranked
            })
            .map(|(memory, keys)| {
                let known = Known {
                    id: memory.id.clone(),
                    path: memory.path.clone(),
                };
                (keys.exact.clone(), known)
            });
        Self {
            terms,
            taken: TakenPaths::new(paths.chain(others)),
            there: memories().map(|(memory, _)| (&memory.id, &memory.path)).collect(),
            seen: HashMap::new(),
            exact: exact.collect(),
            something_waits,
        }
    }

    /// Decides about one entry, and gives the file that it becomes, if it does.
    fn decide(
        &mut self,
        mut said: Said,
        superseded_by: Option<&Id>,
        told: &mut ImportedItem,
    ) -> Option<(StorePath, Vec<u8>)> {
        told.redacted = redaction::redact(&mut said, self.terms.redactor);
        told.kind = Some(said.kind.clone());
        told.preview = preview(said.content.keyed_text());
        let content = content_id(&said);
        let id = self.identify(&said, &content, told);
        told.id = Some(id.clone());

        let exact = (self.something_waits && said.status == Status::Active && !is_archived(&said))
            .then(|| policy::keys(&said.kind, &said.content).exact);
        if let Some(path) = self.there.get(&id) {
            told.fate = ImportFate::AlreadyThere;
            told.path = Some((*path).clone());
            self.remember(&id, &content, (*path).clone(), exact);
            return None;
        }
        if let Some((_, path)) = self.seen.get(&id) {
            told.fate = ImportFate::AbsorbedExact;
            told.path = Some(path.clone());
            return None;
        }
        let same = exact.as_ref().and_then(|exact| self.exact.get(exact));
        if let (Way::Waiting, Some(same)) = (said.way, same) {
            told.fate = ImportFate::AbsorbedExact;
            told.id = Some(same.id.clone());
            told.path = Some(same.path.clone());
            return None;
        }
        if self.terms.forgotten.holds(said.content.keyed_text()) {
            told.fate = ImportFate::AlreadyForgotten;
            return None;
        }
        let superseded_by = superseded_by.filter(|_| said.status == Status::Superseded);
        let bytes = memory::file(&said, &id, superseded_by.cloned(), self.terms.rules);
        if bytes.len() as u64 > MAX_FILE {
            told.remark = Some(format!(
                "it would be a file of {} bytes, more than the {MAX_FILE} of the longest memory",
                bytes.len()
            ));
            return None;
        }
        let path = self.claim(&said);
        told.fate = match (said.way, said.status) {
            (Way::Archived(_), _) => ImportFate::Archived,
            (_, Status::Superseded) => ImportFate::Superseded,
            (_, Status::Active) => ImportFate::Imported,
        };
        told.path = Some(path.clone());
        self.remember(&id, &content, path.clone(), exact);
        Some((path, bytes))
    }

    /// The id of an entry: its own, unless a file cannot have it, or an entry that says something else has it too.
    fn identify(&self, said: &Said, content: &str, told: &mut ImportedItem) -> Id {
        let own = said.id.as_deref().map(Id::parse);
        let remark = match own {
            Some(Ok(id)) => match self.seen.get(&id) {
                Some((other, _)) if other != content => format!("another entry has the id {id}"),
                _ => return id,
            },
            Some(Err(_)) => "its id cannot be that of a memory".to_owned(),
            None => String::new(),
        };
        if !remark.is_empty() {
            told.remark = Some(format!("{remark}: it gets another one"));
        }
        Id::parse(content).expect("because letters, digits and `_` make an id")
    }

    fn remember(&mut self, id: &Id, content: &str, path: StorePath, exact: Option<String>) {
        if let Some(exact) = exact {
            let known = Known {
                id: id.clone(),
                path: path.clone(),
            };
            self.exact.entry(exact).or_insert(known);
        }
        self.seen
            .entry(id.clone())
            .or_insert_with(|| (content.to_owned(), path));
    }

    fn claim(&mut self, said: &Said) -> StorePath {
        if let Way::Archived(folder) = said.way {
            let stem = slug(said.content.keyed_text().lines().next().unwrap_or_default());
            return self.taken.claim_in(&format!("archive/{folder}"), &stem);
        }
        let known = self
            .terms
            .rules
            .type_rule(&said.kind)
            .map(|rule| rule.kind.clone());
        let kind = known.unwrap_or_else(|| Kind::new(ELSEWHERE));
        let when = said
            .created
            .known()
            .filter(|time| is_plausible(*time, self.terms.now));
        let text = said.content.keyed_text();
        let first = if said.content.is_note() {
            text.lines().next().unwrap_or_default()
        } else {
            text
        };
        self.taken.claim(first, &kind, when.unwrap_or(self.terms.now))
    }
}

fn is_archived(said: &Said) -> bool {
    matches!(said.way, Way::Archived(_))
}

/// A time that can name a folder.
fn is_plausible(time: Timestamp, now: Timestamp) -> bool {
    time.as_millis() >= 0 && time <= now
}

/// The id that the content of an entry gives.
fn content_id(said: &Said) -> String {
    let content = format!(
        "{}\0{}\0{}",
        said.kind,
        said.content.keyed_text(),
        said.content.rationale().unwrap_or_default()
    );
    format!("mem_{}", &sha256_hex(content.as_bytes())[..32])
}

fn preview(text: &str) -> String {
    let start: String = text.chars().take(PREVIEW).collect();
    one_line(&start).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Content, Source};

    const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

    fn fact(id: Option<&str>, text: &str) -> Said {
        let content = Content::Fact {
            text: text.to_owned(),
            rationale: None,
        };
        Said {
            id: id.map(str::to_owned),
            source: Source::Explicit,
            ..Said::new(Kind::new("decision"), content)
        }
    }

    fn incoming(said: Vec<Said>) -> Incoming {
        let item = |(index, said)| Item {
            file: 0,
            place: format!("entries[{index}]"),
            line: None,
            said: Ok(said),
        };
        Incoming {
            tool: "other",
            files: vec!["/other.json".into()],
            items: said.into_iter().enumerate().map(item).collect(),
        }
    }

    fn planned(said: Vec<Said>) -> Plan {
        planned_but(said, &Forgotten::default())
    }

    fn planned_but(said: Vec<Said>, forgotten: &Forgotten) -> Plan {
        let terms = Terms {
            rules: &Rules::default(),
            redactor: &Redactor::standard(),
            forgotten,
            now: NOW,
        };
        plan(incoming(said), &Snapshot::default(), &terms)
    }

    fn fates(plan: &Plan) -> Vec<(ImportFate, &str)> {
        plan.items
            .iter()
            .map(|item| (item.fate, item.path.as_ref().map_or("", StorePath::as_str)))
            .collect()
    }

    #[test]
    fn what_waits_is_absorbed_by_the_same_words_and_nothing_else_is() {
        let waiting = |id, text| Said {
            way: Way::Waiting,
            ..fact(Some(id), text)
        };
        let plan = planned(vec![
            fact(Some("a"), "Use npm"),
            fact(Some("b"), "use NPM!"),
            waiting("c", "Use npm."),
            waiting("d", "Use yarn"),
            waiting("e", "use yarn"),
        ]);
        assert_eq!(
            fates(&plan),
            [
                (ImportFate::Imported, "decision/use-npm.md"),
                (ImportFate::Imported, "decision/use-npm-2.md"),
                (ImportFate::AbsorbedExact, "decision/use-npm.md"),
                (ImportFate::Imported, "decision/use-yarn.md"),
                (ImportFate::AbsorbedExact, "decision/use-yarn.md"),
            ]
        );
        assert_eq!(plan.items[4].id, Some(Id::parse("d").unwrap()));
    }

    #[test]
    fn an_id_that_cannot_be_kept_is_replaced_by_one_of_the_content() {
        let plan = planned(vec![
            fact(Some("../../etc/passwd"), "One"),
            fact(None, "Two"),
            fact(None, "Two"),
            fact(Some("same"), "Three"),
            fact(Some("same"), "Three"),
            fact(Some("same"), "Four"),
        ]);
        let remarks: Vec<Option<&str>> = plan.items.iter().map(|item| item.remark.as_deref()).collect();
        assert_eq!(
            remarks,
            [
                Some("its id cannot be that of a memory: it gets another one"),
                None,
                None,
                None,
                None,
                Some("another entry has the id same: it gets another one"),
            ]
        );
        let written: Vec<bool> = plan.items.iter().map(|item| item.fate.is_written()).collect();
        assert_eq!(written, [true, true, false, true, false, true]);
        let ids: std::collections::BTreeSet<_> = plan.items.iter().map(|item| &item.id).collect();
        assert_eq!(ids.len(), 4);
    }

    #[test]
    fn a_superseded_entry_names_what_replaced_it() {
        let old = Said {
            status: Status::Superseded,
            ..fact(Some("old"), "Use npm")
        };
        let new = Said {
            supersedes: vec![Id::parse("old").unwrap()],
            ..fact(Some("new"), "Use pnpm")
        };
        let plan = planned(vec![old, new]);
        assert_eq!(plan.items[0].fate, ImportFate::Superseded);
        let file = String::from_utf8(plan.files[0].1.clone()).unwrap();
        assert!(
            file.contains("status: superseded\n") && file.contains("superseded_by: new\n"),
            "{file}"
        );
    }

    #[test]
    fn what_was_forgotten_for_good_stays_forgotten() {
        let hash = sha256_hex(b"use npm");
        let forgotten = Forgotten::parse(&format!("forget t1 2026-11-01 - {hash}"));
        let plan = planned_but(
            vec![fact(Some("a"), "Use npm."), fact(Some("b"), "Use yarn")],
            &forgotten,
        );
        assert_eq!(plan.items[0].fate, ImportFate::AlreadyForgotten);
        assert_eq!(plan.files.len(), 1);
    }

    #[test]
    fn neither_a_file_nor_a_report_holds_a_secret() {
        let plan = planned(vec![fact(Some("a"), "The password is hunter2-x9.")]);
        assert_eq!(plan.items[0].redacted, ["password"]);
        assert_eq!(
            plan.files[0].0.as_str(),
            "decision/the-password-is-redacted-password.md"
        );
        let file = String::from_utf8_lossy(&plan.files[0].1).into_owned();
        assert!(
            file.contains("[REDACTED:password]") && !file.contains("hunter2"),
            "{file}"
        );
        assert!(!plan.items[0].preview.contains("hunter2"));
    }

    #[test]
    fn a_text_that_no_file_may_hold_is_named() {
        let plan = planned(vec![fact(Some("a"), &"x".repeat(2 << 20)), fact(Some("b"), "y")]);
        assert_eq!(plan.items[0].fate, ImportFate::Unreadable);
        assert!(
            plan.items[0].remark.as_deref().unwrap().contains("2097"),
            "{:?}",
            plan.items[0]
        );
        assert_eq!(plan.files.len(), 1);
    }

    #[test]
    fn many_are_decided_in_a_moment() {
        let begun = std::time::Instant::now();
        let said = (0..20_000).map(|n| fact(Some(&format!("mem_{n}")), "The same words"));
        assert_eq!(planned(said.collect()).files.len(), 20_000);
        assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    }
}
