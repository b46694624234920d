//! Git stops in the middle and waits for the person: so does mdmem.

use super::*;

/// `main` and `topic` say different things in one file, `topic` is checked out, and the watcher runs.
fn diverged(env: &TestEnv) -> (Repository<'_>, Watching) {
    let repository = Repository::of(env);
    repository.git(&["switch", "--quiet", "-c", "topic"]);
    for (branch, text) in [("main", "Main says so.\n"), ("topic", "Topic says so.\n")] {
        repository.git(&["switch", "--quiet", branch]);
        repository.save("decision/cache.md", text);
        repository.git(&["commit", "--quiet", "--all", "-m", &format!("say so on {branch}")]);
    }
    let watching = watch(env);
    let begin = head(&repository);
    assert_eq!(commits_since(&repository, &begin, "before"), []);
    (repository, watching)
}

/// Git has stopped. A save is now in its file and in no commit, until `go_on` has ended what git was doing.
#[track_caller]
fn saves_wait(
    env: &TestEnv,
    repository: &Repository<'_>,
    watching: &Watching,
    operation: &str,
    go_on: impl FnOnce(),
) {
    let stopped_at = head(repository);
    // A memory's text stops no merge of git's, which names both sides: the later one stays for now.
    let has_markers = repository.text("decision/cache.md").contains("<<<<<<<");
    assert_eq!(has_markers, operation != "merge", "{}", repository.status());
    repository.save("user/meanwhile.md", "Meanwhile.\n");
    watching.wait_until_said(&format!("commits wait: a {operation} is in progress"));
    env.mdmem(["status"])
        .stdout_has(format!("a {operation} is in progress"))
        .any_stderr()
        .run();
    // A command that would write a tracked file does not, and says why.
    let refused = env.mdmem(["add", "Not now."]).fails(operation).run();
    assert!(refused.stderr.contains("git"), "{}", refused.stderr);
    assert_eq!(head(repository), stopped_at);

    repository.save("decision/cache.md", "Both say so.\n");
    repository.git(&["add", "decision/cache.md"]);
    go_on();

    watching.wait_until_said("committing again");
    repository.wait_for_commit_of("user/meanwhile.md", "Meanwhile.\n", LIMIT);
    assert_eq!(
        repository.committed("decision/cache.md").as_deref(),
        Some("Both say so.\n")
    );
    assert_eq!(repository.status(), "");
    for commit in repository.log_of("--all") {
        let text = repository.at_revision(&commit.oid, "decision/cache.md");
        assert!(!text.unwrap_or_default().contains("<<<<<<<"), "{commit:?}");
        assert!(commit.is_mdmems() || !commit.paths.contains(&"user/meanwhile.md".to_owned()));
    }
    repository.assert_sound();
}

#[test]
fn a_rebase_stops_and_is_continued() {
    let env = machine();
    let (repository, watching) = diverged(&env);
    let stopped = repository.try_git(&["rebase", "--quiet", "main"]);
    assert!(!stopped.status.success(), "{stopped:?}");
    let status = env.mdmem(["status"]).any_stdout().any_stderr().run().stdout;
    assert!(
        status.contains("decision/cache.md: warning: is not committed: conflict markers of git"),
        "{status}"
    );
    assert!(!status.contains("is staged"), "{status}");
    saves_wait(&env, &repository, &watching, "rebase", || {
        repository.git(&["rebase", "--continue"]);
    });
    assert_eq!(
        repository.git(&["merge-base", "main", "HEAD"]),
        repository.git(&["rev-parse", "main"])
    );
}

#[test]
fn a_rebase_stops_and_is_dropped() {
    let env = machine();
    let (repository, watching) = diverged(&env);
    let begin = head(&repository);
    repository.try_git(&["rebase", "--quiet", "main"]);
    repository.save("user/meanwhile.md", "Meanwhile.\n");
    watching.wait_until_said("commits wait: a rebase is in progress");
    repository.git(&["rebase", "--abort"]);

    repository.wait_for_commit_of("user/meanwhile.md", "Meanwhile.\n", LIMIT);
    let commits = commits_since(&repository, &begin, "after");
    let paths: Vec<_> = commits.iter().map(|commit| commit.paths.as_slice()).collect();
    assert_eq!(paths, [["user/meanwhile.md"]]);
    assert_eq!(repository.text("decision/cache.md"), "Topic says so.\n");
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn a_merge_stops_and_is_committed() {
    let env = machine();
    let (repository, watching) = diverged(&env);
    // A memory's text stops no merge of git's: the person wants to look at it first.
    repository.git(&["merge", "--quiet", "--no-commit", "main"]);
    saves_wait(&env, &repository, &watching, "merge", || {
        repository.git(&["commit", "--quiet", "--no-edit"]);
    });
    let parents = repository.git(&["rev-list", "--merges", "--count", "HEAD"]);
    assert_eq!(parents, "1\n", "the merge is a merge");
}

#[test]
fn a_cherry_pick_and_a_revert_stop_and_are_continued() {
    for (operation, args) in [
        ("cherry-pick", ["cherry-pick", "main"]),
        ("revert", ["revert", "HEAD~2"]),
    ] {
        let env = machine();
        let (repository, watching) = diverged(&env);
        if operation == "revert" {
            repository.save("decision/cache.md", "Topic says more.\n");
            repository.wait_for_commit_of("decision/cache.md", "Topic says more.\n", LIMIT);
        }
        let stopped = repository.try_git(&args);
        assert!(!stopped.status.success(), "{operation}");
        saves_wait(&env, &repository, &watching, operation, || {
            repository.git(&[operation, "--continue"]);
        });
    }
}

/// Until the person has decided, a prompt has what was committed before.
#[test]
fn what_stands_between_markers_is_in_no_prompt_and_in_no_commit_of_ours() {
    let env = machine();
    let repository = Repository::of(&env);
    let prompt = || {
        let run = env.mdmem(["render"]).any_stdout().any_stderr().run();
        String::from_utf8(run.bytes).unwrap()
    };
    let marked = "The cache is kept by us.\n<<<<<<< Updated upstream\nUse pnpm cache.\n=======\nUse yarn cache.\n>>>>>>> Stashed changes\n";
    repository.save("decision/cache.md", marked);
    repository.save("decision/new.md", &marked.replace("kept by us", "new here"));
    let quoted = marked.replace("pnpm", "one").replace("yarn", "another");
    let quoted = format!("Markers of git look so:\n\n```\n{quoted}```\n");
    repository.save("reference/markers.md", &quoted);
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has("decision/cache.md")
        .run();
    assert_eq!(
        repository.committed("reference/markers.md").as_deref(),
        Some(quoted.as_str())
    );
    assert_eq!(
        repository.committed("decision/cache.md").as_deref(),
        Some("Use npm cache.\n")
    );
    assert_eq!(repository.committed("decision/new.md"), None);
    let shown = prompt();
    assert!(shown.contains("Use npm cache."), "{shown}");
    for hidden in ["pnpm", "yarn", "new here"] {
        assert!(!shown.contains(hidden), "{shown}");
        assert!(!repository.text("MEMORY.md").contains(hidden));
    }
    env.mdmem(["status"])
        .stdout_has("conflict markers of git")
        .any_stderr()
        .run();
    env.mdmem(["check"])
        .code(1)
        .stdout_has("decision/cache.md:2")
        .any_stderr()
        .run();

    // A person commits it all the same: nobody is shown it, and a command that writes commits the rest.
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "-m", "not looked at"]);
    let shown = prompt();
    assert!(!shown.contains("Stashed") && !shown.contains("pnpm"), "{shown}");
    repository.save("decision/cache.md", "Use pnpm cache.\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
    assert!(prompt().contains("Use pnpm cache."));
    assert_eq!(
        repository.committed("decision/cache.md").as_deref(),
        Some("Use pnpm cache.\n")
    );
}
