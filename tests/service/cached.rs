//! What a process loads by the caches of earlier ones is what it loads without them, whatever happened in between.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::*;

const CASES: u32 = 8;

/// So many files lie there from the beginning: few changes among them leave the caches as they are.
const OTHERS: usize = 200;

/// The cache trusts no file that was changed so shortly before the cache was written.
const YOUNG: Duration = Duration::from_millis(25);

/// A name, as its place among the few names that there are.
type Named = u8;

#[derive(Debug, Clone)]
enum Step {
    /// Some words, with the id of that number or without one.
    Save(Named, u8, Option<u8>),
    Move(Named, Named),
    Copy(Named, Named),
    Remove(Named),
    Sweep,
    /// More files than the caches leave for each process to read.
    Many(u8),
    /// By hand, the files too.
    GoBack,
    /// By hand, the history alone.
    ForgetTheLastCommit,
    LoseTheHistory,
    /// The next process writes it for the files as they are then.
    LoseTheFiles,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let name = || 0_u8..4;
    let id = || prop_oneof![3 => Just(None), 2 => (0_u8..2).prop_map(Some)];
    let step = prop_oneof![
        6 => (name(), 0_u8..3, id()).prop_map(|(at, words, id)| Step::Save(at, words, id)),
        3 => (name(), name()).prop_map(|(from, to)| Step::Move(from, to)),
        2 => (name(), name()).prop_map(|(from, to)| Step::Copy(from, to)),
        2 => name().prop_map(Step::Remove),
        8 => Just(Step::Sweep),
        2 => any::<u8>().prop_map(Step::Many),
        1 => Just(Step::GoBack),
        3 => Just(Step::ForgetTheLastCommit),
        1 => Just(Step::LoseTheHistory),
        4 => Just(Step::LoseTheFiles),
    ];
    prop::collection::vec(step, 10..24)
}

fn take(store: &Store, step: &Step) {
    // Git removes a folder with its last file.
    std::fs::create_dir_all(file(store, "project")).unwrap();
    let at = |name: Named| file(store, &format!("project/{name}.md"));
    match step {
        Step::Save(name, words, id) => {
            let id = id.map_or_else(String::new, |id| format!("---\nid: mem_{id}\n---\n"));
            std::fs::write(at(*name), format!("{id}Of this it is said {words} times.\n")).unwrap();
        }
        Step::Move(from, to) => drop(std::fs::rename(at(*from), at(*to))),
        Step::Copy(from, to) if from != to => drop(std::fs::copy(at(*from), at(*to))),
        Step::Copy(..) => {}
        Step::Remove(name) => drop(std::fs::remove_file(at(*name))),
        Step::Sweep => drop(service::sweep(store, MassDeletion::Ask).unwrap()),
        Step::Many(words) => write_many(store, 10, &format!("Another word: {words}")),
        Step::GoBack | Step::ForgetTheLastCommit => {
            let how = if matches!(step, Step::GoBack) {
                "--hard"
            } else {
                "--soft"
            };
            let commits = git(store, &["rev-list", "--count", "HEAD"]);
            if commits.trim().parse::<u32>().unwrap() > 2 {
                git(store, &["reset", "-q", how, "HEAD~1"]);
            }
        }
        Step::LoseTheHistory => drop(std::fs::remove_file(file(store, ".mdmem/cache/history"))),
        Step::LoseTheFiles => drop(std::fs::remove_file(file(store, ".mdmem/cache/files"))),
    }
}

fn write_many(store: &Store, count: usize, text: &str) {
    std::fs::create_dir_all(file(store, "user")).unwrap();
    for at in 0..count {
        std::fs::write(file(store, &format!("user/{at}.md")), format!("{text}, {at}.\n")).unwrap();
    }
}

/// A store with so many files, which are committed, and old enough for a cache.
fn filled(count: usize) -> (Machine, Store, Timestamp) {
    let machine = Machine::new();
    let store = machine.store();
    write_many(&store, count, "A word about this");
    std::thread::sleep(YOUNG);
    take(&store, &Step::Sweep);
    let now = machine.clock.now();
    (machine, store, now)
}

/// Everything that is loaded at a time, as text.
fn loaded(store: &Store, now: Timestamp) -> Vec<String> {
    let loaded = store.load_all(now).unwrap();
    let snapshot = loaded.snapshot();
    let files = snapshot.files.iter().map(|file| {
        let former = &file.former;
        let rules = (&file.keys, file.zone, file.eligibility, file.blob, file.chars);
        let told = (&file.diagnostics, file.is_readable, file.stated_times());
        format!("{:?} {former:?} {rules:?} {told:?}", file.memory)
    });
    let activities = [format!("{:?} {:?}", snapshot.activities, snapshot.head)];
    files.chain(activities).collect()
}

/// Loads by the caches, without them, and by what a load without them leaves.
fn check(store: &Store, days: usize) -> Result<(), TestCaseError> {
    std::thread::sleep(YOUNG);
    // A file that no commit has is as young as the look at it.
    let now = Timestamp::from_seconds(1_800_000_000 + 86_400 * i64::try_from(days).unwrap());
    let cache = file(store, ".mdmem/cache");
    let aside = cache.with_extension("aside");
    let by_cache = loaded(store, now);
    std::fs::rename(&cache, &aside).unwrap();
    let without = loaded(store, now);
    prop_assert_eq!(&by_cache, &without);
    prop_assert_eq!(&loaded(store, now), &without);
    std::fs::remove_dir_all(&cache).unwrap();
    std::fs::rename(&aside, &cache).unwrap();
    Ok(())
}

#[test]
fn the_caches_change_nothing_about_what_is_loaded() {
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    });
    let ran = runner.run(&steps(), |steps| {
        let machine = Machine::new();
        let store = machine.store();
        write_many(&store, OTHERS, "A word about this");
        take(&store, &Step::Sweep);
        check(&store, 0)?;
        for (days, step) in steps.iter().enumerate() {
            take(&store, step);
            check(&store, days)?;
        }
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

/// A cache that is written before the commit of its files knows nothing of their history.
#[test]
fn after_a_commit_of_many_files_one_load_writes_the_caches_and_the_next_ones_leave_them() {
    let (_machine, store, now) = filled(OTHERS);
    let caches = || {
        let cache = file(&store, ".mdmem/cache");
        ["files", "history"].map(|name| std::fs::read(cache.join(name)).unwrap_or_default())
    };
    let before = caches();
    loaded(&store, now);
    let settled = caches();
    assert_ne!(settled, before);
    // One memory more, in a commit of its own, is no reason to write them.
    add(&store, "Use npm", "decision");
    loaded(&store, now);
    assert_eq!(caches(), settled);
}

/// The bytes of a cache are not flushed, and nobody but mdmem should write them.
#[test]
fn a_damaged_cache_is_none() {
    let (_machine, store, now) = filled(60);
    let whole = loaded(&store, now);
    for name in ["files", "history"] {
        let path = file(&store, ".mdmem/cache").join(name);
        let bytes = std::fs::read(&path).unwrap();
        let changed = |at: usize| {
            let mut changed = bytes.clone();
            changed[at] ^= 0x20;
            changed
        };
        let zeros = |from: usize| [&bytes[..from], &vec![0; bytes.len() - from]].concat();
        let places = (0..bytes.len()).step_by(bytes.len() / 40);
        for odd in places.flat_map(|at| [changed(at), zeros(at), bytes[..at].to_vec()]) {
            std::fs::write(&path, odd).unwrap();
            assert_eq!(loaded(&store, now), whole, "{name}");
        }
        std::fs::write(&path, &bytes).unwrap();
        loaded(&store, now);
    }
}

#[test]
fn where_no_history_can_be_kept_the_files_are_kept_all_the_same_and_not_written_each_time() {
    let (_machine, store, now) = filled(60);
    loaded(&store, now);
    let history = file(&store, ".mdmem/cache/history");
    std::fs::remove_file(&history).unwrap();
    std::fs::create_dir(&history).unwrap();
    let whole = loaded(&store, now);
    let files = file(&store, ".mdmem/cache/files");
    let written = || files.metadata().unwrap().modified().unwrap();
    let first = written();
    assert_eq!(loaded(&store, now), whole);
    assert_eq!(written(), first);
}

#[test]
fn what_was_allowed_or_revoked_since_is_read_again_although_its_file_is_the_same() {
    let machine = Machine::new();
    let store = machine.store();
    let path = "project/key.md";
    let save = std::fs::create_dir_all(file(&store, "project"))
        .and_then(|()| std::fs::write(file(&store, path), "The key is AKIAIOSFODNN7EXAMPLE here.\n"));
    save.unwrap();
    let mut loaded = store.load_all(store.now()).unwrap();
    let mut says = |told: bool| {
        let told = if told {
            vec![PathBuf::from(path)]
        } else {
            Vec::new()
        };
        store.load_again(&mut loaded, told.into_iter().collect()).unwrap();
        let text = loaded.snapshot().files[0].memory.content.keyed_text().to_owned();
        text.contains("AKIA")
    };
    for told in [true, false] {
        assert!(!says(told));
        service::allow(&store, &[path.into()]).unwrap();
        assert!(says(told));
        service::revoke(&store, &[path.into()]).unwrap();
        assert!(!says(told));
    }
}

#[test]
fn files_that_no_cache_has_are_no_reason_to_write_it() {
    let machine = Machine::new();
    let store = machine.store();
    let now = machine.clock.now();
    let save = |path: &str, text: &str| std::fs::write(file(&store, path), text).unwrap();
    take(&store, &Step::Save(1, 0, Some(1)));
    take(&store, &Step::Copy(1, 2));
    save("project/aux.md", "A name that no path may have\n");
    save("project/odd.md", "---\nname: fix: the build\n---\nText\n");
    save("project/key.md", "The key is AKIAIOSFODNN7EXAMPLE here.\n");
    std::thread::sleep(YOUNG);
    take(&store, &Step::Sweep);
    loaded(&store, now);
    let cache = file(&store, ".mdmem/cache/files");
    let written = || cache.metadata().unwrap().modified().unwrap();
    let first = written();
    loaded(&store, now);
    assert_eq!(written(), first);
}
