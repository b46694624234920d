//! Nothing that looks like a credential leaves this machine unasked.

use super::attacker::{Attacked, memory};
use crate::env::TestEnv;

const TOKEN: &str = "ghp_a8Kd02mfLs93kdPq71bXzR5tYw4uVn6cJh2E";

/// A person commits by their own git.
#[track_caller]
fn commit_by_hand(env: &TestEnv, path: &str, text: &str, message: &str) {
    env.write(path, text);
    env.git(["add", "-f", path]).run();
    env.git(["commit", "-q", "-m", message]).run();
}

#[track_caller]
fn is_kept(attacked: &Attacked, why: &[&str]) {
    let there = attacked.remote_head();
    let mut call = attacked.env.mdmem(["sync"]).code(1);
    for part in why {
        call = call.stderr_has(*part);
    }
    call.run();
    assert_eq!(attacked.remote_head(), there);
}

/// Nothing that the remote can be asked for has it.
#[track_caller]
fn is_not_there(attacked: &Attacked, text: &str) {
    attacked.git(&["fetch", "-q", "origin"]);
    assert_eq!(attacked.git(&["log", "--oneline", "-S", text, "origin/main"]), "");
    assert_eq!(
        attacked.git(&["log", "--oneline", "--grep", text, "origin/main"]),
        ""
    );
}

#[test]
fn a_commit_with_a_credential_is_not_sent_and_is_named() {
    let attacked = Attacked::with_memories(2);
    let env = &attacked.env;
    commit_by_hand(
        env,
        "project/key.md",
        &format!("The key\nis {TOKEN} here.\n"),
        "a key",
    );
    let commit = env
        .git(["rev-parse", "--short=7", "HEAD"])
        .any_stdout()
        .run()
        .stdout;
    is_kept(
        &attacked,
        &[
            "project/key.md line 2",
            "github_token",
            commit.trim(),
            "--rewrite-unpushed",
        ],
    );
    // Taking it out later does not take it out of history.
    env.write("project/key.md", "The key is in the vault.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    is_kept(&attacked, &["project/key.md line 2"]);
    let planned = env
        .mdmem(["sync", "--rewrite-unpushed", "--dry-run", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(planned["rewritten"]["leaks"][0]["line"], 2);
    assert_eq!(planned["rewritten"]["commits"], 0);
    let would_send = planned["sent"].as_u64().unwrap();
    is_kept(&attacked, &["project/key.md line 2"]);
    env.mdmem(["sync", "--rewrite-unpushed"])
        .any_stdout()
        .stderr_has(" and rewrote ")
        .stderr_has(format!("sent {would_send} commit"))
        .run();
    is_not_there(&attacked, TOKEN);
    attacked.agrees();
    assert_eq!(env.read("project/key.md"), "The key is in the vault.\n");
    // The old head is still to be found here.
    let reflog = env.git(["log", "-g", "--format=%s"]).any_stdout().run();
    assert!(reflog.stdout.contains("a key"), "{}", reflog.stdout);
}

#[test]
fn a_file_that_leaves_the_commits_stays_and_is_held() {
    let attacked = Attacked::with_memories(2);
    let env = &attacked.env;
    let text = format!("The key is {TOKEN} here.\n");
    commit_by_hand(env, "project/key.md", &text, "a key");
    commit_by_hand(env, &memory(0), &format!("{text}And more.\n"), "an edit");
    commit_by_hand(env, "project/other.md", "The other is fine.\n", "another");
    env.git(["switch", "-q", "-c", "side", "HEAD~1"]).run();
    commit_by_hand(env, "project/side.md", "The side is fine.\n", "a side");
    env.git(["switch", "-q", "main"]).run();
    env.git(["merge", "-q", "-m", "join", "side"]).run();
    commit_by_hand(
        env,
        "project/last.md",
        "The last is fine.\n",
        &format!("it was {TOKEN}"),
    );
    is_kept(
        &attacked,
        &["project/key.md", "step-0.md", "the message of commit"],
    );
    let authors = env.git(["log", "--format=%an %at %s"]).any_stdout().run().stdout;
    env.mdmem(["sync", "--rewrite-unpushed"])
        .any_stdout()
        .stderr_has("project/key.md")
        .run();
    is_not_there(&attacked, TOKEN);
    assert_eq!(env.read("project/key.md"), text);
    assert!(env.read(&memory(0)).contains(TOKEN));
    let status = env.mdmem(["status"]).any_stdout().run().stdout;
    assert_eq!(status.matches("[held]").count(), 2, "{status}");
    let repository = attacked.repository();
    let tracked = repository.tracked();
    assert!(
        !tracked.contains("project/key.md") && tracked.contains(&memory(0)),
        "{tracked:?}"
    );
    assert!(tracked.contains("project/side.md") && tracked.contains("project/other.md"));
    let now = env.git(["log", "--format=%an %at %s"]).any_stdout().run().stdout;
    for line in now.lines().filter(|line| !line.contains("it was")) {
        assert!(authors.contains(line), "{line}");
    }
    assert_eq!(
        env.git(["rev-list", "--min-parents=2", "--count", "HEAD"])
            .any_stdout()
            .run()
            .stdout,
        "1\n"
    );
    // A person allows it, and it is sent.
    env.mdmem(["allow", "project/key.md"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["sync"]).any_stdout().any_stderr().run();
    attacked.git(&["fetch", "-q", "origin"]);
    assert_eq!(
        attacked.git(&["show", "origin/main:project/key.md"]),
        text.trim_end()
    );
}

#[test]
fn names_count_and_a_word_sends_it_once() {
    let attacked = Attacked::with_memories(2);
    let env = &attacked.env;
    commit_by_hand(
        env,
        &format!("project/{TOKEN}.md"),
        "The name is the key.\n",
        "a name",
    );
    is_kept(&attacked, &["the name of a file"]);
    env.mdmem(["sync", "--allow-secrets"])
        .any_stdout()
        .any_stderr()
        .run();
    attacked.agrees();
    // It is there now, and an edit of that file brings nothing new.
    commit_by_hand(
        env,
        &format!("project/{TOKEN}.md"),
        "The name was the key.\n",
        "an edit",
    );
    attacked.agrees();
    commit_by_hand(
        env,
        "project/more.md",
        &format!("The key is {TOKEN}.\n"),
        "one more",
    );
    is_kept(&attacked, &["project/more.md"]);
}

#[test]
fn nobody_and_nothing_is_sent_unlooked_at() {
    let attacked = Attacked::with_memories(2);
    let env = &attacked.env;
    commit_by_hand(env, "project/a.md", "The first is fine.\n", "a");
    env.git([
        "commit",
        "-q",
        "--amend",
        "-m",
        "a",
        "--author",
        &format!("A <{TOKEN}@b>"),
    ])
    .run();
    is_kept(
        &attacked,
        &["the author or committer of commit", "git config user.name"],
    );
    commit_by_hand(env, "a.bin", &format!("\0\x01 is {TOKEN}\0"), "bytes");
    commit_by_hand(env, "large.txt", &"x".repeat((1 << 20) + 1), "large");
    is_kept(
        &attacked,
        &["a.bin line 1", "large.txt in commit", "is over 1 MiB"],
    );
    let dry = env
        .mdmem(["sync", "--dry-run", "--json"])
        .any_stdout()
        .run()
        .json();
    let places = dry["leaks"].as_array().unwrap().iter();
    let places: Vec<&str> = places.map(|leak| leak["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["people", "line", "too_large"]);
    env.mdmem(["sync", "--rewrite-unpushed"])
        .any_stdout()
        .stderr_has("3 places")
        .run();
    is_not_there(&attacked, TOKEN);
    let sent = attacked.git(&["log", "-3", "--format=%an <%ae> %s", "origin/main"]);
    assert_eq!(sent.lines().next(), Some("redacted <> a"), "{sent}");
    let files = attacked.git(&["ls-tree", "-r", "--name-only", "origin/main"]);
    assert!(
        !files.contains("large.txt") && !files.contains("a.bin"),
        "{files}"
    );
    assert!(env.read("a.bin").contains(TOKEN) && env.read("large.txt").len() > 1 << 20);
}

#[test]
fn what_no_other_machine_takes_stays_here() {
    let attacked = Attacked::with_memories(2);
    let env = &attacked.env;
    std::os::unix::fs::symlink(TOKEN, env.store().join("project/l.md")).unwrap();
    env.git(["add", "-f", "project/l.md"]).run();
    env.git(["commit", "-q", "-m", "a link"]).run();
    is_kept(
        &attacked,
        &["project/l.md in commit", "is a link", "--rewrite-unpushed"],
    );
    let head = env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
    let submodule = format!("160000,{},project/sub", head.trim());
    env.git(["update-index", "--add", "--cacheinfo", &submodule])
        .run();
    env.git(["commit", "-q", "-m", "a submodule"]).run();
    is_kept(&attacked, &["project/sub in commit", "is a submodule"]);
    env.mdmem(["sync", "--rewrite-unpushed"])
        .any_stdout()
        .any_stderr()
        .run();
    let files = attacked.git(&["ls-tree", "-r", "--name-only", "origin/main"]);
    assert!(!files.contains("l.md") && !files.contains("sub"), "{files}");
    assert!(env.store().join("project/l.md").is_symlink());
}

#[test]
fn no_line_of_the_head_of_a_commit_hides_a_credential() {
    let attacked = Attacked::with_memories(2);
    let env = &attacked.env;
    commit_by_hand(env, "project/a.md", "The first is fine.\n", "a");
    let commit = env.git(["cat-file", "commit", "HEAD"]).any_stdout().run().stdout;
    let noted = commit.replacen("\n\n", &format!("\nx-note first\n key {TOKEN}\n\n"), 1);
    let file = env.home().join("commit");
    std::fs::write(&file, noted).unwrap();
    let made = env
        .git([
            "hash-object",
            "-t",
            "commit",
            "-w",
            "--literally",
            file.to_str().unwrap(),
        ])
        .any_stdout()
        .run()
        .stdout;
    env.git(["update-ref", "HEAD", made.trim()]).run();
    is_kept(&attacked, &["the head of commit", "github_token"]);
    env.mdmem(["sync", "--rewrite-unpushed"])
        .any_stdout()
        .any_stderr()
        .run();
    attacked.git(&["fetch", "-q", "origin"]);
    let sent = attacked.git(&["log", "-3", "--format=raw", "origin/main"]);
    assert!(!sent.contains(TOKEN) && sent.contains("\n    a\n"), "{sent}");
}

#[test]
fn what_was_sent_is_never_rewritten() {
    let attacked = Attacked::with_memories(2);
    let env = &attacked.env;
    commit_by_hand(env, "project/key.md", &format!("The key is {TOKEN}.\n"), "a key");
    env.mdmem(["sync", "--allow-secrets"])
        .any_stdout()
        .any_stderr()
        .run();
    let sent = attacked.remote_head();
    commit_by_hand(
        env,
        "project/more.md",
        &format!("The other key is {TOKEN}.\n"),
        "one more",
    );
    env.mdmem(["sync", "--rewrite-unpushed"])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(attacked.remote_head(), sent);
    env.git(["merge-base", "--is-ancestor", &sent, "HEAD"]).run();
    assert!(env.read("project/more.md").contains(TOKEN));
    env.mdmem(["sync", "--rewrite-unpushed"])
        .any_stdout()
        .any_stderr()
        .run();
}
