//! Use case: git asks for the merge of one file (`mdmem merge-driver`).

use std::path::{Path, PathBuf};

use super::{Context, ServiceError};
use crate::document::merge_lines;
use crate::git::{Repo, parse_oid};
use crate::merge::{Version, merge_file as merge_versions};
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
    /// The list of what was forgotten, or of contradictions: a set of lines.
    Forgotten,
}

/// The outcome of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMerge {
    /// The file says what both sides say, or what the later one says: the next command that writes sets the other side's
    /// text aside.
    Clean,
    /// Both sides changed the same lines: they stand in the file between markers, and the keys are merged.
    Conflict,
}

/// Merges one file of a store. Of two texts the later one stays where a merge commit will name both heads. Elsewhere, as in
/// a rebase, nothing would name the other text any more, so the person decides.
pub fn merge_file(context: &Context, files: &MergeFiles) -> Result<FileMerge, ServiceError> {
    let root = context.env.current_dir();
    let read = |path: &Path| sys::read(root, path, MOST).map(|file| file.bytes);
    let (base, ours, theirs) = (read(&files.base)?, read(&files.ours)?, read(&files.theirs)?);
    if files.rule == MergeRule::Forgotten {
        let merged = merge_lines(&base, &ours, &theirs);
        sys::write_atomic(&root.join(&files.ours), &merged)?;
        return Ok(FileMerge::Clean);
    }
    let head = merged_head(context);
    let [ours_at, theirs_at] = head.map_or([None; 2], |head| times(root, head, &files.path));
    let version = |bytes, at| Version { bytes, at };
    let merged = merge_versions(
        &files.path,
        &base,
        version(&ours, ours_at),
        version(&theirs, theirs_at),
    );
    let (bytes, outcome) = match merged.conflict {
        Some(conflict) if head.is_none() => (conflict.marked, FileMerge::Conflict),
        _ => (merged.bytes, FileMerge::Clean),
    };
    sys::write_atomic(&root.join(&files.ours), &bytes)?;
    Ok(outcome)
}

/// The head that `git merge` joins, which it names by a variable `GITHEAD_<oid>`; `None` where there are several, or where
/// git makes no merge commit.
fn merged_head(context: &Context) -> Option<Oid> {
    let heads = context.env.vars_with_prefix("GITHEAD_");
    let mut heads = heads.filter_map(|(name, _)| parse_oid(name.strip_prefix("GITHEAD_")?));
    let head = heads.next();
    head.filter(|_| heads.next().is_none())
}

/// The times of the last commits on the file, on our side and on theirs.
fn times(root: &Path, theirs: Oid, path: &Path) -> [Option<Timestamp>; 2] {
    let found = Repo::open(root).ok().and_then(|repo| {
        let ours = repo.head().ok()?.tip()?;
        Some([time_of(&repo, ours, path)?, time_of(&repo, theirs, path)?])
    });
    found.map_or([None; 2], |times| times.map(Some))
}

fn time_of(repo: &Repo, from: Oid, path: &Path) -> Option<Timestamp> {
    let step = repo.log(from, Some(path)).ok()?.next()?.ok()?;
    Some(step.commit.time)
}
