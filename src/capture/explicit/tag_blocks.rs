//! Blocks between an opening and a closing tag: attached files, output, what a host adds to a message.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::Regex;

static OPENING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>").expect("the pattern compiles"));
static CLOSING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"</([A-Za-z][\w:.-]*)\s*>").expect("the pattern compiles"));

/// Where the tags of a message close.
#[derive(Debug)]
pub(super) struct TagBlocks<'m> {
    closing: HashMap<&'m str, Vec<usize>>,
}

impl<'m> TagBlocks<'m> {
    /// Notes on which of the lines each name closes.
    pub(super) fn new(lines: &[&'m str]) -> Self {
        let mut closing: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.contains("</")) {
            for found in CLOSING.captures_iter(line) {
                let name = found.get(1).expect("the group always takes part").as_str();
                closing.entry(name).or_default().push(number);
            }
        }
        Self { closing }
    }

    /// The lines of the block that begins with this line; a tag that is never closed begins none.
    pub(super) fn from(&self, number: usize, line: &str) -> Option<RangeInclusive<usize>> {
        let line = line.trim_start();
        if !line.starts_with('<') {
            return None;
        }
        let name = OPENING.captures(line)?.get(1)?.as_str();
        let closing = self.closing.get(name)?;
        let end = closing.get(closing.partition_point(|at| *at < number))?;
        Some(number..=*end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_reaches_to_its_closing_tag() {
        let lines = [
            "<file path=\"a\">",
            "x",
            "</file>",
            "<b>",
            "<p>x</p>",
            "a <i>",
            "</i>",
        ];
        let blocks = TagBlocks::new(&lines);
        let from = |number: usize| blocks.from(number, lines[number]);
        assert_eq!(from(0), Some(0..=2));
        assert_eq!(from(1), None);
        assert_eq!(from(3), None, "never closed");
        assert_eq!(from(4), Some(4..=4));
        assert_eq!(from(5), None, "not at the beginning");
    }
}
