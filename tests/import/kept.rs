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
        .fails("has nothing of this workspace's: its projects are my-shop, other")
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
        fact.ends_with("\nFor files `**/*.ts,**/*.tsx`: Prefer named exports.\n")
            && fact.contains("tags: [ts]"),
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
    let two = env.read("bm/two.md");
    assert!(
        two.starts_with("---\npermalink: proj/two\nname: cache-rules\ndescription: Which caches may be purged\ntags: [cdn]\nid: "),
        "{two}"
    );
    assert!(
        two.ends_with("---\n\n# Cache rules\n\nPurge the CDN cache only from the release job.\n"),
        "{two}"
    );
    assert!(
        env.read("bm/blank.md")
            .starts_with("---\ntitle: Blank first\npermalink: notes/blank\n")
    );

    let rule = "---\ndescription: \nglobs: \nalwaysApply: false\n---\n---\ndescription: How flags are used\nglobs: src/flags.ts,src/*.tsx\n---\n# Flags\n\nUse one hook.\n\nNo more.\n";
    write_at(&env.workspace().join(".cursor/rules/feature-flags.mdc"), rule);
    import(&env, &["."]);
    let kept = env.read("reference/feature-flags.md");
    assert!(
        kept.contains("description: How flags are used\n")
            && kept.contains("paths: [\"src/flags.ts\", \"src/*.tsx\"]\n")
            && kept.contains("For files: `src/flags.ts,src/*.tsx`"),
        "{kept}"
    );
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
