//! The memory that a command is about, and whether the command may touch it.

use super::Command;
use crate::capture::Rejection;
use crate::policy::{Entry, NumberedMemories, NumberedMemory, is_replaceable};

/// The memory that a command applies to, as its place in `current`.
///
/// `snapshot` is the id that the summary carries; `numbered` is what the prompt numbered, `None` when that is not known
/// any more (an empty id in it means that the prompt gave none). A reinforcement touches any memory in force; a
/// replacement only what a summary once said, in an unreinforced memory that nobody has protected or written into.
pub fn resolve(
    command: &Command,
    snapshot: Option<&str>,
    numbered: Option<&NumberedMemories>,
    current: &[Entry<'_>],
) -> Result<usize, Rejection> {
    let target = named(command.number(), snapshot, numbered)?;
    let at = current
        .iter()
        .position(|entry| entry.memory.path == target.path && is_in_force(entry))
        .ok_or(Rejection::MemoryRefTargetUnavailable)?;
    let entry = &current[at];
    if entry.keys.exact != target.exact {
        return Err(Rejection::MemoryRefTargetChanged);
    }
    match command {
        Command::Reinforce { .. } => Ok(at),
        Command::Replace { .. } => {
            let memory = entry.memory;
            let is_learned = !memory.source.is_persons() && !memory.readonly;
            if is_replaceable(memory) {
                Ok(at)
            } else if is_learned && !memory.content.is_note() {
                Err(Rejection::ProtectedReinforcedTarget)
            } else {
                Err(Rejection::ProtectedMemorySource)
            }
        }
    }
}

/// The memory under a number of the prompt that the summary answers.
fn named<'n>(
    number: u32,
    snapshot: Option<&str>,
    numbered: Option<&'n NumberedMemories>,
) -> Result<&'n NumberedMemory, Rejection> {
    let numbered = numbered.ok_or(Rejection::MissingMemoryRefSnapshot)?;
    if !numbered.snapshot.is_empty() && snapshot != Some(numbered.snapshot.as_str()) {
        return Err(Rejection::MissingMemoryRefSnapshot);
    }
    numbered.get(number).ok_or(Rejection::InvalidMemoryRef)
}

fn is_in_force(entry: &Entry<'_>) -> bool {
    entry.memory.is_active() && entry.memory.path.first_folder() != Some("archive")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Content, Id, Kind, Memory, Source, Status, StorePath};
    use crate::policy::fixture::fact;
    use crate::policy::{Rules, keys};

    fn memory() -> Memory {
        Memory {
            source: Source::Compaction,
            ..fact("mem_a", "decision/a.md", "decision", "Use npm cache")
        }
    }

    fn numbered(snapshot: &str) -> NumberedMemories {
        NumberedMemories {
            snapshot: snapshot.to_owned(),
            refs: vec![NumberedMemory {
                number: 1,
                id: Id::parse("mem_a").unwrap(),
                path: StorePath::new("decision/a.md").unwrap(),
                exact: "decision:use npm cache".to_owned(),
                identity: "decision:use npm cache".to_owned(),
            }],
        }
    }

    fn reinforce(number: u32) -> Command {
        Command::Reinforce {
            number,
            line: String::new(),
        }
    }

    fn replace(number: u32) -> Command {
        Command::Replace {
            number,
            kind: Kind::new("decision"),
            text: "Use pnpm".to_owned(),
            line: String::new(),
        }
    }

    fn outcome(command: &Command, memories: &[Memory]) -> Result<usize, Rejection> {
        let keys: Vec<_> = memories
            .iter()
            .map(|memory| keys(&memory.kind, &memory.content))
            .collect();
        let entries: Vec<Entry<'_>> = memories
            .iter()
            .zip(&keys)
            .map(|(memory, keys)| Entry::new(memory, keys, &Rules::default()))
            .collect();
        resolve(command, Some("s1"), Some(&numbered("s1")), &entries)
    }

    #[test]
    fn finds_the_memory_under_its_number() {
        let other = fact("mem_b", "decision/b.md", "decision", "Other");
        for command in [reinforce(1), replace(1)] {
            assert_eq!(outcome(&command, &[other.clone(), memory()]), Ok(1));
        }
    }

    #[test]
    fn the_summary_must_answer_the_prompt_that_numbered() {
        let command = reinforce(1);
        let memory = memory();
        let keys = keys(&memory.kind, &memory.content);
        let current = [Entry::new(&memory, &keys, &Rules::default())];
        let missing = Err(Rejection::MissingMemoryRefSnapshot);
        let given = numbered("s1");
        assert_eq!(resolve(&command, Some("s1"), None, &current), missing);
        assert_eq!(resolve(&command, Some("s2"), Some(&given), &current), missing);
        assert_eq!(resolve(&command, None, Some(&given), &current), missing);
        assert_eq!(resolve(&command, Some("s1"), Some(&given), &current), Ok(0));
        assert_eq!(resolve(&command, None, Some(&numbered("")), &current), Ok(0));
    }

    #[test]
    fn a_number_that_was_not_given_is_invalid() {
        assert_eq!(
            outcome(&reinforce(2), &[memory()]),
            Err(Rejection::InvalidMemoryRef)
        );
    }

    #[test]
    fn what_is_gone_or_not_in_force_is_unavailable() {
        let superseded = Memory {
            status: Status::Superseded,
            ..memory()
        };
        let archived = Memory {
            source: Source::Compaction,
            ..fact("mem_a", "archive/a.md", "decision", "Use npm cache")
        };
        for memories in [vec![], vec![superseded], vec![archived]] {
            let expected = Err(Rejection::MemoryRefTargetUnavailable);
            assert_eq!(outcome(&reinforce(1), &memories), expected);
            assert_eq!(outcome(&replace(1), &memories), expected);
        }
    }

    #[test]
    fn what_says_something_else_is_changed() {
        let changed = fact("mem_a", "decision/a.md", "decision", "Use pnpm");
        assert_eq!(
            outcome(&reinforce(1), &[changed]),
            Err(Rejection::MemoryRefTargetChanged)
        );
        let respelled = fact("mem_a", "decision/a.md", "decision", "use NPM cache!");
        assert_eq!(outcome(&reinforce(1), &[respelled]), Ok(0));
    }

    #[test]
    fn a_replacement_keeps_off_what_is_protected() {
        for source in [Source::Explicit, Source::Manual] {
            let memory = Memory { source, ..memory() };
            assert_eq!(
                outcome(&replace(1), std::slice::from_ref(&memory)),
                Err(Rejection::ProtectedMemorySource)
            );
            assert_eq!(outcome(&reinforce(1), &[memory]), Ok(0));
        }
        let readonly = Memory {
            readonly: true,
            ..memory()
        };
        assert_eq!(
            outcome(&replace(1), &[readonly]),
            Err(Rejection::ProtectedMemorySource)
        );
        let note = Memory {
            content: Content::Note {
                body: "Use npm cache".to_owned(),
            },
            ..memory()
        };
        assert_eq!(
            outcome(&replace(1), &[note]),
            Err(Rejection::ProtectedMemorySource)
        );
        let reinforced = Memory {
            reinforcement: 1,
            ..memory()
        };
        assert_eq!(
            outcome(&replace(1), std::slice::from_ref(&reinforced)),
            Err(Rejection::ProtectedReinforcedTarget)
        );
        assert_eq!(outcome(&reinforce(1), &[reinforced]), Ok(0));
    }
}
