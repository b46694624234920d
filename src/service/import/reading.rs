//! The source of an import: the markdown at its place, or its JSON. Everything is only read, and no link is followed.

use std::path::{Path, PathBuf};

use super::ImportError;
use super::entry::{Entry, WHOLE};
use super::json::Json;
use super::{ImportRequest, Incoming};
use crate::document::{NewMemory, Value};
use crate::model::{StorePath, Timestamp, Zone};
use crate::policy::{Rules, zone};
use crate::service::export::{FOR_PEOPLE, without_blocks};
use crate::service::{Context, ServiceError};
use crate::store::MAX_FILE;
use crate::sys::{self, SysError};
use crate::text::slug;

/// Folders in folders that are looked into.
const MAX_DEPTH: usize = 64;

/// The reason why an export for people is left out, as the block in AGENTS.md is: its memories are in a store already.
const PROSE_OF_OURS: &str = "it is an export of mdmem's for people: import what `mdmem export --to json` writes, or take its first line out";

/// A source that is being read.
pub(super) struct Reading<'a> {
    pub(super) context: &'a Context,
    pub(super) request: &'a ImportRequest,
    /// The rules of the store that it comes into.
    pub(super) rules: Rules,
    /// The file or folder, as a real path.
    pub(super) path: PathBuf,
    /// The markdown that was read, and has not become entries yet.
    pub(super) files: Vec<SourceFile>,
    /// The JSON that was read, likewise.
    pub(super) json: Option<Json>,
    /// What was read so far.
    pub(super) incoming: Incoming,
}

/// A file of markdown, without the blocks of mdmem's own.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// The whole path.
    pub(super) file: PathBuf,
    /// The path below the source's folder, with `/` between its parts.
    pub(super) path: String,
    pub(super) text: String,
}

impl SourceFile {
    /// Its name without the extension.
    pub(super) fn stem(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default();
        stem.to_string_lossy().trim_start_matches('.').to_owned()
    }

    /// Its path with `.md` at its end.
    pub(super) fn path_as_markdown(&self) -> String {
        let stem = self.path.rsplit_once('.').map_or(&*self.path, |(stem, _)| stem);
        format!("{stem}.md")
    }

    /// The value of a key at the beginning of a line of the frontmatter, without quotes; also where the frontmatter is no
    /// YAML, as `globs: *.ts` is none. An empty value is a value: of `metadata:` with lines below it, this is the key.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.line_value(key, |line| line)
    }

    /// The value of a key, also where it stands below another one.
    pub(super) fn nested(&self, key: &str) -> Option<&str> {
        self.line_value(key, str::trim_start)
            .filter(|value| !value.is_empty())
    }

    /// The value of a key that is not empty.
    pub(super) fn words(&self, key: &str) -> Option<&str> {
        self.value(key).filter(|value| !value.is_empty())
    }

    fn line_value(&self, key: &str, begin: fn(&str) -> &str) -> Option<&str> {
        let lines = self.head().lines().skip(1);
        let mut values =
            lines.filter_map(|line| begin(line).strip_prefix(key)?.trim_start().strip_prefix(':'));
        values.next().map(|value| value.trim().trim_matches(['"', '\'']))
    }

    /// The frontmatter with its fences.
    pub(super) fn head(&self) -> &str {
        &self.text[..self.text.len() - self.body().len()]
    }

    /// The text behind the frontmatter.
    pub(super) fn body(&self) -> &str {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        let mut at = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let is_fence = line.trim_end() == "---";
            if number == 0 && !is_fence {
                return text;
            }
            at += line.len();
            if number > 0 && is_fence {
                return &text[at..];
            }
        }
        text
    }

    /// Makes one frontmatter of two that follow each other, which tools leave that put theirs above another's; the second
    /// one's keys count. One behind blank lines begins the file.
    fn join_frontmatters(&mut self) {
        let begin = self.text.trim_start_matches(['\u{feff}', '\n', '\r', ' ']);
        if begin.len() < self.text.len() && begin.starts_with("---") {
            self.text = begin.to_owned();
        }
        let second = Self {
            file: self.file.clone(),
            path: self.path.clone(),
            text: self.body().trim_start().to_owned(),
        };
        let key = |line: &str| line.split_once(':').map(|(key, _)| key.trim_end().to_owned());
        let keys: Vec<String> = second.head().lines().filter_map(key).collect();
        if self.head().is_empty() || keys.is_empty() {
            return;
        }
        let inner = |head: &str| {
            head.lines()
                .skip(1)
                .take_while(|line| line.trim_end() != "---")
                .map(str::to_owned)
                .collect()
        };
        let (mut lines, more): (Vec<String>, Vec<String>) = (inner(self.head()), inner(second.head()));
        lines.retain(|line| {
            key(line).is_none_or(|key| !keys.contains(&key)) && !line.trim_end().ends_with(':')
        });
        let lines = lines.into_iter().chain(more).collect::<Vec<_>>().join("\n");
        self.text = format!("---\n{lines}\n---\n{}", second.body());
    }

    /// A memory with the times of the file, by the keys that tools have for them; also in milliseconds.
    pub(super) fn dated(&self) -> NewMemory {
        let millis = |text: &str| {
            text.parse()
                .ok()
                .filter(|_| text.len() == 13)
                .map(Timestamp::from_millis)
        };
        let read = |text| Timestamp::parse(text).or_else(|| millis(text));
        let time = |keys: &[&str]| {
            keys.iter()
                .find_map(|key| self.nested(key).and_then(read))
                .map(Value::Time)
        };
        NewMemory {
            created: time(&["created", "created_at", "date"]),
            updated: time(&["modified", "updated", "updated_at", "last_modified"]),
            ..NewMemory::default()
        }
    }
}

/// Markdown, by its name.
fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["md", "mdc", "markdown"].contains(&&*extension.to_lowercase()))
}

impl Reading<'_> {
    /// Adds what stands at a place of a file.
    pub(super) fn add(&mut self, file: &Path, place: &str, entry: Entry) {
        self.incoming.entries.push(entry.at(file, place, None));
    }

    /// Names a file that is left out.
    pub(super) fn refuse(&mut self, file: &Path, reason: impl Into<String>) {
        self.add(file, WHOLE, Entry::fault(reason));
    }

    /// Reads the file, or the markdown below the folder, unless that was done.
    pub(super) fn load(&mut self) {
        if !self.files.is_empty() {
            return;
        }
        let path = self.path.clone();
        if path.is_dir() {
            self.add_folder(&path, 0);
        } else {
            self.add_file(&path);
        }
    }

    /// The files that were read, or are read now.
    pub(super) fn take_files(&mut self) -> Vec<SourceFile> {
        self.load();
        std::mem::take(&mut self.files)
    }

    /// Reads the markdown below a folder, by name. Hidden files and folders are not looked at, nor are the packages of
    /// others in `node_modules`.
    pub(super) fn add_folder(&mut self, folder: &Path, depth: usize) {
        let listed = folder.read_dir().and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = match listed {
            Ok(entries) => entries,
            Err(error) => return self.refuse(folder, SysError::io("list", folder, error).to_string()),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let (path, name) = (entry.path(), entry.file_name());
            let is_hidden = name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
            match entry.file_type() {
                Ok(_) if is_hidden => {}
                Ok(kind) if kind.is_dir() && depth == MAX_DEPTH => {
                    self.refuse(&path, "folders are nested too deeply");
                }
                Ok(kind) if kind.is_dir() => self.add_folder(&path, depth + 1),
                Ok(_) if is_markdown(&path) => self.add_file(&path),
                _ => {}
            }
        }
    }

    /// Reads one file below the folder, or names the reason why not.
    pub(super) fn add_file(&mut self, file: &Path) {
        let root = if self.path.is_dir() {
            self.path.clone()
        } else {
            self.path.parent().unwrap_or(file).to_owned()
        };
        let below = file.strip_prefix(&root).unwrap_or(file);
        let bytes = match sys::read(&root, below, MAX_FILE) {
            Ok(read) => read.bytes,
            Err(SysError::Link(_)) => {
                return self.refuse(file, "it is a link, which an import does not follow");
            }
            Err(error) => return self.refuse(file, error.to_string()),
        };
        match String::from_utf8(bytes) {
            Err(_) => self.refuse(file, "it is not UTF-8: save it as UTF-8 first"),
            Ok(text) if text.starts_with(FOR_PEOPLE) => self.refuse(file, PROSE_OF_OURS),
            Ok(text) => {
                let mut file = SourceFile {
                    path: below.to_string_lossy().into_owned(),
                    file: file.to_owned(),
                    text: without_blocks(&text),
                };
                file.join_frontmatters();
                self.files.push(file);
            }
        }
    }

    /// The folder of the store for the files of this source: one of their folder's name, which means nothing else to a
    /// store. A single file goes to the references.
    pub(super) fn folder(&self) -> String {
        if !self.path.is_dir() {
            return "reference".to_owned();
        }
        let name = slug(&self.path.file_name().unwrap_or_default().to_string_lossy());
        let inside = StorePath::new(&format!("{name}/a.md"));
        if inside.is_ok_and(|path| zone(&path, &self.rules) != Zone::Cold) {
            format!("imported-{name}")
        } else {
            name
        }
    }

    /// The JSON of the source, read once.
    pub(super) fn json(&mut self) -> Result<Json, ServiceError> {
        self.json.take().map_or_else(|| Json::read(&self.path), Ok)
    }
}

/// An error for what holds the stores, or is held by them: its memories are there already.
pub(super) fn check_outside(context: &Context, path: &Path) -> Result<(), ServiceError> {
    match context.home()?.canonicalize() {
        Ok(home) if path.starts_with(&home) || home.starts_with(path) => {
            let path = path.to_owned();
            Err(ImportError::OwnStore { path }.into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_also_where_the_frontmatter_is_no_yaml() {
        let file = |text: &str| SourceFile {
            file: "/there/a.md".into(),
            path: "a.md".to_owned(),
            text: text.to_owned(),
        };
        let text = "---\r\ndescription: Tests: how\r\nglobs: **/*.ts\r\ntitle: 'A b'\r\nmetadata:\r\n  type: x\r\n---\r\ntype: y\r\n";
        let read = file(text);
        assert_eq!(read.value("globs"), Some("**/*.ts"));
        assert_eq!(read.value("title"), Some("A b"));
        assert_eq!(read.value("metadata"), Some(""));
        assert_eq!((read.value("type"), file("type: y").value("type")), (None, None));
        assert_eq!(read.body(), "type: y\r\n");
        for whole in ["", "no\n---\n", "---\nopen: yes\n"] {
            assert_eq!(file(whole).body(), whole);
        }
    }
}
