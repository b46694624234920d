//! The real Claude Code in a terminal of its own, as a person uses it: with approvals given before, since a person gives
//! them once.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::endpoint::Endpoint;
use super::memories;
use super::real::{connected, program, reply, shown};
use crate::env::{LIMIT, TestEnv, wait_for, write_at};

/// The program, what a person types, and what the screen has shown.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Starts the program in a terminal of 120 columns.
    fn start(env: &TestEnv, program: &Path, endpoint: &Endpoint) -> Self {
        let bin = Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let line = format!("stty rows 40 cols 120; exec node '{}'", program.display());
        let mut child = env
            .command("script")
            .args(["-qec", &line, "/dev/null"])
            .current_dir(env.workspace())
            .env("TERM", "xterm-256color")
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("ANTHROPIC_BASE_URL", &endpoint.address)
            .env("ANTHROPIC_API_KEY", "no-key")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script, of util-linux, is on this machine");
        let screen = Arc::<Mutex<Vec<u8>>>::default();
        let (shown, mut output) = (Arc::clone(&screen), child.stdout.take().unwrap());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shown.lock().unwrap().extend(&bytes[..count]);
            }
        });
        let keys = child.stdin.take().unwrap();
        Self { child, keys, screen }
    }

    /// Waits until the screen shows this word, behind what was waited for last. Between words it may move the cursor.
    #[track_caller]
    fn shows(&self, word: &str) {
        wait_for(&format!("the screen to show {word:?}"), LIMIT, || {
            let mut screen = self.screen.lock().unwrap();
            let found = screen
                .windows(word.len())
                .position(|bytes| bytes == word.as_bytes());
            found.map(|at| drop(screen.drain(..at + word.len())))
        });
    }

    /// Types a line. Keys that come with others in one read are a text that is pasted, so `Enter` comes once `end`, the
    /// end of the line, is on the screen.
    #[track_caller]
    fn types(&mut self, line: &str, end: &str) {
        self.keys.write_all(line.as_bytes()).unwrap();
        self.shows(end);
        self.keys.write_all(b"\r").unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A session that has ended is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!(
                "the screen: {}",
                String::from_utf8_lossy(&self.screen.lock().unwrap()).escape_debug()
            );
        }
    }
}

/// Waits for the request whose last words these are, and gives what it shows the model.
#[track_caller]
fn asked(endpoint: &Endpoint, words: &str) -> String {
    wait_for(&format!("the model to be asked {words:?}"), LIMIT, || {
        let requests = endpoint.asked();
        let is_meant = |request: &&Value| !request["tools"].as_array().is_none_or(Vec::is_empty);
        let texts = requests.iter().filter(is_meant).map(shown);
        texts.into_iter().find(|text| text.contains(words))
    })
}

/// Approves what a person approves at the first start in a folder.
fn approve(env: &TestEnv) {
    let workspace = env.workspace().canonicalize().unwrap();
    let projects = json!({ workspace.to_str().unwrap(): {
        "hasTrustDialogAccepted": true,
        "enabledMcpjsonServers": ["mdmem"],
        "hasCompletedProjectOnboarding": true,
    }});
    let settings = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["no-key"], "rejected": []},
        "projects": projects,
    });
    write_at(&env.home().join(".claude.json"), &settings.to_string());
}

/// The program takes some seconds to start, and asks for two messages before it compacts.
#[test]
fn a_session_in_a_terminal_is_shown_the_memory_and_leaves_its_summary_when_it_ends() {
    let Some(program) = program() else { return };
    let env = connected();
    approve(&env);
    let endpoint = Endpoint::start(reply);
    let mut terminal = Terminal::start(&env, &program, &endpoint);
    terminal.shows("shortcuts");

    terminal.types("remember that the port of the dev server is 4173", "4173");
    let text = asked(&endpoint, "server is 4173");
    assert!(
        text.contains("- Deploys go through the staging host first"),
        "{text}"
    );
    assert!(
        text.contains("mdmem heard in this message:\n- stored as"),
        "{text}"
    );
    terminal.shows("project/the-port");
    terminal.shows("shortcuts");
    terminal.types("please continue", "continue");
    asked(&endpoint, "please continue");
    terminal.shows("shortcuts");

    terminal.types("/compact", "/compact");
    let text = asked(&endpoint, "Memory candidates:");
    assert!(text.contains("[M1]"), "{text}");
    terminal.shows("shortcuts");
    terminal.types("/exit", "/exit");
    let status = wait_for("Claude Code to end", LIMIT, || terminal.child.try_wait().unwrap());
    assert!(status.success(), "{status}");
    // The summary is in the transcript only after `SessionStart`: the end of the session reads it.
    wait_for("the summary to be read", LIMIT, || {
        let stored = memories(&env);
        stored
            .iter()
            .any(|path| path.starts_with("decision/the-nightly-build"))
            .then_some(())
    });
}
