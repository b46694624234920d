//! Use case: have a file of the workspace that every agent reads (AGENTS.md, CLAUDE.md) say what a memory says, and take
//! that back (`mdmem promote`). The file says it before the memory goes to the archive, and until it is back from there: a
//! run that ends in between loses nothing, and the next one does the rest.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::document::{Key, KeyEdit, Value};
use crate::model::{Content, Id, Memory, StorePath, Zone};
use crate::store::{Description, Store, StoredFile};
use crate::sys::{lossy, shell_word};
use crate::text::without_strays;

use super::change::{Changed, Done, Run, Transaction, changing, commit, transact};
use super::export::{Block, Marks, PersonsFile, check_outside, kept_back, one, quiet, without};
use super::remove::{check_may_change, named_paths};
use super::rename::forced_by_move;
use super::select_memory::Reach;
use super::{ChangeKind, Context, FileDifference, ServiceError};

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Promotion {
    /// The memory's id, by which the marks in the file know it.
    pub id: Id,
    /// The memory's path before.
    pub from: StorePath,
    /// The memory's path after.
    pub to: StorePath,
    /// The name of the file in the workspace.
    #[serde(skip)]
    pub name: &'static str,
    /// The place of the file.
    #[serde(rename = "file", serialize_with = "lossy")]
    pub place: PathBuf,
    /// What becomes of the file; `None`: it stays as it is.
    #[serde(serialize_with = "change_word")]
    pub change: Option<ChangeKind>,
    /// That line by line.
    pub diff: String,
    #[serde(skip)]
    before: Option<String>,
    #[serde(skip)]
    after: Option<String>,
    /// True where a file of the store changes too.
    #[serde(skip)]
    changes_store: bool,
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it so"
)]
fn change_word<S: Serializer>(change: &Option<ChangeKind>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(change.map_or("same", ChangeKind::as_str))
}

/// Promotes the memory of this name, or takes its promotion back. Doing it again changes nothing.
pub fn promote(
    context: &Context,
    store: &Store,
    name: &str,
    direction: Promote,
    run: Run,
) -> Result<Done<Promotion>, ServiceError> {
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
    let (answer, outcome) = done;
    if let Some(by) = forced_by_move(&answer.from, &answer.to, store.rules()) {
        store.force_epochs(by)?;
    }
    Ok(Done::real(answer, Changed { outcome, aftermath }))
}

impl Promotion {
    fn of(
        tx: &Transaction<'_>,
        memory: &Memory,
        to: StorePath,
        name: &'static str,
        file: PersonsFile,
        after: Option<String>,
    ) -> Self {
        let side = |text: &'_ Option<String>| {
            text.as_ref()
                .map(|text| (name.to_owned(), text.clone().into_bytes()))
        };
        let difference = FileDifference::of(side(&file.text), side(&after));
        Self {
            id: memory.id.clone(),
            from: memory.path.clone(),
            to,
            name,
            place: file.path,
            change: (file.text != after).then_some(difference.change),
            diff: difference.diff,
            before: file.text,
            after,
            changes_store: !tx.files.is_empty(),
        }
    }

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
            .detail(format!("{words} {}", self.name))
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
            let (path, word) = (path(), shell_word(memory.path.as_str()));
            return Err(ServiceError::said(
                format!("{path} was already promoted to {other}"),
                format!("`mdmem promote --undo {word}` undoes that."),
            ));
        }
        Some(_) if is_there => {}
        _ if is_there || !memory.is_active() || memory.content.keyed_text().trim().is_empty() => {
            return Err(ServiceError::said(
                format!("{} is not active", memory.path),
                format!("`mdmem why {}` says why.", shell_word(memory.path.as_str())),
            ));
        }
        _ => {}
    }
    if let Some(reason) = kept_back(file) {
        return Err(ServiceError::said(
            format!("{} cannot be promoted: {reason}", memory.path),
            format!(
                "If it is harmless, `mdmem allow {}`.",
                shell_word(memory.path.as_str())
            ),
        ));
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
    Ok(Promotion::of(tx, memory, to, target, agents_file, Some(after)))
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
    let name = name.ok_or_else(|| {
        ServiceError::said(
            format!("{} was not promoted", memory.path),
            "`mdmem list --all` lists every memory; promoted ones have the key `promoted` in their file.",
        )
    })?;
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
    Ok(Promotion::of(tx, memory, to, name, agents_file, after))
}

/// The file of this name in the store's workspace.
fn read(context: &Context, store: &Store, name: &str) -> Result<PersonsFile, ServiceError> {
    let place = store.place();
    let Some(workspace) = &place.workspace else {
        return Err(ServiceError::said(
            format!("the store {} has no workspace to promote to", place.name),
            "`mdmem --global export --to agents FILE` writes all its memories into a file.",
        ));
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
    match marks.find(agents_file.text()) {
        Block::Absent => Ok(None),
        Block::Whole(range) => Ok(Some(range)),
        Block::Edited(_) => Err(ServiceError::said(
            format!("nothing was changed: {file} was edited between the marks of {id}"),
            format!(
                "Remove the two marks to keep the text; `mdmem promote --undo {id}` then only restores \
                 the memory."
            ),
        )),
        Block::Torn => Err(ServiceError::said(
            format!("nothing was changed: {file} has unpaired marks of {id}"),
            "Leave one pair of marks in it, or none, then run it again.",
        )),
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
