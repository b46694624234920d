//! Two machines and a repository between them.

use crate::env::{Repository, TestEnv};

/// A bare repository on the machine's disk.
pub(super) fn bare(env: &TestEnv) -> String {
    bare_at(env, "remote.git")
}

/// The same by another name, below the machine's home.
pub(super) fn bare_at(env: &TestEnv, name: &str) -> String {
    let folder = env.home().join(name);
    let mut git = env.command("git");
    let made = git.args(["init", "-q", "--bare"]).arg(&folder).status();
    assert!(made.unwrap().success());
    folder.to_str().unwrap().to_owned()
}

/// Sends the machine's store to a new remote, and gives its address.
pub(super) fn shared(env: &TestEnv) -> String {
    let remote = bare(env);
    run(env, &["sync", &remote]);
    sync(env);
    remote
}

/// Another machine, which has the store of this remote.
pub(super) fn cloned(remote: &str) -> TestEnv {
    let env = TestEnv::new();
    run(&env, &["sync", remote]);
    env
}

/// Runs a command that has to succeed, whatever it says.
#[track_caller]
pub(super) fn run(env: &TestEnv, args: &[&str]) {
    env.mdmem(args).any_stdout().any_stderr().run();
}

#[track_caller]
pub(super) fn sync(env: &TestEnv) {
    run(env, &["sync"]);
}

/// Saves a file, and commits it.
#[track_caller]
pub(super) fn save(env: &TestEnv, path: &str, text: &str) {
    env.write(path, text);
    run(env, &["sweep"]);
}

pub(super) fn head(env: &TestEnv) -> String {
    Repository::of(env).git(&["rev-parse", "HEAD"]).trim().to_owned()
}
