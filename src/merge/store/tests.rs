//! The merge of two stores, rule by rule.

use std::collections::HashMap;
use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::model::Timestamp;
use crate::text::{sha256, sha256_hex};

mod forgetting;
mod merging_twice;
mod property;
mod siblings;

/// A store as texts by path.
type Texts = BTreeMap<String, String>;

/// A repository in memory.
#[derive(Default)]
struct Blobs {
    bytes: HashMap<Oid, Vec<u8>>,
    /// The hour of the last change of each path, ours and theirs.
    at: HashMap<(Side, PathBuf), i64>,
}

fn name_of(bytes: &[u8]) -> Oid {
    Oid(sha256(bytes)[..20].try_into().unwrap())
}

impl Blobs {
    fn add(&mut self, bytes: &[u8]) -> Blob {
        let oid = name_of(bytes);
        self.bytes.insert(oid, bytes.to_vec());
        Blob { oid, mode: 0o100_644 }
    }

    fn files<'f>(&mut self, files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Files {
        let files = files.into_iter();
        files
            .map(|(path, text)| (path.into(), self.add(text.as_bytes())))
            .collect()
    }

    fn texts(&self, files: &Files) -> Texts {
        let text = |blob: &Blob| String::from_utf8_lossy(&self.bytes[&blob.oid]).into_owned();
        let files = files.iter();
        files
            .map(|(path, blob)| (path.to_string_lossy().into_owned(), text(blob)))
            .collect()
    }

    /// Merges, and applies the result to our tree.
    fn merged(&mut self, base: &Files, ours: &Files, theirs: &Files) -> (Files, StoreMerge) {
        let merge = merge_stores(base, ours, theirs, self).unwrap();
        let mut merged = ours.clone();
        apply(&mut merged, merge.changes.clone(), |bytes| self.add(&bytes).oid);
        (merged, merge)
    }

    /// The same repository, with the sides called the other way round.
    fn turned(&self) -> Self {
        let at = self.at.iter();
        Self {
            bytes: self.bytes.clone(),
            at: at
                .map(|((side, path), time)| {
                    let other = if *side == Side::Ours {
                        Side::Theirs
                    } else {
                        Side::Ours
                    };
                    ((other, path.clone()), *time)
                })
                .collect(),
        }
    }
}

impl Contents for Blobs {
    type Error = Infallible;

    fn bytes(&self, oid: Oid) -> Result<Vec<u8>, Infallible> {
        Ok(self.bytes[&oid].clone())
    }

    fn changed_at(&self, side: Side, path: &Path) -> Option<Timestamp> {
        let hour = self.at.get(&(side, path.to_path_buf()))?;
        Some(Timestamp::from_seconds(hour * 3600))
    }
}

type Listed<'a> = &'a [(&'a str, &'a str)];

/// Merges both ways round, which must give the same tree; our side is the later one.
fn merge(base: Listed<'_>, ours: Listed<'_>, theirs: Listed<'_>) -> (Texts, StoreMerge) {
    let mut blobs = Blobs::default();
    for (hour, side, files) in [(2, Side::Ours, ours), (1, Side::Theirs, theirs)] {
        blobs
            .at
            .extend(files.iter().map(|(path, _)| ((side, PathBuf::from(path)), hour)));
    }
    let [base, ours, theirs] = [base, ours, theirs].map(|files| blobs.files(files.iter().copied()));
    let (merged, report) = blobs.merged(&base, &ours, &theirs);
    let mut turned = blobs.turned();
    let (other, _) = turned.merged(&base, &theirs, &ours);
    assert_eq!(blobs.texts(&merged), turned.texts(&other));
    for side in [&ours, &theirs] {
        assert_eq!(blobs.merged(side, side, &merged).0, merged);
        assert_eq!(blobs.merged(side, &merged, side).0, merged);
    }
    (blobs.texts(&merged), report)
}

fn memory(id: &str, text: &str) -> String {
    format!("---\nid: {id}\n---\n{text}\n")
}

#[track_caller]
fn gives(base: Listed<'_>, ours: Listed<'_>, theirs: Listed<'_>, merged: Listed<'_>) {
    let (texts, _) = merge(base, ours, theirs);
    let expected = merged
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    assert_eq!(texts, expected.collect());
}

#[test]
fn a_move_and_an_edit_are_both() {
    let (x, edited) = (memory("mem_x", "Use npm"), memory("mem_x", "Use pnpm"));
    gives(
        &[("a.md", &x)],
        &[("b.md", &x)],
        &[("a.md", &edited)],
        &[("b.md", &edited)],
    );
    // Without an id: by the same blob, then by like text.
    gives(
        &[("a.md", "Use npm\n")],
        &[("b.md", "Use npm\n")],
        &[("a.md", "Use pnpm\n")],
        &[("b.md", "Use pnpm\n")],
    );
    let lines = "one\ntwo\nthree\n";
    gives(
        &[("a.md", lines)],
        &[("b.md", "---\nid: mem_x\n---\none\ntwo\nthree\n")],
        &[("a.md", "one\ntwo\nthree\nfour\n")],
        &[("b.md", "---\nid: mem_x\n---\none\ntwo\nthree\nfour\n")],
    );
}

#[test]
fn of_two_moves_the_later_one_counts() {
    let x = memory("mem_x", "Use npm");
    gives(&[("a.md", &x)], &[("b.md", &x)], &[("c.md", &x)], &[("b.md", &x)]);
}

#[test]
fn a_path_that_another_memory_took_is_not_that_memory() {
    let (x, y, edited) = (memory("mem_x", "X"), memory("mem_y", "Y"), memory("mem_x", "Z"));
    gives(
        &[("a.md", &x)],
        &[("b.md", &x), ("a.md", &y)],
        &[("a.md", &edited)],
        &[("b.md", &edited), ("a.md", &y)],
    );
    // Two that changed places.
    gives(
        &[("a.md", &x), ("b.md", &y)],
        &[("a.md", &y), ("b.md", &x), ("c.md", "C\n")],
        &[("a.md", &edited), ("b.md", &y)],
        &[("a.md", &y), ("b.md", &edited), ("c.md", "C\n")],
    );
}

#[test]
fn a_memory_that_another_one_drove_over_a_third_is_found() {
    let (x, y, edited) = (memory("mem_x", "X"), memory("mem_y", "Y"), memory("mem_x", "Z"));
    gives(
        &[("a.md", &x), ("b.md", "Use npm\n")],
        &[("a.md", &y), ("b.md", &x)],
        &[("a.md", &edited), ("b.md", "Use npm\n")],
        &[("a.md", &y), ("b.md", &edited)],
    );
}

#[test]
fn a_memory_that_took_the_place_of_a_file_without_id_is_found_on_the_other_side() {
    // They moved a.md away and deleted nothing; our clone has the memory at its old path, as an addition.
    let (x, edited) = (
        memory("mem_x", "X\n\n- one"),
        memory("mem_x", "X\n\n- one\n- two"),
    );
    let (texts, _) = merge(
        &[("a.md", "Use npm\n")],
        &[("a.md", "Use npm\n"), ("b.md", &edited)],
        &[("a.md", &x), ("a-2.md", "Use npm\n")],
    );
    assert_eq!(texts["a.md"], edited);
    assert_eq!(texts["a-2.md"], "Use npm\n");
    assert!(!texts.contains_key("b.md"));
}

#[test]
fn of_copies_the_base_path_is_the_memory() {
    let (x, edited) = (memory("mem_x", "X"), memory("mem_x", "Z"));
    gives(
        &[("b.md", &x)],
        &[("a.md", &x), ("b.md", &x)],
        &[("b.md", &edited)],
        &[("a.md", &x), ("b.md", &edited)],
    );
}

#[test]
fn a_change_outlives_a_deletion_unless_it_is_the_engines() {
    let base = "---\nid: mem_x\nreinforcement: 1\n---\nUse npm\n";
    let counted = "---\nid: mem_x\nreinforcement: 2\nclock: 2026-11-01T00:00:00Z\n---\nUse npm\n";
    gives(&[("a.md", base)], &[], &[("a.md", counted)], &[]);
    for person in [
        base.replace("npm", "pnpm"),
        counted.replace("---\nU", "tags: [a]\n---\nU"),
        base.replace("reinforcement", "importance: high\nreinforcement"),
    ] {
        gives(&[("a.md", base)], &[], &[("a.md", &person)], &[("a.md", &person)]);
    }
    gives(&[("a.md", base)], &[], &[("b/a.md", base)], &[("b/a.md", base)]);
    gives(&[("x.png", "1")], &[], &[("x.png", "2")], &[("x.png", "2")]);
    gives(
        &[("f/a.md", base), ("f/b.md", "b\n")],
        &[],
        &[("f/a.md", counted), ("f/b.md", "c\n")],
        &[("f/b.md", "c\n")],
    );
}

#[test]
fn the_same_words_added_twice_are_one_memory() {
    let one = "---\nid: mem_2\ntags: [a]\n---\nUse npm!\n";
    let other = "---\nid: mem_1\nreinforcement: 2\n---\nuse  NPM\n\nWhy: it works\n";
    let (texts, report) = merge(&[], &[("a.md", one)], &[("b.md", other)]);
    assert_eq!(texts.keys().collect::<Vec<_>>(), ["b.md"]);
    let text = &texts["b.md"];
    assert!(
        text.contains("id: mem_1") && text.contains("tags: [a]") && text.contains("Why: it works"),
        "{text}"
    );
    assert!(report.conflicts.is_empty());
    // A sign or a case that tells something is another memory, from whichever side one looks.
    for (one, other) in [
        ("Use git branch -d\n", "Use git branch -D\n"),
        ("Use C\n", "Use C#\n"),
    ] {
        gives(
            &[],
            &[("a.md", one)],
            &[("b.md", other)],
            &[("a.md", one), ("b.md", other)],
        );
    }
    // Files without words are as many as they are, and the same file is one.
    for empty in ["", "---\nid: mem_2\n---\n", "…\n"] {
        gives(
            &[],
            &[("n/a.md", empty), ("n/c.md", empty)],
            &[("n/b.md", "!\n"), ("n/c.md", empty)],
            &[("n/a.md", empty), ("n/b.md", "!\n"), ("n/c.md", empty)],
        );
    }
    // Another reason is another memory; and so is a note of these words, or one that is not in force.
    let reason = "---\nid: mem_2\n---\nUse npm\n\nWhy: it is fast\n";
    gives(
        &[],
        &[("a.md", reason)],
        &[("b.md", other)],
        &[("a.md", reason), ("b.md", other)],
    );
    let gone = "---\nid: mem_2\nstatus: superseded\n---\nUse npm\n";
    gives(
        &[],
        &[("a.md", gone)],
        &[("b.md", other)],
        &[("a.md", gone), ("b.md", other)],
    );
}

#[test]
fn the_same_words_in_a_folder_that_shows_them_otherwise_are_two_memories() {
    let [one, other] = [("mem_2", "Use npm"), ("mem_1", "use NPM")]
        .map(|(id, text)| format!("---\nid: {id}\ntype: decision\n---\n{text}\n"));
    let hot = "hot_dir = \"hot\"\n";
    let stays_apart = |folder: &str, settings: Option<&str>| {
        let path = format!("{folder}/a.md");
        let ours: Vec<_> = settings.map(|text| ("mdmem.toml", text)).into_iter().collect();
        let (texts, _) = merge(&[], &[&ours[..], &[(&path, &one)]].concat(), &[("b.md", &other)]);
        texts.contains_key(&path) && texts.contains_key("b.md")
    };
    for (folder, settings, expected) in [
        ("archive", None, true),
        ("system", None, true),
        ("system", Some("format = 1\n"), true),
        ("hot", None, false),
        ("hot", Some(hot), true),
        // The other side has it as the pinned folder still.
        ("system", Some(hot), true),
    ] {
        assert_eq!(stays_apart(folder, settings), expected, "{folder} {settings:?}");
    }
}

#[test]
fn other_words_at_one_path_are_two_memories() {
    let (one, other) = (
        memory("mem_01AAAAAA", "Use npm"),
        memory("mem_01BBBBBB", "Use pnpm"),
    );
    gives(
        &[],
        &[("d/a.md", &other)],
        &[("d/a.md", &one)],
        &[("d/a.md", &one), ("d/a-BBBBBB.md", &other)],
    );
    // Names that some systems take for one.
    gives(
        &[],
        &[("caf\u{e9}.md", &other)],
        &[("CAFE\u{301}.md", &one)],
        &[("CAFE\u{301}.md", &one), ("caf\u{e9}-BBBBBB.md", &other)],
    );
    // A side that has both can tell them apart.
    gives(
        &[],
        &[("a.md", &other), ("A.md", &one)],
        &[],
        &[("a.md", &other), ("A.md", &one)],
    );
    let (texts, _) = merge(&[], &[("a.md", "Use npm\n")], &[("a.md", "Use yarn\n")]);
    assert_eq!(texts.len(), 2);
    assert!(
        texts.values().any(|text| text == "Use npm\n") && texts.values().any(|text| text == "Use yarn\n")
    );
}

#[test]
fn a_file_gives_way_to_a_folder_of_its_name() {
    let (file, inside) = (memory("mem_01AAAAAA", "A"), memory("mem_01BBBBBB", "B"));
    gives(
        &[],
        &[("x.md", &file)],
        &[("x.md/y.md", &inside)],
        &[("x-AAAAAA.md", &file), ("x.md/y.md", &inside)],
    );
    gives(
        &[("x.md/y.md", &inside)],
        &[("x.md", &file)],
        &[("x.md/y.md", &inside.replace('B', "C"))],
        &[("x-AAAAAA.md", &file), ("x.md/y.md", &inside.replace('B', "C"))],
    );
    gives(
        &[],
        &[("x", "1")],
        &[("x/y", "2")],
        &[
            (&format!("x-{}", &crate::text::sha256_hex(b"1")[58..]), "1"),
            ("x/y", "2"),
        ],
    );
}

#[test]
fn other_texts_keep_the_lines_of_both_sides() {
    let (texts, report) = merge(
        &[("PROTOCOL.md", "a\nb\n")],
        &[("PROTOCOL.md", "A\nb\n")],
        &[("PROTOCOL.md", "x\nb\n")],
    );
    assert_eq!(texts["PROTOCOL.md"], "A\nx\nb\n");
    assert!(report.overruled.is_empty());
    gives(
        &[(".gitignore", "MEMORY.md\n")],
        &[(".gitignore", "MEMORY.md\n*.bak\n")],
        &[(".gitignore", "MEMORY.md\nprivate/\n")],
        &[(".gitignore", "MEMORY.md\n*.bak\nprivate/\n")],
    );
    gives(
        &[],
        &[("README.md", "a\n")],
        &[("README.md", "b\n")],
        &[("README.md", "a\nb\n")],
    );
}

#[test]
#[cfg(unix)]
fn names_that_are_no_text_are_merged_too() {
    use std::os::unix::ffi::OsStrExt;
    let odd = |name: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(name));
    let mut blobs = Blobs::default();
    let files = |blobs: &mut Blobs, name: &[u8], text: &[u8]| Files::from([(odd(name), blobs.add(text))]);
    let base = Files::new();
    let ours = files(&mut blobs, b"x\xff.md", b"a\n");
    for name in [&b"x\xff.md"[..], b"x\xff.md/y.md", b"x\xfe.md"] {
        let theirs = files(&mut blobs, name, b"b\n");
        let (merged, _) = blobs.merged(&base, &ours, &theirs);
        let (turned, _) = blobs.merged(&base, &theirs, &ours);
        assert_eq!(merged, turned);
        assert!(!merged.is_empty());
    }
}
