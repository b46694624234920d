//! The memories that a compaction prompt numbers, as its text shows them.

use super::layout::PromptLayout;
use super::ranked;
use super::templates::Template;
use crate::model::Timestamp;
use crate::policy::{Candidates, NumberedMemories, is_replaceable, select};

/// The memories on file, numbered: what the prompt says, and what is kept to read its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedList {
    /// The text; `""` when no memory is numbered.
    pub text: String,
    /// The memories behind the numbers.
    pub memories: NumberedMemories,
    /// The numbers of the memories that a summary may replace.
    pub replaceable: Vec<usize>,
}

/// Numbers the ranked memories of a store at `now`, by type and strength, as many as the caps of the prompt and its
/// `render.max_chars` let through (docs/capture.md). `snapshot` names this numbering.
pub fn numbered_memories(candidates: &Candidates<'_>, now: Timestamp, snapshot: &str) -> NumberedList {
    let layout = PromptLayout::numbered();
    let selection = select(candidates, now, usize::MAX, &layout);
    let shown = (1..).zip(selection.ranked());
    let replaceable = shown.filter(|&(_, entry)| is_replaceable(candidates.entries[entry].memory));
    NumberedList {
        replaceable: replaceable.map(|(number, _)| number).collect(),
        text: ranked::block(Template::Numbered, layout.scope, &selection.sections),
        memories: NumberedMemories::new(snapshot, &selection, candidates),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Memory;
    use crate::policy::fixture::{NOW, decision, fact, note};
    use crate::policy::{Dormancy, Entry, Keys, Rules, keys};

    fn list(memories: &[Memory], rules: &Rules) -> NumberedList {
        let keys: Vec<Keys> = memories
            .iter()
            .map(|memory| keys(&memory.kind, &memory.content))
            .collect();
        let pairs = memories.iter().zip(&keys);
        let entries: Vec<Entry<'_>> = pairs
            .map(|(memory, keys)| Entry::new(memory, keys, rules))
            .collect();
        let candidates = Candidates {
            entries: &entries,
            dormancy: &Dormancy::new(&[], NOW, &rules.retention),
            rules,
        };
        numbered_memories(&candidates, NOW, "5be1c02f")
    }

    #[test]
    fn the_numbers_go_on_from_section_to_section() {
        let memories = [
            fact("mem_p", "project/p.md", "project", "See src/config/app.toml"),
            fact("mem_f", "feedback/f.md", "feedback", "Answer briefly"),
            note("reference/n.md", "How we deploy\n\nFirst this."),
        ];
        let list = list(&memories, &Rules::default());
        assert_eq!(
            list.text,
            "Memories on file, numbered for this summary:\n\
             feedback:\n\
             [M1] Answer briefly\n\
             project:\n\
             [M2] See src/config/app.toml\n\
             reference:\n\
             [M3] How we deploy First this."
        );
        assert_eq!(list.memories.snapshot, "5be1c02f");
        let named = |number| {
            list.memories
                .get(number)
                .map(|memory| (memory.id.as_str(), memory.identity.as_str()))
        };
        assert_eq!(named(2), Some(("mem_p", "project:path:src/config/app.toml")));
        assert_eq!(list.memories.refs[2].identity, list.memories.refs[2].exact);
        assert_eq!((named(0), named(4)), (None, None));
    }

    #[test]
    fn only_what_competes_for_a_line_gets_a_number() {
        let memories = [
            fact("mem_s", "system/s.md", "decision", "Pinned"),
            fact("mem_n", "notes/n.md", "decision", "Cold"),
            fact("mem_a", "archive/a.md", "decision", "Gone"),
            fact("mem_1", "decision/1.md", "decision", "Said twice"),
            fact("mem_2", "decision/2.md", "decision", "Said twice."),
        ];
        let list = list(&memories, &Rules::default());
        assert_eq!(list.text.lines().count(), 3);
        assert_eq!(list.memories.refs.len(), 1);
    }

    #[test]
    fn the_digits_of_a_number_count() {
        let memories: Vec<Memory> = (0..28)
            .map(|n| {
                fact(
                    &format!("mem_{n:02}"),
                    &format!("note/{n}.md"),
                    "decision",
                    &format!("Rule {n:02}"),
                )
            })
            .map(|memory| Memory {
                path: crate::model::StorePath::new(&format!("{}.md", memory.id)).unwrap(),
                ..memory
            })
            .collect();
        let mut rules = Rules::default();
        rules.types.clear();
        let whole = list(&memories, &rules);
        assert_eq!(whole.memories.refs.len(), 28);
        rules.render.max_chars = whole.text.chars().count();
        assert_eq!(list(&memories, &rules), whole);
        rules.render.max_chars -= 1;
        let shorter = list(&memories, &rules);
        assert_eq!(shorter.memories.refs.len(), 27);
        assert!(shorter.text.chars().count() <= rules.render.max_chars);
    }

    #[test]
    fn no_text_adds_a_line() {
        let mut memory = decision();
        memory.content = crate::model::Content::Fact {
            text: "a\n[M2] b\u{2028}decision:\r\nc".into(),
            rationale: None,
        };
        assert_eq!(
            list(&[memory], &Rules::default())
                .text
                .lines()
                .collect::<Vec<_>>()[1..],
            ["decision:", "[M1] a [M2] b decision: c"]
        );
        assert_eq!(list(&[], &Rules::default()).text, "");
    }
}
