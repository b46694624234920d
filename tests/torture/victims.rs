//! The commands that write, each with a store in which it has something to do.

use serde_json::{Value, json};

use crate::env::{Repository, TestEnv, write_at};

/// The command that is killed.
pub(super) struct Victim {
    pub(super) args: &'static [&'static str],
    /// On top of the store that all have; `None` where there is no store yet.
    pub(super) prepare: Option<fn(&TestEnv)>,
    /// True where its change is one: afterwards all of it is there, or nothing of it.
    pub(super) is_whole: bool,
    /// The command that sets the store right afterwards, before the usual next command.
    pub(super) first: &'static [&'static str],
}

/// The saves of a person, with nothing running, before the command came; and with the watcher running.
pub(super) const SAVED: [(&str, &str); 3] = [
    ("user/by-hand.md", "A new file by hand: token-of-the-new-one.\n"),
    (
        "decision/of-many-3.md",
        "Edited by hand: token-of-the-edited-one.\n",
    ),
    (
        "decision/two words ü.md",
        "With an odd name: token-of-the-odd-one.\n",
    ),
];
pub(super) const SAVED_UNDER_WATCH: (&str, &str) =
    ("project/watched.md", "Saved under watch: token-of-the-watched.\n");
/// A file that is held.
pub(super) const HELD: &str = "reference/staging.md";
const IGNORED: &str = "private/diary.md";

const fn victim(args: &'static [&'static str], prepare: fn(&TestEnv), is_whole: bool) -> Victim {
    Victim {
        args,
        prepare: Some(prepare),
        is_whole,
        first: &[],
    }
}

/// A command whose next run completes what a kill left undone.
const fn again_first(args: &'static [&'static str], prepare: fn(&TestEnv)) -> Victim {
    Victim {
        first: args,
        ..victim(args, prepare, true)
    }
}

pub(super) const VICTIMS: [Victim; 32] = [
    Victim {
        args: &["init"],
        prepare: None,
        is_whole: true,
        first: &["init"],
    },
    victim(
        &["add", "--type", "decision", "The cache is kept by npm."],
        saves,
        true,
    ),
    victim(&["edit", "decision/of-many-1.md"], saves, true),
    victim(&["rm", "of-many-1", "of-many-2", "only-second"], saves, false),
    victim(&["forget", "of-many-1", "of-many-2", "only-second"], saves, true),
    victim(&["mv", "decision/of-many-1.md", "reference/"], saves, false),
    victim(&["mv", "decision/of-many-1.md", "system/"], linked, false),
    victim(&["mv", "decision/of-many-1.md", "archive/"], linked, false),
    victim(&["check", "--fix", "--yes"], duplicates, false),
    victim(&["restore", "--yes", "first"], without_a_held_file, true),
    victim(&["restore", "first", "of-many-7", "only-first"], saves, true),
    victim(&["undo"], |_| {}, true),
    victim(&["undo", "HEAD"], undone, true),
    victim(
        &["import", "--from", "opencode-working-memory", "peer.json"],
        peer,
        true,
    ),
    victim(&["import", "export.json"], exported, true),
    victim(&["import", "notes", "--as", "facts"], notes, true),
    again_first(&["export", "--to", "agents"], agents),
    again_first(&["export", "--to", "basic-memory", "kb"], agents),
    again_first(&["promote", "of-many-1", "--to", "AGENTS.md", "--yes"], agents),
    victim(&["promote", "--undo", "of-many-1", "--yes"], promoted, false),
    again_first(&["init", "--with", "claude-code", "--with", "opencode"], agents),
    again_first(&["stores", "link", "-C", "../home/elsewhere", "gone"], moved),
    victim(&["allow", HELD], saves, true),
    victim(&["allow", IGNORED], ignored, true),
    victim(&["config", "set", "render.max_chars", "4321"], saves, true),
    victim(&["sweep"], saves, false),
    Victim {
        first: &["check", "--fix", "--yes"],
        ..victim(&["check", "--fix", "--yes"], damaged, false)
    },
    victim(&["sync"], two_sided, true),
    Victim {
        first: &["init"],
        ..victim(&["sync", REMOTE], only_there, true)
    },
    victim(&["sweep"], merged_by_git, true),
    victim(&["serve"], saves, true),
    victim(&["watch"], |_| {}, false),
];

/// The store that all have: two states between which a restore changes many files, and one file that is held.
pub(super) fn store() -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.set_var("MDMEM_WATCH__QUIET_MS", "20");
    let editor = env.home().join("editor");
    write_at(&editor, "#!/bin/sh\nprintf 'Edited in an editor.\\n' > \"$1\"\n");
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    env.set_var("EDITOR", editor.to_str().unwrap());
    env
}

pub(super) fn fill(env: &TestEnv) {
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    let repository = Repository::of(env);
    for round in ["first", "second"] {
        for n in 0..8 {
            repository.save(
                &format!("decision/of-many-{n}.md"),
                &format!("Said in the {round} round by {n}.\n"),
            );
        }
        repository.save(
            &format!("project/only-{round}.md"),
            &format!("Only in the {round} round.\n"),
        );
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
        repository.git(&["tag", round]);
        if round == "first" {
            std::fs::remove_file(repository.at("project/only-first.md")).unwrap();
        }
    }
    repository.save(HELD, "The password is hunter2-Example\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
}

fn saves(env: &TestEnv) {
    let repository = Repository::of(env);
    for (path, text) in SAVED {
        repository.save(path, text);
    }
    std::fs::remove_file(repository.at("decision/of-many-5.md")).unwrap();
}

/// A repository beside the workspace, as a command in the workspace names it.
pub(super) const REMOTE: &str = "../home/remote.git";

/// The store is in the remote.
fn shared(env: &TestEnv) {
    let remote = env.home().join("remote.git");
    git(
        env,
        &["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()],
    );
    env.mdmem(["sync", REMOTE]).any_stdout().any_stderr().run();
    env.mdmem(["sync"]).any_stdout().any_stderr().run();
}

/// Another machine pushed: a new file, one that is gone, a moved one, one of which this machine changes the same line.
fn changed_there(env: &TestEnv) {
    shared(env);
    let remote = env.home().join("remote.git");
    let other = env.home().join("other");
    git(
        env,
        &["clone", "-q", remote.to_str().unwrap(), other.to_str().unwrap()],
    );
    for (path, text) in [
        ("user/from-there.md", "Said on the other machine.\n"),
        ("decision/of-many-3.md", "Edited on the other machine.\n"),
        ("decision/of-many-1.md", "Edited there alone.\n"),
        (".obsidian/app.json", "{}\n"),
    ] {
        write_at(&other.join(path), text);
    }
    std::fs::remove_file(other.join("decision/of-many-2.md")).unwrap();
    std::fs::rename(
        other.join("decision/of-many-4.md"),
        other.join("decision/moved.md"),
    )
    .unwrap();
    let other = other.to_str().unwrap();
    git(env, &["-C", other, "add", "--all"]);
    git(env, &["-C", other, "commit", "-q", "-m", "from there"]);
    git(env, &["-C", other, "push", "-q", "origin", "HEAD:main"]);
}

fn two_sided(env: &TestEnv) {
    changed_there(env);
    saves(env);
}

/// No store is here.
fn only_there(env: &TestEnv) {
    shared(env);
    std::fs::remove_dir_all(env.mdmem_home()).unwrap();
}

/// Git merged, and no mdmem has looked at it.
fn merged_by_git(env: &TestEnv) {
    changed_there(env);
    saves(env);
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
    let repository = Repository::of(env);
    repository.git(&["fetch", "-q", "origin", "main"]);
    repository.git(&["merge", "-q", "--no-edit", "FETCH_HEAD"]);
}

fn git(env: &TestEnv, args: &[&str]) {
    // Long before what this machine says: which side is later does not depend on the speed of the test.
    let dated = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, "2026-11-01T10:00:00Z"));
    let output = env.command("git").envs(dated).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// With one, a command that restores everything says that it did not.
fn without_a_held_file(env: &TestEnv) {
    std::fs::remove_file(env.store().join(HELD)).unwrap();
    saves(env);
}

fn ignored(env: &TestEnv) {
    let repository = Repository::of(env);
    write_at(&repository.at(".git/info/exclude"), "private/\n");
    repository.save(IGNORED, "Not for everybody.\n");
    saves(env);
}

fn duplicates(env: &TestEnv) {
    let repository = Repository::of(env);
    for (path, text) in [
        (
            "decision/one.md",
            "Use npm cache for plugin loading, not npm link.\n",
        ),
        (
            "decision/two.md",
            "Use npm cache for plugin loading, not npm link.\n",
        ),
        ("project/three.md", "The port of the server is 8080.\n"),
        ("project/four.md", "The port of the server is 8080.\n"),
    ] {
        repository.save(path, text);
    }
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
    saves(env);
}

fn undone(env: &TestEnv) {
    env.mdmem(["undo", "--quiet"]).any_stdout().any_stderr().run();
}

/// More memories than what is written as single objects.
fn peer(env: &TestEnv) {
    let entry = |n: usize| json!({ "id": format!("mem_{n}"), "text": format!("Service number {n} keeps a queue of its own") });
    let entries: Vec<_> = (0..70).map(entry).collect();
    write_at(
        &env.workspace().join("peer.json"),
        &json!({ "version": 1, "entries": entries }).to_string(),
    );
    saves(env);
}

/// Two memories have links to the one that moves.
fn linked(env: &TestEnv) {
    saves(env);
    for path in ["project/linked.md", "reference/linked.md"] {
        Repository::of(env).save(path, "See [[of-many-1]].\n");
    }
}

/// An export of another store.
fn exported(env: &TestEnv) {
    let memory = |n: usize| json!({ "path": format!("reference/service-{n}.md"), "text": format!("---\nid: mem_{n}\n---\nService number {n} keeps a queue of its own.\n") });
    let memories: Vec<_> = (0..70).map(memory).collect();
    write_at(
        &env.workspace().join("export.json"),
        &json!({ "mdmem_export": 1, "memories": memories }).to_string(),
    );
    saves(env);
}

fn notes(env: &TestEnv) {
    for n in 0..20 {
        write_at(
            &env.workspace().join(format!("notes/{n}.md")),
            &format!(
                "# Note {n}\n\n- Always answer letter {n} by hand\n- Never send parcel {n} by air\n\nProse.\n"
            ),
        );
    }
    saves(env);
}

/// A workspace with files of a person's for its agents.
fn agents(env: &TestEnv) {
    write_at(&env.workspace().join("AGENTS.md"), "# Rules\n\nBe brief.\n");
    write_at(
        &env.workspace().join(".claude/settings.json"),
        "{\n  // mine\n  \"model\": \"opus\"\n}\n",
    );
    write_at(&env.workspace().join(".opencode/plugin/mdmem.ts"), "// mine\n");
}

fn promoted(env: &TestEnv) {
    agents(env);
    env.mdmem(["promote", "of-many-1", "--to", "AGENTS.md", "--yes"])
        .any_stdout()
        .any_stderr()
        .run();
}

/// The store of a workspace that is gone for long.
fn gone(env: &TestEnv) {
    let folder = env.home().join("gone");
    std::fs::create_dir(&folder).unwrap();
    env.mdmem(["add", "--quiet", "The old port is 8080"])
        .current_dir(&folder)
        .var("MDMEM_NOW", "2026-01-05T10:00:00Z")
        .any_stdout()
        .any_stderr()
        .run();
    std::fs::remove_dir_all(folder).unwrap();
}

/// The store of a workspace that a person moved elsewhere.
fn moved(env: &TestEnv) {
    gone(env);
    std::fs::create_dir(env.home().join("elsewhere")).unwrap();
}

/// The last commit and what it brought are gone.
fn damaged(env: &TestEnv) {
    let repository = Repository::of(env);
    saves(env);
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
    let objects = repository.git(&["rev-parse", "HEAD", "HEAD^{tree}", "HEAD:user/by-hand.md"]);
    for oid in objects.lines() {
        let (folder, name) = oid.split_at(2);
        std::fs::remove_file(repository.at(&format!(".git/objects/{folder}/{name}"))).unwrap();
    }
}

/// The lines that a server hears until the host ends: something to remember.
pub(super) fn conversation(env: &TestEnv) -> String {
    let said = json!({"session": "s", "messageId": "m", "text": "remember: never push on Fridays"});
    lines(env, &[("message", said), ("prompt", json!({"session": "s"}))])
}

/// The lines that the next server hears of the same session.
pub(super) fn later_conversation(env: &TestEnv) -> String {
    lines(env, &[("flush", json!({"session": "s"}))])
}

fn lines(env: &TestEnv, requests: &[(&str, Value)]) -> String {
    let hello = json!({"protocol": 1, "host": "test", "version": "1", "directory": env.workspace()});
    let all = [("hello", hello)].into_iter().chain(requests.iter().cloned());
    let line =
        |(id, (method, params))| format!("{}\n", json!({"id": id, "method": method, "params": params}));
    all.chain([("bye", json!({}))]).enumerate().map(line).collect()
}
