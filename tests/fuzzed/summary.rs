//! Candidates and commands of a summary.

use mdmem::capture::{SummaryLine, quality, read_summary, resolve};
use mdmem::model::Kind;
use mdmem::policy::{NumberedMemories, NumberedMemory};

pub(crate) fn run(data: &[u8]) {
    let Ok(summary) = std::str::from_utf8(data) else {
        return;
    };
    let kinds = ["decision", "feedback", "project", "reference", "user"].map(Kind::new);
    let reading = read_summary(summary, &kinds);
    assert!(reading.lines.len() <= 200);
    assert!(reading.near.is_none() || reading.lines.is_empty());
    assert!(reading.snapshot.as_deref().is_none_or(|id| summary.contains(id)));
    let numbered = NumberedMemories {
        snapshot: reading.snapshot.clone().unwrap_or_default(),
        refs: vec![NumberedMemory {
            number: 1,
            path: mdmem::model::StorePath::new("decision/a.md").unwrap(),
            id: mdmem::model::Id::parse("mem_1").unwrap(),
            exact: String::new(),
            identity: String::new(),
        }],
    };
    for line in &reading.lines {
        match line {
            SummaryLine::Candidate {
                kind,
                text,
                is_doubtful,
            } => {
                assert!(kinds.contains(kind), "{line:?}");
                assert!(!text.trim().is_empty());
                assert!(*is_doubtful || quality(kind, text).is_none());
            }
            SummaryLine::Command(command) => {
                let id = reading.snapshot.as_deref();
                // None of the memories that were numbered is there any more.
                assert!(resolve(command, id, Some(&numbered), &[]).is_err());
            }
            SummaryLine::Rejected { .. } => {}
        }
    }
    if summary.len() % 4 == 0 {
        assert_eq!(
            read_summary(&format!("{summary}\n"), &kinds),
            reading,
            "a line break at the end"
        );
    }
}
