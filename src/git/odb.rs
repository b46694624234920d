//! The object database: every object that mdmem reads or writes passes here.
//!
//! Loose objects are read by `loose`, before libgit2 is asked; libgit2 reads packs alone, which it does in bounded
//! time. So nothing else here may hand libgit2 the name of an object to read: no `find_commit`, no walk of its own, no
//! tree builder (`tests/tidy.rs` looks). A check of each loose object before libgit2 reads it would inflate it twice; a
//! check of all of them at the start costs 500 files before the first answer, and misses what breaks later.

use std::path::{Path, PathBuf};

use git2::ObjectType;

use super::loose::{self, Object};
use super::object::{from_git2, hash_object, parse_oid, to_git2};
use super::work_file::read_regular;
use super::{GitError, Repo, durable};
use crate::model::Oid;
use crate::sys::make_folders_in;

/// As deep as git follows repositories that borrow their objects from another.
const DEEPEST: usize = 5;

/// The folders that hold a repository's objects: its own, then those that it borrows from.
pub(super) struct Objects {
    folders: Vec<PathBuf>,
}

impl Objects {
    pub(super) fn of(git: &git2::Repository) -> Self {
        let mut folders = Vec::new();
        borrow(git.commondir().join("objects"), DEEPEST, &mut folders);
        Self { folders }
    }

    /// An object, compared with its name. The error says in words why there is none.
    pub(super) fn read(&self, git: &git2::Repository, oid: git2::Oid) -> Result<Object, String> {
        for folder in &self.folders {
            if let Some(object) = loose::read(&loose_path(folder, oid), oid)? {
                return Ok(object);
            }
        }
        let packed = |odb: git2::Odb<'_>| {
            let object = odb.read(oid)?;
            let (kind, bytes) = (object.kind(), object.data().to_vec());
            Ok(Object { kind, bytes })
        };
        git.odb()
            .and_then(packed)
            .map_err(|error: git2::Error| error.message().to_owned())
    }

    /// Says whether there is an object of this name. A pack that came a moment ago is not looked for.
    pub(super) fn has(&self, git: &git2::Repository, oid: git2::Oid) -> bool {
        let is_packed = |odb: git2::Odb<'_>| odb.exists_ext(oid, git2::OdbLookupFlags::NO_REFRESH);
        self.loose(oid).is_some() || git.odb().is_ok_and(is_packed)
    }

    /// The file of an object that is loose.
    fn loose(&self, oid: git2::Oid) -> Option<PathBuf> {
        let mut paths = self.folders.iter().map(|folder| loose_path(folder, oid));
        paths.find(|path| path.exists())
    }

    /// The folders that it borrows from and that are not there.
    pub(super) fn missing_folders(&self) -> impl Iterator<Item = &Path> {
        let borrowed = self.folders.iter().skip(1);
        borrowed.filter(|folder| !folder.is_dir()).map(PathBuf::as_path)
    }

    /// The loose objects that cannot be read, each with its fault in words. Reads all of them.
    pub(super) fn spoilt(&self) -> Vec<(Oid, String)> {
        let mut spoilt = Vec::new();
        for folder in &self.folders {
            for first in 0..=255_u8 {
                let entries = std::fs::read_dir(folder.join(format!("{first:02x}")));
                for entry in entries.into_iter().flatten().flatten() {
                    let name = format!("{first:02x}{}", entry.file_name().display());
                    let Some(oid) = parse_oid(&name) else { continue };
                    let path = entry.path();
                    let read = match loose::read(&path, to_git2(oid)) {
                        Ok(None) if path.is_symlink() => {
                            Err(format!("{} is a link to nothing", path.display()))
                        }
                        read => read,
                    };
                    let told = |why| (oid, format!("the object {oid} cannot be read: {why}"));
                    spoilt.extend(read.err().map(told));
                }
            }
        }
        spoilt
    }
}

/// Adds a folder of objects and those that its `info/alternates` names.
fn borrow(folder: PathBuf, deepest: usize, folders: &mut Vec<PathBuf>) {
    let named = read_regular(&folder.join("info/alternates"));
    let named = named.ok().flatten().unwrap_or_default();
    let named = String::from_utf8_lossy(&named).into_owned();
    let others = named
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let others: Vec<PathBuf> = others.map(|line| folder.join(line)).collect();
    folders.push(folder);
    if deepest > 0 {
        for other in others {
            borrow(other, deepest - 1, folders);
        }
    }
}

fn loose_path(folder: &Path, oid: git2::Oid) -> PathBuf {
    let name = oid.to_string();
    folder.join(&name[..2]).join(&name[2..])
}

impl Repo {
    /// An object of this kind. The error tells the damage of `what`, which is the object in words.
    pub(super) fn read(&self, kind: ObjectType, oid: git2::Oid) -> Result<Vec<u8>, GitError> {
        let damaged = |why: &str| self.damaged(&format!("the {} {oid}", kind.str()), why);
        let object = self.objects.read(&self.git, oid).map_err(|why| damaged(&why))?;
        match (kind, object.kind) {
            (wanted, found) if wanted == found => Ok(object.bytes),
            (ObjectType::Blob, _) => Err(GitError::NotABlob(from_git2(oid))),
            (_, found) => Err(damaged(&format!("it is a {}", found.str()))),
        }
    }

    /// The kind of an object, where it can be read.
    pub(super) fn kind_of(&self, oid: git2::Oid) -> Option<ObjectType> {
        Some(self.objects.read(&self.git, oid).ok()?.kind)
    }

    /// The size of an object in bytes, by its header: it is not unpacked for it.
    pub fn size_of(&self, oid: Oid) -> Result<u64, GitError> {
        let damaged = |why: &str| self.damaged(&format!("the object {oid}"), why);
        // libgit2 never ends on a loose object that is cut off.
        if let Some(path) = self.objects.loose(to_git2(oid)) {
            return loose::size(&path).ok_or_else(|| damaged("its file has no header"));
        }
        let header = self.git.odb().and_then(|odb| odb.read_header(to_git2(oid)));
        let (size, _) = header.map_err(|e| damaged(e.message()))?;
        Ok(size as u64)
    }

    /// Writes an object, not flushed. One that is there and cannot be read is written over: libgit2 would take it for
    /// written already, and what the caller acknowledges would be lost.
    pub(super) fn write(&self, kind: ObjectType, bytes: &[u8]) -> Result<git2::Oid, GitError> {
        let failed = |e: git2::Error| self.failed(&format!("write a {}", kind.str()), &e);
        let oid = to_git2(hash_object(kind, bytes));
        let odb = self.git.odb().map_err(failed)?;
        if self.names_object(oid) && self.kind_of(oid).is_none() {
            self.write_over(oid, &loose::encode(kind, bytes))?;
            return Ok(oid);
        }
        odb.write(kind, bytes).map_err(failed)
    }

    fn write_over(&self, oid: git2::Oid, file: &[u8]) -> Result<(), GitError> {
        let path = self.loose_path(from_git2(oid));
        if path.is_dir() {
            return Err(self.damaged(&format!("the object {oid}"), "a folder has the name of its file"));
        }
        let folder = path.parent().unwrap_or(&path);
        make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))?;
        durable::replace(&path, file)
    }

    /// Says whether the repository has an object of this name, whole or not.
    pub(super) fn names_object(&self, oid: git2::Oid) -> bool {
        self.git.odb().is_ok_and(|odb| odb.exists(oid))
    }

    /// Says whether the repository has an object of this name, and it can be read.
    pub fn has_object(&self, oid: Oid) -> bool {
        self.kind_of(to_git2(oid)).is_some()
    }

    /// The names of all objects, in no order, as far as they can be listed.
    pub(super) fn all_objects(&self) -> Vec<git2::Oid> {
        let mut all = Vec::new();
        let listed = self.git.odb().and_then(|odb| {
            odb.foreach(|oid| {
                all.push(*oid);
                true
            })
        });
        if let Err(error) = listed {
            tracing::debug!(%error, "not every object was listed");
        }
        all
    }

    /// The file of an object that is in no pack.
    pub(super) fn loose_path(&self, oid: Oid) -> PathBuf {
        loose_path(&self.git_dir.join("objects"), to_git2(oid))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Scratch, commit_files};
    use super::*;

    #[test]
    fn writes_over_what_cannot_be_read() {
        let (scratch, repo) = Scratch::with_repo();
        let oid = repo.write(ObjectType::Blob, b"one\n").unwrap();
        let path = repo.loose_path(from_git2(oid));
        let whole = std::fs::read(&path).unwrap();
        durable::replace(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(repo.read(ObjectType::Blob, oid).is_err());
        assert_eq!(repo.objects.spoilt().len(), 1);
        repo.write(ObjectType::Blob, b"one\n").unwrap();
        assert_eq!(repo.read(ObjectType::Blob, oid).unwrap(), b"one\n");
        assert!(repo.objects.spoilt().is_empty());
        scratch.git(&["fsck", "--full", "--strict"]);
    }

    #[test]
    fn the_size_of_an_object_is_in_its_first_bytes() {
        let (scratch, repo) = Scratch::with_repo();
        let text: Vec<u8> = (0..300_000_u32)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        let oid = from_git2(repo.write(ObjectType::Blob, &text).unwrap());
        let path = repo.loose_path(oid);
        let whole = std::fs::read(&path).unwrap();
        durable::replace(&path, &whole[..5000]).unwrap();
        assert_eq!(repo.size_of(oid).unwrap(), 1_200_000);
        durable::replace(&path, &whole).unwrap();
        scratch.write("a.md", "1\n");
        let tip = commit_files(&repo, "one", &["a.md"]).unwrap();
        scratch.git(&["tag", "big", &oid.to_string()]);
        scratch.git(&["gc", "-q", "--prune=now"]);
        let repo = Repo::open(&repo.root).unwrap();
        assert!(!path.exists());
        assert_eq!(repo.size_of(oid).unwrap(), 1_200_000);
        assert!(repo.size_of(tip).unwrap() > 100);
    }

    #[test]
    fn reads_what_is_borrowed() {
        let (scratch, repo) = Scratch::with_repo();
        scratch.write("a.md", "1\n");
        let tip = commit_files(&repo, "one", &["a.md"]).unwrap();
        let clone = scratch.path("clone");
        scratch.git(&["clone", "-q", "--shared", ".", &clone.display().to_string()]);
        let clone = Repo::open(&clone).unwrap();
        assert_eq!(clone.tree(tip).unwrap().len(), 1);
        // Its commit is cut off in the other repository.
        let path = repo.loose_path(tip);
        let whole = std::fs::read(&path).unwrap();
        durable::replace(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(clone.tree(tip).unwrap_err().to_string().contains("is cut off"));
    }
}
