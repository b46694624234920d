//! A command that writes is killed.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::env::{Chance, Repository, TestEnv, write_at};

use super::{next_command, on_machines};

/// The number of kills that each machine takes; with those of the watcher, 100.
const KILLS: u64 = 20;

/// Path and entry, as `git ls-tree` shows them.
type Tree = BTreeMap<String, String>;

/// The program that is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Add,
    Restore,
    Undo,
    Sweep,
    Import,
}

const COMMANDS: [Command; 5] = [
    Command::Add,
    Command::Restore,
    Command::Undo,
    Command::Sweep,
    Command::Import,
];

/// The number of memories that an import brings: more than are written as single objects.
const IMPORTED: usize = 70;

#[test]
fn a_killed_command_has_done_all_or_nothing() {
    on_machines(|seed| Trial::new(&machine(), seed).run());
}

/// A store with two states between which a restore changes many files.
fn machine() -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for round in ["first", "second"] {
        for n in 0..12 {
            let text = format!("Said in the {round} round by {n}.\n");
            env.write(&format!("decision/of-many-{n}.md"), &text);
        }
        env.write(
            &format!("project/only-{round}.md"),
            &format!("Only in the {round} round.\n"),
        );
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    }
    env
}

struct Trial<'a> {
    env: &'a TestEnv,
    repository: Repository<'a>,
    chance: Chance,
    /// The duration of each command when it is let live.
    usual: BTreeMap<&'static str, Duration>,
    acknowledged: Vec<String>,
    killed: u64,
}

impl<'a> Trial<'a> {
    fn new(env: &'a TestEnv, seed: u64) -> Self {
        Self {
            repository: Repository::of(env),
            env,
            chance: Chance::new(seed),
            usual: BTreeMap::new(),
            acknowledged: Vec::new(),
            killed: 0,
        }
    }

    fn run(mut self) {
        for round in 0.. {
            if self.killed == KILLS {
                break;
            }
            self.one(COMMANDS[round % COMMANDS.len()]);
            assert!(round < 200, "hardly ever was a command still there to be killed");
        }
        self.repository.assert_sound();
        let history = self.repository.git(&["log", "--all", "--patch", "--format="]);
        for text in &self.acknowledged {
            assert!(history.contains(text), "acknowledged and gone: {text}");
        }
    }

    fn one(&mut self, command: Command) {
        let text = self.chance.sentence();
        let (name, args) = self.prepare(command, &text);
        let tip = self.repository.git(&["rev-parse", "HEAD"]).trim().to_owned();
        let before = self.tree(&tip);

        let mut process = self.env.command(env!("CARGO_BIN_EXE_mdmem"));
        let process = process.args(&args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = process.spawn().unwrap();
        // The first of its kind is let live, to see how long it takes.
        let usual = self.usual.get(name).copied();
        if let Some(usual) = usual {
            std::thread::sleep(self.chance.time_below(usual));
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        self.usual.entry(name).or_insert_with(|| begun.elapsed());
        let acknowledged = output.status.success();
        assert!(usual.is_some() || acknowledged, "{args:?}: {output:?}");
        self.killed += u64::from(output.status.code().is_none());

        if command == Command::Add && acknowledged {
            assert!(self.is_in_a_file(&text), "added, printed, and not there: {text}");
            self.acknowledged.push(text);
        }
        next_command(self.env, &self.repository);
        self.check(command, &tip, &before);
    }

    /// Prepares the store for the command; its name and its arguments.
    fn prepare(&mut self, command: Command, text: &str) -> (&'static str, Vec<String>) {
        let (name, args): (_, &[&str]) = match command {
            Command::Add => ("add", &["add", "--type", "project", text]),
            Command::Undo if self.chance.below(2) == 0 => ("undo", &["undo"]),
            Command::Undo => {
                // So that there is one to take back.
                self.env
                    .mdmem(["undo", "--quiet"])
                    .any_stdout()
                    .any_stderr()
                    .run();
                ("redo", &["undo", "--redo"])
            }
            Command::Restore => {
                // Only from where the store has its many files.
                let commits = self
                    .repository
                    .git(&["rev-list", "HEAD", "--", "decision/of-many-0.md"]);
                let commits: Vec<&str> = commits.lines().collect();
                let chosen = self.chance.below(commits.len() as u64);
                let chosen = commits[usize::try_from(chosen).unwrap()].to_owned();
                return ("restore", vec!["restore".to_owned(), chosen]);
            }
            Command::Sweep => {
                for n in 0..6 {
                    let text = format!("{text} {n}.\n");
                    self.repository.save(&format!("user/by-hand-{n}.md"), &text);
                }
                ("sweep", &["sweep"])
            }
            Command::Import => {
                let entry = |n: usize| json!({ "id": format!("mem_{n}_{}", text.replace(' ', "_")), "text": format!("{text} {n}") });
                let entries: Vec<_> = (0..IMPORTED).map(entry).collect();
                let peer = self.env.workspace().join("workspace-memory.json");
                write_at(&peer, &json!({ "version": 1, "entries": entries }).to_string());
                (
                    "import",
                    &["import", "opencode-working-memory", "workspace-memory.json"],
                )
            }
        };
        (name, args.iter().map(|&arg| arg.to_owned()).collect())
    }

    fn check(&self, command: Command, tip: &str, before: &Tree) {
        let commits = self.repository.log_of(&format!("{tip}..HEAD"));
        let after = self.tree("HEAD");
        assert!(commits.len() <= 1, "{command:?}: {commits:#?}");
        match (command, commits.first()) {
            (_, None) => {
                assert_ne!(command, Command::Sweep, "what was saved is committed");
                assert_eq!(after, *before);
            }
            (Command::Add, Some(commit)) => {
                assert_eq!(commit.paths.len(), 1, "{commit:#?}");
                assert_eq!(after.len(), before.len() + 1);
                assert!(before.iter().all(|(path, entry)| after.get(path) == Some(entry)));
            }
            (Command::Import, Some(commit)) => {
                assert_eq!((commit.op.as_str(), commit.paths.len()), ("import", IMPORTED));
                assert_eq!(after.len(), before.len() + IMPORTED, "imported in whole");
            }
            (Command::Sweep, Some(commit)) => assert_eq!(commit.paths.len(), 6, "{commit:#?}"),
            // All of it, and no sweep that takes the old files for edits.
            (Command::Undo, Some(commit)) => assert_eq!(commit.op, "undo", "{commit:#?}"),
            (Command::Restore, Some(commit)) => {
                assert_eq!(commit.op, "restore", "{commit:#?}");
                let target = commit.subject.rsplit(' ').next().unwrap();
                assert_eq!(after, self.tree(target), "restored in whole");
            }
        }
    }

    fn is_in_a_file(&self, text: &str) -> bool {
        let args = ["grep", "--quiet", "--untracked", "--fixed-strings", text];
        self.repository.try_git(&args).status.success()
    }

    fn tree(&self, revision: &str) -> Tree {
        let listed = self.repository.git(&["ls-tree", "-r", revision]);
        let entry = |line: &str| {
            let (entry, path) = line.split_once('\t').unwrap();
            (path.to_owned(), entry.to_owned())
        };
        listed.lines().map(entry).collect()
    }
}
