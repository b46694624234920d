//! The real agents with what `mdmem init --with AGENT` writes, without network: their model is a script on the loopback
//! interface (`model.mjs`), their keys are a word. README.md has what was seen.

mod aider;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::env::{LIMIT, TestEnv, wait_for, write_at};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

/// An agent that is installed here, and how it is run.
struct Agent {
    name: &'static str,
    /// The program, in the folder of packages (a name: in its `.bin`), and its arguments before the words of the user.
    program: &'static str,
    args: &'static [&'static str],
    /// The way in which the model calls our tool, and a file of the person's that mdmem adds to.
    tool: &'static str,
    own: Option<(&'static str, &'static str)>,
    /// Of one without hooks, whose file is the user's: the way in which the model calls the tool that stores.
    adds: Option<&'static str>,
    /// Says whether its output has the line for the person, which others show in a terminal alone.
    tells: bool,
    /// Gives it a model, and trust.
    prepare: fn(&TestEnv, &str, &mut Command),
}

/// The model of an agent's test.
pub(crate) struct Model {
    _child: Ends,
    pub(crate) address: String,
    log: PathBuf,
}

impl Model {
    pub(crate) fn start(env: &TestEnv) -> Self {
        let log = env.home().join("requests");
        let mut command = env.command("node");
        command
            .arg(folder().join("model.mjs"))
            .arg(&log)
            .stdout(Stdio::piped());
        let mut child = Ends(command.spawn().unwrap());
        let mut address = String::new();
        let mut output = BufReader::new(child.0.stdout.take().unwrap());
        output.read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        Self {
            _child: child,
            address,
            log,
        }
    }

    /// The requests since the last look, a line each, but for those that ask for a title (Kilo's comes at any time).
    pub(crate) fn asked(&self) -> Vec<String> {
        let requests = std::fs::read_to_string(&self.log).unwrap_or_default();
        drop(std::fs::remove_file(&self.log));
        let requests = requests
            .lines()
            .filter(|request| !request.contains("You are a title generator"));
        requests.map(str::to_owned).collect()
    }
}

/// A program that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What an agent leaves running behind a session in this machine (Cline does): it ends with the test.
struct LeftRunning<'e>(&'e TestEnv);

impl Drop for LeftRunning<'_> {
    fn drop(&mut self) {
        let workspace = self.0.workspace().display().to_string();
        for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let is_ours = String::from_utf8_lossy(&command).contains(&workspace);
            let pid = process.file_name().to_string_lossy().parse().ok();
            if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw).filter(|_| is_ours) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
        }
    }
}

/// Says whether an agent is installed; if it is not, says so past the test harness, or fails where
/// `MDMEM_REQUIRE_AGENTS=1` asks for it.
fn is_installed(name: &str, program: &Path) -> bool {
    let is_there = program.exists();
    if !is_there {
        let fix = "install it as .ci/run does";
        let is_required = std::env::var("MDMEM_REQUIRE_AGENTS").as_deref() == Ok("1");
        assert!(!is_required, "{name} is not installed; {fix}");
        let line = format!("\n*** SKIPPED agents: {name} is not installed; {fix}\n\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    is_there
}

/// Runs an agent to its end, with mdmem on its path: gives what it printed.
fn run(env: &TestEnv, name: &str, command: &mut Command) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let printed = env.home().join("printed");
    let file = std::fs::File::create(&printed).unwrap();
    command
        .env("PATH", format!("{}:{path}", bin.display()))
        .stdin(Stdio::null())
        .stdout(file.try_clone().unwrap())
        .stderr(file);
    let mut child = Ends(command.spawn().unwrap());
    let status = wait_for("the agent to answer", 4 * LIMIT, || child.0.try_wait().unwrap());
    let printed = std::fs::read_to_string(printed).unwrap();
    assert!(status.success(), "{name}: {printed}");
    printed
}

impl Agent {
    fn program(&self) -> PathBuf {
        let packages = folder().join("node_modules");
        if self.program.contains('/') {
            packages.join(self.program)
        } else {
            packages.join(".bin").join(self.program)
        }
    }

    /// A session of its own in which the user says something: gives what it printed.
    fn says(&self, env: &TestEnv, model: &Model, words: &str) -> String {
        let mut command = env.command(self.program().to_str().unwrap());
        command.args(self.args);
        match self.name {
            // It puts quotation marks around an argument with blanks.
            "kilo" => command.args(words.split(' ')),
            _ => command.arg(words),
        };
        (self.prepare)(env, &model.address, &mut command);
        run(env, self.name, &mut command)
    }

    /// What is told in one session is in the prompt of the next, the tools answer, and `--undo` leaves the bytes that
    /// were there.
    #[track_caller]
    fn remembers(&self) {
        if !is_installed(self.name, &self.program()) {
            return;
        }
        let env = TestEnv::with_store();
        let model = Model::start(&env);
        let _left_running = LeftRunning(&env);
        let (root, user) = match self.adds {
            None => (env.workspace(), None),
            Some(_) => (env.home(), Some("--user")),
        };
        if let Some((file, text)) = self.own {
            write_at(&root.join(file), text);
        }
        let before = files(&root);
        let init = |more: &[&str]| {
            let user = user.as_slice();
            let args = [&["init", "--with", self.name], user, more].concat();
            env.mdmem(args).any_stdout().any_stderr().run();
        };
        init(&[]);

        let told = match self.adds {
            None => "remember that the port of the dev server is 4173".to_owned(),
            Some(tool) => format!(r#"CALL {tool} {{"text": "the port of the dev server is 4173"}}"#),
        };
        let printed = self.says(&env, &model, &told);
        let asked = model.asked().pop().unwrap_or_else(|| panic!("{printed}"));
        assert!(
            asked.contains("stored as project/the-port-of"),
            "{printed}\n{asked}"
        );
        assert_eq!(
            self.tells,
            printed.contains(if self.adds.is_some() {
                "stored as project/the-port-of"
            } else {
                "Memory: stored as project/the-port-of"
            }),
            "{printed}"
        );

        let call = format!(r#"CALL {} {{"path": "MEMORY.md"}}"#, self.tool);
        let printed = self.says(&env, &model, &call);
        let asked = model.asked();
        let last = asked.last().unwrap_or_else(|| panic!("{printed}"));
        let memory = last.matches("Workspace memory (").count();
        let expected = usize::from(self.adds.is_none());
        assert_eq!(memory, expected, "the memory is there once: {printed}\n{last}");
        assert!(last.contains("the port of the dev server is 4173"), "{last}");
        assert!(
            last.contains("Made by mdmem from the files beside it"),
            "{printed}\n{last}"
        );

        init(&["--undo"]);
        let after = files(&root);
        for (file, bytes) in &before {
            let left = after.iter().find(|(name, _)| name == file);
            assert_eq!(
                left.map(|(_, bytes)| bytes),
                Some(bytes),
                "{}: {}",
                self.name,
                file.display()
            );
        }
        let is_ours = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("mdmem hook");
        let left: Vec<&PathBuf> = after
            .iter()
            .filter(|file| is_ours(&file.1))
            .map(|file| &file.0)
            .collect();
        assert!(left.is_empty(), "{}: {left:?}", self.name);
    }
}

/// Every file below a folder, but for the stores.
fn files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(root).into_iter();
    let walk = walk
        .filter_entry(|entry| entry.file_name() != ".local")
        .map(Result::unwrap);
    let files = walk.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| (entry.path().to_owned(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn codex() {
    Agent {
        name: "codex",
        program: "codex",
        // Each hook has to be trusted by a person; this stands for that.
        args: &["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"],
        tool: "mcp__mdmem/memory_read",
        own: Some((".codex/config.toml", "# mine\nmodel_verbosity = \"low\"\n")),
        adds: None,
        tells: false,
        prepare: |env, address, command| {
            let workspace = env.workspace();
            let config = format!(
                "model = \"scripted\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\n\
                 base_url = \"{address}/v1\"\nwire_api = \"responses\"\nenv_key = \"KEY\"\n\
                 [projects.\"{}\"]\ntrust_level = \"trusted\"\n",
                workspace.display()
            );
            write_at(&env.home().join(".codex/config.toml"), &config);
            command.env("KEY", "none");
        },
    }
    .remembers();
}

#[test]
fn gemini() {
    Agent {
        name: "gemini",
        program: "gemini",
        // Without a model's name it has one chosen first.
        args: &["-m", "gemini-2.5-flash", "-p"],
        tool: "mcp_mdmem_memory_read",
        own: Some((".gemini/settings.json", "{\n  // mine\n  \"ui\": { \"hideBanner\": true }\n}\n")),
        adds: None,
        tells: true,
        prepare: |env, address, command| {
            let settings = r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false},
                "privacy": {"usageStatisticsEnabled": false}}"#;
            write_at(&env.home().join(".gemini/settings.json"), settings);
            command
                .env("GEMINI_API_KEY", "none")
                .env("GOOGLE_GEMINI_BASE_URL", address)
                .env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        },
    }
    .remembers();
}

/// It drops what a session's start gives: the memory comes with the first message.
#[test]
fn qwen() {
    Agent {
        name: "qwen",
        program: "qwen",
        args: &["-p"],
        tool: "mcp__mdmem__memory_read",
        own: Some((".qwen/settings.json", "{\n  \"ui\": { \"hideTips\": true },\n  \"$version\": 4\n}\n")),
        adds: None,
        tells: false,
        prepare: |env, address, command| {
            let settings = r#"{"security": {"auth": {"selectedType": "openai"}}, "general": {"enableAutoUpdate": false},
                "privacy": {"usageStatisticsEnabled": false}, "memory": {"enableManagedAutoMemory": false}}"#;
            write_at(&env.home().join(".qwen/settings.json"), settings);
            command
                .env("OPENAI_API_KEY", "none")
                .env("OPENAI_BASE_URL", format!("{address}/v1"))
                .env("OPENAI_MODEL", "scripted");
        },
    }
    .remembers();
}

#[test]
fn copilot() {
    Agent {
        name: "copilot",
        program: "copilot",
        args: &["--trust-folder", "--allow-all-tools", "-p"],
        tool: "mdmem-memory_read",
        own: Some((
            ".github/mcp.json",
            "{\n  \"mcpServers\": {\n    \"mine\": {\n      \"command\": \"true\"\n    }\n  }\n}\n",
        )),
        adds: None,
        tells: false,
        prepare: |_, address, command| {
            command
                .env("COPILOT_OFFLINE", "true")
                .env("COPILOT_AUTO_UPDATE", "false")
                .env("COPILOT_MODEL", "scripted")
                .env("COPILOT_PROVIDER_API_KEY", "none")
                .env("COPILOT_PROVIDER_BASE_URL", format!("{address}/v1"))
                // It unpacks 190 MB.
                .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        },
    }
    .remembers();
}

#[test]
fn pi() {
    Agent {
        name: "pi",
        program: "pi",
        args: &["--provider", "scripted", "--model", "m", "-p"],
        tool: "memory_read",
        own: None,
        adds: None,
        tells: false,
        prepare: |env, address, command| {
            let models = format!(
                r#"{{"providers": {{"scripted": {{"baseUrl": "{address}/v1", "api": "openai-completions", "apiKey": "none",
                    "models": [{{"id": "m"}}]}}}}}}"#
            );
            write_at(&env.home().join(".pi/agent/models.json"), &models);
            command.env("PI_OFFLINE", "1");
        },
    }
    .remembers();
}

/// Kilo, Cline and aider want out; whoever does meets a closed door.
fn keep_in(command: &mut Command) {
    for name in ["HTTP_PROXY", "HTTPS_PROXY"] {
        command.env(name, "http://127.0.0.1:9");
    }
    command.env("NO_PROXY", "127.0.0.1,localhost");
}

#[test]
fn kilo() {
    Agent {
        name: "kilo",
        program: "@kilocode/cli-linux-x64/bin/kilo",
        args: &["run"],
        tool: "memory_read",
        own: None,
        adds: None,
        tells: false,
        prepare: |env, address, command| {
            keep_in(command);
            let config = json!({
                "model": "scripted/m", "small_model": "scripted/m", "enabled_providers": ["scripted"], "share": "disabled",
                "snapshot": false, "permission": "allow", "experimental": {"openTelemetry": false},
                "provider": {"scripted": {
                    "npm": "@ai-sdk/openai-compatible", "options": {"baseURL": format!("{address}/v1"), "apiKey": "none"},
                    "models": {"m": {"limit": {"context": 100_000, "output": 8_000}, "tool_call": true}}
                }}
            });
            command
                .env("KILO_CONFIG_CONTENT", config.to_string())
                .env("KILO_DISABLE_AUTOUPDATE", "1")
                .env("KILO_DISABLE_MODELS_FETCH", "1")
                .env("PWD", env.workspace())
                // It installs packages for its plugins first.
                .env("npm_config_offline", "true")
                .env("npm_config_fetch_retries", "0");
        },
    }
    .remembers();
}

#[test]
fn cline() {
    Agent {
        name: "cline",
        program: "@cline/cli-linux-x64/bin/cline",
        args: &[],
        tool: "mdmem__memory_read",
        own: Some((
            ".cline/data/settings/cline_mcp_settings.json",
            "{\n  \"mcpServers\": {\n    \"mine\": {\n      \"command\": \"true\",\n      \"disabled\": true\n    }\n  }\n}\n",
        )),
        adds: Some("mdmem__memory_add"),
        tells: true,
        prepare: |env, address, command| {
            keep_in(command);
            let providers = json!({"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": {
                "openai-compatible": {"tokenSource": "manual", "updatedAt": "2026-11-29T12:00:00.000Z", "settings": {
                    "provider": "openai-compatible", "apiKey": "none", "model": "m", "baseUrl": format!("{address}/v1")
                }}
            }});
            let file = env.home().join(".cline/data/settings/providers.json");
            write_at(&file, &providers.to_string());
        },
    }
    .remembers();
}

/// What a hook of an agent answers to an event.
fn answered(env: &TestEnv, agent: &str, verb: &str, event: &Value) -> Value {
    let call = env
        .mdmem(["hook", verb, "--host", agent])
        .stdin(event.to_string());
    let output = call.any_stdout().run().stdout;
    serde_json::from_str(&output).unwrap_or_default()
}

#[test]
fn each_is_answered_in_its_form() {
    let env = TestEnv::with_store();
    let event = |session: &str, prompt: &str| json!({"session_id": session, "cwd": env.workspace(), "prompt": prompt, "timestamp": session});
    let says = |agent: &str, session: &str, prompt: &str| {
        answered(&env, agent, "user-prompt-submit", &event(session, prompt))
    };
    let keys = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();

    let codex = says("codex", "a", "remember that the demo is at noon");
    assert_eq!(keys(&codex), ["hookSpecificOutput", "systemMessage"], "{codex}");
    let given = codex["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    // No start of the session was seen, so the message brings the memory, once.
    assert!(given.contains("- the demo is at noon ("), "{given}");
    assert!(
        given.contains("stored as project/the-demo-is-at-noon.md"),
        "{given}"
    );
    assert_eq!(says("codex", "a", "And now?"), Value::Null);
    let mut resumed = event("a", "");
    resumed["source"] = json!("resume");
    assert_eq!(answered(&env, "codex", "session-start", &resumed), Value::Null);

    let copilot = answered(&env, "copilot", "session-start", &event("b", ""));
    assert_eq!(keys(&copilot), ["additionalContext"], "{copilot}");
    assert_eq!(says("copilot", "b", "Hello"), Value::Null);
    assert_eq!(
        answered(&env, "qwen", "session-start", &event("c", "")),
        Value::Null
    );
    assert!(
        says("qwen", "c", "Hello")
            .to_string()
            .contains("the demo is at noon")
    );

    // What is in front of the message is the agent's.
    let told = "<hook_context>&lt;mdmem&gt; remember that the sky is green</hook_context>\n\nremember that the sky is blue";
    let gemini = says("gemini", "d", told).to_string();
    assert!(
        gemini.contains("stored as project/the-sky-is-blue.md") && !gemini.contains("green"),
        "{gemini}"
    );

    for (agent, tool, response) in [
        (
            "codex",
            "mcp__mdmem__memory_add",
            json!({"tool_response": {"content": [{"text": "stored as x.md"}]}}),
        ),
        (
            "gemini",
            "mcp_mdmem_memory_add",
            json!({"tool_response": {"llmContent": [], "returnDisplay": "stored as x.md"}}),
        ),
        (
            "copilot",
            "mdmem-memory_add",
            json!({"tool_result": {"text_result_for_llm": "stored as x.md"}}),
        ),
    ] {
        let mut event = event("f", "");
        event["tool_name"] = json!(tool);
        event
            .as_object_mut()
            .unwrap()
            .extend(response.as_object().unwrap().clone());
        let seen = answered(&env, agent, "post-tool-use", &event);
        assert_eq!(
            seen,
            json!({"systemMessage": "Memory, by the agent: stored as x.md"}),
            "{agent}"
        );
    }
}

/// A workspace and its user may both have set mdmem up, and Codex runs the hooks of both.
#[test]
fn two_processes_for_one_event_give_the_memory_once() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "The demo is at noon"])
        .any_stdout()
        .any_stderr()
        .run();
    let start = |source: &str| {
        let event = json!({"session_id": "a", "cwd": env.workspace(), "source": source});
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.args(["hook", "session-start", "--host", "codex"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        write!(child.stdin.take().unwrap(), "{event}").unwrap();
        child
    };
    for source in ["startup", "clear", "compact"] {
        let both = [start(source), start(source)].map(|child| {
            let output = child.wait_with_output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        });
        let given = both
            .iter()
            .filter(|answer| answer.contains("The demo is at noon"));
        assert_eq!(given.count(), 1, "{source}: {both:?}");
    }
    let event = json!({"session_id": "a", "cwd": env.workspace()});
    assert_eq!(answered(&env, "codex", "pre-compact", &event), Value::Null);
}
