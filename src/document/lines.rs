//! Lines of a text, whichever line ending it has: LF, CRLF, lone CR, or all of them.

/// One line, as byte offsets into its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// The offset at which it begins.
    pub(super) start: usize,
    /// The offset at which its characters end, before the line ending.
    pub(super) end: usize,
    /// The offset at which the next one begins; `end` when the text ends without a line ending.
    pub(super) next: usize,
}

impl Line {
    /// The characters of the line.
    pub(super) fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    /// The line ending.
    pub(super) fn ending<'a>(&self, text: &'a str) -> &'a str {
        &text[self.end..self.next]
    }
}

/// The lines of `text` from one offset up to another; there is no empty line after a final line ending.
pub(super) fn lines(text: &str, range: std::ops::Range<usize>) -> impl Iterator<Item = Line> + '_ {
    let text = &text[..range.end];
    let mut at = range.start;
    // The first line feed at `at` or behind it, once it was looked for.
    let mut feed = None;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let feed_at = match feed {
            Some(feed) if feed >= at => feed,
            _ => text[at..].find('\n').map_or(text.len(), |length| at + length),
        };
        feed = Some(feed_at);
        let end = text[at..feed_at].find('\r').map_or(feed_at, |length| at + length);
        let next = match &text.as_bytes()[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [_, ..] => end + 1,
            [] => end,
        };
        let line = Line { start: at, end, next };
        at = next;
        Some(line)
    })
}

/// Says whether a line has nothing but white space.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// The number, from 1, of the line on which an offset lies.
pub(super) fn line_number(text: &str, offset: usize) -> u32 {
    let before = lines(text, 0..text.len()).take_while(|line| line.next <= offset && line.end < line.next);
    u32::try_from(before.count() + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_every_line_ending() {
        let text = "a\r\nb\rc\n\nd";
        let found: Vec<_> = lines(text, 0..text.len())
            .map(|l| (l.of(text), l.ending(text)))
            .collect();
        assert_eq!(
            found,
            [("a", "\r\n"), ("b", "\r"), ("c", "\n"), ("", "\n"), ("d", "")]
        );
    }

    #[test]
    fn counts_lines_from_one() {
        let text = "a\r\nb\rc\n";
        assert_eq!(
            [0, 1, 3, 5, 7].map(|offset| line_number(text, offset)),
            [1, 1, 2, 3, 4]
        );
    }
}
