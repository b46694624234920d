//! One path that cannot be changed is left as it is, and named; the others are changed.

use crate::env::{Repository, TestEnv, write_at};

use super::{EDITED, assert_settled, everything, machine, subjects, text};

/// A way to make one path unfit, words of the reason, and the way to mend it.
struct Case {
    path: &'static str,
    make: fn(&TestEnv),
    reason: &'static str,
    fix: fn(&TestEnv),
}

const CASES: [Case; 4] = [
    Case {
        path: "decision/of-many-1.md",
        make: |env| {
            let path = env.store().join("decision/of-many-1.md");
            std::fs::remove_file(&path).unwrap();
            env.mdmem(["sweep"]).any_stdout().any_stderr().run();
            std::fs::create_dir(&path).unwrap();
            write_at(&path.join(".keep"), "Inside");
        },
        reason: "decision/of-many-1.md is a folder, not a file",
        fix: |env| std::fs::remove_dir_all(env.store().join("decision/of-many-1.md")).unwrap(),
    },
    Case {
        path: "feedback/only-first.md",
        make: |env| {
            let folder = env.store().join("feedback");
            std::fs::remove_dir_all(&folder).unwrap();
            env.mdmem(["sweep"]).any_stdout().any_stderr().run();
            // The sweep made the folder of the type again.
            std::fs::remove_dir(&folder).unwrap();
            std::os::unix::fs::symlink(env.home(), &folder).unwrap();
        },
        reason: "feedback is a link",
        fix: |env| std::fs::remove_file(env.store().join("feedback")).unwrap(),
    },
    Case {
        path: "feedback/only-first.md",
        make: |env| {
            env.write("feedback/.gitattributes", "*.md filter=git-crypt\n");
        },
        reason: "its attributes set the filter `git-crypt`",
        fix: |env| std::fs::remove_file(env.store().join("feedback/.gitattributes")).unwrap(),
    },
    Case {
        path: "decision/of-many-1.md",
        make: |env| {
            env.write("decision/of-many-1.md", "The password is tr0ub4dor-Kx9\n");
        },
        reason: "suspected secret",
        fix: |env| {
            env.write("decision/of-many-1.md", "Without it\n");
        },
    },
];

#[test]
fn a_restore_leaves_out_one_path_and_names_it() {
    for case in &CASES {
        let (env, first) = machine();
        (case.make)(&env);
        let alone = everything(&env);
        env.mdmem(["restore", &first, case.path])
            .any_stdout()
            .fails(case.reason)
            .run();
        let swept = |mut all: std::collections::BTreeMap<_, _>| {
            all.retain(|path: &std::path::PathBuf, _| !path.to_string_lossy().contains("/.git/"));
            all.remove(&env.store().join("MEMORY.md"));
            all
        };
        assert_eq!(
            swept(everything(&env)),
            swept(alone),
            "{}: nothing else is changed",
            case.reason
        );
        let restored = env
            .mdmem(["restore", "--yes", &first])
            .any_stdout()
            .stderr_has(case.reason)
            .stderr_has("not changed: ")
            .stderr_has(
                "hint: The rest is done. Fix the cause, then run it again, or edit that file by hand.",
            )
            .run();
        assert!(!restored.stdout.contains(case.path), "{}", restored.stdout);
        for n in (0..EDITED).filter(|n| !case.path.contains(&n.to_string())) {
            assert_eq!(
                env.read(&format!("decision/of-many-{n}.md")),
                text("first", n),
                "{}",
                case.reason
            );
        }
        (case.fix)(&env);
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        let json = env
            .mdmem(["--json", "restore", "--yes", &first])
            .any_stdout()
            .run()
            .json();
        assert_eq!(
            (&json["files"][0]["path"], json.get("left_out")),
            (&case.path.into(), None)
        );
        assert_eq!(Repository::of(&env).status(), "");
        assert!(env.store().join(case.path).is_file());
        assert_settled(&env);
    }
}

#[test]
fn json_names_the_paths_that_are_left_out() {
    let (env, first) = machine();
    (CASES[0].make)(&env);
    let json = env
        .mdmem(["--json", "restore", "--yes", &first])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    assert_eq!(json["left_out"][0]["path"], CASES[0].path);
    assert!(
        json["left_out"][0]["cause"]
            .as_str()
            .unwrap()
            .contains(CASES[0].reason)
    );
    assert_eq!(json["files"].as_array().unwrap().len(), EDITED + 1);
    assert!(json["commit"].is_string());
}

#[test]
fn an_undo_leaves_out_one_path_and_names_it() {
    let (env, _) = machine();
    env.write("decision/of-many-1.md", "The password is tr0ub4dor-Kx9\n");
    env.mdmem(["undo"])
        .any_stdout()
        .stderr_has("decision/of-many-1.md")
        .stderr_has("suspected secret")
        .run();
    assert_eq!(env.read("decision/of-many-0.md"), text("first", 0));
    assert_eq!(
        env.read("decision/of-many-1.md"),
        "The password is tr0ub4dor-Kx9\n"
    );
    env.mdmem(["undo", "HEAD"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("decision/of-many-0.md"), text("second", 0));
}

#[test]
fn an_import_leaves_out_one_file_and_names_it() {
    let (env, _) = machine();
    let entry = |text: &str, kind: &str| serde_json::json!({ "id": format!("mem_{kind}"), "type": kind, "text": text });
    let entries = [
        entry("Use cargo", "decision"),
        entry("Answer in short", "feedback"),
    ];
    let peer = env.workspace().join("workspace-memory.json");
    write_at(
        &peer,
        &serde_json::json!({ "version": 1, "entries": entries }).to_string(),
    );
    env.write("decision/use-cargo.md/.keep", "");
    let import = [
        "--json",
        "import",
        "--from",
        "opencode-working-memory",
        "workspace-memory.json",
    ];
    let json = env.mdmem(import).any_stdout().any_stderr().run().json();
    assert_eq!(json["left_out"][0]["path"], "decision/use-cargo.md", "{json}");
    assert_eq!(
        (&json["counts"]["imported"], &json["counts"]["left_out"]),
        (&1.into(), &1.into())
    );
    assert!(env.store().join("feedback/answer-in-short.md").is_file());
    std::fs::remove_dir_all(env.store().join("decision/use-cargo.md")).unwrap();
    let json = env.mdmem(import).any_stdout().any_stderr().run().json();
    assert_eq!(json["counts"]["imported"], 1, "{json}");
    assert!(subjects(&env)[0].contains("import"));
    assert_settled(&env);
}
