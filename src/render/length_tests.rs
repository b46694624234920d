//! Texts that are made to cost time: each template takes the length of what it shows.

use super::*;
use crate::capture::ShellError;
use crate::capture::{ErrorCategory, FileAction};
use crate::model::{Content, Id, Kind, Memory, Zone, repeated, takes_its_length};
use crate::policy::fixture::{NOW, fact};
use crate::policy::{Candidates, Dormancy, Entry, Keys, Level, PruneMode, PruneRules, Rules, keys, zone};
use crate::session::{RecentDecision, SessionState, StoredMemory};

/// Texts by what is in them over and over.
const PIECES: &[&str] = &[
    "a",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    "\0",
    "\u{2028}",
    "\u{200d}",
    "e\u{301}",
    "x#. ",
    "{{ 7 }}",
    "{% for a in b %}",
    "- a#\n",
    "# a#\n",
    "`",
    "```\n",
    "[a](",
    "*",
    "<b>",
    "\\",
    "a/",
    "a/b#/",
    ".",
    "…",
    "設",
];

/// Renders memories of one store, in the prompt and as a numbered list.
fn render(memories: &[Memory], rules: &Rules) {
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
    prompt(None, Some(&candidates), NOW);
    let numbered = numbered_memories(&candidates, NOW, "5be1c02f");
    compaction_prompt(&CompactionContext {
        numbered: &numbered,
        rules,
        todos: &[],
        blocks: "",
        focus: "",
        context: &[],
    });
    let unsettled = crate::render::Unsettled::default();
    let zoned: Vec<(Zone, &Memory)> = memories
        .iter()
        .map(|memory| (zone(&memory.path, rules), memory))
        .collect();
    index(&zoned, rules, unsettled);
}

#[test]
fn hostile_memories_take_their_length() {
    let rules = Rules::default();
    for piece in PIECES {
        let memories = |bytes: usize| {
            let text = repeated(piece, bytes);
            let of = |path: &str, content: Content| Memory {
                content,
                description: path.contains("described").then(|| text.clone()),
                name: path.contains("named").then(|| text.clone()),
                ..fact("mem_a", path, "decision", "x")
            };
            let rationale = Some(text.clone());
            let note = || Content::Note { body: text.clone() };
            let fact = Content::Fact {
                text: text.clone(),
                rationale,
            };
            vec![
                of("decision/fact.md", fact),
                of("decision/note.md", note()),
                of("decision/named.md", note()),
                of("decision/described.md", note()),
                of("system/pinned.md", note()),
                of("notes/cold.md", note()),
            ]
        };
        takes_its_length(piece, memories, |memories| render(memories, &rules));
    }
}

#[test]
fn many_memories_take_their_number() {
    let rules = Rules::default();
    for folder in ["decision", "system", "notes", "notes/f#", "archive", "f#/a/b"] {
        // The test asks for bytes; a memory counts as a hundred.
        let memories = |bytes: usize| {
            let memory = |n: usize| {
                let folder = folder.replace('#', &n.to_string());
                fact(
                    &format!("m{n}"),
                    &format!("{folder}/a{n}.md"),
                    "decision",
                    &format!("Use {n}"),
                )
            };
            (0..bytes / 100).map(memory).collect::<Vec<_>>()
        };
        takes_its_length(folder, memories, |memories| render(memories, &rules));
    }
}

#[test]
fn a_hostile_conversation_takes_its_length() {
    let rules = Rules::default();
    for piece in PIECES {
        let state = |bytes: usize| {
            let text = repeated(piece, bytes);
            let mut state = SessionState::default();
            state.touch(&format!("/repo/{text}"), FileAction::Edit, NOW);
            let report = ShellError {
                category: ErrorCategory::Test,
                program: text.clone(),
                summary: text.clone(),
                fingerprint: "0123456789ab".to_owned(),
                files: vec![text.clone()],
            };
            state.open_error(report, NOW);
            state.decide(RecentDecision {
                id: None,
                exact: text.clone(),
                text: text.clone(),
                at: NOW,
            });
            state.add_todo(&text, NOW);
            let stored = StoredMemory {
                id: Id::parse("mem_a").unwrap(),
                kind: Kind::new("decision"),
                text,
            };
            state.remember_stored(stored, NOW);
            state
        };
        takes_its_length(piece, state, |state| {
            drop(hot_snapshot(state, "/repo", &rules.hot, Some(NOW)));
        });
    }
}

#[test]
fn hostile_names_take_their_length() {
    for piece in PIECES {
        let names = |bytes: usize| vec![repeated(piece, bytes)];
        takes_its_length(piece, names, |names| {
            drop(commit_subject("edit", names, Some(&names[0])));
        });
    }
}

#[test]
fn a_hostile_output_takes_its_length() {
    const SAID: [&str; 10] = [
        "1\n",
        "get /a ",
        "exit with ",
        "0 failed ",
        "no error ",
        "aError ",
        "ERR_",
        "a.rs:1 ",
        "\u{1b}[1m",
        "> ",
    ];
    let rules = PruneRules {
        mode: PruneMode::Always,
        keep: vec!["line a*b*c".to_owned()],
    };
    // The file of an open error.
    let errors = ["src/a.rs".to_owned()];
    for piece in PIECES.iter().chain(&SAID) {
        // Behind one long line, which may be like each that follows.
        for (first, goes_on) in [("1", "a"), ("1", " "), ("", "")] {
            let text = |bytes: usize| {
                let long = goes_on.repeat(bytes / 2);
                format!("{first}{long}\n{}", repeated(piece, bytes / 2))
            };
            takes_its_length(piece, text, |text| {
                let output = ToolOutput {
                    tool: "bash",
                    work: ToolWork::Command,
                    command: None,
                    is_failed: false,
                    text,
                };
                drop(prune_output(&output, &rules, Level::Green, &errors, "call"));
            });
        }
    }
}
