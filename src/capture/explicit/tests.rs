//! Messages as people write them, per language: what is stored of them, and what is refused.

use super::{RequestPatterns, Requests, requests};

mod chinese;
mod english;
mod japanese;
mod korean;
mod messages;

fn heard(message: &str) -> Requests {
    requests(message, &RequestPatterns::standard())
}

/// Each line alone stores exactly this.
fn stores(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(line, text)| {
            let found = heard(line);
            let texts: Vec<&str> = found.memories.iter().map(|memory| memory.text.as_str()).collect();
            (texts != [*text] || !found.refused.is_empty()).then(|| format!("{line:?} gave {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each line alone stores nothing, and is refused for this reason.
fn refuses(reason: &str, lines: &[&str]) {
    let wrong: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let found = heard(line);
            let reasons: Vec<&str> = found
                .refused
                .iter()
                .map(|refused| refused.reason.as_str())
                .collect();
            (reasons != [reason] || !found.memories.is_empty()).then(|| format!("{line:?} gave {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each line alone is a request about what was just said.
fn asks_the_model(lines: &[&str]) {
    refuses("too_short", lines);
    for line in lines {
        assert_eq!(heard(line).bare, 1, "{line:?}");
    }
}

/// Each line alone asks for nothing.
fn ignores(lines: &[&str]) {
    let wrong: Vec<String> = lines
        .iter()
        .filter(|line| heard(line) != Requests::default())
        .map(|line| format!("{line:?} gave {:?}", heard(line)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
