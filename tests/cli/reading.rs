//! Commands that only read: `list`, `show`, `why`, `path`, `check`, `log`, `diff`, `status`.

use crate::env::TestEnv;

/// A store with one memory of each kind, committed.
fn env() -> TestEnv {
    let env = TestEnv::with_store();
    env.write(
        "decision/use-npm-cache.md",
        "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\nsource: explicit\ncreated: 2026-11-10T10:00:00Z\n---\nUse npm cache for plugin loading, not npm link.\n\nWhy: npm link breaks peer dependencies.\n",
    );
    env.write("project/old-port.md", "The server listens on port 8080\n");
    env.write("archive/old-port.md", "The server listened on port 80\n");
    env.write(
        "system/human.md",
        "# About me\n\nI write Rust.\n\nAnd I like tests.\n",
    );
    env.write("ideas/later.md", "Perhaps a browser extension\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

#[test]
fn list_is_a_table_the_strongest_first() {
    let env = env();
    let output = env.mdmem(["list"]).any_stdout().any_stderr().run();
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines[0].starts_with("STRENGTH"), "{}", output.stdout);
    assert_eq!(lines.len(), 5, "{}", output.stdout);
    assert!(
        lines[1].contains(" pinned ") && lines[1].ends_with("system/human.md"),
        "{}",
        output.stdout
    );
    assert!(
        lines[2].contains("█████") && lines[2].ends_with("decision/use-npm-cache.md"),
        "{}",
        output.stdout
    );
    assert!(!output.stdout.contains("archive/"), "{}", output.stdout);
}

#[test]
fn list_prints_paths_for_other_programs() {
    let env = env();
    let all = "archive/old-port.md\ndecision/use-npm-cache.md\nideas/later.md\nproject/old-port.md\nsystem/human.md\n";
    env.mdmem(["list", "--paths", "--all", "--sort", "path"])
        .stdout(all)
        .run();
    env.mdmem(["list", "--paths", "-0", "--type", "decision"])
        .stdout("$STORE/decision/use-npm-cache.md\0")
        .run();
    env.mdmem(["list", "--paths", "--zone", "archive"])
        .stdout("archive/old-port.md\n")
        .run();
}

#[test]
fn list_cuts_nothing_in_a_pipe() {
    let env = env();
    let text = format!("{} zebra", "A fact that goes on and on. ".repeat(20));
    env.write("project/long.md", &format!("{text}\n"));
    env.mdmem(["list"]).stdout_has(&text).any_stderr().run();
}

#[test]
fn list_in_json_has_the_keys_of_the_frontmatter() {
    let env = env();
    let json = env
        .mdmem(["list", "--json", "--type", "decision"])
        .any_stdout()
        .run()
        .json();
    let memory = &json[0];
    assert_eq!(memory["id"], "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R");
    assert_eq!(memory["path"], "decision/use-npm-cache.md");
    assert_eq!(
        (&memory["type"], &memory["source"]),
        (&"decision".into(), &"explicit".into())
    );
    assert_eq!(memory["text"], "Use npm cache for plugin loading, not npm link.");
    assert_eq!(memory["rationale"], "npm link breaks peer dependencies.");
    assert_eq!(memory["created"], "2026-11-10T10:00:00Z");
    assert_eq!(memory["initial"], 5.0);
    assert_eq!(memory["fate"], "ranked");
}

#[test]
fn show_prints_the_file_or_its_body() {
    let env = env();
    env.mdmem(["show", "use-npm-cache", "--raw"])
        .stdout(env.read("decision/use-npm-cache.md"))
        .run();
    env.mdmem(["show", "use-npm-cache", "--body"])
        .stdout(
            "Use npm cache for plugin loading, not npm link.\n\nWhy: npm link breaks peer dependencies.\n",
        )
        .run();
    env.mdmem(["show", "mem_01K9Z"])
        .stdout_has("decision/use-npm-cache.md")
        .stdout_has("source: explicit")
        .run();
}

#[test]
fn a_name_that_is_not_one_says_what_is() {
    let env = env();
    env.mdmem(["show", "old-port"])
        .code(1)
        .stderr(
            "error: `old-port` names 2 memories\n\
             hint: Name one of them: archive/old-port.md, project/old-port.md.\n",
        )
        .run();
    env.mdmem(["why", "use-npm-cash"])
        .code(1)
        .stderr(
            "error: there is no memory `use-npm-cash`\n\
             hint: Did you mean decision/use-npm-cache.md?\n",
        )
        .run();
    env.mdmem(["show", "qqqq"])
        .fails("hint: `mdmem list --all` lists every memory, ")
        .run();
}

#[test]
fn why_tells_the_numbers() {
    let env = env();
    env.mdmem(["why", "use-npm-cache"])
        .stdout_has("decision/use-npm-cache.md is shown: 1 of 2 memories")
        .stdout_has("decision 2.5 × explicit 2 × normal 1")
        .stdout_has("half-life  45 days")
        .run();
    env.mdmem(["why", "archive/old-port"])
        .stdout_has("is not shown (archived)")
        .run();
    let json = env
        .mdmem(["why", "use-npm-cache", "--json", "--at", "2027-01-04"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(json["at"], "2027-01-04T00:00:00Z");
    assert!(json["strength"].as_f64().unwrap() < json["initial"].as_f64().unwrap());
}

#[test]
fn times_are_those_of_the_zone_and_of_then() {
    let env = env();
    env.advance_days(2);
    env.write("project/late.md", "Came two days later\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let json = env
        .mdmem(["why", "use-npm-cache", "--json", "--at", "1 day"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(json["ranked_of"], 2);
    env.mdmem(["why", "late", "--at", "yesterday"])
        .fails("there was no memory `late` at ")
        .run();
    env.mdmem(["restore", "3 days ago"])
        .fails("this store has no history that old: it began 2 days ago")
        .run();
    let utc = env.mdmem(["log", "-n1"]).any_stdout().run().stdout;
    let tokyo = env
        .mdmem(["log", "-n1"])
        .var("TZ", "JST-9")
        .any_stdout()
        .run()
        .stdout;
    assert_ne!(utc, tokyo);
    let flag = env.mdmem(["log", "-n1", "--utc"]).var("TZ", "JST-9").any_stdout();
    assert_eq!(flag.run().stdout, utc);
}

#[test]
fn a_bad_time_is_one_clear_message() {
    let env = env();
    env.mdmem(["why", "use-npm-cache", "--at", "soon"])
        .code(2)
        .stderr(
            "error: `soon` is not a time\n\
             hint: Times are written like 2026-11-01, 2026-11-01T10:00:00Z, yesterday, \"2 weeks ago\", \"in 30 days\" or \"last friday 18:00\"; without Z in the zone of TZ.\n",
        )
        .run();
}

#[test]
fn path_is_for_the_shell() {
    let env = env();
    env.mdmem(["path"]).stdout("$STORE\n").run();
    env.mdmem(["path", "use-npm-cache"])
        .stdout("$STORE/decision/use-npm-cache.md\n")
        .run();
}

#[test]
fn check_names_line_column_and_mend() {
    let env = env();
    env.mdmem(["check"]).any_stdout().any_stderr().run();
    env.write(
        "decision/broken.md",
        "---\ntype: decision\ndescription: fix: the build\n---\nBroken\n",
    );
    let output = env.mdmem(["check"]).code(1).any_stdout().run();
    assert!(
        output.stdout.contains("decision/broken.md:3:"),
        "{}",
        output.stdout
    );
    let json = env
        .mdmem(["check", "--json", "broken"])
        .code(1)
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        (&json[0]["path"], &json[0]["line"]),
        (&"decision/broken.md".into(), &3.into())
    );
}

#[test]
fn check_finds_what_is_no_fault_of_one_file() {
    let env = env();
    env.write("decision/Use-NPM-cache.md", "Another text\n");
    env.write("project/same.md", "the server listens on PORT 8080.\n");
    env.write("project/links.md", "See [[use-npm-cache]] and [[nowhere]]\n");
    env.write("recipe/soup.md", "---\ntype: recipe\n---\nSoup\n");
    let settings = env.read("mdmem.toml");
    env.write("mdmem.toml", &format!("{settings}[render]\nmax_char = 1\n"));
    let output = env.mdmem(["check"]).code(1).any_stdout().run();
    for part in [
        "decision/use-npm-cache.md: warning: differs from decision/Use-NPM-cache.md only in case or Unicode form [name-clash]",
        "says the same as project/",
        "project/links.md:1: note: links to [[nowhere]], which is no memory here [dangling-link]",
        "recipe/soup.md: warning: the type `recipe` is not known",
        "error: there is no setting `render.max_char`; did you mean `render.max_chars`? [setting]",
    ] {
        assert!(output.stdout.contains(part), "{part}\n{}", output.stdout);
    }
    env.mdmem(["check", "project/links.md"])
        .stdout_has("[[nowhere]]")
        .run();
}

#[test]
fn log_is_one_line_a_commit() {
    let env = env();
    let output = env.mdmem(["log", "-n", "1"]).any_stdout().run();
    assert_eq!(output.stdout.lines().count(), 1);
    assert!(output.stdout.contains("memory: "), "{}", output.stdout);
    let json = env.mdmem(["log", "--json"]).any_stdout().run().json();
    assert!(json[0]["subject"].as_str().unwrap().starts_with("memory: "));
    assert!(
        json[0]["files"]
            .as_array()
            .unwrap()
            .iter()
            .any(|file| file["path"] == "project/old-port.md")
    );
    env.mdmem(["rm", "use-npm-cache"]).any_stdout().any_stderr().run();
    env.mdmem(["log", "use-npm-cache"])
        .stdout_has("memory: remove decision/use-npm-cache")
        .run();
    env.mdmem(["log", "mem_01K9Z", "-n", "1"])
        .stdout_has("memory: remove decision/use-npm-cache")
        .run();
    env.mdmem(["log", "--since", "2027-01-01"]).run();
    env.mdmem(["log", "nobody"])
        .fails("there is no memory `nobody`")
        .run();
}

#[test]
fn diff_shows_what_is_not_committed_and_what_was() {
    let env = env();
    env.mdmem(["diff"]).run();
    env.write("project/old-port.md", "The server listens on port 8081\n");
    env.mdmem(["diff"])
        .stdout(
            "--- a/project/old-port.md\n+++ b/project/old-port.md\n@@ -1 +1 @@\n\
             -The server listens on port 8080\n+The server listens on port 8081\n",
        )
        .run();
    env.mdmem(["diff", "--", "use-npm-cache"]).run();
}

#[test]
fn status_counts_and_names_what_is_not_committed() {
    let env = env();
    env.write("project/new.md", "A new one\n");
    env.mdmem(["status"])
        .stdout_has("$STORE")
        .stdout_has("$WORKSPACE")
        .stdout_has("added    project/new.md")
        .run();
    let json = env.mdmem(["status", "--json"]).any_stdout().run().json();
    assert_eq!(json["memories"]["total"], 6);
    assert_eq!(json["uncommitted"][0]["path"], "project/new.md");
}

#[test]
fn a_memory_cannot_drive_the_terminal() {
    let env = env();
    env.write("project/evil.md", "Ring \u{1b}[2J\u{7} the bell\n");
    let output = env.mdmem(["list"]).any_stdout().any_stderr().run();
    assert!(
        output.stdout.contains("Ring \\x1b[2J\\x07 the bell"),
        "{}",
        output.stdout
    );
}

#[test]
fn the_history_is_searched_and_shown_line_by_line() {
    let env = env();
    env.advance_days(3);
    env.mdmem(["add", "Zebra crossings are striped"])
        .any_stdout()
        .run();
    let lines = |args: &[&str]| env.mdmem(args).any_stdout().run().stdout.lines().count();
    assert_eq!(lines(&["log", "--grep", "ZEBRA"]), 1);
    assert_eq!(lines(&["history", "--since", "yesterday"]), 1);
    assert_eq!(
        lines(&["log", "--until", "yesterday"]) + 1,
        lines(&["log", "--no-pager"])
    );
    env.mdmem(["log", "-p", "-n", "1"])
        .stdout_has("+++ b/project/zebra-crossings-are-striped.md\n")
        .stdout_has("+Zebra crossings are striped\n")
        .run();
}
