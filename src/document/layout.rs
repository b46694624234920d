//! The places of the parts of a file: byte order mark, fences, frontmatter, body.

use std::ops::Range;

use super::lines::lines;

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
    /// Finds the parts. A fence is a line of `---`; a closing one may be `...`, as YAML ends a document.
    pub(super) fn of(text: &str) -> Self {
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut rest = lines(text, start..text.len());
        let first = rest.next();
        let newline = match first.map_or("", |line| line.ending(text)) {
            "\r\n" => "\r\n",
            "\r" => "\r",
            _ => "\n",
        };
        let fence = |line: &str| line.trim_end_matches([' ', '\t']) == "---";
        let fences = match first {
            Some(opening) if fence(opening.of(text)) => {
                let closing = rest.find(|line| {
                    fence(line.of(text)) || line.of(text).trim_end_matches([' ', '\t']) == "..."
                });
                closing.map_or(Fences::Unclosed { inner: opening.next }, |closing| {
                    Fences::Closed {
                        inner: opening.next..closing.start,
                        body: closing.next,
                    }
                })
            }
            _ => Fences::None,
        };
        Self {
            start,
            fences,
            newline,
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
