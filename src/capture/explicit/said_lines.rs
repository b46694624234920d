//! Which lines of a message the user says: not code, not what is quoted, not what was pasted.

use super::code_spans::begin_in_code;
use super::list_marker::{after_markers, is_blank, is_item};
use super::pasted::{begins_diff, continues_diff, is_printed};
use super::tag_blocks::TagBlocks;
use crate::text::is_line_break;

/// The lines that count, in order, without what is blank at their ends and without the list markers before them.
pub(super) fn said_lines(message: &str) -> Vec<&str> {
    let lines: Vec<&str> = message
        .split('\n')
        .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split(is_line_break))
        .map(|line| line.trim_end_matches(is_blank))
        .collect();
    let blocks = TagBlocks::new(&lines);
    let margin = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| indent(line))
        .min();
    let mut reader = Reader::new(margin.unwrap_or(0));
    let mut number = 0;
    while let Some(line) = lines.get(number) {
        match blocks.from(number, line).filter(|_| reader.fence.is_none()) {
            Some(block) => {
                reader.end_paragraph();
                number = block.end() + 1;
            }
            None => {
                reader.read(line);
                number += 1;
            }
        }
    }
    reader.end_paragraph();
    reader.said
}

/// From how many columns on, after an empty line, a line is code.
const CODE_INDENT: usize = 4;

#[derive(Debug)]
struct Fence {
    mark: char,
    length: usize,
}

/// What is known of the lines so far.
#[derive(Debug)]
struct Reader<'m> {
    said: Vec<&'m str>,
    /// The lines of the paragraph that count, as typed.
    paragraph: Vec<&'m str>,
    /// How far every line of the message is indented: that much means nothing.
    margin: usize,
    fence: Option<Fence>,
    in_list: bool,
    in_diff: bool,
    in_indented_code: bool,
    /// A line of this paragraph was printed by a program, so those after it were, too.
    is_pasted: bool,
    after_gap: bool,
}

impl<'m> Reader<'m> {
    fn new(margin: usize) -> Self {
        Self {
            said: Vec::new(),
            paragraph: Vec::new(),
            margin,
            fence: None,
            in_list: false,
            in_diff: false,
            in_indented_code: false,
            is_pasted: false,
            after_gap: true,
        }
    }

    fn read(&mut self, line: &'m str) {
        if let Some(fence) = &self.fence {
            if closes(line, fence) {
                self.fence = None;
            }
            return;
        }
        if line.is_empty() {
            self.end_paragraph();
            return;
        }
        let after_gap = std::mem::take(&mut self.after_gap);
        if self.is_diff(line) {
            return;
        }
        let words = after_markers(line);
        if words.starts_with(['>', '＞']) {
            return;
        }
        if self.is_indented_code(line, after_gap) {
            return;
        }
        if let Some(fence) = opens(words) {
            self.end_paragraph();
            self.fence = Some(fence);
            return;
        }
        self.is_pasted |= is_printed(line.trim_start());
        if !self.is_pasted {
            self.paragraph.push(line);
        }
    }

    fn end_paragraph(&mut self) {
        let in_code = begin_in_code(&self.paragraph);
        let spoken = self.paragraph.drain(..).zip(in_code);
        self.said.extend(
            spoken
                .filter(|(_, in_code)| !in_code)
                .map(|(line, _)| after_markers(line)),
        );
        self.is_pasted = false;
        self.after_gap = true;
    }

    fn is_diff(&mut self, line: &str) -> bool {
        self.in_diff = begins_diff(line) || (self.in_diff && continues_diff(line));
        self.in_diff
    }

    /// Code by indentation needs an empty line before it, and is the text of an item inside a list.
    fn is_indented_code(&mut self, line: &str, after_gap: bool) -> bool {
        let is_deep = indent(line) >= self.margin + CODE_INDENT;
        if is_deep {
            let continues = self.in_indented_code || after_gap;
            self.in_indented_code = continues && !self.in_list;
            return self.in_indented_code;
        }
        self.in_indented_code = false;
        if is_item(line) {
            self.in_list = true;
        } else if indent(line) <= self.margin {
            self.in_list = false;
        }
        false
    }
}

/// The columns before the first word; a tab reaches to the next multiple of four.
fn indent(line: &str) -> usize {
    let mut columns = 0;
    for c in line.chars() {
        match c {
            '\t' => columns += CODE_INDENT - columns % CODE_INDENT,
            ' ' => columns += 1,
            _ => break,
        }
    }
    columns
}

/// The fence that a line opens: three back quotes or tildes or more, or three double quotes alone.
fn opens(words: &str) -> Option<Fence> {
    let mark = words.chars().next().filter(|c| matches!(c, '`' | '~' | '"'))?;
    let after = words.trim_start_matches(mark);
    let length = words.len() - after.len();
    let info_fits = match mark {
        '`' => !after.contains('`'),
        '"' => after.is_empty(),
        _ => true,
    };
    (length >= 3 && info_fits).then_some(Fence { mark, length })
}

fn closes(line: &str, fence: &Fence) -> bool {
    let line = line.trim_start();
    let after = line.trim_start_matches(fence.mark);
    line.len() - after.len() >= fence.length && after.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Vec<&str> {
        said_lines(message)
    }

    #[test]
    fn lines_end_in_every_way_and_carry_no_markers() {
        assert_eq!(
            said("a\r\n- b  \rc\t\n\n\u{feff}d\u{2028}e"),
            ["a", "b", "c", "d", "e"]
        );
        assert_eq!(said(""), [""; 0]);
        assert_eq!(
            said("a\r\n    b\r\n\r\n    c"),
            ["a", "b"],
            "`\\r\\n` is one end, and no gap"
        );
    }

    #[test]
    fn fences_hold_code_until_they_close() {
        assert_eq!(said("a\n```sh\nb\n~~~\n````\nc"), ["a", "c"]);
        assert_eq!(said("~~~\nb\n~~~~\nc"), ["c"]);
        assert_eq!(said("- ```\n  b\n  ```\nc"), ["c"]);
        assert_eq!(
            said("```\nb\n\nc"),
            [""; 0],
            "a fence that nothing closes holds all that follows"
        );
        assert_eq!(said("````\n```\nb\n```\nc\n````\nd"), ["d"]);
        assert_eq!(said("```a``` b\nc"), ["```a``` b", "c"], "inline, not a fence");
        assert_eq!(said("\"\"\"\nb\n\"\"\"\nc"), ["c"]);
    }

    #[test]
    fn quotes_are_left_out_and_open_no_fence() {
        assert_eq!(said("> a\n>> b\n- > c\n> ```\nd\n＞ e"), ["d"]);
    }

    #[test]
    fn indented_code_needs_a_gap_and_no_list() {
        assert_eq!(said("a\n\n    b\n    c\n\n    d\ne"), ["a", "e"]);
        assert_eq!(said("a\n    b"), ["a", "b"]);
        assert_eq!(said("a\n\n\tb"), ["a"]);
        assert_eq!(said("- a\n\n    b\n    - c\nd"), ["a", "b", "c", "d"]);
        assert_eq!(said("    a\n\n    b"), ["a", "b"], "indented throughout");
    }

    #[test]
    fn what_follows_a_printed_line_was_pasted_with_it() {
        assert_eq!(said("a\n[12:04:31] b\nc\n\nd"), ["a", "d"]);
        assert_eq!(said("User: a\nb\n\nc"), ["c"]);
        assert_eq!(said("$ a\nb"), [""; 0]);
    }

    #[test]
    fn diffs_reach_over_empty_lines() {
        let diff =
            "a\ndiff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n- b\n+ c\n\n d\ne";
        assert_eq!(said(diff), ["a", "e"]);
        assert_eq!(said("- a\n+ b"), ["a", "b"]);
    }

    #[test]
    fn tags_hold_what_was_attached() {
        assert_eq!(said("a\n<file path=\"x\">\nb\n\nc\n</file>\nd"), ["a", "d"]);
        assert_eq!(said("<div>\na"), ["<div>", "a"]);
        assert_eq!(said("```\n<p>\n```\na\n</p>"), ["a", "</p>"]);
    }

    #[test]
    fn a_line_inside_inline_code_is_left_out() {
        assert_eq!(said("see `a\nb` c\nd"), ["see `a", "d"]);
    }
}
