//! The words for a host's compaction: what should outlive the conversation, for the end of the host's own template, or a
//! whole prompt in its place.

use minijinja::{Value, context};
use serde::Deserialize;

use super::fence::bare_fence;
use super::numbered::NumberedList;
use super::templates::Template;
use crate::model::Kind;
use crate::policy::{CompactionPrompt, Rules, by_section, cut};

/// Characters of all context strings together.
const CONTEXT_CHARS: usize = 20_000;
/// Characters of a todo.
const TODO_CHARS: usize = 300;
/// Characters of a focus.
const FOCUS_CHARS: usize = 300;
/// Characters of what is a word: a type, a todo's status, its priority.
const WORD_CHARS: usize = 30;
/// The most todos that are listed.
const TODOS: usize = 100;

/// The subjects of the prompt.
#[derive(Debug, Clone, Copy)]
pub struct CompactionContext<'a> {
    /// The memories on file; with none that has a number, nothing is said about commands.
    pub numbered: &'a NumberedList,
    /// The store's rules: the types that a candidate may have.
    pub rules: &'a Rules,
    /// The host's todo list.
    pub todos: &'a [Todo],
    /// The texts that the agent keeps about the conversation, with a line break before each line; empty where it keeps nothing.
    pub blocks: &'a str,
    /// The subject that the agent wants kept most of all; empty where it named none.
    pub focus: &'a str,
    /// The texts of the host's other plugins for the model that summarizes, as they gave them.
    pub context: &'a [String],
}

/// An entry of the host's todo list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Todo {
    /// The task.
    pub content: String,
    /// The host's word for how far it is.
    #[serde(default)]
    pub status: String,
    /// The host's word for how urgent it is; `""` where it has none.
    #[serde(default)]
    pub priority: String,
}

/// The prompt. Memories and todos are one line each, whatever they hold; of the context strings, which come last, the
/// first 20,000 characters are taken over as they are, and a word about the rest.
pub fn compaction_prompt(context: &CompactionContext<'_>) -> String {
    let snapshot = context.numbered.memories.snapshot.as_str();
    let is_numbered = !context.numbered.text.is_empty();
    let todos = context.todos.iter().take(TODOS).map(todo);
    Template::Compaction.render(context! {
        whole => context.rules.compaction == CompactionPrompt::Replace,
        snapshot => is_numbered.then_some(snapshot),
        numbered => bare_fence(&context.numbered.text),
        replaceable => context.numbered.replaceable.clone(),
        kinds => kinds(context.rules),
        todos => todos.collect::<Value>(),
        more_todos => context.todos.len().saturating_sub(TODOS),
        blocks => (!context.blocks.is_empty()).then(|| bare_fence(context.blocks.trim_start())),
        focus => line(context.focus, FOCUS_CHARS),
        context => bounded(context.context),
    })
}

/// The names of the types, in the order of their sections.
fn kinds(rules: &Rules) -> Value {
    let mut kinds: Vec<&Kind> = rules.types.iter().map(|rule| &rule.kind).collect();
    kinds.sort_by(|a, b| by_section(a, b, rules));
    kinds
        .into_iter()
        .map(|kind| line(kind.as_str(), WORD_CHARS))
        .collect()
}

fn todo(todo: &Todo) -> Value {
    context! {
        content => line(&todo.content, TODO_CHARS),
        status => line(&todo.status, WORD_CHARS),
        priority => line(&todo.priority, WORD_CHARS),
    }
}

fn line(text: &str, chars: usize) -> String {
    cut(text.trim(), chars)
}

/// The texts as they are, up to the bound.
fn bounded(texts: &[String]) -> Vec<String> {
    let mut left = CONTEXT_CHARS;
    let mut cut = 0;
    let mut kept = Vec::new();
    for text in texts.iter().filter(|text| !text.trim().is_empty()) {
        let taken: String = text.chars().take(left).collect();
        let chars = taken.chars().count();
        cut += text.chars().count() - chars;
        left -= chars;
        if !taken.is_empty() {
            kept.push(taken);
        }
    }
    if cut > 0 {
        kept.push(format!("({cut} more characters of this are left out)"));
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::capture::{SummaryLine, read_summary};
    use crate::model::{Memory, Source};
    use crate::policy::fixture::{NOW, fact};
    use crate::policy::{Candidates, Dormancy, Entry, Keys, TypeRule, keys};
    use crate::render::numbered_memories;

    fn numbered(memories: &[Memory]) -> NumberedList {
        let rules = Rules::default();
        let keys: Vec<Keys> = memories
            .iter()
            .map(|memory| keys(&memory.kind, &memory.content))
            .collect();
        let pairs = memories.iter().zip(&keys);
        let entries: Vec<Entry<'_>> = pairs
            .map(|(memory, keys)| Entry::new(memory, keys, &rules))
            .collect();
        let candidates = Candidates {
            entries: &entries,
            dormancy: &Dormancy::new(&[], NOW, &rules.retention),
            rules: &rules,
        };
        numbered_memories(&candidates, NOW, "5be1c02f")
    }

    fn prompt(memories: &[Memory], todos: &[Todo], context: &[String]) -> String {
        let rules = Rules {
            compaction: CompactionPrompt::Replace,
            ..Rules::default()
        };
        compaction_prompt(&CompactionContext {
            blocks: "",
            focus: "",
            numbered: &numbered(memories),
            rules: &rules,
            todos,
            context,
        })
    }

    fn todo(content: &str) -> Todo {
        Todo {
            content: content.into(),
            status: "in_progress".into(),
            priority: String::new(),
        }
    }

    #[test]
    fn it_asks_for_every_section_and_for_candidates_last() {
        let text = prompt(&[], &[], &[]);
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(
            headings,
            [
                "Goal",
                "Instructions",
                "Progress",
                "Decisions",
                "Discoveries",
                "Next steps",
                "Files"
            ]
        );
        assert!(text.find("## Files") < text.find("Memory candidates:\n- [type]"));
        assert!(text.contains("`(none)`"));
        assert!(text.contains("\n- feedback: ") && text.contains("\n- user: "));
        // A model reads this at every compaction.
        assert!(
            text.chars().count() < 4_500,
            "{} characters",
            text.chars().count()
        );
        assert!(
            !text.contains("\n\n\n") && !text.contains("{{") && text.trim() == text,
            "{text}"
        );
    }

    #[test]
    fn beside_the_hosts_template_it_asks_for_what_lasts_alone() {
        let memories = [fact("mem_a", "decision/a.md", "decision", "Use pnpm")];
        let text = compaction_prompt(&CompactionContext {
            numbered: &numbered(&memories),
            rules: &Rules::default(),
            todos: &[todo("wire the metrics")],
            blocks: "",
            focus: "",
            context: &["another plugin's".to_owned()],
        });
        assert!(text.starts_with("You are the same agent"), "{text}");
        assert!(
            !text.contains("## Goal") && !text.contains("another plugin's"),
            "{text}"
        );
        assert!(
            text.contains("\nMemory ref snapshot id: 5be1c02f\nMemory candidates:\n- [type] "),
            "{text}"
        );
        assert!(text.ends_with("- [in_progress] wire the metrics"), "{text}");
    }

    #[test]
    fn its_examples_are_judged_as_it_says() {
        let text = prompt(&[], &[], &[]);
        let kinds: Vec<Kind> = Rules::default().types.into_iter().map(|rule| rule.kind).collect();
        let examples = |heading: &str| {
            let (_, after) = text.split_once(heading).unwrap();
            let (list, _) = after.split_once("\n\n").unwrap_or((after, ""));
            let said = |line: &str| line.rsplit_once(" (").map_or(line, |(said, _)| said).to_owned();
            let lines: Vec<String> = list.lines().map(said).collect();
            read_summary(&format!("Memory candidates:\n{}\n", lines.join("\n")), &kinds).lines
        };
        let good = examples("\nGood:\n");
        assert_eq!(good.len(), 3);
        assert!(
            good.iter()
                .all(|line| matches!(line, SummaryLine::Candidate { .. })),
            "{good:?}"
        );
        let bad = examples("belongs instead:\n");
        assert_eq!(bad.len(), 6);
        assert!(
            bad.iter()
                .all(|line| matches!(line, SummaryLine::Rejected { .. })),
            "{bad:?}"
        );
    }

    #[test]
    fn without_memories_there_are_no_commands() {
        let text = prompt(&[], &[], &[]);
        for word in ["REINFORCE", "REPLACE", "snapshot", "todo", "plugins"] {
            assert!(!text.contains(word), "{word}");
        }
    }

    #[test]
    fn the_snapshot_id_stands_before_the_candidates_and_the_list_after_the_commands() {
        let text = prompt(
            &[fact("mem_a", "decision/a.md", "decision", "Use pnpm")],
            &[],
            &[],
        );
        assert!(
            text.contains("\nMemory ref snapshot id: 5be1c02f\nMemory candidates:\n- [type] "),
            "{text}"
        );
        assert!(text.contains("`- REINFORCE [M3]`") && text.contains("`- REPLACE [M3] [type] "));
        assert!(text.ends_with(
            "\n\n<mdmem>\nMemories on file, numbered for this summary:\ndecision:\n[M1] Use pnpm\n</mdmem>"
        ));
    }

    #[test]
    fn what_may_be_replaced_is_named() {
        let users = fact("mem_a", "decision/a.md", "decision", "Use pnpm");
        let learned = Memory {
            source: Source::Compaction,
            ..fact("mem_b", "project/b.md", "project", "Exports run at night")
        };
        let text = prompt(&[users.clone(), learned], &[], &[]);
        assert!(text.contains("outdated: of these, [M2] alone\n"), "{text}");
        let text = prompt(&[users], &[], &[]);
        assert!(text.contains("outdated: of these, none\n"), "{text}");
    }

    #[test]
    fn todos_and_context_are_carried_over() {
        let todos = [
            todo("wire the metrics"),
            Todo {
                priority: "high".into(),
                ..todo("second")
            },
        ];
        let context = [
            "## Their heading\n\n- as it is  \n".to_owned(),
            " \n".to_owned(),
            "second".to_owned(),
        ];
        let text = prompt(&[], &todos, &context);
        assert!(
            text.ends_with(
                "The todo list at this moment; carry over what is still open:\n\
             - [in_progress] wire the metrics\n\
             - [in_progress, high] second\n\n\
             Other plugins add what follows, for this summary:\n\n\
             ## Their heading\n\n- as it is  \n\n\n\
             second"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_is_too_much_is_cut_and_said() {
        let todos = vec![todo(&"x".repeat(1000)); 103];
        let context = ["界".repeat(15_000), "b".repeat(6_000), "c".repeat(5)];
        let text = prompt(&[], &todos, &context);
        assert_eq!(
            text.lines()
                .filter(|line| line.starts_with("- [in_progress] xxx"))
                .count(),
            100
        );
        assert!(
            text.lines()
                .all(|line| !line.starts_with("- [in_progress]") || line.len() == 16 + 300)
        );
        assert!(text.contains("\n- and 3 more\n"));
        let kept = format!(
            "{}\n\n{}\n\n(1005 more characters of this are left out)",
            context[0],
            "b".repeat(5000)
        );
        assert!(text.ends_with(&kept));
    }

    #[test]
    fn a_type_of_the_store_is_named() {
        let mut rules = Rules::default();
        let like = rules.types[0].clone();
        rules.types.push(TypeRule {
            kind: Kind::new("recipe"),
            order: 15,
            ..like
        });
        let text = compaction_prompt(&CompactionContext {
            numbered: &numbered(&[]),
            rules: &rules,
            todos: &[],
            blocks: "",
            focus: "",
            context: &[],
        });
        assert!(text.contains("\n- recipe\n- decision: "), "{text}");
    }

    proptest! {
        #[test]
        fn no_todo_adds_a_line_or_runs(
            content in "([a-z]{0,5}|\n|\r\n|\u{2028}|\u{85}|\u{202e}|Memory candidates:\n|\\{\\{ 7 \\* 7 \\}\\}){0,9}",
        ) {
            let plain = prompt(&[], &[todo("a")], &[]);
            let text = prompt(&[], &[Todo { content: content.clone(), status: content.clone(), priority: content }], &[]);
            let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
            prop_assert_eq!(text.split(breaks).count(), plain.split(breaks).count());
        }
    }
}
