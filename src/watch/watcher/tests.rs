//! The watcher against a real file system and the ways in which editors save.

#![expect(
    clippy::disallowed_methods,
    reason = "the editors in these tests save as editors do"
)]

use std::fs;
use std::io::Write as _;
use std::time::{Duration, Instant};

use super::*;
use crate::sys::write_new;

const LIMIT: Duration = Duration::from_secs(20);

/// A store, its watcher, and what that said so far.
struct Watched {
    folder: tempfile::TempDir,
    events: Receiver<Event>,
    changed: BTreeSet<PathBuf>,
    rescans: usize,
    notice: Option<&'static str>,
    certain: usize,
    gone: Option<SysError>,
    watcher: Watcher,
}

impl Watched {
    fn with(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git/objects")).unwrap();
        fs::create_dir(folder.path().join(".mdmem")).unwrap();
        for file in files {
            write_new(folder.path(), file, b"old").unwrap();
        }
        let (send, events) = channel();
        let watcher = Watcher::start(folder.path(), move |event| drop(send.send(event))).unwrap();
        Self {
            folder,
            events,
            changed: BTreeSet::new(),
            rescans: 0,
            notice: None,
            certain: 0,
            gone: None,
            watcher,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Takes in events until `wanted`, or fails after the limit.
    fn until(&mut self, what: &str, wanted: impl Fn(&Self) -> bool) {
        let end = Instant::now() + LIMIT;
        while !wanted(self) {
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Event::Changed(paths)) => self.changed.extend(paths),
                Ok(Event::Rescan) => self.rescans += 1,
                Ok(Event::Polls(notice)) => self.notice = Some(notice),
                Ok(Event::Gone(error)) => self.gone = Some(error),
                Err(error) => panic!("waited for {what}, {error}; changed: {:?}", self.changed),
            }
        }
    }

    fn sees(&mut self, paths: &[&str]) {
        self.until(&format!("{paths:?}"), |it| {
            paths.iter().all(|path| it.changed.contains(Path::new(path)))
        });
    }

    /// Collects the paths up to a last, certain change, which is left out.
    fn all(&mut self) -> Vec<String> {
        self.certain += 1;
        // A name of its own each time: the last event of the one before may still be on its way.
        let certain = format!("certain-{}", self.certain);
        fs::File::create(self.at(&certain)).unwrap();
        self.sees(&[&certain]);
        self.changed.remove(Path::new(&certain));
        let changed = std::mem::take(&mut self.changed);
        changed
            .into_iter()
            .map(|path| path.to_str().unwrap().to_owned())
            .collect()
    }
}

#[test]
fn sees_every_way_in_which_editors_save() {
    let mut it = Watched::with(&[
        "d/place.md",
        "d/vim.md",
        "d/emacs.md",
        "d/truncate.md",
        "d/append.md",
        "d/gone.md",
    ]);
    let at = |path: &str| it.folder.path().join(path);
    // In place.
    fs::OpenOptions::new()
        .write(true)
        .open(at("d/place.md"))
        .unwrap()
        .write_all(b"n")
        .unwrap();
    // vim: a probe, a swap file, the old name moved away, written anew.
    fs::write(at("d/4913"), "").unwrap();
    fs::remove_file(at("d/4913")).unwrap();
    fs::write(at("d/.vim.md.swp"), "x").unwrap();
    fs::rename(at("d/vim.md"), at("d/vim.md~")).unwrap();
    fs::write(at("d/vim.md"), "new").unwrap();
    fs::remove_file(at("d/vim.md~")).unwrap();
    fs::remove_file(at("d/.vim.md.swp")).unwrap();
    // emacs: a lock link, a backup by rename.
    std::os::unix::fs::symlink("me@here.1", at("d/.#emacs.md")).unwrap();
    fs::rename(at("d/emacs.md"), at("d/emacs.md~")).unwrap();
    fs::write(at("d/emacs.md"), "new").unwrap();
    fs::remove_file(at("d/.#emacs.md")).unwrap();
    // Others.
    fs::write(at("d/truncate.md"), "new").unwrap();
    fs::OpenOptions::new()
        .append(true)
        .open(at("d/append.md"))
        .unwrap()
        .write_all(b"n")
        .unwrap();
    fs::write(at("d/saved.tmp"), "new").unwrap();
    fs::rename(at("d/saved.tmp"), at("d/renamed.md")).unwrap();
    fs::remove_file(at("d/gone.md")).unwrap();
    let all: Vec<String> = it
        .all()
        .into_iter()
        .filter(|path| !crate::sys::is_editor_temporary(Path::new(path).file_name().unwrap()))
        .collect();
    assert_eq!(
        all,
        [
            "d/append.md",
            "d/emacs.md",
            "d/gone.md",
            "d/place.md",
            "d/renamed.md",
            "d/truncate.md",
            "d/vim.md"
        ]
    );
    assert_eq!(it.rescans, 0);
}

#[test]
fn hidden_files_and_the_folders_of_git_and_mdmem_wake_nobody() {
    let mut it = Watched::with(&["a.md"]);
    fs::write(it.at(".git/index"), "x").unwrap();
    fs::write(it.at(".git/objects/ab"), "x").unwrap();
    fs::write(it.at(".mdmem/log"), "x").unwrap();
    fs::write(it.at(".a.md.swp"), "x").unwrap();
    fs::create_dir(it.at(".obsidian")).unwrap();
    fs::write(it.at(".obsidian/x.md"), "x").unwrap();
    assert_eq!(fs::read(it.at("a.md")).unwrap(), b"old");
    assert_eq!(it.all(), Vec::<String>::new());
    fs::write(it.at(".gitattributes"), "x").unwrap();
    crate::sys::exchange(it.folder.path(), "a.md", b"old", b"new").unwrap();
    assert_eq!(
        it.all(),
        [".gitattributes", "a.md"],
        "of an exchange, the file and not the temporary one"
    );
}

#[test]
fn misses_nothing_in_folders_that_have_just_come() {
    let mut it = Watched::with(&[]);
    for round in 0..20 {
        let deep = format!("n{round}/x/y");
        fs::create_dir_all(it.at(&deep)).unwrap();
        for n in 0..80 {
            fs::write(it.at(&format!("{deep}/{n}.md")), "new").unwrap();
        }
    }
    it.until("20 times 80 files", |it| it.changed.len() >= 1_600);
    fs::write(it.at("n3/x/y/later.md"), "new").unwrap();
    it.sees(&["n3/x/y/later.md"]);
}

#[test]
fn three_thousand_files_of_an_unpack_are_all_seen() {
    let mut it = Watched::with(&[]);
    for n in 0..3_000 {
        let path = format!("{}/{}/{n}.md", ["decision", "project"][n % 2], n % 7);
        fs::create_dir_all(it.at(&path).parent().unwrap()).unwrap();
        fs::write(it.at(&path), "new").unwrap();
    }
    it.until("3,000 files", |it| it.changed.len() >= 3_000 || it.rescans > 0);
}

#[test]
fn a_folder_that_is_renamed_is_watched_under_its_new_name() {
    let mut it = Watched::with(&["d/e/a.md"]);
    fs::rename(it.at("d"), it.at("moved")).unwrap();
    it.sees(&["d", "moved/e/a.md"]);
    fs::write(it.at("moved/e/a.md"), "new").unwrap();
    fs::write(it.at("moved/b.md"), "new").unwrap();
    it.sees(&["moved/b.md"]);
    assert!(it.changed.iter().all(|path| !path.starts_with("d/e")));
    // And once more, with a new folder of the old name.
    fs::create_dir(it.at("d")).unwrap();
    fs::write(it.at("d/c.md"), "new").unwrap();
    it.sees(&["d/c.md"]);
}

#[test]
fn a_folder_from_outside_is_seen_with_all_that_is_in_it_and_one_that_leaves_is_let_go() {
    let mut it = Watched::with(&["a.md"]);
    let outside = tempfile::tempdir_in(it.folder.path().parent().unwrap()).unwrap();
    fs::create_dir_all(outside.path().join("in/deep")).unwrap();
    fs::write(outside.path().join("in/deep/x.md"), "new").unwrap();
    fs::rename(outside.path().join("in"), it.at("in")).unwrap();
    it.sees(&["in/deep/x.md"]);
    fs::write(it.at("in/deep/y.md"), "new").unwrap();
    it.sees(&["in/deep/y.md"]);
    it.changed.clear();
    fs::rename(it.at("in"), outside.path().join("out")).unwrap();
    it.sees(&["in"]);
    // Letting go may come a moment after the word about the rename.
    let end = Instant::now() + LIMIT;
    loop {
        fs::write(outside.path().join("out/deep/y.md"), "not ours").unwrap();
        if it.all().is_empty() {
            break;
        }
        assert!(Instant::now() < end, "still watched");
    }
}

#[test]
fn a_folder_that_is_removed_and_made_again_is_watched_again() {
    let mut it = Watched::with(&["d/a.md", "d/b.md"]);
    fs::remove_dir_all(it.at("d")).unwrap();
    it.sees(&["d", "d/a.md", "d/b.md"]);
    for round in 0..30 {
        fs::create_dir(it.at("d")).unwrap();
        fs::write(it.at(&format!("d/{round}.md")), "new").unwrap();
        fs::remove_dir_all(it.at("d")).unwrap();
    }
    fs::create_dir(it.at("d")).unwrap();
    fs::write(it.at("d/last.md"), "new").unwrap();
    it.sees(&["d/last.md"]);
    it.changed.clear();
    fs::write(it.at("d/after.md"), "new").unwrap();
    it.sees(&["d/after.md"]);
}

#[test]
fn a_folder_that_went_is_told_of_where_another_one_has_taken_its_place() {
    let mut it = Watched::with(&["d/a.md", "e/b.md"]);
    // In one step, so that the watcher finds a folder there whenever it looks.
    let (here, folder, other) = (rustix::fs::CWD, it.at("d"), it.at("e"));
    match rustix::fs::renameat_with(here, &folder, here, &other, rustix::fs::RenameFlags::EXCHANGE) {
        Err(error) => eprintln!("skipped: this file system exchanges no folders: {error}"),
        Ok(()) => it.sees(&["d", "d/b.md", "e", "e/a.md"]),
    }
}

#[test]
fn a_repository_in_the_store_is_its_own_affair() {
    let mut it = Watched::with(&["nested/.git/HEAD", "nested/a.md", "d/b.md"]);
    fs::write(it.at("nested/a.md"), "new").unwrap();
    assert_eq!(it.all(), Vec::<String>::new());
    fs::create_dir(it.at("d/.git")).unwrap();
    it.until("a rescan", |it| it.rescans == 1);
    fs::remove_dir_all(it.at("d/.git")).unwrap();
    it.until("another rescan", |it| it.rescans >= 2);
    fs::write(it.at("d/b.md"), "new").unwrap();
    it.sees(&["d/b.md"]);
}

#[test]
fn says_that_the_repository_or_the_store_is_gone() {
    let mut it = Watched::with(&["a.md"]);
    fs::remove_dir_all(it.at(".git")).unwrap();
    it.until("the repository gone", |it| {
        matches!(it.gone, Some(SysError::GitMissing(_)))
    });
    assert!(it.events.recv_timeout(LIMIT).is_err(), "the last word");

    let mut it = Watched::with(&["d/a.md"]);
    fs::rename(it.at(".git"), it.at(".not-git")).unwrap();
    it.until("the repository gone", |it| {
        matches!(it.gone, Some(SysError::GitMissing(_)))
    });

    let mut it = Watched::with(&["a.md"]);
    let elsewhere = it.folder.path().with_extension("moved");
    fs::rename(it.folder.path(), &elsewhere).unwrap();
    it.until("the store gone", |it| {
        matches!(it.gone, Some(SysError::RootMissing(_)))
    });
    fs::remove_dir_all(elsewhere).unwrap();

    let mut it = Watched::with(&["a.md"]);
    fs::remove_dir_all(it.folder.path()).unwrap();
    it.until("the store gone", |it| it.gone.is_some());
}

#[test]
fn a_store_that_is_not_there_is_not_watched() {
    let folder = tempfile::tempdir().unwrap();
    let started = |path: &Path| Watcher::start(path, |_| {});
    assert!(matches!(
        started(folder.path()),
        Err(WatchError::Store(SysError::GitMissing(_)))
    ));
    let gone = started(&folder.path().join("gone"));
    assert!(matches!(gone, Err(WatchError::Store(SysError::RootMissing(_)))));
}

#[test]
fn lost_events_end_in_a_rescan_after_which_new_folders_are_watched() {
    let mut it = Watched::with(&["a.md"]);
    let lost = notify::Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
    it.watcher.wake.send(Raw::Notify(Ok(lost))).unwrap();
    it.until("a rescan", |it| it.rescans == 1);
    fs::write(it.at("a.md"), "new").unwrap();
    it.sees(&["a.md"]);
}

#[test]
fn where_the_watches_run_out_everything_is_looked_at_again_and_again() {
    let mut it = Watched::with(&["a.md"]);
    let used_up = notify::Error::new(notify::ErrorKind::MaxFilesWatch);
    it.watcher.wake.send(Raw::Notify(Err(used_up))).unwrap();
    it.until("a notice", |it| it.notice.is_some());
    it.until("two looks", |it| it.rescans == 2);
    fs::remove_dir_all(it.at(".git")).unwrap();
    it.until("the repository gone", |it| {
        matches!(it.gone, Some(SysError::GitMissing(_)))
    });
}
