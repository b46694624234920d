//! Takes the words of forgotten memories out of everything local: the prompts and states of the sessions, the evidence, the logs, the
//! caches, the copies of editors. What only quotes a memory loses the quotation; what can be made again goes.

use std::path::Path;

use crate::evidence;
use crate::model::{Id, Memory};
use crate::store::{LOCAL, Sessions, Store};
use crate::sys::{self, LineFile, SysError};
use crate::text::Phrases;

use super::super::Context;

/// The most that is read of a file, in bytes; one that is longer was not made by this program.
const MOST: u64 = 256 << 20;
/// Files that are scrubbed by those who know their form, and a list of paths.
const KNOWN: [&str; 6] = [
    "state.json",
    "prompt.json",
    "journal.jsonl",
    "evidence.jsonl",
    "evidence-unreadable.jsonl",
    "allowed",
];

/// The memories that were forgotten, and their words.
pub(in crate::service) struct Words {
    gone: Vec<Id>,
    said: Phrases,
}

impl Words {
    pub(in crate::service) fn of<'a>(memories: impl Iterator<Item = &'a Memory> + Clone) -> Self {
        let texts = memories.clone().flat_map(|memory| {
            let more = [memory.content.rationale(), memory.description.as_deref()];
            more.into_iter().flatten().chain([memory.content.keyed_text()])
        });
        Self {
            said: Phrases::of(texts),
            gone: memories.map(|memory| memory.id.clone()).collect(),
        }
    }

    /// Takes them out of what is local to the stores whose prompts show this one, and out of what waits for them in the
    /// user's state folder. Gives what could not be done, for people.
    pub(in crate::service) fn scrub(&self, context: &Context, store: &Store) -> Vec<String> {
        let mut left = Vec::new();
        let mut note = |done: Result<(), SysError>| {
            left.extend(
                done.err()
                    .map(|error| format!("not everything local is rid of it: {error}")),
            );
        };
        for root in store.roots_of_prompts() {
            for sessions in [Some(Sessions::of(&root)), context.spool(&root)]
                .into_iter()
                .flatten()
            {
                match sessions.folders() {
                    Ok(folders) => folders
                        .iter()
                        .for_each(|folder| note(folder.scrub(store.now(), &self.gone, &self.said))),
                    Err(error) => note(Err(error)),
                }
            }
            note(evidence::scrub(&root, &self.gone, &self.said));
            self.scrub_folder(&root.join(LOCAL), &mut note);
        }
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
            Ok(read.is_some_and(|file| self.said.are_in(&file.into_text())))
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
}
