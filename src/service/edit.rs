//! Use case: change a memory's file in an editor (`mdmem edit`), or make one. The host runs the editor; here the file is
//! handed out, and what comes back is written if nobody else changed it meanwhile.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::document::{self, Key, KeyEdit, Readable};
use crate::model::{Diagnostic, Kind, Severity, Source, StorePath};
use crate::store::{Description, LOCAL, MAX_FILE, Store, StoreError, folder_kind};
use crate::sys::{self, Exchange, shell_word};
use crate::text::{one_line, slug};

use super::agents_shell::{check_agents_place, check_agents_shell};
use super::change::{Changed, changing};
use super::create::{check_no_credential, check_no_reserved, check_not_excluded};
use super::past_memory::unstated;
use super::remove::named_paths;
use super::select_memory::Reach;
use super::{NameError, ServiceError};

/// A file as it is handed out to be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its path below the store.
    pub path: StorePath,
    /// The bytes that it has, or that a new one begins with.
    pub bytes: Vec<u8>,
    /// True where it is not there yet.
    pub is_new: bool,
}

/// The file that a name means, for an editor; a new one where no memory is called so or nearly so. A new memory has that
/// path, or a file's name made of the words.
pub fn original(store: &Store, name: &str) -> Result<Original, ServiceError> {
    let is_path = name.contains('/') || name.ends_with(".md");
    let snapshot = store.load()?;
    match named_paths(&snapshot, &[name.to_owned()], store, Reach::Part) {
        Ok(mut paths) => {
            let path = paths.remove(0);
            if let Some(file) = snapshot.file(&path) {
                check_agents_shell(store, "mdmem edit", &file.memory)?;
            }
            let bytes = store.read(&path)?;
            Ok(Original {
                path,
                bytes,
                is_new: false,
            })
        }
        Err(ServiceError::Name(NameError::Unknown { nearest, .. })) if is_path || nearest.is_empty() => {
            if name.ends_with('/') {
                let what = format!("`{name}` is a folder");
                return Err(ServiceError::said(
                    what,
                    format!("Name a memory in it, such as `{name}use-npm`."),
                ));
            }
            let stem = name.trim_end_matches(".md");
            let (path, title) = if is_path {
                let path = StorePath::new(&format!("{stem}.md"))?;
                let title = path.stem().replace('-', " ");
                (path, title)
            } else {
                let path = format!("{}/{}.md", Kind::DEFAULT, slug(name));
                (StorePath::new(&path)?, one_line(name))
            };
            check_no_reserved(&path)?;
            check_agents_place(store, "mdmem edit", &path)?;
            check_not_excluded(&path, store.rules())?;
            check_no_credential(path.as_str(), store.redactor())?;
            let bytes = format!("---\nimportance: normal\ntags: []\n---\n{title}\n").into_bytes();
            Ok(Original {
                path,
                bytes,
                is_new: true,
            })
        }
        Err(error) => Err(error),
    }
}

/// The error for a text that somebody saved while it was edited.
pub(super) fn saved_meanwhile(path: &StorePath) -> ServiceError {
    ServiceError::said(
        format!("not saved: {path} was changed by somebody else meanwhile"),
        format!("`mdmem edit {}` opens the new text.", shell_word(path.as_str())),
    )
}

/// Finds the faults of an edited text: those that would keep it from being read as it stands.
pub fn validate(store: &Store, path: &StorePath, bytes: &[u8]) -> Vec<Diagnostic> {
    let kind = folder_kind(path, store.rules());
    let read = document::parse(path, bytes, kind.as_ref(), unstated);
    match read.readable {
        Readable::Yes => read
            .diagnostics
            .into_iter()
            .filter(|d| d.severity > Severity::Note)
            .collect(),
        Readable::ByLine | Readable::No => read.diagnostics,
    }
}

/// Writes an edited text, which is then the word of whoever edited it; an error where the file has other bytes by now than
/// those that were handed out.
pub fn save(store: &Store, original: &Original, text: &[u8]) -> Result<Changed, ServiceError> {
    let path = &original.path;
    let text = &signed(store, original, text);
    if text.len() as u64 > MAX_FILE {
        return Err(ServiceError::said(
            format!("not saved: {path} would have more than 1 MiB, and mdmem would not read it"),
            "Shorten it, or make two memories of it.",
        ));
    }
    let (outcome, aftermath) = changing(store, "mdmem edit", |writer| {
        let op = if original.is_new {
            writer.create(path, text)?;
            "add"
        } else {
            match writer.replace(path, &original.bytes, text)? {
                Exchange::Exchanged => "edit",
                Exchange::Changed(_) => return Err(saved_meanwhile(path)),
                Exchange::Missing => return Err(StoreError::Gone { path: path.clone() }.into()),
            }
        };
        Ok(writer.commit_saved(&[path.as_str()], &Description::op(op, op))?)
    })?;
    Ok(Changed { outcome, aftermath })
}

/// The text with another origin, where it says something else than before and does not name one itself.
fn signed<'t>(store: &Store, original: &Original, text: &'t [u8]) -> Cow<'t, [u8]> {
    let kind = folder_kind(&original.path, store.rules());
    let read = |bytes| {
        document::parse(&original.path, bytes, kind.as_ref(), unstated)
            .memory
            .source
    };
    let (before, after) = (read(&original.bytes), read(text));
    let by = store.agents_shell().map_or(Source::Manual, |_| Source::Agent);
    let is_theirs = after == by || after.is_persons() && by.is_persons();
    if is_theirs || before != after || !document::changes_text(&original.bytes, text) {
        return Cow::Borrowed(text);
    }
    let source = KeyEdit::Set(Key::Source, document::Value::Text(by.as_str().to_owned()));
    document::edit(text, &[source]).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The folder of the copies, below the store's local one.
const FOLDER: &str = "edit";
/// The longest text that is taken from an editor, in bytes.
const MOST: u64 = 1 << 20;

/// The most that a copy's name has of the memory's stem, in characters, so that the whole fits into a file's name.
const MOST_OF_STEM: usize = 40;

/// A copy that an editor is given. It stays until it is removed.
#[derive(Debug)]
pub struct EditCopy {
    path: PathBuf,
}

impl EditCopy {
    /// Writes the copy of a file, under a name that tells the memory and that no other copy has.
    pub fn write(store: &Store, original: &Original) -> Result<Self, ServiceError> {
        let folder = store.root().join(LOCAL).join(FOLDER);
        std::fs::create_dir_all(&folder)
            .map_err(|error| sys::SysError::io("create the folder", &folder, error))?;
        let stem: String = original.path.stem().chars().take(MOST_OF_STEM).collect();
        let process = std::process::id();
        let mut numbered = (1..).map(|n| folder.join(format!("{stem}.{process}-{n}.md")));
        let path = numbered.find(|path| !path.exists());
        let path = path.expect("because the numbers do not end");
        sys::write_atomic(&path, &original.bytes)?;
        Ok(Self { path })
    }

    /// The copies that are there: texts that were not saved, or that an editor has open just now. By name; what editors and
    /// killed processes leave beside them is not among them.
    pub(super) fn kept(store: &Store) -> Vec<PathBuf> {
        let Ok(entries) = store.root().join(LOCAL).join(FOLDER).read_dir() else {
            return Vec::new();
        };
        let is_copy = |path: &PathBuf| {
            let is_hidden = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            !is_hidden && path.extension().is_some_and(|end| end == "md") && path.is_file()
        };
        let mut kept: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(is_copy)
            .collect();
        kept.sort_unstable();
        kept
    }

    /// The path of the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the text that the copy holds now.
    pub fn read(&self) -> Result<Vec<u8>, ServiceError> {
        let (folder, name) = (self.path.parent(), self.path.file_name());
        let (folder, name) = folder.zip(name).expect("because it was joined of the two");
        Ok(sys::read(folder, name, MOST)?.bytes)
    }

    /// Removes it: what it held is saved, or is what the memory's file holds.
    pub fn remove(self) -> Result<(), ServiceError> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(sys::SysError::io("remove", self.path, error).into())
            }
            _ => Ok(()),
        }
    }
}
