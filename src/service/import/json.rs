//! JSON of other tools: an object with lists, of which one faulty item leaves the others. As JavaScript writes it, a text
//! that was cut inside a character keeps half of it, as a lone `\udXXX`, which is no text for anybody else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::ImportError;
use super::entry::{Body, Entry, WHOLE};
use super::reading::Reading;
use crate::model::HOT_DIR;
use crate::service::ServiceError;
use crate::sys::{self, SysError};

/// The most bytes that are read: 100,000 entries have about 60 MB.
const MAX_JSON: u64 = 512 << 20;

/// A file of JSON.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) path: PathBuf,
    text: String,
}

/// An item of a list.
pub(super) struct Item<'t> {
    pub(super) line: usize,
    json: &'t RawValue,
}

impl Item<'_> {
    /// What it says, or its fault. The parser counts places from the start of the item, and so they are left out.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(self.json.get()).map_err(|error| reason(&error))
    }
}

impl Json {
    /// Reads a file. Bytes that are no UTF-8 and halves of a character become U+FFFD.
    pub(super) fn read(path: &Path) -> Result<Self, ServiceError> {
        let real = path
            .canonicalize()
            .map_err(|error| SysError::io("read", path, error))?;
        let name = real.file_name().unwrap_or_default();
        let bytes = sys::read(real.parent().unwrap_or(&real), name, MAX_JSON)?.into_text();
        let mut bytes = bytes.trim_start_matches('\u{feff}').to_owned().into_bytes();
        mend_halves(&mut bytes);
        Ok(Self {
            path: path.to_owned(),
            text: String::from_utf8(bytes).expect("because only ASCII was written over ASCII"),
        })
    }

    /// The whole object, or its fault.
    pub(super) fn whole<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(&self.text).map_err(|error| reason(&error))
    }

    /// The keys of the object.
    pub(super) fn keys(&self) -> Result<BTreeMap<String, &RawValue>, ImportError> {
        serde_json::from_str(&self.text).map_err(|error| ImportError::Malformed {
            path: self.path.clone(),
            line: error.line().max(1),
            column: error.column().max(1),
            message: reason(&error),
        })
    }

    /// The items of the list under a key.
    pub(super) fn list(&self, key: &str) -> Result<Vec<Item<'_>>, ImportError> {
        let keys = self.keys()?;
        let Some(list) = keys.get(key) else {
            return Err(self.fault(None, format!("this is no object with a list of `{key}`")));
        };
        let list: Vec<&RawValue> = serde_json::from_str(list.get())
            .map_err(|_| self.fault(Some(list), format!("`{key}` is no list")))?;
        // They are in the order of the text, so that it is gone through once.
        let (mut line, mut seen) = (1, 0);
        let item = |json| {
            let offset = self.offset(json);
            line += newlines(&self.text[seen..offset]);
            seen = offset;
            Item { line, json }
        };
        Ok(list.into_iter().map(item).collect())
    }

    /// An error where a later version wrote it than is known; the first versions of some left it out.
    pub(super) fn check_version(&self, key: &str, known: u64) -> Result<(), ImportError> {
        let keys = self.keys()?;
        let Some(version) = keys.get(key) else {
            return Ok(());
        };
        match serde_json::from_str::<f64>(version.get()) {
            #[expect(clippy::cast_precision_loss, reason = "a version is a small number")]
            Ok(number) if number <= known as f64 => Ok(()),
            Ok(_) => Err(ImportError::Newer {
                path: self.path.clone(),
                found: version.get().chars().take(40).collect(),
                known,
            }),
            Err(_) => Err(self.fault(Some(version), format!("`{key}` is no number"))),
        }
    }

    /// An error at a part of the text.
    fn fault(&self, part: Option<&RawValue>, message: String) -> ImportError {
        let before = &self.text[..part.map_or(0, |part| self.offset(part))];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ImportError::Malformed {
            path: self.path.clone(),
            line: newlines(before) + 1,
            column: before[line_start..].chars().count() + 1,
            message,
        }
    }

    /// The offset at which a part of the text begins.
    fn offset(&self, part: &RawValue) -> usize {
        let part: *const u8 = part.get().as_ptr();
        part.addr() - self.text.as_ptr().addr()
    }
}

/// An entry of an export of mdmem's.
#[derive(Deserialize)]
struct Exported {
    path: String,
    text: Option<String>,
    hex: Option<String>,
}

/// Reads what `mdmem export --to json` writes.
pub(super) fn read_export(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let json = reading.json()?;
    json.check_version("mdmem_export", crate::service::export::VERSION)?;
    let hot_dir = json
        .keys()?
        .get("hot_dir")
        .map(|folder| serde_json::from_str(folder.get()));
    let hot_dir: String = hot_dir.and_then(Result::ok).unwrap_or_else(|| HOT_DIR.to_owned());
    let our_hot_dir = &reading.rules.hot_dir;
    for item in json.list("memories")? {
        let memory: Result<Exported, String> = item.read();
        let entry = memory.and_then(|Exported { path, text, hex }| {
            let bytes = text.map(String::into_bytes).or_else(|| from_hex(&hex?));
            let mut entry = Entry {
                body: Some(Body::Export(bytes.ok_or("it has neither text nor hex")?)),
                path,
                ..Entry::default()
            };
            if hot_dir != *our_hot_dir && entry.path.starts_with(&format!("{hot_dir}/")) {
                let remark =
                    format!("it was pinned, and is not here, where {our_hot_dir}/ holds the pinned notes");
                entry.told.remark = Some(remark);
            }
            Ok(entry)
        });
        let entry = entry.unwrap_or_else(Entry::fault);
        let file = json.path.join(&entry.path);
        let entry = entry.at(&file, WHOLE, Some(item.line));
        reading.incoming.entries.push(entry);
    }
    Ok(())
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let is_whole = hex.len().is_multiple_of(2);
    is_whole.then(|| hex.as_bytes().chunks(2).map(pair).collect())?
}

/// Writes U+FFFD over each escape of half a character that has no other half.
fn mend_halves(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = bytes
        .get(at..)
        .and_then(|rest| rest.iter().position(|b| *b == b'\\'))
    {
        at += found;
        match (escaped(bytes, at), escaped(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                bytes[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            _ => at += 2,
        }
    }
}

/// The number of `\uXXXX` at a place.
fn escaped(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The parser's message, without the place.
fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(bytes: &[u8]) -> Json {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        sys::write_durable(&path, bytes).unwrap();
        Json::read(&path).unwrap()
    }

    #[test]
    fn halves_of_characters_are_mended_and_nothing_else() {
        for (written, read) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00b""#, "\u{fffd}b"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\u00e9\n""#, "é\n"),
        ] {
            let text = json(written.as_bytes()).text;
            assert_eq!(text.len(), written.len());
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), read, "{written}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_and_a_mark_at_the_start_do_no_harm() {
        assert_eq!(json(b"\xef\xbb\xbf\"a\xff\"").text, "\"a\u{fffd}\"");
        for torn in ["\\", "\"\\u", "\"\\ud8", "\"\\ud83d\\u"] {
            json(torn.as_bytes());
        }
    }

    #[test]
    fn one_bad_item_does_not_hide_the_others_and_each_knows_its_line() {
        let json = json(b"{\"list\": [\n\"a\",\n7, [\"b\"],\n\n\"c\"]}");
        let items = json.list("list").unwrap();
        let read = |item: &Item<'_>| (item.line, item.read::<String>().is_ok());
        assert_eq!(
            items.iter().map(read).collect::<Vec<_>>(),
            [(2, true), (3, false), (3, false), (5, true)]
        );
    }

    #[test]
    fn a_file_of_another_form_is_refused_with_the_place() {
        for (text, error) in [
            (
                "{\"version\": 1, \"entries\": [{\"te",
                "line 1, column 31: EOF while parsing a string",
            ),
            (
                "{\"version\": 2, \"entries\": []}",
                "is of version 2, and this mdmem reads up to version 1",
            ),
            (
                "{\"version\": \"two\"}",
                "line 1, column 13: `version` is no number",
            ),
            ("{\n \"entries\": {}}", "line 2, column 13: `entries` is no list"),
            (
                "{}",
                "line 1, column 1: this is no object with a list of `entries`",
            ),
            ("[1, []]", "line 1, column 1: invalid type: sequence"),
            ("", "line 1, column 1: EOF"),
            ("null", "line 1, column 4: invalid type"),
        ] {
            let json = json(text.as_bytes());
            let read = json
                .check_version("version", 1)
                .and_then(|()| json.list("entries"));
            let told = read.map(|items| items.len()).unwrap_err().to_string();
            assert!(told.contains(error), "{text}: {told}");
        }
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let (open, close) = ("[".repeat(200_000), "]".repeat(200_000));
        let json = json(format!("{{\"entries\": [{open}1{close}, 2]}}").as_bytes());
        let read = |item: &Item<'_>| item.read::<serde_json::Value>().is_ok();
        let said: Vec<bool> = json.list("entries").unwrap().iter().map(read).collect();
        assert_eq!(said, [false, true]);
    }
}
