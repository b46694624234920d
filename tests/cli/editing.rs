//! Memories that are made and changed in an editor.

use crate::env::{TestEnv, write_at};

/// An editor that is a script.
fn editor(env: &TestEnv, script: &str) -> String {
    let path = env.home().join("editor");
    write_at(&path, script);
    format!("sh '{}'", path.display())
}

#[test]
fn an_edit_is_saved_and_committed() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Port is 8080"]).any_stdout().run();
    let script = editor(&env, "sed -i s/8080/9090/ \"$1\"");
    env.mdmem(["edit", "port-is-8080"])
        .var("EDITOR", &script)
        .stdout("saved project/port-is-8080.md\n")
        .run();
    assert!(env.read("project/port-is-8080.md").ends_with("Port is 9090\n"));
    env.mdmem(["log", "-n", "1"])
        .stdout_has("memory: edit project/port-is-8080")
        .run();
    env.mdmem(["edit", "port-is-8080"])
        .var("EDITOR", "true")
        .stderr("nothing was changed\n")
        .run();
}

#[test]
fn an_edit_that_cannot_be_read_is_saved_and_told() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Port is 8080"]).any_stdout().run();
    let script = editor(
        &env,
        "printf -- '---\\ntype: project\\ndescription: fix: it\\n---\\nMine\\n' > \"$1\"",
    );
    env.mdmem(["edit", "port-is-8080"])
        .var("EDITOR", &script)
        .stdout("saved project/port-is-8080.md\n")
        .stderr_has("project/port-is-8080.md:3:")
        .run();
    assert!(env.read("project/port-is-8080.md").ends_with("Mine\n"));
}

#[test]
fn a_new_memory_is_written_in_the_editor_and_a_text_that_is_not_saved_is_kept() {
    let env = TestEnv::with_store();
    let write = editor(&env, "echo 'And so it is.' >> \"$1\"");
    for (name, path) in [
        ("decision/use-pnpm", "decision/use-pnpm.md"),
        ("The host is alpha", "project/the-host-is-alpha.md"),
    ] {
        env.mdmem(["edit", name])
            .var("EDITOR", &write)
            .stdout(format!("saved {path}\n"))
            .stderr(format!("{path} is new\n"))
            .run();
    }
    assert!(
        env.read("decision/use-pnpm.md")
            .ends_with("use pnpm\nAnd so it is.\n")
    );
    env.mdmem(["edit", "use-pnmp"])
        .fails("there is no memory `use-pnmp`")
        .stderr_has("Did you mean decision/use-pnpm.md?")
        .run();
    env.mdmem(["edit", "ideas/nothing.md"])
        .var("EDITOR", "true")
        .stderr("ideas/nothing.md is new\nnothing was changed\n")
        .run();
    // The folder went with its last file; an editor that saves into it needs it.
    std::fs::remove_dir(env.store().join("reference")).unwrap();
    let fails = editor(&env, "echo kept >> \"$1\"; exit 1");
    let output = env
        .mdmem(["edit", "ideas/later.md"])
        .var("EDITOR", &fails)
        .fails("ended with exit code 1")
        .run();
    assert!(!env.store().join("ideas/later.md").exists());
    let kept = output
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("hint: Your text is kept in $STORE/"))
        .unwrap();
    assert!(env.read(kept).ends_with("later\nkept\n"));
    let told = format!("$STORE/{kept}: note: a text of `mdmem edit` that is not saved [draft]\n");
    env.mdmem(["status"]).stdout_has(told).run();
    let status = env.mdmem(["status", "--json"]).any_stdout().run().json();
    assert_eq!(status["findings"][0]["code"], "draft", "{status}");
    std::fs::remove_file(env.store().join(kept)).unwrap();
    let status = env.mdmem(["status"]).any_stdout().run().stdout;
    assert!(!status.contains("mdmem edit"), "{status}");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(env.store().join("reference").is_dir());
}

#[test]
fn an_edit_does_not_write_over_somebody_elses() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Port is 8080"]).any_stdout().run();
    let file = env.store().join("project/port-is-8080.md");
    let script = editor(
        &env,
        &format!("echo mine >> \"$1\"; echo theirs >> '{}'", file.display()),
    );
    env.mdmem(["edit", "port-is-8080"])
        .var("EDITOR", &script)
        .fails("was saved by somebody else meanwhile")
        .run();
    assert!(env.read("project/port-is-8080.md").ends_with("theirs\n"));
    env.mdmem(["edit", "port-is-8080"])
        .var("EDITOR", "false")
        .fails("ended with exit code 1")
        .run();
}
