//! Each repository that mdmem must not touch gets its own word.

use super::testing::{Scratch, commit_files};
use super::*;

fn open(scratch: &Scratch, folder: &str) -> GitError {
    Repo::open(&scratch.path(folder)).unwrap_err()
}

#[test]
fn no_folder_and_no_repository() {
    let scratch = Scratch::new();
    assert!(matches!(open(&scratch, "none"), GitError::NoFolder { .. }));
    std::fs::create_dir(scratch.path("plain")).unwrap();
    assert!(matches!(open(&scratch, "plain"), GitError::NotARepository { .. }));
}

#[test]
fn a_repository_in_a_folder_above_does_not_count() {
    let (scratch, _repo) = Scratch::with_repo();
    scratch.write("inside/a.md", "x");
    assert!(matches!(
        open(&scratch, "store/inside"),
        GitError::NotARepository { .. }
    ));
    let nested = Repo::init(&scratch.path("store/inside")).unwrap();
    assert_eq!(nested.root, scratch.path("store/inside"));
}

#[test]
fn a_bare_repository_in_both_forms() {
    let scratch = Scratch::new();
    scratch
        .command_in(&scratch.path(""), &["init", "-q", "--bare", "bare"])
        .status()
        .unwrap();
    assert!(matches!(open(&scratch, "bare"), GitError::Bare { .. }));
    let (scratch, _repo) = Scratch::with_repo();
    scratch.git(&["config", "core.bare", "true"]);
    assert!(matches!(open(&scratch, "store"), GitError::Bare { .. }));
}

#[test]
fn a_shallow_clone_is_told_how_to_be_completed() {
    let (scratch, repo) = Scratch::with_repo();
    for text in ["1", "2"] {
        scratch.write("a.md", text);
        commit_files(&repo, text, &["a.md"]).unwrap();
    }
    let from = format!("file://{}", scratch.root().display());
    let mut clone = scratch.command_in(&scratch.path(""), &["clone", "-q", "--depth=1", &from, "shallow"]);
    assert!(clone.status().unwrap().success());
    let error = open(&scratch, "shallow");
    assert!(matches!(error, GitError::Shallow { .. }));
    assert!(error.hint().unwrap().contains("fetch --unshallow"));
}

#[test]
fn other_formats_are_named() {
    let scratch = Scratch::new();
    for (option, extension) in [
        ("--object-format=sha256", "objectformat = sha256"),
        ("--ref-format=reftable", "refstorage = reftable"),
    ] {
        let mut init = scratch.command_in(&scratch.path(""), &["init", "-q", option, extension]);
        assert!(init.status().unwrap().success());
        let error = open(&scratch, extension);
        assert!(
            matches!(&error, GitError::Extension { extension: found, .. } if found == extension),
            "{error}"
        );
        assert!(error.hint().is_some());
    }
    let (scratch, _repo) = Scratch::with_repo();
    scratch.git(&["config", "core.repositoryFormatVersion", "1"]);
    scratch.git(&["config", "extensions.partialClone", "origin"]);
    assert!(matches!(open(&scratch, "store"), GitError::Partial { .. }));
}

#[test]
fn a_linked_worktree_is_no_store() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    assert!(matches!(open(&scratch, "linked"), GitError::Linked { .. }));
}

#[test]
fn files_elsewhere_are_refused() {
    let (scratch, _repo) = Scratch::with_repo();
    std::fs::create_dir(scratch.path("elsewhere")).unwrap();
    scratch.git(&[
        "config",
        "core.worktree",
        scratch.path("elsewhere").to_str().unwrap(),
    ]);
    assert!(matches!(
        open(&scratch, "store"),
        GitError::WorktreeElsewhere { .. }
    ));
}

#[test]
fn another_users_repository_is_refused() {
    // Only root can give files away; for others there is nothing to try.
    let (scratch, _repo) = Scratch::with_repo();
    let nobody = Some(rustix::fs::Uid::from_raw(65_534));
    if rustix::fs::chown(scratch.root(), nobody, None).is_err() {
        return;
    }
    rustix::fs::chown(scratch.root().join(".git"), nobody, None).unwrap();
    let error = open(&scratch, "store");
    assert!(matches!(error, GitError::Owner { .. }), "{error}");
    let hint = error.hint().unwrap();
    assert!(
        hint.contains("safe.directory") && hint.contains("chown"),
        "{hint}"
    );
}

fn branch_of(repo: &Repo) -> String {
    match repo.head().unwrap() {
        Head::Unborn { branch } | Head::Branch { branch, .. } => branch,
        Head::Detached { tip } => panic!("HEAD is {tip}"),
    }
}

#[test]
fn a_new_repository_is_quiet_on_main_and_made_once() {
    let (scratch, repo) = Scratch::with_repo();
    assert_eq!(branch_of(&repo), "refs/heads/main");
    assert_eq!(scratch.status(), "");
    assert_eq!(scratch.git(&["config", "core.fsync"]), "committed,reference\n");
    assert!(!scratch.root().join(".git/hooks/pre-commit.sample").exists());
    assert!(matches!(
        Repo::init(&scratch.root()),
        Err(GitError::AlreadyARepository { .. })
    ));
}

#[test]
fn libgit2_is_told_to_flush_and_git_is_not_told_by_the_old_key() {
    let (scratch, repo) = Scratch::with_repo();
    assert!(
        repo.git
            .config()
            .unwrap()
            .get_bool("core.fsyncObjectFiles")
            .unwrap()
    );
    assert!(
        !scratch
            .try_git(&["config", "core.fsyncObjectFiles"])
            .status
            .success()
    );
}

#[test]
fn what_git_made_can_be_opened() {
    let scratch = Scratch::new();
    let mut init = scratch.command_in(&scratch.path(""), &["init", "-q", "-b", "trunk", "store"]);
    assert!(init.status().unwrap().success());
    let repo = Repo::open(&scratch.root()).unwrap();
    assert_eq!(branch_of(&repo), "refs/heads/trunk");
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    scratch.assert_clean();
}

/// Makes a repository and says what became of it; only ever run as a child of the test below, with a HOME of its own.
#[test]
#[ignore = "a part of `a_persons_settings_do_not_shape_a_new_repository`, which runs it as a child"]
fn makes_a_repository_where_it_stands() {
    let root = std::path::Path::new("store");
    if !std::path::Path::new("marker").exists() {
        return;
    }
    let repo = Repo::init(root).unwrap();
    assert_eq!(branch_of(&repo), "refs/heads/main");
    assert!(repo.ignored_paths(["decision/a.md".as_ref()]).unwrap().is_empty());
    std::fs::create_dir(root.join("decision")).unwrap();
    std::fs::File::create(root.join("decision/a.md")).unwrap();
    commit_files(&repo, "add", &["decision/a.md"]).unwrap();
}

#[test]
fn a_persons_settings_do_not_shape_a_new_repository() {
    let scratch = Scratch::new();
    let home = scratch.path("home");
    let write = |name: &str, text: &str| {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
            .unwrap();
    };
    let template = home.join("template");
    write("template/hooks/post-commit", "#!/bin/sh\n");
    write("ignore", "*.md\n");
    write(
        ".gitconfig",
        &format!(
            "[init]\ndefaultBranch = trunk\ntemplateDir = {}\n[core]\nexcludesFile = {}\nautocrlf = true\n\
             [user]\nname = Grace\nemail = grace@example.org\n[commit]\ngpgSign = true\n",
            template.display(),
            home.join("ignore").display()
        ),
    );
    write("../marker", "");
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "git::open_tests::makes_a_repository_where_it_stands",
        ])
        .current_dir(scratch.path(""))
        .env("HOME", &home)
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
    assert!(!scratch.root().join(".git/hooks/post-commit").exists());
    assert_eq!(scratch.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
    assert_eq!(scratch.git(&["log", "--format=%an %G?"]), "Grace N\n");
    scratch.assert_clean();
}
