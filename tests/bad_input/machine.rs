//! A machine that refuses: full disks, read-only file systems, held locks. Skipped, loudly, where it takes root to
//! make one.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use crate::env::{Mount, TestEnv, wait_for};

#[test]
fn on_a_full_disk_nothing_is_half_written() {
    let env = TestEnv::new();
    let Some(_mount) = Mount::tmpfs(&env.mdmem_home(), "size=1m") else {
        return;
    };
    env.mdmem(["add", "one thing"]).any_stdout().any_stderr().run();
    let store = env.store();
    let filler = store.with_file_name("filler");
    let fill = || drop(std::fs::write(&filler, vec![0; 2 << 20]));
    fill();
    let kept = env.read("project/one-thing.md");
    env.mdmem(["add", "another fact"])
        .any_stdout()
        .fails("cannot ")
        .any_stderr()
        .run();
    env.mdmem(["list", "--paths"])
        .stdout_has("project/one-thing.md\n")
        .run();
    assert_eq!(env.read("project/one-thing.md"), kept);
    assert!(!store.join(".git/index.lock").exists() && !store.join(".git/mdmem-index").exists());
    std::fs::remove_file(&filler).unwrap();
    env.mdmem(["add", "a third one"]).any_stdout().any_stderr().run();
    env.git(["fsck"]).any_stderr().any_stdout().run();
    env.git(["status", "--short"]).run();
}

#[test]
fn a_watcher_outlives_a_full_disk() {
    let mut env = TestEnv::new();
    let Some(_mount) = Mount::tmpfs(&env.mdmem_home(), "size=1m") else {
        return;
    };
    env.use_real_clock();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    env.mdmem(["add", "one thing"]).any_stdout().any_stderr().run();
    let store = env.store();
    let mut watcher = Watcher::start(&env);
    let filler = store.with_file_name("filler");
    std::fs::write(store.join("project/saved.md"), "saved on a full disk\n").unwrap();
    drop(std::fs::write(&filler, vec![0; 2 << 20]));
    wait_for("the watcher to say so", Duration::from_secs(20), || {
        watcher.said().contains("No space left").then_some(())
    });
    std::fs::remove_file(&filler).unwrap();
    wait_for("the commit", Duration::from_secs(30), || {
        let log = env.git(["log", "--format=%s", "-1"]).any_stdout().run().stdout;
        log.contains("saved").then_some(())
    });
    assert!(watcher.0.try_wait().unwrap().is_none(), "it watches on");
}

#[test]
fn a_read_only_file_system_is_read() {
    let env = TestEnv::new();
    let Some(mount) = Mount::tmpfs(&env.mdmem_home(), "size=4m") else {
        return;
    };
    env.mdmem(["add", "one thing"]).any_stdout().any_stderr().run();
    env.write("project/saved.md", "saved\n");
    mount.remount("remount,ro");
    for args in [
        vec!["list"],
        vec!["render"],
        vec!["show", "saved"],
        vec!["why", "saved"],
        vec!["status"],
        vec!["log"],
        vec!["diff"],
        vec!["sweep", "-n"],
    ] {
        env.mdmem(args).any_stdout().any_stderr().run();
    }
    env.mdmem(["check"])
        .code(1)
        .stdout_has("the file system is read-only")
        .any_stderr()
        .run();
    for args in [
        vec!["add", "another fact"],
        vec!["sweep"],
        vec!["rm", "saved"],
        vec!["undo", "-n"],
    ] {
        env.mdmem(args).fails("$STORE").stderr_has("ead-only").run();
    }
}

#[test]
fn readers_take_no_lock_and_writers_name_its_holder() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let store = env.store();
    let path = store.join(".git/mdmem.lock");
    let lock = File::options().read(true).write(true).open(&path).unwrap();
    lock.lock().unwrap();
    for args in [
        vec!["list"],
        vec!["render"],
        vec!["status"],
        vec!["log"],
        vec!["undo", "-n"],
    ] {
        env.mdmem(args).any_stdout().any_stderr().run();
    }
    env.mdmem(["add", "another fact"])
        .fails("$STORE/.git/mdmem.lock is held by another process")
        .run();
    assert!(!store.join("project/another-fact.md").exists());
}

#[test]
fn a_store_that_goes_is_waited_for_and_nothing_is_deleted() {
    let mut env = TestEnv::with_store();
    env.use_real_clock();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let store = env.store();
    let mut watcher = Watcher::start(&env);
    std::fs::remove_dir_all(store.join(".git")).unwrap();
    wait_for("the watcher to say so", Duration::from_secs(20), || {
        watcher.said().contains(" is unavailable").then_some(())
    });
    assert!(watcher.0.try_wait().unwrap().is_none(), "it watches on");
    assert!(store.join("project/one-thing.md").exists());
    env.mdmem(["list"])
        .fails("has files, but no git repository")
        .run();
}

#[test]
fn a_slip_in_the_settings_does_not_end_the_watch() {
    let mut env = TestEnv::with_store();
    env.use_real_clock();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let mut watcher = Watcher::start(&env);
    env.write("mdmem.toml", "format = 1\n[render]\nmax_char = 1\n");
    wait_for("the watcher to say so", Duration::from_secs(20), || {
        watcher
            .said()
            .contains("mdmem.toml:3: unknown setting")
            .then_some(())
    });
    env.write("project/saved.md", "saved after the slip\n");
    wait_for("the commit", Duration::from_secs(20), || {
        let log = env.git(["log", "--format=%s"]).any_stdout().run().stdout;
        (log.contains("add project/saved") && log.contains("edit mdmem.toml")).then_some(())
    });
    assert!(watcher.0.try_wait().unwrap().is_none(), "it watches on");
}

/// `mdmem watch`, killed with the value. Its output is in a file.
struct Watcher(std::process::Child, PathBuf);

impl Watcher {
    fn start(env: &TestEnv) -> Self {
        let said = env.home().join("watch.log");
        let log = File::create(&said).unwrap();
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.arg("watch").stdout(log.try_clone().unwrap()).stderr(log);
        let watcher = Self(command.spawn().unwrap(), said);
        wait_for("the watch", Duration::from_secs(20), || {
            watcher.said().contains("watching").then_some(())
        });
        watcher
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.1).unwrap()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
