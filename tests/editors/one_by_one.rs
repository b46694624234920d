//! One save after the other, each of a new file and of one that is there.

use crate::env::{LIMIT, Repository, TestEnv, wait_for};

use super::{Way, save};

/// Long enough that an editor has ended its save on a busy machine, so that each save is one commit.
const QUIET: (&str, &str) = ("MDMEM_WATCH__QUIET_MS", "300");

#[test]
fn each_save_is_one_commit_whatever_the_editor_does() {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    let repository = Repository::of(&env);
    std::fs::create_dir_all(repository.at("decision")).unwrap();
    let watching = env.watch(&[QUIET]);
    let begin = repository.log().len();
    let mut expected = Vec::new();
    for round in ["new", "edited"] {
        // All of them at once: each has a file of its own.
        let saves: Vec<(String, String)> = Way::ALL
            .iter()
            .map(|way| {
                let path = format!("decision/by-{way:?}.md").to_lowercase();
                (path, format!("# By {way:?}\n\nThe {round} text of {way:?}.\n"))
            })
            .collect();
        for (way, (path, text)) in Way::ALL.into_iter().zip(&saves) {
            save(way, &repository.at(path), text);
        }
        for (path, text) in &saves {
            repository.wait_for_commit_of(path, text, LIMIT);
            expected.push(path.clone());
        }
    }
    let index = wait_for("MEMORY.md to name all of them", LIMIT, || {
        let index = std::fs::read_to_string(repository.at("MEMORY.md")).ok()?;
        Way::ALL
            .iter()
            .all(|way| index.contains(&format!("By {way:?}")))
            .then_some(index)
    });
    assert!(!index.contains('~') && !index.contains("tmp"), "{index}");
    drop(watching);

    let commits = repository.log();
    let new = &commits[..commits.len() - begin];
    let mut paths: Vec<String> = new.iter().flat_map(|commit| commit.paths.clone()).collect();
    paths.sort();
    expected.sort();
    assert_eq!(paths, expected, "each save is in one commit: {new:#?}");
    // The backup that emacs keeps is no file of the store.
    assert!(repository.at("decision/by-emacs.md~").exists());
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

#[test]
fn temporary_files_that_stay_are_never_committed() {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    let repository = Repository::of(&env);
    let _watching = env.watch(&[QUIET]);
    for name in [
        "note.md.tmp",
        "note.md.tmp.4711.1763721234567",
        "note.md~",
        "#note.md#",
        ".note.md.swp",
        "note.md___jb_tmp___",
        "4913",
        "sedQ7xK2p",
        "note.md.part",
    ] {
        repository.save(&format!("project/{name}"), "Half a save.\n");
    }
    repository.save("project/note.md", "A whole save.\n");
    repository.wait_for_commit_of("project/note.md", "A whole save.\n", LIMIT);
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    let tracked: Vec<String> = repository
        .tracked()
        .into_iter()
        .filter(|path| path.contains('/'))
        .collect();
    assert_eq!(tracked, ["project/note.md"]);
    env.mdmem(["status"]).stdout_has("nothing").any_stderr().run();
}

#[test]
fn what_is_no_file_does_not_end_the_watch() {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.write("project/a.md", "A.\n");
    env.write("project/b.md", "B.\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    let repository = Repository::of(&env);
    let mut watching = env.watch(&[QUIET]);
    std::fs::remove_file(repository.at("project/a.md")).unwrap();
    std::os::unix::fs::symlink("b.md", repository.at("project/a.md")).unwrap();
    std::fs::remove_file(repository.at("project/b.md")).unwrap();
    std::fs::create_dir(repository.at("project/b.md")).unwrap();
    std::fs::create_dir(repository.at("project/fifo.md")).unwrap();
    repository.save("project/c.md", "C.\n");
    repository.wait_for_commit_of("project/c.md", "C.\n", LIMIT);
    assert!(watching.is_running());
    assert_eq!(repository.committed("project/a.md").as_deref(), Some("A.\n"));
    repository.assert_sound();
}
