//! Renames: a removed and an added file of one commit that hold the same, or nearly the same.
//!
//! The lines that differ between two texts, as `git diff` finds them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use git2::{DiffLineType, DiffOptions, Patch};

use super::{Entry, GitError, Repo};

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

/// Pairs of a removed and an added file, by their places among the changes; the lowest first.
type Pairs = Vec<(usize, usize, usize)>;

impl Repo {
    /// Joins what was removed and added into renames: equal blobs first (those of one file name before others), then files
    /// of which half the text is the same, or of which one holds the whole of the other (a move that wrote an `id` into a
    /// short file).
    pub(super) fn with_renames(&self, changes: &[FileChange]) -> Result<Vec<FileChange>, GitError> {
        let at = |is_wanted: fn(&FileChange) -> bool| -> Vec<usize> {
            (0..changes.len()).filter(|at| is_wanted(&changes[*at])).collect()
        };
        let mut removed = at(|change| change.new.is_none());
        let mut added = at(|change| change.old.is_none());
        let mut source: HashMap<usize, usize> = HashMap::new();
        let mut take = |mut pairs: Pairs, removed: &mut Vec<usize>, added: &mut Vec<usize>| {
            pairs.sort_unstable();
            for (_, from, to) in pairs {
                if removed.contains(&from) && added.contains(&to) {
                    removed.retain(|place| *place != from);
                    added.retain(|place| *place != to);
                    source.insert(to, from);
                }
            }
        };
        let mut equal = Pairs::new();
        for from in &removed {
            for to in &added {
                let (old, new) = (&changes[*from], &changes[*to]);
                if old.old.map(|entry| entry.oid) == new.new.map(|entry| entry.oid) {
                    let is_other_name = old.path.file_name() != new.path.file_name();
                    equal.push((usize::from(is_other_name), *from, *to));
                }
            }
        }
        take(equal, &mut removed, &mut added);
        if (1..=MOST_PAIRS).contains(&(removed.len() * added.len())) {
            let mut texts: HashMap<usize, Vec<u8>> = HashMap::new();
            for at in removed.iter().chain(&added) {
                let entry = changes[*at].old.or(changes[*at].new);
                if let Some(entry) = entry.filter(|entry| entry.mode.is_file()) {
                    texts.insert(*at, self.blob(entry.oid)?);
                }
            }
            texts.retain(|_, text| text.len() <= MOST_BYTES);
            let mut alike = Pairs::new();
            for from in &removed {
                for to in &added {
                    let texts = texts.get(from).zip(texts.get(to));
                    let percent = texts.and_then(|(old, new)| likeness(old, new));
                    alike.extend(percent.map(|percent| (100 - percent, *from, *to)));
                }
            }
            take(alike, &mut removed, &mut added);
        }
        let gone: HashSet<usize> = source.values().copied().collect();
        let of_source = |(to, change): (usize, &FileChange)| match source.get(&to) {
            Some(from) => FileChange {
                old: changes[*from].old,
                renamed_from: Some(changes[*from].path.clone()),
                ..change.clone()
            },
            None => change.clone(),
        };
        let left = changes.iter().enumerate().filter(|(at, _)| !gone.contains(at));
        Ok(left.map(of_source).collect())
    }
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

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// The part of the line in the difference.
    pub kind: DiffLineKind,
    /// The line without its line feed; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// The part of a line in a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLineKind {
    /// The header of a group of changes, `@@ -1,2 +1,2 @@`.
    Hunk,
    /// It stands in both texts.
    Kept,
    /// It stands in the old text alone.
    Removed,
    /// It stands in the new text alone.
    Added,
    /// The line before it ends without a line feed.
    Unended,
}

/// The changed lines, with three lines around each change; `None` for two texts that libgit2 cannot compare (over 1
/// GB).
pub fn line_diff(old: &[u8], new: &[u8]) -> Option<Vec<DiffLine>> {
    let mut options = DiffOptions::new();
    options.force_text(true).context_lines(3);
    let mut lines = Vec::new();
    Patch::from_buffers(old, None, new, None, Some(&mut options))
        .and_then(|mut patch| {
            patch.print(&mut |_, _, line| {
                let kind = match line.origin_value() {
                    DiffLineType::HunkHeader => DiffLineKind::Hunk,
                    DiffLineType::Context => DiffLineKind::Kept,
                    DiffLineType::Deletion => DiffLineKind::Removed,
                    DiffLineType::Addition => DiffLineKind::Added,
                    DiffLineType::ContextEOFNL | DiffLineType::AddEOFNL | DiffLineType::DeleteEOFNL => {
                        DiffLineKind::Unended
                    }
                    DiffLineType::FileHeader | DiffLineType::Binary => return true,
                };
                let text = String::from_utf8_lossy(line.content());
                let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
                lines.push(DiffLine { kind, text });
                true
            })
        })
        .ok()?;
    Some(lines)
}

#[cfg(test)]
mod rename_tests {
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
