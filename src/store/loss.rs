//! The memories that a prompt may show of one commit and not of another: removed, emptied, hidden, archived, superseded,
//! forgotten.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use crate::document::Forgotten;
use crate::git::Entry;
use crate::model::{Id, Oid, Zone};
use crate::policy::{Rules, plain, zone};
use crate::sys::FileStat;
use crate::text::sha256_hex;

use super::contents::{FORGOTTEN, FileRole, MAX_FILE, role_in};
use super::difference::{Tree, is_most};
use super::load::Source;
use super::reading::from_bytes;
use super::{Store, StoreError, StoredFile};

/// The number of memories in force that were lost, and of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loss {
    /// The lost ones.
    pub lost: usize,
    /// All that were in force before; 0 where so few files differ that it was not counted.
    pub of: usize,
}

impl Loss {
    /// Says whether somebody has to be asked: more than 10, and more than half.
    pub const fn is_most(self) -> bool {
        is_most(self.lost, self.of)
    }
}

/// A memory of the later commit that differs from the earlier one.
struct Arrived<'a> {
    path: &'a Path,
    blob: Oid,
    id: Option<Id>,
    /// The hash of its type and words.
    words: String,
    is_cold: bool,
}

/// Memories by everything that makes them known again.
#[derive(Default)]
struct Known<'a> {
    paths: HashSet<&'a Path>,
    blobs: HashSet<Oid>,
    ids: HashSet<&'a Id>,
}

impl<'a> FromIterator<&'a Arrived<'a>> for Known<'a> {
    fn from_iter<T: IntoIterator<Item = &'a Arrived<'a>>>(all: T) -> Self {
        let mut known = Self::default();
        for arrived in all {
            known.paths.insert(arrived.path);
            known.blobs.insert(arrived.blob);
            known.ids.extend(&arrived.id);
        }
        known
    }
}

impl Known<'_> {
    fn has(&self, path: &Path, entry: &Entry) -> bool {
        self.paths.contains(path) || self.blobs.contains(&entry.oid)
    }
}

impl Store {
    /// Counts the memories in force in `before` that `after` lacks, each by the settings of its commit. A memory that has
    /// another path, and its id or its text still, is there; in a folder of which prompts show the names alone it is so
    /// only where it was in one before.
    pub fn loss(&self, before: Oid, after: Oid) -> Result<Loss, StoreError> {
        let (old, new) = (self.files_of(before)?, self.files_of(after)?);
        let (old_rules, new_rules) = (self.rules_of(&old)?, self.rules_of(&new)?);
        let of_store = self.source();
        let was = Source {
            rules: &old_rules,
            ..of_store.clone()
        };
        let is = Source {
            rules: &new_rules,
            ..of_store
        };
        let same_rules = old_rules == new_rules;
        let differs = |path: &Path, entry: &Entry, other: &Tree| {
            other.get(path).is_none_or(|other| other.oid != entry.oid)
                || !same_rules && place(path, &old_rules) != place(path, &new_rules)
        };
        let new_forgotten = self.forgotten_of(&new)?;
        let is_forgotten = if old.get(Path::new(FORGOTTEN)) == new.get(Path::new(FORGOTTEN)) {
            HashSet::new()
        } else {
            let known = self.forgotten_of(&old)?;
            let known: BTreeSet<&str> = known.in_force().iter().map(|line| line.token.as_str()).collect();
            let tokens = new_forgotten.in_force().iter().map(|line| line.token.as_str());
            tokens.filter(|token| !known.contains(token)).collect()
        };
        let (changed, kept): (Vec<_>, Vec<_>) = old
            .iter()
            .partition(|(path, entry)| !is_forgotten.is_empty() || differs(path, entry, &new));
        if !is_most(changed.len(), changed.len()) {
            return Ok(Loss::default());
        }
        let mut arrived = Vec::new();
        for (path, entry) in &new {
            if (!is_forgotten.is_empty() || differs(path, entry, &old))
                && let Some(file) = self.in_force(&is, path, *entry)?
                && !new_forgotten
                    .about(&file.memory)
                    .any(|line| is_forgotten.contains(line.token.as_str()))
            {
                arrived.push(Arrived {
                    path,
                    blob: entry.oid,
                    words: sha256_hex(file.keys.exact.as_bytes()),
                    id: file.memory.id_stated.then_some(file.memory.id),
                    is_cold: file.zone == Zone::Cold,
                });
            }
        }
        self.leave_out_alike(&was, &old, &mut arrived)?;
        let listed: Known<'_> = arrived.iter().filter(|arrived| !arrived.is_cold).collect();
        let all: Known<'_> = arrived.iter().collect();
        let known = |path: &Path| match place(path, &old_rules) {
            Some(Zone::Cold) => &all,
            _ => &listed,
        };
        let missing = changed
            .iter()
            .filter(|(path, entry)| !known(path).has(path, entry))
            .count();
        if !is_most(missing, missing) {
            // Most syncs edit memories: what these said before does not have to be read.
            return Ok(Loss::default());
        }
        let mut loss = Loss::default();
        for (path, entry) in changed {
            let Some(file) = self.in_force(&was, path, *entry)? else {
                continue;
            };
            let known = known(path);
            let is_there = known.has(path, entry) || known.ids.contains(&file.memory.id);
            loss.of += 1;
            loss.lost += usize::from(!is_there);
        }
        if is_most(loss.lost, loss.lost) {
            for (path, entry) in kept {
                loss.of += usize::from(self.in_force(&was, path, *entry)?.is_some());
            }
        }
        Ok(loss)
    }

    /// Of memories that say the same now, and said different things before, leaves the first. So many are needed for it
    /// that nobody merges them in a day.
    fn leave_out_alike(
        &self,
        was: &Source<'_>,
        old: &Tree,
        arrived: &mut Vec<Arrived<'_>>,
    ) -> Result<(), StoreError> {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for arrived in &*arrived {
            *uses.entry(&arrived.words).or_default() += 1;
        }
        let alike: usize = uses.values().map(|count| count - 1).sum();
        if !is_most(alike, alike) {
            return Ok(());
        }
        let is_shared = |words: &str| uses[words] > 1;
        let (mut texts, mut alike) = (HashSet::new(), HashSet::new());
        let mut first = HashSet::new();
        for arrived in arrived.iter().filter(|arrived| is_shared(&arrived.words)) {
            let before = match old.get(arrived.path) {
                Some(entry) => self.in_force(was, arrived.path, *entry)?,
                None => None,
            };
            // A memory that is new at its path says what it never said there.
            let before = before.map_or_else(|| arrived.path.display().to_string(), |file| file.keys.exact);
            let is_new_text = texts.insert((arrived.words.as_str(), before));
            if !first.insert(arrived.words.as_str()) && is_new_text {
                alike.insert(arrived.path.to_owned());
            }
        }
        arrived.retain(|arrived| !alike.contains(arrived.path));
        Ok(())
    }

    /// The memory at a path of a commit, where a prompt might show it.
    fn in_force(
        &self,
        source: &Source<'_>,
        path: &Path,
        entry: Entry,
    ) -> Result<Option<StoredFile>, StoreError> {
        let FileRole::Memory(path) = role_in(path, source.rules) else {
            return Ok(None);
        };
        if zone(&path, source.rules) == Zone::Archive || self.repo.size_of(entry.oid)? > MAX_FILE {
            return Ok(None);
        }
        let bytes = self.repo.blob(entry.oid)?;
        let file = from_bytes(source, &path, &bytes, FileStat::default());
        let is_in_force = file.eligibility.is_ok() && says_a_word(file.memory.content.keyed_text());
        Ok(is_in_force.then_some(file))
    }

    fn forgotten_of(&self, tree: &Tree) -> Result<Forgotten, StoreError> {
        Ok(match tree.get(Path::new(FORGOTTEN)) {
            Some(entry) => Forgotten::parse(&self.repo.blob(entry.oid)?),
            None => Forgotten::default(),
        })
    }
}

/// The zone in which rules put a path; `None` where no memory lies there.
fn place(path: &Path, rules: &Rules) -> Option<Zone> {
    match role_in(path, rules) {
        FileRole::Memory(path) => Some(zone(&path, rules)),
        _ => None,
    }
}

/// Says whether a text has a letter or a digit outside of comments.
fn says_a_word(text: &str) -> bool {
    let mut rest = text;
    loop {
        let (said, comment) = rest.split_once("<!--").unwrap_or((rest, ""));
        if plain(said).any(char::is_alphanumeric) {
            return true;
        }
        match comment.split_once("-->") {
            Some((_, after)) => rest = after,
            // A comment that nobody ends is text.
            None => return plain(comment).any(char::is_alphanumeric),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_something_where_a_word_stands_outside_of_comments() {
        for text in ["a", "7", "設定", "<!-- x --> a", "a <!-- x -->", "<!-- a"] {
            assert!(says_a_word(text), "{text}");
        }
        for text in [
            "",
            ".",
            "---",
            "<!-- x -->",
            "<!-- x -->\n<!-- y -->.",
            "\u{200b}",
        ] {
            assert!(!says_a_word(text), "{text}");
        }
    }
}
