//! What commands that change a store leave in its files; what they say is told in `stories/writing.txt`.

use crate::env::TestEnv;

#[test]
fn an_agents_shell_writes_as_the_agent_and_lifts_no_protection() {
    let env = TestEnv::new();
    env.mdmem(["add", "Deploys go out on Fridays"])
        .any_stdout()
        .any_stderr()
        .run();
    let variables = ["MDMEM_AGENT", "CLAUDECODE", "CODEX_THREAD_ID"];
    for (n, variable) in variables.into_iter().enumerate() {
        let text = format!("Host {n} builds the nightly");
        env.mdmem(["add", &text]).var(variable, "1").any_stdout().run();
        let file = env.read(&format!("project/host-{n}-builds-the-nightly.md"));
        assert!(file.contains("source: agent\n"), "{file}");
        for refused in [
            &["add", "--global", "Hold everywhere"][..],
            &["rm", "--global", "x"],
            &["add", "--store", "global", "Hold everywhere"],
            &["add", "--source", "explicit", "As if the user said it"],
            &["config", "set", "render.max_chars", "100"],
            &["allow", "project/deploys-go-out-on-fridays.md"],
            &["forget", "deploys-go-out-on-fridays"],
            &["suggestions", "accept", "1"],
            &["sync", "--global", "/nowhere"],
            &["import", "."],
        ] {
            env.mdmem(refused)
                .var(variable, "1")
                .fails(format!("({variable} is set)"))
                .run();
        }
        env.mdmem(["list"]).var(variable, "1").any_stdout().run();
    }
    // The store that is found counts, however it is named.
    env.mdmem(["add", "--global", "Never force push"])
        .any_stdout()
        .any_stderr()
        .run();
    let global = env.mdmem_home().join("global");
    let in_it = ["-C", global.to_str().unwrap()];
    for changes in [&["add", "Hold everywhere"][..], &["check", "--fix"]] {
        env.mdmem(in_it.iter().chain(changes))
            .var("CLAUDECODE", "1")
            .fails("(CLAUDECODE is set)")
            .run();
    }
    env.mdmem(in_it.iter().chain(&["check"]))
        .var("CLAUDECODE", "1")
        .stderr("no problems found\n")
        .run();
    assert!(
        env.read("project/deploys-go-out-on-fridays.md")
            .contains("source: explicit\n")
    );
}

#[test]
fn the_first_add_makes_the_store_and_says_where() {
    let env = TestEnv::new();
    let output = env
        .mdmem([
            "add",
            "-t",
            "decision",
            "Use",
            "npm",
            "cache",
            "--why",
            "npm link breaks peers",
        ])
        .stdout("added decision/use-npm-cache.md (in the prompt)\n")
        .any_stderr()
        .run();
    assert_eq!(output.stderr, "created the store of $WORKSPACE in $STORE\n");
    for folder in [
        "feedback",
        "decision",
        "project",
        "reference",
        "user",
        "system",
        "archive",
    ] {
        assert!(
            env.store().join(folder).is_dir(),
            "{folder}: an editor can save into it"
        );
    }
    let file = env.read("decision/use-npm-cache.md");
    assert!(
        file.contains("source: explicit\n") && file.contains("strength: 5"),
        "{file}"
    );
    assert!(
        file.ends_with("---\nUse npm cache\n\nWhy: npm link breaks peers\n"),
        "{file}"
    );
}

#[test]
fn restore_and_undo_take_back() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Port is 8080"]).any_stdout().run();
    let edited = env.read("project/port-is-8080.md").replace("8080", "9090");
    env.write("project/port-is-8080.md", &edited);
    env.mdmem(["restore", "HEAD", "port-is-8080", "--dry-run"])
        .stdout("edited   project/port-is-8080.md\n")
        .any_stderr()
        .run();
    env.mdmem(["sweep"])
        .stdout("edited   project/port-is-8080.md\n")
        .any_stderr()
        .run();
    env.mdmem(["restore", "HEAD~1", "port-is-8080"])
        .stdout("edited   project/port-is-8080.md\n")
        .any_stderr()
        .run();
    assert!(env.read("project/port-is-8080.md").contains("8080"));
    env.mdmem(["undo"])
        .stdout("edited   project/port-is-8080.md\n")
        .any_stderr()
        .run();
    assert!(env.read("project/port-is-8080.md").contains("9090"));
    env.mdmem(["undo", "HEAD"]).any_stdout().any_stderr().run();
    assert!(env.read("project/port-is-8080.md").contains("8080"));
    env.mdmem(["restore", "soon"])
        .fails("`soon` is not a memory, revision or time")
        .run();
    env.mdmem(["restore", "2001-01-01"])
        .fails("no history that old: it was created less than a day ago")
        .run();
}

#[test]
fn an_undone_edit_and_an_undone_move_leave_every_strength_as_it_was() {
    let env = TestEnv::with_store();
    env.write("decision/target.md", "The target\n");
    env.write("decision/linking.md", "See [[target]]\n");
    env.mdmem(["sweep", "-q"]).any_stdout().run();
    env.advance_days(30);
    let updated = || {
        let list = env.mdmem(["list", "--json"]).any_stdout().run().json();
        let memories = list.as_array().unwrap().iter();
        let facts = memories.map(|memory| format!("{} {}", memory["path"], memory["updated"]));
        facts.collect::<std::collections::BTreeSet<_>>()
    };
    let before = updated();
    env.write("decision/target.md", "Another text\n");
    env.mdmem(["sweep", "-q"]).any_stdout().run();
    assert_ne!(updated(), before);
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(updated(), before);
    env.mdmem(["mv", "target", "decision/goal.md"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("decision/linking.md"), "See [[target]]\n");
    assert_eq!(updated(), before);
}
