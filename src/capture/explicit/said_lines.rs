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
        let block = blocks.from(number, line).filter(|_| !reader.is_in_fence());
        if let Some(block) = block {
            reader.end_paragraph();
            number = block.end() + 1;
        } else {
            reader.read(line);
            number += 1;
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

/// What the lines just read are part of.
#[derive(Debug)]
enum Region {
    /// What the user says.
    Prose,
    /// Lines after one that a program printed, to the end of the paragraph.
    Printed,
    Diff,
    IndentedCode,
    Fenced(Fence),
}

/// What is known of the lines so far.
#[derive(Debug)]
struct Reader<'m> {
    said: Vec<&'m str>,
    /// The lines of the paragraph that count, as typed.
    paragraph: Vec<&'m str>,
    /// How far every line of the message is indented: that much means nothing.
    margin: usize,
    region: Region,
    in_list: bool,
    after_gap: bool,
}

impl<'m> Reader<'m> {
    const fn new(margin: usize) -> Self {
        Self {
            said: Vec::new(),
            paragraph: Vec::new(),
            margin,
            region: Region::Prose,
            in_list: false,
            after_gap: true,
        }
    }

    const fn is_in_fence(&self) -> bool {
        matches!(self.region, Region::Fenced(_))
    }

    fn read(&mut self, line: &'m str) {
        if let Region::Fenced(fence) = &self.region {
            if closes(line, fence) {
                self.region = Region::Prose;
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
        if words.starts_with(['>', '＞']) || self.is_indented_code(line, after_gap) {
            return;
        }
        if let Some(fence) = opens(words) {
            self.end_paragraph();
            self.region = Region::Fenced(fence);
            return;
        }
        if is_printed(line.trim_start()) {
            self.region = Region::Printed;
        }
        if matches!(self.region, Region::Prose) {
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
        if matches!(self.region, Region::Printed) {
            self.region = Region::Prose;
        }
        self.after_gap = true;
    }

    fn is_diff(&mut self, line: &str) -> bool {
        let was = matches!(self.region, Region::Diff);
        let is = begins_diff(line) || (was && continues_diff(line));
        if is {
            self.region = Region::Diff;
        } else if was {
            self.region = Region::Prose;
        }
        is
    }

    /// Code by indentation needs an empty line before it, and is the text of an item inside a list.
    fn is_indented_code(&mut self, line: &str, after_gap: bool) -> bool {
        let was = matches!(self.region, Region::IndentedCode);
        let is_deep = indent(line) >= self.margin + CODE_INDENT;
        let is = is_deep && (was || after_gap) && !self.in_list;
        if is {
            self.region = Region::IndentedCode;
        } else if was {
            self.region = Region::Prose;
        }
        if !is_deep {
            self.in_list = is_item(line) || (self.in_list && indent(line) > self.margin);
        }
        is
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
