//! The memory that a user's correction, or a taking back, is about.

use std::collections::HashSet;

use super::retold::facts;
use crate::text::{canonical, is_cjk};

/// The one text that has all words of `object`, which names what no longer holds; `None` where no text has them, or
/// several have. Where `new` only stands beside the old and the object is a single word, which other facts may hold too,
/// at least half of the other words of the text must stand in `new` (a third of the pairs of CJK letters, which hold
/// particles, too); so they must where several texts have the words.
pub fn corrected(object: &str, new: Option<&str>, texts: &[&str]) -> Option<usize> {
    let (object, new) = (canonical(object), new.map(canonical));
    let object = named(&object);
    if object.is_empty() {
        return None;
    }
    let new = new.as_deref().map(facts);
    let canonical: Vec<String> = texts.iter().map(|text| canonical(text)).collect();
    let words: Vec<HashSet<&str>> = canonical.iter().map(|text| facts(text)).collect();
    let all: Vec<usize> = (0..texts.len())
        .filter(|&at| object.is_subset(&words[at]))
        .collect();
    let is_close = |at: &usize| {
        let others = words[*at].difference(&object).filter(|word| is_telling(word));
        let (mut shared, mut count, mut least) = (0, 0, 2);
        for other in others {
            count += 1;
            least = if other.contains(is_cjk) { 3 } else { least };
            shared += usize::from(new.as_ref().is_some_and(|new| new.contains(other)));
        }
        least * shared >= count && (shared > 0 || count == 0)
    };
    let is_plain = new.is_none() || object.len() > 1;
    match all.as_slice() {
        [one] if is_plain || is_close(one) => Some(*one),
        [_] | [] => None,
        several => {
            let mut close = several.iter().filter(|at| is_close(at));
            close.next().filter(|_| close.next().is_none()).copied()
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

/// The words that name the object: a single CJK letter says nothing, unless nothing else is there.
fn named(canonical: &str) -> HashSet<&str> {
    let words = facts(canonical);
    let telling: HashSet<&str> = words.iter().copied().filter(|word| is_telling(word)).collect();
    if telling.is_empty() { words } else { telling }
}

fn is_telling(word: &str) -> bool {
    !word.contains(is_cjk) || word.chars().nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_with_all_words_is_meant() {
        let texts = ["no deploys on Fridays", "we deploy on Thursdays"];
        assert_eq!(corrected("we deploy on thursdays", None, &texts), Some(1));
        assert_eq!(corrected("we deploy", None, &texts), None, "several");
        assert_eq!(corrected("we ship on mondays", None, &texts), None);
        assert_eq!(corrected("it", None, &texts), None, "no word names a thing");
        assert_eq!(
            corrected("한글 주석", None, &["주석은 한글로 단다", "커밋 메시지는 한글"]),
            Some(0)
        );
        assert_eq!(
            corrected("用 tailwind", None, &["樣式用 Tailwind", "圖示用 Lucide"]),
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
        assert_eq!(corrected("spaces", Some(new), &["indent with spaces"]), Some(0));
        assert_eq!(
            corrected("spaces", Some(new), &["file names contain no spaces"]),
            None
        );
        let new = "deploy from `release`, not from `main`";
        assert_eq!(
            corrected(
                "from `main`",
                Some(new),
                &["PRs go to `main`", "deploy from `main`"]
            ),
            Some(1)
        );
        let two = ["deploy from main", "deploy from main at night"];
        assert_eq!(corrected("from main", Some("deploy from release"), &two), None);
    }
}
