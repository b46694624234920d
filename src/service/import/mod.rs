//! Use case: bring in what another tool remembered (`mdmem import`). A reader for each form makes entries of a source;
//! what becomes of those is the same for all of them, and is one commit.

mod entry;
mod facts;
mod form;
mod markdown;
mod memfs;
mod plan;
#[cfg(test)]
mod readers_tests;
mod records;
mod source;
mod working_memory;

use std::path::{Path, PathBuf};

use self::entry::Entry;
use self::plan::{Plan, Terms, plan};
use self::source::{Reading, check_outside};
use super::change::{changing, commit};
use super::{Changed, Context, Done, Run, ServiceError};
use crate::document::{Forgotten, Key, KeyEdit, Value};
use crate::git::trailer;
use crate::model::Status;
use crate::store::{Description, Snapshot, Store};
use crate::sys::SysError;
use crate::text::Redactor;

pub use entry::{Import, ImportFate, ImportedItem};
pub use form::{FORMS, Form, Wanted};

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
        (None, None) => {
            let what = format!("`--from {form}` needs a file or a folder");
            return Err(ServiceError::said(what, "Name it: `mdmem import PATH`."));
        }
    };
    let path = path
        .canonicalize()
        .map_err(|error| SysError::io("read", &path, error))?;
    // That plugin is looked for by name, wherever it may be.
    if form != working_memory::NAME {
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
    let is_split = request.wanted == Wanted::Facts;
    if is_split && !form.has_facts {
        let tool = form.name;
        let what = format!("{tool} keeps one memory per file, so `--as facts` does not apply");
        return Err(ServiceError::said(what, "Leave out `--as facts`."));
    }
    form.name.clone_into(&mut reading.incoming.origin);
    (form.read)(&mut reading)?;
    let Reading {
        rules, mut incoming, ..
    } = reading;
    if is_split {
        let parts = incoming
            .entries
            .into_iter()
            .flat_map(|entry| facts::split(entry, &rules));
        incoming.entries = parts.collect();
    }
    incoming.entries = incoming.entries.into_iter().map(Entry::state_paths).collect();
    Ok(incoming)
}

/// Says what an import would do; nothing is written, and no store is made where there is none.
pub fn plan_import(context: &Context, incoming: Incoming) -> Result<Done<Import>, ServiceError> {
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
    Ok(done(&files, planned.items, Changed::default(), Run::Dry))
}

/// Brings it in: one commit, finished by the next writer if it is interrupted. Earlier saves of people are committed
/// first.
pub fn import(store: &Store, incoming: Incoming) -> Result<Done<Import>, ServiceError> {
    store.check_settings()?;
    let (sources, origin) = (incoming.files.clone(), incoming.origin.clone());
    let allows_secrets = incoming.allows_secrets;
    let ((mut items, outcome), aftermath) = changing(store, "mdmem import", |writer| {
        let Plan {
            items,
            files,
            replaced,
        } = plan_in(store, incoming, writer.snapshot())?;
        if allows_secrets {
            writer.allow_in(&files)?;
        }
        let plural = if files.len() == 1 { "memory" } else { "memories" };
        let description = Description {
            about: Some(format!("{} {plural}", files.len())),
            ..Description::op("import", "import")
        }
        .detail(format!("from {origin}"))
        .with(trailer::REASON, format!("import {origin}"));
        commit(writer, |tx| {
            tx.bring([]);
            for (path, bytes) in files {
                tx.write(path, None, Some(bytes));
            }
            for (path, new) in replaced {
                let status = Value::from(Status::Superseded.as_str());
                let edits = match new {
                    Some(new) => [
                        KeyEdit::Set(Key::Status, status),
                        KeyEdit::Set(Key::SupersededBy, Value::from(new.as_str())),
                    ],
                    None => [KeyEdit::Remove(Key::Status), KeyEdit::Remove(Key::SupersededBy)],
                };
                tx.edit(&path, &edits)?;
            }
            Ok((items, description))
        })
    })?;
    let changed = Changed { outcome, aftermath };
    for item in items.iter_mut().filter(|item| item.fate.is_written()) {
        let path = item.path.as_ref().map(Path::new);
        if path.is_some_and(|path| changed.left_out(path)) {
            item.fate = ImportFate::LeftOut;
        }
    }
    Ok(done(&sources, items, changed, Run::Real))
}

fn done(files: &[PathBuf], items: Vec<ImportedItem>, changed: Changed, run: Run) -> Done<Import> {
    let count = |fate| (fate, items.iter().filter(|item| item.fate == fate).count());
    let answer = Import {
        files: files
            .iter()
            .map(|file| file.to_string_lossy().into_owned())
            .collect(),
        counts: ImportFate::ALL.map(count).into(),
        items,
        dry_run: run == Run::Dry,
    };
    Done { answer, changed, run }
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
