//! Claude Code's hooks, driven by events in the documented form (`README.md` has it, with its sources): a process for each
//! event. `real` and `terminal` run Claude Code itself.

mod conversation;
mod endpoint;
mod length;
mod real;
mod terminal;
mod trouble;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A session of Claude Code's: what it tells its hooks, and the transcript that it writes.
struct Session<'a> {
    env: &'a TestEnv,
    id: String,
    transcript: PathBuf,
    /// The turns so far: each prompt of the user's has an id.
    turns: u32,
}

impl<'a> Session<'a> {
    fn new(env: &'a TestEnv, id: &str) -> Self {
        let transcript = env.home().join(format!(".claude/projects/-workspace/{id}.jsonl"));
        std::fs::create_dir_all(transcript.parent().unwrap()).unwrap();
        Self {
            env,
            id: id.to_owned(),
            transcript,
            turns: 0,
        }
    }

    /// The event of a hook, with the fields that each has.
    fn event(&self, name: &str, fields: &Value) -> Value {
        let mut event = json!({
            "session_id": self.id,
            "transcript_path": self.transcript.display().to_string(),
            "cwd": self.env.workspace().display().to_string(),
            "prompt_id": format!("{:08}-0000-4000-8000-000000000000", self.turns),
            "hook_event_name": name,
        });
        for (field, value) in fields.as_object().unwrap() {
            event[field] = value.clone();
        }
        event
    }

    /// Gives what a hook prints.
    #[track_caller]
    fn hook(&self, verb: &str, event: &Value) -> String {
        let call = self.env.mdmem(["hook", verb]).stdin(event.to_string());
        let output = call.any_stdout().run();
        String::from_utf8(output.bytes).unwrap()
    }

    /// A session starts, goes on, or was compacted: gives the text for the model.
    #[track_caller]
    fn start(&self, source: &str) -> String {
        let event = self.event(
            "SessionStart",
            &json!({"source": source, "model": "claude-sonnet-4-6"}),
        );
        let answer = self.hook("session-start", &event);
        context(&answer, "SessionStart").unwrap_or_default()
    }

    /// The user sends a message: gives the text for the model, if there is any.
    #[track_caller]
    fn says(&mut self, prompt: &str) -> Option<String> {
        self.turns += 1;
        self.write(&json!({"type": "user", "message": {"role": "user", "content": prompt}}));
        self.submits(prompt)
    }

    /// The event of the last message once more.
    #[track_caller]
    fn submits(&self, prompt: &str) -> Option<String> {
        let event = self.event(
            "UserPromptSubmit",
            &json!({"permission_mode": "default", "prompt": prompt}),
        );
        context(&self.hook("user-prompt-submit", &event), "UserPromptSubmit")
    }

    /// A tool has ended well.
    #[track_caller]
    fn uses(&self, tool: &str, input: &Value, response: &Value) {
        let fields = json!({"tool_name": tool, "tool_input": input, "tool_response": response,
            "tool_use_id": "toolu_01", "permission_mode": "default", "duration_ms": 12});
        let event = self.event("PostToolUse", &fields);
        assert_eq!(self.hook("post-tool-use", &event), "");
    }

    /// A tool has read or changed a file: gives the text for the model, if there is any.
    #[track_caller]
    fn reads(&self, tool: &str, path: &str) -> Option<String> {
        let fields = json!({"tool_name": tool, "tool_input": {"file_path": path}, "tool_response": {},
            "tool_use_id": "toolu_01", "permission_mode": "default", "duration_ms": 12});
        context(
            &self.hook("post-tool-use", &self.event("PostToolUse", &fields)),
            "PostToolUse",
        )
    }

    /// A tool has failed.
    #[track_caller]
    fn fails(&self, tool: &str, input: &Value, error: &str) {
        let fields = json!({"tool_name": tool, "tool_input": input, "error": error, "is_interrupt": false,
            "tool_use_id": "toolu_01", "permission_mode": "default"});
        let event = self.event("PostToolUseFailure", &fields);
        assert_eq!(self.hook("post-tool-use", &event), "");
    }

    /// The conversation is about to be compacted: gives the instructions for the summary.
    #[track_caller]
    fn compacts(&self) -> String {
        let event = self.event(
            "PreCompact",
            &json!({"trigger": "manual", "custom_instructions": ""}),
        );
        self.hook("pre-compact", &event)
    }

    /// The host writes the summary into the transcript, in its own words.
    fn writes_summary(&self, summary: &str) {
        let content = format!(
            "This session is being continued from a previous conversation that ran out of context. The summary below \
             covers the earlier portion of the conversation.\n\nSummary:\n{summary}\n\nIf you need specific details \
             from before compaction (like exact code snippets), read the full transcript at: {}\nPlease continue the \
             conversation from where we left it off.",
            self.transcript.display()
        );
        self.write(
            &json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
            "compactMetadata": {"trigger": "manual", "preTokens": 181_725}}),
        );
        self.write(
            &json!({"type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
            "message": {"role": "user", "content": content}}),
        );
    }

    /// The bytes of the transcript that a hook of this session has read.
    fn read_up_to(&self) -> u64 {
        let name = mdmem::store::session_hash(&self.id);
        let state = self.env.read(&format!(".mdmem/sessions/{name}/state.json"));
        serde_json::from_str::<Value>(&state).unwrap()["transcript_read"]
            .as_u64()
            .unwrap()
    }

    #[track_caller]
    fn ends(&self, reason: &str) {
        let event = self.event("SessionEnd", &json!({"reason": reason}));
        assert_eq!(self.hook("session-end", &event), "");
    }

    /// The hook of the session's end, while it runs.
    fn begins_to_end(&self, reason: &str) -> Child {
        let event = self.event("SessionEnd", &json!({"reason": reason}));
        let mut command = self.env.command(env!("CARGO_BIN_EXE_mdmem"));
        command
            .args(["hook", "session-end"])
            .current_dir(self.env.workspace());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        write!(child.stdin.take().unwrap(), "{event}").unwrap();
        child
    }

    /// Adds an entry to the transcript.
    fn write(&self, entry: &Value) {
        let mut entry = entry.clone();
        entry["sessionId"] = json!(self.id);
        entry["isSidechain"] = json!(entry["isSidechain"] == true);
        entry["uuid"] = json!("00000000-0000-4000-8000-000000000000");
        entry["timestamp"] = json!("2026-11-20T10:00:00.000Z");
        let mut file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(&self.transcript)
            .unwrap();
        writeln!(file, "{entry}").unwrap();
    }
}

/// The text for the model in an answer, which is of the documented form; `None` for no answer.
#[track_caller]
fn context(answer: &str, event: &str) -> Option<String> {
    if answer.is_empty() {
        return None;
    }
    let answer: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let known = ["hookSpecificOutput", "systemMessage"];
    let keys = answer.as_object().unwrap().keys();
    assert!(keys.clone().all(|key| known.contains(&key.as_str())), "{answer}");
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["hookEventName"], event);
    Some(specific["additionalContext"].as_str().unwrap().to_owned())
}

/// The paths of all memories.
fn memories(env: &TestEnv) -> Vec<String> {
    let listed = env.mdmem(["list", "--paths", "--all"]).any_stdout().run().stdout;
    listed.lines().map(str::to_owned).collect()
}

/// The only memory that says this.
#[track_caller]
fn memory(env: &TestEnv, text: &str) -> String {
    let mut paths = memories(env);
    paths.retain(|path| env.read(path).contains(text));
    assert_eq!(paths.len(), 1, "memories with {text:?}: {paths:?}");
    paths.pop().unwrap()
}
