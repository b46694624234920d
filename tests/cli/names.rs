//! Names that people type: near ones, of folders, of files of the store's own.

use std::io::Write;
use std::process::Stdio;

use crate::env::TestEnv;

fn env() -> TestEnv {
    let env = TestEnv::with_store();
    env.write("decision/use-npm-cache.md", "Use npm cache for plugin loading\n");
    env.write(
        "decision/2026-11/deep.md",
        "---\nreadonly: false\n---\nA deep thought about caches\n",
    );
    env.write("project/old-port.md", "The server listens on port 8080\n");
    env.write("archive/old-port.md", "The server listened on port 80\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

#[test]
fn a_part_of_a_name_shows_and_does_not_remove() {
    let env = env();
    for command in ["show", "why", "path", "log"] {
        env.mdmem([command, "npm"]).any_stdout().run();
    }
    for command in ["rm", "forget"] {
        env.mdmem([command, "use-npm"])
            .fails("no memory `use-npm`")
            .stderr_has("Did you mean decision/use-npm-cache.md?")
            .run();
    }
    env.mdmem(["mv", "use-npm", "system/"])
        .fails("no memory `use-npm`")
        .stderr_has("Did you mean decision/use-npm-cache.md?")
        .run();
    env.mdmem(["pin", "use-npm"]).any_stdout().any_stderr().run();
    assert!(env.store().join("system/use-npm-cache.md").exists());
    for name in ["MEMORY.md", "PROTOCOL.md"] {
        let text = env.read(name);
        for command in ["show", "rm", "forget", "edit", "why"] {
            env.mdmem([command, name])
                .fails(format!("{name} is one of the store's own files"))
                .run();
        }
        assert_eq!(env.read(name), text);
    }
    env.mdmem(["log", "PROTOCOL.md"]).any_stdout().run();
    env.mdmem(["log", "MEMORY.md"])
        .fails("MEMORY.md is one of the store's own files")
        .run();
}

#[test]
fn words_of_a_text_find_it_and_one_word_names_it_anew() {
    let env = env();
    env.mdmem(["show", "npm cache"]).any_stdout().run();
    env.mdmem(["rm", "npm cache"])
        .fails("no memory `npm cache`")
        .run();
    env.mdmem(["mv", "use-npm-cache", "npm"])
        .stdout("moved decision/use-npm-cache.md -> decision/npm.md\n")
        .run();
    env.mdmem(["mv", "npm", "archive"])
        .stdout("moved decision/npm.md -> archive/npm.md\n")
        .run();
}

#[test]
fn of_many_memories_with_a_name_a_few_are_named() {
    let env = env();
    for number in 0..25 {
        env.write(
            &format!("ideas/{number}/same.md"),
            &format!("Idea number {number}\n"),
        );
    }
    let told = env
        .mdmem(["show", "same"])
        .fails("`same` names 25 memories")
        .run()
        .stderr;
    assert!(
        told.ends_with("ideas/17/same.md and 15 more.\n") && told.lines().count() == 2,
        "{told}"
    );
    let told = env
        .mdmem(["--json", "rm", "same"])
        .code(1)
        .any_stderr()
        .run()
        .stderr;
    assert!(told.contains("and 15 more"), "{told}");
}

#[test]
fn a_folder_is_removed_where_that_is_said() {
    let env = env();
    for name in ["decision", "decision/"] {
        env.mdmem(["rm", name])
            .fails("decision/ is a folder with 2 memories")
            .stderr_has("`mdmem rm -r decision/`")
            .run();
    }
    let both = "decision/2026-11/deep.md\nwould remove decision/use-npm-cache.md\n";
    env.mdmem(["rm", "-n", "decision/"])
        .stdout(format!("would remove {both}"))
        .run();
    env.mdmem(["rm", "-r", "no-such/"])
        .fails("no memory `no-such/`")
        .run();
    env.mdmem(["rm", "-r", "decision", "use-npm-cache", "project/old-port"])
        .any_stdout()
        .any_stderr()
        .run();
    let left = |path: &str| env.store().join(path).exists();
    assert!(
        !left("decision/use-npm-cache.md")
            && !left("decision/2026-11/deep.md")
            && !left("project/old-port.md")
    );
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    env.write("decision/locked.md", "---\nreadonly: true\n---\nStays\n");
    env.mdmem(["rm", "-r", "decision/"])
        .fails("decision/locked.md")
        .run();
    assert!(left("decision/use-npm-cache.md") && left("project/old-port.md"));
    let protected = b"---\nreadonly: true\n---\ncaf\xe9\n";
    std::fs::write(env.store().join("project/latin.md"), protected).unwrap();
    env.mdmem(["rm", "-r", "project/"])
        .fails("project/latin.md cannot be read as a memory, and might be readonly")
        .run();
}

#[test]
fn a_credential_in_a_name_is_told_to_nobody() {
    const SECRET: &str = "ghp_Fake0Token1Fake0Token1Fake0Token1Fak";
    let env = TestEnv::with_store();
    let path = format!("reference/{SECRET}.md");
    env.write(&path, "---\nname: deploynote\n---\nSee the body here\n");
    env.write(&format!("project/about {SECRET} x.md"), "Another one\n");
    for args in [
        &["list"][..],
        &["list", "--all"],
        &["status"],
        &["status", "-v"],
        &["show", "deploynote"],
        &["search", "body"],
        &["log"],
        &["log", "-v", "--engine"],
        &["rm", "deploynote"],
        &["mv", "deploynote", "archive/"],
        &["export", "--to", "markdown"],
        &["add", "Another memory"],
        &["check"],
    ] {
        // Each of them may fail or not; none of them tells the name.
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        let output = command.args(args).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(!said.concat().contains(SECRET), "{args:?}: {said:?}");
    }
    env.mdmem(["list"])
        .stdout_has("reference/[REDACTED:github_token].md")
        .run();
    // A program gets the path as it is, and so does a person who says that it is no credential.
    env.mdmem(["list", "--paths"]).stdout_has(&path).run();
    env.mdmem(["allow", &path]).any_stdout().any_stderr().run();
    env.mdmem(["list"]).stdout_has(&path).run();
}

pub(crate) fn on_a_terminal(env: &TestEnv, command: &str, answer: &str) -> String {
    seen_on_terminal(env, command, answer, &[("TERM", "dumb")])
}

/// Answers on a terminal of its own, and gives what was to be seen there.
pub(crate) fn seen_on_terminal(
    env: &TestEnv,
    command: &str,
    answer: &str,
    variables: &[(&str, &str)],
) -> String {
    let line = format!("{} {command}", env!("CARGO_BIN_EXE_mdmem"));
    let mut script = env.command("script");
    script.args(["-qec", &line, "/dev/null"]);
    script.envs(variables.iter().copied());
    script.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().expect("script, of util-linux, is on this machine");
    child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}
