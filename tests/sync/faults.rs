//! Remotes that fail, each in a way of its own, with the real words of git, ssh and curl.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use mdmem::git::{GitError, Network, ORIGIN_REF, Push, Pushed, RemoteFault as F};

use super::http::Manners;
use super::machine::{Machine, fault_of, pseudo_random};
use super::remote::{Remote, run_git};
use crate::env::Mount;

/// A machine whose `origin` is this address, whatever it is.
fn at(address: &str) -> Machine {
    let machine = Machine::alone();
    machine.repo.set_remote("/none", "main").unwrap();
    machine.git(&["config", "remote.origin.url", address]);
    machine
}

#[test]
fn a_host_that_nobody_knows_is_offline() {
    for scheme in ["http", "https", "git", "ssh"] {
        let machine = at(&format!("{scheme}://no-such-host.invalid/r.git"));
        let error = machine.fetch().unwrap_err();
        assert!(error.is_offline(), "{error}");
        assert_eq!(fault_of(error), F::Offline, "{scheme}");
    }
}

#[test]
fn a_server_that_is_down_is_offline() {
    for mut remote in [Some(Remote::daemon()), Some(Remote::http()), Remote::ssh()]
        .into_iter()
        .flatten()
    {
        let machine = Machine::that_pushed_to(&remote);
        remote.stop();
        let error = machine.fetch().unwrap_err();
        assert!(error.is_offline(), "{error}");
        assert_eq!(fault_of(error), F::Offline, "{}", remote.address());
        let tip = machine.commit("b.md");
        assert_eq!(fault_of(machine.push(tip, None).unwrap_err()), F::Offline);
    }
}

#[test]
fn a_server_that_closes_at_once_is_offline() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    for scheme in ["http", "git", "ssh"] {
        let error = at(&format!("{scheme}://127.0.0.1:{port}/r.git"))
            .fetch()
            .unwrap_err();
        assert!(error.is_offline(), "{error}");
        assert_eq!(fault_of(error), F::Offline, "{scheme}");
    }
}

#[test]
fn a_connection_that_breaks_in_the_middle_leaves_everything_as_it_was() {
    let remote = Remote::http();
    let one = Machine::that_pushed_to(&remote);
    let two = Machine::knowing(&remote);
    let before = two.fetch().unwrap();
    std::fs::write(one.root().join("big.md"), pseudo_random(300_000)).unwrap();
    let tip = one.commit("b.md");
    for bytes in [0, 1, 10] {
        remote.http_server().set(Manners::Breaks(bytes));
        let error = one.push(tip, before).unwrap_err();
        assert!(error.is_offline(), "{error}");
        // The answer was lost, and not the push.
        remote.http_server().set(Manners::Serves);
        remote.git(&["update-ref", "refs/heads/main", &before.unwrap().to_string()]);
    }
    assert_eq!(one.push(tip, before).unwrap(), Pushed::Accepted);
    for bytes in [0, 1, 30, 100, 1000, 100_000] {
        remote.http_server().set(Manners::Breaks(bytes));
        let error = two.fetch().unwrap_err();
        assert!(error.is_offline(), "{bytes}: {error}");
        assert_eq!(fault_of(error), F::Offline, "{bytes}");
        assert_eq!(two.repo.own_ref(ORIGIN_REF).unwrap(), before);
        two.git(&["fsck", "--full", "--strict"]);
    }
    remote.http_server().set(Manners::Serves);
    assert_eq!(two.fetch().unwrap(), Some(tip));
}

#[test]
fn a_password_comes_from_a_credential_helper_or_from_nobody() {
    let remote = Remote::http();
    let machine = Machine::that_pushed_to(&remote);
    remote.http_server().set(Manners::Asks("me:s3cret".to_owned()));
    assert_eq!(machine.fault(), F::Denied);
    let helper = |word: &str| format!("!f() {{ echo username=me; echo password={word}; }}; f");
    machine.git(&["config", "credential.helper", &helper("wrong")]);
    assert_eq!(machine.fault(), F::Denied);
    machine.git(&["config", "credential.helper", &helper("s3cret")]);
    assert!(machine.fetch().unwrap().is_some());
    let tip = machine.commit("b.md");
    assert_eq!(
        machine
            .push(tip, machine.repo.own_ref(ORIGIN_REF).unwrap())
            .unwrap(),
        Pushed::Accepted
    );
}

#[test]
fn a_key_that_ssh_does_not_know_is_refused() {
    let Some(remote) = Remote::ssh() else { return };
    let machine = Machine::that_pushed_to(&remote);
    let with = |options: &str| {
        let command = format!("{} {options}", remote.ssh_command);
        machine.git(&["config", "core.sshCommand", &command]);
        machine.fault()
    };
    // The first value of an option counts for ssh, so these go before.
    let with_first = |options: &str| {
        let command = remote.ssh_command.replacen("ssh ", &format!("ssh {options} "), 1);
        machine.git(&["config", "core.sshCommand", &command]);
        machine.fault()
    };
    assert_eq!(with_first("-oPubkeyAuthentication=no"), F::Denied);
    assert_eq!(with_first("-oUserKnownHostsFile=/dev/null"), F::Untrusted);
    let known = remote.folder().join("keys/known_hosts");
    let host = std::fs::read_to_string(remote.folder().join("keys/user.pub")).unwrap();
    let name = std::fs::read_to_string(&known).unwrap();
    let name = name.split(' ').next().unwrap().to_owned();
    std::fs::write(&known, format!("{name} {host}")).unwrap();
    assert_eq!(with(""), F::Untrusted, "another key than before");
}

#[test]
fn what_is_no_repository_is_not_found() {
    for remote in [
        Some(Remote::path()),
        Some(Remote::daemon()),
        Some(Remote::http()),
        Remote::ssh(),
    ]
    .into_iter()
    .flatten()
    {
        let machine = at(&remote.address().replace("r.git", "none.git"));
        if !remote.ssh_command.is_empty() {
            machine.git(&["config", "core.sshCommand", &remote.ssh_command]);
        }
        assert_eq!(machine.fault(), F::NotFound, "{}", remote.address());
        let error = machine.fetch().unwrap_err();
        assert!(!error.is_offline() && error.hint().is_some());
    }
}

#[test]
fn who_may_only_read_may_not_push() {
    let remote = Remote::http();
    let machine = Machine::that_pushed_to(&remote);
    remote.http_server().set(Manners::ReadOnly);
    let tip = machine.commit("b.md");
    let old = machine.fetch().unwrap();
    assert_eq!(fault_of(machine.push(tip, old).unwrap_err()), F::Denied);
    let remote = Remote::daemon();
    let machine = Machine::that_pushed_to(&remote);
    remote.git(&["config", "daemon.receivepack", "false"]);
    let tip = machine.commit("b.md");
    let old = machine.fetch().unwrap();
    // The daemon does not tell which of both it is.
    assert_eq!(fault_of(machine.push(tip, old).unwrap_err()), F::NotFound);
}

#[test]
fn a_server_in_trouble_says_so() {
    let remote = Remote::http();
    let machine = Machine::that_pushed_to(&remote);
    remote
        .http_server()
        .set(Manners::Refuses("500 Internal Server Error"));
    let error = machine.fetch().unwrap_err();
    assert!(error.to_string().contains("500"), "{error}");
    assert_eq!(fault_of(error), F::Other);
}

#[test]
fn no_way_around_the_kinds_of_addresses_that_git_may_use() {
    let marker = tempfile::tempdir().unwrap();
    let ran = marker.path().join("ran");
    let command = format!("ext::sh -c touch% {}", ran.display());
    // By the settings, and behind another address.
    let error = at(&command).fetch().unwrap_err();
    assert!(matches!(error, GitError::Address { .. }), "{error}");
    let machine = at("https://host.example/r.git");
    machine.git(&[
        "config",
        &format!("url.{command}.insteadOf"),
        "https://host.example/r.git",
    ]);
    assert_eq!(machine.fault(), F::NotFound);
    assert!(!ran.exists());
    assert_eq!(at("foo://host/r.git").fault(), F::NotFound);
    let remote = Remote::path();
    let machine = Machine::that_pushed_to(&remote);
    machine.git(&["config", "protocol.file.allow", "never"]);
    assert_eq!(machine.fault(), F::NotFound);
}

#[test]
fn objects_that_are_not_sound_do_not_come_in() {
    let remote = Remote::path();
    let machine = Machine::that_pushed_to(&remote);
    let before = machine.repo.own_ref(ORIGIN_REF).unwrap();
    let tree = remote.git(&["rev-parse", "main^{tree}"]);
    let file = remote.folder().join("commit");
    std::fs::write(
        &file,
        format!("tree {tree}\nauthor nobody\ncommitter nobody\n\nbad\n"),
    )
    .unwrap();
    let bad = remote.git(&[
        "hash-object",
        "-w",
        "-t",
        "commit",
        "--literally",
        &file.display().to_string(),
    ]);
    remote.git(&["update-ref", "refs/heads/main", &bad]);
    assert_eq!(machine.fault(), F::Unsound);
    assert_eq!(machine.repo.own_ref(ORIGIN_REF).unwrap(), before);
}

#[test]
fn a_remote_without_its_whole_history_is_refused() {
    let remote = Remote::path();
    let machine = Machine::that_pushed_to(&remote);
    let tip = machine.commit("b.md");
    machine
        .push(tip, machine.repo.own_ref(ORIGIN_REF).unwrap())
        .unwrap();
    let shallow = remote.folder().join("shallow.git");
    let from = format!("file://{}", remote.address());
    run_git(
        remote.folder(),
        &["clone", "-q", "--bare", "--depth=1", &from, "shallow.git"],
    );
    let other = at(&shallow.display().to_string());
    assert_eq!(other.fault(), F::Unsound);
    run_git(&shallow, &["fetch", "-q", "--unshallow"]);
    assert_eq!(other.fetch().unwrap(), Some(tip));
}

#[test]
fn a_remote_with_other_names_of_objects_is_refused() {
    let remote = Remote::path();
    let folder = remote.folder();
    run_git(
        folder,
        &[
            "init",
            "-q",
            "--bare",
            "--object-format=sha256",
            "-b",
            "main",
            "other.git",
        ],
    );
    run_git(folder, &["clone", "-q", "other.git", "work"]);
    run_git(
        &folder.join("work"),
        &["commit", "-q", "--allow-empty", "-m", "x"],
    );
    run_git(
        &folder.join("work"),
        &["push", "-q", "origin", "HEAD:refs/heads/main"],
    );
    let machine = at(&folder.join("other.git").display().to_string());
    assert_eq!(machine.fault(), F::Unsound);
    let tip = machine.commit("a.md");
    assert_eq!(fault_of(machine.push(tip, None).unwrap_err()), F::Unsound);
}

#[test]
fn other_branches_are_named() {
    let remote = Remote::path();
    let machine = Machine::that_pushed_to(&remote);
    remote.git(&["branch", "-m", "main", "master"]);
    remote.git(&["branch", "zwei/ü", "master"]);
    assert_eq!(
        machine.fault(),
        F::OtherBranches(vec!["master".to_owned(), "zwei/ü".to_owned()])
    );
    let network = Network::background(&machine.env);
    assert!(machine.repo.fetch("zwei/ü", &network).unwrap().is_some());
    for name in [
        "",
        "-x",
        "--upload-pack=x",
        "a b",
        "a..b",
        "a\n",
        "x.lock",
        "@{",
        "*",
        "a:b",
        "HEAD",
    ] {
        let error = machine.repo.fetch(name, &network).unwrap_err();
        assert!(matches!(error, GitError::BranchName(_)), "{name}: {error}");
        let push = Push {
            new: machine.rev("HEAD"),
            branch: name,
            expected: None,
        };
        assert!(matches!(
            machine.repo.push(&push, &network),
            Err(GitError::BranchName(_))
        ));
        assert!(machine.repo.set_remote("/none", name).is_err());
    }
}

#[test]
fn a_full_disk_is_told_from_a_full_disk_there() {
    let remote = Remote::path();
    let machine = Machine::that_pushed_to(&remote);
    let before = machine.repo.own_ref(ORIGIN_REF).unwrap();
    std::fs::write(machine.root().join("big.md"), pseudo_random(3_000_000)).unwrap();
    let tip = machine.commit("b.md");
    let full = |folder: &Path| Mount::tmpfs(folder, "size=1m");
    let there = machine.folder.path().join("there");
    let Some(_mount) = full(&there) else { return };
    run_git(&there, &["init", "-q", "--bare", "-b", "main", "r.git"]);
    machine.git(&[
        "config",
        "remote.origin.url",
        &there.join("r.git").display().to_string(),
    ]);
    assert_eq!(fault_of(machine.push(tip, None).unwrap_err()), F::Full("there"));
    machine.git(&["config", "remote.origin.url", remote.address()]);
    assert_eq!(machine.push(tip, before).unwrap(), Pushed::Accepted);
    let here = machine.folder.path().join("here");
    let _mount = full(&here).unwrap();
    let small = mdmem::git::Repo::init(&here.join("store")).unwrap();
    small.set_remote(remote.address(), "main").unwrap();
    let error = small
        .fetch("main", &Network::background(&machine.env))
        .unwrap_err();
    assert_eq!(fault_of(error), F::Full("here"));
    assert_eq!(small.own_ref(ORIGIN_REF).unwrap(), None);
}
