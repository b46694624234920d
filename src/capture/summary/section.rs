//! The place in a summary of its candidates: the last section, in any of the forms in which models write it, beside the
//! list that they are asked for: other headings, sub-headings by type, tables, elements, JSON. Each of its lines becomes the
//! line of that list which says the same.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::candidate::{is_marked, is_none, is_typed, unmarked};
use super::{command, snapshot};
use crate::capture::proposal::list_in;
use crate::text::{one_line, pattern};

/// The most words of a line that could be meant to begin a section.
const MOST_WORDS: usize = 5;

/// A line that begins a section: a tag, or its name with signs of a heading, a number, a remark in brackets, in another
/// language. Group `mark`: signs that tell it from a line of prose. Group `rest`: what follows on the line.
static START: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^ {0,3}(?:(?P<tag><(?:workspace_)?memory_candidates *>)|(?P<head>(?:#{1,6} *|(?:[-*•] +)?\d{1,2}[.)、] *|[*_]{2,3}|[^\pL\pN\s\x00-\x7f]{1,3} +)*)(?:workspace )?(?:memory candidates?|记忆候选项?|記憶候選|メモリー?候補|記憶の?候補|메모리 후보|기억 후보)(?: ?[(（][^)）]{0,40}[)）])?[*_]*(?P<colon>[:：]?)[*_` ]*#*)\s*(?P<rest>.*)$",
    )
});

/// The tag that closes a section.
static CLOSE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)</(?:workspace_)?memory_candidates *>"));

/// A line that ends a section: a heading, a line in bold, a label of up to five words, perhaps with what it labels
/// (`Goal: shrink the image.`), or the end of a block around the summary.
static END: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"[\w/&()'-]*(?: [\w/&()'-]+){0,4} ?[:：]";
    pattern(&format!(
        r"^ {{0,3}}#{{1,6}}(?:\s|$)|^\s*(?:\*\*[^\[].*?(?:[:：]\*\*.*|\*\*[:：].*|\*\*)|\w{words}|\p{{Lu}}{words} .*|</[\w:-]+>)\s*$"
    ))
});

/// A sub-heading that gives the type of the entries below it.
static TYPE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^ {0,3}(?:#{3,6} +|[*_]{1,2})[*_`\[]*(decision|project|reference|feedback|user)s?[\]`]*(?: (?:facts?|memor(?:y|ies)|candidates?|preferences?))?[*_: ]*$",
    )
});

/// A row of a table, an element with the type in it, and one that is named by it; groups: the type, and the text.
static FORMS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)^\s*\|(?:\s*#?\d+\s*\|)?\s*[*_`\[]*(decision|project|reference|feedback|user)[\]*_`]*\s*\|\s*(.+?)\s*\|(?:[^|]*\|)?\s*$",
        r#"(?i)^\s*(?:[-*] )?<(?:memory|candidate|entry)\s[^>]*?type=["']?(\w+)["']?[^>]*>\s*(.+?)\s*(?:</\w+>)?\s*$"#,
        r"(?i)^\s*(?:[-*] )?<(decision|project|reference|feedback|user)>\s*(.+?)\s*(?:</\w+>)?\s*$",
    ]
    .map(pattern)
});

/// A field of YAML, and the lines that say nothing: brackets, rows of a table, rules.
static FIELD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^\s*(?:- )?(type|kind|text|content|memory|fact)\s*:\s*["']?(.+?)["']?\s*$"#));
static EMPTY: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:[\[\]{},]+|\|.*|={2,}|-{2,})\s*$"));

/// The line under a title in markdown's other form of a heading.
static UNDERLINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:={2,}|-{2,})\s*$"));

/// The last section of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Section {
    /// Its lines, without what begins it.
    pub(super) lines: Vec<String>,
    /// The places of all its lines, with the one that begins it and a tag that closes it.
    pub(super) places: Range<usize>,
    is_closed: bool,
}

/// The last section; an empty one where there is none.
pub(super) fn last(visible: &[&str]) -> Section {
    let mut section = Section::default();
    let (mut is_open, mut kind) = (false, None);
    for (at, &whole) in visible.iter().enumerate() {
        let next = following(visible, at);
        let begun = start(whole, said_next(visible, at));
        if begun.is_some() {
            (is_open, kind) = (true, None);
            section = Section {
                places: at..visible.len(),
                ..Section::default()
            };
        }
        let line = begun.unwrap_or(whole);
        if !is_open {
            continue;
        }
        if let Some(close) = CLOSE.find(line) {
            section.lines.push(line[..close.start()].to_owned());
            (section.places.end, section.is_closed, is_open) = (at + 1, true, false);
        } else if let Some(found) = TYPE.captures(line) {
            kind = Some(found[1].to_owned());
        } else if begun.is_none() && ends(line, next) {
            (section.places.end, is_open) = (at, false);
        } else {
            section.lines.push(listed(line, &mut kind));
        }
    }
    let in_json = list_in(&visible[section.places.clone()].join("\n")).unwrap_or_default();
    let in_json = in_json.iter().filter_map(|item| {
        let field = |names: &[&str]| names.iter().find_map(|name| item.get(*name)?.as_str());
        Some(typed(
            field(&["type", "kind"])?,
            field(&["text", "content", "memory", "fact"])?,
        ))
    });
    let mut in_json = in_json.peekable();
    if in_json.peek().is_some() {
        section.lines.retain(|line| is_marked(line.trim()));
        section.lines.extend(in_json);
    }
    section
}

/// True when a section begins at a line.
fn begins_at(visible: &[&str], at: usize) -> bool {
    start(visible[at], said_next(visible, at)).is_some()
}

/// Gives the rest of the line that begins a section; `None` for a line that begins no section.
pub(super) fn start<'t>(line: &'t str, next: &str) -> Option<&'t str> {
    let found = START.captures(line)?;
    let rest = found.name("rest")?.as_str();
    let has = |group: &str| found.name(group).is_some_and(|found| !found.as_str().is_empty());
    let opens = rest.is_empty() || is_none(rest) || rest.starts_with('[');
    let is_title = has("head") || UNDERLINE.is_match(next) || is_entry(next);
    let begins = has("tag") || (opens && has("colon")) || (rest.is_empty() && is_title);
    begins.then_some(rest)
}

/// True when a line ends the section before it.
fn ends(line: &str, next: &str) -> bool {
    let bare = line.trim();
    let is_item = is_marked(bare) || is_typed(bare) || snapshot::is_stated(bare);
    let is_title = UNDERLINE.is_match(next) && !bare.is_empty();
    !is_item && (is_title || END.is_match(line))
}

/// The line of the list that was asked for.
fn listed(line: &str, kind: &mut Option<String>) -> String {
    let bare = unmarked(line);
    if let Some(found) = FORMS.iter().find_map(|form| form.captures(line)) {
        return typed(&found[1], &found[2]);
    }
    match (FIELD.captures(line), &kind) {
        (Some(field), _) if ["type", "kind"].contains(&&field[1]) => {
            *kind = Some(field[2].to_owned());
            String::new()
        }
        (Some(field), Some(kind)) => typed(kind, &field[2]),
        (None, Some(kind)) if is_marked(line.trim()) && !is_typed(bare) && !command::is_one(bare) => {
            typed(kind, bare)
        }
        _ if EMPTY.is_match(line) => String::new(),
        _ => line.to_owned(),
    }
}

fn typed(kind: &str, text: &str) -> String {
    format!("- [{}] {}", kind.to_lowercase(), one_line(text))
}

/// The place after the entries of a section: a paragraph behind a blank line is none of them, but for what stands
/// between tags.
pub(super) fn end_of_entries(visible: &[&str], section: &Section) -> usize {
    let places = section.places.clone();
    let is_paragraph = |at: &usize| {
        let line = visible[*at];
        let is_apart = visible[*at - 1].trim().is_empty() && !line.trim().is_empty();
        let is_read = is_entry(line) || is_typed(line) || snapshot::is_stated(line) || command::is_one(line);
        is_apart && !line.starts_with([' ', '\t']) && !is_read && !UNDERLINE.is_match(line)
    };
    let mut behind = (places.start + 2..places.end).filter(|_| !section.is_closed);
    behind.find(is_paragraph).unwrap_or(places.end)
}

/// The last line that looks as if it began a section and does not: `## Candidate memories`.
pub(super) fn near<'t>(visible: &[&'t str]) -> Option<&'t str> {
    let is_near = |at: &usize| {
        let line = visible[*at].trim();
        let lower = line.to_lowercase();
        let named = lower.contains("memor") && lower.contains("candidate");
        let short = line.split_whitespace().count() <= MOST_WORDS;
        let next = following(visible, *at);
        let begins = line.starts_with('#') || line.ends_with([':', '：', '*', '>']) || is_entry(next);
        named && short && begins && !is_typed(line) && !begins_at(visible, *at)
    };
    let mut places = (0..visible.len()).rev();
    places.find(is_near).map(|at| visible[at].trim())
}

/// True when a line is an entry of a section: a bullet, or a type in brackets, or the word that there is no candidate.
fn is_entry(line: &str) -> bool {
    let line = line.trim();
    is_marked(line) || line.starts_with('[') || (!line.is_empty() && is_none(line))
}

fn following<'t>(visible: &[&'t str], at: usize) -> &'t str {
    visible.get(at + 1).copied().unwrap_or("")
}

/// The next line, or the one behind it where that is blank.
fn said_next<'t>(visible: &[&'t str], at: usize) -> &'t str {
    let next = following(visible, at);
    if next.trim().is_empty() {
        following(visible, at + 1)
    } else {
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(summary: &str) -> Vec<String> {
        let lines: Vec<&str> = summary.lines().collect();
        let lines = last(&lines).lines.into_iter();
        lines.filter(|line| !line.trim().is_empty()).collect()
    }

    #[test]
    fn has_many_forms() {
        for start in [
            "Memory candidates:",
            "memory candidates:",
            "**Memory candidates:**",
            "**Memory Candidates**:",
            "Memory candidates：",
            "5. Memory candidates:",
            "# Memory Candidates",
            "###### MEMORY CANDIDATES:",
            "## **Memory candidates**",
            "## Workspace Memory Candidates ##",
            "Memory Candidates\n-----",
            "<workspace_memory_candidates>",
            "<Workspace_Memory_Candidates >",
            "<memory_candidates>",
            "**Memory Candidates**",
            "## 5. Memory candidates",
            "5. **Memory candidates**",
            "Memory candidates",
        ] {
            assert_eq!(
                section(&format!("x\n{start}\n- a\n- b")),
                ["- a", "- b"],
                "{start}"
            );
        }
    }

    #[test]
    fn talk_about_it_begins_none() {
        for talk in [
            "The phrase \"Memory candidates:\" is talk.",
            "Memory candidates: only those of the last session.",
            "# Workspace Memory Candidates heading was renamed",
            "    Memory candidates:",
            "see <workspace_memory_candidates>",
            "Memory candidates follow:",
        ] {
            assert_eq!(section(&format!("{talk}\n- a")), [""; 0], "{talk}");
        }
    }

    #[test]
    fn ends_at_the_next_heading_or_label() {
        for end in [
            "## Next",
            "#",
            "Next steps:",
            "Goal: shrink the image",
            "**Findings**",
            "**Next:** more",
            "Next\n====",
            "</workspace_memory_candidates>",
            "</summary>",
            "下一步：",
        ] {
            let summary = format!("Memory candidates:\n- a\n\n{end}\n- b");
            assert_eq!(section(&summary), ["- a"], "{end}");
        }
    }

    #[test]
    fn goes_on_over_what_is_no_label() {
        let summary =
            "Memory candidates:\n- a: b\n---\nMemory ref snapshot id: 1\n[decision] Keep it: yes\n#no";
        assert_eq!(section(summary).len(), 4);
    }

    #[test]
    fn a_section_that_is_nearly_one_is_told() {
        for line in [
            "## Candidate memories",
            "Memory candidates of today:",
            "**Candidates for memory**",
            "<memory-candidates>",
        ] {
            let summary = format!("x\n{line}\n- [project] a");
            let lines: Vec<&str> = summary.lines().collect();
            assert_eq!(section(&summary), [""; 0], "{line}");
            assert_eq!(near(&lines), Some(line));
        }
        for line in [
            "The memory candidates were read by the agent before.",
            "Memory candidates:",
        ] {
            assert_eq!(near(&[line, "- a"]), None, "{line}");
        }
    }

    #[test]
    fn the_last_counts() {
        let summary = "Memory candidates:\n- a\n## Memory candidates\n- b\n<workspace_memory_candidates>- c</workspace_memory_candidates>\n- d";
        assert_eq!(section(summary), ["- c"]);
        assert_eq!(
            section("Memory candidates:\n- a\nMemory candidates: (none)\n"),
            ["(none)"]
        );
    }
}
