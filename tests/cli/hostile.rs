//! The output in a person's terminal when everything that others wrote is hostile: names of files, keys, types,
//! settings, commits, arguments, variables.

use std::path::Path;

use crate::env::{TestEnv, write_at};

/// A color that mdmem does not use and one that it does, a screen cleared in two ways, a title, a bell, a line turned
/// around, a tag that nobody sees.
const HOSTILE: &str = "\u{1b}[35m\u{1b}[31m\u{9b}2J\u{1b}]0;t\u{7}\u{8}\u{7f}\u{202e}\u{e0041}\u{200b}";
/// The part of it that may stand in a memory's path.
const UNSEEN: &str = "\u{202e}\u{e0041}\u{200b}";

/// The codes that mdmem's own colors have.
const OWN: [&str; 8] = ["0", "1", "2", "31", "32", "33", "36", "4"];

#[track_caller]
fn assert_harmless(what: &str, text: &str, color: &str) {
    let mut rest = text.to_owned();
    if color == "always" {
        for code in OWN {
            rest = rest.replace(&format!("\u{1b}[{code}m"), "");
        }
    }
    let bad: Vec<char> = rest
        .chars()
        .filter(|c| (c.is_control() && *c != '\n') || HOSTILE.contains(*c) && !c.is_ascii_graphic())
        .collect();
    assert!(bad.is_empty(), "{what}: {bad:?} in {text:?}");
}

/// Both streams of a command, whatever it answers.
fn answer(env: &TestEnv, folder: &Path, args: &[&str]) -> [String; 2] {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    let output = command.current_dir(folder).args(args).output().unwrap();
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
}

#[track_caller]
fn assert_command_harmless(env: &TestEnv, folder: &Path, args: &[&str]) {
    for (more, color) in [
        (["--color", "never", "-v"].as_slice(), "never"),
        (&["--color", "always", "-v"], "always"),
        (&["--json"], "never"),
    ] {
        let args = [args, more].concat();
        for text in answer(env, folder, &args) {
            assert!(!text.contains("internal error"), "{args:?}: {text}");
            assert_harmless(&format!("{args:?}"), &text, color);
        }
    }
}

fn machine() -> TestEnv {
    let env = TestEnv::with_store();
    let store = env.store();
    for (name, text) in [
        (
            format!("project/a{UNSEEN}.md"),
            format!("---\ntags: [\"t{UNSEEN}\"]\n---\nOne fact {HOSTILE} here\n"),
        ),
        (
            "project/typed.md".to_owned(),
            format!("---\ntype: t{UNSEEN}\nname: n{UNSEEN}\nimportance: i{UNSEEN}\n---\nOne other fact\n"),
        ),
        (
            "project/broken.md".to_owned(),
            format!("---\nkey{HOSTILE}: [\ntype: decision\n---\nA third fact [[l{HOSTILE}]]\n"),
        ),
        (
            "project/id.md".to_owned(),
            format!("---\nid: \"mem_{UNSEEN}\"\nlimit: 1\n---\nA fourth fact with words\n"),
        ),
        (
            "project/leak.md".to_owned(),
            format!("The staging password{UNSEEN} is Fake-Stage-31.\n"),
        ),
        (format!("project/b{HOSTILE}.md"), "A fifth fact\n".to_owned()),
        (format!("c{HOSTILE}.txt"), "text\n".to_owned()),
    ] {
        write_at(&store.join(name), &text);
    }
    env
}

#[test]
fn no_command_lets_a_terminal_obey_what_others_wrote() {
    let env = machine();
    let a = format!("project/a{UNSEEN}.md");
    let nobody = format!("nobody{HOSTILE}");
    let commands: Vec<Vec<&str>> = vec![
        vec!["status"],
        vec!["sweep", "--dry-run"],
        vec!["check"],
        vec!["config"],
        vec!["config", &nobody],
        vec!["config", "set", &nobody, "1"],
        vec!["list", "--set", &nobody],
        vec!["list", "--set", "render.max_chars=9", "--type", &nobody],
        vec!["sweep"],
        vec!["list", "--all"],
        vec!["why", &a],
        vec!["why", &nobody],
        vec!["show", &nobody],
        vec![&nobody],
        vec!["-C", &nobody, "list"],
        vec!["log"],
        vec!["log", &a],
        vec!["log", "--engine"],
        vec!["log", "--decisions"],
        vec!["log", "--decisions", &nobody],
        vec!["check", "--fix"],
        vec!["allow"],
        vec!["allow", &nobody],
        vec!["add", "--type", &nobody, "a sixth fact about the parser"],
        vec!["add", "--path", &nobody, "a seventh fact about the lexer"],
        vec!["undo", "--dry-run"],
        vec!["restore", "HEAD~1", "--dry-run"],
        vec!["restore", "--yes", &nobody],
        vec!["mv", "project/typed.md", "project/moved.md", "--dry-run"],
        vec!["rm", &a],
        vec!["import", "--from", "opencode-working-memory", &nobody],
    ];
    for args in commands {
        assert_command_harmless(&env, &env.workspace(), &args);
    }
}

#[test]
fn settings_and_a_workspace_with_such_names_are_told_so() {
    let mut env = TestEnv::new();
    let folder = env.workspace().join(format!("w{HOSTILE}"));
    std::fs::create_dir(&folder).unwrap();
    assert_command_harmless(&env, &folder, &["init"]);
    assert_command_harmless(&env, &folder, &["add", "one thing"]);
    env.set_var(&format!("MDMEM_X{HOSTILE}"), HOSTILE);
    env.set_var("MDMEM_RENDER__MAX_CHARS", HOSTILE);
    let settings: toml::Table = [
        (format!("key{HOSTILE}"), HOSTILE.into()),
        ("editor".into(), HOSTILE.into()),
    ]
    .into_iter()
    .collect();
    write_at(
        &env.home().join(".config/mdmem/config.toml"),
        &settings.to_string(),
    );
    for args in [
        ["status"].as_slice(),
        &["config"],
        &["config", "editor"],
        &["check"],
        &["add", "another thing"],
    ] {
        assert_command_harmless(&env, &folder, args);
    }
    write_at(
        &env.mdmem_home().join("registry.toml"),
        &format!("{HOSTILE} = [\n"),
    );
    assert_command_harmless(&env, &folder, &["list"]);
}

/// The prompt and the index are read by models: nothing in them is unseen, and `check` names it in the file.
#[test]
fn what_nobody_sees_is_in_no_prompt_and_no_index_and_check_names_it() {
    let env = TestEnv::with_store();
    env.write(
        "project/tagged.md",
        "The build needs\u{e0069}\u{e0067}\u{e006e} Node 22\u{200b}\n\nWhy: a\u{2060}b\n",
    );
    env.write(
        "system/persian.md",
        "می\u{200c}خواهم \u{1f468}\u{200d}\u{1f469} 1\u{fe0f}\u{20e3} x\u{200d}y\n",
    );
    env.write(&format!("project/n{UNSEEN}.md"), "One more fact\n");
    env.write("notes/cold\u{e0041}.md", "# A cold note\u{e0041}\n\nText.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert!(prompt.contains("The build needs Node 22"), "{prompt}");
    assert!(
        prompt.contains("می\u{200c}خواهم \u{1f468}\u{200d}\u{1f469} 1\u{fe0f}\u{20e3} xy"),
        "{prompt}"
    );
    for text in [&prompt, &env.read("MEMORY.md")] {
        assert!(
            !text.contains(['\u{e0041}', '\u{e0069}', '\u{200b}', '\u{202e}', '\u{2060}']),
            "{text:?}"
        );
    }
    let [check, _] = answer(&env, &env.workspace(), &["check"]);
    for part in [
        "project/tagged.md:1: warning: contains invisible characters: U+200B, U+2060, U+E0067, U+E0069, U+E006E [hidden-characters]",
        "system/persian.md:1: warning: contains invisible characters: U+200D",
        "warning: has invisible characters in its name: U+200B, U+202E, U+E0041",
    ] {
        assert!(check.contains(part), "{part}: {check}");
    }
}

/// Its parts meet where what stood between them is not shown.
#[test]
fn a_credential_that_unseen_characters_part_is_no_credential_in_the_prompt() {
    let env = TestEnv::with_store();
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    let parted: String = key.chars().flat_map(|c| [c, '\u{200b}']).collect();
    let key = key[..40].to_owned();
    env.write(
        "project/fact.md",
        &format!("The token is {parted}, until Friday\n"),
    );
    env.write(
        "system/note.md",
        &format!("# Access\n\nThe first paragraph.\n\nThe token is {parted}\n"),
    );
    env.write(
        "notes/cold.md",
        &format!("---\ndescription: \"with {parted}\"\n---\n# Cold\n\nText.\n\nMore.\n"),
    );
    let prompt = env.mdmem(["render"]).any_stdout().any_stderr().run().stdout;
    assert!(!prompt.contains(&key), "{prompt}");
    assert!(prompt.matches("[REDACTED:").count() >= 3, "{prompt}");
}

#[test]
fn a_credential_that_a_name_parts_by_spaces_is_covered_wherever_the_name_is_told() {
    let env = TestEnv::with_store();
    let name = "the password is Fake-Stage-31";
    env.write(&format!("project/{name}.md"), "It is told on request.\n");
    for (args, code) in [
        (&["list"][..], 0),
        (&["status"], 0),
        (&["check"], 1),
        (&["mv", name, "a.md"], 1),
    ] {
        let told = env.mdmem(args).any_stdout().any_stderr().code(code).run();
        let told = told.stdout + &told.stderr;
        assert!(
            !told.contains("Stage-31") && told.contains("project/the password is [REDACTED:password]"),
            "{told}"
        );
    }
}
