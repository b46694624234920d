//! `.mdmem/cache/`: what reading the files and walking the history gave, so that the next process need not do it again.
//!
//! A cache may be deleted at any time, and a cache that is torn, of another version or of other rules is as good as
//! none: a checksum stands before it, because it is not flushed. A file's record holds while its stat is the same; a file
//! that was changed at about the time the cache was written is read again, because a later change might not show in its
//! stat.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::{
    Content, Diagnostic, Id, Importance, Kind, LookedFor, Memory, Moment, Oid, Source, Status, StorePath,
    Timestamp, Zone, millis,
};
use crate::policy::{Eligibility, Keys, Reason, Rules};
use crate::search::Prints;
use crate::sys::{self, FileStat, ScannedFile, SysError};
use crate::text::{Redactor, sha256_hex};

use super::contents::{self, LOCAL};
use super::findings::Finding;
use super::history::History;
use super::reading::{Reading, Stated, StoredFile, eligibility};
use super::snapshot::{OtherFile, Snapshot};

/// A change that comes within this time (nanoseconds) of another may leave the same stat: file systems stamp by the
/// kernel's tick, which is 10 ms at the longest.
pub(super) const TICK_NS: i64 = 20_000_000;

/// The cache of the files: the time from the first look at a file to the writing, in nanoseconds, the commit up to which
/// the history was filled in, and the files, by path. The time makes the bytes others than the last ones were, so that the
/// cache has a new time.
#[derive(Serialize, Deserialize)]
struct Files {
    took_ns: u64,
    head: Option<[u8; 20]>,
    memories: Vec<Record>,
    others: Vec<OtherRecord>,
    /// The former paths of the memories that have some.
    former: Zipped<BTreeMap<String, Vec<String>>>,
}

#[derive(Serialize, Deserialize)]
struct OtherRecord {
    path: Vec<u8>,
    stat: FileStat,
    blob: [u8; 20],
}

#[derive(Serialize, Deserialize)]
struct Record(
    #[serde(serialize_with = "FileRecord::serialize", deserialize_with = "known_file")] Arc<StoredFile>,
);

/// Each where it stays: ten thousand of them in a row are moved as often as the row grows.
fn known_file<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<StoredFile>, D::Error> {
    let mut file = FileRecord::deserialize(from)?;
    file.keys.number_words(&file.memory.content);
    file.eligibility = eligibility(&file.memory, file.zone);
    Ok(Arc::new(file))
}

/// A file without what the settings say of it, and without what few have.
#[derive(Serialize, Deserialize)]
#[serde(remote = "StoredFile")]
struct FileRecord {
    #[serde(with = "MemoryRecord")]
    memory: Memory,
    keys: Keys,
    zone: Zone,
    #[serde(skip, default = "unread")]
    eligibility: Eligibility,
    #[serde(with = "OidRecord")]
    blob: Oid,
    chars: usize,
    #[serde(skip)]
    diagnostics: Vec<Diagnostic>,
    is_readable: bool,
    #[serde(skip)]
    findings: Vec<Finding>,
    #[serde(skip)]
    former: Vec<String>,
    prints: Prints,
    #[serde(skip)]
    copied_id: Option<Id>,
    stat: FileStat,
    #[serde(with = "StatedRecord")]
    stated: Stated,
    follows_now: bool,
}

const fn unread() -> Eligibility {
    Err(Reason::Unreadable)
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Oid")]
struct OidRecord([u8; 20]);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Stated")]
struct StatedRecord {
    #[serde(with = "MomentRecord")]
    created: Moment,
    #[serde(with = "MomentRecord")]
    updated: Moment,
    source: Source,
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
    memories: VecDeque<Arc<StoredFile>>,
    others: HashMap<PathBuf, OtherFile>,
    /// The commit up to which the history was filled in.
    pub(super) head: Option<Oid>,
    /// The number of files, and of those that were taken.
    pub(super) count: usize,
    pub(super) taken: usize,
    /// Change times from here on are too young to be trusted.
    young_from_ns: i64,
}

impl KnownFiles {
    /// Reads the cache; anything wrong with it: empty.
    pub(super) fn read(root: &Path, rules: &Rules, redactor: &Redactor) -> Self {
        let read = || {
            let (bytes, written) = read(root, "files")?;
            let mut files: Files = unpacked(&bytes, &files_stamp(rules, redactor))?;
            let former = files.former.get_mut();
            let memories = files.memories.into_iter().map(|Record(mut file)| {
                if let Some(former) = former.remove(file.memory.path.as_str()) {
                    Arc::make_mut(&mut file).former = former;
                }
                file
            });
            let memories: VecDeque<Arc<StoredFile>> = memories.collect();
            let others = files.others.into_iter().map(|OtherRecord { path, stat, blob }| {
                let path = PathBuf::from(OsString::from_vec(path));
                let other = OtherFile {
                    path: path.clone(),
                    blob: Some(Oid(blob)),
                    findings: Vec::new(),
                    stat,
                };
                (path, other)
            });
            let others: HashMap<PathBuf, OtherFile> = others.collect();
            Some(Self {
                count: memories.len() + others.len(),
                memories,
                others,
                head: files.head.map(Oid),
                taken: 0,
                young_from_ns: written
                    .saturating_sub_unsigned(files.took_ns)
                    .saturating_sub(TICK_NS),
            })
        };
        read().unwrap_or_default()
    }

    /// Takes what is known of a file that a walk has found, which comes in the order of paths.
    pub(super) fn take(&mut self, file: &ScannedFile) -> Option<Reading> {
        let path = file.path.as_os_str().as_bytes();
        let is_before = |known: &mut Arc<StoredFile>| known.path_bytes() < path;
        while self.memories.pop_front_if(is_before).is_some() {}
        let is_it = |known: &mut Arc<StoredFile>| known.path_bytes() == path;
        let (stat, reading) = if let Some(memory) = self.memories.pop_front_if(is_it) {
            (memory.stat, Reading::Memory(memory))
        } else {
            let other = self.others.remove(&file.path)?;
            (other.stat, Reading::Other(other, Vec::new()))
        };
        self.taken += 1;
        let is_young = stat.ctime_ns.max(stat.mtime_ns) >= self.young_from_ns;
        (stat == file.stat && !is_young).then_some(reading)
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
    file.diagnostics.is_empty() && file.findings.is_empty() && file.is_readable && file.copied_id.is_none()
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
    let memories = snapshot.files.iter().filter(|file| keeps_memory(file));
    let with_former = memories.clone().filter(|file| !file.former.is_empty());
    let former = with_former.map(|file| (file.memory.path.to_string(), file.former.clone()));
    let other = |file: &OtherFile| {
        let blob = file.blob.filter(|_| keeps_other(file, rules))?.0;
        let (path, stat) = (file.path.as_os_str().as_bytes().to_vec(), file.stat);
        Some(OtherRecord { path, stat, blob })
    };
    let files = Files {
        head: snapshot.head.map(|head| head.0),
        former: Zipped::from(former.collect::<BTreeMap<_, _>>()),
        memories: memories.cloned().map(Record).collect(),
        others: snapshot.others.iter().filter_map(other).collect(),
        took_ns: u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
    };
    write(root, "files", &packed(&files, &files_stamp(rules, redactor)));
}

/// The history as the last process left it.
pub(super) fn read_history(root: &Path, rules: &Rules) -> Option<History> {
    unpacked(&read(root, "history")?.0, &stamp(rules))
}

/// Writes a history.
pub(super) fn write_history(root: &Path, history: &History, rules: &Rules) {
    write(root, "history", &packed(history, &stamp(rules)));
}

/// What else was kept there before has another stamp.
const LOOKED_FOR: &str = concat!(env!("CARGO_PKG_VERSION"), " cited");

/// The last look for what is gone from the workspace.
pub fn read_looked_for(root: &Path) -> Option<LookedFor> {
    let looked: Zipped<LookedFor> = unpacked(&read(root, "workspace")?.0, LOOKED_FOR)?;
    Some(looked.get().clone())
}

/// Keeps such a look.
pub fn keep_looked_for(root: &Path, looked: &LookedFor) {
    let looked = Zipped::from(looked.clone());
    write(root, "workspace", &packed(&looked, LOOKED_FOR));
}

/// The vectors of each file's passages by its blob, one behind the other.
pub type Vectors = BTreeMap<[u8; 20], Vec<i8>>;

/// The vectors that were kept under this stamp.
pub fn read_vectors(root: &Path, stamp: &str) -> Option<Vectors> {
    unpacked(&read(root, "vectors")?.0, stamp)
}

/// Keeps vectors, which cost more to make again than a caller may pass over in silence.
pub fn keep_vectors(root: &Path, vectors: &Vectors, stamp: &str) -> Result<(), SysError> {
    try_write(root, "vectors", &packed(vectors, stamp))
}

/// A part of a cache that is unpacked where somebody asks for it. It is packed as git packs its objects: it has the names of
/// files that were forgotten since, as these do, and no search for the words finds more in it.
#[derive(Debug, Clone)]
pub(super) struct Zipped<T> {
    bytes: Vec<u8>,
    read: OnceLock<T>,
}

impl<T> From<T> for Zipped<T> {
    fn from(value: T) -> Self {
        let (bytes, read) = (Vec::new(), OnceLock::from(value));
        Self { bytes, read }
    }
}

impl<T: Default> Default for Zipped<T> {
    fn default() -> Self {
        T::default().into()
    }
}

impl<T: DeserializeOwned> Zipped<T> {
    pub(super) fn get(&self) -> &T {
        self.read.get_or_init(|| {
            let mut bytes = Vec::new();
            let read = ZlibDecoder::new(&self.bytes[..]).read_to_end(&mut bytes);
            let value = read.ok().and_then(|_| postcard::from_bytes(&bytes).ok());
            value.expect("because a checksum stands before it")
        })
    }

    pub(super) fn get_mut(&mut self) -> &mut T {
        self.get();
        self.bytes = Vec::new();
        self.read.get_mut().expect("because it was read")
    }
}

impl<T: DeserializeOwned + PartialEq> PartialEq for Zipped<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Serialize> Serialize for Zipped<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.read.get() {
            Some(value) if self.bytes.is_empty() => {
                let bytes = postcard::to_stdvec(value).map_err(S::Error::custom)?;
                let mut zipped = ZlibEncoder::new(Vec::new(), Compression::fast());
                let written = zipped.write_all(&bytes).and_then(|()| zipped.finish());
                serializer.serialize_bytes(&written.map_err(S::Error::custom)?)
            }
            _ => serializer.serialize_bytes(&self.bytes),
        }
    }
}

impl<'de, T> Deserialize<'de> for Zipped<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?.to_vec();
        let read = OnceLock::new();
        Ok(Self { bytes, read })
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
            "{} 26 {} {excluded:?} {hot_dir}",
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
    if let Err(error) = try_write(root, name, bytes) {
        tracing::debug!(%error, "the cache could not be written");
    }
}

fn try_write(root: &Path, name: &str, bytes: &[u8]) -> Result<(), SysError> {
    let path = file(root, name);
    let folder = path.parent().unwrap_or(root);
    sys::make_folders_in(root, folder).map_err(|e| SysError::io("make", folder, e))?;
    sys::write_atomic(&path, bytes).map(drop)
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
