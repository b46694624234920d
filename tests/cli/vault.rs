//! A store that is also the vault of an editor of notes: its own files stay where they are, attachments travel, templates are
//! no memories.

use crate::env::TestEnv;

fn vault() -> TestEnv {
    let env = TestEnv::with_store();
    env.write(".obsidian/app.json", "{\"newFileLocation\": \"folder\"}");
    env.write(".obsidian/workspace.json", "{\"active\": 1}");
    env.write(".vscode/settings.json", "{}");
    env.write(".trash/old.md", "An old thought\n");
    env.write("project/map.canvas", "{\"nodes\": []}");
    env.write(
        "templates/Daily.md",
        "---\ntags: [daily]\n---\n# {{title}}\n\n- [ ] \n",
    );
    env.write("project/Deploying.md", "# Deploying\n\nNever on Fridays.\n");
    std::fs::write(env.store().join("project/shot.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    env.mdmem(["config", "set", "exclude.folders", "[\"templates/\"]"])
        .stderr_has("1 of 2 memories are no longer shown in prompts")
        .run();
    env.mdmem(["config", "set", "--user", "render.max_entries", "0"])
        .stderr_has("memories are no longer shown in prompts")
        .run();
    env.mdmem(["config", "unset", "--user", "render.max_entries"])
        .any_stderr()
        .run();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

#[test]
fn the_files_of_the_editor_make_no_commit_and_stay() {
    let env = vault();
    let committed = env.git(["ls-files"]).any_stdout().run().stdout;
    for path in ["project/map.canvas", "project/shot.png", "templates/Daily.md"] {
        assert!(committed.contains(path), "{committed}");
    }
    for hidden in [".obsidian", ".vscode", ".trash"] {
        assert!(!committed.contains(hidden), "{committed}");
    }
    env.write(".obsidian/workspace.json", "{\"active\": 2}");
    env.write(".trash/newer.md", "A newer thought\n");
    env.mdmem(["sweep"]).stderr("nothing to commit\n").run();
    for path in [".obsidian/app.json", ".obsidian/workspace.json", ".trash/old.md"] {
        assert!(env.store().join(path).exists(), "{path}");
    }
}

#[test]
fn what_lies_in_an_excluded_folder_is_no_memory() {
    let env = vault();
    env.mdmem(["list", "--all", "--paths"])
        .stdout("project/Deploying.md\n")
        .run();
    env.mdmem(["search", "daily"])
        .code(1)
        .stderr("nothing found\n")
        .run();
    env.mdmem(["check"]).stderr("no problems found\n").run();
    for text in [
        env.read("MEMORY.md"),
        env.mdmem(["render"]).any_stdout().run().stdout,
    ] {
        assert!(!text.contains("Daily") && text.contains("Deploying"), "{text}");
    }
    // It is committed as it changes, and becomes a memory where the setting goes.
    env.write("templates/Daily.md", "# {{date}}\n");
    env.mdmem(["sweep"])
        .stdout("edited   templates/Daily.md\n")
        .any_stderr()
        .run();
    env.mdmem(["config", "unset", "exclude.folders"])
        .any_stderr()
        .run();
    env.mdmem(["list", "--paths"])
        .stdout_has("templates/Daily.md")
        .run();
}

#[test]
fn nothing_is_stored_where_no_file_is_a_memory() {
    let env = vault();
    for args in [
        &["add", "--path", "templates/weekly.md", "Weekly"][..],
        &["edit", "templates/weekly.md"],
        &["mv", "project/Deploying.md", "templates/"],
    ] {
        env.mdmem(args)
            .refuses("templates/")
            .stderr_has("is in a folder that `exclude.folders` excludes")
            .run();
    }
    env.mdmem([
        "config",
        "set",
        "exclude.folders",
        "[\"templates\", \"decision\"]",
    ])
    .any_stderr()
    .run();
    env.mdmem(["add", "--type", "decision", "Use npm"])
        .refuses("decision/use-npm.md is in a folder that `exclude.folders` excludes")
        .run();
    assert!(!env.store().join("templates/weekly.md").exists());
}

#[test]
fn a_secret_in_an_attachment_is_held() {
    let env = vault();
    let secret = "ghp_Fake0Fake0Fake0Fake0Fake0Fake0Fake0F";
    env.write("project/map.canvas", &format!("{{\"text\": \"{secret}\"}}"));
    env.write("templates/Daily.md", &format!("Token: {secret}\n"));
    let told = env.mdmem(["sweep"]).any_stdout().any_stderr().run().stderr;
    for path in ["project/map.canvas", "templates/Daily.md"] {
        assert!(told.contains(&format!("{path} is not committed")), "{told}");
    }
}

#[test]
fn a_note_with_a_heading_shows_what_it_says() {
    let env = vault();
    env.mdmem(["list"])
        .stdout_has("Deploying: Never on Fridays.")
        .run();
    let index = env.read("MEMORY.md");
    assert!(
        index.contains("- [Deploying](project/Deploying.md) — Never on Fridays."),
        "{index}"
    );
}
