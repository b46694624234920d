//! The place in a summary of its candidates: the last section, in any of its forms.

use super::{candidate, snapshot};

/// The names of the section, in a label, a heading or a block.
const NAMES: [&str; 2] = ["memory candidates", "workspace memory candidates"];
/// The blocks: the one that older prompts asked for, and the one that models make of it.
const BLOCKS: [&str; 2] = ["workspace_memory_candidates", "memory_candidates"];
/// The most words of a line that could be meant to begin a section.
const MOST_WORDS: usize = 5;

/// The last section of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Section<'t> {
    /// Its lines, without the one that begins it.
    pub(super) lines: Vec<&'t str>,
    /// The places of all its lines, with the one that begins it and a tag that closes it.
    pub(super) places: std::ops::Range<usize>,
}

/// The last section; an empty one where there is none.
pub(super) fn last<'t>(visible: &[&'t str]) -> Section<'t> {
    let starts = (0..visible.len())
        .rev()
        .find_map(|at| Some((at, start(visible, at)?)));
    let Some((at, rest)) = starts else {
        return Section::default();
    };
    if let Some((before, _)) = cut_tag(rest, "</") {
        return Section {
            lines: vec![before],
            places: at..at + 1,
        };
    }
    let mut lines = vec![rest];
    let mut end = visible.len();
    for next in at + 1..visible.len() {
        let line = visible[next];
        if is_underline(line) && next == at + 1 {
            continue;
        }
        if let Some((before, _)) = cut_tag(line, "</") {
            lines.push(before);
            end = next + 1;
            break;
        }
        if is_heading(line)
            || is_label(line)
            || is_closing_tag(line)
            || (is_underline(following(visible, next)) && is_title(line))
        {
            end = next;
            break;
        }
        lines.push(line);
    }
    Section {
        lines,
        places: at..end,
    }
}

/// The place after the entries of a section: a paragraph behind a blank line is none of them, but for what stands
/// between tags.
pub(super) fn end_of_entries(visible: &[&str], section: &Section<'_>) -> usize {
    let places = section.places.clone();
    let is_closed = |at: usize| cut_tag(visible[at], "</").is_some();
    if places.is_empty() || is_closed(places.end - 1) {
        return places.end;
    }
    let is_paragraph = |at: &usize| {
        let line = visible[*at];
        let is_apart = visible[*at - 1].trim().is_empty() && !line.trim().is_empty();
        let is_read = is_entry(line) || candidate::is_typed(line) || snapshot::is_stated(line);
        let is_command = line.starts_with("REINFORCE") || line.starts_with("REPLACE");
        is_apart && !line.starts_with([' ', '\t']) && !is_read && !is_command && !is_underline(line)
    };
    (places.start + 2..places.end)
        .find(is_paragraph)
        .unwrap_or(places.end)
}

/// The last line that looks as if it began a section and does not: `## Candidate memories`.
pub(super) fn near<'t>(visible: &[&'t str]) -> Option<&'t str> {
    let is_near = |at: &usize| {
        let line = visible[*at].trim();
        let lower = line.to_lowercase();
        let named = lower.contains("memor") && lower.contains("candidate");
        let short = line.split_whitespace().count() <= MOST_WORDS;
        let begins =
            is_heading(line) || line.ends_with([':', '：', '*', '>']) || is_entry(following(visible, *at));
        named && short && begins && !candidate::is_typed(line) && start(visible, *at).is_none()
    };
    (0..visible.len())
        .rev()
        .find(is_near)
        .map(|at| visible[at].trim())
}

/// Gives the rest of the line that begins a section, after its name; `None` for a line that begins no section.
fn start<'t>(visible: &[&'t str], at: usize) -> Option<&'t str> {
    let line = visible[at];
    // Four spaces make it code, as in any markdown.
    if line.starts_with("    ") || line.starts_with('\t') {
        return None;
    }
    if let Some((before, after)) = cut_tag(line, "<")
        && before.trim().is_empty()
    {
        return Some(after);
    }
    let title = candidate::unmarked(line.trim().trim_matches('#').trim());
    let bold = title.len() > 4 && title.starts_with("**") && title.ends_with("**");
    let is_title = is_heading(line) || is_underline(following(visible, at)) || bold;
    if is_title || is_entry(following(visible, at)) && !line.trim_end().ends_with([':', '：']) {
        return is_name(title).then_some("");
    }
    let (label, rest) = line.split_once([':', '：'])?;
    let rest = rest.trim_start_matches(['*', '_']).trim();
    let opens = rest.is_empty() || candidate::is_none(rest) || rest.starts_with('[');
    (is_name(candidate::unmarked(label)) && opens).then_some(rest)
}

/// True when a heading or label names the section: in any case, bold or not.
fn is_name(text: &str) -> bool {
    let decoration = |c: char| c.is_whitespace() || "*_:：`".contains(c);
    let name = text.trim_matches(decoration);
    let longest = NAMES.iter().map(|name| name.len()).max().unwrap_or(0);
    name.len() <= longest + 8 && {
        let words: Vec<&str> = name.split_whitespace().collect();
        let name = words.join(" ").to_lowercase();
        NAMES.contains(&name.as_str())
    }
}

/// Gives the texts before and after the tag of the block, opening (`<`) or closing (`</`).
fn cut_tag<'t>(line: &'t str, open: &str) -> Option<(&'t str, &'t str)> {
    let mut rest = line;
    while let Some(at) = rest.find(open) {
        let inner = &rest[at + open.len()..];
        let named = |block: &&str| {
            let name = inner.get(..block.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(block))
        };
        let block = BLOCKS.into_iter().find(named);
        let behind = block.and_then(|block| inner[block.len()..].trim_start().strip_prefix('>'));
        if let Some(after) = behind {
            return Some((&line[..line.len() - rest.len() + at], after));
        }
        rest = inner;
    }
    None
}

/// A heading: up to six `#` and a space.
fn is_heading(line: &str) -> bool {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let text = &line[indent..];
    let after = text.trim_start_matches('#');
    let level = text.len() - after.len();
    indent <= 3 && (1..=6).contains(&level) && (after.is_empty() || after.starts_with([' ', '\t']))
}

/// A label: words that end in a colon (`Next steps:`), perhaps with what they label (`Goal: shrink the image.`), or a
/// line in bold. A bullet is none, nor is a candidate without a bullet.
fn is_label(line: &str) -> bool {
    let line = line.trim();
    if line.starts_with("**") && candidate::unmarked(line) == line {
        let bold = line.trim_end_matches([':', '：']);
        return bold.len() > 4
            && (bold.ends_with("**") || bold.contains(":**") || bold.contains("**:"))
            && !bold[2..].starts_with('[');
    }
    if candidate::is_marked(line) || line.starts_with('[') || snapshot::is_stated(line) {
        return false;
    }
    let Some((label, value)) = line.split_once([':', '：']) else {
        return false;
    };
    let words = label.split_whitespace().count();
    let named = (1..=5).contains(&words)
        && label
            .chars()
            .all(|c| c.is_alphanumeric() || " -_/&()'".contains(c));
    let ends = value.is_empty() || (value.starts_with(' ') && label.starts_with(char::is_uppercase));
    named && ends && !candidate::is_typed(line)
}

/// The end of a block around the summary: `</summary>`, alone on its line.
fn is_closing_tag(line: &str) -> bool {
    let name = line
        .trim()
        .strip_prefix("</")
        .and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'))
    })
}

/// The line under a title in markdown's other form of a heading.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 2 && (line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-'))
}

/// True when a line above an underline is a title, and the underline no rule between paragraphs.
fn is_title(line: &str) -> bool {
    !line.trim().is_empty() && !candidate::is_marked(line.trim())
}

/// True when a line is an entry of a section: a bullet, or a type in brackets, or the word that there is no candidate.
fn is_entry(line: &str) -> bool {
    let line = line.trim();
    candidate::is_marked(line) || line.starts_with('[') || (!line.is_empty() && candidate::is_none(line))
}

fn following<'t>(visible: &[&'t str], at: usize) -> &'t str {
    visible.get(at + 1).copied().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(summary: &str) -> Vec<&str> {
        let lines: Vec<&str> = summary.lines().collect();
        let found = last(&lines);
        found
            .lines
            .into_iter()
            .filter(|line| !line.trim().is_empty())
            .collect()
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
        assert_eq!(section(summary).len(), 5);
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
