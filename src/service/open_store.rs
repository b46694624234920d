//! A store as a server keeps it: opened once, and loaded once, for as long as nothing says that it is another.

use std::sync::Arc;

use crate::store::{Beginning, Loaded, MassDeletion, Snapshot, Store, Writer};
use crate::sys::Deadline;

use super::change::{Aftermath, change, pack_if_needed};
use super::touched::Touched;
use super::{Context, ServiceError};

/// The name of the store's holder while a server writes.
const COMMAND: &str = "mdmem serve";

/// The store of a context, where there is one.
pub(super) struct OpenStore {
    context: Context,
    store: Option<Store>,
    /// The files as the last writer or reader left them loaded.
    loaded: Option<Loaded>,
    touched: Arc<Touched>,
}

impl OpenStore {
    /// Nothing is opened yet. `touched` tells what happened to the files since they were loaded.
    pub(super) const fn new(context: Context, touched: Arc<Touched>) -> Self {
        Self {
            context,
            store: None,
            loaded: None,
            touched,
        }
    }

    /// The store as it was opened last.
    pub(super) const fn get(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// The store, opened anew where its repository or a setting changed; `None` where there is none yet.
    pub(super) fn existing(&mut self) -> Result<Option<&Store>, ServiceError> {
        if !self.is_current()? {
            self.put(None);
            self.store = self.context.open_existing()?;
        }
        Ok(self.get())
    }

    /// The same, made where there is none: something is to be remembered.
    pub(super) fn or_created(&mut self) -> Result<&Store, ServiceError> {
        if !self.is_current()? {
            self.put(None);
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

    fn put(&mut self, store: Option<Store>) {
        self.store = store;
        self.loaded = None;
    }

    /// The files as they are now, where there is a store.
    pub(super) fn snapshot(&mut self) -> Result<Option<(&Store, &Snapshot)>, ServiceError> {
        self.existing()?;
        let Some(store) = &self.store else { return Ok(None) };
        let known = self.touched.take().zip(self.loaded.take());
        let loaded = match known {
            Some((paths, mut loaded)) => {
                store.load_again(&mut loaded, &paths)?;
                loaded
            }
            None => store.load_all()?,
        };
        let loaded = self.loaded.insert(loaded);
        Ok(Some((store, loaded.snapshot())))
    }

    /// Takes the store for writing by `deadline`, commits what people saved before, does the work, and brings MEMORY.md
    /// up to date. An error leaves nothing loaded, so that the next writer reads everything anew.
    pub(super) fn change<T>(
        &mut self,
        deadline: Deadline,
        work: impl FnOnce(&mut Writer<'_>) -> Result<T, ServiceError>,
    ) -> Result<(T, Aftermath), ServiceError> {
        let store = self.store.as_ref().expect("because it was opened for writing");
        store.check_settings()?;
        let (paths, loaded) = self.touched.take().zip(self.loaded.take()).unzip();
        let mut writer = store.writer_by(COMMAND, deadline, loaded)?;
        writer.check_may_write()?;
        let swept = match &paths {
            Some(paths) => writer.absorb(paths)?,
            None => writer.sweep(MassDeletion::Ask)?,
        };
        let done = change(&mut writer, swept, work)?;
        self.loaded = Some(writer.into_loaded());
        // Counting loose objects takes as long as a commit: who watches the store does it, without a hook behind it.
        if paths.is_none() {
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
