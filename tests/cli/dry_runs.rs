//! A dry run says what the real run does: also what that would refuse, or leave as it is.

use crate::env::TestEnv;

/// A store in which one memory is held, one is ignored and one is staged.
fn with_files_in_no_commit() -> TestEnv {
    let env = TestEnv::with_store();
    env.write("decision/first.md", "First\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
    env.write("decision/second.md", "Second\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
    env.write("decision/held.md", "password: kJ8xx92mQpl\n");
    let exclude = env.store().join(".git/info/exclude");
    let rules = std::fs::read_to_string(&exclude).unwrap_or_default();
    std::fs::write(exclude, format!("{rules}\nreference/\n")).unwrap();
    env.write("reference/ignored.md", "Ignored\n");
    env.write("decision/staged.md", "Staged\n");
    env.git(["add", "decision/staged.md"]).run();
    env.write("decision/staged.md", "Staged, and changed since\n");
    env
}

#[test]
fn a_dry_run_refuses_what_the_real_run_refuses() {
    for path in ["decision/held.md", "decision/staged.md", "reference/ignored.md"] {
        for command in [
            &["rm", path][..],
            &["forget", path],
            &["mv", path, "project/"],
            &["restore", "HEAD~1", path],
        ] {
            // An ignored file has no history that a move could part from it.
            if command[0] == "mv" && path != "decision/held.md" {
                continue;
            }
            let env = with_files_in_no_commit();
            let mut said = Vec::new();
            for flag in ["--dry-run", "--quiet"] {
                let run = env
                    .mdmem(command.iter().copied().chain([flag]))
                    .any_stdout()
                    .fails(path)
                    .run();
                assert_eq!(run.stdout, "", "{command:?} {flag}");
                let errors = run.stderr.lines().filter(|line| line.starts_with("error:"));
                said.push(errors.map(ToOwned::to_owned).collect::<Vec<_>>());
            }
            assert_eq!(said[0], said[1], "{command:?}");
        }
    }
}

#[test]
fn a_dry_restore_names_what_the_real_one_leaves_out() {
    let env = with_files_in_no_commit();
    let dry = env
        .mdmem(["restore", "HEAD~1", "--dry-run", "--json"])
        .any_stdout()
        .run()
        .json();
    for args in [
        &["restore", "HEAD~1", "--dry-run"][..],
        &["restore", "--yes", "HEAD~1"],
    ] {
        env.mdmem(args.iter().copied())
            .stdout("removed  decision/second.md\n")
            .stderr_has("not changed: decision/held.md is not committed")
            .stderr_has("not changed: decision/staged.md")
            .stderr_has("not changed: reference/ignored.md")
            .run();
    }
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    let real = env
        .mdmem(["restore", "--yes", "HEAD~3", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    assert_eq!(dry["left_out"].as_array().unwrap().len(), 3);
    assert_eq!(dry["left_out"], real["left_out"]);
    assert_eq!(dry["files"], real["files"]);
}

#[test]
fn a_dry_run_fails_while_git_is_in_the_middle_of_something() {
    let env = with_files_in_no_commit();
    let head = env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
    env.write(".git/MERGE_HEAD", &head);
    for command in [
        &["rm", "decision/first.md"][..],
        &["forget", "decision/first.md"],
        &["mv", "decision/first.md", "project/"],
        &["restore", "--yes", "HEAD~1"],
        &["undo"],
    ] {
        for flag in ["--dry-run", "--quiet"] {
            env.mdmem(command.iter().copied().chain([flag]))
                .fails("merge")
                .run();
        }
    }
}
