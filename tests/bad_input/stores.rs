//! Stores that mdmem must not touch: each is named, with the way out, by readers and by writers.

use std::path::Path;

use crate::env::TestEnv;

/// Readers and writers refuse it with the same words, and write nothing into it.
#[track_caller]
fn refused(env: &TestEnv, store: &Path, error: &str, way_out: &str) {
    let before = listing(store);
    for args in [
        vec!["list"],
        vec!["render"],
        vec!["status"],
        vec!["add", "one more thing"],
        vec!["init"],
    ] {
        env.mdmem(&args).fails(error).stderr_has(way_out).run();
    }
    assert_eq!(listing(store), before);
}

fn listing(folder: &Path) -> Vec<String> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name();
    walk.into_iter()
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect()
}

fn store_with_memory() -> (TestEnv, std::path::PathBuf) {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let store = env.store();
    (env, store)
}

#[test]
fn without_a_repository_nothing_is_made_behind_a_persons_back() {
    let (env, store) = store_with_memory();
    std::fs::remove_dir_all(store.join(".git")).unwrap();
    for args in [vec!["list"], vec!["add", "one more thing"], vec!["sweep"]] {
        env.mdmem(args)
            .fails("$STORE has files, but no git repository")
            .stderr_has("`mdmem init` creates a new repository")
            .run();
    }
    env.mdmem(["init"]).any_stdout().any_stderr().run();
    env.mdmem(["list", "--paths"])
        .stdout("project/one-thing.md\n")
        .run();
}

/// Its disk is not mounted, or somebody renamed it: an empty store beside it would part the memory in two.
#[test]
fn a_store_that_is_gone_is_waited_for_and_never_begun_anew() {
    let (env, store) = store_with_memory();
    let aside = store.with_extension("aside");
    for mounted_on in [false, true] {
        std::fs::rename(&store, &aside).unwrap();
        if mounted_on {
            std::fs::create_dir_all(store.join(".mdmem")).unwrap();
        }
        for args in [
            vec!["list"],
            vec!["render"],
            vec!["status"],
            vec!["add", "one more thing"],
            vec!["sweep"],
            vec!["init"],
            vec!["init", "--with", "opencode"],
        ] {
            env.mdmem(args)
                .fails("the store of $WORKSPACE is unavailable: $")
                .stderr_has("`mdmem init --new` creates an empty store")
                .run();
        }
        assert!(!store.join(".git").exists());
        if mounted_on {
            std::fs::remove_dir_all(&store).unwrap();
        }
        std::fs::rename(&aside, &store).unwrap();
        env.mdmem(["list"]).stdout_has("one thing").run();
    }
    env.mdmem(["init", "--new"])
        .stdout("the store already exists: $STORE\n")
        .run();
    env.mdmem(["list"]).stdout_has("one thing").run();
    std::fs::rename(&store, &aside).unwrap();
    env.mdmem(["init", "--new"])
        .stdout_has("created the store of")
        .run();
    env.mdmem(["add", "another thing"]).any_stdout().run();
    env.mdmem(["list", "--paths"])
        .stdout("project/another-thing.md\n")
        .run();
}

/// The global store belongs to no workspace, and the registry knows it all the same.
#[test]
fn a_global_store_that_is_gone_is_never_begun_anew() {
    let (env, _) = store_with_memory();
    env.mdmem(["--global", "add", "one thing everywhere"])
        .any_stdout()
        .any_stderr()
        .run();
    let store = env.mdmem_home().join("global");
    let aside = store.with_extension("aside");
    for mounted_on in [false, true] {
        std::fs::rename(&store, &aside).unwrap();
        if mounted_on {
            std::fs::create_dir_all(store.join(".mdmem")).unwrap();
        }
        for args in [
            vec!["list"],
            vec!["render"],
            vec!["add", "one more thing"],
            vec!["sweep"],
            vec!["init"],
        ] {
            env.mdmem(["--global"].into_iter().chain(args))
                .fails("the store of global is unavailable: $")
                .stderr_has("`mdmem --global init --new` creates an empty store")
                .run();
        }
        assert!(!store.join(".git").exists());
        // The workspace has its own.
        env.mdmem(["add", &format!("beside it {mounted_on}")])
            .any_stdout()
            .run();
        env.mdmem(["render"]).stdout_has("beside it").any_stderr().run();
        if mounted_on {
            std::fs::remove_dir_all(&store).unwrap();
        }
        std::fs::rename(&aside, &store).unwrap();
        env.mdmem(["--global", "list"])
            .stdout_has("one thing everywhere")
            .run();
    }
    std::fs::rename(&store, &aside).unwrap();
    env.mdmem(["--global", "init", "--new"])
        .stdout_has("created the global store")
        .run();
    env.mdmem(["--global", "list"]).any_stderr().run();
}

/// One that an older mdmem made is in no registry, until something is written there.
#[test]
fn a_global_store_of_an_older_mdmem_is_registered_by_its_next_writer() {
    let env = TestEnv::new();
    env.mdmem(["--global", "add", "one thing"])
        .any_stdout()
        .any_stderr()
        .run();
    std::fs::remove_file(env.mdmem_home().join("registry.toml")).unwrap();
    env.mdmem(["--global", "list"]).stdout_has("one thing").run();
    env.mdmem(["--global", "add", "another thing"]).any_stdout().run();
    let registry = std::fs::read_to_string(env.mdmem_home().join("registry.toml")).unwrap();
    assert!(registry.contains("global = true"), "{registry}");
}

#[test]
fn bare() {
    let (env, store) = store_with_memory();
    std::fs::remove_dir_all(store.join(".git")).unwrap();
    let mut git = env.command("git");
    let made = git
        .args(["init", "--quiet", "--bare"])
        .arg(store.join(".git"))
        .status()
        .unwrap();
    assert!(made.success());
    refused(&env, &store, "$STORE is a bare repository", "Clone it");
    std::fs::remove_dir_all(&store).unwrap();
    let mut git = env.command("git");
    let made = git
        .args(["init", "--quiet", "--bare"])
        .arg(&store)
        .status()
        .unwrap();
    assert!(made.success());
    refused(&env, &store, "$STORE is a bare repository", "Clone it");
}

#[test]
fn shallow_and_partial() {
    let (env, store) = store_with_memory();
    env.mdmem(["add", "another thing"]).any_stdout().run();
    env.git(["config", "uploadpack.allowFilter", "true"]).run();
    let origin = store.with_extension("origin");
    std::fs::rename(&store, &origin).unwrap();
    for (how, error, way_out) in [
        ("--depth=1", "is a shallow clone", "fetch --unshallow"),
        ("--filter=blob:none", "is a partial clone", "fetch --refetch"),
    ] {
        let url = format!("file://{}", origin.display());
        let mut git = env.command("git");
        let cloned = git
            .args(["clone", "--quiet", how, &url])
            .arg(&store)
            .status()
            .unwrap();
        assert!(cloned.success());
        refused(&env, &store, error, way_out);
        std::fs::remove_dir_all(&store).unwrap();
    }
}

#[test]
fn formats_that_libgit2_cannot_read() {
    for (option, way_out) in [
        ("--object-format=sha256", "--object-format=sha1"),
        ("--ref-format=reftable", "refs migrate --ref-format=files"),
    ] {
        let (env, store) = store_with_memory();
        std::fs::remove_dir_all(store.join(".git")).unwrap();
        let mut git = env.command("git");
        let made = git
            .current_dir(&store)
            .args(["init", "--quiet", option])
            .output()
            .unwrap();
        if !made.status.success() {
            eprintln!("skipped: this git knows no {option}");
            continue;
        }
        refused(&env, &store, "which mdmem cannot read", way_out);
    }
}

#[test]
fn of_another_user() {
    let (env, store) = store_with_memory();
    let owned = std::process::Command::new("chown")
        .args(["-R", "12345"])
        .arg(&store)
        .output();
    if !owned.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: only root can give a store away");
        return;
    }
    refused(&env, &store, "$STORE is owned by another user", "safe.directory");
}

#[test]
fn under_a_foreign_filter() {
    for (file, text, filter) in [
        (
            ".gitattributes",
            "*.md filter=lfs diff=lfs merge=lfs -text\n",
            "lfs",
        ),
        (
            ".gitattributes",
            "[attr]secret filter=git-crypt\n*.md secret\n",
            "git-crypt",
        ),
        (
            ".git/info/attributes",
            "decision/** filter=git-crypt\n",
            "git-crypt",
        ),
    ] {
        let (env, store) = store_with_memory();
        crate::env::write_at(&store.join(file), text);
        let error = format!("sets the filter `{filter}`");
        let head = env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
        for args in [vec!["sweep"], vec!["add", "one more thing"]] {
            env.mdmem(&args)
                .fails(&error)
                .stderr_has("Remove the filter")
                .run();
        }
        assert_eq!(env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout, head);
        // Readers read, and say so where that is asked.
        env.mdmem(["list", "--paths"])
            .stdout("project/one-thing.md\n")
            .run();
        env.mdmem(["render"]).any_stdout().run();
        let status = env.mdmem(["status"]).any_stdout().run();
        assert!(status.stdout.contains(&error), "{}", status.stdout);
    }
}

#[test]
fn a_newer_format_is_read_and_not_changed() {
    let (env, _store) = store_with_memory();
    env.write("mdmem.toml", "format = 3\n");
    env.mdmem(["list", "--paths"])
        .stdout("project/one-thing.md\n")
        .run();
    env.mdmem(["add", "one more thing"])
        .fails("has format 3, newer than this mdmem knows (2)")
        .run();
}

#[test]
fn one_that_may_not_be_read() {
    let (env, store) = store_with_memory();
    let file = std::fs::metadata(&store).unwrap();
    if std::os::unix::fs::MetadataExt::uid(&file) == 0 {
        eprintln!("skipped: root may read everything");
        return;
    }
    for folder in [store.join(".git"), store.clone()] {
        let mode = std::fs::metadata(&folder).unwrap().permissions();
        let none = std::os::unix::fs::PermissionsExt::from_mode(0o000);
        std::fs::set_permissions(&folder, none).unwrap();
        env.mdmem(["list"])
            .fails("cannot open $STORE")
            .stderr_has("ermission denied")
            .run();
        std::fs::set_permissions(&folder, mode).unwrap();
    }
}
