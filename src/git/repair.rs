//! Repairing a history of which the present commit cannot be read.
//!
//! The files in the work tree are never touched. A blob of HEAD whose content a file still has is written again. If
//! that is not enough, the branch goes back to the newest commit that can be read with all that came before it, by the
//! reflogs, the other refs and then by every commit there is; the next sweep commits what the files hold beyond it.
//! Whatever is replaced is kept in `.git/mdmem-repair/`.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use git2::ObjectType;

use super::inspect::{Inspection, Known, Unreadable};
use super::object::{from_git2, parse_oid, to_git2};
use super::raw_commit::RawCommit;
use super::work_file::read_regular;
use super::{GitError, Head, JournalState, Obstacle, Repo, WriterLock, durable, reflog};
use crate::model::{Oid, Timestamp};
use crate::sys::{make_folders_in, read_text};

const FOLDER: &str = "mdmem-repair";

/// The way in which a history is repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mend {
    /// Everything can be read.
    Nothing,
    /// The branch stays where it is: what cannot be read is written again from the files.
    Rewrite,
    /// The branch goes to this commit.
    Back(Oid),
    /// No commit can be read with all that came before it. This one has its own files: a first commit is made of them.
    Root(Oid),
    /// No commit can be read: the history begins anew, with the files.
    Anew,
}

/// The plan of a repair, or what was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The things that cannot be read, in words.
    pub damage: Vec<String>,
    /// The way.
    pub mend: Mend,
    /// The full name of the branch.
    pub branch: String,
    /// The value of the branch before, as it stood in its file.
    pub before: String,
    /// The files whose content is written into the history again, each with its blob.
    pub rewritten: Vec<(PathBuf, Oid)>,
    /// The folder in which everything is kept that was replaced; `None` where nothing was.
    pub kept_in: Option<PathBuf>,
    unreadable: Vec<Oid>,
}

impl Repo {
    /// Looks at everything that HEAD's commit holds, and plans a repair. Reads every file of that commit.
    pub fn plan_repair(&self) -> Result<Repair, GitError> {
        self.anew()?.plan(&mut Known::default())
    }

    /// Repairs the history, if there is something to repair.
    pub fn repair(&self, lock: &mut WriterLock, now: Timestamp) -> Result<Repair, GitError> {
        lock.check_still_ours()?;
        self.check_still_there()?;
        let mut known = Known::default();
        let mut repair = self.anew()?.plan(&mut known)?;
        if repair.mend == Mend::Nothing {
            return Ok(repair);
        }
        let folder = self.begin_keeping(&repair)?;
        for (path, blob) in &repair.rewritten {
            // Nobody has looked at a save that a person made since the plan, so it is not written.
            let bytes = self.work_file_of(path, *blob).ok_or_else(|| {
                let object = format!("the content of {}", path.display());
                self.damaged(&object, "the file that had it was saved meanwhile")
            })?;
            self.write_files(&[(path, bytes)])?;
        }
        // From here on with another handle: this one may remember objects that were moved aside.
        let fresh = self.anew()?;
        let tip = match repair.mend {
            Mend::Nothing | Mend::Rewrite => None,
            Mend::Back(tip) => Some(tip),
            Mend::Root(like) => Some(fresh.root_commit(Some(like), now)?),
            Mend::Anew => Some(fresh.root_commit(None, now)?),
        };
        if let Some(tip) = tip {
            // Before the branch moves: once it has moved, a later repair finds nothing to do.
            fresh.clean_reflogs(&repair.branch, tip, now, &mut known)?;
            fresh.point_branch(lock, &repair.branch, tip)?;
        }
        repair.kept_in = Some(folder);
        Ok(repair)
    }

    fn plan(&self, known: &mut Known) -> Result<Repair, GitError> {
        let (branch, mut damage) = self.branch_of_head()?;
        let head_is_lost = !damage.is_empty();
        let tip = self.git.refname_to_id(&branch);
        let before = read_text(&self.git_dir.join(&branch)).unwrap_or_default();
        let mut repair = Repair {
            mend: Mend::Nothing,
            before: before.trim().to_owned(),
            rewritten: Vec::new(),
            kept_in: None,
            unreadable: Vec::new(),
            damage: Vec::new(),
            branch,
        };
        let tip = match tip {
            Ok(tip) => Some(from_git2(tip)),
            Err(error) => {
                let unborn = Head::Unborn {
                    branch: repair.branch.clone(),
                };
                let is_unborn =
                    error.code() == git2::ErrorCode::NotFound && self.check_branch(&unborn).is_ok();
                if !is_unborn {
                    damage.push(format!("{} names no commit", repair.branch));
                }
                None
            }
        };
        // Also one that no commit names is in the way: git neither packs beside it nor writes that content again.
        for (oid, why) in self.objects.spoilt() {
            if self.loose_path(oid).symlink_metadata().is_ok() {
                repair.unreadable.push(oid);
                damage.push(why);
            }
        }
        if let Some(tip) = tip {
            let unreadable = Inspection::new(self, known).unreadable_of(tip);
            damage.extend(unreadable.iter().map(|unreadable| match &unreadable.file {
                Some(file) => format!("{} of {} cannot be read", unreadable.oid, file.display()),
                None if unreadable.oid == tip => format!("the commit {} cannot be read", tip.short()),
                None => format!("the folder {} cannot be read", unreadable.oid.short()),
            }));
            let oids = unreadable.iter().map(|unreadable| unreadable.oid);
            repair.unreadable.extend(oids);
            let past_is_sound = Inspection::new(self, known).is_sound(tip);
            if unreadable.is_empty() && !past_is_sound {
                damage.push(format!(
                    "a commit or a folder before {} cannot be read",
                    tip.short()
                ));
            }
            if past_is_sound && let Some(files) = self.in_the_files(&unreadable) {
                repair.rewritten = files;
                repair.mend = match (head_is_lost, damage.is_empty()) {
                    (true, _) => Mend::Back(tip),
                    (false, true) => Mend::Nothing,
                    (false, false) => Mend::Rewrite,
                };
                repair.damage = damage;
                return Ok(repair);
            }
        }
        if !damage.is_empty() {
            let candidates = self.candidates(&repair.branch, tip);
            (repair.mend, repair.rewritten) = self.choose(&candidates, known);
        }
        repair.damage = damage;
        Ok(repair)
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
        let last = |name: &str| self.logged(name).first().map(|(_, new)| *new);
        let logs = std::fs::read_dir(self.git_dir.join("logs/refs/heads"));
        let names = logs.into_iter().flatten().flatten();
        let mut names: Vec<String> = names
            .filter_map(|entry| Some(format!("refs/heads/{}", entry.file_name().to_str()?)))
            .collect();
        names.sort();
        let agrees = |name: &&String| last(name).is_some() && last(name) == last("HEAD");
        let branch = names.iter().find(agrees).or(names.first());
        let branch = branch.map_or("refs/heads/main", String::as_str).to_owned();
        Ok((branch, vec!["HEAD names no branch".to_owned()]))
    }

    /// Every commit that the branch could go to, the best first.
    fn candidates(&self, branch: &str, tip: Option<Oid>) -> Vec<Oid> {
        let mut candidates: Vec<Oid> = tip.into_iter().collect();
        let moves = [branch, "HEAD"].into_iter().flat_map(|name| self.logged(name));
        let named = moves.flat_map(|(old, new)| [new, old]);
        candidates.extend(named.filter(|oid| oid.0 != [0; 20]));
        let refs = self.git.references();
        let targets = refs.into_iter().flatten().flatten();
        let mut others: Vec<git2::Oid> = targets.filter_map(|reference| reference.target()).collect();
        others.extend(self.all_objects());
        let commits = others
            .into_iter()
            .filter_map(|oid| Some((oid, self.read_commit(oid).ok()?)));
        let commits: Vec<(git2::Oid, RawCommit)> = commits.collect();
        // Times are whole seconds: a commit that is nobody's parent is younger than one that is.
        let parents: HashSet<git2::Oid> = commits
            .iter()
            .flat_map(|(_, commit)| &commit.parents)
            .copied()
            .collect();
        let key = |(oid, commit): &(git2::Oid, RawCommit)| {
            (!parents.contains(oid), commit.seconds, from_git2(*oid))
        };
        let mut others: Vec<(bool, i64, Oid)> = commits.iter().map(key).collect();
        others.sort_unstable_by_key(|other| Reverse(*other));
        candidates.extend(others.into_iter().map(|(_, _, oid)| oid));
        let mut seen = HashSet::new();
        candidates.retain(|oid| seen.insert(*oid));
        candidates
    }

    /// The way back that loses the least, and the files whose content it needs.
    fn choose(&self, candidates: &[Oid], known: &mut Known) -> (Mend, Vec<(PathBuf, Oid)>) {
        let mut with_own_files = None;
        for candidate in candidates {
            let unreadable = Inspection::new(self, known).unreadable_of(*candidate);
            let Some(files) = self.in_the_files(&unreadable) else {
                continue;
            };
            if Inspection::new(self, known).is_sound(*candidate) {
                return (Mend::Back(*candidate), files);
            }
            with_own_files.get_or_insert((Mend::Root(*candidate), files));
        }
        with_own_files.unwrap_or((Mend::Anew, Vec::new()))
    }

    /// The files that still hold everything that cannot be read; `None` where something is nowhere.
    fn in_the_files(&self, unreadable: &[Unreadable]) -> Option<Vec<(PathBuf, Oid)>> {
        let file = |Unreadable { file, oid }: &Unreadable| {
            let path = file.clone()?;
            self.work_file_of(&path, *oid).map(|_| (path, *oid))
        };
        unreadable.iter().map(file).collect()
    }

    /// Copies refs and logs, and moves aside what is in the way of being written again.
    fn begin_keeping(&self, repair: &Repair) -> Result<PathBuf, GitError> {
        let base = self.git_dir.join(FOLDER);
        let folder = (1..u32::MAX)
            .map(|number| base.join(number.to_string()))
            .find(|folder| !folder.exists())
            .expect("because nobody repairs a store four thousand million times");
        let keep = |name: &Path, way: fn(&Path, &Path) -> std::io::Result<()>| {
            let (from, to) = (self.git_dir.join(name), folder.join(name));
            if from.symlink_metadata().is_err() {
                return Ok(());
            }
            let parent = to.parent().unwrap_or(&folder);
            make_folders_in(&self.git_dir, parent).map_err(|e| GitError::io("make", parent, e))?;
            way(&from, &to).map_err(|e| GitError::io("keep", &from, e))
        };
        let copy = |from: &Path, to: &Path| {
            if from.is_file() {
                std::fs::copy(from, to)?;
            }
            Ok(())
        };
        make_folders_in(&self.git_dir, &folder).map_err(|e| GitError::io("make", &folder, e))?;
        let logs = ["HEAD", &repair.branch].map(|name| Path::new("logs").join(name));
        let refs = ["HEAD", &repair.branch, "packed-refs"].map(PathBuf::from);
        for name in refs.iter().chain(&logs) {
            keep(name, copy)?;
        }
        for oid in &repair.unreadable {
            let path = self.loose_path(*oid);
            let name = path.strip_prefix(&self.git_dir).unwrap_or(&path);
            keep(name, |from, to| std::fs::rename(from, to))?;
        }
        if let JournalState::Begun(journal) = self.read_journal()? {
            let named = [journal.old, Some(journal.new)];
            let is_lost = |oid: Oid| {
                !Inspection::new(self, &mut Known::default())
                    .unreadable_of(oid)
                    .is_empty()
            };
            if named.into_iter().flatten().any(is_lost) {
                keep(Path::new("mdmem-journal"), |from, to| std::fs::rename(from, to))?;
            }
        }
        durable::flush_parent(&folder.join("HEAD"))?;
        Ok(folder)
    }

    /// A first commit: with the files, the author and the message of another one, or without any file.
    fn root_commit(&self, like: Option<Oid>, now: Timestamp) -> Result<Oid, GitError> {
        let bytes = if let Some(like) = like {
            let whole = self.read(ObjectType::Commit, to_git2(like))?;
            let commit = self.read_commit(to_git2(like))?;
            RawCommit::anew(&whole, commit.tree, &[], &str::to_owned, &commit.message)
        } else {
            let empty = self.write(ObjectType::Tree, b"")?;
            let who = self.signatures(now)?;
            let message = "memory: begin the history anew\n\nMdmem-Op: repair\n";
            RawCommit::encode(empty, &[], &who, message.as_bytes())
        };
        let made = self.write(ObjectType::Commit, &bytes)?;
        let tree = self.tree_of(from_git2(made))?;
        self.flush(&[made, tree], &[])?;
        Ok(from_git2(made))
    }

    /// Points the branch at a commit and HEAD at the branch, under git's own locks, flushed.
    fn point_branch(&self, lock: &mut WriterLock, branch: &str, tip: Oid) -> Result<(), GitError> {
        let unborn = Head::Unborn {
            branch: branch.to_owned(),
        };
        let prepared = self.prepare_branch(&unborn, tip)?;
        lock.note_locks(None, &prepared)?;
        let replacement = prepared.replacement;
        if let Some(folder) = replacement.lock.parent() {
            make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))?;
        }
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

    /// Takes the lines out of the logs that name commits which cannot be read (git would complain of each), and adds
    /// one for the repair. A log is never without a line in between: a branch that is gone and has no log is a new one.
    /// The logs as they were are kept.
    fn clean_reflogs(
        &self,
        branch: &str,
        tip: Oid,
        now: Timestamp,
        known: &mut Known,
    ) -> Result<(), GitError> {
        let mut asked: HashMap<Oid, bool> = HashMap::new();
        let mut is_good = |oid: Oid| {
            let look = || Inspection::new(self, known).is_sound(oid) && self.tree(oid).is_ok();
            oid.0 == [0; 20] || *asked.entry(oid).or_insert_with(look)
        };
        let [_, who] = self.signatures(now)?;
        let added = reflog::line(None, tip, &who, "repair: the newest commit that can be read");
        for name in [branch, "HEAD"] {
            let path = self.git_dir.join("logs").join(name);
            let text = read_regular(&path).ok().flatten().unwrap_or_default();
            let lines = text.split_inclusive(|byte| *byte == b'\n');
            let kept = lines.filter(|line| {
                let line = String::from_utf8_lossy(line);
                let mut named = line.split(' ').take(2).map(parse_oid);
                named.all(|oid| oid.is_some_and(&mut is_good))
            });
            let lines: Vec<&[u8]> = kept.chain([added.as_slice()]).collect();
            if let Some(folder) = path.parent() {
                make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))?;
            }
            durable::replace(&path, &lines.concat())?;
        }
        Ok(())
    }
}
