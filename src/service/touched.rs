//! The files of a watched store that may have changed since somebody loaded them, as the watcher tells.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::{FileRole, role};
use crate::watch::Event;

/// From so many paths on, loading everything is no slower.
const MANY: usize = 512;

/// The paths that changed since they were asked for last. While nobody watches, any file may have.
#[derive(Debug, Default)]
pub(super) struct Touched(Mutex<Changes>);

#[derive(Debug, Default)]
enum Changes {
    /// Nobody watches.
    #[default]
    Unknown,
    /// A watch has begun, or lost count, since the last question.
    Everything,
    /// These at most.
    Paths(BTreeSet<PathBuf>),
}

impl Touched {
    /// A watch has begun: from now on every change is told.
    pub(super) fn begin(&self) {
        *self.changes() = Changes::Everything;
    }

    /// The watch has ended: nothing is told any more.
    pub(super) fn end(&self) {
        *self.changes() = Changes::Unknown;
    }

    /// Takes down an event of the watch.
    pub(super) fn note(&self, event: &Event) {
        let mut changes = self.changes();
        match (event, &mut *changes) {
            (Event::Gone(_), _) => *changes = Changes::Unknown,
            (Event::Changed(more), Changes::Paths(paths)) if paths.len() + more.len() < MANY => {
                let ours = more.iter().filter(|path| role(path) != FileRole::Ignored);
                paths.extend(ours.cloned());
            }
            (_, Changes::Unknown) => {}
            _ => *changes = Changes::Everything,
        }
    }

    /// The paths since the last question; `None`: every file may have changed.
    pub(super) fn take(&self) -> Option<BTreeSet<PathBuf>> {
        let mut changes = self.changes();
        if matches!(*changes, Changes::Unknown) {
            return None;
        }
        match std::mem::replace(&mut *changes, Changes::Paths(BTreeSet::new())) {
            Changes::Paths(paths) => Some(paths),
            Changes::Everything | Changes::Unknown => None,
        }
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(paths: &[&str]) -> Event {
        Event::Changed(paths.iter().map(PathBuf::from).collect())
    }

    #[test]
    fn only_what_a_watch_has_told_from_its_beginning_is_known() {
        let touched = Touched::default();
        touched.note(&changed(&["a.md"]));
        assert_eq!((touched.take(), touched.take()), (None, None), "nobody watches");
        touched.begin();
        assert_eq!(touched.take(), None, "what was before is not known");
        touched.note(&changed(&["a.md"]));
        touched.note(&changed(&["b.md", "a.md", "MEMORY.md"]));
        let told = ["a.md", "b.md"].map(PathBuf::from).into();
        assert_eq!(touched.take(), Some(told));
        assert_eq!(touched.take(), Some(BTreeSet::new()));
    }

    #[test]
    fn a_watch_that_lost_count_or_went_leaves_nothing_known() {
        let touched = Touched::default();
        touched.begin();
        let _ = touched.take();
        touched.note(&Event::Rescan);
        touched.note(&changed(&["a.md"]));
        assert_eq!((touched.take(), touched.take()), (None, Some(BTreeSet::new())));
        let many: Vec<String> = (0..MANY).map(|n| format!("{n}.md")).collect();
        touched.note(&changed(&many.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(touched.take(), None);
    }
}
