//! `.mdmem/cache/`: what reading the files and walking the history gave, so that the next process need not do it again.
//!
//! A cache may be deleted at any time, and a cache that is torn, of another version or of other rules is as good as
//! none: a checksum stands before it, because it is not flushed. A file's record holds while its stat is the same; a file
//! that was changed at about the time the cache was written is read again, because a later change might not show in its
//! stat.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::model::{
    Content, Id, Importance, Kind, LookedFor, Memory, Moment, Oid, Source, Status, StorePath, Timestamp,
    millis,
};
use crate::policy::{Identity, Keys, Rules, eligibility, zone};
use crate::sys::{self, FileStat};
use crate::text::{Redactor, sha256_hex};

use super::contents::{self, LOCAL};
use super::history::History;
use super::reading::{Reading, Stated, StoredFile};
use super::snapshot::{OtherFile, Snapshot};

/// A change that comes within this time (nanoseconds) of another may leave the same stat: file systems stamp by the
/// kernel's tick, which is 10 ms at the longest.
pub(super) const TICK_NS: i64 = 20_000_000;

/// The cache of the files: the time from the first look at a file to the writing, in nanoseconds, and the records. The time
/// makes the bytes others than the last ones were, so that the file has a new time.
#[derive(Serialize, Deserialize)]
struct Files {
    took_ns: u64,
    records: Vec<FileRecord>,
}

#[derive(Serialize, Deserialize)]
struct FileRecord {
    path: Vec<u8>,
    stat: FileStat,
    blob: [u8; 20],
    memory: Option<Box<ReadMemory>>,
    #[serde(skip)]
    is_taken: bool,
}

/// What a file says: the memory as the file alone states it, its keys, its length and its prints.
#[derive(Serialize, Deserialize)]
struct ReadMemory {
    #[serde(with = "MemoryRecord")]
    memory: Memory,
    exact: String,
    thing: Option<(String, u64)>,
    chars: usize,
    prints: Box<[u16]>,
}

/// A memory with everything that answers leave out of its JSON.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Memory")]
struct MemoryRecord {
    id: Id,
    id_stated: bool,
    path: StorePath,
    kind: Kind,
    source: Source,
    status: Status,
    #[serde(with = "ContentRecord")]
    content: Content,
    name: Option<String>,
    heading: Option<String>,
    description: Option<String>,
    strength: Option<f64>,
    reinforcement: u32,
    #[serde(with = "MomentRecord")]
    reinforced: Moment,
    session: Option<String>,
    #[serde(with = "MomentRecord")]
    clock: Moment,
    #[serde(with = "MomentRecord")]
    verified: Moment,
    #[serde(with = "MomentRecord")]
    created: Moment,
    #[serde(with = "MomentRecord")]
    updated: Moment,
    importance: Importance,
    confidence: f64,
    stale_after: Option<u32>,
    limit: Option<u32>,
    readonly: bool,
    supersedes: Vec<Id>,
    superseded_by: Option<Id>,
    conflict_of: Option<Id>,
    tags: Vec<String>,
    aliases: Vec<String>,
    paths: Vec<String>,
    promoted: Option<String>,
    has_own_keys: bool,
    properties: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Content")]
enum ContentRecord {
    Fact { text: String, rationale: Option<String> },
    Note { body: String },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Moment")]
enum MomentRecord {
    Unset,
    Unreadable,
    At(#[serde(with = "millis")] Timestamp),
}

/// The files that the last process read.
#[derive(Default)]
pub(super) struct KnownFiles {
    /// By their paths.
    records: Vec<FileRecord>,
    taken: usize,
    /// Change times from here on are too young to be trusted.
    young_from_ns: i64,
}

impl KnownFiles {
    /// Reads the cache; anything wrong with it: empty.
    pub(super) fn read(root: &Path, rules: &Rules, redactor: &Redactor) -> Self {
        let read = || {
            let (bytes, written) = read(root, "files")?;
            let mut files: Files = unpacked(&bytes, &files_stamp(rules, redactor))?;
            files.records.sort_by(|one, other| one.path.cmp(&other.path));
            Some(Self {
                records: files.records,
                taken: 0,
                young_from_ns: written
                    .saturating_sub_unsigned(files.took_ns)
                    .saturating_sub(TICK_NS),
            })
        };
        read().unwrap_or_default()
    }

    /// Gives the number of files whose records were not taken.
    pub(super) fn len(&self) -> usize {
        self.records.len() - self.taken
    }

    /// Takes the record of a file with this stat.
    pub(super) fn take(&mut self, path: &Path, stat: &FileStat, rules: &Rules) -> Option<Reading> {
        let bytes = path.as_os_str().as_bytes();
        let found = self
            .records
            .binary_search_by(|record| record.path.as_slice().cmp(bytes));
        let record = &mut self.records[found.ok()?];
        if std::mem::replace(&mut record.is_taken, true) {
            return None;
        }
        self.taken += 1;
        let is_young = stat.ctime_ns.max(stat.mtime_ns) >= self.young_from_ns;
        (record.stat == *stat && !is_young).then(|| record.reading(rules))
    }
}

impl FileRecord {
    fn reading(&mut self, rules: &Rules) -> Reading {
        let (stat, blob) = (self.stat, Oid(self.blob));
        let Some(read) = self.memory.take() else {
            let other = OtherFile {
                path: PathBuf::from(OsString::from_vec(self.path.clone())),
                blob: Some(blob),
                findings: Vec::new(),
                stat,
            };
            return Reading::Other(other, Vec::new());
        };
        let read = *read;
        let memory = read.memory;
        let (identity, said) = match read.thing {
            Some((thing, said)) => (Identity::Thing(thing), said),
            None if memory.content.is_note() => (Identity::Note, 0),
            None => (Identity::Words, 0),
        };
        let zone = zone(&memory.path, rules);
        Reading::Memory(Arc::new(StoredFile {
            keys: Keys::new(read.exact, identity, said, &memory.content),
            zone,
            eligibility: eligibility(&memory, zone),
            blob,
            chars: read.chars,
            prints: read.prints,
            diagnostics: Vec::new(),
            findings: Vec::new(),
            is_readable: true,
            former: Vec::new(),
            copied_id: None,
            stat,
            stated: Stated::of(&memory),
            memory,
        }))
    }
}

/// Says whether the cache has a record of the file at a path: without one the file is read again each time.
pub(super) fn keeps(snapshot: &Snapshot, path: &str, rules: &Rules) -> bool {
    match snapshot.place_of(path) {
        Some(place) => keeps_memory(&snapshot.files[place]),
        None => snapshot
            .other(Path::new(path))
            .is_some_and(|file| keeps_other(file, rules)),
    }
}

fn keeps_other(file: &OtherFile, rules: &Rules) -> bool {
    let is_companion = || contents::role_in(&file.path, rules) == contents::FileRole::Companion;
    file.findings.is_empty() && file.blob.is_some() && is_companion()
}

fn keeps_memory(file: &StoredFile) -> bool {
    file.diagnostics.is_empty() && file.findings.is_empty() && file.is_readable
}

/// Writes the cache of a snapshot that was read since `begun`. Files with diagnostics or
/// with what looks like a credential are left out: they are few, and read again each time.
/// A folder that cannot be written costs time, not correctness: nothing is said.
pub(super) fn write_files(
    root: &Path,
    snapshot: &Snapshot,
    rules: &Rules,
    redactor: &Redactor,
    begun: Instant,
) {
    let memory = |file: &Arc<StoredFile>| FileRecord {
        path: file.memory.path.as_str().into(),
        stat: file.stat,
        blob: file.blob.0,
        is_taken: false,
        memory: Some(Box::new(ReadMemory {
            memory: file.stated.put_into(file.memory.clone()),
            exact: file.keys.exact.clone(),
            thing: match &file.keys.identity {
                Identity::Thing(thing) => Some((thing.clone(), file.keys.numbers.said)),
                Identity::Note | Identity::Words => None,
            },
            chars: file.chars,
            prints: file.prints.clone(),
        })),
    };
    let other = |file: &OtherFile| {
        let blob = file.blob.filter(|_| keeps_other(file, rules))?;
        Some(FileRecord {
            path: file.path.as_os_str().as_bytes().to_vec(),
            stat: file.stat,
            blob: blob.0,
            memory: None,
            is_taken: false,
        })
    };
    let memories = snapshot
        .files
        .iter()
        .filter(|file| keeps_memory(file))
        .map(memory);
    let files = Files {
        records: memories.chain(snapshot.others.iter().filter_map(other)).collect(),
        took_ns: u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
    };
    write(root, "files", &packed(&files, &files_stamp(rules, redactor)));
}

/// The history as the last process left it.
pub(super) fn read_history(root: &Path, rules: &Rules) -> Option<History> {
    unzipped(root, "history", &stamp(rules))
}

/// Writes a history.
pub(super) fn write_history(root: &Path, history: &History, rules: &Rules) {
    write_zipped(root, "history", history, &stamp(rules));
}

/// The last look for paths that are gone from the workspace.
pub fn read_looked_for(root: &Path) -> Option<LookedFor> {
    unzipped(root, "workspace", env!("CARGO_PKG_VERSION"))
}

/// Keeps such a look.
pub fn keep_looked_for(root: &Path, looked: &LookedFor) {
    write_zipped(root, "workspace", looked, env!("CARGO_PKG_VERSION"));
}

/// The vectors of each file's passages by its blob, one behind the other.
pub type Vectors = BTreeMap<[u8; 20], Vec<i8>>;

/// The vectors that were kept under this stamp.
pub fn read_vectors(root: &Path, stamp: &str) -> Option<Vectors> {
    unpacked(&read(root, "vectors")?.0, stamp)
}

/// Keeps vectors.
pub fn keep_vectors(root: &Path, vectors: &Vectors, stamp: &str) {
    write(root, "vectors", &packed(vectors, stamp));
}

fn unzipped<T: DeserializeOwned>(root: &Path, name: &str, stamp: &str) -> Option<T> {
    let (file, _) = read(root, name)?;
    let mut bytes = Vec::new();
    ZlibDecoder::new(&file[..]).read_to_end(&mut bytes).ok()?;
    unpacked(&bytes, stamp)
}

/// Writes a cache packed as git packs its objects: it has the names of files that were forgotten since, as these do, and no
/// search for the words finds more in it.
fn write_zipped(root: &Path, name: &str, what: &impl Serialize, stamp: &str) {
    let mut file = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = file.write_all(&packed(what, stamp));
    if let Ok(bytes) = written.and_then(|()| file.finish()) {
        write(root, name, &bytes);
    }
}

/// A cache as its bytes: behind a checksum, and the stamp of what it was made by.
fn packed(what: &impl Serialize, stamp: &str) -> Vec<u8> {
    let record = postcard::to_stdvec(&(stamp, what)).expect("because a vector takes everything");
    let mut sum = Crc::new();
    sum.update(&record);
    [&sum.sum().to_le_bytes(), &record[..]].concat()
}

/// What [`packed`] made of it; `None` where it is torn, or made by something else.
fn unpacked<T: DeserializeOwned>(bytes: &[u8], stamp: &str) -> Option<T> {
    let (known, record) = bytes.split_first_chunk()?;
    let mut sum = Crc::new();
    sum.update(record);
    if sum.sum() != u32::from_le_bytes(*known) {
        return None;
    }
    let (made_by, what): (String, T) = postcard::from_bytes(record).ok()?;
    (made_by == stamp).then_some(what)
}

fn file(root: &Path, name: &str) -> PathBuf {
    root.join(LOCAL).join("cache").join(name)
}

/// Gives the stamp of everything else that a cache depends on: this program, and the settings that give folders their
/// meaning.
fn stamp(rules: &Rules) -> String {
    let mut kinds: Vec<&str> = rules.types.iter().map(|rule| rule.kind.as_str()).collect();
    kinds.sort_unstable();
    let (excluded, hot_dir) = (&rules.excluded, &rules.hot_dir);
    sha256_hex(
        format!(
            "{} 23 {} {excluded:?} {hot_dir}",
            env!("CARGO_PKG_VERSION"),
            kinds.join(" ")
        )
        .as_bytes(),
    )
}

/// The same for the files, of which it is known that they hold no credential: by these patterns.
pub(super) fn files_stamp(rules: &Rules, redactor: &Redactor) -> String {
    let patterns: Vec<&str> = redactor.patterns().collect();
    sha256_hex(format!("{} {patterns:?}", stamp(rules)).as_bytes())
}

fn write(root: &Path, name: &str, bytes: &[u8]) {
    let path = file(root, name);
    let made = path
        .parent()
        .is_some_and(|folder| sys::make_folders_in(root, folder).is_ok());
    if !made || sys::write_atomic(&path, bytes).is_err() {
        tracing::debug!(path = %path.display(), "the cache could not be written");
    }
}

/// The bytes of a cache, and when it was written (nanoseconds). No link is followed, and no fifo waited for.
fn read(root: &Path, name: &str) -> Option<(Vec<u8>, i64)> {
    let path = file(root, name);
    let there = path.symlink_metadata().ok()?;
    let mut file = there.is_file().then(|| sys::open_regular(&path))?.ok()??;
    let metadata = file.metadata().ok()?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    let written = metadata.mtime().saturating_mul(1_000_000_000);
    Some((bytes, written.saturating_add(metadata.mtime_nsec())))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_fifo_is_no_cache_and_is_not_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join(LOCAL).join("cache");
        std::fs::create_dir_all(&path).unwrap();
        let path = path.join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        assert!(read(temp.path(), "fifo").is_none());
    }

    #[test]
    fn a_torn_or_spoilt_cache_is_none() {
        let bytes = packed(&vec![7_u32, 8], "a");
        assert_eq!(unpacked(&bytes, "a"), Some(vec![7_u32, 8]));
        assert_eq!(unpacked::<Vec<u32>>(&bytes, "b"), None);
        for length in 0..bytes.len() {
            assert_eq!(unpacked::<Vec<u32>>(&bytes[..length], "a"), None, "{length}");
            let mut spoilt = bytes.clone();
            spoilt[length] ^= 1;
            assert_eq!(unpacked::<Vec<u32>>(&spoilt, "a"), None, "{length}");
        }
    }

    #[test]
    fn files_that_were_too_young_are_trusted_after_the_next_writing() {
        let temp = tempfile::tempdir().unwrap();
        let (snapshot, rules) = (Snapshot::default(), Rules::default());
        let written = || {
            let redactor = Redactor::standard();
            write_files(temp.path(), &snapshot, &rules, &redactor, Instant::now());
            KnownFiles::read(temp.path(), &rules, &redactor).young_from_ns
        };
        let (first, begin) = (written(), Instant::now());
        while written() == first {
            assert!(begin.elapsed() < Duration::from_secs(5), "the time stays");
        }
    }
}
