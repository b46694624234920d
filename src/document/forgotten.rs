//! The store's file `forgotten`: texts and memories that must not come back.
//!
//! `forget <token> <date> <id or -> <sha256 of the canonical text, without type>` puts a memory out of reach of
//! extraction, import and stale clones; `lift <token> <date>` takes that one line back. Lines are a set: their order
//! says nothing. Lines of any other form are kept as they are.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::contradictions::day;
use super::lines::LineSet;
use crate::model::{Id, Memory, Timestamp};
use crate::text::{canonical, sha256_hex};

/// The place of the id in a line about a text that had none.
const NO_ID: &str = "-";

/// The file `forgotten`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgotten {
    lines: LineSet,
    in_force: Vec<Tombstone>,
    /// Places in `in_force` by the hash of the text.
    by_hash: BTreeMap<String, Vec<usize>>,
    /// Places in `in_force` by id.
    by_id: BTreeMap<Id, Vec<usize>>,
}

/// A line that is in force: no `lift` names its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tombstone {
    /// The word by which a `lift` names the line.
    pub token: String,
    /// The day on which the memory was forgotten, as the line has it.
    pub date: String,
    /// The id of the memory, where it had one.
    pub id: Option<Id>,
    /// SHA-256 of the canonical text.
    #[serde(rename = "sha256")]
    pub hash: String,
}

impl std::fmt::Display for Tombstone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            token,
            date,
            id,
            hash,
        } = self;
        let id = id.as_ref().map_or(NO_ID, Id::as_str);
        write!(f, "forget {token} {date} {id} {hash}")
    }
}

impl Forgotten {
    /// Reads the file.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::of(LineSet::parse(bytes))
    }

    fn of(lines: LineSet) -> Self {
        let words: Vec<Vec<&str>> = lines.words().collect();
        let lifted: BTreeSet<&str> = words
            .iter()
            .filter_map(|words| match words[..] {
                ["lift", token, ..] => Some(token),
                _ => None,
            })
            .collect();
        let mut in_force = Vec::new();
        let mut by_hash: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut by_id: BTreeMap<Id, Vec<usize>> = BTreeMap::new();
        for words in &words {
            let ["forget", token, date, id, hash, ..] = words[..] else {
                continue;
            };
            if lifted.contains(token) {
                continue;
            }
            let tombstone = Tombstone {
                token: token.to_owned(),
                date: date.to_owned(),
                id: Id::parse(id).ok().filter(|_| id != NO_ID),
                hash: hash.to_ascii_lowercase(),
            };
            let place = in_force.len();
            by_hash.entry(tombstone.hash.clone()).or_default().push(place);
            if let Some(id) = tombstone.id.clone() {
                by_id.entry(id).or_default().push(place);
            }
            in_force.push(tombstone);
        }
        Self {
            lines,
            in_force,
            by_hash,
            by_id,
        }
    }

    /// The lines that are in force, in the order of their tokens.
    pub fn in_force(&self) -> &[Tombstone] {
        &self.in_force
    }

    /// The lines in force that are not in force in `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let known: BTreeSet<&str> = before.in_force.iter().map(|line| line.token.as_str()).collect();
        let new = self
            .in_force
            .iter()
            .filter(|line| !known.contains(line.token.as_str()));
        Self::of(new.map(Tombstone::to_string).collect())
    }

    /// The lines in force that forget this text; none when it may be remembered.
    pub fn of_text(&self, text: &str) -> impl Iterator<Item = &Tombstone> {
        let places = hash(text).and_then(|hash| self.by_hash.get(&hash));
        places.into_iter().flatten().map(|place| &self.in_force[*place])
    }

    /// The lines in force that forget the memory with this id.
    pub fn of_id(&self, id: &Id) -> impl Iterator<Item = &Tombstone> {
        let places = self.by_id.get(id);
        places.into_iter().flatten().map(|place| &self.in_force[*place])
    }

    /// The lines in force that forget a memory, by its text or by its id.
    pub fn about(&self, memory: &Memory) -> impl Iterator<Item = &Tombstone> {
        let of_text = self.of_text(memory.content.keyed_text());
        let stated = memory.id_stated.then_some(&memory.id);
        of_text.chain(stated.into_iter().flat_map(|id| self.of_id(id)))
    }

    /// Says whether this text was forgotten for good.
    pub fn holds(&self, text: &str) -> bool {
        self.of_text(text).next().is_some()
    }

    /// Says whether the memory with this id was forgotten for good.
    pub fn holds_id(&self, id: &Id) -> bool {
        self.of_id(id).next().is_some()
    }

    /// With a line in force. The token is a word that no other line has.
    #[must_use]
    pub fn forget(&self, token: &str, now: Timestamp, id: Option<&Id>, text: &str) -> Self {
        let line = Tombstone {
            token: token.to_owned(),
            date: day(now),
            id: id.cloned(),
            hash: sha256_hex(canonical(text).as_bytes()),
        };
        self.with([line.to_string()])
    }

    /// With these lines, forgotten now, each under its own token.
    #[must_use]
    pub fn forget_again(&self, lines: impl IntoIterator<Item = Tombstone>, now: Timestamp) -> Self {
        let dated = |line: Tombstone| Tombstone {
            date: day(now),
            ..line
        };
        self.with(lines.into_iter().map(|line| dated(line).to_string()))
    }

    /// With the lines of these tokens out of force.
    #[must_use]
    pub fn lift<'a>(&self, tokens: impl IntoIterator<Item = &'a str>, now: Timestamp) -> Self {
        let day = day(now);
        self.with(tokens.into_iter().map(|token| format!("lift {token} {day}")))
    }

    fn with(&self, more: impl IntoIterator<Item = String>) -> Self {
        Self::of(self.lines.with(more))
    }

    /// The lines that all three have, and those that either side added. The same lines whichever side is called ours.
    #[must_use]
    pub fn merge(base: &Self, ours: &Self, theirs: &Self) -> Self {
        Self::of(LineSet::merge(&base.lines, &ours.lines, &theirs.lines))
    }

    /// The file: sorted lines, each once.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.lines.to_bytes()
    }
}

/// The hash by which a text is known; `None` for a text without words.
/// The text of the file with its own lines empty. Their random words look like a password now and then, and are none.
pub fn without_own_lines(text: &str) -> String {
    let is_token = |word: &str| word.len() == 26 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_date =
        |word: &str| word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let is_id = |word: &str| word == NO_ID || word.strip_prefix("mem_").is_some_and(is_token);
    let is_hash = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_own = |line: &str| match line.split_ascii_whitespace().collect::<Vec<_>>()[..] {
        ["forget", token, date, id, hash] => is_token(token) && is_date(date) && is_id(id) && is_hash(hash),
        ["lift", token, date] => is_token(token) && is_date(date),
        _ => false,
    };
    let lines = text.split('\n').map(|line| if is_own(line) { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

fn hash(text: &str) -> Option<String> {
    let canonical = canonical(text);
    (!canonical.is_empty()).then(|| sha256_hex(canonical.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_762_041_600);

    fn forgotten(text: &str) -> Forgotten {
        Forgotten::parse(text.as_bytes())
    }

    fn tokens<'a>(tombstones: impl Iterator<Item = &'a Tombstone>) -> Vec<&'a str> {
        tombstones.map(|tombstone| tombstone.token.as_str()).collect()
    }

    #[test]
    fn a_text_is_known_by_its_canonical_form_and_a_lift_takes_it_back() {
        let hash = sha256_hex(b"use npm cache");
        let forget = format!("forget t1 2026-11-01 - {hash}\r\nnonsense\n");
        let forgets = forgotten(&forget);
        assert!(forgets.holds("use NPM cache!"));
        assert!(!forgets.holds("Use npm link"));
        assert!(forgotten(&format!("\u{feff}{forget}")).holds("use npm cache"));
        assert!(!forgotten(&format!("lift t1 2026-11-02\n{forget}")).holds("Use npm cache"));
        let again = format!("{forget}lift t1 2026-11-02\nforget t2 2026-11-03 mem_a {hash}\n");
        assert_eq!(tokens(forgotten(&again).of_text("use npm cache")), ["t2"]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let id = Id::parse("mem_a").unwrap();
        let forgets = Forgotten::default()
            .forget("t1", NOW, Some(&id), "Use npm cache")
            .forget("t2", NOW, None, "Use pnpm");
        let hash = sha256_hex(b"use npm cache");
        let text = String::from_utf8(forgets.to_bytes()).unwrap();
        assert!(
            text.starts_with(&format!("forget t1 2025-11-02 mem_a {hash}\n")),
            "{text}"
        );
        assert_eq!(forgotten(&text), forgets);
        assert_eq!((forgets.in_force().len(), forgets.holds_id(&id)), (2, true));
        let lifted = forgets.lift(tokens(forgets.of_id(&id)), NOW);
        assert!(!lifted.holds_id(&id) && !lifted.holds("use npm cache") && lifted.holds("use pnpm"));
        assert_eq!(lifted.lift(["t1"], NOW), lifted);
    }

    #[test]
    fn a_text_without_words_and_an_id_that_is_none_hold_nothing() {
        let forgets = Forgotten::default().forget("t", NOW, None, "…!");
        assert!(!forgets.holds("") && !forgets.holds("?"));
        assert!(!forgets.holds_id(&Id::parse("-").unwrap()));
    }

    #[test]
    fn lines_of_any_form_are_kept_and_no_line_is_torn() {
        let odd = b"z \xff\r\n\nforget\nforget t1 2026\n  a\nz \xff\nlift";
        let forgets = Forgotten::parse(odd);
        assert_eq!(forgets.to_bytes(), b"  a\nforget\nforget t1 2026\nlift\nz \xff\n");
        assert!(forgets.in_force().is_empty());
        assert_eq!(Forgotten::default().to_bytes(), b"");
    }

    #[test]
    fn a_merge_keeps_what_either_side_added_and_drops_what_one_took_out() {
        let merged = Forgotten::merge(
            &forgotten("a\nb\nc"),
            &forgotten("a\r\nc\r\nd\r\n"),
            &forgotten("e\nb\na\nd"),
        );
        assert_eq!(merged.to_bytes(), b"a\nd\ne\n");
    }

    proptest! {
        #[test]
        fn a_merge_is_the_same_either_way_and_merging_again_changes_nothing(
            base in "([a-d]\n){0,4}", ours in "([a-f]\r?\n){0,6}", theirs in "([a-f]\n){0,6}",
        ) {
            let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| forgotten(text));
            let merged = Forgotten::merge(&base, &ours, &theirs);
            prop_assert_eq!(&merged, &Forgotten::merge(&base, &theirs, &ours));
            prop_assert_eq!(&merged, &Forgotten::merge(&ours, &merged, &ours));
            prop_assert_eq!(&ours, &Forgotten::merge(&base, &ours, &base));
        }

        #[test]
        fn any_bytes_are_read_and_written_the_same(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let once = Forgotten::parse(&bytes);
            prop_assert_eq!(&once, &Forgotten::parse(&once.to_bytes()));
        }
    }
}
