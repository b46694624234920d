//! Names, times and revisions that mean nothing, or too much; and paths that lead elsewhere.

use crate::env::TestEnv;

#[test]
fn an_unknown_or_ambiguous_name_is_told_with_what_may_be_meant() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "-t", "decision", "use npm cache"])
        .any_stdout()
        .run();
    env.mdmem(["add", "-t", "project", "something else entirely"])
        .any_stdout()
        .run();
    for command in ["show", "why", "rm", "edit", "path"] {
        env.mdmem([command, "use-nmp-cache"])
            .fails("no memory `use-nmp-cache`")
            .stderr_has("Did you mean decision/use-npm-cache.md?")
            .run();
    }
    let list = env.mdmem(["list", "--json"]).any_stdout().run().json();
    let start = &list[0]["id"].as_str().unwrap()[.."mem_".len() + 4];
    env.mdmem(["show", start])
        .fails(format!("`{start}` names 2 memories"))
        .stderr_has("decision/use-npm-cache.md")
        .stderr_has("project/something-else-entirely.md")
        .run();
}

#[test]
fn a_bad_time_or_revision_is_told_with_examples() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    for word in ["someday", "2026-13-45", "deadbeef", "a", "7", ""] {
        env.mdmem(["restore", word])
            .fails(format!("`{word}` is not a memory, revision or time"))
            .stderr_has("yesterday")
            .run();
        env.mdmem(["render", "--at", word])
            .refuses(format!("`{word}` is not a time"))
            .stderr_has("yesterday")
            .run();
    }
    for word in ["nowhere", "money", "model", "modle", "march", "second", "yes"] {
        env.mdmem(["show", &format!("one-thing@{word}")])
            .fails(format!("`{word}` is neither a revision of this store nor a time"))
            .run();
        env.mdmem(["restore", word])
            .fails(format!("`{word}` is not a memory, revision or time"))
            .run();
        for question in [["log", "--since"], ["log", "--until"], ["render", "--at"]] {
            env.mdmem(question.into_iter().chain([word]))
                .refuses(format!("`{word}` is not a time"))
                .run();
        }
    }
    env.mdmem(["restore", "2020-01-01"])
        .fails("nothing is that old: this store was created")
        .run();
}

#[test]
fn no_path_leads_out_of_the_store() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let outside = env.store().with_file_name("outside.md");
    let hooks = env.store().join(".git/hooks/x.md");
    for path in [
        "../outside.md",
        "project/../../outside.md",
        "/tmp/outside.md",
        ".git/hooks/x.md",
        ".GIT/hooks/x.md",
        "git~1/x.md",
        ".mdmem/x.md",
        "aux.md",
        "a//b.md",
        "a\\b.md",
        "line\nfeed.md",
    ] {
        env.mdmem(["add", "fact of an enemy", "--path", path])
            .refuses("error: ")
            .run();
        env.mdmem(["mv", "one-thing", path]).refuses("error: ").run();
        env.mdmem(["show", path]).fails("no memory").run();
        env.mdmem(["restore", "HEAD", path]).fails("no memory").run();
    }
    assert!(!outside.exists() && !hooks.exists());
    let link = env.store().join("elsewhere");
    std::os::unix::fs::symlink(env.home(), link).unwrap();
    env.mdmem(["add", "fact of an enemy", "--path", "elsewhere/x.md"])
        .fails("link")
        .run();
    env.mdmem(["mv", "one-thing", "elsewhere/x.md"])
        .fails("link")
        .run();
    assert!(!env.home().join("x.md").exists());
    env.mdmem(["list", "--paths"])
        .stdout("project/one-thing.md\n")
        .run();
}

#[test]
fn the_folder_of_a_path_gives_the_type() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing", "--path", "decision/x.md"])
        .any_stdout()
        .run();
    env.mdmem(["check"]).any_stdout().any_stderr().run();
    assert!(env.read("decision/x.md").contains("\ntype: decision\n"));
}
