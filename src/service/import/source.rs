//! The files that an import reads, below one folder. No link is followed, and nothing is written.

use std::path::{Path, PathBuf};

use super::incoming::Incoming;
use crate::store::MAX_FILE;
use crate::sys::{self, SysError};

/// Folders in folders that are looked into.
const MAX_DEPTH: usize = 64;

/// A folder, and the files that were read below it.
#[derive(Debug)]
pub(super) struct Source {
    /// The folder, as a real path.
    pub(super) root: PathBuf,
    /// The files, by path.
    pub(super) files: Vec<SourceFile>,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// The whole path.
    pub(super) file: PathBuf,
    /// The path below the folder, with `/` between its parts.
    pub(super) path: String,
    /// The bytes.
    pub(super) bytes: Vec<u8>,
}

impl SourceFile {
    /// Its text.
    pub(super) fn text(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.bytes).map_err(|_| "it is not UTF-8: save it as UTF-8 first".to_owned())
    }

    /// Its name without the extension.
    pub(super) fn stem(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default();
        stem.to_string_lossy().trim_start_matches('.').to_owned()
    }

    /// Its path with `.md` at its end.
    pub(super) fn path_as_markdown(&self) -> String {
        let stem = self
            .path
            .rsplit_once('.')
            .map_or(self.path.as_str(), |(stem, _)| stem);
        format!("{stem}.md")
    }
}

/// Markdown, by its name.
pub(super) fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["md", "mdc", "markdown"].contains(&extension.to_lowercase().as_str()))
}

impl Source {
    /// The folder without any file.
    pub(super) const fn new(root: PathBuf) -> Self {
        Self {
            root,
            files: Vec::new(),
        }
    }

    /// Reads the markdown below a folder of the source, by name. Hidden files and folders are not looked at, nor are the packages of others in
    /// `node_modules`; `told` hears
    /// how many files were read.
    pub(super) fn add_folder(&mut self, folder: &Path, incoming: &mut Incoming, told: &dyn Fn(usize)) {
        self.walk(&self.root.join(folder), 0, incoming, told);
    }

    fn walk(&mut self, folder: &Path, depth: usize, incoming: &mut Incoming, told: &dyn Fn(usize)) {
        let listed = folder.read_dir().and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = match listed {
            Ok(entries) => entries,
            Err(error) => return incoming.refuse(folder, SysError::io("list", folder, error).to_string()),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let name = entry.file_name();
            let is_hidden = name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_hidden {
                if depth == MAX_DEPTH {
                    incoming.refuse(&path, "folders are nested too deeply");
                } else {
                    self.walk(&path, depth + 1, incoming, told);
                }
            } else if !kind.is_dir() && !is_hidden && is_markdown(&path) {
                self.add_file(&path, incoming);
                told(self.files.len());
            }
        }
    }

    /// Reads one file below the folder, or names the reason why not.
    pub(super) fn add_file(&mut self, file: &Path, incoming: &mut Incoming) {
        let below = file.strip_prefix(&self.root).unwrap_or(file);
        match sys::read(&self.root, below, MAX_FILE) {
            Ok(read) => self.files.push(SourceFile {
                path: below.to_string_lossy().into_owned(),
                file: file.to_owned(),
                bytes: read.bytes,
            }),
            Err(SysError::Link(_)) => incoming.refuse(file, "it is a link, which an import does not follow"),
            Err(error) => incoming.refuse(file, error.to_string()),
        }
    }
}
