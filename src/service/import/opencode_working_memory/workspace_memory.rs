//! `workspace-memory.json` and `workspace-pending-journal.json`: an object with `version` 1 and a list of `entries`.

use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::entry;
use super::json::{lines, malformed, malformed_at};
use crate::service::ImportError;
use crate::service::import::incoming::{Item, Way};

/// The version that is known.
const VERSION: u64 = 1;

#[derive(Deserialize)]
#[serde(expecting = "an object with a list of `entries`")]
struct File<'a> {
    #[serde(borrow)]
    version: Option<&'a RawValue>,
    #[serde(borrow)]
    entries: Option<&'a RawValue>,
}

/// The entries of a file; those that cannot be read among them, with the reason.
pub(super) fn read(text: &str, path: &Path, way: Way) -> Result<Vec<Item>, ImportError> {
    let shapeless = || ImportError::Malformed {
        path: path.to_owned(),
        line: 1,
        column: 1,
        message: "this is no object with a list of `entries`".to_owned(),
    };
    // A list would do for the reader of an object.
    if text.trim_start().starts_with('[') {
        return Err(shapeless());
    }
    let shape: File<'_> = serde_json::from_str(text).map_err(|error| malformed(path, &error))?;
    check_version(&shape, text, path)?;
    let list = shape.entries.ok_or_else(shapeless)?;
    let entries: Vec<&RawValue> = serde_json::from_str(list.get())
        .map_err(|_| malformed_at(path, text, list, "`entries` is no list".to_owned()))?;
    let item = |(index, (entry, line)): (usize, (&&RawValue, usize))| Item {
        file: path.to_owned(),
        place: format!("entries[{index}]"),
        line: Some(line),
        said: entry::read(entry, way),
    };
    let lines = lines(text, &entries);
    Ok(entries.iter().zip(lines).enumerate().map(item).collect())
}

/// The first versions of the plugin left it out.
fn check_version(shape: &File<'_>, text: &str, path: &Path) -> Result<(), ImportError> {
    let Some(version) = shape.version else {
        return Ok(());
    };
    match serde_json::from_str::<f64>(version.get()) {
        #[expect(clippy::cast_precision_loss, reason = "a version is a small number")]
        Ok(number) if number <= VERSION as f64 => Ok(()),
        Ok(_) => Err(ImportError::Newer {
            path: path.to_owned(),
            found: version.get().chars().take(40).collect(),
            known: VERSION,
        }),
        Err(_) => Err(malformed_at(
            path,
            text,
            version,
            "`version` is no number".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Result<Vec<Item>, String> {
        read(text, Path::new("/p/workspace-memory.json"), Way::Memory).map_err(|error| error.to_string())
    }

    #[test]
    fn one_bad_entry_does_not_hide_the_others() {
        let text = "{\"entries\": [\n{\"text\": \"a\"},\n7, {\"text\": [\"b\"]},\n\n{\"text\": \"c\"}]}";
        let items = items(text).unwrap();
        let seen: Vec<_> = items
            .iter()
            .map(|item| (item.place.as_str(), item.line, item.said.is_ok()))
            .collect();
        assert_eq!(
            seen,
            [
                ("entries[0]", Some(2), true),
                ("entries[1]", Some(3), false),
                ("entries[2]", Some(3), false),
                ("entries[3]", Some(5), true)
            ]
        );
    }

    #[test]
    fn a_file_of_another_form_is_refused_with_the_place() {
        for (text, error) in [
            (
                "{\"version\": 1, \"entries\": [{\"te",
                "/p/workspace-memory.json: line 1, column 31: EOF while parsing a string",
            ),
            (
                "{\"version\": 2, \"entries\": []}",
                "/p/workspace-memory.json is of version 2, and this mdmem reads up to version 1",
            ),
            (
                "{\"version\": \"two\", \"entries\": []}",
                "/p/workspace-memory.json: line 1, column 13: `version` is no number",
            ),
            (
                "{\n \"entries\": {}}",
                "/p/workspace-memory.json: line 2, column 13: `entries` is no list",
            ),
            (
                "{}",
                "/p/workspace-memory.json: line 1, column 1: this is no object with a list of `entries`",
            ),
            (
                "[1, []]",
                "/p/workspace-memory.json: line 1, column 1: this is no object with a list of `entries`",
            ),
        ] {
            assert_eq!(items(text), Err(error.to_owned()), "{text}");
        }
        assert!(items("").is_err() && items("null").is_err() && items("\"x\"").is_err());
        assert_eq!(items("{\"version\": 1, \"entries\": []}"), Ok(vec![]));
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let deep = format!(
            "{{\"entries\": [{{\"text\": \"a\", \"x\": {}1{}}}, {{\"text\": \"b\"}}]}}",
            "[".repeat(200_000),
            "]".repeat(200_000)
        );
        let said: Vec<bool> = items(&deep)
            .unwrap()
            .iter()
            .map(|item| item.said.is_ok())
            .collect();
        assert_eq!(said, [false, true]);
    }
}
