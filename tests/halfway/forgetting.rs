//! A forget that stops half way: finished by the next command, or taken back.

use super::{EDITED, Shut, assert_settled, machine};
use crate::env::{Repository, TestEnv};

/// Tells for each memory if its file is there, and gives the number of lines in `forgotten`.
fn there(env: &TestEnv) -> (Vec<bool>, usize) {
    let files = (0..EDITED).map(|n| env.store().join(format!("decision/of-many-{n}.md")).exists());
    let lines = std::fs::read_to_string(env.store().join("forgotten")).unwrap_or_default();
    (files.collect(), lines.lines().count())
}

#[test]
fn what_stopped_half_way_is_finished_or_taken_back() {
    for is_taken_back in [false, true] {
        let (env, _) = machine();
        let Some(shut) = Shut::file(env.store().join("decision/of-many-2.md")) else {
            return;
        };
        env.mdmem(["forget", "of-many-1", "of-many-2", "of-many-3"])
            .fails("the forget stopped half way: 3 of 4 files are done, left is decision/of-many-2.md")
            .any_stderr()
            .run();
        assert_eq!(there(&env), (vec![true, false, true, false, true], 3));
        if is_taken_back {
            env.mdmem(["undo"]).any_stdout().any_stderr().run();
        }
        drop(shut);
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        let done = if is_taken_back {
            (vec![true; EDITED], 0)
        } else {
            (vec![true, false, false, false, true], 3)
        };
        assert_eq!(there(&env), done, "{is_taken_back}");
        let subjects = Repository::of(&env).log();
        let forgets = subjects
            .iter()
            .filter(|commit| commit.subject == "memory: forget 3 memories");
        assert_eq!(forgets.count(), usize::from(!is_taken_back));
        assert_settled(&env);
    }
}
