//! The place of each top-level key of a frontmatter, to the byte: an edit needs it, and no YAML library tells it.
//!
//! This knows less YAML than the library does. Its answer is used only after the library has named the same keys in
//! the same order (see `edit`); a layout that it does not understand is refused there, never guessed.

use std::ops::Range;

use super::lines::{Line, is_blank, lines};

/// The style in which a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Nothing after the colon.
    Empty,
    /// Without quotes.
    Plain,
    /// `'…'`.
    Single,
    /// `"…"`.
    Double,
    /// `|` and the indented lines below it.
    Literal,
    /// `>` and the indented lines below it.
    Folded,
    /// `[…]` or `{…}`.
    Flow,
    /// A list or a mapping on the lines below.
    Block,
    /// With an anchor, a tag or an alias.
    Decorated,
}

/// One key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The key, without quotes.
    pub(super) key: String,
    /// Just after the colon.
    pub(super) colon: usize,
    /// The characters of the value, without the blanks and the comment around it; empty for [`Style::Empty`].
    pub(super) value: Range<usize>,
    /// The style of the value.
    pub(super) style: Style,
    /// Its lines, with the last line's ending; comments and blank lines after the value are not part of it.
    pub(super) lines: Range<usize>,
}

/// The entries between two offsets, and the column at which they begin; `None` where the layout is not understood.
pub(super) fn scan(text: &str, range: Range<usize>) -> Option<(Vec<Entry>, usize)> {
    let all: Vec<Line> = lines(text, range).collect();
    let base = all
        .iter()
        .find(|line| !is_trivia(line.of(text)))
        .map_or(0, |line| indent(line.of(text)));
    let mut entries = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if is_trivia(all[at].of(text)) {
            at += 1;
            continue;
        }
        if indent(all[at].of(text)) != base {
            return None;
        }
        let (entry, next) = entry_at(text, &all, at, base)?;
        entries.push(entry);
        at = next;
    }
    Some((entries, base))
}

/// Blank, or a comment.
pub(super) fn is_trivia(line: &str) -> bool {
    is_blank(line) || line.trim_start().starts_with('#')
}

/// The number of spaces with which a line begins. A tab is no indentation in YAML.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Says whether a text begins with a blank, or is empty.
fn parts(text: &str) -> bool {
    text.is_empty() || text.starts_with([' ', '\t'])
}

/// The key at the beginning of a line (after `base` columns) and the offset after its colon, within the line.
pub(super) fn key_of(line: &str, base: usize) -> Option<(&str, usize)> {
    let rest = line.get(base..)?;
    let (key, after) = match rest.chars().next()? {
        quote @ ('"' | '\'') => {
            let inner = rest[1..].find(quote)?;
            // An escape in a key is not worth knowing about.
            let key = &rest[1..=inner];
            (!key.contains('\\')).then_some((key, inner + 2))?
        }
        '[' | '{' | '&' | '*' | '!' | '|' | '>' | '%' | '@' | '`' | ',' | ']' | '}' | '#' => return None,
        '?' | '-' | ':' if parts(&rest[1..]) => return None,
        _ => {
            let (colon, _) = rest.match_indices(':').find(|(at, _)| parts(&rest[at + 1..]))?;
            let key = rest[..colon].trim_end_matches([' ', '\t']);
            (!key.contains(" #")).then_some((key, key.len()))?
        }
    };
    let value = rest[after..].trim_start_matches([' ', '\t']).strip_prefix(':')?;
    parts(value).then(|| (key, line.len() - value.len()))
}

/// The entry that begins on line `at`, and the line after it.
fn entry_at(text: &str, all: &[Line], at: usize, base: usize) -> Option<(Entry, usize)> {
    let first = all[at];
    let (key, colon) = key_of(first.of(text), base)?;
    let colon = first.start + colon;
    let blanks = text[colon..first.end].len() - text[colon..first.end].trim_start_matches([' ', '\t']).len();
    let start = colon + blanks;
    let rest = &text[start..first.end];
    let style = style_of(rest, blanks > 0);
    let (value, style, last) = match style {
        Style::Empty => {
            let last = last_line(text, all, at, |line| {
                let item = line.get(base..).unwrap_or_default();
                let is_item = indent(line) == base && (item == "-" || item.starts_with("- "));
                !is_trivia(line) && (indent(line) > base || is_item)
            });
            match last {
                Some(last) => {
                    let mut below = all[at + 1..=last].iter();
                    let begin = below.find(|line| !is_trivia(line.of(text)))?.start;
                    (begin..trim_comment_end(text, all[last]), Style::Block, last)
                }
                None => (colon..colon, Style::Empty, at),
            }
        }
        Style::Literal | Style::Folded => {
            let last = last_line(text, all, at, |line| !is_blank(line) && indent(line) > base).unwrap_or(at);
            (start..all[last].end, style, last)
        }
        Style::Single | Style::Double | Style::Flow => {
            let end = match style {
                Style::Flow => flow_end(text, start)?,
                _ => quoted_end(text, start)?,
            };
            let last = at + all[at..].iter().position(|line| end <= line.end)?;
            is_trivia(&text[end..all[last].end]).then_some(())?;
            (start..end, style, last)
        }
        Style::Plain | Style::Decorated | Style::Block => {
            let last = last_line(text, all, at, |line| !is_trivia(line) && indent(line) > base).unwrap_or(at);
            let end = trim_comment_end(text, all[last]).max(start);
            (start..end, style, last)
        }
    };
    let entry = Entry {
        key: key.to_owned(),
        colon,
        value,
        style,
        lines: first.start..all[last].next,
    };
    Some((entry, last + 1))
}

fn style_of(rest: &str, after_blank: bool) -> Style {
    match rest.chars().next() {
        None => Style::Empty,
        Some('#') if after_blank => Style::Empty,
        Some('|') => Style::Literal,
        Some('>') => Style::Folded,
        Some('"') => Style::Double,
        Some('\'') => Style::Single,
        Some('[' | '{') => Style::Flow,
        Some('&' | '*' | '!') => Style::Decorated,
        Some(_) => Style::Plain,
    }
}

/// The last line of a value: of those that follow, blank lines and comments between them included, the last that
/// `belongs`.
fn last_line(text: &str, all: &[Line], at: usize, belongs: impl Fn(&str) -> bool) -> Option<usize> {
    let mut last = None;
    for (index, line) in all.iter().enumerate().skip(at + 1) {
        let line = line.of(text);
        if belongs(line) {
            last = Some(index);
        } else if !is_trivia(line) {
            break;
        }
    }
    last
}

/// The end of a line without its comment and the blanks before it.
fn trim_comment_end(text: &str, line: Line) -> usize {
    let content = line.of(text);
    let mut marks = content.match_indices('#');
    let comment = marks.find(|(at, _)| content[..*at].ends_with([' ', '\t']));
    let content = &content[..comment.map_or(content.len(), |(at, _)| at)];
    line.start + content.trim_end_matches([' ', '\t']).len()
}

/// After the closing quote of the quoted scalar at `start`.
fn quoted_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(start)?;
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            b if b == quote => {
                at += 1;
                if quote == b'"' || bytes.get(at) != Some(&quote) {
                    return Some(at);
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// After the closing bracket of the flow collection at `start`.
fn flow_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = start;
    let mut fresh = true;
    loop {
        match *bytes.get(at)? {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            // A quote opens a scalar only where one can begin; within `it's` it is a letter.
            b'"' | b'\'' if fresh => {
                at = quoted_end(text, at)?;
                fresh = false;
                continue;
            }
            b'#' if matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b'\r') => {
                let line = text[at..].find(['\n', '\r'])?;
                at += line;
                continue;
            }
            _ => {}
        }
        fresh = match bytes[at] {
            b'[' | b'{' | b',' | b':' => true,
            b' ' | b'\t' | b'\n' | b'\r' => fresh,
            _ => false,
        };
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(String, String, Style)> {
        let (entries, _) = scan(text, 0..text.len()).unwrap_or_else(|| panic!("not understood: {text:?}"));
        entries
            .into_iter()
            .map(|entry| (entry.key, text[entry.value].to_owned(), entry.style))
            .collect()
    }

    fn one(text: &str, value: &str, style: Style) {
        let found = seen(&format!("{text}\nnext: 1\n"));
        assert_eq!(found.len(), 2, "{text:?}: {found:?}");
        assert_eq!(
            (found[0].1.as_str(), found[0].2),
            (value, style),
            "{text:?}: {found:?}"
        );
    }

    #[test]
    fn finds_the_characters_of_a_value() {
        one("a: 2  # twice now", "2", Style::Plain);
        one("a: x#y", "x#y", Style::Plain);
        one("a: one\n  two # end", "one\n  two", Style::Plain);
        one("a: \"q # : '\" # c", "\"q # : '\"", Style::Double);
        one("a: \"x\\\"\ny\"", "\"x\\\"\ny\"", Style::Double);
        one("a: 'it''s'", "'it''s'", Style::Single);
        one("a: [x, \"]\", it's] # c", "[x, \"]\", it's]", Style::Flow);
        one("a: {x: [1,\n2], # ]\n}", "{x: [1,\n2], # ]\n}", Style::Flow);
        one("a:", "", Style::Empty);
        one("a: # none", "", Style::Empty);
        one("a:\n- x\n- y # c", "- x\n- y", Style::Block);
        one(
            "a:\n  b: c\n\n  # d\n  e: f",
            "  b: c\n\n  # d\n  e: f",
            Style::Block,
        );
        one(
            "a: |  # c\n  one\n\n  # two",
            "|  # c\n  one\n\n  # two",
            Style::Literal,
        );
        one("a: >-\n  one", ">-\n  one", Style::Folded);
        one("a: &x 5", "&x 5", Style::Decorated);
        one("'a b' : 1", "1", Style::Plain);
        one("a:b: 1", "1", Style::Plain);
    }

    #[test]
    fn comments_and_blank_lines_are_nobodys() {
        let text = "# head\n\na: 1\n# between\n\nb: |\n  x\n\n# tail\n";
        let (entries, base) = scan(text, 0..text.len()).expect("understood");
        assert_eq!(base, 0);
        let lines: Vec<_> = entries.iter().map(|entry| &text[entry.lines.clone()]).collect();
        assert_eq!(lines, ["a: 1\n", "b: |\n  x\n"]);
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        for text in [
            "{a: 1}",
            "? a\n: b\n",
            "- a\n",
            "a: 1\n  b\nc\n",
            "text\n",
            "a: 'x\n",
            "a: \"x\" y\n",
        ] {
            assert_eq!(scan(text, 0..text.len()), None, "{text:?}");
        }
    }

    #[test]
    fn takes_an_indented_mapping() {
        let text = "  a: 1\n  b:\n    - x\n";
        let (entries, base) = scan(text, 0..text.len()).expect("understood");
        assert_eq!((entries.len(), base), (2, 2));
    }
}
