//! The source of an import: the markdown at its place, or its JSON. Everything is only read, and no link is followed.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::entry::{Entry, Parts, WHOLE};
use super::{ImportRequest, Incoming};
use crate::document::{Key, Value, parted};
use crate::model::{StorePath, Timestamp, Zone};
use crate::policy::{Rules, zone};
use crate::service::export::{FOR_PEOPLE, without_blocks};
use crate::service::{Context, ServiceError};
use crate::store::MAX_FILE;
use crate::sys::{self, SysError, TimeZone, shown_path};
use crate::text::slug;

/// Folders in folders that are looked into.
const MAX_DEPTH: usize = 64;
/// The most bytes of JSON that are read: 100,000 entries have about 60 MB.
pub(super) const MAX_JSON: u64 = 512 << 20;
/// Folders of what others made, beside the hidden ones.
const OTHERS: [&str; 6] = ["node_modules", "target", "vendor", "third_party", "dist", "venv"];

/// The reason why an export for people is left out, as the block in AGENTS.md is: its memories are in a store already.
const PROSE_OF_OURS: &str = "it is a markdown export of mdmem: import the output of `mdmem export --to \
    json` instead, or remove its first line";

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
    /// The JSON that was read, likewise: one value, or one a line.
    pub(super) json: Option<Vec<Json>>,
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
    /// The person's zone, in which its times without an offset are.
    pub(super) zone: TimeZone,
}

/// The keys of times, without their case, blanks and dashes, in the order in which they count.
const CREATED: [&str; 6] = [
    "created",
    "createdat",
    "datecreated",
    "creationdate",
    "createdon",
    "date",
];
const UPDATED: [&str; 9] = [
    "updated",
    "updatedat",
    "modified",
    "modifiedat",
    "datemodified",
    "lastmodified",
    "lastupdated",
    "lastedited",
    "dateupdated",
];

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
        self.values(key, |line| line).last()
    }

    /// The value of a key that is not empty, also where it stands below another one. The keys of a second frontmatter count.
    pub(super) fn nested(&self, key: &str) -> Option<&str> {
        self.values(key, str::trim_start)
            .filter(|value| !value.is_empty())
            .last()
    }

    /// The value of a key that is not empty.
    pub(super) fn words(&self, key: &str) -> Option<&str> {
        self.value(key).filter(|value| !value.is_empty())
    }

    fn values<'k>(&self, key: &'k str, begin: fn(&str) -> &str) -> impl Iterator<Item = &str> + use<'_, 'k> {
        let value = move |line| begin(line).strip_prefix(key)?.trim_start().strip_prefix(':');
        let values = self.head().lines().filter_map(value);
        values.map(|value| value.trim().trim_matches(['"', '\'']))
    }

    /// The items of a key: in brackets, with commas between them or each on a line below.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let value = self.value(key).unwrap_or_default();
        let mut items = Vec::new();
        if value.is_empty() {
            let is_key = |line: &&str| line.trim_end().strip_prefix(key).is_none_or(|rest| rest != ":");
            let below = self.head().lines().skip_while(is_key).skip(1);
            items.extend(below.map_while(|line| line.trim_start().strip_prefix("- ").map(str::to_owned)));
        }
        let inner = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
        items.extend(parted(inner.unwrap_or(value)));
        let trimmed = items
            .iter()
            .map(|item| item.trim().trim_matches(['"', '\'']).to_owned());
        trimmed.filter(|item| !item.is_empty()).collect()
    }

    /// The frontmatter with its fences.
    pub(super) fn head(&self) -> &str {
        &self.text[..self.text.len() - self.body().len()]
    }

    /// The text behind the frontmatter, or behind two of them: tools put theirs above another's.
    pub(super) fn body(&self) -> &str {
        let first = behind_frontmatter(&self.text, |_| true);
        let second = first.and_then(|rest| behind_frontmatter(rest, |line| line.contains(':')));
        second.or(first).unwrap_or(&self.text)
    }

    /// A file that becomes a memory at this path, with the keys that tools have other names for.
    pub(super) fn entry(&self, path: String, text: String) -> Entry {
        let mut entry = Entry::default();
        let created = self.time(&CREATED, Key::Created, &mut entry);
        let updated = self.time(&UPDATED, Key::Updated, &mut entry);
        let keys = [
            (Key::Name, self.words("title").map(Value::from)),
            (Key::Created, created.clone().or_else(|| updated.clone())),
            (Key::Updated, updated.or(created)),
        ];
        Entry {
            path,
            keys: keys
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect(),
            bytes: Some(text.into_bytes()),
            ..entry
        }
    }

    /// The time under the first of these keys that has one: a plain date, or an instant. What cannot be read is told; what
    /// the file's own key states without an offset is restated.
    fn time(&self, names: &[&str], own: Key, entry: &mut Entry) -> Option<Value> {
        let lines = self.head().lines().flat_map(|line| {
            let inner = line.split_once('{').and_then(|(_, inner)| inner.rsplit_once('}'));
            let nested = inner.map_or("", |(inner, _)| inner).split(", ");
            std::iter::once(line).chain(nested.filter_map(|pair| Some(pair).filter(|pair| !pair.is_empty())))
        });
        let quotes = ['"', '\'', ' '];
        let pairs = lines.filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let name = key.to_lowercase().replace([' ', '_', '-', '"', '\''], "");
            let value = value.trim().trim_matches(quotes);
            let rank = names.iter().position(|known| *known == name)?;
            (!value.is_empty()).then_some((rank, key, value))
        });
        let mut pairs: Vec<(usize, &str, &str)> = pairs.collect();
        // Of two frontmatters the second one's keys count.
        pairs.reverse();
        pairs.sort_by_key(|(rank, key, _)| (*rank, key.starts_with(' ')));
        for (_, key, value) in pairs {
            let Some((time, has_clock)) = self.zone.written(value) else {
                entry
                    .told
                    .say(format!("`{}: {value}` is not a clear date", key.trim()));
                continue;
            };
            if !has_clock {
                return Some(Value::Text(self.zone.at(time).date_naive().to_string()));
            }
            if key == own.as_str() && Timestamp::parse(value).is_some_and(|stated| stated != time) {
                entry.restated.push((own, Value::Time(time)));
            }
            return Some(Value::Time(time));
        }
        None
    }

    /// The whole file as an entry, whose statements may become facts about a subject.
    pub(super) fn whole(&self, path: String, parts: Parts) -> Entry {
        Entry {
            parts: Some(parts),
            ..self.entry(path, self.text.clone())
        }
    }
}

/// The text behind a frontmatter that begins it, of which the first line is as it should be.
pub(super) fn behind_frontmatter(text: &str, is_key: fn(&str) -> bool) -> Option<&str> {
    let begin = text.trim_start_matches(['\u{feff}', '\n', '\r', ' ']);
    let mut lines = begin.split_inclusive('\n');
    let first = lines.next().filter(|line| line.trim_end() == "---")?;
    let mut at = first.len();
    for (number, line) in lines.enumerate() {
        at += line.len();
        if line.trim_end() == "---" {
            return Some(&begin[at..]);
        }
        if number == 0 && !is_key(line) {
            return None;
        }
    }
    None
}

/// Markdown, by its name.
pub(super) fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["md", "mdc", "markdown"].contains(&&*extension.to_lowercase()))
}

/// Says whether a folder is hidden, or holds what others made.
pub(super) fn is_others(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || OTHERS.iter().any(|other| name == *other)
}

impl Reading<'_> {
    /// Adds what stands at a place of a file.
    pub(super) fn add(&mut self, file: &Path, place: &str, entry: Entry) {
        self.incoming.entries.push(entry.at(file, place, None));
    }

    /// Names a file that cannot be read.
    pub(super) fn refuse(&mut self, file: &Path, reason: impl Into<String>) {
        self.add(file, WHOLE, Entry::fault(reason));
    }

    /// The markdown that was read, or is read now: the file, or what lies below the folder.
    pub(super) fn take_files(&mut self) -> Vec<SourceFile> {
        self.load();
        std::mem::take(&mut self.files)
    }

    pub(super) fn load(&mut self) {
        let path = self.path.clone();
        let _work = sys::Work::of("reading files", 0);
        match path.is_dir() {
            _ if !self.files.is_empty() => {}
            true => self.add_folder(&path, 0),
            false => self.add_file(&path),
        }
    }

    /// Reads the markdown below a folder, by name, without what is hidden, or was made by others.
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
                return self.refuse(file, "it is a link, which imports do not follow");
            }
            Err(error) => return self.refuse(file, error.to_string()),
        };
        match String::from_utf8(bytes) {
            Err(_) => self.refuse(file, "it is not UTF-8: save it as UTF-8 first"),
            Ok(text) if text.starts_with(FOR_PEOPLE) => self.refuse(file, PROSE_OF_OURS),
            Ok(text) => self.files.push(SourceFile {
                path: below.to_string_lossy().into_owned(),
                file: file.to_owned(),
                text: without_blocks(&text),
                zone: TimeZone::from_env(&self.context.env),
            }),
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
    pub(super) fn take_json(&mut self) -> Result<Vec<Json>, ServiceError> {
        self.json.take().map_or_else(|| read_json(&self.path), Ok)
    }
}

/// Reads a file of JSON, or of a value of it a line.
pub(super) fn read_json(path: &Path) -> Result<Vec<Json>, ServiceError> {
    let real = path
        .canonicalize()
        .map_err(|error| SysError::io("read", path, error))?;
    let name = real.file_name().unwrap_or_default();
    let text = sys::read(real.parent().unwrap_or(&real), name, MAX_JSON)?.into_text();
    parse_json(path, text.trim_start_matches('\u{feff}').as_bytes())
}

/// Reads JSON. Halves of a character become U+FFFD.
pub(super) fn parse_json(path: &Path, json: &[u8]) -> Result<Vec<Json>, ServiceError> {
    let parse = |json: &[u8]| {
        serde_json::Deserializer::from_slice(json)
            .into_iter()
            .collect::<Result<Vec<Json>, _>>()
    };
    let parsed = parse(json).or_else(|error| {
        let mended = sys::without_lone_surrogates(json);
        if mended == json {
            Err(error)
        } else {
            parse(&mended)
        }
    });
    match parsed {
        Ok(values) if values.is_empty() => {
            Err(malformed(path, "EOF while parsing a value at line 1 column 0"))
        }
        Ok(values) => Ok(values),
        Err(error) => Err(malformed(path, &error.to_string())),
    }
}

/// The error for a file that is no JSON, or not of the form that the tool writes.
pub(super) fn malformed(path: &Path, message: &str) -> ServiceError {
    let next = "Nothing was imported. Fix the file, or name another one.";
    ServiceError::said(format!("{}: {message}", shown_path(path)), next)
}

/// The items of the list under a key of an object.
pub(super) fn list<'j>(path: &Path, object: &'j Json, key: &str) -> Result<&'j [Json], ServiceError> {
    let list = object.get(key).and_then(Json::as_array).map(Vec::as_slice);
    list.ok_or_else(|| malformed(path, &format!("this is not an object with a list `{key}`")))
}

/// An error where a later version wrote it than is known; the first versions of some left it out.
pub(super) fn check_version(path: &Path, object: &Json, key: &str, known: u64) -> Result<(), ServiceError> {
    match object.get(key) {
        Some(version) if version.as_u64().is_none_or(|version| version > known) => {
            let (path, found) = (shown_path(path), version.to_string());
            let found: String = found.chars().take(40).collect();
            Err(ServiceError::said(
                format!("{path} has version {found}, and this mdmem reads up to version {known}"),
                "Nothing was imported. Install a newer mdmem.",
            ))
        }
        _ => Ok(()),
    }
}

/// An error for what holds the stores, or is held by them: its memories are there already.
pub(super) fn check_outside(context: &Context, path: &Path) -> Result<(), ServiceError> {
    match context.home()?.canonicalize() {
        Ok(home) if path.starts_with(&home) || home.starts_with(path) => Err(ServiceError::said(
            format!("{} holds mdmem's own stores, or is in one", shown_path(path)),
            "To copy from another store, run `mdmem -C OTHER export --to json FILE` and import that file.",
        )),
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
            zone: TimeZone::Utc,
            text: text.to_owned(),
        };
        let text = "---\r\ndescription: Tests: how\r\nglobs: **/*.{ts,tsx},[a].js\r\ntitle: 'A b'\r\nmetadata:\r\n  type: x\r\n---\r\ntype: y\r\n";
        let read = file(text);
        assert_eq!(read.list("globs"), ["**/*.{ts,tsx}", "[a].js"]);
        assert_eq!(read.value("title"), Some("A b"));
        assert_eq!(read.value("metadata"), Some(""));
        assert_eq!((read.value("type"), file("type: y").value("type")), (None, None));
        assert_eq!(read.body(), "type: y\r\n");
        for whole in ["", "no\n---\n", "---\nopen: yes\n"] {
            assert_eq!(file(whole).body(), whole);
        }
        let two = file(
            "\n\n---\ngone: 1\ntitle: a\n---\n\n---\npaths:\n  - \"src/**\"\n  - b\ntitle: c\n---\n---\nBody",
        );
        assert_eq!((two.value("title"), two.body()), (Some("c"), "---\nBody"));
        assert_eq!(two.list("paths"), ["src/**", "b"]);
    }
}
