//! Commands that change a store: `init`, `add`, `edit`, `rm`, `mv`, `restore`, `undo`, `tidy`, `sweep`, `config`.

use crate::env::{TestEnv, write_at};

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
            &["add", "--source", "explicit", "As if the user said it"],
            &["config", "set", "render.max_chars", "100"],
            &["allow", "project/deploys-go-out-on-fridays.md"],
            &["forget", "deploys-go-out-on-fridays"],
            &["suggestions", "accept", "1"],
        ] {
            env.mdmem(refused)
                .var(variable, "1")
                .fails(format!("({variable} is set)"))
                .run();
        }
        env.mdmem(["list"]).var(variable, "1").any_stdout().run();
    }
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
fn what_is_known_already_is_reinforced() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Tests run with nextest"])
        .stdout("added project/tests-run-with-nextest.md (in the prompt)\n")
        .run();
    env.mdmem(["add", "tests run with NEXTEST."])
        .stdout("project/tests-run-with-nextest.md says it already: reinforced, 1 now (in the prompt)\n")
        .run();
    env.mdmem(["add", "Tests run with nextest!"])
        .stdout("project/tests-run-with-nextest.md says it already, and was reinforced a short while ago (in the prompt)\n")
        .run();
    let json = env
        .mdmem(["add", "--json", "Something else"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        (&json["outcome"], &json["path"]),
        (&"promoted".into(), &"project/something-else.md".into())
    );
    assert_eq!(json["commit"].as_str().map(str::len), Some(40));
}

#[test]
fn a_text_comes_from_standard_input() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "-"])
        .stdin("From a pipe\n")
        .stdout("added project/from-a-pipe.md (in the prompt)\n")
        .run();
    env.mdmem(["add"])
        .stdin("")
        .fails("error: an empty text is no memory")
        .run();
    env.mdmem(["add", "-t", "recipe", "Soup"])
        .fails("`recipe` is no type of this store")
        .run();
    env.mdmem(["add", "--path", "../x.md", "Out"])
        .refuses("leaves the store")
        .run();
}

#[test]
fn removing_names_the_way_back() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "One"]).any_stdout().run();
    env.mdmem(["rm", "one", "--dry-run"])
        .stdout("would remove project/one.md\n")
        .run();
    assert!(env.read("project/one.md").contains("One"));
    let output = env
        .mdmem(["rm", "one"])
        .stdout("removed project/one.md\n")
        .any_stderr()
        .run();
    assert!(!env.store().join("project/one.md").exists());
    let hint = output
        .stderr
        .strip_prefix("hint: `mdmem ")
        .and_then(|rest| rest.split_once('`'))
        .unwrap()
        .0;
    env.mdmem(hint.split(' '))
        .stdout_has("added    project/one.md")
        .any_stderr()
        .run();
    assert!(env.read("project/one.md").contains("One"));
    env.mdmem(["rm", "nobody"])
        .fails("there is no memory `nobody`")
        .run();
}

#[test]
fn what_git_could_not_bring_back_is_not_removed() {
    let env = TestEnv::with_store();
    env.write("project/only-here.md", "Only here\n");
    let lock = write_at(&env.store().join(".git/index.lock"), "");
    env.mdmem(["rm", "only-here"])
        .fails("project/only-here.md holds what is not committed yet")
        .stderr_has("hint: `mdmem status` says what is in the way of a commit.")
        .run();
    assert_eq!(env.read("project/only-here.md"), "Only here\n");
    std::fs::remove_file(lock).unwrap();
    env.mdmem(["rm", "only-here"])
        .stdout("removed project/only-here.md\n")
        .any_stderr()
        .run();
    env.mdmem(["show", "only-here@HEAD~1", "--body"])
        .stdout("Only here\n")
        .run();
}

#[test]
fn moving_between_type_folders_changes_the_type() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "One"]).any_stdout().run();
    env.mdmem(["mv", "one", "decision/"])
        .stdout("moved project/one.md -> decision/one.md\n")
        .any_stderr()
        .run();
    assert!(env.read("decision/one.md").contains("type: decision\n"));
    env.mdmem(["mv", "one", "system/me.md"])
        .stdout("moved decision/one.md -> system/me.md\n")
        .any_stderr()
        .run();
    env.mdmem(["render"]).stdout_has("One").run();
    env.mdmem(["log", "me"])
        .stdout_has("memory: add project/one")
        .run();
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
        .fails("`soon` is neither a memory nor a revision of this store nor a time")
        .run();
    env.mdmem(["restore", "2001-01-01"])
        .fails("no history that old: it began less than a day ago")
        .run();
}

#[test]
fn a_time_gone_by_restores_the_whole_store() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Monday"]).any_stdout().run();
    env.advance_days(3);
    env.mdmem(["add", "Thursday"]).any_stdout().run();
    env.mdmem(["restore", "--yes", "yesterday"])
        .stdout("removed  project/thursday.md\n")
        .any_stderr()
        .run();
    env.mdmem(["list", "--paths"]).stdout("project/monday.md\n").run();
    env.mdmem(["show", "thursday@HEAD~1", "--body"])
        .stdout("Thursday\n")
        .run();
}

#[test]
fn tidy_asks_first() {
    let env = TestEnv::with_store();
    env.write("project/one.md", "The same words\n");
    env.write("project/two.md", "the same words.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["check", "--fix"])
        .stdout_has("would remove project/")
        .stderr("hint: `mdmem check --fix --yes` does it.\n")
        .run();
    env.mdmem(["list", "--paths"])
        .stdout_has("one.md")
        .stdout_has("two.md")
        .run();
    env.mdmem(["check", "--fix", "--yes"])
        .stdout_has("removed project/")
        .any_stderr()
        .run();
    let left = env.mdmem(["list", "--paths"]).any_stdout().run();
    assert_eq!(left.stdout.lines().count(), 1, "{}", left.stdout);
    env.mdmem(["check", "--fix"]).stderr("nothing to fix\n").run();
}

#[test]
fn sweep_commits_what_was_saved_and_asks_before_a_great_loss() {
    let env = TestEnv::with_store();
    for n in 0..12 {
        env.write(&format!("project/n{n}.md"), &format!("Number {n}\n"));
    }
    env.mdmem(["sweep", "--dry-run"])
        .stdout_has("added    project/n3.md")
        .stderr("would commit 12 files\n")
        .run();
    env.mdmem(["sweep"])
        .stdout_has("added    project/n3.md")
        .stderr_has("committed ")
        .run();
    env.mdmem(["sweep"]).stderr("nothing to commit\n").run();
    for n in 0..12 {
        std::fs::remove_file(env.store().join(format!("project/n{n}.md"))).unwrap();
    }
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has("12 files are missing")
        .run();
    env.mdmem(["status"]).stdout_has("12 files are missing").run();
    env.mdmem(["sweep", "--yes"])
        .stdout_has("removed  project/n3.md")
        .any_stderr()
        .run();
}

#[test]
fn config_shows_origins_and_changes_one_setting() {
    let env = TestEnv::with_store();
    env.mdmem(["config", "get", "render.max_chars"])
        .stdout("3600\n")
        .run();
    env.mdmem(["config", "set", "render.max_chars", "2000"])
        .stderr("set render.max_chars in $STORE/mdmem.toml\n")
        .run();
    env.mdmem(["config", "get", "render.max_chars"])
        .stdout("2000\n")
        .run();
    env.mdmem(["config"])
        .stdout_has("render.max_chars")
        .stdout_has("$STORE/mdmem.toml:")
        .run();
    env.mdmem([
        "--set",
        "render.max_chars=100",
        "config",
        "get",
        "render.max_chars",
    ])
    .stdout("100\n")
    .run();
    env.mdmem(["config", "get", "render.max_chars"])
        .var("MDMEM_RENDER__MAX_CHARS", "300")
        .stdout("300\n")
        .run();
    env.mdmem(["config", "set", "--user", "editor", "vim -f"])
        .any_stderr()
        .run();
    env.mdmem(["config", "get", "editor"]).stdout("vim -f\n").run();
    env.mdmem(["config", "unset", "--user", "editor"])
        .any_stderr()
        .run();
    env.mdmem(["config", "get", "editor"]).stdout("\n").run();
    env.mdmem(["config", "get", "render.max_char"])
        .fails("Did you mean `render.max_chars`?")
        .run();
    env.mdmem(["config", "set", "editor", "vi"])
        .fails("only the user's own file can set it")
        .run();
    env.mdmem(["status"]).stdout_has("uncommitted  nothing").run();
    env.mdmem(["--set", "nonsense", "list"]).refuses("nonsense").run();
}

#[test]
fn a_wrong_setting_is_named_with_its_line() {
    let env = TestEnv::with_store();
    let path = env.store().join("mdmem.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let line = text.lines().count() + 2;
    write_at(&path, &format!("{text}[render]\nmax_char = 3\n"));
    let message = format!(
        "$STORE/mdmem.toml:{line}: there is no setting `render.max_char`; did you mean `render.max_chars`?"
    );
    env.mdmem(["list"]).stderr_has(&message).run();
    env.mdmem(["add", "One"]).any_stdout().stderr_has(message).run();
}

#[test]
fn the_global_store_is_another_one() {
    let env = TestEnv::with_store();
    env.mdmem(["--global", "add", "-t", "user", "I write Rust"])
        .stdout("added user/i-write-rust.md (in the prompt)\n")
        .stderr("created the global store in $MDMEM_HOME/global\n")
        .run();
    env.mdmem(["list", "--paths"]).run();
    env.mdmem(["--global", "list", "--paths"])
        .stdout("user/i-write-rust.md\n")
        .run();
    env.mdmem(["render"]).stdout_has("I write Rust").run();
    env.mdmem(["--global", "path"])
        .stdout("$MDMEM_HOME/global\n")
        .run();
}

#[test]
fn places_that_are_no_workspace_are_refused() {
    let env = TestEnv::new();
    env.mdmem(["-C", "/", "init"]).fails("is not a workspace").run();
    env.mdmem(["init"])
        .current_dir(&env.home())
        .fails("is not a workspace")
        .run();
    env.mdmem(["list"])
        .fails("has no memory yet")
        .stderr_has("hint: `mdmem init` makes it")
        .run();
    env.mdmem(["init"])
        .var("MDMEM_HOME", "relative")
        .fails("MDMEM_HOME")
        .run();
    let inside = env.workspace().join("memory");
    env.mdmem(["init"])
        .var("MDMEM_HOME", &inside.display().to_string())
        .fails("inside")
        .run();
}

#[test]
fn add_says_what_is_not_shown_and_what_it_pushes_out() {
    let env = TestEnv::with_store();
    let add = |importance, text| {
        let room = "--set=render.max_entries=1";
        env.mdmem(["add", room, "-t", "decision", "--importance", importance, text])
    };
    add("normal", "Use npm cache, not npm link").any_stdout().run();
    add("low", "Deploys need the VPN")
        .any_stdout()
        .stderr_has("decision/deploys-need-the-vpn.md is not shown (global_cap): it is 2 of 2 of memory")
        .run();
    add("high", "Tests run with cargo nextest")
        .any_stdout()
        .stderr_has("no longer room in the prompt for decision/use-npm-cache-not-npm-link.md")
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
