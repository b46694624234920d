//! Files that an exchange or a removal took out of their place, kept for a while: an editor that had the file open may
//! still write into it, and that save must not be lost.
//!
//! They lie in `.mdmem/displaced/<content>.<pid>-<n>/<path>`, where `<content>` is the hash of what the engine knew to
//! be in the file, or `theirs` where a person's own save was taken out.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FileType};

use crate::sys::files::beneath::{FileStat, Flush, Folder, Place};
use crate::sys::files::read::COMPARED_BYTES;
use crate::sys::files::rename::rename_into_free;
use crate::sys::files::temporary::{short_hash, unique};
use crate::sys::{FailureKind, SysError};

/// The time for which a displaced file is watched for late writes: longer than any editor takes between opening and
/// closing.
pub const DISPLACED_FOR: Duration = Duration::from_secs(10);

/// The folder of a store that is mdmem's own.
pub(crate) const OWN_FOLDER: &str = ".mdmem";

/// The name of the folder of displaced files in it.
pub(crate) const DISPLACED_NAME: &str = "displaced";

const FOLDER: &str = ".mdmem/displaced";
const THEIRS: &str = "theirs";

/// File times may lag by as much as a tick of the kernel's clock, and are whole seconds on old file systems.
const CLOCK_GRAIN_NS: i64 = 2_000_000_000;

/// The engine's knowledge of a file that it displaced.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Known<'a> {
    /// It held these bytes, which the caller has.
    Bytes(&'a [u8]),
    /// A person saved it.
    Theirs,
}

/// A place for a file that is about to be displaced, made before anything is changed. Removed again when unused.
#[derive(Debug)]
pub(crate) struct Slot<'a> {
    root: &'a Path,
    entry: PathBuf,
    /// `None` on a full disk.
    place: Option<Place>,
    used: bool,
}

impl<'a> Slot<'a> {
    pub(crate) fn reserve(root: &'a Path, path: &Path, known: Known<'_>) -> Result<Self, SysError> {
        let known = match known {
            Known::Bytes(bytes) => short_hash(bytes),
            Known::Theirs => THEIRS.to_owned(),
        };
        let entry = Path::new(FOLDER).join(entry_name(&known));
        let place = match Place::make(root, &entry.join(path), Flush::Later) {
            Err(error) if error.kind() == FailureKind::Full => None,
            made => Some(made?),
        };
        Ok(Self {
            root,
            entry,
            place,
            used: false,
        })
    }

    /// Moves a file here. It is no error for the caller that this fails when it has the file's bytes. Where the disk is
    /// full the file stays under its temporary name, among the leftovers.
    pub(crate) fn keep(mut self, folder: &Folder, name: &OsStr) -> Result<(), SysError> {
        let Some(place) = &self.place else {
            return Ok(());
        };
        self.used = rename_into_free(folder, name, &place.folder, &place.name)?;
        if self.used {
            Ok(())
        } else {
            let taken = rustix::io::Errno::EXIST;
            Err(SysError::io("move aside", &place.path, taken))
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if !self.used
            && let Ok(Some(place)) = Place::find(self.root, &self.entry)
        {
            // Empty folders that stay behind are removed by the next settling.
            let _ = remove_folder(&place.folder, &place.name);
        }
    }
}

/// A displaced file with a save in it that is nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Displaced {
    /// The file that was displaced, below the store.
    pub path: PathBuf,
    /// The bytes that a person saved.
    pub bytes: Vec<u8>,
    entry: OsString,
}

/// Looks through the displaced files of a store. Those with a person's save in them are returned, at every call until
/// [`forget_displaced`] is called for them: first bring the bytes back or commit them, then forget. The others are
/// removed once they are `older_than` (usually [`DISPLACED_FOR`]). Call with the writer's lock held.
pub fn settle_displaced(root: &Path, older_than: Duration) -> Result<Vec<Displaced>, SysError> {
    let Some(all) = Folder::below(root, Path::new(FOLDER))? else {
        return Ok(Vec::new());
    };
    let mut saved = Vec::new();
    for entry in ours(&all)? {
        match settle(&all, entry, older_than) {
            Ok(displaced) => saved.extend(displaced),
            // A person's, or another user's: no reason to refuse a write.
            Err(error) if matches!(error.kind(), FailureKind::InTheWay | FailureKind::Denied) => {
                tracing::debug!(%error, "a displaced file is left alone");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(saved)
}

/// One entry: removed where its time is over, returned where a save is in it.
fn settle(all: &Folder, entry: OsString, older_than: Duration) -> Result<Option<Displaced>, SysError> {
    let Some((made, age)) = made(all, &entry)? else {
        return Ok(None);
    };
    let Some(kept) = Kept::find(all, &entry)? else {
        // Being made, or left empty by a crash.
        if age >= older_than {
            remove_folder(all, &entry)?;
        }
        return Ok(None);
    };
    let known = entry.to_str().and_then(|name| name.split('.').next());
    // Most were not written since, which their times tell without reading; in the end they are read once.
    let untouched = known != Some(THEIRS) && kept.written.saturating_add(CLOCK_GRAIN_NS) < made;
    if untouched && age < older_than {
        return Ok(None);
    }
    let Some(bytes) = kept.place.read(COMPARED_BYTES)?.map(|(bytes, _)| bytes) else {
        return Ok(None);
    };
    if known != Some(short_hash(&bytes).as_str()) {
        let path = kept.path;
        return Ok(Some(Displaced { path, bytes, entry }));
    }
    if age >= older_than {
        remove_folder(all, &entry)?;
    }
    Ok(None)
}

/// The entries, sorted; whatever else is there is somebody else's.
fn ours(all: &Folder) -> Result<Vec<OsString>, SysError> {
    let is_ours = |(name, kind): &(OsString, FileType)| {
        let name = name.to_str().and_then(|name| name.split_once('.'));
        matches!(kind, FileType::Directory | FileType::Unknown)
            && name.is_some_and(|(known, maker)| is_made_name(known, maker))
    };
    let entries = all.entries()?.into_iter().filter(is_ours);
    let mut names: Vec<OsString> = entries.map(|(name, _)| name).collect();
    names.sort_unstable();
    Ok(names)
}

/// Says whether [`entry_name`] makes such a name.
fn is_made_name(known: &str, maker: &str) -> bool {
    let is_known = known == THEIRS || known.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_known
        && maker
            .split_once('-')
            .is_some_and(|(pid, unique)| number(pid) && number(unique))
}

/// Takes note that the caller has brought to safety what a displaced file held. The file stays for its time, known by
/// that content: an editor that truncates a file before it writes may be in the middle of its save.
pub fn forget_displaced(root: &Path, displaced: &Displaced) -> Result<(), SysError> {
    let Some(all) = Folder::below(root, Path::new(FOLDER))? else {
        return Ok(());
    };
    let known = entry_name(&short_hash(&displaced.bytes));
    match rustix::fs::renameat(&all, &displaced.entry, &all, &known) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(errno) => Err(SysError::io("rename", all.path().join(&displaced.entry), errno)),
    }
}

/// Removes the displaced files that had this path, whatever an editor may still write into them.
pub fn remove_displaced(root: &Path, path: &Path) -> Result<(), SysError> {
    let Some(all) = Folder::below(root, Path::new(FOLDER))? else {
        return Ok(());
    };
    for entry in ours(&all)? {
        if Kept::find(&all, &entry)?.is_some_and(|kept| kept.path == path) {
            remove_folder(&all, &entry)?;
        }
    }
    Ok(())
}

/// A name that no entry has, for a file that is known to hold this.
fn entry_name(known: &str) -> String {
    format!("{known}.{}-{}", std::process::id(), unique())
}

/// When an entry was made, in nanoseconds since 1970, and its age; `None` where it is gone.
#[expect(
    clippy::disallowed_methods,
    reason = "compared with a time of the file system, which no fixed clock moves"
)]
fn made(all: &Folder, entry: &OsStr) -> Result<Option<(i64, Duration)>, SysError> {
    let Some(stat) = all.stat(entry)? else {
        return Ok(None);
    };
    let made = FileStat::of(&stat).mtime_ns;
    let time = SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::try_from(made).unwrap_or(0));
    let age = SystemTime::now().duration_since(time).unwrap_or_default();
    Ok(Some((made, age)))
}

/// The one file of an entry.
struct Kept {
    place: Place,
    /// The path it had below the store.
    path: PathBuf,
    /// When it was written last, in nanoseconds since 1970.
    written: i64,
}

impl Kept {
    /// `None` where the entry is gone or has no file.
    fn find(all: &Folder, entry: &OsStr) -> Result<Option<Self>, SysError> {
        let Some(mut folder) = all.child(entry)? else {
            return Ok(None);
        };
        let mut path = PathBuf::new();
        loop {
            let Some((name, _)) = folder.entries()?.into_iter().next() else {
                return Ok(None);
            };
            let Some(stat) = folder.stat(&name)? else {
                return Ok(None);
            };
            path.push(&name);
            if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
                let written = FileStat::of(&stat).mtime_ns;
                let place = Place::new(folder, &name);
                return Ok(Some(Self { place, path, written }));
            }
            let Some(next) = folder.child(&name)? else {
                return Ok(None);
            };
            folder = next;
        }
    }
}

/// Removes an entry: a chain of folders with at most one file at its end.
fn remove_folder(parent: &Folder, name: &OsStr) -> Result<(), SysError> {
    let Some(folder) = parent.child(name)? else {
        return Ok(());
    };
    for (name, kind) in folder.entries()? {
        if kind == FileType::Directory {
            remove_folder(&folder, &name)?;
        } else {
            folder.unlink(&name)?;
        }
    }
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(errno) => Err(SysError::io("remove", parent.path().join(name), errno)),
    }
}
