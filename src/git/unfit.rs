//! Paths that a commit may not hold, each with its reason: the other paths are committed.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use super::{GitError, Repo, paths};

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
    /// Tells a person what to do about it. `path` is the file as it can be pasted into a shell.
    pub fn hint(&self, path: &str) -> String {
        match self {
            Self::Name => format!("Rename it, or its folder: no part of {path} may be a name for .git."),
            Self::Filter(_) => {
                "Take the filter out of the attributes that hold for it, or move it to another folder."
                    .to_owned()
            }
            Self::Unclear { file, .. } => format!("Mend or remove {}.", file.display()),
            Self::Ignored => format!(
                "`mdmem allow {path}` commits it all the same; `git check-ignore -v {path}` names the line."
            ),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("git cannot hold a file of this name"),
            Self::Filter(filter) => write!(
                f,
                "its attributes ask for the filter `{filter}`: mdmem does not run filters and would commit the plain text"
            ),
            Self::Unclear { file, cause } => {
                write!(
                    f,
                    "{} may ask for a filter or leave it out, and {cause}",
                    file.display()
                )
            }
            Self::Ignored => f.write_str("git ignores it (.gitignore, .git/info/exclude)"),
        }
    }
}

impl Repo {
    /// Those of the paths that no commit may hold. Paths that git ignores are not among them.
    pub fn unfit_paths<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<BTreeMap<PathBuf, Unfit>, GitError> {
        self.show_attributes_alone()?;
        let of_all = self.attributes_of_all();
        let unreadable_of_all = of_all.iter().find_map(|file| unreadable(file));
        let mut unreadable_above: HashMap<&Path, Option<Unfit>> = HashMap::new();
        let mut unfit = BTreeMap::new();
        // libgit2 and git open each attributes file, and would wait for who writes into a fifo.
        let mut readable = Vec::new();
        for path in paths {
            let is_holdable = paths::is_holdable(paths::to_git(path));
            let mut why = (!is_holdable).then_some(Unfit::Name);
            for folder in path.ancestors().skip(1) {
                let known = unreadable_above
                    .entry(folder)
                    .or_insert_with(|| unreadable(&self.root.join(folder).join(".gitattributes")));
                why = why.or_else(|| known.clone());
            }
            match why.or_else(|| unreadable_of_all.clone()) {
                Some(why) => drop(unfit.insert(path.to_owned(), why)),
                None => readable.push(path),
            }
        }
        unfit.append(&mut self.filters_of(&readable, &of_all));
        Ok(unfit)
    }
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
        Ok(meta) if !meta.is_file() => because("it is no file".to_owned()),
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
