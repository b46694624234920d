//! The files of a store as this process has them loaded: one copy, for those who watch, write and read.
//!
//! The watcher tells which paths changed since. A writer borrows the files once it holds the store's lock, and gives
//! them back changed; until then readers see them as they were. So a reader waits for somebody who loads, at most, and
//! never for a writer.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::model::Timestamp;
use crate::store::{FileRole, Loaded, Snapshot, Store, StoreError, WayOfReading, Writer, role};
use crate::sys::Deadline;
use crate::watch::Event;

/// From so many paths on, loading everything is no slower.
const MANY: usize = 512;

/// The loaded files, and the paths that changed since. While nobody watches, any file may have changed.
#[derive(Debug, Default)]
pub(super) struct SharedFiles {
    /// Locked before `changes`, and for as long as somebody loads.
    files: Mutex<Files>,
    changes: Mutex<Changes>,
    lasts: Lasts,
}

/// The time for which a process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Lasts {
    /// Files change meanwhile.
    #[default]
    Long,
    /// It ends before it would matter to a reader that they did. A writer reads them under the store's lock all the same.
    OneEvent,
}

#[derive(Debug, Default)]
enum Files {
    #[default]
    NotLoaded,
    Here(WayOfReading, Loaded, Unswept),
    /// A writer has them: the files as they were when it took them.
    Lent(WayOfReading, Arc<Snapshot>),
}

/// The paths that changed since a writer of this process last committed what people had saved; `None`: any path.
pub(super) type Unswept = Option<BTreeSet<PathBuf>>;

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

impl SharedFiles {
    pub(super) fn new(lasts: Lasts) -> Self {
        Self {
            lasts,
            ..Self::default()
        }
    }

    /// The files as they are now; while a writer works, as they were before.
    pub(super) fn snapshot(&self, store: &Store, now: Timestamp) -> Result<Arc<Snapshot>, StoreError> {
        let mut files = lock(&self.files);
        let way = store.way_of_reading();
        if let Files::Lent(lent, snapshot) = &*files {
            return if *lent == way {
                Ok(Arc::clone(snapshot))
            } else {
                store.load_as_of(now).map(Arc::new)
            };
        }
        if let (Lasts::OneEvent, Files::Here(read, loaded, _)) = (self.lasts, &*files)
            && *read == way
        {
            return Ok(Arc::clone(loaded.snapshot()));
        }
        self.load(&mut files, way, store, now)
    }

    /// The files as they are now, also where a watch has not told yet: by a look at every file.
    pub(super) fn snapshot_now(&self, store: &Store) -> Result<Arc<Snapshot>, StoreError> {
        let mut files = lock(&self.files);
        match &*files {
            Files::Lent(..) => return store.load().map(Arc::new),
            Files::Here(_, loaded, _) => {
                self.note(&Event::Changed(loaded.snapshot().differing(&store.scan()?)));
            }
            Files::NotLoaded => {}
        }
        self.load(&mut files, store.way_of_reading(), store, store.now())
    }

    fn load(
        &self,
        files: &mut Files,
        way: WayOfReading,
        store: &Store,
        now: Timestamp,
    ) -> Result<Arc<Snapshot>, StoreError> {
        let (loaded, unswept) = self.take(files, &way, store, now)?;
        let snapshot = Arc::clone(loaded.snapshot());
        *files = Files::Here(way, loaded, unswept);
        Ok(snapshot)
    }

    /// Takes the store for writing, by `deadline` where there is one. `work` is told what may have to be committed
    /// first, and changes that to what it leaves to the next writer. An error and a panic leave nothing loaded, so that
    /// everything is read anew.
    pub(super) fn write<T, E: From<StoreError>>(
        &self,
        store: &Store,
        command: &str,
        deadline: Option<Deadline>,
        work: impl FnOnce(&mut Writer<'_>, &mut Unswept) -> Result<T, E>,
    ) -> Result<T, E> {
        let lent = Lent(self);
        let done = self.borrow_and_work(store, command, deadline, work)?;
        // They are back.
        std::mem::forget(lent);
        Ok(done)
    }

    fn borrow_and_work<T, E: From<StoreError>>(
        &self,
        store: &Store,
        command: &str,
        deadline: Option<Deadline>,
        work: impl FnOnce(&mut Writer<'_>, &mut Unswept) -> Result<T, E>,
    ) -> Result<T, E> {
        let way = store.way_of_reading();
        let mut lent = None;
        let mut writer = store.writer_by(command, deadline, || {
            let mut files = lock(&self.files);
            let (loaded, unswept) = self.take(&mut files, &way, store, store.now())?;
            *files = Files::Lent(way.clone(), Arc::clone(loaded.snapshot()));
            lent = Some((Arc::clone(loaded.snapshot()), unswept));
            Ok(loaded)
        })?;
        let (before, mut unswept) = lent.expect("because a writer has loaded the files");
        let done = work(&mut writer, &mut unswept)?;
        let mut files = lock(&self.files);
        let is_ours = matches!(&*files, Files::Lent(_, lent) if Arc::ptr_eq(lent, &before));
        *files = if is_ours {
            Files::Here(way, writer.give_loaded(), unswept)
        } else {
            // Somebody had everything forgotten meanwhile, and was told of changes that this writer has not seen.
            Files::NotLoaded
        };
        Ok(done)
    }

    /// Drops what is loaded: the next one reads everything anew.
    pub(super) fn forget(&self) {
        *lock(&self.files) = Files::NotLoaded;
    }

    /// Gives the loaded files, after the changed paths are read again; if these are not known, everything is read.
    fn take(
        &self,
        files: &mut Files,
        way: &WayOfReading,
        store: &Store,
        now: Timestamp,
    ) -> Result<(Loaded, Unswept), StoreError> {
        // Dropped before everything is loaded anew, so that both are never in memory.
        let known = match std::mem::take(files) {
            Files::Here(read, loaded, unswept) if read == *way => Some((loaded, unswept)),
            _ => None,
        };
        if let (Some(paths), Some((mut loaded, mut unswept))) = (self.take_changes(), known) {
            if let Some(unswept) = &mut unswept {
                unswept.extend(paths.iter().cloned());
            }
            store.load_again(&mut loaded, paths)?;
            return Ok((loaded, unswept));
        }
        Ok((store.load_all(now)?, None))
    }

    /// A watch has begun: from now on every change is told.
    pub(super) fn begin(&self) {
        *lock(&self.changes) = Changes::Everything;
    }

    /// The watch has ended: nothing is told any more.
    pub(super) fn end(&self) {
        *lock(&self.changes) = Changes::Unknown;
        self.forget();
    }

    /// Takes down an event of the watch.
    pub(super) fn note(&self, event: &Event) {
        let mut changes = lock(&self.changes);
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
    fn take_changes(&self) -> Option<BTreeSet<PathBuf>> {
        let mut changes = lock(&self.changes);
        if matches!(*changes, Changes::Unknown) {
            return None;
        }
        match std::mem::replace(&mut *changes, Changes::Paths(BTreeSet::new())) {
            Changes::Paths(paths) => Some(paths),
            Changes::Everything | Changes::Unknown => None,
        }
    }
}

/// The files, until a writer gives them back.
struct Lent<'a>(&'a SharedFiles);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.0.forget();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StorePath;
    use crate::render::Scope;
    use crate::service::Context;
    use crate::store::Beginning;
    use crate::sys::{self, Clock, Env, Ids};

    fn store(folder: &std::path::Path) -> Store {
        std::fs::create_dir(folder.join("work")).unwrap();
        let vars = [
            ("HOME", folder.join("home")),
            ("MDMEM_HOME", folder.join("memory")),
        ];
        let context = Context {
            env: Env::fixed(vars, folder.join("work")),
            clock: Clock::stepping(Timestamp::parse("2026-11-20T10:00:00Z").unwrap(), 1000),
            ids: Ids::random(),
            scope: Scope::Workspace,
            store: None,
            flags: Vec::new(),
        };
        context.open_or_create(Beginning::ByNeed).unwrap().0
    }

    fn count(files: &SharedFiles, store: &Store) -> usize {
        files.snapshot(store, store.now()).unwrap().files.len()
    }

    fn path(path: &str) -> StorePath {
        StorePath::new(path).unwrap()
    }

    #[test]
    fn a_reader_sees_the_files_as_they_were_until_the_writer_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let (store, files) = (store(folder.path()), SharedFiles::default());
        files.begin();
        let write = |writer: &mut Writer<'_>, unswept: &mut Unswept| -> Result<(), StoreError> {
            assert_eq!(unswept.replace(BTreeSet::new()), None, "nobody has swept yet");
            writer.create(&path("project/a.md"), b"A fact\n")?;
            assert_eq!(count(&files, &store), 0);
            Ok(())
        };
        files.write(&store, "test", None, write).unwrap();
        assert_eq!(count(&files, &store), 1);
        sys::write_atomic(&store.root().join("project/b.md"), b"Another fact\n").unwrap();
        assert_eq!(count(&files, &store), 1, "nobody has told");
        files.note(&changed(&["project/b.md"]));
        assert_eq!(count(&files, &store), 2);
        let told = |_: &mut Writer<'_>, unswept: &mut Unswept| Ok::<_, StoreError>(unswept.clone());
        let told = files.write(&store, "test", None, told).unwrap();
        assert_eq!(
            told,
            Some(["project/b.md".into()].into()),
            "read, and not committed yet"
        );
    }

    #[test]
    fn a_writer_that_panics_keeps_nothing_from_readers() {
        let folder = tempfile::tempdir().unwrap();
        let (store, files) = (store(folder.path()), SharedFiles::default());
        files.begin();
        assert_eq!(count(&files, &store), 0);
        let write = |writer: &mut Writer<'_>, _: &mut Unswept| -> Result<(), StoreError> {
            writer.create(&path("project/a.md"), b"A fact\n")?;
            panic!("a mistake")
        };
        sys::survive(|| files.write(&store, "test", None, write)).unwrap_err();
        assert_eq!(count(&files, &store), 1);
        files
            .write(&store, "test", None, |writer, _| {
                writer.create(&path("project/b.md"), b"Another\n")
            })
            .unwrap();
        assert_eq!(count(&files, &store), 2);
    }

    #[test]
    fn while_nothing_changes_readers_get_the_very_same_snapshot() {
        let folder = tempfile::tempdir().unwrap();
        let (store, files) = (store(folder.path()), SharedFiles::default());
        files.begin();
        let snapshot = || files.snapshot(&store, store.now()).unwrap();
        // The search keeps no more of it between two questions.
        let known = Arc::downgrade(&snapshot());
        let is_known = || std::ptr::eq(known.as_ptr(), Arc::as_ptr(&snapshot()));
        assert!(is_known());
        // A writer's own files are told too.
        files.note(&changed(&["project/a.md", "project"]));
        assert!(is_known(), "nothing is there");
        let path = store.root().join("project/a.md");
        sys::write_atomic(&path, b"A fact\n").unwrap();
        files.note(&changed(&["project/a.md"]));
        assert!(!is_known());
        let known = Arc::downgrade(&snapshot());
        let is_known = || std::ptr::eq(known.as_ptr(), Arc::as_ptr(&snapshot()));
        files.note(&changed(&["project/a.md"]));
        assert!(is_known(), "it is as it was");
        for change in [&b"A tale\n"[..], b"A tale that is longer\n"] {
            // In place, and perhaps within a tick of the clock, so that the stat may be the same.
            let mut editor = std::fs::File::create(&path).unwrap();
            std::io::Write::write_all(&mut editor, change).unwrap();
            files.note(&changed(&["project/a.md"]));
            let text = snapshot().files[0].memory.content.keyed_text().to_owned();
            assert_eq!(text.as_bytes(), change.trim_ascii());
        }
        std::fs::remove_file(&path).unwrap();
        files.note(&changed(&["project/a.md"]));
        assert_eq!(snapshot().files.len(), 0);
    }

    #[test]
    fn a_writer_that_failed_leaves_nothing_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let (store, files) = (store(folder.path()), SharedFiles::default());
        files.begin();
        assert_eq!(count(&files, &store), 0);
        let fail = |writer: &mut Writer<'_>, _: &mut Unswept| {
            writer.create(&path("project/a.md"), b"A fact\n")?;
            Err::<(), _>(StoreError::Gone {
                path: path("project/b.md"),
            })
        };
        files.write(&store, "test", None, fail).unwrap_err();
        assert_eq!(count(&files, &store), 1, "although nobody has told");
        let forgotten = |writer: &mut Writer<'_>, _: &mut Unswept| {
            files.forget();
            assert_eq!(count(&files, &store), 1);
            writer.create(&path("project/b.md"), b"A fact\n")
        };
        files.write(&store, "test", None, forgotten).unwrap();
        assert_eq!(count(&files, &store), 2);
    }

    #[test]
    fn a_look_at_every_file_finds_what_nobody_has_told() {
        let folder = tempfile::tempdir().unwrap();
        let (store, files) = (store(folder.path()), SharedFiles::default());
        files.begin();
        let save = |path: &str, text: &str| sys::write_atomic(&store.root().join(path), text.as_bytes());
        std::fs::create_dir_all(store.root().join("project")).unwrap();
        save("project/a.md", "A fact").unwrap();
        let texts = |snapshot: Arc<Snapshot>| -> Vec<String> {
            let files = snapshot.files.iter();
            files
                .map(|file| file.memory.content.keyed_text().to_owned())
                .collect()
        };
        assert_eq!(texts(files.snapshot_now(&store).unwrap()), ["A fact"]);
        save("project/b.md", "Another").unwrap();
        assert_eq!(texts(files.snapshot(&store, store.now()).unwrap()), ["A fact"]);
        assert_eq!(texts(files.snapshot_now(&store).unwrap()), ["A fact", "Another"]);
        std::fs::remove_file(store.root().join("project/a.md")).unwrap();
        save("project/b.md", "Another, and longer").unwrap();
        assert_eq!(
            texts(files.snapshot_now(&store).unwrap()),
            ["Another, and longer"]
        );
    }

    #[test]
    fn while_nobody_watches_every_question_is_answered_from_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let (store, files) = (store(folder.path()), SharedFiles::default());
        assert_eq!(count(&files, &store), 0);
        std::fs::create_dir_all(store.root().join("project")).unwrap();
        sys::write_atomic(&store.root().join("project/a.md"), b"A fact\n").unwrap();
        assert_eq!(count(&files, &store), 1);
    }

    fn changed(paths: &[&str]) -> Event {
        Event::Changed(paths.iter().map(PathBuf::from).collect())
    }

    #[test]
    fn in_a_process_of_one_event_readers_load_once_and_writers_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let (store, files) = (store(folder.path()), SharedFiles::new(Lasts::OneEvent));
        assert_eq!(count(&files, &store), 0);
        std::fs::create_dir_all(store.root().join("project")).unwrap();
        sys::write_atomic(&store.root().join("project/a.md"), b"A fact\n").unwrap();
        assert_eq!(count(&files, &store), 0);
        let write =
            |writer: &mut Writer<'_>, _: &mut Unswept| writer.create(&path("project/b.md"), b"A fact\n");
        files.write(&store, "test", None, write).unwrap();
        assert_eq!(count(&files, &store), 2, "the writer has seen it");
    }

    #[test]
    fn only_what_a_watch_has_told_from_its_beginning_is_known() {
        let shared = SharedFiles::default();
        shared.note(&changed(&["a.md"]));
        assert_eq!(
            (shared.take_changes(), shared.take_changes()),
            (None, None),
            "nobody watches"
        );
        shared.begin();
        assert_eq!(shared.take_changes(), None, "what was before is not known");
        shared.note(&changed(&["a.md"]));
        shared.note(&changed(&["b.md", "a.md", "MEMORY.md"]));
        let told = ["a.md", "b.md"].map(PathBuf::from).into();
        assert_eq!(shared.take_changes(), Some(told));
        assert_eq!(shared.take_changes(), Some(BTreeSet::new()));
    }

    #[test]
    fn a_watch_that_lost_count_or_went_leaves_nothing_known() {
        let shared = SharedFiles::default();
        shared.begin();
        let _ = shared.take_changes();
        shared.note(&Event::Rescan);
        shared.note(&changed(&["a.md"]));
        assert_eq!(
            (shared.take_changes(), shared.take_changes()),
            (None, Some(BTreeSet::new()))
        );
        let many: Vec<String> = (0..MANY).map(|n| format!("{n}.md")).collect();
        shared.note(&changed(&many.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(shared.take_changes(), None);
    }
}
