//! The places of the parts of a file: byte order mark, fences, frontmatter, body.

use std::ops::Range;

use super::lines::{Line, is_blank, lines};

/// The parts of a file, as byte offsets. `frontmatter` decides whether the text between the fences
/// is a frontmatter or a paragraph between two horizontal rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// After the byte order mark, where there is one.
    pub(super) start: usize,
    /// The fences, when the first line is one.
    pub(super) fences: Fences,
    /// The line ending of the first line; LF where there is none.
    pub(super) newline: &'static str,
    /// The slip in the fences, where they are closed and are none to YAML.
    pub(super) slip: Option<Slip>,
}

/// A form of fences that other programs, or a hand, write, and that open no frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// Blank lines stand before the first one.
    BlankLinesBefore,
    /// They are `+++`, as those of TOML.
    Toml,
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
    /// Finds the parts. A fence is a line of `---`; a closing one may be `...`, as YAML ends a document. Fences with a
    /// slip count only where both are there.
    pub(super) fn of(text: &str) -> Self {
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut rest = lines(text, start..text.len());
        let first = rest.next();
        let newline = match first.map_or("", |line| line.ending(text)) {
            "\r\n" => "\r\n",
            "\r" => "\r",
            _ => "\n",
        };
        let is = |line: Line, fence: &str| line.of(text).trim_end_matches([' ', '\t']) == fence;
        let is_blank_first = first.is_some_and(|line| is_blank(line.of(text)));
        let opening = if is_blank_first {
            rest.find(|line| !is_blank(line.of(text)))
        } else {
            first
        };
        let (opening, fence, slip) = match opening {
            Some(line) if is(line, "---") => (line, "---", is_blank_first.then_some(Slip::BlankLinesBefore)),
            Some(line) if is(line, "+++") && !is_blank_first => (line, "+++", Some(Slip::Toml)),
            _ => {
                return Self {
                    start,
                    fences: Fences::None,
                    newline,
                    slip: None,
                };
            }
        };
        let closing = rest.find(|line| is(*line, fence) || (fence == "---" && is(*line, "...")));
        let (fences, slip) = match closing {
            Some(closing) => {
                let (inner, body) = (opening.next..closing.start, closing.next);
                (Fences::Closed { inner, body }, slip)
            }
            None if slip.is_some() => (Fences::None, None),
            None => (Fences::Unclosed { inner: opening.next }, None),
        };
        Self {
            start,
            fences,
            newline,
            slip,
        }
    }
}

#[cfg(test)]
mod tests {
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
    fn a_slip_in_the_fences_is_told_where_both_are_there() {
        for (text, slip) in [
            ("\n \n---\nid: x\n---\n", Some(Slip::BlankLinesBefore)),
            ("+++\ntitle = 1\n+++\n", Some(Slip::Toml)),
            ("\n---\nid: x\n", None),
            ("\n+++\nid\n+++\n", None),
            ("+++\nid\n---\n", None),
            ("---\nid: x\n---\n", None),
        ] {
            let layout = Layout::of(text);
            assert_eq!(layout.slip, slip, "{text:?}");
            assert_eq!(
                matches!(layout.fences, Fences::Closed { .. }),
                slip.is_some() || text.starts_with('-')
            );
        }
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
