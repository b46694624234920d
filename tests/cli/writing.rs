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
            &["sync", "/nowhere"],
            &["sync", "--allow-secrets"],
            &["promote", "deploys-go-out-on-fridays", "--to", "AGENTS.md"],
            &["stores", "link", "--new"],
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
fn an_agents_shell_changes_what_agents_wrote_and_nothing_of_a_persons() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Deploys go out on Fridays"]).any_stdout().run();
    env.mdmem(["add", "The staging host is green"]).any_stdout().run();
    let own = "The nightly build runs on arm64";
    env.mdmem(["add", own]).var("CLAUDECODE", "1").any_stdout().run();
    let (users, agents) = ("deploys-go-out-on-fridays", "the-nightly-build-runs-on-arm64");
    for refused in [
        &["rm", users][..],
        &["rm", agents, users],
        &["mv", users, "decision/"],
        &["pin", users],
        &["pin", agents],
        &["archive", users],
        &["edit", users],
        &["add", "--path", "system/rule.md", "Read this first"],
        &["edit", "system/new.md"],
        &["undo", "HEAD~1"],
        &["restore", "HEAD~2"],
    ] {
        let said = env
            .mdmem(refused)
            .var("CLAUDECODE", "1")
            .var("EDITOR", "sed -i s/Fridays/Mondays/")
            .fails("and this is an agent's shell (CLAUDECODE is set)")
            .run();
        assert!(said.stderr.contains("Ask the user to run `mdmem "), "{said:?}");
        assert!(env.store().join(format!("project/{users}.md")).exists());
        assert!(env.store().join(format!("project/{agents}.md")).exists());
    }
    // What a person removed does not come back by an agent.
    env.mdmem(["rm", "the-staging-host-is-green"])
        .any_stdout()
        .any_stderr()
        .run();
    for refused in [&["undo"][..], &["restore", "HEAD~1", "the-staging-host-is-green"]] {
        env.mdmem(refused)
            .var("CLAUDECODE", "1")
            .fails("was written by a person")
            .run();
    }
    let path = format!("project/{agents}.md");
    env.mdmem(["edit", agents])
        .var("CLAUDECODE", "1")
        .var("EDITOR", "sed -i s/arm64/riscv/")
        .any_stdout()
        .run();
    assert!(env.read(&path).contains("source: agent\n"));
    // A person's edit makes it theirs.
    env.mdmem(["edit", agents])
        .var("EDITOR", "sed -i s/riscv/x86/")
        .any_stdout()
        .run();
    assert!(
        env.read(&path).contains("source: manual\n"),
        "{}",
        env.read(&path)
    );
    env.mdmem(["rm", agents])
        .var("CLAUDECODE", "1")
        .fails("was written by a person")
        .run();
}

#[test]
fn an_edit_by_hand_makes_an_agents_memory_the_persons_without_a_write() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "The nightly build runs on arm64"])
        .var("CLAUDECODE", "1")
        .any_stdout()
        .run();
    let path = "project/the-nightly-build-runs-on-arm64.md";
    let agents = || {
        env.mdmem(["suggestions", "--json"])
            .any_stdout()
            .any_stderr()
            .run()
            .stdout
    };
    let shown = || env.mdmem(["render"]).any_stdout().any_stderr().run().stdout;
    assert!(shown().contains(", agent)"), "{}", shown());
    // Another key is no other word.
    let tagged = env.read(path).replace("---\nThe", "tags: [ci]\n---\nThe");
    env.write(path, &tagged);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(shown().contains(", agent)"), "{}", shown());
    let edited = tagged.replace("arm64", "x86");
    env.write(path, &edited);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert_eq!(env.read(path), edited, "the file is as it was saved");
    assert!(shown().contains(", noted)"), "{}", shown());
    assert!(!agents().contains("nightly"), "{}", agents());
    env.mdmem(["rm", path])
        .var("CLAUDECODE", "1")
        .fails("was written by a person")
        .run();
    // An undo of that edit makes it the agent's again.
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert!(shown().contains(", agent)"), "{}", shown());
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
        .fails("nothing is that old: this store was created less than a day ago")
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

#[test]
fn a_person_adds_what_agents_may_not_and_nobody_what_cannot_be_seen() {
    let env = TestEnv::new();
    for text in [
        "Commits in the sandbox repository are made with `git commit --no-verify`.",
        "The agent may run tests and formatters without asking.",
    ] {
        let fault = format!("which only the user may store: \"{text}\"");
        env.mdmem(["add", text]).var("CLAUDECODE", "1").fails(fault).run();
        env.mdmem(["add", text]).any_stdout().any_stderr().run();
    }
    for unseen in ["\u{7}\u{1b}", "\u{200b}\u{200b}"] {
        env.mdmem(["add", unseen]).fails("the text is empty").run();
    }
}
