//! The facts in a markdown text: each item of an unordered list that says something by itself, with the context that its
//! heading gives. Steps of a numbered list, tasks to tick off, items around code, placeholders and what a tool wrote
//! between its marks are no facts; they stay, and so does all else, in a note of the rest.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::entry::{Entry, Parts};
use super::source::behind_frontmatter;
use crate::capture::{is_planted, memory_type};
use crate::document::{Key, NewMemory, Value};
use crate::model::{Content, Kind};
use crate::policy::Rules;
use crate::text::one_line;

/// The longest paragraph or item that gives a context to the list below it, and description that stands in a line.
const LONGEST_LABEL: usize = 60;
/// The levels of a line that leads to a list, and of an item that does, below those of headings.
const LABEL: u8 = 7;

/// Words of a heading above what passes, or praises: plans, history, what a thing is; and above what are no statements.
const PASSING: [&str; 21] = [
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
    "relations",
    "roadmap",
    "status",
    "todo",
    "todos",
    "未来",
    "路线图",
    "待办",
];
/// Beginnings of what stands in a file that a tool made and nobody filled in.
const STUBS: [&str; 9] = [
    "this file provides guidance to ",
    "tbd",
    "todo",
    "n/a",
    "none yet",
    "(none",
    "[add ",
    "[your ",
    "[describe ",
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

/// The statements of a text, in their order, and what stands above something: headings, and the lines and items that lead
/// to a list, by their levels.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) statements: Vec<Statement>,
    pub(super) labels: Vec<Label>,
}

/// What stands above something.
pub(super) struct Label {
    level: u8,
    words: Range<usize>,
    /// The most that it stands above reaches to here.
    end: usize,
}

/// The facts of a text, and a note of the rest, where anything else is said.
pub(super) fn split(mut entry: Entry, rules: &Rules) -> Vec<Entry> {
    let text = entry
        .bytes
        .as_deref()
        .and_then(|bytes| std::str::from_utf8(bytes).ok());
    let (Some(parts), Some(text)) = (entry.parts.take(), text) else {
        return vec![entry];
    };
    let body = behind_frontmatter(text, |_| true).unwrap_or(text);
    let head = &text[..text.len() - body.len()];
    let above = head.lines().count();
    let outline = outline(body);
    let (mut facts, mut taken) = (Vec::new(), Vec::new());
    for statement in &outline.statements {
        let Some(fact) = fact(statement, &parts, &entry) else {
            continue;
        };
        let words = fact.content.keyed_text();
        let made = if is_planted(words) {
            Entry::left_out("it reads like an instruction to the agent")
        } else {
            Entry {
                paths: entry.paths.clone(),
                ..Entry::words(fact, rules)
            }
        };
        let place = statement.context.as_deref().unwrap_or("list");
        facts.push(made.at(entry.told.file.as_ref(), place, Some(above + statement.line)));
        taken.push(statement.range.clone());
    }
    if let Some(rest) = without(body, &outline.labels, &taken) {
        entry.bytes = Some(format!("{head}{rest}").into_bytes());
        facts.push(entry);
    } else {
        // What was to be said of the file, and a link to it, go to the first of its facts.
        if let (Some(remark), Some(fact)) = (entry.told.remark.take(), facts.first_mut()) {
            fact.told.say(remark);
        }
        let stem = entry.path.rsplit('/').next().unwrap_or_default();
        let stem = stem.trim_end_matches(".md").to_owned();
        let mut names: Vec<String> = parts.subject.into_iter().chain([stem]).collect();
        names.dedup();
        if let Some(fact) = facts.iter_mut().find(|fact| fact.bytes.is_some()) {
            fact.keys.push((Key::Aliases, Value::List(names)));
        }
    }
    facts
}

/// The fact that a statement is; `None` where it is none.
fn fact(statement: &Statement, parts: &Parts, entry: &Entry) -> Option<NewMemory> {
    let (mut text, kind, mut tags) = match observation(&statement.text) {
        Some((words, kind, tags)) => (words, kind, tags),
        None if parts.only_observations => return None,
        None => {
            let mut code = statement.text.split('`');
            // A bare name says nothing.
            if let (Some(""), Some(_), Some(""), None) = (code.next(), code.next(), code.next(), code.next())
            {
                return None;
            }
            // A line that begins with a link to a file is an index of others.
            let link = statement
                .text
                .strip_prefix('[')
                .and_then(|rest| rest.split_once("]("));
            let target = link.and_then(|(_, rest)| rest.split(')').next());
            if target.is_some_and(|target| target.ends_with(".md") && !target.contains("://")) {
                return None;
            }
            let names_a_thing = statement.text.trim_start_matches('*').starts_with('`');
            let kind = if names_a_thing {
                Kind::new("reference")
            } else {
                memory_type(&statement.text)
            };
            (statement.text.clone(), kind, Vec::new())
        }
    };
    let context = parts.subject.as_ref().or(statement.context.as_ref());
    if let Some(context) = context.filter(|context| !text.to_lowercase().contains(&context.to_lowercase())) {
        text = format!("{context}: {text}");
    }
    let mut rationale = None;
    if !entry.paths.is_empty() {
        match entry.key(Key::Description) {
            Some(Value::Text(about)) if about.chars().count() <= LONGEST_LABEL => {
                text = format!("{about}: {text}");
            }
            Some(Value::Text(about)) => rationale = Some(one_line(about)),
            _ => {}
        }
    }
    tags.extend(parts.tags.iter().cloned());
    Some(NewMemory {
        kind,
        tags,
        created: entry.key(Key::Created).cloned(),
        updated: entry.key(Key::Updated).cloned(),
        content: Content::Fact { text, rationale },
        ..NewMemory::default()
    })
}

/// The observation of basic-memory's that an item is: `[category] text #tag`.
fn observation(text: &str) -> Option<(String, Kind, Vec<String>)> {
    let (category, words) = text.strip_prefix('[')?.split_once("] ")?;
    let is_category = category.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c));
    let category = category.trim();
    if !is_category || category.is_empty() || words.trim().is_empty() {
        return None;
    }
    let is_tag = |word: &&str| word.len() > 1 && word.starts_with('#');
    let (tags, plain): (Vec<&str>, Vec<&str>) = words.split_whitespace().partition(is_tag);
    let kind = match category {
        "preference" | "rule" | "convention" => Kind::new("feedback"),
        "decision" => Kind::new("decision"),
        "reference" | "link" | "source" => Kind::new("reference"),
        _ => Kind::default(),
    };
    let tags = std::iter::once(category).chain(tags.iter().map(|tag| &tag[1..]));
    Some((plain.join(" "), kind, tags.map(str::to_owned).collect()))
}

/// The fact of a text in named parts: `**What**`, for the reason of its `**Why**` and of the other parts. `None` where it
/// has several lines without such names, or code, which no line of a fact can hold.
pub(super) fn labelled(text: &str) -> Option<Content> {
    let is_mark = |line: &str| line.starts_with("**") && line.contains("**:");
    let (mut what, mut why, mut others) = (String::new(), String::new(), String::new());
    let mut part = &mut others;
    for line in text.lines() {
        let words = match line.split_once("**:").filter(|_| is_mark(line)) {
            Some(("**What", words)) => {
                part = &mut what;
                words
            }
            Some(("**Why", words)) => {
                part = &mut why;
                words
            }
            Some(_) => {
                part = &mut others;
                line
            }
            None => line,
        };
        part.extend([words, "\n"]);
    }
    if what.trim().is_empty() || others.contains("```") {
        let content = crate::document::read_content(text);
        return Some(content).filter(|content| !content.is_note() && what.is_empty());
    }
    let on_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let reason = on_one_line(&format!("{why} {}", others.replace("**", "")));
    Some(Content::Fact {
        text: on_one_line(&what),
        rationale: (!reason.is_empty()).then_some(reason),
    })
}

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
pub(super) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut headings: Vec<(HeadingLevel, String)> = Vec::new();
    let mut label: Option<(String, Range<usize>)> = None;
    let (mut numbered, mut quotes, mut links) = (0_usize, 0_usize, 0_usize);
    let mut is_generated = false;
    let mut open: Vec<Open> = Vec::new();
    let options = Options::ENABLE_TASKLISTS | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if open.is_empty() => {
                if quotes == 0 {
                    outline.labels.push(Label {
                        level: level as u8,
                        words: range.clone(),
                        end: text.len(),
                    });
                }
                headings.retain(|(above, _)| *above < level);
                headings.push((level, label_of(text[range].trim_start_matches('#'))));
                label = None;
            }
            Event::Start(Tag::Paragraph) if open.is_empty() => {
                let words = text[range.clone()].trim();
                let is_label = words.ends_with(':') && words.chars().count() <= LONGEST_LABEL;
                label = is_label.then(|| (label_of(words), range));
            }
            Event::Start(Tag::List(number)) => {
                numbered += usize::from(numbered > 0 || number.is_some());
                let lead = match open.last() {
                    Some(item) => item.words.as_ref().map(|words| item.range.start..words.end),
                    None => label.as_ref().map(|(_, words)| words.clone()),
                };
                let level = LABEL + u8::try_from(open.len()).unwrap_or(u8::MAX - LABEL);
                let end = range.end;
                let lead = lead.filter(|words| text[words.clone()].trim_end().ends_with(':'));
                outline
                    .labels
                    .extend(lead.map(|words| Label { level, words, end }));
                if let Some(item) = open.last_mut() {
                    outline
                        .statements
                        .extend(finish(text, item, context(&headings, label.as_ref())));
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
                    && !is_generated
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
                    outline.statements.extend(finish(text, &mut item, context));
                }
            }
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes -= 1,
            // What stands between the marks of a tool is that tool's.
            Event::Html(html) if html.starts_with("<!--") => {
                let mark = html.to_lowercase();
                let has = |words: [&str; 2]| words.iter().any(|word| mark.contains(word));
                is_generated = has(["begin", "start"]) || is_generated && !has(["end", "stop"]);
            }
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
    outline.statements.sort_by_key(|statement| statement.range.start);
    outline.labels.sort_by_key(|label| label.words.start);
    outline
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
    let is_open = std::mem::take(&mut item.is_statement) && item.says_something;
    (is_open && !words.ends_with(':') && !is_stub(&words)).then(|| Statement {
        context,
        line: text[..item.range.start].matches('\n').count() + 1,
        text: words,
        range: item.range.start..range.end,
    })
}

/// Says whether a line is what a tool puts where something is to be filled in.
fn is_stub(words: &str) -> bool {
    let words = words
        .trim()
        .trim_start_matches(['-', ' ', '*', '_'])
        .to_lowercase();
    STUBS.iter().any(|stub| words.starts_with(stub))
}

/// The context of a list: the line that leads to it, else the heading above it, but for that of the whole text.
fn context(headings: &[(HeadingLevel, String)], label: Option<&(String, Range<usize>)>) -> Option<String> {
    let heading = headings
        .last()
        .filter(|(level, words)| *level != HeadingLevel::H1 && !words.is_empty());
    label
        .map(|(words, _)| words)
        .or(heading.map(|(_, words)| words))
        .cloned()
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

/// The text without what was taken at these places, and without the headings and labels all below which was taken; `None`
/// where nothing else is said.
pub(super) fn without(text: &str, labels: &[Label], taken: &[Range<usize>]) -> Option<String> {
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
    for (place, Label { level, words, end }) in labels.iter().enumerate().rev() {
        let next = labels[place + 1..].iter().find(|other| other.level <= *level);
        let end = next.map_or(*end, |next| next.words.start.min(*end));
        let first = taken.partition_point(|range| range.start < words.end);
        let was_above = taken.get(first).is_some_and(|range| range.start < end);
        let mut section = within(&(words.start..end));
        let is_bare = |at: usize| lines[at].0 < words.end || !is_kept[at] || lines[at].1.trim().is_empty();
        if was_above && section.all(is_bare) {
            is_kept[within(words)].fill(false);
        }
    }
    let is_heading = |line: &str| line.trim_start().starts_with('#');
    let says = |(at, (_, line)): (usize, &(usize, &str))| {
        is_kept[at] && !line.trim().is_empty() && !is_heading(line) && !is_stub(line)
    };
    if !lines.iter().enumerate().any(says) {
        return None;
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
