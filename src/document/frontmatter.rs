//! Tells by the first lines of a file whether they are a frontmatter, a broken one, or a horizontal rule and text.
//!
//! The places of the parts of a file: byte order mark, fences, frontmatter, body.

use std::ops::Range;

use super::entries::{is_trivia, key_of};
use super::fields::Key;
use super::lines::{Line, is_blank, line_number, lines};
use super::yaml;
use super::yaml::{Pairs, YamlError};

/// A file in its two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    /// The keys.
    pub(super) front: Front,
    /// The offset at which the body begins.
    pub(super) body: usize,
}

/// The upper part. Ranges are those of the lines between the fences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Front {
    /// The whole file is body.
    Absent,
    /// A mapping, perhaps an empty one.
    Mapping { inner: Range<usize>, pairs: Pairs },
    /// Keys, but YAML refuses them, or they stand between other fences than its; the error counts the lines of the
    /// file.
    Broken { inner: Range<usize>, error: YamlError },
    /// Keys, and no line of `---` after them.
    Unclosed { inner: Range<usize> },
    /// Meant as a mapping, and not even lines of keys.
    Hopeless { inner: Range<usize>, error: YamlError },
}

/// Divides a file. A rule as its first line, or the first behind blank ones, opens a frontmatter only when what follows is
/// one: between two rules a mapping, or lines of keys; after a single rule, a first line with a key of mdmem's.
pub(super) fn divide(text: &str, layout: &Layout) -> Parts {
    let absent = Parts {
        front: Front::Absent,
        body: layout.start,
    };
    match layout.fences.clone() {
        Fences::None => absent,
        Fences::Unclosed { inner } => unclosed(text, inner).unwrap_or(absent),
        Fences::Closed { inner, body } => {
            let front = if layout.is_toml {
                toml(text, inner)
            } else {
                between(text, inner)
            };
            front.map_or(absent, |front| Parts { front, body })
        }
    }
}

/// The keys between two fences; `None` where there is a paragraph.
fn between(text: &str, inner: Range<usize>) -> Option<Front> {
    match yaml::read(&text[inner.clone()]) {
        Ok(Some(pairs)) => Some(Front::Mapping { inner, pairs }),
        Ok(None) => glued(text, &inner).map(|error| Front::Broken { inner, error }),
        Err(error) => {
            // The lines above are lines of the file, and not of the YAML.
            let above = line_number(text, inner.start) - 1;
            let error = YamlError {
                line: error.line.saturating_add(above),
                ..error
            };
            if has_keys(text, inner.clone()) {
                Some(Front::Broken { inner, error })
            } else {
                let is_flow = text[inner.clone()].trim_start().starts_with('{');
                is_flow.then_some(Front::Hopeless { inner, error })
            }
        }
    }
}

/// The fault of TOML between two lines of `+++`; `None` where there is none.
fn toml(text: &str, inner: Range<usize>) -> Option<Front> {
    lines(text, inner.clone()).find(|line| line.of(text).contains('='))?;
    let error = YamlError {
        line: 1,
        column: 1,
        message: "there is TOML between lines of `+++`".to_owned(),
    };
    Some(Front::Broken { inner, error })
}

/// The fault of lines that are all `key:value`, one of them with a key of mdmem's: to YAML they are one sentence.
fn glued(text: &str, inner: &Range<usize>) -> Option<YamlError> {
    let told = || lines(text, inner.clone()).filter(|line| !is_trivia(line.of(text)));
    let is_glued = |line: &Line| glued_key(line.of(text)).is_some();
    let is_known = |line: &Line| glued_key(line.of(text)).is_some_and(|(key, _)| Key::parse(key).is_some());
    let first = told().find(is_known)?;
    told().all(|line| is_glued(&line)).then(|| YamlError {
        line: line_number(text, first.start),
        column: 1,
        message: "there is no space after the colon".to_owned(),
    })
}

/// A line `key:value` without a blank behind the colon: the key and the value. An address is none.
fn glued_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_one = !value.is_empty() && !value.starts_with("//") && !key.contains(char::is_whitespace);
    is_one.then_some((key, value.trim()))
}

fn unclosed(text: &str, from: usize) -> Option<Parts> {
    let first = lines(text, from..text.len()).find(|line| !is_trivia(line.of(text)))?;
    let (key, _) = key_of(first.of(text), 0)?;
    Key::parse(key)?;
    let end = lines(text, from..text.len())
        .skip_while(|line| is_trivia(line.of(text)))
        .find(|line| !continues(line.of(text)))
        .map_or(text.len(), |line| line.start);
    Some(Parts {
        front: Front::Unclosed { inner: from..end },
        body: end,
    })
}

/// Says whether a line goes on with a frontmatter that has no end.
fn continues(line: &str) -> bool {
    !is_blank(line) && (line.starts_with([' ', '\t', '#']) || line.starts_with("- ") || is_key_line(line))
}

/// Says whether a line is `word: …`: a key, rather than a sentence with a colon in it.
fn is_key_line(line: &str) -> bool {
    key_of(line, 0)
        .is_some_and(|(key, _)| !key.is_empty() && !key.contains(char::is_whitespace) && key.len() <= 64)
}

/// Says whether lines that YAML refuses are meant as keys: one of them is mdmem's, or there is nothing else among them.
fn has_keys(text: &str, inner: Range<usize>) -> bool {
    let mut found = false;
    let mut prose = false;
    for line in lines(text, inner) {
        // A key behind a tab is one that YAML refuses for it.
        let line = line.of(text).trim_start_matches('\t');
        if is_key_line(line) {
            found = true;
            if key_of(line, 0).is_some_and(|(key, _)| Key::parse(key).is_some()) {
                return true;
            }
        } else {
            prose |= !is_trivia(line) && !continues(line);
        }
    }
    found && !prose
}

/// The parts of a file, as byte offsets. `frontmatter` decides whether the text between the fences
/// is a frontmatter or a paragraph between two horizontal rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// After the byte order mark, where there is one, and the blank lines before a pair of fences.
    pub(super) start: usize,
    /// The fences, when the first line is one.
    pub(super) fences: Fences,
    /// The line ending of the first line; LF where there is none.
    pub(super) newline: &'static str,
    /// True where the fences are `+++`, as those of TOML.
    pub(super) is_toml: bool,
}

/// The fences that the first line and those after it make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fences {
    /// The first line is no fence.
    None,
    /// The first line is a fence, and no other line is.
    Unclosed {
        /// After the opening line.
        inner: usize,
    },
    /// Both fences are there.
    Closed {
        /// Between the fences.
        inner: Range<usize>,
        /// After the closing line.
        body: usize,
    },
}

impl Layout {
    /// Finds the parts. A fence is a line of `---`; a closing one may be `...`, as YAML ends a document. Fences behind blank
    /// lines, and those of TOML, count only where both are there.
    pub(super) fn of(text: &str) -> Self {
        let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut rest = lines(text, mark..text.len());
        let first = rest.next();
        let newline = match first.map_or("", |line| line.ending(text)) {
            "\r\n" => "\r\n",
            "\r" => "\r",
            _ => "\n",
        };
        let is = |line: Line, fence: &str| line.of(text).trim_end_matches([' ', '\t']) == fence;
        let opening = match first {
            Some(line) if is_blank(line.of(text)) => rest.find(|line| !is_blank(line.of(text))),
            first => first,
        };
        let mut layout = Self {
            start: mark,
            fences: Fences::None,
            newline,
            is_toml: false,
        };
        let Some(opening) = opening.filter(|line| is(*line, "---") || is(*line, "+++")) else {
            return layout;
        };
        let is_toml = is(opening, "+++");
        let closes = |line: &Line| {
            if is_toml {
                is(*line, "+++")
            } else {
                is(*line, "---") || is(*line, "...")
            }
        };
        if let Some(closing) = rest.find(closes) {
            let (inner, body) = (opening.next..closing.start, closing.next);
            layout.fences = Fences::Closed { inner, body };
            (layout.start, layout.is_toml) = (opening.start, is_toml);
        } else if !is_toml && opening.start == mark {
            layout.fences = Fences::Unclosed { inner: opening.next };
        }
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> (&'static str, &str) {
        let parts = divide(text, &Layout::of(text));
        let front = match parts.front {
            Front::Absent => "absent",
            Front::Mapping { .. } => "mapping",
            Front::Broken { .. } => "broken",
            Front::Unclosed { .. } => "unclosed",
            Front::Hopeless { .. } => "hopeless",
        };
        (front, &text[parts.body..])
    }

    #[test]
    fn tells_a_frontmatter_from_a_rule() {
        for (text, expected) in [
            ("", ("absent", "")),
            ("text", ("absent", "text")),
            ("\u{feff}text", ("absent", "text")),
            ("---\n---\nx", ("mapping", "x")),
            ("---\ntype: user\n---\nx", ("mapping", "x")),
            ("---\ntype: user\n...\nx", ("mapping", "x")),
            (
                "---\nA paragraph.\n---\nx",
                ("absent", "---\nA paragraph.\n---\nx"),
            ),
            ("---\n- a\n- b\n---\nx", ("absent", "---\n- a\n- b\n---\nx")),
            ("---\nIt's: so \"so: so\n---\nx", ("broken", "x")),
            (
                "---\nIn short: this: that\n---\nx",
                ("absent", "---\nIn short: this: that\n---\nx"),
            ),
            ("---\ntitle: fix: it\n- a\n---\nx", ("broken", "x")),
            ("---\ntype: user\nprose\n---\nx", ("broken", "x")),
            (
                "---\nNote: this\n\nIs prose.\n---\nx",
                ("absent", "---\nNote: this\n\nIs prose.\n---\nx"),
            ),
            ("---\n{type: user\n---\nx", ("hopeless", "x")),
            (
                "---\nA rule, then text.\n",
                ("absent", "---\nA rule, then text.\n"),
            ),
            ("---\nNote: text.\n", ("absent", "---\nNote: text.\n")),
            ("---\ntype: user\nown: 1\n\nbody: x", ("unclosed", "\nbody: x")),
            ("---\ntype: user\nThe body.", ("unclosed", "The body.")),
            ("---\n", ("absent", "---\n")),
            ("---\n\ttags: [x]\n---\nx", ("broken", "x")),
            ("---\n\tmine: [x]\n---\nx", ("broken", "x")),
            ("---\ntype:decision\nimportance:high\n---\nx", ("broken", "x")),
            (
                "---\nmine:so\nits:this\n---\nx",
                ("absent", "---\nmine:so\nits:this\n---\nx"),
            ),
            (
                "---\nname:so it goes\nand on\n---\nx",
                ("absent", "---\nname:so it goes\nand on\n---\nx"),
            ),
            ("\n\n---\nmine: true\n---\nx", ("mapping", "x")),
            ("\n---\nid: [x\n---\nx", ("broken", "x")),
            ("\n---\nSo.\n---\nx", ("absent", "---\nSo.\n---\nx")),
            ("\n---\ntype: user\nx", ("absent", "\n---\ntype: user\nx")),
            ("+++\ntitle = \"x\"\n+++\nx", ("broken", "x")),
            ("+++\nSo.\n+++\nx", ("absent", "+++\nSo.\n+++\nx")),
        ] {
            assert_eq!(kind(text), expected, "{text:?}");
        }
    }
}

#[cfg(test)]
mod layout_tests {
    use super::*;

    #[test]
    fn finds_the_fences_behind_a_byte_order_mark() {
        let layout = Layout::of("\u{feff}---\r\nid: x\r\n--- \r\nbody");
        assert_eq!((layout.start, layout.newline), (3, "\r\n"));
        assert_eq!(
            layout.fences,
            Fences::Closed {
                inner: 8..15,
                body: 21
            }
        );
    }

    #[test]
    fn a_first_line_of_text_is_no_fence() {
        assert_eq!(Layout::of("text\n---\n").fences, Fences::None);
        assert_eq!(Layout::of("").fences, Fences::None);
        assert_eq!(Layout::of("---\ntext\n").fences, Fences::Unclosed { inner: 4 });
        assert_eq!(
            Layout::of("---\n---").fences,
            Fences::Closed { inner: 4..4, body: 7 }
        );
    }
}
