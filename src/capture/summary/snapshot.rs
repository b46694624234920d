//! The snapshot id that a summary carries: which numbering its commands speak of.

use std::sync::LazyLock;

use crate::text::pattern;
use regex::Regex;

/// The most characters of an id. A counted repetition of all the word characters there are would take 16 MB.
const LONGEST: usize = 128;
/// The most words of a line that states an id, with its mark and a word too many.
const MOST_WORDS: usize = 8;

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^[\s*_•-]*memory ref snapshot id[*_]*\s*[:：][*_`\s]*([\w.-]+)[`*_\s]*\.?\s*$")
});

/// The id of the last line that states one, wherever in the summary it stands.
pub(super) fn id(visible: &[&str]) -> Option<String> {
    let stated = visible.iter().rev().find_map(|line| LINE.captures(line));
    let id = stated.map(|found| found[1].to_owned());
    id.filter(|id| id.chars().count() <= LONGEST)
}

/// True when a line states an id, well or badly, and says nothing else.
pub(super) fn is_stated(line: &str) -> bool {
    if line.split_whitespace().nth(MOST_WORDS).is_some() {
        return false;
    }
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "*_-•".contains(c));
    let label = line.get(.."memory ref snapshot id".len());
    label.is_some_and(|label| label.eq_ignore_ascii_case("memory ref snapshot id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_states_an_id_counts() {
        let long = format!("Memory ref snapshot id: {}", "a".repeat(LONGEST + 1));
        for (summary, expected) in [
            (&["Memory ref snapshot id: 5be1c02f"][..], Some("5be1c02f")),
            (&["- **Memory ref snapshot id:** `ab-1`"], Some("ab-1")),
            (
                &["memory ref snapshot id: a1", "x", "Memory ref snapshot id: b2"],
                Some("b2"),
            ),
            (&["The memory ref snapshot id: a1"], None),
            (&["Memory ref snapshot id:"], None),
            (&["Memory ref snapshot id: a b"], None),
            (&[&long], None),
        ] {
            assert_eq!(id(summary).as_deref(), expected, "{summary:?}");
        }
    }

    #[test]
    fn a_stated_id_is_told_from_other_lines() {
        assert!(is_stated("**Memory ref snapshot id:** x"));
        assert!(is_stated("Memory ref snapshot id:"));
        assert!(!is_stated(
            "Memory ref snapshot id: a1 was given; the user wants it kept"
        ));
        assert!(!is_stated("Memory refs"));
        assert!(!is_stated("Memory ref snapshot íd"));
    }
}
