//! Renames: a removed and an added file of one commit that hold the same, or nearly the same.

use std::collections::HashMap;
use std::path::PathBuf;

use super::tree_diff::RawChange;
use super::{Entry, GitError, Repo, paths};
use crate::model::Oid;

/// One file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path; for a removed file the one it had.
    pub path: PathBuf,
    /// The content before, under its old name if it was renamed. `None` for an added file.
    pub old: Option<Entry>,
    /// The content now. `None` for a removed file.
    pub new: Option<Entry>,
    /// The path it had before, when it was renamed.
    pub renamed_from: Option<PathBuf>,
}

/// Beyond so many pairs only equal content is looked for.
const MOST_PAIRS: usize = 2500;
/// Larger files are only renamed when they are equal.
const MOST_BYTES: usize = 1 << 20;
/// Git's own limit of likeness, in percent of the larger file.
const LEAST_PERCENT: usize = 50;
/// So much must a file hold for another one that contains it whole to be the same file.
const LEAST_CONTAINED: usize = 12;

impl Repo {
    /// Joins what was removed and added into renames: equal blobs first, then files of which half the text is the
    /// same, or of which one holds the whole of the other (a move that wrote an `id` into a short file).
    pub(super) fn with_renames(&self, raw: &[RawChange]) -> Result<Vec<FileChange>, GitError> {
        let mut removed = positions(raw, |change| change.new.is_none());
        let mut added = positions(raw, |change| change.old.is_none());
        let mut source: HashMap<usize, usize> = HashMap::new();
        pair_equal(raw, &mut removed, &mut added, &mut source);
        if (1..=MOST_PAIRS).contains(&(removed.len() * added.len())) {
            self.pair_alike(raw, &removed, &added, &mut source)?;
        }
        let gone: std::collections::HashSet<usize> = source.values().copied().collect();
        Ok(raw
            .iter()
            .enumerate()
            .filter(|(at, _)| !gone.contains(at))
            .map(|(at, change)| {
                let from = source.get(&at).map(|from| &raw[*from]);
                FileChange {
                    path: paths::from_git(&change.path),
                    old: from.map_or(change.old, |from| from.old),
                    new: change.new,
                    renamed_from: from.map(|from| paths::from_git(&from.path)),
                }
            })
            .collect())
    }

    fn pair_alike(
        &self,
        raw: &[RawChange],
        removed: &[usize],
        added: &[usize],
        source: &mut HashMap<usize, usize>,
    ) -> Result<(), GitError> {
        let mut texts: HashMap<Oid, Option<Vec<u8>>> = HashMap::new();
        let sides = removed
            .iter()
            .filter_map(|at| raw[*at].old)
            .chain(added.iter().filter_map(|at| raw[*at].new));
        for entry in sides {
            if entry.mode.is_file() && !texts.contains_key(&entry.oid) {
                let text = self.blob(entry.oid)?;
                texts.insert(entry.oid, (text.len() <= MOST_BYTES).then_some(text));
            }
        }
        let mut scores = Vec::new();
        for from in removed {
            for to in added {
                let old = raw[*from].old.and_then(|entry| texts.get(&entry.oid)?.as_ref());
                let new = raw[*to].new.and_then(|entry| texts.get(&entry.oid)?.as_ref());
                if let (Some(old), Some(new)) = (old, new)
                    && let Some(percent) = likeness(old, new)
                {
                    scores.push((std::cmp::Reverse(percent), *from, *to));
                }
            }
        }
        scores.sort_unstable();
        let mut taken = std::collections::HashSet::new();
        for (_, from, to) in scores {
            if !taken.contains(&from) && !source.contains_key(&to) {
                taken.insert(from);
                source.insert(to, from);
            }
        }
        Ok(())
    }
}

fn positions(raw: &[RawChange], wanted: impl Fn(&RawChange) -> bool) -> Vec<usize> {
    (0..raw.len()).filter(|at| wanted(&raw[*at])).collect()
}

/// Pairs equal blobs, those with the same file name first; what is left stays in `removed` and `added`.
fn pair_equal(
    raw: &[RawChange],
    removed: &mut Vec<usize>,
    added: &mut Vec<usize>,
    source: &mut HashMap<usize, usize>,
) {
    let mut by_blob: HashMap<Oid, Vec<usize>> = HashMap::new();
    for from in removed.iter() {
        if let Some(entry) = raw[*from].old {
            by_blob.entry(entry.oid).or_default().push(*from);
        }
    }
    for only_same_name in [true, false] {
        added.retain(|to| {
            let Some(candidates) = raw[*to].new.and_then(|entry| by_blob.get_mut(&entry.oid)) else {
                return true;
            };
            let found = candidates
                .iter()
                .position(|from| !only_same_name || name_of(&raw[*from]) == name_of(&raw[*to]));
            match found {
                Some(at) => {
                    source.insert(*to, candidates.remove(at));
                    false
                }
                None => true,
            }
        });
    }
    let paired: std::collections::HashSet<usize> = source.values().copied().collect();
    removed.retain(|from| !paired.contains(from));
}

fn name_of(change: &RawChange) -> &[u8] {
    change
        .path
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or(&change.path)
}

/// The part of the larger text that is in both, in percent of its bytes, counted in whole lines; `None` below the
/// limit. Blank lines and rules do not count.
fn likeness(old: &[u8], new: &[u8]) -> Option<usize> {
    let mut counts: HashMap<&[u8], (usize, usize)> = HashMap::new();
    for line in lines(old) {
        counts.entry(line).or_default().0 += 1;
    }
    for line in lines(new) {
        counts.entry(line).or_default().1 += 1;
    }
    let (mut in_old, mut in_new, mut in_both) = (0, 0, 0);
    for (line, (olds, news)) in counts {
        in_old += olds * line.len();
        in_new += news * line.len();
        in_both += olds.min(news) * line.len();
    }
    let (larger, smaller) = (in_old.max(in_new), in_old.min(in_new));
    if larger == 0 {
        return None;
    }
    let percent = in_both * 100 / larger;
    let is_contained = in_both == smaller && smaller >= LEAST_CONTAINED;
    (percent >= LEAST_PERCENT || is_contained).then_some(percent)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty() && *line != b"---")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_text_makes_a_rename() {
        let old = b"---\ntype: decision\n---\nUse the npm cache for plugins.\n";
        let new = b"---\ntype: reference\n---\nUse the npm cache for plugins.\n";
        assert!(likeness(old, new).is_some());
        assert_eq!(likeness(old, b"Something else entirely.\n"), None);
        assert_eq!(likeness(b"", b""), None);
    }

    #[test]
    fn a_short_file_that_got_an_id_is_the_same_file() {
        let old = b"Prefer tabs over spaces.\r\n";
        let new = b"---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\ntype: feedback\n---\nPrefer tabs over spaces.\n";
        assert!(likeness(old, new).is_some());
        assert_eq!(likeness(b"ok\n", b"ok\nmany other words here\n"), None);
    }
}
