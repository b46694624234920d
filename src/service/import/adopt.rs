//! The decision about a file that becomes a memory as it is: its bytes stay, but for keys that it does not state.

use super::incoming::{Adopted, Origin};
use super::plan::{Facts, Planning, cannot_be_saved, file_id, preview, worded_file};
use super::redaction::{note_kinds, redact_value};
use super::report::{ImportFate, ImportedItem};
use crate::document::{Key, KeyEdit, Readable, Value, derived_id, edit, parse};
use crate::git::hash_blob;
use crate::model::{Id, Memory, Moment, Oid, Status, StorePath, Zone};
use crate::policy::zone;
use crate::service::create::{check_no_reserved, check_not_excluded};
use crate::store::folder_kind;
use crate::text::slug;

/// The longest name that still has room for a number behind it.
const LONGEST_STEM: usize = 240;

impl Planning<'_> {
    /// Decides about one file, and gives what becomes of it.
    pub(super) fn adopt(
        &mut self,
        mut file: Adopted,
        told: &mut ImportedItem,
    ) -> Option<(StorePath, Vec<u8>)> {
        let bytes = self.without_secrets(&mut file, told)?;
        let mut wanted = self.wanted(&file, &bytes, told);
        let rules = self.terms.rules;
        let derived = derived_id(wanted.as_str(), hash_blob(&bytes));
        let kind = folder_kind(&wanted, rules);
        let read = parse(&wanted, &bytes, kind.as_ref(), || derived);
        let memory = read.memory;
        told.preview = preview(memory.content.keyed_text());
        told.kind = Some(memory.kind.clone());
        if file.origin == Origin::Foreign
            && let Some(reason) = unfit(&memory, read.readable, &bytes)
        {
            told.remark = Some(reason.to_owned());
            return None;
        }
        let content = file_id(&memory);
        let (id, bytes) = match file.origin {
            Origin::Export => {
                let (id, free) = self.identify_export(&memory, &wanted, hash_blob(&bytes), told);
                wanted = free;
                (id, bytes)
            }
            Origin::Foreign => {
                let id = self.identify_file(&memory, &content, told);
                match edit(&bytes, &self.edits(&file, &memory, &id)) {
                    Ok(edited) => (id, edited),
                    Err(error) => {
                        told.remark = Some(format!("no key was added to it: {error}"));
                        let (id, free) = self.by_place(&wanted, hash_blob(&bytes));
                        wanted = free;
                        (id, bytes)
                    }
                }
            }
        };
        told.id = Some(id.clone());
        let zone = zone(&wanted, rules);
        let is_active = memory.status == Status::Active && zone != Zone::Archive;
        let facts = Facts {
            worded: is_active.then(|| worded_file(&memory)),
            content,
            waits: file.origin == Origin::Foreign,
            words: memory.content.keyed_text(),
        };
        if self.is_settled(&id, &facts, told) || cannot_be_saved(&bytes, told) {
            return None;
        }
        let path = self.claim_at(&wanted);
        told.fate = match (zone, memory.status) {
            (Zone::Archive, _) => ImportFate::Archived,
            (_, Status::Superseded) => ImportFate::Superseded,
            (_, Status::Active) => ImportFate::Imported,
        };
        if file.was_pinned && zone != Zone::Pinned && told.remark.is_none() {
            told.remark = Some(format!(
                "it was pinned, and is not here, where {}/ holds the pinned notes",
                rules.hot_dir
            ));
        }
        told.path = Some(path.clone());
        self.remember(&id, &facts.content, path.clone(), facts.worded);
        Some((path, bytes))
    }

    /// Its bytes without what looks like a credential; `None` where that would leave no text. The keys that it gets lose
    /// theirs as well: they were read from the text before anything was taken out.
    fn without_secrets(&self, file: &mut Adopted, told: &mut ImportedItem) -> Option<Vec<u8>> {
        let bytes = std::mem::take(&mut file.bytes);
        let Some(redactor) = self.terms.redactor else {
            return Some(bytes);
        };
        for (_, value) in &mut file.keys {
            note_kinds(redact_value(value, redactor), &mut told.redacted);
        }
        let text = String::from_utf8_lossy(&bytes);
        let found = redactor.find(&text);
        if found.is_empty() {
            return Some(bytes);
        }
        note_kinds(found, &mut told.redacted);
        if std::str::from_utf8(&bytes).is_err() {
            told.remark = Some("it is not UTF-8, and looks as if it held a credential".to_owned());
            return None;
        }
        Some(redactor.redact(&text).into_owned().into_bytes())
    }

    /// The path that it asks for, or one by its text where a store has no such path, or must not show it.
    fn wanted(&self, file: &Adopted, bytes: &[u8], told: &mut ImportedItem) -> StorePath {
        let is_unfit = |path: &str| {
            let redactor = self.terms.redactor;
            redactor.is_some_and(|redactor| redactor.redact_path(path) != path)
        };
        let refused = match StorePath::new(&file.path) {
            Ok(path) if is_unfit(path.as_str()) => "its name looks as if it held a credential".to_owned(),
            Ok(path) => {
                match check_no_reserved(&path).and_then(|()| check_not_excluded(&path, self.terms.rules)) {
                    Ok(()) => return path,
                    Err(error) => error.to_string(),
                }
            }
            Err(error) => error.to_string(),
        };
        told.remark = Some(format!("{refused}: it gets another path"));
        let body = crate::document::body(bytes);
        let line = body
            .split(|byte| *byte == b'\n')
            .find(|line| !line.trim_ascii().is_empty());
        let stem = slug(&String::from_utf8_lossy(line.unwrap_or_default()));
        let folder = self
            .terms
            .rules
            .type_rule(&file.kind)
            .map_or("project", |rule| rule.kind.as_str());
        StorePath::new(&format!("{folder}/memory-{stem}.md"))
            .expect("because a slug in a type's folder is a valid path")
    }

    fn claim_at(&mut self, wanted: &StorePath) -> StorePath {
        if !self.taken.contains(wanted.as_str()) {
            self.taken.take(wanted.as_str());
            return wanted.clone();
        }
        self.taken.claim_in(wanted.parent(), &short_stem(wanted))
    }

    /// The id of a file of an export, and its path. A copy that states the id of another file keeps its bytes, and so its
    /// own path counts: the store gives it an id by that.
    fn identify_export(
        &self,
        file: &Memory,
        wanted: &StorePath,
        blob: Oid,
        told: &mut ImportedItem,
    ) -> (Id, StorePath) {
        if !self.was_seen(&file.id) {
            return (file.id.clone(), wanted.clone());
        }
        told.remark = Some(format!(
            "it is a copy, and states the id {} of another entry",
            file.id
        ));
        match self.there_as(wanted, &file.id) {
            Some(id) => (id.clone(), wanted.clone()),
            None => self.by_place(wanted, blob),
        }
    }

    /// The id that the store gives a file which states none, and the path for it. Where the name is taken, an earlier
    /// import may have given it a number: the id of each numbered path is looked for, until a path is free.
    fn by_place(&self, wanted: &StorePath, blob: Oid) -> (Id, StorePath) {
        let (mut path, mut number) = (wanted.clone(), 1);
        loop {
            let id = derived_id(path.as_str(), blob);
            if self.has(&id) || !self.taken.contains(path.as_str()) {
                return (id, path);
            }
            number += 1;
            match numbered(wanted, number) {
                Some(next) => path = next,
                None => return (id, path),
            }
        }
    }

    /// The keys that it gets: its id, a type that the store has, and what else is known of it.
    fn edits(&self, file: &Adopted, memory: &Memory, id: &Id) -> Vec<KeyEdit> {
        let mut edits = vec![KeyEdit::Set(Key::Id, Value::from(id.as_str()))];
        if self.terms.rules.type_rule(&memory.kind).is_none() {
            edits.push(KeyEdit::Set(Key::Type, Value::from(file.kind.as_str())));
        }
        let is_open = |key: Key| match key {
            Key::Created => memory.created == Moment::Unset,
            Key::Updated => memory.updated == Moment::Unset,
            Key::Description => memory.description.is_none(),
            Key::Name => memory.name.is_none(),
            Key::Tags => memory.tags.is_empty(),
            _ => true,
        };
        let open = file.keys.iter().filter(|(key, _)| is_open(*key)).cloned();
        edits.extend(open.map(|(key, value)| KeyEdit::Set(key, value)));
        edits
    }
}

/// The path with a number behind its name, where a path may be so long.
fn numbered(path: &StorePath, number: u32) -> Option<StorePath> {
    let name = format!("{}-{number}.md", short_stem(path));
    let path = match path.parent() {
        "" => name,
        parent => format!("{parent}/{name}"),
    };
    StorePath::new(&path).ok()
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

/// The reason why a file of somebody else's is no memory.
fn unfit(memory: &Memory, readable: Readable, bytes: &[u8]) -> Option<&'static str> {
    if std::str::from_utf8(bytes).is_err() {
        return Some("it is not UTF-8: save it as UTF-8 first");
    }
    if bytes.contains(&0) {
        return Some("it has a NUL, and so is no text");
    }
    if readable == Readable::No {
        return Some("its frontmatter cannot be read");
    }
    let is_empty = memory.content.keyed_text().trim().is_empty() && memory.description.is_none();
    is_empty.then_some("it is empty")
}

#[cfg(test)]
mod tests {
    use super::super::incoming::Incoming;
    use super::super::plan::{Plan, Terms, plan};
    use super::*;
    use crate::document::Forgotten;
    use crate::model::{Kind, Timestamp};
    use crate::policy::Rules;
    use crate::store::Snapshot;
    use crate::text::{Redactor, sha256_hex};

    fn planned(files: Vec<Adopted>) -> Plan {
        let forgotten = format!("forget t1 2026-11-01 - {}", sha256_hex(b"use npm"));
        let terms = Terms {
            rules: &Rules::default(),
            redactor: Some(&Redactor::standard()),
            forgotten: &Forgotten::parse(forgotten.as_bytes()),
            now: Timestamp::from_seconds(1_795_000_000),
        };
        let incoming = Incoming {
            adopted: files,
            ..Incoming::default()
        };
        plan(incoming, &Snapshot::default(), &terms)
    }

    fn foreign(path: &str, bytes: impl Into<Vec<u8>>) -> Adopted {
        Adopted {
            path: path.to_owned(),
            bytes: bytes.into(),
            kind: Kind::new("project"),
            ..Adopted::default()
        }
    }

    fn text(plan: &Plan, at: usize) -> String {
        String::from_utf8(plan.files[at].1.clone()).unwrap()
    }

    #[test]
    fn a_file_keeps_its_bytes_and_gets_an_id_and_what_it_does_not_state() {
        let time = Value::Time(Timestamp::from_seconds(1_700_000_000));
        let mut note = foreign(
            "kb/Auth.md",
            "---\r\ntype: note # mine\r\nother:   x\r\n---\r\n\r\nBody\r\n\r\nMore\r\n",
        );
        note.keys = vec![(Key::Created, time), (Key::Name, Value::from("Auth"))];
        let plan = planned(vec![note]);
        let id = plan.items[0].id.clone().unwrap();
        assert_eq!(
            text(&plan, 0),
            format!(
                "---\r\ntype: project # mine\r\nother:   x\r\nid: {id}\r\ncreated: 2023-11-14T22:13:20Z\r\nname: Auth\r\n---\r\n\r\nBody\r\n\r\nMore\r\n"
            )
        );
        assert_eq!(plan.files[0].0.as_str(), "kb/Auth.md");
    }

    #[test]
    fn a_frontmatter_that_is_no_yaml_stays_and_the_id_is_that_of_its_place() {
        let odd = "---\ndescription: fix: the build\n---\nBody\n\nMore\n";
        let plan = planned(vec![foreign("kb/odd.md", odd)]);
        assert_eq!(text(&plan, 0), odd);
        assert!(
            plan.items[0]
                .remark
                .as_deref()
                .unwrap()
                .contains("no key was added")
        );
        let path = StorePath::new("kb/odd.md").unwrap();
        assert_eq!(
            plan.items[0].id,
            Some(derived_id(path.as_str(), hash_blob(odd.as_bytes())))
        );
    }

    #[test]
    fn what_is_no_memory_is_refused_with_its_reason() {
        let plan = planned(vec![
            foreign("a.md", b"\xff\xfe".to_vec()),
            foreign("b.md", "a\0b"),
            foreign("c.md", " \n\n"),
            foreign("d.md", "x".repeat(2 << 20)),
            foreign("e.md", "Use npm."),
        ]);
        assert!(plan.files.is_empty(), "{:?}", plan.items);
        let remarks: Vec<_> = plan
            .items
            .iter()
            .map(|item| item.remark.as_deref().unwrap_or_default())
            .collect();
        for (remark, part) in remarks.iter().zip(["not UTF-8", "NUL", "empty", "2097", ""]) {
            assert!(remark.contains(part), "{remarks:?}");
        }
        assert_eq!(plan.items[4].fate, ImportFate::AlreadyForgotten);
    }

    #[test]
    fn a_hostile_path_leads_nowhere() {
        let hostile = [
            "../../etc/x.md",
            "/etc/x.md",
            ".git/x.md",
            "a/.GIT/x.md",
            ".mdmem/x.md",
            "MEMORY.md",
            "memory.md",
            "a\\b.md",
            "nul\0.md",
            "CON.md",
            "a//b.md",
            "x.txt",
            "ghp_Fake0Token1Fake0Token1Fake0Token1Fak.md",
        ];
        let plan = planned(
            hostile
                .iter()
                .map(|path| {
                    foreign(
                        path,
                        format!("About {}", path.len() * 31 + path.as_bytes()[0] as usize),
                    )
                })
                .collect(),
        );
        for (path, _) in &plan.files {
            assert!(path.as_str().starts_with("project/memory-about"), "{path:?}");
        }
        assert_eq!(plan.files.len(), hostile.len());
    }

    #[test]
    fn two_versions_of_git_are_refused() {
        let conflict = "a\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> x\n";
        let mut export = foreign("b.md", conflict);
        export.origin = Origin::Export;
        let plan = planned(vec![
            foreign("a.md", conflict),
            export,
            foreign("c.md", "Use npm."),
        ]);
        assert!(plan.files.is_empty(), "{:?}", plan.files);
        for item in &plan.items[..2] {
            assert!(item.remark.as_deref().unwrap().contains("markers"), "{item:?}");
        }
    }

    #[test]
    fn a_credential_is_taken_out_and_named() {
        let plan = planned(vec![foreign("a.md", "# Login\n\nThe password is hunter2-x9.\n")]);
        assert_eq!(plan.items[0].redacted, ["password"]);
        assert!(text(&plan, 0).contains("[REDACTED:password]") && !text(&plan, 0).contains("hunter2"));
    }

    #[test]
    fn a_credential_in_a_title_is_taken_out_of_the_name_too() {
        let secrets = [
            "Tr0ub4dor&3xyz",
            "ghp_Fake0Token1Fake0Token1Fake0Token1Fak",
            "AKIAQ3EGRV2XN7PLM4ZT",
        ];
        let titles = ["Prod DB password: Tr0ub4dor&3xyz", secrets[1], secrets[2]];
        let note = |(at, title): (usize, &str)| Adopted {
            keys: vec![(Key::Name, Value::from(title))],
            ..foreign(
                &format!("{at}.md"),
                format!("---\ntitle: \"{title}\"\n---\nNote {at}.\n\nMore.\n"),
            )
        };
        let plan = planned(titles.into_iter().enumerate().map(note).collect());
        assert_eq!(plan.files.len(), 3);
        let all = format!(
            "{}{}{}{:?}",
            text(&plan, 0),
            text(&plan, 1),
            text(&plan, 2),
            plan.items
        );
        assert_eq!(all.matches("name: ").count(), 3, "{all}");
        for secret in secrets {
            assert!(!all.contains(secret), "{all}");
        }
        assert_eq!(plan.items[0].redacted, ["password"]);
    }

    #[test]
    fn files_with_other_descriptions_or_tags_do_not_say_the_same() {
        let files = [
            "---\ndescription: The first\n---\n",
            "---\ndescription: The second\n---\n",
            "---\ndescription: The first\ntags: [a]\n---\nUse npm.\n",
            "---\ndescription: The first\ntags: [b]\n---\nUse yarn.\n",
            "---\ndescription: The second\ntags: [b]\n---\nUse yarn.\n",
            "Use yarn!\n",
            "---\ndescription: The second\ntags: [b]\n---\nuse Yarn\n",
        ];
        let named = |(at, text): (usize, &&str)| foreign(&format!("{at}.md"), *text);
        let plan = planned(files.iter().enumerate().map(named).collect());
        let written: Vec<bool> = plan.items.iter().map(|item| item.fate.is_written()).collect();
        // `Use npm.` was forgotten; the last two lose nothing.
        assert_eq!(written, [true, true, false, true, true, false, false]);
        let ids: std::collections::BTreeSet<_> = plan.items[..5].iter().map(|item| &item.id).collect();
        assert_eq!(ids.len(), 5);
    }

    #[test]
    fn a_copy_in_an_export_is_no_entry_too_many() {
        let bytes = "---\nid: mem_a\n---\nUse yarn.\n";
        let export = |path| Adopted {
            origin: Origin::Export,
            ..foreign(path, bytes)
        };
        let plan = planned(vec![export("a.md"), export("b.md"), export("c.md")]);
        let paths: Vec<&str> = plan.files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["a.md", "b.md", "c.md"]);
        assert!(plan.files.iter().all(|(_, written)| written == bytes.as_bytes()));
        let ids: std::collections::BTreeSet<_> = plan.items.iter().map(|item| &item.id).collect();
        assert_eq!(ids.len(), 3);
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number_also_where_it_is_long() {
        let long = format!("{}.md", "n".repeat(250));
        let files = [("a.md", "1"), ("A.md", "2"), (&long, "3"), (&long, "4")];
        let plan = planned(files.iter().map(|(path, text)| foreign(path, *text)).collect());
        let paths: Vec<&str> = plan.files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths[..3], ["a.md", "A-2.md", &long]);
        assert_eq!(plan.files.len(), 4);
    }

    #[test]
    fn an_export_keeps_every_byte() {
        let bytes = b"---\nid: mem_a\n---\n\xff".to_vec();
        let mut file = foreign("decision/a.md", bytes.clone());
        file.origin = Origin::Export;
        assert_eq!(planned(vec![file]).files[0].1, bytes);
    }
}
