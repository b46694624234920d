//! `.mdmem/cache/`: what reading the files and walking the history gave, so that the next process need not do it again.
//!
//! A cache may be deleted at any time, and a cache that is torn, of another version or of other rules is as good as
//! none. A file's record holds while its stat is the same; a file that was changed at about the time the cache was
//! written is read again, because a later change might not show in its stat.

use std::collections::HashMap;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::{Id, Oid, StorePath};
use crate::policy::{Rules, zone};
use crate::sys::{self, FileStat};
use crate::text::sha256_hex;

use super::contents::{self, LOCAL};
use super::derived::Derived;
use super::record::{KeysRecord, MemoryRecord};
use super::snapshot::{OtherFile, Snapshot};
use super::stored_file::{StatedTimes, StoredFile};

/// A change that comes within this time (nanoseconds) of another may leave the same stat: file systems stamp by the
/// kernel's tick, which is 10 ms at the longest.
const TICK_NS: i64 = 20_000_000;

#[derive(Serialize, Deserialize)]
struct FileCache {
    stamp: String,
    files: Vec<FileRecord>,
}

#[derive(Serialize, Deserialize)]
struct FileRecord {
    path: Vec<u8>,
    stat: [i128; 6],
    blob: [u8; 20],
    memory: Option<(MemoryRecord, KeysRecord, u64)>,
}

/// The files that the last process read, by path.
#[derive(Default)]
pub(super) struct KnownFiles {
    records: HashMap<PathBuf, FileRecord>,
    /// Change times from here on are too young to be trusted.
    young_from_ns: i64,
}

/// A file that need not be read again.
pub(super) enum Known {
    Memory(Box<StoredFile>),
    Other(OtherFile),
}

impl KnownFiles {
    /// Reads the cache; anything wrong with it: empty.
    pub(super) fn read(root: &Path, rules: &Rules) -> Self {
        let path = file(root, "files");
        let Some((bytes, written)) = read_with_time(&path) else {
            return Self::default();
        };
        let Ok(cache) = postcard::from_bytes::<FileCache>(&bytes) else {
            return Self::default();
        };
        if cache.stamp != stamp(rules) {
            return Self::default();
        }
        let records = cache
            .files
            .into_iter()
            .map(|record| {
                (
                    PathBuf::from(std::ffi::OsString::from_vec(record.path.clone())),
                    record,
                )
            })
            .collect();
        Self {
            records,
            young_from_ns: written.saturating_sub(TICK_NS),
        }
    }

    /// How many files it knows.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// What is known about a file with this stat; it is given once.
    pub(super) fn take(&mut self, path: &Path, stat: &FileStat, rules: &Rules) -> Option<Known> {
        let record = self.records.remove(path)?;
        let same = record.stat == stat_record(stat);
        if !same || stat.ctime_ns.max(stat.mtime_ns) >= self.young_from_ns {
            return None;
        }
        let blob = Oid(record.blob);
        let Some((memory, keys, chars)) = record.memory else {
            return Some(Known::Other(OtherFile {
                path: path.to_owned(),
                blob: Some(blob),
                stat: *stat,
            }));
        };
        let path = StorePath::new(path.to_str()?).ok()?;
        let unstated = Id::parse("unstated").expect("because it is one word");
        let zone = zone(&path, rules);
        let memory = memory.into_memory(path, unstated)?;
        Some(Known::Memory(Box::new(StoredFile {
            keys: keys.into_keys(),
            zone,
            blob,
            chars: usize::try_from(chars).ok()?,
            diagnostics: Vec::new(),
            is_readable: true,
            stat: *stat,
            stated: StatedTimes::of(&memory),
            memory,
        })))
    }
}

/// Writes the cache of a snapshot. Files with diagnostics are left out: they are few, and read again each time.
/// A folder that cannot be written costs time, not correctness: nothing is said.
pub(super) fn write_files(root: &Path, snapshot: &Snapshot, rules: &Rules) {
    let memories = snapshot
        .files
        .iter()
        .filter(|file| file.diagnostics.is_empty() && file.is_readable);
    let memories = memories.map(|file| {
        let mut memory = file.memory.clone();
        memory.created = file.stated.created;
        memory.updated = file.stated.updated;
        FileRecord {
            path: file.memory.path.as_str().as_bytes().to_vec(),
            stat: stat_record(&file.stat),
            blob: file.blob.0,
            memory: Some((
                MemoryRecord::of(&memory),
                KeysRecord::of(&file.keys),
                file.chars as u64,
            )),
        }
    });
    let is_companion = |file: &&OtherFile| contents::role(&file.path) == contents::FileRole::Companion;
    let others = snapshot.others.iter().filter(is_companion).filter_map(|file| {
        let path = file.path.as_os_str().as_bytes().to_vec();
        Some(FileRecord {
            path,
            stat: stat_record(&file.stat),
            blob: file.blob?.0,
            memory: None,
        })
    });
    let cache = FileCache {
        stamp: stamp(rules),
        files: memories.chain(others).collect(),
    };
    write(root, "files", &cache);
}

#[derive(Serialize, Deserialize)]
struct HistoryCache {
    stamp: String,
    head: [u8; 20],
    derived: Derived,
}

/// The folded history as the last process left it: the commit it goes up to, and what was derived.
pub(super) fn read_history(root: &Path, rules: &Rules) -> Option<(Oid, Derived)> {
    let (bytes, _) = read_with_time(&file(root, "history"))?;
    let cache = postcard::from_bytes::<HistoryCache>(&bytes).ok()?;
    (cache.stamp == stamp(rules)).then_some((Oid(cache.head), cache.derived))
}

/// Writes the folded history up to `head`.
pub(super) fn write_history(root: &Path, head: Oid, derived: &Derived, rules: &Rules) {
    let cache = HistoryCache {
        stamp: stamp(rules),
        head: head.0,
        derived: derived.clone(),
    };
    write(root, "history", &cache);
}

fn file(root: &Path, name: &str) -> PathBuf {
    root.join(LOCAL).join("cache").join(name)
}

/// What a cache depends on besides the files: this program, and the types, because they make folders what they are.
fn stamp(rules: &Rules) -> String {
    let mut kinds: Vec<&str> = rules.types.iter().map(|rule| rule.kind.as_str()).collect();
    kinds.sort_unstable();
    sha256_hex(format!("{} 1 {}", env!("CARGO_PKG_VERSION"), kinds.join(" ")).as_bytes())
}

fn write<T: Serialize>(root: &Path, name: &str, cache: &T) {
    let path = file(root, name);
    let Ok(bytes) = postcard::to_stdvec(cache) else {
        return;
    };
    let made = path
        .parent()
        .is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
    if made && sys::write_atomic(&path, &bytes).is_err() {
        tracing::debug!(path = %path.display(), "the cache could not be written");
    }
}

fn read_with_time(path: &Path) -> Option<(Vec<u8>, i64)> {
    use std::io::Read as _;
    use std::os::unix::fs::MetadataExt as _;
    let mut file = std::fs::File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    Some((
        bytes,
        metadata
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(metadata.mtime_nsec()),
    ))
}

fn stat_record(stat: &FileStat) -> [i128; 6] {
    [
        stat.size.into(),
        stat.mtime_ns.into(),
        stat.ctime_ns.into(),
        stat.ino.into(),
        stat.dev.into(),
        stat.mode.into(),
    ]
}
