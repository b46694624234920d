//! `mdmem sync` through a bare repository on the same disk: with nothing to do, beside `git fetch`; and where both sides
//! have changed 1,000 of 10,000 memories, beside git's fetch and push of the same commits, which are the network's part.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mdmem::git::hash_blob;
use mdmem::merge::{Blob, Contents, Files, Side, merge_stores};
use mdmem::model::{Oid, Timestamp};

use crate::corpus::{self, File};
use crate::pairs::Pairs;
use crate::row::Row;
use crate::samples::{Samples, repeat, timed};
use crate::sandbox::{Sandbox, run, time};

const MEMORIES: usize = 10_000;
const CHANGED: usize = 1_000;
const TURNS: usize = 20;
const MERGES: usize = 3;
const MOST_MERGE: Duration = Duration::from_millis(500);
const MOST_BEYOND_FETCH: Duration = Duration::from_millis(20);

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let files = corpus::files(MEMORIES);
    report(Row::time(
        format!("merge in memory, {CHANGED} changed on each side of {MEMORIES}"),
        in_memory(&files),
        None,
    ));
    let sandbox = Sandbox::with_store(&files);
    let store = sandbox.store();
    let remote = bare(&sandbox, "remote.git");
    run(sandbox.mdmem(["sync", text(&remote)]));
    run(sandbox.mdmem(["sync"]));
    let pairs = Pairs::measure(
        TURNS,
        |_| time(sandbox.mdmem(["sync"])),
        |_| time(sandbox.git(&store).args(["fetch", "-q", text(&remote), "main"])),
    );
    report(Row::time_beside(
        format!("sync with nothing to do, {MEMORIES} memories; `git fetch`"),
        &pairs,
        Some(pairs.git.median() + MOST_BEYOND_FETCH),
    ));
    let pairs = Apart::new(&sandbox, &files, &remote).measure();
    report(Row::time_beside(
        format!("sync, {CHANGED} changed on each side of {MEMORIES}; `git fetch` and `git push` of the same"),
        &pairs,
        None,
    ));
    report(Row::time(
        "the same without the time of git's part",
        pairs.ours.median().saturating_sub(pairs.git.median()),
        Some(MOST_MERGE),
    ));
}

/// The other machine, with git alone.
struct Apart<'a> {
    sandbox: &'a Sandbox,
    files: &'a [File],
    store: PathBuf,
    remote: &'a Path,
    other: PathBuf,
}

impl<'a> Apart<'a> {
    fn new(sandbox: &'a Sandbox, files: &'a [File], remote: &'a Path) -> Self {
        run(sandbox
            .git(sandbox.root())
            .args(["clone", "-q", "-b", "main", text(remote), "other"]));
        Self {
            store: sandbox.store(),
            other: sandbox.root().join("other"),
            sandbox,
            files,
            remote,
        }
    }

    fn measure(&self) -> Pairs {
        let mut pairs = Pairs {
            ours: Samples::default(),
            git: Samples::default(),
        };
        for turn in 0..MERGES {
            let (ours, git) = self.turn(turn);
            pairs.ours.add(ours);
            pairs.git.add(git);
        }
        pairs
    }

    fn turn(&self, turn: usize) -> (Duration, Duration) {
        let git = |folder: &Path, args: &[&str]| run(self.sandbox.git(folder).args(args));
        git(&self.other, &["pull", "-q", "--ff-only"]);
        let [end, top] = ["end", "top"].map(|place| format!("{place} {turn}"));
        edit(&self.other, &self.files[turn * 500..], &end);
        git(&self.other, &["commit", "-q", "-a", "-m", "there"]);
        git(&self.other, &["push", "-q"]);
        edit(&self.store, &self.files[turn * 500 + CHANGED / 2..], &top);
        run(self.sandbox.mdmem(["sweep"]));
        // The cache trusts no file that was changed in the very moment of its writing.
        std::thread::sleep(Duration::from_millis(50));
        run(self.sandbox.mdmem(["render"]));
        let [before, twin] = ["before.git", "twin.git"].map(|name| self.sandbox.root().join(name));
        for (from, to) in [
            (self.store.join(".git"), &before),
            (self.remote.to_owned(), &twin),
        ] {
            let mut copy = self.sandbox.program("cp", self.sandbox.root());
            run(copy.arg("-a").arg(from).arg(to));
        }
        rustix::fs::sync();
        let ours = time(self.sandbox.mdmem(["sync"]));
        let fetch = time(
            self.sandbox
                .git(&before)
                .args(["fetch", "-q", text(&twin), "main"]),
        );
        let push = time(
            self.sandbox
                .git(&self.store)
                .args(["push", "-q", text(&twin), "HEAD:main"]),
        );
        for folder in [before, twin] {
            std::fs::remove_dir_all(folder).unwrap();
        }
        (ours, fetch + push)
    }
}

/// Changes the first of these files, each in the same place.
fn edit(folder: &Path, files: &[File], place: &str) {
    for file in &files[..CHANGED] {
        let path = folder.join(&file.path);
        let text = edited(&std::fs::read_to_string(&path).unwrap(), place);
        std::fs::write(&path, text).unwrap();
    }
}

/// Half of the files that one side changes the other one changes too, in another place. A file is changed in two turns.
fn edited(text: &str, place: &str) -> String {
    match (text.strip_prefix("---\n"), place.strip_prefix("top ")) {
        (Some(rest), Some(turn)) => format!("---\nticket-{turn}: {}\n{rest}", text.len()),
        _ => format!("{text}\nSaid at the {place}, {} bytes.\n", text.len()),
    }
}

fn bare(sandbox: &Sandbox, name: &str) -> PathBuf {
    run(sandbox.git(sandbox.root()).args(["init", "-q", "--bare", name]));
    sandbox.root().join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The merge alone: trees and blobs are in memory.
fn in_memory(files: &[File]) -> Duration {
    let mut blobs = Blobs(HashMap::new());
    let texts: BTreeMap<&str, String> = files
        .iter()
        .map(|file| (file.path.as_str(), file.text.clone()))
        .collect();
    let side = |from: usize, place: &str| {
        let mut side = texts.clone();
        for file in &files[from..from + CHANGED] {
            side.insert(&file.path, edited(&file.text, place));
        }
        side
    };
    let trees = [texts.clone(), side(0, "end 0"), side(CHANGED / 2, "top 0")];
    let [base, ours, theirs] = trees.map(|texts| blobs.tree(&texts));
    let merge = || timed(|| merge_stores(&base, &ours, &theirs, &blobs));
    repeat(TURNS, merge).median()
}

/// A repository in memory.
struct Blobs(HashMap<Oid, Vec<u8>>);

impl Blobs {
    fn tree(&mut self, texts: &BTreeMap<&str, String>) -> Files {
        let blob = |(path, text): (&&str, &String)| {
            let oid = hash_blob(text.as_bytes());
            self.0.insert(oid, text.as_bytes().to_vec());
            (PathBuf::from(path), Blob { oid, mode: 0o100_644 })
        };
        texts.iter().map(blob).collect()
    }
}

impl Contents for Blobs {
    type Error = Infallible;

    fn bytes(&self, oid: Oid) -> Result<Vec<u8>, Infallible> {
        Ok(self.0[&oid].clone())
    }

    fn changed_at(&self, side: Side, _path: &Path) -> Option<Timestamp> {
        Some(Timestamp::from_seconds(i64::from(side == Side::Ours)))
    }
}
