//! Two machines and a repository between them.

use crate::env::{Repository, TestEnv};

/// A bare repository on the first machine's disk.
pub(super) fn bare(env: &TestEnv) -> String {
    let folder = env.home().join("remote.git");
    let made = env
        .command("git")
        .args(["init", "-q", "--bare"])
        .arg(&folder)
        .status();
    assert!(made.unwrap().success());
    folder.to_str().unwrap().to_owned()
}

/// A machine with a store that is exchanged with `remote`.
fn machine_with(fact: &str, remote: &str) -> TestEnv {
    let env = TestEnv::new();
    env.mdmem(["add", fact]).any_stdout().any_stderr().run();
    env.mdmem(["remote", "set", remote])
        .any_stdout()
        .any_stderr()
        .run();
    env
}

pub(super) fn sync(env: &TestEnv) {
    env.mdmem(["sync"]).any_stdout().any_stderr().run();
}

fn head(env: &TestEnv) -> String {
    Repository::of(env).git(&["rev-parse", "HEAD"])
}

#[test]
fn a_store_is_cloned_and_what_each_says_is_on_both() {
    let one = TestEnv::new();
    let remote = bare(&one);
    one.mdmem(["add", "we deploy on Thursdays"])
        .any_stdout()
        .any_stderr()
        .run();
    one.mdmem(["remote", "set", &remote])
        .any_stdout()
        .any_stderr()
        .run();
    sync(&one);
    let two = TestEnv::new();
    two.mdmem(["clone", &remote]).any_stdout().run();
    assert_eq!(head(&one), head(&two));
    two.mdmem(["add", "the parser is written by hand"])
        .any_stdout()
        .any_stderr()
        .run();
    one.mdmem(["add", "never push on Fridays"])
        .any_stdout()
        .any_stderr()
        .run();
    sync(&two);
    let planned = one
        .mdmem(["sync", "--dry-run", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(planned["files"][0]["change"], "added");
    assert_eq!(planned["received"], 1);
    for env in [&one, &two] {
        sync(env);
    }
    assert_eq!(head(&one), head(&two));
    assert_eq!(Repository::of(&one).tracked(), Repository::of(&two).tracked());
    for env in [&one, &two] {
        let repository = Repository::of(env);
        assert_eq!(repository.status(), "");
        env.mdmem(["list"])
            .stdout_has("Fridays")
            .stdout_has("parser")
            .run();
        repository.assert_sound();
    }
    one.mdmem(["sync"]).stdout("").stderr_has("nothing new").run();
}

#[test]
fn two_stores_that_were_begun_apart_are_joined() {
    let one = TestEnv::new();
    let remote = bare(&one);
    one.mdmem(["add", "we deploy on Thursdays"])
        .any_stdout()
        .any_stderr()
        .run();
    one.mdmem(["remote", "set", &remote])
        .any_stdout()
        .any_stderr()
        .run();
    sync(&one);
    let two = machine_with("We deploy on Thursdays.", &remote);
    two.mdmem(["add", "never push on Fridays"])
        .any_stdout()
        .any_stderr()
        .run();
    sync(&two);
    sync(&one);
    assert_eq!(head(&one), head(&two));
    let listed = one.mdmem(["list", "--paths"]).any_stdout().run();
    assert_eq!(String::from_utf8(listed.bytes).unwrap().lines().count(), 2);
    assert_eq!(Repository::of(&one).status(), "");
}

#[test]
fn a_token_in_an_address_is_refused_and_not_shown() {
    let env = TestEnv::with_store();
    let token = ["ghp", "_", "Zk3mQ9xT7vB2nL5wR8yC1dF4gH6jK0pS2aE4"].concat();
    for verb in [["remote", "set"].as_slice(), &["clone"]] {
        let url = format!("https://{token}@host.example/a.git");
        let args = verb.iter().copied().chain([url.as_str()]);
        let output = env.mdmem(args).fails("credential").any_stderr().run();
        assert!(!String::from_utf8_lossy(&output.bytes).contains(&token));
    }
}

#[test]
fn a_memory_without_an_id_keeps_the_one_that_history_gives_it_in_a_contradiction() {
    let one = TestEnv::with_store();
    let remote = bare(&one);
    one.write("project/deploys.md", "We deploy on Thursdays.\n");
    one.mdmem(["sweep"]).any_stdout().any_stderr().run();
    one.write("project/deploys.md", "We deploy on Fridays.\n");
    one.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let known = one.mdmem(["list", "--json"]).any_stdout().run().json();
    let known = known[0]["id"].as_str().unwrap().to_owned();
    one.mdmem(["remote", "set", &remote])
        .any_stdout()
        .any_stderr()
        .run();
    sync(&one);
    let two = TestEnv::new();
    two.mdmem(["clone", &remote]).any_stdout().run();
    one.write("project/deploys.md", "We deploy on Mondays.\n");
    two.write("project/deploys.md", "We deploy on Sundays.\n");
    for env in [&one, &two, &one] {
        sync(env);
    }
    assert_eq!(head(&one), head(&two));
    let paths = Repository::of(&one).tracked();
    let sibling = paths.iter().find(|path| path.contains(".conflict-")).unwrap();
    assert!(
        one.read(sibling).contains(&format!("conflict_of: {known}")),
        "{}",
        one.read(sibling)
    );
}
