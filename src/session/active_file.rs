//! The files that a session works on, and which of them count most.

use std::cmp::Reverse;

use crate::capture::FileAction;
use crate::model::Timestamp;

/// The number of files that are kept (capture.md, "Tool events").
const KEPT: usize = 20;
/// The rank that each naming by a tool adds to a file.
const RANK_PER_COUNT: u64 = 3;

/// A file that tools of this session named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveFile {
    /// The path, as the tool named it.
    pub path: String,
    /// The strongest of what tools did with it.
    pub action: FileAction,
    /// The number of times that tools named it.
    pub count: u32,
    /// When one last did.
    pub last_seen: Timestamp,
}

impl ActiveFile {
    /// Gives the strength of the sign that the session works on it: the weight of the strongest action, and 3 for each
    /// time.
    pub fn rank(&self) -> u64 {
        u64::from(self.action.weight()) + RANK_PER_COUNT * u64::from(self.count)
    }

    /// Sorts first what ranks higher, of equals what was seen later.
    pub(crate) fn order(&self) -> (Reverse<u64>, Reverse<Timestamp>) {
        (Reverse(self.rank()), Reverse(self.last_seen))
    }
}

/// Counts that a tool did this with a file; the 20 that rank highest stay, and always the one just named.
pub(super) fn touch(files: &mut Vec<ActiveFile>, path: &str, action: FileAction, now: Timestamp) {
    let known = files.iter().position(|file| file.path == path);
    let mut file = known.map_or_else(
        || ActiveFile {
            path: path.to_owned(),
            action,
            count: 0,
            last_seen: now,
        },
        |at| files.remove(at),
    );
    file.count = file.count.saturating_add(1);
    file.last_seen = file.last_seen.max(now);
    if action.weight() > file.action.weight() {
        file.action = action;
    }
    files.sort_by_key(ActiveFile::order);
    // Were the new one to compete at once, twenty busy files would keep a session from ever noticing another.
    files.truncate(KEPT - 1);
    files.push(file);
    files.sort_by_key(ActiveFile::order);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn paths(files: &[ActiveFile]) -> Vec<&str> {
        files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn the_strongest_action_and_the_count_make_the_rank() {
        let mut files = Vec::new();
        touch(&mut files, "a", FileAction::Edit, at(1));
        touch(&mut files, "a", FileAction::Read, at(2));
        let expected = ActiveFile {
            path: "a".into(),
            action: FileAction::Edit,
            count: 2,
            last_seen: at(2),
        };
        assert_eq!((files[0].rank(), files), (56, vec![expected]));
    }

    #[test]
    fn ties_go_to_what_was_seen_last() {
        let mut files = Vec::new();
        for (time, path) in (1..).zip(["a", "b", "c"]) {
            touch(&mut files, path, FileAction::Read, at(time));
        }
        touch(&mut files, "a", FileAction::Grep, at(4));
        assert_eq!(paths(&files), ["a", "c", "b"]);
    }

    #[test]
    fn twenty_stay_and_the_newest_always_does() {
        let mut files = Vec::new();
        for n in 0..20 {
            touch(&mut files, &format!("busy{n}"), FileAction::Edit, at(n));
        }
        touch(&mut files, "new", FileAction::Read, at(20));
        assert_eq!(files.len(), KEPT);
        assert_eq!(paths(&files)[18..], ["busy1", "new"]);
        touch(&mut files, "newer", FileAction::Read, at(21));
        assert_eq!(paths(&files)[18..], ["busy1", "newer"]);
    }
}
