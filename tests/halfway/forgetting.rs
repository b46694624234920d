//! A forget that an error stops is taken back whole, and can be made again.

use super::{EDITED, Shut, assert_settled, machine};
use crate::env::TestEnv;

/// Tells for each memory if its file is there, and gives the number of lines in `forgotten`.
fn there(env: &TestEnv) -> (Vec<bool>, usize) {
    let files = (0..EDITED).map(|n| env.store().join(format!("decision/of-many-{n}.md")).exists());
    let lines = std::fs::read_to_string(env.store().join("forgotten")).unwrap_or_default();
    (files.collect(), lines.lines().count())
}

#[test]
fn a_forget_that_is_stopped_forgets_nothing() {
    let (env, _) = machine();
    let Some(shut) = Shut::file(env.store().join("decision/of-many-2.md")) else {
        return;
    };
    let forget = ["forget", "of-many-1", "of-many-2", "of-many-3"];
    env.mdmem(forget)
        .fails("nothing was changed: ")
        .any_stderr()
        .run();
    assert_eq!(there(&env), (vec![true; EDITED], 0));
    assert_settled(&env);
    drop(shut);
    env.mdmem(forget).any_stdout().any_stderr().run();
    assert_eq!(there(&env), (vec![true, false, false, false, true], 3));
    assert_settled(&env);
}
