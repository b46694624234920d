//! Writing an export: only where nothing is, unless the caller says that it may be written over.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::marked_block::{Block, Marks};
use super::persons_file::{PersonsFile, check_kind, check_outside, unwritten};
use super::texts;
use super::{LeftBehind, apart, in_force};
use crate::model::{Memory, StorePath, Zone};
use crate::service::{Context, Run, ServiceError};
use crate::store::{Store, StoredFile, Workspace};
use crate::sys::{self, SysError};

/// The format of an export.
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
    /// Says that the block in AGENTS.md, which a team reads, also has who the user is.
    pub with_user: bool,
    /// Says that a file, or a block, that says something else is written over.
    pub overwrite: bool,
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
    /// It stays, because it says something else.
    Kept,
}

/// The type of the memories about the person.
const USER: &str = "user";
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
    let shown_path = |path: &StorePath, memory| (path.to_string(), texts::basic_memory(memory));
    let (path, files) = match request.form {
        ExportForm::Json => {
            let read = done.read_all(store, &open);
            done.memories = read.len();
            (
                path,
                vec![(String::new(), texts::own_form(&read, &store.rules().hot_dir))],
            )
        }
        ExportForm::Markdown => (path, vec![(String::new(), texts::markdown(&shown))]),
        ExportForm::BasicMemory => {
            let folder = path.ok_or_else(|| {
                ServiceError::said(
                    "`--to basic-memory` needs a folder",
                    "Name one: `mdmem export --to basic-memory FOLDER`.",
                )
            })?;
            check_kind(&folder, std::fs::FileType::is_dir)?;
            let files = shown.iter().map(|(_, memory)| shown_path(&memory.path, memory));
            (Some(folder), files.collect())
        }
        ExportForm::Agents if is_stdout => {
            return Err(ServiceError::said(
                "`--to agents` writes a block into a file, not to standard output",
                "Name the file, or leave out `-` for AGENTS.md in the workspace.",
            ));
        }
        ExportForm::Agents => {
            let workspace = || Workspace::of(here, context.env.home().ok().as_deref());
            let path = match path {
                Some(path) => path,
                None => workspace()?.root().join("AGENTS.md"),
            };
            let is_for_team =
                |(_, memory): &(Zone, &Memory)| request.with_user || memory.kind.as_str() != USER;
            let shown: Vec<_> = shown.into_iter().filter(is_for_team).collect();
            let (inner, within) = texts::agents_block(&shown);
            done.memories = within;
            // With nothing to say no file is made.
            if within > 0 || path.exists() {
                done.put_block(path, &inner, request)?;
            }
            return Ok(done);
        }
    };
    let Some(path) = path else {
        done.text = files.into_iter().next().map(|(_, text)| text);
        return Ok(done);
    };
    // A killed run may have left its parts here, where nobody else looks for them.
    let parents: BTreeSet<PathBuf> = files
        .iter()
        .filter_map(|(below, _)| Some(path.join(below).parent()?.to_owned()))
        .collect();
    for parent in parents.into_iter().filter(|_| request.run == Run::Real) {
        sys::remove_dead_parts_of(&parent)?;
    }
    for (below, text) in sys::each("writing files", files) {
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) if below.is_empty() => {
                check_kind(&path, std::fs::FileType::is_file)?;
                done.put(folder, Path::new(name), &text, request)?;
            }
            _ => done.put(&path, Path::new(&below), &text, request)?,
        }
    }
    Ok(done)
}

impl Exported {
    /// The files with their bytes. A file that changed since it was looked at may hold anything, and stays behind.
    fn read_all<'a>(&mut self, store: &Store, files: &[&'a StoredFile]) -> Vec<(&'a StoredFile, Vec<u8>)> {
        let mut read = Vec::with_capacity(files.len());
        for file in sys::each("reading memories", files) {
            let path = &file.memory.path;
            let reason = match store.read(path) {
                Ok(bytes) if crate::git::hash_blob(&bytes) == file.blob => {
                    read.push((*file, bytes));
                    continue;
                }
                Ok(_) => "it was being saved".to_owned(),
                Err(error) => error.to_string(),
            };
            let path = path.to_string();
            self.left_behind.push(LeftBehind { path, reason });
        }
        read
    }

    /// Writes a file, unless there is one that says something else.
    fn put(
        &mut self,
        folder: &Path,
        below: &Path,
        text: &str,
        request: &ExportRequest,
    ) -> Result<(), ServiceError> {
        let path = folder.join(below);
        let there = sys::read_if_there(folder, below, u64::MAX)?;
        let outcome = match &there {
            Some(there) if there.bytes == text.as_bytes() => FileState::Unchanged,
            Some(_) if !request.overwrite => FileState::Kept,
            _ => FileState::Written,
        };
        if outcome == FileState::Written && request.run == Run::Real {
            if there.is_some() {
                sys::write_durable(&path, text.as_bytes())?;
            } else {
                std::fs::create_dir_all(folder)
                    .map_err(|error| SysError::io("create the folder", folder, error))?;
                sys::write_new(folder, below, text.as_bytes())?;
            }
        }
        self.tell(&path, outcome);
        Ok(())
    }

    /// Writes the block into a file that is a person's.
    fn put_block(&mut self, path: PathBuf, inner: &str, request: &ExportRequest) -> Result<(), ServiceError> {
        let file = PersonsFile::read(path)?;
        let marks = Marks::of_export();
        let place = match marks.find(file.text()) {
            Block::Absent => None,
            Block::Whole(range) => Some(range),
            Block::Edited(range) if request.overwrite => Some(range),
            Block::Edited(_) => {
                let next = "Save the edits elsewhere, then run it with `--overwrite`.";
                return Err(unwritten(&file.path, "was edited since the last export", next));
            }
            Block::Torn => {
                let what = "has unpaired marks of mdmem's block";
                return Err(unwritten(
                    &file.path,
                    what,
                    "Leave one pair of marks in it, or none.",
                ));
            }
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
