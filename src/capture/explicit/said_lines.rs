//! The lines of a message that the user says: not code, not a quotation, not pasted text, not a text that a host put
//! between tags.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::is_blank;
use super::language::compile;
use super::pasted::{begins_diff, continues_diff, is_printed};
use crate::text::is_line_break;

/// A line that the user says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SaidLine<'m> {
    /// The line, without what is blank at its ends and without the list markers before it.
    pub(super) text: &'m str,
    /// The columns before its first sign.
    pub(super) indent: usize,
    /// Tells whether a list marker was before it.
    pub(super) place: Place,
    /// True when it begins a paragraph.
    pub(super) is_first: bool,
    /// True when code, a quotation or something else that was left out stands just before it.
    pub(super) is_behind: bool,
}

/// The surroundings of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Prose,
    Item,
}

/// The lines of a message, whatever ends them.
pub(super) fn lines(message: &str) -> impl Iterator<Item = &str> {
    message
        .split('\n')
        .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split(is_line_break))
}

/// The lines that count, in order.
pub(super) fn said_lines(message: &str) -> Vec<SaidLine<'_>> {
    let lines: Vec<&str> = lines(message)
        .map(|line| without_typed_tags(line.trim_end_matches(is_blank)))
        .collect();
    let mut reader = Reader::new(&lines);
    for (number, line) in lines.iter().enumerate() {
        reader.read(number, line);
    }
    reader.end_paragraph();
    reader.said
}

/// From how many columns on, after an empty line, a line is code.
const CODE_INDENT: usize = 4;

/// The tags between which hosts put what the user typed; between all others stands what somebody else wrote: the text
/// of a command or a skill, a file, a reminder.
const TYPED_TAGS: [&str; 2] = ["command-args", "user_query"];

#[derive(Debug)]
struct Fence {
    mark: char,
    length: usize,
}

/// The kind of passage that the lines just read belong to.
#[derive(Debug)]
enum Region<'m> {
    /// Text that the user says.
    Prose,
    /// Lines after one that a program printed, to the end of the paragraph.
    Printed,
    Diff,
    IndentedCode,
    Fenced(Fence),
    /// Between tags of this name.
    Tagged(&'m str),
}

/// The state of the reading after the lines so far.
#[derive(Debug)]
struct Reader<'m> {
    said: Vec<SaidLine<'m>>,
    /// The lines of the paragraph that count, as typed, and whether something was left out before each.
    paragraph: Vec<(&'m str, bool)>,
    /// The indent that every line of the message has: that much means nothing.
    margin: usize,
    /// The last line that closes each tag: one that is never closed begins nothing.
    closed: HashMap<&'m str, usize>,
    region: Region<'m>,
    in_list: bool,
    after_gap: bool,
    has_left_out: bool,
}

impl<'m> Reader<'m> {
    fn new(lines: &[&'m str]) -> Self {
        let closed = lines
            .iter()
            .enumerate()
            .flat_map(|(number, line)| closing_tags(line).map(move |name| (name, number)));
        let words = lines.iter().filter(|line| !line.is_empty());
        Self {
            said: Vec::new(),
            paragraph: Vec::new(),
            margin: words.map(|line| indent(line)).min().unwrap_or(0),
            closed: closed.collect(),
            region: Region::Prose,
            in_list: false,
            after_gap: true,
            has_left_out: false,
        }
    }

    fn read(&mut self, number: usize, line: &'m str) {
        let has_left_out = std::mem::replace(&mut self.has_left_out, true);
        match &self.region {
            Region::Fenced(fence) => {
                if closes(line, fence) {
                    self.region = Region::Prose;
                }
                return;
            }
            Region::Tagged(name) => {
                if closing_tags(line).any(|closed| closed == *name) {
                    self.region = Region::Prose;
                }
                return;
            }
            _ => {}
        }
        if let Some(name) = opening_tag(line).filter(|name| self.closed.get(name) >= Some(&number)) {
            self.end_paragraph();
            if closing_tags(line).all(|closed| closed != name) {
                self.region = Region::Tagged(name);
            }
            return;
        }
        if line.is_empty() {
            self.end_paragraph();
            self.has_left_out = has_left_out;
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
            self.paragraph.push((line, has_left_out));
            self.has_left_out = false;
        }
    }

    fn end_paragraph(&mut self) {
        let quotes = |line: &str| line.matches('`').count();
        let all: usize = self.paragraph.iter().map(|(line, _)| quotes(line)).sum();
        let mut before = 0;
        for (number, (line, is_behind)) in self.paragraph.drain(..).enumerate() {
            // Inline code that goes on over the end of a line; a back quote that nothing closes is text.
            let is_code = before % 2 == 1 && all.is_multiple_of(2);
            before += quotes(line);
            if !is_code {
                self.said.push(SaidLine {
                    text: after_markers(line),
                    indent: indent(line),
                    place: place(line),
                    is_first: number == 0,
                    is_behind,
                });
            }
        }
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
            self.in_list = place(line) == Place::Item || (self.in_list && indent(line) > self.margin);
        }
        is
    }
}

/// Bullets, numbers, letters and boxes to tick. A sign that also means something else (a minus, a star, a letter)
/// is a marker only with a space behind it.
const MARKERS: &[&str] = &[
    r"[-*+–—]\s+",
    r"[•·‣◦▪●○■□・∙]\s*",
    r"\d{1,3}[.)、．）]\s*",
    r"[(（]\d{1,3}[)）]\s*",
    r"[(（]?[a-zA-Z][.)）]\s+",
    r"[①-⑳]\s*",
    r"[一二三四五六七八九十]{1,3}[、.．]\s*",
    r"\[[ xX]?\]\s+",
];

static MARKER: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^(?:{}){{1,4}}", MARKERS.join("|"))));

/// The line without the spaces and the list markers before its words.
pub(super) fn after_markers(line: &str) -> &str {
    let line = line.trim_start_matches(is_blank);
    let marker = MARKER.find(line).map_or(0, |found| found.end());
    line[marker..].trim_start_matches(is_blank)
}

fn place(line: &str) -> Place {
    if MARKER.is_match(line.trim_start_matches(is_blank)) {
        Place::Item
    } else {
        Place::Prose
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

/// The line without the tags that stand around what the user typed.
fn without_typed_tags(line: &str) -> &str {
    let opened = |name| opening_tag(line) == Some(name);
    let closed = |name| closing_tags(line).last() == Some(name);
    let begin = TYPED_TAGS.into_iter().find(|&name| opened(name));
    let line_end = TYPED_TAGS.into_iter().find(|&name| closed(name));
    let from = begin.and_then(|_| line.find('>')).map_or(0, |at| at + 1);
    let to = line_end.and_then(|_| line.rfind("</")).unwrap_or(line.len());
    line.get(from..to).unwrap_or_default()
}

/// The name of the tag that a line begins with.
fn opening_tag(line: &str) -> Option<&str> {
    let tag = line.trim_start().strip_prefix('<')?;
    let name = tag_name(tag);
    let (inside, _) = tag[name.len()..].split_once('>')?;
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !inside.contains('<')
        && (inside.is_empty() || inside.starts_with(char::is_whitespace));
    is_tag.then_some(name)
}

/// The names that a line closes.
fn closing_tags(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("</")
        .map(|(at, mark)| tag_name(&line[at + mark.len()..]))
}

fn tag_name(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || "_:.-".contains(c);
    text.split(|c| !is_part(c)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Vec<&str> {
        said_lines(message).into_iter().map(|line| line.text).collect()
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
        assert_eq!(said("<p>x</p>\na <i>\n</i>"), ["a <i>", "</i>"]);
        assert_eq!(said("<a>\n</a>\n<a>\nb"), ["<a>", "b"]);
        assert_eq!(said("```\n<p>\n```\na\n</p>"), ["a", "</p>"]);
    }

    #[test]
    fn a_line_inside_inline_code_is_left_out() {
        assert_eq!(said("see `a\nb` c\nd"), ["see `a", "d"]);
        assert_eq!(said("a ` b\nc"), ["a ` b", "c"], "nothing closes it");
        assert_eq!(said("`a` `b`\nc"), ["`a` `b`", "c"]);
    }

    #[test]
    fn some_tags_hold_what_was_typed() {
        let message = "<command-name>/x</command-name>\n<command-args>a\nb</command-args>";
        assert_eq!(said(message), ["a", "b"]);
        assert_eq!(said("<user_query>\na\n</user_query>"), ["a", ""][..1]);
        assert_eq!(said("<user_query>a</user_query>"), ["a"]);
        assert_eq!(said("<skill name=\"x\">\na\n</skill>\nb"), ["b"]);
    }

    #[test]
    fn markers_are_no_part_of_a_line() {
        for line in [
            "x",
            "  x",
            "- x",
            " * x",
            "1. x",
            "12) x",
            "(3) x",
            "- [ ] x",
            "• x",
            "・x",
            "1、x",
            "一、x",
            "①x",
            "a) x",
            "\u{feff}- x",
            "1.x",
        ] {
            assert_eq!(after_markers(line), "x", "{line}");
        }
        for line in [
            "-x",
            "*x*",
            "**x**",
            "2024-01-01 x",
            "> x",
            "# x",
            "+x",
            "[12:00] x",
        ] {
            assert_eq!(after_markers(line), line);
        }
    }
}
