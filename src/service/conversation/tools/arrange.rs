//! `memory_move`, `memory_delete` and `memory_restore`: the work of `mv`, `rm` and `restore` for one memory.

use std::path::Path;

use crate::model::{Memory, Oid, StorePath};
use crate::policy::ForcedBy;
use crate::store::{FORGOTTEN, Snapshot, Store};

use super::super::super::change::{ChangedFile, Run, Transaction, commit};
use super::super::super::forget::forget_named;
use super::super::super::point::resolve_point;
use super::super::super::remove::remove_named;
use super::super::super::rename::{Destination, forced_by_move};
use super::super::super::select_memory::Reach;
use super::super::super::{Point, ServiceError, rename, restore};
use super::super::Conversations;
use super::memory::{Present, parse};
use super::write::{check_worth, left, refuses};
use super::{
    Asking, Begins, ToolChange, WhyRefused, changed, check_no_order, check_unseen, path_of, stated_path,
};

/// The folder of a memory that states no type, once it is neither pinned nor archived.
const NO_TYPE: &str = "reference/";

impl Conversations {
    /// Gives a memory another path; `None`: one in the folder of its type. Where it is shown in another way from now
    /// on, every session begins a new epoch.
    pub fn memory_move(
        &mut self,
        asking: &Asking,
        name: &str,
        to: Option<&str>,
    ) -> Result<ToolChange, ServiceError> {
        let (forced, done) = self.change_by_tool(asking, Begins::No, name, |writer, by| {
            let store = writer.store();
            let present = changeable(store, writer.snapshot(), name)?;
            let home = home(&present);
            let from = present.shown.path.as_str();
            let to = Destination::To(to.unwrap_or(&home));
            let mut tx = Transaction::new(store, writer.snapshot());
            let (renaming, _) = rename::move_named(&mut tx, from, to, by)?;
            if renaming.from != renaming.to {
                check_unseen(&renaming.to)?;
                for last in left(writer, &renaming.to)? {
                    let limit = last.limit.unwrap_or(store.rules().limit);
                    check_limit(&present.memory, limit, store).map_err(|why| present.refuses(why))?;
                }
            }
            let (renaming, outcome) = commit(writer, |tx| rename::move_named(tx, from, to, by))?;
            let done = changed(writer, &renaming.to, Vec::new(), outcome)?;
            let forced = forced_by_move(&renaming.from, &renaming.to, store.rules());
            let path = renaming.from;
            Ok((forced, ToolChange { path, ..done }))
        })?;
        self.force(asking, forced)?;
        Ok(done)
    }

    /// Removes a memory, which history keeps; or forgets it for good, with whatever says the same.
    pub fn memory_delete(
        &mut self,
        asking: &Asking,
        name: &str,
        forgets: bool,
    ) -> Result<ToolChange, ServiceError> {
        let context = self.context.clone();
        let done = self.change_by_tool(asking, Begins::No, name, |writer, by| {
            let (store, snapshot) = (writer.store(), writer.snapshot());
            let path = changeable(store, snapshot, name)?.shown.path;
            let names = [path.to_string()];
            let outcome = if forgets {
                commit(writer, |tx| forget_named(&context, tx, &names))?.1
            } else {
                commit(writer, |tx| remove_named(tx, &names, false, by))?.1
            };
            Ok(ToolChange {
                path,
                memory: None,
                redacted: Vec::new(),
                outcome,
            })
        })?;
        self.force(asking, Some(ForcedBy::Delete))?;
        Ok(done)
    }

    /// Brings a memory back as it was at a revision. A dry run gives what would change, and no memory.
    pub fn memory_restore(
        &mut self,
        asking: &Asking,
        name: &str,
        rev: &str,
        run: Run,
    ) -> Result<(Vec<ChangedFile>, Option<ToolChange>), ServiceError> {
        let point = Point {
            text: rev.to_owned(),
            time: None,
        };
        let done = self.change_by_tool(asking, Begins::No, name, |writer, by| {
            let store = writer.store();
            let from = resolve_point(store, &point)?;
            let name = past_path(store, writer.snapshot(), name, from)?.to_string();
            let not_then = || ServiceError::NotThen {
                name: name.clone(),
                point: point.text.clone(),
            };
            let past = store.load_commit(from, store.now(), writer.snapshot())?;
            let place = restore::place_of(store, &past, writer.snapshot(), &name, Reach::Whole)?;
            let then = place.then.ok_or_else(not_then)?;
            let entry = store.repo().entry_at(from, then.as_ref())?.ok_or_else(not_then)?;
            let path = place.now.unwrap_or(then);
            let then = parse(store, &path, &store.repo().blob(entry.oid)?);
            let body = then.memory.content.keyed_text();
            for words in [Some(body), then.memory.description.as_deref()]
                .into_iter()
                .flatten()
            {
                check_no_order(words)?;
            }
            check_worth(body, store)?;
            if writer.snapshot().file(&path).is_some() {
                let present = Present::read(store, writer.snapshot(), &path)?;
                present.check(None)?;
                check_limit(&then.memory, present.shown.limit, store).map_err(|why| present.refuses(why))?;
            } else {
                for last in left(writer, &path)? {
                    if last.readonly && !then.memory.readonly {
                        return Err(refuses(WhyRefused::Readonly(path)));
                    }
                    let limit = last.limit.unwrap_or(store.rules().limit);
                    check_limit(&then.memory, limit, store).map_err(refuses)?;
                }
            }
            let names = [name];
            let mut tx = Transaction::new(store, writer.snapshot());
            let files = restore::bring_back(&mut tx, from, &names)?.files;
            if tx.files.contains_key(Path::new(FORGOTTEN)) {
                return Err(refuses(WhyRefused::Forgotten));
            }
            if run == Run::Dry {
                return Ok((files, None));
            }
            let description = by.sign(restore::description(from, &point.text));
            let (_, outcome) = commit(writer, |tx| {
                Ok((restore::bring_back(tx, from, &names)?, description))
            })?;
            let done = changed(writer, &path, Vec::new(), outcome)?;
            Ok((files, Some(done)))
        })?;
        if done.1.is_some() {
            self.force(asking, Some(ForcedBy::Restore))?;
        }
        Ok(done)
    }

    /// Begins a new epoch in every session that is shown the store that was changed.
    pub(super) fn force(&mut self, asking: &Asking, by: Option<ForcedBy>) -> Result<(), ServiceError> {
        let scope = self.scope(asking.scope);
        if let (Some(by), Some(store)) = (by, self.store_of(scope).get()) {
            store.force_epochs(by)?;
        }
        Ok(())
    }
}

/// The memory that a model names; an error where no tool may change it.
fn changeable(store: &Store, snapshot: &Snapshot, name: &str) -> Result<Present, ServiceError> {
    let path = path_of(store, snapshot, name)?;
    let present = Present::read(store, snapshot, &path)?;
    present.check(None)?;
    Ok(present)
}

/// The reason to refuse an older version whose limit is above the one in force.
fn check_limit(then: &Memory, limit: u32, store: &Store) -> Result<(), WhyRefused> {
    let asked = then.limit.unwrap_or(store.rules().limit);
    if asked > limit {
        return Err(WhyRefused::RaisesLimit { asked, limit });
    }
    Ok(())
}

/// The folder in which a memory is neither pinned nor archived.
fn home(present: &Present) -> String {
    if rename::states_type(&present.shown.path, &present.bytes) {
        format!("{}/", present.memory.kind)
    } else {
        NO_TYPE.to_owned()
    }
}

/// The path of a memory that was there at `from`, else of one that is there.
fn past_path(store: &Store, snapshot: &Snapshot, name: &str, from: Oid) -> Result<StorePath, ServiceError> {
    let stated = stated_path(name)?;
    match path_of(store, snapshot, name) {
        Ok(_) if store.repo().entry_at(from, stated.as_ref())?.is_some() => Ok(stated),
        Err(ServiceError::Name(_)) => Ok(stated),
        found => found,
    }
}
