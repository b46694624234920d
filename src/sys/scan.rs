//! The files of a store, in one walk.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::FileType;

use crate::model::{Diagnostic, MAX_FOLDERS, Severity};
use crate::sys::files::beneath::Folder;
use crate::sys::files::beneath::what_it_is;
use crate::sys::{FailureKind, FileStat, SysError, is_own_temporary, shown_path};

/// The code of a link.
pub const LINK: &str = "link";
/// The code of what is neither a file, a folder nor a link.
pub const NOT_A_FILE: &str = "not-a-file";

/// The dot files that belong to a store, at its root.
const ROOT_DOT_FILES: [&str; 2] = [".gitattributes", ".gitignore"];

/// The findings of a walk through a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// The regular files, sorted by the bytes of their paths. Dot files are left out, but for the store's own
    /// `.gitattributes` and `.gitignore`.
    pub files: Vec<ScannedFile>,
    /// The folders that were looked into, sorted, without the root.
    pub folders: Vec<PathBuf>,
    /// Diagnostics of the entries that were left out or are odd, sorted by path.
    pub problems: Vec<Diagnostic>,
    /// Temporary files of mdmem's own, for [`leftovers`](crate::sys::leftovers).
    pub temporaries: Vec<PathBuf>,
}

/// A file below a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannedFile {
    /// Its path below the store; it may hold bytes that are no UTF-8.
    pub path: PathBuf,
    /// The file system's facts about it.
    pub stat: FileStat,
}

/// Walks through the store `root`, following no link and crossing into no other file system. A root without folder or
/// without `.git` is an error ([`RootMissing`](SysError::RootMissing), [`GitMissing`](SysError::GitMissing)), never
/// an empty scan.
pub fn scan(root: &Path) -> Result<Scan, SysError> {
    let folder = Folder::root(root)?;
    let git = || SysError::GitMissing(root.to_path_buf());
    folder.stat(OsStr::new(".git"))?.ok_or_else(git)?;
    let dev = rustix::fs::fstat(&folder)
        .map_err(|errno| SysError::io("access", root, errno))?
        .st_dev;
    let entries = folder.entries()?;
    let next = AtomicUsize::new(0);
    // Two share the work: each takes an entry of the root, with all that is in it.
    let walk = || {
        let scan = Scan::default();
        let mut walk = Walk { dev, scan };
        while let Some(entry) = entries.get(next.fetch_add(1, Relaxed)) {
            walk.entries(&folder, Path::new(""), vec![entry.clone()], 0);
        }
        walk.scan
    };
    let (mut scan, other) = std::thread::scope(|scope| {
        let other = scope.spawn(walk);
        (walk(), other.join().expect("because a walk does not panic"))
    });
    scan.files.extend(other.files);
    scan.folders.extend(other.folders);
    scan.problems.extend(other.problems);
    scan.temporaries.extend(other.temporaries);
    // The folder may have been unmounted or removed during the walk, which then saw too little.
    folder.stat(OsStr::new(".git"))?.ok_or_else(git)?;
    scan.files
        .sort_by(|a, b| a.path.as_os_str().as_bytes().cmp(b.path.as_os_str().as_bytes()));
    scan.folders.sort_unstable();
    scan.problems.sort_by(|a, b| a.path.cmp(&b.path));
    scan.temporaries.sort_unstable();
    Ok(scan)
}

/// The order of the paths below a folder by their bytes: those in a folder have a `/` behind its name.
fn in_order_of_paths((a, a_kind): &(OsString, FileType), (b, b_kind): &(OsString, FileType)) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let shared = a.len().min(b.len());
    // Behind a name stands the slash of a folder, or the end of the path.
    let next = |name: &[u8], kind: FileType| match name.get(shared) {
        Some(byte) => Some(*byte),
        None => (kind == FileType::Directory).then_some(b'/'),
    };
    let by_names = a[..shared].cmp(&b[..shared]);
    by_names.then_with(|| next(a, *a_kind).cmp(&next(b, *b_kind)))
}

/// `path.join(name)` in one allocation, which tells with 10,000 files.
fn joined(path: &Path, name: &OsStr) -> PathBuf {
    let mut joined = PathBuf::with_capacity(path.as_os_str().len() + 1 + name.len());
    joined.push(path);
    joined.push(name);
    joined
}

struct Walk {
    dev: u64,
    scan: Scan,
}

impl Walk {
    fn folder(&mut self, parent: &Folder, name: &OsStr, path: &Path, depth: usize) {
        let opened = parent.child(name).and_then(|folder| match folder {
            Some(folder) => Ok(Some((folder.entries()?, folder))),
            None => Ok(None),
        });
        let (entries, folder) = match opened {
            Ok(Some(opened)) => opened,
            // Removed since its parent was read.
            Ok(None) => return,
            Err(error) => return self.unreadable(path, &error),
        };
        match rustix::fs::fstat(&folder) {
            Ok(stat) if stat.st_dev != self.dev => {
                return self.skip(
                    path,
                    "other-file-system",
                    "another file system is mounted here",
                    "Keep memories on the store's own file system.",
                );
            }
            Ok(_) => {}
            Err(errno) => return self.unreadable(path, &SysError::io("access", folder.path(), errno)),
        }
        if entries.iter().any(|(name, _)| name == ".git") {
            return self.skip(
                path,
                "nested-repository",
                "a git repository of its own inside the store",
                "Move it out of the store, or remove its .git folder.",
            );
        }
        if depth > MAX_FOLDERS {
            return self.skip(
                path,
                "too-deep",
                "folders are nested too deeply",
                "Move the memories to a folder nearer to the root.",
            );
        }
        self.scan.folders.push(path.to_path_buf());
        self.entries(&folder, path, entries, depth);
    }

    fn entries(
        &mut self,
        folder: &Folder,
        path: &Path,
        mut entries: Vec<(OsString, FileType)>,
        depth: usize,
    ) {
        entries.sort_unstable_by(in_order_of_paths);
        for (name, kind) in entries {
            let path = joined(path, &name);
            if name.as_bytes().starts_with(b".") {
                if is_own_temporary(&name) {
                    self.scan.temporaries.push(path);
                    continue;
                }
                if depth > 0 || !ROOT_DOT_FILES.iter().any(|dot_file| name == *dot_file) {
                    continue;
                }
            }
            if kind == FileType::Directory {
                self.folder(folder, &name, &path, depth + 1);
            } else {
                self.file(folder, &name, path, depth);
            }
        }
    }

    /// Also for what the folder calls unknown, as some file systems call everything.
    fn file(&mut self, folder: &Folder, name: &OsStr, path: PathBuf, depth: usize) {
        let stat = match folder.stat(name) {
            Ok(Some(stat)) => stat,
            Ok(None) => return,
            Err(error) => return self.unreadable(&path, &error),
        };
        match what_it_is(&stat) {
            None => {
                if name.to_str().is_none() {
                    self.problem(
                        Severity::Warning,
                        "name-not-utf8",
                        &path,
                        "the name is not UTF-8".to_owned(),
                        "Rename the file; mdmem cannot name it to tools as it is.",
                    );
                }
                self.scan.files.push(ScannedFile {
                    path,
                    stat: FileStat::of(&stat),
                });
            }
            Some("folder") => self.folder(folder, name, &path, depth + 1),
            Some("link") => self.skip(
                &path,
                LINK,
                "a link, which mdmem does not follow",
                "Put the file itself here.",
            ),
            Some(what) => self.skip(
                &path,
                NOT_A_FILE,
                &format!("a {what}, not a file"),
                "Remove it from the store.",
            ),
        }
    }

    fn unreadable(&mut self, path: &Path, error: &SysError) {
        if error.kind() == FailureKind::Missing {
            return;
        }
        self.skip(
            path,
            "unreadable",
            &error.to_string(),
            "Give yourself the right to read it.",
        );
    }

    fn skip(&mut self, path: &Path, code: &'static str, message: &str, mend: &str) {
        self.problem(Severity::Error, code, path, message.to_owned(), mend);
    }

    fn problem(&mut self, severity: Severity, code: &'static str, path: &Path, message: String, mend: &str) {
        let problem = Diagnostic::new(severity, code, shown_path(path), message, mend);
        self.scan.problems.push(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::write_new;
    use std::fs;

    fn store(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(".git")).unwrap();
        for file in files {
            write_new(root.path(), file, b"x").unwrap();
        }
        root
    }

    fn paths(scan: &Scan) -> Vec<&str> {
        scan.files
            .iter()
            .map(|file| file.path.to_str().unwrap())
            .collect()
    }

    fn problems(scan: &Scan) -> Vec<(&str, &str)> {
        scan.problems
            .iter()
            .map(|problem| (problem.path.as_str(), problem.code))
            .collect()
    }

    #[test]
    fn sees_files_in_the_order_of_bytes_and_no_dot_files() {
        let root = store(&[
            "b.md",
            "a/x.md",
            "a.md",
            "x.md/inner.md",
            ".gitignore",
            ".gitattributes",
            ".hidden.md",
            "a/.gitignore",
            ".git/config",
            ".mdmem/HOT.md",
            ".obsidian/y.md",
            "a/.x.md.swp",
            "image.png",
            "ノート/設定.md",
        ]);
        let scan = scan(root.path()).unwrap();
        assert_eq!(
            paths(&scan),
            [
                ".gitattributes",
                ".gitignore",
                "a.md",
                "a/x.md",
                "b.md",
                "image.png",
                "x.md/inner.md",
                "ノート/設定.md"
            ]
        );
        assert_eq!(
            scan.folders,
            [Path::new("a"), Path::new("x.md"), Path::new("ノート")]
        );
        assert_eq!(scan.problems, []);
        assert_eq!(scan.files[3].stat.size, 1);
    }

    #[test]
    fn a_missing_root_or_repository_is_an_error() {
        let root = store(&["a.md"]);
        assert!(matches!(
            scan(&root.path().join("gone")),
            Err(SysError::RootMissing(_))
        ));
        fs::remove_dir(root.path().join(".git")).unwrap();
        assert!(matches!(scan(root.path()), Err(SysError::GitMissing(_))));
    }

    #[test]
    fn names_what_it_leaves_out_and_does_not_take_it_for_gone() {
        let root = store(&["a.md", "nested/.git/HEAD", "nested/n.md", "d/e/f.md"]);
        let at = |name: &str| root.path().join(name);
        std::os::unix::fs::symlink("a.md", at("link.md")).unwrap();
        std::os::unix::fs::symlink("d", at("linked")).unwrap();
        std::os::unix::fs::symlink(".", at("d/loop")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo.md"), mode).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket.md")).unwrap();
        let scan = scan(root.path()).unwrap();
        assert_eq!(paths(&scan), ["a.md", "d/e/f.md"]);
        assert_eq!(
            problems(&scan),
            [
                ("d/loop", "link"),
                ("fifo.md", "not-a-file"),
                ("link.md", "link"),
                ("linked", "link"),
                ("nested", "nested-repository"),
                ("socket.md", "not-a-file"),
            ]
        );
    }

    #[test]
    fn keeps_names_that_are_no_text_and_says_so() {
        let root = store(&[]);
        let name = OsStr::from_bytes(b"caf\xe9.md");
        if fs::File::create(root.path().join(name)).is_err() {
            return; // a file system that takes UTF-8 names alone
        }
        let scan = scan(root.path()).unwrap();
        assert_eq!(scan.files[0].path.as_os_str(), name);
        assert_eq!(problems(&scan), [("caf\\xe9.md", "name-not-utf8")]);
    }

    #[test]
    fn gives_up_on_folders_nested_without_end() {
        let deep = |folders| format!("{}x.md", "d/".repeat(folders));
        let last = deep(MAX_FOLDERS);
        let scan = scan(store(&["a.md", &last, &deep(MAX_FOLDERS + 3)]).path()).unwrap();
        assert_eq!(paths(&scan), ["a.md", &last]);
        assert_eq!(scan.problems[0].code, "too-deep");
    }
}
