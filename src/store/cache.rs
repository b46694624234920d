//! `.mdmem/cache/`: what reading the files and walking the history gave, so that the next process need not do it again.
//!
//! A cache may be deleted at any time, and a cache that is torn, of another version or of other rules is as good as
//! none. A file's record holds while its stat is the same; a file that was changed at about the time the cache was
//! written is read again, because a later change might not show in its stat.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{BufReader, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use serde::{Deserialize, Serialize};

use crate::model::{Oid, StorePath};
use crate::policy::{Rules, eligibility, zone};
use crate::sys::{self, FileStat};
use crate::text::{Redactor, sha256_hex};

use super::contents::{self, LOCAL};
use super::history::History;
use super::reading::Reading;
use super::record::{KeysRecord, MemoryRecord};
use super::snapshot::{OtherFile, Snapshot};
use super::stored_file::{StatedTimes, StoredFile};

/// A change that comes within this time (nanoseconds) of another may leave the same stat: file systems stamp by the
/// kernel's tick, which is 10 ms at the longest.
pub(super) const TICK_NS: i64 = 20_000_000;

/// So many bytes of a cache are read at once.
const READ_AT_ONCE: usize = 1 << 16;

/// The head of a cache of files; its records follow, sorted by the bytes of their paths. Each, as the head itself, has its
/// length before it, as four bytes, the least significant first.
#[derive(Serialize, Deserialize)]
struct FilesHead {
    stamp: String,
    records: u64,
    /// The CRC-32 of everything behind the head: the file is not flushed, and a loss of power may leave zeros in it.
    checksum: u32,
    /// The time from the first look at a file to the writing, in nanoseconds. It makes the bytes others than the last ones
    /// were, so that the file has a new time.
    took_ns: u64,
}

#[derive(Serialize, Deserialize)]
struct FileRecord<'a> {
    path: &'a [u8],
    stat: FileStat,
    blob: &'a [u8],
    #[serde(borrow)]
    memory: Option<(MemoryRecord<'a>, KeysRecord, u64)>,
}

/// The files that the last process read, in the order of a scan. They are decoded record by record: a whole cache of
/// megabytes, once freed, would stay with the allocator of a watcher for good.
#[derive(Default)]
pub(super) struct KnownFiles {
    files: std::vec::IntoIter<KnownFile>,
    /// The number of records.
    records: usize,
    /// The number of records that were given away.
    taken: usize,
    /// Change times from here on are too young to be trusted.
    young_from_ns: i64,
}

/// A file as the cache has it.
enum KnownFile {
    Memory(Arc<StoredFile>),
    Other(Box<OtherFile>),
}

impl KnownFile {
    fn path(&self) -> &[u8] {
        match self {
            Self::Memory(file) => file.memory.path.as_str().as_bytes(),
            Self::Other(file) => file.path.as_os_str().as_bytes(),
        }
    }

    fn stat(&self) -> &FileStat {
        match self {
            Self::Memory(file) => &file.stat,
            Self::Other(file) => &file.stat,
        }
    }
}

impl KnownFiles {
    /// Reads the cache; anything wrong with it: empty.
    pub(super) fn read(root: &Path, rules: &Rules, redactor: &Redactor) -> Self {
        let Some((mut rest, written)) = Records::open(&file(root, "files")) else {
            return Self::default();
        };
        let head: Option<FilesHead> = rest.next();
        let stamp = files_stamp(rules, redactor);
        let Some(head) = head.filter(|head| head.stamp == stamp) else {
            return Self::default();
        };
        let mut files = Vec::new();
        let mut checksum = Crc::new();
        while let Some(record) = rest.next_of::<FileRecord<'_>>(&mut checksum) {
            files.extend(record.known(rules));
        }
        if checksum.sum() != head.checksum {
            return Self::default();
        }
        Self {
            files: files.into_iter(),
            records: usize::try_from(head.records).unwrap_or(usize::MAX),
            taken: 0,
            young_from_ns: written
                .saturating_sub_unsigned(head.took_ns)
                .saturating_sub(TICK_NS),
        }
    }

    /// Gives the number of files that it knew at first.
    pub(super) const fn len(&self) -> usize {
        self.records
    }

    /// Gives the number of records that were not given away.
    pub(super) const fn left(&self) -> usize {
        self.records.saturating_sub(self.taken)
    }

    fn next_path(&self) -> Option<&[u8]> {
        self.files.as_slice().first().map(KnownFile::path)
    }

    /// Takes the record of a file with this stat. Files have to be asked for in the order of their paths' bytes.
    pub(super) fn take(&mut self, path: &Path, stat: &FileStat) -> Option<Reading> {
        let wanted = path.as_os_str().as_bytes();
        while self.next_path()? < wanted {
            self.files.next();
        }
        let file = (self.next_path()? == wanted).then(|| self.files.next())??;
        self.taken += 1;
        if file.stat() != stat || stat.ctime_ns.max(stat.mtime_ns) >= self.young_from_ns {
            return None;
        }
        Some(match file {
            KnownFile::Memory(file) => Reading::Memory(file),
            KnownFile::Other(file) => Reading::Other(*file, Vec::new()),
        })
    }
}

impl FileRecord<'_> {
    /// The file; `None` when the record is not one that this version writes.
    fn known(self, rules: &Rules) -> Option<KnownFile> {
        let (stat, blob) = (self.stat, Oid(self.blob.try_into().ok()?));
        let Some((memory, keys, chars)) = self.memory else {
            return Some(KnownFile::Other(Box::new(OtherFile {
                path: PathBuf::from(OsStr::from_bytes(self.path)),
                blob: Some(blob),
                findings: Vec::new(),
                stat,
            })));
        };
        let path = StorePath::new(std::str::from_utf8(self.path).ok()?).ok()?;
        let zone = zone(&path, rules);
        let memory = memory.into_memory(path)?;
        let stated = StatedTimes::of(&memory);
        let file = StoredFile {
            keys: keys.into_keys(&memory.content),
            zone,
            eligibility: eligibility(&memory, zone),
            blob,
            chars: usize::try_from(chars).ok()?,
            diagnostics: Vec::new(),
            findings: Vec::new(),
            is_readable: true,
            former: Vec::new(),
            copied_id: None,
            stat,
            stated,
            memory,
        };
        Some(KnownFile::Memory(Arc::new(file)))
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
    let memories = snapshot
        .files
        .iter()
        .filter(|file| keeps_memory(file))
        .map(|file| (file.memory.path.as_ref(), &file.stat, file.blob, Some(&**file)));
    let others = snapshot
        .others
        .iter()
        .filter(|file| keeps_other(file, rules))
        .filter_map(|file| Some((file.path.as_path(), &file.stat, file.blob?, None)));
    let mut files: Vec<(&Path, &FileStat, Oid, Option<&StoredFile>)> = memories.chain(others).collect();
    files.sort_unstable_by_key(|(path, ..)| path.as_os_str());
    let mut records = Vec::new();
    let is_whole = files.iter().all(|(path, stat, blob, file)| {
        let record = FileRecord {
            path: path.as_os_str().as_bytes(),
            stat: **stat,
            blob: &blob.0,
            memory: file.map(memory_record),
        };
        add_record(&mut records, &record)
    });
    let mut checksum = Crc::new();
    checksum.update(&records);
    let head = FilesHead {
        stamp: files_stamp(rules, redactor),
        records: files.len() as u64,
        checksum: checksum.sum(),
        took_ns: u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
    };
    let mut bytes = Vec::new();
    if is_whole && add_record(&mut bytes, &head) {
        bytes.append(&mut records);
        write(root, "files", &bytes);
    }
}

fn memory_record(file: &StoredFile) -> (MemoryRecord<'_>, KeysRecord, u64) {
    let record = MemoryRecord::of(&file.memory, &file.stated);
    (record, KeysRecord::of(&file.keys), file.chars as u64)
}

/// The records of a cache's file, one after another, without the file as a whole.
struct Records {
    file: BufReader<File>,
    /// The number of bytes of the file that are left: a torn length asks for no more.
    left: u64,
    record: Vec<u8>,
}

impl Records {
    /// The file's records, and when it was written (nanoseconds).
    fn open(path: &Path) -> Option<(Self, i64)> {
        let (file, metadata) = open(path)?;
        let records = Self {
            file: BufReader::with_capacity(READ_AT_ONCE, file),
            left: metadata.len(),
            record: Vec::new(),
        };
        let written = metadata.mtime().saturating_mul(1_000_000_000);
        Some((records, written.saturating_add(metadata.mtime_nsec())))
    }

    /// The next record; `None` at the end, and where the file is torn.
    fn next<'r, T: Deserialize<'r>>(&'r mut self) -> Option<T> {
        self.next_of(&mut Crc::new())
    }

    /// The same, for a checksum of everything that is read.
    fn next_of<'r, T: Deserialize<'r>>(&'r mut self, checksum: &mut Crc) -> Option<T> {
        let mut length = [0; 4];
        self.file.read_exact(&mut length).ok()?;
        checksum.update(&length);
        let length = u32::from_le_bytes(length);
        self.left = self.left.checked_sub(4 + u64::from(length))?;
        self.record.resize(usize::try_from(length).ok()?, 0);
        self.file.read_exact(&mut self.record).ok()?;
        checksum.update(&self.record);
        postcard::from_bytes(&self.record).ok()
    }
}

/// Adds a record; `false` where it cannot be written as one.
fn add_record(bytes: &mut Vec<u8>, record: &impl Serialize) -> bool {
    let Ok(record) = postcard::to_stdvec(record) else {
        return false;
    };
    let Ok(length) = u32::try_from(record.len()) else {
        return false;
    };
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&record);
    true
}

/// The history as the last process left it, behind a checksum of its bytes and the stamp of what it was made by.
pub(super) fn read_history(root: &Path, rules: &Rules) -> Option<History> {
    let (mut file, metadata) = open(&file(root, "history"))?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
    ZlibDecoder::new(&mut file).read_to_end(&mut bytes).ok()?;
    let (sum, record) = bytes.split_first_chunk()?;
    if checksum(record) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (known, history): (&str, History) = postcard::from_bytes(record).ok()?;
    (known == stamp(rules)).then_some(history)
}

/// Writes a history, packed as git packs its objects: it has the names of files that were forgotten since, as these do, and
/// no search for the words finds more in it.
pub(super) fn write_history(root: &Path, history: &History, rules: &Rules) {
    let packed = || {
        let record = postcard::to_stdvec(&(stamp(rules), history)).ok()?;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&checksum(&record).to_le_bytes()).ok()?;
        packed.write_all(&record).ok()?;
        packed.finish().ok()
    };
    if let Some(packed) = packed() {
        write(root, "history", &packed);
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
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
            "{} 18 {} {excluded:?} {hot_dir}",
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

/// Opens a cache's file; no link is followed.
fn open(path: &Path) -> Option<(File, Metadata)> {
    let there = path.symlink_metadata().ok()?;
    let file = there.is_file().then(|| sys::open_regular(path))?.ok()??;
    let metadata = file.metadata().ok()?;
    Some((file, metadata))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_fifo_is_no_cache_and_is_not_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        assert!(open(&path).is_none());
    }

    #[test]
    fn a_torn_file_gives_the_records_before_the_tear() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("files");
        let mut bytes = Vec::new();
        assert!(add_record(&mut bytes, &7_u32) && add_record(&mut bytes, &8_u32));
        let read = |bytes: &[u8]| {
            sys::write_atomic(&path, bytes).unwrap();
            let (mut records, _) = Records::open(&path).unwrap();
            std::iter::from_fn(move || records.next::<u32>()).collect::<Vec<_>>()
        };
        assert_eq!(read(&bytes), [7, 8]);
        for length in 0..bytes.len() {
            assert!([7, 8].starts_with(&read(&bytes[..length])), "{length}");
        }
        assert!(read(&[0xff; 9]).is_empty(), "a length that no file has");
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
