//! Other tools' stores and folders of markdown: found by looking, read without a trace, brought in once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::env::{TestEnv, write_at};

/// The report of an import.
fn import(env: &TestEnv, args: &[&str]) -> Value {
    let args = [&["import"], args, &["--json"]].concat();
    env.mdmem(args).any_stdout().any_stderr().run().json()
}

/// The outcome of each file or entry, by its path in the store, or the reason where it has none.
fn outcomes(report: &Value) -> Vec<(String, String)> {
    let entries = report["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            let path = entry["path"].as_str().or_else(|| entry["remark"].as_str());
            (
                entry["outcome"].as_str().unwrap().to_owned(),
                path.unwrap_or("").to_owned(),
            )
        })
        .collect()
}

/// Every file below a folder, with its bytes.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let walk = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    walk.filter(|entry| entry.file_type().is_file())
        .map(|entry| (entry.path().to_owned(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn a_store_of_opencode_memfs_comes_in_with_its_times_and_stays_as_it_is() {
    let env = TestEnv::with_store();
    let root = env.home().join(".config/opencode/memory");
    let save = |path: &str, text: &str, time: &str| {
        write_at(&root.join(path), text);
        for args in [
            &["init", "-q"][..],
            &["add", "."],
            &["commit", "-qm", "memory: update"],
        ] {
            let mut git = env.command("git");
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
            git.current_dir(&root).args(identity).args(args);
            git.env("GIT_AUTHOR_DATE", time).env("GIT_COMMITTER_DATE", time);
            assert!(git.status().unwrap().success());
        }
    };
    let name = env.workspace().file_name().unwrap().to_str().unwrap().to_owned();
    let own = format!("projects/{name}/system/persona.md");
    let persona = "---\ndescription: Who I am\nlimit: 5000\nreadonly: true\n---\n\nTerse.\n\nVery.\n";
    save(&own, "old\n", "2026-01-02T00:00:00Z");
    save(&own, persona, "2026-02-03T00:00:00Z");
    save("projects/other/system/x.md", "x\n", "2026-02-03T00:00:00Z");
    save("global/system/human.md", "Likes tea.\n", "2026-03-03T00:00:00Z");
    let before = files_below(&root);
    let report = import(&env, &["--from", "opencode-memfs"]);
    assert_eq!(
        outcomes(&report),
        [("imported".to_owned(), "system/persona.md".to_owned())]
    );
    let text = env.read("system/persona.md");
    let id = report["entries"][0]["id"].as_str().unwrap();
    assert_eq!(
        text,
        format!(
            "---\ndescription: Who I am\nlimit: 5000\nreadonly: true\nid: {id}\ncreated: 2026-01-02T00:00:00Z\nupdated: 2026-02-03T00:00:00Z\n---\n\nTerse.\n\nVery.\n"
        )
    );
    assert_eq!(files_below(&root), before, "the source is only read");
    let again = import(&env, &["--from", "opencode-memfs"]);
    assert_eq!(
        outcomes(&again),
        [("already_there".to_owned(), "system/persona.md".to_owned())]
    );
    // The plugin and the store may each have another name for the folder of the pinned notes.
    write_at(&root.with_file_name("memfs.json"), "{\"hotDir\": \"system\"}");
    env.mdmem(["config", "set", "hot_dir", "hot"]).any_stderr().run();
    let again = import(&env, &["--from", "opencode-memfs", "-n"]);
    assert_eq!(outcomes(&again)[0].1, "system/persona.md", "it is there already");
    std::fs::remove_file(env.store().join("system/persona.md")).unwrap();
    let again = import(&env, &["--from", "opencode-memfs"]);
    assert_eq!(outcomes(&again)[0].1, "hot/persona.md");
    let global = env.mdmem(["--global", "import", "--from", "opencode-memfs", "--json", "-n"]);
    let global = global.any_stdout().any_stderr().run().json();
    assert_eq!(
        outcomes(&global),
        [("imported".to_owned(), "system/human.md".to_owned())]
    );
}

/// Whoever names the store and the part may be anywhere.
#[test]
fn a_part_of_a_store_of_opencode_memfs_is_taken_outside_of_a_workspace() {
    let env = TestEnv::with_store();
    let root = env.home().join("memfs");
    write_at(&root.join("projects/other/plan.md"), "Cut a release on Friday.\n");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let part = root.join("projects/other");
    let name = env.store().file_name().unwrap().to_owned();
    let args = [
        "--store".into(),
        name,
        "import".into(),
        part.into(),
        "--from".into(),
        "opencode-memfs".into(),
    ];
    env.mdmem(args)
        .current_dir(&env.home())
        .any_stdout()
        .any_stderr()
        .run();
    assert!(env.read("plan.md").contains("Cut a release on Friday."));
}

#[test]
fn a_store_of_opencode_memfs_without_this_workspaces_part_gives_nothing() {
    let env = TestEnv::with_store();
    let root = env.home().join(".config/opencode/memory");
    write_at(
        &root.join("projects/client/system/x.md"),
        "Their password policy.\n",
    );
    let name = env.workspace().file_name().unwrap().to_str().unwrap().to_owned();
    let part = format!(
        "no memories of this workspace here: there is no $HOME/.config/opencode/memory/projects/{name}"
    );
    for named in [
        &["--from", "opencode-memfs"][..],
        &["--from", "opencode-memfs", root.to_str().unwrap()],
    ] {
        env.mdmem([&["import"], named].concat())
            .fails(&part)
            .stderr_has("hint: Name the part")
            .run();
    }
    env.mdmem(["--global", "import", "--from", "opencode-memfs"])
        .fails("no global memories here: there is no $HOME/.config/opencode/memory/global")
        .stderr_has("hint: Name the part")
        .run();
    // The same folder is taken where the person names it.
    write_at(&root.join("projects/client/projects/list.md"), "Two lists.\n");
    std::fs::create_dir(root.join(".git")).unwrap();
    let client = root.join("projects/client");
    let report = import(
        &env,
        &["--from", "opencode-memfs", client.to_str().unwrap(), "-n"],
    );
    let paths: Vec<String> = outcomes(&report).into_iter().map(|(_, path)| path).collect();
    assert!(paths.contains(&"system/x.md".to_owned()), "{report}");
}

#[test]
fn a_folder_is_read_by_what_it_is_and_nothing_in_it_leads_out() {
    let env = TestEnv::with_store();
    let folder = env.home().join("kb");
    write_at(&folder.join("a.md"), "# A\n\nOne.\n\nTwo.\n");
    write_at(&folder.join("deep/b.md"), "---\ntype: decision\n---\nUse b\n");
    write_at(
        &folder.join("secret.md"),
        "# Login\n\nThe password is hunter2-x9.\n",
    );
    write_at(&folder.join(".hidden.md"), "no\n");
    write_at(&folder.join("huge.md"), &"x\n".repeat(5 << 20));
    write_at(&folder.join("picture.png"), "png");
    std::fs::write(folder.join("latin.md"), b"caf\xe9\n").unwrap();
    let outside = write_at(&env.home().join("outside.md"), "Not this.\n");
    std::os::unix::fs::symlink(outside, folder.join("link.md")).unwrap();
    std::os::unix::fs::symlink(env.home(), folder.join("up")).unwrap();
    let before = files_below(&folder);
    let dry = import(&env, &[folder.to_str().unwrap(), "-n"]);
    let report = import(&env, &[folder.to_str().unwrap()]);
    assert_eq!(outcomes(&dry), outcomes(&report));
    let told = outcomes(&report);
    let written: Vec<&str> = told
        .iter()
        .filter(|(fate, _)| fate == "imported")
        .map(|(_, path)| path.as_str())
        .collect();
    assert_eq!(written, ["kb/a.md", "kb/deep/b.md", "kb/secret.md"]);
    let refused: Vec<&str> = told
        .iter()
        .filter(|(fate, _)| fate == "unreadable")
        .map(|(_, why)| why.as_str())
        .collect();
    for part in [
        "over the limit of 1048576",
        "not UTF-8",
        "a link, which imports do not follow",
    ] {
        assert!(
            refused.iter().any(|why| why.contains(part)),
            "{part}: {refused:?}"
        );
    }
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert!(!env.read("kb/secret.md").contains("hunter2"));
    assert_eq!(files_below(&folder), before);
    let again = import(&env, &[folder.to_str().unwrap()]);
    assert!(again["commit"].is_null(), "{again}");
    assert_eq!(again["counts"]["already_there"], 3);
}

#[test]
fn the_instructions_of_a_workspace_become_facts_by_choice() {
    let env = TestEnv::with_store();
    let workspace = env.workspace();
    write_at(
        &workspace.join("CLAUDE.md"),
        "# App\n\n## Style\n\n- Use tabs\n- Never use `any`\n\nProse stays.\n",
    );
    write_at(&workspace.join("AGENTS.md"), "- Use tabs in the tests\n");
    write_at(
        &workspace.join(".cursor/rules/db.mdc"),
        "---\nglobs: *.sql\n---\nUse CTEs.\n",
    );
    write_at(
        &workspace.join(".serena/memories/overview.md"),
        "# Overview\n\nAn app.\n",
    );
    write_at(&workspace.join("docs/other.md"), "Not an instruction.\n");
    let report = import(&env, &[".", "--as", "facts"]);
    let mut paths: Vec<String> = outcomes(&report)
        .into_iter()
        .map(|(fate, path)| format!("{fate} {path}"))
        .collect();
    paths.sort();
    assert_eq!(
        paths,
        [
            "imported feedback/style-never-use-any.md",
            "imported feedback/style-use-tabs.md",
            "imported feedback/use-tabs-in-the-tests.md",
            "imported reference/claude.md",
            "imported reference/db.md",
            "imported serena/overview.md",
        ]
    );
    let again = import(&env, &[".", "--as", "facts"]);
    assert!(again["commit"].is_null(), "{again}");
}

#[test]
fn the_stores_themselves_torn_json_and_the_unknown_are_refused() {
    let env = TestEnv::with_store();
    for path in [env.store(), env.mdmem_home(), env.home()] {
        env.mdmem(["import", path.to_str().unwrap()])
            .fails("holds mdmem's own stores, or is in one")
            .stderr_has("hint: To copy from another store, run `mdmem -C OTHER export --to json FILE`")
            .run();
    }
    let json = env.workspace().join("x.json");
    for (text, error) in [
        ("{\"observations\": [", "line 1, column 18"),
        ("{\"a\": 1}", "is JSON in an unknown format"),
        (
            "{\"mdmem_export\": 9, \"memories\": []}",
            "has version 9, and this mdmem reads up to version 1",
        ),
        ("{\"mdmem_export\": 1, \"memories\": 7}", "invalid type"),
    ] {
        write_at(&json, text);
        env.mdmem(["import", "x.json"]).fails(error).any_stderr().run();
    }
    env.mdmem(["import", "--from", "engram"])
        .fails("`--from engram` needs a file")
        .any_stderr()
        .run();
}

#[test]
fn a_credential_in_a_title_reaches_neither_the_commit_nor_the_report() {
    let env = TestEnv::with_store();
    let secrets = [
        "Tr0ub4dor&3xyz",
        "ghp_Fake0Token1Fake0Token1Fake0Token1Fak",
        "AKIAQ3EGRV2XN7PLM4ZT",
    ];
    for (folder, more) in [("plain", ""), ("basic", "permalink: a\n")] {
        let folder = env.home().join(folder);
        for (at, secret) in secrets.iter().enumerate() {
            let text = format!(
                "---\ntitle: \"Prod DB password: {secret}\"\n{more}---\n\n# About {at}\n\n## Password: {secret}\n\n- [rule] Never print it in {at}\n\nEnd {at}.\n"
            );
            write_at(&folder.join(format!("{at}.md")), &text);
        }
        let report = import(&env, &[folder.to_str().unwrap(), "--as", "facts"]).to_string();
        let shown = env.git(["show", "HEAD"]).any_stdout().run().stdout;
        assert!(shown.contains("name: "), "{shown}");
        for secret in secrets {
            assert!(!shown.contains(secret), "{shown}");
            assert!(!report.contains(secret), "{report}");
        }
    }
}

#[test]
fn a_stated_id_that_the_store_has_for_other_words_lets_no_note_vanish() {
    let env = TestEnv::with_store();
    let (one, two) = (env.home().join("one"), env.home().join("two"));
    let note = |folder: &Path, words: &str| {
        let text = format!("---\nid: intro\ntype: note\n---\n# {words}\n\nMore.\n");
        write_at(&folder.join("intro.md"), &text);
    };
    note(&one, "About the server");
    note(&two, "About the client");
    import(&env, &[one.to_str().unwrap()]);
    let report = import(&env, &[two.to_str().unwrap()]);
    assert_eq!(
        outcomes(&report),
        [("imported".to_owned(), "two/intro.md".to_owned())]
    );
    assert_eq!(
        report["entries"][0]["remark"],
        "the store has another memory with the id intro: it gets a new one"
    );
    // A source that changed comes in beside the first.
    note(&one, "About the new server");
    let report = import(&env, &[one.to_str().unwrap()]);
    assert_eq!(
        outcomes(&report),
        [("imported".to_owned(), "one/intro-2.md".to_owned())]
    );
    for (folder, path) in [(&one, "one/intro-2.md"), (&two, "two/intro.md")] {
        let again = import(&env, &[folder.to_str().unwrap()]);
        assert_eq!(outcomes(&again), [("already_there".to_owned(), path.to_owned())]);
    }
}

#[test]
fn a_file_whose_frontmatter_is_no_yaml_comes_in_once_also_where_its_name_was_taken() {
    let env = TestEnv::with_store();
    let folder = env.home().join("kb");
    write_at(&env.store().join("kb/x.md"), "# Mine\n\nIt was here first.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let odd = "---\ndescription: fix: the build\n---\nBody\n\nMore\n";
    write_at(&folder.join("x.md"), odd);
    let report = import(&env, &[folder.to_str().unwrap()]);
    assert_eq!(
        outcomes(&report),
        [("imported".to_owned(), "kb/x-2.md".to_owned())]
    );
    let id = report["entries"][0]["id"].as_str().unwrap();
    assert_eq!(
        env.mdmem(["show", id, "--json"]).any_stdout().run().json()["path"],
        "kb/x-2.md"
    );
    for _ in 0..2 {
        let again = import(&env, &[folder.to_str().unwrap()]);
        assert_eq!(
            outcomes(&again),
            [("already_there".to_owned(), "kb/x-2.md".to_owned())]
        );
    }
}

#[test]
fn an_import_of_which_nothing_can_be_read_fails() {
    let env = TestEnv::with_store();
    let folder = env.home().join("bad");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("bad.md"), b"caf\xe9\n").unwrap();
    for args in [
        &["import", "bad.md"][..],
        &["import", "bad.md", "--dry-run", "--json"],
    ] {
        env.mdmem(args)
            .current_dir(&folder)
            .any_stdout()
            .fails("nothing was imported: the only entry is not readable")
            .stderr_has("Fix what the report names")
            .run();
    }
    write_at(&folder.join("good.md"), "Use npm.\n");
    let report = import(&env, &[folder.to_str().unwrap()]);
    assert_eq!(report["counts"]["unreadable"], 1);
}
