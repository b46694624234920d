//! `mdmem search`.

use serde_json::Value;

use crate::env::{Mount, TestEnv};
use crate::file_systems::fill_with_bytes;

fn env() -> TestEnv {
    filled(TestEnv::with_store())
}

fn filled(env: TestEnv) -> TestEnv {
    env.write(
        "decision/use-npm-cache.md",
        "---\ntags: [plugins]\n---\nUse npm cache for plugin loading, not npm link.\n\nWhy: npm link breaks peer dependencies.\n",
    );
    env.write("archive/old-port.md", "The server listened on port 80\n");
    env.write("project/port.md", "---\nsupersedes: [mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R]\n---\nThe server listens on port 8080, see [[lexer]]\n");
    env.write(
        "project/older-port.md",
        "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\nstatus: superseded\n---\nThe server listens on port 81\n",
    );
    env.write(
        "reference/lexer.md",
        "---\nname: The lexer\n---\n# The lexer\n\nIt keeps comments.\n\nparseConfig reads the settings:\nfirst the file, then ÉTÉ.\n\nThe end.\n",
    );
    env.write("project/測試.md", "測試資料庫每天重建\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

fn paths(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    let output = command.args(["search", "--json"]).args(args).output().unwrap();
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    let json: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", said()));
    let hits = json["hits"].as_array().unwrap();
    let code = i32::from(hits.is_empty());
    assert_eq!(
        (output.status.code(), said().as_str()),
        (Some(code), ""),
        "{args:?}"
    );
    hits.iter()
        .map(|hit| hit["path"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn words_find_passages_with_their_lines() {
    let env = env();
    let text = env
        .mdmem(["search", "parse_config", "ete"])
        .any_stdout()
        .run()
        .stdout;
    assert!(
        text.starts_with(
            "parseConfig reads the settings:\nfirst the file, then ÉTÉ.\n  reference/lexer.md:8  "
        ),
        "{text}"
    );
    assert!(
        !text.contains("comments"),
        "its best passage, and not itself: {text}"
    );

    let json = env
        .mdmem(["search", "--json", "plugin", "cache"])
        .any_stdout()
        .run()
        .json();
    let hit = &json["hits"][0];
    assert_eq!(
        (&json["query"], &hit["path"]),
        (&"plugin cache".into(), &"decision/use-npm-cache.md".into())
    );
    let passage = &hit["passages"][0];
    assert_eq!(passage["line"], 4);
    let said = passage["text"].as_str().unwrap();
    let marked = |mark: &Value| {
        let byte = |at: usize| usize::try_from(mark[at].as_u64().unwrap()).unwrap();
        said[byte(0)..byte(1)].to_owned()
    };
    let marks: Vec<String> = passage["marks"].as_array().unwrap().iter().map(marked).collect();
    assert_eq!(marks, ["cache", "plugin"]);

    let why = env
        .mdmem(["search", "--explain", "npm"])
        .any_stdout()
        .run()
        .stdout;
    assert!(why.contains("npm (name, text, why)"), "{why}");
    let color = env
        .mdmem(["search", "--color", "always", "plugins"])
        .any_stdout()
        .run()
        .stdout;
    assert!(color.contains("\u{1b}[32mplugin\u{1b}[0m loading"), "{color:?}");
    assert_eq!(paths(&env, &["庫"]), ["project/測試.md"]);
    assert_eq!(paths(&env, &["資料庫"]), ["project/測試.md"]);
}

#[test]
fn filters_and_neighbours() {
    let env = env();
    let mut found = paths(&env, &["server", "port"]);
    found.sort();
    assert_eq!(
        found,
        ["archive/old-port.md", "project/port.md"],
        "no superseded one"
    );
    assert_eq!(paths(&env, &["--all", "81"]), ["project/older-port.md"]);
    assert_eq!(
        paths(&env, &["--zone", "archive", "port"]),
        ["archive/old-port.md"]
    );
    assert_eq!(
        paths(&env, &["--type", "reference", "port", "comments"]),
        ["reference/lexer.md"]
    );
    assert_eq!(
        paths(&env, &["--tag", "plugins", "npm"]),
        ["decision/use-npm-cache.md"]
    );
    assert_eq!(paths(&env, &["--tag", "other", "npm"]), [""; 0]);
    assert_eq!(paths(&env, &["--limit", "1", "port"]).len(), 1);

    let text = env.mdmem(["search", "8080"]).any_stdout().run().stdout;
    let also = text.split("See also:\n").nth(1).unwrap_or_default();
    assert!(
        also.contains("reference/lexer.md") && also.contains("project/older-port.md"),
        "{text}"
    );
    let archived = env
        .mdmem(["search", "--zone", "archived", "port"])
        .any_stdout()
        .run()
        .stdout;
    assert!(
        archived.lines().nth(1).unwrap().ends_with("[archived]"),
        "{archived}"
    );

    let guessed = env.mdmem(["search", "pulgin", "cache"]).any_stdout();
    let guessed = guessed
        .stderr("no memory has `pulgin`: searched `plugin` instead\n")
        .run();
    assert!(
        guessed.stdout.contains("\n  decision/use-npm-cache.md:4  "),
        "{}",
        guessed.stdout
    );
    let json = env
        .mdmem(["search", "--json", "pulgin"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        json["guesses"],
        serde_json::json!([{"word": "pulgin", "taken": ["plugin"]}])
    );
    assert_eq!(
        env.mdmem(["list", "--paths", "pulgin"]).any_stderr().run().stdout,
        "",
        "a list says what it was asked for"
    );

    let of_the_day = paths(&env, &["2026-11-20"]);
    assert!(
        of_the_day.contains(&"decision/use-npm-cache.md".to_owned()),
        "{of_the_day:?}"
    );
    assert_eq!(paths(&env, &["in", "November"]), of_the_day);
    assert_eq!(paths(&env, &["2026-12"]), [""; 0]);
    assert_eq!(paths(&env, &["test database"]), ["project/測試.md"]);

    env.mdmem(["search", "zebra"])
        .stderr("nothing found\n")
        .code(1)
        .run();
    env.mdmem(["list", "--paths", "--sort", "path", "npm", "comments"])
        .stdout("decision/use-npm-cache.md\nreference/lexer.md\n")
        .run();
}

#[test]
fn a_batch_is_a_line_of_json_for_each_question() {
    let env = env();
    let file = env.workspace().join("questions");
    std::fs::write(&file, "port\n\nzebra\n").unwrap();
    let lines = env
        .mdmem(["search", "--batch", "questions"])
        .any_stdout()
        .run()
        .stdout;
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let counts: Vec<usize> = lines
        .iter()
        .map(|line| line["hits"].as_array().unwrap().len())
        .collect();
    assert_eq!(counts, [2, 0, 0]);
    env.mdmem(["search", "--batch", "nowhere"])
        .refuses("nowhere")
        .run();
}

#[test]
fn no_question_is_an_error() {
    let env = env();
    let long = "port ".repeat(2_000);
    for odd in [
        "\"",
        "'",
        "port\"",
        "a AND (b",
        "NOT port",
        "port*",
        "name:port",
        "^port",
        "NEAR(port server, 2)",
        "{body}: port",
        "-port",
        "where is it",
        "",
        " ",
        "%_",
        "設",
        "--",
        &long,
    ] {
        paths(&env, &["--", odd]);
    }
    assert_eq!(paths(&env, &["--", "port*\" OR \"name:"]).len(), 2);
    let file = env.workspace().join("nul");
    std::fs::write(&file, b"port\0 \xff\n").unwrap();
    env.mdmem(["search", "--batch", "nul"]).any_stdout().run();
}

#[test]
fn what_was_saved_a_moment_ago_is_found_whoever_watches() {
    let env = env();
    env.mdmem(["add", "The zebra crossing is painted in the spring"])
        .any_stdout()
        .any_stderr()
        .run();
    let zebra = paths(&env, &["zebra"]);
    assert_eq!(zebra.len(), 1);
    env.write(&zebra[0], "The zebra crossing is painted in the autumn\n");
    env.write("project/okapi.md", "The okapi is shy\n");
    std::fs::remove_file(env.store().join("archive/old-port.md")).unwrap();
    assert_eq!(paths(&env, &["spring"]), [""; 0]);
    assert_eq!(paths(&env, &["autumn"]), zebra);
    assert_eq!(paths(&env, &["okapi"]), ["project/okapi.md"]);
    assert_eq!(paths(&env, &["port"]), ["project/port.md"]);
}

#[test]
fn a_full_disk_and_a_store_that_is_only_read_are_searched() {
    let env = TestEnv::new();
    let Some(_mount) = Mount::tmpfs(&env.mdmem_home(), "size=2m") else {
        return;
    };
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    let env = filled(env);
    let filler = fill_with_bytes(&env.mdmem_home(), 0);
    assert_eq!(paths(&env, &["port"]).len(), 2);
    std::fs::remove_file(&filler[0]).unwrap();
    let Some(_read_only) = Mount::read_only(&env.store()) else {
        return;
    };
    assert_eq!(paths(&env, &["port"]).len(), 2);
}

#[test]
fn credentials_are_searched_as_they_are_shown() {
    let env = env();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    env.write(
        "project/access.md",
        &format!("The deploy robot uses {secret} at night\n"),
    );
    assert_eq!(paths(&env, &[secret]), [""; 0]);
    let text = env
        .mdmem(["search", "robot"])
        .any_stdout()
        .any_stderr()
        .run()
        .stdout;
    assert!(text.contains("[REDACTED:") && !text.contains(secret), "{text}");
}
