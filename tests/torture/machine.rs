//! A machine as many threads use it at once: its programs, what was acknowledged, and what its history must hold.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::editors::{Way, save};
use crate::env::{Chance, LIMIT, Repository, TestEnv, wait_for, write_at};

use super::one_of;

pub(super) struct Machine {
    vars: Vec<(OsString, OsString)>,
    workspace: PathBuf,
    pub(super) store: PathBuf,
    is_over: AtomicBool,
    /// Words that were acknowledged or saved, each of which must be in the history; and by whom.
    words: Mutex<Vec<(&'static str, String)>>,
    /// The words of programs that refused, and their number.
    refusals: Mutex<BTreeMap<String, u64>>,
}

/// A machine with a store, in which the watcher does not wait long for quiet.
pub(super) fn machine() -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.set_var("MDMEM_WATCH__QUIET_MS", "60");
    let editor = write_at(
        &env.home().join("editor"),
        "#!/bin/sh\nprintf '%s\\n' \"$WORD\" > \"$1\"\n",
    );
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    env.set_var("EDITOR", editor.to_str().unwrap());
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for n in 0..6 {
        env.write(
            &format!("decision/known-{n}.md"),
            &format!("Known from the beginning: {n}.\n"),
        );
    }
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    env
}

impl Machine {
    pub(super) fn of(env: &TestEnv) -> Self {
        let command = env.command("true");
        let vars = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.into(), value?.into())));
        Self {
            vars: vars.collect(),
            workspace: env.workspace(),
            store: env.store(),
            is_over: AtomicBool::new(false),
            words: Mutex::default(),
            refusals: Mutex::default(),
        }
    }

    /// Lets everybody work for so long, and then tells them to stop.
    pub(super) fn work_for(&self, span: Duration) {
        std::thread::sleep(span);
        self.stop();
    }

    pub(super) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(super) fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }

    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(folder)
            .env_clear()
            .envs(self.vars.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    pub(super) fn mdmem(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_mdmem"), &self.workspace);
        command.args(args);
        command
    }

    pub(super) fn git(&self, args: &[&str]) -> Command {
        let mut command = self.command("git", &self.store);
        command.args(args).env("GIT_EDITOR", "true");
        command
    }

    /// Runs a command: whether it succeeded. What it says else is counted.
    pub(super) fn succeeds(&self, mut command: Command) -> bool {
        let Output { status, stderr, .. } = command.output().unwrap();
        if !status.success() {
            let said = String::from_utf8_lossy(&stderr).into_owned();
            assert!(!said.contains("panicked"), "{command:?}: {said}");
            let line = said
                .lines()
                .find(|line| line.contains("error") || line.contains("fatal"));
            let line = line.or(said.lines().next()).unwrap_or_default();
            let line: String = line.chars().filter(|c| !c.is_ascii_digit()).take(110).collect();
            *self.refusals.lock().unwrap().entry(line).or_default() += 1;
        }
        status.success()
    }

    /// From here on the history must hold this word.
    pub(super) fn must_hold(&self, who: &'static str, word: String) {
        self.words.lock().unwrap().push((who, word));
    }

    /// Runs the command with a word of its own, which the history must hold if it succeeds.
    pub(super) fn acknowledged(&self, who: &'static str, word: &str, command: Command) -> bool {
        let is_done = self.succeeds(command);
        if is_done {
            self.must_hold(who, word.to_owned());
        }
        is_done
    }

    /// Somebody who adds one memory after the other.
    pub(super) fn adds(&self, seed: u64) {
        let mut chance = Chance::new(seed);
        while self.goes_on() {
            let word = chance.sentence();
            self.acknowledged("add", &word, self.mdmem(&["add", "--quiet", &word]));
        }
    }

    /// A person who saves files of their own, each only once: nobody may lose such a save.
    pub(super) fn saves_each_file_once(&self, seed: u64, folder: &str) {
        let mut chance = Chance::new(seed);
        for n in 0.. {
            if !self.goes_on() {
                return;
            }
            self.saves(&mut chance, &format!("{folder}/{seed:x}-{n}.md"));
            std::thread::sleep(chance.time_below(Duration::from_millis(60)));
        }
    }

    /// Saves a file as some editor does.
    pub(super) fn saves(&self, chance: &mut Chance, path: &str) {
        let word = chance.sentence();
        let path = self.store.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        save(*one_of(chance, &Way::ALL), &path, &format!("{word}.\n"));
        self.must_hold("save", word);
    }

    /// Somebody who only reads, and must always be answered.
    pub(super) fn reads(&self) {
        while self.goes_on() {
            for args in [&["render"][..], &["list"], &["status"], &["log", "-n", "3"]] {
                let output = self.mdmem(args).output().unwrap();
                assert!(output.status.success(), "{args:?}: {output:?}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Everybody has stopped: all is committed, the history is whole and holds every word. How many words.
    pub(super) fn check(&self, env: &TestEnv) -> usize {
        self.check_with(env, &[])
    }

    /// The same, where words may also be in the history or the files of other stores.
    pub(super) fn check_with(&self, env: &TestEnv, others: &[&Path]) -> usize {
        let repository = Repository::of(env);
        let settled = Instant::now();
        wait_for("everything to be committed", LIMIT, || {
            let swept = self.mdmem(&["sweep", "--quiet"]).output().unwrap();
            assert!(swept.status.success(), "{swept:?}");
            let status = repository.status();
            assert!(settled.elapsed() < LIMIT / 2, "not committed: {status}");
            status.is_empty().then_some(())
        });
        repository.assert_sound();
        let mut history = String::new();
        for store in [&[self.store.as_path()], others].concat() {
            let log = [
                "log",
                "--all",
                "--reflog",
                "--patch",
                "-m",
                "--format=",
                "--no-renames",
            ];
            for args in [
                &log[..],
                &["grep", "--no-index", "-h", "-e", ".", "--", ".", ":!.mdmem"],
            ] {
                let output = self.git(args).current_dir(store).output().unwrap();
                assert!(output.status.success(), "{args:?}: {output:?}");
                history.push_str(&String::from_utf8_lossy(&output.stdout));
                if store == self.store {
                    break;
                }
            }
        }
        let words = self.words.lock().unwrap();
        let lost: Vec<_> = words
            .iter()
            .filter(|(_, word)| !history.contains(word.as_str()))
            .collect();
        println!(
            "{} words, {} commits, refused: {:#?}",
            words.len(),
            repository.log().len(),
            self.refusals.lock().unwrap()
        );
        assert!(lost.is_empty(), "lost: {lost:#?}");
        words.len()
    }

    /// True while something that a server heard waits to be stored.
    pub(super) fn has_pending(&self) -> bool {
        let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let spool = self
            .workspace
            .with_file_name("home")
            .join(".local/state/mdmem/spool");
        entries(&spool).any(|store| store.path().join("journal.jsonl").exists())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "refused: {:#?}",
                self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
            );
        }
    }
}
