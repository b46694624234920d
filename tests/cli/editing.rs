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
fn an_edit_that_cannot_be_read_is_kept_aside() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Port is 8080"]).any_stdout().run();
    let before = env.read("project/port-is-8080.md");
    let script = editor(
        &env,
        "printf -- '---\\ntype: project\\ndescription: fix: it\\n---\\nMine\\n' > \"$1\"",
    );
    let output = env
        .mdmem(["edit", "port-is-8080"])
        .var("EDITOR", &script)
        .fails("cannot be read as it stands: project/port-is-8080.md was not changed")
        .stderr_has("project/port-is-8080.md:3:")
        .run();
    assert_eq!(env.read("project/port-is-8080.md"), before);
    let kept = output
        .stderr
        .lines()
        .find_map(|line| line.strip_prefix("hint: Your text is kept in $STORE/"))
        .unwrap();
    assert!(env.read(kept).ends_with("Mine\n"));
    let told = format!("kept: $STORE/{kept} is a text of `mdmem edit` that is not saved\n");
    env.mdmem(["status"]).stdout_has(told).run();
    let drafts = &env.mdmem(["status", "--json"]).any_stdout().run().json()["drafts"];
    assert_eq!(drafts.as_array().unwrap().len(), 1);
    env.mdmem(["diag", "health"])
        .stdout_has("texts of `mdmem edit` that are not saved: 1")
        .run();
    std::fs::remove_file(env.store().join(kept)).unwrap();
    let status = env.mdmem(["status"]).any_stdout().run().stdout;
    assert!(!status.contains("mdmem edit"), "{status}");
}

#[test]
fn a_new_memory_is_written_in_the_editor_and_a_kept_text_is_resumed() {
    let env = TestEnv::with_store();
    let write = editor(&env, "echo 'And so it is.' >> \"$1\"");
    env.mdmem(["new", "Use", "pnpm", "-t", "decision"])
        .var("EDITOR", &write)
        .stdout("saved decision/use-pnpm.md\n")
        .run();
    assert!(
        env.read("decision/use-pnpm.md")
            .ends_with("Use pnpm\nAnd so it is.\n")
    );
    env.mdmem(["new", "decision/use-pnpm"])
        .fails("exists already")
        .run();
    env.mdmem(["new", "Nothing"])
        .var("EDITOR", "true")
        .stderr("nothing was changed\n")
        .run();
    // The folder went with its last file; an editor that saves into it needs it.
    std::fs::remove_dir(env.store().join("reference")).unwrap();
    let fails = editor(&env, "echo kept >> \"$1\"; exit 1");
    env.mdmem(["edit", "ideas/later.md"])
        .var("EDITOR", &fails)
        .fails("ended with exit code 1")
        .stderr_has("ideas/later.md is new")
        .run();
    assert!(!env.store().join("ideas/later.md").exists());
    // One stem in another folder is another memory.
    env.mdmem(["edit", "--resume", "project/later.md"])
        .var("EDITOR", "true")
        .stderr_has("no text of project/later.md was kept")
        .run();
    env.mdmem(["edit", "--resume", "ideas/later.md"])
        .var("EDITOR", &editor(&env, "echo more >> \"$1\""))
        .stdout("saved ideas/later.md\n")
        .any_stderr()
        .run();
    assert!(env.read("ideas/later.md").ends_with("later\nkept\nmore\n"));
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

#[test]
fn a_memory_that_is_forgotten_while_it_is_edited_is_said_to_be_and_comes_back() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Port is 8080"]).any_stdout().run();
    let script = editor(
        &env,
        &format!(
            "echo Mine >> \"$1\"; '{}' forget port-is-8080",
            env!("CARGO_BIN_EXE_mdmem")
        ),
    );
    let output = env
        .mdmem(["edit", "port-is-8080"])
        .var("EDITOR", &script)
        .any_stdout()
        .fails("project/port-is-8080.md was forgotten for good while it was edited")
        .run();
    let (_, hint) = output.stderr.rsplit_once("hint: `mdmem ").unwrap();
    let (command, _) = hint.split_once('`').unwrap();
    env.mdmem(command.split(' '))
        .stdout_has("added    project/port-is-8080.md\n")
        .any_stderr()
        .run();
    assert!(env.read("project/port-is-8080.md").ends_with("Port is 8080\n"));
}
