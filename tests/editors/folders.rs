//! Many files and whole folders at once.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

use crate::env::{LIMIT, Repository, TestEnv, wait_for};

const UNPACKED: usize = 3000;

fn machine() -> TestEnv {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env
}

#[test]
fn files_in_folders_that_were_just_made_are_not_missed() {
    let env = machine();
    let repository = Repository::of(&env);
    let _watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "200")]);
    let paths: Vec<String> = (0..80)
        .map(|n| format!("topics/{}/of/{n}/note.md", n % 7))
        .collect();
    for path in &paths {
        // Written right after `mkdir -p`, before anybody can watch the new folder.
        repository.save(path, &format!("In {path}.\n"));
    }
    wait_for("all of them", LIMIT, || {
        let tracked = repository.tracked();
        paths.iter().all(|path| tracked.contains(path)).then_some(())
    });
    assert_committed_once(&repository, paths.len());
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn three_thousand_files_are_unpacked() {
    let env = machine();
    let repository = Repository::of(&env);
    let source = env.home().join("archive");
    for n in 0..UNPACKED {
        let path = source.join(format!("reference/{}/note-{n}.md", n % 40));
        crate::env::write_at(&path, &format!("Note {n} of an archive.\n"));
    }
    let archive = env.home().join("archive.tar");
    let tar = |args: &[&str]| {
        let done = Command::new("tar")
            .args(args)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success(), "tar {args:?}");
    };
    let (archive, source) = (archive.to_str().unwrap(), source.to_str().unwrap());
    tar(&["-cf", archive, "-C", source, "reference"]);
    let mut watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "400")]);
    tar(&["-xf", archive, "-C", repository.root().to_str().unwrap()]);
    wait_for("all of them", LIMIT * 2, || {
        assert!(watching.is_running());
        let notes = repository
            .tracked()
            .into_iter()
            .filter(|path| path.starts_with("reference/"));
        (notes.count() == UNPACKED).then_some(())
    });
    let commits = assert_committed_once(&repository, UNPACKED);
    assert!(commits <= 20, "{commits} commits");
    wait_for("MEMORY.md to say that there are more", LIMIT, || {
        let index = repository.text("MEMORY.md");
        index.contains("mdmem list").then_some(())
    });
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn a_folder_is_renamed() {
    let env = machine();
    let repository = Repository::of(&env);
    for n in 0..20 {
        repository.save(
            &format!("project/old/note-{n}.md"),
            &format!("# Note {n}\n\nOf many.\n"),
        );
    }
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    let begin = repository.git(&["rev-parse", "HEAD"]);
    let _watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "400")]);
    std::fs::rename(repository.at("project/old"), repository.at("project/new")).unwrap();
    wait_for("the new names", LIMIT, || {
        let tracked = repository.tracked();
        let in_folder = |folder: &str| tracked.iter().filter(|path| path.starts_with(folder)).count();
        (in_folder("project/old/") == 0 && in_folder("project/new/") == 20).then_some(())
    });
    let commits = repository.log_of(&format!("{}..HEAD", begin.trim()));
    assert_eq!(commits.len(), 1, "one rename, one commit: {commits:#?}");
    wait_for("MEMORY.md to follow", LIMIT, || {
        let index = repository.text("MEMORY.md");
        (index.contains("project/new/note-7.md") && !index.contains("project/old/")).then_some(())
    });
    env.mdmem(["log", "project/new/note-7.md"])
        .stdout_has("memory: rename 20 files")
        .stdout_has("memory: add 20 files")
        .run();
    // A save under the new name right after it is not missed.
    repository.save("project/new/note-7.md", "# Note 7\n\nEdited.\n");
    repository.wait_for_commit_of("project/new/note-7.md", "# Note 7\n\nEdited.\n", LIMIT);
    repository.assert_sound();
}

/// Every path of the commits of saves is in one of them only; how many such commits there are.
#[track_caller]
fn assert_committed_once(repository: &Repository<'_>, files: usize) -> usize {
    let commits = repository.log();
    let saves = &commits[..commits.len() - 1];
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for path in saves.iter().flat_map(|commit| &commit.paths) {
        *times.entry(path).or_default() += 1;
    }
    let mut twice = String::new();
    for (path, times) in times.iter().filter(|(_, times)| **times > 1) {
        let _ = writeln!(twice, "{path} {times}");
    }
    assert_eq!(twice, "");
    assert_eq!(times.len(), files);
    saves.len()
}
