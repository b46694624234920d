//! One repository for all stores (`sync.remote`), a branch each.

use std::path::PathBuf;

use super::pair::bare;
use crate::env::TestEnv;

/// A machine that knows the one repository, and the folders of two projects that it shares with other machines.
struct Machine {
    env: TestEnv,
    projects: [PathBuf; 2],
}

impl Machine {
    fn new(remote: &str, folder: &str) -> Self {
        let mut env = TestEnv::new();
        env.set_var("MDMEM_SYNC__REMOTE", remote);
        let projects = ["tool", "site"].map(|name| {
            let project = env.home().join(folder).join(name);
            std::fs::create_dir_all(&project).unwrap();
            let git = |args: &[&str]| {
                let git = env.command("git").current_dir(&project).args(args).status();
                assert!(git.unwrap().success());
            };
            git(&["init", "-q"]);
            git(&[
                "remote",
                "add",
                "origin",
                &format!("git@host.example:ada/{name}.git"),
            ]);
            project
        });
        Self { env, projects }
    }

    fn run(&self, project: usize, args: &[&str]) -> String {
        let call = self.env.mdmem(args).current_dir(&self.projects[project]);
        call.any_stdout().any_stderr().run().stdout
    }
}

#[test]
fn every_store_has_its_branch_and_a_new_machine_has_them_all() {
    let home = TestEnv::new();
    let remote = bare(&home);
    let one = Machine::new(&remote, "src");
    one.run(0, &["add", "the tool is written in Rust"]);
    one.run(1, &["add", "the site is made of plain files"]);
    one.run(0, &["--global", "add", "I like short answers"]);
    one.run(0, &["sync", "--all"]);
    let heads = || {
        let heads = home
            .command("git")
            .args(["-C", &remote, "branch", "--format=%(refname:short)"])
            .output();
        String::from_utf8(heads.unwrap().stdout).unwrap()
    };
    let all = heads();
    assert_eq!(all.lines().count(), 3, "{all}");
    assert!(
        all.contains("global\n") && all.contains("tool-") && all.contains("site-"),
        "{all}"
    );

    // Another place on another machine: the first sync of each brings what there is.
    let two = Machine::new(&remote, "work/projects");
    two.run(0, &["sync"]);
    two.run(1, &["sync"]);
    two.run(0, &["--global", "sync"]);
    assert!(two.run(0, &["list"]).contains("written in Rust"));
    assert!(two.run(1, &["list"]).contains("plain files"));
    assert!(two.run(0, &["--global", "list"]).contains("short answers"));
    assert!(two.run(0, &["status"]).contains("(tool-"));
    two.run(0, &["add", "the tool has no configuration file"]);
    two.run(1, &["add", "the site is built by make"]);
    two.run(0, &["sync", "--all"]);
    one.run(0, &["sync", "--all"]);
    assert!(one.run(0, &["list"]).contains("no configuration file"));
    assert!(one.run(1, &["list"]).contains("built by make"));
    assert_eq!(heads(), all);
}

#[test]
fn a_store_that_fails_does_not_stop_the_others() {
    let home = TestEnv::new();
    let remote = bare(&home);
    let one = Machine::new(&remote, "src");
    one.run(0, &["add", "the tool is written in Rust"]);
    one.run(1, &["add", "the site is made of plain files"]);
    let call = one.env.mdmem(["sync", "/nowhere/to/be/found.git"]);
    let failed = call.current_dir(&one.projects[0]).any_stderr().code(1).run();
    assert!(
        !failed.stderr.contains("now syncs with"),
        "nothing was reached: {}",
        failed.stderr
    );
    let call = one
        .env
        .mdmem(["sync", "--all", "--json"])
        .current_dir(&one.projects[0]);
    let failed = call.any_stdout().any_stderr().code(1).run();
    let form = failed.json();
    let stores = form["stores"].as_array().unwrap();
    assert_eq!(stores.len(), 2, "{form}");
    let sent = stores.iter().filter(|store| store["sent"].as_u64() > Some(0));
    assert_eq!(sent.count(), 1, "{form}");
    // The setting holds again once the store's own remote is gone, and follows where the setting goes.
    let path = one.env.mdmem(["path"]).current_dir(&one.projects[0]);
    let store = String::from_utf8(path.any_stdout().run().bytes).unwrap();
    let mut git = one.env.command("git");
    git.args(["-C", store.trim(), "remote", "remove", "origin"]);
    assert!(git.status().unwrap().success());
    one.run(0, &["sync"]);
    assert!(one.run(0, &["status"]).contains(&remote));
    let elsewhere = TestEnv::new();
    let moved = bare(&elsewhere);
    let call = one.env.mdmem(["sync"]).current_dir(&one.projects[0]);
    call.var("MDMEM_SYNC__REMOTE", &moved)
        .any_stdout()
        .any_stderr()
        .run();
    let call = one.env.mdmem(["status"]).current_dir(&one.projects[0]);
    let shown = call.var("MDMEM_SYNC__REMOTE", &moved).any_stdout().run().stdout;
    assert!(shown.contains(&moved), "{shown}");
}

#[test]
fn stores_without_a_remote_are_told_of() {
    let env = TestEnv::with_store();
    env.mdmem(["sync", "--all"])
        .stderr_has("no store on this machine has a remote")
        .stderr_has("mdmem sync URL")
        .run();
}

#[test]
fn a_token_in_the_setting_is_neither_used_nor_shown_and_stops_no_other_command() {
    let mut env = TestEnv::with_store();
    let token = ["ghp", "_", "Zk3mQ9xT7vB2nL5wR8yC1dF4gH6jK0pS2aE4"].concat();
    env.set_var(
        "MDMEM_SYNC__REMOTE",
        &format!("https://{token}@host.example/a.git"),
    );
    for args in [["sync"].as_slice(), &["sync", "--all"]] {
        let said = env
            .mdmem(args.iter().copied())
            .any_stdout()
            .code(1)
            .any_stderr()
            .run();
        assert!(said.stderr.contains("credential"), "{}", said.stderr);
        assert!(!said.stderr.contains(&token));
    }
    for args in [["config", "get", "sync.remote"].as_slice(), &["config", "--json"]] {
        let said = env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        let shows = said.stdout.contains("host.example") && !said.stdout.contains(&token);
        assert!(shows, "{}", said.stdout);
    }
    let said = env.mdmem(["status"]).any_stdout().any_stderr().run();
    assert!(!said.stdout.contains(&token), "{}", said.stdout);
    let config = std::fs::read_to_string(env.store().join(".git/config")).unwrap();
    assert!(!config.contains(&token));
}
