//! HEAD moves: reset, switch, rebase, commit, stash.

use super::*;

#[test]
fn reset_hard_takes_commits_back_for_good() {
    let env = machine();
    let repository = Repository::of(&env);
    let _watching = watch(&env);
    repository.save("decision/cache.md", "Use no cache at all.\n");
    repository.wait_for_commit_of("decision/cache.md", "Use no cache at all.\n", LIMIT);
    repository.save("decision/new.md", "New.\n");
    repository.wait_for_commit_of("decision/new.md", "New.\n", LIMIT);

    repository.git(&["reset", "--quiet", "--hard", "HEAD~2"]);
    let back = head(&repository);

    assert_eq!(commits_since(&repository, &back, "after-reset"), []);
    assert_eq!(repository.text("decision/cache.md"), "Use npm cache.\n");
    assert!(!repository.at("decision/new.md").exists());
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn branches_are_switched_and_each_gets_what_was_saved_on_it() {
    let env = machine();
    let repository = Repository::of(&env);
    let _watching = watch(&env);
    repository.git(&["switch", "--quiet", "-c", "topic"]);
    for (branch, other) in [("topic", "main"), ("main", "topic")] {
        repository.git(&["switch", "--quiet", branch]);
        let begin = head(&repository);
        let text = format!("On {branch}, which {other} does not know.\n");
        repository.save("decision/cache.md", &text);
        repository.wait_for_commit_of("decision/cache.md", &text, LIMIT);
        let commits = commits_since(&repository, &begin, branch);
        let paths: Vec<_> = commits.iter().map(|commit| commit.paths.as_slice()).collect();
        assert_eq!(paths, [["decision/cache.md"]], "only what was saved on {branch}");
        assert_ne!(repository.at_revision(other, "decision/cache.md"), Some(text));
    }
    repository.git(&["switch", "--quiet", "topic"]);
    let begin = head(&repository);
    assert_eq!(commits_since(&repository, &begin, "back"), []);
    assert_eq!(
        repository.text("decision/cache.md"),
        "On topic, which main does not know.\n"
    );
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn a_rebase_of_many_commits_is_not_disturbed_by_saves() {
    let env = machine();
    let repository = Repository::of(&env);
    repository.git(&["switch", "--quiet", "-c", "topic"]);
    for n in 0..12 {
        repository.save(&format!("project/topic-{n}.md"), &format!("Topic {n}.\n"));
        repository.git(&["add", "."]);
        repository.git(&["commit", "--quiet", "-m", &format!("topic {n}")]);
    }
    repository.git(&["switch", "--quiet", "main"]);
    repository.save("project/main.md", "Main.\n");
    repository.git(&["add", "."]);
    repository.git(&["commit", "--quiet", "-m", "on main"]);
    repository.git(&["switch", "--quiet", "topic"]);
    let _watching = watch(&env);
    let begin = head(&repository);
    assert_eq!(commits_since(&repository, &begin, "before-rebase"), []);

    // Each step of the rebase saves a file, as a person does who does not wait for it.
    let save = "echo saved >> user/saved-$(git rev-list --count HEAD).md";
    std::fs::create_dir_all(repository.at("user")).unwrap();
    repository.git(&["rebase", "--quiet", "--exec", save, "main"]);

    let tip = head(&repository);
    let saved: Vec<_> = std::fs::read_dir(repository.at("user"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(saved.len(), 13, "one for each step");
    for file in saved {
        let path = format!("user/{}", file.file_name().to_string_lossy());
        repository.wait_for_commit_of(&path, "saved\n", LIMIT);
    }
    let since = commits_since(&repository, &tip, "after-rebase");
    assert!(
        since
            .iter()
            .all(|commit| commit.paths.iter().all(|path| path.starts_with("user/")))
    );
    let rebased = repository.log_of(&format!("main..{tip}"));
    assert_eq!(rebased.len(), 13, "{rebased:#?}");
    assert!(
        rebased.iter().all(|commit| commit.paths.len() == 1),
        "nothing swept along: {rebased:#?}"
    );
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn a_commit_by_hand_is_not_made_twice() {
    let env = machine();
    let repository = Repository::of(&env);
    let _watching = watch_patiently(&env);
    let begin = head(&repository);
    repository.save("decision/by-hand.md", "By hand.\n");
    repository.git(&["add", "decision/by-hand.md"]);
    repository.git(&["commit", "--quiet", "-m", "by hand"]);
    repository.save("decision/cache.md", "All at once.\n");
    repository.git(&["commit", "--quiet", "--all", "-m", "all of it"]);

    let commits = commits_since(&repository, &begin, "after-hand");
    let made: Vec<_> = commits
        .iter()
        .map(|commit| (commit.subject.as_str(), commit.is_mdmems()))
        .collect();
    assert_eq!(made, [("by hand", false), ("all of it", false)]);
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn a_stash_is_pushed_and_popped() {
    let env = machine();
    let repository = Repository::of(&env);
    let _watching = watch_patiently(&env);
    let begin = head(&repository);
    repository.save("decision/cache.md", "Not yet.\n");
    repository.save("decision/untracked.md", "Nor this.\n");
    repository.git(&["stash", "push", "--quiet", "--include-untracked"]);
    assert_eq!(commits_since(&repository, &begin, "stashed"), []);
    assert_eq!(repository.text("decision/cache.md"), "Use npm cache.\n");

    repository.git(&["stash", "pop", "--quiet"]);
    repository.wait_for_commit_of("decision/cache.md", "Not yet.\n", LIMIT);
    repository.wait_for_commit_of("decision/untracked.md", "Nor this.\n", LIMIT);
    assert_eq!(repository.git(&["stash", "list"]), "");
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}
