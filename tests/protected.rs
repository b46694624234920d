//! Files that a person's rules protect: a filter of the attributes, a line of `.gitignore`.

use std::path::Path;

use crate::env::{LIMIT, wait_for, write_at};
use crate::left_out::{is_committed, machine};

fn write(store: &Path, path: &str, text: &str) {
    write_at(&store.join(path), text);
}

/// A filter may be set outside of the store, where no watcher looks.
#[test]
fn a_watcher_looks_again_at_what_a_persons_settings_of_git_protected() {
    let mut env = machine();
    env.use_real_clock();
    let attributes = env.home().join("attributes");
    std::fs::write(&attributes, "*.md filter=lfs\n").unwrap();
    let settings = format!("[core]\n\tattributesFile = {}\n", attributes.display());
    std::fs::write(env.home().join(".gitconfig"), settings).unwrap();
    let watching = env.watch(&[]);
    env.write("decision/a.md", "Use pnpm\n");
    watching.wait_until_said("decision/a.md is not committed");
    assert!(!is_committed(&env, "decision/a.md"));
    std::fs::remove_file(env.home().join(".gitconfig")).unwrap();
    wait_for("what is protected no longer", LIMIT, || {
        is_committed(&env, "decision/a.md").then_some(())
    });
}

#[test]
fn what_a_filter_protects_since_is_not_removed() {
    let env = machine();
    let store = env.store();
    env.write("decision/enc/a.md", "Use pnpm\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    write(&store, "decision/.gitattributes", "\"enc/**\" filter=git-crypt\n");
    env.mdmem(["rm", "decision/enc/a.md"])
        .fails("decision/enc/a.md is not removed, because it could not be restored: its attributes set the filter")
        .run();
    assert!(store.join("decision/enc/a.md").exists());
    std::fs::remove_file(store.join("decision/.gitattributes")).unwrap();
    env.mdmem(["rm", "decision/enc/a.md"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert!(store.join("decision/enc/a.md").exists());
}

#[test]
fn what_git_ignores_is_named_and_can_be_tracked() {
    let env = machine();
    let store = env.store();
    env.write("decision/kept.md", "Use git\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for place in [".gitignore", ".git/info/exclude"] {
        let before = std::fs::read_to_string(store.join(place)).unwrap_or_default();
        write(&store, place, &format!("{before}*.md\n*.png\n"));
        env.write("decision/new.md", "Use pnpm\n");
        env.write("decision/image.png", "a picture\n");
        let swept = env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        env.mdmem(["add", "Use cargo"]).any_stdout().any_stderr().run();
        let status = env.mdmem(["status"]).any_stdout().run().stdout;
        let check = env.mdmem(["check"]).any_stdout().run().stdout;
        for told in [&swept.stderr, &status, &check] {
            let is_told = |line: &str| line.contains("decision/new.md") && line.contains("git ignores it");
            assert!(told.lines().any(is_told), "{told}");
            assert!(!told.contains("image.png"), "{told}");
        }
        for path in ["decision/new.md", "project/use-cargo.md"] {
            assert!(!is_committed(&env, path), "{path}");
        }
        // Rendered, and told once: not by each command.
        let rendered = env.mdmem(["render"]).any_stdout().run().stdout;
        assert!(
            rendered.contains("Use pnpm") && rendered.contains("Use cargo"),
            "{rendered}"
        );
        // Tracked files stay tracked.
        env.write("decision/kept.md", &format!("Use git, says {place}\n"));
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        let kept = env
            .git(["show", "HEAD:decision/kept.md"])
            .any_stdout()
            .run()
            .stdout;
        assert!(kept.contains(place), "{kept}");
        env.mdmem(["allow", "decision/new.md", "use-cargo"])
            .stdout("tracked decision/new.md\ntracked project/use-cargo.md\n")
            .run();
        env.write("decision/new.md", "Use pnpm 9\n");
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        let new = env
            .git(["show", "HEAD:decision/new.md"])
            .any_stdout()
            .run()
            .stdout;
        assert_eq!(new, "Use pnpm 9\n");
        env.mdmem(["allow", "decision/new.md"])
            .stderr("nothing to allow in decision/new.md\n")
            .run();
        write(&store, place, &before);
        for path in ["decision/new.md", "project/use-cargo.md"] {
            std::fs::remove_file(store.join(path)).unwrap();
        }
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        env.git(["status", "--porcelain", "--", "decision", "project"])
            .any_stdout()
            .run();
    }
}

/// A file that a rule leaves out stays out where another rule, in a deeper folder too, seems to take it back in.
#[test]
fn a_file_below_an_ignored_folder_is_ignored() {
    let env = machine();
    let store = env.store();
    let rules = std::fs::read_to_string(store.join(".gitignore")).unwrap();
    write(
        &store,
        ".gitignore",
        &format!("{rules}drafts/\nprivate/\n!*.md\n!drafts/**/keep.md\n"),
    );
    write(&store, "private/.gitignore", "!*.md\n");
    for path in [
        "drafts/d.md",
        "drafts/in/keep.md",
        "private/keep.md",
        "decision/a.md",
    ] {
        write(&store, path, &format!("Use {path}\n"));
    }
    let swept = env.mdmem(["sweep"]).any_stdout().any_stderr().run().stderr;
    for path in ["drafts/d.md", "drafts/in/keep.md", "private/keep.md"] {
        assert!(!is_committed(&env, path), "{path}");
        assert!(
            swept.contains(&format!("{path} is not committed: git ignores it")),
            "{swept}"
        );
    }
    assert!(is_committed(&env, "decision/a.md"));
    env.mdmem(["allow", "drafts/d.md"])
        .stdout("tracked drafts/d.md\n")
        .run();
    assert!(is_committed(&env, "drafts/d.md"));
}

#[test]
fn a_persons_own_list_of_ignored_files_does_not_count() {
    let env = machine();
    let list = env.home().join("ignored");
    std::fs::write(&list, "*.md\n").unwrap();
    let list = list.display().to_string();
    env.git(["config", "core.excludesFile", &list]).run();
    env.mdmem(["add", "Use pnpm"]).any_stdout().any_stderr().run();
    assert!(is_committed(&env, "project/use-pnpm.md"));
}
