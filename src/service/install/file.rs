//! One file of an agent's configuration on the disk: found, read, and replaced as a whole.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::service::{FileDifference, ServiceError};
use crate::sys::{self, NewFile, SysError, shown_path};

use super::Installed;
use super::edit::{EditError, Edited, Entry, Setup, edited};
use super::record::Record;

/// The most that is read. Claude Code's own file of the user holds more than its settings, and can be large.
pub(super) const MAX_BYTES: u64 = 16 << 20;
/// So often another program may change a file between reading and writing.
const ATTEMPTS: usize = 5;
/// The place of a file.
#[derive(Debug)]
pub(super) struct ConfigPath {
    /// The file, as a person knows it.
    shown: PathBuf,
    /// The file itself, without a link on the way.
    real: PathBuf,
    /// The folder that stays when the file goes.
    base: PathBuf,
    /// What an earlier set-up changed in it.
    record: Option<Record>,
}

impl ConfigPath {
    /// A file of a workspace. Nothing outside is written through a link that somebody committed.
    pub(super) fn in_workspace(root: &Path, below: &Path) -> Result<Self, ServiceError> {
        let path = Self::of_user(root, below)?;
        if path.real.starts_with(&path.base) {
            return Ok(path);
        }
        let target = EditError::LeadsOut(shown_path(&path.real));
        Err(path.refused(&target))
    }

    /// A file of the user's, who may have put a link in its place.
    pub(super) fn of_user(base: &Path, below: &Path) -> Result<Self, ServiceError> {
        let base = real(base.to_owned())?;
        let parts = below.iter();
        let real = parts
            .into_iter()
            .try_fold(base.clone(), |folder, part| real(folder.join(part)))?;
        let shown = base.join(below);
        Ok(Self {
            shown,
            real,
            base,
            record: None,
        })
    }

    pub(super) fn real(&self) -> &Path {
        &self.real
    }

    pub(super) fn has_record(&self) -> bool {
        self.record.as_ref().is_some_and(Record::exists)
    }

    pub(super) fn with_record(self, record: Option<Record>) -> Self {
        Self { record, ..self }
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
            Some(bytes) => str::from_utf8(bytes).map_err(|_| self.refused(&EditError::NoText))?,
            None => "",
        };
        let known = before
            .as_ref()
            .and_then(|_| self.record.as_ref()?.before(text.as_bytes()));
        let base = known.as_ref().unwrap_or(&before).clone();
        let base_text = String::from_utf8_lossy(base.as_deref().unwrap_or_default());
        let edited = match (setup, &known) {
            // What somebody has of their own stays as it was, whatever an earlier set-up wrote.
            (Setup::TakeBack, Some(_)) => Edited {
                text: base_text.into_owned(),
                left: Vec::new(),
            },
            _ => edited(entries, &base_text, setup).map_err(|error| self.refused(&error))?,
        };
        let is_changed = edited.text != text;
        // Without its target a link leads nowhere, and the next set-up could not follow it.
        let is_link = self.shown.is_symlink();
        let is_there = if is_changed {
            is_link || matches!(known, Some(Some(_))) || !edited.text.is_empty()
        } else {
            before.is_some()
        };
        let is_readonly = || fs::metadata(&self.real).is_ok_and(|file| file.permissions().readonly());
        if is_changed && before.is_some() && is_readonly() {
            return Err(self.refused(&EditError::ReadOnly));
        }
        let is_whole = matches!(entries, [Entry::Whole(_)]);
        let kept = match setup {
            // A name that no agent loads, so that what somebody changed in the plugin is not lost.
            Setup::Connect if is_whole && is_changed && before.is_some() => self
                .copies()
                .find(|copy| copy.symlink_metadata().is_err() || is_copy(copy, before.as_deref()))
                .into_iter()
                .collect(),
            Setup::TakeBack if is_whole && is_changed => self
                .copies()
                .take_while(|copy| copy.symlink_metadata().is_ok())
                .collect(),
            _ => Vec::new(),
        };
        let after = is_there.then(|| edited.text.into_bytes());
        let shown = shown_path(&self.shown).trim_start_matches('/').to_owned();
        let side = |bytes: &Option<Vec<u8>>| Some((shown.clone(), bytes.clone()?));
        Ok(Installed {
            agent,
            path: self.shown.clone(),
            change: match (&before, &after) {
                (before, after) if before == after => "same",
                (None, _) => "added",
                (_, None) => "removed",
                (Some(_), Some(_)) => "edited",
            },
            diff: (!is_whole).then(|| FileDifference::of(side(&before), side(&after)).diff),
            left: edited.left,
            kept,
            before,
            base,
            after,
        })
    }

    /// The names of the copies of what was in the file's place: `mdmem.ts.old`, `mdmem.ts.old-2` and so on.
    fn copies(&self) -> impl Iterator<Item = PathBuf> {
        let name = self.real.file_name().unwrap_or_default().to_string_lossy();
        std::iter::once(format!("{name}.old"))
            .chain((2..).map(move |number| format!("{name}.old-{number}")))
            .map(|name| self.real.with_file_name(name))
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
            let was_edited = self.has_record() && plan.base == plan.before;
            let may_be_ours = was_edited && matches!(entries, [Entry::InTheWay(..), ..]);
            let is_fresh = !may_be_ours && has_nothing_of(entries, plan.base.as_deref());
            if self.is_written(&plan, setup)? {
                self.keep_record(&plan, setup, is_fresh);
                return Ok(plan);
            }
            plan = self.plan(plan.agent, entries, setup)?;
        }
        Err(self.refused(&EditError::Contended))
    }

    /// Keeps what was changed of a file that had nothing of ours. Where that fails, an undo takes out the entries alone.
    fn keep_record(&self, plan: &Installed, setup: Setup, is_fresh: bool) {
        let Some(record) = &self.record else { return };
        if plan.before == plan.after {
            return;
        }
        let text = |bytes: &Option<Vec<u8>>| bytes.clone().and_then(|bytes| String::from_utf8(bytes).ok());
        match text(&plan.after).filter(|_| setup == Setup::Connect && is_fresh && plan.kept.is_empty()) {
            Some(after) => {
                if let Err(error) = record.keep(text(&plan.base).as_deref(), &after) {
                    tracing::debug!(%error, "what a set-up changed is not kept");
                }
            }
            // What it says of another content of the file stays true.
            None if setup == Setup::Connect => {}
            None => record.forget(),
        }
    }

    fn is_written(&self, plan: &Installed, setup: Setup) -> Result<bool, ServiceError> {
        if plan.before == plan.after {
            return Ok(true);
        }
        let new = |path: &Path, bytes: &[u8]| {
            let (folder, name) = path
                .parent()
                .zip(path.file_name())
                .expect("because it is a file in a folder");
            fs::create_dir_all(folder).map_err(|error| SysError::io("create the folder", folder, error))?;
            Ok::<_, SysError>(sys::write_new(folder, name, bytes)? == NewFile::Written)
        };
        match (&plan.before, &plan.after) {
            (None, Some(after)) => return Ok(new(&self.real, after)?),
            (Some(before), _) if self.read()?.as_ref() != Some(before) => return Ok(false),
            (Some(before), Some(after)) => {
                if setup == Setup::Connect
                    && let Some(copy) = plan.kept.first()
                    && !is_copy(copy, Some(before))
                    && !new(copy, before)?
                {
                    return Ok(false);
                }
                sys::write_durable(&self.real, after)?;
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

    fn refused(&self, source: &EditError) -> ServiceError {
        ServiceError::said(
            format!("{}: {source}", shown_path(&self.shown)),
            "Nothing was changed. Fix the file and run it again, or write the entry yourself: `--dry-run` \
             in an empty folder shows it.",
        )
    }
}

/// Says whether a copy has these bytes already: a process may have been killed behind it.
fn is_copy(copy: &Path, bytes: Option<&[u8]>) -> bool {
    let there = sys::read_regular(copy, MAX_BYTES);
    there.is_ok_and(|there| there.is_some() && there.as_deref() == bytes)
}

/// Says whether a file has none of these entries. A permission alone may be somebody's own: mdmem puts none without hooks.
fn has_nothing_of(entries: &[Entry], bytes: Option<&[u8]>) -> bool {
    let entries = entries.iter().filter(|entry| !matches!(entry, Entry::Rule(_)));
    let telling: Vec<Entry> = entries.cloned().collect();
    str::from_utf8(bytes.unwrap_or_default()).is_ok_and(|text| {
        let without = edited(&telling, text, Setup::TakeBack);
        without.is_ok_and(|without| without.text == text)
    })
}

/// The path without a link on the way. Nothing needs to be there, but a link has to lead somewhere.
fn real(path: PathBuf) -> Result<PathBuf, SysError> {
    match path.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => Ok(path),
        found => found.map_err(|error| SysError::io("follow", path, error)),
    }
}
