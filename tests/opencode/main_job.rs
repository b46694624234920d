//! The main job: what a person saves is what the model is shown, and the bytes stay while the cache is warm.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Turn, installed};
use crate::env::{TestEnv, wait_for};

/// The watcher waits for a file to be quiet for 2 s, and for 10 s at most.
const COMMITTED: Duration = Duration::from_secs(15);

/// A machine with a store, and with the plugin as `init` writes it.
fn machine() -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["init", "--with", "opencode"])
        .any_stdout()
        .any_stderr()
        .run();
    env
}

/// `mdmem` in a folder of its own, where each start leaves its process id: what the plugin finds on PATH.
struct Installed {
    folder: PathBuf,
}

impl Installed {
    fn new(env: &TestEnv) -> Self {
        let folder = env.home().join("bin");
        std::fs::create_dir(&folder).unwrap();
        let installed = Self { folder };
        let script = format!(
            "#!/bin/sh\necho $$ >> '{}'\nexec '{}' \"$@\"\n",
            installed.pids_file().display(),
            env!("CARGO_BIN_EXE_mdmem"),
        );
        std::fs::write(installed.program(), script).unwrap();
        installed.set_mode(0o755);
        installed
    }

    fn program(&self) -> PathBuf {
        self.folder.join("mdmem")
    }

    fn pids_file(&self) -> PathBuf {
        self.folder.join("pids")
    }

    fn set_mode(&self, mode: u32) {
        std::fs::set_permissions(self.program(), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// PATH with this folder in front.
    fn path(&self) -> PathBuf {
        let mut path = self.folder.clone().into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        path.into()
    }

    /// The servers that have been started, the last one last.
    fn pids(&self) -> Vec<String> {
        let pids = std::fs::read_to_string(self.pids_file()).unwrap_or_default();
        pids.lines().map(str::to_owned).collect()
    }

    /// What the model says to kill the server in the middle of a turn.
    fn murder(&self) -> Value {
        let command = format!("kill -9 $(tail -n 1 '{}')", self.pids_file().display());
        json!({"tool": "bash", "args": {"command": command, "description": "kills the server"}})
    }
}

fn is_running(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// `mdmem watch`, until it is dropped.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(env: &TestEnv) -> Self {
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        let mut child = command.arg("watch").stdout(Stdio::piped()).spawn().unwrap();
        let (said, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            stdout
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| said.send(line))
        });
        Self { child, lines }
    }

    /// Waits for a line with this in it.
    #[track_caller]
    fn says(&self, part: &str) {
        let mut said = Vec::new();
        while !said.last().is_some_and(|line: &String| line.contains(part)) {
            let line = self.lines.recv_timeout(COMMITTED);
            said.push(line.unwrap_or_else(|error| panic!("no line with {part:?} among {said:#?}: {error}")));
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The head of the store's history.
fn head(env: &TestEnv) -> String {
    env.git(["rev-parse", "HEAD"])
        .any_stdout()
        .run()
        .stdout
        .trim()
        .to_owned()
}

/// The only system text of a turn in which the model was asked once.
#[track_caller]
fn only(turn: &Turn) -> String {
    let mut systems = turn.systems("main");
    assert_eq!(systems.len(), 1);
    systems.remove(0)
}

#[test]
fn an_edit_reaches_the_next_session_and_no_turn_changes_under_a_running_one() {
    if !installed("an_edit_reaches_the_next_session_and_no_turn_changes_under_a_running_one") {
        return;
    }
    let env = machine();
    env.mdmem(["add", "--type", "decision", "Plugins are loaded by npm link"])
        .any_stdout()
        .any_stderr()
        .run();
    let added = head(&env);
    let watch = Watch::start(&env);
    let file = env
        .mdmem(["path", "plugins-are-loaded-by-npm-link"])
        .any_stdout()
        .run();
    let file = PathBuf::from(String::from_utf8(file.bytes).unwrap().trim_end());

    // A person edits it, as vim saves.
    let edited = std::fs::read_to_string(&file)
        .unwrap()
        .replace("npm link", "the npm cache");
    let beside = file.with_extension("md~");
    std::fs::write(&beside, edited).unwrap();
    std::fs::rename(&beside, &file).unwrap();
    watch.says("plugins-are-loaded-by-npm-link");
    wait_for("the commit of the edit", COMMITTED, || {
        (head(&env) != added).then_some(())
    });

    let program = Installed::new(&env);
    let mut client = OpenCode::start(&env, &[("PATH", &program.path())]);
    let session = client.session();
    let begin = client.prompt(&session);
    let shown = only(&begin);
    assert!(shown.contains("Plugins are loaded by the npm cache"), "{shown}");
    assert!(!shown.contains("npm link"), "{shown}");
    for title in begin.systems("title") {
        assert!(!title.contains("npm cache"), "{title}");
    }

    // The store changes; the bytes do not, neither from turn to turn nor from step to step.
    for (n, fact) in ["Releases are cut on Fridays", "The linter is clippy"]
        .iter()
        .enumerate()
    {
        env.mdmem(["add", fact]).any_stdout().any_stderr().run();
        let step = json!({"tool": "bash", "args": {"command": "true", "description": "does nothing"}});
        let turn = client.play(&session, &[step, json!("done")]);
        assert_eq!(turn.systems("main"), [shown.as_str(), shown.as_str()], "turn {n}");
    }

    // Others of the session's requests get nothing.
    let task = json!({"description": "look", "prompt": "look around", "subagent_type": "general"});
    let turn = client.play(&session, &[json!({"tool": "task", "args": task}), json!("done")]);
    for system in turn.systems("subagent") {
        assert!(!system.contains("npm cache"), "{system}");
    }
    for system in client.compact(&session).systems("compaction") {
        assert!(!system.contains("npm cache"), "{system}");
    }

    // One command brings the old line back, for the session that begins then.
    env.mdmem(["restore", &added, "plugins-are-loaded-by-npm-link"])
        .any_stdout()
        .any_stderr()
        .run();
    let session = client.session();
    let shown = only(&client.prompt(&session));
    assert!(shown.contains("Plugins are loaded by npm link"), "{shown}");
    assert!(!shown.contains("npm cache"), "{shown}");
    assert!(shown.contains("Releases are cut on Fridays"), "{shown}");

    // The server goes with its client, whichever way that ends.
    client.kill();
    wait_for("the server's end", LIMIT, || {
        program.pids().iter().all(|pid| !is_running(pid)).then_some(())
    });
}

#[test]
fn a_server_that_is_killed_in_the_middle_of_a_turn_changes_nothing() {
    if !installed("a_server_that_is_killed_in_the_middle_of_a_turn_changes_nothing") {
        return;
    }
    let env = machine();
    env.mdmem(["add", "The build runs on two cores"])
        .any_stdout()
        .any_stderr()
        .run();
    let program = Installed::new(&env);
    let mut client = OpenCode::start(&env, &[("PATH", &program.path())]);
    let session = client.session();
    let shown = only(&client.prompt(&session));
    assert!(shown.contains("The build runs on two cores"), "{shown}");

    // It is started again, and serves from disk what was frozen there, though the store has changed.
    env.mdmem(["add", "Tests need no network"])
        .any_stdout()
        .any_stderr()
        .run();
    let turn = client.play(&session, &[program.murder(), json!("done")]);
    assert_eq!(turn.systems("main"), [shown.as_str(), shown.as_str()]);
    client.logs("the server ended (SIGKILL)");
    wait_for("a second server", LIMIT, || {
        assert_eq!(only(&client.prompt(&session)), shown);
        (program.pids().len() == 2).then_some(())
    });

    // It cannot be started again: the plugin serves what it had last, and says so.
    program.set_mode(0o644);
    let turn = client.play(&session, &[program.murder(), json!("done")]);
    assert_eq!(turn.text, "done");
    assert_eq!(turn.systems("main"), [shown.as_str(), shown.as_str()]);
    client.logs("served the last text: ");

    // A client that ends well takes its server along.
    program.set_mode(0o755);
    wait_for("a server again", LIMIT, || {
        assert_eq!(only(&client.prompt(&session)), shown);
        (program.pids().len() > 2).then_some(())
    });
    client.stop();
    wait_for("the server's end", LIMIT, || {
        program.pids().iter().all(|pid| !is_running(pid)).then_some(())
    });
}

#[test]
fn opencode_run_shows_the_memory_too() {
    if !installed("opencode_run_shows_the_memory_too") {
        return;
    }
    let env = machine();
    env.mdmem(["add", "The parser is written by hand"])
        .any_stdout()
        .any_stderr()
        .run();
    // Where cargo installs it, and nowhere else that the plugin is told of.
    let cargo = env.home().join(".cargo/bin");
    std::fs::create_dir_all(&cargo).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mdmem"), cargo.join("mdmem")).unwrap();
    let mut client = OpenCode::start(&env, &[]);
    let turn = client.run("what is the parser like?");
    assert_eq!(turn.text, "done");
    let shown = only(&turn);
    assert!(shown.contains("The parser is written by hand"), "{shown}");
}
