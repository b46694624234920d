//! A commit: HEAD's tree plus the changed paths, never the index.
//!
//! The steps of a commit, in their order, and the rest that a kill at each step leaves:
//!
//! 1. Blobs, trees and the commit are written. Killed: objects that nothing names; git prunes them.
//! 2. The new index is written to `.git/mdmem-index`, the new ref to `.git/mdmem-ref`. Killed: those files; the next
//!    commit removes them.
//! 3. Their inodes and the commit are noted in `.git/mdmem.lock`, and all that was written so far is flushed together.
//!    Then the new index is renamed to `.git/index.lock`. Killed: an index.lock whose inode is noted. The next writer
//!    sees that HEAD has not moved, and removes it.
//! 4. The ref is renamed to the branch's lock, and the branch compared with what it was. Killed: a lock whose inode is
//!    noted. The next writer removes it, and the index.lock.
//! 5. The branch's lock is renamed to the branch. Killed: HEAD is the noted commit; the next writer finishes 6.
//! 6. `index.lock` is renamed to `index`, at once, so that git is not kept waiting; where the disk refuses that, it stays
//!    for the next writer, which finds it noted. Then the ref is flushed, the reflog gets its line, and the note is
//!    cleared. Killed: a line less in the reflog.
//! 7. The objects are looked for again (`survive`): a `git gc --prune=now` may have taken them before the ref moved.
//!
//! Between 3 and 5 HEAD and the index are looked at again: if git changed either since 1, all is done anew.

use git2::ObjectType;

use super::index::IndexChange;
use super::objects::{from_git2, to_git2};
use super::tree::{Entry, NewContent};
use super::{
    GitError, Head, Message, Obstacle, PathChange, Repo, Unfit, WriterLock, durable, paths, trailer,
};
use crate::model::{Oid, Timestamp};

/// The number of times that a commit is made anew because HEAD or the index moved meanwhile.
const ATTEMPTS: usize = 8;

/// A commit that is to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewCommit<'a> {
    /// The paths that it changes; a later word on the same path wins.
    pub changes: &'a [PathChange],
    /// Its message.
    pub message: &'a Message,
    /// When, for author and committer.
    pub time: Timestamp,
    /// Tells whether it is signed.
    pub signing: Signing,
    /// The head of another line of history, which it joins as its second parent. Where HEAD has nothing that this line
    /// lacks and the changes make its tree, no commit is made: HEAD becomes that head.
    pub merged: Option<Merged>,
}

/// A commit that HEAD is to contain besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// The head of another line of history.
    Line(Oid),
    /// The commit that an earlier process drafted on top of the present HEAD, and did not publish. Where the changes make
    /// its tree, HEAD becomes it.
    Draft(Oid),
}

/// The signing of a commit (`commit.sign` in mdmem's settings; git's own `commit.gpgSign` does not count).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signing {
    /// No signature.
    #[default]
    Unsigned,
    /// By the git program, with the person's key.
    ByGit,
}

/// A commit whose objects are written and flushed, while HEAD, index and files are as they were.
/// A journal can name it before the files are changed.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The commit's name.
    pub oid: Oid,
    head: Head,
    entries: Vec<IndexChange>,
    /// The objects that it needs and HEAD may not have: blobs, trees, the commit.
    pub(super) objects: Vec<git2::Oid>,
    /// The bytes of the commit.
    pub(super) commit: Vec<u8>,
    /// Its line in the reflog.
    reflog: String,
    time: Timestamp,
}

/// The part that another line of history has in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    /// None: HEAD has it all.
    Nothing,
    /// It is a parent, beside ours.
    Line(Option<Oid>, Oid),
    /// It is the commit: HEAD was behind it.
    Ahead(Oid),
}

/// The kind of a commit with so many parents, as git's reflog has it.
const fn kind_of(parents: usize) -> &'static str {
    match parents {
        0 => "commit (initial)",
        1 => "commit",
        _ => "commit (merge)",
    }
}

/// The step that a commit has reached: for tests that kill it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    IndexPrepared,
    IndexLocked,
    RefLocked,
    RefMoved,
    Published,
}

impl Draft {
    /// Commits that were made anew, whose objects are written and not flushed.
    pub(super) const fn of_rewrite(
        oid: Oid,
        head: Head,
        entries: Vec<IndexChange>,
        commit: Vec<u8>,
        reflog: String,
        time: Timestamp,
    ) -> Self {
        Self {
            oid,
            head,
            entries,
            objects: Vec::new(),
            commit,
            reflog,
            time,
        }
    }

    /// Its parent, `None` for the first commit.
    pub const fn parent(&self) -> Option<Oid> {
        self.head.tip()
    }
}

impl Repo {
    /// Commits these changes on top of HEAD and refreshes the index entries of their paths. `Ok(None)` when HEAD
    /// has them all already. The working files are not touched; hooks do not run.
    ///
    /// Errors: an operation of git in progress or HEAD detached ([`GitError::Blocked`]), git's lock held for more
    /// than a second, a filter asked for, HEAD moving at every attempt.
    pub fn commit(&self, lock: &mut WriterLock, new: &NewCommit<'_>) -> Result<Option<Oid>, GitError> {
        for _ in 0..ATTEMPTS {
            match self.commit_onto(lock, new, self.head()?.tip()) {
                Err(GitError::Restless(_)) => {}
                done => return done,
            }
        }
        Err(self.restless())
    }

    /// Like [`Self::commit`], but only on top of `base`: [`GitError::Restless`] when HEAD is another commit by now, or
    /// the index changed meanwhile. For changes that were found by comparing files with `base`: after a branch switch
    /// or a reset the same bytes would undo what the person did, so they must be looked for anew.
    pub fn commit_onto(
        &self,
        lock: &mut WriterLock,
        new: &NewCommit<'_>,
        base: Option<Oid>,
    ) -> Result<Option<Oid>, GitError> {
        self.beside_collectors(|| self.try_commit_onto(lock, new, base))
    }

    fn try_commit_onto(
        &self,
        lock: &mut WriterLock,
        new: &NewCommit<'_>,
        base: Option<Oid>,
    ) -> Result<Option<Oid>, GitError> {
        let Some(draft) = self.write_draft(new)? else {
            return Ok(None);
        };
        if draft.parent() != base {
            return Err(self.restless());
        }
        let oid = self.publish_in_stages(lock, &draft, &draft.objects, &mut |_| {})?;
        self.let_survive(&draft, new.changes)?;
        Ok(Some(oid))
    }

    /// Writes the objects of a commit on top of HEAD, flushed, and moves nothing. `Ok(None)` when HEAD has all
    /// the changes already. A ref of mdmem's own names it until [`Self::remove_journal`].
    pub fn draft(&self, new: &NewCommit<'_>) -> Result<Option<Draft>, GitError> {
        self.beside_collectors(|| {
            let Some(draft) = self.write_draft(new)? else {
                return Ok(None);
            };
            self.flush(&draft.objects, &[])
                .map_err(|error| self.or_collected(error, &draft.objects))?;
            self.name_draft(&draft)?;
            self.let_survive(&draft, new.changes)?;
            Ok(Some(draft))
        })
    }

    /// A draft, whose objects are not flushed.
    fn write_draft(&self, new: &NewCommit<'_>) -> Result<Option<Draft>, GitError> {
        self.check_still_there()?;
        self.ensure_flushing()?;
        self.ensure_merge_driver()?;
        let head = self.head()?;
        self.check_operation(&head)?;
        self.check_branch(&head)?;
        self.check_fitness(new.changes)?;
        let old_tree = head.tip().map(|tip| self.tree_of(tip)).transpose()?;
        let mut objects = Vec::new();
        let content = self.write_content(old_tree, new.changes, &mut objects);
        let (entries, tree) = content.map_err(|error| self.or_collected(error, &objects))?;
        let joined = self.joined(&head, new, tree)?;
        let is_same =
            old_tree == Some(tree) || (old_tree.is_none() && entries.iter().all(|(_, new)| new.is_none()));
        if is_same && joined == Joined::Nothing {
            return Ok(None);
        }
        let (oid, commit, reflog) = match joined {
            Joined::Ahead(ahead) => {
                let bytes = self.read(ObjectType::Commit, to_git2(ahead))?;
                let reflog = match new.merged {
                    Some(Merged::Draft(_)) => {
                        let parents = self.commit_object(ahead)?.parent_count();
                        format!("{}: {}", kind_of(parents), new.message.subject)
                    }
                    _ => "merge: fast-forward".to_owned(),
                };
                (ahead, bytes, reflog)
            }
            Joined::Nothing | Joined::Line(..) => {
                let parents: Vec<Oid> = match joined {
                    Joined::Line(ours, theirs) => ours.into_iter().chain([theirs]).collect(),
                    _ => head.tip().into_iter().collect(),
                };
                let commit = self.write_commit(tree, &parents, new);
                let (oid, bytes) = commit.map_err(|error| self.or_collected(error, &objects))?;
                let kind = kind_of(parents.len());
                (oid, bytes, format!("{kind}: {}", new.message.subject))
            }
        };
        objects.push(to_git2(oid));
        Ok(Some(Draft {
            oid,
            head,
            entries,
            objects,
            commit,
            reflog,
            time: new.time,
        }))
    }

    /// The part that another line of history has in a commit on top of `head` with this tree.
    fn joined(&self, head: &Head, new: &NewCommit<'_>, tree: git2::Oid) -> Result<Joined, GitError> {
        let Some(merged @ (Merged::Line(oid) | Merged::Draft(oid))) = new.merged else {
            return Ok(Joined::Nothing);
        };
        if head.tip() == Some(oid) {
            return Ok(Joined::Nothing);
        }
        let is_whole = self.tree_of(oid)? == tree;
        let Merged::Line(merged) = merged else {
            return Ok(if is_whole {
                Joined::Ahead(oid)
            } else {
                Joined::Nothing
            });
        };
        let Some(tip) = head.tip() else {
            return Ok(if is_whole {
                Joined::Ahead(merged)
            } else {
                Joined::Line(None, merged)
            });
        };
        if self.is_ancestor(merged, tip)? {
            return Ok(Joined::Nothing);
        }
        let ours = self.without_own_merges(tip, merged, new.message)?;
        Ok(if !self.is_ancestor(ours, merged)? {
            Joined::Line(Some(ours), merged)
        } else if is_whole {
            Joined::Ahead(merged)
        } else {
            Joined::Line(Some(tip), merged)
        })
    }

    /// The last commit of ours that is no merge by the same operation with what `line` contains too. Such a merge was made
    /// in vain, because somebody else pushed first: the new one takes its place, else machines that sync at once would
    /// merge each other's merges.
    fn without_own_merges(&self, tip: Oid, line: Oid, message: &Message) -> Result<Oid, GitError> {
        let Some(op) = message.trailer(trailer::OP) else {
            return Ok(tip);
        };
        let mut ours = tip;
        loop {
            let commit = self.commit_info(ours)?;
            let [first, second] = commit.parents[..] else {
                return Ok(ours);
            };
            if commit.message.trailer(trailer::OP) != Some(op)
                || !self.is_ancestor(second, line)?
                || self.is_ancestor(ours, line)?
            {
                return Ok(ours);
            }
            ours = first;
        }
    }

    /// An error where a path may not be committed: git cannot hold it, or would run a filter on it.
    fn check_fitness(&self, changes: &[PathChange]) -> Result<(), GitError> {
        if let Some(bad) = changes
            .iter()
            .find(|change| !paths::is_plain(paths::to_git(&change.path)))
        {
            let path = bad.path.clone();
            return Err(GitError::Unfit {
                path,
                why: Unfit::Name,
            });
        }
        let written = changes.iter().filter(|change| change.new.is_some());
        let mut unfit = self.unfit_paths(written.map(|change| change.path.as_path()))?;
        for change in changes {
            let Some((NewContent::Bytes(bytes), _)) = &change.new else {
                continue;
            };
            let why = Self::filter_asked_for(&change.path, bytes);
            unfit.extend(why.map(|why| (change.path.clone(), why)));
        }
        match unfit.pop_first() {
            Some((path, why)) => Err(GitError::Unfit { path, why }),
            None => Ok(()),
        }
    }

    /// Takes the room that the index of a draft needs, for as long as the result lives: to be called before the first file
    /// is changed, and let go just before [`Self::publish`].
    pub fn make_room_for_index(&self, draft: &Draft) -> Result<impl Sized + use<>, GitError> {
        self.prepare_index(&draft.entries)
    }

    /// Moves the branch and the index to a draft. [`GitError::Restless`] when HEAD or the index moved since: then
    /// the draft is of no use any more.
    pub fn publish(&self, lock: &mut WriterLock, draft: &Draft) -> Result<Oid, GitError> {
        let oid = self.publish_in_stages(lock, draft, &[], &mut |_| {})?;
        let change = |(path, new): &IndexChange| match new {
            Some(entry) => PathChange::point(path, entry.oid, entry.mode),
            None => PathChange::remove(path),
        };
        self.let_survive(draft, &draft.entries.iter().map(change).collect::<Vec<_>>())?;
        Ok(oid)
    }

    pub(super) fn publish_in_stages(
        &self,
        lock: &mut WriterLock,
        draft: &Draft,
        unflushed: &[git2::Oid],
        reached: &mut dyn FnMut(Stage),
    ) -> Result<Oid, GitError> {
        self.check_still_there()?;
        lock.check_still_ours()?;
        self.clear_own_locks(lock)?;
        let [_, who] = self.signatures(draft.time)?;
        let branch = self.prepare_branch(&draft.head, draft.oid)?;
        let index = self.prepare_index(&draft.entries)?;
        reached(Stage::IndexPrepared);
        let held = self.hold_index(lock, &index, &branch, unflushed).and_then(|()| {
            reached(Stage::IndexLocked);
            let head = self.head()?;
            self.check_operation(&head)?;
            if head != draft.head {
                return Err(self.restless());
            }
            self.hold_branch(&branch)?;
            reached(Stage::RefLocked);
            Ok(())
        });
        if let Err(error) = held.and_then(|()| branch.replacement.publish()) {
            // A store that is away took the locks along: they stay noted, so that the next writer removes them.
            let was_there = self.check_still_there().is_ok();
            drop((index, branch));
            if was_there && self.check_still_there().is_ok() {
                lock.forget_locks(None)?;
            }
            return Err(error);
        }
        reached(Stage::RefMoved);
        let published = index.replacement.publish();
        if let Err(error) = &published {
            // Until the next writer finds the lock in the note and puts the index in place, git commits nothing: from the
            // old index it would take the commit back.
            std::mem::forget(index);
            tracing::warn!("{error}; it is committed, and the next `mdmem sweep` updates git's index");
        }
        reached(Stage::Published);
        durable::flush_parent(&branch.replacement.file)?;
        self.append_reflogs(&branch.name, draft.parent(), draft.oid, &who, &draft.reflog);
        if published.is_ok() {
            lock.forget_locks(Some(self.left()?))?;
        }
        Ok(draft.oid)
    }

    fn check_operation(&self, head: &Head) -> Result<(), GitError> {
        if let Some(operation) = self.operation_in_progress() {
            return Err(GitError::Blocked(operation));
        }
        match head {
            Head::Detached { tip } => Err(GitError::Blocked(Obstacle::Detached { tip: *tip })),
            Head::Branch { .. } | Head::Unborn { .. } => Ok(()),
        }
    }

    /// Writes blobs and trees: what the index shall say of each path, and the new tree. Each object is added to
    /// `written`.
    pub(super) fn write_content(
        &self,
        old_tree: Option<git2::Oid>,
        changes: &[PathChange],
        written: &mut Vec<git2::Oid>,
    ) -> Result<(Vec<IndexChange>, git2::Oid), GitError> {
        let new = changes.iter().filter_map(|change| match &change.new {
            Some((NewContent::Bytes(bytes), _)) => Some((change.path.as_path(), bytes.as_slice())),
            _ => None,
        });
        let mut stored = self.write_blobs(&new.collect::<Vec<_>>())?.into_iter();
        let mut entries = Vec::with_capacity(changes.len());
        for change in changes {
            let entry = change.new.as_ref().map(|(content, mode)| {
                let oid = match content {
                    NewContent::Blob(oid) => *oid,
                    NewContent::Bytes(_) => stored.next().expect("because each was stored"),
                };
                written.push(to_git2(oid));
                Entry { oid, mode: *mode }
            });
            entries.push((change.path.clone(), entry));
        }
        let tree = self.updated_tree(old_tree, &entries, written)?;
        Ok((entries, tree))
    }

    /// The name of the new commit, and its bytes.
    fn write_commit(
        &self,
        tree: git2::Oid,
        parents: &[Oid],
        new: &NewCommit<'_>,
    ) -> Result<(Oid, Vec<u8>), GitError> {
        let who = self.signatures(new.time)?;
        let message = new.message.render();
        if new.signing == Signing::ByGit {
            let oid = self.commit_tree_signed(from_git2(tree), parents, &message, &who)?;
            return Ok((oid, self.read(ObjectType::Commit, to_git2(oid))?));
        }
        let parents = parents.iter().map(|oid| self.commit_object(*oid));
        let parents = parents.collect::<Result<Vec<_>, _>>()?;
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        let tree = self.tree_object(tree)?;
        let [author, committer] = &who;
        let bytes = self
            .git
            .commit_create_buffer(author, committer, &message, &tree, &parents)
            .map_err(|e| self.failed("write a commit", &e))?
            .to_vec();
        let oid = self.write(ObjectType::Commit, &bytes)?;
        Ok((from_git2(oid), bytes))
    }

    pub(super) fn restless(&self) -> GitError {
        GitError::Restless(self.root.clone())
    }
}
