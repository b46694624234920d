//! Commits made anew without some of their files: for commits that no other machine has.
//!
//! The new commits are written and flushed, and then the branch and the index move as after any commit. The files stay
//! as they are. Killed before the branch moves: objects that nothing names. The reflog keeps the old head.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use git2::ObjectType;

use super::commit::Draft;
use super::history::REWRITE;
use super::index::IndexChange;
use super::objects::{from_git2, to_git2};
use super::{GitError, Repo, WriterLock};
use crate::model::{Oid, Timestamp};

/// A file of a commit: its path and its blob.
pub type FileVersion = (PathBuf, Oid);

/// The changes to commits that are made anew.
pub struct Rewrite<'a> {
    /// The files that leave each commit that has them: its parent's version stands in, where there is such a version.
    pub without: &'a BTreeSet<FileVersion>,
    /// Gives the new text of a message.
    pub message: &'a dyn Fn(&str) -> String,
    /// Gives the new author or committer: a name, and an address in `<>`.
    pub people: &'a dyn Fn(&str) -> String,
    /// The present time, for the reflog.
    pub time: Timestamp,
}

impl Repo {
    /// Makes the commits anew that HEAD has and none of `others` has, as far as `rewrite` changes them, and moves the
    /// branch. Times and merges stay; a commit that changes nothing any more goes. Returns the number of commits that
    /// were made anew or went.
    pub fn rewrite(
        &self,
        lock: &mut WriterLock,
        others: &[Oid],
        rewrite: &Rewrite<'_>,
    ) -> Result<usize, GitError> {
        let head = self.head()?;
        let Some(tip) = head.tip() else { return Ok(0) };
        let mut commits = self.commits_beyond(tip, others)?;
        commits.reverse();
        let mut anew: HashMap<Oid, Oid> = HashMap::new();
        let mut written = Vec::new();
        for oid in commits {
            let made = self.made_anew(oid, &anew, rewrite, &mut written)?;
            if made != oid {
                anew.insert(oid, made);
            }
        }
        let Some(new) = anew.get(&tip).copied() else {
            return Ok(0);
        };
        let changes = self.changes_between(Some(tip), new)?.into_iter();
        let entries: Vec<IndexChange> = changes.map(|change| (change.path, change.new)).collect();
        let commit = self.read(ObjectType::Commit, to_git2(new))?;
        let reflog = format!("{REWRITE}: without credentials");
        let draft = Draft::of_rewrite(new, head, entries, commit, reflog, rewrite.time);
        // Beside a collector it names every new commit until the branch does.
        self.name_draft(&draft)?;
        let published = self.publish_in_stages(lock, &draft, &written, &mut |_| {});
        self.forget_draft()?;
        published.map(|_| anew.len())
    }

    /// A commit on its new parents; itself, where nothing changes, and its parent, where nothing of it is left.
    fn made_anew(
        &self,
        oid: Oid,
        anew: &HashMap<Oid, Oid>,
        rewrite: &Rewrite<'_>,
        written: &mut Vec<git2::Oid>,
    ) -> Result<Oid, GitError> {
        let commit = self.commit_object(oid)?;
        let old_parents: Vec<Oid> = commit.parent_ids().map(from_git2).collect();
        let mut parents: Vec<Oid> = Vec::new();
        for parent in &old_parents {
            let parent = anew.get(parent).copied().unwrap_or(*parent);
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        let mut changes: Vec<IndexChange> = Vec::new();
        for (path, blob) in rewrite.without {
            if self.entry_at(oid, path)?.is_none_or(|entry| entry.oid != *blob) {
                continue;
            }
            let mut before = None;
            for parent in &parents {
                before = before.or(self.entry_at(*parent, path)?);
            }
            changes.push((path.clone(), before));
        }
        let tree = if changes.is_empty() {
            commit.tree_id()
        } else {
            self.updated_tree(Some(commit.tree_id()), &changes, written)?
        };
        if let [parent] = parents[..]
            && !changes.is_empty()
            && self.tree_of(parent)? == tree
        {
            return Ok(parent);
        }
        let head = String::from_utf8_lossy(commit.raw_header_bytes());
        let text = String::from_utf8_lossy(commit.message_raw_bytes());
        let new_text = (rewrite.message)(&text);
        let others = other_lines(&head);
        let is_same_head =
            (rewrite.message)(&others) == others && people_in(&head).all(|who| (rewrite.people)(who) == who);
        if changes.is_empty() && parents == old_parents && new_text == text && is_same_head {
            return Ok(oid);
        }
        // A signature would not fit any more, and what programs noted may be what is to go.
        let mut bytes = format!("tree {tree}\n").into_bytes();
        bytes.extend(
            parents
                .iter()
                .flat_map(|parent| format!("parent {parent}\n").into_bytes()),
        );
        for line in commit.raw_header_bytes().split_inclusive(|byte| *byte == b'\n') {
            let shown = String::from_utf8_lossy(line);
            match (shown.split_once(' '), person_in(&shown)) {
                (Some((key, _)), Some((who, when))) if (rewrite.people)(who) != who => {
                    bytes.extend(format!("{key} {}{when}", (rewrite.people)(who)).into_bytes());
                }
                (_, Some(_)) | (Some(("encoding", _)), None) => bytes.extend(line),
                _ => {}
            }
        }
        bytes.push(b'\n');
        if new_text == text {
            bytes.extend(commit.message_raw_bytes());
        } else {
            bytes.extend(new_text.into_bytes());
        }
        let made = self.write(ObjectType::Commit, &bytes)?;
        written.push(made);
        Ok(from_git2(made))
    }

    /// The author and the committer of a commit: each a name, and an address in `<>`.
    pub fn people_of(&self, commit: Oid) -> Result<Vec<String>, GitError> {
        let commit = self.commit_object(commit)?;
        let head = String::from_utf8_lossy(commit.raw_header_bytes());
        Ok(people_in(&head).map(str::to_owned).collect())
    }

    /// The lines that the head of a commit has beside its tree, parents, people and signature: a merged tag, notes of programs.
    pub fn other_headers_of(&self, commit: Oid) -> Result<String, GitError> {
        let commit = self.commit_object(commit)?;
        Ok(other_lines(&String::from_utf8_lossy(commit.raw_header_bytes())))
    }
}

/// Parts the line of an author or a committer, `key name <address> seconds zone`, behind the address.
fn person_in(line: &str) -> Option<(&str, &str)> {
    let who = line.strip_prefix("author ").or(line.strip_prefix("committer "))?;
    Some(who.split_at(who.rfind('>').map_or(who.len(), |end| end + 1)))
}

fn people_in(head: &str) -> impl Iterator<Item = &str> {
    head.lines().filter_map(|line| Some(person_in(line)?.0))
}

/// The lines of the head of a commit that git itself does not write, or only for a merged tag. A line that goes on with
/// the one before begins with a space.
fn other_lines(head: &str) -> String {
    const KNOWN: [&str; 7] = [
        "tree",
        "parent",
        "author",
        "committer",
        "encoding",
        "gpgsig",
        "gpgsig-sha256",
    ];
    let mut is_other = false;
    let mut others = String::new();
    for line in head.lines() {
        if !line.starts_with(' ') {
            let key = line.split(' ').next().unwrap_or_default();
            is_other = !KNOWN.contains(&key);
        }
        if is_other {
            others.push_str(line.strip_prefix(' ').unwrap_or(line));
            others.push('\n');
        }
    }
    others
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Scratch, commit_files, lock};
    use super::*;

    /// A store that pushed its first commit; then a secret came, went through a merge, and was edited.
    fn history() -> (Scratch, Repo, Oid) {
        let (scratch, repo) = Scratch::with_repo();
        scratch.write("a.md", "1\n");
        scratch.write("b.md", "1\n");
        let pushed = commit_files(&repo, "add", &["a.md", "b.md"]).unwrap();
        scratch.write("a.md", "secret\n");
        commit_files(&repo, "edit a", &["a.md"]).unwrap();
        scratch.git(&["switch", "-q", "-c", "side"]);
        scratch.write("c.md", "1\n");
        commit_files(&repo, "add c", &["c.md"]).unwrap();
        scratch.git(&["switch", "-q", "main"]);
        scratch.write("b.md", "2\n");
        commit_files(&repo, "edit b: secret", &["b.md"]).unwrap();
        scratch.git(&["merge", "-q", "-m", "join", "side"]);
        (scratch, repo, pushed)
    }

    fn without(repo: &Repo, others: &[Oid], text: &str) -> usize {
        let without = BTreeSet::from([("a.md".into(), super::super::hash_blob(text.as_bytes()))]);
        let rewrite = Rewrite {
            without: &without,
            message: &|text| text.replace("secret", "…"),
            people: &str::to_owned,
            time: Timestamp::from_seconds(1_700_000_000),
        };
        repo.rewrite(&mut lock(repo), others, &rewrite).unwrap()
    }

    #[test]
    fn a_file_leaves_the_commits_that_nobody_else_has() {
        let (scratch, repo, pushed) = history();
        let old = repo.head().unwrap().tip().unwrap();
        assert_eq!(without(&repo, &[pushed], "secret\n"), 4);
        let subjects = scratch.git(&["log", "--format=%s", "--topo-order"]);
        let mut subjects: Vec<&str> = subjects.lines().collect();
        subjects.sort_unstable();
        assert_eq!(subjects, ["add", "add c", "edit b: …", "join"]);
        assert_eq!(scratch.git(&["log", "-S", "secret", "--oneline"]), "");
        assert_eq!(scratch.git(&["show", "HEAD:a.md"]), "1\n");
        assert_eq!(
            scratch.git(&["rev-list", "--min-parents=2", "--count", "HEAD"]),
            "1\n"
        );
        assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.md\n");
        assert_eq!(scratch.git(&["rev-parse", "HEAD@{1}"]).trim(), old.to_string());
        scratch.assert_whole();
        assert!(
            repo.is_ancestor(pushed, repo.head().unwrap().tip().unwrap())
                .unwrap()
        );
        assert_eq!(without(&repo, &[pushed], "secret\n"), 0);
    }

    #[test]
    fn nothing_changes_where_nothing_is_to_go() {
        let (_scratch, repo, pushed) = history();
        let old = repo.head().unwrap().tip().unwrap();
        assert_eq!(without(&repo, &[old], "secret\n"), 0);
        assert_eq!(repo.head().unwrap().tip(), Some(old));
        assert_eq!(
            without(&repo, &[pushed], "other\n"),
            2,
            "the message alone, and the merge"
        );
    }
}
