//! From body to text: a fact or a note, and the first heading.

use pulldown_cmark::{Event, Parser, Tag};

use super::lines::{is_blank, lines};
use crate::model::Content;

/// The word that begins the block of a reason.
const WHY: &str = "Why:";

/// The first heading is looked for in so many bytes: one that stands further down is no title, and a parser of Markdown
/// takes its time for every text.
const MOST_BEFORE_HEADING: usize = 16 * 1024;

/// Reads the content of a body. Blank lines at both ends are not part of it. One block of lines, perhaps followed by
/// one that begins with `Why:`, is a fact; anything else, and nothing at all, is a note.
pub fn read_content(body: &str) -> Content {
    match blocks(body).as_slice() {
        [text] => Content::Fact {
            text: text.trim().to_owned(),
            rationale: None,
        },
        [text, why] if why.starts_with(WHY) => Content::Fact {
            text: text.trim().to_owned(),
            rationale: reason(why),
        },
        _ => Content::Note {
            body: trim_blank_lines(body).to_owned(),
        },
    }
}

/// A body beside a `text:` key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// It is empty.
    Nothing,
    /// It is the reason alone.
    Reason(Option<String>),
    /// It is a text of its own.
    Text,
}

/// Reads a body that goes with a `text:` key.
pub(super) fn read_beside(body: &str) -> Beside {
    match blocks(body).as_slice() {
        [] => Beside::Nothing,
        [why] if why.starts_with(WHY) => Beside::Reason(reason(why)),
        _ => Beside::Text,
    }
}

fn reason(block: &str) -> Option<String> {
    let reason = block[WHY.len()..].trim();
    (!reason.is_empty()).then(|| reason.to_owned())
}

/// The first blocks of lines without a blank line, three at most.
fn blocks(body: &str) -> Vec<&str> {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let mut open = false;
    for line in lines(body, 0..body.len()) {
        if is_blank(line.of(body)) {
            open = false;
        } else if let (true, Some(block)) = (open, blocks.last_mut()) {
            block.1 = line.end;
        } else if blocks.len() == 3 {
            break;
        } else {
            blocks.push((line.start, line.end));
            open = true;
        }
    }
    blocks.into_iter().map(|(start, end)| &body[start..end]).collect()
}

/// A body without the blank lines at its ends.
pub(super) fn trim_blank_lines(body: &str) -> &str {
    let mut inner = lines(body, 0..body.len()).filter(|line| !is_blank(line.of(body)));
    let Some(first) = inner.next() else {
        return "";
    };
    let last = inner.last().unwrap_or(first);
    &body[first.start..last.end]
}

/// The first heading of a body outside code, without its `#`; a line underlined with `---` is none, because people
/// end a paragraph with a rule like that.
pub(super) fn heading(body: &str) -> Option<String> {
    let body = &body[..body.floor_char_boundary(MOST_BEFORE_HEADING)];
    let may_be = |line: &str| line.trim_start().starts_with('#');
    if !lines(body, 0..body.len()).any(|line| may_be(line.of(body))) {
        return None;
    }
    Parser::new(body).into_offset_iter().find_map(|(event, range)| {
        let Event::Start(Tag::Heading { .. }) = event else {
            return None;
        };
        let source = body[range].trim();
        let words = source.strip_prefix('#')?.trim_start_matches('#').trim();
        let closed = words.trim_end_matches('#');
        let words = if closed.is_empty() || closed.ends_with([' ', '\t']) {
            closed.trim()
        } else {
            words
        };
        (!words.is_empty()).then(|| words.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(text: &str, rationale: Option<&str>) -> Content {
        Content::Fact {
            text: text.to_owned(),
            rationale: rationale.map(str::to_owned),
        }
    }

    fn note(body: &str) -> Content {
        Content::Note {
            body: body.to_owned(),
        }
    }

    #[test]
    fn one_block_is_a_fact() {
        for (body, content) in [
            ("Use npm.\n", fact("Use npm.", None)),
            ("\n \t\nUse npm.\n\n", fact("Use npm.", None)),
            ("two\r\nlines\r\n", fact("two\r\nlines", None)),
            ("a\n\nWhy: b\nc\n", fact("a", Some("b\nc"))),
            ("a\r\rWhy: b", fact("a", Some("b"))),
            ("a\n\nWhy:\n", fact("a", None)),
            ("a\nWhy: b\n", fact("a\nWhy: b", None)),
            ("Why: b\n", fact("Why: b", None)),
            ("# Title\n", fact("# Title", None)),
            ("---\n", fact("---", None)),
        ] {
            assert_eq!(read_content(body), content, "{body:?}");
        }
    }

    #[test]
    fn any_other_body_is_a_note() {
        for (body, read) in [
            ("", ""),
            ("\n \n", ""),
            ("a\n\nb\n", "a\n\nb"),
            ("\n  a\n\nWhy: b\n\nc\n\n", "  a\n\nWhy: b\n\nc"),
            ("a\n\nwhy: b\n", "a\n\nwhy: b"),
            ("Why: a\n\nb\n", "Why: a\n\nb"),
        ] {
            assert_eq!(read_content(body), note(read), "{body:?}");
        }
    }

    #[test]
    fn finds_the_first_heading_outside_code() {
        for (body, expected) in [
            ("```\n# no\n```\n## Yes, `this` ##\n# later", Some("Yes, `this`")),
            ("    # code\n\n#no\n\n# C#\n", Some("C#")),
            ("text\n---\n", None),
            ("#\n# second\n", Some("second")),
            ("~~~\n# open\n", None),
            ("\u{30ce}\u{30fc}\u{30c8}\n# 設定\r\n", Some("設定")),
            ("text", None),
        ] {
            assert_eq!(heading(body).as_deref(), expected, "{body:?}");
        }
    }
}
