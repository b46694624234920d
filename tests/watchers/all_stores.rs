//! `mdmem watch --all`: one process for every store of the machine.

use std::path::{Path, PathBuf};

use super::QUICK;
use crate::env::{LIMIT, TestEnv, Watching, wait_for, write_at};

/// The store of a new workspace.
fn store_of(env: &TestEnv, workspace: &str) -> PathBuf {
    let folder = env.home().join(workspace);
    std::fs::create_dir(&folder).unwrap();
    env.mdmem(["init", "--quiet"])
        .current_dir(&folder)
        .any_stdout()
        .run();
    let path = env.mdmem(["path"]).current_dir(&folder).any_stdout().run();
    PathBuf::from(String::from_utf8(path.bytes).unwrap().trim_end())
}

fn watch_all(env: &TestEnv) -> Watching {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    // No store is meant by the folder that it runs in.
    command.current_dir("/").args(["watch", "--all"]).envs([QUICK]);
    Watching::start(command)
}

fn save(store: &Path, path: &str) {
    write_at(&store.join(path), "Saved by an editor.\n");
}

#[test]
fn every_store_is_watched_and_new_ones_too() {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    let (shop, site, torn) = (
        store_of(&env, "shop"),
        store_of(&env, "site"),
        store_of(&env, "torn"),
    );
    std::fs::write(torn.join(".git/config"), "[core\n").unwrap();
    save(&shop, "decision/before.md");
    let mut watching = watch_all(&env);
    watching.wait_until_said("shop  ");
    watching.wait_until_said("memory: add decision/before");
    // A store that cannot be opened is named, and stops no other.
    watching.wait_until_said("torn  commits wait: ");
    watching.wait_until_said("site  watching ");
    save(&site, "decision/in-site.md");
    watching.wait_until_said("memory: add decision/in-site");
    let line = watching
        .said()
        .into_iter()
        .find(|line| line.contains("in-site"))
        .unwrap();
    assert!(
        line.contains("  site  ") && line.contains("  person   memory: add"),
        "{line}"
    );

    let late = store_of(&env, "late");
    env.mdmem(["--global", "add", "Answer in English", "--quiet"])
        .any_stdout()
        .any_stderr()
        .run();
    watching.wait_until_said("late  watching ");
    watching.wait_until_said("global  watching ");
    save(&late, "decision/in-late.md");
    watching.wait_until_said("memory: add decision/in-late");
    let status = env
        .mdmem(["status"])
        .current_dir(&env.home().join("late"))
        .any_stdout()
        .run();
    assert!(
        status.stdout.contains("(`mdmem watch --all`)"),
        "{}",
        status.stdout
    );

    // A store that is mended is watched by itself.
    std::fs::copy(site.join(".git/config"), torn.join(".git/config")).unwrap();
    save(&torn, "decision/in-torn.md");
    watching.wait_until_said("memory: add decision/in-torn");

    // Beside the watcher of one store, the other one waits and takes over.
    let mut alone = env.command(env!("CARGO_BIN_EXE_mdmem"));
    alone
        .arg("-C")
        .arg(env.home().join("shop"))
        .arg("watch")
        .envs([QUICK]);
    let alone = Watching::start(alone);
    alone.wait_until_said("(`mdmem watch --all`) already watches");
    watching.kill();
    alone.wait_until_said("watching ");
    save(&shop, "decision/after.md");
    alone.wait_until_said("memory: add decision/after");
}

/// The watches of a machine are spent: the process says so, and looks again and again at the stores that have none.
#[test]
fn more_stores_than_the_machine_can_watch_are_looked_at() {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    let stores: Vec<PathBuf> = (0..3).map(|n| store_of(&env, &format!("s{n}"))).collect();
    let program = env!("CARGO_BIN_EXE_mdmem");
    let limited = "echo 1 > /proc/sys/user/max_inotify_instances";
    let mut command = env.command("unshare");
    let is_allowed = env.command("unshare").args(["-Ur", "sh", "-c", limited]).status();
    if !is_allowed.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no limit of inotify's own can be set here, so it was not reached");
        return;
    }
    command
        .args([
            "-Ur",
            "sh",
            "-c",
            &format!("{limited}; exec {program} watch --all"),
        ])
        .envs([QUICK]);
    let watching = Watching::start(command);
    watching.wait_until_said("this machine has no more file watches to give");
    for store in &stores {
        save(store, "decision/limited.md");
    }
    for name in ["s0", "s1", "s2"] {
        wait_for(&format!("a commit in {name}"), LIMIT, || {
            let is_told = |line: &String| {
                line.contains(&format!("  {name}  ")) && line.contains("add decision/limited")
            };
            watching.said().iter().any(is_told).then_some(())
        });
    }
}
