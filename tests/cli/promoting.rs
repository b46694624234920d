//! Promotions: a memory's words go into a file of the workspace and come back, and every other byte of the file stays.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::env::{TestEnv, write_at};

const ID: &str = "mem_npm";
const NPM: &str = "decision/use-npm-cache.md";
const TEXT: &str = "---\nid: mem_npm\ntags: [build]\n---\n\nUse npm cache\n\nWhy: npm link breaks\n";
const BLOCK: &str = "- Use npm cache (Why: npm link breaks)\n<!-- mdmem:end mem_npm -->";

fn filled() -> TestEnv {
    let env = TestEnv::with_store();
    env.write(NPM, TEXT);
    env.write("project/tests.md", "---\nid: mem_tests\n---\nRun `just test`\n");
    sweep(&env);
    env
}

fn sweep(env: &TestEnv) {
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
}

fn agents(env: &TestEnv) -> PathBuf {
    env.workspace().join("AGENTS.md")
}

/// Runs `mdmem promote … --yes`, and gives its answer.
#[track_caller]
fn promote(env: &TestEnv, args: &[&str]) -> Value {
    let args = [&["promote", "--json", "--yes"], args].concat();
    env.mdmem(args).any_stdout().any_stderr().run().json()
}

#[track_caller]
fn fails(env: &TestEnv, args: &[&str], message: &str) {
    let args = [&["promote", "--yes"], args].concat();
    env.mdmem(args).fails(message).any_stderr().run();
}

fn status(env: &TestEnv, path: &str) -> Value {
    env.mdmem(["show", "--json", path])
        .any_stdout()
        .any_stderr()
        .run()
        .json()
}

#[test]
fn the_words_go_and_come_back_and_every_other_byte_stays() {
    let env = filled();
    let file = agents(&env);
    for before in [
        None,
        Some(""),
        Some("# Rules\n\nBe brief.\n"),
        Some("# Rules\r\n\r\nBe brief.\r\n"),
        Some("\u{feff}# Rules, and no end of line"),
        Some("old\rMac\r"),
        Some("```\nan open block of code"),
        Some("<!-- mdmem:promoted mem_other 0 half of a mark\n"),
    ] {
        if let Some(text) = before {
            write_at(&file, text);
        }
        let done = promote(&env, &[ID, "--to", "AGENTS.md"]);
        assert_eq!(
            (&done["from"], &done["to"]),
            (&NPM.into(), &"archive/use-npm-cache.md".into())
        );
        assert_eq!(done["change"], if before.is_none() { "added" } else { "edited" });
        let said = fs::read_to_string(&file).unwrap();
        assert!(said.starts_with(before.unwrap_or_default()), "{said:?}");
        assert!(said.replace('\r', "").contains(BLOCK), "{said:?}");
        let archived = status(&env, ID);
        assert_eq!(archived["zone"], "archive");
        assert_eq!(archived["promoted"], "AGENTS.md");
        // A second time, and nothing changes.
        let again = promote(&env, &[ID, "--to", "AGENTS.md"]);
        assert_eq!(
            (&again["change"], &again["commit"]),
            (&"same".into(), &Value::Null)
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), said);

        let back = promote(&env, &["--undo", ID]);
        assert_eq!(back["to"], NPM);
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before);
        assert_eq!(env.read(NPM), TEXT.replace("---\n\n", "type: decision\n---\n\n"));
        env.write(NPM, TEXT);
        sweep(&env);
        let _ = fs::remove_file(&file);
    }
    fails(&env, &["--undo", ID], "was not promoted");
}

#[test]
fn several_memories_go_and_come_back_in_any_order_beside_an_export() {
    let env = filled();
    env.write(
        "reference/deploy.md",
        "# Deploy\n\nFirst `just build`.\n\nThen ship.\n",
    );
    sweep(&env);
    let before = "# Rules\r\n\r\nBe brief.";
    let file = write_at(&agents(&env), before);
    promote(&env, &[ID, "--to", "AGENTS.md"]);
    promote(&env, &["reference/deploy.md", "--to", "AGENTS.md"]);
    env.mdmem(["export", "--to", "agents"]).any_stderr().run();
    promote(&env, &["mem_tests", "--to", "AGENTS.md"]);
    let said = fs::read_to_string(&file).unwrap();
    assert!(
        said.contains("# Deploy\r\n\r\nFirst `just build`.\r\n\r\nThen ship.\r\n"),
        "{said}"
    );
    // Neither of the two writes over the other, and an import takes nothing of both.
    env.mdmem(["export", "--to", "agents"]).any_stderr().run();
    let said = fs::read_to_string(&file).unwrap();
    let import = || {
        env.mdmem(["import", "AGENTS.md", "--as", "facts", "--json"])
            .any_stdout()
            .any_stderr()
            .run()
            .json()
    };
    let texts = |done: &Value| done["entries"].to_string();
    let told = texts(&import());
    assert!(!told.contains("npm") && !told.contains("just"), "{told}");
    assert_eq!(fs::read_to_string(&file).unwrap(), said);
    for name in ["reference/deploy.md", ID, "mem_tests"] {
        promote(&env, &["--undo", name]);
    }
    let rest = fs::read_to_string(&file).unwrap();
    assert!(
        rest.starts_with(&format!("{before}\r\n<!-- mdmem:begin ")),
        "{rest}"
    );
    assert!(!rest.contains("promoted"), "{rest}");
    assert!(env.store().join("reference/deploy.md").exists());
}

#[test]
fn a_file_that_said_it_before_is_imported_once() {
    let env = filled();
    let file = write_at(&agents(&env), "# Rules\n\n- Always use tabs in every file\n");
    let import = || {
        env.mdmem(["import", "AGENTS.md", "--as", "facts", "--json"])
            .any_stdout()
            .any_stderr()
            .run()
            .json()
    };
    assert_eq!(import()["counts"]["imported"], 1);
    let listed = env.mdmem(["list", "--paths"]).any_stdout().run().stdout;
    let tabs = listed
        .lines()
        .find(|path| path.contains("tabs"))
        .unwrap()
        .to_owned();
    promote(&env, &[&tabs, "--to", "AGENTS.md"]);
    assert_eq!(
        import()["counts"]
            .get("imported")
            .and_then(Value::as_u64)
            .unwrap_or(0),
        0
    );
    promote(&env, &["--undo", &tabs]);
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "# Rules\n\n- Always use tabs in every file\n"
    );
}

#[test]
fn a_persons_edit_of_the_block_stays_and_is_told() {
    let env = filled();
    let file = write_at(&agents(&env), "# Rules\n");
    promote(&env, &[ID, "--to", "AGENTS.md"]);
    let said = fs::read_to_string(&file).unwrap();
    for (edited, message) in [
        (said.replace("npm cache", "yarn"), "was edited between the marks"),
        (said.replace("<!-- mdmem:end mem_npm -->", ""), "not one pair"),
        (format!("{said}{said}"), "not one pair"),
    ] {
        write_at(&file, &edited);
        fails(&env, &["--undo", ID], message);
        fails(&env, &[ID, "--to", "AGENTS.md"], message);
        assert_eq!(fs::read_to_string(&file).unwrap(), edited);
        assert_eq!(status(&env, ID)["zone"], "archive");
    }
    // Without the marks the text is the person's, and the memory comes back alone.
    let own = "# Rules\n\n- Use yarn\n";
    write_at(&file, own);
    assert_eq!(promote(&env, &["--undo", ID])["change"], "same");
    assert_eq!(fs::read_to_string(&file).unwrap(), own);
    assert_eq!(status(&env, ID)["zone"], "ranked");
}

#[test]
fn what_cannot_be_written_is_refused_and_nothing_is_archived() {
    let env = filled();
    let file = agents(&env);
    let to = [ID, "--to", "AGENTS.md"];
    fs::write(&file, b"caf\xe9\n").unwrap();
    fails(&env, &to, "is not UTF-8");
    fs::write(&file, vec![b'a'; (16 << 20) + 1]).unwrap();
    fails(&env, &to, "more than the 16777216 bytes");
    write_at(&file, "# Mine\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    fails(&env, &to, "is read-only");
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Mine\n");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    fails(&env, &to, "is a folder");
    fs::remove_dir(&file).unwrap();
    symlink("elsewhere.md", &file).unwrap();
    fails(&env, &to, "is a link");
    assert!(!env.workspace().join("elsewhere.md").exists());
    fs::remove_file(&file).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    fails(&env, &to, "is a special file");
    fs::remove_file(&file).unwrap();
    env.mdmem(["promote", ID, "--to", "../AGENTS.md"])
        .refuses("invalid value")
        .any_stderr()
        .run();
    assert_eq!(status(&env, ID)["zone"], "ranked");
}

#[test]
fn a_memory_that_may_not_leave_or_is_not_in_force_stays() {
    let env = filled();
    let to = ["--to", "AGENTS.md"];
    env.write("reference/login.md", "The password is hunter2-x9.\n");
    env.write("archive/old.md", "An old word\n");
    env.write("project/kept.md", "---\nreadonly: true\n---\nLeave me\n");
    env.write(
        "project/gone.md",
        "---\nstatus: superseded\n---\nSaid by another\n",
    );
    sweep(&env);
    for (name, message) in [
        ("reference/login.md", "looks like a credential"),
        ("archive/old.md", "is not in force"),
        ("project/gone.md", "is not in force"),
        ("project/kept.md", "readonly"),
        ("nothing-such", "nothing-such"),
    ] {
        fails(&env, &[&[name], &to[..]].concat(), message);
    }
    env.mdmem(["--global", "add", "-q", "Answer in German"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem([
        "--global",
        "promote",
        "answer-in-german",
        "--to",
        "AGENTS.md",
        "--yes",
    ])
    .fails("the store global has no workspace")
    .any_stderr()
    .run();
    assert!(!agents(&env).exists());
    promote(&env, &[ID, "--to", "AGENTS.md"]);
    fails(&env, &[ID, "--to", "CLAUDE.md"], "went to AGENTS.md before");
    fails(&env, &["--undo", ID, "--to", "CLAUDE.md"], "was not promoted");
}

#[test]
fn marks_in_the_words_of_a_memory_are_words() {
    let env = filled();
    let words = "Write <!-- mdmem:end mem_marks --> and <!-- mdmem:promoted mem_marks 0 here";
    env.write("project/marks.md", &format!("---\nid: mem_marks\n---\n{words}\n"));
    sweep(&env);
    promote(&env, &["mem_marks", "--to", "CLAUDE.md"]);
    let file = env.workspace().join("CLAUDE.md");
    assert_eq!(
        fs::read_to_string(&file).unwrap().matches("<!-- mdmem:").count(),
        2
    );
    promote(&env, &["--undo", "mem_marks"]);
    assert!(!file.exists());
    assert!(env.read("project/marks.md").contains(words));
}

#[test]
fn without_a_yes_the_change_is_shown_and_not_made() {
    let env = filled();
    let file = write_at(&agents(&env), "# Rules\n");
    for more in [&[][..], &["--dry-run"], &["--json"]] {
        let args = [&["promote", ID, "--to", "AGENTS.md"], more].concat();
        let shown = env.mdmem(args).any_stdout().any_stderr().run().stdout;
        assert!(shown.contains("+- Use npm cache"), "{shown}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "# Rules\n");
        assert_eq!(status(&env, ID)["zone"], "ranked");
    }
}

/// A run that is killed between the two writes leaves what `mdmem undo` leaves: the file says it, and the memory is in
/// force.
#[test]
fn the_next_run_does_what_a_killed_one_did_not() {
    let env = filled();
    let file = write_at(&agents(&env), "# Rules\n");
    promote(&env, &[ID, "--to", "AGENTS.md"]);
    let said = fs::read_to_string(&file).unwrap();
    let undo = || env.mdmem(["undo"]).any_stdout().any_stderr().run();
    undo();
    assert_eq!(status(&env, ID)["zone"], "ranked");
    assert_eq!(promote(&env, &[ID, "--to", "AGENTS.md"])["change"], "same");
    assert_eq!(status(&env, ID)["zone"], "archive");
    assert_eq!(fs::read_to_string(&file).unwrap(), said);
    undo();
    let done = promote(&env, &["--undo", ID]);
    assert_eq!((&done["from"], &done["to"]), (&NPM.into(), &NPM.into()));
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Rules\n");
    // The words of a memory that changed since stand in the place of the former ones.
    promote(&env, &[ID, "--to", "AGENTS.md"]);
    undo();
    env.write(NPM, &TEXT.replace("npm cache", "pnpm"));
    promote(&env, &[ID, "--to", "AGENTS.md"]);
    let said = fs::read_to_string(&file).unwrap();
    assert!(
        said.contains("- Use pnpm") && said.matches("<!--").count() == 2,
        "{said}"
    );
}

#[test]
fn two_at_once_are_two_one_after_the_other() {
    let env = filled();
    let file = write_at(&agents(&env), "# Rules\n");
    let start = |name| {
        let mut call = env.command(env!("CARGO_BIN_EXE_mdmem"));
        call.args(["promote", name, "--to", "AGENTS.md", "--yes"])
            .current_dir(env.workspace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let started = [ID, "mem_tests", ID, "mem_tests"].map(start);
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    let said = fs::read_to_string(&file).unwrap();
    assert_eq!(said.matches("<!-- mdmem:promoted ").count(), 2, "{said}");
    for name in [ID, "mem_tests"] {
        assert_eq!(status(&env, name)["zone"], "archive");
        promote(&env, &["--undo", name]);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "# Rules\n");
}
