//! Use case: bring in what another tool remembered (`mdmem import`). A reader for each form makes entries of a source;
//! what becomes of those is the same for all of them, and is one commit.

mod entry;
mod error;
mod form;
mod json;
mod plan;
mod readers;
mod reading;
mod report;
mod statements;

use std::path::{Path, PathBuf};

use self::entry::Entry;
use self::plan::{Plan, Terms, plan};
use self::reading::{Reading, check_outside};
use super::change::changing;
use super::{Changed, Context, ServiceError};
use crate::document::Forgotten;
use crate::git::{Entry as TreeEntry, Mode, trailer};
use crate::model::StorePath;
use crate::store::{CommitOutcome, Description, Snapshot, Store, StoreError, Target, Writer};
use crate::sys::SysError;
use crate::text::Redactor;

pub use error::ImportError;
pub use form::{FORMS, Form, Wanted};
pub use report::{Import, ImportFate, ImportedItem};

/// The source of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// The file or folder; without it, the place where the form usually is.
    pub path: Option<PathBuf>,
    /// Its form; without it, the form that it looks like.
    pub form: Option<Form>,
    /// The memories that a text with several statements becomes.
    pub wanted: Wanted,
    /// Says that what looks like a credential is none: it stays, and is allowed in the files that it comes into.
    pub allows_secrets: bool,
}

/// Everything that another tool remembered, and where it was read.
#[derive(Debug, Default)]
pub struct Incoming {
    /// The form, and where its history was read the state of that.
    origin: String,
    /// The files that were read.
    files: Vec<PathBuf>,
    entries: Vec<Entry>,
    allows_secrets: bool,
}

/// Reads it.
pub fn read_import(context: &Context, request: &ImportRequest) -> Result<Incoming, ServiceError> {
    let form = request.form.map_or("another tool", |form| form.name);
    let usual = request.form.and_then(|form| form.usual);
    let path = match (&request.path, usual) {
        (Some(path), _) => context.env.current_dir().join(path),
        (None, Some(usual)) => usual(context)?,
        (None, None) => return Err(ImportError::NoPlace { form }.into()),
    };
    let path = path
        .canonicalize()
        .map_err(|error| SysError::io("read", &path, error))?;
    // That plugin is looked for by name, wherever it may be.
    if form != readers::working_memory::NAME {
        check_outside(context, &path)?;
    }
    let mut reading = Reading {
        context,
        request,
        rules: context.settings().rules,
        files: Vec::new(),
        json: None,
        incoming: Incoming {
            files: vec![path.clone()],
            allows_secrets: request.allows_secrets,
            ..Incoming::default()
        },
        path,
    };
    let form = match request.form {
        Some(form) => form,
        None => reading.form()?,
    };
    let tool = form.name;
    if request.wanted == Wanted::Facts && !form.has_facts {
        return Err(ImportError::NoFacts { form: tool }.into());
    }
    tool.clone_into(&mut reading.incoming.origin);
    (form.read)(&mut reading)?;
    Ok(reading.incoming)
}

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
            redactor: (!incoming.allows_secrets).then_some(&redactor),
            forgotten: &Forgotten::default(),
            now: context.clock.now(),
        };
        plan(incoming.entries, &Snapshot::default(), &terms)
    };
    Ok(Import::of(&files, planned.items, None))
}

/// Brings it in: one commit, finished by the next writer if it is interrupted. Earlier saves of people are committed
/// first.
pub fn import(store: &Store, incoming: Incoming) -> Result<Import, ServiceError> {
    store.check_settings()?;
    let (sources, origin) = (incoming.files.clone(), incoming.origin.clone());
    let allows_secrets = incoming.allows_secrets;
    let ((mut items, outcome), aftermath) = changing(store, "mdmem import", |writer| {
        let Plan { items, files } = plan_in(store, incoming, writer.snapshot())?;
        if allows_secrets {
            writer.allow_in(&files)?;
        }
        let outcome = write(store, writer, &files, &origin)?;
        Ok((items, outcome))
    })?;
    let changed = Changed { outcome, aftermath };
    for item in items.iter_mut().filter(|item| item.fate.is_written()) {
        let path = item.path.as_ref().map(Path::new);
        if path.is_some_and(|path| changed.left_out(path)) {
            item.fate = ImportFate::LeftOut;
        }
    }
    Ok(Import::of(&sources, items, Some(changed)))
}

fn plan_in(store: &Store, incoming: Incoming, present: &Snapshot) -> Result<Plan, ServiceError> {
    let terms = Terms {
        rules: store.rules(),
        redactor: (!incoming.allows_secrets).then_some(store.redactor()),
        forgotten: &store.forgotten()?,
        now: store.now(),
    };
    Ok(plan(incoming.entries, present, &terms))
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
        .map(|(path, oid)| (path, Some(TreeEntry { oid, mode })))
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
