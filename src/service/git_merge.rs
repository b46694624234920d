//! After a merge that git made (`git pull`, `git merge`): the tree becomes what `mdmem sync` makes of the same two
//! commits, and what it forgot is forgotten here too.

use std::collections::BTreeSet;

use super::ServiceError;
use super::forget::scrub_what_was_forgotten;
use crate::git::{CommitInfo, parse_oid, trailer};
use crate::model::Oid;
use crate::policy::ForcedBy;
use crate::store::{Description, Writer};
use crate::sync::plan_completion;
use crate::text::counted;

/// The operation of the commit, which no undo takes back: it is a part of a merge.
pub(super) const COMPLETION: &str = "mend";
/// The trailer that names the merge.
const COMPLETES: &str = "Mdmem-Mends";

/// Completes each merge of git's that nobody has completed yet, in a commit of its own, and takes the words of what was
/// forgotten by hand out of everything local. To be called after a sweep. An error stops no command: it is told, and
/// the next writer tries again.
pub(super) fn complete_merges(writer: &mut Writer<'_>) {
    if let Err(error) = complete_all(writer) {
        tracing::warn!(%error, "a merge by git could not be completed");
        writer.notices.push(format!(
            "a merge by git is not completed yet: {error}. The next command that writes retries"
        ));
    }
    scrub_what_was_forgotten(writer);
}

fn complete_all(writer: &mut Writer<'_>) -> Result<(), ServiceError> {
    let store = writer.store();
    let repo = store.repo();
    let commits = repo.uncompleted()?;
    if commits.is_empty() || writer.obstacle()?.is_some() || writer.unfinished.is_some() {
        return Ok(());
    }
    // Another machine may have completed it, and settled since what that had set aside.
    let completed = commits
        .iter()
        .filter_map(|commit| commit.message.trailer(COMPLETES));
    let completed: BTreeSet<Oid> = completed.filter_map(parse_oid).collect();
    let is_gits = |commit: &&CommitInfo| {
        let is_ours = commit.message.trailer(trailer::OP).is_some();
        commit.is_merge() && !is_ours && !completed.contains(&commit.oid)
    };
    for merge in commits.iter().filter(is_gits) {
        complete_one(writer, merge)?;
    }
    if let Some(head) = repo.head()?.tip() {
        repo.set_completed(head)?;
    }
    Ok(())
}

fn complete_one(writer: &mut Writer<'_>, merge: &CommitInfo) -> Result<(), ServiceError> {
    let store = writer.store();
    let name = merge.oid.short();
    if merge.parents.len() > 2 {
        let count = merge.parents.len();
        writer.notices.push(format!(
            "the merge {name} has {count} parents: it is left as git made it"
        ));
        return Ok(());
    }
    let targets = plan_completion(store, merge)?.targets(store)?;
    if targets.is_empty() {
        return Ok(());
    }
    let description = Description::op(COMPLETION, "complete")
        .detail(format!("after the merge {name}"))
        .with(COMPLETES, merge.oid.to_string());
    writer.change_all(&targets, &description, None)?;
    if targets.iter().any(|(_, wanted)| wanted.is_none()) {
        store.force_epochs(ForcedBy::Delete)?;
    }
    writer.notices.push(format!(
        "completed git's merge {name}: merged {} as `mdmem sync` does",
        counted(targets.len(), "file")
    ));
    Ok(())
}
