//! A table added to the text of a TOML file, and taken out again. It is appended, and everything else stays as it is.

use toml::Table;

use super::edit::{Edit, EditError, Setup, line_of, newline_of};

/// A table of mdmem's in a TOML file.
#[derive(Debug)]
pub(super) struct Entry {
    /// The table that holds the entries of all programs.
    pub(super) table: &'static str,
    /// The name of mdmem's entry.
    pub(super) key: &'static str,
    /// Its lines, without the header.
    pub(super) lines: &'static str,
}

impl Entry {
    /// The entry's place in its file, for people.
    pub(super) fn name(&self) -> String {
        format!("`{}.{}`", self.table, self.key)
    }

    /// The text of the table, without its last line ending.
    fn text(&self, newline: &str) -> String {
        let text = format!("[{}.{}]\n{}", self.table, self.key, self.lines);
        text.replace('\n', newline)
    }
}

/// Adds the table to a text, or takes it out.
pub(super) fn edit(entry: &Entry, text: &str, setup: Setup) -> Result<Edit, EditError> {
    let there = find(entry, &parsed(text)?);
    let block = entry.text(newline_of(text));
    match (setup, there) {
        (_, Some(there)) if Some(&there) != find(entry, &parsed(&block)?).as_ref() => Ok(Edit::Foreign),
        (Setup::Connect, Some(_)) | (Setup::TakeBack, None) => Ok(Edit::Same),
        (Setup::Connect, None) => {
            let with = appended(text, &block);
            match parsed(&with) {
                Ok(_) => Ok(Edit::Changed(with)),
                Err(_) => Err(EditError::Shape {
                    line: text.find(entry.table).map_or(1, |at| line_of(text, at)),
                    name: format!("`{}`", entry.table),
                    wanted: "table that another one can be added to",
                }),
            }
        }
        (Setup::TakeBack, Some(_)) => Ok(without(text, &block)
            .filter(|without| parsed(without).is_ok_and(|table| find(entry, &table).is_none()))
            .map_or(Edit::Foreign, Edit::Changed)),
    }
}

fn parsed(text: &str) -> Result<Table, EditError> {
    text.parse().map_err(|error: toml::de::Error| {
        let offset = error.span().map_or(0, |span| span.start);
        EditError::syntax(text, offset, error.message())
    })
}

fn find(entry: &Entry, table: &Table) -> Option<toml::Value> {
    table.get(entry.table)?.get(entry.key).cloned()
}

/// The text with the block after an empty line. It ends as the text did: with a line ending, or without.
fn appended(text: &str, block: &str) -> String {
    let newline = newline_of(text);
    if text.is_empty() {
        format!("{block}{newline}")
    } else if text.ends_with('\n') {
        format!("{text}{newline}{block}{newline}")
    } else {
        format!("{text}{newline}{newline}{block}")
    }
}

/// The text without the block and without what [`appended`] put around it; `None` where the block is not in it.
fn without(text: &str, block: &str) -> Option<String> {
    let newline = newline_of(text);
    let is_whole = |at: &usize| {
        let (before, after) = (&text[..*at], &text[at + block.len()..]);
        (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with(newline))
    };
    let at = text.match_indices(block).map(|(at, _)| at).find(is_whole)?;
    let (mut before, after) = (&text[..at], &text[at + block.len()..]);
    if let Some(line) = before.strip_suffix(newline).filter(|line| line.ends_with('\n')) {
        before = line;
    }
    match after.strip_prefix(newline) {
        Some(after) => Some(format!("{before}{after}")),
        None => Some(before.strip_suffix(newline).unwrap_or(before).to_owned()),
    }
}
