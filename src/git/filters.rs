//! Filters that libgit2 would not run: git-crypt, LFS and their like.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

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
    /// The filter that a file of attributes at the root would set, were it committed.
    pub fn filter_asked_for(path: &Path, text: &[u8]) -> Option<Unfit> {
        filter_in(path, text)
    }

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

    /// The attributes files that hold for every path.
    pub(super) fn attributes_of_all(&self) -> Vec<PathBuf> {
        let config = self.git.config();
        let named = config.and_then(|config| config.get_path("core.attributesFile"));
        let own = [self.git_dir.join("info/attributes"), "/etc/gitattributes".into()];
        let beside = || git2::Config::find_xdg().map(|config| config.with_file_name("attributes"));
        own.into_iter().chain(named.or_else(|_| beside())).collect()
    }

    /// The filters that git would run on these paths, from all attributes that hold for them.
    ///
    /// libgit2 takes a pattern in double quotes by the letter, and does not know `attr.tree`: git is asked about the paths
    /// that such a pattern may concern.
    pub(super) fn filters_of<'a>(&self, paths: &[&'a Path], of_all: &[PathBuf]) -> BTreeMap<PathBuf, Unfit> {
        let mut known: HashMap<PathBuf, bool> = HashMap::new();
        let mut is_quoted = |file: &PathBuf| {
            *known.entry(file.clone()).or_insert_with_key(|file| {
                let text = read_regular(file).ok().flatten();
                text.is_some_and(|text| text.contains(&b'"'))
            })
        };
        let for_git =
            if of_all.iter().any(&mut is_quoted) || self.is_quoted_in_index() || self.has_attributes_tree() {
                paths.to_vec()
            } else {
                let mut is_concerned = |path: &&Path| {
                    let mut above = path.ancestors().skip(1);
                    above.any(|folder| is_quoted(&self.root.join(folder).join(ATTRIBUTES)))
                };
                paths.iter().copied().filter(&mut is_concerned).collect()
            };
        let mut filters = BTreeMap::new();
        match self.check_filters(&for_git) {
            Ok(found) => filters.extend(found.into_iter().map(|(path, name)| (path, Unfit::Filter(name)))),
            Err(error) => filters.extend(for_git.iter().map(|path| {
                let file = self.root.join(path).with_file_name(ATTRIBUTES);
                let cause = format!("git was asked what it says: {error}");
                ((*path).to_owned(), Unfit::Unclear { file, cause })
            })),
        }
        let for_git: BTreeSet<&'a Path> = for_git.into_iter().collect();
        let others = paths.iter().filter(|path| !for_git.contains(**path));
        filters.extend(others.filter_map(|path| Some(((*path).to_owned(), self.filter_of(path)?))));
        filters
    }

    /// The filter that libgit2 finds for this path.
    fn filter_of(&self, path: &Path) -> Option<Unfit> {
        let value = self
            .git
            .get_attr_bytes(path, "filter", git2::AttrCheckFlags::FILE_THEN_INDEX);
        let value = match value {
            Ok(value) => value,
            Err(error) => {
                let settings = (error.class() == git2::ErrorClass::Config).then(git2::Config::find_global);
                let settings = settings.and_then(Result::ok);
                return Some(Unfit::Unclear {
                    file: settings.unwrap_or_else(|| self.root.join(path).with_file_name(ATTRIBUTES)),
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

    fn has_attributes_tree(&self) -> bool {
        let config = self.git.config();
        config.is_ok_and(|config| config.get_entry("attr.tree").is_ok())
    }

    /// Says whether attributes that only the index has hold a pattern in quotes.
    fn is_quoted_in_index(&self) -> bool {
        let shown = self.shown.borrow();
        let mut objects = shown.iter().flat_map(|(_, objects)| objects);
        objects.any(|oid| {
            let text = self.read(ObjectType::Blob, *oid);
            text.is_ok_and(|text| text.contains(&b'"'))
        })
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
    use super::super::testing::{Numbers, Scratch};
    use super::*;

    #[test]
    fn finds_the_filters_that_git_finds() {
        let files = [
            "decision/a.md",
            "decision/b c.md",
            "decision/sub/b c.md",
            "decision/sub/a.md",
            "decision/sub/s2/a\"b.md",
            "decision/sub/s2/\u{e9}.md",
            "project/a.md",
            ":(glob)a.md",
        ];
        let patterns = [
            "a.md",
            "*.md",
            "\"a.md\"",
            "\"b c.md\"",
            "\"sub/b c.md\"",
            "\"sub/**\"",
            "\"\\163ub/**\"",
            "\"a\\\"b.md\"",
            "\"\\303\\251.md\"",
            "  \"s2/*\"",
            "\"not closed",
            "sub/**",
            "b?c.md",
            "\\\"a.md",
        ];
        let attributes = [
            "filter=x", "filter=x", "filter=x", "-filter", "!filter", "text", "crypt",
        ];
        let (scratch, _) = Scratch::with_repo();
        let mut numbers = Numbers(0x5eed_0011);
        let mut are_filtered = 0;
        for round in 0..120 {
            let mut rules = Vec::new();
            let places = [
                "decision/.gitattributes",
                "decision/sub/.gitattributes",
                ".git/info/attributes",
            ];
            for place in places {
                let lines = (0..numbers.below(4)).map(|_| {
                    let pattern = numbers.one_of(&patterns);
                    format!("{pattern}\t{}\n", numbers.one_of(&attributes))
                });
                let lines: String = std::iter::once("[attr]crypt filter=x\n".to_owned())
                    .chain(lines)
                    .collect();
                // Some stand in the index alone.
                scratch.write(place, &lines);
                if round % 5 == 0 && place == places[1] {
                    scratch.git(&["add", "-f", place]);
                    std::fs::remove_file(scratch.root().join(place)).unwrap();
                }
                rules.push((place, lines));
            }
            let repo = Repo::open(&scratch.root()).unwrap();
            let unfit = repo.unfit_paths(files.map(Path::new)).unwrap();
            for file in files {
                let said = scratch.git(&["check-attr", "-z", "filter", "--", file]);
                let is_filtered = said.ends_with("\0x\0");
                are_filtered += usize::from(is_filtered);
                let expected = is_filtered.then(|| Unfit::Filter("x".to_owned()));
                assert_eq!(
                    unfit.get(Path::new(file)),
                    expected.as_ref(),
                    "{round}: {file} by {rules:#?}"
                );
            }
        }
        assert!((100..800).contains(&are_filtered), "{are_filtered}");
    }

    #[test]
    fn finds_the_filters_of_another_tree() {
        let (scratch, _) = Scratch::with_repo();
        scratch.git(&["checkout", "-q", "--orphan", "attributes"]);
        scratch.write(".gitattributes", "*.md filter=x\n");
        scratch.git(&["add", ".gitattributes"]);
        scratch.git(&["commit", "-q", "-m", "attributes"]);
        scratch.git(&["checkout", "-q", "--orphan", "other"]);
        scratch.git(&["rm", "-q", "-f", ".gitattributes"]);
        scratch.git(&["config", "attr.tree", "attributes"]);
        let repo = Repo::open(&scratch.root()).unwrap();
        let unfit = repo.unfit_paths([Path::new("a.md")]).unwrap();
        assert_eq!(unfit[Path::new("a.md")], Unfit::Filter("x".to_owned()));
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
