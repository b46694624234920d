//! `memory_edit`: one passage of a memory's body in other words.

use std::collections::BTreeSet;

use super::super::super::ServiceError;
use super::super::super::add::text_without_secrets;
use super::super::Conversations;
use super::memory::Present;
use super::write::{check_worth, with_endings_of};
use super::{Asking, Begins, ToolChange, WhyRefused, changed, check_no_order, path_of};

/// A passage that a model wants to be another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryEdit {
    /// The name of the memory.
    pub path: String,
    /// The passage: it stands there once.
    pub old: String,
    /// The words in its place.
    pub new: String,
    /// The content that the model has seen.
    pub rev: Option<String>,
}

impl Conversations {
    /// Changes one passage of a memory's body. The frontmatter is out of reach.
    pub fn memory_edit(&mut self, asking: &Asking, request: &MemoryEdit) -> Result<ToolChange, ServiceError> {
        self.change_by_tool(asking, Begins::No, &request.path, |writer, by| {
            let store = writer.store();
            let path = path_of(store, writer.snapshot(), &request.path)?;
            let present = Present::read(store, writer.snapshot(), &path)?;
            present.check(request.rev.as_deref())?;
            let mut redacted = BTreeSet::new();
            let new = text_without_secrets(&request.new, store.redactor(), &mut redacted);
            let (old, new) = if present.body.contains(&request.old) {
                (request.old.clone(), new)
            } else {
                let as_there = |text: &str| with_endings_of(&present.body, text);
                (as_there(&request.old), as_there(&new))
            };
            match present.body.matches(&old).count() {
                _ if old.is_empty() => return Err(present.refuses(WhyRefused::NotFound(path))),
                0 => return Err(present.refuses(WhyRefused::NotFound(path))),
                1 => {}
                count => return Err(present.refuses(WhyRefused::NotUnique { path, count })),
            }
            let body = present.body.replacen(&old, &new, 1);
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
