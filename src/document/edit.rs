//! Changing single keys of a file. No other byte changes: not a comment, a quote, a line ending or the order of keys.

use std::ops::Range;

use super::body::trim_blank_lines;
use super::entries::{Entry, Style, is_trivia, scan};
use super::fields::Key;
use super::frontmatter::{Front, Layout, Parts, divide};
use super::lines::{line_number, lines};
use super::mend::mend;
use super::scalar::{Value, double_quoted, plain_or_quoted, single_quoted};
use super::yaml::{METADATA, Node, Pairs, is_flag, is_null, is_simple};

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyEdit {
    /// States the key, in its place when it is there already, else at the end of the frontmatter.
    Set(Key, Value),
    /// Removes the key, and a frontmatter that has nothing else.
    Remove(Key),
}

/// The reason why a file is left as it is. The caller names the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Its bytes are no text.
    #[error("the file is not UTF-8: save it as UTF-8 first")]
    NotUtf8,
    /// YAML refuses its frontmatter.
    #[error("line {line}, column {column}: invalid YAML in the frontmatter: {message}")]
    Syntax {
        /// Counted from 1.
        line: u32,
        /// In characters, counted from 1.
        column: u32,
        /// The words of the YAML parser.
        message: String,
        /// The way to mend it, as a sentence.
        mend: String,
    },
    /// Its frontmatter has no end.
    #[error("the frontmatter has no closing `---`: add one before line {line}")]
    NotClosed {
        /// Counted from 1.
        line: u32,
    },
    /// A key that is there twice has no one place to change.
    #[error("duplicate `{key}`, the second on line {line}: remove one of the lines first")]
    Duplicate {
        /// The key.
        key: Key,
        /// Counted from 1.
        line: u32,
    },
    /// The frontmatter is YAML, but not one `key: value` below the other.
    #[error("`{key}` cannot be changed without touching other lines: write one `key: value` per line first")]
    Layout {
        /// The key.
        key: Key,
    },
}

impl EditError {
    /// The way to mend the file, as a sentence, where the message does not say so already.
    pub fn mend(&self) -> Option<&str> {
        match self {
            Self::Syntax { mend, .. } => Some(mend),
            _ => None,
        }
    }
}

/// The file with some keys changed, in the given order. A key that says the value already, in whatever spelling, is
/// left alone. Setting a key and setting it back gives the first bytes, but for values over several lines,
/// values with control characters, lists, and single quotes that nothing needed. Every step is read again: when anything
/// but the named key would differ, nothing is changed and the error says why.
pub fn edit(bytes: &[u8], edits: &[KeyEdit]) -> Result<Vec<u8>, EditError> {
    let text = std::str::from_utf8(bytes).map_err(|_| EditError::NotUtf8)?;
    let mut text = text.to_owned();
    for step in edits {
        if let Some(changed) = File::read(&text)?.apply(step)? {
            text = changed;
        }
    }
    Ok(text.into_bytes())
}

/// A file that can be edited.
struct File<'a> {
    text: &'a str,
    layout: Layout,
    /// Between the fences; `None` where there is no frontmatter.
    inner: Option<Range<usize>>,
    pairs: Pairs,
    body: &'a str,
}

impl<'a> File<'a> {
    fn read(text: &'a str) -> Result<Self, EditError> {
        let layout = Layout::of(text);
        let Parts { front, body } = divide(text, &layout);
        let (inner, pairs) = match front {
            Front::Absent => (None, Pairs::new()),
            Front::Mapping { inner, pairs } => (Some(inner), pairs),
            Front::Broken { inner, error } | Front::Hopeless { inner, error } => {
                return Err(EditError::Syntax {
                    mend: mend(text, inner),
                    line: error.line,
                    column: error.column,
                    message: error.message,
                });
            }
            Front::Unclosed { inner } => {
                return Err(EditError::NotClosed {
                    line: line_number(text, inner.end),
                });
            }
        };
        Ok(Self {
            text,
            layout,
            inner,
            pairs,
            body: &text[body..],
        })
    }

    /// The text after one change; `None` when it says so already.
    fn apply(&self, step: &KeyEdit) -> Result<Option<String>, EditError> {
        let key = match step {
            KeyEdit::Set(key, _) | KeyEdit::Remove(key) => *key,
        };
        let stated = self.pairs.iter().filter(|(name, _)| name == key.as_str()).count();
        if stated > 1 {
            return Err(self.duplicate(key));
        }
        let tries = match step {
            KeyEdit::Set(_, value) => {
                if self.stated(key).is_some_and(|node| value.is_said_by(node)) {
                    return Ok(None);
                }
                self.set(key, value)?
            }
            KeyEdit::Remove(_) if stated == 0 => return Ok(None),
            KeyEdit::Remove(_) => self.remove(key)?,
        };
        let found = tries
            .into_iter()
            .find(|text| self.differs_only_by(step, key, text));
        found.map(Some).ok_or(EditError::Layout { key })
    }

    /// The value of a key, `metadata.type` for a `type` that stands only there.
    fn stated(&self, key: Key) -> Option<&Node> {
        let top = value_of(&self.pairs, key.as_str());
        top.or_else(|| nested_type(&self.pairs, key))
    }

    fn duplicate(&self, key: Key) -> EditError {
        let inner = self.inner.clone().unwrap_or_default();
        let entries = scan(self.text, inner.clone()).map_or_else(Vec::new, |(entries, _)| entries);
        let last = entries.iter().rfind(|entry| entry.key == key.as_str());
        EditError::Duplicate {
            key,
            line: line_number(self.text, last.map_or(inner.start, |entry| entry.lines.start)),
        }
    }

    /// The entries, when they are what YAML sees, and their column.
    fn entries(&self, inner: &Range<usize>, key: Key) -> Result<(Vec<Entry>, usize), EditError> {
        let scanned = scan(self.text, inner.clone());
        scanned
            .filter(|(entries, _)| same_keys(entries, &self.pairs))
            .ok_or(EditError::Layout { key })
    }

    fn set(&self, key: Key, value: &Value) -> Result<Vec<String>, EditError> {
        let newline = self.layout.newline;
        let Some(inner) = &self.inner else {
            let (mark, body) = self.text.split_at(self.layout.start);
            let line = format!("---{newline}{key}: {}{newline}---{newline}", value.on_one_line());
            return Ok(vec![format!("{mark}{line}{body}")]);
        };
        let (entries, base) = self.entries(inner, key)?;
        let in_place = entries.iter().find(|entry| entry.key == key.as_str()).cloned();
        if let Some(entry) = in_place {
            let ways = self.ways(&entry, value);
            return Ok(ways.iter().map(|way| self.replace(&entry, way)).collect());
        }
        // In a frontmatter of blank lines alone, one more of them tells `remove` that the fences are the person's. Behind
        // a line that ends in CR, an LF would end that same line.
        let blank = match &self.text[inner.clone()] {
            lines if !lines.trim().is_empty() => "",
            lines if lines.ends_with('\r') && newline == "\n" => "\r\n",
            _ => newline,
        };
        let (indent, written) = (" ".repeat(base), value.on_one_line());
        let line = format!("{blank}{indent}{key}: {written}{newline}");
        Ok(vec![self.splice(inner.end..inner.end, &line)])
    }

    fn replace(&self, entry: &Entry, written: &str) -> String {
        let below = matches!(entry.style, Style::Block);
        let stays_below = below && written.trim_start_matches(' ').starts_with("- ");
        if entry.style == Style::Empty || (below && !stays_below) {
            self.splice(entry.colon..entry.value.end, &format!(" {written}"))
        } else if below {
            // With the comments of its last lines.
            let end = line_end(self.text, entry.lines.clone());
            self.splice(entry.value.start..end, written)
        } else {
            self.splice(entry.value.clone(), written)
        }
    }

    fn remove(&self, key: Key) -> Result<Vec<String>, EditError> {
        let inner = self.inner.clone().unwrap_or_default();
        let (entries, _) = self.entries(&inner, key)?;
        let entry = entries
            .iter()
            .find(|entry| entry.key == key.as_str())
            .ok_or(EditError::Layout { key })?;
        let only_it = self.splice(entry.lines.clone(), "");
        let (before, after) = (inner.start..entry.lines.start, entry.lines.end..inner.end);
        let left = format!("{}{}", &self.text[before], &self.text[after]);
        let mut tries = Vec::new();
        if left.is_empty() {
            // Nobody writes an empty frontmatter: `set` made this one.
            tries.push(format!("{}{}", &self.text[..self.layout.start], self.body));
        } else if left.trim().is_empty() {
            let last = lines(&left, 0..left.len()).last().map_or(0, |line| line.start);
            tries.push(self.splice(inner, &left[..last]));
        }
        tries.push(only_it);
        Ok(tries)
    }

    /// Ways to write `value` where `entry` stands, the nearest to what is there first; the last one is always YAML.
    fn ways(&self, entry: &Entry, value: &Value) -> Vec<String> {
        let old = &self.text[entry.value.clone()];
        if let (Value::List(items), Style::Block) = (value, entry.style)
            && let Some(dash) = old.find('-').filter(|_| !items.is_empty())
        {
            let blanks = old[dash + 1..].len() - old[dash + 1..].trim_start_matches(' ').len();
            let lead = &old[..=dash + blanks];
            let items = items
                .iter()
                .map(|item| format!("{lead}{}", plain_or_quoted(item)));
            return vec![
                items.collect::<Vec<_>>().join(self.layout.newline),
                value.on_one_line(),
            ];
        }
        let characters = value.characters();
        let near = match entry.style {
            _ if matches!(value, Value::List(_)) => None,
            // Quotes that one value needs go with it: so a value without any comes back as it was.
            Style::Single if !matches!(value, Value::Text(_)) || !needs_quotes(old) => {
                single_quoted(&characters)
            }
            Style::Plain | Style::Single => bare(&characters).or_else(|| single_quoted(&characters)),
            Style::Double => Some(double_quoted(&characters)),
            _ => None,
        };
        let quoted = (!matches!(value, Value::List(_))).then(|| double_quoted(&characters));
        near.into_iter()
            .chain([value.on_one_line()])
            .chain(quoted)
            .collect()
    }

    fn splice(&self, range: Range<usize>, with: &str) -> String {
        format!("{}{with}{}", &self.text[..range.start], &self.text[range.end..])
    }

    /// Says whether another version of this file has the same body and the same keys, but for the one that was changed.
    fn differs_only_by(&self, step: &KeyEdit, key: Key, after: &str) -> bool {
        let Ok(after) = File::read(after) else {
            return false;
        };
        let done = match step {
            KeyEdit::Set(_, value) => after.stated(key).is_some_and(|node| {
                value.is_said_by(node) || (key != Key::Text && value.is_said_by(&trimmed(node)))
            }),
            KeyEdit::Remove(_) => value_of(&after.pairs, key.as_str()).is_none(),
        };
        done && self.body == after.body && others(&self.pairs, key) == others(&after.pairs, key)
    }
}

/// The keys that a change of `key` must leave alone.
fn others(pairs: &Pairs, key: Key) -> Pairs {
    let mut others = pairs.clone();
    others.retain(|(name, _)| name != key.as_str());
    others
}

/// To a person who writes without quotes, a number is no reason to begin with them.
fn bare(characters: &str) -> Option<String> {
    let text = is_simple(characters) && !is_null(characters) && !is_flag(characters);
    text.then(|| characters.to_owned())
}

fn needs_quotes(single_quoted: &str) -> bool {
    let inner = single_quoted
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    inner.is_some_and(|inner| bare(&inner.replace("''", "'")).is_none())
}

fn value_of<'a>(pairs: &'a Pairs, key: &str) -> Option<&'a Node> {
    pairs.iter().find(|(name, _)| name == key).map(|(_, node)| node)
}

/// `metadata.type`, where there is no `type`.
fn nested_type(pairs: &Pairs, key: Key) -> Option<&Node> {
    match value_of(pairs, METADATA)? {
        Node::Map(inner) if key == Key::Type => value_of(inner, key.as_str()),
        _ => None,
    }
}

fn same_keys(entries: &[Entry], pairs: &Pairs) -> bool {
    let scanned = entries.iter().map(|entry| &entry.key);
    scanned.eq(pairs.iter().map(|(name, _)| name))
}

/// A block scalar ends with a line ending that is not part of what was meant.
fn trimmed(node: &Node) -> Node {
    match node {
        Node::Scalar(text) => Node::Scalar(text.trim_end_matches('\n').to_owned()),
        other => other.clone(),
    }
}

fn line_end(text: &str, range: Range<usize>) -> usize {
    lines(text, range.clone())
        .filter(|line| !is_trivia(line.of(text)))
        .last()
        .map_or(range.end, |line| line.end)
}

/// Gives the file another body. The frontmatter and the blank lines around the body stay as they are. A body that reads
/// as a frontmatter becomes one in a file that has none: the caller reads the result.
pub fn with_body(text: &str, body: &str) -> String {
    let layout = Layout::of(text);
    let (head, rest) = text.split_at(divide(text, &layout).body);
    let old = trim_blank_lines(rest);
    let begin = rest
        .find(old)
        .expect("because the old body is a part of the rest");
    let (lead, tail) = (&rest[..begin], &rest[begin + old.len()..]);
    let is_open = head.len() > layout.start && !head.ends_with(['\n', '\r']);
    let open = if is_open { layout.newline } else { "" };
    let end = if tail.is_empty() { layout.newline } else { "" };
    format!("{head}{open}{lead}{body}{end}{tail}")
}

#[cfg(test)]
mod tests;
