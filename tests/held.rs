//! Texts that look like a credential in a save: held, named, redacted, until they are gone or allowed.

use crate::env::{LIMIT, TestEnv, wait_for};

const SECRET: &str = "Fake-Stage-31";
const LEAK: &str = "The staging password is Fake-Stage-31, until ops rotate it.\n";

/// A machine with a store, and the watcher's times for a test.
fn machine() -> TestEnv {
    let mut env = TestEnv::with_store();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    env
}

/// Fails when anything in the store's history or objects has the text.
#[track_caller]
fn assert_not_in_history(env: &TestEnv, text: &str) {
    let log = env.git(["log", "-p", "--all", "--format=%B"]).any_stdout().run();
    assert!(!log.stdout.contains(text), "{}", log.stdout);
    let objects = env
        .git(["cat-file", "--batch-all-objects", "--batch"])
        .any_stdout()
        .run();
    assert!(!objects.stdout.contains(text), "an object of the store has it");
}

#[track_caller]
fn is_committed(env: &TestEnv, path: &str) -> bool {
    let listed = env
        .git(["ls-tree", "-r", "--name-only", "HEAD"])
        .any_stdout()
        .run();
    listed.stdout.lines().any(|line| line == path)
}

#[test]
fn a_watched_save_is_held_and_the_others_are_committed() {
    let mut env = machine();
    env.use_real_clock();
    let watching = env.watch(&[]);
    env.write("decision/clean.md", "Use pnpm\n");
    env.write("decision/leak.md", LEAK);
    watching.wait_until_said("decision/leak.md is not committed");
    wait_for("the clean one", LIMIT, || {
        is_committed(&env, "decision/clean.md").then_some(())
    });
    assert!(!is_committed(&env, "decision/leak.md"));
    assert!(
        watching
            .said()
            .iter()
            .any(|line| line.contains("password (line 1)")),
        "{:?}",
        watching.said()
    );
    assert_not_in_history(&env, SECRET);
    wait_for("the index", LIMIT, || {
        let index = env.read("MEMORY.md");
        assert!(!index.contains(SECRET), "{index}");
        index
            .contains(r"The staging password is \[REDACTED:password\]")
            .then_some(())
    });
    // Another word in it: told again. The secret gone: committed.
    env.write(
        "decision/leak.md",
        "The staging password is Fake-Stage-31!\nIt is old.\n",
    );
    wait_for("a second word about it", LIMIT, || {
        let said = watching.said();
        (said
            .iter()
            .filter(|line| line.contains("is not committed"))
            .count()
            == 2)
            .then_some(())
    });
    env.write("decision/leak.md", "The staging password is in the vault.\n");
    wait_for("the mended one", LIMIT, || {
        is_committed(&env, "decision/leak.md").then_some(())
    });
    assert_not_in_history(&env, SECRET);
}

#[test]
fn what_is_allowed_while_watching_is_committed_and_shown() {
    let mut env = machine();
    env.use_real_clock();
    let watching = env.watch(&[]);
    env.write("decision/leak.md", LEAK);
    watching.wait_until_said("decision/leak.md is not committed");
    env.mdmem(["allow", "decision/leak.md"])
        .stdout("allowed decision/leak.md:1: password\n")
        .run();
    assert!(is_committed(&env, "decision/leak.md"));
    env.write("decision/other.md", "Use pnpm\n");
    watching.wait_until_said("memory: add decision/other");
    wait_for("the index", LIMIT, || {
        env.read("MEMORY.md").contains(SECRET).then_some(())
    });
    env.write("decision/leak.md", "The staging password is Fake-Stage-32.\n");
    wait_for("another secret to be held", LIMIT, || {
        let said = watching.said();
        (said
            .iter()
            .filter(|line| line.contains("is not committed"))
            .count()
            == 2)
            .then_some(())
    });
}

#[test]
fn status_check_and_sweep_name_it() {
    let env = machine();
    env.write(
        "decision/leak.md",
        "# Staging\r\n\r\npassword: Fake-Stage-31\r\nPIN: 482913\r\n",
    );
    env.write("mdmem.toml", "# token: fake9f8e7d6c5b4a\n");
    env.write("notes.txt", "api key = fakekey0123456789\n");
    env.write("picture.png", "\0\u{1}PNG\0\n");
    let status = env.mdmem(["status"]).any_stdout().run();
    for line in [
        "decision/leak.md: warning: is not committed: suspected secret: password (line 3), pin (line 4) [held]",
        "mdmem.toml: warning: is not committed",
        "notes.txt: warning: is not committed",
        "  fix: Remove it from the file, or delete the file; `mdmem allow decision/leak.md` if it is harmless.",
    ] {
        assert!(status.stdout.contains(line), "{line}\n{}", status.stdout);
    }
    let json = env.mdmem(["status", "--json"]).any_stdout().run().json();
    let held = &json["findings"][0];
    assert_eq!(
        (&held["path"], &held["code"]),
        (&"decision/leak.md".into(), &"held".into())
    );
    env.mdmem(["check"])
        .stdout_has("decision/leak.md:3: error: suspected secret (password)")
        .stdout_has("mdmem.toml:1: error: suspected secret (token)")
        .stdout_has("notes.txt:1: error: suspected secret (api_key)")
        .any_stderr()
        .code(1)
        .run();
    let swept = env.mdmem(["sweep", "--json"]).any_stdout().run().json();
    assert_eq!(swept["files"].as_array().unwrap().len(), 1, "{swept}");
    assert_eq!(swept["held"].as_array().unwrap().len(), 3, "{swept}");
    assert!(is_committed(&env, "picture.png"));
    for secret in ["482913", "fake9f8e7d6c5b4a", "fakekey0123456789"] {
        assert_not_in_history(&env, secret);
    }
    env.mdmem(["sweep"])
        .stderr_has("warning: notes.txt is not committed")
        .stderr_has("nothing to commit")
        .run();
}

#[test]
fn what_history_has_already_is_not_held_and_still_not_shown() {
    let env = machine();
    let path = env.write("decision/old.md", LEAK);
    env.git(["add", "decision/old.md"]).run();
    env.git(["commit", "-q", "-m", "by hand"]).run();
    let list = env.mdmem(["list", "--json"]).any_stdout().run();
    assert!(!list.stdout.contains(SECRET), "{}", list.stdout);
    let rendered = env.mdmem(["render"]).any_stdout().run();
    assert!(
        rendered.stdout.contains("[REDACTED:password]"),
        "{}",
        rendered.stdout
    );
    assert!(!rendered.stdout.contains(SECRET), "{}", rendered.stdout);
    // A person's own file is printed as it is.
    env.mdmem(["show", "old"]).stdout_has(SECRET).any_stderr().run();
    std::fs::write(&path, format!("{LEAK}\nIt changes every year.\n")).unwrap();
    let swept = env.mdmem(["sweep", "--json"]).any_stdout().run().json();
    assert_eq!(swept["files"][0]["path"], "decision/old.md", "{swept}");
    std::fs::write(&path, format!("{LEAK}\nThe PIN is 482913.\n")).unwrap();
    let swept = env.mdmem(["sweep", "--json"]).any_stdout().run().json();
    assert_eq!(swept["held"][0]["findings"][0]["kind"], "pin", "{swept}");
    assert_eq!(swept["held"][0]["findings"].as_array().unwrap().len(), 1);
    assert_not_in_history(&env, "482913");
}

#[test]
fn no_other_command_commits_it_or_loses_it() {
    let env = machine();
    env.mdmem(["add", "Use pnpm"]).any_stdout().run();
    env.mdmem(["add", "Use nextest"]).any_stdout().run();
    let path = env.write("project/use-pnpm.md", LEAK);
    let clean = |name: &str| env.mdmem([name]).any_stdout().any_stderr().run();
    clean("sweep");
    env.mdmem(["mv", "use-pnpm", "archive/"])
        .fails("project/use-pnpm.md is not committed, and was left as it is: suspected secret")
        .run();
    env.mdmem(["rm", "use-pnpm"])
        .fails("hint: Remove it from the file, or delete the file; `mdmem allow project/use-pnpm.md`")
        .run();
    env.mdmem(["restore", "HEAD", "project/use-pnpm.md"])
        .fails("project/use-pnpm.md is not committed, and was left as it is: suspected secret")
        .run();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    env.mdmem(["check", "--fix", "--yes"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["add", "Use cargo"]).any_stdout().any_stderr().run();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LEAK);
    assert_not_in_history(&env, SECRET);
    // The same words, redacted, are the same memory: it is reinforced, and still not committed.
    env.mdmem(["add", LEAK.trim_end()])
        .any_stdout()
        .stderr_has("suspected secrets were redacted: password")
        .run();
    assert!(std::fs::read_to_string(&path).unwrap().contains(LEAK));
    assert_not_in_history(&env, SECRET);
}

#[test]
fn an_edit_that_brings_one_is_saved_and_held() {
    let mut env = machine();
    env.mdmem(["add", "Use pnpm"]).any_stdout().run();
    env.set_var("EDITOR", "sh -c 'echo \"PIN: 482913\" >> \"$1\"' sh");
    env.mdmem(["edit", "use-pnpm"])
        .any_stdout()
        .stderr_has("project/use-pnpm.md is not committed")
        .run();
    assert!(env.read("project/use-pnpm.md").contains("482913"));
    assert_not_in_history(&env, "482913");
}

/// A password is known by its label, and is one without it as well.
#[test]
fn what_the_text_shows_as_a_password_is_in_no_title() {
    let env = TestEnv::with_store();
    let secret = "Xk29fjQpLm77";
    let text = format!(
        "---\nname: Login {secret}\naliases: [{secret}]\n---\n# Account {secret}\n\nThe password is {secret}.\n\nMore.\n"
    );
    env.write("project/login.md", &text);
    for args in [&["list", "--json"][..], &["search", "account"], &["render"]] {
        let shown = env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        assert!(!shown.stdout.contains(secret), "{args:?}: {}", shown.stdout);
        assert!(
            shown.stdout.contains("[REDACTED:password]"),
            "{args:?}: {}",
            shown.stdout
        );
    }
}

#[test]
fn what_is_added_is_redacted_first() {
    let env = machine();
    let json = env
        .mdmem([
            "add",
            "--json",
            "Deploy with ghp_Fake0Token1Fake0Token1Fake0Token1Fak",
            "--why",
            "the old password is Fake-Stage-31",
        ])
        .any_stdout()
        .run()
        .json();
    assert_eq!(json["redacted"], serde_json::json!(["github_token", "password"]));
    let path = json["path"].as_str().unwrap();
    let file = env.read(path);
    assert!(file.contains("Deploy with [REDACTED:github_token]"), "{file}");
    assert!(file.contains("[REDACTED:password]"), "{file}");
    assert!(!path.contains("fak"), "{path}");
    assert_not_in_history(&env, "Fake0Token1");
    assert_not_in_history(&env, SECRET);
    let clean = env.mdmem(["add", "--json", "Use pnpm"]).any_stdout().run().json();
    assert_eq!(clean["redacted"], serde_json::json!([]));
}

#[test]
fn what_is_allowed_is_listed_and_taken_back() {
    let env = machine();
    env.write("decision/leak.md", LEAK);
    env.write("mdmem.toml", "# token: fake9f8e7d6c5b4a\n");
    env.mdmem(["allow"]).refuses("`mdmem allow` needs <PATH>").run();
    env.mdmem(["allow", "nobody"]).fails("nobody").run();
    let json = env
        .mdmem(["allow", "--json", "leak", "mdmem.toml"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(json["files"][0]["allowed"][0]["kind"], "password", "{json}");
    assert_eq!(json["files"][1]["path"], "mdmem.toml", "{json}");
    assert!(json["commit"].is_string(), "{json}");
    let allowed = env.read(".mdmem/allowed");
    assert!(
        !allowed.contains(SECRET) && !allowed.contains("fake9f8e"),
        "{allowed}"
    );
    env.mdmem(["allow", "--list"])
        .stdout_has("decision/leak.md  password  ")
        .stdout_has("mdmem.toml  token  ")
        .run();
    env.mdmem(["render"]).stdout_has(SECRET).run();
    env.mdmem(["check"]).any_stdout().any_stderr().run();
    env.mdmem(["allow", "leak"])
        .stderr("nothing to allow in decision/leak.md\n")
        .run();
    for rename in ["mv", "sweep", "undo"] {
        match rename {
            "mv" => env.mdmem(["mv", "leak", "decision/elsewhere"]).any_stdout().run(),
            "sweep" => {
                let folder = env.store().join("decision");
                std::fs::rename(folder.join("elsewhere.md"), folder.join("third.md")).unwrap();
                env.mdmem(["sweep"]).any_stdout().any_stderr().run()
            }
            _ => {
                env.mdmem(["undo"]).any_stdout().any_stderr().run();
                env.mdmem(["undo"]).any_stdout().any_stderr().run()
            }
        };
        env.mdmem(["render"]).stdout_has(SECRET).run();
    }
    env.mdmem(["allow", "--revoke", "leak"])
        .stdout("revoked decision/leak.md: 1 credential\n")
        .run();
    env.mdmem(["render"]).stdout_has("[REDACTED:password]").run();
    env.mdmem(["allow", "--revoke", "leak"])
        .stderr("nothing is allowed in decision/leak.md\n")
        .run();
    let list = env.mdmem(["allow", "--list", "--json"]).any_stdout().run().json();
    assert_eq!(list.as_array().unwrap().len(), 3, "{list}");
}

#[test]
fn patterns_of_the_settings_count_and_bad_ones_are_named() {
    let mut env = machine();
    env.set_var("MDMEM_REDACT__PATTERNS", "['acme-[0-9]+']");
    env.mdmem(["list"]).any_stdout().any_stderr().run();
    env.write(
        "decision/badge.md",
        "The badge of the door is acme-4711, ask at the gate.\n",
    );
    env.mdmem(["render"])
        .stdout_has("The badge of the door is [REDACTED:custom], ask at the gate.")
        .any_stderr()
        .run();
    let swept = env
        .mdmem(["sweep", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    assert_eq!(swept["held"][0]["findings"][0]["kind"], "custom", "{swept}");
    env.set_var("MDMEM_REDACT__PATTERNS", "['acme-(']");
    env.write("decision/leak.md", LEAK);
    env.mdmem(["render"])
        .stdout_has("The staging password is [REDACTED:password], until ops rotate it.")
        .any_stderr()
        .run();
    env.mdmem(["check"])
        .stdout_has("the pattern `acme-(` is not a valid regular expression: unclosed group")
        .any_stderr()
        .code(1)
        .run();
}

#[test]
fn a_new_store_holds_what_its_folder_brings() {
    let env = TestEnv::with_store();
    let store = env.store();
    env.write("decision/leak.md", LEAK);
    std::fs::remove_dir_all(store.join(".git")).unwrap();
    env.mdmem(["init"]).any_stdout().any_stderr().run();
    assert!(!is_committed(&env, "decision/leak.md"));
    assert!(is_committed(&env, "PROTOCOL.md"));
    assert_not_in_history(&env, SECRET);
}

#[test]
fn what_only_meets_where_it_is_shown_is_held_and_redacted() {
    let env = machine();
    env.write(
        "decision/nul.txt.md",
        "the staging password is Fake-Stage-31.\0\n",
    );
    env.write(
        "decision/wrapped.md",
        "Log in as root, and the password:\nFake-Stage-31 it is\n",
    );
    env.write(
        "decision/kind.md",
        "---\ntype: \"password: Fake-Stage-31\"\n---\nOne\n",
    );
    let swept = env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for name in ["nul.txt", "wrapped", "kind"] {
        assert!(
            swept
                .stderr
                .contains(&format!("decision/{name}.md is not committed")),
            "{}",
            swept.stderr
        );
    }
    for add in [
        &[
            "add",
            "The staging password\nis Fake-Stage-31, until ops rotate it",
        ][..],
        &["add", "Two", "--why", "the password is\nFake-Stage-31"],
    ] {
        env.mdmem(add).any_stdout().any_stderr().run();
    }
    for (name, code) in [("render", 0), ("list", 0), ("check", 1), ("status", 0)] {
        let said = env.mdmem([name]).any_stdout().any_stderr().code(code).run();
        let said = format!("{}{}", said.stdout, said.stderr).to_lowercase();
        assert!(!said.contains("fake-stage-31"), "{name}: {said}");
    }
    for path in ["MEMORY.md", ".mdmem/evidence.jsonl"] {
        let text = env.read(path).to_lowercase();
        assert!(!text.contains("fake-stage-31"), "{path}: {text}");
    }
    assert_not_in_history(&env, SECRET);
}

#[test]
fn tidy_leaves_what_looks_alike_only_without_its_credential() {
    let env = machine();
    env.write("decision/one.md", "The staging password is Fake-Stage-31.\n");
    env.write("decision/two.md", "The staging password is Fake-Stage-32.\n");
    env.write("decision/three.md", "Use pnpm\n");
    env.write("decision/four.md", "Use pnpm\n");
    let planned = env.mdmem(["check", "--fix"]).any_stdout().any_stderr().run();
    assert_eq!(planned.stdout.matches("would").count(), 1, "{}", planned.stdout);
    env.mdmem(["check", "--fix", "--yes"])
        .any_stdout()
        .any_stderr()
        .run();
    let left = std::fs::read_dir(env.store().join("decision")).unwrap().count();
    assert_eq!(left, 3);
    assert_not_in_history(&env, "Fake-Stage");
}

/// A token where a name should be.
const NAME: &str = "ghp_Fake0Fake0Fake0Fake0Fake0Fake0Fake0F";

#[test]
fn a_credential_in_a_name_is_held_and_not_shown() {
    let env = machine();
    let paths = [
        format!("project/{NAME}.md"),
        format!("notes/{NAME}/a.md"),
        format!("pictures/{NAME}.png"),
    ];
    for path in &paths {
        env.write(path, "# The deploy script\n\nIt runs twice.\n\nThen it stops.\n");
    }
    env.write(
        "project/tagged.md",
        &format!("---\ntags: [{NAME}]\n---\nUse pnpm.\n"),
    );
    env.write(
        "project/typed.md",
        &format!("---\ntype: {NAME}\n---\nUse make.\n"),
    );
    env.write("project/keyed.md", &format!("---\n{NAME}: 1\n---\nUse just.\n"));
    env.write("project/own.md", &format!("---\nid: {NAME}\n---\nUse meson.\n"));
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["check"])
        .stdout_has("project/[REDACTED:github_token].md: error: suspected secret in its name (github_token)")
        .any_stderr()
        .code(1)
        .run();
    env.mdmem(["status"])
        .stdout_has("project/[REDACTED:github_token].md: warning: is not committed: suspected secret: github_token (in its name)")
        .run();
    assert_not_in_history(&env, NAME);
    let shown = [
        env.mdmem(["render"]).any_stdout().run().stdout,
        env.read("MEMORY.md"),
        env.git(["reflog"]).any_stdout().run().stdout,
    ];
    // A list for a person tells which file it is, and no id.
    let listed = env.mdmem(["list", "--json"]).any_stdout().run().stdout;
    assert!(!listed.contains(&format!("\"id\": \"{NAME}")), "{listed}");
    assert!(shown[0].contains("Use meson."), "{}", shown[0]);
    assert!(shown.iter().all(|text| !text.contains(NAME)), "{shown:?}");
    env.mdmem(["allow", &paths[0]])
        .stdout_has("allowed project/")
        .any_stderr()
        .run();
    assert!(is_committed(&env, &paths[0]));
    assert!(env.read("MEMORY.md").contains(NAME));
}

#[test]
fn a_credential_in_a_name_that_history_has_is_not_told_anew() {
    let env = machine();
    let path = format!("project/{NAME}.md");
    env.write(&path, "Use pnpm.\n");
    env.git(["add", "-A"]).run();
    env.git(["commit", "-q", "-m", "By hand"]).run();
    env.write(&path, "Use npm.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    std::fs::remove_file(env.store().join(&path)).unwrap();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let log = env.git(["log", "--format=%B"]).any_stdout().run().stdout;
    assert!(log.contains("remove project/[REDACTED:github_token]"), "{log}");
    assert!(!log.contains(NAME), "{log}");
}

#[test]
fn a_command_gives_no_name_that_looks_like_a_credential() {
    let env = machine();
    env.write("project/plain.md", "Use pnpm.\n");
    let path = format!("project/{NAME}.md");
    for arguments in [
        vec!["add", "Use make.", "--path", &path],
        vec!["add", "Use make.", "--type", NAME],
        vec!["mv", "plain", &path],
        vec!["mv", "plain", NAME],
    ] {
        let refused = env.mdmem(&arguments).any_stderr().code(2).run();
        assert!(!refused.stderr.contains(NAME), "{}", refused.stderr);
    }
}
