//! Obstacles that are found before the first file changes: everything stays as it was.

use crate::env::{TestEnv, write_at};

use super::{Shut, Way, assert_round, assert_settled, everything, is_done, machine, text};

#[test]
fn a_folder_that_cannot_be_written_to_is_found_before_the_first_file_changes() {
    let (env, first) = machine();
    for folder in ["feedback", "decision"] {
        let before = everything(&env);
        let Some(shut) = Shut::folder(env.store().join(folder)) else {
            return;
        };
        for args in [vec!["restore", "--yes", &first], vec!["undo"]] {
            env.mdmem(args)
                .fails(format!("nothing was changed: cannot write $STORE/{folder}/"))
                .stderr_has("hint: Make the folder and the file writable, then run it again.")
                .run();
            assert_eq!(everything(&env), before);
        }
        drop(shut);
    }
    env.mdmem(["restore", "--yes", &first])
        .any_stdout()
        .any_stderr()
        .run();
    assert_round(&env, "first");
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_round(&env, "second");
    assert_settled(&env);
}

#[test]
fn a_file_that_nobody_may_change_is_found_before_the_first_file_changes() {
    let (env, first) = machine();
    let path = env.store().join("decision/of-many-3.md");
    if !is_done("chattr", &["+i"], &path) {
        eprintln!("SKIPPED: a file cannot be marked as immutable here");
        return;
    }
    let shut = Shut {
        path,
        way: Way::Immutable,
    };
    let before = everything(&env);
    env.mdmem(["restore", "--yes", &first])
        .fails("nothing was changed: cannot write $STORE/decision/of-many-3.md: permission denied")
        .run();
    assert_eq!(everything(&env), before);
    drop(shut);
    env.mdmem(["restore", "--yes", &first])
        .any_stdout()
        .any_stderr()
        .run();
    assert_settled(&env);
}

#[test]
fn an_import_into_a_folder_that_cannot_be_written_to_leaves_everything_as_it_was() {
    let (env, _) = machine();
    let entry = |n: usize| serde_json::json!({ "id": format!("mem_{n}"), "type": "decision", "text": format!("Use tool {n}") });
    let entries: Vec<_> = (0..20).map(entry).collect();
    let peer = env.workspace().join("workspace-memory.json");
    write_at(
        &peer,
        &serde_json::json!({ "version": 1, "entries": entries }).to_string(),
    );
    let before = everything(&env);
    let Some(shut) = Shut::folder(env.store().join("decision")) else {
        return;
    };
    let import = [
        "import",
        "--from",
        "opencode-working-memory",
        "workspace-memory.json",
    ];
    env.mdmem(import)
        .fails("nothing was changed: cannot write $STORE/decision/")
        .run();
    assert_eq!(everything(&env), before);
    drop(shut);
    env.mdmem(import).any_stdout().any_stderr().run();
    assert_settled(&env);
}

#[test]
fn a_disk_without_room_is_found_before_the_first_file_changes() {
    let env = TestEnv::on_disk();
    let home = env.mdmem_home();
    std::fs::create_dir_all(&home).unwrap();
    if !is_done("mount", &["-t", "tmpfs", "-o", "size=3m", "tmpfs"], &home) {
        eprintln!("SKIPPED: only root can mount a file system");
        return;
    }
    let _mount = Shut {
        path: home,
        way: Way::Mount,
    };
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for round in ["first", "second"] {
        for n in 0..40 {
            let text = format!("{}{}", text(round, n), "Words of a long memory. ".repeat(400));
            env.write(&format!("decision/of-many-{n}.md"), &text);
        }
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    }
    let store = env.store();
    let filler = store.with_file_name("filler");
    // From no room at all to room for half of the files, and for all but the last.
    for left in [0, 8, 64, 200, 400] {
        drop(std::fs::write(&filler, vec![0; 4 << 20]));
        let full = std::fs::metadata(&filler).unwrap().len();
        let room = std::fs::File::options().write(true).open(&filler).unwrap();
        room.set_len(full.saturating_sub(left << 10)).unwrap();
        let before = everything(&env);
        let undone = env
            .mdmem(["undo"])
            .any_stdout()
            .any_stderr()
            .fails("cannot")
            .run();
        assert_eq!(everything(&env), before, "{left} KB: {}", undone.stderr);
        assert!(
            undone.stderr.contains("hint: Free some space (`df -h`"),
            "{}",
            undone.stderr
        );
    }
    std::fs::remove_file(&filler).unwrap();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_settled(&env);
}
