//! Filters that libgit2 would not run: git-crypt, LFS and their like.

use std::path::Path;

use git2::ObjectType;

use super::raw_index::{RawIndex, RawIndexEntry};
use super::stamp::Stamp;
use super::work_file::read_regular;
use super::{GitError, Repo, Unfit, paths};

/// The first line (from 1) that sets a filter, and the filter's name.
fn find_filter(text: &str) -> Option<(usize, String)> {
    text.lines().enumerate().find_map(|(number, line)| {
        let line = line.trim_start();
        if line.starts_with('#') {
            return None;
        }
        let filter = attributes_of(line)
            .split_whitespace()
            .find_map(|word| word.strip_prefix("filter="))?;
        Some((number + 1, filter.to_owned()))
    })
}

/// The words after the pattern; a pattern in double quotes may hold spaces.
fn attributes_of(line: &str) -> &str {
    let Some(quoted) = line.strip_prefix('"') else {
        return line.split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    };
    let mut escaped = false;
    for (at, c) in quoted.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return &quoted[at + 1..],
            _ => escaped = false,
        }
    }
    ""
}

/// The filter that the new content of the root's attributes asks for: committed, it would refuse every other copy of
/// the store too.
pub(super) fn filter_in(path: &Path, text: &[u8]) -> Option<Unfit> {
    let is_root = path == Path::new(ATTRIBUTES);
    let found = is_root.then(|| find_filter(&String::from_utf8_lossy(text)));
    found.flatten().map(|(_, filter)| Unfit::Filter(filter))
}

impl Repo {
    /// An error where the attributes at the root, or in `.git/info`, set a filter for any path: no writer may take the
    /// repository. Attributes in folders below concern the paths there alone ([`Self::unfit_paths`]).
    pub fn check_attributes(&self) -> Result<(), GitError> {
        for file in [ATTRIBUTES, ".git/info/attributes"] {
            let file = self.root.join(file);
            // A file that cannot be read leaves out each path that it may be about.
            let text = read_regular(&file).ok().flatten().unwrap_or_default();
            if let Some((line, filter)) = find_filter(&String::from_utf8_lossy(&text)) {
                return Err(GitError::ForeignFilter { file, line, filter });
            }
        }
        Ok(())
    }

    /// The filter that git would run on this path, from all attributes that hold for it.
    pub(super) fn filter_of(&self, path: &Path) -> Option<Unfit> {
        let value = self
            .git
            .get_attr_bytes(path, "filter", git2::AttrCheckFlags::FILE_THEN_INDEX);
        let value = match value {
            Ok(value) => value,
            Err(error) => {
                return Some(Unfit::Attributes {
                    file: self.root.join(path).with_file_name(ATTRIBUTES),
                    cause: format!("libgit2 says: {}", error.message()),
                });
            }
        };
        match git2::AttrValue::always_bytes(value) {
            git2::AttrValue::Bytes(name) => Some(Unfit::Filter(String::from_utf8_lossy(name).into_owned())),
            git2::AttrValue::String(name) => Some(Unfit::Filter(name.to_owned())),
            git2::AttrValue::True | git2::AttrValue::False | git2::AttrValue::Unspecified => None,
        }
    }

    /// Gives libgit2 an index in memory that names the attributes files alone. They are all that it looks for there,
    /// and it would read, check and keep the entries of ten thousand other files for it, again after each commit.
    pub(super) fn show_attributes_alone(&self) -> Result<(), GitError> {
        let failed = |e: git2::Error| self.failed("read the attributes", &e);
        let written = Stamp::read(&self.index_path());
        if let Some((stamp, objects)) = &*self.shown.borrow()
            && written == Some(*stamp)
            && objects.iter().all(|oid| self.kind_of(*oid).is_some())
        {
            return Ok(());
        }
        let bytes = match self.index_bytes() {
            // Nothing is committed while that is so: what the files say is enough to tell of them.
            Err(GitError::Blocked(_)) => {
                self.shown.replace(None);
                let mut nothing = git2::Index::new().map_err(failed)?;
                return self.git.set_index(&mut nothing).map_err(failed);
            }
            bytes => bytes?.unwrap_or_default(),
        };
        let is_wanted = |path: &[u8]| path.ends_with(ATTRIBUTES.as_bytes());
        let entries: Vec<git2::IndexEntry> = if let Some(entries) = RawIndex::new(&bytes) {
            let wanted = entries.filter(|entry| is_wanted(entry.path));
            wanted.map(RawIndexEntry::to_git2).collect()
        } else {
            // A split or sparse index too, which libgit2 would fail to read.
            let index = self.index()?;
            let wanted = index
                .entries
                .iter()
                .filter(|(path, _)| is_wanted(paths::to_git(path)));
            wanted
                .map(|(path, entry)| self.index_entry(path, entry.entry, None))
                .collect()
        };
        let mut index = git2::Index::new().map_err(failed)?;
        let mut objects = Vec::new();
        for entry in &entries {
            // libgit2 reads what it is shown, and would never end to read what is cut off. The file says it as well.
            if let Err(damage) = self.read(ObjectType::Blob, entry.id) {
                if unreadable_or_missing(&self.root.join(paths::from_git(&entry.path))) {
                    return Err(damage);
                }
                continue;
            }
            objects.push(entry.id);
            // A path that only another git took in says nothing about the others.
            if let Err(error) = index.add(entry) {
                tracing::debug!(%error, "attributes in the index are passed over");
            }
        }
        self.git.set_index(&mut index).map_err(failed)?;
        self.shown.replace(written.map(|written| (written, objects)));
        Ok(())
    }
}

fn unreadable_or_missing(file: &Path) -> bool {
    !matches!(read_regular(file), Ok(Some(_)))
}

const ATTRIBUTES: &str = ".gitattributes";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_line_that_sets_a_filter() {
        let text = "*.md merge=mdmem -text\n# *.x filter=no\n*.bin filter=lfs diff=lfs\n";
        assert_eq!(find_filter(text), Some((3, "lfs".into())));
        assert_eq!(
            find_filter("\"a b\\\" filter=x\" filter=git-crypt"),
            Some((1, "git-crypt".into()))
        );
    }

    #[test]
    fn leaves_other_attributes_alone() {
        assert_eq!(
            find_filter("*.md -filter text\nfilter=lfs text\n\"filter=x y\" text\n"),
            None
        );
    }
}
