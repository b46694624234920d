//! Hidden files, which a person's own git tracks: a merge leaves the folder as HEAD says.

use super::pair::{bare_at, cloned, head, run, save, shared, sync};
use crate::env::{Repository, TestEnv};

const SETTINGS: &str = ".obsidian/app.json";
const PLUGIN: &str = ".obsidian/plugins/tasks/main.js";
const LIST: &str = "project/.order";

/// Commits everything that the folder has, as `git add -A` does.
fn commit_by_hand(env: &TestEnv) {
    let repository = Repository::of(env);
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "by hand"]);
}

fn edit_by_hand(env: &TestEnv, path: &str, text: &str) {
    Repository::of(env).save(path, text);
    commit_by_hand(env);
    sync(env);
}

/// Two machines that know the hidden files of the first.
fn pair() -> (TestEnv, TestEnv) {
    let here = TestEnv::with_store();
    let remote = shared(&here);
    let there = cloned(&remote);
    let files = Repository::of(&here);
    files.save(SETTINGS, "{\"theme\": 1}\n");
    files.save(PLUGIN, "start()\n");
    files.save(LIST, "a b\n");
    edit_by_hand(&here, ".trash/old.md", "An old thought.\n");
    sync(&there);
    (here, there)
}

#[track_caller]
fn assert_as_head_says(env: &TestEnv) {
    let repository = Repository::of(env);
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn come_change_and_go_in_the_folder_as_in_head() {
    let (here, there) = pair();
    let files = Repository::of(&there);
    assert_eq!(files.text(SETTINGS), "{\"theme\": 1}\n");
    assert_eq!(files.text(PLUGIN), "start()\n");
    assert_eq!(files.text(".trash/old.md"), "An old thought.\n");
    assert_as_head_says(&there);

    // A merge, not a head that follows.
    save(&there, "project/there.md", "Said there.\n");
    Repository::of(&here).save(LIST, "b a\n");
    std::fs::remove_dir_all(here.store().join(".obsidian/plugins")).unwrap();
    edit_by_hand(&here, SETTINGS, "{\"theme\": 2}\n");
    sync(&there);
    assert_eq!(files.text(SETTINGS), "{\"theme\": 2}\n");
    assert_eq!(files.text(LIST), "b a\n");
    assert!(!there.store().join(PLUGIN).exists());
    assert_as_head_says(&there);

    // What a person commits by hand then takes nothing from anybody.
    edit_by_hand(&there, "project/more.md", "More.\n");
    sync(&here);
    assert_eq!(Repository::of(&here).text(SETTINGS), "{\"theme\": 2}\n");
    assert_eq!(head(&here), head(&there));
}

#[test]
fn are_there_after_a_clone_and_after_a_first_sync() {
    let (here, _there) = pair();
    let remote = here.home().join("remote.git");
    let new = cloned(remote.to_str().unwrap());
    let unrelated = TestEnv::with_store();
    save(&unrelated, "project/own.md", "Said before both met.\n");
    run(&unrelated, &["sync", remote.to_str().unwrap()]);
    sync(&unrelated);
    for env in [&new, &unrelated] {
        assert_eq!(Repository::of(env).text(SETTINGS), "{\"theme\": 1}\n");
        assert_eq!(Repository::of(env).text(PLUGIN), "start()\n");
        assert_as_head_says(env);
    }
}

#[test]
fn an_edit_that_no_commit_has_stays() {
    let (here, there) = pair();
    let files = Repository::of(&there);
    files.save(SETTINGS, "{\"theme\": \"mine\"}\n");
    files.save(PLUGIN, "mine()\n");
    files.save(".vscode/settings.json", "{\"mine\": true}\n");
    std::fs::remove_file(here.store().join(PLUGIN)).unwrap();
    Repository::of(&here).save(".vscode/settings.json", "{}\n");
    edit_by_hand(&here, SETTINGS, "{\"theme\": 2}\n");
    let said = there.mdmem(["sync"]).any_stdout().any_stderr().run().stderr;
    for (path, text) in [
        (SETTINGS, "{\"theme\": \"mine\"}\n"),
        (PLUGIN, "mine()\n"),
        (".vscode/settings.json", "{\"mine\": true}\n"),
    ] {
        assert_eq!(files.text(path), text);
        let told = format!("{path} was not changed");
        assert!(said.contains(&told), "{path}: {said}");
    }
    assert_eq!(files.committed(SETTINGS).as_deref(), Some("{\"theme\": 2}\n"));
    assert_eq!(
        files.status(),
        format!(" M {SETTINGS}\n M .vscode/settings.json\n?? {PLUGIN}\n")
    );
    assert_eq!(head(&here), head(&there));
}

#[test]
fn one_that_is_missing_comes_back_where_it_changes() {
    let (here, there) = pair();
    std::fs::remove_dir_all(there.store().join(".obsidian")).unwrap();
    edit_by_hand(&here, SETTINGS, "{\"theme\": 2}\n");
    sync(&there);
    let files = Repository::of(&there);
    assert_eq!(files.text(SETTINGS), "{\"theme\": 2}\n");
    assert_eq!(files.status(), format!(" D {PLUGIN}\n"));
}

#[test]
fn a_link_in_the_place_of_one_is_not_followed() {
    let (here, there) = pair();
    let outside = there.home().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::remove_dir_all(there.store().join(".obsidian")).unwrap();
    std::os::unix::fs::symlink(&outside, there.store().join(".obsidian")).unwrap();
    edit_by_hand(&here, SETTINGS, "{\"theme\": 2}\n");
    let said = there.mdmem(["sync"]).any_stdout().any_stderr().run().stderr;
    assert!(said.contains(&format!("{SETTINGS} was not changed")), "{said}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn an_undo_and_a_restore_leave_them() {
    let (here, there) = pair();
    let before = head(&there);
    save(&there, "project/there.md", "Said there.\n");
    Repository::of(&here).save("project/here.md", "Said here.\n");
    edit_by_hand(&here, SETTINGS, "{\"theme\": 2}\n");
    sync(&there);
    run(&there, &["undo"]);
    assert_as_head_says(&there);
    run(&there, &["restore", "--yes", &before]);
    assert_as_head_says(&there);
    assert_eq!(Repository::of(&there).text(SETTINGS), "{\"theme\": 2}\n");
}

/// git on its own makes a merge, in which both sides changed a hidden file.
#[test]
fn a_merge_by_hand_is_fixed_in_the_folder_too() {
    let here = TestEnv::with_store();
    let remote = bare_at(&here, "remote.git");
    run(&here, &["sync", &remote]);
    edit_by_hand(&here, SETTINGS, "{\"theme\": 1}\n");
    let there = cloned(&remote);
    assert_as_head_says(&there);
    edit_by_hand(&here, SETTINGS, "{\"theme\": 2}\n");
    let files = Repository::of(&there);
    files.git(&["pull", "-q", "--rebase=false"]);
    run(&there, &["sweep"]);
    assert_as_head_says(&there);
    assert_eq!(files.text(SETTINGS), "{\"theme\": 2}\n");
}
