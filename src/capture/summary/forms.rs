//! The forms in which models write the section, beside the list that they are asked for: other headings, sub-headings by
//! type, tables, elements, JSON. Each line becomes the line of that list which says the same, so that the place of a line
//! stays.

use std::sync::LazyLock;

use regex::Regex;

use super::candidate::{is_marked, is_typed, unmarked};
use crate::text::pattern;

/// A heading of the section, with a number, a remark in brackets or in another language.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^ {0,3}(?:#{1,6} *)?[*_]{0,3}(?:\d{1,2}[.)、] *)?[*_]{0,3}(?:workspace )?(?:memory candidates?|记忆候选项?|記憶候選|メモリー?候補|記憶候補|記憶の候補|메모리 후보|기억 후보)(?: ?[(（][^)）]{0,40}[)）])?[*_:： ]*#*\s*$",
    )
});

/// A sub-heading that gives the type of the entries below it.
static TYPE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^ {0,3}(?:#{3,6} +|[*_]{2})[*_`\[]*(decision|project|reference|feedback|user)s?[\]`]*(?: (?:facts?|memor(?:y|ies)|candidates?|preferences?))?[*_: ]*$",
    )
});

/// A row of a table, an element and an object of JSON; groups: the type, and the text.
static FORMS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)^\s*\|(?:\s*#?\d+\s*\|)?\s*[*_`\[]*(decision|project|reference|feedback|user)[\]*_`]*\s*\|\s*(.+?)\s*\|(?:[^|]*\|)?\s*$",
        r#"(?i)^\s*(?:[-*] )?<(?:memory|candidate|entry)\s[^>]*?type=["']?(\w+)["']?[^>]*>\s*(.+?)\s*(?:</\w+>)?\s*$"#,
        r#"^\s*[\[{,]*\s*\{?"(?:type|kind)"\s*:\s*"(\w+)"\s*,\s*"(?:text|content|memory|fact)"\s*:\s*"((?:[^"\\]|\\.)+)".*$"#,
    ]
    .map(pattern)
});

/// A line of an object of JSON that is written over several, and a fence around such objects.
static JSON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"^\s*"(type|kind|text|content|memory|fact)"\s*:\s*"((?:[^"\\]|\\.)+)",?\s*$"#)
});
static FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\s*(?:```|~~~)(jsonl?|json5)?\s*$"));

/// The summary with each line of its section in the form that was asked for.
pub(super) fn listed(summary: &str) -> String {
    let (mut is_inside, mut is_json, mut kind) = (false, false, None::<String>);
    let lines = summary.split('\n').map(|line| {
        if !is_json && NAME.is_match(line) && line.contains(['#', '*', ':', '：', '.']) {
            (is_inside, kind) = (true, None);
            return "Memory candidates:".to_owned();
        }
        let fence = FENCE.captures(line).filter(|_| is_inside);
        if let Some(fence) = fence.filter(|fence| is_json || fence.get(1).is_some()) {
            is_json = !is_json && fence.get(1).is_some();
            return String::new();
        }
        let typed = |kind: &str, text: &str| format!("- [{}] {text}", kind.to_lowercase());
        let found = FORMS
            .iter()
            .find_map(|form| form.captures(line))
            .filter(|_| is_inside);
        if let Some(found) = found {
            return typed(&found[1], &found[2].replace("\\\"", "\""));
        }
        if is_json {
            let Some(field) = JSON.captures(line) else {
                return String::new();
            };
            if ["type", "kind"].contains(&&field[1]) {
                kind = Some(field[2].to_owned());
                return String::new();
            }
            return typed(
                kind.as_deref().unwrap_or_default(),
                &field[2].replace("\\\"", "\""),
            );
        }
        if let Some(found) = TYPE.captures(line).filter(|_| is_inside) {
            kind = Some(found[1].to_owned());
            return String::new();
        }
        is_inside &= !line.starts_with('#');
        let bare = line.trim();
        let is_row = is_inside && bare.starts_with('|');
        match &kind {
            _ if is_row => String::new(),
            Some(kind) if is_inside && is_marked(bare) && !is_typed(unmarked(bare)) => {
                typed(kind, unmarked(bare))
            }
            _ => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}
