//! Folders that are no workspace, and homes that are no home.

use crate::env::TestEnv;

#[test]
fn what_is_no_workspace() {
    let env = TestEnv::new();
    let home = env.home();
    for command in [vec!["list"], vec!["init"], vec!["add", "one thing"]] {
        for folder in ["/".as_ref(), home.as_path()] {
            env.mdmem(command.clone())
                .current_dir(folder)
                .fails("is not a workspace")
                .stderr_has("--global")
                .run();
        }
    }
    let file = env.workspace().join("file");
    std::fs::write(&file, "").unwrap();
    let file = file.display().to_string();
    env.mdmem(["-C", &file, "list"])
        .fails("cannot open $WORKSPACE/file")
        .stderr_has("not a directory")
        .run();
    env.mdmem(["-C", "missing", "list"])
        .fails("cannot open $WORKSPACE/missing")
        .run();
    assert!(!env.mdmem_home().exists());
}

#[test]
fn a_home_that_is_relative_or_inside_the_workspace() {
    let env = TestEnv::new();
    let inner = env.workspace().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let link = env.home().join("link");
    std::os::unix::fs::symlink(&inner, &link).unwrap();
    env.mdmem(["add", "one thing"])
        .var("MDMEM_HOME", "memory")
        .fails("MDMEM_HOME is `memory`: give a full path")
        .run();
    for home in [
        inner.clone(),
        inner.join("new"),
        link.clone(),
        link.join("new/deep"),
    ] {
        env.mdmem(["add", "one thing"])
            .var("MDMEM_HOME", &home.display().to_string())
            .fails("is inside the workspace $WORKSPACE")
            .stderr_has("Set MDMEM_HOME to a folder outside")
            .run();
    }
    assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 0);
}

#[test]
fn without_home_it_takes_mdmem_home() {
    let env = TestEnv::with_store();
    let call = |args: &[&str]| {
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.args(args).env_remove("HOME");
        command
    };
    let output = call(&["add", "one thing"]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = call(&["list"]).env_remove("MDMEM_HOME").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error.contains("HOME is not set: set it, or set MDMEM_HOME to a full path"),
        "{error}"
    );
}

/// Every command that a person may run in such a folder; each opens the registry that the first one wrote.
#[test]
fn a_workspace_whose_path_is_no_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let mut env = TestEnv::new();
    env.set_var("MDMEM_BIN", env!("CARGO_BIN_EXE_mdmem"));
    let folder = env
        .workspace()
        .join(std::ffi::OsStr::from_bytes(b"caf\xe9 100%\xff"));
    std::fs::create_dir(&folder).unwrap();
    for args in [
        ["init", "--with", "opencode"].as_slice(),
        &["add", "the parser is written by hand"],
        &["add", "the lexer is made by a program"],
        &["status"],
        &["status", "--json"],
        &["render"],
        &["list"],
        &["config", "--json"],
        &["path"],
        &["log", "--engine"],
        &["check"],
        &["init", "--json"],
    ] {
        let run = env
            .mdmem(args)
            .current_dir(&folder)
            .any_stdout()
            .any_stderr()
            .run();
        assert!(!run.stderr.contains("internal error"), "{args:?}: {}", run.stderr);
    }
    let listed = env.mdmem(["list"]).current_dir(&folder).any_stdout().run().stdout;
    assert!(listed.contains("parser") && listed.contains("lexer"), "{listed}");
    let stores = std::fs::read_dir(env.mdmem_home().join("workspaces")).unwrap();
    assert_eq!(stores.count(), 1);
    // The workspaces of others are not touched by its place in the registry.
    env.mdmem(["add", "one thing"]).any_stdout().any_stderr().run();
}

#[test]
fn the_token_of_a_remote_is_kept_nowhere_and_a_new_one_still_matches() {
    let env = TestEnv::new();
    let git = |folder: &std::path::Path, args: &[&str]| {
        let status = env.command("git").current_dir(folder).args(args).status();
        assert!(status.unwrap().success(), "{args:?}");
    };
    let (old, new) = (env.workspace().join("old"), env.workspace().join("new"));
    std::fs::create_dir(&old).unwrap();
    git(&old, &["init", "--quiet"]);
    git(&old, &["commit", "--quiet", "--allow-empty", "-m", "begin"]);
    git(
        &old,
        &[
            "remote",
            "add",
            "origin",
            "https://me:first-t0ken@git.example/a/b.git",
        ],
    );
    env.mdmem(["add", "one thing"])
        .current_dir(&old)
        .any_stdout()
        .any_stderr()
        .run();
    let registry = env.mdmem_home().join("registry.toml");
    let clean = std::fs::read_to_string(&registry).unwrap();
    assert!(clean.contains("\"https://git.example/a/b.git\""), "{clean}");
    // An older mdmem wrote it in full.
    let full = clean.replace("https://git", "https://me:first-t0ken@git");
    std::fs::write(&registry, full).unwrap();

    std::fs::rename(&old, &new).unwrap();
    git(
        &new,
        &[
            "remote",
            "set-url",
            "origin",
            "https://you:second-t0ken@git.example/a/b.git",
        ],
    );
    env.mdmem(["init"])
        .current_dir(&new)
        .stdout_has("the workspace was $WORKSPACE/old before")
        .run();
    env.mdmem(["list"])
        .current_dir(&new)
        .stdout_has("one thing")
        .run();
    for entry in walkdir::WalkDir::new(env.mdmem_home()) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let bytes = std::fs::read(entry.path()).unwrap();
            let found = String::from_utf8_lossy(&bytes).contains("t0ken");
            assert!(!found, "{}", entry.path().display());
        }
    }
}

#[test]
fn many_workspaces_share_a_home_and_nothing_else() {
    let env = TestEnv::new();
    let names = [
        "app",
        "deep/app",
        "with space",
        "日本 語",
        "quote'\"s",
        "-dash",
        "line\nfeed",
    ];
    for name in names {
        let folder = env.workspace().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("this is {}", name.replace('\n', " "));
        env.mdmem(["add", &text])
            .current_dir(&folder)
            .any_stdout()
            .any_stderr()
            .run();
    }
    for name in names {
        let folder = env.workspace().join(name);
        let render = env
            .mdmem(["render"])
            .current_dir(&folder)
            .any_stdout()
            .run()
            .stdout;
        assert_eq!(render.matches("- this is ").count(), 1, "{render}");
        assert!(render.contains(&name.replace('\n', " ")), "{render}");
    }
    let stores = std::fs::read_dir(env.mdmem_home().join("workspaces")).unwrap();
    assert_eq!(stores.count(), names.len());
}
