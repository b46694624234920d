//! Damage of the history (a ref, a commit, a tree or a blob that cannot be read), and one way back.
//!
//! Readers go on with the files. Writers look first ([`Repo::check_head`]), because a commit on top of what is damaged
//! would hide it. The way back never touches the files in the work tree: the branch goes to the newest commit that can be
//! read with all that came before it, where the files still have what alone is missing; else the history begins anew. The
//! next sweep commits what the files hold beyond it. Whatever is replaced is kept in `.git/mdmem-repair/`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use git2::ObjectType;

use super::error::stray_hint;
use super::objects::{from_git2, object_folders, parse_oid, to_git2};
use super::{GitError, Head, JournalState, Mode, Obstacle, Repo, WriterLock, durable, paths, revision};
use crate::model::{Oid, Timestamp};
use crate::sys::{make_folders_in, read_text};

const FOLDER: &str = "mdmem-repair";
/// So many files of the last commit are read before a write: an import of thousands must not cost each command after it.
const MOST_FILES: usize = 64;

/// A fault of the objects, and what to do about it, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectFault {
    /// The fault.
    pub what: String,
    /// The way out, in whole sentences.
    pub mend: String,
}

/// The way in which a history is repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "mend", content = "commit", rename_all = "snake_case")]
pub enum Mend {
    /// Everything can be read.
    Nothing,
    /// The branch stays where it is: what cannot be read is written again from the files.
    Rewrite,
    /// The branch goes to this commit.
    Back(Oid),
    /// No commit can be read with all that came before it: the history begins anew, with the files.
    Anew,
}

/// The plan of a repair, or what was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// The things that cannot be read, in words.
    pub damage: Vec<String>,
    /// The way.
    #[serde(flatten)]
    pub mend: Mend,
    /// The full name of the branch.
    pub branch: String,
    /// The value of the branch before, as it stood in its file.
    pub before: String,
    /// The files whose content is written into the history again, each with its blob.
    #[serde(serialize_with = "paths")]
    pub rewritten: Vec<(PathBuf, Oid)>,
    /// The folder in which everything is kept that was replaced; `None` where nothing was.
    pub kept_in: Option<PathBuf>,
}

fn paths<S: Serializer>(files: &[(PathBuf, Oid)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(files.iter().map(|(path, _)| path.to_string_lossy()))
}

/// Something that cannot be read.
struct Fault {
    words: String,
    /// The file of the commit that it is the content of.
    file: Option<(PathBuf, Oid)>,
}

impl Repo {
    /// An error where HEAD's branch, its commit or the tree of that cannot be read. Costs three small reads.
    pub fn check_head(&self) -> Result<(), GitError> {
        let head = self.head()?;
        self.check_branch(&head)?;
        let tree = head.tip().map(|tip| self.tree_of(tip)).transpose()?;
        tree.map_or(Ok(()), |tree| self.tree_object(tree).map(drop))
    }

    /// The same, and an error where something cannot be read that the last commit brought (64 files at most): its
    /// objects are the youngest, and those that a loss of power or a garbage collector takes.
    pub fn check_last_commit(&self) -> Result<(), GitError> {
        self.check_head()?;
        let Some(tip) = self.head()?.tip() else {
            return Ok(());
        };
        let parent = self.commit_info(tip)?.parents.first().copied();
        let changes = self.changes_between(parent, tip)?;
        let files = changes.iter().filter_map(|change| change.new);
        let mut files = files
            .filter(|entry| entry.mode != Mode::Submodule)
            .take(MOST_FILES);
        files.try_for_each(|entry| self.blob(entry.oid).map(drop))
    }

    /// An error where the branch is lost: a branch that git deletes or begins has no log, so where there is a log there
    /// were commits, and the next commit would begin another history.
    pub(super) fn check_branch(&self, head: &Head) -> Result<(), GitError> {
        let Head::Unborn { branch } = head else {
            return Ok(());
        };
        let log = self.git_dir.join("logs").join(branch);
        if log.metadata().is_ok_and(|log| log.len() > 0) {
            let why = format!("it has no commits, but {} names some", log.display());
            return Err(self.damaged(branch, why));
        }
        Ok(())
    }

    /// Gives the fault of the objects of the history, if there is a fault. Git reads every object.
    pub fn object_fault(&self) -> Result<Option<ObjectFault>, GitError> {
        let folders = object_folders(&self.git);
        if let Some(folder) = folders.iter().find(|folder| !folder.is_dir()) {
            let list = self.git_dir.join("objects/info/alternates");
            return Ok(Some(ObjectFault {
                what: format!(
                    "the repository borrows objects from {}, which is unavailable",
                    folder.display()
                ),
                mend: format!("Mount or restore it; {} names it.", list.display()),
            }));
        }
        if let Err(GitError::Blocked(obstacle)) = self.index() {
            let mend = obstacle.hint().unwrap_or_default();
            let what = obstacle.to_string();
            return Ok(Some(ObjectFault { what, mend }));
        }
        if let Some(stray) = self.stray_ref() {
            let mend = stray_hint(&stray);
            let what = GitError::StrayRef(stray).to_string();
            return Ok(Some(ObjectFault { what, mend }));
        }
        let lines = self.fsck()?;
        Ok((!lines.is_empty()).then(|| ObjectFault {
            what: format!(
                "objects of the history are missing or damaged: {}",
                lines.join("; ")
            ),
            mend: "`mdmem check --fix` shows what can be repaired; another copy of the store has the rest."
                .to_owned(),
        }))
    }

    /// Looks at everything that HEAD's commit holds, and plans a repair. Reads every file of that commit.
    pub fn plan_repair(&self) -> Result<Repair, GitError> {
        self.anew()?.plan()
    }

    /// Repairs the history, if there is something to repair.
    pub fn repair(&self, lock: &mut WriterLock, now: Timestamp) -> Result<Repair, GitError> {
        lock.check_still_ours()?;
        self.check_still_there()?;
        let repair = self.plan_repair()?;
        if repair.mend == Mend::Nothing {
            return Ok(repair);
        }
        let folder = self.begin_keeping(&repair.branch)?;
        // From here on with other handles: each remembers the packs that it saw.
        let fresh = self.anew()?;
        let repair = fresh.plan()?;
        for (path, blob) in &repair.rewritten {
            // Nobody has looked at a save that a person made since the plan, so it is not written.
            let bytes = self.work_file_of(path, *blob).ok_or_else(|| {
                let object = format!("the content of {}", path.display());
                self.damaged(&object, "its file was saved meanwhile")
            })?;
            fresh.write_files(&[(path, bytes)])?;
        }
        let [author, committer] = fresh.signatures(now)?;
        let tip = match repair.mend {
            Mend::Nothing | Mend::Rewrite => None,
            Mend::Back(tip) => Some(tip),
            Mend::Anew => {
                let failed = |e: git2::Error| self.failed("begin the history anew", &e);
                let tree = fresh.write(ObjectType::Tree, b"")?;
                let message = "memory: begin the history anew\n\nMdmem-Op: repair\n";
                let empty = fresh.tree_object(tree)?;
                let made = fresh.git.commit(None, &author, &committer, message, &empty, &[]);
                let made = made.map_err(failed)?;
                fresh.flush(&[made, tree], &[])?;
                Some(from_git2(made))
            }
        };
        if let Some(tip) = tip {
            // Before the branch moves: once it has moved, a later repair finds nothing to do. A log is never without a
            // line, because a branch that is gone and has no log is a new one.
            let line = revision::line(
                None,
                tip,
                &committer,
                "repair: the newest commit that can be read",
            );
            for name in [repair.branch.as_str(), "HEAD"] {
                let path = self.git_dir.join("logs").join(name);
                self.make_folder_of(&path)?;
                durable::replace(&path, &line)?;
            }
            fresh.point_branch(lock, &repair.branch, tip)?;
        }
        Ok(Repair {
            kept_in: Some(folder),
            ..repair
        })
    }

    fn plan(&self) -> Result<Repair, GitError> {
        let (branch, mut damage) = self.branch_of_head()?;
        let head_is_lost = !damage.is_empty();
        let before = read_text(&self.git_dir.join(&branch)).unwrap_or_default();
        let mut repair = Repair {
            damage: Vec::new(),
            mend: Mend::Nothing,
            before: before.trim().to_owned(),
            rewritten: Vec::new(),
            kept_in: None,
            branch,
        };
        let tip = self.git.refname_to_id(&repair.branch).map(from_git2).ok();
        let unborn = Head::Unborn {
            branch: repair.branch.clone(),
        };
        if tip.is_none() {
            if !head_is_lost && repair.before.is_empty() && self.check_branch(&unborn).is_ok() {
                return Ok(repair);
            }
            damage.push(format!("{} does not name a commit", repair.branch));
        }
        let named = ["HEAD", repair.branch.as_str()].map(|name| self.moves(name).into_iter());
        let named = named.into_iter().flatten().flat_map(|made| [made.new, made.old]);
        let named: Vec<Oid> = tip.into_iter().chain(named).collect();
        let others = std::iter::once_with(|| self.commits_by_age()).flatten();
        let (mut whole, mut seen) = (HashSet::new(), HashSet::new());
        repair.mend = Mend::Anew;
        for candidate in named.into_iter().chain(others) {
            if candidate.0 == [0; 20] || !seen.insert(candidate) {
                continue;
            }
            let faults = self.faults_of(candidate, &mut whole);
            if Some(candidate) == tip {
                damage.extend(faults.iter().map(|fault| fault.words.clone()));
            }
            let in_the_files = |fault: Fault| {
                let (path, blob) = fault.file?;
                self.work_file_of(&path, blob).map(|_| (path, blob))
            };
            if let Some(files) = faults.into_iter().map(in_the_files).collect() {
                repair.rewritten = files;
                repair.mend = match (Some(candidate) == tip && !head_is_lost, damage.is_empty()) {
                    (true, true) => Mend::Nothing,
                    (true, false) => Mend::Rewrite,
                    (false, _) => Mend::Back(candidate),
                };
                break;
            }
        }
        repair.damage = damage;
        Ok(repair)
    }

    /// What cannot be read of a commit: of its files, and of the commits and folders before it. `whole` are the objects
    /// that were read before.
    fn faults_of(&self, commit: Oid, whole: &mut HashSet<git2::Oid>) -> Vec<Fault> {
        let mut faults = Vec::new();
        match self.commits_beyond(commit, &[]) {
            Ok(commits) => {
                for oid in commits {
                    match self.tree_of(oid) {
                        Ok(tree) => self.look(tree, oid == commit, Path::new(""), whole, &mut faults),
                        Err(error) => faults.push(Fault {
                            words: error.to_string(),
                            file: None,
                        }),
                    }
                }
            }
            Err(_) => faults.push(Fault {
                words: format!("the commit {} or one before it cannot be read", commit.short()),
                file: None,
            }),
        }
        faults
    }

    fn look(
        &self,
        tree: git2::Oid,
        with_files: bool,
        folder: &Path,
        whole: &mut HashSet<git2::Oid>,
        faults: &mut Vec<Fault>,
    ) {
        if !with_files && whole.contains(&tree) {
            return;
        }
        let Ok(read) = self.tree_object(tree) else {
            let words = format!("the folder {} cannot be read", from_git2(tree).short());
            return faults.push(Fault { words, file: None });
        };
        let before = faults.len();
        for entry in &read {
            let path = folder.join(paths::from_git(entry.name_bytes()));
            match entry.kind() {
                Some(ObjectType::Tree) => self.look(entry.id(), with_files, &path, whole, faults),
                Some(ObjectType::Blob) if with_files && !whole.contains(&entry.id()) => {
                    let oid = from_git2(entry.id());
                    if self.blob(oid).is_ok() {
                        whole.insert(entry.id());
                    } else {
                        let words = format!("{oid} of {} cannot be read", path.display());
                        faults.push(Fault {
                            words,
                            file: Some((path, oid)),
                        });
                    }
                }
                _ => {}
            }
        }
        if faults.len() == before {
            whole.insert(tree);
        }
    }

    /// Every commit there is, the youngest first. Times are whole seconds: a commit that is nobody's parent is younger
    /// than one that is.
    fn commits_by_age(&self) -> Vec<Oid> {
        let all = self.all_commits().into_iter();
        let mut all: Vec<_> = all.filter_map(|oid| self.commit_info(oid).ok()).collect();
        let parents: HashSet<Oid> = all.iter().flat_map(|commit| commit.parents.clone()).collect();
        all.sort_by_key(|commit| {
            (
                parents.contains(&commit.oid),
                std::cmp::Reverse(commit.time),
                commit.oid,
            )
        });
        all.into_iter().map(|commit| commit.oid).collect()
    }

    /// The branch that HEAD names, and what is wrong with HEAD itself. An emptied HEAD means the branch that its log
    /// agrees with, and so does a name that leads out of the repository.
    fn branch_of_head(&self) -> Result<(String, Vec<String>), GitError> {
        let text = read_text(&self.git_dir.join("HEAD")).unwrap_or_default();
        let target = text.trim().strip_prefix("ref: ");
        if let Some(branch) = target.filter(|name| git2::Reference::is_valid_name(name)) {
            return Ok((branch.to_owned(), Vec::new()));
        }
        if let Some(tip) = parse_oid(text.trim()) {
            return Err(GitError::Blocked(Obstacle::Detached { tip }));
        }
        let last = |name: &str| self.moves(name).first().map(|made| made.new);
        let names = std::fs::read_dir(self.git_dir.join("logs/refs/heads"))
            .into_iter()
            .flatten()
            .flatten();
        let name = |entry: std::fs::DirEntry| Some(format!("refs/heads/{}", entry.file_name().to_str()?));
        let mut names: Vec<String> = names.filter_map(name).collect();
        names.sort();
        let agrees = |name: &&String| last(name).is_some() && last(name) == last("HEAD");
        let branch = names.iter().find(agrees).or(names.first());
        let branch = branch.map_or("refs/heads/main", String::as_str).to_owned();
        Ok((branch, vec!["HEAD is not on a branch".to_owned()]))
    }

    /// Copies refs and logs, and moves packs aside that git cannot read whole, and a journal of commits that are gone.
    fn begin_keeping(&self, branch: &str) -> Result<PathBuf, GitError> {
        let base = self.git_dir.join(FOLDER);
        let folder = (1..u32::MAX)
            .map(|number| base.join(number.to_string()))
            .find(|folder| !folder.exists())
            .expect("because nobody repairs a store four thousand million times");
        make_folders_in(&self.git_dir, &folder).map_err(|e| GitError::io("make", &folder, e))?;
        let [log, log_of_head] = [branch, "HEAD"].map(|name| format!("logs/{name}"));
        for name in ["HEAD", branch, "packed-refs", &log, &log_of_head] {
            let (from, to) = (self.git_dir.join(name), folder.join(name));
            if from.is_file() {
                self.make_folder_of(&to)?;
                std::fs::copy(&from, &to).map_err(|e| GitError::io("keep", &from, e))?;
            }
        }
        let aside = |from: &Path| {
            let to = folder.join(from.file_name().unwrap_or_default());
            std::fs::rename(from, to).map_err(|e| GitError::io("keep", from, e))
        };
        for pack in self.spoilt_packs()? {
            aside(&pack)?;
            aside(&pack.with_extension("idx"))?;
            // What git can still read of it.
            self.unpack(&folder.join(pack.file_name().unwrap_or_default()));
        }
        if let JournalState::Begun(journal) = self.read_journal()? {
            let mut named = [journal.old, Some(journal.new)].into_iter().flatten();
            if named.any(|oid| self.git.find_commit(to_git2(oid)).is_err() || self.tree(oid).is_err()) {
                aside(&self.git_dir.join("mdmem-journal"))?;
            }
        }
        durable::flush_parent(&folder.join("HEAD"))?;
        Ok(folder)
    }

    /// Points the branch at a commit and HEAD at the branch, under git's own locks, flushed.
    fn point_branch(&self, lock: &mut WriterLock, branch: &str, tip: Oid) -> Result<(), GitError> {
        let unborn = Head::Unborn {
            branch: branch.to_owned(),
        };
        let prepared = self.prepare_branch(&unborn, tip)?;
        lock.note_locks(None, &prepared)?;
        let replacement = prepared.replacement;
        self.make_folder_of(&replacement.lock)?;
        self.flush(&[], std::slice::from_ref(&replacement.private))?;
        self.take(&replacement)?;
        replacement.publish()?;
        durable::flush_parent(&self.git_dir.join(branch))?;
        lock.forget_locks(None)?;
        let head = self.git_dir.join("HEAD");
        let text = format!("ref: {branch}\n");
        if read_text(&head).is_some_and(|now| now == text) {
            return Ok(());
        }
        durable::replace(&head, text.as_bytes())
    }

    /// Makes the folder in `.git` in which this file is to be.
    pub(super) fn make_folder_of(&self, file: &Path) -> Result<(), GitError> {
        let folder = file.parent().unwrap_or(&self.git_dir);
        make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))
    }
}
