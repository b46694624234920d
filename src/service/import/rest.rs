//! The rest of a markdown text whose statements were taken out: nothing else in it changes.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use super::statements::Statement;

/// A line of the text.
struct Line<'t> {
    /// Its words, with the end of the line.
    text: &'t str,
    /// The byte at which it begins.
    start: usize,
    is_kept: bool,
    /// True in a block of code, whose blank lines are its own.
    is_code: bool,
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty() && !self.is_code
    }
}

/// The headings of a text, and its blocks of code.
#[derive(Default)]
struct Shape {
    headings: Vec<(HeadingLevel, Range<usize>)>,
    code: Vec<Range<usize>>,
}

/// The text without these statements, and without the headings all of whose items are among them; `None` where nothing
/// else is said.
pub(super) fn without(text: &str, taken: &[Statement]) -> Option<String> {
    if taken.is_empty() {
        return Some(text.to_owned());
    }
    let shape = shape(text);
    let mut lines = lines(text, &shape);
    for statement in taken {
        drop_lines(&mut lines, &statement.range);
    }
    drop_bare_headings(&mut lines, &shape, taken);
    drop_gaps(&mut lines);
    let rest: String = lines
        .iter()
        .filter(|line| line.is_kept)
        .map(|line| line.text)
        .collect();
    (!rest.trim().is_empty()).then_some(rest)
}

fn shape(text: &str) -> Shape {
    let mut shape = Shape::default();
    let mut containers = 0_usize;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if containers == 0 => {
                shape.headings.push((level, range));
            }
            Event::Start(Tag::CodeBlock(_)) => shape.code.push(range),
            Event::Start(Tag::Item | Tag::BlockQuote(_)) => containers += 1,
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => containers -= 1,
            _ => {}
        }
    }
    shape
}

fn lines<'t>(text: &'t str, shape: &Shape) -> Vec<Line<'t>> {
    let mut start = 0;
    let mut lines: Vec<Line<'t>> = Vec::new();
    for text in text.split_inclusive('\n') {
        lines.push(Line {
            text,
            start,
            is_kept: true,
            is_code: false,
        });
        start += text.len();
    }
    for code in &shape.code {
        within(&mut lines, code).for_each(|line| line.is_code = true);
    }
    lines
}

/// The lines that a range touches. They follow each other, so that a search finds the first.
fn within<'l, 't>(
    lines: &'l mut [Line<'t>],
    range: &Range<usize>,
) -> impl Iterator<Item = &'l mut Line<'t>> + use<'l, 't> {
    let first = lines.partition_point(|line| line.start + line.text.len() <= range.start);
    let end = lines.partition_point(|line| line.start < range.end);
    lines[first..end.max(first)].iter_mut()
}

fn drop_lines(lines: &mut [Line<'_>], range: &Range<usize>) {
    within(lines, range).for_each(|line| line.is_kept = false);
}

/// Drops the headings below which something was taken and nothing is left. The deepest come first, because a heading
/// above them may then stand over nothing.
fn drop_bare_headings(lines: &mut [Line<'_>], shape: &Shape, taken: &[Statement]) {
    for (place, (level, heading)) in shape.headings.iter().enumerate().rev() {
        let below = &shape.headings[place + 1..];
        let end = below
            .iter()
            .find(|(other, _)| other <= level)
            .map_or(usize::MAX, |(_, next)| next.start);
        let section = heading.end..end;
        let first = taken.partition_point(|statement| statement.range.start < section.start);
        let has_items = taken
            .get(first)
            .is_some_and(|statement| section.contains(&statement.range.start));
        let says_nothing =
            |line: &mut Line<'_>| line.start < heading.end || !line.is_kept || line.text.trim().is_empty();
        let is_empty = within(lines, &section).all(says_nothing);
        if has_items && is_empty {
            drop_lines(lines, heading);
        }
    }
}

/// Drops the blank lines that meet another blank line, or an end of the text, where something between was dropped.
fn drop_gaps(lines: &mut [Line<'_>]) {
    let mut follows_blank = true;
    let mut is_at_gap = false;
    for line in lines.iter_mut() {
        if !line.is_kept {
            is_at_gap = true;
        } else if line.is_blank() {
            line.is_kept = !(is_at_gap && follows_blank);
            follows_blank = true;
        } else {
            follows_blank = false;
            is_at_gap = false;
        }
    }
    for line in lines
        .iter_mut()
        .rev()
        .take_while(|line| !line.is_kept || line.is_blank())
    {
        line.is_kept = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::statements::statements;
    use super::*;

    fn rest(text: &str) -> Option<String> {
        without(text, &statements(text))
    }

    #[test]
    fn a_block_of_code_stays_as_it_is() {
        let code = "```sh\n# Never run this\n\n\n# nor this\nrm -rf x\n\n```\n";
        let text = format!("# A\n\n## Rules\n\n- Use npm\n\n## Code\n\n{code}\n## More\n\n- Use x\n");
        assert_eq!(rest(&text).unwrap(), format!("# A\n\n## Code\n\n{code}"));
    }

    #[test]
    fn a_heading_that_never_had_a_list_stays() {
        assert_eq!(
            rest("# A\n\n## Soon\n\n## Rules\n\n- Use npm\n\n## Empty\n").unwrap(),
            "# A\n\n## Soon\n\n## Empty\n"
        );
        assert_eq!(rest("A\n=\n\nB\n-\n\n- Use npm\n"), None);
    }

    #[test]
    fn line_ends_and_what_is_not_taken_stay_byte_for_byte() {
        assert_eq!(
            rest("# A\r\n\r\n- Use npm\r\n\r\nMore.\r\n").unwrap(),
            "# A\r\n\r\nMore.\r\n"
        );
        for text in ["# A\r\n\n\n## B\n\n\n1. x\r\n\n\n", "no end", "# A\n"] {
            assert_eq!(rest(text).as_deref(), Some(text));
        }
        assert_eq!(rest("One.\n\n\nTwo.\n\n- Use npm\n").unwrap(), "One.\n\n\nTwo.\n");
    }
}
