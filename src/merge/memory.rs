//! The three-way merge of one memory: each key by itself, the body line by line.

use std::cmp::Ordering;

use super::body::{merge_body, take_back as take_body_back};
use super::keys::{Chosen, choose, choose_back};
use crate::document::{Key, KeyEdit, KeyLines, Sections, Value, edit, sections};
use crate::model::Timestamp;
use crate::text::sha256_hex;

/// One side of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version<'a> {
    /// The file.
    pub bytes: &'a [u8],
    /// When the last commit on the file was made; `None`, where nobody knows, is before every time.
    pub at: Option<Timestamp>,
}

/// The memory that two versions become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The file.
    pub bytes: Vec<u8>,
    /// The contradiction, where both sides changed the same lines.
    pub conflict: Option<Conflict>,
}

/// Both sides changed the same lines of the text. The merged file has those of the later side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The file of the other side, whole.
    pub aside: Vec<u8>,
    /// The merged file with both sides' lines between git's markers.
    pub marked: Vec<u8>,
}

/// Merges two versions of a memory. A key that only one side changed takes that side; where both did, the rule of the
/// key decides (`keys`). Comments and spelling go with the key. A frontmatter that cannot be taken apart is merged whole:
/// the side that changed it.
pub fn merge_memory(base: &[u8], ours: Version<'_>, theirs: Version<'_>) -> Merged {
    let whole = |bytes: &[u8]| Merged {
        bytes: bytes.to_vec(),
        conflict: None,
    };
    if ours.bytes == theirs.bytes || theirs.bytes == base {
        return whole(ours.bytes);
    }
    if ours.bytes == base {
        return whole(theirs.bytes);
    }
    let ours_is_later = later(ours, theirs) != Ordering::Less;
    let (winner, loser) = if ours_is_later {
        (ours, theirs)
    } else {
        (theirs, ours)
    };
    let merge = Merge {
        winner,
        loser,
        ours_is_later,
    };
    merge.by_key(base).unwrap_or_else(|| merge.whole(base))
}

/// The later side is the greater one; of two that are as late, the one whose bytes have the greater hash.
pub(super) fn later(one: Version<'_>, other: Version<'_>) -> Ordering {
    let hash = |version: Version<'_>| sha256_hex(version.bytes);
    one.at.cmp(&other.at).then_with(|| hash(one).cmp(&hash(other)))
}

struct Merge<'a> {
    winner: Version<'a>,
    loser: Version<'a>,
    ours_is_later: bool,
}

impl Merge<'_> {
    /// Neither file can be taken apart by keys: the later one stays, whole.
    fn whole(&self, base: &[u8]) -> Merged {
        let merged = |side: Version<'_>| String::from_utf8_lossy(side.bytes).into_owned();
        let base = String::from_utf8_lossy(base);
        let body = merge_body(&base, &merged(self.winner), &merged(self.loser));
        Merged {
            bytes: self.winner.bytes.to_vec(),
            conflict: Some(Conflict {
                aside: self.loser.bytes.to_vec(),
                marked: body.marked(self.ours_is_later).into_bytes(),
            }),
        }
    }

    /// `None` where a side cannot be taken apart, or where the result could not be read.
    fn by_key(&self, base: &[u8]) -> Option<Merged> {
        let base = std::str::from_utf8(base)
            .ok()
            .and_then(sections)
            .unwrap_or_else(empty);
        let [winner, loser] = [self.winner, self.loser].map(|side| std::str::from_utf8(side.bytes).ok());
        let (winner, loser) = (sections(winner?)?, sections(loser?)?);
        let is_later = self.winner.at > self.loser.at;
        let mut front = Front::of(&base, &winner, &loser);
        for name in names(&winner, &loser) {
            let [base, winner, loser] = [&base, &winner, &loser].map(|file| lines_of(file, name));
            front.add(name, choose(name, base, winner, loser, is_later));
        }
        let body = merge_body(base.body, winner.body, loser.body);
        let bytes = front.file(&body.text)?;
        let conflict = (front.has_conflict || body.conflict.is_some()).then(|| {
            let marked = front.file(&body.marked(self.ours_is_later));
            Conflict {
                aside: self.loser.bytes.to_vec(),
                marked: marked.unwrap_or_else(|| bytes.clone()),
            }
        });
        Some(Merged { bytes, conflict })
    }
}

/// The frontmatter that a merge makes.
struct Front<'a> {
    mark: &'a str,
    opening: &'a str,
    keys: String,
    closing: String,
    newline: &'static str,
    edits: Vec<KeyEdit>,
    /// Both sides changed the text, in a key.
    has_conflict: bool,
}

impl<'a> Front<'a> {
    fn of(base: &Sections<'a>, winner: &Sections<'a>, loser: &Sections<'a>) -> Self {
        let changed = |of: fn(&Sections<'a>) -> &'a str| {
            if of(winner) == of(base) {
                of(loser)
            } else {
                of(winner)
            }
        };
        let closing = match changed(|file| file.closing) {
            "" if !winner.closing.is_empty() => winner.closing,
            closing => closing,
        };
        Self {
            mark: changed(|file| file.mark),
            opening: winner.opening,
            keys: String::new(),
            closing: with_newline(closing, winner.newline),
            newline: winner.newline,
            edits: Vec::new(),
            has_conflict: false,
        }
    }

    fn add(&mut self, name: &str, chosen: Chosen<'_>) {
        let (lines, items, is_conflict) = match chosen {
            Chosen::Gone => return,
            Chosen::Lines(lines) => (lines, None, false),
            Chosen::Items(lines, items) => (lines, Some(items), false),
            Chosen::Text(lines) => (lines, None, true),
        };
        self.keys.push_str(&with_newline(lines, self.newline));
        self.has_conflict |= is_conflict;
        self.edits.extend(items.map(|items| {
            let key = Key::parse(name).expect("because only mdmem's keys are lists to it");
            KeyEdit::Set(key, Value::List(items))
        }));
    }

    /// The file with this body; `None` where it would not read as what it is made of.
    fn file(&self, body: &str) -> Option<Vec<u8>> {
        let has_front = !self.keys.is_empty() || !self.opening.is_empty();
        let fence = format!("---{}", self.newline);
        let (opening, closing) = match (has_front, self.opening, self.closing.as_str()) {
            (false, ..) => ("", ""),
            (true, "", "") => (fence.as_str(), fence.as_str()),
            (true, "", closing) => (fence.as_str(), closing),
            (true, opening, "") => (opening, fence.as_str()),
            (true, opening, closing) => (opening, closing),
        };
        let text = [self.mark, opening, &self.keys, closing, body].concat();
        let bytes = edit(text.as_bytes(), &self.edits).ok()?;
        let read = sections(std::str::from_utf8(&bytes).ok()?)?;
        (read.body == body).then_some(bytes)
    }
}

/// Takes the change from `before` to `after` back in a memory as it is now, each key by itself and the body line by line: with
/// what was changed again since as it is, and with that as it was before. `None` where a file cannot be taken apart.
pub(super) fn take_back([before, after, now]: [&str; 3]) -> Option<[String; 2]> {
    let (before, after, now) = (sections(before)?, sections(after)?, sections(now)?);
    let bodies = take_body_back([before.body, after.body, now.body])?;
    let file = |keeps_present: bool, body: &str| {
        let mut front = Front::of(&after, &now, &before);
        for name in names(&now, &before) {
            let [after, now, before] = [&after, &now, &before].map(|file| lines_of(file, name));
            front.add(name, choose_back(name, [before, after, now], keeps_present));
        }
        if front.keys.is_empty() && before.opening.is_empty() {
            front.opening = "";
        }
        String::from_utf8(front.file(body)?).ok()
    };
    Some([file(true, &bodies[0])?, file(false, &bodies[1])?])
}

/// A file with nothing in it: the base of two that were added.
fn empty<'a>() -> Sections<'a> {
    sections("").expect("because an empty file has no frontmatter")
}

fn lines_of<'s, 'a>(file: &'s Sections<'a>, name: &str) -> Option<&'s KeyLines<'a>> {
    file.keys.iter().find(|key| key.name == name)
}

/// The keys of both sides: the winner's order, then those that the other one has alone.
fn names<'s>(winner: &'s Sections<'_>, loser: &'s Sections<'_>) -> impl Iterator<Item = &'s str> {
    let more = loser
        .keys
        .iter()
        .filter(|key| lines_of(winner, &key.name).is_none());
    winner.keys.iter().chain(more).map(|key| key.name.as_str())
}

/// Lines with another line ending.
fn with_newline(lines: &str, newline: &str) -> String {
    lines
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\n', newline)
}

#[cfg(test)]
mod tests;
