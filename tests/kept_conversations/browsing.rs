//! Every question of `mdmem sessions`.

use serde_json::{Value, json};

use super::{Database, asked, called, said};
use crate::env::{TestEnv, write_at};

const KEY: &str = "AKIAIOSFODNN7EXAMPLQ";

/// A day in two sessions of the workspace, a sub-agent's, and one elsewhere.
fn day() -> (TestEnv, Database) {
    let env = TestEnv::with_store();
    let mut database = Database::new(&env);
    let here = env.workspace();
    database.session("ses_one", "Build the parser", &here);
    database.session("ses_two", "Mend the release", &here.join("sub/folder"));
    database.session("ses_sub", "Look for callers", &here);
    database.session("ses_far", "Another project", &env.home().join("elsewhere"));
    let link = "UPDATE session SET parent_id = 'ses_one' WHERE id = 'ses_sub'";
    database.db.execute(link, []).unwrap();
    database.user("ses_far", "needle elsewhere");
    database.user(
        "ses_one",
        "Decision: we use postgres for the queue, remember that.",
    );
    let edit = called("edit", &json!({"filePath": here.join("src/a.rs")}), "ok", None);
    let failed = called(
        "bash",
        &json!({"command": "cargo test"}),
        "error: it fails\nmore",
        Some(101),
    );
    database.answer(
        "ses_one",
        &[json!({"type": "step-start"}), said("I begin."), edit, failed],
    );
    database.user("ses_two", &format!("the key is {KEY}, needle"));
    database.answer("ses_sub", &[said("needle of a sub-agent")]);
    database.compaction("ses_one", "## Goal\n- finish the Parser");
    database.user("ses_one", "needle at last");
    (env, database)
}

fn texts(answer: &Value, list: &str, pointer: &str) -> Vec<String> {
    let all = answer[list].as_array().unwrap().iter();
    all.map(|item| item.pointer(pointer).unwrap().as_str().unwrap().to_owned())
        .collect()
}

fn ids(list: &Value) -> Vec<&str> {
    let all = list.as_array().unwrap().iter();
    all.map(|session| session["id"].as_str().unwrap()).collect()
}

#[test]
fn sessions_are_those_of_this_workspace_the_newest_first() {
    let (env, _database) = day();
    assert_eq!(ids(&asked(&env, &["list"])), ["ses_one", "ses_two"]);
    assert_eq!(
        ids(&asked(&env, &["list", "--subagents"])),
        ["ses_one", "ses_sub", "ses_two"]
    );
    let all = asked(&env, &["list", "--all"]);
    assert_eq!(ids(&all), ["ses_one", "ses_two", "ses_far"]);
    assert_eq!(ids(&asked(&env, &["list", "-n", "1"])), ["ses_one"]);
    env.mdmem(["sessions", "show", "ses_far"])
        .fails("no session `ses_far`")
        .run();
    assert_eq!(
        asked(&env, &["show", "ses_far", "--all"])["messages"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    env.mdmem(["sessions", "show", "_one"])
        .stdout_has("needle at last")
        .any_stderr()
        .run();
    env.mdmem(["sessions", "show", "ses_"])
        .fails("names 3 sessions")
        .run();
    // A folder that is none of a repository of its own any more, and one that is its own.
    let nested = env.workspace().join("sub/folder");
    write_at(&nested.join(".git/HEAD"), "ref: refs/heads/main\n");
    for name in ["objects", "refs"] {
        std::fs::create_dir_all(nested.join(".git").join(name)).unwrap();
    }
    assert_eq!(
        ids(&asked(&env, &["list"])),
        ["ses_one"],
        "a repository is a workspace of its own"
    );
}

#[test]
fn messages_are_read_from_either_end_each_once() {
    let env = TestEnv::with_store();
    let mut database = Database::new(&env);
    database.session("ses_long", "Long", &env.workspace());
    let wanted: Vec<String> = (0..57).map(|at| format!("text {at}")).collect();
    for text in &wanted {
        database.user("ses_long", text);
    }
    for (end, cursor) in [("--first", "after"), ("--tools", "before")] {
        let mut found = Vec::new();
        let mut place = end.to_owned();
        loop {
            let page = asked(&env, &["show", "ses_long", "-n", "10", &place]);
            let mut messages = texts(&page, "messages", "/parts/0/text");
            if cursor == "before" {
                messages.extend(found);
                found = messages;
            } else {
                found.extend(messages);
            }
            let Some(next) = page[cursor].as_str() else { break };
            place = format!("--{cursor}={next}");
        }
        assert_eq!(found, wanted, "{cursor}");
    }
    env.mdmem(["sessions", "show", "--before", "x"])
        .refuses("not a cursor")
        .run();
}

#[test]
fn a_search_needs_every_word_in_any_case_of_any_script() {
    let env = TestEnv::with_store();
    let mut database = Database::new(&env);
    database.session("ses_a", "A", &env.workspace());
    let lines = [
        "İstanbul'da hava",
        "Die STRASSE ist lang",
        "Ο ΟΔΥΣΣΕΥΣ γύρισε",
        "Город Москва",
        "設定ファイルを読む",
        "قال مرحبا بك",
        "done 👍🏽 now",
        "100% of a_b",
        "100 of axb",
        "foo BAR",
    ];
    for line in lines {
        database.user("ses_a", line);
    }
    for (words, expected) in [
        ("istanbul", vec![0]),
        ("İSTANBUL", vec![0]),
        ("straße", vec![1]),
        ("οδυσσεύς", vec![]),
        ("οδυσσευς", vec![2]),
        ("МОСКВА", vec![3]),
        ("設定", vec![4]),
        ("مرحبا", vec![5]),
        ("👍🏽", vec![6]),
        ("100%", vec![7]),
        ("a_b", vec![7]),
        ("%", vec![7]),
        ("100", vec![8, 7]),
        ("bar FOO", vec![9]),
        ("foo nothing", vec![]),
    ] {
        let whole = ["--json", "sessions", "search", "--sort=time", "--", words];
        let code = i32::from(expected.is_empty());
        let found = env.mdmem(whole).any_stdout().code(code).run().json();
        let found: Vec<String> = found["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(whole_snippet)
            .collect();
        let expected: Vec<&str> = expected.into_iter().map(|at: usize| lines[at]).collect();
        assert_eq!(found, expected, "{words}");
    }
    env.mdmem(["sessions", "search", " "]).fails("empty search").run();
}

fn whole_snippet(hit: &Value) -> String {
    let part = |name: &str| hit["snippet"][name].as_str().unwrap().to_owned();
    ["before", "hit", "behind"].map(part).concat()
}

#[test]
fn hits_come_newest_first_across_sessions_with_a_cursor() {
    let (env, mut database) = day();
    let sessions = |answer: &Value| texts(answer, "hits", "/session");
    assert_eq!(
        sessions(&asked(&env, &["search", "needle", "--sort=time"])),
        ["ses_one", "ses_two"]
    );
    let all = asked(&env, &["search", "NEEDLE", "--sort=time", "--all", "--subagents"]);
    assert_eq!(sessions(&all), ["ses_one", "ses_sub", "ses_two", "ses_far"]);
    let mut found = Vec::new();
    let mut place = "--quiet".to_owned();
    loop {
        let page = asked(
            &env,
            &[
                "search",
                "needle",
                "--sort=time",
                "--all",
                "--subagents",
                &place,
                "-n",
                "1",
            ],
        );
        found.extend(sessions(&page));
        let Some(next) = page["before"].as_str() else {
            break;
        };
        place = format!("--before={next}");
        if place.len() > 200 || found.len() > 9 {
            break;
        }
        // A message that comes meanwhile is newer, and changes nothing.
        database.user("ses_two", "a needle of now");
    }
    assert_eq!(found, ["ses_one", "ses_sub", "ses_two", "ses_far"]);
    env.mdmem(["sessions", "search", "cargo", "test", "--sort=time"])
        .code(1)
        .stderr_has("nothing found")
        .run();
    assert_eq!(
        sessions(&asked(&env, &["search", "cargo", "test", "--tools"])),
        ["ses_one"]
    );
}

#[test]
fn what_is_said_around_a_message_counts_and_pages_stay_while_messages_come() {
    let env = TestEnv::with_store();
    let mut database = Database::new(&env);
    for session in ["ses_a", "ses_b"] {
        database.session(session, session, &env.workspace());
    }
    let both = database.user("ses_a", "Which plugin has its own cache?");
    let alone = database.user("ses_a", "Nothing else is asked here");
    for filler in 0..3 {
        database.user("ses_a", &format!("filler {filler}"));
    }
    database.user("ses_a", "the plugins are loaded");
    let beside = database.user("ses_b", "The plugin of the editor");
    let lent = database.user("ses_b", "it is about the caches there");
    let found = |answer: &Value| texts(answer, "hits", "/id");
    let whole = asked(&env, &["search", "plugin", "cache"]);
    let ids = found(&whole);
    assert_eq!(ids[0], both, "every word leads: {whole}");
    assert!(!ids.contains(&alone), "a message without a word is no hit");
    let place = |id: &str| ids.iter().position(|it| it == id).unwrap();
    assert!(
        place(&lent) < 3 && place(&beside) < 3 && ids.len() == 4,
        "the turn beside it lends: {ids:?}"
    );
    assert_eq!(whole["hits"][0]["snippet"]["hit"], "plugin");
    assert_eq!(
        found(&asked(&env, &["search", "plugin", "cache", "--sort=time"])),
        [both]
    );
    let mut paged = Vec::new();
    let mut cursor = "--quiet".to_owned();
    for _ in 0..4 {
        let page = asked(&env, &["search", "plugin", "cache", "-n", "1", &cursor]);
        paged.extend(found(&page));
        cursor = page["before"]
            .as_str()
            .map_or(String::new(), |place| format!("--before={place}"));
        database.user("ses_b", "a plugin with a cache, and a cache with plugins");
    }
    assert_eq!((paged, cursor.as_str()), (ids, ""));
    let told = env.mdmem(["sessions", "search", "plugin", "cache", "-n", "1"]);
    let told = told.any_stdout().any_stderr().run().stderr;
    let more = told
        .split('`')
        .find_map(|part| part.split("more: ").nth(1))
        .unwrap_or(&told);
    assert!(
        more.contains("mdmem sessions search plugin cache --before "),
        "{told}"
    );
}

#[test]
fn no_answer_holds_a_credential_or_drives_the_terminal() {
    let (env, mut database) = day();
    database.session("ses_bad", &format!("Key {KEY} \u{1b}[2J"), &env.workspace());
    let output = format!("export AWS={KEY}\n\u{1b}]0;x\u{7}");
    let call = called(
        "bash",
        &json!({"command": format!("echo {KEY}")}),
        &output,
        Some(1),
    );
    database.answer("ses_bad", &[said(&format!("{KEY}\u{1b}[31m")), call]);
    write_at(
        &env.workspace().join(".opencode/plans/1-plan.md"),
        &format!("use {KEY}\n"),
    );
    for args in [
        "list --all",
        "show ses_bad --tools",
        "search key",
        "search --tools export",
        "compactions",
        "plans 1-plan.md",
        "stats ses_bad",
        "compare ses_bad ses_two",
        "export ses_bad --tools",
        "export ses_bad --to json --tools",
    ] {
        for form in ["sessions", "--json sessions"] {
            let whole = format!("{form} {args}");
            let seen = env.mdmem(whole.split(' ')).any_stdout().any_stderr().run().stdout;
            assert!(!seen.contains(KEY) && !seen.is_empty(), "{whole}: {seen}");
        }
        let seen = on_terminal(&env, args);
        assert!(
            !seen.contains('\u{1b}') && !seen.contains('\u{7}'),
            "{args}: {seen:?}"
        );
    }
    // A word that only a credential has finds nothing.
    env.mdmem(["sessions", "search", &KEY[..10], "--tools"])
        .code(1)
        .any_stderr()
        .run();
}

#[test]
fn facts_are_counted_and_two_sessions_stand_side_by_side() {
    let (env, _database) = day();
    let facts = asked(&env, &["stats", "ses_one"]);
    assert_eq!(
        (&facts["asked"], &facts["answers"], &facts["peak"]),
        (&json!(2), &json!(1), &json!(900))
    );
    assert_eq!(facts["files"], json!(["src/a.rs"]));
    assert_eq!(facts["errors"], json!(["bash: error: it fails"]));
    assert_eq!(facts["tools"]["bash"], json!({"calls": 1, "failed": 1}));
    let decided = facts["decisions"].as_array().unwrap();
    assert!(
        decided.len() == 1 && decided[0].as_str().unwrap().contains("postgres"),
        "{decided:?}"
    );
    let all = asked(&env, &["stats"]);
    assert_eq!((&all["sessions"], &all["asked"]), (&json!(2), &json!(3)));
    let both = asked(&env, &["compare", "ses_one", "ses_two"]);
    assert_eq!(
        (&both[0]["session"]["id"], &both[1]["session"]["id"]),
        (&json!("ses_one"), &json!("ses_two"))
    );
    let compactions = asked(&env, &["compactions"]);
    assert_eq!(
        (compactions.as_array().unwrap().len(), &compactions[0]["trigger"]),
        (1, &json!("auto"))
    );
    assert_eq!(
        (&compactions[0]["tokens_before"], &compactions[0]["session"]),
        (&json!(900), &json!("ses_one"))
    );
    env.mdmem(["sessions", "compactions", "ses_one"])
        .stdout_has("finish the Parser")
        .run();
    let exported = env
        .mdmem(["sessions", "export", "ses_one", "--tools"])
        .any_stdout()
        .run()
        .stdout;
    for part in [
        "# Build the parser\n",
        "## user, 2026-11-20T09:02:00Z\n",
        "```text\nerror: it fails\nmore\n```",
    ] {
        assert!(exported.contains(part), "{part} in {exported}");
    }
    let exported = asked(&env, &["export", "ses_one"]);
    assert_eq!(exported["messages"].as_array().unwrap().len(), 5);
}

#[test]
fn a_plan_is_a_file_of_its_folder_and_nothing_else() {
    let (env, _database) = day();
    let folder = env.workspace().join(".opencode/plans");
    let data = env.home().join(".local/share/opencode");
    write_at(&folder.join("7-own.md"), "my plan\n");
    write_at(&folder.join("not-a-plan.txt"), "x");
    write_at(&data.join("plans/1795165200000-calm-moon.md"), "of a session\n");
    write_at(&data.join("plans/5-stray.md"), "of nobody here\n");
    write_at(&env.home().join("secret.md"), "secret\n");
    std::os::unix::fs::symlink(env.home().join("secret.md"), folder.join("9-link.md")).unwrap();
    let names = |plans: &Value| {
        let all = plans.as_array().unwrap().iter();
        all.map(|plan| plan["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(&asked(&env, &["plans"])),
        ["7-own.md", "1795165200000-calm-moon.md"]
    );
    env.mdmem(["sessions", "plans", "7-own"])
        .stdout("my plan\n")
        .run();
    env.mdmem(["sessions", "plans", "1795165200000-calm-moon.md"])
        .stdout("of a session\n")
        .run();
    let absolute = env.home().join("secret.md").display().to_string();
    for name in [
        "9-link.md",
        "../../secret.md",
        "../7-own.md",
        "./7-own.md/../../../secret.md",
        &absolute,
        "5-stray.md",
        "..",
        "",
        "not-a-plan.txt",
        "sub/7-own.md",
    ] {
        env.mdmem(["sessions", "plans", name]).fails("no plan").run();
    }
    // A folder that is a link leads elsewhere.
    std::fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(env.home(), &folder).unwrap();
    assert_eq!(names(&asked(&env, &["plans"])), ["1795165200000-calm-moon.md"]);
    env.mdmem(["sessions", "plans", "secret.md"])
        .fails("no plan")
        .run();
}

#[test]
fn no_name_of_a_file_shows_a_credential() {
    const TOKEN: &str = "ghp_a8Kd02mfLs93kdPq71bXzR5tYw4uVn6cJh2E";
    let (env, mut database) = day();
    let folder = env.workspace().join(".opencode/plans");
    write_at(&folder.join(format!("plan-{TOKEN}.md")), "my plan\n");
    let file = env.workspace().join(format!("x-{TOKEN}.txt"));
    let edited = called("edit", &json!({"filePath": file}), "ok", None);
    let patch = json!({"type": "patch", "files": [env.workspace().join(TOKEN)]});
    database.answer("ses_one", &[edited, patch]);
    for args in [
        &["plans"][..],
        &["stats", "ses_one"],
        &["compare", "ses_one", "ses_one"],
        &["show", "ses_one", "--tools"],
        &["export", "ses_one"],
    ] {
        let told = asked(&env, args).to_string();
        assert!(!told.contains(TOKEN), "{args:?}: {told}");
        let text = env
            .mdmem([&["sessions"], args].concat())
            .any_stdout()
            .any_stderr()
            .run();
        assert!(!text.stdout.contains(TOKEN), "{args:?}: {}", text.stdout);
    }
    let files = asked(&env, &["stats", "ses_one"])["files"].to_string();
    assert!(files.contains("x-[REDACTED:github_token].txt"), "{files}");
    for name in [
        format!("plan-{TOKEN}"),
        "plan-[REDACTED:github_token].md".to_owned(),
    ] {
        env.mdmem(["sessions", "plans", &name]).stdout("my plan\n").run();
    }
}

#[test]
fn tables_fit_a_terminal_of_80_columns() {
    let (env, mut database) = day();
    let title = "設定ファイルを読むパーサーを直す、それから新しいリリースを出す、とても長い題名".to_owned();
    database.session("ses_df8f87ec0ffe83IWm2l6UJCCtl", &title, &env.workspace());
    database.user(
        "ses_df8f87ec0ffe83IWm2l6UJCCtl",
        &"long words and more ".repeat(20),
    );
    let mark = "Mend the release of the very long name ".repeat(4);
    database.compaction("ses_df8f87ec0ffe83IWm2l6UJCCtl", &mark);
    write_at(
        &env.workspace().join(".opencode/plans/1795165200000-calm-moon.md"),
        "plan\n",
    );
    let wide = |c: char| {
        if ('\u{3000}'..='\u{fffd}').contains(&c) {
            2
        } else {
            1
        }
    };
    for command in [
        "list",
        "list --all --subagents",
        "compactions",
        "plans",
        "stats",
        "compare ses_one ses_two",
    ] {
        let seen = on_terminal(&env, command);
        assert!(seen.lines().count() > 1, "{command}: {seen}");
        for line in seen.lines() {
            let columns: usize = line.trim_end().chars().map(wide).sum();
            assert!(columns <= 80, "{command}: {columns}: {line}");
        }
    }
}

/// The screen of a person at a terminal of 80 columns.
fn on_terminal(env: &TestEnv, command: &str) -> String {
    let command = format!("stty cols 80; {} sessions {command}", env!("CARGO_BIN_EXE_mdmem"));
    let mut script = env.command("script");
    script.env("TERM", "dumb").args(["-qec", &command, "/dev/null"]);
    script.stdin(std::process::Stdio::null());
    String::from_utf8(script.output().unwrap().stdout).unwrap()
}
