//! Exports: complete in mdmem's own form, the same the second time, and careful with what a person wrote.

use std::path::Path;

use crate::env::{TestEnv, write_at};

const SECRET: &str = "The password is hunter2-x9.\n";

fn run(env: &TestEnv, folder: &Path, args: &[&str]) -> serde_json::Value {
    let args = [args, &["--json"]].concat();
    env.mdmem(args)
        .current_dir(folder)
        .any_stdout()
        .any_stderr()
        .run()
        .json()
}

fn filled() -> TestEnv {
    let env = TestEnv::with_store();
    env.mdmem([
        "add",
        "-t",
        "decision",
        "Use npm cache",
        "--why",
        "npm link breaks",
    ])
    .any_stdout()
    .any_stderr()
    .run();
    env.write("system/persona.md", "Be terse.\n\nVery.\n");
    env.write("project/hand.md", "---\r\nmine: 1\r\n---\r\nWritten by hand\r\n");
    env.write("archive/old.md", "Old\n\nnote\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.advance_days(30);
    env.write(
        "project/hand.md",
        "---\r\nmine: 1\r\n---\r\nWritten by hand, twice\r\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

#[test]
fn mdmems_own_form_comes_back_as_it_was() {
    let env = filled();
    std::fs::write(env.store().join("project/latin.md"), b"caf\xe9\n").unwrap();
    env.write("project/odd.md", "---\nid: [1\n---\nBroken.\n");
    env.write("project/known.md", SECRET);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    // Its id is that of its first text, which no other store knows, and it cannot state it.
    env.write("project/odd.md", "---\nid: [1\n---\nBroken twice.\n");
    env.mdmem(["allow", "project/known.md"])
        .any_stdout()
        .any_stderr()
        .run();
    let here = env.workspace();
    let other = env.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let first = here.join("first.json");
    let done = run(&env, &here, &["export", "--to", "json", "first.json"]);
    assert_eq!(
        (&done["memories"], &done["files"][0]["outcome"]),
        (&7.into(), &"written".into())
    );
    let again = run(&env, &here, &["export", "--to", "json", "first.json"]);
    assert_eq!(again["files"][0]["outcome"], "unchanged");

    env.advance_days(30);
    let first_name = first.to_str().unwrap();
    let import = run(&env, &other, &["import", first_name, "--allow-secrets"]);
    assert_eq!(
        (&import["counts"]["imported"], &import["counts"]["archived"]),
        (&6.into(), &1.into())
    );
    run(&env, &other, &["export", "--to", "json", "second.json"]);
    let (first, second) = (
        std::fs::read_to_string(&first).unwrap(),
        std::fs::read_to_string(other.join("second.json")).unwrap(),
    );
    assert_eq!(first, second);
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let memories = read(&first)["memories"].as_array().unwrap().clone();
    let at = |path: &str| memories.iter().find(|memory| memory["path"] == path).unwrap();
    assert!(at("project/odd.md")["id"].is_null() && at("project/latin.md")["hex"].is_string());
    let hand = at("project/hand.md")["text"].as_str().unwrap();
    assert!(
        hand.starts_with("---\r\nmine: 1\r\nid: mem_") && hand.contains("updated: "),
        "{hand}"
    );
    let twice = run(&env, &other, &["import", first_name]);
    assert!(
        twice["commit"].is_null() && twice["counts"]["already_there"] == 7,
        "{twice}"
    );
}

#[test]
fn a_note_that_was_pinned_is_named_where_it_is_not() {
    let env = TestEnv::with_store();
    env.mdmem(["config", "set", "hot_dir", "hot"]).any_stderr().run();
    env.write("hot/pin.md", "Pinned words\n");
    env.write("system/cold.md", "Other words\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let other = env.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let file = env.home().join("first.json");
    let file = file.to_str().unwrap();
    run(&env, &env.workspace(), &["export", "--to", "json", file]);
    let import = run(&env, &other, &["import", file]);
    let remarks = import["entries"].as_array().unwrap().iter();
    let remarks: Vec<_> = remarks.map(|entry| entry["remark"].as_str()).collect();
    let pinned = "it was pinned there; the folder of pinned notes here is system/";
    assert_eq!(remarks, [Some(pinned), None]);
}

#[test]
fn what_is_no_credential_stays_only_where_a_person_says_so() {
    let env = TestEnv::with_store();
    let note = write_at(&env.home().join("notes/login.md"), SECRET);
    let note = note.to_str().unwrap();
    env.mdmem(["import", note, "-n"])
        .any_stdout()
        .stderr_has("would import 1 memory")
        .run();
    env.mdmem(["import", note])
        .any_stdout()
        .stderr_has("redacted password")
        .stderr_has("--allow-secrets`")
        .run();
    assert!(env.read("reference/login.md").contains("[REDACTED:password]"));
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    env.mdmem(["import", note, "--allow-secrets"])
        .any_stdout()
        .stderr("imported 1 memory\nhint: `mdmem undo` takes it back.\n")
        .run();
    assert!(env.read("reference/login.md").ends_with(SECRET));
    env.mdmem(["allow", "--list"])
        .stdout_has("reference/login.md")
        .run();
    let repository = crate::env::Repository::of(&env);
    assert_eq!(repository.status(), "");
    assert!(
        repository
            .committed("reference/login.md")
            .unwrap()
            .ends_with(SECRET)
    );
}

#[test]
fn an_export_for_people_is_not_imported_as_it_is() {
    let env = filled();
    env.mdmem(["export", "--to", "markdown", "memory.md"])
        .any_stderr()
        .run();
    let refused = env.mdmem(["import", "memory.md", "-n", "--json"]).any_stdout();
    let refused = refused.fails("nothing was imported").run().json();
    assert_eq!(refused["counts"]["unreadable"], 1, "{refused}");
    assert!(
        refused["entries"][0]["remark"]
            .as_str()
            .unwrap()
            .contains("--to json")
    );
    let file = env.workspace().join("memory.md");
    let text = std::fs::read_to_string(&file).unwrap();
    write_at(&file, text.split_once('\n').unwrap().1);
    let import = run(&env, &env.workspace(), &["import", "memory.md", "-n"]);
    assert_eq!(import["counts"]["imported"], 1);
}

#[test]
fn the_block_in_agents_md_is_the_same_the_second_time_and_no_edit_is_lost() {
    let env = filled();
    let agents = write_at(&env.workspace().join("AGENTS.md"), "# Rules\n\nBe brief.");
    let done = run(&env, &env.workspace(), &["export", "--to", "agents", "-n"]);
    assert_eq!(done["files"][0]["outcome"], "written");
    assert_eq!(std::fs::read_to_string(&agents).unwrap(), "# Rules\n\nBe brief.");
    env.write("user/who.md", "I am Sam.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let with_user = run(
        &env,
        &env.workspace(),
        &["export", "--to", "agents", "-n", "--with-user"],
    );
    assert_eq!(
        with_user["memories"], 4,
        "a team's file says who somebody is where that is asked for"
    );
    let export = || env.mdmem(["export", "--to", "agents"]);
    export().stderr("exported 3 memories into 1 file\n").run();
    let text = std::fs::read_to_string(&agents).unwrap();
    assert!(
        text.starts_with("# Rules\n\nBe brief.\n<!-- mdmem:begin "),
        "{text}"
    );
    for part in [
        "Be terse.\n\nVery.\n",
        "### decision\n\n- Use npm cache (Why: npm link breaks)\n",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    export().stderr("exported 3 memories; 1 file unchanged\n").run();
    let edited = text.replace("npm cache", "yarn cache") + "\nMore.\n";
    write_at(&agents, &edited);
    export()
        .fails("was edited since the last export: nothing was written")
        .any_stderr()
        .run();
    assert_eq!(std::fs::read_to_string(&agents).unwrap(), edited);
    env.mdmem(["export", "--to", "agents", "--overwrite"])
        .any_stderr()
        .run();
    assert_eq!(
        std::fs::read_to_string(&agents).unwrap(),
        format!("{text}\nMore.\n")
    );

    std::os::unix::fs::symlink("AGENTS.md", env.workspace().join("CLAUDE.md")).unwrap();
    env.mdmem(["export", "--to", "agents", "CLAUDE.md"])
        .fails("is a link: nothing was written")
        .any_stderr()
        .run();
    env.mdmem(["export", "--to", "json", "."])
        .fails("is a folder: nothing was written")
        .any_stderr()
        .run();
    env.mdmem(["export", "--to", "json", "AGENTS.md"])
        .fails("not written: 1 file")
        .any_stderr()
        .run();
    let inside = env.store().join("x.json");
    env.mdmem(["export", "--to", "json", inside.to_str().unwrap()])
        .fails("is in mdmem's own folder")
        .any_stderr()
        .run();
}

#[test]
fn a_hyphen_is_standard_output() {
    let env = filled();
    for form in ["json", "markdown"] {
        let printed = |args: &[&str]| {
            env.mdmem(args.iter().copied())
                .any_stdout()
                .any_stderr()
                .run()
                .stdout
        };
        let text = printed(&["export", "--to", form]);
        assert!(!text.is_empty());
        assert_eq!(printed(&["export", "--to", form, "-"]), text);
    }
    env.mdmem(["export", "--to", "agents", "-"])
        .fails("not to standard output")
        .run();
    env.mdmem(["export", "--to", "basic-memory", "-"])
        .fails("needs a folder")
        .run();
    assert!(!env.workspace().join("-").exists());
}

#[test]
fn what_looks_like_a_credential_stays_behind_and_folders_are_exported_file_by_file() {
    let env = filled();
    env.write("project/login.md", SECRET);
    let text = env
        .mdmem(["export", "--to", "markdown"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(
        text.stderr
            .contains("not exported: project/login.md: suspected secret in line 1 (password)")
    );
    assert!(
        !text.stdout.contains("hunter2") && !text.stdout.contains("login"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout
            .contains("\n## decision\n\n- Use npm cache (Why: npm link breaks)\n"),
        "{}",
        text.stdout
    );

    let folder = env.home().join("kb");
    let export = |more: &[&str]| {
        let args = [
            &["export", "--to", "basic-memory", folder.to_str().unwrap()],
            more,
        ]
        .concat();
        run(&env, &env.workspace(), &args)
    };
    assert_eq!(export(&["-n"])["files"].as_array().unwrap().len(), 3);
    assert!(!folder.exists());
    export(&[]);
    let note = folder.join("decision/use-npm-cache.md");
    let text = std::fs::read_to_string(&note).unwrap();
    assert!(
        text.ends_with("## Observations\n\n- [decision] Use npm cache (npm link breaks)\n"),
        "{text}"
    );
    write_at(&note, &text.replace("npm cache", "yarn cache"));
    let outcomes = |done: &serde_json::Value| -> Vec<String> {
        let files = done["files"].as_array().unwrap().iter();
        files
            .map(|file| file["outcome"].as_str().unwrap().to_owned())
            .collect()
    };
    let kept = env
        .mdmem([
            "export",
            "--to",
            "basic-memory",
            folder.to_str().unwrap(),
            "--json",
        ])
        .any_stdout()
        .fails("not written: 1 file (already there; `--overwrite` replaces it)")
        .run();
    assert_eq!(outcomes(&kept.json()), ["unchanged", "kept", "unchanged"]);
    assert_eq!(
        outcomes(&export(&["--overwrite"])),
        ["unchanged", "written", "unchanged"]
    );
    std::fs::remove_dir_all(folder.join("decision")).unwrap();
    std::os::unix::fs::symlink(env.workspace(), folder.join("decision")).unwrap();
    env.mdmem(["export", "--to", "basic-memory", folder.to_str().unwrap()])
        .fails("is a link")
        .any_stderr()
        .run();
    assert!(!env.workspace().join("use-npm-cache.md").exists());
}

#[test]
fn a_copied_file_comes_back_beside_its_original() {
    let env = TestEnv::with_store();
    let bytes = "---\nid: mem_copied\n---\nUse yarn.\n";
    for path in ["decision/a.md", "decision/b.md"] {
        env.write(path, bytes);
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    }
    let other = env.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    run(&env, &env.workspace(), &["export", "--to", "json", "all.json"]);
    let file = env.workspace().join("all.json");
    let import = |folder: &Path| run(&env, folder, &["import", file.to_str().unwrap()])["counts"].clone();
    assert_eq!(import(&other)["imported"], 2);
    for folder in [&other, &env.workspace()] {
        assert_eq!(import(folder)["already_there"], 2, "{folder:?}");
    }
    let export = |folder: &Path| run(&env, folder, &["export", "--to", "json", "-"])["text"].clone();
    assert_eq!(export(&other), export(&env.workspace()));
}
