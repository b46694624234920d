//! The lines of a section: bullets, types, texts.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::snapshot;
use crate::model::Kind;
use crate::text::pattern;

/// One entry of a section: a line, and the indented lines that go on with it.
pub(super) struct Entry<'t> {
    /// The line as it stands, without white space at its ends.
    pub(super) raw: &'t str,
    /// Without its bullet, with the lines that go on with it.
    pub(super) text: Cow<'t, str>,
}

/// A candidate that names a type of the store.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Candidate<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
}

/// A candidate without a type, or with an unknown one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused<'t> {
    /// The text, as far as it can be told from the type.
    pub(super) text: &'t str,
}

static MARKER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:[-*•+–·]\s*(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+)"));

/// `[type] text`, with or without bold, code or a colon around the type.
static BRACKETED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[*_`]{0,3}\[\s*([^\[\]]{0,60}?)\s*\][*_`]{0,3}:?[*_`]{0,3}\s*"));

/// `type: text`, `**type** — text`, `(type) text`. A count of word characters would take megabytes, and no word that is
/// asked for is long.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^[*_`(（]{0,4}([\w-]+)(?:[)）][:：]?|[*_`]{0,3}\s*(?:[:：]|[—–-]\s))[*_`]{0,3}\s*")
});

/// The words for a section without candidates, without the brackets around them.
const NONE: [&str; 14] = [
    "none",
    "nothing",
    "n/a",
    "no candidates",
    "no memory candidates",
    "none this time",
    "empty",
    "无",
    "無",
    "なし",
    "没有",
    "沒有",
    "없음",
    "keine",
];

/// True when a line says that there are no candidates.
pub(super) fn is_none(line: &str) -> bool {
    let around = |c: char| c.is_whitespace() || "()（）[]*_.。".contains(c);
    let words = unmarked(line).trim_matches(around);
    words.len() <= 40 && NONE.contains(&words.to_lowercase().as_str())
}

/// True when a line begins with a bullet or a number.
pub(super) fn is_marked(line: &str) -> bool {
    !line.starts_with("**") && MARKER.is_match(line)
}

/// The line without white space, bullet or number before it.
pub(super) fn unmarked(line: &str) -> &str {
    let line = line.trim();
    if !is_marked(line) {
        return line;
    }
    MARKER
        .find(line)
        .map_or(line, |marker| line[marker.end()..].trim_start())
}

/// True when a line without a bullet is a candidate all the same: `decision: …`, `[decision] …`.
pub(super) fn is_typed(line: &str) -> bool {
    const USUAL: [&str; 5] = ["feedback", "decision", "project", "reference", "user"];
    let word = LABELLED.captures(line).map(|found| found[1].to_owned());
    BRACKETED.is_match(line) || word.is_some_and(|word| USUAL.contains(&word.as_str()))
}

/// The entries of a section, in order: neither blank lines nor rules, nor `(none)`, nor the snapshot id.
pub(super) fn entries(section: &[String]) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut goes_on = false;
    for line in section {
        let raw = line.trim();
        let rule = raw.len() >= 2 && raw.chars().all(|c| "-=*_".contains(c));
        if raw.is_empty() || rule {
            goes_on = false;
        } else if is_none(raw) || snapshot::is_stated(raw) {
            goes_on = true;
        } else if goes_on && is_continuation(line) {
            if let Some(entry) = entries.last_mut() {
                let text = entry.text.to_mut();
                text.push(' ');
                text.push_str(raw);
            }
        } else {
            let text = unmarked(raw);
            entries.push(Entry {
                raw,
                text: Cow::Borrowed(text),
            });
            goes_on = is_marked(raw);
        }
    }
    entries
}

/// True when a line is the next line of a bullet's paragraph: indented, and no bullet or candidate of its own.
fn is_continuation(line: &str) -> bool {
    let text = line.trim();
    line.starts_with([' ', '\t']) && !is_marked(text) && !is_typed(text)
}

impl<'t> Candidate<'t> {
    /// Reads `[type] text`, `type: text` or `type text`.
    pub(super) fn read(text: &'t str, known_kinds: &[Kind]) -> Result<Self, Refused<'t>> {
        let known = |word: &str| {
            let kind = Kind::new(word);
            known_kinds.contains(&kind).then_some(kind)
        };
        if let Some(found) = BRACKETED.captures(text) {
            let text = text[found[0].len()..].trim();
            return match known(&found[1]) {
                Some(kind) => Ok(Self { kind, text }),
                None => Err(Refused { text }),
            };
        }
        if let Some(found) = LABELLED.captures(text)
            && let Some(kind) = known(&found[1])
        {
            let text = text[found[0].len()..].trim();
            return Ok(Self { kind, text });
        }
        // A bare word is a type only as types are written: "Project goals are …" is a sentence.
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match known(word).filter(|kind| kind.as_str() == word) {
            Some(kind) => Ok(Self {
                kind,
                text: rest.trim(),
            }),
            None => Err(Refused { text }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> Vec<Kind> {
        ["feedback", "decision", "project", "reference"]
            .map(Kind::new)
            .to_vec()
    }

    #[test]
    fn a_type_is_written_in_many_ways() {
        for line in [
            "- [decision] Keep it",
            "* [Decision] Keep it",
            "• [decision]: Keep it",
            "1. [decision] Keep it",
            "-[decision] Keep it",
            "- **[decision]** Keep it",
            "- **decision**: Keep it",
            "- **Decision:** Keep it",
            "- **Decision** — Keep it",
            "- (decision) Keep it",
            "- decision: Keep it",
            "- decision Keep it",
            "- `[decision]` Keep it",
            "[decision] Keep it",
            "decision: Keep it",
            "- [ ] [decision] Keep it",
        ] {
            let kinds = kinds();
            let read = Candidate::read(unmarked(line), &kinds);
            let expected = Candidate {
                kind: Kind::new("decision"),
                text: "Keep it",
            };
            assert_eq!(read, Ok(expected), "{line}");
        }
    }

    #[test]
    fn an_unknown_or_missing_type_is_refused() {
        let kinds = kinds();
        for (line, text) in [
            ("- [idea] Keep it", "Keep it"),
            ("- [] Keep it", "Keep it"),
            ("- Keep it", "Keep it"),
            ("- Project goals are met", "Project goals are met"),
            ("idea: Keep it", "idea: Keep it"),
        ] {
            assert_eq!(
                Candidate::read(unmarked(line), &kinds),
                Err(Refused { text }),
                "{line}"
            );
        }
    }

    #[test]
    fn an_indented_line_goes_on_with_its_bullet() {
        let section = [
            "- [decision] Keep",
            "  it",
            "",
            "  prose",
            "  - b",
            "---",
            "(none)",
            "Memory ref snapshot id: 1",
        ]
        .map(str::to_owned);
        let entries = entries(&section);
        let texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_ref()).collect();
        assert_eq!(texts, ["[decision] Keep it", "prose", "b"]);
        assert_eq!(entries[0].raw, "- [decision] Keep");
    }

    #[test]
    fn none_has_many_words() {
        for line in [
            "(none)",
            "- (none)",
            "None.",
            "- none",
            "（无）",
            "N/A",
            "**none**",
            "없음",
        ] {
            assert!(is_none(line), "{line}");
        }
        assert!(!is_none("- none of the workers may block"));
    }
}
