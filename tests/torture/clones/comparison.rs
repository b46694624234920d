//! The merges of a torture again, by git alone.

use std::path::Path;
use std::time::{Duration, Instant};

use super::oracle::{Faults, Files, files, judge, merges};
use super::{Machine, git_in};
use crate::env::TestEnv;

/// The most merges that are made again.
const MOST: usize = 60;

/// The program that merges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Mdmem,
    Git,
    Union,
}

/// The outcome of all merges.
#[derive(Default)]
struct Row {
    merges: usize,
    conflicts: usize,
    faults: Faults,
    time: Duration,
}

/// Merges again what a machine's history has merged, each merge from its two parents, and prints the table.
pub(super) fn compare(machine: &Machine) {
    println!("| | merges | conflicts | lines lost | changes undone | broken files | seconds |");
    println!("|---|---|---|---|---|---|---|");
    for (name, way) in [
        ("`mdmem sync`", Way::Mdmem),
        ("`git pull`", Way::Git),
        ("`git pull`, `merge=union`", Way::Union),
    ] {
        let row = merge_again(machine, way);
        println!(
            "| {name} | {} | {} | {} | {} | {} | {:.1} |",
            row.merges,
            row.conflicts,
            row.faults.lost.len(),
            row.faults.reverted.len(),
            row.faults.broken.len(),
            row.time.as_secs_f64()
        );
    }
}

fn merge_again(machine: &Machine, way: Way) -> Row {
    let env = TestEnv::new();
    let remote = super::bare(&env);
    let whole = machine.root.to_str().unwrap();
    let git = |folder: &Path, args: &[&str]| {
        let output = git_in(&env, folder, &env.now()).args(args).output().unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let bare = Path::new(&remote).to_owned();
    git(
        &bare,
        &[
            "fetch",
            "-q",
            whole,
            "HEAD:refs/heads/main",
            "HEAD:refs/heads/all",
        ],
    );
    let root = match way {
        Way::Mdmem => {
            env.mdmem(["sync", &remote]).any_stdout().any_stderr().run();
            env.store()
        }
        Way::Git | Way::Union => {
            let root = env.home().join("clone");
            git(&env.home(), &["clone", "-q", "-b", "main", &remote, "clone"]);
            root
        }
    };
    if way == Way::Union {
        crate::env::write_at(&root.join(".git/info/attributes"), "*.md merge=union\n");
    }
    let repo = machine.repository();
    let mut row = Row::default();
    let merges = merges(&repo);
    for merge in merges.iter().step_by(merges.len().div_ceil(MOST)) {
        let [ours, theirs] = merge.parents.map(|oid| oid.to_string());
        let place = git(&root, &["reset", "-q", "--hard", &ours]);
        assert!(place.0);
        git(&bare, &["update-ref", "refs/heads/main", &theirs]);
        git(&root, &["update-ref", "-d", "refs/mdmem/seen/origin"]);
        let before = siblings(&files(&repo, merge.parents[0]), &files(&repo, merge.parents[1]));
        let begun = Instant::now();
        if way == Way::Mdmem {
            let sync = env
                .command(env!("CARGO_BIN_EXE_mdmem"))
                .arg("sync")
                .status()
                .unwrap();
            assert!(sync.success());
        } else {
            let (is_merged, _) = git(
                &root,
                &["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"],
            );
            if !is_merged {
                let (_, names) = git(&root, &["diff", "--name-only", "--diff-filter=U"]);
                row.conflicts += names.lines().count();
                // As somebody does who wants to go on.
                git(&root, &["add", "-A"]);
                git(&root, &["commit", "-q", "-m", "conflicts"]);
            }
            git(&root, &["push", "-q", "origin", "HEAD:main"]);
        }
        row.time += begun.elapsed();
        row.merges += 1;
        let there = git2::Repository::open(&root).unwrap();
        let head = there.head().unwrap().target().unwrap();
        let tree = files(&there, head);
        if way == Way::Mdmem {
            row.conflicts += tree
                .keys()
                .filter(|path| is_sibling(path) && !before.contains(*path))
                .count();
        }
        let base_tree = files(&repo, merge.bases[0]);
        let sides = merge.parents.map(|oid| files(&repo, oid));
        let found = judge(&base_tree, [&sides[0], &sides[1]], &tree);
        row.faults.lost.extend(found.lost);
        row.faults.reverted.extend(found.reverted);
        row.faults.broken.extend(found.broken);
    }
    row
}

fn is_sibling(path: &Path) -> bool {
    path.to_string_lossy().contains(".conflict-")
}

fn siblings(one: &Files, other: &Files) -> std::collections::BTreeSet<std::path::PathBuf> {
    let paths = one.keys().chain(other.keys());
    paths.filter(|path| is_sibling(path)).cloned().collect()
}
