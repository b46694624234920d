//! Paths that a commit may not hold, each with its reason: the other paths are committed. A name that git cannot hold; a
//! filter that mdmem would not run (git-crypt, LFS); a line of `.gitignore`.
//!
//! Only where a file of attributes says `filter` at all, and where ignored names are others than those of a new store, is
//! there a question; git itself answers it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::work_file::read_regular;
use super::{GitError, Repo, paths};
use crate::sys::shell_word;

const ATTRIBUTES: &str = ".gitattributes";
/// The ignored names of a new store, which libgit2 reads as git does.
const OURS: &str = include_str!("../../templates/store/gitignore");

/// The reason for which a commit may not hold a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// Git cannot hold a file of this name, or cannot check it out again.
    Name,
    /// The attributes ask for a filter (git-crypt, LFS), which mdmem does not run.
    Filter(String),
    /// A file of attributes or of ignored names cannot be read: it may protect the path.
    Unclear {
        /// The file.
        file: PathBuf,
        /// The words for what is wrong with it.
        cause: String,
    },
    /// A line of `.gitignore` or of `.git/info/exclude` leaves it out.
    Ignored,
}

impl Unfit {
    /// Tells a person what to do about it.
    pub fn hint(&self, path: &Path) -> String {
        let path = shell_word(path);
        match self {
            Self::Name => format!("Rename it or its folder: git forbids this name in {path}."),
            Self::Filter(_) => {
                "Remove the filter from its attributes, or move it to another folder.".to_owned()
            }
            Self::Unclear { file, .. } => format!("Fix or remove {}.", file.display()),
            Self::Ignored => format!(
                "`mdmem allow {path}` commits it anyway; `git check-ignore -v {path}` names the line."
            ),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("git does not accept this file name"),
            Self::Filter(filter) => write!(
                f,
                "its attributes set the filter `{filter}`: mdmem does not run filters and would commit \
                 the plain text"
            ),
            Self::Unclear { file, cause } => {
                write!(f, "{} might set a filter, and {cause}", file.display())
            }
            Self::Ignored => f.write_str("git ignores it (.gitignore, .git/info/exclude)"),
        }
    }
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
    /// The filter that the new content of the root's attributes asks for: committed, it would refuse every other copy of
    /// the store too.
    pub fn filter_asked_for(path: &Path, text: &[u8]) -> Option<Unfit> {
        let is_root = path == Path::new(ATTRIBUTES);
        let found = is_root.then(|| find_filter(&String::from_utf8_lossy(text)));
        found.flatten().map(|(_, filter)| Unfit::Filter(filter))
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

    /// Those of the paths that no commit may hold. Paths that git ignores are not among them.
    pub fn unfit_paths<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<BTreeMap<PathBuf, Unfit>, GitError> {
        let mut unfit = BTreeMap::new();
        let mut holdable = Vec::new();
        for path in paths {
            if paths::is_holdable(paths::to_git(path)) {
                holdable.push(path);
            } else {
                unfit.insert(path.to_owned(), Unfit::Name);
            }
        }
        if holdable.is_empty() {
            return Ok(unfit);
        }
        let config = self.git.config();
        let named = config
            .as_ref()
            .map(|config| config.get_path("core.attributesFile"));
        let beside = || git2::Config::find_xdg().map(|config| config.with_file_name("attributes"));
        let of_all = [self.git_dir.join("info/attributes"), "/etc/gitattributes".into()];
        let of_all: Vec<PathBuf> = of_all
            .into_iter()
            .chain(named.ok().and_then(Result::ok).or_else(|| beside().ok()))
            .collect();
        let has_tree = config.is_ok_and(|config| config.get_entry("attr.tree").is_ok());
        let says_filter = |file: &Path| {
            let text = read_regular(file).ok().flatten().unwrap_or_default();
            text.windows(6).any(|word| word == b"filter")
        };
        // Git takes those that only the index has for as good.
        let is_only_in_index = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name == ATTRIBUTES) && !self.root.join(path).exists()
        };
        let indexed = match self.index() {
            // Nothing is committed while it cannot be read: what the files say is enough to tell of them.
            Err(GitError::Blocked(_)) => Arc::default(),
            index => index?,
        };
        let mut is_asked = has_tree
            || of_all.iter().any(|file| says_filter(file))
            || indexed.entries.keys().any(is_only_in_index);
        let why_of_all = of_all.iter().find_map(|file| unreadable(file));
        let mut known: BTreeMap<PathBuf, Option<Unfit>> = BTreeMap::new();
        let mut readable = Vec::new();
        for path in holdable {
            let mut why = why_of_all.clone();
            for folder in path.ancestors().skip(1) {
                let file = self.root.join(folder).join(ATTRIBUTES);
                let found = known.entry(file).or_insert_with_key(|file| {
                    is_asked |= says_filter(file);
                    unreadable(file)
                });
                why = why.or_else(|| found.clone());
            }
            match why {
                // Git would wait for who writes into a fifo.
                Some(why) => drop(unfit.insert(path.to_owned(), why)),
                None => readable.push(path),
            }
        }
        if is_asked {
            match self.check_filters(&readable) {
                Ok(found) => {
                    unfit.extend(found.into_iter().map(|(path, name)| (path, Unfit::Filter(name))));
                }
                Err(error) => unfit.extend(readable.iter().map(|path| {
                    let file = self.root.join(path).with_file_name(ATTRIBUTES);
                    ((*path).to_owned(), not_told(file, &error))
                })),
            }
        }
        Ok(unfit)
    }

    /// Those of the paths that `.gitignore` (or `.git/info/exclude`) leaves out, or may leave out, each with its
    /// reason. A person's global ignore file does not count: what travels must not depend on who saves. A path need
    /// not be there. A folder in the place of `.gitignore` leaves out nothing.
    pub fn ignored_paths<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<BTreeMap<PathBuf, Unfit>, GitError> {
        let exclude = self.git_dir.join("info/exclude");
        let mut known: BTreeMap<PathBuf, (Option<Unfit>, bool)> = BTreeMap::new();
        let mut ignored = BTreeMap::new();
        let mut for_git: BTreeMap<&Path, PathBuf> = BTreeMap::new();
        for path in paths {
            let folders = path.ancestors().skip(1);
            let files = folders.map(|folder| self.root.join(folder).join(".gitignore"));
            let (mut why, mut left_to_git) = (None, None);
            for file in files.chain([exclude.clone()]) {
                let (fault, is_ours) = known
                    .entry(file.clone())
                    .or_insert_with_key(|file| (unreadable(file), has_our_names(file)));
                why = why.or_else(|| fault.clone());
                if !*is_ours {
                    left_to_git = Some(file);
                }
            }
            if let Some(why) = why {
                // Neither libgit2 nor git may open the file: they would wait for who writes into a fifo.
                ignored.insert(path.to_owned(), why);
            } else if let Some(file) = left_to_git {
                for_git.insert(path, file);
            } else if self
                .git
                .is_path_ignored(path)
                .map_err(|e| self.failed("read .gitignore", &e))?
            {
                ignored.insert(path.to_owned(), Unfit::Ignored);
            }
        }
        match self.check_ignore(for_git.keys().copied()) {
            Ok(found) => ignored.extend(found.into_iter().map(|path| (path, Unfit::Ignored))),
            Err(error) => {
                let not_told = |(path, file): (&Path, PathBuf)| (path.to_owned(), not_told(file, &error));
                ignored.extend(for_git.into_iter().map(not_told));
            }
        }
        Ok(ignored)
    }
}

/// Says whether a file of ignored names has no other rules than those of a new store. Git follows no link there.
fn has_our_names(file: &Path) -> bool {
    let ours: BTreeSet<&[u8]> = OURS.lines().map(str::as_bytes).collect();
    let text = read_regular(file).ok().flatten().unwrap_or_default();
    let mut lines = text.split(|byte| *byte == b'\n');
    !file.is_symlink() && lines.all(|line| line.is_empty() || line.starts_with(b"#") || ours.contains(line))
}

/// Nobody knows what this file says of a path, because git does not answer.
fn not_told(file: PathBuf, error: &GitError) -> Unfit {
    let cause = format!("git failed: {error}");
    Unfit::Unclear { file, cause }
}

/// The reason for which a file of attributes or of ignored names cannot be read. A folder in its place says nothing, to git neither.
pub(super) fn unreadable(file: &Path) -> Option<Unfit> {
    let because = |cause: String| {
        Some(Unfit::Unclear {
            file: file.to_owned(),
            cause,
        })
    };
    match file.metadata() {
        Ok(meta) if meta.is_dir() => None,
        Ok(meta) if !meta.is_file() => because("it is not a regular file".to_owned()),
        Ok(_) => match rustix::fs::access(file, rustix::fs::Access::READ_OK) {
            Ok(()) => None,
            Err(error) => because(format!("cannot be read: {error}")),
        },
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            because(format!("cannot be read: {error}"))
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scratch;
    use super::*;

    #[test]
    fn finds_a_filter_wherever_it_stands() {
        for (text, found) in [
            (
                "*.md text\n*.key  filter=git-crypt diff=git-crypt\n",
                Some((2, "git-crypt")),
            ),
            ("\"a \\\" filter=x.md\" -text\n", None),
            ("\"a b.md\" filter=lfs\n", Some((1, "lfs"))),
            ("# *.md filter=x\n*.md -filter\n", None),
        ] {
            let found = found.map(|(line, name)| (line, name.to_owned()));
            assert_eq!(find_filter(text), found, "{text}");
        }
    }

    /// Rules in each folder and in each form: the ignored paths are those that git ignores.
    #[test]
    fn ignores_what_git_ignores() {
        let (scratch, repo) = Scratch::with_repo();
        let files = [
            "top.md",
            "decision/a.md",
            "decision/p/q/z[1].md",
            "project/#h#",
            "project/~.md",
            "project/x~",
        ];
        for file in files {
            scratch.write(file, "text\n");
        }
        scratch.write(".git/list", &files.map(|file| format!("./{file}\0")).concat());
        let list = scratch.root().join(".git/list");
        for (place, rules) in [
            (".gitignore", OURS),
            (".gitignore", "a.md\n!decision/a.md\n"),
            ("decision/.gitignore", "p/**\n"),
            ("decision/p/.gitignore", "z\\[1\\].md\r\n*.md\t\n"),
            ("project/.gitignore", "*\n!~.md\n"),
        ] {
            scratch.write(place, rules);
            let ignored = Repo::open(&repo.root)
                .unwrap()
                .ignored_paths(files.map(Path::new))
                .unwrap();
            let mut command = scratch.command(&["check-ignore", "-z", "--stdin", "--no-index"]);
            let asked = command
                .stdin(std::fs::File::open(&list).unwrap())
                .output()
                .unwrap();
            let asked = String::from_utf8(asked.stdout).unwrap();
            let by_git: Vec<&str> = asked.split_terminator('\0').collect();
            let ours: Vec<String> = files
                .iter()
                .filter(|file| ignored.get(Path::new(file)) == Some(&Unfit::Ignored))
                .map(|file| format!("./{file}"))
                .collect();
            assert_eq!(ours, by_git, "{place}: {rules}");
            std::fs::remove_file(scratch.root().join(place)).unwrap();
        }
    }

    #[test]
    fn rules_that_cannot_be_read_leave_out_what_they_may_be_about() {
        let (scratch, repo) = Scratch::with_repo();
        std::fs::create_dir(scratch.root().join("private")).unwrap();
        let fifo = scratch.root().join("private/.gitignore");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, mode).unwrap();
        let paths = ["private/a.md", "private/in/it.md", "open/a.md"].map(Path::new);
        let ignored = repo.ignored_paths(paths).unwrap();
        let is_unclear =
            |path: &Path| matches!(ignored.get(path), Some(Unfit::Unclear { file, .. }) if *file == fifo);
        assert_eq!(paths.map(is_unclear), [true, true, false]);
    }
}
