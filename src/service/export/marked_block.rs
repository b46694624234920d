//! A block in a person's file: between two marks, and sealed. Every other byte of the file stays as it is, and a block that
//! is taken out again leaves the bytes that were there before it.

use std::ops::Range;

use crate::model::Id;
use crate::text::sha256_hex;

/// The first characters of every mark.
const MARK: &str = "<!-- mdmem:";
const PROMOTED: &str = "<!-- mdmem:promoted ";

/// The two marks of a block.
#[derive(Debug)]
pub(in crate::service) struct Marks {
    begin: String,
    /// The words behind the seal, for a person.
    words: String,
    end: String,
}

/// The state of a file, as far as a block goes.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::service) enum Block {
    /// There is none.
    Absent,
    /// It stands there as it was written; the range has both marks.
    Whole(Range<usize>),
    /// A person changed it.
    Edited(Range<usize>),
    /// Its marks are not one pair.
    Torn,
}

impl Marks {
    /// The marks of the block that `export` writes.
    pub(super) fn of_export() -> Self {
        Self {
            begin: format!("{MARK}begin "),
            words: " `mdmem export --to agents` writes this block; change the memories, not the block -->"
                .to_owned(),
            end: format!("{MARK}end -->"),
        }
    }

    /// The marks of one memory that was promoted.
    pub(in crate::service) fn of_memory(id: &Id) -> Self {
        Self {
            begin: format!("{PROMOTED}{id} "),
            words: format!(" `mdmem promote --undo {id}` takes this back -->"),
            end: format!("{MARK}end {id} -->"),
        }
    }

    /// Looks for the block.
    pub(in crate::service) fn find(&self, text: &str) -> Block {
        let begins: Vec<usize> = text.match_indices(&self.begin).map(|(at, _)| at).collect();
        let ends: Vec<usize> = text.match_indices(&self.end).map(|(at, _)| at).collect();
        let (begin, end) = match (begins.as_slice(), ends.as_slice()) {
            ([], []) => return Block::Absent,
            ([begin], [end]) if begin < end => (*begin, *end),
            _ => return Block::Torn,
        };
        let range = begin..end + self.end.len();
        let Some((line, inner)) = text[begin + self.begin.len()..end].split_once('\n') else {
            return Block::Torn;
        };
        let sealed = line.split_whitespace().next().unwrap_or_default();
        if sealed == seal(inner) && line.trim_end().ends_with(&self.words) {
            Block::Whole(range)
        } else {
            Block::Edited(range)
        }
    }

    /// The text with this block in the place of the one that it has, or at its end, a line below the last one; `None` is a
    /// file that is not there.
    pub(in crate::service) fn written(
        &self,
        text: Option<&str>,
        place: Option<Range<usize>>,
        inner: &str,
    ) -> String {
        let Self { begin, words, end } = self;
        let block = format!("{begin}{}{words}\n{inner}{end}", seal(inner));
        let beside = text.map(|text| place.clone().map_or(text, |range| &text[range]));
        let newline = newline_of(beside.unwrap_or_default());
        let block = block.replace('\n', newline);
        match (text, place) {
            (Some(text), Some(range)) => format!("{}{block}{}", &text[..range.start], &text[range.end..]),
            (Some(text), None) => format!("{text}{newline}{block}{newline}"),
            (None, _) => format!("{block}{newline}"),
        }
    }
}

/// The hash of what is in a block, the same for both kinds of line ends: so it is seen whether a person changed it.
fn seal(text: &str) -> String {
    sha256_hex(text.replace('\r', "").as_bytes())[..16].to_owned()
}

/// The text without the block at `range`, and without the line breaks that came with it; `None` where nothing is left of a
/// file that the block began.
pub(in crate::service) fn without(text: &str, range: Range<usize>) -> Option<String> {
    let (begins_file, range) = (range.start == 0, with_line_breaks(text, range));
    let rest = format!("{}{}", &text[..range.start], &text[range.end..]);
    (!begins_file || !rest.is_empty()).then_some(rest)
}

/// The range of a block with the line breaks before and after it that came with it. Where a person moved the block between
/// two lines, or into one, these stay as they are.
fn with_line_breaks(text: &str, block: Range<usize>) -> Range<usize> {
    let newline = newline_of(&text[block.clone()]);
    let above = &text[..block.start];
    if is_open(above) {
        return block;
    }
    let behind = |at: usize| at + text[at..].strip_prefix(newline).map_or(0, |_| newline.len());
    let end = behind(block.end);
    if above.is_empty() {
        // The next block begins the file from now on.
        let next = behind(end);
        let is_next = text[next..].starts_with(MARK);
        return 0..if is_next { next } else { end };
    }
    let before = above.strip_suffix(newline);
    let start = before.filter(|before| !would_join(before, &text[end..]));
    start.map_or(block.start, str::len)..end
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn is_open(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('\n')
}

/// True where two lines would become one.
fn would_join(before: &str, after: &str) -> bool {
    is_open(before) && !after.is_empty() && !after.starts_with(['\n', '\r'])
}

/// The text without mdmem's own blocks, for an import: their memories are here already.
pub(in crate::service) fn without_blocks(text: &str) -> String {
    let export = Marks::of_export();
    let mut rest = text;
    let mut left = String::new();
    let whole;
    if let Block::Whole(range) | Block::Edited(range) = export.find(text) {
        whole = without(text, range).unwrap_or_default();
        rest = &whole;
    }
    while let Some(begin) = rest.find(PROMOTED) {
        let id = rest[begin + PROMOTED.len()..].split(' ').next().map(Id::parse);
        let marks = id.and_then(Result::ok).map(|id| Marks::of_memory(&id));
        let length = marks.and_then(|marks| Some(rest[begin..].find(&marks.end)? + marks.end.len()));
        // Marks that are not one pair are a person's text by now.
        let Some(length) = length else { break };
        let range = with_line_breaks(rest, begin..begin + length);
        left.push_str(&rest[..range.start]);
        rest = &rest[range.end..];
        if would_join(&left, rest) {
            left.push('\n');
        }
    }
    left + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn placed(marks: &Marks, text: Option<&str>, inner: &str) -> String {
        match marks.find(text.unwrap_or_default()) {
            Block::Absent => marks.written(text, None, inner),
            Block::Whole(range) => marks.written(text, Some(range), inner),
            other => panic!("{other:?}"),
        }
    }

    fn marks_of(name: &str) -> Marks {
        Marks::of_memory(&Id::parse(name).unwrap())
    }

    #[test]
    fn every_other_byte_stays_and_a_second_time_changes_nothing() {
        for marks in [Marks::of_export(), marks_of("mem_a")] {
            for before in ["", "# Rules\n", "# Rules\r\n\r\nBe brief.\r\n", "no end of line"] {
                let once = placed(&marks, Some(before), "- a\n");
                assert!(once.starts_with(before), "{once:?}");
                assert_eq!(placed(&marks, Some(&once), "- a\n"), once);
                let more = format!("{once}\nBelow.\n");
                let other = placed(&marks, Some(&more), "- b\n- c\n");
                assert!(
                    other.starts_with(before) && other.ends_with("\nBelow.\n"),
                    "{other:?}"
                );
                assert!(other.contains("- c") && !other.contains("- a"), "{other:?}");
                assert_eq!(before.contains("\r\n"), once.contains("- a\r\n"));
                assert_eq!(without_blocks(&once), before);
            }
        }
    }

    #[test]
    fn what_a_person_changed_is_noticed() {
        for (marks, end) in [
            (Marks::of_export(), "<!-- mdmem:end -->"),
            (marks_of("mem_a"), "<!-- mdmem:end mem_a -->"),
        ] {
            let once = placed(&marks, Some("# Rules\n"), "- a\n");
            assert!(matches!(
                marks.find(&once.replace("- a", "- b")),
                Block::Edited(_)
            ));
            assert!(matches!(
                marks.find(&once.replace("`mdmem", "`mem")),
                Block::Edited(_)
            ));
            for torn in [
                once.replace(end, ""),
                once.replace("<!-- mdmem:begin", "")
                    .replace("<!-- mdmem:promoted", ""),
                format!("{once}{once}"),
            ] {
                assert_eq!(marks.find(&torn), Block::Torn, "{torn}");
            }
        }
    }

    #[test]
    fn lines_that_a_person_put_around_a_block_stay_apart() {
        let marks = marks_of("mem_a");
        let block = placed(&marks, None, "- a\n");
        for (before, after, left) in [
            ("above\n", "below\n", "above\nbelow\n"),
            ("above\n\n", "below\n", "above\nbelow\n"),
            ("above\n", "\nbelow\n", "above\nbelow\n"),
            ("", "below\n", "below\n"),
            ("above ", "below", "above \nbelow"),
        ] {
            let text = format!("{before}{block}{after}");
            let Block::Whole(range) = marks.find(&text) else {
                panic!("{text}")
            };
            let left_over = without(&text, range).unwrap();
            assert_eq!(left_over.replace("\n\n", "\n"), left, "{text:?}");
        }
    }

    #[test]
    fn an_import_leaves_torn_marks_and_reads_many_in_no_time() {
        let torn = format!(
            "a\n{}",
            placed(&marks_of("x"), None, "- b\n").replace("end x", "end y")
        );
        assert_eq!(without_blocks(&torn), torn);
        let many = PROMOTED.repeat(400_000);
        assert_eq!(without_blocks(&many), many);
    }

    proptest! {
        #[test]
        fn blocks_that_are_taken_out_in_any_order_leave_the_file_as_it_was(
            base in prop::option::of("(\u{feff}|a|b |\n|\r\n|\r|é|# ){0,8}"),
            order in Just(vec!["m1", "m2", "m3", "m4"]).prop_shuffle(),
            is_exported in any::<bool>(),
        ) {
            let mut text = base.clone();
            let mut names = vec!["m1", "m2", "m3", "m4"];
            names.truncate(if is_exported { 3 } else { 4 });
            for name in &names {
                text = Some(placed(&marks_of(name), text.as_deref(), "- a\n"));
            }
            let exported = is_exported.then(|| {
                text = Some(placed(&Marks::of_export(), text.as_deref(), "## Memory\n"));
                Marks::of_export()
            });
            prop_assert_eq!(without_blocks(text.as_deref().unwrap()), base.clone().unwrap_or_default());
            let marks = order.iter().filter(|name| names.contains(name)).map(|name| marks_of(name));
            for marks in marks.chain(exported) {
                let all = text.clone().unwrap();
                let Block::Whole(range) = marks.find(&all) else { panic!("{all:?}") };
                text = without(&all, range);
            }
            prop_assert_eq!(text, base);
        }
    }
}
