//! Two machines say things, which come together.

use super::pair::{bare_at, cloned, head, run, save, shared, sync};
use crate::env::{Repository, TestEnv};

const PLACE: &str = "project/office.md";

#[test]
fn a_store_is_cloned_and_what_each_says_is_on_both() {
    let one = TestEnv::new();
    run(&one, &["add", "we deploy on Thursdays"]);
    let remote = shared(&one);
    let two = cloned(&remote);
    assert_eq!(head(&one), head(&two));
    run(&two, &["add", "the parser is written by hand"]);
    run(&one, &["add", "never push on Fridays"]);
    sync(&two);
    let planned = one
        .mdmem(["sync", "--dry-run", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(planned["files"][0]["change"], "added");
    assert_eq!(planned["received"], 1);
    for env in [&one, &two] {
        sync(env);
    }
    assert_eq!(head(&one), head(&two));
    assert_eq!(Repository::of(&one).tracked(), Repository::of(&two).tracked());
    for env in [&one, &two] {
        let repository = Repository::of(env);
        assert_eq!(repository.status(), "");
        env.mdmem(["list"])
            .stdout_has("Fridays")
            .stdout_has("parser")
            .run();
        repository.assert_sound();
    }
    one.mdmem(["sync"]).stdout("").stderr_has("up to date").run();
}

#[test]
fn two_stores_that_were_begun_apart_are_joined() {
    let one = TestEnv::new();
    run(&one, &["add", "we deploy on Thursdays"]);
    let remote = shared(&one);
    let two = TestEnv::new();
    run(&two, &["add", "We deploy on Thursdays."]);
    run(&two, &["sync", &remote]);
    run(&two, &["add", "never push on Fridays"]);
    sync(&two);
    sync(&one);
    assert_eq!(head(&one), head(&two));
    let listed = one.mdmem(["list", "--paths"]).any_stdout().run();
    assert_eq!(String::from_utf8(listed.bytes).unwrap().lines().count(), 2);
    assert_eq!(Repository::of(&one).status(), "");
}

#[test]
fn two_names_for_the_pinned_folder_become_one_in_every_text() {
    let one = TestEnv::with_store();
    for folder in ["aa", "bb", "cc"] {
        one.write(&format!("{folder}/note.md"), &format!("Words of {folder}\n"));
    }
    run(&one, &["sweep"]);
    let remote = shared(&one);
    let two = cloned(&remote);
    let says = |env: &TestEnv, folder: &str| {
        let index = env.read("MEMORY.md");
        let pinned = format!("## Pinned\n\n- [note]({folder}/note.md)");
        assert!(index.contains(&pinned), "{index}");
        let protocol = env.read("PROTOCOL.md");
        let rows: Vec<&str> = protocol
            .lines()
            .filter(|line| line.contains("| pinned"))
            .collect();
        let row = format!("| `{folder}/` | pinned: the whole text is in every prompt |");
        assert_eq!(rows, [row]);
    };
    run(&one, &["config", "set", "hot_dir", "aa"]);
    for env in [&one, &two] {
        sync(env);
        says(env, "aa");
    }
    run(&one, &["config", "set", "hot_dir", "bb"]);
    run(&two, &["config", "set", "hot_dir", "cc"]);
    for env in [&one, &two, &one] {
        sync(env);
    }
    assert_eq!(head(&one), head(&two));
    let settings = one.read("mdmem.toml");
    let folder = if settings.contains("hot_dir = \"bb\"") {
        "bb"
    } else {
        "cc"
    };
    for env in [&one, &two] {
        says(env, folder);
        assert_eq!(Repository::of(env).status(), "");
    }
}

#[test]
fn a_token_in_an_address_is_refused_and_not_shown() {
    let env = TestEnv::with_store();
    let token = ["ghp", "_", "Zk3mQ9xT7vB2nL5wR8yC1dF4gH6jK0pS2aE4"].concat();
    for env in [env, TestEnv::new()] {
        let url = format!("https://{token}@host.example/a.git");
        let output = env.mdmem(["sync", &url]).fails("credential").any_stderr().run();
        assert!(!String::from_utf8_lossy(&output.bytes).contains(&token));
    }
}

#[test]
fn a_memory_without_an_id_keeps_the_one_that_history_gives_it_in_a_contradiction() {
    let one = TestEnv::with_store();
    save(&one, "project/deploys.md", "We deploy on Thursdays.\n");
    save(&one, "project/deploys.md", "We deploy on Fridays.\n");
    let known = one.mdmem(["list", "--json"]).any_stdout().run().json();
    let known = known[0]["id"].as_str().unwrap().to_owned();
    let remote = shared(&one);
    let two = cloned(&remote);
    one.write("project/deploys.md", "We deploy on Mondays.\n");
    two.write("project/deploys.md", "We deploy on Sundays.\n");
    for env in [&one, &two, &one] {
        sync(env);
    }
    assert_eq!(head(&one), head(&two));
    let paths = Repository::of(&one).tracked();
    let sibling = paths.iter().find(|path| path.contains(".conflict-")).unwrap();
    assert!(
        one.read(sibling).contains(&format!("conflict_of: {known}")),
        "{}",
        one.read(sibling)
    );
}

/// Nothing is changed, and all that a real sync would say or refuse is said.
#[test]
fn a_dry_run_tells_of_saves_and_secrets_and_each_sync_of_what_is_too_large() {
    let env = TestEnv::with_store();
    shared(&env);
    env.write("project/large.md", &"A line of some words.\n".repeat(60_000));
    env.write("project/port.md", "The port is 9.\n");
    let before = head(&env);
    let dry = env
        .mdmem(["sync", "--dry-run"])
        .stdout("")
        .stderr_has("would have sent 1 commit")
        .stderr_has("would first commit 1 file:\n  added    project/port.md\n")
        .stderr_has("project/large.md: error: ")
        .run();
    assert!(!dry.stderr.contains("refused"), "{}", dry.stderr);
    assert_eq!(head(&env), before);
    let synced = env.mdmem(["sync"]).any_stdout().stderr_has("[too-large]").run();
    assert_eq!(
        synced.stderr.matches("project/large.md").count(),
        1,
        "{}",
        synced.stderr
    );
    let told = |output: &str| {
        output
            .lines()
            .find(|line| line.contains("[too-large]"))
            .map(str::to_owned)
    };
    let checked = env.mdmem(["check"]).any_stdout().any_stderr().code(1).run();
    assert_eq!(told(&synced.stderr), told(&checked.stdout), "the same words");

    env.mdmem(["status"]).stdout_has("[too-large]").any_stderr().run();

    env.write("project/key.md", "The password is hunter2-Example\n");
    env.git(["add", "project/key.md"]).run();
    env.git(["commit", "-q", "-m", "a key"]).run();
    let refused = env
        .mdmem(["sync", "-n"])
        .any_stdout()
        .stderr_has("would be refused: nothing was sent: ")
        .stderr_has("--rewrite-unpushed")
        .run();
    assert!(!refused.stderr.contains("would commit"), "{}", refused.stderr);
    let json = env.mdmem(["sync", "-n", "--json"]).any_stdout().run().json();
    assert_eq!(json["leaks"][0]["path"], "project/key.md");
    assert_eq!(json["uncommittable"][0]["code"], "too-large");
    assert_eq!(json["uncommitted"], serde_json::json!([]));
    env.mdmem(["sync"]).any_stdout().fails("nothing was sent").run();
}

#[test]
fn what_came_and_works_beyond_its_own_file_is_told() {
    let one = TestEnv::with_store();
    save(&one, PLACE, "The office is in Bern.\n");
    let remote = shared(&one);
    let two = cloned(&remote);
    one.mdmem(["config", "set", "render.notes", "off"])
        .any_stdout()
        .any_stderr()
        .run();
    let ignored = one.read(".gitignore") + "*.tmp.md\n";
    save(&one, ".gitignore", &ignored);
    save(&one, "lists/Office.txt", "chairs\n");
    save(&one, "lists/office.txt", "tables\n");
    sync(&one);
    let told = two.mdmem(["sync"]).any_stdout().any_stderr().run().stderr;
    for words in [
        "received settings of the store",
        "received a .gitignore",
        "lists/Office.txt and lists/office.txt are the same name on some systems",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    two.write("project/a.tmp.md", "Ignored by that.\n");
    two.mdmem(["sync"])
        .any_stdout()
        .stderr_has("project/a.tmp.md: warning: is not committed: git ignores it")
        .run();
}

#[test]
fn the_words_of_a_hook_are_told_without_their_credentials() {
    let one = TestEnv::with_store();
    save(&one, PLACE, "The office is in Bern.\n");
    let remote = shared(&one);
    let hook = std::path::Path::new(&remote).join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script = "#!/bin/sh\necho 'ask with password: hunter2-Example' >&2\nexit 1\n";
    crate::env::write_at(&hook, script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, mode).unwrap();
    save(&one, PLACE, "The office is in Graz.\n");
    let failed = one
        .mdmem(["--json", "sync"])
        .any_stdout()
        .any_stderr()
        .code(1)
        .run();
    let noted = one.read(".mdmem/exchange.json");
    for words in [&failed.stdout, &failed.stderr, &noted] {
        assert!(!words.contains("hunter2"), "{words}");
    }
    assert!(failed.stderr.contains("refused the push"), "{}", failed.stderr);
    assert!(noted.contains("refused the push"), "{noted}");
}

#[test]
fn a_save_in_the_way_a_flag_of_gits_and_a_remote_that_is_away_are_told() {
    let one = TestEnv::with_store();
    save(&one, PLACE, "The office is in Bern.\n");
    let remote = shared(&one);
    let two = cloned(&remote);
    let text = "The office is in Bern, and the password is hunter2-Example\n";
    two.write(PLACE, text);
    save(&one, PLACE, "The office is in Graz.\n");
    sync(&one);
    two.mdmem(["sync", "-n"])
        .any_stdout()
        .stderr_has(format!(
            "would stop: {PLACE} has changes here that are not committed"
        ))
        .run();
    two.mdmem(["sync"])
        .any_stdout()
        .stderr_has("mdmem allow")
        .fails(format!("{PLACE} is not committed"))
        .run();
    two.mdmem(["status"])
        .stdout_has("[exchange]")
        .stdout_has(format!("{PLACE}: warning: is not committed"))
        .any_stderr()
        .run();
    two.write(PLACE, "The office is in Bern.\n");
    sync(&two);
    assert_eq!(two.read(PLACE), "The office is in Graz.\n");
    for flag in ["assume-unchanged", "skip-worktree"] {
        two.git(["update-index", &format!("--{flag}"), PLACE]).run();
        two.write(PLACE, &format!("The office is in Wien: {flag}.\n"));
        std::fs::remove_file(two.store().join("MEMORY.md")).unwrap();
        sync(&two);
        assert_eq!(
            two.git(["show", &format!("HEAD:{PLACE}")])
                .any_stdout()
                .run()
                .stdout,
            two.read(PLACE)
        );
        two.git(["update-index", &format!("--no-{flag}"), PLACE]).run();
    }
    std::fs::remove_file(two.store().join("MEMORY.md")).unwrap();
    sync(&two);
    assert!(two.read("MEMORY.md").contains("Wien"));
    std::fs::rename(&remote, format!("{remote}.away")).unwrap();
    two.mdmem(["sync"]).any_stdout().any_stderr().code(1).run();
    two.mdmem(["status"]).stdout_has("failing since").run();
}

#[test]
fn a_store_is_cloned_from_another_branch_and_exchanged_there() {
    let one = TestEnv::with_store();
    let other = bare_at(&one, "other.git");
    let push = [&other, "HEAD:refs/heads/notes"];
    Repository::of(&one).git(&["push", "-q", push[0], push[1]]);
    let two = TestEnv::new();
    two.mdmem(["sync", &other])
        .fails("it has no such branch, only notes")
        .stderr_has("mdmem sync URL --branch NAME")
        .run();
    two.mdmem(["sync", &other, "--branch", "--upload-pack=x"])
        .code(2)
        .any_stderr()
        .run();
    two.mdmem(["sync", &other, "--branch=-x"])
        .any_stderr()
        .code(1)
        .run();
    run(&two, &["sync", &other, "--branch", "refs/heads/notes"]);
    run(&two, &["add", "we deploy on Thursdays"]);
    sync(&two);
    let refs = Repository::of(&one).git(&["ls-remote", &other, "refs/heads/*"]);
    assert_eq!(refs, format!("{}\trefs/heads/notes\n", head(&two)));
}

#[test]
fn a_lock_that_a_killed_git_left_at_the_remote_is_named_and_nothing_is_lost() {
    let one = TestEnv::new();
    run(&one, &["add", "we deploy on Thursdays"]);
    let remote = shared(&one);
    let two = cloned(&remote);
    run(&two, &["add", "the parser is written by hand"]);
    sync(&two);
    run(&one, &["add", "the API listens on port 8080"]);
    let lock = std::path::Path::new(&remote).join("refs/heads/main.lock");
    std::fs::write(&lock, "").unwrap();
    let stopped = one.mdmem(["sync"]).code(1).any_stdout();
    let stopped = stopped
        .stderr_has("refuses pushes now: cannot lock ref")
        .run()
        .stderr;
    assert!(
        stopped.contains("refs/heads/main.lock") && stopped.contains("remove the leftover lock file"),
        "{stopped}"
    );
    run(&one, &["show", "the-parser-is-written-by-hand"]);
    std::fs::remove_file(&lock).unwrap();
    sync(&one);
    sync(&two);
    assert_eq!(head(&one), head(&two));
}

#[test]
fn a_branch_that_was_removed_at_the_remote_comes_back_by_the_command_that_is_named() {
    let one = TestEnv::new();
    run(&one, &["add", "we deploy on Thursdays"]);
    let remote = shared(&one);
    let there = Repository::of(&one);
    there.git(&["push", "-q", "origin", "HEAD:refs/heads/x/y", ":refs/heads/main"]);
    one.mdmem(["sync"])
        .code(1)
        .any_stdout()
        .stderr_has("git push origin HEAD:refs/heads/NAME")
        .run();
    there.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    sync(&one);
    let two = cloned(&remote);
    assert_eq!(head(&one), head(&two));
}

#[test]
fn a_commit_that_is_dated_ahead_of_the_clock_is_told_once_and_taken() {
    let one = TestEnv::new();
    run(&one, &["add", "we deploy on Thursdays"]);
    let remote = shared(&one);
    let two = cloned(&remote);
    two.advance_days(40);
    run(&two, &["add", "the parser is written by hand"]);
    sync(&two);
    one.mdmem(["sync"])
        .any_stdout()
        .stderr_has("a date in the future")
        .run();
    assert_eq!(head(&one), head(&two));
    let again = one.mdmem(["sync"]).any_stdout().any_stderr().run();
    assert!(!again.stderr.contains("ahead"), "{}", again.stderr);
}

/// It is no memory, so nothing is set beside it: both machines' lines stay.
#[test]
fn the_index_of_claude_codes_own_memory_keeps_the_lines_of_both_machines() {
    let one = TestEnv::with_store();
    save(&one, "claude/MEMORY.md", "- [Role](role.md) - bakes\n");
    let remote = shared(&one);
    let other = cloned(&remote);
    save(
        &one,
        "claude/MEMORY.md",
        "- [Role](role.md) - bakes\n- [Flour](flour.md) - 550\n",
    );
    save(
        &other,
        "claude/MEMORY.md",
        "- [Role](role.md) - bakes\n- [Oven](oven.md) - hot\n",
    );
    for env in [&one, &other, &one] {
        sync(env);
    }
    let index = one.read("claude/MEMORY.md");
    assert_eq!(index, other.read("claude/MEMORY.md"));
    for line in ["Role", "Flour", "Oven"] {
        assert_eq!(index.matches(line).count(), 1, "{index}");
    }
    one.mdmem(["conflicts"]).stderr_has("no conflicts").run();
}
