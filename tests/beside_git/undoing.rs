//! `undo` after whatever a person's git did to the history: each one changes the files that it names, or it fails and
//! changes nothing; again and again it comes to an end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::env::{Chance, Repository, TestEnv};

/// The number of histories, of at most so many steps.
const HISTORIES: u64 = 2;
const STEPS: u64 = 12;
/// More undos than a history has changes.
const MOST_UNDOS: usize = 60;

#[test]
fn every_undo_does_what_it_says_or_does_nothing_and_they_end() {
    for seed in 0..HISTORIES {
        let env = TestEnv::new();
        env.mdmem(["init", "--quiet"]).any_stdout().run();
        let mut history = History {
            env: &env,
            repository: Repository::of(&env),
            chance: Chance::new(0x0d0e ^ seed),
            branches: vec!["main".to_owned()],
            told: Vec::new(),
        };
        for _ in 0..STEPS {
            history.step();
        }
        history.settle();
        let mut undos = Vec::new();
        while history.undo(&[]) {
            undos.push(history.state().1);
            assert!(undos.len() < MOST_UNDOS, "endless: {:#?}", history.told);
        }
        for undo in undos.iter().rev() {
            history.undo(&[undo.trim()]);
        }
        history.undo_of_each();
    }
}

/// A history that grows by chance.
struct History<'a> {
    env: &'a TestEnv,
    repository: Repository<'a>,
    chance: Chance,
    branches: Vec<String>,
    told: Vec<String>,
}

impl History<'_> {
    fn step(&mut self) {
        let other = self.one_of_branches();
        match self.chance.below(14) {
            0..=3 => self.save(),
            4 => {
                let branch = format!("b{}", self.branches.len());
                self.git(&["switch", "-q", "-c", &branch]);
                self.branches.push(branch);
                self.save();
                self.git(&["switch", "-q", &other]);
                self.save();
            }
            5 => self.merge(&[&other]),
            6 => self.merge(&["-s", "ours", &other]),
            7 => self.merge(&["--no-ff", "-X", "theirs", &other]),
            8 => self.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]),
            9 => self.git(&["revert", "--no-edit", "HEAD"]),
            10 => self.git(&["rebase", "-q", &other]),
            11 => self.git(&["cherry-pick", &other]),
            12 => drop(self.undo(&[])),
            _ => {
                let branches = self.branches.clone();
                self.merge(&branches.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
        self.settle();
    }

    /// Changes a line of a file, or removes the file.
    fn save(&mut self) {
        let path = format!("decision/{}.md", self.chance.below(4));
        let word = format!("Line {}", self.chance.next());
        let file = self.repository.at(&path);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.resize(lines.len().max(5), "Empty");
        if self.chance.below(5) == 0 && file.exists() {
            std::fs::remove_file(file).unwrap();
        } else {
            let place = usize::try_from(self.chance.below(5)).unwrap();
            lines[place] = &word;
            self.repository.save(&path, &format!("{}\n", lines.join("\n")));
        }
        self.told.push(format!("save {path}"));
        self.mdmem(&["sweep", "--quiet"]);
    }

    fn merge(&mut self, how: &[&str]) {
        let args = [&["merge", "-q", "--no-edit"], how].concat();
        self.git(&args);
    }

    /// Ends what git stopped in, and goes back to a branch.
    fn settle(&mut self) {
        for way in ["merge", "rebase", "cherry-pick", "revert"] {
            self.repository.try_git(&[way, "--abort"]);
        }
        self.repository.try_git(&["cherry-pick", "--skip"]);
        self.mdmem(&["sweep", "--quiet"]);
    }

    fn git(&mut self, args: &[&str]) {
        let output = self.repository.try_git(args);
        self.told.push(format!("git {args:?}: {}", output.status));
    }

    fn one_of_branches(&mut self) -> String {
        let place = self.chance.below(self.branches.len() as u64);
        self.branches[usize::try_from(place).unwrap()].clone()
    }

    fn mdmem(&mut self, args: &[&str]) -> (bool, Value) {
        let mut command = self.env.command(env!("CARGO_BIN_EXE_mdmem"));
        let output = command.arg("--json").args(args).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        self.told
            .push(format!("{args:?}: {}", String::from_utf8_lossy(&text)));
        (
            output.status.success(),
            serde_json::from_slice(&text).unwrap_or_default(),
        )
    }

    /// Takes back a change; says whether something was. The files have to tell the same.
    fn undo(&mut self, args: &[&str]) -> bool {
        let (before, head) = self.state();
        let undo = [&["undo"], args].concat();
        let (would, _) = self.mdmem(&[&undo[..], &["--dry-run"]].concat());
        assert_eq!(
            self.state(),
            (before.clone(), head.clone()),
            "a dry run: {:#?}",
            self.told
        );
        let (is_done, told) = self.mdmem(&undo);
        let (after, new_head) = self.state();
        assert_eq!(would, is_done, "the dry run said otherwise: {:#?}", self.told);
        assert_eq!(head != new_head, is_done, "{:#?}", self.told);
        let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
        let changed = paths
            .into_iter()
            .filter(|path| before.get(*path) != after.get(*path));
        let changed: BTreeSet<&str> = changed.filter_map(|path| path.to_str()).collect();
        let files = told["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        let said: BTreeSet<&str> = files
            .iter()
            .flat_map(|file| [&file["path"], &file["from"]])
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(said, changed, "{:#?}", self.told);
        assert_eq!(changed.is_empty(), !is_done, "{:#?}", self.told);
        is_done
    }

    /// Takes back each change by its name, and brings it back: where no line was left, the files are then as they were.
    fn undo_of_each(&mut self) {
        let log = self.repository.log();
        for commit in log.iter().take(6) {
            let before = self.state().0;
            if self.undo(&[&commit.oid]) && self.undo(&["HEAD"]) {
                assert_eq!(self.state().0, before, "{} {:#?}", commit.oid, self.told);
            }
        }
    }

    /// The files that are a person's, and HEAD.
    fn state(&self) -> (BTreeMap<PathBuf, Vec<u8>>, String) {
        let root = self.repository.root();
        let below = self.repository.files().into_iter();
        let below = below.map(|(path, text)| (path.strip_prefix(root).unwrap_or(&path).to_owned(), text));
        let files = below.filter(|(path, _)| path.starts_with("decision")).collect();
        (files, self.repository.git(&["rev-parse", "HEAD"]))
    }
}
