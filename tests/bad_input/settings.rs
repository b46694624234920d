//! Settings that are wrong: file, line and the nearest valid key, wherever they stand.

use crate::env::{TestEnv, write_at};

#[test]
fn in_the_stores_file() {
    let env = TestEnv::with_store();
    for (text, message) in [
        (
            "format = 1\n[render]\nmax_char = 9\n",
            "$STORE/mdmem.toml:3: unknown setting `render.max_char`; did you mean `render.max_chars`?",
        ),
        (
            "format = 1\n[render]\nmax_chars = \"many\"\n",
            "$STORE/mdmem.toml:3: `render.max_chars = \"many\"` is not valid: must be a whole number",
        ),
        ("format = 1\n[render\n", "$STORE/mdmem.toml:2:8: unclosed table"),
        (
            "[watch]\nquiet_ms = 5\n",
            "$STORE/mdmem.toml:2: `watch.quiet_ms` has no effect here",
        ),
    ] {
        env.write("mdmem.toml", text);
        env.mdmem(["list"]).any_stdout().stderr_has(message).run();
        env.mdmem(["config"]).any_stdout().stderr_has(message).run();
    }
}

#[test]
fn a_slip_in_the_stores_file_is_told_and_stops_nothing() {
    let env = TestEnv::with_store();
    for (number, text) in (1..).zip([
        "format = 1\n[render\n",
        "format = 1\n[render]\nmax_chars = \"many\"\n",
        "format = 1\n[type.decision]\nfactr = 3\n",
    ]) {
        env.write("mdmem.toml", text);
        let fact = format!("the parser number {number} is written by hand");
        let told = |args: &[&str]| {
            env.mdmem(args)
                .any_stdout()
                .stderr_has("warning: $STORE/mdmem.toml:")
                .run()
                .stdout
        };
        told(&["add", &fact]);
        assert!(told(&["list"]).contains(&fact));
        told(&[
            "mv",
            &format!("project/the-parser-number-{number}-is-written.md"),
            "decision/a.md",
        ]);
        told(&["check", "--fix"]);
        told(&["rm", "decision/a.md"]);
    }
    let message =
        "$STORE/mdmem.toml:3: unknown setting `type.decision.factr`; did you mean `type.decision.factor`?";
    env.mdmem(["add", "one thing"])
        .any_stdout()
        .stderr_has(message)
        .run();
    env.mdmem(["check"])
        .code(1)
        .stdout_has("factr")
        .any_stderr()
        .run();
}

/// A pattern for secrets stands in the user's own file: a slip there might have lost it, and a secret would be stored.
#[test]
fn what_stores_text_waits_for_the_users_file_and_what_takes_it_back_does_not() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let file = write_at(
        &env.home().join(".config/mdmem/config.toml"),
        "[redact]\npattern = ['x']\n",
    );
    let message = "unknown setting `redact.pattern`; did you mean `redact.patterns`?";
    env.write("project/saved.md", "It was saved.\n");
    env.mdmem(["add", "another fact"]).fails(message).run();
    env.mdmem(["sweep"])
        .stdout("added    project/saved.md\n")
        .stderr_has("committed")
        .run();
    env.mdmem(["undo"])
        .stdout("removed  project/saved.md\n")
        .any_stderr()
        .run();
    std::fs::remove_file(file).unwrap();
    env.mdmem(["add", "another fact"]).any_stdout().run();
}

#[test]
fn in_the_users_file_the_environment_and_on_the_command_line() {
    let env = TestEnv::with_store();
    write_at(&env.home().join(".config/mdmem/config.toml"), "edtor = \"vi\"\n");
    env.mdmem(["list"])
        .any_stdout()
        .stderr_has("$HOME/.config/mdmem/config.toml:1: unknown setting `edtor`; did you mean `editor`?")
        .run();
    env.mdmem(["list"])
        .var("MDMEM_RENDER__MAX_CHARZ", "9")
        .any_stdout()
        .stderr_has(
            "$MDMEM_RENDER__MAX_CHARZ: unknown setting `render.max_charz`; did you mean `render.max_chars`?",
        )
        .run();
    env.mdmem(["list", "--set", "render.max_charz=9"])
        .refuses("--set: unknown setting `render.max_charz`; did you mean `render.max_chars`?")
        .run();
    env.mdmem(["list", "--set", "render.max_chars=many"])
        .refuses("must be a whole number")
        .run();
    env.mdmem(["list", "--set", "nothing"])
        .refuses("`nothing` is not KEY=VALUE")
        .run();
}

#[test]
fn to_config_itself() {
    let env = TestEnv::with_store();
    env.mdmem(["config", "set", "render.max_charz", "9"])
        .fails("unknown setting `render.max_charz`; did you mean `render.max_chars`?")
        .run();
    env.mdmem(["config", "unset", "render.max_charz"])
        .fails("unknown setting `render.max_charz`")
        .run();
    env.mdmem(["config", "set", "watch.quiet_ms", "9"])
        .fails("set it in the user's file")
        .run();
    for folders in ["[\"templates\", \"../x\"]", "[\"\"]", ".", "*", "[\"*.md\"]"] {
        env.mdmem(["config", "set", "exclude.folders", folders])
            .fails("must be folders in the store")
            .run();
    }
    env.mdmem(["config", "set", "format", "3"])
        .fails("must be 2, the newest format")
        .run();
    for (url, why) in [
        (
            "https://ada:hunter2SuperSecret99@host.example/a.git",
            "credential",
        ),
        ("ext::sh -c id", "it is a command"),
    ] {
        let set = env.mdmem(["config", "set", "--user", "sync.remote", url]);
        let said = set.fails(why).run().stderr;
        assert!(!said.contains("hunter2"), "{said}");
    }
    env.write("mdmem.toml", "format = 1\n[render]\nmax_charz = 9\n");
    env.mdmem(["config", "unset", "render.max_charz"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["list"]).any_stdout().any_stderr().run();
    assert!(!env.read("mdmem.toml").contains("max_charz"));
}
