//! Conversations with a coding agent, the facts that a careful person would keep of each, and an answer as models give
//! it: good proposals, and the kinds of bad ones that others report (what was done and counted, the agent's own advice as
//! the user's decision, an invented user, a credential, an order from a document, a quote in other words).
//!
//! The whole way is measured: `mdmem learn` with a program that gives the answer. Recall is the share of the facts that
//! are stored or suggested to a person, precision that of the stored memories that are one of the facts. The second set
//! was measured once (9 of 10 and 9 of 17) before one class of the first set's misses was mended: jobs that a model takes for wishes. The third set was labelled by
//! somebody who had read the specification alone and no rule; measured once, before anything was changed for it, its
//! recall was 55 of 61 and its precision 56 of 96, all of them stored: nothing was suggested then.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use super::{cases, folders, own};
use crate::passes::{ANSWERS, Model};

/// The counts of a set.
#[derive(Default)]
struct Score {
    facts: usize,
    found: usize,
    stored: usize,
    right: usize,
    misses: String,
}

#[test]
fn what_a_careful_person_would_keep_is_stored_and_hardly_anything_else() {
    let mut below = Vec::new();
    for folder in folders().into_iter().chain([own("third")]) {
        let score = score(&folder.join("talks.jsonl"));
        let Score {
            facts,
            found,
            stored,
            right,
            misses,
        } = &score;
        let line = format!(
            "\ntalks, from {}: recall {found} of {facts}, precision {right} of {stored}\n{misses}",
            folder.display()
        );
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        if found * 100 < facts * LEAST_RECALL || right * 100 < stored * LEAST_PRECISION {
            below.push(folder);
        }
    }
    assert_eq!(below, Vec::<std::path::PathBuf>::new(), "see the counts above");
}

/// In percent.
const LEAST_RECALL: usize = 90;
const LEAST_PRECISION: usize = 55;

fn score(file: &Path) -> Score {
    let mut score = Score::default();
    for talk in cases(file) {
        let name = talk["name"].as_str().unwrap();
        let model = Model::new(ANSWERS);
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        for known in talk["known"].as_array().unwrap() {
            let add = model.env.mdmem(["add", "-t", &text(&known[0]), &text(&known[1])]);
            add.any_stdout().any_stderr().run();
        }
        let answer = talk["answer"].as_array().unwrap();
        model.answers(&answer.iter().map(|answer| answer["proposal"].clone()).collect());
        let messages = talk["messages"].as_array().unwrap().iter();
        let messages: Vec<(String, String)> = messages.map(|said| (text(&said[0]), text(&said[1]))).collect();
        let messages: Vec<(&str, &str)> = messages.iter().map(|(by, said)| (&**by, &**said)).collect();
        let learned = model.learn(&model.says(name, &messages), &[]);
        let outcomes = Model::outcomes(&learned);
        assert_eq!(outcomes.len(), answer.len(), "{learned}");
        let mut left: Vec<&String> = talk["facts"].as_object().unwrap().keys().collect();
        score.facts += left.len();
        for (answer, (outcome, reason)) in answer.iter().zip(&outcomes) {
            let is_stored = matches!(outcome.as_str(), "promoted" | "superseded");
            let fact = answer["is"].as_str();
            score.stored += usize::from(is_stored);
            score.right += usize::from(is_stored && fact.is_some());
            let is_kept = is_stored || outcome == "suggested";
            left.retain(|label| !is_kept || Some(label.as_str()) != fact);
            if is_stored != fact.is_some() {
                let text = &answer["proposal"]["text"];
                _ = writeln!(score.misses, "  {name}: {outcome} {reason}: {text}");
            }
        }
        score.found += talk["facts"].as_object().unwrap().len() - left.len();
    }
    score
}
