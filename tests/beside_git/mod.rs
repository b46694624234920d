//! A person uses git in the store while the watcher runs: git succeeds, and nothing of theirs is lost or swept along.

mod branches;
mod conflicts;
mod cut_off;
mod damage;
mod detached;
mod merging;
mod staging;
mod undoing;

use crate::env::{Commit, LIMIT, Repository, TestEnv, Watching};

/// A file that is long enough for two hunks.
const LONG: &str = "decision/long.md";

/// The machine on which these tests begin: a store with a few memories, all committed.
fn machine() -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.write("decision/cache.md", "Use npm cache.\n");
    env.write("feedback/brief.md", "Be brief.\n");
    env.write(LONG, &long("first", "last"));
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    env
}

/// The text of [`LONG`], with these lines at its two ends.
fn long(first: &str, last: &str) -> String {
    let middle: Vec<String> = (1..=20).map(|n| format!("line {n}")).collect();
    format!("# Long\n\n{first}\n\n{}\n\n{last}\n", middle.join("\n\n"))
}

/// A watcher that does not wait long for quiet: for tests that are not about that.
fn watch(env: &TestEnv) -> Watching {
    env.watch(&[("MDMEM_WATCH__QUIET_MS", "100")])
}

/// A watcher that waits so long for quiet that the person is faster, also on a loaded machine.
fn watch_patiently(env: &TestEnv) -> Watching {
    let watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "8000")]);
    // Its first sweep waits for nothing, and takes what is saved while it runs: it is over when a save is committed.
    let repository = Repository::of(env);
    commits_since(&repository, &head(&repository), "first-sweep");
    watching
}

/// Saves a file of its own and waits for its commit: then the watcher has looked at everything that was before. The
/// commits since `since`, without that one, oldest first.
#[track_caller]
fn commits_since(repository: &Repository<'_>, since: &str, mark: &str) -> Vec<Commit> {
    let path = format!("reference/{mark}.md");
    let text = format!("The mark {mark}.\n");
    repository.save(&path, &text);
    repository.wait_for_commit_of(&path, &text, LIMIT);
    let mut commits = repository.log_of(&format!("{since}..HEAD"));
    commits.reverse();
    let marked = commits.pop().unwrap();
    assert_eq!(marked.paths, [path], "{commits:#?}");
    commits
}

#[track_caller]
fn head(repository: &Repository<'_>) -> String {
    repository.git(&["rev-parse", "HEAD"]).trim().to_owned()
}
