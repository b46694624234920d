//! Summaries in the forms in which models write the last section: whether its candidates are all read, with their types.
//! The set was written before the reader saw it, and parted by turns.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use mdmem::capture::{SummaryLine, read_summary};
use mdmem::model::Kind;
use serde_json::json;

/// The fewest of a half that must be read whole.
const LEAST: [(&str, usize); 2] = [("seen", 10), ("unseen", 6)];

#[test]
fn sections_are_read_in_the_forms_that_models_give_them() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval/forms.jsonl");
    let kinds = ["feedback", "project", "reference", "decision", "user"].map(Kind::new);
    let mut told = String::from("\neval, forms of summaries\n");
    let mut below = Vec::new();
    let cases = super::cases(&own);
    for (half, least) in LEAST {
        let (mut right, mut of) = (0, 0);
        for case in cases.iter().filter(|case| case["half"] == half) {
            let summary = case["summary"].as_str().expect("a case has a summary");
            let lines = read_summary(summary, &kinds).lines;
            let candidate = |line| match line {
                SummaryLine::Candidate { kind, text, .. } => Some(json!([kind.as_str(), text])),
                _ => None,
            };
            let read: Vec<_> = lines.into_iter().filter_map(candidate).collect();
            of += 1;
            if json!(read) == case["entries"] {
                right += 1;
            } else if half == "seen" {
                _ = writeln!(told, "{summary}\n  got {}", json!(read));
            }
        }
        _ = writeln!(told, "{half}: {right} of {of} read whole");
        if right < least {
            below.push(half);
        }
    }
    // Written straight to the stream: the test harness keeps what `println!` prints of a test that passes.
    _ = std::io::stderr().write_all(told.as_bytes());
    assert!(below.is_empty(), "below the level that was reached: {below:?}");
}
