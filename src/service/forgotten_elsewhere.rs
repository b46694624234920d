//! The memories that a merge takes away here because another machine forgot them for good: a person who wrote on them
//! meanwhile is told whose word that was, and where the text is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::git::trailer;
use crate::model::Oid;
use crate::store::{Snapshot, Store};
use crate::sync::MergePlan;
use crate::sys::lossy_all;

use super::ServiceError;
use super::forget::lines_in;

/// The memories that go here because another machine forgot them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ForgottenElsewhere {
    /// Their paths here.
    #[serde(serialize_with = "lossy_all")]
    pub paths: Vec<PathBuf>,
    /// The authors of the commits that forgot, without what looks like a credential.
    pub by: BTreeSet<String>,
    /// The commit of this machine that has the memories as they were last; `None` of a dry run.
    pub last_in: Option<Oid>,
}

impl ForgottenElsewhere {
    /// Those of the `present` memories that a merge of `theirs` into `head` removes, and that lines which come with it
    /// forget.
    pub(super) fn of(
        store: &Store,
        present: &Snapshot,
        head: Option<Oid>,
        theirs: Oid,
        plan: &MergePlan,
    ) -> Result<Self, ServiceError> {
        let known = head.map(|head| lines_in(store, head)).transpose()?;
        let new = lines_in(store, theirs)?.since(&known.unwrap_or_default());
        let goes = |path: &Path| plan.changes.get(path).is_some_and(Option::is_none);
        let memories = present.files.iter().map(|file| &file.memory);
        let gone = memories
            .filter(|memory| goes(memory.path.as_ref()) && new.about(memory).next().is_some())
            .map(|memory| memory.path.as_str().into());
        let paths: Vec<PathBuf> = gone.collect();
        let mut by = BTreeSet::new();
        if !paths.is_empty() {
            for commit in store.repo().commits_beyond(theirs, head.as_slice())? {
                let commit = store.repo().commit_info(commit)?;
                if commit.message.trailer(trailer::OP) == Some("forget") {
                    by.insert(store.redactor().redact_line(&commit.author).into_owned());
                }
            }
        }
        Ok(Self {
            paths,
            by,
            last_in: None,
        })
    }
}
