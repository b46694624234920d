//! Writing an export: only where nothing is, or an earlier export that nobody changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::chosen::{LeftBehind, apart, in_force};
use super::marked_block::{Block, Marks};
use super::persons_file::{PersonsFile, check_kind, check_outside};
use super::seal::{BASIC_MEMORY, JSON, MARKDOWN, Seal};
use super::{ExportError, json, texts};
use crate::service::{Context, Run, ServiceError};
use crate::store::{Store, StoredFile, Workspace};
use crate::sys::{self, FileBytes, SysError};

/// The most bytes of an earlier export that are read.
const MOST_BYTES: u64 = 512 << 20;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// mdmem's own form, complete: import reads it
    Json,
    /// One file for people
    Markdown,
    /// A folder for basic-memory
    BasicMemory,
    /// A block in AGENTS.md
    Agents,
}

/// The wish of a caller.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The form.
    pub form: ExportForm,
    /// The file or folder; without it the text is given back, and the block goes into AGENTS.md of the workspace.
    pub path: Option<PathBuf>,
    /// Says that an earlier export is written over although it was changed by hand.
    pub overwrite_edited: bool,
    /// Says whether anything is written.
    pub run: Run,
}

/// The report of an export.
#[derive(Debug, Serialize)]
pub struct Exported {
    /// The number of memories that were exported.
    pub memories: usize,
    /// The files, in order.
    pub files: Vec<ExportedFile>,
    /// The memories that stayed behind.
    pub left_behind: Vec<LeftBehind>,
    /// The text, where no file was named.
    pub text: Option<String>,
}

/// One file of an export.
#[derive(Debug, Serialize)]
pub struct ExportedFile {
    /// The file.
    pub path: String,
    /// What became of it.
    pub outcome: FileState,
}

/// The state of a file of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// It was written, or would be.
    Written,
    /// It says this already.
    Unchanged,
    /// It stays, because a person wrote or changed it.
    Kept,
}

/// The path that stands for standard output; a file of this name is `./-`.
const STDOUT: &str = "-";

/// Exports the memories of a store. Nothing in the store changes.
pub fn export(context: &Context, store: &Store, request: &ExportRequest) -> Result<Exported, ServiceError> {
    let present = store.load()?;
    let (open, left_behind) = apart(&present);
    let shown = in_force(&open, store.rules());
    let mut done = Exported {
        memories: shown.len(),
        files: Vec::new(),
        left_behind,
        text: None,
    };
    let here = context.env.current_dir();
    let is_stdout = request.path.as_deref() == Some(Path::new(STDOUT));
    let path = request.path.as_ref().filter(|_| !is_stdout);
    let path = path.map(|path| here.join(path));
    if let Some(path) = &path {
        check_outside(context, path)?;
    }
    match (request.form, path) {
        (ExportForm::Json, path) => {
            let read = done.read_all(store, &open);
            done.memories = read.len();
            let ids = present.files.iter().map(|file| &file.memory.id).collect();
            let is_of_others = |there: &str| json::is_of_others(there, &ids);
            let text = json::file(&read, &store.rules().hot_dir);
            done.put(&JSON, path, text, request, &is_of_others)?;
        }
        (ExportForm::Markdown, path) => {
            done.put(&MARKDOWN, path, texts::markdown(&shown), request, &|_| false)?;
        }
        (ExportForm::BasicMemory, None) => return Err(ExportError::NoFolder.into()),
        (ExportForm::BasicMemory, Some(folder)) => {
            check_kind(&folder, std::fs::FileType::is_dir)?;
            let parents: BTreeSet<&str> = shown.iter().map(|(_, memory)| memory.path.parent()).collect();
            for parent in parents.into_iter().filter(|_| request.run == Run::Real) {
                sys::remove_dead_parts_of(&folder.join(parent))?;
            }
            for (_, memory) in &shown {
                let text = texts::basic_memory(memory);
                done.put_in(
                    &BASIC_MEMORY,
                    &folder,
                    memory.path.as_str(),
                    &text,
                    request,
                    &|_| false,
                )?;
            }
        }
        (ExportForm::Agents, _) if is_stdout => return Err(ExportError::NoFile.into()),
        (ExportForm::Agents, path) => {
            let workspace = || Workspace::of(here, context.env.home().ok().as_deref());
            let path = match path {
                Some(path) => path,
                None => workspace()?.root().join("AGENTS.md"),
            };
            let (inner, within) = texts::agents_block(&shown);
            done.memories = within;
            done.put_block(path, &inner, request)?;
        }
    }
    Ok(done)
}

impl Exported {
    /// The files with their bytes. A file that changed since it was looked at may hold anything, and stays behind.
    fn read_all<'a>(&mut self, store: &Store, files: &[&'a StoredFile]) -> Vec<(&'a StoredFile, Vec<u8>)> {
        let mut read = Vec::with_capacity(files.len());
        for file in files {
            let path = &file.memory.path;
            let reason = match store.read(path) {
                Ok(bytes) if crate::git::hash_blob(&bytes) == file.blob => {
                    read.push((*file, bytes));
                    continue;
                }
                Ok(_) => "it was saved at this moment".to_owned(),
                Err(error) => error.to_string(),
            };
            let path = path.to_string();
            self.left_behind.push(LeftBehind { path, reason });
        }
        read
    }

    /// Writes one file, or gives its text back. What a person wrote or changed is an error.
    fn put(
        &mut self,
        seal: &Seal,
        path: Option<PathBuf>,
        text: String,
        request: &ExportRequest,
        is_of_others: &dyn Fn(&str) -> bool,
    ) -> Result<(), ServiceError> {
        let Some(path) = path else {
            self.text = Some(text);
            return Ok(());
        };
        check_kind(&path, std::fs::FileType::is_file)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or(&path);
        match self.put_in(seal, folder, &name, &text, request, is_of_others)? {
            Some(kept) => Err(kept.into()),
            None => Ok(()),
        }
    }

    /// Writes one of many files; what a person wrote or changed stays, for the reason that is given back.
    fn put_in(
        &mut self,
        seal: &Seal,
        folder: &Path,
        below: &str,
        text: &str,
        request: &ExportRequest,
        is_of_others: &dyn Fn(&str) -> bool,
    ) -> Result<Option<ExportError>, ServiceError> {
        let path = folder.join(below);
        let there = sys::read_if_there(folder, below, MOST_BYTES)?.map(FileBytes::into_text);
        // A loss of power may leave an empty file of an earlier export.
        let filled = there.as_deref().filter(|there| !there.is_empty());
        let kept = filled.and_then(|there| match seal.check(there) {
            _ if is_of_others(there) => Some(ExportError::OtherStore(path.clone())),
            None => Some(ExportError::Foreign(path.clone())),
            Some(false) if !request.overwrite_edited => Some(ExportError::Edited(path.clone())),
            Some(_) => None,
        });
        let outcome = match &there {
            _ if kept.is_some() => FileState::Kept,
            Some(there) if there == text => FileState::Unchanged,
            _ => FileState::Written,
        };
        if outcome == FileState::Written && request.run == Run::Real {
            if there.is_none() && request.form == ExportForm::BasicMemory {
                std::fs::create_dir_all(folder)
                    .map_err(|error| SysError::io("create the folder", folder, error))?;
                sys::write_new_unflushed(folder, below, text.as_bytes())?;
            } else {
                // A killed run may have left its part here, where nobody else looks for it.
                sys::remove_dead_parts_of(path.parent().unwrap_or(folder))?;
                sys::write_durable(&path, text.as_bytes())?;
            }
        }
        self.tell(&path, outcome);
        Ok(kept)
    }

    /// Writes the block into a file that is a person's.
    fn put_block(&mut self, path: PathBuf, inner: &str, request: &ExportRequest) -> Result<(), ServiceError> {
        let file = PersonsFile::read(path)?;
        let marks = Marks::of_export();
        let place = match marks.find(file.text()) {
            Block::Absent => None,
            Block::Whole(range) => Some(range),
            Block::Edited(range) if request.overwrite_edited => Some(range),
            Block::Edited(_) => return Err(ExportError::Edited(file.path).into()),
            Block::Torn => return Err(ExportError::Torn(file.path).into()),
        };
        let new = marks.written(file.text.as_deref(), place, inner);
        if request.run == Run::Real {
            file.replace(Some(&new))?;
        }
        let outcome = if file.text.as_ref() == Some(&new) {
            FileState::Unchanged
        } else {
            FileState::Written
        };
        self.tell(&file.path, outcome);
        Ok(())
    }

    fn tell(&mut self, path: &Path, outcome: FileState) {
        let path = path.to_string_lossy().into_owned();
        self.files.push(ExportedFile { path, outcome });
    }
}
