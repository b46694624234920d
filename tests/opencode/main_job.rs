//! The main job: what a person saves is what the model is shown, and the bytes stay while the cache is warm.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Turn, installed};
use crate::env::{TestEnv, wait_for, write_at};

/// The watcher waits for a file to be quiet for 2 s, and for 10 s at most.
const COMMITTED: Duration = Duration::from_secs(15);

/// A machine with a store, and with the plugin as `init` writes it.
pub(super) fn machine() -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["init", "--with", "opencode"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["config", "set", "--user", "tools.enabled", r#"["all"]"#])
        .any_stdout()
        .any_stderr()
        .run();
    env
}

/// The variable that names the program, and the program.
pub(super) fn bin() -> (&'static str, &'static Path) {
    ("MDMEM_BIN", Path::new(env!("CARGO_BIN_EXE_mdmem")))
}

/// The memories' paths, by the command line's word.
pub(super) fn memories(env: &TestEnv) -> Vec<String> {
    let listed = env
        .mdmem(["list", "--all", "--paths"])
        .any_stdout()
        .any_stderr()
        .run();
    listed.stdout.lines().map(str::to_owned).collect()
}

/// `mdmem` in a folder of its own, where each start leaves its process id: what the plugin finds on PATH.
pub(super) struct Installed {
    folder: PathBuf,
}

impl Installed {
    pub(super) fn new(env: &TestEnv) -> Self {
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

    pub(super) fn set_mode(&self, mode: u32) {
        std::fs::set_permissions(self.program(), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// PATH with this folder in front.
    pub(super) fn path(&self) -> PathBuf {
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

    /// Sends a signal to the server that was started last.
    pub(super) fn signal(&self, signal: &str) {
        let pids = self.pids();
        let mut kill = Command::new("kill");
        kill.arg(format!("-{signal}")).args(pids.last()).status().unwrap();
    }

    /// `Some` when none of the servers is running any more.
    fn ended(&self) -> Option<()> {
        self.pids().iter().all(|pid| !is_running(pid)).then_some(())
    }

    /// The words of the model that kill the server in the middle of a turn.
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

/// The store's only memory whose slug is this, as a file.
fn file_of(env: &TestEnv, slug: &str) -> PathBuf {
    let path = env.mdmem(["path", slug]).any_stdout().run().bytes;
    PathBuf::from(String::from_utf8(path).unwrap().trim_end())
}

/// Remembers a fact, on the command line.
pub(super) fn add(env: &TestEnv, fact: &str) {
    env.mdmem(["add", fact]).any_stdout().any_stderr().run();
}

/// The words of the model for a step that does nothing.
fn idle_step() -> Value {
    json!({"tool": "bash", "args": {"command": "true", "description": "does nothing"}})
}

/// One client for all of it: to start one takes longer than everything else.
#[test]
fn what_a_person_saves_is_what_the_model_is_shown() {
    if !installed("what_a_person_saves_is_what_the_model_is_shown") {
        return;
    }
    let env = machine();
    add(&env, "Plugins are loaded by npm link");
    let added = head(&env);
    let watch = Watch::start(&env);
    edit_as_vim_does(&file_of(&env, "plugins-are-loaded-by-npm-link"));
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

    the_bytes_stay_while_the_store_changes(&env, &mut client, &session, &shown);
    nothing_else_carries_memory(&begin, &mut client, &session);

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

    a_killed_server_changes_nothing(&env, &program, &mut client, &session, &shown);
    the_server_goes_with_its_client(&program, &mut client);
}

/// The file is renamed while no client runs; the first session of the next one is told, or one that begins after a look.
#[test]
fn the_next_session_is_told_of_a_renamed_file() {
    if !installed("the_next_session_is_told_of_a_renamed_file") {
        return;
    }
    let env = machine();
    let now = env.now();
    env.git_at_work(&now, &["init", "-q"]);
    write_at(&env.workspace().join("src/cart.ts"), "export const total = 1;\n");
    env.git_at_work(&now, &["add", "-A"]);
    env.git_at_work(&now, &["commit", "-qm", "x"]);
    add(&env, "Totals are rounded in src/cart.ts");
    let mut client = OpenCode::start(&env, &[bin()]);
    let session = client.session();
    let shown = only(&client.prompt(&session));
    assert!(
        shown.contains("rounded in src/cart.ts") && !shown.contains("is gone"),
        "{shown}"
    );
    client.stop();
    drop(client);
    env.git_at_work(&now, &["mv", "src/cart.ts", "src/basket.ts"]);
    let mut client = OpenCode::start(&env, &[bin()]);
    wait_for("a session that is told", LIMIT, || {
        let session = client.session();
        let shown = only(&client.prompt(&session));
        shown
            .contains("[src/cart.ts is gone; now src/basket.ts?]")
            .then_some(())
    });
}

/// Written beside and renamed over, with other words in the same line.
fn edit_as_vim_does(file: &Path) {
    let edited = std::fs::read_to_string(file)
        .unwrap()
        .replace("npm link", "the npm cache");
    let beside = file.with_extension("md~");
    std::fs::write(&beside, edited).unwrap();
    std::fs::rename(&beside, file).unwrap();
}

/// Neither from turn to turn nor from step to step of one.
fn the_bytes_stay_while_the_store_changes(env: &TestEnv, client: &mut OpenCode, session: &str, shown: &str) {
    for fact in ["Releases are cut on Fridays", "The linter is clippy"] {
        add(env, fact);
        let turn = client.play(session, &[idle_step(), json!("done")]);
        assert_eq!(turn.systems("main"), [shown, shown], "after {fact:?}");
    }
}

/// Title, sub-agents and compaction go through the same hook.
fn nothing_else_carries_memory(begin: &Turn, client: &mut OpenCode, session: &str) {
    let task = json!({"description": "look", "prompt": "look around", "subagent_type": "general"});
    let task = client.play(session, &[json!({"tool": "task", "args": task}), json!("done")]);
    let compaction = client.compact(session);
    for (turn, kind) in [(begin, "title"), (&task, "subagent"), (&compaction, "compaction")] {
        for system in turn.systems(kind) {
            assert!(!system.contains("npm cache"), "{kind}: {system}");
        }
    }
}

/// The model's own tool call kills it between two steps of a turn.
fn a_killed_server_changes_nothing(
    env: &TestEnv,
    program: &Installed,
    client: &mut OpenCode,
    session: &str,
    shown: &str,
) {
    // Another one serves from disk what was frozen there, though the store has changed.
    add(env, "Tests need no network");
    let before = program.pids().len();
    let turn = client.play(session, &[program.murder(), json!("done")]);
    assert_eq!(turn.text, "done");
    assert_eq!(turn.systems("main"), [shown, shown]);
    client.logs("the server ended (SIGKILL)");
    wait_for("a second server", LIMIT, || {
        assert_eq!(only(&client.prompt(session)), shown);
        (program.pids().len() > before).then_some(())
    });

    // There can be no other one: the plugin serves what it had last, and says so.
    program.set_mode(0o644);
    let turn = client.play(session, &[program.murder(), json!("done")]);
    assert_eq!(turn.text, "done");
    assert_eq!(turn.systems("main"), [shown, shown]);
    client.logs("served the last text: ");

    program.set_mode(0o755);
    let before = program.pids().len();
    wait_for("a server again", LIMIT, || {
        assert_eq!(only(&client.prompt(session)), shown);
        (program.pids().len() > before).then_some(())
    });
}

/// Checks that it ends with its client: by a signal, without a word, or in good order.
fn the_server_goes_with_its_client(program: &Installed, client: &mut OpenCode) {
    client.kill();
    wait_for("the server's end after a kill", LIMIT, || program.ended());
    let before = program.pids().len();
    client.session();
    wait_for("a server for the next client", LIMIT, || {
        (program.pids().len() > before).then_some(())
    });
    client.stop();
    wait_for("the server's end after a stop", LIMIT, || program.ended());
}
