//! A save into a file that the engine has just exchanged: an editor that held the old one open.

use std::io::Write as _;

use mdmem::document::{Key, KeyEdit, Value};
use mdmem::store::MassDeletion;

use super::*;

/// Saves, through a handle from before, a text that differs from the file's in its frontmatter alone.
fn save_after_an_exchange(store: &Store) {
    let path = add(store, "Use npm", "decision").path;
    let on_disk = file(store, path.as_str());
    let mut editor = std::fs::OpenOptions::new().append(true).open(&on_disk).unwrap();
    let saved = read(&on_disk).replace("---\nUse npm", "mine: kept\n---\nUse npm");
    let mut writer = store.writer("test").unwrap();
    writer
        .edit_keys(&path, |_| vec![KeyEdit::Set(Key::Reinforcement, Value::Count(1))])
        .unwrap();
    drop(writer);
    editor.set_len(0).unwrap();
    editor.write_all(saved.as_bytes()).unwrap();
}

#[test]
fn goes_into_history_also_when_no_word_of_the_text_changed() {
    let machine = Machine::new();
    let store = machine.store();
    save_after_an_exchange(&store);
    service::sweep(&store, MassDeletion::Ask).unwrap();
    assert!(git(&store, &["log", "-p"]).contains("+mine: kept"));
    assert_eq!(git(&store, &["status", "--porcelain"]), "");
}

#[test]
fn waits_while_git_stands_in_the_way_of_a_commit() {
    let machine = Machine::new();
    let store = machine.store();
    save_after_an_exchange(&store);
    let lock = file(&store, ".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    std::fs::remove_file(&lock).unwrap();
    service::sweep(&store, MassDeletion::Ask).unwrap();
    assert!(git(&store, &["log", "-p"]).contains("+mine: kept"));
}
