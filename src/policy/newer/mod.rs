//! The newer one of two memories that may have made the older one outdated. It is a guess, for a note on the older line:
//! nothing is superseded by it. What a person says outright is [`super::corrected`]'s.
//!
//! The signs of a pair are how much both say, what stands in one alone, of what class that is and where it stands. Their
//! weights are learned (`tests/eval/learn.rs`) from pairs that authors labelled.

use std::collections::BTreeSet;

use crate::model::Memory;
use crate::text::{Weights, is_cjk};

static NEWER: Weights = Weights::new(include_str!("newer.tsv"));

/// The weight from which on a note is made.
const OUTDATED: i32 = 250;

/// The most words of a text that are compared.
const MOST_WORDS: usize = 60;

/// Words that carry the sentence.
const CARRIERS: &str =
    " a an and are as at be by do for from has have in is it of on or our so the to was we with ";

/// Words that tell of a change, and words that deny or bound; without the s of a plural, as they are compared.
const CHANGES: &str = " now longer anymore moved switched migrated replaced instead changed dropped gone retired renamed stopped ";
const BOUNDS: &str =
    " no not never don't without stop only alway nicht kein keine nie pas jamai nunca 不 别 勿 안 말 ";

/// A text as it is compared.
struct Words(Vec<Word>);

struct Word {
    /// In lower case, without the s of a plural.
    stem: String,
    /// `n` a number, `i` a name of code, `C` a name, `s` a carrier, `c` a letter of CJK, `w` any other word.
    class: char,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Vec::new();
        let mut rest = text;
        while let (Some(first), true) = (rest.chars().next(), words.len() < MOST_WORDS) {
            let length = match first {
                _ if is_cjk(first) || !first.is_alphanumeric() => first.len_utf8(),
                _ => end_of_word(rest),
            };
            let (word, after) = rest.split_at(length);
            rest = after;
            if first.is_alphanumeric() {
                words.push(Word::of(word, words.is_empty()));
            }
        }
        Self(words)
    }

    /// The stems of the words that carry a fact.
    fn telling(&self) -> Vec<&str> {
        let telling = self.0.iter().filter(|word| word.class != 's');
        telling.map(|word| word.stem.as_str()).collect()
    }
}

/// The end of a word: letters and digits, with marks between them ("1.2", "don't", "a:b").
fn end_of_word(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() && !is_cjk(c);
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let joins = "'’._:".contains(c) && letters.peek().is_some_and(|(_, next)| is_part(*next));
        if !is_part(c) && !joins {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

impl Word {
    fn of(word: &str, is_first: bool) -> Self {
        let lower = word.to_lowercase().replace('’', "'");
        let class = match () {
            () if word.contains(is_cjk) => 'c',
            () if word.contains(char::is_numeric) => 'n',
            () if CARRIERS.contains(&format!(" {lower} ")) => 's',
            () if word.contains(['_', '.']) || word.chars().skip(1).any(char::is_uppercase) => 'i',
            () if !is_first && word.starts_with(char::is_uppercase) => 'C',
            () => 'w',
        };
        let stem = lower.strip_suffix('s').filter(|stem| stem.len() > 2);
        Self {
            stem: stem.unwrap_or(&lower).to_owned(),
            class,
        }
    }
}

/// A memory as it is compared.
pub(super) struct Said<'m> {
    words: Words,
    memory: &'m Memory,
}

impl<'m> Said<'m> {
    /// A memory, by the text of its line.
    pub(super) fn of(memory: &'m Memory, text: &str) -> Self {
        let words = Words::of(text);
        Self { words, memory }
    }
}

/// The memory that may have made the one at a place outdated: of those whose words are later, and that hold wherever it
/// does, the latest. What was said again or verified since is not noted.
pub(super) fn newer(all: &[Said<'_>], at: usize) -> Option<usize> {
    let old = &all[at];
    let (said, again) = (old.memory.affirmed()?, old.memory.reinforced.known());
    let telling = old.words.telling();
    let may_replace = |new: &Said<'_>| {
        let later = new.memory.changed()?;
        let is_later = later > said && again.is_none_or(|again| later > again);
        let is_wide = new.memory.paths.is_empty() || new.memory.paths == old.memory.paths;
        if !is_later || !is_wide {
            return None;
        }
        let mut words = new.words.0.iter();
        let is_near = words.any(|word| word.class != 's' && telling.contains(&word.stem.as_str()));
        (is_near && weigh(&old.words, &new.words) >= OUTDATED).then_some(later)
    };
    let replacing = (0..all.len()).filter_map(|place| Some((may_replace(&all[place])?, place)));
    replacing.max().map(|(_, place)| place)
}

/// Says whether a text that was said later may have made another one outdated.
pub fn outdates(new: &str, old: &str) -> bool {
    weigh(&Words::of(old), &Words::of(new)) >= OUTDATED
}

fn weigh(old: &Words, new: &Words) -> i32 {
    let mut signs = signs(old, new);
    signs.sort_unstable();
    signs.dedup();
    NEWER.weigh(&signs)
}

/// The signs of a pair of texts: what the weights are learned from.
pub fn pair_signs(old: &str, new: &str) -> BTreeSet<String> {
    signs(&Words::of(old), &Words::of(new)).into_iter().collect()
}

/// The signs, some of them more than once.
fn signs(old: &Words, new: &Words) -> Vec<String> {
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) = (stems(old).collect(), stems(new).collect());
    let (old_telling, new_telling) = (old.telling(), new.telling());
    let (of_old, of_new): (BTreeSet<&str>, BTreeSet<&str>) = (
        old_telling.iter().copied().collect(),
        new_telling.iter().copied().collect(),
    );
    let shared = of_old.intersection(&of_new).count();
    let level = format!(
        "{} {}",
        (4 * shared / of_old.len().max(1)).min(3),
        (4 * shared / of_new.len().max(1)).min(3)
    );
    let says = |table: &str, words: &BTreeSet<&str>| {
        u8::from(words.iter().any(|word| table.contains(&format!(" {word} "))))
    };
    let changes = says(CHANGES, &(&after - &before));
    let bounds = format!("{}{}", says(BOUNDS, &before), says(BOUNDS, &after));
    let in_new = old_telling
        .iter()
        .take(2)
        .filter(|word| of_new.contains(*word))
        .count();
    let in_old = new_telling
        .iter()
        .take(2)
        .filter(|word| of_old.contains(*word))
        .count();
    let mut found = vec![
        String::new(),
        format!("level {level}"),
        format!("shared {}", shared.min(5)),
        format!("of old {}", 5 * shared / of_old.len().max(1)),
        format!("of new {}", 5 * shared / of_new.len().max(1)),
        format!("changes {changes}"),
        format!("changes {changes} level {level}"),
        format!("heads {in_new} {in_old} changes {changes}"),
        format!("head of old {in_new}"),
        format!("head of new {in_old}"),
        format!("bounds {bounds}"),
        format!("bounds {bounds} level {level}"),
        format!("longer {}", length_step(old.0.len(), new.0.len())),
    ];
    swaps(old, new, &before, &after, &mut found);
    moves(old, new, &mut found);
    found.extend(after.difference(&before).map(|word| format!("new {word}")));
    found.extend(before.difference(&after).map(|word| format!("old {word}")));
    found.extend(of_old.intersection(&of_new).map(|word| format!("both {word}")));
    let both = |word: &str| before.contains(word);
    let ends = std::iter::once("^").chain(stems(new));
    let pairs = ends.zip(stems(new).chain(["$"]));
    let pairs = pairs.filter(|(one, next)| !(both(one) && both(next)));
    found.extend(pairs.map(|(one, next)| format!("new {one} {next}")));
    found
}

fn stems(words: &Words) -> impl Iterator<Item = &str> {
    words.0.iter().map(|word| word.stem.as_str())
}

/// How much longer the new text is: three steps up and down, of two words each.
fn length_step(old: usize, new: usize) -> i8 {
    let steps = i8::try_from(old.abs_diff(new) / 2).unwrap_or(3).min(3);
    if new < old { -steps } else { steps }
}

/// Of which classes words went and came.
fn swaps(old: &Words, new: &Words, before: &BTreeSet<&str>, after: &BTreeSet<&str>, found: &mut Vec<String>) {
    let count = |words: &Words, beside: &BTreeSet<&str>, class: char| {
        let own = words.0.iter().filter(|word| word.class == class);
        own.filter(|word| !beside.contains(word.stem.as_str()))
            .take(2)
            .count()
    };
    let mut all = vec!["swaps".to_owned()];
    for class in ['n', 'i', 'C', 'w', 'c'] {
        let (went, came) = (count(old, after, class), count(new, before, class));
        found.push(format!("swap {class} {went} {came}"));
        if class != 'w' {
            all.push(format!("{class}{}{}", went.min(1), came.min(1)));
        }
    }
    found.push(all.join(" "));
}

/// Where the texts part, and what stands around: by the longest row of words that both have in the same order.
fn moves(old: &Words, new: &Words, found: &mut Vec<String>) {
    let parted = parted(old, new);
    let number = parted.len().min(3);
    found.push(format!("moves {}", parted.len().min(4)));
    for ([begin, end], [came, to]) in &parted {
        let class = |words: &Words, begin: usize, end: usize| match words.0.get(begin) {
            Some(word) if begin < end => word.class,
            _ => '-',
        };
        let classes: String = [class(old, *begin, *end), class(new, *came, *to)]
            .into_iter()
            .collect();
        let before = begin.checked_sub(1).map_or("^", |at| &old.0[at].stem);
        let behind = old.0.get(*end).map_or("$", |word| &word.stem);
        found.push(format!("move {classes} of {number}"));
        found.push(format!("move at {} of {number}", 3 * begin / old.0.len().max(1)));
        found.push(format!("before {before}"));
        found.push(format!("behind {behind}"));
        if parted.len() == 1 {
            found.push(format!("one {classes} before {before}"));
        }
    }
}

/// The ranges of both texts that differ, in their order.
fn parted(old: &Words, new: &Words) -> Vec<([usize; 2], [usize; 2])> {
    let (old, new): (Vec<&str>, Vec<&str>) = (stems(old).collect(), stems(new).collect());
    // The length of the longest common row behind each pair of places.
    let width = new.len() + 1;
    let mut longest = vec![0_u8; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut begin = (0, 0);
    let mut parted = Vec::new();
    loop {
        let is_same = i < old.len() && j < new.len() && old[i] == new[j];
        let is_end = i == old.len() && j == new.len();
        if (is_same || is_end) && begin != (i, j) {
            parted.push(([begin.0, i], [begin.1, j]));
        }
        match () {
            () if is_end => return parted,
            () if is_same => {
                (i, j) = (i + 1, j + 1);
                begin = (i, j);
            }
            () if j == new.len()
                || i < old.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1] =>
            {
                i += 1;
            }
            () => j += 1,
        }
    }
}
