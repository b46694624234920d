//! The way in which git is run: who is asked, what runs with it, how it ends, and what it tells.

use std::sync::atomic::{AtomicUsize, Ordering};

use mdmem::git::{GitError, Network, ORIGIN_REF, Prompts, Pushed, RemoteFault as F};

use super::http::Manners;
use super::machine::{Machine, fault_of, pseudo_random};
use super::remote::Remote;
use crate::env::TestEnv;

#[test]
fn a_transfer_ends_when_it_is_told_to() {
    let remote = Remote::http();
    let machine = Machine::that_pushed_to(&remote);
    remote.http_server().set(Manners::Hangs);
    for prompts in [Prompts::Off, Prompts::Allowed] {
        let looks = AtomicUsize::new(0);
        let is_stopped = || looks.fetch_add(1, Ordering::Relaxed) > 20;
        let network = Network {
            prompts,
            is_stopped: &is_stopped,
            ..Network::background(&machine.env)
        };
        let error = machine.repo.fetch("main", &network).unwrap_err();
        assert!(!error.is_offline());
        assert_eq!(fault_of(error), F::Other);
    }
    remote.http_server().set(Manners::Serves);
    assert!(machine.fetch().unwrap().is_some());
}

#[test]
fn a_long_transfer_tells_how_far_it_is() {
    let remote = Remote::path();
    let one = Machine::that_pushed_to(&remote);
    for number in 0..50 {
        std::fs::write(
            one.root().join(format!("{number}.md")),
            pseudo_random(20_000 + number),
        )
        .unwrap();
    }
    let tip = one.commit("b.md");
    one.push(tip, one.repo.own_ref(ORIGIN_REF).unwrap()).unwrap();
    let told = std::sync::Mutex::new(Vec::new());
    let progress = |line: &str| told.lock().unwrap().push(line.to_owned());
    let two = Machine::knowing(&remote);
    let network = Network {
        progress: Some(&progress),
        ..Network::background(&two.env)
    };
    assert_eq!(two.repo.fetch("main", &network).unwrap(), Some(tip));
    let told = told.into_inner().unwrap();
    assert!(
        told.iter()
            .any(|line| line.contains("objects:") && line.contains('%')),
        "{told:?}"
    );
}

#[test]
fn a_remote_is_set_and_set_anew_and_removed() {
    let remote = Remote::path();
    let machine = Machine::alone();
    assert_eq!(machine.repo.remote_url().unwrap(), None);
    let error = machine.fetch().unwrap_err();
    assert!(matches!(error, GitError::NoRemote(_)) && error.hint().is_some());
    machine.repo.remove_remote().unwrap();
    machine.repo.set_remote(remote.address(), "a-store").unwrap();
    machine.repo.set_remote(remote.address(), "main").unwrap();
    assert_eq!(
        machine.repo.remote_url().unwrap().as_deref(),
        Some(remote.address())
    );
    let first = machine.commit("a.md");
    assert_eq!(machine.push(first, None).unwrap(), Pushed::Accepted);
    // A person's own git.
    machine.git(&["pull", "-q", "--ff-only"]);
    assert_eq!(
        machine.git(&["rev-parse", "--abbrev-ref", "@{upstream}"]),
        "origin/main"
    );
    machine.git(&["config", "remote.origin.pushurl", "/elsewhere"]);
    machine
        .repo
        .set_remote("https://host.example/r.git", "main")
        .unwrap();
    assert_eq!(
        machine.repo.own_ref(ORIGIN_REF).unwrap(),
        None,
        "it told of another remote"
    );
    assert_eq!(
        machine.git(&["remote", "get-url", "--push", "origin"]),
        "https://host.example/r.git"
    );
    machine.repo.remove_remote().unwrap();
    assert_eq!(machine.repo.remote_url().unwrap(), None);
    assert_eq!(machine.git(&["remote"]), "");
    assert!(machine.repo.set_remote("--x", "main").is_err());
}

#[test]
fn a_hook_of_the_clone_does_not_run() {
    let remote = Remote::path();
    let machine = Machine::knowing(&remote);
    let first = machine.commit("a.md");
    let ran = machine.folder.path().join("ran");
    let hooks = machine.root().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for name in ["pre-push", "reference-transaction", "post-update"] {
        use std::os::unix::fs::PermissionsExt as _;
        let path = hooks.join(name);
        std::fs::write(&path, format!("#!/bin/sh\ntouch {}\nexit 1\n", ran.display())).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(machine.push(first, None).unwrap(), Pushed::Accepted);
    assert_eq!(machine.fetch().unwrap(), Some(first));
    assert!(!ran.exists());
}

#[test]
fn the_persons_own_ssh_is_used_as_it_is() {
    let Some(remote) = Remote::ssh() else { return };
    let machine = Machine::that_pushed_to(&remote);
    machine.git(&["config", "--unset", "core.sshCommand"]);
    let wrapper = machine.folder.path().join("my-ssh");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *BatchMode*) exit 9;; esac\nexec {} \"$@\"\n",
        remote.ssh_command
    );
    std::fs::write(&wrapper, script).unwrap();
    let command = format!("sh {}", wrapper.display());
    machine.git(&["config", "core.sshCommand", &command]);
    assert!(machine.fetch().unwrap().is_some());
}

#[test]
fn nobody_is_asked_in_the_background() {
    let remote = Remote::http();
    let machine = Machine::that_pushed_to(&remote);
    remote.http_server().set(Manners::Asks("me:s3cret".to_owned()));
    let asked = machine.folder.path().join("asked");
    let askpass = machine.folder.path().join("askpass");
    std::fs::write(&askpass, format!("#!/bin/sh\ntouch {}\n", asked.display())).unwrap();
    machine.git(&["config", "core.askPass", &format!("sh {}", askpass.display())]);
    assert_eq!(machine.fault(), F::Denied);
    assert!(!asked.exists());
}

#[test]
fn a_lock_that_a_killed_git_left_is_in_nobodys_way() {
    let remote = Remote::path();
    let machine = Machine::that_pushed_to(&remote);
    let lock = machine.root().join(".git").join(format!("{ORIGIN_REF}.lock"));
    for (age, name) in [(3600, "old.md"), (0, "new.md")] {
        // The ref has to move, or git takes no lock.
        let other = Machine::knowing(&remote);
        let known = other.fetch().unwrap();
        other.git(&["reset", "-q", "--hard", &known.unwrap().to_string()]);
        let tip = other.commit(name);
        other.push(tip, known).unwrap();
        let file = std::fs::File::create(&lock).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(then).unwrap();
        assert_eq!(machine.fetch().unwrap(), Some(tip), "{age}");
        assert!(!lock.exists(), "{age}");
    }
}

#[test]
fn two_processes_fetch_at_once() {
    let remote = Remote::path();
    let one = Machine::that_pushed_to(&remote);
    for number in 0..5 {
        let tip = one.commit(&format!("{number}.md"));
        one.push(tip, one.repo.own_ref(ORIGIN_REF).unwrap()).unwrap();
    }
    let heads: Vec<String> = remote
        .git(&["rev-list", "main"])
        .lines()
        .map(str::to_owned)
        .collect();
    let two = Machine::knowing(&remote);
    let (root, env) = (two.root(), &two.env);
    std::thread::scope(|scope| {
        let fetch = || {
            let repo = mdmem::git::Repo::open(&root).unwrap();
            for _ in 0..8 {
                let fetched = repo.fetch("main", &Network::background(env)).unwrap();
                assert!(heads.contains(&fetched.unwrap().to_string()));
            }
        };
        scope.spawn(fetch);
        scope.spawn(fetch);
        scope.spawn(|| {
            for head in heads.iter().cycle().take(40) {
                remote.git(&["update-ref", "refs/heads/main", head]);
            }
        });
    });
    two.git(&["fsck", "--full", "--strict"]);
}

#[test]
fn settings_of_the_environment_count_for_the_network() {
    let remote = Remote::path();
    let mut env = TestEnv::new();
    env.set_var("GIT_CONFIG_COUNT", "1");
    let key = format!("url.{}/.insteadOf", remote.folder().display());
    env.set_var("GIT_CONFIG_KEY_0", &key);
    env.set_var("GIT_CONFIG_VALUE_0", "https://host.example/");
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.mdmem(["sync", "https://host.example/r.git"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["sync"]).any_stdout().any_stderr().run();
    assert_eq!(
        remote.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main"
    );
}
