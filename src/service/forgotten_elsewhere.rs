//! The memories that a merge takes away here because another machine forgot them for good: a person who wrote on them
//! meanwhile is told whose word that was, and where the text is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::git::{Entry, trailer};
use crate::model::{Memory, Oid};
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
    /// forget, as far as the other side does not have them as they are here.
    pub(super) fn of(
        store: &Store,
        present: &Snapshot,
        head: Option<Oid>,
        theirs: Oid,
        plan: &MergePlan,
    ) -> Result<Self, ServiceError> {
        let known = head.map(|head| lines_in(store, head)).transpose()?;
        let new = lines_in(store, theirs)?.since(&known.unwrap_or_default());
        let repo = store.repo();
        let bases = head.map_or(Ok(Vec::new()), |head| repo.merge_bases(head, theirs))?;
        let mut paths: Vec<PathBuf> = Vec::new();
        for file in &present.files {
            let path: &Path = file.memory.path.as_ref();
            let goes = plan.changes.get(path).is_some_and(Option::is_none);
            if !goes {
                continue;
            }
            let sent = bases.iter().map(|base| repo.entry_at(*base, path));
            let sent = sent.collect::<Result<Vec<_>, _>>()?;
            let is_forgotten = |memory: &Memory| new.about(memory).next().is_some();
            // One without an id, which was edited here, is the text that was sent.
            let of_sent = |entry: &Entry| {
                let bytes = repo.blob(entry.oid);
                bytes.is_ok_and(|bytes| is_forgotten(&store.shown(&file.memory.path, &bytes)))
            };
            if !sent.contains(&Some(file.entry()))
                && (is_forgotten(&file.memory) || sent.iter().flatten().any(of_sent))
            {
                paths.push(path.to_owned());
            }
        }
        let mut by = BTreeSet::new();
        if !paths.is_empty() {
            for commit in repo.commits_beyond(theirs, head.as_slice())? {
                let commit = repo.commit_info(commit)?;
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
