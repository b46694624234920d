//! Objects, packs and an index that are cut off, emptied, spoilt, or no files at all: each command ends, nothing is
//! lost, and one command brings back what the files or the log hold.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::damage::{LAST, store};
use crate::env::{Chance, Repository, TestEnv};
use crate::left_out::make_fifo;

/// Much longer than any command takes on a store of ten files, and much shorter than for ever.
const LONGEST: Duration = Duration::from_secs(20);

/// A command that has to end by itself; its exit code and what it says.
#[track_caller]
fn ends(env: &TestEnv, args: &[&str], beside: &str) -> (i32, String) {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    let mut child = command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("{args:?} does not end beside {beside}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// Every loose object of a store.
fn loose_objects(repository: &Repository<'_>) -> Vec<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let folders = below(&repository.at(".git/objects")).into_iter();
    let named = folders.filter(|folder| folder.file_name().unwrap().len() == 2);
    let mut found: Vec<PathBuf> = named.flat_map(|folder| below(&folder)).collect();
    found.sort();
    found
}

/// Puts these bytes into a file that may be read-only, as a new file.
fn put(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Every command on a store with a damage: each ends, none loses or changes a file of a person's, and a repair brings
/// back a store that git finds whole and that can be written.
#[track_caller]
fn survives(env: &TestEnv, beside: &str) {
    let repository = Repository::of(env);
    let before = repository.files();
    for args in [
        &["path"][..],
        &["list"],
        &["render"],
        &["status"],
        &["check"],
        &["log"],
        &["log", LAST],
        &["show", LAST],
        &["show", &format!("{LAST}@HEAD~1")],
        &["diff", "HEAD~2"],
        &["restore", "--dry-run", "HEAD~1"],
        &["check", "--fix"],
    ] {
        let (code, said) = ends(env, args, beside);
        assert!(!said.contains("panicked"), "{args:?} beside {beside}: {said}");
        if matches!(args[0], "path" | "list" | "render" | "status") {
            assert_eq!(code, 0, "{args:?} beside {beside}: {said}");
        } else if code != 0 && args[0] != "check" {
            assert!(
                said.contains("mdmem check --fix"),
                "{args:?} beside {beside}: {said}"
            );
        }
    }
    assert!(repository.files() == before, "{beside}: a reader changed a file");
    // A writer may be stopped by the damage, and then says so, or does its work.
    for args in [
        &["sweep"][..],
        &["restore", "HEAD~1", LAST],
        &["add", "Builds run on two cores"],
    ] {
        let (code, said) = ends(env, args, beside);
        assert!(
            code == 0 || said.contains("mdmem check --fix"),
            "{args:?} beside {beside}: {said}"
        );
    }
    let kept = repository.files();
    for (path, bytes) in &before {
        let is_restored = path.ends_with(LAST);
        assert!(
            is_restored || kept.get(path) == Some(bytes),
            "{beside}: {} is lost",
            path.display()
        );
    }
    let (code, said) = ends(env, &["check", "--fix", "--yes"], beside);
    assert_eq!(code, 0, "repair beside {beside}: {said}");
    assert!(repository.files() == kept, "{beside}: a repair changed a file");
    repository.git(&["archive", "--format=tar", "-o", "/dev/null", "HEAD"]);
    let (code, said) = ends(env, &["add", "Tests run before each merge"], beside);
    assert_eq!(code, 0, "add after the repair beside {beside}: {said}");
    assert_eq!(repository.status(), "", "{beside}");
    for path in kept.keys() {
        let path = path.strip_prefix(repository.root()).unwrap().to_str().unwrap();
        assert!(
            repository.committed(path).is_some(),
            "{beside}: {path} is not committed"
        );
    }
}

/// The history is whole, but for versions that no file holds any more: every commit and folder, and each file of the
/// last one.
#[track_caller]
fn is_whole(env: &TestEnv, beside: &str) {
    let repository = Repository::of(env);
    let checked = repository.try_git(&["fsck", "--full", "--strict", "--no-dangling", "--no-reflogs"]);
    let complaints = String::from_utf8_lossy(&[checked.stdout, checked.stderr].concat()).into_owned();
    for line in complaints.lines() {
        let is_of_a_version = [
            "missing blob",
            "broken link from    tree",
            "              to    blob",
        ];
        assert!(
            is_of_a_version.iter().any(|words| line.starts_with(words)),
            "{beside}: {complaints}"
        );
    }
}

/// True for each damage in the long form of the suite, else for one of four in turn.
fn is_tried(place: usize) -> bool {
    crate::torture::times().is_some() || Chance::new(place as u64 / 4).below(4) == place as u64 % 4
}

/// The store is made anew for each damage, with the same objects each time, because its clock stands still.
#[test]
fn each_object_may_be_cut_off() {
    let count = loose_objects(&Repository::of(&store())).len();
    assert!(count > 20, "{count}");
    // Each object at one of the lengths; over all objects each length comes often.
    for at in (0..count).filter(|at| is_tried(*at)) {
        let env = store();
        let repository = Repository::of(&env);
        let Some(path) = loose_objects(&repository).get(at).cloned() else {
            continue;
        };
        let whole = std::fs::read(&path).unwrap();
        let length = [whole.len() / 2, 2, whole.len() - 1, whole.len() - 4, 1][at % 5];
        put(&path, &whole[..length]);
        survives(
            &env,
            &format!("{} cut to {length} of {}", path.display(), whole.len()),
        );
        is_whole(&env, &format!("{} cut to {length}", path.display()));
    }
}

#[test]
fn an_object_may_be_anything() {
    let env = store();
    let other = loose_objects(&Repository::of(&env))[0].clone();
    let other = std::fs::read(other).unwrap();
    let ways = [
        "empty", "garbage", "another", "long", "fifo", "folder", "link", "dangling",
    ];
    for (from, what) in ["HEAD", "HEAD^{tree}", "HEAD:decision/last/one.md", "HEAD~1"]
        .into_iter()
        .enumerate()
    {
        for (at, way) in ways.into_iter().enumerate() {
            if !is_tried(from * ways.len() + at) {
                continue;
            }
            let env = store();
            let repository = Repository::of(&env);
            let oid = repository.git(&["rev-parse", what]);
            let path = repository.at(&format!(".git/objects/{}/{}", &oid[..2], oid[2..].trim()));
            let whole = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            match way {
                "empty" => std::fs::write(&path, b"").unwrap(),
                "garbage" => std::fs::write(&path, vec![b'?'; whole.len()]).unwrap(),
                "another" => std::fs::write(&path, &other).unwrap(),
                "long" => std::fs::write(&path, [&whole[..], b"more"].concat()).unwrap(),
                "fifo" => make_fifo(&path),
                "folder" => std::fs::create_dir(&path).unwrap(),
                "link" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                _ => std::os::unix::fs::symlink("nowhere", &path).unwrap(),
            }
            survives(&env, &format!("{what} as {way}"));
            is_whole(&env, &format!("{what} as {way}"));
        }
    }
}

/// An object that a save brings back is written again, though libgit2 takes the spoilt object for written already.
#[test]
fn a_save_writes_over_a_spoilt_object_of_the_same_content() {
    let env = store();
    let repository = Repository::of(&env);
    let oid = repository.git(&["rev-parse", "HEAD~1:decision/last/one.md"]);
    let path = repository.at(&format!(".git/objects/{}/{}", &oid[..2], oid[2..].trim()));
    let whole = std::fs::read(&path).unwrap();
    put(&path, &whole[..whole.len() / 2]);
    env.write(LAST, "The port is 1.\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    assert_eq!(repository.committed(LAST).as_deref(), Some("The port is 1.\n"));
    repository.git(&["fsck", "--full", "--strict"]);
}

#[test]
fn a_pack_or_its_index_may_be_cut_off() {
    for ending in ["pack", "idx"] {
        for part in ["half", "few", "end", "middle"] {
            let env = store();
            let repository = Repository::of(&env);
            repository.git(&["gc", "-q"]);
            let entries = std::fs::read_dir(repository.at(".git/objects/pack"))
                .unwrap()
                .flatten();
            let mut paths = entries.map(|entry| entry.path());
            let path = paths.find(|path| path.extension().unwrap() == ending).unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            let length = bytes.len();
            match part {
                "half" => bytes.truncate(length / 2),
                "few" => bytes.truncate(10),
                "end" => bytes.truncate(length - 1),
                _ => bytes[length / 3..length / 2].fill(0x5a),
            }
            put(&path, &bytes);
            survives(&env, &format!("{ending} {part}"));
        }
    }
}

#[test]
fn the_index_may_be_cut_off() {
    for part in ["half", "few", "end", "garbage", "empty"] {
        let env = store();
        let repository = Repository::of(&env);
        let path = repository.at(".git/index");
        let mut bytes = std::fs::read(&path).unwrap();
        let length = bytes.len();
        match part {
            "half" => bytes.truncate(length / 2),
            "few" => bytes.truncate(10),
            "end" => bytes.truncate(length - 1),
            "empty" => bytes.clear(),
            _ => bytes.fill(b'?'),
        }
        put(&path, &bytes);
        env.write("feedback/new.md", "Be kind.\n");
        for args in [&["list"][..], &["render"], &["status"], &["log"]] {
            let (_, said) = ends(&env, args, part);
            assert!(!said.contains("panicked"), "{said}");
        }
        let (_, said) = ends(&env, &["sweep"], part);
        assert!(said.contains("not committed yet"), "{part}: {said}");
        assert!(
            said.contains(".git/index") && said.contains("hint"),
            "{part}: {said}"
        );
        for args in [&["check"][..], &["check", "--fix"]] {
            let (code, said) = ends(&env, args, part);
            let is_named = said.contains("git's index") && said.contains("Remove ");
            assert!(code == 1 && is_named, "{part}: {args:?}: {said}");
        }
        std::fs::remove_file(&path).unwrap();
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
        assert_eq!(
            repository.committed("feedback/new.md").as_deref(),
            Some("Be kind.\n")
        );
        assert_eq!(repository.status(), "", "{part}");
    }
}

/// The workspace's own repository is read too.
#[test]
fn a_workspace_with_a_cut_commit_has_a_store_all_the_same() {
    let env = TestEnv::new();
    let git = |args: &[&str]| {
        let output = env.command("git").args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    let oid = git(&["rev-parse", "HEAD"]);
    let path = env
        .workspace()
        .join(format!(".git/objects/{}/{}", &oid[..2], &oid[2..]));
    let whole = std::fs::read(&path).unwrap();
    put(&path, &whole[..whole.len() / 2]);
    let (code, said) = ends(&env, &["add", "Use pnpm"], "a workspace");
    assert_eq!(code, 0, "{said}");
}
