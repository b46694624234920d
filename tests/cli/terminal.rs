//! Answers on a terminal: pagers that fail, floods, the zone of times.

use super::names::seen_on_terminal;
use crate::env::TestEnv;

/// The variables of a terminal with this pager.
fn paged_by(pager: &str) -> [(&str, &str); 2] {
    [("TERM", "xterm"), ("GIT_PAGER", pager)]
}

#[test]
fn no_pager_loses_the_answer() {
    let env = TestEnv::with_store();
    env.write("project/zebra.md", "Zebras have stripes\n");
    for pager in [
        "no-such-pager --side",
        "'no-such-pager'",
        "false",
        "kill -9 $$",
        "cat -",
    ] {
        for command in ["list", "diag health"] {
            let seen = seen_on_terminal(&env, command, "", &paged_by(pager));
            let expected = if command == "list" {
                "Zebras have stripes"
            } else {
                "evidence"
            };
            assert!(seen.contains(expected), "{pager}: {seen}");
        }
    }
    let seen = seen_on_terminal(&env, "list", "", &paged_by("sed s/Zebras/Horses/"));
    assert!(
        seen.contains("Horses have stripes") && !seen.contains("Zebras"),
        "{seen}"
    );
}

#[test]
fn a_flood_is_cut_on_a_terminal_alone() {
    let env = TestEnv::with_store();
    for number in 0..30 {
        env.write(&format!("project/n{number}.md"), &format!("Fact {number}\n"));
    }
    let dumb = [("TERM", "dumb")];
    let seen = seen_on_terminal(&env, "status", "", &dumb);
    assert!(
        seen.contains("… and 20 more") && seen.lines().count() < 25,
        "{seen}"
    );
    let whole = seen_on_terminal(&env, "status --verbose", "", &dumb);
    assert!(
        whole.contains("project/n29.md") && !whole.contains("more"),
        "{whole}"
    );
    env.mdmem(["status"]).stdout_has("project/n29.md").run();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for command in ["rm -n project/", "rm -r project/"] {
        let seen = seen_on_terminal(&env, command, "", &dumb);
        assert!(
            seen.contains("… and 10 more") && seen.lines().count() < 25,
            "{seen}"
        );
    }
}

#[test]
fn the_log_of_the_engine_tells_local_time() {
    let mut env = TestEnv::with_store();
    env.write(".mdmem/log", "2026-11-20T22:00:05Z WARN  serve[7] no luck\n");
    let told = |env: &TestEnv| env.mdmem(["log", "--engine"]).any_stdout().run().stdout;
    assert!(
        told(&env).contains("2026-11-20 22:00:05 WARN  serve[7] no luck"),
        "{}",
        told(&env)
    );
    env.set_var("TZ", "Asia/Tokyo");
    assert!(told(&env).contains("2026-11-21 07:00:05 WARN"), "{}", told(&env));
    env.mdmem(["log", "--engine", "--json"])
        .stdout_has("2026-11-20T22:00:05")
        .run();
}
