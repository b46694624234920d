//! A person's git, whatever it does, beside commands that add and persons that save: git may be refused by a lock and is
//! run again, and neither loses what the other did.

use std::time::{Duration, Instant};

use super::machine::{Machine, machine};
use super::{TellSeed, one_of, rounds};
use crate::env::{Chance, LIMIT, Repository, wait_for};

/// Each is a few commands of git's, one line each. `WORD` becomes a word of its own, and `N` a number.
const WAYS: [(&str, &[&str]); 14] = [
    (
        "commit",
        &[
            "!by-git/N.md WORD",
            "add by-git/N.md",
            "commit -q -m by-hand -- by-git/N.md",
        ],
    ),
    ("commit -a", &["!decision/known-0.md WORD", "commit -q -a -m all"]),
    (
        "stage in part",
        &["!by-git/N.md WORD", "add by-git/N.md", "reset -q -- by-git/N.md"],
    ),
    (
        "stash",
        &[
            "!decision/known-1.md WORD",
            "stash push -q -- decision/known-1.md",
            "stash pop -q",
        ],
    ),
    ("look back", &["checkout -q HEAD~2", "checkout -q main"]),
    (
        "merge",
        &[
            "branch -q topic-N HEAD",
            "worktree add -q ../topic-N topic-N",
            "@../topic-N by-git/merge-N.md WORD",
            "merge -q --no-edit topic-N",
            "worktree remove --force ../topic-N",
        ],
    ),
    (
        "rebase",
        &[
            "branch -q topic-N HEAD",
            "worktree add -q ../topic-N topic-N",
            "@../topic-N by-git/rebase-N.md WORD",
            "rebase -q topic-N",
            "worktree remove --force ../topic-N",
        ],
    ),
    (
        "cherry-pick",
        &[
            "branch -q topic-N HEAD",
            "worktree add -q ../topic-N topic-N",
            "@../topic-N by-git/pick-N.md WORD",
            "cherry-pick topic-N",
            "worktree remove --force ../topic-N",
        ],
    ),
    (
        "pull",
        &[
            "@../clone by-git/pull-N.md WORD",
            "pull -q --no-rebase --no-edit origin main",
            "push -q origin main",
        ],
    ),
    ("gc", &["gc -q --prune=now"]),
    ("repack", &["repack -q -a -d"]),
    ("pack-refs", &["pack-refs --all"]),
    ("reset", &["reset -q --hard HEAD"]),
    ("switch", &["switch -q -c other-N", "switch -q main"]),
];

#[test]
fn git_and_mdmem_side_by_side_lose_nothing_of_each_other() {
    let _seed = TellSeed("beside_git");
    let env = machine();
    let there = Machine::of(&env);
    let repository = Repository::of(&env);
    // Git removes a folder that it empties, also under an editor that is about to save there: this file keeps it.
    env.write("project/stays.md", "This folder stays.\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    // Somebody looks back over two commits, and the others may not have made any yet.
    repository.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    // A bare repository that the store pulls from, and a clone of a colleague's.
    repository.git(&["init", "-q", "--bare", "../bare"]);
    repository.git(&["remote", "add", "origin", "../bare"]);
    repository.git(&["push", "-q", "origin", "main"]);
    repository.git(&["clone", "-q", "-b", "main", "../bare", "../clone"]);
    let mut watching = env.watch(&[]);
    std::thread::scope(|scope| {
        scope.spawn(|| there.adds(0x6171));
        scope.spawn(|| there.saves_each_file_once(0x6172, "project"));
        scope.spawn(|| there.reads());
        let person = scope.spawn(|| {
            let mut person = Person {
                there: &there,
                chance: Chance::new(0x6173),
                n: 0,
            };
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(rounds(8, 180)) {
                let (name, way) = *one_of(&mut person.chance, &WAYS);
                person.goes(name, way);
            }
            there.stop();
        });
        let done = person.join();
        there.stop();
        done.unwrap();
    });
    assert!(watching.is_running());
    there.check(&env);
    assert_eq!(repository.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
}

/// The users of git.
struct Person<'a> {
    there: &'a Machine,
    chance: Chance,
    n: u32,
}

impl Person<'_> {
    fn goes(&mut self, name: &str, way: &[&str]) {
        self.n += 1;
        let word = self.chance.sentence();
        let mut saved = None;
        for step in way {
            let step = step.replace('N', &self.n.to_string());
            if let Some(rest) = step.strip_prefix('!') {
                let path = rest.split(' ').next().unwrap();
                crate::env::write_at(&self.there.store.join(path), &format!("{word}.\n"));
                self.there.must_hold("git", word.clone());
                saved = Some(path.to_owned());
            } else if let Some(rest) = step.strip_prefix('@') {
                let mut words = rest.split(' ');
                let (folder, path) = (words.next().unwrap(), words.next().unwrap());
                self.commits_in(folder, path, &word);
            } else {
                self.insists(name, &step);
            }
        }
        // A reset that comes next would rightly throw away what is in no commit.
        if let Some(path) = saved {
            wait_for(&format!("the commit of {path} ({name})"), LIMIT, || {
                let spec = format!("HEAD:{path}");
                let committed = self
                    .there
                    .git(&["cat-file", "blob", &spec])
                    .output()
                    .unwrap()
                    .stdout;
                String::from_utf8_lossy(&committed).contains(&word).then_some(())
            });
        }
    }

    /// A commit in another work tree, which is pushed where there is somewhere to push to.
    fn commits_in(&self, folder: &str, path: &str, word: &str) {
        let folder = self.there.store.join(folder);
        let git = |args: &[&str]| {
            let output = self.there.git(args).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{args:?}: {output:?}");
        };
        if folder.ends_with("clone") {
            git(&["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"]);
        }
        crate::env::write_at(&folder.join(path), &format!("{word}.\n"));
        git(&["add", path]);
        git(&["commit", "-q", "-m", "elsewhere", "--", path]);
        if folder.ends_with("clone") {
            git(&["push", "-q", "origin", "main"]);
        }
        self.there.must_hold("elsewhere", word.to_owned());
    }

    /// Runs git until it is not refused. Where it stops in the middle, the person gives up, and tries again.
    fn insists(&self, name: &str, step: &str) {
        let args: Vec<&str> = step.split(' ').collect();
        wait_for(&format!("git {step} ({name})"), LIMIT, || {
            if self.there.succeeds(self.there.git(&args)) {
                return Some(());
            }
            let output = self.there.git(&["status"]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            for (operation, words) in [
                ("rebase", "rebase in progress"),
                ("merge", "All conflicts fixed but you are still merging"),
                ("merge", "You have unmerged paths"),
                ("cherry-pick", "cherry-picking"),
            ] {
                if said.contains(words) {
                    self.there.succeeds(self.there.git(&[operation, "--abort"]));
                }
            }
            if !step.starts_with("commit") {
                // A git that had read HEAD before somebody else committed leaves an index without that commit.
                self.there.succeeds(self.there.git(&["reset", "-q"]));
            }
            // Commits wait while git's lock comes and goes: somebody who tries again looks first.
            std::thread::sleep(Duration::from_millis(300));
            // Nothing to commit: the watcher was faster.
            (step.starts_with("commit") || step.starts_with("stash")).then_some(())
        });
    }
}
