//! The text of the block that `export` writes into a file that agents read (AGENTS.md, CLAUDE.md).

use super::markdown::{one, quiet};
use crate::model::{Memory, Zone};

/// The most characters of a block: the agent reads all of it each time.
const MOST_CHARS: usize = 12_000;

/// The text of the block: the pinned notes, then the facts and notes of each type, up to the most characters, and how many
/// more there are; and the number of memories in it.
pub(super) fn inner(memories: &[(Zone, &Memory)]) -> (String, usize) {
    let shown = || {
        memories
            .iter()
            .filter(|(zone, _)| matches!(zone, Zone::Pinned | Zone::Ranked))
    };
    let mut text = "## Memory\n\n".to_owned();
    let mut heading = String::new();
    let (mut within, mut left) = (0_usize, 0_usize);
    for (zone, memory) in shown() {
        let of_section = match zone {
            Zone::Pinned => String::new(),
            _ => format!("### {}\n\n", quiet(memory.kind.as_str())),
        };
        let mut part = if *zone == Zone::Pinned {
            format!("{}\n\n", quiet(memory.content.keyed_text().trim()))
        } else {
            one(memory)
        };
        if of_section != heading {
            let gap = if text.ends_with("\n\n") { "" } else { "\n" };
            part = format!("{gap}{of_section}{part}");
        }
        if text.chars().count() + part.chars().count() > MOST_CHARS {
            left += 1;
            continue;
        }
        within += 1;
        heading = of_section;
        text.push_str(&part);
    }
    if left > 0 {
        text += "\n";
        text += &left.to_string();
        text += " more: `mdmem list`\n";
    }
    (text, within)
}

#[cfg(test)]
mod tests {
    use super::super::marked_block::{Block, Marks};
    use super::*;
    use crate::policy::fixture::{fact, note};
    use proptest::prelude::*;

    #[test]
    fn the_block_is_bounded_and_says_what_is_left() {
        let many: Vec<Memory> = (0..400)
            .map(|n| {
                fact(
                    &format!("m{n}"),
                    &format!("decision/{n}.md"),
                    "decision",
                    &format!("{n} {}", "x".repeat(60)),
                )
            })
            .collect();
        let shown: Vec<_> = many.iter().map(|memory| (Zone::Ranked, memory)).collect();
        let (text, within) = inner(&shown);
        assert!(text.chars().count() < MOST_CHARS + 60);
        let left = format!("\n{} more: `mdmem list`\n", 400 - within);
        assert!(text.ends_with(&left), "{text}");
    }

    proptest! {
        #[test]
        fn no_memory_ends_its_block(text in "(\\PC|\n|<!-- mdmem:end -->|<!-- mdmem:begin |-->|<!--){1,20}") {
            let memories = [fact("a", "decision/a.md", "decision", &text), note("system/b.md", &text)];
            let shown = [(Zone::Pinned, &memories[1]), (Zone::Ranked, &memories[0])];
            for marks in [Marks::of_export(), Marks::of_memory(&memories[0].id)] {
                let written = marks.written(Some("# Rules\n"), None, &inner(&shown).0);
                prop_assert!(matches!(marks.find(&written), Block::Whole(_)));
            }
        }
    }
}
