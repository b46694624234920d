//! An import loses nothing that stands in a source, and takes nothing from a project that is not meant.

use serde_json::{Value, json};

use crate::env::{TestEnv, write_at};

fn import(env: &TestEnv, args: &[&str]) -> Value {
    let args = [&["import"], args, &["--json"]].concat();
    env.mdmem(args).any_stdout().any_stderr().run().json()
}

/// The outcome of each entry, with its path in the store.
fn outcomes(report: &Value) -> Vec<String> {
    let entries = report["entries"].as_array().unwrap().iter();
    let told = entries.map(|entry| {
        let path = entry["path"].as_str().unwrap_or_default();
        format!("{} {path}", entry["outcome"].as_str().unwrap())
    });
    told.collect()
}

#[test]
fn facts_in_an_index_of_notes_become_a_note_and_notes_keep_their_times() {
    let env = TestEnv::with_store();
    let folder = env.home().join("memory");
    let index = "# Memory\n\n- [Deploy rules](deploy_rules.md) - how releases go out\n\n## Quick facts\n\n- The staging database resets every Sunday at 03:00 UTC.\n";
    write_at(&folder.join("MEMORY.md"), index);
    let note = "---\nname: deploy-rules\ndescription: How releases go out\nmetadata:\n  node_type: memory\n  type: feedback\n  modified: 2026-07-22T10:00:00.000Z\n---\nDeploy only from main.\n\n**Why:** a branch deploy broke the cart.\n";
    write_at(&folder.join("deploy_rules.md"), note);
    let report = import(&env, &[folder.to_str().unwrap()]);
    assert_eq!(
        outcomes(&report),
        [
            "imported project/memory-index.md",
            "imported feedback/deploy_rules.md"
        ]
    );
    let kept = env.read("project/memory-index.md");
    assert!(
        kept.contains("resets every Sunday") && !kept.contains("deploy_rules.md"),
        "{kept}"
    );
    let note = env.read("feedback/deploy_rules.md");
    assert!(note.contains("\nupdated: 2026-07-22T10:00:00Z\n"), "{note}");
    // An index of links alone is none.
    write_at(
        &folder.join("MEMORY.md"),
        "# Memory\n\n- [Deploy rules](deploy_rules.md)\n",
    );
    let report = import(&env, &[folder.to_str().unwrap()]);
    assert_eq!(outcomes(&report), ["already_there feedback/deploy_rules.md"]);
}

#[test]
fn a_project_of_engram_is_known_in_another_spelling_and_by_the_remote_and_no_other_comes_in() {
    let env = TestEnv::with_store();
    let export = env.home().join("e.json");
    let write = |projects: &[&str]| {
        let observation = |(at, project): (usize, &&str)| {
            json!({ "id": at, "sync_id": format!("obs-{at}"), "type": "decision", "title": format!("T{at}"),
                "content": format!("Fact {at} of {project}"), "project": project })
        };
        let observations: Vec<Value> = projects.iter().enumerate().map(observation).collect();
        write_at(&export, &json!({ "observations": observations }).to_string());
    };
    let name = env.workspace().file_name().unwrap().to_str().unwrap().to_owned();
    let path = export.to_str().unwrap();
    write(&[&name.to_uppercase(), "other", &name, &format!("-{name}_")]);
    let fates: Vec<bool> = outcomes(&import(&env, &[path, "-n"]))
        .iter()
        .map(|fate| fate.starts_with("imported"))
        .collect();
    assert_eq!(fates, [true, false, true, true]);
    write(&["my-shop", "other"]);
    env.mdmem(["import", path])
        .fails("has nothing of this workspace; its projects are my-shop, other")
        .stderr_has("hint: Run it in the folder of one of them")
        .run();
    let git = |args: &[&str]| {
        let mut git = env.command("git");
        assert!(
            git.current_dir(env.workspace())
                .args(args)
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "-q"]);
    git(&["remote", "add", "origin", "git@example.com:team/My_Shop.git"]);
    let report = import(&env, &[path, "-n"]);
    assert_eq!(report["counts"]["imported"], 1, "{report}");
    let all = env.mdmem(["--global", "import", path, "-n", "--json"]);
    assert_eq!(
        all.any_stdout().any_stderr().run().json()["counts"]["imported"],
        2
    );
}

#[test]
fn facts_of_a_rule_say_for_which_files_they_are_and_of_which_rule() {
    let env = TestEnv::with_store();
    let rules = env.workspace().join(".cursor/rules");
    let rule =
        "---\ndescription: \nglobs: **/*.ts,**/*.tsx\nalwaysApply: false\n---\n- Prefer named exports.\n";
    write_at(&rules.join("ts.mdc"), rule);
    let report = import(&env, &[".", "--as", "facts"]);
    let path = report["entries"][0]["path"].as_str().unwrap();
    let fact = env.read(path);
    assert!(
        fact.ends_with("\nPrefer named exports.\n")
            && fact.contains("tags: [ts]\n")
            && fact.contains("paths: [\"**/*.ts\", \"**/*.tsx\"]\n"),
        "{fact}"
    );
}

#[test]
fn notes_that_differ_in_their_properties_alone_all_come_in() {
    let env = TestEnv::with_store();
    let vault = env.home().join("v");
    write_at(&vault.join("Orders.md"), "---\nowner: team-a\nport: 5433\n---\n");
    for person in ["Kim", "Lee"] {
        let text = format!("---\nrole: role of {person}\n---\n## Meetings\n\n![[Meetings.base#Person]]\n");
        write_at(&vault.join(format!("{person}.md")), &text);
    }
    let all = ["v/Kim.md", "v/Lee.md", "v/Orders.md"];
    for fate in ["imported", "already_there"] {
        let report = import(&env, &[vault.to_str().unwrap()]);
        assert_eq!(outcomes(&report), all.map(|path| format!("{fate} {path}")));
    }
    assert!(env.read("v/Orders.md").contains("port: 5433"));
}

#[test]
fn a_time_without_an_offset_is_one_and_so_are_milliseconds() {
    let env = TestEnv::with_store();
    let folder = env.home().join("v");
    let forms = [
        "2024-06-06T10:00:00",
        "2024-06-06 10:00",
        "2024/06/06 10:00:00",
        "2024-06-06T10:00:00.123456",
        "2024-06-06 12:00:00 +0200",
        "2024-06-06T12:00:00+0200",
        "1717668000000",
    ];
    for (at, form) in forms.iter().enumerate() {
        let text = format!("---\ncreated: {form}\nupdated: {form}\n---\nFact number {at}.\n");
        write_at(&folder.join(format!("t{at}.md")), &text);
    }
    import(&env, &[folder.to_str().unwrap()]);
    for (at, form) in forms.iter().enumerate() {
        let path = format!("v/t{at}.md");
        let shown = env.mdmem(["show", &path, "--json"]).any_stdout().run().json();
        let created = shown["created"].as_str().unwrap_or_default().to_owned();
        assert!(created.starts_with("2024-06-06T10:00:00"), "{form}: {shown}");
    }
    let check = env
        .mdmem(["check", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .stdout;
    assert!(!check.contains("bad-time"), "{check}");
}

#[test]
fn two_frontmatters_are_one_and_a_rule_keeps_what_it_holds_for() {
    let env = TestEnv::with_store();
    let folder = env.home().join("bm");
    write_at(
        &folder.join("two.md"),
        "---\npermalink: proj/two\n---\n\n---\nname: cache-rules\ndescription: Which caches may be purged\ntags: [cdn]\n---\n\n# Cache rules\n\nPurge the CDN cache only from the release job.\n",
    );
    write_at(
        &folder.join("blank.md"),
        "\n\n---\ntitle: Blank first\npermalink: notes/blank\n---\nBody behind blank lines.\n",
    );
    import(&env, &[folder.to_str().unwrap(), "--from", "basic-memory"]);
    let two = env
        .mdmem(["show", "bm/two.md", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(two["description"], "Which caches may be purged", "{two}");
    assert_eq!(two["tags"], json!(["cdn"]), "{two}");
    let blank = env
        .mdmem(["show", "bm/blank.md", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(blank["body"], "Body behind blank lines.");

    let rule = "---\ndescription: \nglobs: \nalwaysApply: false\n---\n---\ndescription: How flags are used\nglobs: src/flags.ts,src/*.tsx\n---\n# Flags\n\nUse one hook.\n\nNo more.\n";
    write_at(&env.workspace().join(".cursor/rules/feature-flags.mdc"), rule);
    import(&env, &["."]);
    let kept = env.read("reference/feature-flags.md");
    assert!(
        kept.contains("paths: [src/flags.ts, src/*.tsx]\n")
            && kept.ends_with("# Flags\n\nUse one hook.\n\nNo more.\n"),
        "{kept}"
    );
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    for line in [
        "- In src/flags.ts, src/*.tsx: How flags are used (reference/feature-flags.md)",
        "bm/two.md — Which caches may be purged",
    ] {
        assert!(prompt.contains(line) && !prompt.contains("---"), "{prompt}");
    }
    // One that a person wrote so is named.
    env.write(
        "project/own.md",
        "---\ntype: project\n---\n\n---\ntags: [a]\n---\nWords.\n",
    );
    let check = env
        .mdmem(["check", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .stdout;
    assert!(check.contains("second-frontmatter"), "{check}");
}

#[test]
fn properties_are_content() {
    let env = TestEnv::with_store();
    let folder = env.home().join("v");
    let card = "---\nowner: team-a\nport: 5433\nhost: db1.example.com\n---\n";
    write_at(&folder.join("Orders database.md"), card);
    for person in ["Kim", "Lee"] {
        let text = format!(
            "---\nrole: role of {person}\nemail: {person}@example.com\n---\n## Meetings\n\n![[Meetings.base#Person]]\n"
        );
        write_at(&folder.join(format!("{person}.md")), &text);
    }
    let report = import(&env, &[folder.to_str().unwrap()]);
    assert_eq!(report["counts"]["imported"], 3, "{report}");
    for (words, path) in [
        ("5433", "v/Orders database.md"),
        ("db1.example.com", "v/Orders database.md"),
        ("role of Lee", "v/Lee.md"),
    ] {
        env.mdmem(["search", words]).stdout_has(path).any_stderr().run();
    }
    env.mdmem(["render"])
        .stdout_has("v/Orders database.md — owner: team-a, port: 5433, host: db1.example.com")
        .run();
}

#[test]
fn a_source_that_changed_comes_in_the_place_of_what_it_said() {
    let env = TestEnv::with_store();
    let rules = env.workspace().join("CLAUDE.md");
    write_at(
        &rules,
        "# App\n\n## Build\n\n- Use npm for builds.\n- Never commit to main.\n\nMore.\n",
    );
    let notes = import(&env, &["."]);
    assert_eq!(outcomes(&notes), ["imported reference/claude.md"]);
    // The same file as facts says nothing twice.
    let facts = import(&env, &[".", "--as", "facts"]);
    assert_eq!(facts["counts"]["changed"], 1, "{facts}");
    assert_eq!(facts["counts"]["imported"], 2, "{facts}");
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert_eq!(prompt.matches("Use npm for builds").count(), 1, "{prompt}");
    // A line that changed takes the place of what it was; the others stay.
    write_at(
        &rules,
        "# App\n\n## Build\n\n- Use pnpm for builds.\n- Never commit to main.\n\nMore.\n",
    );
    let dry = import(&env, &[".", "--as", "facts", "-n"]);
    let again = import(&env, &[".", "--as", "facts"]);
    assert_eq!(dry["entries"], again["entries"]);
    assert_eq!(
        again["entries"][0]["remark"],
        "replaces feedback/use-npm-for-builds.md"
    );
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert!(
        !prompt.contains("Use npm") && prompt.contains("Use pnpm") && prompt.contains("Never commit"),
        "{prompt}"
    );
    let twice = import(&env, &[".", "--as", "facts"]);
    assert!(twice["commit"].is_null(), "{twice}");
    // A source that says again what it said.
    write_at(
        &rules,
        "# App\n\n## Build\n\n- Use npm for builds.\n- Never commit to main.\n\nMore.\n",
    );
    import(&env, &[".", "--as", "facts"]);
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert!(
        prompt.contains("Use npm") && !prompt.contains("Use pnpm"),
        "{prompt}"
    );
}

#[test]
fn every_folder_of_rules_is_read_with_what_it_holds_for() {
    let env = TestEnv::with_store();
    let here = env.workspace();
    let list = "---\npaths:\n  - \"src/api/**\"\n---\n- Validate every input of the API.\n";
    for (path, text) in [
        ("CLAUDE.md", "@AGENTS.md\n@docs/gone.md\n"),
        ("apps/CLAUDE.md", "# Docs\n\n- [Setup](setup.md)\n"),
        (
            "apps/AGENTS.md",
            "# Agents\n\nSee ../AGENTS.md for the guidelines.\n",
        ),
        ("AGENTS.md", "Use npm, not yarn.\n"),
        (".claude/rules/api.md", list),
        (".clinerules/style.md", "Prefer small functions.\n"),
        (
            ".windsurf/rules/go.md",
            "---\ntrigger: glob\nglobs: *.go\n---\nWrap each error.\n",
        ),
        (
            ".github/instructions/ts.instructions.md",
            "---\napplyTo: '**/*.ts'\n---\nNo default exports.\n",
        ),
        ("packages/web/CLAUDE.md", "Use the design tokens.\n"),
        (
            "packages/web/.cursor/rules/css.mdc",
            "---\nglobs: *.css\n---\nNo ids in selectors.\n",
        ),
        ("node_modules/x/CLAUDE.md", "Not ours.\n"),
    ] {
        write_at(&here.join(path), text);
    }
    let report = import(&env, &["."]);
    let told: Vec<&str> = report["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["remark"].as_str())
        .collect();
    assert_eq!(
        told,
        [
            "it only refers to AGENTS.md, docs/gone.md; it refers to docs/gone.md, which was not read",
            "it only refers to setup.md",
            "it only refers to ../AGENTS.md",
        ]
    );
    for (path, line) in [
        ("reference/agents.md", "Use npm, not yarn."),
        ("reference/style.md", "Prefer small functions."),
        ("reference/api.md", "paths: [src/api/**]\n"),
        ("reference/go.md", "paths: [\"*.go\"]\n"),
        ("reference/ts-instructions.md", "paths: [\"**/*.ts\"]\n"),
        ("reference/packages-web-claude.md", "paths: [packages/web/**]\n"),
        ("reference/packages-web-css.md", "paths: [packages/web/*.css]\n"),
    ] {
        assert!(env.read(path).contains(line), "{path}: {}", env.read(path));
    }
    assert_eq!(report["counts"]["imported"], 7, "{report}");
}

#[test]
fn records_of_other_tools_become_memories_with_their_times_and_links() {
    let env = TestEnv::with_store();
    let home = env.home();
    let graph = "{\"type\":\"entity\",\"name\":\"Orders DB\",\"entityType\":\"service\",\"observations\":[\"Runs on port 5433\",\"Owned by team A\"]}\n{\"type\":\"entity\",\"name\":\"Sam\",\"entityType\":\"person\",\"observations\":[\"Prefers short answers\"]}\n{\"type\":\"relation\",\"from\":\"Sam\",\"to\":\"Orders DB\",\"relationType\":\"maintains\"}\n";
    let file = write_at(&home.join("memory.json"), graph);
    let report = import(&env, &[file.to_str().unwrap()]);
    assert_eq!(report["counts"]["imported"], 2, "{report}");
    let sam = env.mdmem(["show", "Sam", "--json"]).any_stdout().run().json();
    assert_eq!(sam["type"], "project");
    assert!(
        sam["text"].as_str().unwrap().contains("maintains [[Orders DB]]"),
        "{sam}"
    );
    env.mdmem(["check"]).any_stderr().any_stdout().run();
    let facts = import(&env, &[file.to_str().unwrap(), "--as", "facts"]);
    assert!(
        facts.to_string().contains("Orders DB: Runs on port 5433"),
        "{facts}"
    );

    let mem0 = json!({ "results": [{ "id": "7c1f", "memory": "The user likes tabs", "created_at": "2024-07-20T01:30:36.275141-07:00",
        "updated_at": null, "categories": ["style"], "user_id": "sam" }] });
    let file = write_at(&home.join("mem0.json"), &mem0.to_string());
    let report = import(&env, &[file.to_str().unwrap()]);
    let path = report["entries"][0]["path"].as_str().unwrap().to_owned();
    let text = env.read(&path);
    assert!(
        text.contains("created: 2024-07-20T08:30:36") && text.contains("tags: [style]"),
        "{text}"
    );

    let name = env.workspace().file_name().unwrap().to_str().unwrap().to_owned();
    let db = home.join("claude-mem.db");
    let connection = rusqlite::Connection::open(&db).unwrap();
    connection.execute_batch(&format!("
        CREATE TABLE observations (id INTEGER, project TEXT, type TEXT, title TEXT, narrative TEXT, facts TEXT, concepts TEXT, created_at TEXT, created_at_epoch INTEGER);
        INSERT INTO observations VALUES (1, '{name}', 'decision', 'Chose SQLite', 'It needs no server.', '[\"One file\"]', '[\"db\"]', '2026-01-02T03:04:05.000Z', 1);
        INSERT INTO observations VALUES (2, 'other', 'decision', 'Not ours', 'x', '[]', '[]', '2026-01-02T03:04:05.000Z', 2);
    ")).unwrap();
    drop(connection);
    let report = import(&env, &[db.to_str().unwrap()]);
    let fates: Vec<&str> = report["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(fates, ["imported", "left_out"]);
    let text = env.read(report["entries"][0]["path"].as_str().unwrap());
    assert!(
        text.contains("- One file")
            && text.contains("2026-01-02T03:04:05Z")
            && text.contains("It needs no server."),
        "{text}"
    );

    let chunk = |name: &str, text: &str| {
        use std::io::Write as _;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        let path = env.workspace().join(".engram/chunks").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, gzip.finish().unwrap()).unwrap();
    };
    let observation = |title: &str, time: &str| json!({ "sync_id": "obs-1", "title": title, "content": "Two\n\nlines", "project": name, "updated_at": time });
    chunk(
        "a.jsonl.gz",
        &json!({ "observations": [observation("Later", "2026-02-02 00:00:00")] }).to_string(),
    );
    chunk(
        "b.jsonl.gz",
        &json!({ "observations": [observation("Earlier", "2026-01-02 00:00:00")], "prompts": [1] })
            .to_string(),
    );
    write_at(&env.workspace().join(".engram/manifest.json"), "{}");
    let report = import(&env, &[".engram"]);
    assert!(
        report["entries"][0]["text"].as_str().unwrap().contains("Later"),
        "{report}"
    );
    assert_eq!(report["counts"]["imported"], 1, "{report}");
}

#[test]
fn a_name_that_another_system_cannot_hold_keeps_its_folder_and_is_told() {
    let env = TestEnv::with_store();
    let vault = env.home().join("vault");
    for name in ["log/10:30 standup.md", "log/con.md", "log/a\\b.md"] {
        write_at(&vault.join(name), &format!("About {name}.\n"));
    }
    let report = import(&env, &[vault.to_str().unwrap()]);
    assert_eq!(
        outcomes(&report),
        [
            "imported vault/log/10-30 standup.md",
            "imported vault/log/a-b.md",
            "imported vault/log/con_.md"
        ]
    );
    let is_told = |entry: &Value| entry["remark"].as_str().unwrap().contains("another path");
    assert!(report["entries"].as_array().unwrap().iter().all(is_told));
    // Links lead there by the name that it had.
    env.mdmem(["show", "10:30 standup"])
        .stdout_has("About log/10:30")
        .any_stderr()
        .run();
}

#[test]
fn a_repository_with_a_folder_of_projects_is_no_store_of_opencode_memfs() {
    let env = TestEnv::with_store();
    let one = env.home().join("src/projects/one");
    std::fs::create_dir_all(env.home().join("src/.git")).unwrap();
    write_at(&one.join("system/notes.md"), "Two lines\n\nof a design.\n");
    for folder in [&one, &env.home().join("src")] {
        let report = import(&env, &[folder.to_str().unwrap(), "-n"]);
        let path = report["entries"][0]["path"].as_str().unwrap();
        assert!(!path.starts_with("system/"), "{report}");
    }
}

#[test]
fn what_has_lines_keeps_them_in_the_prompt_and_in_exports() {
    let env = TestEnv::with_store();
    env.write(
        "user/profile.md",
        "- Senior developer.\n- Prefers short answers.\n",
    );
    env.write(
        "project/debug.md",
        "# Debugging\n- The flaky test is cart_total.\n- Use the seed 42.\n",
    );
    env.write(
        "project/code.md",
        "```sh\ncd api\nmake deploy # after the tests\nmake smoke\n```\n",
    );
    env.write("project/setext.md", "Setext title\n============\nText below.\n");
    env.write("project/one.md", "- Only one item.\n");
    env.mdmem(["sweep", "-q"]).any_stdout().run();
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    for line in [
        "- Senior developer. Prefers short answers. (user/profile.md)",
        "- Debugging: The flaky test is cart_total. Use the seed 42. (project/debug.md)",
        "- cd api; make deploy # after the tests; make smoke (project/code.md)",
        "- Setext title: Text below. (project/setext.md)",
        "- Only one item. (",
    ] {
        assert!(prompt.contains(line), "{line}\n{prompt}");
    }
    let exported = env
        .mdmem(["export", "--to", "markdown"])
        .any_stderr()
        .any_stdout()
        .run()
        .stdout;
    for lines in [
        "- Senior developer.\n- Prefers short answers.\n",
        "cd api\nmake deploy # after the tests\n",
    ] {
        assert!(exported.contains(lines), "{exported}");
    }
}

#[test]
fn an_observation_in_named_parts_is_a_fact_with_its_reason() {
    let env = TestEnv::with_store();
    let export = json!({ "observations": [
        { "id": 1, "sync_id": "obs-a1", "type": "bugfix", "title": "Fixed N+1", "topic_key": "bugs/n", "created_at": "2026-03-20 07:08:10",
            "content": "Seen late.\n**Why**: 40 queries\n  a page\n**Where**: src/db.rs\n**What**: Load *eagerly*" },
        { "id": 2, "title": "Code", "content": "**What**: Run it\n**Learned**:\n```\n# so\n```" },
        { "id": 3, "title": "Gone", "content": "x", "deleted_at": "2026-03-22 00:00:00" }, 3,
        { "id": 5, "type": "session_summary", "title": "Session", "content": "## Goal\n\nz" },
    ], "prompts": [{}] });
    let file = write_at(&env.home().join("e.json"), &export.to_string());
    let report = import(&env, &[file.to_str().unwrap(), "--as", "facts"]);
    assert_eq!(
        outcomes(&report),
        [
            "imported project/load-eagerly.md",
            "imported project/code.md",
            "left_out ",
            "unreadable ",
            "archived archive/sessions/session.md",
            "left_out "
        ]
    );
    let fact = env.read("project/load-eagerly.md");
    assert!(
        fact.ends_with(
            "id: obs-a1\n---\nLoad *eagerly*\n\nWhy: 40 queries a page Seen late. Where: src/db.rs\n"
        ) && fact.contains("created: 2026-03-20T07:08:10Z\n")
            && fact.contains("tags: [bugfix, bugs/n]\n"),
        "{fact}"
    );
}

/// What came as facts does not come as a note too, and nothing gives way to a note that does not come.
#[test]
fn notes_after_facts_change_nothing() {
    let env = TestEnv::with_store();
    let rules = "# Rules\n\nThe prose about the heliotrope deploy stays in the note.\n\n- Use tabs in all the Makefiles here.\n";
    write_at(&env.workspace().join("CLAUDE.md"), rules);
    import(&env, &[".", "--as", "facts"]);
    let before = env.mdmem(["list", "--all", "--paths"]).any_stdout().run().stdout;
    import(&env, &["."]);
    assert_eq!(env.mdmem(["list", "--paths"]).any_stdout().run().stdout, before);
    env.mdmem(["search", "heliotrope"])
        .stdout_has("reference/claude.md")
        .run();
}
