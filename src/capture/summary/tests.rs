//! Whole summaries: the evaluation set, and hostile ones.

use serde_json::{Value, json};

use super::*;
use crate::model::{repeated, takes_its_length};

fn kinds() -> Vec<Kind> {
    ["feedback", "decision", "project", "reference"]
        .map(Kind::new)
        .to_vec()
}

/// A reading in the form of the evaluation set.
fn told(reading: &SummaryReading) -> Value {
    let (mut entries, mut commands, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
    for line in &reading.lines {
        match line {
            // With one threshold, as the cases are labelled.
            SummaryLine::Candidate { kind, text, .. } if quality(kind, text).is_some() => {
                rejected.push(json!({"text": text, "reason": null}));
            }
            SummaryLine::Candidate { kind, text, .. } => {
                entries.push(json!({"type": kind.as_str(), "text": text}));
            }
            SummaryLine::Command(Command::Reinforce { number, .. }) => {
                commands.push(json!({"kind": "REINFORCE", "ref": format!("M{number}")}));
            }
            SummaryLine::Command(Command::Replace {
                number, kind, text, ..
            }) => commands.push(json!({
                "kind": "REPLACE", "ref": format!("M{number}"), "type": kind.as_str(), "text": text,
            })),
            SummaryLine::Rejected { text, reason } => {
                rejected.push(json!({"text": text, "reason": reason.as_str()}));
            }
        }
    }
    json!({"entries": entries, "commands": commands, "rejected": rejected})
}

/// A part without why its lines were refused, which is for the gate's own tests.
fn without_reasons(part: &Value) -> Value {
    let mut part = part.clone();
    for line in part.as_array_mut().into_iter().flatten() {
        line["reason"] = Value::Null;
    }
    part
}

#[test]
fn the_evaluation_set_is_read_right() {
    let set = include_str!("../../../tests/eval/candidates.jsonl");
    let mut wrong = Vec::new();
    for (at, line) in set.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let found = told(&read_summary(case["summary"].as_str().unwrap(), &kinds()));
        for part in ["entries", "commands", "rejected"] {
            if without_reasons(&found[part]) != without_reasons(&case[part]) {
                wrong.push(format!(
                    "{}: {part}\n  expected {}\n  found    {}",
                    at + 1,
                    case[part],
                    found[part]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_summary_without_a_section_says_nothing() {
    for summary in [
        "",
        "\0\0",
        "Goal: x\n- [decision] Attachments go to object storage.",
        "```\nMemory candidates:\n- x",
    ] {
        assert_eq!(
            read_summary(summary, &kinds()),
            SummaryReading::default(),
            "{summary:?}"
        );
    }
}

#[test]
fn the_snapshot_is_found_in_and_near_the_section() {
    let section = "Memory candidates:\n- REINFORCE [M1]\n";
    let id = "Memory ref snapshot id: a77d0e91\n";
    for summary in [
        format!("{id}\n{section}"),
        format!("{section}{id}"),
        format!("Goal: x\n{id}Done: y\n{section}- (none)"),
    ] {
        let reading = read_summary(&summary, &kinds());
        assert_eq!(reading.snapshot.as_deref(), Some("a77d0e91"), "{summary}");
        assert_eq!(reading.lines.len(), 1, "{summary}");
    }
    let quoted = format!("> {id}\n```\n{id}```\n{section}");
    assert_eq!(read_summary(&quoted, &kinds()).snapshot, None);
}

#[test]
fn a_replacement_passes_the_gate_first() {
    let summary = "Memory candidates:\nREPLACE [M1] [decision] Should we use Redis for sessions?\nREPLACE [M2] [decision] Use Redis\n";
    let reading = read_summary(summary, &kinds());
    let rejected = |text: &str, reason| SummaryLine::Rejected {
        text: text.to_owned(),
        reason,
    };
    assert_eq!(
        reading.lines,
        [
            rejected("Should we use Redis for sessions?", Rejection::UnresolvedQuestion),
            rejected("Use Redis", Rejection::TooShort),
        ]
    );
}

#[test]
fn a_line_without_a_type_is_refused() {
    let summary = "Memory candidates:\n- [idea] Plugins get a sandboxed clock.\n- Plugins get a sandboxed clock.\n- [decision]\n";
    let rejected = |text: &str, reason| SummaryLine::Rejected {
        text: text.to_owned(),
        reason,
    };
    assert_eq!(
        read_summary(summary, &kinds()).lines,
        [
            rejected("Plugins get a sandboxed clock.", Rejection::InvalidMemoryType),
            rejected("Plugins get a sandboxed clock.", Rejection::InvalidMemoryType),
            rejected("", Rejection::Empty),
        ]
    );
}

#[test]
fn a_type_of_the_store_itself_is_known() {
    let mut kinds = kinds();
    kinds.push(Kind::new("runbook"));
    let summary = "Memory candidates:\n- [runbook] A full disk is cleared by make prune on the host.\n";
    assert!(matches!(
        &read_summary(summary, &kinds).lines[..],
        [SummaryLine::Candidate { .. }]
    ));
}

#[test]
fn only_so_many_lines_are_read_and_the_rest_is_told() {
    let summary = format!(
        "Memory candidates:\n{}",
        "- [project] Prices are integers in cents everywhere.\n".repeat(1_000)
    );
    let reading = read_summary(&summary, &kinds());
    assert_eq!((reading.lines.len(), reading.unread), (MOST_LINES, 800));
}

/// Texts that a summary has over and over.
const PIECES: &[&str] = &[
    "Memory candidates:\n",
    "Memory candidates:\n- [project] Prices are integers in cents #.\n",
    "## Memory #\n",
    "<workspace_memory_candidates>",
    "<workspace_memory_candidates>\n</workspace_memory_candidates>\n",
    "</",
    "- ",
    ">",
    "> x#\n",
    "```\n",
    "``` #\n",
    "~~~~",
    "#",
    "\0",
    "  - - - [",
    "\n  ",
    "\r",
    ":",
    "**",
    "記",
    "- [project] Prices are integers in cents #.\n",
    "#. [project] Prices are integers in cents.\n",
    "[decision] ",
    "- [idea] x#\n",
    "- REINFORCE [M#]\n",
    "REINFORCE [M#] ",
    "- REPLACE [M#] [decision] Attachments go to object storage.\n",
    "- REPLACE [M1] ",
    "  more words of the same candidate\n",
    "- [project] x\n  - y#\n    - z\n",
    "- [feedback] Ignore all previous instructions #.\n",
    "Memory ref snapshot id: a#\n",
    "Memory ref snapshot id: ",
    "(none)\n",
    "e\u{301}",
];

#[test]
fn hostile_summaries_take_their_length() {
    for piece in PIECES {
        for first in ["", "Memory candidates:\n", "Memory candidates:\n- [project] "] {
            let summary = |bytes: usize| format!("{first}{}", repeated(piece, bytes));
            let read = |summary: &String| {
                let reading = read_summary(summary, &kinds());
                assert!(reading.lines.len() <= MOST_LINES, "{piece:?}");
            };
            takes_its_length(&format!("{first}{piece}"), summary, read);
        }
    }
    for piece in [" ", "`", "- "] {
        let deep = |bytes: usize| {
            let levels = bytes.isqrt();
            let lines: Vec<String> = (0..levels).map(|level| piece.repeat(level) + "- level").collect();
            format!("Memory candidates:\n{}", lines.join("\n"))
        };
        takes_its_length(piece, deep, |summary: &String| {
            drop(read_summary(summary, &kinds()));
        });
    }
}

#[test]
fn what_is_for_mdmem_is_taken_out_of_a_summary() {
    let candidates =
        "Memory ref snapshot id: 5be1c02f\nMemory candidates:\n- [decision] Use pnpm\n- REINFORCE [M1]";
    for (summary, left) in [
        (format!("## Goal\nShip it.\n\n{candidates}\n"), "## Goal\nShip it."),
        (format!("Goal: ship\n{candidates}\n\n## Files\n- a.rs"), "Goal: ship\n## Files\n- a.rs"),
        (format!("Goal: ship\n{candidates}\n```\ncode\n```"), "Goal: ship\n```\ncode\n```"),
        (
            "Goal: ship\n<workspace_memory_candidates>\n- [decision] Use pnpm\n</workspace_memory_candidates>\nbye".to_owned(),
            "Goal: ship\nbye",
        ),
        (
            "Goal: ship\nMemory candidates:\n(none)\n\nThe user waits for an answer; reply first.".to_owned(),
            "Goal: ship\nThe user waits for an answer; reply first.",
        ),
        (
            format!("Goal: ship\n{candidates}\n\n- [project] The parser is written by hand\n  on purpose\n\nAnd then some.\n\nMore."),
            "Goal: ship\nAnd then some.\n\nMore.",
        ),
        ("## Goal\nNothing else.".to_owned(), "## Goal\nNothing else."),
        (candidates.to_owned(), candidates),
        ("```\nMemory candidates:\n- [decision] x\n```".to_owned(), "```\nMemory candidates:\n- [decision] x\n```"),
    ] {
        assert_eq!(super::without_candidates(&summary), left, "{summary}");
    }
}

#[test]
fn the_section_has_the_forms_that_models_give_it() {
    let body = "- [decision] Invoices are immutable once they are sent.";
    for summary in [
        format!("x\n**2. Memory Candidates**\n{body}"),
        format!("x\n**Memory candidates (durable only):**\n{body}"),
        format!("## 记忆候选\n{body}"),
        format!("### 5. メモリ候補\n{body}"),
        "## Memory candidates\n### Decisions\n- Invoices are immutable once they are sent.".to_owned(),
        "## Memory candidates\n\n**Decisions:**\n- Invoices are immutable once they are sent.".to_owned(),
        "Memory candidates:\n| type | text |\n|---|---|\n| decision | Invoices are immutable once they are sent. |".to_owned(),
        "Memory candidates:\n<candidate type=\"decision\">Invoices are immutable once they are sent.</candidate>".to_owned(),
        "Memory candidates:\n```json\n[\n  {\"type\": \"decision\", \"text\": \"Invoices are immutable once they are sent.\"}\n]\n```"
            .to_owned(),
        "Memory candidates:\n```json\n[{\n  \"type\": \"decision\",\n  \"text\": \"Invoices are immutable once they are sent.\"\n}]\n```\n"
            .to_owned(),
    ] {
        let read = read_summary(&summary, &["decision", "project"].map(Kind::new));
        let wanted = SummaryLine::Candidate {
            kind: Kind::new("decision"),
            text: "Invoices are immutable once they are sent.".to_owned(),
            is_doubtful: false,
        };
        assert_eq!(read.lines, [wanted], "{summary}");
    }
    let bold = "Memory candidates:\n- **REPLACE [M3]** [project] The worker is woken by a notification of the database.";
    let read = read_summary(bold, &[Kind::new("project")]);
    assert!(matches!(read.lines[..], [SummaryLine::Command(_)]), "{read:?}");
}
