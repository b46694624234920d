//! Passes by a model (docs/passes.md), with a real process that answers: a small script, which each test writes.

mod by_itself;
mod contradicting;
mod doubtful;
mod flooding;
mod host;
mod hostile;
mod judging;
mod learning;
mod malformed;
pub(crate) mod reconciling;
mod resting;
mod suggesting;

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::env::TestEnv;

/// The answer of the script, where the test does not say otherwise.
pub(crate) const ANSWERS: &str = "cat >\"$HOME/asked\"; cat \"$HOME/answer\"";

/// A machine with a store, and a program that answers as `script` does.
pub(crate) struct Model {
    pub(crate) env: TestEnv,
}

impl Model {
    pub(crate) fn new(script: &str) -> Self {
        let mut env = TestEnv::with_store();
        let program = env.home().join("model");
        env.set_var("MDMEM_PASSES__COMMAND", &program.display().to_string());
        let model = Self { env };
        model.runs(script);
        model
    }

    /// The program is this script from here on.
    fn runs(&self, script: &str) {
        let program = self.env.home().join("model");
        let text = format!("#!/bin/sh\nMDMEM={}\n{script}\n", env!("CARGO_BIN_EXE_mdmem"));
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The program answers this from here on.
    pub(crate) fn answers(&self, proposals: &Value) {
        std::fs::write(self.env.home().join("answer"), proposals.to_string()).unwrap();
    }

    /// The question that the program was asked last.
    fn asked(&self) -> String {
        std::fs::read_to_string(self.env.home().join("asked")).unwrap()
    }

    /// Adds messages to a transcript in Claude Code's form.
    pub(crate) fn says(&self, session: &str, messages: &[(&str, &str)]) -> PathBuf {
        let line = |(by, text): &(&str, &str)| {
            let content = match *by {
                "tool" => json!([{"type": "tool_result", "content": text}]),
                "assistant" => json!([{"type": "text", "text": text}]),
                _ => json!(text),
            };
            let by = if *by == "tool" { "user" } else { *by };
            json!({"type": by, "sessionId": session, "message": {"role": by, "content": content}}).to_string()
                + "\n"
        };
        let lines: String = messages.iter().map(line).collect();
        let file = self.env.home().join(format!("{session}.jsonl"));
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::write(&file, before + &lines).unwrap();
        file
    }

    /// The result of a pass, in JSON.
    #[track_caller]
    pub(crate) fn learn(&self, file: &std::path::Path, more: &[&str]) -> Value {
        let file = file.display().to_string();
        let args = ["learn", "--json", "--transcript", &file]
            .into_iter()
            .chain(more.iter().copied());
        self.env.mdmem(args).any_stdout().run().json()
    }

    /// The pairs of outcome and reason of a pass.
    #[track_caller]
    pub(crate) fn outcomes(learned: &Value) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let lines = learned["proposals"].as_array().unwrap().iter();
        lines
            .map(|line| (text(&line["outcome"]), text(&line["reason"])))
            .collect()
    }

    /// The commits of the store.
    fn commits(&self) -> usize {
        let log = self.env.mdmem(["log", "--json"]).any_stdout().run().json();
        log.as_array().unwrap().len()
    }
}

/// A proposal of a new memory.
fn add(kind: &str, text: &str, evidence: &str) -> Value {
    json!({"action": "add", "type": kind, "text": text, "why": null, "evidence": evidence})
}
