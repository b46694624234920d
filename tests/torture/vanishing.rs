//! The store goes and comes back, again and again, while a watcher, a server and commands work on it: nothing is begun
//! anew, nothing is taken as deleted, and everything that was acknowledged is there at the end.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::RwLock;
use std::time::Duration;

use serde_json::json;

use super::machine::{Machine, machine};
use super::{TellSeed, rounds};
use crate::env::{Chance, LIMIT, Repository, wait_for};
use crate::serve::server::Server;

/// The fates of the store.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// The folder is renamed, and renamed back.
    Renamed,
    /// Its repository is renamed, and renamed back.
    WithoutRepository,
    /// An older copy of it lies in its place for a while.
    Replaced,
    /// It is deleted, and a copy comes back.
    Deleted,
    /// An empty folder lies in its place, as where nothing is mounted.
    Empty,
}

const FATES: [Fate; 5] = [
    Fate::Renamed,
    Fate::WithoutRepository,
    Fate::Replaced,
    Fate::Deleted,
    Fate::Empty,
];

#[test]
fn a_store_that_goes_and_comes_back_is_never_begun_anew_and_loses_nothing() {
    let _seed = TellSeed("vanishing");
    let env = machine();
    let scene = Scene {
        there: Machine::of(&env),
        aside: env.home().join("aside"),
        older: env.home().join("older"),
        quiet: RwLock::new(()),
    };
    let there = &scene.there;
    copy(&there.store, &scene.older);
    let _watching = env.watch(&[]);
    let mut server = Server::start(&env);
    std::thread::scope(|scope| {
        scope.spawn(|| scene.adds(0x7a41));
        scope.spawn(|| scene.saves(0x7a43));
        scope.spawn(|| scene.converses(&mut server, 0x7a44));
        let mut chance = Chance::new(0x7a42);
        for round in 0..rounds(1, 12) {
            for fate in FATES {
                let done = catch_unwind(AssertUnwindSafe(|| scene.befalls(fate, &mut chance)));
                if let Err(panic) = done {
                    there.stop();
                    eprintln!("{fate:?} in round {round}");
                    resume_unwind(panic);
                }
            }
        }
        there.stop();
    });
    wait_for("what was pending", LIMIT, || {
        server.reply("flush", &json!({"session": "s"}));
        (!there.has_pending()).then_some(())
    });
    server.bye();
    // A write that was acknowledged while the older copy lay there is in that.
    there.check_with(&env, &[&scene.older]);
    let repository = Repository::of(&env);
    let deleted = repository.git(&["log", "--diff-filter=D", "--format=", "--name-only"]);
    assert_eq!(deleted, "", "taken as deleted");
    let beginnings = repository.git(&["rev-list", "--max-parents=0", "--all"]);
    assert_eq!(beginnings.lines().count(), 1, "begun anew");
}

struct Scene {
    there: Machine,
    aside: PathBuf,
    older: PathBuf,
    /// Held by who writes; by the fate while what is written would rightly be lost.
    quiet: RwLock<()>,
}

impl Scene {
    fn befalls(&self, fate: Fate, chance: &mut Chance) {
        let (store, repository) = (self.there.store.clone(), self.there.store.join(".git"));
        std::thread::sleep(Duration::from_millis(200) + chance.time_below(Duration::from_millis(400)));
        let away = Duration::from_millis(100) + chance.time_below(Duration::from_millis(500));
        let rename =
            |from: &Path, to: &Path| std::fs::rename(from, to).unwrap_or_else(|e| panic!("{fate:?}: {e}"));
        match fate {
            Fate::Renamed | Fate::Empty => {
                rename(&store, &self.aside);
                if matches!(fate, Fate::Empty) {
                    std::fs::create_dir(&store).unwrap();
                }
                self.is_refused(fate);
                std::thread::sleep(away);
                assert!(!repository.exists(), "{fate:?}: begun anew");
                if matches!(fate, Fate::Empty) {
                    wait_for("the empty folder to go", LIMIT, || {
                        std::fs::remove_dir_all(&store).ok()
                    });
                }
                rename(&self.aside, &store);
            }
            Fate::WithoutRepository => {
                rename(&repository, &self.aside);
                self.is_refused(fate);
                std::thread::sleep(away);
                rename(&self.aside, &repository);
            }
            Fate::Replaced => {
                rename(&store, &self.aside);
                rename(&self.older, &store);
                std::thread::sleep(away);
                rename(&store, &self.older);
                rename(&self.aside, &store);
            }
            Fate::Deleted => {
                let quiet = self.quiet.write().unwrap();
                copy_at_rest(&store, &self.aside);
                wait_for("the store to be deleted", LIMIT, || {
                    std::fs::remove_dir_all(&store).ok()
                });
                drop(quiet);
                self.is_refused(fate);
                std::thread::sleep(away);
                let quiet = self.quiet.write().unwrap();
                assert!(!repository.exists(), "{fate:?}: begun anew");
                let _ = std::fs::remove_dir_all(&store);
                copy(&self.aside, &store);
                std::fs::remove_dir_all(&self.aside).unwrap();
                drop(quiet);
            }
        }
    }

    /// A command that would store something says no.
    fn is_refused(&self, fate: Fate) {
        let is_added = self
            .there
            .succeeds(self.there.mdmem(&["add", "Nowhere to be stored."]));
        assert!(!is_added, "{fate:?}: stored nowhere");
    }

    fn adds(&self, seed: u64) {
        let mut chance = Chance::new(seed);
        while self.there.goes_on() {
            let _writes = self.quiet.read().unwrap();
            let word = chance.sentence();
            self.there
                .acknowledged("add", &word, self.there.mdmem(&["add", "--quiet", &word]));
        }
    }

    /// A person saves where there is a store, and the editor fails where there is none.
    fn saves(&self, seed: u64) {
        let mut chance = Chance::new(seed);
        for n in 0.. {
            if !self.there.goes_on() {
                return;
            }
            let _writes = self.quiet.read().unwrap();
            let word = chance.sentence();
            if std::fs::write(
                self.there.store.join(format!("decision/saved-{n}.md")),
                format!("{word}.\n"),
            )
            .is_ok()
            {
                self.there.must_hold("save", word);
            }
            std::thread::sleep(chance.time_below(Duration::from_millis(60)));
        }
    }

    fn converses(&self, server: &mut Server, seed: u64) {
        let mut chance = Chance::new(seed);
        for n in 0.. {
            if !self.there.goes_on() {
                return;
            }
            let _writes = self.quiet.read().unwrap();
            let word = chance.sentence();
            let said = json!({"session": "s", "messageId": format!("m{n}"), "text": format!("remember: service {n} keeps the queue {word}")});
            let heard = server.reply("message", &said);
            let outcome = heard["result"]["memories"][0]["outcome"]
                .as_str()
                .unwrap_or_default();
            for promised in ["promoted", "pending"] {
                if outcome == promised {
                    self.there.must_hold(promised, word.clone());
                }
            }
            server.reply("prompt", &json!({"session": "s"}));
            std::thread::sleep(chance.time_below(Duration::from_millis(60)));
        }
    }
}

/// Copies a store in which nobody writes any more: the server and the watcher end what they do between two requests, and
/// what they wrote behind the copy would rightly be lost.
fn copy_at_rest(from: &Path, to: &Path) {
    let listing = || {
        let files = walkdir::WalkDir::new(from)
            .sort_by_file_name()
            .into_iter()
            .flatten();
        let listed = files.filter_map(|file| {
            let meta = file.metadata().ok()?;
            Some((file.path().to_owned(), meta.len(), meta.modified().ok()?))
        });
        listed.collect::<Vec<_>>()
    };
    wait_for("the store to rest", LIMIT, || {
        let before = listing();
        std::thread::sleep(Duration::from_millis(400));
        copy(from, to);
        (before == listing()).then_some(())
    });
}

/// Copies a store whole: again while somebody writes into it, or where the copy has a branch and not yet its objects.
fn copy(from: &Path, to: &Path) {
    wait_for("a whole copy", LIMIT, || {
        let _ = std::fs::remove_dir_all(to);
        let copied = Command::new("cp").arg("-a").arg(from).arg(to).output().unwrap();
        let mut fsck = Command::new("git");
        let is_whole = fsck
            .arg("-C")
            .arg(to)
            .args(["fsck", "--connectivity-only"])
            .output();
        (copied.status.success() && is_whole.unwrap().status.success()).then_some(())
    });
}
