//! One file of an agent's configuration on the disk: found, read, and replaced as a whole.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::service::ServiceError;
use crate::sys::{self, NewFile, SysError, shown_path};

use super::Installed;
use super::edit::{self, EditError, Entry, Setup, edited};

/// The most that is read. Claude Code's own file of the user holds more than its settings, and can be large.
const MAX_BYTES: u64 = 16 << 20;
/// So often another program may change a file between reading and writing.
const ATTEMPTS: usize = 5;
/// The names beside a file that is mdmem's as a whole, under which what was in its place before is kept.
const MOST_KEPT: usize = 100;

/// The place of a file.
#[derive(Debug)]
pub(super) struct ConfigPath {
    /// The file, as a person knows it.
    shown: PathBuf,
    /// The file itself, without a link on the way.
    real: PathBuf,
    /// The folder that stays when the file goes.
    base: PathBuf,
}

impl ConfigPath {
    /// A file of a workspace. Nothing outside is written through a link that somebody committed.
    pub(super) fn in_workspace(root: &Path, below: &Path) -> Result<Self, ServiceError> {
        let path = Self::of_user(root, below)?;
        if path.real.starts_with(&path.base) {
            return Ok(path);
        }
        let target = EditError::LeadsOut(shown_path(&path.real));
        Err(path.refused(target))
    }

    /// A file of the user's, who may have put a link in its place.
    pub(super) fn of_user(base: &Path, below: &Path) -> Result<Self, ServiceError> {
        let base = real(base.to_owned())?;
        let parts = below.iter();
        let real = parts
            .into_iter()
            .try_fold(base.clone(), |folder, part| real(folder.join(part)))?;
        let shown = base.join(below);
        Ok(Self { shown, real, base })
    }

    /// The effect of a set-up on the file.
    pub(super) fn plan(
        &self,
        agent: &'static str,
        entries: &[Entry],
        setup: Setup,
    ) -> Result<Installed, ServiceError> {
        let before = self.read()?;
        let text = match &before {
            Some(bytes) => str::from_utf8(bytes).map_err(|_| self.refused(EditError::NoText))?,
            None => "",
        };
        let edited = edited(entries, text, setup).map_err(|error| self.refused(error))?;
        let is_changed = edited.text != text;
        // Without its target a link leads nowhere, and the next set-up could not follow it.
        let is_link = self.shown.is_symlink();
        let is_there = if is_changed {
            is_link || !edited.text.is_empty()
        } else {
            before.is_some()
        };
        let is_readonly = || fs::metadata(&self.real).is_ok_and(|file| file.permissions().readonly());
        if is_changed && before.is_some() && is_readonly() {
            return Err(self.refused(EditError::ReadOnly));
        }
        let is_whole = matches!(entries, [Entry::Whole(_)]);
        // A name that no agent loads, so that what somebody changed in the plugin is not lost.
        let is_kept = is_whole && is_changed && is_there && before.is_some();
        let mut kept = match &before {
            Some(bytes) if is_kept => vec![self.next_name(bytes)?],
            _ => Vec::new(),
        };
        let mut after = is_there.then(|| edited.text.into_bytes());
        if is_whole && is_changed && setup == Setup::TakeBack {
            kept = self.all_kept();
            for at in 0..kept.len() {
                let bytes = read(&self.real.with_file_name(&kept[at]))?;
                // An earlier plugin of mdmem's would connect the agent again.
                if let Some(bytes) = bytes.filter(|bytes| !edit::is_own(entries, bytes)) {
                    after = Some(bytes);
                    kept[..=at].rotate_right(1);
                    break;
                }
            }
            if after.as_ref().is_some_and(Vec::is_empty) {
                // The first one is what came back, and nothing did.
                kept.clear();
            }
        }
        Ok(Installed {
            agent,
            path: self.shown.clone(),
            after,
            before,
            is_whole,
            kept: kept.iter().map(|name| self.shown.with_file_name(name)).collect(),
            left: edited.left,
        })
    }

    /// The name of a copy: `mdmem.ts.old`, `mdmem.ts.old-2` and so on.
    fn copy_name(&self, number: usize) -> OsString {
        let mut name = self.real.file_name().unwrap_or_default().to_owned();
        name.push(".old");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        name
    }

    /// The name of the next copy, behind all that there are, so that the last one is what was in the place last. It is the
    /// last one's, where that has these bytes already.
    fn next_name(&self, bytes: &[u8]) -> Result<OsString, ServiceError> {
        let is_taken = |number: &usize| {
            let path = self.real.with_file_name(self.copy_name(*number));
            path.symlink_metadata().is_ok()
        };
        let last = (1..=MOST_KEPT).rev().find(is_taken).unwrap_or(0);
        let there = read(&self.real.with_file_name(self.copy_name(last)));
        match last {
            1.. if there.is_ok_and(|there| there.as_deref() == Some(bytes)) => Ok(self.copy_name(last)),
            MOST_KEPT => Err(self.refused(EditError::TooManyKept)),
            _ => Ok(self.copy_name(last + 1)),
        }
    }

    /// The names of the copies, the last one first.
    fn all_kept(&self) -> Vec<OsString> {
        let names = (1..=MOST_KEPT).rev().map(|number| self.copy_name(number));
        names
            .filter(|name| self.real.with_file_name(name).is_file())
            .collect()
    }

    /// Carries a plan out. Where another program changed the file meanwhile, the set-up is planned again.
    pub(super) fn write(
        &self,
        mut plan: Installed,
        entries: &[Entry],
        setup: Setup,
    ) -> Result<Installed, ServiceError> {
        if let Some(folder) = self.real.parent() {
            // A killed process may have left its unfinished file here; where that cannot be seen, nothing else fails.
            let _ = sys::remove_dead_parts_of(folder);
        }
        for _ in 0..ATTEMPTS {
            if self.is_written(&plan, setup)? {
                return Ok(plan);
            }
            plan = self.plan(plan.agent, entries, setup)?;
        }
        Err(self.refused(EditError::Contended))
    }

    fn is_written(&self, plan: &Installed, setup: Setup) -> Result<bool, ServiceError> {
        if plan.before == plan.after {
            return Ok(true);
        }
        let (folder, name) = (self.real.parent(), self.real.file_name());
        let (folder, name) = folder
            .zip(name)
            .expect("because the table of agents names files in folders");
        if plan.before.is_some() && self.read()? != plan.before {
            return Ok(false);
        }
        // A killed run may have left its part here, where nobody else looks for it.
        sys::remove_dead_parts_of(folder)?;
        match (&plan.before, &plan.after) {
            (None, Some(after)) => {
                fs::create_dir_all(folder)
                    .map_err(|error| SysError::io("create the folder", folder, error))?;
                return Ok(sys::write_new(folder, name, after)? == NewFile::Written);
            }
            (Some(before), Some(after)) => {
                let kept = plan.kept.first().and_then(|kept| kept.file_name());
                if let Some(kept) = kept.filter(|_| setup == Setup::Connect) {
                    let is_new = sys::write_new(folder, kept, before)? == NewFile::Written;
                    if !is_new && read(&folder.join(kept))?.as_ref() != Some(before) {
                        return Ok(false);
                    }
                }
                sys::write_durable(&self.real, after)?;
                if let Some(kept) = kept.filter(|_| setup == Setup::TakeBack) {
                    let kept = folder.join(kept);
                    fs::remove_file(&kept).map_err(|error| SysError::io("remove", &kept, error))?;
                }
            }
            (_, None) => {
                fs::remove_file(&self.real).map_err(|error| SysError::io("remove", &self.real, error))?;
                self.remove_empty_folders();
            }
        }
        Ok(true)
    }

    /// Removes the folders above the file, as long as they are empty. Where that fails, they stay, and so do folders that
    /// a link leads to, because they belong to a person.
    fn remove_empty_folders(&self) {
        if self.real != self.shown {
            return;
        }
        let above = self.real.ancestors().skip(1);
        let mut below_base =
            above.take_while(|folder| *folder != self.base && folder.starts_with(&self.base));
        while below_base
            .next()
            .is_some_and(|folder| fs::remove_dir(folder).is_ok())
        {}
    }

    fn read(&self) -> Result<Option<Vec<u8>>, SysError> {
        sys::read_regular(&self.real, MAX_BYTES).map_err(|error| SysError::io("read", &self.shown, error))
    }

    fn refused(&self, source: EditError) -> ServiceError {
        ServiceError::AgentFile {
            path: self.shown.clone(),
            source,
        }
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, SysError> {
    sys::read_regular(path, MAX_BYTES).map_err(|error| SysError::io("read", path, error))
}

/// The path without a link on the way. Nothing needs to be there, but a link has to lead somewhere.
fn real(path: PathBuf) -> Result<PathBuf, SysError> {
    match path.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => Ok(path),
        found => found.map_err(|error| SysError::io("follow", path, error)),
    }
}
