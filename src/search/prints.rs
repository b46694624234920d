//! Which tokens a memory has, in few bytes: most have none that a question asks for, which is told without a look at their
//! texts. A process that asks again keeps the tokens of those that have one.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

use super::tokens::{Form, Token, each_token};

/// The prints of the tokens of a memory, sorted. One that is there by chance costs a look at the texts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Prints {
    sorted: Box<[u16]>,
    #[serde(skip)]
    was_read: AtomicBool,
    #[serde(skip)]
    tokens: OnceLock<Box<[KnownToken]>>,
}

/// A token of a field: [`hash`] of its text, its letter where it is the first of several of a script without spaces, and
/// where it stands.
#[derive(Debug)]
pub(super) struct KnownToken {
    pub(super) field: u8,
    pub(super) form: Form,
    pub(super) hash: u64,
    pub(super) letter: Option<char>,
    place: u32,
    at: Range<u32>,
}

impl Clone for Prints {
    fn clone(&self) -> Self {
        Self::from(self.sorted.clone())
    }
}

impl From<Box<[u16]>> for Prints {
    fn from(sorted: Box<[u16]>) -> Self {
        Self {
            sorted,
            ..Self::default()
        }
    }
}

impl Prints {
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut prints = Vec::new();
        for text in texts {
            each_token(text, |token| {
                prints.push(print(hash(&token.text)));
                // A question of one letter of a script without spaces finds what begins with it.
                if let Some(letter) = token.text.chars().next().filter(|letter| !letter.is_ascii()) {
                    prints.push(print(hash(&token.text[..letter.len_utf8()])));
                }
            });
        }
        prints.sort_unstable();
        prints.dedup();
        Self::from(prints.into_boxed_slice())
    }

    /// Says whether one of them is wanted.
    pub(super) fn has_one(&self, is_wanted: &[bool]) -> bool {
        self.sorted.iter().any(|print| is_wanted[usize::from(*print)])
    }

    /// The tokens, from the second question on.
    pub(super) fn tokens(&self, read: impl FnOnce() -> Box<[KnownToken]>) -> Option<&[KnownToken]> {
        let is_second = self.was_read.swap(true, Relaxed);
        is_second.then(|| &**self.tokens.get_or_init(read))
    }
}

impl KnownToken {
    /// `None` for what no file has.
    pub(super) fn new(field: usize, token: &Token) -> Option<Self> {
        let Token {
            text,
            at,
            place,
            form,
        } = token;
        let mut letters = text.chars();
        let first = letters
            .next()
            .filter(|first| !first.is_ascii() && *form != Form::Within);
        Some(Self {
            field: u8::try_from(field).ok()?,
            form: *form,
            hash: hash(text),
            letter: first.filter(|_| letters.next().is_some()),
            place: u32::try_from(*place).ok()?,
            at: u32::try_from(at.start).ok()?..u32::try_from(at.end).ok()?,
        })
    }

    pub(super) const fn place(&self) -> usize {
        self.place as usize
    }

    pub(super) const fn at(&self) -> Range<usize> {
        self.at.start as usize..self.at.end as usize
    }
}

/// A hash (FNV-1a), the same in every process: the store keeps a quarter of it on the disk.
pub(super) fn hash(token: &str) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    token.bytes().fold(0xcbf2_9ce4_8422_2325, add)
}

/// A quarter of it.
pub(super) fn print(hash: u64) -> u16 {
    let [low, high, ..] = hash.to_le_bytes();
    u16::from_le_bytes([low, high])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Candidate, Query, answer, note, prints_of};
    use super::Prints;
    use crate::model::{Moment, Timestamp};

    /// What tokens are made of, beside each other and beside anything.
    fn pieces(most: usize) -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[ab][a-c]{1,4}(ational|enci|izer|bly|alism|logy|ative|ing|ed|ies|sses|ly|y|e)?",
            "[A-Za-z0-9]{1,3}([_.-][A-Za-z0-9]{1,3}){0,2}",
            "2026-0[56](-[0-3][0-9])?|june|login",
            "c\\+\\+|c#|Straße|Café|ﬁle|İstanbul|Ångström|ＡＢＣ|ｶﾞ|資料庫|資|庫|データ|ベ|데이터|ภาษา|हिन्दी|㎏|㌔",
            "\\PC{0,3}",
        ];
        proptest::collection::vec((piece, " ?"), 1..most)
            .prop_map(|pieces| pieces.into_iter().map(|(piece, space)| piece + &space).collect())
    }

    proptest! {
        #[test]
        fn no_memory_is_passed_over_that_has_a_word(question in pieces(4), body in pieces(12), others in pieces(12)) {
            let mut memories = [note("资料/a-b.md", &body), note("x.md", &others), note("y.md", &question)];
            memories[1].updated = Moment::At(Timestamp::from_millis(1_780_000_000_000));
            memories[0].tags = vec![others];
            let of = |prints: &[Prints]| {
                let candidates = memories.iter().zip(prints);
                let candidates = candidates.map(|(memory, prints)| Candidate { memory, prints });
                answer(Query::new(&question), &candidates.collect::<Vec<_>>(), |_| 1.0)
            };
            let prints = memories.each_ref().map(prints_of);
            let all = [(); 3].map(|()| Prints::from((0..=u16::MAX).collect::<Box<[u16]>>()));
            let first = of(&prints);
            prop_assert_eq!(&first, &of(&all));
            // By the tokens that are known by now.
            prop_assert_eq!(&first, &of(&prints));
            prop_assert_eq!(&first, &of(&all));
        }
    }
}
