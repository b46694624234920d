//! Exchanges against a person who saves at every step, and writers that are killed there.

#![expect(
    clippy::disallowed_methods,
    reason = "the person in these tests saves as editors do"
)]

use super::*;
use crate::sys::{
    DISPLACED_FOR, Displaced, drop_leftover, forget_displaced, leftovers, settle_displaced, write_new,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

struct Store(tempfile::TempDir);

impl Store {
    fn with(text: &str) -> Self {
        let store = Self(tempfile::tempdir().unwrap());
        fs::create_dir(store.path().join(".git")).unwrap();
        write_new(store.path(), "d/a.md", text.as_bytes()).unwrap();
        store
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> std::path::PathBuf {
        self.path().join("d/a.md")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn save_by_rename(&self, text: &str) {
        let other = self.path().join("d/other");
        fs::write(&other, text).unwrap();
        fs::rename(other, self.file()).unwrap();
    }

    /// Exchanges `old` for `new`; `act` runs at each step.
    fn exchange(&self, mut act: impl FnMut(Step)) -> Exchange {
        exchange_watched(self.path(), Path::new("d/a.md"), b"old", b"new", &mut act).unwrap()
    }

    fn displaced(&self) -> Vec<String> {
        let all = settle_displaced(self.path(), DISPLACED_FOR).unwrap();
        all.into_iter()
            .map(|it| String::from_utf8(it.bytes).unwrap())
            .collect()
    }

    fn no_temporary_is_left(&self) {
        assert_eq!(
            fs::read_dir(self.path().join("d")).unwrap().count(),
            usize::from(self.file().exists())
        );
    }
}

#[test]
fn replaces_what_is_expected_and_keeps_the_mode() {
    let store = Store::with("old");
    fs::set_permissions(store.file(), fs::Permissions::from_mode(0o604)).unwrap();
    assert_eq!(store.exchange(|_| {}), Exchange::Exchanged);
    assert_eq!(store.text(), "new");
    assert_eq!(fs::metadata(store.file()).unwrap().mode() & 0o7777, 0o604);
    assert_eq!(store.exchange(|_| {}), Exchange::Changed(b"new".to_vec()));
    store.no_temporary_is_left();
    assert!(store.displaced().is_empty());
    assert!(settle_displaced(store.path(), Duration::ZERO).unwrap().is_empty());
    assert_eq!(
        fs::read_dir(store.path().join(".mdmem/displaced"))
            .unwrap()
            .count(),
        0
    );
    fs::remove_file(store.file()).unwrap();
    assert_eq!(store.exchange(|_| {}), Exchange::Missing);
    assert_eq!(
        exchange(store.path(), "e/a.md", b"", b"x").unwrap(),
        Exchange::Missing
    );
}

#[test]
fn a_save_by_rename_in_between_is_put_back() {
    let store = Store::with("old");
    let outcome = store.exchange(|step| {
        if step == Step::Compared {
            store.save_by_rename("theirs");
        }
    });
    assert_eq!(outcome, Exchange::Changed(b"theirs".to_vec()));
    assert_eq!(store.text(), "theirs");
    store.no_temporary_is_left();
    assert!(
        store.displaced().is_empty(),
        "the engine's own text needs no rescue"
    );
}

#[test]
fn a_save_in_place_in_between_is_put_back_with_its_inode() {
    let store = Store::with("old");
    let mut editor = fs::OpenOptions::new().write(true).open(store.file()).unwrap();
    let outcome = store.exchange(|step| {
        if step == Step::Compared {
            editor.write_all(b"their").unwrap();
        }
    });
    assert_eq!(outcome, Exchange::Changed(b"their".to_vec()));
    editor.write_all(b"s, and more").unwrap();
    assert_eq!(store.text(), "theirs, and more");
}

#[test]
fn saves_at_every_step_end_with_the_newest_in_place_and_none_lost() {
    let store = Store::with("old");
    let mut saves = 0;
    let outcome = store.exchange(|_| {
        if saves < 4 {
            saves += 1;
            store.save_by_rename(&format!("save {saves}"));
        }
    });
    assert_eq!(outcome, Exchange::Changed(b"save 4".to_vec()));
    assert_eq!(store.text(), "save 4");
    store.no_temporary_is_left();
    // The person's own rename replaced the text between two saves by rename; the one before the last was
    // taken out by an exchange and is kept.
    assert!(store.displaced().iter().all(|text| text.starts_with("save ")));
}

#[test]
fn a_save_in_place_into_the_engines_file_wins_and_the_one_before_is_kept() {
    let store = Store::with("old");
    let outcome = store.exchange(|step| match step {
        Step::Compared => store.save_by_rename("first"),
        Step::Exchanged => fs::write(store.file(), "second").unwrap(),
        Step::PutBack => {}
    });
    assert_eq!(outcome, Exchange::Changed(b"second".to_vec()));
    assert_eq!(store.text(), "second");
    assert_eq!(store.displaced(), ["first"]);
}

#[test]
fn a_removal_in_between_stands_and_the_save_before_it_is_kept() {
    let store = Store::with("old");
    let outcome = store.exchange(|step| match step {
        Step::Compared => fs::remove_file(store.file()).unwrap(),
        Step::Exchanged | Step::PutBack => unreachable!("nothing was exchanged"),
    });
    assert_eq!(outcome, Exchange::Missing);
    store.no_temporary_is_left();

    let store = Store::with("old");
    let outcome = store.exchange(|step| match step {
        Step::Compared => store.save_by_rename("saved"),
        Step::Exchanged => fs::remove_file(store.file()).unwrap(),
        Step::PutBack => {}
    });
    assert_eq!(outcome, Exchange::Missing);
    assert_eq!(store.displaced(), ["saved"]);
    store.no_temporary_is_left();
}

#[test]
fn a_late_write_into_the_displaced_file_comes_back_until_it_is_forgotten() {
    let store = Store::with("old");
    let mut editor = fs::OpenOptions::new().write(true).open(store.file()).unwrap();
    assert_eq!(store.exchange(|_| {}), Exchange::Exchanged);
    editor.write_all(b"late save").unwrap();
    let saved: Vec<Displaced> = settle_displaced(store.path(), Duration::ZERO).unwrap();
    assert_eq!(
        (saved[0].path.to_str(), &*saved[0].bytes),
        (Some("d/a.md"), &b"late save"[..])
    );
    editor.write_all(b", more").unwrap();
    forget_displaced(store.path(), &saved[0]).unwrap();
    assert_eq!(
        store.displaced(),
        ["late save, more"],
        "written again: not forgotten"
    );
    let saved = settle_displaced(store.path(), Duration::ZERO).unwrap();
    forget_displaced(store.path(), &saved[0]).unwrap();
    assert!(store.displaced().is_empty());
}

#[test]
fn a_save_that_is_under_way_while_the_file_is_forgotten_comes_back() {
    let store = Store::with("old");
    let mut editor = fs::OpenOptions::new().write(true).open(store.file()).unwrap();
    assert_eq!(store.exchange(|_| {}), Exchange::Exchanged);
    editor.set_len(0).unwrap();
    let truncated = settle_displaced(store.path(), DISPLACED_FOR).unwrap();
    assert_eq!(truncated[0].bytes, b"");
    forget_displaced(store.path(), &truncated[0]).unwrap();
    assert!(store.displaced().is_empty(), "nothing new is in it");
    editor.write_all(b"theirs").unwrap();
    assert_eq!(store.displaced(), ["theirs"]);
}

#[test]
fn something_else_in_the_files_place_is_put_back_and_named() {
    let store = Store::with("old");
    let mut act = |step| {
        if step == Step::Compared {
            fs::remove_file(store.file()).unwrap();
            fs::create_dir(store.file()).unwrap();
            fs::write(store.file().join("x.md"), "inside").unwrap();
        }
    };
    let error = exchange_watched(store.path(), Path::new("d/a.md"), b"old", b"new", &mut act).unwrap_err();
    assert!(
        matches!(error, SysError::NotAFile { what: "folder", .. }),
        "{error}"
    );
    assert_eq!(fs::read_to_string(store.file().join("x.md")).unwrap(), "inside");
    store.no_temporary_is_left();
}

#[test]
fn follows_no_link_that_appears() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.md"), "old").unwrap();
    let store = Store::with("old");
    fs::rename(store.path().join("d"), store.path().join("e")).unwrap();
    std::os::unix::fs::symlink(outside.path(), store.path().join("d")).unwrap();
    assert!(matches!(
        exchange(store.path(), "d/a.md", b"old", b"new"),
        Err(SysError::Link(_))
    ));
    std::os::unix::fs::symlink(outside.path().join("a.md"), store.path().join("l.md")).unwrap();
    assert!(matches!(
        exchange(store.path(), "l.md", b"old", b"new"),
        Err(SysError::Link(_))
    ));
    assert_eq!(fs::read(outside.path().join("a.md")).unwrap(), b"old");
}

#[test]
fn a_kill_between_the_steps_leaves_what_the_next_start_can_tell_apart() {
    for (killed_at, theirs) in [(Step::Compared, false), (Step::Exchanged, true)] {
        let store = Store::with("old");
        let found = RefCell::new(Vec::new());
        store.exchange(|step| {
            if step == killed_at {
                if killed_at == Step::Exchanged {
                    // As if a person had saved just before the exchange.
                    let scan = crate::sys::scan(store.path()).unwrap();
                    fs::write(store.path().join(&scan.temporaries[0]), "theirs").unwrap();
                }
                let scan = crate::sys::scan(store.path()).unwrap();
                assert_eq!(scan.temporaries.len(), 1);
                *found.borrow_mut() = leftovers(store.path(), &scan.temporaries).unwrap();
                if let Some(leftover) = found.borrow().first() {
                    drop_leftover(store.path(), leftover).unwrap();
                }
                assert!(crate::sys::scan(store.path()).unwrap().temporaries.is_empty());
            }
        });
        let found = found.into_inner();
        assert_eq!(found.len(), usize::from(theirs));
        if let Some(leftover) = found.first() {
            assert_eq!(leftover.target.as_deref(), Some(Path::new("d/a.md")));
            assert_eq!(leftover.bytes, b"theirs");
            assert!(leftover.is_from(Path::new("d/a.md")) && !leftover.is_from(Path::new("a.md")));
        }
    }
}

#[test]
fn an_unlocked_part_is_removed_and_one_at_work_is_not() {
    let store = Store::with("old");
    let place = Place::find(store.path(), Path::new("d/a.md")).unwrap().unwrap();
    let part = Part::write(
        &place.folder,
        &place.name,
        b"half",
        crate::sys::files::temporary::Access::New,
    );
    let part = part.unwrap();
    let scan = || crate::sys::scan(store.path()).unwrap().temporaries;
    assert!(leftovers(store.path(), &scan()).unwrap().is_empty());
    assert_eq!(scan().len(), 1, "its writer lives");
    fs::write(store.path().join("d/.x.1-1.mdmem-part"), "dead").unwrap();
    assert!(leftovers(store.path(), &scan()).unwrap().is_empty());
    assert_eq!(scan().len(), 1);
    drop(part);
    assert!(scan().is_empty());
}

/// Saves of every kind against exchanges, at full speed: the engine gets to see each of them.
#[test]
fn no_save_is_lost_at_full_speed() {
    const SAVES: usize = 200;
    let store = Store::with("");
    let seen = Mutex::new(BTreeSet::new());
    let see = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let save = text.lines().next().unwrap_or_default().to_owned();
        seen.lock().unwrap().insert(save.clone());
        save
    };
    let saw = |save: &str| seen.lock().unwrap().contains(save);
    std::thread::scope(|scope| {
        let person = scope.spawn(|| {
            for n in 1..=SAVES {
                let save = format!("save {n}");
                match n % 3 {
                    0 => fs::write(store.file(), &save).unwrap(),
                    1 => store.save_by_rename(&save),
                    _ => {
                        let mut file = fs::OpenOptions::new().write(true).open(store.file()).unwrap();
                        file.set_len(0).unwrap();
                        file.write_all(save.as_bytes()).unwrap();
                    }
                }
                let end = Instant::now() + Duration::from_secs(10);
                while !saw(&save) {
                    assert!(Instant::now() < end, "{save} is lost");
                    std::thread::yield_now();
                }
            }
        });
        let mut number = 0;
        while !person.is_finished() {
            let now = fs::read(store.file()).unwrap();
            let save = see(&now);
            number += 1;
            let new = format!("{save}\nengine {number}\n");
            let outcome = exchange(store.path(), "d/a.md", &now, new.as_bytes()).unwrap();
            if let Exchange::Changed(bytes) = outcome {
                see(&bytes);
            }
            for late in settle_displaced(store.path(), DISPLACED_FOR).unwrap() {
                see(&late.bytes);
                forget_displaced(store.path(), &late).unwrap();
            }
        }
        person.join().unwrap();
    });
    store.no_temporary_is_left();
}
