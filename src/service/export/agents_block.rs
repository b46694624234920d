//! The block in a file that agents read (AGENTS.md, CLAUDE.md): between two marks, and sealed. Every other byte of the file
//! stays as it is.

use std::ops::Range;

use super::markdown::{one, quiet};
use super::seal::seal;
use crate::model::{Memory, Zone};

const BEGIN: &str = "<!-- mdmem:begin ";
const AFTER_SEAL: &str =
    " `mdmem export --to agents` writes this block; change the memories, not the block -->";
const END: &str = "<!-- mdmem:end -->";
/// The most characters of a block: the agent reads all of it each time.
const MOST_CHARS: usize = 12_000;

/// The state of a file, as far as the block goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// There is none.
    Absent,
    /// It stands there as it was written; the range has both marks.
    Whole(Range<usize>),
    /// A person changed it.
    Edited(Range<usize>),
    /// Its marks are not one pair.
    Torn,
}

/// Looks for the block.
pub(super) fn find(text: &str) -> Block {
    let begins: Vec<usize> = text.match_indices(BEGIN).map(|(at, _)| at).collect();
    let ends: Vec<usize> = text.match_indices(END).map(|(at, _)| at).collect();
    let (begin, end) = match (begins.as_slice(), ends.as_slice()) {
        ([], []) => return Block::Absent,
        ([begin], [end]) if begin < end => (*begin, *end),
        _ => return Block::Torn,
    };
    let range = begin..end + END.len();
    let head = &text[begin + BEGIN.len()..end];
    let Some((line, inner)) = head.split_once('\n') else {
        return Block::Torn;
    };
    let sealed = line.split_whitespace().next().unwrap_or_default();
    if sealed == seal(inner) && line.trim_end().ends_with(AFTER_SEAL) {
        Block::Whole(range)
    } else {
        Block::Edited(range)
    }
}

/// The text with this block in the place of the one that it has, or at its end.
pub(super) fn with_block(text: &str, place: Option<Range<usize>>, inner: &str) -> String {
    let block = format!("{BEGIN}{}{AFTER_SEAL}\n{inner}{END}", seal(inner));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block.replace('\n', newline);
    match place {
        Some(range) => format!("{}{block}{}", &text[..range.start], &text[range.end..]),
        None if text.is_empty() => format!("{block}{newline}"),
        None => {
            let gap = if text.ends_with('\n') {
                newline.to_owned()
            } else {
                newline.repeat(2)
            };
            format!("{text}{gap}{block}{newline}")
        }
    }
}

/// The text without the block, for an import: its memories are here already.
pub(in crate::service) fn without_block(text: &str) -> String {
    match find(text) {
        Block::Whole(range) | Block::Edited(range) => {
            format!("{}{}", &text[..range.start], &text[range.end..])
        }
        Block::Absent | Block::Torn => text.to_owned(),
    }
}

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
    use super::*;
    use crate::policy::fixture::{fact, note};
    use proptest::prelude::*;

    fn placed(text: &str, inner: &str) -> String {
        match find(text) {
            Block::Absent => with_block(text, None, inner),
            Block::Whole(range) => with_block(text, Some(range), inner),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_other_byte_stays_and_a_second_time_changes_nothing() {
        for before in ["", "# Rules\n", "# Rules\r\n\r\nBe brief.\r\n", "no end of line"] {
            let once = placed(before, "- a\n");
            assert!(once.starts_with(before), "{once:?}");
            assert_eq!(placed(&once, "- a\n"), once);
            let more = format!("{once}\nBelow.\n");
            let other = placed(&more, "- b\n- c\n");
            assert!(
                other.starts_with(before) && other.ends_with("\nBelow.\n"),
                "{other:?}"
            );
            assert!(other.contains("- c") && !other.contains("- a"), "{other:?}");
            assert_eq!(before.contains("\r\n"), once.contains("- a\r\n"));
            assert_eq!(without_block(&once).trim_end(), before.trim_end());
        }
    }

    #[test]
    fn what_a_person_changed_is_noticed() {
        let once = placed("# Rules\n", "- a\n");
        assert!(matches!(find(&once.replace("- a", "- b")), Block::Edited(_)));
        assert!(matches!(
            find(&once.replace("writes this", "made this")),
            Block::Edited(_)
        ));
        for torn in [
            once.replace(END, ""),
            format!("{once}{once}"),
            format!("{END}{BEGIN}"),
        ] {
            assert_eq!(find(&torn), Block::Torn, "{torn}");
        }
    }

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
            let written = with_block("# Rules\n", None, &inner(&shown).0);
            prop_assert!(matches!(find(&written), Block::Whole(_)));
        }
    }
}
