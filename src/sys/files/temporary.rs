//! Temporary files: their names, and how a file comes to stand whole under one.
//!
//! A name tells the next process after a crash what it may do with the file:
//! - `.<name>.<pid>-<n>.mdmem-part` is being written, and locked meanwhile; when nobody holds the lock it is rubbish.
//! - `.<name>.<content>.<n>.mdmem-tmp` is whole. Its content is the engine's own when it has the hash in the name;
//!   otherwise an exchange put a person's file there.
//!
//! `<name>` and `<content>` are the first 16 hexadecimal digits of the SHA-256 of the target's name and of the content.
//!
//! Names that editors and other tools give to files that are not there to stay.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::model::hex;
use crate::sys::SysError;
use crate::sys::files::beneath::Folder;
use crate::sys::files::rename::rename_into_free;

const PART: &str = ".mdmem-part";
const WHOLE: &str = ".mdmem-tmp";

/// Says whether a file's name is one that mdmem gives to its own temporary files.
pub fn is_own_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b".") && (name.ends_with(PART.as_bytes()) || name.ends_with(WHOLE.as_bytes()))
}

/// The meaning of the name of a temporary file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TemporaryName<'a> {
    /// Was being written.
    Part,
    /// Was whole: the hashes of the target's name and of the content.
    Whole { name: &'a str, content: &'a str },
}

impl<'a> TemporaryName<'a> {
    pub(crate) fn parse(name: &'a OsStr) -> Option<Self> {
        let name = name.to_str()?.strip_prefix('.')?;
        if name.ends_with(PART) {
            return Some(Self::Part);
        }
        let mut parts = name.strip_suffix(WHOLE)?.split('.');
        let (name, content) = (parts.next()?, parts.next()?);
        (name.len() == 16 && content.len() == 16).then_some(Self::Whole { name, content })
    }
}

/// The first 16 hexadecimal digits of the SHA-256.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..8])
}

/// A number that no other temporary file of this process has.
pub(crate) fn unique() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A file that is written, flushed where asked, and not yet under its name. Removed when dropped.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    folder: &'a Folder,
    name: OsString,
    file: File,
    placed: bool,
}

/// The access to a new file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// As the process's umask says.
    New,
    /// For this user alone.
    Private,
    /// As another file: mode, owner and group.
    Like { mode: u32, owner: (u32, u32) },
}

impl Access {
    /// The access of the file with this stat.
    pub(crate) const fn like(stat: &Stat) -> Self {
        Self::Like {
            mode: stat.st_mode,
            owner: (stat.st_uid, stat.st_gid),
        }
    }
}

impl<'a> Part<'a> {
    /// Writes `bytes` to a new hidden file beside `target`. Nothing is left behind when that fails.
    pub(crate) fn write(
        folder: &'a Folder,
        target: &OsStr,
        bytes: &[u8],
        access: Access,
    ) -> Result<Self, SysError> {
        let mut part = Self::create(folder, target, access)?;
        let failed = |error| SysError::io("write", folder.path().join(target), error);
        part.file.write_all(bytes).map_err(failed)?;
        if let Access::Like { mode, owner } = access {
            let (uid, gid) = (
                rustix::fs::Uid::from_raw(owner.0),
                rustix::fs::Gid::from_raw(owner.1),
            );
            // Only root may give a file away; for everyone else the owner is the same already. The mode comes
            // after, because a change of owner drops bits of it.
            let _ = rustix::fs::fchown(&part.file, Some(uid), Some(gid));
            rustix::fs::fchmod(&part.file, Mode::from_raw_mode(mode & 0o7777))
                .map_err(|errno| failed(errno.into()))?;
        }
        Ok(part)
    }

    /// Makes the content last through a power cut.
    pub(crate) fn flush(&self) -> Result<(), SysError> {
        self.file
            .sync_data()
            .map_err(|error| SysError::io("flush", self.folder.path().join(&self.name), error))
    }

    /// Gives the file a name that nothing has yet; `false` where something has.
    pub(crate) fn place_new(mut self, name: &OsStr) -> Result<bool, SysError> {
        self.placed = rename_into_free(self.folder, &self.name, self.folder, name)?;
        Ok(self.placed)
    }

    /// Gives the file a name, in place of what has it.
    pub(crate) fn place_over(mut self, name: &OsStr) -> Result<(), SysError> {
        rustix::fs::renameat(self.folder, &self.name, self.folder, name)
            .map_err(|errno| SysError::io("write", self.folder.path().join(name), errno))?;
        self.placed = true;
        Ok(())
    }

    /// Gives the file the name of a whole temporary file, and says which.
    pub(crate) fn place_whole(mut self, target: &OsStr, content: &str) -> Result<OsString, SysError> {
        let name = move_to_whole(self.folder, &self.name, target, content)?;
        self.placed = name.is_some();
        name.ok_or_else(|| SysError::io("write", self.folder.path().join(target), Errno::NOENT))
    }

    fn create(folder: &'a Folder, target: &OsStr, access: Access) -> Result<Self, SysError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(match access {
            Access::New => 0o666,
            Access::Private | Access::Like { .. } => 0o600,
        });
        let hash = short_hash(target.as_bytes());
        loop {
            let name = OsString::from(format!(".{hash}.{}-{}{PART}", std::process::id(), unique()));
            let file = match rustix::fs::openat(folder, &name, flags, mode) {
                Ok(fd) => File::from(fd),
                Err(Errno::EXIST) => continue,
                Err(errno) => return Err(SysError::io("write", folder.path().join(target), errno)),
            };
            let part = Self {
                folder,
                name,
                file,
                placed: false,
            };
            // Between the two lines another process may take the file for rubbish; then a new one is made. A file
            // system without locks has no such guard, and needs none but after a crash.
            let locked = !matches!(part.file.try_lock(), Err(std::fs::TryLockError::WouldBlock));
            if locked && folder.stat(&part.name)?.is_some() {
                return Ok(part);
            }
        }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // A file that cannot be removed is removed as rubbish later.
            let _ = self.folder.unlink(&self.name);
        }
    }
}

/// Renames a file to the name of a whole temporary file, and says which; `None` where the file is gone.
pub(crate) fn move_to_whole(
    folder: &Folder,
    from: &OsStr,
    target: &OsStr,
    content: &str,
) -> Result<Option<OsString>, SysError> {
    loop {
        let name = whole_name(target, content);
        match rustix::fs::renameat_with(folder, from, folder, &name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(Some(name)),
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT) => return Ok(None),
            // Without the flag: nothing else makes names with this process's id and a new number, but what an
            // earlier process of the same id left must not be overwritten.
            Err(Errno::INVAL | Errno::NOSYS) if folder.stat(&name)?.is_some() => {}
            Err(Errno::INVAL | Errno::NOSYS) => {
                return match rustix::fs::renameat(folder, from, folder, &name) {
                    Ok(()) => Ok(Some(name)),
                    Err(Errno::NOENT) => Ok(None),
                    Err(errno) => Err(SysError::io("move aside", folder.path().join(target), errno)),
                };
            }
            Err(errno) => return Err(SysError::io("move aside", folder.path().join(target), errno)),
        }
    }
}

/// Gives a file a second name, that of a whole temporary file, and says which; `None` where the file is gone.
pub(crate) fn link_whole(
    folder: &Folder,
    from: &OsStr,
    target: &OsStr,
    content: &str,
) -> Result<Option<OsString>, SysError> {
    loop {
        let name = whole_name(target, content);
        match rustix::fs::linkat(folder, from, folder, &name, AtFlags::empty()) {
            Ok(()) => return Ok(Some(name)),
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(SysError::io("keep a link of", folder.path().join(target), errno)),
        }
    }
}

fn whole_name(target: &OsStr, content: &str) -> OsString {
    let hash = short_hash(target.as_bytes());
    OsString::from(format!(
        ".{hash}.{content}.{}-{}{WHOLE}",
        std::process::id(),
        unique()
    ))
}

/// Says whether a file's name is one that an editor gives to a temporary, backup or lock file while it saves: such a
/// file is no memory, and its coming and going is no change. Hidden names are not asked about here: those are nobody's.
pub fn is_editor_temporary(name: impl AsRef<OsStr>) -> bool {
    let Some(name) = name.as_ref().to_str() else {
        return false;
    };
    let lower = name.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    ends(&[
        "~",
        ".tmp",
        ".temp",
        ".swp",
        ".swo",
        ".swx",
        ".part",
        ".crdownload",
        "___jb_tmp___",
        "___jb_old___",
    ]) || lower.starts_with(".#")
        || lower.starts_with("~$")
        || lower.starts_with(".~lock.")
        || lower.starts_with(".goutputstream-")
        || (lower.len() > 1 && lower.starts_with('#') && lower.ends_with('#'))
        || is_vim_probe(name)
        || is_sed_copy(name)
        || has_numbered_tmp(&lower)
}

/// Vim asks whether it may write a folder by making `4913`, and, where that is taken, 123 more each time.
fn is_vim_probe(name: &str) -> bool {
    name.parse::<u32>()
        .is_ok_and(|n| (4_913..50_000).contains(&n) && (n - 4_913).is_multiple_of(123))
}

/// `sed -i` writes to `sed` and six random characters.
fn is_sed_copy(name: &str) -> bool {
    let random = name
        .strip_prefix("sed")
        .filter(|rest| rest.len() == 6 && rest.is_ascii());
    random.is_some_and(|rest| {
        rest.bytes().all(|b| b.is_ascii_alphanumeric()) && rest.bytes().any(|b| !b.is_ascii_lowercase())
    })
}

/// `note.md.tmp.4711.1763721234567`, as agents' tools name what they are about to rename.
fn has_numbered_tmp(name: &str) -> bool {
    name.split_once(".tmp.").is_some_and(|(_, rest)| {
        let is_markdown = Path::new(rest).extension() == Some(OsStr::new("md"));
        !is_markdown
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_the_file_is() {
        let whole = OsStr::new(".0123456789abcdef.fedcba9876543210.7-1.mdmem-tmp");
        assert_eq!(
            TemporaryName::parse(whole),
            Some(TemporaryName::Whole {
                name: "0123456789abcdef",
                content: "fedcba9876543210"
            })
        );
        assert_eq!(
            TemporaryName::parse(OsStr::new(".x.1-2.mdmem-part")),
            Some(TemporaryName::Part)
        );
        assert_eq!(TemporaryName::parse(OsStr::new(".x.mdmem-tmp")), None);
        assert_eq!(TemporaryName::parse(OsStr::new("x.md")), None);
        assert!(is_own_temporary(whole) && !is_own_temporary(OsStr::new("a.mdmem-tmp")));
    }

    #[test]
    fn the_short_hash_is_the_start_of_sha256() {
        assert_eq!(short_hash(b""), "e3b0c44298fc1c14");
    }
}

#[cfg(test)]
mod editor_temporary_tests {
    use super::*;

    #[test]
    fn knows_what_editors_leave_for_a_moment() {
        for name in [
            "4913",
            "5036",
            ".a.md.swp",
            "a.md.swo",
            "a.md~",
            "#a.md#",
            ".#a.md",
            "a.md.tmp",
            "a.TMP",
            "~$a.md",
            "a.md___jb_tmp___",
            ".goutputstream-X1Y2Z3",
            "sedA1b2C3",
            ".~lock.a.md#",
            "a.md.tmp.4711.1763721234567",
        ] {
            assert!(is_editor_temporary(name), "{name}");
        }
    }

    #[test]
    fn leaves_memories_alone() {
        for name in [
            "a.md",
            "4914",
            "4913.md",
            "sedation",
            "sedan-cars.md",
            "#",
            "#1.md",
            "tmp.md",
            "a.tmp.md",
            "x.tmp.notes.md",
            "x.tmp.2026.md",
            "ノート.md",
        ] {
            assert!(!is_editor_temporary(name), "{name}");
        }
    }
}
