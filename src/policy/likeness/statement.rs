//! The statement of a fact about the thing that gives it its identity.

use std::collections::HashSet;

use super::telling::is_telling;
use crate::model::Content;
use crate::policy::Keys;
use crate::policy::identity::{Mention, unbroken};
use crate::text::{canonical, words};

/// The canonical words of a fact without those of its thing, parted into those that tell and the others. Two
/// statements about one thing are one when the telling words are the same and the others of the one are among
/// those of the other: that is, when the sets are equal, or the one holds the other and more of what tells nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct Statement {
    /// The words with a digit or a negation, sorted.
    pub(in crate::policy) telling: Vec<String>,
    /// The other words, sorted.
    pub(in crate::policy) others: Vec<String>,
    /// A bit for each of the other words, so that most pairs are told apart without a look at the words.
    bits: u64,
}

impl Statement {
    /// The statement of a fact with these keys; an empty one for a memory without a thing.
    pub(in crate::policy) fn new(keys: &Keys, content: &Content) -> Self {
        let rest = keys
            .thing()
            .map(|thing| without(&unbroken(content.keyed_text()), thing));
        let canonical = canonical(&rest.unwrap_or_default());
        let mut all: Vec<String> = words(&canonical).map(str::to_owned).collect();
        all.sort_unstable();
        all.dedup();
        let (telling, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|word| is_telling(word));
        let bits = others.iter().fold(0, |bits, word| bits | bit(word));
        Self {
            telling,
            others,
            bits,
        }
    }

    /// Says whether two statements about one thing are one.
    pub(in crate::policy) fn is_alike(&self, other: &Self) -> bool {
        self.telling == other.telling && (self.is_within(other) || other.is_within(self))
    }

    /// Says whether every other word of this one is among those of `whole`.
    pub(in crate::policy) fn is_within(&self, whole: &Self) -> bool {
        if self.bits & !whole.bits != 0 || self.others.len() > whole.others.len() {
            return false;
        }
        let mut rest = whole.others.iter();
        self.others.iter().all(|word| rest.any(|other| other == word))
    }
}

fn bit(word: &str) -> u64 {
    // FNV-1a: words are short, and two with one bit cost no more than a closer look.
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    1 << (hash >> 58)
}

/// The text with every mention of the thing reduced to the words that the thing's own key does not have: a fragment,
/// a port that the scheme implies. Marks around a mention stay, as everywhere in canonical text.
fn without(text: &str, thing: &str) -> String {
    let canonical_thing = canonical(thing);
    let known: HashSet<&str> = canonical_thing.split(' ').collect();
    let mut rest = text.as_bytes().to_vec();
    let mut beyond = String::new();
    for mention in Mention::all(text).filter(|mention| is_of(thing, &mention.key)) {
        let written = canonical(&text[mention.span.clone()]);
        for word in written.split(' ').filter(|word| !known.contains(word)) {
            beyond.push(' ');
            beyond.push_str(word);
        }
        // In place, so that the spans of the later ones hold: they may lie within this one.
        rest[mention.span].fill(b' ');
    }
    let rest = String::from_utf8(rest).expect("because whole characters became spaces");
    rest + &beyond
}

/// Says whether an identity key, `type:url:…` or `type:path:…`, is that of a mention.
fn is_of(thing: &str, mention: &str) -> bool {
    thing
        .strip_suffix(mention)
        .is_some_and(|kind| kind.ends_with(':'))
}
