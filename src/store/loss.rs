//! The memories that a prompt may show of one commit and not of another: removed, emptied, hidden, archived, superseded,
//! forgotten.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::document::Forgotten;
use crate::git::Entry;
use crate::model::{Oid, Zone};
use crate::policy::{Rules, plain, zone};
use crate::sys::FileStat;

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

impl Store {
    /// Counts the memories in force in `before` that `after` lacks, each by the settings of its commit. A memory that has
    /// another path, and its id or its text still, is there; in a folder of which prompts show the names alone it is so
    /// only where it was in one before. Memories that say the same are one.
    pub fn loss(&self, before: Oid, after: Oid) -> Result<Loss, StoreError> {
        let (old, new) = (self.files_of(before)?, self.files_of(after)?);
        let (old_rules, new_rules) = (self.rules_of(&old)?, self.rules_of(&new)?);
        let forgotten = self.forgotten_of(&new)?.since(&self.forgotten_of(&old)?);
        let is_read_alike = old_rules == new_rules && forgotten.in_force().is_empty();
        let is_same = |path: &Path| {
            let [one, other] = [&old, &new].map(|tree| tree.get(path).map(|entry| entry.oid));
            is_read_alike && one == other
        };
        let changed = old.keys().filter(|path| !is_same(path)).count();
        if !is_most(changed, changed) {
            return Ok(Loss::default());
        }
        let in_force = |tree: &Tree, rules: &Rules, is_meant: &dyn Fn(&Path) -> bool| {
            let source = Source {
                rules,
                ..self.source()
            };
            let files = tree.iter().filter(|(path, _)| is_meant(path));
            let files = files.filter_map(|(path, entry)| self.in_force(&source, path, *entry).transpose());
            files.collect::<Result<Vec<StoredFile>, StoreError>>()
        };
        let was = in_force(&old, &old_rules, &|path| !is_same(path))?;
        let is = in_force(&new, &new_rules, &|path| !is_same(path))?;
        let signs = |file: &StoredFile| {
            let memory = &file.memory;
            [
                memory.path.to_string(),
                file.blob.to_string(),
                memory.id.to_string(),
            ]
        };
        let mut known: HashMap<String, Vec<&StoredFile>> = HashMap::new();
        for file in is
            .iter()
            .filter(|file| forgotten.about(&file.memory).next().is_none())
        {
            for sign in signs(file) {
                known.entry(sign).or_default().push(file);
            }
        }
        let present = |file: &StoredFile| {
            let is_listed = |now: &&&StoredFile| now.zone != Zone::Cold || file.zone == Zone::Cold;
            let known = |sign: String| known.get(&sign)?.iter().find(is_listed).copied();
            signs(file).into_iter().find_map(known)
        };
        let texts: HashSet<&str> = was.iter().map(|file| file.keys.exact.as_str()).collect();
        let left = was
            .iter()
            .filter_map(present)
            .map(|file| file.keys.exact.as_str());
        let left: HashSet<&str> = left.collect();
        let mut loss = Loss {
            lost: texts.len().saturating_sub(left.len()),
            of: texts.len(),
        };
        if is_most(loss.lost, loss.lost) {
            loss.of += in_force(&old, &old_rules, &is_same)?.len();
        }
        Ok(loss)
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
