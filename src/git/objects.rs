//! Objects: their names, read by libgit2, written, flushed together, and looked at once before libgit2 is let near them.
//!
//! libgit2 never ends on a loose object that is cut off (its zlib stream is asked for more for ever), waits for who
//! writes into a fifo, and takes a spoilt object for written already. So each loose object is inflated and compared with
//! its name once in a boot, and what fails is moved to `.git/mdmem-spoilt`: from then on it is an object that is missing,
//! of which libgit2 says so. `.git/mdmem-looked` is as old as the last look: folders of objects that changed since are
//! looked at when the repository is opened and when a writer begins. A cut-off object comes from a loss of power (then
//! another boot follows) or a copy onto a full disk.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::bufread::ZlibDecoder;
use git2::ObjectType;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use super::work_file::{Stamp, read_regular};
use super::{GitError, Repo, durable, paths};
use crate::model::{Oid, hex};
use crate::sys;
use crate::sys::{make_folders_in, read_text};

/// The folder for objects that cannot be read.
const SPOILT: &str = "mdmem-spoilt";
const LOOKED: &str = "mdmem-looked";
/// Names the boot; no look is remembered where there is no such file.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";
/// So many folders of other repositories are followed from one to the next.
const MOST_BORROWED: usize = 8;
/// From so many new blobs on they are written as one pack: 10,000 loose ones would be flushed one by one.
const PACKED_FROM: usize = 64;

pub(super) fn to_git2(oid: Oid) -> git2::Oid {
    git2::Oid::from_bytes(&oid.0).expect("because twenty bytes are an object's name")
}

pub(super) fn from_git2(oid: git2::Oid) -> Oid {
    let mut bytes = [0; 20];
    bytes.copy_from_slice(oid.as_bytes());
    Oid(bytes)
}

/// Reads forty hexadecimal digits, as git prints them. `None` for anything else.
pub fn parse_oid(text: &str) -> Option<Oid> {
    if text.len() != 40 {
        return None;
    }
    git2::Oid::from_str(text).ok().map(from_git2)
}

/// The name that these bytes have as a blob; nothing is written. libgit2 would look for made collisions as well, which
/// takes ten times as long.
pub fn hash_blob(bytes: &[u8]) -> Oid {
    let mut name = Sha1::new_with_prefix(format!("blob {}\0", bytes.len()));
    name.update(bytes);
    Oid(name.finalize().into())
}

/// SHA-256 in hexadecimal, for checksums of mdmem's own files in `.git/`.
pub(super) fn checksum(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The folders that hold a repository's objects: its own, then those that it borrows from.
pub(super) fn object_folders(git: &git2::Repository) -> Vec<PathBuf> {
    let mut folders = vec![git.commondir().join("objects")];
    let mut at = 0;
    while at < folders.len().min(MOST_BORROWED) {
        let named = read_text(&folders[at].join("info/alternates")).unwrap_or_default();
        let named = named
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let named: Vec<PathBuf> = named.map(|line| folders[at].join(line)).collect();
        folders.extend(named);
        at += 1;
    }
    folders
}

pub(super) fn loose_path(folder: &Path, oid: Oid) -> PathBuf {
    let name = oid.to_string();
    folder.join(&name[..2]).join(&name[2..])
}

/// The fault of a loose object, in words; `None` for a whole one. A file that the system does not let mdmem read is
/// none that libgit2 would never end on.
pub(super) fn fault_of(path: &Path, name: Oid) -> Option<&'static str> {
    let Ok(file) = read_regular(path) else {
        return path
            .metadata()
            .is_ok_and(|there| !there.is_file())
            .then_some("is not a regular file");
    };
    let Some(file) = file else {
        return path.is_symlink().then_some("is a link to nothing");
    };
    let mut stream = ZlibDecoder::new(file.as_slice());
    let (mut hash, mut part) = (Sha1::new(), [0; 1 << 14]);
    loop {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(count) => hash.update(&part[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Some("is cut off"),
            Err(_) => return Some("is not a zlib stream"),
        }
    }
    if stream.total_in() != file.len() as u64 {
        return Some("goes on after its end");
    }
    (Oid(hash.finalize().into()) != name).then_some("does not match its hash")
}

/// The folders of loose objects that changed since, each with its first byte.
fn changed_since(objects: &Path, since: Option<Stamp>) -> impl Iterator<Item = (u8, PathBuf)> {
    let folders = (0..=255_u8).map(|first| (first, objects.join(format!("{first:02x}"))));
    folders.filter(move |(_, folder)| {
        let is_older = |meta| since.is_some_and(|since| since.is_after_change_of(&meta));
        folder.metadata().is_ok_and(|meta| !is_older(meta))
    })
}

/// The loose objects in the folders that changed since, each with its file and its fault.
fn spoilt_since(objects: &Path, since: Option<Stamp>) -> Vec<(Oid, PathBuf, &'static str)> {
    let mut spoilt = Vec::new();
    for (first, folder) in sys::each("checking objects", changed_since(objects, since)) {
        for file in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = parse_oid(&format!("{first:02x}{}", file.file_name().display()));
            let fault = name.and_then(|name| Some((name, file.path(), fault_of(&file.path(), name)?)));
            spoilt.extend(fault);
        }
    }
    spoilt
}

impl Repo {
    /// Moves loose objects aside that cannot be read, of those that came since the last look.
    pub(super) fn set_spoilt_aside(&self) -> Result<(), GitError> {
        let boot = read_text(Path::new(BOOT)).unwrap_or_default();
        // Another `.git` is a copy, which may have been cut off.
        let this = format!(
            "{boot}{}\n",
            serde_json::to_string(&self.opened).unwrap_or_default()
        );
        let mark = self.git_dir.join(LOOKED);
        let is_of_this = !boot.is_empty() && read_text(&mark).is_some_and(|text| text == this);
        let since = is_of_this.then(|| Stamp::read(&mark)).flatten();
        for borrowed in object_folders(&self.git).iter().skip(1) {
            self.check_all_in(borrowed)?;
        }
        let objects = self.git_dir.join("objects");
        if changed_since(&objects, since).next().is_none() {
            return Ok(());
        }
        // Made before the look, so that it is older than whatever comes meanwhile.
        let next = self.git_dir.join(format!("{LOOKED}.new"));
        let _ = std::fs::remove_file(&next);
        let made = File::create_new(&next).and_then(|mut file| file.write_all(this.as_bytes()));
        for (name, path, fault) in spoilt_since(&objects, since) {
            let folder = self.git_dir.join(SPOILT);
            let why = format!("{} {fault}", path.display());
            make_folders_in(&self.git_dir, &folder)
                .and_then(|()| std::fs::rename(&path, folder.join(name.to_string())))
                .map_err(|error| {
                    self.damaged(
                        &format!("the object {name}"),
                        format!("{why}, and could not be moved: {error}"),
                    )
                })?;
            tracing::warn!("{why}: it was moved to {}", folder.display());
        }
        // A store that cannot be written to is looked at again each time.
        if let Err(error) = made.and_then(|()| std::fs::rename(&next, &mark)) {
            let _ = std::fs::remove_file(&next);
            tracing::debug!(%error, "the check of the objects could not be recorded");
        }
        Ok(())
    }

    /// An error where a loose object in this folder cannot be read.
    pub(super) fn check_all_in(&self, folder: &Path) -> Result<(), GitError> {
        match spoilt_since(folder, None).first() {
            Some((name, path, fault)) => Err(self.damaged(
                &format!("the object {name}"),
                format!("{} {fault}", path.display()),
            )),
            None => Ok(()),
        }
    }

    /// The error of something in the history that is missing or cannot be read.
    pub(super) fn damaged(&self, what: &str, why: impl std::fmt::Display) -> GitError {
        GitError::Damaged {
            root: self.root.clone(),
            what: what.to_owned(),
            why: why.to_string(),
        }
    }

    /// The bytes of an object of this kind. Errors when it is missing, damaged or of another kind.
    pub(super) fn read(&self, kind: ObjectType, oid: git2::Oid) -> Result<Vec<u8>, GitError> {
        let damaged = |why: &str| self.damaged(&format!("the {} {oid}", kind.str()), why);
        let odb = self.git.odb().map_err(|e| damaged(e.message()))?;
        let object = odb.read(oid).map_err(|e| damaged(e.message()))?;
        match (kind, object.kind()) {
            (wanted, found) if wanted == found => Ok(object.data().to_vec()),
            (ObjectType::Blob, _) => Err(GitError::NotABlob(from_git2(oid))),
            (_, found) => Err(damaged(&format!("it is a {}", found.str()))),
        }
    }

    /// The bytes of a blob. Errors when the object is missing, damaged or no blob.
    pub fn blob(&self, oid: Oid) -> Result<Vec<u8>, GitError> {
        self.read(ObjectType::Blob, to_git2(oid))
    }

    pub(super) fn commit_object(&self, oid: Oid) -> Result<git2::Commit<'_>, GitError> {
        let found = self.git.find_commit(to_git2(oid));
        found.map_err(|e| self.damaged(&format!("the commit {oid}"), e.message()))
    }

    pub(super) fn tree_object(&self, oid: git2::Oid) -> Result<git2::Tree<'_>, GitError> {
        let found = self.git.find_tree(oid);
        found.map_err(|e| self.damaged(&format!("the tree {oid}"), e.message()))
    }

    /// The size of an object in bytes, by its header: it is not unpacked for it.
    pub fn size_of(&self, oid: Oid) -> Result<u64, GitError> {
        let header = self.git.odb().and_then(|odb| odb.read_header(to_git2(oid)));
        let (size, _) = header.map_err(|e| self.damaged(&format!("the object {oid}"), e.message()))?;
        Ok(size as u64)
    }

    /// Says whether the repository has an object of this name.
    pub fn has_object(&self, oid: Oid) -> bool {
        self.git.odb().is_ok_and(|odb| odb.exists(to_git2(oid)))
    }

    /// The names of all commits, in no order, as far as they can be listed.
    pub(super) fn all_commits(&self) -> Vec<Oid> {
        let mut all = Vec::new();
        let listed = self.git.odb().and_then(|odb| {
            odb.foreach(|oid| {
                all.push(*oid);
                true
            })
        });
        if let Err(error) = listed {
            tracing::debug!(%error, "not all objects could be listed");
        }
        all.retain(|oid| self.git.find_commit(*oid).is_ok());
        all.into_iter().map(from_git2).collect()
    }

    /// Writes an object, not flushed.
    pub(super) fn write(&self, kind: ObjectType, bytes: &[u8]) -> Result<git2::Oid, GitError> {
        let written = self.git.odb().and_then(|odb| odb.write(kind, bytes));
        written.map_err(|e| self.failed(&format!("write a {}", kind.str()), &e))
    }

    /// Stores the bytes of files, flushed, and returns the names of their blobs, in order. The paths let similar
    /// files be stored as differences; nothing is committed.
    pub fn write_files<P: AsRef<Path>, B: AsRef<[u8]>>(
        &self,
        files: &[(P, B)],
    ) -> Result<Vec<Oid>, GitError> {
        self.check_still_there()?;
        let files: Vec<(&Path, &[u8])> = files
            .iter()
            .map(|(path, bytes)| (path.as_ref(), bytes.as_ref()))
            .collect();
        let blobs = self.write_blobs(&files)?;
        let written: Vec<git2::Oid> = blobs.iter().copied().map(to_git2).collect();
        self.flush(&written, &[])?;
        Ok(blobs)
    }

    /// Writes blobs: a few as loose objects, many new ones as one pack, which is flushed.
    pub(super) fn write_blobs(&self, files: &[(&Path, &[u8])]) -> Result<Vec<Oid>, GitError> {
        if files.len() < PACKED_FROM {
            let write = |(_, bytes): &(&Path, &[u8])| self.write(ObjectType::Blob, bytes).map(from_git2);
            return files.iter().map(write).collect();
        }
        let names = files
            .iter()
            .map(|(_, bytes)| hash_blob(bytes))
            .collect::<Vec<_>>();
        let failed = |e: git2::Error| self.failed("write a pack", &e);
        let known = self.git.odb().map_err(failed)?;
        let is_new = |name: &Oid| !known.exists_ext(to_git2(*name), git2::OdbLookupFlags::NO_REFRESH);
        let new: Vec<_> = files
            .iter()
            .zip(&names)
            .filter(|(_, name)| is_new(name))
            .collect();
        if new.is_empty() {
            return Ok(names);
        }
        // A handle of its own: what is kept in memory for the pack must not be seen through the other one.
        let git = self.anew()?.git;
        let odb = git.odb().map_err(failed)?;
        let in_memory = odb.add_new_mempack_backend(1000).map_err(failed)?;
        let mut pack = git.packbuilder().map_err(failed)?;
        for ((path, bytes), _) in sys::each("writing objects", new) {
            let oid = odb.write(ObjectType::Blob, bytes).map_err(failed)?;
            let name = String::from_utf8_lossy(paths::to_git(path)).replace('\0', "");
            pack.insert_object(oid, Some(&name)).map_err(failed)?;
        }
        let folder = self.git_dir.join("objects/pack");
        make_folders_in(&self.git_dir, &folder).map_err(|e| GitError::io("make", &folder, e))?;
        pack.write(&folder, 0o444).map_err(failed)?;
        in_memory.reset().map_err(failed)?;
        durable::flush_parent(&folder.join("pack"))?;
        Ok(names)
    }

    /// Flushes these objects, whoever wrote them and when, and these files, side by side: libgit2 would wait for the disk
    /// fourteen times in a commit of one file. An object that is not loose is in a pack, which was flushed when it was
    /// made.
    pub(super) fn flush(&self, objects: &[git2::Oid], files: &[PathBuf]) -> Result<(), GitError> {
        let loose = objects.iter().map(|oid| self.loose_path(from_git2(*oid)));
        let mut all: Vec<PathBuf> = loose.filter(|path| path.exists()).collect();
        all.extend_from_slice(files);
        sys::flush_all(&all).map_err(|(path, error)| GitError::io("flush", &path, error))
    }

    /// The file of an object that is in no pack.
    pub(super) fn loose_path(&self, oid: Oid) -> PathBuf {
        loose_path(&self.git_dir.join("objects"), oid)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Scratch, commit_files, lock};
    use super::*;

    #[test]
    fn names_objects_as_git_does() {
        let blob = hash_blob(b"hello\n");
        assert_eq!(blob.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(parse_oid(&blob.to_string()), Some(blob));
        assert_eq!((parse_oid("abc"), parse_oid(&"g".repeat(40))), (None, None));
    }

    /// Each length of a cut-off object, and each other fault, is found before libgit2 reads it, when the repository is
    /// opened and when a writer begins; the object can then be written again.
    #[test]
    fn what_libgit2_would_never_end_on_is_moved_aside() {
        let (scratch, repo) = Scratch::with_repo();
        let text = b"Use the npm cache.\n".repeat(3);
        let oid = repo.write(ObjectType::Blob, &text).unwrap();
        let path = repo.loose_path(from_git2(oid));
        let whole = std::fs::read(&path).unwrap();
        let mut spoilt: Vec<Vec<u8>> = (0..whole.len()).map(|length| whole[..length].to_vec()).collect();
        spoilt.extend([[&whole[..], b"more"].concat(), vec![b'?'; whole.len()]]);
        let other = repo.write(ObjectType::Blob, b"other\n").unwrap();
        spoilt.push(std::fs::read(repo.loose_path(from_git2(other))).unwrap());
        for (at, bytes) in spoilt.iter().enumerate() {
            assert!(fault_of(&path, from_git2(oid)).is_none());
            durable::replace(&path, bytes).unwrap();
            assert!(fault_of(&path, from_git2(oid)).is_some(), "{at}");
            if at % 2 == 0 {
                drop(lock(&repo));
            } else {
                drop(Repo::open(&repo.root).unwrap());
            }
            assert!(!path.exists(), "{at}");
            assert!(repo.blob(from_git2(oid)).is_err());
            assert_eq!(repo.write(ObjectType::Blob, &text).unwrap(), oid);
        }
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        std::fs::remove_file(&path).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
        drop(lock(&repo));
        assert!(!path.exists() && !scratch.root().join(".git/objects/mdmem-spoilt").exists());
        scratch.git(&["fsck", "--full", "--strict"]);
    }

    #[test]
    fn what_is_borrowed_is_read_and_never_moved() {
        let (scratch, repo) = Scratch::with_repo();
        scratch.write("a.md", "1\n");
        let tip = commit_files(&repo, "one", &["a.md"]).unwrap();
        let clone = scratch.path("clone");
        scratch.git(&["clone", "-q", "--shared", ".", &clone.display().to_string()]);
        assert_eq!(Repo::open(&clone).unwrap().tree(tip).unwrap().len(), 1);
        let path = repo.loose_path(tip);
        let whole = std::fs::read(&path).unwrap();
        durable::replace(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(Repo::open(&clone).unwrap_err().to_string().contains("is cut off"));
        assert!(path.exists());
    }
}
