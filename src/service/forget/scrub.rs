//! Takes the words of forgotten memories out of everything local: the prompts and states of the sessions, the evidence,
//! the logs, the caches, the copies of editors. What only quotes a memory loses the quotation; what can be made again
//! goes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::document::{self, Forgotten, derived_id};
use crate::evidence;
use crate::model::{Id, Memory, Oid, StorePath};
use crate::store::{FileRole, LOCAL, MAX_FILE, Sessions, Store, role};
use crate::sys::{self, LineFile, SysError};
use crate::text::Phrases;

use super::super::{ServiceError, suggestions};

/// The most that is read of a file, in bytes; one that is longer was not made by this program.
const MOST: u64 = 256 << 20;
/// The number of commits in which the words are looked for, the newest ones.
const MOST_COMMITS: usize = 10_000;
/// Files that are scrubbed by those who know their form, and a list of paths.
const KNOWN: [&str; 6] = [
    "state.json",
    "prompt.json",
    "journal.jsonl",
    "evidence.jsonl",
    "allowed",
    "suggestions.json",
];

/// The memories that were forgotten, and their words.
pub(super) struct Words {
    gone: Vec<Id>,
    said: Phrases,
    /// The paths that they had, where nothing is now.
    paths: BTreeSet<PathBuf>,
}

impl Words {
    /// The memories that these lines name, with each text that they had in the commits of `head` that `known` lacks.
    pub(super) fn of(
        store: &Store,
        lines: &Forgotten,
        head: Oid,
        known: Option<Oid>,
    ) -> Result<Self, ServiceError> {
        let repo = store.repo();
        let versions = repo.versions_beyond(head, known.as_slice(), MOST_COMMITS);
        let mut gone: Vec<Id> = lines
            .in_force()
            .iter()
            .filter_map(|line| line.id.clone())
            .collect();
        let (mut paths, mut texts) = (BTreeSet::new(), Vec::new());
        for (path, blob) in versions? {
            let FileRole::Memory(store_path) = role(&path) else {
                continue;
            };
            if repo.size_of(blob).map_or(true, |size| size > MAX_FILE) {
                continue;
            }
            let bytes = repo.blob(blob)?;
            let id = || derived_id(store_path.as_str(), blob);
            let memory = document::parse(&store_path, &bytes, None, id).memory;
            // A line names the words as they are shown; files have them as they were written.
            let shown = store.shown(&store_path, &bytes);
            if [&memory, &shown]
                .iter()
                .all(|memory| lines.about(memory).next().is_none())
            {
                continue;
            }
            for Memory {
                content, description, ..
            } in [&memory, &shown]
            {
                let more = [content.rationale(), description.as_deref()];
                let more = more.into_iter().flatten().chain([content.keyed_text()]);
                texts.extend(more.map(str::to_owned));
            }
            // A draft may say it among other words.
            let written = memory.content.keyed_text();
            let secrets = store.redactor().find(written).into_iter();
            let secrets = secrets.map(|secret| &written[secret.range]);
            // A short one stands in other words by chance.
            let is_own = |secret: &&str| secret.len() > 7 && !shown.content.keyed_text().contains(*secret);
            let secrets = secrets.filter(is_own);
            texts.extend(secrets.map(str::to_owned));
            paths.insert(path);
            gone.push(memory.id);
        }
        paths.retain(|path: &PathBuf| !store.is_something_there(path));
        // A name says the words too, and may be cut.
        texts.extend(
            paths
                .iter()
                .map(|path| path.with_extension("").display().to_string()),
        );
        let said = Phrases::of(texts.iter().map(String::as_str));
        Ok(Self { gone, said, paths })
    }

    /// Takes them out of what is local to the stores whose prompts show this one, and out of what waits for them in the
    /// user's state folder. Gives what could not be done, for people.
    pub(super) fn scrub(&self, store: &Store) -> Vec<String> {
        let mut left = Vec::new();
        let mut note = |done: Result<(), SysError>| left.extend(done.err().map(|error| error.to_string()));
        for root in store.roots_of_prompts() {
            match Sessions::of(&root).folders() {
                Ok(folders) => folders
                    .iter()
                    .for_each(|folder| note(folder.scrub(store.now(), &self.gone, &self.said))),
                Err(error) => note(Err(error)),
            }
            note(
                store
                    .journal_of(&root)
                    .map_or(Ok(()), |journal| journal.scrub(&self.said)),
            );
            note(evidence::scrub(&root, &self.gone, &self.said));
            self.scrub_folder(&root.join(LOCAL), &mut note);
        }
        for path in &self.paths {
            note(sys::remove_displaced(store.root(), path));
        }
        let lists = store.roots_of_prompts().into_iter();
        let lists = lists.filter_map(|root| suggestions::scrub(&root, &self.said).err());
        left.extend(lists.map(|error| error.to_string()));
        left
    }

    /// The other files of a folder, and of those in it. A link is left alone.
    fn scrub_folder(&self, folder: &Path, note: &mut impl FnMut(Result<(), SysError>)) {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.scrub_folder(&entry.path(), note),
                Ok(kind) if kind.is_file() => {
                    note(self.scrub_file(folder, &entry.file_name().to_string_lossy()));
                }
                _ => {}
            }
        }
    }

    fn scrub_file(&self, folder: &Path, name: &str) -> Result<(), SysError> {
        if KNOWN.contains(&name) || name.ends_with("lock") {
            return Ok(());
        }
        if name == "log" || name == "log.1" {
            let says = |line: &&[u8]| self.said.are_in(&String::from_utf8_lossy(line));
            let log = LineFile::new(folder, name);
            let rewritten = log.rewrite(MOST, |bytes| {
                let lines = bytes.split_inclusive(|byte| *byte == b'\n');
                let kept = lines.filter(|line| !says(line)).collect::<Vec<_>>().concat();
                Ok((kept != bytes).then_some(kept))
            });
            return rewritten.map(drop);
        }
        // The hot snapshot and the cache are made again.
        let is_made_again = name == "HOT.md" || folder.ends_with("cache");
        let says = || {
            let read = sys::read_if_there(folder, name, MOST)?;
            Ok(read
                .is_some_and(|file| self.is_copy(name, &file.bytes) || self.said.are_in(&file.into_text())))
        };
        if !is_made_again && !says()? {
            return Ok(());
        }
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(SysError::io("remove", path, error))
            }
            _ => Ok(()),
        }
    }

    /// Says whether a file is a copy of one of the memories, or of the other side of a conflict about one.
    fn is_copy(&self, name: &str, bytes: &[u8]) -> bool {
        let Some(path) = StorePath::new(name).ok().filter(|_| name.ends_with(".md")) else {
            return false;
        };
        let memory = document::parse(&path, bytes, None, || derived_id(name, Oid([0; 20]))).memory;
        let of: Option<&Id> = memory.conflict_of.as_ref();
        memory.id_stated && self.gone.contains(&memory.id) || of.is_some_and(|of| self.gone.contains(of))
    }
}
