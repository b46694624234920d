//! Reading a person's index: what is staged, sparse, unchanged, ignored; and signing.

use std::path::{Path, PathBuf};

use super::testing::{NOON, Scratch, commit_files, lock};
use super::*;

fn staged(repo: &Repo, names: &[&str]) -> Vec<(String, StagedKind)> {
    let paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    repo.staged_by_hand(&paths)
        .unwrap()
        .into_iter()
        .map(|staged| (staged.path.to_str().unwrap().to_owned(), staged.kind))
        .collect()
}

#[test]
fn staged_is_what_differs_from_head_and_from_the_file() {
    let (scratch, repo) = Scratch::with_repo();
    let names = [
        "same.md",
        "edited.md",
        "staged.md",
        "part.md",
        "removed.md",
        "gone.md",
    ];
    assert_eq!(staged(&repo, &names), []);
    for name in names {
        scratch.write(name, "1\n");
    }
    commit_files(&repo, "add", &names).unwrap();
    scratch.write("edited.md", "2\n");
    scratch.write("staged.md", "2\n");
    scratch.write("part.md", "2\n");
    scratch.write("new.md", "intent\n");
    scratch.git(&["add", "staged.md", "part.md"]);
    scratch.git(&["add", "-N", "new.md"]);
    scratch.write("part.md", "3\n");
    scratch.git(&["rm", "-q", "--cached", "removed.md"]);
    scratch.git(&["rm", "-q", "gone.md"]);
    let all = [
        "same.md",
        "edited.md",
        "staged.md",
        "part.md",
        "removed.md",
        "gone.md",
        "new.md",
    ];
    let expected = [
        ("part.md".to_owned(), StagedKind::Content),
        ("removed.md".to_owned(), StagedKind::Removal),
    ];
    assert_eq!(staged(&repo, &all), expected);
    // Many at once are looked up in another way.
    let many: Vec<&str> = all.iter().copied().cycle().take(28).collect();
    assert_eq!(staged(&repo, &many).len(), 8);
    let since = repo.staged_by_hand(&["part.md".into()]).unwrap()[0]
        .since
        .unwrap();
    let written = super::work_file::Stamp::read(&scratch.root().join(".git/index")).unwrap();
    assert!(written.modified().millis_since(since).abs() < 60_000);
}

#[test]
fn a_conflict_of_a_stash_is_staged_by_hand() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    scratch.write("a.md", "stashed\n");
    scratch.git(&["stash", "-q"]);
    scratch.write("a.md", "2\n");
    commit_files(&repo, "edit", &["a.md"]).unwrap();
    scratch.try_git(&["stash", "pop"]);
    assert!(scratch.read("a.md").contains("<<<<<<<"));
    assert_eq!(
        staged(&repo, &["a.md"]),
        [("a.md".to_owned(), StagedKind::Conflict)]
    );
}

#[test]
fn sparse_files_are_known() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    scratch.write("b.md", "1\n");
    commit_files(&repo, "add", &["a.md", "b.md"]).unwrap();
    scratch.git(&["update-index", "--skip-worktree", "b.md"]);
    for split in ["--no-split-index", "--split-index"] {
        scratch.git(&["update-index", split]);
        let index = repo.index().unwrap();
        assert!(index.is_sparse(Path::new("b.md")), "{split}");
        assert!(!index.is_sparse(Path::new("a.md")) && !index.is_sparse(Path::new("c.md")));
        assert_eq!(index.entries.len(), 2);
        assert_eq!(index.get(Path::new("a.md")).unwrap().entry.oid, hash_blob(b"1\n"));
    }
}

#[test]
fn an_unchanged_file_is_known_without_reading_it_once_it_is_old_enough() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    let path = scratch.root().join("a.md");
    let hour_ago = std::fs::metadata(&path).unwrap().modified().unwrap() - std::time::Duration::from_hours(1);
    std::fs::File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_modified(hour_ago))
        .unwrap();
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let is_unchanged = || {
        let meta = std::fs::symlink_metadata(&path).unwrap();
        repo.index().unwrap().is_unchanged(Path::new("a.md"), &meta)
    };
    assert!(is_unchanged());
    scratch.write("a.md", "2\n");
    assert!(!is_unchanged());
    std::fs::File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_modified(hour_ago))
        .unwrap();
    // The same size and time, but git's own stamp of the change has moved on.
    assert!(!is_unchanged());
}

#[test]
fn a_change_within_the_second_of_the_old_index_stays_seen() {
    let (scratch, repo) = Scratch::with_repo();
    let names = ["left.md", "same.md", "more.md"];
    for name in names {
        scratch.write(name, "1\n");
    }
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "-q", "-m", "files"]);
    // One second, whatever the machine: git compares no parts of one.
    let set_time = |name: &str, second: u64| {
        let file = std::fs::File::open(scratch.root().join(name)).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
        file.set_modified(time).unwrap();
    };
    scratch.git(&["config", "core.trustctime", "false"]);
    for name in names {
        set_time(name, 1_700_000_000);
    }
    scratch.git(&["update-index", "-q", "--refresh"]);
    scratch.write("left.md", "2\n");
    set_time("left.md", 1_700_000_000);
    set_time(".git/index", 1_700_000_000);
    assert_eq!(scratch.status(), " M left.md\n");
    set_time(".git/index", 1_700_000_000);
    scratch.write("more.md", "2\n");
    commit_files(&repo, "more", &["more.md"]).unwrap();
    let listed = scratch.git(&["ls-files", "--debug"]);
    let sizes: Vec<&str> = listed.lines().filter(|line| line.contains("size")).collect();
    assert_eq!(sizes[0], "  size: 0\tflags: 0", "left.md");
    assert_eq!(sizes[2], "  size: 2\tflags: 0", "same.md");
    assert_eq!(scratch.status(), " M left.md\n");
}

#[test]
fn what_is_ignored_is_the_stores_own_word() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write(".gitignore", ".mdmem/\nMEMORY.md\n*.swp\n");
    for (path, ignored) in [
        ("MEMORY.md", true),
        (".mdmem/log", true),
        ("decision/.a.md.swp", true),
        ("decision/a.md", false),
        ("image.png", false),
    ] {
        let found = repo.ignored_paths([Path::new(path)]).unwrap();
        assert_eq!(!found.is_empty(), ignored, "{path}");
    }
}

#[test]
fn a_commit_is_signed_by_git_only_when_asked() {
    let (scratch, repo) = Scratch::with_repo();
    let signer = scratch.path("signer");
    let script = "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] BEGIN_SIGNING' >&2\necho '[GNUPG:] SIG_CREATED D' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\nx\\n-----END PGP SIGNATURE-----\\n'\n";
    std::fs::File::create(&signer)
        .and_then(|mut file| std::io::Write::write_all(&mut file, script.as_bytes()))
        .unwrap();
    std::fs::set_permissions(&signer, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    scratch.git(&["config", "gpg.program", signer.to_str().unwrap()]);
    scratch.git(&["config", "commit.gpgSign", "true"]);
    for (text, signing, count) in [("1\n", Signing::Unsigned, 0), ("2\n", Signing::ByGit, 1)] {
        let changes = [PathChange::write("a.md", text, Mode::Plain)];
        let new = NewCommit {
            changes: &changes,
            message: &Message::new("a subject").with(trailer::OP, "add"),
            time: NOON,
            signing,
            merged: None,
        };
        repo.commit(&mut lock(&repo), &new).unwrap().unwrap();
        let raw = scratch.git(&["cat-file", "commit", "HEAD"]);
        assert_eq!(raw.matches("BEGIN PGP SIGNATURE").count(), count, "{raw}");
        assert!(raw.ends_with("a subject\n\nMdmem-Op: add\n"), "{raw}");
        assert!(raw.contains(&format!(" {} ", NOON.as_seconds())), "{raw}");
    }
    scratch.git(&["config", "gpg.program", "/nowhere/signer"]);
    let changes = [PathChange::write("a.md", "3\n", Mode::Plain)];
    let new = NewCommit {
        changes: &changes,
        message: &Message::new("s"),
        time: NOON,
        signing: Signing::ByGit,
        merged: None,
    };
    let error = repo.commit(&mut lock(&repo), &new).unwrap_err();
    assert!(
        matches!(&error, GitError::Program { command, .. } if command == "commit-tree"),
        "{error}"
    );
}
