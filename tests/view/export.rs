//! `mdmem view --export`: the pages as files.

use std::path::{Path, PathBuf};

use crate::env::{TestEnv, write_at};

fn site(env: &TestEnv) -> PathBuf {
    env.workspace().join("site")
}

fn page(env: &TestEnv, path: &str) -> String {
    std::fs::read_to_string(site(env).join(path)).unwrap()
}

fn export(env: &TestEnv, args: &[&str]) {
    let args = ["view", "--export", "site"].iter().chain(args);
    env.mdmem(args).any_stdout().any_stderr().run();
}

/// A store with a note of each kind, one with a suspected secret, and the global store.
fn machine() -> TestEnv {
    let env = TestEnv::with_store();
    env.mdmem(["add", "--type", "decision", "Money is counted in cents"])
        .any_stdout()
        .run();
    env.mdmem(["add", "--global", "--type", "user", "Anna prefers short answers"])
        .any_stdout()
        .any_stderr()
        .run();
    env.write(
        "project/checkout.md",
        "# Checkout\n\nSee [[money-is-counted-in-cents]].\n",
    );
    env.write(
        "project/leak.md",
        "The staging password is Fake-Stage-31, until ops rotate it.\n",
    );
    env.write(
        "notes/secret-runbook.md",
        "# Runbook of staging\n\nSee [[money-is-counted-in-cents]].\n\nThe staging password is Fake-Stage-31.\n",
    );
    env
}

#[test]
fn the_pages_of_a_store_without_what_is_held_back_and_the_global_one() {
    let env = machine();
    env.mdmem(["view", "--export", "site"])
        .stdout("")
        .stderr_has("exported 2 memories into ")
        .stderr_has("held back: 2 memories with a suspected secret")
        .run();
    let memories = page(&env, "workspace/memories.html");
    assert!(memories.contains("Money is counted in cents"), "{memories}");
    let checkout = page(&env, "workspace/memory/project/checkout.md.html");
    let link = "href=\"../../../workspace/memory/decision/money-is-counted-in-cents.md.html\"";
    assert!(checkout.contains(link), "{checkout}");
    assert!(
        !checkout.contains("<form method=\"post\""),
        "a reader changes nothing"
    );
    let all = texts(&site(&env));
    assert!(
        !all.contains("staging password") && !all.contains("leak.md") && !all.contains("unbook"),
        "{all}"
    );
    assert!(!all.contains("Anna prefers"), "{all}");
    env.mdmem(["view", "--export", "site", "--global"])
        .any_stderr()
        .run();
    assert!(page(&env, "global/memories.html").contains("Anna prefers"));
    assert!(page(&env, "index.html").contains("global/memories.html"));
    assert!(page(&env, "workspace/prompt.html").contains("global/memory/user/"));
}

#[test]
fn an_export_replaces_what_exports_wrote_and_nothing_else() {
    let env = machine();
    export(&env, &[]);
    env.mdmem(["forget", "checkout"]).any_stdout().any_stderr().run();
    export(&env, &[]);
    assert!(!site(&env).join("workspace/memory/project").exists());
    assert!(
        !texts(&site(&env)).contains("checkout"),
        "what was forgotten is in no page"
    );
    let mine = write_at(&site(&env).join("workspace/mine.txt"), "mine");
    env.mdmem(["view", "--export", "site"])
        .fails("has files that no export wrote, such as workspace/mine.txt")
        .run();
    export(&env, &["--force"]);
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "mine");
    env.mdmem(["view", "--export", env.store().to_str().unwrap()])
        .fails("is in mdmem's own folder")
        .run();
}

#[test]
fn no_text_of_a_memory_is_an_element_of_its_page() {
    let env = TestEnv::with_store();
    let long = "a".repeat(900_000);
    let hostile = format!(
        "---\ntags: ['\"><script>tag()</script>']\n---\n# </title><script>title()</script>\n\n\
         </textarea><svg onload=x()> [a](javascript:alert(1)) \u{1b}[31mred\u{1b}[0m \u{202e}turned\n\n{long}\n"
    );
    env.write("project/hostile.md", &hostile);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    export(&env, &[]);
    for path in [
        "workspace/memories.html",
        "workspace/memory/project/hostile.md.html",
    ] {
        let page = page(&env, path);
        let scripts = page.matches("<script").count();
        assert_eq!((scripts, page.matches("<svg onload").count()), (1, 0), "{path}");
        assert!(!page.contains(['\u{1b}', '\u{202e}']), "{path}");
        assert!(!page.contains("javascript:alert(1)\""), "{path}");
        assert!(!page.contains(" style=") && !page.contains("<style"), "{path}");
    }
}

/// Everything that the files of a folder say.
fn texts(folder: &Path) -> String {
    let files = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    let said = files.map(|entry| {
        format!(
            "{}\n{}",
            entry.path().display(),
            std::fs::read_to_string(entry.path()).unwrap()
        )
    });
    said.collect()
}

#[test]
fn the_curve_of_a_strength_has_its_reinforcements_and_the_line_under_which_it_is_not_shown() {
    let env = TestEnv::with_store();
    let add = |text: &str| {
        env.mdmem(["add", "--type", "feedback", text])
            .any_stdout()
            .any_stderr()
            .run()
    };
    add("Never use npm link");
    env.advance_days(60);
    add("Never use npm link");
    let drawn = env
        .mdmem(["why", "never-use-npm-link", "--svg"])
        .any_stdout()
        .run();
    assert_eq!(
        drawn
            .stdout
            .matches("<title>reinforced 2027-01-19</title>")
            .count(),
        1,
        "{}",
        drawn.stdout
    );
    assert!(!drawn.stdout.contains("class=\"limit\""), "{}", drawn.stdout);
    env.advance_days(30);
    for rule in [
        "tabs",
        "short lines",
        "plain words",
        "no macros",
        "one idea",
        "tests",
        "names",
        "docs",
        "small files",
        "care",
    ] {
        add(&format!("Write with {rule}"));
    }
    let drawn = env
        .mdmem(["why", "never-use-npm-link", "--svg"])
        .any_stdout()
        .run();
    assert!(
        drawn.stdout.contains("class=\"limit\"") && drawn.stdout.contains("not in the prompt"),
        "{}",
        drawn.stdout
    );
}
