//! The memory that a user's correction, or a taking back, is about.

use std::collections::HashSet;

use super::assertion::Assertion;
use super::retold::facts;
use crate::text::{canonical, is_cjk};

/// Words before a thing that a text says to use.
const USED: [&str; 16] = [
    "use", "uses", "using", "with", "via", "on", "in", "through", "is", "are", "用", "使用", "は", "是",
    "은", "는",
];

/// Words of a text that says what to use.
const USES: [&str; 9] = [
    "use",
    "using",
    "instead of",
    "用",
    "使",
    "代わり",
    "쓰",
    "써",
    "대신",
];

/// The way in which a person says that something no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLonger<'a> {
    /// It is taken back, and nothing takes its place.
    TakenBack,
    /// It is gone; this text says so, and says what there is instead.
    Denied(&'a str),
    /// This text says something else, and only puts the old beside it.
    Contrasted(&'a str),
}

/// The one text that has all words of `object`, which names what no longer holds; `None` where no text has them, or
/// several have, or where more than that would be lost with the text ([`Assertion`]). Where the new text only stands
/// beside the old and the object is a single word, which other facts may hold too, a third of the other words of the
/// text must stand in the new one, or both must be about what is used; and where several texts have the words, no other
/// may share half as many words with the new one.
pub fn corrected(object: &str, how: NoLonger<'_>, texts: &[&str]) -> Option<usize> {
    let said = match how {
        NoLonger::TakenBack => None,
        NoLonger::Denied(new) | NoLonger::Contrasted(new) => Some(canonical(new)),
    };
    let at = named_text(object, how, texts)?;
    let object = canonical(object);
    let assertion = Assertion::of(texts[at]);
    let is_free = if let Some(new) = said {
        assertion.is_replaced(&named(&object), &facts(&new))
    } else {
        let text = canonical(texts[at]);
        let is_used = named(&object).iter().all(|word| uses_word(&text, word));
        assertion.says_only(&object, is_used)
    };
    is_free.then_some(at)
}

/// The one text that `object` names, whatever it says of that.
fn named_text(object: &str, how: NoLonger<'_>, texts: &[&str]) -> Option<usize> {
    let new = match how {
        NoLonger::Contrasted(new) => Some(canonical(new)),
        NoLonger::TakenBack | NoLonger::Denied(_) => None,
    };
    let object = canonical(object);
    let object = named(&object);
    if object.is_empty() {
        return None;
    }
    let said = new.as_deref().map(facts);
    let canonical: Vec<String> = texts.iter().map(|text| canonical(text)).collect();
    let words: Vec<HashSet<&str>> = canonical.iter().map(|text| facts(text)).collect();
    let all: Vec<usize> = (0..texts.len())
        .filter(|&at| object.is_subset(&words[at]))
        .collect();
    // The number of the other words of a text, and of those of them that stand in the new one.
    let others = |at: usize| {
        let others = words[at].difference(&object).filter(|word| is_telling(word));
        others.fold((0, 0), |(count, shared), word| {
            let is_shared = said.as_ref().is_some_and(|said| said.contains(word));
            (count + 1, shared + usize::from(is_shared))
        })
    };
    let shared = |at: usize| match others(at) {
        (0, _) => usize::MAX,
        (_, shared) => shared,
    };
    let is_close = |at: usize| shared(at) > 0 && 3 * others(at).1 >= others(at).0;
    let is_plain = new.is_none() || object.len() > 1;
    let is_used = |at: usize| {
        let uses = new
            .as_ref()
            .is_some_and(|new| USES.iter().any(|verb| new.contains(verb)));
        uses && object.iter().all(|word| uses_word(&canonical[at], word))
    };
    match all.as_slice() {
        &[one] => (is_plain || is_close(one) || is_used(one)).then_some(one),
        several => {
            let best = several.iter().copied().max_by_key(|&at| shared(at))?;
            let is_far = |&at: &usize| at == best || shared(at) < shared(best).div_ceil(2);
            (is_close(best) && several.iter().all(is_far)).then_some(best)
        }
    }
}

/// The texts that share words with `object`, those with the most of them first, and no more than `most`.
pub fn resembling(object: &str, texts: &[&str], most: usize) -> Vec<usize> {
    let object = canonical(object);
    let object = named(&object);
    let canonical: Vec<String> = texts.iter().map(|text| canonical(text)).collect();
    let shared = canonical
        .iter()
        .map(|text| facts(text).intersection(&object).count());
    let mut alike: Vec<(usize, usize)> = shared.enumerate().filter(|(_, shared)| *shared > 0).collect();
    alike.sort_by_key(|&(at, shared)| (std::cmp::Reverse(shared), at));
    alike.into_iter().take(most).map(|(at, _)| at).collect()
}

/// True when a text names a word as the thing that is used.
fn uses_word(canonical: &str, word: &str) -> bool {
    canonical.match_indices(word).any(|(at, _)| {
        let before = canonical[..at].trim_end_matches(' ');
        let last = before.rsplit(' ').next().unwrap_or_default();
        USED.iter()
            .any(|verb| last == *verb || (!verb.is_ascii() && last.ends_with(verb)))
    })
}

/// The words that name the object: a single CJK letter says nothing, unless nothing else is there.
fn named(canonical: &str) -> HashSet<&str> {
    let words = facts(canonical);
    let telling: HashSet<&str> = words.iter().copied().filter(|word| is_telling(word)).collect();
    if telling.is_empty() { words } else { telling }
}

/// True for a word that names a thing, not for a letter of CJK or a pair with a particle in it.
pub(super) fn is_telling(word: &str) -> bool {
    let is_particle = |c| "はがをにのでと은는을를是的".contains(c);
    !word.contains(is_cjk) || (word.chars().nth(1).is_some() && !word.contains(is_particle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_with_all_words_is_meant() {
        let texts = ["no deploys on Fridays", "we deploy on Thursdays"];
        assert_eq!(
            corrected("we deploy on thursdays", NoLonger::TakenBack, &texts),
            Some(1)
        );
        assert_eq!(
            corrected("we deploy", NoLonger::TakenBack, &texts),
            None,
            "several"
        );
        assert_eq!(corrected("we ship on mondays", NoLonger::TakenBack, &texts), None);
        assert_eq!(
            corrected("it", NoLonger::TakenBack, &texts),
            None,
            "no word names a thing"
        );
        assert_eq!(
            corrected(
                "한글 주석",
                NoLonger::TakenBack,
                &["주석은 한글로 단다", "커밋 메시지는 한글"]
            ),
            Some(0)
        );
        assert_eq!(
            corrected(
                "用 tailwind",
                NoLonger::TakenBack,
                &["樣式用 Tailwind", "圖示用 Lucide"]
            ),
            Some(0)
        );
    }

    #[test]
    fn those_with_the_most_words_resemble_it_most() {
        let texts = [
            "deploys run at night",
            "the linter is clippy",
            "no deploys on Fridays",
        ];
        assert_eq!(resembling("deploys on fridays", &texts, 5), [2, 0]);
        assert_eq!(resembling("deploys on fridays", &texts, 1), [2]);
        assert_eq!(resembling("the parser", &texts, 5), Vec::<usize>::new());
        assert_eq!(resembling("", &texts, 5), Vec::<usize>::new());
    }

    #[test]
    fn a_single_word_needs_more_than_itself() {
        let new = "we indent with tabs now, not spaces";
        assert_eq!(
            corrected("spaces", NoLonger::Contrasted(new), &["indent with spaces"]),
            Some(0)
        );
        assert_eq!(
            corrected(
                "spaces",
                NoLonger::Contrasted(new),
                &["file names contain no spaces"]
            ),
            None
        );
        let new = "deploy from `release`, not from `main`";
        assert_eq!(
            corrected(
                "from `main`",
                NoLonger::Contrasted(new),
                &["PRs go to `main`", "deploy from `main`"]
            ),
            Some(1)
        );
        let new = "use bun, not pnpm";
        let used = ["use pnpm for installs and scripts"];
        assert_eq!(
            corrected("pnpm", NoLonger::Contrasted(new), &used),
            Some(0),
            "both say what is used"
        );
        assert_eq!(
            corrected("pnpm", NoLonger::Contrasted(new), &["the pnpm store is shared"]),
            None
        );
        let two = ["deploy from main", "deploy from main at night"];
        assert_eq!(
            corrected("from main", NoLonger::Contrasted("deploy from release"), &two),
            None
        );
    }
}
