//! `memory_edit`: one passage of a memory's body in other words.

use std::collections::BTreeSet;

use super::super::super::ServiceError;
use super::super::super::add::text_without_secrets;
use super::super::Conversations;
use super::memory::Present;
use super::write::{check_worth, with_endings_of};
use super::{Asking, Begins, ToolChange, WhyRefused, changed, check_length, check_no_order, path_of};

/// A change of a memory's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryEdit {
    /// The name of the memory.
    pub path: String,
    /// The passage.
    pub passage: Passage,
    /// The content that the model has seen.
    pub rev: Option<String>,
}

/// A passage that a model wants to be another one, or to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passage {
    /// `old`, which stands in the body once, becomes `new`.
    Replace {
        /// The passage.
        old: String,
        /// The words in its place.
        new: String,
    },
    /// `text` comes behind the line of this number; 0: before the first one.
    Insert {
        /// The number of the line.
        line: usize,
        /// The new lines.
        text: String,
    },
}

impl Conversations {
    /// Changes one passage of a memory's body. The frontmatter is out of reach.
    pub fn memory_edit(&mut self, asking: &Asking, request: &MemoryEdit) -> Result<ToolChange, ServiceError> {
        self.change_by_tool(asking, Begins::No, &request.path, |writer, by| {
            let store = writer.store();
            let path = path_of(store, writer.snapshot(), &request.path)?;
            let present = Present::read(store, writer.snapshot(), &path)?;
            present.check(request.rev.as_deref())?;
            let (Passage::Replace { new, .. } | Passage::Insert { text: new, .. }) = &request.passage;
            check_length(new, present.shown.limit)?;
            let mut redacted = BTreeSet::new();
            let mut clean = |text: &str| text_without_secrets(text, store.redactor(), &mut redacted);
            let (new, body) = match &request.passage {
                Passage::Replace { old, new } => {
                    let new = clean(new);
                    let body = replaced(&present, old, &new).map_err(|why| present.refuses(why))?;
                    (new, body)
                }
                Passage::Insert { line, text } => {
                    let new = clean(text);
                    let body = inserted(&present, *line, &new).map_err(|why| present.refuses(why))?;
                    (new, body)
                }
            };
            check_no_order(&new)?;
            if check_no_order(&present.body).is_ok() {
                check_no_order(&body)?;
            }
            let secrets = |text: &str| store.redactor().find(text).len();
            if secrets(&body) > secrets(&present.body) {
                return Err(ServiceError::OnlySecrets);
            }
            check_worth(&body, store)?;
            let outcome = present.put(writer, &body, Vec::new(), false, by)?;
            changed(writer, &path, redacted.into_iter().collect(), outcome)
        })
    }
}

/// The body with `new` in the place of `old`, in the line endings of the body.
fn replaced(present: &Present, old: &str, new: &str) -> Result<String, WhyRefused> {
    let (body, path) = (&present.body, present.shown.path.clone());
    let (old, new) = if body.contains(old) {
        (old.to_owned(), new.to_owned())
    } else {
        (with_endings_of(body, old), with_endings_of(body, new))
    };
    match body.matches(&old).count() {
        _ if old.is_empty() => Err(WhyRefused::NotFound(path)),
        0 => Err(WhyRefused::NotFound(path)),
        1 => Ok(body.replacen(&old, &new, 1)),
        count => Err(WhyRefused::NotUnique { path, count }),
    }
}

/// The body with `text` behind a line.
fn inserted(present: &Present, line: usize, text: &str) -> Result<String, WhyRefused> {
    let body = &present.body;
    let lines = body.lines().count();
    if line > lines {
        let path = present.shown.path.clone();
        return Err(WhyRefused::NoSuchLine { path, line, lines });
    }
    let at = body.split_inclusive('\n').take(line).map(str::len).sum();
    let (before, after) = body.split_at(at);
    // A body ends without a line feed.
    let text = if after.is_empty() {
        text.trim_end_matches(['\n', '\r'])
    } else {
        text
    };
    let mut joined = before.to_owned();
    for part in [text, after] {
        if !joined.is_empty() && !part.is_empty() && !joined.ends_with('\n') {
            joined.push('\n');
        }
        joined.push_str(part);
    }
    Ok(with_endings_of(body, &joined))
}
