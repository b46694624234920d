//! The watcher is killed while a person saves.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::env::{Chance, Repository, TestEnv};

use super::{next_command, on_machines};

/// The number of kills that each machine takes.
const KILLS: u64 = 5;

#[test]
fn a_killed_watcher_loses_no_save_and_commits_none_twice() {
    on_machines(|seed| {
        let mut env = TestEnv::on_disk();
        env.use_real_clock();
        env.mdmem(["init", "--quiet"]).any_stdout().run();
        let mut chance = Chance::new(0x57a7_c400 + seed);
        for round in 0..KILLS {
            one(&env, &mut chance, round);
        }
        Repository::of(&env).assert_sound();
    });
}

fn one(env: &TestEnv, chance: &mut Chance, round: u64) {
    let repository = Repository::of(env);
    let begin = repository.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let mut watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "20")]);
    let mut saved = BTreeMap::new();
    for n in 0..6 {
        let path = format!("project/round-{round}-{n}.md");
        let text = format!("{}.\n", chance.sentence());
        repository.save(&path, &text);
        saved.insert(path, text);
        std::thread::sleep(chance.time_below(Duration::from_millis(80)));
    }
    std::thread::sleep(chance.time_below(Duration::from_millis(100)));
    watching.kill();

    next_command(env, &repository);
    let commits = repository.log_of(&format!("{begin}..HEAD"));
    let versions = commits.iter().flat_map(|commit| {
        let version = |path: &String| (path.clone(), repository.at_revision(&commit.oid, path));
        commit.paths.iter().map(version)
    });
    // The file is empty for a moment while it is saved: a busy machine may let the watcher see and commit that.
    let mut versions: Vec<_> = versions.filter(|(_, text)| text.as_deref() != Some("")).collect();
    versions.sort();
    let expected = saved
        .iter()
        .map(|(path, text)| (path.clone(), Some(text.clone())));
    assert_eq!(
        versions,
        expected.collect::<Vec<_>>(),
        "each save is in one commit"
    );
    for (path, text) in saved {
        assert_eq!(repository.committed(&path), Some(text));
    }
}
