//! The statements of a markdown text: each item of an unordered list that says something by itself, with the context that
//! its heading gives. Steps of a numbered list, tasks to tick off, and items around code are no statements; they stay, and
//! so does all else in the rest of the text.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The longest paragraph or item that gives a context to the list below it.
const LONGEST_LABEL: usize = 60;

/// Words of a heading above what passes, or praises: plans, history, what a thing is. Such items are no rules, and stay in
/// the note.
const PASSING: [&str; 20] = [
    "about",
    "backlog",
    "changelog",
    "done",
    "feature",
    "features",
    "future",
    "highlights",
    "history",
    "overview",
    "planned",
    "plans",
    "progress",
    "roadmap",
    "status",
    "todo",
    "todos",
    "未来",
    "路线图",
    "待办",
];

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// The heading, or the line that ends with a colon above the list.
    pub(super) context: Option<String>,
    /// The words, on one line.
    pub(super) text: String,
    /// The line of the text on which it begins, from 1.
    pub(super) line: usize,
    /// Its place in the text, with the mark of the list.
    pub(super) range: Range<usize>,
}

impl Statement {
    /// The words with the context that they need.
    pub(super) fn whole(&self) -> String {
        match &self.context {
            Some(context) if !self.text.to_lowercase().contains(&context.to_lowercase()) => {
                format!("{context}: {}", self.text)
            }
            _ => self.text.clone(),
        }
    }
}

/// The statements of a text, in their order, and its headings.
pub(super) struct Outline {
    pub(super) statements: Vec<Statement>,
    pub(super) headings: Vec<Heading>,
}

/// A heading outside of lists and quotes: its level and its lines.
type Heading = (HeadingLevel, Range<usize>);

/// An item that is being read.
struct Open {
    range: Range<usize>,
    /// Its own words, without those of the lists in it.
    words: Option<Range<usize>>,
    is_statement: bool,
    /// False where it is but a link, or marks without a word.
    says_something: bool,
}

/// Reads a text.
pub(super) fn statements(text: &str) -> Outline {
    let (mut found, mut all_headings) = (Vec::new(), Vec::new());
    let mut headings: Vec<(HeadingLevel, String)> = Vec::new();
    let mut label: Option<String> = None;
    let mut numbered = 0_usize;
    let mut quotes = 0_usize;
    let mut links = 0_usize;
    let mut open: Vec<Open> = Vec::new();
    let options = Options::ENABLE_TASKLISTS | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if open.is_empty() => {
                if quotes == 0 {
                    all_headings.push((level, range.clone()));
                }
                headings.retain(|(above, _)| *above < level);
                headings.push((level, label_of(text[range].trim_start_matches('#'))));
                label = None;
            }
            Event::Start(Tag::Paragraph) if open.is_empty() => {
                let words = text[range].trim();
                let is_label = words.ends_with(':') && words.chars().count() <= LONGEST_LABEL;
                label = is_label.then(|| label_of(words));
            }
            Event::Start(Tag::List(number)) => {
                numbered += usize::from(numbered > 0 || number.is_some());
                if let Some(item) = open.last_mut() {
                    found.extend(finish(text, item, context(&headings, label.as_ref())));
                }
            }
            Event::End(TagEnd::List(_)) => {
                numbered = numbered.saturating_sub(1);
                if open.is_empty() {
                    label = None;
                }
            }
            Event::Start(Tag::Item) => open.push(Open {
                range,
                words: None,
                is_statement: numbered == 0
                    && quotes == 0
                    && !headings.iter().any(|(_, words)| passes(words)),
                says_something: false,
            }),
            Event::End(TagEnd::Item) => {
                if let Some(mut item) = open.pop() {
                    let above = open
                        .last()
                        .and_then(|above| Some(label_of(&text[above.words.clone()?])));
                    let above = above.filter(|above| above.chars().count() <= LONGEST_LABEL);
                    let context = above.or_else(|| context(&headings, label.as_ref()));
                    found.extend(finish(text, &mut item, context));
                }
            }
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes -= 1,
            Event::Start(Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock) | Event::TaskListMarker(_) => {
                for item in &mut open {
                    item.is_statement = false;
                }
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                links += 1;
                grow(&mut open, range, false);
            }
            Event::End(TagEnd::Link | TagEnd::Image) => links -= 1,
            Event::Text(words) => grow(
                &mut open,
                range,
                links == 0 && words.contains(char::is_alphanumeric),
            ),
            Event::Code(_) | Event::InlineHtml(_) => grow(&mut open, range, links == 0),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => grow(&mut open, range, false),
            _ => {}
        }
    }
    found.sort_by_key(|statement| statement.range.start);
    Outline {
        statements: found,
        headings: all_headings,
    }
}

/// Lets the words of the innermost item reach to the end of a range.
fn grow(open: &mut [Open], range: Range<usize>, says_something: bool) {
    let Some(item) = open.last_mut() else { return };
    item.says_something |= says_something;
    item.words = Some(match item.words.take() {
        Some(words) => words.start..words.end.max(range.end),
        None => range,
    });
}

/// Takes the own words of an item once, before the first list in it, or at its end.
fn finish(text: &str, item: &mut Open, context: Option<String>) -> Option<Statement> {
    let range = item.words.clone()?;
    let words = text[range.clone()]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let opens_a_list = words.ends_with(':');
    let is_one = std::mem::take(&mut item.is_statement) && !opens_a_list && item.says_something;
    is_one.then(|| Statement {
        context,
        line: text[..item.range.start].matches('\n').count() + 1,
        text: words,
        range: item.range.start..range.end,
    })
}

/// The context of a list: the line that leads to it, else the heading above it, but for that of the whole text.
fn context(headings: &[(HeadingLevel, String)], label: Option<&String>) -> Option<String> {
    let heading = headings
        .last()
        .filter(|(level, words)| *level != HeadingLevel::H1 && !words.is_empty());
    label.or(heading.map(|(_, words)| words)).cloned()
}

/// Says whether a heading stands above what passes.
fn passes(heading: &str) -> bool {
    let words = heading.to_lowercase();
    let mut words = words.split(|c: char| !c.is_alphanumeric());
    let first_two: Vec<&str> = words.clone().take(2).collect();
    first_two == ["what", "is"] || words.any(|word| PASSING.contains(&word))
}

/// The words of a heading or a lead, without what marks them up.
fn label_of(words: &str) -> String {
    let plain = words.replace(['*', '`', '_'], "");
    let plain = plain.trim().trim_end_matches([':', '#']);
    plain
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .trim()
        .to_owned()
}

/// The text without what was taken at these places, and without the headings all below which was taken; `None` where
/// nothing else is said.
pub(super) fn without(text: &str, headings: &[Heading], taken: &[Range<usize>]) -> Option<String> {
    if taken.is_empty() {
        return Some(text.to_owned());
    }
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        (start - line.len(), line)
    });
    let lines: Vec<(usize, &str)> = lines.collect();
    let mut is_kept = vec![true; lines.len()];
    // The lines that a range touches. They follow each other, so that a search finds the first.
    let within = |range: &Range<usize>| {
        let first = lines.partition_point(|(start, line)| start + line.len() <= range.start);
        first..lines.partition_point(|(start, _)| *start < range.end).max(first)
    };
    for range in taken {
        is_kept[within(range)].fill(false);
    }
    // The deepest come first, because a heading above them may then stand over nothing.
    for (place, (level, heading)) in headings.iter().enumerate().rev() {
        let mut below = headings[place + 1..].iter();
        let next = below.find(|(other, _)| other <= level);
        let end = next.map_or(text.len(), |(_, next)| next.start);
        let first = taken.partition_point(|range| range.start < heading.end);
        let was_above = taken.get(first).is_some_and(|range| range.start < end);
        let mut section = within(&(heading.start..end));
        let is_bare = |at: usize| lines[at].0 < heading.end || !is_kept[at] || lines[at].1.trim().is_empty();
        if was_above && section.all(is_bare) {
            is_kept[within(heading)].fill(false);
        }
    }
    // Where something was dropped, two blank lines meet, or one stands at an end: one of them is enough, or none.
    let (mut rest, mut follows_blank, mut is_at_gap) = (String::new(), true, false);
    for ((_, line), is_kept) in lines.into_iter().zip(is_kept) {
        let is_blank = line.trim().is_empty();
        is_at_gap |= !is_kept;
        if is_kept && !(is_blank && is_at_gap && follows_blank) {
            rest.push_str(line);
            is_at_gap &= is_blank;
            follows_blank = is_blank;
        }
    }
    let said = rest.trim_end();
    let end = rest[said.len()..]
        .find('\n')
        .map_or(rest.len(), |at| said.len() + at + 1);
    rest.truncate(end);
    (!rest.trim().is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests;
