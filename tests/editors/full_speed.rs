//! A person saves as fast as the machine can while the engine reinforces the same file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mdmem::document::{Key, KeyEdit, Value};
use mdmem::model::StorePath;
use mdmem::store::{MassDeletion, Store, StoreError};

use crate::env::{Chance, Repository, TestEnv};

use super::{Way, save};

const PATH: &str = "decision/contested.md";
const REINFORCEMENTS: u32 = 10_000;
/// A person saves so many times in a row, without a look at the file.
const BURST: u64 = 12;

#[test]
fn no_save_is_lost_to_ten_thousand_reinforcements() {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.write(PATH, "---\nreinforcement: 0\n---\nBefore anybody saved.\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    let repository = Repository::of(&env);
    let file = repository.at(PATH);
    let store = open(&env);

    let is_over = AtomicBool::new(false);
    let (last, unseen) = std::thread::scope(|scope| {
        let person = scope.spawn(|| type_away(&file, &is_over));
        // Also where it fails, the person must stop.
        let engine = catch_unwind(AssertUnwindSafe(|| reinforce(&store)));
        is_over.store(true, Ordering::Relaxed);
        let typed = person.join().unwrap();
        let done = engine.unwrap();
        println!("{done} reinforcements of {REINFORCEMENTS} found nobody in their way");
        assert!(done > REINFORCEMENTS / 100, "{done}");
        typed
    });

    // The bytes that an editor wrote into a file that the engine had just exchanged come back with the next writer.
    let mut writer = store.writer("mdmem sweep").unwrap();
    writer.sweep(MassDeletion::Ask).unwrap();
    drop(writer);
    let history = repository.git(&["log", "--all", "--patch", "--format=", "--", PATH]);
    for word in unseen.iter().chain([&last]) {
        assert!(
            history.contains(word.as_str()),
            "a save that nobody overwrote is gone: {word}"
        );
    }
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

fn open(env: &TestEnv) -> Store {
    use mdmem::service::{self, Context};
    let vars = [("HOME", env.home()), ("MDMEM_HOME", env.mdmem_home())];
    let context = Context {
        env: mdmem::sys::Env::fixed(vars, env.workspace()),
        clock: mdmem::sys::Clock::Real,
        ids: mdmem::sys::Ids::random(),
        scope: mdmem::render::Scope::Workspace,
        store: None,
        flags: Vec::new(),
    };
    service::Context::open(&context).unwrap()
}

/// The engine: sets one key, again and again, and nothing else. Gives the number of times that this came to pass.
fn reinforce(store: &Store) -> u32 {
    let path = StorePath::new(PATH).unwrap();
    let mut writer = store.writer("mdmem add").unwrap();
    let (mut tried, mut done) = (0, 0);
    while tried < REINFORCEMENTS {
        let edits = |_: &[u8]| {
            tried += 1;
            vec![KeyEdit::Set(Key::Reinforcement, Value::Count(tried % 7))]
        };
        match writer.edit_keys(&path, edits) {
            Ok(()) => done += 1,
            // A person's editor has it out of its place, or half of it there: the engine waits its turn.
            Err(StoreError::Gone { .. } | StoreError::Contended { .. } | StoreError::Edit { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    done
}

/// The person: bursts of saves, and a look after each. The word of the last save, and those of saves that were not
/// there when the person looked, although nobody had saved after them.
fn type_away(file: &Path, is_over: &AtomicBool) -> (String, Vec<String>) {
    let mut chance = Chance::new(0xed17);
    let mut unseen = Vec::new();
    let mut word = String::new();
    let mut saves = 0_u32;
    while !is_over.load(Ordering::Relaxed) {
        for n in 0..=chance.below(BURST) {
            word = format!("word-{:016x}", chance.next());
            let way = Way::ALL[usize::try_from(chance.below(10)).unwrap()];
            let text = format!("---\nreinforcement: 1 # so often\nmood: {n}\n---\nSaid {word} by {way:?}.\n");
            save(way, file, &text);
            saves += 1;
        }
        if !is_seen(file, &word) {
            unseen.push(word.clone());
        }
    }
    println!(
        "{saves} saves, {} of them displaced at the end of a burst",
        unseen.len()
    );
    (word, unseen)
}

/// True when the file holds the word, now or in a moment: the engine may be about to put it back.
fn is_seen(file: &Path, word: &str) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(100) {
        match std::fs::read_to_string(file) {
            Ok(text) if text.contains(word) => {
                assert!(
                    text.starts_with("---\n") && text.contains("# so often\n"),
                    "mixed: {text}"
                );
                assert_eq!(text.matches("Said ").count(), 1, "mixed: {text}");
                return true;
            }
            _ => std::thread::yield_now(),
        }
    }
    false
}
