//! Many new blobs at once: one pack, flushed once. As loose objects 10,000 of them would be flushed one by one, for
//! many seconds, and packed right after.

use std::path::Path;

use git2::ObjectType;

use super::object::{hash_blob, to_git2};
use super::{GitError, Repo, durable, paths};
use crate::model::Oid;
use crate::sys::make_folders_in;

/// From so many new blobs on they are written as a pack.
const FROM: usize = 64;

/// A blob that is to be stored. The name lets similar ones be stored as differences.
pub(super) struct NewBlob<'a> {
    oid: Oid,
    bytes: &'a [u8],
    path: &'a Path,
}

impl<'a> NewBlob<'a> {
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        let oid = hash_blob(bytes);
        Self { oid, bytes, path }
    }
}

impl Repo {
    /// Stores the bytes of files, flushed, and returns the names of their blobs, in order. The paths let similar
    /// files be stored as differences; nothing is committed.
    pub fn write_files<P: AsRef<Path>, B: AsRef<[u8]>>(
        &self,
        files: &[(P, B)],
    ) -> Result<Vec<Oid>, GitError> {
        self.check_still_there()?;
        let blobs: Vec<NewBlob<'_>> = files
            .iter()
            .map(|(path, bytes)| NewBlob::new(path.as_ref(), bytes.as_ref()))
            .collect();
        let mut written = Vec::new();
        self.write_blobs(&blobs, &mut written)?;
        self.flush(&written, &[])?;
        Ok(blobs.iter().map(|blob| blob.oid).collect())
    }

    /// Writes those of the blobs that the repository does not have: a few as loose objects, many as one pack, flushed. All
    /// are added to `written`.
    pub(super) fn write_blobs(
        &self,
        blobs: &[NewBlob<'_>],
        written: &mut Vec<git2::Oid>,
    ) -> Result<(), GitError> {
        if blobs.len() < FROM {
            for blob in blobs {
                written.push(self.write(ObjectType::Blob, blob.bytes)?);
            }
            return Ok(());
        }
        written.extend(blobs.iter().map(|blob| to_git2(blob.oid)));
        let failed = |e: git2::Error| self.failed("write a pack", &e);
        let known = self.git.odb().map_err(failed)?;
        let is_there =
            |blob: &&NewBlob<'_>| known.exists_ext(to_git2(blob.oid), git2::OdbLookupFlags::NO_REFRESH);
        let (there, new): (Vec<_>, Vec<_>) = blobs.iter().partition(is_there);
        for blob in there {
            self.write(ObjectType::Blob, blob.bytes)?;
        }
        if new.is_empty() {
            return Ok(());
        }
        // A handle of its own: what is kept in memory for the pack must not be seen through the other one.
        let git = self.anew()?.git;
        let odb = git.odb().map_err(failed)?;
        let in_memory = odb.add_new_mempack_backend(1000).map_err(failed)?;
        let mut pack = git.packbuilder().map_err(failed)?;
        for blob in new {
            let oid = odb.write(ObjectType::Blob, blob.bytes).map_err(failed)?;
            let name = String::from_utf8_lossy(paths::to_git(blob.path)).replace('\0', "");
            pack.insert_object(oid, Some(&name)).map_err(failed)?;
        }
        let folder = self.git_dir.join("objects/pack");
        make_folders_in(&self.git_dir, &folder).map_err(|e| GitError::io("make", &folder, e))?;
        pack.write(&folder, 0o444).map_err(failed)?;
        in_memory.reset().map_err(failed)?;
        durable::flush_parent(&folder.join("pack"))
    }
}
