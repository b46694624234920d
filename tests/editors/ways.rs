//! The steps of editors when a person saves a file, as their system calls show them.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A way of saving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Over the old bytes, and then cut off.
    InPlace,
    /// Emptied, and then written (nano, `cp`, the shell's `>`, vim with `backupcopy=yes`).
    Truncate,
    /// Emptied, and then written in pieces.
    Pieces,
    /// vim: the probe `4913`, the old file renamed to a backup, a new one written, the backup removed.
    Vim,
    /// emacs: a link as a lock, an auto-save file, the old file renamed to a backup that stays.
    Emacs,
    /// A hidden temporary file is renamed over it.
    HiddenRename,
    /// `name.tmp` is renamed over it.
    Rename,
    /// An agent's tool: `name.tmp.PID.TIME` is renamed over it.
    NumberedRename,
    /// `sed -i`.
    Sed,
    /// `JetBrains`: a safe write with two temporary names.
    JetBrains,
}

impl Way {
    pub(crate) const ALL: [Self; 10] = [
        Self::InPlace,
        Self::Truncate,
        Self::Pieces,
        Self::Vim,
        Self::Emacs,
        Self::HiddenRename,
        Self::Rename,
        Self::NumberedRename,
        Self::Sed,
        Self::JetBrains,
    ];
}

/// Saves a file in this way. It may be there before or not.
pub(crate) fn save(way: Way, path: &Path, text: &str) {
    match way {
        Way::InPlace => {
            let mut file = open(path, OpenOptions::new().create(true).truncate(false));
            file.write_all(text.as_bytes()).unwrap();
            file.set_len(text.len() as u64).unwrap();
        }
        Way::Truncate => std::fs::write(path, text).unwrap(),
        Way::Pieces => {
            let mut file = open(path, OpenOptions::new().create(true).truncate(true));
            for piece in text.as_bytes().chunks(7) {
                file.write_all(piece).unwrap();
                file.flush().unwrap();
            }
        }
        Way::Vim => {
            let probe = path.with_file_name("4913");
            File::create(&probe).unwrap();
            remove_if_there(&probe);
            let swap = beside(path, ".", ".swp");
            std::fs::write(&swap, "b0VIM 9.1").unwrap();
            let backup = beside(path, "", "~");
            rename_if_there(path, &backup);
            let mut file = open(path, OpenOptions::new().create(true).truncate(true));
            file.write_all(text.as_bytes()).unwrap();
            file.sync_all().unwrap();
            remove_if_there(&backup);
            std::fs::remove_file(&swap).unwrap();
        }
        Way::Emacs => {
            let lock = beside(path, ".#", "");
            std::os::unix::fs::symlink("ada@host.4711:1763721234", &lock).unwrap();
            let auto = beside(path, "#", "#");
            std::fs::write(&auto, &text[..text.len() / 2]).unwrap();
            rename_if_there(path, &beside(path, "", "~"));
            let mut file = open(path, OpenOptions::new().create(true).truncate(true));
            file.write_all(text.as_bytes()).unwrap();
            std::fs::remove_file(&auto).unwrap();
            std::fs::remove_file(&lock).unwrap();
        }
        Way::HiddenRename => over(&beside(path, ".", ".Xq3f9a"), path, text),
        Way::Rename => over(&beside(path, "", ".tmp"), path, text),
        Way::NumberedRename => over(&beside(path, "", ".tmp.4711.1763721234567"), path, text),
        Way::Sed => {
            static COPIES: AtomicU32 = AtomicU32::new(0);
            let copy = COPIES.fetch_add(1, Ordering::Relaxed);
            over(&path.with_file_name(format!("sed{copy:05}Q")), path, text);
        }
        Way::JetBrains => {
            let new = beside(path, "", "___jb_tmp___");
            let old = beside(path, "", "___jb_old___");
            std::fs::write(&new, text).unwrap();
            rename_if_there(path, &old);
            std::fs::rename(&new, path).unwrap();
            remove_if_there(&old);
        }
    }
}

fn over(temporary: &Path, path: &Path, text: &str) {
    std::fs::write(temporary, text).unwrap();
    std::fs::rename(temporary, path).unwrap();
}

fn open(path: &Path, options: &mut OpenOptions) -> File {
    options.write(true).open(path).unwrap()
}

/// A file in the same folder, whose name is this one's with something around it.
fn beside(path: &Path, before: &str, after: &str) -> PathBuf {
    let name = path.file_name().unwrap().to_str().unwrap();
    path.with_file_name(format!("{before}{name}{after}"))
}

/// The engine may have the file out of its place for an instant; an editor then does without.
fn rename_if_there(from: &Path, to: &Path) {
    let renamed = std::fs::rename(from, to);
    assert!(is_done_or_missing(&renamed), "{}: {renamed:?}", from.display());
}

fn remove_if_there(path: &Path) {
    let removed = std::fs::remove_file(path);
    assert!(is_done_or_missing(&removed), "{}: {removed:?}", path.display());
}

fn is_done_or_missing(done: &std::io::Result<()>) -> bool {
    !done
        .as_ref()
        .is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound)
}
