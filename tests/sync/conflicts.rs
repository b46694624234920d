//! Two machines that contradict each other, and the person who settles it.

use super::pair::{bare, sync};
use crate::env::{Repository, TestEnv};

const MEMORY: &str = "project/day.md";

/// Two machines that have both changed the line of one memory, and are in step: one text stays, the other lies beside it.
struct Contradiction {
    machines: [TestEnv; 2],
    sibling: String,
}

impl Contradiction {
    fn new(body: impl Fn(&str) -> String) -> Self {
        let one = TestEnv::with_store();
        let remote = bare(&one);
        one.write(MEMORY, &body("Mondays"));
        one.mdmem(["sweep"]).any_stdout().any_stderr().run();
        for args in [["sync", &remote].as_slice(), &["sync"]] {
            one.mdmem(args).any_stdout().any_stderr().run();
        }
        let two = TestEnv::new();
        two.mdmem(["sync", &remote]).any_stdout().any_stderr().run();
        two.advance_days(1);
        for (env, day) in [(&one, "Tuesdays"), (&two, "Fridays")] {
            env.write(MEMORY, &body(day));
            env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        }
        for env in [&one, &two, &one] {
            sync(env);
        }
        let machines = [one, two];
        let sibling = Self::sibling_of(&machines[0]).expect("a text that was set aside");
        Self { machines, sibling }
    }

    fn sibling_of(env: &TestEnv) -> Option<String> {
        let tracked = Repository::of(env).tracked();
        tracked.into_iter().find(|path| path.contains(".conflict-"))
    }
}

fn fact(day: &str) -> String {
    format!("We deploy on {day}\n")
}

fn lines(env: &TestEnv, args: &[&str]) -> String {
    env.mdmem(args).any_stdout().any_stderr().run().stdout
}

#[test]
fn what_is_set_aside_is_listed_and_reaches_no_prompt() {
    let Contradiction { machines, sibling } = Contradiction::new(fact);
    let pages = machines.each_ref().map(|env| env.read("CONFLICTS.md"));
    assert_eq!(pages[0], pages[1], "the same on every machine");
    assert!(pages[0].contains("Tuesdays") && pages[0].contains("Fridays"));
    for env in &machines {
        assert!(lines(env, &["render"]).contains("Fridays"));
        assert!(!lines(env, &["render"]).contains("Tuesdays"));
        assert!(!env.read("MEMORY.md").contains("Tuesdays"));
        assert!(lines(env, &["list"]).lines().next().unwrap().contains("FLAG"));
        assert_eq!(Repository::of(env).status(), "");
        let listed = lines(env, &["conflicts"]);
        assert!(listed.contains(MEMORY) && listed.contains(&sibling), "{listed}");
        assert!(
            listed.contains("-We deploy on Fridays\n  +We deploy on Tuesdays"),
            "{listed}"
        );
        let json = env.mdmem(["conflicts", "--json"]).any_stdout().run().json();
        assert_eq!(json[0]["path"], MEMORY);
        assert_eq!(json[0]["aside"][0]["path"], sibling.as_str());
        env.mdmem(["check"])
            .stdout_has("conflict copy of ")
            .any_stderr()
            .run();
    }
}

#[test]
fn each_choice_settles_it_on_both_machines_and_can_be_undone() {
    for (keep, texts) in [
        ("ours", ["Fridays"].as_slice()),
        ("theirs", &["Tuesdays"]),
        ("both", &["Fridays", "Tuesdays"]),
    ] {
        let Contradiction { machines, sibling } = Contradiction::new(fact);
        let [one, two] = &machines;
        let name = if keep == "both" { sibling.as_str() } else { MEMORY };
        let before = Repository::of(one).files();
        let planned = lines(one, &["conflicts", name, "--keep", keep, "--dry-run"]);
        assert!(planned.contains(&format!("would remove {sibling}")), "{planned}");
        assert_eq!(Repository::of(one).files(), before, "{keep}");
        let settled = one
            .mdmem(["conflicts", name, "--keep", keep, "--json"])
            .any_stdout()
            .run()
            .json();
        assert_eq!(settled["removed"][0], sibling.as_str(), "{settled}");
        let log = Repository::of(one).log();
        assert!(
            log[0].subject.starts_with("memory: settle "),
            "{}",
            log[0].subject
        );
        for env in [one, two] {
            sync(env);
            assert_eq!(Contradiction::sibling_of(env), None);
            assert!(!env.store().join("CONFLICTS.md").exists());
            let rendered = lines(env, &["render"]);
            for day in ["Fridays", "Tuesdays"] {
                assert_eq!(rendered.contains(day), texts.contains(&day), "{keep}: {rendered}");
            }
            assert_eq!(env.mdmem(["conflicts"]).any_stderr().run().stdout, "");
            assert!(!lines(env, &["check"]).contains("set it aside"));
        }
        one.mdmem(["undo"]).any_stdout().any_stderr().run();
        assert_eq!(Contradiction::sibling_of(one).as_ref(), Some(&sibling));
        assert!(one.store().join("CONFLICTS.md").exists());
        one.mdmem(["conflicts", "nobody"]).fails("nobody").run();
        Repository::of(one).assert_sound();
    }
}

#[test]
fn an_editor_gets_both_texts_and_what_stands_above_is_saved() {
    let body = |day: &str| format!("# Deploying\n\nWe deploy on {day}\nNever at night\n");
    let Contradiction { machines, sibling } = Contradiction::new(body);
    let [one, two] = &machines;
    // The test's editor takes the line of the one into the other.
    let seen = one.home().join("seen.md");
    let script = one.home().join("editor");
    let text = format!(
        "#!/bin/sh\ncp \"$1\" {}\nsed -i 's/on Fridays/on Tuesdays and Fridays/' \"$1\"\n",
        seen.display()
    );
    std::fs::write(&script, text).unwrap();
    let editor = format!("sh {}", script.display());
    let by_editor = |env: &TestEnv| {
        let mut command = env.command("script");
        let program = env!("CARGO_BIN_EXE_mdmem");
        command
            .args(["-qec", &format!("{program} conflicts {MEMORY}"), "/dev/null"])
            .env("EDITOR", &editor);
        command.output().unwrap()
    };
    let output = by_editor(one);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("Tuesdays") && seen.contains(&sibling), "{seen}");
    for env in [one, two] {
        sync(env);
        assert_eq!(Contradiction::sibling_of(env), None);
        let text = env.read(MEMORY);
        assert!(
            text.ends_with("We deploy on Tuesdays and Fridays\nNever at night\n"),
            "{text:?}"
        );
    }
    one.mdmem(["conflicts", MEMORY]).fails("no conflict: ").run();
}

#[test]
fn a_file_in_the_place_of_one_that_moved_is_not_taken_for_it() {
    const MOVED: &str = "project/weekday.md";
    let one = TestEnv::with_store();
    let remote = bare(&one);
    one.write(MEMORY, "We tag every release by hand\n");
    lines(&one, &["sweep"]);
    lines(&one, &["mv", MEMORY, MOVED]);
    one.write(MEMORY, "We deploy on Mondays\n");
    lines(&one, &["sync", &remote]);
    sync(&one);
    let two = TestEnv::new();
    lines(&two, &["sync", &remote]);
    two.advance_days(1);
    for (env, day) in [(&one, "Tuesdays"), (&two, "Fridays")] {
        env.write(MEMORY, &fact(day));
    }
    for env in [&one, &two, &one] {
        sync(env);
    }
    assert!(Contradiction::sibling_of(&one).is_some(), "the ids are written");
    let listed = one
        .mdmem(["list", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    let id = |path: &str| {
        let memories = listed.as_array().unwrap();
        let memory = memories.iter().find(|memory| memory["path"] == path);
        memory.unwrap()["id"].as_str().unwrap().to_owned()
    };
    assert_ne!(id(MEMORY), id(MOVED));
}
