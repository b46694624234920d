//! One file of a change that is taken back line by line, because it was changed again since.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::git::{DiffLineKind, Entry, hash_blob, line_diff};
use crate::merge::take_back;
use crate::model::StorePath;
use crate::store::{MAX_FILE, Replacement, SETTINGS, Store, StoreError};
use crate::sys::{self, shown_path};

use super::ServiceError;
use super::check::faults_of_settings;
use super::edit::validate;

/// Lines of a file that were changed again after the change that is taken back, and are left as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftLines {
    /// The file.
    pub path: PathBuf,
    /// Their numbers in the file as the undo leaves it, from 1. Where lines were removed, it is the line after them.
    pub lines: Vec<RangeInclusive<usize>>,
}

impl fmt::Display for LeftLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.lines.iter().map(|lines| match (lines.start(), lines.end()) {
            (first, last) if first == last => format!("line {first}"),
            (first, last) => format!("lines {first} to {last}"),
        });
        let verb = if self
            .lines
            .iter()
            .map(|lines| lines.clone().count())
            .sum::<usize>()
            == 1
        {
            "was"
        } else {
            "were"
        };
        let named = named.collect::<Vec<_>>();
        write!(
            f,
            "{} of {} {verb} changed again since",
            named.join(", "),
            shown_path(&self.path)
        )
    }
}

/// A file without a change.
pub(super) enum WithoutLines {
    /// The file becomes another one.
    Becomes {
        /// The bytes that it would have.
        text: Vec<u8>,
        /// The same, as a commit has it.
        entry: Entry,
        /// The lines that are left as they are.
        lines: Vec<RangeInclusive<usize>>,
    },
    /// The file has to stay as it is; the reason, where that is not a later change alone.
    Stays(Option<String>),
}

/// Takes a change of a file back, line by line. The file stays as it is where the change made or removed it, where
/// somebody removed it or put it elsewhere, where it is no text, and where the text without the change has a fault or a
/// credential that neither the present text nor history has.
pub(super) fn without_lines(
    store: &Store,
    change: &Replacement,
    present: Option<Entry>,
) -> Result<WithoutLines, ServiceError> {
    let (path, stays) = (&change.path, Ok(WithoutLines::Stays(None)));
    let (Some(old), Some(new), Some(present)) = (change.old, change.new, present) else {
        return stays;
    };
    let now = sys::read(store.root(), path, MAX_FILE)?.bytes;
    if hash_blob(&now) != present.oid {
        return stays;
    }
    let texts = [store.repo().blob(old.oid)?, store.repo().blob(new.oid)?, now];
    let [Ok(before), Ok(after), Ok(now)] = texts.each_ref().map(|text| str::from_utf8(text)) else {
        return stays;
    };
    let Some(back) = take_back(before, after, now) else {
        return stays;
    };
    let why_not = match store.check_no_new_credential(path, back.text.as_bytes(), Some(old.oid)) {
        Err(StoreError::Held(held)) => Some(format!("be held without the change: {}", held.describe())),
        checked => {
            checked?;
            let fault = new_fault(store, path, &back.text, now);
            fault.map(|fault| format!("have a fault without the change: {fault}"))
        }
    };
    if let Some(why) = why_not {
        let why = format!("{} would {why}", shown_path(path));
        return Ok(WithoutLines::Stays(Some(why)));
    }
    Ok(WithoutLines::Becomes {
        lines: lines_that_differ(&back.text, &back.whole),
        entry: Entry {
            oid: hash_blob(back.text.as_bytes()),
            ..present
        },
        text: back.text.into_bytes(),
    })
}

/// A fault that a text of a file has and the present text does not have.
fn new_fault(store: &Store, path: &Path, text: &str, now: &str) -> Option<String> {
    let faults = |text: &str| -> Vec<String> {
        let found = if path == Path::new(SETTINGS) {
            faults_of_settings(store, text)
        } else {
            let path = path.to_str().and_then(|path| StorePath::new(path).ok());
            path.map_or_else(Vec::new, |path| validate(store, &path, text.as_bytes()))
        };
        found.into_iter().map(|fault| fault.message).collect()
    };
    let known = faults(now);
    faults(text).into_iter().find(|fault| !known.contains(fault))
}

/// The lines of `text` in which it differs from `other`.
fn lines_that_differ(text: &str, other: &str) -> Vec<RangeInclusive<usize>> {
    let mut found: Vec<RangeInclusive<usize>> = Vec::new();
    let (mut at, mut is_open) = (1, false);
    for line in line_diff(text.as_bytes(), other.as_bytes()).unwrap_or_default() {
        match line.kind {
            DiffLineKind::Hunk => {
                at = first_line(&line.text).unwrap_or(at);
                is_open = false;
            }
            DiffLineKind::Kept => {
                at += 1;
                is_open = false;
            }
            DiffLineKind::Removed if is_open => {
                let first = found.pop().map_or(at, |lines| *lines.start());
                found.push(first..=at);
                at += 1;
            }
            DiffLineKind::Removed => {
                found.push(at..=at);
                is_open = true;
                at += 1;
            }
            DiffLineKind::Added if !is_open => {
                found.push(at..=at);
                is_open = true;
            }
            DiffLineKind::Added | DiffLineKind::Unended => {}
        }
    }
    found
}

/// The number of the first line of a group of changes, by its header `@@ -3,2 +3,2 @@`.
fn first_line(header: &str) -> Option<usize> {
    let numbers = header.strip_prefix("@@ -")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit())?;
    numbers[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_by_their_numbers() {
        let numbers: Vec<String> = (1..=30).map(|n| n.to_string()).collect();
        let text = numbers.join("\n") + "\n";
        let other = text
            .replace("\n5\n", "\nfive\n")
            .replace("\n7\n8\n", "\n")
            .replace("\n20\n", "\n20\nnew\n");
        let lines = lines_that_differ(&text, &other);
        assert_eq!(lines, [5..=5, 7..=8, 21..=21]);
        assert_eq!(lines_that_differ(&text, &text), []);
        let path = "decision/a.md".into();
        let left = LeftLines { path, lines }.to_string();
        assert_eq!(
            left,
            "line 5, lines 7 to 8, line 21 of decision/a.md were changed again since"
        );
    }
}
