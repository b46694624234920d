//! Leftovers of killed writers: the engine's own go, a person's come back.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests leave behind what a killed writer would"
)]

use super::*;
use crate::sys::{scan, settle_displaced, write_new};
use std::fs;
use std::time::Duration;

fn store() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(".git")).unwrap();
    root
}

fn whole(target: &str, content: &str) -> String {
    format!(
        ".{}.{}.1-1.mdmem-tmp",
        short_hash(target.as_bytes()),
        short_hash(content.as_bytes())
    )
}

#[test]
fn drops_the_engines_own_and_returns_a_persons() {
    let root = store();
    let at = |path: &str| root.path().join(path);
    write_new(root.path(), "d/a.md", b"new").unwrap();
    fs::write(at("d").join(whole("gone.md", "new")), "new").unwrap();
    fs::write(at("d").join(whole("a.md", "new")), "theirs").unwrap();
    let found = leftovers(root.path(), &scan(root.path()).unwrap().temporaries).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].target.as_deref(), &*found[0].bytes),
        (Some(Path::new("d/a.md")), &b"theirs"[..])
    );
    drop_leftover(root.path(), &found[0]).unwrap();
    assert!(scan(root.path()).unwrap().temporaries.is_empty());
    assert!(settle_displaced(root.path(), Duration::ZERO).unwrap().is_empty());
}

#[test]
fn a_folder_or_a_link_that_was_displaced_is_seen() {
    let root = store();
    let at = |path: &str| root.path().join(path);
    write_new(root.path(), "a.md", b"new").unwrap();
    write_new(root.path(), "b.md", b"a person's").unwrap();
    fs::create_dir(at(&whole("a.md", "new"))).unwrap();
    fs::write(at(&whole("a.md", "new")).join("x.md"), "inside").unwrap();
    std::os::unix::fs::symlink("a.md", at(&whole("b.md", "new"))).unwrap();
    let found = leftovers(root.path(), &scan(root.path()).unwrap().temporaries).unwrap();
    assert_eq!(found, []);
    let recovered = at(&format!("recovered-{}", short_hash(b"a.md")));
    assert_eq!(fs::read_to_string(recovered.join("x.md")).unwrap(), "inside");
    assert_eq!(fs::read_to_string(at("b.md")).unwrap(), "a person's");
    let recovered = at(&format!("recovered-{}", short_hash(b"b.md")));
    assert_eq!(fs::read_link(recovered).unwrap(), Path::new("a.md"));
    assert!(scan(root.path()).unwrap().temporaries.is_empty());
}

#[test]
fn removes_what_a_killed_process_was_writing_in_mdmems_own_folder() {
    let root = store();
    write_new(root.path(), ".mdmem/sessions/.x.1-1.mdmem-part", b"half").unwrap();
    write_new(root.path(), ".mdmem/sessions/whole", b"whole").unwrap();
    assert_eq!(leftovers(root.path(), &[]).unwrap(), []);
    let left = fs::read_dir(root.path().join(".mdmem/sessions")).unwrap().count();
    assert_eq!(left, 1);
    remove_dead_parts(&root.path().join("nowhere")).unwrap();
}
