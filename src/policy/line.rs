//! The line of a ranked memory in the prompt: one line, whatever its file holds.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::days;
use super::holds_for;
use super::rules::Rules;
use crate::model::{Content, Gone, Memory, Source, Timestamp};
use crate::text::{escapes, is_line_break, strays, without_strays};

const TEXT_CHARS: usize = 260;
const RATIONALE_CHARS: usize = 180;

/// The note at the end of each line (`render.notes`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineNotes {
    /// The day of the words, and their origin.
    #[default]
    #[serde(alias = "month")]
    Date,
    /// No note but the days of a memory that is to be verified.
    Off,
}

/// The parts of a line, each without anything that could end the line; `render` puts the words around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The files that it holds for, where that is not all of them.
    pub files: Option<String>,
    /// A fact's text, a note's description: at most 260 characters, not trimmed after the cut.
    pub text: String,
    /// The path at which to read on, for a note.
    pub path: Option<String>,
    /// A fact's reason, at most 180 characters.
    pub why: Option<String>,
    /// Whole days since `created`, when that is more than `stale_after`.
    pub days_old: Option<i64>,
    /// The origin; `None` where `render.notes` is off.
    pub origin: Option<Source>,
    /// The day on which the words were last changed, as `2026-10-31` in UTC; `None` where nobody knows, or where
    /// `render.notes` is off.
    pub date: Option<String>,
    /// The paths that it cites and the workspace no longer has: the first two, each with the name that it seems to have now.
    pub gone: Vec<(String, Option<String>)>,
    /// The first words of a newer line that may have made this one outdated.
    pub newer: Option<String>,
}

/// The most that a line says of what is gone, and the characters of each.
const MOST_GONE: usize = 2;
const GONE_CHARS: usize = 80;
/// The characters that a line names a newer one by.
const NEWER_CHARS: usize = 60;

/// What is gone, as a line says it.
pub fn said_of(gone: &[Gone]) -> Vec<(String, Option<String>)> {
    let said = |path: &str| cut(path, GONE_CHARS);
    let gone = gone.iter().take(MOST_GONE);
    gone.map(|gone| (said(&gone.cited.to_string()), gone.now.as_deref().map(said)))
        .collect()
}

impl Line {
    /// The words by which another line names this one, in brackets.
    pub(super) fn name(&self) -> String {
        let text = self.text.trim_end().replace('[', "(").replace(']', ")");
        let mut name = cut(&text, NEWER_CHARS);
        if name.len() < text.len() {
            // At a word's end, where that leaves most of it.
            let end = name.rfind(' ').filter(|end| *end > name.len() / 2);
            name.truncate(end.unwrap_or(name.len()));
            name.push_str(" …");
        }
        name
    }

    /// The line of a memory at `now`. A fact without a word is shown as a note is, by its title.
    pub fn new(memory: &Memory, now: Timestamp, rules: &Rules) -> Self {
        let days_old = days_old(memory, now, rules);
        let origin = (rules.render.notes == LineNotes::Date).then_some(memory.source);
        let said = origin.and(memory.updated.or(memory.created).known());
        let date = said.map(|time| time.to_utc().format("%Y-%m-%d").to_string());
        match &memory.content {
            Content::Fact { text, rationale } if !text.trim().is_empty() => Self {
                files: holds_for(memory),
                text: cut(text, TEXT_CHARS),
                path: None,
                why: rationale.as_deref().map(|why| cut(why, RATIONALE_CHARS)),
                days_old,
                origin,
                date,
                gone: Vec::new(),
                newer: None,
            },
            Content::Fact { .. } | Content::Note { .. } => {
                let hook = memory.hook();
                let text = if hook.is_empty() { memory.title() } else { &hook };
                Self {
                    files: holds_for(memory),
                    text: cut(text, TEXT_CHARS),
                    path: Some(plain(memory.path.as_str()).collect()),
                    why: None,
                    days_old,
                    origin,
                    date,
                    gone: Vec::new(),
                    newer: None,
                }
            }
        }
    }
}

/// The characters of a text with nothing among them that could end a line, turn its order around, or say what nobody
/// sees: line breaks, control characters and the line and paragraph separators each become a space, CR LF one for both;
/// [`strays`] and [`escapes`] are taken out.
pub fn plain(text: &str) -> impl Iterator<Item = char> {
    let mut previous = '\0';
    let mut strays = strays(text).map(|(at, _)| at).peekable();
    let mut escapes = escapes(text).peekable();
    text.char_indices().filter_map(move |(at, c)| {
        let second_half = previous == '\r' && c == '\n';
        previous = c;
        while escapes.next_if(|escape| escape.end <= at).is_some() {}
        let in_escape = escapes.peek().is_some_and(|escape| escape.start <= at);
        if strays.next_if_eq(&at).is_some() || second_half || in_escape {
            None
        } else if c.is_control() || is_line_break(c) {
            Some(' ')
        } else {
            Some(c)
        }
    })
}

/// The [`plain`] text; borrowed where it is the text, as nearly every line is.
pub fn as_plain(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(plain(text).collect())
}

/// Says whether nothing but letters, digits, signs and spaces of ASCII is there.
fn is_plain(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The first `chars` characters of the [`plain`] text, without a joiner or tags of a flag at the cut.
pub fn cut(text: &str, chars: usize) -> String {
    let first = text.len().min(chars);
    if is_plain(&text.as_bytes()[..first]) {
        return text[..first].to_owned();
    }
    let shown: String = plain(text).take(chars).collect();
    without_strays(&shown).into_owned()
}

/// Whole days since the memory was made or verified, when they are more than its file, else its type, allows unverified.
fn days_old(memory: &Memory, now: Timestamp, rules: &Rules) -> Option<i64> {
    let of_type = || rules.type_rule(&memory.kind).map_or(0, |rule| rule.stale_after);
    let stale_after = i64::from(memory.stale_after.unwrap_or_else(of_type));
    let since = memory.verified.known().max(Some(memory.created_or(now)));
    let age = days::whole(now.millis_since(since.unwrap_or(now)));
    (stale_after > 0 && age > stale_after).then_some(age)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Kind, Moment};
    use crate::policy::fixture::{NOW, days_ago, decision};

    fn line(memory: &Memory) -> Line {
        Line::new(memory, NOW, &Rules::default())
    }

    fn fact(text: &str, rationale: Option<&str>) -> Memory {
        Memory {
            content: Content::Fact {
                text: text.into(),
                rationale: rationale.map(Into::into),
            },
            ..decision()
        }
    }

    #[test]
    fn a_text_is_cut_by_characters_and_not_trimmed() {
        let text = format!("{} tail", "界".repeat(259));
        let line = line(&fact(&text, Some(&"w".repeat(200))));
        assert_eq!(line.text, format!("{} ", "界".repeat(259)));
        assert_eq!(line.why.unwrap().len(), 180);
    }

    #[test]
    fn a_cut_leaves_no_part_of_a_flag() {
        let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}";
        for (before, end) in [(253, flag), (254, "\u{1f3f4}"), (260, "")] {
            let line = line(&fact(&format!("{}{flag}", "w".repeat(before)), None));
            assert_eq!(line.text, format!("{}{end}", "w".repeat(before)));
        }
    }

    #[test]
    fn nothing_ends_the_line() {
        let line = line(&fact(
            "a\r\nb\nc\rd\u{2028}e\u{2029}f\u{85}g\u{0}h\u{202e}i\u{2066}j\tk\u{e0041}\u{200d}l",
            None,
        ));
        assert_eq!(line.text, "a b c d e f g hij kl");
    }

    #[test]
    fn a_note_shows_its_description_and_its_path() {
        let mut note = fact("", None);
        note.content = Content::Note {
            body: "one\n\ntwo".into(),
        };
        assert_eq!(
            (line(&note).text.as_str(), line(&note).path.as_deref()),
            ("one two", Some("decision/a.md"))
        );
        note.heading = Some("Database port:".into());
        note.content = Content::Note {
            body: "# Database port:\n\nThe port of\npostgres is 5433.".into(),
        };
        assert_eq!(line(&note).text, "Database port: The port of postgres is 5433.");
        note.content = Content::Note {
            body: "# Database port:\n\n## Local".into(),
        };
        assert_eq!(line(&note).text, "Database port:");
        note.description = Some("How we\ndeploy".into());
        assert_eq!(line(&note).text, "How we deploy");
    }

    #[test]
    fn a_fact_without_a_word_shows_its_title() {
        let empty = line(&fact(" \n", None));
        assert_eq!((empty.text.as_str(), empty.path.is_some()), ("a", true));
    }

    #[test]
    fn it_is_old_after_more_than_the_days_of_its_type() {
        let aged = |days, stale_after| {
            let created = days_ago(days);
            line(&Memory {
                created,
                stale_after,
                ..decision()
            })
            .days_old
        };
        assert_eq!((aged(45, None), aged(46, None)), (None, Some(46)));
        assert_eq!((aged(11, Some(10)), aged(4000, Some(0))), (Some(11), None));
        assert_eq!(aged(-3, Some(1)), None);
    }

    #[test]
    fn a_note_says_the_day_of_the_words_and_waits_for_nothing() {
        let date = |memory: &Memory| line(memory).date;
        let mut memory = decision();
        assert_eq!(date(&memory), None);
        memory.created = days_ago(45);
        assert_eq!(date(&memory).as_deref(), Some("2026-05-01"));
        memory.updated = days_ago(1);
        assert_eq!(date(&memory).as_deref(), Some("2026-06-14"));
        let later = Timestamp::from_millis(NOW.as_millis() + 86_400_000 * 30);
        let waited = Line::new(&memory, later, &Rules::default());
        assert_eq!(
            (waited.date, waited.origin),
            (date(&memory), Some(Source::Explicit))
        );
        memory.updated = Moment::Unreadable;
        assert_eq!(date(&memory), None);
        let mut rules = Rules::default();
        rules.render.notes = LineNotes::Off;
        memory.updated = days_ago(1);
        let line = Line::new(&memory, NOW, &rules);
        assert_eq!((line.date, line.origin), (None, None));
    }

    #[test]
    fn what_cannot_be_read_or_known_is_not_old() {
        let mut memory = decision();
        memory.created = Moment::Unreadable;
        assert_eq!(line(&memory).days_old, None);
        memory.created = days_ago(4000);
        memory.kind = Kind::new("recipe");
        assert_eq!(line(&memory).days_old, None);
    }

    proptest! {
        #[test]
        fn a_plain_text_is_itself_and_is_cut_as_any_other(
            text in "[a-zA-Z \\[\\]~\n\r\t\u{1b}\u{7f}\u{80}\u{200b}\u{2028}\u{e0041}\u{1f3f4}é界]{0,12}",
            chars in 0..14_usize,
        ) {
            prop_assert_eq!(as_plain(&text), plain(&text).collect::<String>());
            let shown: String = plain(&text).take(chars).collect();
            prop_assert_eq!(cut(&text, chars), without_strays(&shown));
        }
    }
}
