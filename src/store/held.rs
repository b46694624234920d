//! The files that are left out of every commit, and why: a credential that nobody allowed, a path that git cannot hold, a
//! filter that mdmem does not run, a line of `.gitignore`, a restore that stopped half way. The others are committed; a held file is, once its cause is gone.
//!
//! Paths that somebody has staged by hand, differently from HEAD and from the file: left alone for ten minutes, so that
//! `git add -p` and a commit by hand can be finished in peace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::ser::{SerializeStruct as _, Serializer};
use serde::{Deserialize, Serialize};

use super::contents::{FileRole, LOCAL, MAX_FILE, role};
use super::difference::{Change, Tree};
use super::findings::conflict;
use super::{Finding, Snapshot, Store, StoreError};
use crate::git::Unfit;
use crate::model::{Diagnostic, Oid, Timestamp};
use crate::sys;
use crate::sys::{shell_word, shown_path};

/// A file that is not committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its path below the store.
    pub path: PathBuf,
    /// The cause.
    pub cause: HoldCause,
    /// The blob that the file makes, by which two saves are told apart.
    pub(crate) blob: Option<Oid>,
}

/// The cause that keeps a file from being committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldCause {
    /// Parts of it look like a credential, by line, or git left two versions in it.
    Credential(Vec<Finding>),
    /// No commit may hold its path.
    Unfit(Unfit),
    /// It is a part of a change of many files that was begun and not ended.
    Unfinished,
}

/// The number of ignored files below one folder that are told together.
const MANY_IGNORED: usize = 4;
/// The number of findings that are listed on one line.
const MOST_LISTED: usize = 8;
/// The advice about a name that looks like a credential. No path is told, because none is shown whole.
pub(super) const RENAME: &str = "Rename the file with `mv`, or mark it as harmless: `mdmem allow` with \
    its path, which `mdmem list --paths` prints.";

/// Lists the first findings by kind and line, and counts the others: `password (line 3), api_key (line 7)`.
fn listed(findings: &[Finding]) -> String {
    let each = findings.iter().take(MOST_LISTED);
    let each = each.map(|finding| match finding.line {
        Some(line) => format!("{} (line {line})", finding.kind),
        None => format!("{} (in its name)", finding.kind),
    });
    let listed = each.collect::<Vec<_>>().join(", ");
    match findings.len().saturating_sub(MOST_LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

impl HoldCause {
    /// Says why: `suspected secret: password (line 3), api_key (line 7)`.
    pub fn describe(&self) -> String {
        match self {
            Self::Credential(findings) if let Some(line) = conflict(findings) => {
                format!("conflict markers of git (line {line})")
            }
            Self::Credential(findings) => {
                format!("suspected secret: {}", listed(findings))
            }
            Self::Unfit(why) => why.to_string(),
            Self::Unfinished => "an unfinished restore, undo or import changes it".to_owned(),
        }
    }
}

/// Path, cause, and the parts that look like a credential, where these are the cause.
impl Serialize for Held {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let findings: &[Finding] = match &self.cause {
            HoldCause::Credential(findings) => findings,
            HoldCause::Unfit(_) | HoldCause::Unfinished => &[],
        };
        let mut form = serializer.serialize_struct("Held", 3)?;
        form.serialize_field("path", &self.path.to_string_lossy())?;
        form.serialize_field("cause", &self.describe())?;
        form.serialize_field("findings", findings)?;
        form.end()
    }
}

impl Held {
    /// Says why, as its cause does.
    pub fn describe(&self) -> String {
        self.cause.describe()
    }

    /// Tells a person what to do about it.
    pub fn hint(&self) -> String {
        let path = shell_word(&self.path);
        match &self.cause {
            HoldCause::Credential(_) if self.is_conflict() => {
                format!("Edit the file and remove the markers, or `mdmem allow {path}` if they belong there.")
            }
            HoldCause::Credential(findings) if findings.iter().all(|finding| finding.line.is_none()) => {
                RENAME.to_owned()
            }
            HoldCause::Credential(_) => format!(
                "Remove it from the file, or delete the file; `mdmem allow {path}` if it is harmless."
            ),
            HoldCause::Unfit(why) => why.hint(&self.path),
            HoldCause::Unfinished => "`mdmem status` says what stopped it and what to do.".to_owned(),
        }
    }

    /// Says whether git left two versions in it.
    pub fn is_conflict(&self) -> bool {
        matches!(&self.cause, HoldCause::Credential(findings) if conflict(findings).is_some())
    }

    /// Says whether a person asked for it by a line of `.gitignore`.
    pub fn is_ignored(&self) -> bool {
        self.cause == HoldCause::Unfit(Unfit::Ignored)
    }

    /// Says whether the cause lies outside of the file: in rules that a person may mend unseen.
    pub fn is_unfit(&self) -> bool {
        matches!(self.cause, HoldCause::Unfit(_))
    }

    /// Says whether it is a part of a change of many files that is not finished. `status` tells of that as a whole.
    pub fn is_unfinished(&self) -> bool {
        self.cause == HoldCause::Unfinished
    }

    /// The diagnostic of `status` and `check`.
    pub fn diagnostic(&self) -> Diagnostic {
        let path = shown_path(&self.path);
        let code = match &self.cause {
            HoldCause::Credential(_) => "held",
            HoldCause::Unfinished => "unfinished",
            HoldCause::Unfit(Unfit::Ignored) => "ignored",
            HoldCause::Unfit(_) => "left-out",
        };
        let message = format!("is not committed: {}", self.describe());
        Diagnostic::warning(code, &path, message, self.hint())
    }

    /// The diagnostics of all of them. What git ignores below one folder is one, but for a few files.
    pub fn diagnostics(all: &[Self]) -> Vec<Diagnostic> {
        let (ignored, others): (Vec<&Self>, Vec<&Self>) = all.iter().partition(|held| held.is_ignored());
        let mut found: Vec<Diagnostic> = others.into_iter().map(Self::diagnostic).collect();
        for files in ignored.chunk_by(|one, next| one.path.parent() == next.path.parent()) {
            if files.len() < MANY_IGNORED {
                found.extend(files.iter().map(|held| held.diagnostic()));
                continue;
            }
            let folder = Path::new(".").join(files[0].path.with_file_name(""));
            let message = format!(
                "has {} files that are not committed: git ignores them (.gitignore, .git/info/exclude)",
                files.len()
            );
            let mend = format!("`mdmem check {}` lists them.", shell_word(&folder));
            found.push(Diagnostic::warning("ignored", shown_path(&folder), message, mend));
        }
        found
    }
}

impl Store {
    /// The files that no commit takes as they are now.
    pub fn held(&self, snapshot: &Snapshot) -> Result<Vec<Held>, StoreError> {
        let committed = self.head_tree(None)?;
        let changes = super::difference(&snapshot.tree(), &committed, None, |_| true);
        let (_, held) = self.hold_back(changes, snapshot, &committed, &BTreeSet::new())?;
        Ok(held)
    }

    /// The changes that can be committed, and the files that cannot. A credential that HEAD has at that path already is
    /// new to nobody. A file that git ignores is taken when it is among the `tracked`, or HEAD has it; what is no memory is
    /// left out in silence.
    pub(super) fn hold_back(
        &self,
        changes: Vec<Change>,
        snapshot: &Snapshot,
        committed: &Tree,
        tracked: &BTreeSet<PathBuf>,
    ) -> Result<(Vec<Change>, Vec<Held>), StoreError> {
        let is_written = |change: &&Change| !matches!(change, Change::Removed(_));
        let written = changes.iter().filter(is_written).map(Change::path);
        let new = written
            .clone()
            .filter(|path| !committed.contains_key(*path) && !tracked.contains(*path));
        let mut unfit: BTreeMap<PathBuf, Unfit> = self.repo.ignored_paths(new)?;
        unfit.append(&mut self.repo.unfit_paths(written)?);
        let mut kept = Vec::with_capacity(changes.len());
        let mut held = Vec::new();
        let (unfinished, changes) = parted(changes, &self.paths_of_journal());
        held.extend(unfinished.into_iter().map(|path| Held {
            blob: snapshot.entry(&path).map(|entry| entry.oid),
            path,
            cause: HoldCause::Unfinished,
        }));
        for change in changes {
            let before = match &change {
                Change::Removed(_) => {
                    kept.push(change);
                    continue;
                }
                Change::Renamed { from, .. } => from,
                other => other.path(),
            };
            let path = change.path();
            let blob = committed.get(before).map(|entry| entry.oid);
            let cause = if let Some(why) = unfit.remove(path) {
                HoldCause::Unfit(why)
            } else {
                HoldCause::Credential(self.not_in(before, blob, snapshot.findings(path))?)
            };
            match cause {
                HoldCause::Credential(findings) if findings.is_empty() => kept.push(change),
                HoldCause::Unfit(Unfit::Ignored) if !is_memory(path) => kept.extend(removal(change)),
                cause => {
                    held.push(Held {
                        path: path.to_owned(),
                        blob: snapshot.entry(path).map(|entry| entry.oid),
                        cause: cause.clone(),
                    });
                    if cause == HoldCause::Unfit(Unfit::Ignored) {
                        kept.extend(removal(change));
                    }
                }
            }
        }
        Ok((kept, held))
    }
}

/// Parts the paths of a change that is not finished from the changes of other paths.
fn parted(changes: Vec<Change>, unfinished: &[PathBuf]) -> (Vec<PathBuf>, Vec<Change>) {
    let unfinished: BTreeSet<&Path> = unfinished.iter().map(PathBuf::as_path).collect();
    let (mut paths, mut others) = (Vec::new(), Vec::new());
    for change in changes {
        let touched = change.touched();
        let touched = touched.into_iter().filter(|path| unfinished.contains(path));
        let touched: Vec<PathBuf> = touched.map(Path::to_owned).collect();
        others.extend(match change {
            change if touched.is_empty() => Some(change),
            Change::Renamed { from, to } if touched == [from.as_path()] => Some(Change::Added(to)),
            Change::Renamed { from, to } if touched == [to.as_path()] => Some(Change::Removed(from)),
            _ => None,
        });
        paths.extend(touched);
    }
    (paths, others)
}

fn is_memory(path: &Path) -> bool {
    matches!(role(path), FileRole::Memory(_) | FileRole::Unnameable(_))
}

/// The part of a renaming that is left where git ignores the new name.
fn removal(change: Change) -> Option<Change> {
    match change {
        Change::Renamed { from, .. } => Some(Change::Removed(from)),
        _ => None,
    }
}

/// The milliseconds for which a path is left alone after it was first seen staged.
pub(super) const LEFT_ALONE_MILLIS: i64 = 10 * 60 * 1000;

const FILE: &str = "staged.json";

#[derive(Serialize, Deserialize, Default, PartialEq, Eq)]
struct Seen {
    /// Path, how it is staged, and when that was first seen (milliseconds since 1970).
    staged: BTreeMap<String, (String, i64)>,
}

/// Those of the changed paths that are to be left alone now. Remembers when each was first seen.
pub(super) fn left_alone(store: &Store, changes: &[Change]) -> Result<BTreeSet<PathBuf>, StoreError> {
    let touched: Vec<PathBuf> = changes
        .iter()
        .flat_map(Change::touched)
        .map(Path::to_owned)
        .collect();
    let staged = store.repo.staged_by_hand(&touched)?;
    let file = store.root().join(LOCAL).join(FILE);
    let before: Seen = sys::read(store.root(), Path::new(LOCAL).join(FILE), MAX_FILE)
        .ok()
        .and_then(|read| serde_json::from_slice(&read.bytes).ok())
        .unwrap_or_default();
    if staged.is_empty() && before.staged.is_empty() {
        return Ok(BTreeSet::new());
    }
    let now = store.now();
    let mut after = Seen::default();
    let mut left = BTreeSet::new();
    for staged in staged {
        let name = staged.path.to_string_lossy().into_owned();
        let how = format!("{:?} {:?}", staged.kind, staged.since);
        let since = match before.staged.get(&name) {
            Some((known, since)) if *known == how && *since <= now.as_millis() => *since,
            _ => now.as_millis(),
        };
        after.staged.insert(name, (how, since));
        if now.millis_since(Timestamp::from_millis(since)) < LEFT_ALONE_MILLIS {
            left.insert(staged.path);
        }
    }
    if after != before {
        let bytes = serde_json::to_vec(&after).expect("because it is strings and numbers");
        // Forgetting when a path was first seen leaves it alone for longer: nothing is lost, nothing to say.
        let _ = sys::make_folders_in(store.root(), &store.root().join(LOCAL))
            .map(|()| sys::write_atomic(&file, &bytes));
    }
    Ok(left)
}
