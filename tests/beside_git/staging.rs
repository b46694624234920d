//! A person stages parts of a file: those are theirs to commit.

use std::io::Write as _;
use std::process::Stdio;

use super::*;

/// `git add -p`, of which the person takes the first hunk alone.
#[track_caller]
fn add_first_hunk(repository: &Repository<'_>) {
    let mut git = repository
        .command(&["add", "--patch", "--", LONG])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(b"y\nn\n").unwrap();
    assert!(git.wait().unwrap().success());
    assert_eq!(
        repository.git(&["show", &format!(":{LONG}")]),
        long("FIRST", "last")
    );
}

#[test]
fn a_part_that_is_staged_stays_staged_and_is_committed_by_hand() {
    let env = machine();
    let repository = Repository::of(&env);
    let begin = head(&repository);
    repository.save(LONG, &long("FIRST", "LAST"));
    add_first_hunk(&repository);
    let watching = watch(&env);

    assert_eq!(commits_since(&repository, &begin, "while-staged"), []);
    let status = repository.status();
    assert_eq!(status, format!("MM {LONG}\n"), "staged in part, as before");

    repository.git(&["commit", "--quiet", "-m", "the first part"]);
    assert_eq!(repository.committed(LONG), Some(long("FIRST", "last")));
    // The rest is nobody's staging any more, and is committed with the person's next save of it at the latest.
    repository.save(LONG, &long("FIRST", "LAST!"));
    repository.wait_for_commit_of(LONG, &long("FIRST", "LAST!"), LIMIT);
    drop(watching);
    let by_hand = repository.log().into_iter().find(|commit| !commit.is_mdmems());
    assert_eq!(by_hand.unwrap().paths, [LONG]);
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn staging_beside_other_saves_is_not_swept_along() {
    let env = machine();
    let repository = Repository::of(&env);
    let _watching = watch_patiently(&env);
    let begin = head(&repository);
    repository.save(LONG, &long("FIRST", "LAST"));
    add_first_hunk(&repository);
    repository.save("feedback/brief.md", "Be very brief.\n");
    repository.wait_for_commit_of("feedback/brief.md", "Be very brief.\n", LIMIT);

    let commits = commits_since(&repository, &begin, "after-staging");
    let paths: Vec<_> = commits.iter().map(|commit| commit.paths.as_slice()).collect();
    assert_eq!(paths, [["feedback/brief.md"]]);
    assert_eq!(repository.status(), format!("MM {LONG}\n"));
    // A command commits beside it too.
    env.mdmem(["add", "--quiet", "Beside a staged file."])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(repository.status(), format!("MM {LONG}\n"));
    repository.git(&["commit", "--quiet", "-m", "the first part"]);
    assert_eq!(repository.log()[0].paths, [LONG]);
    assert_eq!(repository.text(LONG), long("FIRST", "LAST"));
    repository.assert_sound();
}

#[test]
fn a_new_file_that_is_staged_and_changed_again_waits_for_the_person() {
    let env = machine();
    let repository = Repository::of(&env);
    repository.save("decision/new.md", "First words.\n");
    repository.git(&["add", "decision/new.md"]);
    repository.save("decision/new.md", "First words, and more.\n");
    let begin = head(&repository);
    let _watching = watch(&env);
    assert_eq!(commits_since(&repository, &begin, "new-staged"), []);
    repository.git(&["commit", "--quiet", "-m", "first words"]);
    assert_eq!(
        repository.committed("decision/new.md").as_deref(),
        Some("First words.\n")
    );
    repository.assert_sound();
}
