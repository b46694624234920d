//! The store's file `contradictions`: pairs of memories that a model found cannot both hold.
//!
//! `conflict <id> <id> <date> <why>` names a pair, the lesser id first; `settled <id> <id> <date>` is a person's word that
//! it needs no more asking. Lines are a set: their order says nothing. Lines of any other form are kept as they are.

use std::collections::BTreeSet;

use super::lines::LineSet;
use crate::model::{Id, Timestamp};
use crate::text::one_line;

/// The file `contradictions`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contradictions {
    lines: LineSet,
    open: Vec<Contradiction>,
    known: BTreeSet<(Id, Id)>,
}

/// Two memories that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The lesser id of the two.
    pub a: Id,
    /// The other one.
    pub b: Id,
    /// The reason why both cannot hold, on one line.
    pub why: String,
}

impl Contradictions {
    /// Reads the file.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::of(LineSet::parse(bytes))
    }

    fn of(lines: LineSet) -> Self {
        let (mut open, mut known, mut settled) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for words in lines.words() {
            let (["conflict" | "settled", a, b, _, why @ ..], Some(word)) = (&words[..], words.first())
            else {
                continue;
            };
            let (Ok(a), Ok(b)) = (Id::parse(a), Id::parse(b)) else {
                continue;
            };
            let pair = in_order(&a, &b);
            if *word == "settled" {
                settled.insert(pair.clone());
                known.insert(pair);
            } else if known.insert(pair.clone()) {
                open.push(Contradiction {
                    a: pair.0,
                    b: pair.1,
                    why: why.join(" "),
                });
            }
        }
        open.retain(|pair| !settled.contains(&(pair.a.clone(), pair.b.clone())));
        Self { lines, open, known }
    }

    /// The pairs that nobody has settled.
    pub fn open(&self) -> &[Contradiction] {
        &self.open
    }

    /// Says whether a pair was named before, settled or not.
    pub fn knows(&self, a: &Id, b: &Id) -> bool {
        self.known.contains(&in_order(a, b))
    }

    /// With one more pair.
    #[must_use]
    pub fn flag(&self, a: &Id, b: &Id, now: Timestamp, why: &str) -> Self {
        let (a, b) = in_order(a, b);
        let line = format!("conflict {a} {b} {} {}", day(now), one_line(why).trim());
        Self::of(self.lines.with([line]))
    }

    /// With a pair settled.
    #[must_use]
    pub fn settle(&self, pair: &Contradiction, now: Timestamp) -> Self {
        let line = format!("settled {} {} {}", pair.a, pair.b, day(now));
        Self::of(self.lines.with([line]))
    }

    /// The file: sorted lines, each once.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.lines.to_bytes()
    }
}

fn in_order(a: &Id, b: &Id) -> (Id, Id) {
    (a.min(b).clone(), a.max(b).clone())
}

pub(super) fn day(now: Timestamp) -> String {
    now.to_utc().format("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::super::lines::merge_lines;
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_762_041_600);

    fn id(text: &str) -> Id {
        Id::parse(text).unwrap()
    }

    #[test]
    fn a_pair_is_open_until_a_person_settles_it() {
        let none = Contradictions::default();
        assert!(!none.knows(&id("mem_a"), &id("mem_b")));
        let told = none.flag(&id("mem_b"), &id("mem_a"), NOW, "one says\nyes");
        assert_eq!(told.to_bytes(), b"conflict mem_a mem_b 2025-11-02 one says yes\n");
        assert_eq!(Contradictions::parse(&told.to_bytes()), told);
        let [pair] = told.open() else {
            panic!("one pair is open");
        };
        assert_eq!(pair.why, "one says yes");
        let settled = told.settle(pair, NOW);
        assert!(settled.open().is_empty() && settled.knows(&id("mem_a"), &id("mem_b")));
    }

    #[test]
    fn two_machines_words_come_together() {
        let base = Contradictions::default().flag(&id("a"), &id("b"), NOW, "x");
        let ours = base.settle(&base.open()[0], NOW);
        let theirs = base
            .flag(&id("a"), &id("b"), NOW, "other words")
            .flag(&id("c"), &id("a"), NOW, "y");
        let bytes = [&base, &ours, &theirs].map(Contradictions::to_bytes);
        let merged = merge_lines(&bytes[0], &bytes[1], &bytes[2]);
        assert_eq!(merged, merge_lines(&bytes[0], &bytes[2], &bytes[1]));
        let open = Contradictions::parse(&merged);
        let open: Vec<&str> = open.open().iter().map(|pair| pair.why.as_str()).collect();
        assert_eq!(open, ["y"], "what a person settled stays settled");
    }

    #[test]
    fn lines_of_any_form_are_kept_and_mean_nothing() {
        let odd = b"conflict\nconflict a\nsettled a\nz \xff\n\nconflict a b\n";
        let read = Contradictions::parse(odd);
        assert!(read.open().is_empty());
        assert_eq!(
            read.to_bytes(),
            b"conflict\nconflict a\nconflict a b\nsettled a\nz \xff\n"
        );
    }
}
