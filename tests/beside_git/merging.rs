//! A person merges two branches of a store by hand: git asks mdmem for each memory that both sides changed.

use std::ffi::OsString;
use std::path::Path;
use std::process::Output;

use super::*;

const MEMORY: &str = "decision/cache.md";

/// `git merge topic` on `main`, with or without mdmem on the PATH.
fn merge(repository: &Repository<'_>, path: &str) -> Output {
    repository
        .command(&["merge", "--quiet", "topic"])
        .env("PATH", path)
        .output()
        .unwrap()
}

fn with_mdmem() -> String {
    let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    path.into_string().unwrap()
}

/// Main and topic each change the memory; main is checked out at the end.
fn diverge<'a>(env: &'a TestEnv, base: &str, [main, topic]: [&str; 2]) -> Repository<'a> {
    let repository = Repository::of(env);
    repository.save(MEMORY, base);
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    repository.git(&["switch", "--quiet", "-c", "topic"]);
    for (branch, text) in [("topic", topic), ("main", main)] {
        repository.git(&["switch", "--quiet", branch]);
        repository.save(MEMORY, text);
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    }
    repository
}

const BASE: &str = "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\nreinforcement: 1\nreinforced: 2026-11-01T10:00:00Z\ntags: [build]\n---\nUse npm cache.\n\nIt is fast.\n";

#[test]
fn what_two_machines_counted_and_tagged_is_no_conflict() {
    let env = machine();
    let main = BASE
        .replace("reinforcement: 1", "reinforcement: 2")
        .replace("11-01", "11-09")
        .replace("[build]", "[build, npm]");
    let topic = BASE
        .replace("reinforcement: 1", "reinforcement: 3")
        .replace("11-01", "11-08")
        .replace("[build]", "[ci, build]");
    let repository = diverge(&env, BASE, [&main, &topic.replace("is fast", "is quick")]);
    let output = merge(&repository, &with_mdmem());
    assert!(output.status.success(), "{output:?}");
    let merged = repository.text(MEMORY);
    for line in [
        "reinforcement: 3\n",
        "reinforced: 2026-11-09T10:00:00Z\n",
        "It is quick.\n",
    ] {
        assert!(merged.contains(line), "{merged}");
    }
    let tags = merged.lines().find(|line| line.starts_with("tags: ")).unwrap();
    assert!(
        ["build", "npm", "ci"].iter().all(|tag| tags.contains(tag)),
        "{tags}"
    );
    assert_eq!(repository.status(), "");
    env.mdmem(["check"]).any_stdout().any_stderr().run();

    // The other way round it is the same memory.
    repository.git(&["switch", "--quiet", "topic"]);
    repository.git(&["branch", "--force", "topic2", "main^1"]);
    let output = repository
        .command(&["merge", "--quiet", "topic2"])
        .env("PATH", with_mdmem())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(repository.text(MEMORY), merged);
}

#[test]
fn of_the_same_line_the_later_text_stays_and_the_other_one_is_beside_it() {
    let env = machine();
    let main = BASE.replace("is fast", "is quick").replace("[build]", "[npm]");
    let topic = BASE
        .replace("is fast", "is slow")
        .replace("reinforcement: 1", "reinforcement: 2");
    let repository = diverge(&env, BASE, [&main, &topic]);
    let output = merge(&repository, &with_mdmem());
    assert!(output.status.success(), "{output:?}");
    let text = repository.text(MEMORY);
    assert!(
        text.contains("reinforcement: 2\n") && text.contains("tags: [npm]\n"),
        "{text}"
    );
    assert!(!text.contains("<<<<"), "{text}");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let tracked = repository.tracked();
    let sibling = tracked.iter().find(|path| path.contains(".conflict-")).unwrap();
    let both = format!("{text}{}", repository.text(sibling));
    assert!(both.contains("is quick") && both.contains("is slow"), "{both}");
    assert_eq!(repository.status(), "");
    // It is a part of the merge: an undo of what was merged takes back its own words and keys.
    let undone = env.mdmem(["undo"]).any_stdout().any_stderr().run().stderr;
    assert!(
        undone.contains("undid ") && undone.contains("memory: edit decision/cache"),
        "{undone}"
    );
    assert_eq!(
        repository.text(MEMORY),
        text.replace("[npm]", "[build]").replace("is quick", "is fast")
    );
    assert!(repository.at(sibling).exists());
}

/// Nothing would name the other text any more.
#[test]
fn where_one_side_removed_what_the_other_edited_status_says_how_it_goes_on() {
    let env = machine();
    let repository = diverge(&env, BASE, [BASE, &BASE.replace("is fast", "is quick")]);
    std::fs::remove_file(env.store().join(MEMORY)).unwrap();
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    assert!(!merge(&repository, &with_mdmem()).status.success());
    env.mdmem(["status"])
        .stdout_has(format!("a merge is in progress, and stopped at {MEMORY}"))
        .stdout_has(format!("`git add {MEMORY}` keeps the file"))
        .any_stderr()
        .run();
    repository.git(&["add", MEMORY]);
    repository.git(&["commit", "--quiet", "--no-edit"]);
    assert!(repository.text(MEMORY).contains("is quick"));
    let status = env.mdmem(["status"]).any_stdout().any_stderr().run().stdout;
    assert!(!status.contains("merge is in progress"), "{status}");
}

#[test]
fn in_a_rebase_the_person_decides_and_the_keys_are_merged() {
    let env = machine();
    let main = BASE.replace("is fast", "is quick").replace("[build]", "[npm]");
    let topic = BASE
        .replace("is fast", "is slow")
        .replace("reinforcement: 1", "reinforcement: 2");
    let repository = diverge(&env, BASE, [&main, &topic]);
    let output = repository
        .command(&["rebase", "--quiet", "topic"])
        .env("PATH", with_mdmem())
        .output()
        .unwrap();
    assert!(!output.status.success(), "{output:?}");
    let text = repository.text(MEMORY);
    let (front, body) = text.rsplit_once("---\n").unwrap();
    assert!(
        front.contains("reinforcement: 2\n") && front.contains("tags: [npm]\n"),
        "{text}"
    );
    assert_eq!(
        body,
        "Use npm cache.\n\n<<<<<<< ours\nIt is slow.\n=======\nIt is quick.\n>>>>>>> theirs\n"
    );
}

/// The decision of a person in a merge stays, with all that belongs to it.
#[test]
fn a_person_s_own_text_of_a_merge_stays() {
    let env = machine();
    let texts = ["It is quick", "It is slow"].map(|text| BASE.replace("It is fast", text));
    let repository = diverge(&env, BASE, [&texts[0], &texts[1]]);
    let path = std::env::var("PATH").unwrap();
    repository.git(&["config", "merge.mdmem.driver", "false"]);
    assert!(!merge(&repository, &path).status.success());
    let decided = BASE.replace("It is fast", "It is quick, and once it was slow");
    repository.save(MEMORY, &decided);
    repository.git(&["commit", "--quiet", "--all", "--no-edit"]);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert_eq!(repository.text(MEMORY), decided);
    assert!(!repository.tracked().iter().any(|path| path.contains("conflict")));
}

#[test]
fn what_a_person_threw_away_in_a_merge_does_not_come_back() {
    let env = machine();
    let repository = diverge(&env, "Line a\nLine b\n", ["On main.\n", "On topic.\n"]);
    let path = std::env::var("PATH").unwrap();
    repository.git(&["config", "merge.mdmem.driver", "false"]);
    assert!(!merge(&repository, &path).status.success());
    repository.save(MEMORY, "Both decided by me.\n");
    repository.git(&["commit", "--quiet", "--all", "--no-edit"]);
    let before = repository.tracked();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert_eq!(repository.text(MEMORY), "Both decided by me.\n");
    assert_eq!(repository.tracked(), before);
}

/// The name of a memory is never read as an option.
#[test]
fn a_name_that_looks_like_an_option_is_a_name() {
    let env = machine();
    let repository = Repository::of(&env);
    let name = "--help.md";
    let counted = |count: &str| BASE.replace("reinforcement: 1", count);
    for (branch, text) in [
        ("main", BASE),
        ("topic", &counted("reinforcement: 2")),
        ("main", &counted("reinforcement: 3")),
    ] {
        if branch == "topic" {
            repository.git(&["switch", "--quiet", "-c", branch]);
        } else {
            repository.git(&["switch", "--quiet", branch]);
        }
        repository.save(name, text);
        repository.git(&["add", "--", name]);
        repository.git(&["commit", "--quiet", "-m", "count"]);
    }
    let output = merge(&repository, &with_mdmem());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(repository.text(name), counted("reinforcement: 3"));
}

#[test]
fn without_mdmem_git_merges_itself() {
    let env = machine();
    let path = std::env::var("PATH").unwrap();
    let main = BASE.replace("Use npm", "Use pnpm");
    let repository = diverge(&env, BASE, [&main, &BASE.replace("is fast", "is quick")]);
    let without_mdmem = |repository: &Repository<'_>| {
        let driver = repository.git(&["config", "merge.mdmem.driver"]);
        let driver = driver
            .trim()
            .replace(env!("CARGO_BIN_EXE_mdmem"), "/nowhere/mdmem");
        repository.git(&["config", "merge.mdmem.driver", &driver]);
    };
    without_mdmem(&repository);
    let output = merge(&repository, &path);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(repository.text(MEMORY), main.replace("is fast", "is quick"));

    let env = machine();
    let counted = |count: &str| BASE.replace("reinforcement: 1", count);
    let repository = diverge(
        &env,
        BASE,
        [&counted("reinforcement: 2"), &counted("reinforcement: 3")],
    );
    without_mdmem(&repository);
    assert!(!merge(&repository, &path).status.success());
    assert!(repository.text(MEMORY).contains("<<<<<<<"));
}

/// A git that a desktop started knows nothing of the PATH of a shell.
#[test]
fn a_git_with_another_path_finds_the_program() {
    let env = machine();
    let counted = |count: &str| BASE.replace("reinforcement: 1", count);
    let repository = diverge(
        &env,
        BASE,
        [&counted("reinforcement: 2"), &counted("reinforcement: 3")],
    );
    let output = merge(&repository, "/usr/bin:/bin");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(repository.text(MEMORY), counted("reinforcement: 3"));
}

/// Programs called `mdmem` that fail, and what git is left with: its own merge.
#[test]
fn whatever_fails_in_mdmem_git_merges_itself() {
    for program in ["exit 2", "exit 1", "kill -9 $$"] {
        let env = machine();
        let main = BASE.replace("is fast", "is quick");
        let topic = BASE.replace("is fast", "is slow");
        let repository = diverge(&env, BASE, [&main, &topic]);
        let bin = env.home().join("bin");
        std::fs::create_dir(&bin).unwrap();
        let script = bin.join("mdmem");
        std::fs::write(&script, format!("#!/bin/sh\n{program}\n")).unwrap();
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        assert!(!merge(&repository, &path).status.success());
        let text = repository.text(MEMORY);
        assert!(
            text.contains("<<<<<<< ours\nIt is quick.\n=======\nIt is slow.\n>>>>>>> theirs\n"),
            "{program}: {text}"
        );
    }
}

/// A file that mdmem refuses is merged by git, too.
#[test]
fn a_file_that_is_too_long_for_mdmem_is_merged_by_git() {
    let env = machine();
    let repository = Repository::of(&env);
    let long = format!("{BASE}{}", "A line of no use.\n".repeat(1 << 20));
    for (branch, text) in [
        ("main", long.clone()),
        ("topic", long.replace("is fast", "is slow")),
        (
            "main",
            long.replace("count: 1", "").replace("is fast", "is quick"),
        ),
    ] {
        let switch: &[&str] = if branch == "topic" { &["-c"] } else { &[] };
        repository.git(&[&["switch", "--quiet"], switch, &[branch]].concat());
        repository.save(MEMORY, &text);
        repository.git(&["add", "--", MEMORY]);
        repository.git(&["commit", "--quiet", "-m", "change"]);
    }
    assert!(!merge(&repository, &with_mdmem()).status.success());
    let text = repository.text(MEMORY);
    assert!(text.contains("<<<<<<< ours\nIt is quick.\n=======\nIt is slow.\n"));
}

/// The lines of both sides are there, one that a side took out is not, and there is no conflict; without mdmem git keeps
/// them all.
#[test]
fn what_two_machines_forgot_is_forgotten_on_both() {
    for with in [true, false] {
        let env = machine();
        let repository = Repository::of(&env);
        let line = |n: u8| format!("forget t{n} 2026-11-0{n} - {n:064}\n");
        let lift = "lift t1 2026-11-09\n";
        let base = line(1) + &line(2);
        let main = line(1) + &line(2) + &line(3) + lift;
        let topic = line(1) + &line(4);
        repository.save("forgotten", &base);
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
        repository.git(&["switch", "--quiet", "-c", "topic"]);
        for (branch, text) in [("topic", &topic), ("main", &main)] {
            repository.git(&["switch", "--quiet", branch]);
            repository.save("forgotten", text);
            env.mdmem(["sweep", "--quiet"]).any_stdout().run();
        }
        let path = if with {
            with_mdmem()
        } else {
            std::env::var("PATH").unwrap()
        };
        let output = merge(&repository, &path);
        assert!(output.status.success(), "{output:?}");
        let text = repository.text("forgotten");
        let merged = line(1) + &line(3) + &line(4) + lift;
        if with {
            assert_eq!(text, merged);
        }
        for line in merged.lines() {
            assert!(text.contains(line), "{text}");
        }
        assert!(!text.contains("<<<<"), "{text}");
    }
}

#[test]
fn a_clone_learns_it_at_its_first_write_and_keeps_a_driver_of_its_own() {
    let env = machine();
    let repository = Repository::of(&env);
    let driver = || repository.git(&["config", "merge.mdmem.driver"]);
    let attributes = repository.at(".git/info/attributes");
    let write = |text: &str| {
        repository.save(MEMORY, text);
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    };
    let ours = driver();
    assert!(ours.contains("merge-driver -- %O %A %B %P"));
    env.mdmem(["status"]).any_stdout().run();
    repository.git(&["config", "--remove-section", "merge.mdmem"]);
    std::fs::write(&attributes, "forgotten merge=union\n").unwrap();
    env.mdmem(["status"])
        .stdout_has("git is not set up to merge")
        .any_stderr()
        .run();
    let lacking = |env: &TestEnv| {
        let found = env
            .mdmem(["check", "--json"])
            .any_stdout()
            .any_stderr()
            .run()
            .json();
        found.to_string().contains("\"merge-driver\"")
    };
    assert!(lacking(&env));
    repository.git(&["config", "--remove-section", "merge.mdmem-forgotten"]);
    write("Use pnpm.\n");
    assert!(!lacking(&env));
    // So does a sweep that finds nothing to commit: it is what `check` names.
    repository.git(&["config", "--remove-section", "merge.mdmem"]);
    assert!(lacking(&env));
    env.mdmem(["sweep"]).stderr("nothing to commit\n").run();
    assert!(!lacking(&env));
    let checked = repository.git(&["check-attr", "merge", "--", "a.md", "mdmem.toml", "forgotten"]);
    assert_eq!(
        checked,
        "a.md: merge: mdmem\nmdmem.toml: merge: mdmem\nforgotten: merge: union\n"
    );
    assert_eq!(driver(), ours);
    let forgotten = repository.git(&["config", "merge.mdmem-forgotten.driver"]);
    assert!(
        forgotten.contains("merge-driver --forgotten -- %O %A %B %P"),
        "{forgotten}"
    );
    // The line of an earlier version.
    let earlier = "if command -v mdmem >/dev/null; then mdmem merge-driver -- %O %A %B %P; fi";
    repository.git(&["config", "merge.mdmem.driver", earlier]);
    write("Use bun.\n");
    assert_eq!(driver(), ours);
    repository.git(&["config", "merge.mdmem.driver", "true"]);
    write("Use yarn.\n");
    assert_eq!(driver(), "true\n");
    let text = std::fs::read_to_string(&attributes).unwrap();
    assert_eq!(text.matches("*.md merge=mdmem").count(), 1, "{text}");
}
