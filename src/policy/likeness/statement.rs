//! The statement of a fact about the thing that gives it its identity.

use crate::model::Content;
use crate::policy::Keys;
use crate::policy::identity::Mention;
use crate::text::wording;

/// Stands for the thing in the wording of a statement.
const THING: char = '\u{fffc}';

/// Words that say no more than their absence.
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// Words before the place.
const BEFORE: [&str; 3] = ["in", "of", "for"];
const THIS: [&str; 3] = ["this", "the", "our"];

/// The place that every memory of a store is about.
const PLACE: [&str; 5] = ["workspace", "project", "repo", "repository", "codebase"];

/// Words for documents, of which the thing itself says which they are.
const DOCUMENTS: [&str; 3] = ["docs", "documentation", "reference"];

/// A fact in its wording, with the thing wherever it is named and without the words that say no more than their absence.
/// Every other word counts, and so does the order: a negation, a condition or an exception is a word more in any
/// language, and those who do and to whom it is done are told apart by where they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct Statement {
    /// The wording.
    pub(in crate::policy) said: Vec<String>,
    /// The fragments with which the thing, a URL, is named.
    pub(in crate::policy) fragments: Vec<String>,
}

impl Statement {
    /// The statement of a fact with these keys; `None` for a memory without a thing.
    pub(in crate::policy) fn new(keys: &Keys, content: &Content) -> Option<Self> {
        let thing = keys.thing()?;
        let text = content.keyed_text();
        let mut rest = text.to_owned();
        let mut fragments = Vec::new();
        let mut mentions: Vec<Mention> = Mention::all(text)
            .filter(|mention| is_of(thing, &mention.key))
            .collect();
        mentions.sort_by_key(|mention| std::cmp::Reverse(mention.span.start));
        let mut from = text.len();
        for Mention { span, .. } in mentions {
            // A path in quotes is found with its quotes and without.
            if span.end > from {
                continue;
            }
            let fragment = text[span.clone()]
                .split_once('#')
                .map(|(_, fragment)| fragment.to_owned());
            fragments.extend(fragment.filter(|_| thing.contains(":url:")));
            let (before, after) = (&text[..span.start], &text[span.end..]);
            let in_ticks = before.ends_with('`') && after.starts_with('`') && !before.ends_with("``");
            let ticks = usize::from(in_ticks);
            let clings = after[ticks..].starts_with(char::is_alphanumeric);
            from = span.start - ticks;
            let stands = format!(" {THING}{}", if clings { " " } else { "" });
            rest.replace_range(from..span.end + ticks, &stands);
        }
        let said = telling(wording(&rest));
        Some(Self { said, fragments })
    }

    /// A number of the wording, the same on every machine (FNV-1a). Two wordings may share it.
    pub(in crate::policy) fn number(&self) -> u64 {
        let bytes = self.said.iter().flat_map(|word| word.bytes().chain([0]));
        bytes.fold(0xcbf2_9ce4_8422_2325, |number: u64, byte| {
            (number ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    }

    /// Says whether two statements about one thing are one: a fragment more is no difference.
    pub(in crate::policy) fn is_alike(&self, other: &Self) -> bool {
        let is_plain = self.fragments.is_empty() || other.fragments.is_empty();
        self.said == other.said && (is_plain || self.fragments == other.fragments)
    }
}

/// The words without those that say no more than their absence.
fn telling(words: Vec<String>) -> Vec<String> {
    let mut telling: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let is_after = |telling: &[String], words: &[&str]| {
            telling.last().is_some_and(|last| words.contains(&last.as_str()))
        };
        if DOCUMENTS.contains(&word.as_str()) && is_after(&telling, &["api"]) {
            telling.pop();
        }
        if PLACE.contains(&word.as_str()) {
            let named = telling.len() - usize::from(is_after(&telling, &THIS));
            if is_after(&telling[..named], &BEFORE) {
                telling.truncate(named - 1);
                continue;
            }
        }
        telling.push(word);
    }
    telling.retain(|word| !ARTICLES.contains(&word.as_str()));
    telling
}

/// Says whether an identity key, `type:url:…` or `type:path:…`, is that of a mention.
fn is_of(thing: &str, mention: &str) -> bool {
    thing
        .strip_suffix(mention)
        .is_some_and(|kind| kind.ends_with(':'))
}
