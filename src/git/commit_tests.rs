//! Commits beside the real git: what it sees after them, and what survives.

use std::time::Duration;

use super::testing::{NOON, Scratch, commit_files, commit_files_at, lock};
use super::*;
use crate::model::Timestamp;

pub(super) fn new_commit<'a>(changes: &'a [PathChange], message: &'a Message) -> NewCommit<'a> {
    NewCommit {
        changes,
        message,
        time: NOON,
        signing: Signing::Unsigned,
        merged: None,
    }
}

#[test]
fn the_first_commit_and_the_next_leave_git_clean() {
    let (scratch, repo) = Scratch::with_repo();
    assert_eq!(
        repo.head().unwrap(),
        Head::Unborn {
            branch: "refs/heads/main".into()
        }
    );
    scratch.write("decision/a.md", "one\n");
    scratch.write("b.md", "two\n");
    let first = commit_files(&repo, "memory: add 2 files", &["decision/a.md", "b.md"]).unwrap();
    scratch.assert_clean();
    scratch.write("b.md", "three\n");
    let second = commit_files(&repo, "memory: edit b", &["b.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(repo.head().unwrap().tip(), Some(second));
    assert_eq!(
        scratch.git(&["log", "--format=%H %s %ct"]),
        format!(
            "{second} memory: edit b {0}\n{first} memory: add 2 files {0}\n",
            NOON.as_seconds()
        )
    );
    assert_eq!(scratch.git(&["show", "HEAD:b.md"]), "three\n");
    assert_eq!(scratch.git(&["rev-parse", "main"]).trim(), second.to_string());
    assert!(
        scratch
            .git(&["reflog"])
            .contains("commit (initial): memory: add 2 files")
    );
}

#[test]
fn nothing_changed_is_no_commit() {
    let (scratch, repo) = Scratch::with_repo();
    assert_eq!(commit_files(&repo, "nothing", &["gone.md"]), None);
    scratch.write("a.md", "x\n");
    let first = commit_files(&repo, "add", &["a.md"]).unwrap();
    assert_eq!(commit_files(&repo, "again", &["a.md", "gone.md"]), None);
    assert_eq!(repo.head().unwrap().tip(), Some(first));
}

#[test]
fn removing_the_last_file_of_a_folder_removes_the_folder() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a/b/c.md", "x\n");
    scratch.write("d.md", "y\n");
    commit_files(&repo, "add", &["a/b/c.md", "d.md"]).unwrap();
    std::fs::remove_dir_all(scratch.root().join("a")).unwrap();
    commit_files(&repo, "remove", &["a/b/c.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(scratch.git(&["ls-tree", "--name-only", "HEAD"]), "d.md\n");
    std::fs::remove_file(scratch.root().join("d.md")).unwrap();
    commit_files(&repo, "remove all", &["d.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(scratch.git(&["ls-tree", "HEAD"]), "");
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("x.md", "file\n");
    commit_files(&repo, "add", &["x.md"]).unwrap();
    std::fs::remove_file(scratch.root().join("x.md")).unwrap();
    scratch.write("x.md/y.md", "below\n");
    commit_files(&repo, "a folder", &["x.md", "x.md/y.md"]).unwrap();
    scratch.assert_clean();
    std::fs::remove_dir_all(scratch.root().join("x.md")).unwrap();
    scratch.write("x.md", "file again\n");
    commit_files(&repo, "a file", &["x.md/y.md", "x.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(scratch.git(&["show", "HEAD:x.md"]), "file again\n");
}

#[test]
fn a_file_beside_a_folder_of_its_name_is_refused() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("x/y.md", "below\n");
    commit_files(&repo, "add", &["x/y.md"]).unwrap();
    let changes = [PathChange::write("x", "file", Mode::Plain)];
    let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
    assert!(matches!(error, GitError::Clash { .. }), "{error}");
}

#[test]
fn names_that_git_cannot_hold_are_refused() {
    let (_scratch, repo) = Scratch::with_repo();
    for bad in [
        "../x.md",
        "/x.md",
        "a//b.md",
        ".git/config",
        "a/.git/x",
        "a/.GIT/x",
        "",
    ] {
        let changes = [PathChange::write(bad, "x", Mode::Plain)];
        let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
        assert!(matches!(error, GitError::Unfit { .. }), "{bad}: {error}");
    }
}

#[test]
fn any_bytes_may_stand_in_a_name() {
    let (scratch, repo) = Scratch::with_repo();
    let names: [&[u8]; 4] = [
        "日本 語.md".as_bytes(),
        b"not\xffutf8.md",
        b"a\nb.md",
        b"-dash \"quote\".md",
    ];
    let changes: Vec<_> = names
        .iter()
        .map(|name| {
            let path = super::paths::from_git(name);
            scratch.write_bytes(&path, b"x\n");
            PathChange::write(path, "x\n", Mode::Plain)
        })
        .collect();
    repo.commit(&mut lock(&repo), &new_commit(&changes, &Message::new("s")))
        .unwrap()
        .unwrap();
    scratch.assert_clean();
    let files = repo.tree(repo.head().unwrap().tip().unwrap()).unwrap();
    assert_eq!(files.len(), 4);
    assert!(
        files
            .iter()
            .any(|file| super::paths::to_git(&file.path) == b"not\xffutf8.md")
    );
}

#[test]
fn a_mode_is_kept() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("run.md", "x\n");
    let path = scratch.root().join("run.md");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let changes = [PathChange::write("run.md", "x\n", Mode::Executable)];
    let done = repo
        .commit(&mut lock(&repo), &new_commit(&changes, &Message::new("s")))
        .unwrap()
        .unwrap();
    scratch.assert_clean();
    assert_eq!(repo.tree(done).unwrap()[0].entry.mode, Mode::Executable);
}

#[test]
fn hooks_do_not_run() {
    let (scratch, repo) = Scratch::with_repo();
    let hooks = scratch.root().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in ["pre-commit", "commit-msg", "post-commit", "reference-transaction"] {
        scratch.write(
            &format!(".git/hooks/{hook}"),
            "#!/bin/sh\ntouch hook-ran\nexit 1\n",
        );
        let path = hooks.join(hook);
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    scratch.write("a.md", "1\n");
    assert!(commit_files(&repo, "add", &["a.md"]).is_some());
    assert!(!scratch.root().join("hook-ran").exists());
}

#[test]
fn a_filter_is_refused() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("secret/.gitattributes", "*.md filter=git-crypt\n");
    scratch.write("secret/a.md", "1\n");
    let changes = [PathChange::write("secret/a.md", "1\n", Mode::Plain)];
    let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
    assert!(
        matches!(&error, GitError::Unfit { why: Unfit::Filter(filter), .. } if filter == "git-crypt"),
        "{error}"
    );
    scratch.write(".gitattributes", "*.md -text\n*.bin filter=lfs\n");
    let error = Repo::open(&scratch.root())
        .unwrap()
        .check_attributes()
        .unwrap_err();
    assert!(
        matches!(&error, GitError::ForeignFilter { line: 2, .. }),
        "{error}"
    );
}

#[test]
fn a_filter_that_only_the_index_names_is_refused() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("secret/.gitattributes", "*.md filter=git-crypt\n");
    scratch.git(&["add", "secret/.gitattributes"]);
    std::fs::remove_file(scratch.root().join("secret/.gitattributes")).unwrap();
    let changes = [PathChange::write("secret/a.md", "1\n", Mode::Plain)];
    let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
    assert!(
        matches!(
            &error,
            GitError::Unfit {
                why: Unfit::Filter(_),
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn many_new_files_at_once() {
    let (scratch, repo) = Scratch::with_repo();
    let names: Vec<String> = (0..300)
        .map(|n| format!("reference/{:02}/{n}.md", n % 7))
        .collect();
    for name in &names {
        scratch.write(name, name);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    commit_files(&repo, "add", &names).unwrap();
    scratch.assert_clean();
    assert_eq!(repo.tree(repo.head().unwrap().tip().unwrap()).unwrap().len(), 300);
}

#[test]
fn a_file_that_was_edited_after_its_commit_shows_as_changed() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "on disk, not what is committed\n");
    let changes = [PathChange::write("a.md", "committed\n", Mode::Plain)];
    repo.commit(&mut lock(&repo), &new_commit(&changes, &Message::new("s")))
        .unwrap()
        .unwrap();
    assert_eq!(scratch.status(), " M a.md\n");
    assert_eq!(scratch.read("a.md"), "on disk, not what is committed\n");
}

#[test]
fn a_change_of_the_same_size_in_the_same_instant_is_seen_by_git() {
    let (scratch, repo) = Scratch::with_repo();
    for n in 0..40 {
        scratch.write("a.md", &format!("{n:04}\n"));
        commit_files_at(&repo, "edit", &["a.md"], Timestamp::from_seconds(n)).unwrap();
        scratch.write("a.md", &format!("{n:03}x\n"));
        assert_eq!(scratch.status(), " M a.md\n", "round {n}");
    }
}

#[test]
fn a_repository_that_was_taken_away_is_an_error_and_never_made_anew() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let git_dir = scratch.root().join(".git");
    std::fs::rename(&git_dir, scratch.path("away")).unwrap();
    let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
    let message = Message::new("s");
    let error = repo.draft(&new_commit(&changes, &message)).unwrap_err();
    assert!(matches!(error, GitError::Vanished { .. }), "{error}");
    assert!(matches!(
        repo.write_files(&[("x", b"x")]),
        Err(GitError::Vanished { .. })
    ));
    assert!(matches!(
        repo.lock("x", Duration::from_secs(5)),
        Err(GitError::Vanished { .. })
    ));
    assert!(!git_dir.exists());
    Repo::init(&scratch.root()).unwrap();
    assert!(matches!(repo.obstacle(NOON), Err(GitError::Replaced { .. })));
}

#[test]
fn a_name_is_given_when_git_knows_none() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let author = scratch.git(&["log", "--format=%an <%ae> %at"]);
    assert!(
        author.contains('@') && author.trim().ends_with(&NOON.as_seconds().to_string()),
        "{author}"
    );
    scratch.git(&["config", "user.name", "Ada Lovelace"]);
    scratch.git(&["config", "user.email", "ada@example.org"]);
    scratch.write("a.md", "2\n");
    commit_files(&repo, "edit", &["a.md"]).unwrap();
    assert_eq!(
        scratch.git(&["log", "-1", "--format=%an <%ae>"]),
        "Ada Lovelace <ada@example.org>\n"
    );
}
