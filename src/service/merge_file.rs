//! Use case: git asks for the merge of one file (`mdmem merge-driver`).

use std::path::{Path, PathBuf};

use super::{Context, ServiceError};
use crate::document::Forgotten;
use crate::git::{Repo, parse_oid};
use crate::merge::{Version, merge_memory};
use crate::model::{Oid, Timestamp};
use crate::sys;

/// The longest file that is merged, in bytes; git merges a longer one.
const MOST: u64 = 16 << 20;

/// The files that git gives to a merge driver, below the folder in which it runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeFiles {
    /// The version that both sides began with; empty where there was none.
    pub base: PathBuf,
    /// Our version; the merged file takes its place.
    pub ours: PathBuf,
    /// Their version.
    pub theirs: PathBuf,
    /// The path of the file in the store.
    pub path: PathBuf,
    /// The rule by which it is merged.
    pub rule: MergeRule,
}

/// The rule by which a file is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeRule {
    /// A memory: key by key, and its text line by line.
    Memory,
    /// The list of what was forgotten: a set of lines.
    Forgotten,
}

/// The outcome of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMerge {
    /// The file says what both sides say.
    Clean,
    /// Both sides changed the same lines: they stand in the file between markers, and the keys are merged.
    Conflict,
}

/// Merges one file.
pub fn merge_file(context: &Context, files: &MergeFiles) -> Result<FileMerge, ServiceError> {
    let root = context.env.current_dir();
    let read = |path: &Path| sys::read(root, path, MOST).map(|file| file.bytes);
    let (base, ours, theirs) = (read(&files.base)?, read(&files.ours)?, read(&files.theirs)?);
    if files.rule == MergeRule::Forgotten {
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|bytes| Forgotten::parse(bytes));
        let merged = Forgotten::merge(&base, &ours, &theirs).to_bytes();
        sys::write_atomic(&root.join(&files.ours), &merged)?;
        return Ok(FileMerge::Clean);
    }
    let [ours_at, theirs_at] = times(context, &files.path);
    let merged = merge_memory(
        &base,
        Version {
            bytes: &ours,
            at: ours_at,
        },
        Version {
            bytes: &theirs,
            at: theirs_at,
        },
    );
    let (bytes, outcome) = match merged.conflict {
        None => (merged.bytes, FileMerge::Clean),
        Some(conflict) => (conflict.marked, FileMerge::Conflict),
    };
    sys::write_atomic(&root.join(&files.ours), &bytes)?;
    Ok(outcome)
}

/// When the last commit on the file was made, on our side and on theirs; `None` for both where git does not say which
/// commit it merges, as in a rebase.
fn times(context: &Context, path: &Path) -> [Option<Timestamp>; 2] {
    // `git merge` names each head that it merges by a variable `GITHEAD_<oid>`.
    let heads = context.env.vars_with_prefix("GITHEAD_");
    let mut heads = heads.filter_map(|(name, _)| parse_oid(name.strip_prefix("GITHEAD_")?));
    let (Some(theirs), None) = (heads.next(), heads.next()) else {
        return [None; 2];
    };
    let found = Repo::open(context.env.current_dir()).ok().and_then(|repo| {
        let ours = repo.head().ok()?.tip()?;
        Some([time_of(&repo, ours, path)?, time_of(&repo, theirs, path)?])
    });
    found.map_or([None; 2], |times| times.map(Some))
}

fn time_of(repo: &Repo, from: Oid, path: &Path) -> Option<Timestamp> {
    let step = repo.log(from, Some(path)).ok()?.next()?.ok()?;
    Some(step.commit.time)
}
