//! Writing an export: only where nothing is, or an earlier export that nobody changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::agents_block;
use super::chosen::{LeftBehind, apart, in_force};
use super::marked_block::{Block, Marks};
use super::persons_file::{PersonsFile, check_kind, check_outside};
use super::{ExportError, basic_memory, json, markdown};
use crate::model::StorePath;
use crate::service::{Context, Run, ServiceError};
use crate::store::{Store, StoredFile, Workspace};
use crate::sys::{self, SysError};

/// The most bytes of an earlier export that are read.
const MOST_BYTES: u64 = 512 << 20;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// mdmem's own JSON, complete.
    Json,
    /// One markdown file.
    Markdown,
    /// A folder for basic-memory.
    BasicMemory,
    /// A block in AGENTS.md.
    Agents,
}

/// The treatment of an earlier export that was changed by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays.
    Never,
    /// It is written over.
    Edited,
}

/// The wish of a caller.
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The form.
    pub form: ExportForm,
    /// The file or folder; without it the text is given back, and the block goes into AGENTS.md of the workspace.
    pub path: Option<PathBuf>,
    /// The treatment of edited exports.
    pub overwrite: Overwrite,
    /// Says whether anything is written.
    pub run: Run,
}

/// The report of an export.
#[derive(Debug)]
pub struct Exported {
    /// The files, in order.
    pub files: Vec<ExportedFile>,
    /// The memories that stayed behind.
    pub behind: Vec<LeftBehind>,
    /// The number of memories that were exported.
    pub memories: usize,
    /// The text, where no file was named.
    pub text: Option<String>,
}

/// One file of an export.
#[derive(Debug)]
pub struct ExportedFile {
    /// The file.
    pub path: PathBuf,
    /// Its state.
    pub state: FileState,
}

/// The state of a file of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// It was written, or would be.
    Written,
    /// It says this already.
    Same,
    /// It stays, because a person wrote or changed it.
    Kept,
}

impl FileState {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Same => "unchanged",
            Self::Kept => "kept",
        }
    }
}

/// The path that stands for standard output; a file of this name is `./-`.
const STDOUT: &str = "-";

/// Exports the memories of a store. Nothing in the store changes.
pub fn export(context: &Context, store: &Store, request: &ExportRequest) -> Result<Exported, ServiceError> {
    let present = store.load()?;
    let (open, mut behind) = apart(&present);
    let shown = in_force(&open, store.rules());
    let mut done = Exported {
        files: Vec::new(),
        behind: Vec::new(),
        memories: shown.len(),
        text: None,
    };
    let is_stdout = request.path.as_deref() == Some(Path::new(STDOUT));
    let path = request.path.as_ref().filter(|_| !is_stdout);
    let path = path.map(|path| context.env.current_dir().join(path));
    if let Some(path) = &path {
        check_outside(context, path)?;
    }
    match (request.form, path) {
        (ExportForm::Json, path) => {
            let read = read_all(store, &open, &mut behind);
            done.memories = read.len();
            if let Some(path) = &path {
                let ids = present.files.iter().map(|file| &file.memory.id).collect();
                if read_text(path)?.is_some_and(|there| json::is_of_others(&there, &ids)) {
                    return Err(ExportError::OtherStore(path.clone()).into());
                }
            }
            done.put(
                path,
                json::file(&read, &store.rules().hot_dir),
                &json::is_export,
                request,
            )?;
        }
        (ExportForm::Markdown, path) => {
            done.put(path, markdown::file(&shown), &markdown::is_export, request)?;
        }
        (ExportForm::BasicMemory, None) => return Err(ExportError::NoFolder.into()),
        (ExportForm::BasicMemory, Some(folder)) => {
            check_kind(&folder, std::fs::FileType::is_dir)?;
            let parents: BTreeSet<&str> = shown.iter().map(|(_, memory)| memory.path.parent()).collect();
            for parent in parents.into_iter().filter(|_| request.run == Run::Real) {
                sys::remove_dead_parts_of(&folder.join(parent))?;
            }
            for (_, memory) in &shown {
                done.put_in(&folder, &memory.path, &basic_memory::file(memory), request)?;
            }
        }
        (ExportForm::Agents, _) if is_stdout => return Err(ExportError::NoFile.into()),
        (ExportForm::Agents, path) => {
            let here = context.env.current_dir();
            let workspace = || Workspace::of(here, context.env.home().ok().as_deref());
            let path = match path {
                Some(path) => path,
                None => workspace()?.root().join("AGENTS.md"),
            };
            let (inner, within) = agents_block::inner(&shown);
            done.memories = within;
            done.put_block(path, &inner, request)?;
        }
    }
    done.behind = behind;
    Ok(done)
}

/// The files with their bytes. A file that changed since it was looked at may hold anything, and stays behind.
fn read_all<'a>(
    store: &Store,
    files: &[&'a StoredFile],
    behind: &mut Vec<LeftBehind>,
) -> Vec<(&'a StoredFile, Vec<u8>)> {
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
        behind.push(LeftBehind {
            path: path.clone(),
            reason,
        });
    }
    read
}

impl Exported {
    /// Writes one file, or gives its text back.
    fn put(
        &mut self,
        path: Option<PathBuf>,
        text: String,
        is_export: &dyn Fn(&str) -> Option<bool>,
        request: &ExportRequest,
    ) -> Result<(), ServiceError> {
        let Some(path) = path else {
            self.text = Some(text);
            return Ok(());
        };
        let there = read_text(&path)?;
        let refused = match there.as_deref().filter(|text| !text.is_empty()).map(is_export) {
            Some(None) => ExportError::Foreign(path),
            Some(Some(false)) if request.overwrite == Overwrite::Never => ExportError::Edited(path),
            _ => return self.write(path, there.as_deref(), &text, request.run),
        };
        Err(refused.into())
    }

    /// Writes one of many files; what a person wrote or changed stays, and is named.
    fn put_in(
        &mut self,
        folder: &Path,
        below: &StorePath,
        text: &str,
        request: &ExportRequest,
    ) -> Result<(), ServiceError> {
        let path = folder.join(below.as_str());
        let there = sys::read_if_there(folder, below.as_str(), MOST_BYTES)?;
        let Some(there) = there.map(sys::FileBytes::into_text) else {
            if request.run == Run::Real {
                std::fs::create_dir_all(folder)
                    .map_err(|error| SysError::io("create the folder", folder, error))?;
                sys::write_new_unflushed(folder, below.as_str(), text.as_bytes())?;
            }
            self.files.push(ExportedFile {
                path,
                state: FileState::Written,
            });
            return Ok(());
        };
        // A loss of power may leave an empty file of an earlier export.
        let is_ours = there.is_empty()
            || basic_memory::is_export(&there)
                .is_some_and(|is_whole| is_whole || request.overwrite == Overwrite::Edited);
        if !is_ours {
            self.files.push(ExportedFile {
                path,
                state: FileState::Kept,
            });
            return Ok(());
        }
        self.write(path, Some(&there), text, request.run)
    }

    /// Writes the block into a file that is a person's.
    fn put_block(&mut self, path: PathBuf, inner: &str, request: &ExportRequest) -> Result<(), ServiceError> {
        let file = PersonsFile::read(path)?;
        let marks = Marks::of_export();
        let place = match marks.find(file.text()) {
            Block::Absent => None,
            Block::Whole(range) => Some(range),
            Block::Edited(range) if request.overwrite == Overwrite::Edited => Some(range),
            Block::Edited(_) => return Err(ExportError::Edited(file.path).into()),
            Block::Torn => return Err(ExportError::Torn(file.path).into()),
        };
        let new = marks.written(file.text.as_deref(), place, inner);
        let state = if file.text.as_ref() == Some(&new) {
            FileState::Same
        } else {
            FileState::Written
        };
        if request.run == Run::Real {
            file.replace(Some(&new))?;
        }
        let path = file.path;
        self.files.push(ExportedFile { path, state });
        Ok(())
    }

    fn write(
        &mut self,
        path: PathBuf,
        there: Option<&str>,
        text: &str,
        run: Run,
    ) -> Result<(), ServiceError> {
        let state = if there == Some(text) {
            FileState::Same
        } else {
            FileState::Written
        };
        if state == FileState::Written && run == Run::Real {
            // A killed run may have left its part here, where nobody else looks for it.
            sys::remove_dead_parts_of(path.parent().unwrap_or(&path))?;
            sys::write_durable(&path, text.as_bytes())?;
        }
        self.files.push(ExportedFile { path, state });
        Ok(())
    }
}

/// The text of a file; `None` where nothing is. A link is refused: what it names is somebody's, under another name.
fn read_text(path: &Path) -> Result<Option<String>, ServiceError> {
    check_kind(path, std::fs::FileType::is_file)?;
    let failed = |error| SysError::io("read", path, error);
    let Some(bytes) = sys::read_regular(path, MOST_BYTES).map_err(failed)? else {
        return Ok(None);
    };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| ExportError::Foreign(path.to_owned()).into())
}
