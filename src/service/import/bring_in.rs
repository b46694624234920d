//! Writing what came in: every file in one commit. A file that cannot be written where it should be is left out, and named.

use std::path::{Path, PathBuf};

use super::incoming::{Incoming, SecretsFound};
use super::plan::{Plan, Terms, plan};
use super::report::{Import, ImportFate};
use crate::document::Forgotten;
use crate::git::{Entry, Mode, trailer};
use crate::model::StorePath;
use crate::service::change::changing;
use crate::service::{Changed, Context, ServiceError};
use crate::store::{CommitOutcome, Description, Snapshot, Store, StoreError, Target, Writer};
use crate::text::Redactor;

/// Says what an import would do; nothing is written, and no store is made where there is none.
pub fn plan_import(context: &Context, incoming: Incoming) -> Result<Import, ServiceError> {
    let files = incoming.files.clone();
    let planned = if let Some(store) = context.open_existing()? {
        store.check_settings()?;
        plan_in(&store, incoming, &store.load()?)?
    } else {
        let settings = context.sources()?.settings(None);
        let redactor = Redactor::new(&settings.redact_patterns)?;
        let terms = Terms {
            rules: &settings.rules,
            redactor: taking_out(&redactor, &incoming),
            forgotten: &Forgotten::default(),
            now: context.clock.now(),
        };
        plan(incoming, &Snapshot::default(), &terms)
    };
    Ok(Import {
        files,
        items: planned.items,
        changed: None,
    })
}

/// Brings it in: one commit, finished by the next writer if it is interrupted. Earlier saves of people are committed
/// first.
pub fn import(store: &Store, incoming: Incoming) -> Result<Import, ServiceError> {
    store.check_settings()?;
    let (files, tool) = (incoming.files.clone(), incoming.tool);
    let origin = incoming
        .revision
        .as_ref()
        .map_or_else(|| tool.to_owned(), |revision| format!("{tool} at {revision}"));
    let secrets = incoming.secrets;
    let ((mut items, outcome), aftermath) = changing(store, "mdmem import", |writer| {
        let Plan { items, files } = plan_in(store, incoming, writer.snapshot())?;
        if secrets == SecretsFound::Allowed {
            writer.allow_in(&files)?;
        }
        let outcome = write(store, writer, &files, &origin)?;
        Ok((items, outcome))
    })?;
    let changed = Changed { outcome, aftermath };
    for item in &mut items {
        let path = item.path.as_ref().map(|path| Path::new(path.as_str()));
        if item.fate.is_written() && path.is_some_and(|path| changed.left_out(path)) {
            item.fate = ImportFate::LeftOut;
        }
    }
    Ok(Import {
        files,
        items,
        changed: Some(changed),
    })
}

fn plan_in(store: &Store, incoming: Incoming, present: &Snapshot) -> Result<Plan, ServiceError> {
    let terms = Terms {
        rules: store.rules(),
        redactor: taking_out(store.redactor(), &incoming),
        forgotten: &store.forgotten()?,
        now: store.now(),
    };
    Ok(plan(incoming, present, &terms))
}

/// The redactor for what comes in; `None` where everything stays.
fn taking_out<'r>(redactor: &'r Redactor, incoming: &Incoming) -> Option<&'r Redactor> {
    (incoming.secrets == SecretsFound::TakenOut).then_some(redactor)
}

fn write(
    store: &Store,
    writer: &mut Writer<'_>,
    files: &[(StorePath, Vec<u8>)],
    origin: &str,
) -> Result<CommitOutcome, ServiceError> {
    if files.is_empty() {
        return Ok(CommitOutcome::Nothing);
    }
    let blobs = store.repo().write_files(files).map_err(StoreError::from)?;
    let mode = Mode::Plain;
    let paths = files.iter().map(|(path, _)| PathBuf::from(path.as_str()));
    let targets: Vec<Target> = paths
        .zip(blobs)
        .map(|(path, oid)| (path, Some(Entry { oid, mode })))
        .collect();
    let plural = if files.len() == 1 { "memory" } else { "memories" };
    let description = Description {
        about: Some(format!("{} {plural}", files.len())),
        ..Description::op("import", "import")
    }
    .detail(format!("from {origin}"))
    .with(trailer::REASON, format!("import {origin}"));
    Ok(writer.transition(&targets, &description)?)
}
