//! Machines that edit one store apart, in every way there is, and sync now and then: they come together, and every merge
//! on the way kept what each side meant.

mod at_once;
mod comparison;
mod edits;
mod oracle;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{TellSeed, one_of, times};
use crate::env::{Chance, Repository, TestEnv};
use edits::Editor;

/// The seconds between two commands of a machine. By seconds apart, all that happens would happen in one day, in which
/// most of what there was at first goes: a sync rightly asks about that.
const BETWEEN_COMMANDS: i64 = 30 * 60;

/// A machine with a clone.
struct Machine {
    env: TestEnv,
    root: PathBuf,
    chance: Chance,
    /// The texts that this machine's person had it forget.
    forgotten: Vec<String>,
}

impl Machine {
    fn new(env: TestEnv, seed: u64) -> Self {
        let root = Repository::of(&env).root().to_owned();
        env.step_by(BETWEEN_COMMANDS);
        Self {
            env,
            root,
            chance: Chance::new(seed),
            forgotten: Vec::new(),
        }
    }

    fn git(&self, args: &[&str]) -> Output {
        let now = self.env.now();
        git_in(&self.env, &self.root, &now).args(args).output().unwrap()
    }

    /// A few edits, and perhaps a commit.
    fn works(&mut self) -> u64 {
        let count = 1 + self.chance.below(4);
        for _ in 0..count {
            Editor {
                root: &self.root,
                chance: &mut self.chance,
                now: self.env.now(),
            }
            .edit();
        }
        match self.chance.below(9) {
            0..4 => {
                self.git(&["add", "-A"]);
                self.git(&["commit", "-q", "-m", "by hand"]);
            }
            4 => drop(self.env.mdmem(["sweep"]).any_stdout().any_stderr().run()),
            5 => {
                // A forgotten text, again by the person's word, or something new.
                let sentence = match self.forgotten.pop() {
                    Some(text) if self.chance.below(2) == 0 => text,
                    _ => self.chance.sentence(),
                };
                self.mdmem(&["add", "--quiet", &sentence]);
            }
            6 => self.forget(),
            // The sync finds what was saved.
            _ => {}
        }
        count
    }

    /// Forgets a memory that says one thing.
    fn forget(&mut self) {
        let path = one_of(&mut self.chance, &edits::memories(&self.root)).clone();
        let text = std::fs::read_to_string(self.root.join(&path)).unwrap();
        let (front, body) = oracle::split(&text);
        let has_id = front.is_some_and(|front| front.contains("id: mem_"));
        if has_id && body.lines().count() == 1 && self.mdmem(&["forget", path.to_str().unwrap()]) {
            self.forgotten.push(body.trim().to_owned());
        }
    }

    /// Runs mdmem, which may refuse: somebody locked the memory.
    fn mdmem(&self, args: &[&str]) -> bool {
        let mut mdmem = self.env.command(env!("CARGO_BIN_EXE_mdmem"));
        mdmem.args(args).output().unwrap().status.success()
    }

    fn syncs(&self) -> String {
        let mut mdmem = self.env.command(env!("CARGO_BIN_EXE_mdmem"));
        let output = mdmem.arg("sync").output().unwrap();
        let told = [output.stderr, output.stdout].concat();
        let told = String::from_utf8(told).unwrap();
        let is_done = output.status.success();
        assert!(
            is_done,
            "the store is kept in {}: {told}",
            kept(&self.root).display()
        );
        told
    }

    fn head(&self) -> String {
        String::from_utf8(self.git(&["rev-parse", "HEAD"]).stdout).unwrap()
    }

    fn repository(&self) -> git2::Repository {
        git2::Repository::open(&self.root).unwrap()
    }
}

/// git in any folder of a machine, at a time of the machine's clock.
fn git_in(env: &TestEnv, folder: &Path, now: &str) -> Command {
    let mut git = env.command("git");
    git.current_dir(folder)
        .env("GIT_AUTHOR_DATE", now)
        .env("GIT_COMMITTER_DATE", now)
        .args(["-c", "gc.auto=0"]);
    git
}

/// A bare repository on a machine's disk.
fn bare(env: &TestEnv) -> String {
    let folder = env.home().join("remote.git");
    let now = env.now();
    let made = git_in(env, &env.home(), &now)
        .args(["init", "-q", "--bare"])
        .arg(&folder)
        .status();
    assert!(made.unwrap().success());
    folder.to_str().unwrap().to_owned()
}

/// Machines with clones of one store; the remote is on the first one's disk.
fn machines(count: u64, seed: u64) -> (Vec<Machine>, String) {
    let env = TestEnv::new();
    let remote = bare(&env);
    env.mdmem(["add", "--quiet", "we deploy on Thursdays"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["sync", &remote]).any_stdout().any_stderr().run();
    let first = Machine::new(env, seed);
    first.syncs();
    let mut machines = vec![first];
    for number in 1..count {
        let env = TestEnv::new();
        // No two clocks are alike.
        (0..number * 7).for_each(|_| drop(env.command("true")));
        env.mdmem(["sync", &remote]).any_stdout().any_stderr().run();
        machines.push(Machine::new(env, seed + number));
    }
    (machines, remote)
}

/// Everybody works and syncs, until nobody has anything new.
fn work(machines: &mut [Machine], chance: &mut Chance, edits: u64) {
    let mut done = vec![0; machines.len()];
    while done.iter().any(|done| *done < edits) {
        let at = usize::try_from(chance.below(machines.len() as u64)).unwrap();
        if done[at] < edits {
            done[at] += machines[at].works();
        }
        if chance.below(4) == 0 {
            machines[at].syncs();
        }
    }
    for _ in 0..2 {
        for machine in machines.iter() {
            machine.syncs();
        }
    }
}

#[test]
fn clones_come_together_and_every_merge_keeps_what_each_side_meant() {
    let _seed = TellSeed("clones");
    let (count, edits) = if times().is_some() { (5, 500) } else { (3, 25) };
    for round in 0..times().unwrap_or(1) {
        let seed = 0x00c1_03e5 + (round << 32);
        let (mut machines, _remote) = machines(count, seed);
        work(&mut machines, &mut Chance::new(seed ^ 0xffff), edits);
        check(&machines);
        if times().is_some() {
            comparison::compare(&machines[0]);
        }
    }
}

fn check(machines: &[Machine]) {
    let first = &machines[0];
    let repo = first.repository();
    let head = first.head();
    let files = oracle::files(&repo, head.trim().parse().unwrap());
    for machine in machines {
        assert!(machine.syncs().contains("up to date"), "nobody has anything new");
        assert_eq!(machine.head(), head, "one head");
        let repository = Repository::of(&machine.env);
        assert_eq!(repository.status(), "");
        repository.assert_sound();
        for (path, bytes) in &files {
            let there = std::fs::read(machine.root.join(path)).unwrap();
            assert!(there == *bytes, "{}", path.display());
        }
    }
    let merges = oracle::merges(&repo);
    assert!(merges.len() > 3, "hardly anything was merged");
    let mut faults = Vec::new();
    for merge in merges {
        let [one, other] = merge.parents.map(|oid| oracle::files(&repo, oid));
        let [base] = merge.bases[..] else {
            panic!("through one remote, every merge has one base: {:?}", merge.bases);
        };
        let base = oracle::files(&repo, base);
        let tree = oracle::files(&repo, merge.commit);
        let found = oracle::judge(&base, [&one, &other], &tree);
        if !found.is_empty() {
            faults.push((merge.commit, found));
        }
    }
    assert!(
        faults.is_empty(),
        "{} merges; the store is kept in {}: {faults:#?}",
        faults.len(),
        kept(&first.root).display()
    );
}

/// A copy of a store that outlives the test, to look into its merges.
fn kept(root: &Path) -> PathBuf {
    let folder = tempfile::Builder::new()
        .prefix("mdmem-torture-")
        .tempdir()
        .unwrap()
        .keep();
    let copied = Command::new("cp").arg("-a").arg(root).arg(&folder).status();
    assert!(copied.unwrap().success());
    folder
}
