//! Files that people, editors, models and other programs leave in a store.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use crate::env::TestEnv;

#[test]
fn each_is_kept_and_named_and_none_stops_the_others() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let project = env.store().join("project");
    let write = |name: &[u8], bytes: &[u8]| {
        std::fs::write(project.join(OsStr::from_bytes(name)), bytes).unwrap();
    };
    std::fs::copy(project.join("one-thing.md"), project.join("copy.md")).unwrap();
    env.write(
        "project/folder.md/inner.md",
        "inside a folder that is called like a file\n",
    );
    std::fs::File::create(project.join("huge.md"))
        .unwrap()
        .set_len(100_000_000)
        .unwrap();
    write(b"latin.md", b"caf\xe9\n");
    write(b"zero.md", b"a NUL \0 inside\n");
    write(b"name\xff.md", b"a name that is no UTF-8\n");
    write(b"line\nfeed.md", b"a name of two lines\n");
    write("日本 語.md".as_bytes(), "名前\n".as_bytes());
    write(b"empty.md", b"");
    write(
        b"one-thing (Ann's conflicted copy 2026-11-01).md",
        b"from another machine\n",
    );
    write(
        b"one-thing.sync-conflict-20261101-120000-ABCDEFG.md",
        b"from a third machine\n",
    );
    write(
        b"broken.md",
        b"---\ndescription: fix: the build\n---\nstill rendered\n",
    );
    symlink("/etc/passwd", project.join("link.md")).unwrap();
    symlink("/etc", project.join("elsewhere")).unwrap();
    assert!(
        env.command("mkfifo")
            .arg(project.join("fifo.md"))
            .status()
            .unwrap()
            .success()
    );
    let mut git = env.command("git");
    assert!(
        git.args(["init", "--quiet"])
            .arg(env.store().join("nested"))
            .status()
            .unwrap()
            .success()
    );
    env.write("nested/note.md", "of another repository\n");

    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let findings = env.mdmem(["check", "--json"]).any_stdout().code(1).run().json();
    let found: Vec<(&str, &str)> = findings
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            (
                finding["code"].as_str().unwrap(),
                finding["path"].as_str().unwrap(),
            )
        })
        .collect();
    for expected in [
        ("duplicate-id", "project/copy.md"),
        ("too-large", "project/huge.md"),
        ("not-utf8", "project/latin.md"),
        ("name-not-utf8", "project/name\\xff.md"),
        ("bad-name", "project/line\\x0afeed.md"),
        (
            "conflicted-copy",
            "project/one-thing (Ann's conflicted copy 2026-11-01).md",
        ),
        (
            "conflicted-copy",
            "project/one-thing.sync-conflict-20261101-120000-ABCDEFG.md",
        ),
        ("yaml-syntax", "project/broken.md"),
        ("link", "project/link.md"),
        ("link", "project/elsewhere"),
        ("not-a-file", "project/fifo.md"),
        ("nested-repository", "nested"),
    ] {
        assert!(found.contains(&expected), "{expected:?} is not in {found:?}");
    }

    let render = env.mdmem(["render"]).any_stdout().run().stdout;
    for shown in ["- one thing (", "still rendered", "inside a folder", "名前"] {
        assert!(render.contains(shown), "{shown} is not in\n{render}");
    }
    for hidden in ["root:", "another repository", "two lines", "caf"] {
        assert!(!render.contains(hidden), "{hidden} is in\n{render}");
    }
    let tracked = env.git(["ls-files", "-z"]).any_stdout().run().bytes;
    let has = |name: &[u8]| tracked.split(|byte| *byte == 0).any(|path| path == name);
    for kept in [
        &b"project/latin.md"[..],
        b"project/name\xff.md",
        b"project/line\nfeed.md",
        b"project/zero.md",
        b"project/folder.md/inner.md",
        b"project/broken.md",
    ] {
        assert!(has(kept), "{} is not committed", String::from_utf8_lossy(kept));
    }
    for left in [
        &b"project/huge.md"[..],
        b"project/link.md",
        b"nested/note.md",
        b"project/fifo.md",
    ] {
        assert!(!has(left), "{} is committed", String::from_utf8_lossy(left));
    }
}

#[test]
fn broken_yaml_is_named_with_line_column_and_mend() {
    let env = TestEnv::with_store();
    env.write(
        "project/broken.md",
        "---\ntype: project\ndescription: fix: the build\n---\ntext\n",
    );
    env.mdmem(["check"])
        .code(1)
        .stdout_has("project/broken.md:3:17: error: invalid YAML in the frontmatter")
        .stdout_has("fix: Put the value in quotes: description: \"fix: the build\"")
        .run();
}

#[test]
fn a_rename_of_case_alone_is_a_rename() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let project = env.store().join("project");
    std::fs::rename(project.join("one-thing.md"), project.join("One-Thing.md")).unwrap();
    env.mdmem(["sweep"])
        .stdout_has("renamed  project/one-thing.md -> project/One-Thing.md\n")
        .any_stderr()
        .run();
    env.mdmem(["log", "One-Thing"])
        .stdout_has("memory: add project/one-thing")
        .run();
}

#[test]
fn a_text_over_the_limit_is_refused_to_tools_and_reported_of_people() {
    let env = TestEnv::with_store();
    env.mdmem(["add", &"long ".repeat(1001)])
        .fails("characters, over the limit of 5000")
        .run();
    env.write("project/long.md", &"long ".repeat(1001));
    env.mdmem(["check"])
        .stdout_has("project/long.md: note: ")
        .any_stderr()
        .run();
}

#[test]
fn nothing_of_its_own_is_written_through_a_link() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let (store, outside) = (env.store(), env.home().join("outside"));
    std::fs::create_dir(&outside).unwrap();
    for name in [".mdmem/cache", ".mdmem"] {
        std::fs::remove_dir_all(store.join(name)).unwrap();
        symlink(&outside, store.join(name)).unwrap();
        for args in [vec!["list"], vec!["add", "another fact"]] {
            env.mdmem(args).fails(format!("$STORE/{name} is a link")).run();
        }
        std::fs::remove_file(store.join(name)).unwrap();
        std::fs::create_dir(store.join(name)).unwrap();
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);

    let victim = outside.join("victim");
    std::fs::write(&victim, "as it was").unwrap();
    std::fs::remove_file(store.join("MEMORY.md")).unwrap();
    symlink(&victim, store.join("MEMORY.md")).unwrap();
    env.mdmem(["add", "another fact"]).any_stdout().run();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "as it was");
    assert!(env.read("MEMORY.md").contains("another fact"));
}

#[test]
fn an_index_that_cannot_be_written_fails_nothing() {
    let env = TestEnv::with_store();
    let index = env.store().join("MEMORY.md");
    std::fs::remove_file(&index).unwrap();
    std::fs::create_dir(&index).unwrap();
    env.mdmem(["add", "one thing"])
        .stdout("added project/one-thing.md (in the prompt)\n")
        .stderr_has("MEMORY.md could not be updated: $STORE/MEMORY.md is a folder")
        .run();
}
