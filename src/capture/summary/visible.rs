//! The lines of a summary that it says itself: those outside code fences and quotes.

use std::sync::LazyLock;

use regex::Regex;

use super::section;
use crate::text::pattern;

/// A fence, also as the first thing of a list item; one with back quotes behind it is inline code.
static FENCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^\s*(?:[-*+] +)*(?:(?P<ticks>`{3,})(?P<info>[^`]*)|(?P<waves>~{3,})(?P<said>.*))$")
});

/// The lines outside code fences and quotes, in order, without their line breaks, and those of a fence of JSON or right
/// below the beginning of a section, in which models write lists. A fence that is never closed reaches to the end, as in
/// any markdown. In the place of what is hidden stands an empty line.
pub(super) fn lines(summary: &str) -> Vec<&str> {
    let mut fence: Option<(&str, bool)> = None;
    let mut last = "";
    let visible = summary.split('\n').map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some((open, is_list)) = fence {
            let bare = line.trim();
            let is_end = bare.len() >= open.len() && bare.trim_start_matches(&open[..1]).is_empty();
            fence = fence.filter(|_| !is_end);
            return if is_list && !is_end { line } else { "" };
        }
        let found = FENCE.captures(line);
        let group = |name| {
            found
                .as_ref()
                .and_then(|found| found.name(name))
                .map(|found| found.as_str())
        };
        if let Some(open) = group("ticks").or(group("waves")) {
            let info = group("info").or(group("said")).unwrap_or_default();
            let is_json = info.trim().to_lowercase().starts_with("json");
            fence = Some((open, is_json || section::start(last, "").is_some()));
        }
        let is_hidden = fence.is_some() || line.trim_start().starts_with('>');
        if !line.trim().is_empty() {
            last = line;
        }
        if is_hidden { "" } else { line }
    });
    visible.collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn fences_and_quotes_are_hidden() {
        let summary = "a\r\n```md\nb\n````x\n```\nc\n> d\n  ~~~\n```\n~~~~\ne";
        assert_eq!(lines(summary), ["a", "", "", "", "", "c", "", "", "", "", "e"]);
    }

    #[test]
    fn inline_code_opens_no_fence() {
        assert_eq!(lines("```a``` b\nc"), ["```a``` b", "c"]);
    }

    #[test]
    fn an_open_fence_reaches_to_the_end() {
        assert_eq!(lines("- ```\na\n``"), ["", "", ""]);
    }
}
