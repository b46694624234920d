//! The assertion of a text about an object, and what else it says: a text goes out of force only where nothing else is lost.

use std::collections::HashSet;

use super::retold::facts;
use super::reversal::{is_conditional, is_reversed, reverses};
use crate::text::{canonical, is_cjk};

/// Verbs and other words that only say that a thing is used or is there.
const FRAME: [&str; 9] = [
    "use", "used", "using", "now", "any", "more", "run", "runs", "need",
];

/// Words between which a text goes on to another thing.
const JOINTS: [&str; 15] = [
    "and",
    "or",
    "then",
    "but",
    "plus",
    "und",
    "oder",
    "et",
    "ou",
    "y",
    "и",
    "или",
    "그리고",
    "및",
    "또는",
];

/// Words with which a clause begins that puts something beside what was said.
const CONTRASTS: [&str; 10] = [
    "not",
    "never",
    "instead",
    "rather",
    "over",
    "statt",
    "вместо",
    "zamiast",
    "istället",
    "invece",
];

/// Ends of a clause of Japanese or Korean that puts something aside, and marks and letters that join.
const ENDS: [&str; 14] = [
    "ではなく",
    "じゃなく",
    "の代わりに",
    " 말고 ",
    " 대신 ",
    "와 ",
    "과 ",
    "랑 ",
    "이고 ",
    "、",
    "，",
    "；",
    "。",
    "\n",
];

/// Letters of Chinese that join two things.
const LETTERS: [char; 6] = ['和', '与', '與', '及', '或', '跟'];

/// The weight of a word: one between spaces is two, a pair of CJK letters one.
const WORD: usize = 2;

/// The weight of what may stand in a text besides the words of its object, where several words or its role tell that
/// the text is about it; and where a single word tells only that both hold that word.
const MOST_BESIDE: usize = 4 * WORD;
const MOST_BESIDE_A_WORD: usize = WORD;

/// A part of a text: a clause, or a thing of a list.
struct Part {
    /// Its canonical text.
    text: String,
    is_reversed: bool,
}

/// A text, in its parts.
pub(super) struct Assertion {
    canonical: String,
    parts: Vec<Part>,
}

impl Assertion {
    pub(super) fn of(text: &str) -> Self {
        let parts = parts(text).into_iter().map(|text| {
            let is_reversed = is_reversed(&text);
            Part { text, is_reversed }
        });
        Self {
            canonical: canonical(text),
            parts: parts.collect(),
        }
    }

    /// Says whether the text says of `object`, a canonical text, what the object says, and nothing else that
    /// would be lost. `is_about`: its role tells that the text is about it.
    pub(super) fn says_only(&self, object: &str, is_about: bool) -> bool {
        let named = facts(object);
        let beside: HashSet<&str> = telling(&self.canonical).difference(&named).copied().collect();
        let is_turned = is_reversed(&self.canonical);
        if beside.is_empty() {
            return is_turned == is_reversed(object);
        }
        let is_sure = is_about || telling(object).len() > 1;
        let most = if is_sure { MOST_BESIDE } else { MOST_BESIDE_A_WORD };
        let is_bound = is_conditional(&self.canonical);
        let weight: usize = beside.iter().map(|word| weight(word)).sum();
        !is_turned
            && !is_bound
            && !is_reversed(object)
            && weight <= most
            && !self.says_more(&named, &HashSet::new())
    }

    /// Says whether the text asserts of `object` what the words of a `new` text replace, and nothing that they leave out.
    pub(super) fn is_replaced(&self, object: &HashSet<&str>, new: &HashSet<&str>) -> bool {
        if self.parts.iter().all(|part| !part.is_reversed) {
            return !self.says_more(object, new);
        }
        let (denied, asserted): (Vec<&Part>, Vec<&Part>) =
            self.parts.iter().partition(|part| part.is_reversed);
        let is_said = |word: &&str| object.contains(word) || new.contains(word);
        let is_there = asserted.iter().any(|part| object.is_subset(&facts(&part.text)));
        is_there
            && denied.iter().all(|part| telling(&part.text).iter().all(&is_said))
            && !self.says_more(object, new)
    }

    /// Says whether a part without the object tells something of its own: two words or more that `new` does not hold, or
    /// another thing of the list in which the object stands.
    fn says_more(&self, object: &HashSet<&str>, new: &HashSet<&str>) -> bool {
        let is_asserted = |part: &Part| !part.is_reversed;
        let has_it = |text: &str| facts(text).iter().any(|word| object.contains(word));
        let of_its_own = |part: &Part| {
            let own = telling(&part.text);
            let count = own.iter().filter(|word| !new.contains(*word));
            !has_it(&part.text) && count.map(|word| weight(word)).sum::<usize>() >= 2 * WORD
        };
        let is_thing = |part: &Part| {
            let words = telling(&part.text);
            words.len() == 1 && !words.iter().all(|word| new.contains(word))
        };
        let is_listed = |two: &[Part]| {
            let (left, right) = (&two[0], &two[1]);
            let last = left.text.rsplit(' ').next().unwrap_or_default();
            let first = right.text.split(' ').next().unwrap_or_default();
            let beside = |edge: &str, other: &Part| has_it(edge) && is_thing(other) && !has_it(&other.text);
            is_asserted(left) && is_asserted(right) && (beside(last, right) || beside(first, left))
        };
        let mut asserted = self.parts.iter().filter(|part| is_asserted(part));
        asserted.any(of_its_own) || self.parts.windows(2).any(is_listed)
    }
}

fn weight(word: &str) -> usize {
    if word.contains(is_cjk) { 1 } else { WORD }
}

/// The words that tell something: no frame, no word that turns something round, no single letter or particle of CJK.
fn telling(canonical: &str) -> HashSet<&str> {
    let is_telling = |word: &&str| {
        let is_framed = FRAME.contains(word) || reverses(word);
        !is_framed && super::corrected::is_telling(word)
    };
    facts(canonical).into_iter().filter(is_telling).collect()
}

/// The parts of a text, as canonical texts.
fn parts(text: &str) -> Vec<String> {
    let mut parted = text.to_owned();
    for end in ENDS {
        parted = parted.replace(end, &format!("{end}\u{1}"));
    }
    let mut parts = Vec::new();
    for segment in segments(&parted) {
        let canonical = canonical(&segment);
        let mut part: Vec<&str> = Vec::new();
        for word in canonical.split(' ') {
            let is_joint = JOINTS.contains(&word);
            if is_joint || CONTRASTS.contains(&word) {
                parts.push(part.join(" "));
                part.clear();
            }
            if !is_joint {
                part.push(word);
            }
        }
        parts.push(part.join(" "));
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The segments of a text between the marks of its sentences, joining letters of Chinese, and と and や between names.
fn segments(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let is_name = |c: Option<&char>| {
        c.is_some_and(|c| {
            c.is_ascii_alphanumeric() || matches!(c, '\u{30a1}'..='\u{30fc}' | '\u{4e00}'..='\u{9fff}')
        })
    };
    let mut segments = vec![String::new()];
    for (at, &c) in chars.iter().enumerate() {
        let after = chars.get(at + 1);
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let ends = after.is_none_or(|c| c.is_whitespace() || is_cjk(*c));
        let parts = match c {
            '\u{1}' => true,
            ',' | ';' | '.' | '!' | '?' => ends,
            'と' | 'や' => is_name(before) && is_name(after),
            c => LETTERS.contains(&c),
        };
        if parts {
            segments.push(String::new());
        } else if let Some(last) = segments.last_mut() {
            last.push(c);
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says_only(object: &str, text: &str) -> bool {
        Assertion::of(text).says_only(&canonical(object), true)
    }

    #[test]
    fn a_text_is_parted_at_its_clauses_and_things() {
        for (text, wanted) in [
            ("Use pnpm, never npm", &["use pnpm", "never npm"][..]),
            ("Use spaces instead of tabs", &["use spaces", "instead of tabs"]),
            ("Docker and a running Redis", &["docker", "a running redis"]),
            (
                "测试需要 Docker、Postgres 和 Redis",
                &["测试需要 docker", "postgres", "redis"],
            ),
            ("npmではなくpnpmを使う", &["npmではなく", "pnpmを使う"]),
            (
                "テストにはDockerとRedisが必要",
                &["テストにはdocker", "redisが必要"],
            ),
            ("Docker와 Redis", &["docker와", "redis"]),
            ("Version 1.5 is used", &["version 1 5 is used"]),
        ] {
            assert_eq!(parts(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_denied_bound_or_one_of_several_is_not_said_alone() {
        assert!(says_only("redis", "Use Redis for the job queue"));
        assert!(says_only("never push to main", "Never push to main"));
        assert!(says_only(
            "tests need docker and redis",
            "Tests need Docker and Redis"
        ));
        for (object, text) in [
            ("npm", "Never use npm"),
            ("push to main", "Never push to main"),
            ("redis", "If Redis is down, the queue waits"),
            ("redis", "Tests need Docker and Redis"),
            ("vue", "The backend is in Go, the frontend uses Vue"),
            ("npm", "We moved from npm to pnpm"),
            (
                "npm",
                "Use npm to install the tools that the release job of the desktop app asks for",
            ),
        ] {
            assert!(!says_only(object, text), "{object} / {text}");
        }
    }
}
