//! Filters that libgit2 would not run: git-crypt, LFS and their like.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::raw_index::{RawIndex, RawIndexEntry};
use super::{GitError, Repo, paths};

/// Refuses a repository whose own attributes (at the root, or in `.git/info`) set a filter for any path.
/// Attributes in folders below are asked for each path that is committed.
pub(super) fn check_files(root: &Path, git_dir: &Path) -> Result<(), GitError> {
    for file in [root.join(".gitattributes"), git_dir.join("info/attributes")] {
        check_is_file(&file)?;
        let text = match std::fs::read(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(GitError::io("read", &file, e)),
        };
        if let Some((line, filter)) = find_filter(&String::from_utf8_lossy(&text)) {
            return Err(GitError::ForeignFilter {
                file,
                line: Some(line),
                filter,
            });
        }
    }
    Ok(())
}

/// An error where something else than a file has its place: whoever opens a fifo waits for somebody who writes into it.
fn check_is_file(file: &Path) -> Result<(), GitError> {
    if file.metadata().is_ok_and(|stat| !stat.is_file()) {
        return Err(GitError::io("read", file, std::io::Error::other("it is no file")));
    }
    Ok(())
}

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

impl Repo {
    /// The filter that git would run on this path, from all attributes that hold for it. `None` when there is none.
    fn foreign_filter(&self, path: &Path) -> Result<Option<String>, GitError> {
        let value = self
            .git
            .get_attr_bytes(path, "filter", git2::AttrCheckFlags::FILE_THEN_INDEX)
            .map_err(|e| self.failed("read the attributes", &e))?;
        Ok(match git2::AttrValue::always_bytes(value) {
            git2::AttrValue::Bytes(name) => Some(String::from_utf8_lossy(name).into_owned()),
            git2::AttrValue::String(name) => Some(name.to_owned()),
            git2::AttrValue::True | git2::AttrValue::False | git2::AttrValue::Unspecified => None,
        })
    }

    /// Gives libgit2 an index in memory that names the attributes files alone. They are all that it looks for there,
    /// and it would read, check and keep the entries of ten thousand other files for it, again after each commit.
    fn show_attributes_alone(&self) -> Result<(), GitError> {
        let bytes = std::fs::read(self.index_path()).unwrap_or_default();
        let is_wanted = |path: &[u8]| path.ends_with(b".gitattributes");
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
        let failed = |e: git2::Error| self.failed("read the attributes", &e);
        let mut index = git2::Index::new().map_err(failed)?;
        for entry in &entries {
            index.add(entry).map_err(failed)?;
        }
        self.git.set_index(&mut index).map_err(failed)
    }

    /// An error when git would run a filter on any of these paths.
    pub(super) fn check_filters<'a>(&self, paths: impl Iterator<Item = &'a PathBuf>) -> Result<(), GitError> {
        self.show_attributes_alone()?;
        let mut folders = BTreeSet::new();
        for path in paths {
            for folder in path.ancestors().skip(1) {
                // Of a folder that was seen, those above were seen too.
                if !folders.insert(folder) {
                    break;
                }
                check_is_file(&self.root.join(folder).join(".gitattributes"))?;
            }
            if let Some(filter) = self.foreign_filter(path)? {
                return Err(GitError::ForeignFilter {
                    file: self.root.join(path),
                    line: None,
                    filter,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifo_is_named_and_not_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join(".gitattributes");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        let error = check_files(temp.path(), &temp.path().join(".git")).unwrap_err();
        assert!(format!("{error:?}").contains("it is no file"), "{error:?}");
    }

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
