//! A store as a server keeps it: opened once, for as long as nothing says that it is another.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::store::{Beginning, MassDeletion, Snapshot, Store, Writer};
use crate::sys::Deadline;

use super::change::{Aftermath, change, pack_if_needed};
use super::shared_files::SharedFiles;
use super::{Context, ServiceError};

/// The name of the store's holder while a server writes.
const COMMAND: &str = "mdmem serve";

/// The store of a context, where there is one.
pub(super) struct OpenStore {
    context: Context,
    store: Option<Store>,
    files: Arc<SharedFiles>,
}

impl OpenStore {
    /// Nothing is opened yet. `files` are those of the store.
    pub(super) const fn new(context: Context, files: Arc<SharedFiles>) -> Self {
        Self {
            context,
            store: None,
            files,
        }
    }

    /// The store as it was opened last.
    pub(super) const fn get(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// The store, opened anew where its repository or a setting changed; `None` where there is none yet.
    pub(super) fn existing(&mut self) -> Result<Option<&Store>, ServiceError> {
        if !self.is_current()? {
            self.close();
            self.store = self.context.open_existing()?;
        }
        Ok(self.get())
    }

    /// The same, made where there is none: something is to be remembered.
    pub(super) fn or_created(&mut self) -> Result<&Store, ServiceError> {
        if !self.is_current()? {
            self.close();
            let (store, _) = self.context.open_or_create(Beginning::ByNeed)?;
            self.store = Some(store);
        }
        Ok(self.store.as_ref().expect("because it was just opened"))
    }

    fn is_current(&self) -> Result<bool, ServiceError> {
        match &self.store {
            Some(store) => self.context.is_current(store),
            None => Ok(false),
        }
    }

    fn close(&mut self) {
        if self.store.take().is_some() {
            self.files.forget();
        }
    }

    /// The files as they are now, where there is a store.
    pub(super) fn snapshot(&mut self) -> Result<Option<(&Store, Arc<Snapshot>)>, ServiceError> {
        self.existing()?;
        let Some(store) = &self.store else { return Ok(None) };
        Ok(Some((store, self.files.snapshot(store, store.now())?)))
    }

    /// Takes the store for writing by `deadline`, commits what people saved before, does the work, and brings MEMORY.md
    /// up to date.
    pub(super) fn change<T>(
        &mut self,
        deadline: Deadline,
        work: impl FnOnce(&mut Writer<'_>) -> Result<T, ServiceError>,
    ) -> Result<(T, Aftermath), ServiceError> {
        let store = self.store.as_ref().expect("because it was opened for writing");
        store.check_settings()?;
        let mut is_everything_swept = false;
        let done = self
            .files
            .write(store, COMMAND, Some(deadline), |writer, unswept| {
                writer.check_may_write()?;
                let paths = unswept.replace(BTreeSet::new());
                is_everything_swept = paths.is_none();
                let swept = match &paths {
                    Some(paths) => writer.absorb(paths)?,
                    None => writer.sweep(MassDeletion::Ask)?,
                };
                change(writer, swept, work)
            })?;
        // Counting loose objects takes as long as a commit: who watches the store does it, without a hook behind it.
        if is_everything_swept {
            pack_if_needed(store);
        }
        Ok(done)
    }

    /// Commits what people saved before, at the end of a server.
    pub(super) fn sweep(&mut self, deadline: Deadline) -> Result<(), ServiceError> {
        if self.existing()?.is_some() {
            self.change(deadline, |_| Ok(()))?;
        }
        Ok(())
    }
}
