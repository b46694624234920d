//! `pruned.jsonl`: 64 commands whose long output has one line that matters in its middle, as people meet them. Half of them
//! was put away before the rules were written for the other half.

use mdmem::policy::{Level, PruneMode, PruneRules};
use mdmem::render::{ToolOutput, ToolWork, prune_output};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    command: String,
    line: String,
    /// Lines around it, in turns: `{w}` is another word and `{n}` another number each time.
    filler: Vec<String>,
    put_away: bool,
}

const WORDS: [&str; 8] = [
    "alpha", "bravo", "delta", "echo", "golf", "hotel", "india", "kilo",
];

/// The output: the line with 120 others before and behind it.
fn output(case: &Case) -> String {
    let filler = |n: usize| {
        let line = &case.filler[n % case.filler.len()];
        line.replace("{n}", &n.to_string())
            .replace("{w}", WORDS[(n * 7 + n / 3) % WORDS.len()])
    };
    let mut lines: Vec<String> = (0..240).map(filler).collect();
    lines.insert(120, case.line.clone());
    lines.join("\n") + "\n"
}

#[test]
fn the_line_that_matters_stays_and_most_others_go() {
    let cases = include_str!("pruned.jsonl").lines();
    let cases: Vec<Case> = cases.map(|case| serde_json::from_str(case).unwrap()).collect();
    let rules = PruneRules {
        mode: PruneMode::Always,
        keep: Vec::new(),
    };
    for (put_away, least) in [(false, 31), (true, 30)] {
        let of_half = cases.iter().filter(|case| case.put_away == put_away);
        let (mut stays, mut lines, mut lost) = (0, 0, Vec::new());
        for case in of_half {
            let text = output(case);
            let output = ToolOutput {
                tool: "bash",
                work: ToolWork::Command,
                command: Some(&case.command),
                is_failed: false,
                text: &text,
            };
            let pruned = prune_output(&output, &rules, Level::Red, &[], "0123456789ab");
            let shown = pruned.map_or(text, |pruned| pruned.text);
            lines += shown.lines().count();
            if shown.lines().any(|line| line == case.line) {
                stays += 1;
            } else {
                lost.push(&case.line);
            }
        }
        assert!(
            stays >= least,
            "put away: {put_away}, {stays} of 32 stay; lost: {lost:#?}"
        );
        assert!(
            lines / 32 <= 40,
            "put away: {put_away}, {} of 241 lines stay",
            lines / 32
        );
    }
}
