//! Reading history beside the real git: log, walk, renames, merges, revisions, times.

use std::path::{Path, PathBuf};

use super::testing::{NOON, Scratch, commit_files, commit_files_at};
use super::*;
use crate::model::{Oid, Timestamp};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(NOON.as_seconds() + seconds)
}

fn steps(repo: &Repo, known: Option<Oid>) -> Vec<Step> {
    let head = repo.head().unwrap().tip().unwrap();
    repo.walk(head, known).unwrap().map(Result::unwrap).collect()
}

fn subjects(steps: &[Step]) -> Vec<&str> {
    steps
        .iter()
        .map(|step| step.commit.message.subject.as_str())
        .collect()
}

#[test]
fn a_walk_goes_from_the_first_commit_and_on_from_a_known_one() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    scratch.write("d/b.md", "1\n");
    let first = commit_files(&repo, "one", &["a.md", "d/b.md"]).unwrap();
    scratch.write("a.md", "2\n");
    let second = commit_files(&repo, "two", &["a.md"]).unwrap();
    std::fs::remove_file(scratch.root().join("d/b.md")).unwrap();
    commit_files_at(&repo, "three", &["d/b.md"], at(5)).unwrap();
    let all = steps(&repo, None);
    assert_eq!(subjects(&all), ["one", "two", "three"]);
    assert_eq!(all[1].commit.parents, [first]);
    assert_eq!(all[2].commit.time, at(5));
    let paths: Vec<_> = all[0].changes.iter().map(|change| change.path.clone()).collect();
    assert_eq!(paths, [PathBuf::from("a.md"), PathBuf::from("d/b.md")]);
    assert_eq!(all[1].changes[0].old.unwrap().oid, hash_blob(b"1\n"));
    assert_eq!(all[1].changes[0].new.unwrap().oid, hash_blob(b"2\n"));
    assert_eq!(all[2].changes[0].new, None);
    assert_eq!(subjects(&steps(&repo, Some(second))), ["three"]);
    let head = repo.head().unwrap().tip().unwrap();
    assert!(!repo.walk(head, Some(second)).unwrap().starts_over());
    assert_eq!(repo.walk(head, Some(head)).unwrap().count(), 0);
}

#[test]
fn a_rewritten_history_starts_over() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "one", &["a.md"]).unwrap();
    scratch.write("a.md", "2\n");
    let second = commit_files(&repo, "two", &["a.md"]).unwrap();
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let head = repo.head().unwrap().tip().unwrap();
    assert!(repo.walk(head, Some(second)).unwrap().starts_over());
    assert!(
        repo.walk(head, Some(hash_blob(b"no commit")))
            .unwrap()
            .starts_over()
    );
    assert_eq!(repo.walk(head, Some(second)).unwrap().count(), 1);
}

#[test]
fn a_merge_changed_only_what_no_parent_has() {
    let (scratch, repo) = Scratch::with_repo();
    for name in ["a.md", "b.md", "c.md"] {
        scratch.write(name, "base\n");
    }
    commit_files(&repo, "base", &["a.md", "b.md", "c.md"]).unwrap();
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("a.md", "side\n");
    scratch.write("c.md", "side\n");
    commit_files(&repo, "side", &["a.md", "c.md"]).unwrap();
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("b.md", "main\n");
    scratch.write("c.md", "main\n");
    commit_files(&repo, "main", &["b.md", "c.md"]).unwrap();
    scratch.try_git(&["merge", "side"]);
    scratch.write("c.md", "both\n");
    scratch.git(&["add", "c.md"]);
    scratch.git(&["commit", "-q", "-m", "merge"]);
    let all = steps(&repo, None);
    let merge = all.last().unwrap();
    assert!(merge.commit.is_merge());
    let changed: Vec<_> = merge.changes.iter().map(|change| change.path.as_path()).collect();
    assert_eq!(changed, [Path::new("c.md")]);
    assert_eq!(merge.changes[0].old.unwrap().oid, hash_blob(b"main\n"));
    let of_a: Vec<_> = repo
        .log(repo.head().unwrap().tip().unwrap(), Some(Path::new("a.md")))
        .unwrap()
        .map(|step| step.unwrap().commit.message.subject)
        .collect();
    assert_eq!(of_a, ["side", "base"]);
}

#[test]
fn a_log_follows_a_file_through_renames() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("project/old.md", "The parser takes three formats.\n");
    scratch.write("other.md", "Other.\n");
    commit_files(&repo, "add", &["project/old.md", "other.md"]).unwrap();
    scratch.write("other.md", "Other 2.\n");
    commit_files(&repo, "edit other", &["other.md"]).unwrap();
    std::fs::create_dir(scratch.root().join("decision")).unwrap();
    std::fs::rename(
        scratch.root().join("project/old.md"),
        scratch.root().join("decision/old.md"),
    )
    .unwrap();
    commit_files(&repo, "move", &["project/old.md", "decision/old.md"]).unwrap();
    std::fs::remove_file(scratch.root().join("decision/old.md")).unwrap();
    scratch.write(
        "decision/new.md",
        "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\n---\nThe parser takes three formats.\n",
    );
    commit_files(&repo, "rename and edit", &["decision/old.md", "decision/new.md"]).unwrap();
    let head = repo.head().unwrap().tip().unwrap();
    let log: Vec<Step> = repo
        .log(head, Some(Path::new("decision/new.md")))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(subjects(&log), ["rename and edit", "move", "add"]);
    assert_eq!(
        log[0].changes[0].renamed_from.as_deref(),
        Some(Path::new("decision/old.md"))
    );
    assert_eq!(
        log[1].changes[0].renamed_from.as_deref(),
        Some(Path::new("project/old.md"))
    );
    assert_eq!(log[2].changes.len(), 1);
    let folder: Vec<Step> = repo
        .log(head, Some(Path::new("decision")))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(subjects(&folder), ["rename and edit", "move"]);
    assert_eq!(repo.log(head, None).unwrap().count(), 4);
}

#[test]
fn a_folder_that_was_renamed_is_many_renames() {
    let (scratch, repo) = Scratch::with_repo();
    let names: Vec<String> = (0..60).map(|n| format!("old/{n}.md")).collect();
    for name in &names {
        scratch.write(name, "the same in all\n");
    }
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    commit_files(&repo, "add", &all).unwrap();
    std::fs::rename(scratch.root().join("old"), scratch.root().join("new")).unwrap();
    let moved: Vec<String> = names.iter().map(|name| name.replace("old/", "new/")).collect();
    all.extend(moved.iter().map(String::as_str));
    let commit = commit_files(&repo, "move", &all).unwrap();
    scratch.assert_clean();
    let changes = repo.log(commit, None).unwrap().next().unwrap().unwrap().changes;
    assert_eq!(changes.len(), 60);
    for change in changes {
        // Equal content says nothing of which is which; the names do.
        assert_eq!(change.renamed_from.unwrap().file_name(), change.path.file_name());
    }
}

#[test]
fn a_file_in_place_of_a_folder_is_a_removal_and_an_addition() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("x/a.md", "alpha alpha alpha\n");
    scratch.write("x-y.md", "between in git's order\n");
    let old = commit_files(&repo, "folder", &["x/a.md", "x-y.md"]).unwrap();
    std::fs::remove_dir_all(scratch.root().join("x")).unwrap();
    scratch.write("x", "beta beta beta\n");
    let new = commit_files(&repo, "file", &["x/a.md", "x"]).unwrap();
    let changes = repo.changes_between(Some(old), new).unwrap();
    let shown: Vec<_> = changes
        .iter()
        .map(|change| {
            (
                change.path.to_str().unwrap(),
                change.old.is_some(),
                change.new.is_some(),
            )
        })
        .collect();
    assert_eq!(shown, [("x", false, true), ("x/a.md", true, false)]);
    assert_eq!(repo.changes_between(None, old).unwrap().len(), 2);
    assert!(repo.changes_between(Some(new), new).unwrap().is_empty());
}

#[test]
fn one_path_is_looked_up_without_the_others() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a/b/c.md", "x\n");
    let commit = commit_files(&repo, "add", &["a/b/c.md"]).unwrap();
    let found = repo.entry_at(commit, Path::new("a/b/c.md")).unwrap().unwrap();
    assert_eq!(found.oid, hash_blob(b"x\n"));
    for missing in ["a/b", "a/b/c.md/d", "a/x.md", "z.md"] {
        assert_eq!(
            repo.entry_at(commit, Path::new(missing)).unwrap(),
            None,
            "{missing}"
        );
    }
    assert_eq!(repo.blob(found.oid).unwrap(), b"x\n");
    assert!(matches!(repo.blob(commit), Err(GitError::NotABlob { .. })));
    assert!(repo.blob(hash_blob(b"never written")).is_err());
}

#[test]
fn revisions_are_named_as_in_git() {
    let (scratch, repo) = Scratch::with_repo();
    assert!(matches!(repo.resolve("HEAD"), Err(GitError::NoCommit { .. })));
    scratch.write("a.md", "1\n");
    let first = commit_files(&repo, "one", &["a.md"]).unwrap();
    scratch.write("a.md", "2\n");
    let second = commit_files(&repo, "two", &["a.md"]).unwrap();
    for (rev, oid) in [
        (first.short().as_str(), first),
        (&first.to_string(), first),
        ("HEAD", second),
        ("HEAD~1", first),
        ("main", second),
        ("@{1}", first),
        (" main ", second),
    ] {
        assert_eq!(repo.resolve(rev).unwrap(), oid, "{rev}");
    }
    for rev in [
        "",
        "nothing",
        "0000000",
        "HEAD~7",
        "--all",
        "HEAD:a.md",
        "HEAD^{tree}",
        "a\0b",
    ] {
        let error = repo.resolve(rev).unwrap_err();
        assert!(
            matches!(error, GitError::UnknownRevision { .. }),
            "{rev}: {error}"
        );
    }
}

#[test]
fn a_few_digits_name_no_commit_also_when_one_begins_with_them() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "a\n");
    let oid = commit_files(&repo, "first", &["a.md"]).unwrap().to_string();
    for length in 1..4 {
        let error = repo.resolve(&oid[..length]).unwrap_err();
        assert!(
            matches!(error, GitError::UnknownRevision { .. }),
            "{length}: {error}"
        );
    }
    assert_eq!(repo.resolve(&oid[..7]).unwrap().to_string(), oid);
}

#[test]
fn an_ambiguous_name_lists_the_commits_it_fits() {
    let (scratch, repo) = Scratch::with_repo();
    let mut by_start: std::collections::HashMap<String, Oid> = std::collections::HashMap::new();
    let mut n = 0;
    let (start, pair) = loop {
        scratch.write("a.md", &n.to_string());
        let oid = commit_files_at(&repo, &format!("number {n}"), &["a.md"], at(n)).unwrap();
        let start: String = oid.to_string().chars().take(4).collect();
        if let Some(other) = by_start.insert(start[..2].to_owned(), oid) {
            break (start[..2].to_owned(), [other, oid]);
        }
        n += 1;
    };
    // libgit2 takes four digits at least; two of a kind are looked for among the first two instead.
    let error = repo.resolve_prefix(&start).unwrap_err();
    let GitError::AmbiguousRevision { candidates, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(candidates.len(), 2);
    for oid in pair {
        assert!(
            candidates
                .iter()
                .any(|shown| oid.to_string().starts_with(&shown[..10]))
        );
    }
    assert!(
        candidates.iter().all(|shown| shown.contains("number")),
        "{candidates:?}"
    );
}

#[test]
fn the_commit_at_a_time_is_the_last_one_then() {
    let (scratch, repo) = Scratch::with_repo();
    assert_eq!(repo.commit_at(NOON).unwrap(), None);
    let mut made = Vec::new();
    for n in [0, 10, 20] {
        scratch.write("a.md", &n.to_string());
        made.push(commit_files_at(&repo, "c", &["a.md"], at(n)).unwrap());
    }
    assert_eq!(repo.commit_at(at(-1)).unwrap(), None);
    assert_eq!(repo.commit_at(at(0)).unwrap(), Some(made[0]));
    assert_eq!(repo.commit_at(at(19)).unwrap(), Some(made[1]));
    assert_eq!(repo.commit_at(at(1000)).unwrap(), Some(made[2]));
}

#[test]
fn history_reads_after_git_packed_it() {
    let (scratch, repo) = Scratch::with_repo();
    for n in 0..20 {
        scratch.write("a.md", &n.to_string());
        commit_files_at(&repo, "c", &["a.md"], at(n)).unwrap();
    }
    scratch.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(steps(&repo, None).len(), 20);
    scratch.write("a.md", "after\n");
    commit_files(&repo, "after", &["a.md"]).unwrap();
    scratch.assert_clean();
}

#[test]
fn each_path_has_the_time_of_the_last_commit_that_changed_it() {
    let (scratch, repo) = Scratch::with_repo();
    let save = |name: &str, text: &str, seconds: i64| {
        scratch.write(name, text);
        commit_files_at(&repo, name, &[name], at(seconds)).unwrap()
    };
    save("old.md", "1\n", 0);
    let base = save("both.md", "1\n", 1);
    save("both.md", "2\n", 2);
    save("d/ours.md", "1\n", 3);
    let ours = save("both.md", "3\n", 4);
    scratch.git(&["reset", "-q", "--hard", &base.to_string()]);
    std::fs::remove_file(scratch.root().join("old.md")).unwrap();
    commit_files_at(&repo, "remove", &["old.md"], at(5)).unwrap();
    let theirs = save("theirs.md", "1\n", 6);
    scratch.git(&["merge", "-q", "-m", "merge", &ours.to_string()]);
    let merge = repo.head().unwrap().tip().unwrap();
    let times = |head, others: &[Oid]| {
        let last = repo.last_changes(head, others).unwrap();
        let shown = last.into_iter().map(|(path, time)| {
            let seconds = time.as_seconds() - NOON.as_seconds();
            (path.display().to_string(), seconds)
        });
        shown.collect::<Vec<_>>()
    };
    let owned = |all: &[(&str, i64)]| all.iter().map(|(p, t)| ((*p).to_owned(), *t)).collect::<Vec<_>>();
    assert_eq!(times(ours, &[theirs]), owned(&[("both.md", 4), ("d/ours.md", 3)]));
    assert_eq!(times(theirs, &[ours]), owned(&[("old.md", 5), ("theirs.md", 6)]));
    // The merge itself changed nothing.
    assert_eq!(times(merge, &[ours, theirs]), owned(&[]));
    assert_eq!(times(merge, &[base]).len(), 4);
    assert_eq!(times(base, &[]), owned(&[("both.md", 1), ("old.md", 0)]));
    let beyond: Vec<Step> = repo
        .walk_beyond(merge, &[ours])
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(subjects(&beyond), ["remove", "theirs.md", "merge"]);
    assert_eq!(repo.walk_beyond(base, &[ours, theirs]).unwrap().count(), 0);
}
