//! Every system call that changes something fails once, or kills the program there; then what is left is settled by the
//! next command. Needs strace.

use std::process::Command;

use crate::env::{Repository, TestEnv};

use super::{EDITED, Shut, assert_round, assert_settled, is_done, machine, subjects, text};

/// The calls by which files and folders change. Each thread counts its own.
const CALLS: [&str; 9] = [
    "renameat2",
    "rename",
    "unlinkat",
    "unlink",
    "mkdirat",
    "write",
    "fsync",
    "fdatasync",
    "fchmod",
];

/// The number of failures of each call; in the long form of the suite every one of them is.
fn most() -> usize {
    crate::torture::times().map_or(1, |_| usize::MAX)
}

/// The faults to try: a call, and its number.
fn each_place(mut trial: impl FnMut(&str, usize) -> Hit) {
    let mut hits = 0;
    for call in CALLS {
        for n in (1..).take(most()) {
            match trial(call, n) {
                Hit::Yes => hits += 1,
                Hit::No => break,
            }
        }
    }
    assert!(2 * hits > CALLS.len(), "{hits}");
}

/// Says if the program made the call so often.
pub(super) enum Hit {
    Yes,
    No,
}

/// Runs the program with a fault in the n-th such call. Says whether it was hit, and whether it succeeded.
pub(super) fn with_fault(env: &TestEnv, args: &[&str], (fault, call, n): (&str, &str, &str)) -> (Hit, bool) {
    let log = env.home().join("strace.log");
    let mut command: Command = env.command("strace");
    let output = command
        .args(["-f", "-o"])
        .arg(&log)
        .args(["-e", &format!("trace={call}"), "-e"])
        .arg(format!("inject={call}:{fault}:when={n}"))
        .arg(env!("CARGO_BIN_EXE_mdmem"))
        .args(args)
        .output()
        .unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    let was_hit = log.contains("(INJECTED)") || log.contains("killed by SIGKILL");
    let hit = if was_hit { Hit::Yes } else { Hit::No };
    (hit, output.status.success())
}

pub(super) fn has_strace() -> bool {
    if is_done(
        "strace",
        &["-e", "inject=rename:error=EIO", "-o", "/dev/null"],
        "true".as_ref(),
    ) {
        return true;
    }
    eprintln!("SKIPPED: strace is not installed, or may not trace");
    false
}

/// Each content is whole, and what it was or what it was to be.
#[track_caller]
fn assert_whole(env: &TestEnv, case: &str) {
    for n in 0..EDITED {
        let path = format!("decision/of-many-{n}.md");
        let now = env.read(&path);
        assert!(
            [text("first", n), text("second", n)].contains(&now),
            "{case}: {path}: {now:?}"
        );
        assert_eq!(Repository::of(env).committed(&path), Some(now), "{case}: {path}");
    }
}

/// Whatever fails, the next command finishes the change or leaves everything as it was; also while it is taken back, because
/// the branch cannot be written to.
fn each_fault(fault: &str, is_refused: bool) {
    if !has_strace() {
        return;
    }
    let (env, first) = machine();
    each_place(|call, n| {
        let case = format!("{fault} at {call} {n}");
        let before = subjects(&env).len();
        let heads = env.store().join(".git/refs/heads");
        let shut = is_refused.then(|| Shut::folder(heads));
        if matches!(shut, Some(None)) {
            return Hit::No;
        }
        let restore = ["restore", "--yes", &first];
        let (hit, is_success) = with_fault(&env, &restore, (fault, call, &n.to_string()));
        drop(shut);
        // The first look may have to settle it, and nothing is left for the second.
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        env.mdmem(["sweep"]).stderr("nothing to commit\n").run();
        assert_whole(&env, &case);
        assert_settled(&env);
        let subjects = subjects(&env);
        let is_new = subjects.len() > before;
        assert!(!is_success || is_new, "{case}: it said that it was done");
        assert!(subjects.len() <= before + 1, "{case}: {subjects:?}");
        if is_new {
            assert!(
                subjects[0].contains("restore 7 files"),
                "{case}: under its own name: {subjects:?}"
            );
            assert_round(&env, "first");
            env.mdmem(["undo"]).any_stdout().any_stderr().run();
        }
        assert_round(&env, "second");
        hit
    });
}

#[test]
fn a_restore_in_which_any_call_fails_is_finished_or_taken_back() {
    each_fault("error=EIO", false);
}

#[test]
fn a_restore_that_finds_no_room_at_any_call_is_finished_or_taken_back() {
    each_fault("error=ENOSPC", false);
}

#[test]
fn a_restore_that_is_killed_at_any_call_is_finished_or_taken_back() {
    each_fault("signal=KILL", false);
}

#[test]
fn a_restore_that_is_taken_back_while_any_call_fails_is_taken_back_by_the_next() {
    each_fault("error=EIO", true);
}

#[test]
fn a_restore_that_is_killed_while_it_is_taken_back_is_finished_or_taken_back() {
    each_fault("signal=KILL", true);
}

/// A file that became a folder, and a folder that became a file: the one is gone before the other comes.
fn each_kill_of_turning(fault: &str) {
    if !has_strace() {
        return;
    }
    let env = TestEnv::on_disk();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    let forms = [
        ["decision/n.md", "project/f.md/er.md"],
        ["decision/n.md/i.md", "project/f.md"],
    ];
    let is_at = |form: [&str; 2]| form.iter().all(|path| env.store().join(path).is_file());
    for (form, before) in [(forms[0], forms[1]), (forms[1], forms[0])] {
        for path in before {
            let top = env.store().join(&path[..path.find(".md").unwrap() + 3]);
            let _ = std::fs::remove_file(&top);
            let _ = std::fs::remove_dir_all(&top);
        }
        for path in form {
            env.write(path, &format!("{path} has the place.\n"));
        }
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    }
    for (call, n) in ["unlinkat", "renameat2", "openat"].into_iter().zip([2, 3, 60]) {
        for n in (1..=n).step_by(if call == "openat" { 15 } else { 1 }) {
            let case = format!("{fault} at {call} {n}");
            with_fault(
                &env,
                &["restore", "--yes", "HEAD~1"],
                (fault, call, &n.to_string()),
            );
            env.mdmem(["sweep"]).any_stdout().any_stderr().run();
            env.mdmem(["sweep"]).stderr("nothing to commit\n").run();
            assert!(is_at(forms[0]) || is_at(forms[1]), "{case}");
            assert_settled(&env);
            if is_at(forms[0]) {
                env.mdmem(["undo"]).any_stdout().any_stderr().run();
            }
            assert!(is_at(forms[1]), "{case}");
        }
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_restored_whole_when_it_is_killed_at_any_call() {
    each_kill_of_turning("signal=KILL");
}
