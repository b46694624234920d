//! File systems that refuse: full, without inodes, read-only, laid over another one. What was acknowledged stays, no file
//! is torn, the error names the path and the cause, and once there is room everything goes on.
//!
//! Each mounts a file system of its own; where only root may do that, the test says so and does nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::env::{LIMIT, Mount, Repository, TestEnv};

/// The commands that write; the first word of each is its name.
const WRITERS: [&[&str]; 8] = [
    &[
        "add",
        "--type",
        "decision",
        "Deploys run from the main branch only",
    ],
    &["sweep"],
    &["restore", "--yes", "HEAD~1"],
    &["undo"],
    &["rm", "project/1.md"],
    &["mv", "project/1.md", "archive/1.md"],
    &["allow", "project/saved.md"],
    &["init", "--with", "opencode"],
];

/// The content in the place of each file: unchanged, or as the command that went through would leave it.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A store with a history, on its own file system in memory, and a save that is not committed yet.
fn store(options: &str) -> Option<(TestEnv, Mount)> {
    let env = TestEnv::on_disk();
    let mount = Mount::tmpfs(&env.mdmem_home(), options)?;
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for round in 0..2 {
        env.write("decision/port.md", &format!("The port is {round}.\n"));
        env.write(
            &format!("project/{round}.md"),
            &"A line of some words.\n".repeat(400),
        );
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    }
    env.write("project/saved.md", "Saved, and not committed yet.\n");
    Some((env, mount))
}

/// The paths below the store, because two stores lie in different places, and no ids, which are drawn by lot.
fn files(env: &TestEnv) -> Files {
    let repository = Repository::of(env);
    let below = |(path, bytes): (PathBuf, Vec<u8>)| {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let without_id: Vec<_> = lines.filter(|line| !line.starts_with(b"id: ")).collect();
        let path = path.strip_prefix(repository.root()).unwrap().to_owned();
        let text = without_id.concat();
        let text = text.strip_prefix(b"---\n---\n").unwrap_or(&text);
        (path, text.to_vec())
    };
    repository.files().into_iter().map(below).collect()
}

/// Fills a file system with one file but for so many bytes; that file.
pub(crate) fn fill_with_bytes(folder: &Path, left: u64) -> Vec<PathBuf> {
    let path = folder.join("filler");
    let mut filler = File::create(&path).unwrap();
    let mut block: &[u8] = &[0xa5; 4096];
    let mut written = 0;
    while !block.is_empty() {
        match filler.write(block) {
            Ok(count) => written += count as u64,
            Err(_) => block = &block[..block.len() / 2],
        }
    }
    filler.set_len(written.saturating_sub(left)).unwrap();
    vec![path]
}

/// Takes the inodes of a file system but for so many; the files that have them.
fn fill_with_files(folder: &Path, left: u64) -> Vec<PathBuf> {
    let names = (0..).map(|number: u32| folder.join(format!("filler-{number}")));
    let mut taken: Vec<PathBuf> = names.take_while(|path| File::create(path).is_ok()).collect();
    for _ in 0..left {
        taken.pop().map(std::fs::remove_file);
    }
    taken
}

/// One command on a file system that gives out while it works, and everything after room was made.
fn gives_out(options: &str, fill: fn(&Path, u64) -> Vec<PathBuf>, left: u64, args: &[&str]) {
    let Some((whole, _mount)) = store("size=64m") else {
        return;
    };
    let before = files(&whole);
    whole.mdmem(args).any_stdout().any_stderr().run();
    let after = files(&whole);
    let Some((env, _mount)) = store(options) else {
        return;
    };
    assert!(files(&env) == before, "two stores that were made alike differ");
    let told = format!("{args:?} with {left} left of {options}");
    let filler = fill(&env.mdmem_home(), left);
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    let output = command.args(args).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(!said.contains("panicked"), "{told}: {said}");
    let is_done = output.status.success();
    if !is_done {
        let has_cause = said.contains("is full") || said.contains("No space left");
        assert!(has_cause && said.contains("df -i"), "{told}: {said}");
        assert!(
            said.contains(&env.mdmem_home().display().to_string()),
            "{told}: {said}"
        );
    }
    // Readers need no room.
    for reader in [&["list"][..], &["render"], &["status"], &["log"]] {
        env.mdmem(reader.iter().copied()).any_stdout().any_stderr().run();
    }
    let now = files(&env);
    for path in before.keys().chain(after.keys()).chain(now.keys()) {
        let is_one_of_both = now.get(path) == before.get(path) || now.get(path) == after.get(path);
        assert!(is_one_of_both, "{told}: {} is torn", path.display());
    }
    for path in filler {
        std::fs::remove_file(path).unwrap();
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let repository = Repository::of(&env);
    let settled = files(&env);
    for path in before.keys().chain(after.keys()).chain(settled.keys()) {
        let is_one_of_all = [&before, &after, &now]
            .iter()
            .any(|files| files.get(path) == settled.get(path));
        assert!(
            is_one_of_all,
            "{told}: {} is torn after room was made",
            path.display()
        );
    }
    for (path, bytes) in &before {
        let stays = after.values().any(|kept| kept == bytes);
        let is_there = settled.values().any(|kept| kept == bytes);
        assert!(is_there || !stays, "{told}: {} is lost", path.display());
    }
    if is_done {
        assert!(settled == after, "{told}: what was acknowledged is not there");
    }
    assert_eq!(repository.status(), "", "{told}");
    repository.git(&["fsck", "--full", "--strict", "--no-dangling"]);
    env.mdmem(["add", "There is room again"])
        .any_stdout()
        .any_stderr()
        .run();
}

/// Both degrees in the long form of the suite, else one of them in turn.
fn tried(at: usize, degrees: [u64; 2]) -> Vec<u64> {
    match crate::torture::times() {
        Some(_) => degrees.to_vec(),
        None => vec![degrees[at % 2]],
    }
}

#[test]
fn on_a_full_one_a_command_is_done_or_refused() {
    for (at, args) in WRITERS.into_iter().enumerate() {
        for left in tried(at, [0, [4 << 10, 12 << 10, 28 << 10, 60 << 10][at % 4]]) {
            gives_out("size=2m", fill_with_bytes, left, args);
        }
    }
}

#[test]
fn without_inodes_a_command_is_done_or_refused() {
    for (at, args) in WRITERS.into_iter().enumerate() {
        for left in tried(at, [0, [1, 3, 6, 10][at % 4]]) {
            gives_out("size=8m,nr_inodes=600", fill_with_files, left, args);
        }
    }
}

#[test]
fn a_watcher_commits_what_was_saved_while_there_were_no_inodes() {
    let Some((mut env, _mount)) = store("size=8m,nr_inodes=600") else {
        return;
    };
    env.use_real_clock();
    let watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "50")]);
    let repository = Repository::of(&env);
    repository.wait_for_commit_of("project/saved.md", "Saved, and not committed yet.\n", LIMIT);
    let filler = fill_with_files(&env.mdmem_home(), 0);
    // An inode is not needed to write into a file that is there.
    repository.save("project/saved.md", "Saved without inodes.\n");
    watching.wait_until_said("No space left");
    for path in filler {
        std::fs::remove_file(path).unwrap();
    }
    repository.wait_for_commit_of("project/saved.md", "Saved without inodes.\n", LIMIT);
    repository.git(&["fsck", "--full", "--strict"]);
}

#[test]
fn a_read_only_one_is_read_and_each_writer_says_why_not() {
    let Some((env, mount)) = store("size=8m") else {
        return;
    };
    let before = files(&env);
    mount.remount("remount,ro");
    for reader in [
        &["list"][..],
        &["render"],
        &["status"],
        &["log"],
        &["show", "saved"],
    ] {
        env.mdmem(reader.iter().copied()).any_stdout().any_stderr().run();
    }
    env.mdmem(["check"])
        .code(1)
        .stdout_has(".: error: cannot write into ")
        .any_stderr()
        .run();
    for args in WRITERS.into_iter().filter(|args| args[0] != "init") {
        env.mdmem(args.iter().copied())
            .any_stdout()
            .fails("ead-only")
            .stderr_has("$STORE")
            .stderr_has("Mount it read-write")
            .run();
    }
    env.mdmem(["rm", "--dry-run", "saved"])
        .any_stdout()
        .fails("ead-only")
        .run();
    assert!(files(&env) == before);
    mount.remount("remount,rw");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert_eq!(Repository::of(&env).status(), "");
}

/// A container's: files come from the layer below until they are changed.
#[test]
fn laid_over_another_one_everything_works_and_the_one_below_stays() {
    for args in WRITERS {
        let Some((whole, _mount)) = store("size=64m") else {
            return;
        };
        files(&whole);
        whole.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        let Some((env, _below)) = store("size=64m") else {
            return;
        };
        let (home, scratch) = (env.mdmem_home(), env.home().join("scratch"));
        // The folder that is changed must not lie on an overlay itself.
        let Some(_upper) = Mount::tmpfs(&scratch, "size=64m") else {
            return;
        };
        let below = files(&env);
        let Some(over) = Mount::overlay(&home, &home, &scratch) else {
            return;
        };
        env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        assert!(files(&env) == files(&whole), "{args:?}");
        env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
        let repository = Repository::of(&env);
        assert_eq!(repository.status(), "", "{args:?}");
        repository.git(&["fsck", "--full", "--strict", "--no-dangling"]);
        drop(over);
        assert!(files(&env) == below, "{args:?} changed the layer below");
    }
}

#[test]
fn a_watcher_over_another_file_system_commits_every_save() {
    let Some((mut env, _below)) = store("size=64m") else {
        return;
    };
    let (home, scratch) = (env.mdmem_home(), env.home().join("scratch"));
    let Some(_upper) = Mount::tmpfs(&scratch, "size=64m") else {
        return;
    };
    let Some(_over) = Mount::overlay(&home, &home, &scratch) else {
        return;
    };
    env.use_real_clock();
    let _watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "50")]);
    let repository = Repository::of(&env);
    for (path, text) in [
        ("decision/port.md", "The port is 9.\n"),
        ("project/new.md", "New.\n"),
    ] {
        repository.save(path, text);
        repository.wait_for_commit_of(path, text, LIMIT);
    }
}
