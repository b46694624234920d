//! Replacing many files at once, before one commit of them: each for itself, and a person's save stands.

use crate::model::StorePath;
use crate::sys::{self, Exchange};

use super::contents::MAX_FILE;
use super::{LeftOut, StoreError, Writer};

impl Writer<'_> {
    /// Replaces files that are as HEAD has them, side by side. `new` gives the new bytes of a file from those that it has;
    /// `None`: it stays. Gives the files that were left as they are against that, each with the reason.
    pub fn replace_all(
        &mut self,
        paths: &[&StorePath],
        new: impl Fn(&StorePath, &[u8]) -> Option<Vec<u8>> + Sync,
    ) -> Result<Vec<LeftOut>, StoreError> {
        let uncommitted = self.safeguard().uncommitted_of(paths)?;
        let mut left = Vec::new();
        let mut free = Vec::with_capacity(paths.len());
        for &path in paths {
            let allowed = if uncommitted.iter().any(|other| other == path.as_ref()) {
                Err(self.safeguard().uncommitted(path.as_ref()))
            } else {
                self.check_settled(path)
            };
            match allowed {
                Ok(()) => free.push(path),
                Err(error) => left.push(left_out(path, &error)),
            }
        }
        let root = self.store.root();
        let done = sys::side_by_side(&free, |path| {
            let bytes = sys::read(root, path.as_str(), MAX_FILE)?.bytes;
            let Some(new) = new(path, &bytes) else {
                return Ok(());
            };
            match sys::exchange(root, path, &bytes, &new)? {
                Exchange::Exchanged => Ok(()),
                Exchange::Changed(_) => Err(StoreError::Contended {
                    path: path.as_str().into(),
                }),
                Exchange::Missing => Err(StoreError::Gone {
                    path: (*path).clone(),
                }),
            }
        });
        self.reload(&free)?;
        let failed = free.iter().zip(done);
        left.extend(failed.filter_map(|(path, done)| Some(left_out(path, &done.err()?))));
        Ok(left)
    }
}

fn left_out(path: &StorePath, error: &StoreError) -> LeftOut {
    LeftOut {
        path: path.as_str().into(),
        why: error.to_string(),
    }
}
