//! Each command that writes is killed right before each of its system calls that change something; then the next command
//! comes. Without strace the instants are by chance.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::children::{lines_of, start};
use super::state::{State, beside};
use super::strace::{self, Point};
use super::victims::{self, HELD, SAVED, SAVED_UNDER_WATCH, VICTIMS, Victim};
use super::{TellSeed, one_of, rounds, times};
use crate::crash::look_for_leftovers;
use crate::env::{Chance, LIMIT, Repository, TestEnv};

/// The number of kills that each command takes in every run. In the long form it takes all points, and so many more with a second
/// kill while the first is recovered from, and as many at instants by chance.
const POINTS: usize = 2;
const TWICE: u64 = 30;

#[test]
fn killed_while_a_store_is_made_or_repaired() {
    kill(&["init"]);
}

#[test]
fn killed_while_one_memory_changes() {
    kill(&["add", "edit", "mv", "allow", "config"]);
}

#[test]
fn killed_while_many_memories_change() {
    kill(&["rm", "forget", "check", "restore", "undo", "import", "sweep"]);
}

#[test]
fn killed_while_files_of_others_change() {
    kill(&["export", "promote", "stores"]);
}

#[test]
fn killed_while_machines_exchange() {
    kill(&["sync"]);
}

#[test]
fn killed_while_serving_and_watching() {
    kill(&["serve", "watch"]);
}

/// Kills these commands, each at so many points as [`POINTS`] says, or at all of them.
fn kill(commands: &[&str]) {
    let _seed = TellSeed("kills");
    let can_trace = strace::is_there();
    if !can_trace {
        eprintln!(
            "\n*** no strace here: commands are killed at instants by chance, not at each system call ***\n"
        );
    }
    let mut total = Tally::default();
    let mut victims = 0;
    for (n, victim) in VICTIMS.iter().enumerate() {
        if commands.contains(&victim.args[0]) {
            let tally = Trial::new(victim, n as u64).run(can_trace);
            println!("{}: {tally:?}", victim.args.join(" "));
            total.kills += tally.kills;
            total.failed += tally.failed;
            victims += 1;
        }
    }
    println!("{total:?}");
    assert_eq!(total.failed, 0, "kills that were not got over: see above");
    assert!(
        !can_trace || total.kills >= victims,
        "hardly anything was killed: {total:?}"
    );
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    kills: u64,
    failed: u64,
}

/// When a command dies.
#[derive(Debug, Clone)]
enum Kill {
    Never,
    At(Point),
    After(Duration),
}

/// The end of a command.
struct Ended {
    was_killed: bool,
    acknowledged: bool,
    took: Duration,
    said: String,
}

struct Trial {
    victim: &'static Victim,
    env: TestEnv,
    kept: tempfile::TempDir,
    chance: Chance,
    before: State,
    after: State,
    /// The files beside the store before anything is run.
    beside: BTreeMap<String, String>,
}

impl Trial {
    fn new(victim: &'static Victim, seed: u64) -> Self {
        let env = victims::store();
        if let Some(prepare) = victim.prepare {
            victims::fill(&env);
            prepare(&env);
        }
        let kept = tempfile::tempdir_in(env.home().parent().unwrap().parent().unwrap()).unwrap();
        let nothing = State {
            tree: BTreeMap::new(),
            status: String::new(),
            beside: BTreeMap::new(),
        };
        let trial = Self {
            beside: beside(&env),
            victim,
            env,
            kept,
            chance: Chance::new(0x6b11 + seed),
            before: nothing.clone(),
            after: nothing,
        };
        copy(&trial.root(), trial.kept.path());
        trial
    }

    fn root(&self) -> PathBuf {
        self.env.home().parent().unwrap().to_owned()
    }

    /// The machine is as it was before the command.
    fn begin_again(&self) {
        for name in ["home", "workspace"] {
            std::fs::remove_dir_all(self.root().join(name)).unwrap();
        }
        copy(self.kept.path(), &self.root());
    }

    fn run(mut self, can_trace: bool) -> Tally {
        let args = self.victim.args;
        self.save_under_watch();
        self.recover("before", &["sweep"]);
        self.before = self.state();
        self.begin_again();
        let log = self.root().join("strace.log");
        let ended = self.execute(&Kill::Never, can_trace.then_some(&log));
        assert!(ended.acknowledged, "{args:?}: {}", ended.said);
        self.recover("after", &["sweep"]);
        self.after = self.state();
        assert!(
            self.victim.prepare.is_none()
                || self.before != self.after
                // The command that comes first afterwards has done it before, too.
                || !self.victim.first.is_empty()
                || matches!(args[0], "sweep" | "watch")
        );

        let mut tally = Tally::default();
        if can_trace {
            let points = strace::points(&log);
            if times().is_some() {
                for point in &points {
                    self.one(&mut tally, &Kill::At(point.clone()), None);
                }
            } else {
                // A command that talks to another program does not come by each point again.
                for _ in 0..4 * POINTS {
                    if tally.kills + tally.failed >= POINTS as u64 {
                        break;
                    }
                    let point = one_of(&mut self.chance, &points).clone();
                    self.one(&mut tally, &Kill::At(point), None);
                }
            }
            if times().is_some() {
                self.begin_again();
                self.save_under_watch();
                self.execute_as(&["sweep"], &Kill::Never, Some(&log));
                let sweeps = strace::points(&log);
                for _ in 0..rounds(0, TWICE) {
                    let first = one_of(&mut self.chance, &points).clone();
                    let second = one_of(&mut self.chance, &sweeps).clone();
                    self.one(&mut tally, &Kill::At(first), Some(Kill::At(second)));
                }
            }
        }
        for _ in 0..rounds(if can_trace { 0 } else { 2 * POINTS as u64 }, TWICE) {
            let instant = self.chance.time_below(ended.took);
            self.one(&mut tally, &Kill::After(instant), None);
        }
        tally
    }

    /// One kill and what comes after it. A failure is told at once and counted, so that the others are tried too.
    fn one(&self, tally: &mut Tally, kill: &Kill, again: Option<Kill>) {
        match catch_unwind(AssertUnwindSafe(|| self.kill_and_recover(kill, again))) {
            Ok(was_killed) => tally.kills += u64::from(was_killed),
            Err(_) => tally.failed += 1,
        }
    }

    fn kill_and_recover(&self, kill: &Kill, again: Option<Kill>) -> bool {
        self.begin_again();
        let told = format!("{:?} killed: {kill:?}, then {again:?}", self.victim.args);
        let ended = self.execute(kill, None);
        for (path, text) in beside(&self.env) {
            let is_whole = [&self.beside, &self.after.beside]
                .iter()
                .any(|known| known.get(&path) == Some(&text));
            assert!(
                is_whole || path.ends_with(".mdmem-part") || path.starts_with("workspaces/."),
                "{told}: {path} is half done: {text}"
            );
        }
        if self.victim.prepare.is_some() && !self.victim.args.contains(&victims::REMOTE) {
            for reader in ["render", "list", "status"] {
                self.call(&[reader], &format!("{told}: a reader"));
            }
        }
        if let Some(again) = again {
            self.execute_as(&["sweep"], &again, None);
        }
        self.recover(
            &told,
            &[
                "add",
                "--quiet",
                "--path",
                "project/next.md",
                "The next command is here.",
            ],
        );
        let state = self.state();
        self.check(&told, &ended, &state);
        // Nothing is left for a second recovery.
        let tip = self.git("rev-parse HEAD");
        self.recover(&told, &["sweep"]);
        assert_eq!(
            self.git("rev-parse HEAD"),
            tip,
            "{told}: a second recovery commits"
        );
        let again = self.state();
        assert_eq!(
            (again.tree, again.status),
            (state.tree, state.status),
            "{told}: a second recovery"
        );
        if self.victim.args[0] == "sync" {
            self.sync_again(&told);
        }
        ended.was_killed
    }

    /// The next sync completes: both sides have what both did, and the remote is sound.
    fn sync_again(&self, told: &str) {
        // The git of a killed sync ends by itself, and may hold a ref for a moment.
        crate::env::wait_for("the last git to end", crate::env::LIMIT, || {
            crate::sync::auto::gits_of(&self.env.store())
                .is_empty()
                .then_some(())
        });
        // A sync that was killed before it had noted the remote's address hears it once more.
        let words = self.victim.args.iter().filter(|word| !word.starts_with('-'));
        self.call(&words.copied().collect::<Vec<&str>>(), told);
        let state = self.state();
        let paths = |state: &State| state.tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&state), paths(&self.after), "{told}: after the next sync");
        assert_eq!(state, self.after, "{told}: after the next sync");
        let remote = self.env.home().join("remote.git");
        let git = |args: &[&str]| {
            let git = self.env.command("git").arg("-C").arg(&remote).args(args).output();
            let git = git.unwrap();
            assert!(git.status.success(), "{told}: {args:?}: {git:?}");
            String::from_utf8(git.stdout).unwrap()
        };
        git(&["fsck", "--strict"]);
        assert_eq!(git(&["rev-parse", "main"]), self.git("rev-parse HEAD"), "{told}");
    }

    fn check(&self, told: &str, ended: &Ended, state: &State) {
        let repository = Repository::of(&self.env);
        let mut left = Vec::new();
        look_for_leftovers(&self.env.mdmem_home(), &mut left);
        look_for_leftovers(&self.env.workspace(), &mut left);
        // Files that are locked and stay; and a lock of a git that was killed, past which the next fetch goes.
        let names = ["/mdmem/.lock", "/open.lock", "/refs/mdmem/remote/origin.lock"];
        let stays = |path: &String| names.iter().any(|name| path.ends_with(name));
        left.retain(|path| !stays(path));
        assert_eq!(left, Vec::<String>::new(), "{told}: left behind");
        repository.assert_sound();

        let (before, after) = (&self.before, &self.after);
        let paths = before
            .tree
            .keys()
            .chain(after.tree.keys())
            .chain(state.tree.keys());
        for path in paths {
            let held = state.tree.get(path);
            assert!(
                held == before.tree.get(path) || held == after.tree.get(path),
                "{told}: {path} is neither as before nor as after: {held:?}\nbefore {:?}\nafter {:?}\n{}",
                before.tree.get(path),
                after.tree.get(path),
                ended.said,
            );
        }
        let known = [&before.beside, &after.beside];
        assert!(
            known.contains(&&state.beside),
            "{told}: {:?} instead of {known:?}",
            state.beside
        );
        let is_either = state == before || state == after;
        assert!(
            !self.victim.is_whole || is_either,
            "{told}: done in part: {state:#?}\n{}",
            ended.said
        );
        assert!(
            state.status == before.status || state.status == after.status,
            "{told}: {}",
            state.status
        );
        assert!(
            !ended.acknowledged || state == after,
            "{told}: acknowledged and not there: {state:#?}\n{}",
            ended.said
        );
        if self.victim.prepare.is_some() {
            let history = repository.git(&["log", "--all", "--patch", "--format=", "--no-renames"]);
            for (path, text) in SAVED {
                let was_saved = before
                    .tree
                    .get(path)
                    .is_some_and(|before| before == text.trim_end());
                assert!(
                    !was_saved || history.contains(text.trim()),
                    "{told}: {path} is gone"
                );
            }
            let was_held = before.status.contains(HELD);
            assert!(!was_held || repository.at(HELD).exists(), "{told}: {HELD}");
        }
        if self.victim.args[0] == "mv" {
            let is_there = |path: &str| state.tree.contains_key(path);
            assert!(
                is_there("decision/of-many-1.md")
                    != is_there(&format!("{}of-many-1.md", self.victim.args[2])),
                "{told}: moved, and in one place: {state:#?}"
            );
        }
    }

    /// The commands that come next, all of which must work.
    fn recover(&self, told: &str, next: &[&str]) {
        if !self.victim.first.is_empty() {
            self.call(self.victim.first, told);
        }
        if self.victim.args[0] == "serve" {
            // A write that waits in the journal is stored by the next server.
            let serve = start(self.command(&["serve"]), &victims::later_conversation(&self.env));
            let ended = self.attend(serve, &["serve"], &Kill::Never);
            assert!(!ended.was_killed, "{told}: {}", ended.said);
        }
        self.call(next, told);
    }

    #[track_caller]
    fn call(&self, args: &[&str], told: &str) -> String {
        let output = self.command(args).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{told}: {args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn git(&self, args: &str) -> String {
        let args: Vec<&str> = args.split(' ').collect();
        Repository::of(&self.env).git(&args)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.args(args);
        command
    }

    fn save_under_watch(&self) {
        if self.victim.args[0] == "watch" {
            Repository::of(&self.env).save(SAVED_UNDER_WATCH.0, SAVED_UNDER_WATCH.1);
        }
    }

    fn execute(&self, kill: &Kill, log: Option<&PathBuf>) -> Ended {
        self.execute_as(self.victim.args, kill, log)
    }

    fn execute_as(&self, args: &[&str], kill: &Kill, log: Option<&PathBuf>) -> Ended {
        let command = self.command(args);
        let command = match (kill, log) {
            (Kill::At(point), _) => strace::killed_at(&command, point),
            (_, Some(log)) => strace::noted(&command, log),
            _ => command,
        };
        let input = if args[0] == "serve" {
            victims::conversation(&self.env)
        } else {
            String::new()
        };
        let child = start(command, &input);
        self.attend(child, args, kill)
    }

    /// Attends a command to its end. A watcher is ended after it has committed.
    fn attend(&self, mut child: Child, args: &[&str], kill: &Kill) -> Ended {
        let begun = Instant::now();
        let lines = lines_of(&mut child);
        let watches = args[0] == "watch";
        let (mut said, mut saved, mut acknowledged) = (String::new(), false, false);
        let mut end_at = match kill {
            Kill::After(instant) => Some((begun + *instant, Signal::KILL)),
            _ => None,
        };
        let status = loop {
            while let Ok(line) = lines.try_recv() {
                if watches && line.starts_with("watching ") && !saved {
                    self.save_under_watch();
                    saved = true;
                }
                if watches && line.contains("project/watched") {
                    acknowledged = true;
                    end_at = end_at.or(Some((Instant::now() + Duration::from_millis(200), Signal::TERM)));
                }
                said.push_str(&line);
                said.push('\n');
            }
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if let Some((instant, signal)) = end_at
                && Instant::now() >= instant
            {
                let _ = kill_process(Pid::from_child(&child), signal);
            }
            if begun.elapsed() > LIMIT {
                let _ = kill_process(Pid::from_child(&child), Signal::TERM);
                panic!("{args:?} {kill:?}: does not end: {said}");
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        said.extend(lines.iter().map(|line| line + "\n"));
        if watches && !saved {
            self.save_under_watch();
        }
        acknowledged |= match args[0] {
            "watch" => false,
            "serve" => said.contains("promoted") || said.contains("absorbed") || said.contains("pending"),
            _ => status.success(),
        };
        Ended {
            was_killed: status.code().is_none(),
            acknowledged,
            took: begun.elapsed(),
            said,
        }
    }

    fn state(&self) -> State {
        State::of(&self.env)
    }
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status();
    assert!(done.unwrap().success());
}
