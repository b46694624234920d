//! Use case: have a file of the workspace that every agent reads (AGENTS.md, CLAUDE.md) say what a memory says, and take
//! that back (`mdmem promote`). The file says it before the memory goes to the archive, and until it is back from there: a
//! run that ends in between loses nothing, and the next one does the rest.

use std::path::PathBuf;

use crate::document::{Key, KeyEdit, Value};
use crate::model::{Content, Id, StorePath, Zone};
use crate::store::{Description, Store, StoredFile};
use crate::text::without_strays;

use super::change::{Changed, Run, Transaction, changing, commit, transact};
use super::export::{Block, Marks, PersonsFile, check_outside, kept_back, one, quiet, without};
use super::remove::{check_may_change, named_paths};
use super::rename::forced_by_move;
use super::select_memory::Reach;
use super::{Context, ServiceError};

/// The files of a workspace that can say what a memory says.
pub const PROMOTION_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The direction of a promotion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promote {
    /// The file of this name says it, and the memory goes to the archive.
    To(&'static str),
    /// The file, or else whichever has it, says it no longer, and the memory is in force again.
    Undo(Option<&'static str>),
}

/// A promotion that is made or taken back, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promotion {
    /// The memory's id, by which the marks in the file know it.
    pub id: Id,
    /// The memory's path before.
    pub from: StorePath,
    /// The memory's path after.
    pub to: StorePath,
    /// The name of the file in the workspace.
    pub file: &'static str,
    /// The place of the file.
    pub place: PathBuf,
    /// The file's text before; `None`: there is no file.
    pub before: Option<String>,
    /// The file's text after.
    pub after: Option<String>,
    /// True where a file of the store changes too.
    changes_store: bool,
}

/// The reason why nothing is promoted or taken back.
#[derive(Debug, thiserror::Error)]
pub enum PromoteError {
    /// The store belongs to no folder, as the global one.
    #[error("the store {0} is that of no workspace whose files could say it")]
    NoWorkspace(String),
    /// Only what is in force is promoted.
    #[error("{0} is not in force")]
    NotInForce(StorePath),
    /// It holds what looks like a credential.
    #[error("{path} stays in the store: {reason}")]
    Credential {
        /// The memory.
        path: StorePath,
        /// The reason.
        reason: String,
    },
    /// Another file says it already.
    #[error("{path} went to {file} before")]
    Elsewhere {
        /// The memory.
        path: StorePath,
        /// The file.
        file: String,
    },
    /// A person changed what stands between the marks.
    #[error("{file} was edited between the marks of {id}: nothing was changed")]
    Edited {
        /// The name of the file.
        file: &'static str,
        /// The memory.
        id: Id,
    },
    /// The marks are not one pair.
    #[error("{file} has marks of {id} that are not one pair: nothing was changed")]
    Torn {
        /// The name of the file.
        file: &'static str,
        /// The memory.
        id: Id,
    },
    /// Nothing is there to take back.
    #[error("{0} was promoted to no file")]
    NotPromoted(StorePath),
}

/// Promotes the memory of this name, or takes its promotion back. Doing it again changes nothing.
pub fn promote(
    context: &Context,
    store: &Store,
    name: &str,
    direction: Promote,
    run: Run,
) -> Result<(Promotion, Option<Changed>), ServiceError> {
    let plan = |tx: &mut Transaction<'_>| {
        let path = named_paths(tx.snapshot, &[name.to_owned()], store, Reach::Whole)?.remove(0);
        check_may_change(tx.snapshot, &path)?;
        let file = tx
            .snapshot
            .file(&path)
            .expect("because the snapshot has named it");
        let planned = match direction {
            Promote::To(target) => promotion(context, tx, file, target),
            Promote::Undo(target) => taken_back(context, tx, file, target),
        }?;
        planned.agents_file().check_may_become(planned.after.as_deref())?;
        let description = planned.description(direction);
        Ok((planned, description))
    };
    if run == Run::Dry {
        return transact(store, "mdmem promote", run, plan);
    }
    let (done, aftermath) = changing(store, "mdmem promote", |writer| {
        // The file says it before the memory goes to the archive, and until it is back from there.
        let (before, _) = plan(&mut Transaction::new(store, writer.snapshot()))?;
        let agents_file = before.agents_file();
        let is_undo = matches!(direction, Promote::Undo(_));
        if !is_undo {
            agents_file.replace(before.after.as_deref())?;
        }
        let committed = commit(writer, |tx| {
            let (planned, description) = plan(tx)?;
            Ok(((planned.from, planned.to), description))
        });
        match &committed {
            Ok(_) if is_undo => agents_file.replace(before.after.as_deref())?,
            Err(_) if !is_undo => {
                let text = before.after.clone();
                // Where a person saved it meanwhile it stays, and the next run goes on from there.
                let _ = PersonsFile { text, ..agents_file }.replace(before.before.as_deref());
            }
            _ => {}
        }
        let (_, outcome) = committed?;
        Ok((before, outcome))
    })?;
    let (done, outcome) = done;
    let done = (done, Some(Changed { outcome, aftermath }));
    if run == Run::Real
        && let Some(by) = forced_by_move(&done.0.from, &done.0.to, store.rules())
    {
        store.force_epochs(by)?;
    }
    Ok(done)
}

impl Promotion {
    /// True where the file and the store are this way already.
    pub fn is_done(&self) -> bool {
        self.before == self.after && !self.changes_store
    }

    fn agents_file(&self) -> PersonsFile {
        PersonsFile {
            path: self.place.clone(),
            text: self.before.clone(),
        }
    }

    fn description(&self, direction: Promote) -> Description {
        let (verb, words) = match direction {
            Promote::To(_) => ("promote", "to"),
            Promote::Undo(_) => ("take back", "from"),
        };
        Description::op("move", verb)
            .about(&self.from)
            .detail(format!("{words} {}", self.file))
    }
}

fn promotion(
    context: &Context,
    tx: &mut Transaction<'_>,
    file: &StoredFile,
    target: &'static str,
) -> Result<Promotion, ServiceError> {
    let memory = &file.memory;
    let path = || memory.path.clone();
    let is_there = file.zone == Zone::Archive;
    match &memory.promoted {
        Some(other) if is_there && other != target => {
            let (path, file) = (path(), other.clone());
            return Err(PromoteError::Elsewhere { path, file }.into());
        }
        Some(_) if is_there => {}
        _ if is_there || !memory.is_active() || memory.content.keyed_text().trim().is_empty() => {
            return Err(PromoteError::NotInForce(path()).into());
        }
        _ => {}
    }
    if let Some(reason) = kept_back(file) {
        return Err(PromoteError::Credential { path: path(), reason }.into());
    }
    let agents_file = read(context, tx.store, target)?;
    let marks = Marks::of_memory(&memory.id);
    let block = found(&marks, &agents_file, target, &memory.id)?;
    let after = marks.written(
        agents_file.text.as_deref(),
        block,
        &sentence(&memory.content, file),
    );
    let to = if is_there {
        path()
    } else {
        let note = Value::Text(target.to_owned());
        tx.archive(&memory.path, vec![KeyEdit::Set(Key::Promoted, note)])?
    };
    Ok(Promotion {
        id: memory.id.clone(),
        from: path(),
        to,
        file: target,
        place: agents_file.path,
        before: agents_file.text,
        after: Some(after),
        changes_store: !tx.files.is_empty(),
    })
}

fn taken_back(
    context: &Context,
    tx: &mut Transaction<'_>,
    file: &StoredFile,
    target: Option<&'static str>,
) -> Result<Promotion, ServiceError> {
    let memory = &file.memory;
    let marks = Marks::of_memory(&memory.id);
    let noted = |name: &&'static str| memory.promoted.as_deref() == Some(*name);
    let noted = PROMOTION_FILES.into_iter().find(noted);
    // A run that was killed between the two writes has left the sentence without a note.
    let has_marks = |name: &&str| {
        let agents_file = read(context, tx.store, name);
        agents_file.is_ok_and(|agents_file| marks.find(agents_file.text()) != Block::Absent)
    };
    let named = target.filter(|name| noted == Some(*name) || has_marks(name));
    let marked = || PROMOTION_FILES.into_iter().find(has_marks);
    let name = match target {
        Some(_) => named,
        None => noted.or_else(marked),
    };
    let name = name.ok_or_else(|| PromoteError::NotPromoted(memory.path.clone()))?;
    let agents_file = read(context, tx.store, name)?;
    let block = found(&marks, &agents_file, name, &memory.id)?;
    let after = match (&agents_file.text, block) {
        (Some(text), Some(range)) => without(text, range),
        (text, _) => text.clone(),
    };
    let to = if noted == Some(name) {
        tx.bring_back(file, vec![KeyEdit::Remove(Key::Promoted)])?
    } else {
        memory.path.clone()
    };
    Ok(Promotion {
        id: memory.id.clone(),
        from: memory.path.clone(),
        to,
        file: name,
        place: agents_file.path,
        before: agents_file.text,
        after,
        changes_store: !tx.files.is_empty(),
    })
}

/// The file of this name in the store's workspace.
fn read(context: &Context, store: &Store, name: &str) -> Result<PersonsFile, ServiceError> {
    let place = store.place();
    let Some(workspace) = &place.workspace else {
        return Err(PromoteError::NoWorkspace(place.name.clone()).into());
    };
    let path = workspace.root().join(name);
    check_outside(context, &path)?;
    PersonsFile::read(path)
}

/// The place of the block of a memory, if it is there as it was written.
fn found(
    marks: &Marks,
    agents_file: &PersonsFile,
    file: &'static str,
    id: &Id,
) -> Result<Option<std::ops::Range<usize>>, ServiceError> {
    let id = id.clone();
    match marks.find(agents_file.text()) {
        Block::Absent => Ok(None),
        Block::Whole(range) => Ok(Some(range)),
        Block::Edited(_) => Err(PromoteError::Edited { file, id }.into()),
        Block::Torn => Err(PromoteError::Torn { file, id }.into()),
    }
}

/// The words of a memory between the marks: of a fact an item of a list, of a note its whole body.
fn sentence(content: &Content, file: &StoredFile) -> String {
    match content {
        Content::Fact { .. } => one(&file.memory),
        Content::Note { body } => {
            let body = body.trim().replace("\r\n", "\n");
            format!("{}\n", quiet(&without_strays(&body)))
        }
    }
}
