//! `undo REV`: a change alone is taken back, line by line, wherever its memory is now.

use crate::env::{Repository, TestEnv};

fn sweep(env: &TestEnv) {
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
}

/// Runs a command that writes, and gives the commit that it made.
fn commit(env: &TestEnv, args: &[&str]) -> String {
    env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
    let head = Repository::of(env).git(&["rev-parse", "HEAD"]);
    head.trim().to_owned()
}

/// Saves a file, and gives the commit of it.
fn save(env: &TestEnv, path: &str, text: &str) -> String {
    env.write(path, text);
    commit(env, &["sweep", "--quiet"])
}

/// A text of five lines, with these two among them.
fn five(second: &str, fourth: &str) -> String {
    format!("First\n{second}\nThird\n{fourth}\nFifth\n")
}

#[test]
fn a_named_change_is_taken_back_but_for_lines_that_were_changed_again() {
    let env = TestEnv::with_store();
    let repository = Repository::of(&env);
    let mut revisions = Vec::new();
    for text in [
        five("Two", "Four"),
        five("2", "4"),
        format!("{}Sixth\n", five("2", "IV")),
    ] {
        env.write("decision/a.md", &text);
        sweep(&env);
        revisions.push(repository.git(&["rev-parse", "HEAD"]).trim().to_owned());
    }
    let (first, change, last) = (&revisions[0], &revisions[1], &revisions[2]);
    let dry = env
        .mdmem(["undo", change, "-n", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(repository.git(&["rev-parse", "HEAD"]).trim(), last);
    env.mdmem(["undo", change])
        .stdout("edited   decision/a.md\n")
        .stderr_has("lines of decision/a.md were changed again since then: left as it is")
        .run();
    assert_eq!(env.read("decision/a.md"), format!("{}Sixth\n", five("Two", "IV")));
    assert_eq!(dry["left"][0]["path"], "decision/a.md");
    // The change after it is still the next one.
    let short = &last[..7];
    env.mdmem(["undo", "--dry-run"])
        .stdout("edited   decision/a.md\n")
        .stderr_has(format!("would undo {short}"))
        .run();
    env.mdmem(["undo", change])
        .fails("lines of decision/a.md were changed again since then")
        .run();
    env.mdmem(["undo", "HEAD"])
        .stdout("edited   decision/a.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("decision/a.md"), format!("{}Sixth\n", five("2", "IV")));
    // A file that the change made, and that was changed since, stays.
    env.mdmem(["undo", first])
        .fails("decision/a.md was changed again since")
        .run();
    env.mdmem(["undo", "HEAD~9"]).fails("is not a revision").run();
    // A move is taken back with what was written in the new place.
    env.mdmem(["mv", "decision/a.md", "project/moved.md"])
        .any_stdout()
        .any_stderr()
        .run();
    let moved = repository.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let text = env.read("project/moved.md");
    env.write("project/moved.md", &format!("{text}Seventh\n"));
    env.mdmem(["undo", &moved]).any_stdout().any_stderr().run();
    assert_eq!(env.read("decision/a.md"), format!("{text}Seventh\n"));
    assert!(!env.store().join("project/moved.md").exists());
    let begin = repository.git(&["rev-list", "--max-parents=0", "HEAD"]);
    env.mdmem(["undo", begin.trim()])
        .fails("it is the first commit")
        .run();
    repository.git(&["switch", "-q", "-c", "other", first]);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "elsewhere"]);
    repository.git(&["switch", "-q", "main"]);
    env.mdmem(["undo", "other"])
        .fails("not part of the present history")
        .run();
    repository.git(&["merge", "-q", "--no-edit", "other"]);
    env.mdmem(["undo", "HEAD"]).fails("it is a merge").run();
}

/// A text of `mdmem.toml` or of a memory before a key was taken out, after that, and when it was set again elsewhere, and
/// what is said of it.
const SET_AGAIN: [(&str, [&str; 3], &str); 2] = [
    (
        "mdmem.toml",
        [
            "[render]\nmax_chars = 3000\n# 1\n# 2\n# 3\n# 4\n",
            "[render]\n# 1\n# 2\n# 3\n# 4\n",
            "[render]\n# 1\n# 2\n# 3\n# 4\nmax_chars = 2000\n",
        ],
        "mdmem.toml was changed again since",
    ),
    (
        "decision/a.md",
        [
            "---\nimportance: high\ntype: decision\nname: Deploy\ntags: [a, b]\nsource: manual\n---\nBy hand.\n",
            "---\ntype: decision\nname: Deploy\ntags: [a, b]\nsource: manual\n---\nBy hand.\n",
            "---\ntype: decision\nname: Deploy\ntags: [a, b]\nsource: manual\nimportance: low\n---\nBy hand.\n",
        ],
        "lines of decision/a.md were changed again since then",
    ),
];

#[test]
fn no_key_is_left_twice() {
    let env = TestEnv::with_store();
    for (path, [before, after, now], fault) in SET_AGAIN {
        save(&env, path, before);
        let change = save(&env, path, after);
        save(&env, path, now);
        for args in [&["undo", &change, "-n"][..], &["undo", &change]] {
            env.mdmem(args.iter().copied()).fails(fault).run();
            assert_eq!(env.read(path), now);
        }
    }
    // A fault that the present text has too is no reason.
    let text = |max: &str, end: &str| format!("wings = 2\n[render]\nmax_chars = {max}\n# 1\n# 2\n# 3\n{end}");
    save(&env, "mdmem.toml", &text("1000", ""));
    let change = save(&env, "mdmem.toml", &text("2000", ""));
    save(&env, "mdmem.toml", &text("2000", "# 4\n"));
    env.mdmem(["undo", &change])
        .stdout("edited   mdmem.toml\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("mdmem.toml"), text("1000", "# 4\n"));
}

#[test]
fn a_memory_is_followed_to_where_it_is_now() {
    let env = TestEnv::with_store();
    let text = |host: &str| format!("Deploy note\n\nhost: {host}\nx\ny\nport: 1\n");
    // Its file states no id when it is edited.
    save(&env, "project/a.md", &text("one"));
    let edit = save(&env, "project/a.md", &text("two"));
    let first = commit(&env, &["mv", "project/a.md", "project/b.md"]);
    commit(&env, &["mv", "project/b.md", "decision/c.md"]);
    env.mdmem(["undo", &edit])
        .stdout("edited   decision/c.md\n")
        .any_stderr()
        .run();
    assert!(env.read("decision/c.md").contains("host: one"));
    env.mdmem(["undo", "HEAD"])
        .stdout("edited   decision/c.md\n")
        .any_stderr()
        .run();
    assert!(env.read("decision/c.md").contains("host: two"));
    // The later of two moves stays.
    env.mdmem(["undo", &first])
        .fails("project/b.md was removed or moved since then")
        .run();
    // Nor is it taken back in part: the file states its type and strength.
    commit(&env, &["add", "Use yarn for apps"]);
    let first = commit(&env, &["mv", "use-yarn-for-apps", "decision/"]);
    commit(&env, &["mv", "use-yarn-for-apps", "user/"]);
    let before = env.read("user/use-yarn-for-apps.md");
    env.mdmem(["undo", &first])
        .fails("decision/use-yarn-for-apps.md was removed or moved since then")
        .run();
    assert_eq!(env.read("user/use-yarn-for-apps.md"), before);
    // A memory that the change made goes from where it is now, unless it was changed there.
    let add = commit(&env, &["add", "Use npm for plugins"]);
    commit(&env, &["mv", "project/use-npm-for-plugins.md", "project/npm.md"]);
    let dry = env.mdmem(["undo", &add, "-n"]).any_stdout().any_stderr().run();
    assert_eq!(dry.stdout, "removed  project/npm.md\n");
    let moved = env.read("project/npm.md");
    save(&env, "project/npm.md", &format!("{moved}More\n"));
    env.mdmem(["undo", &add])
        .fails("project/npm.md was changed again since")
        .run();
    // Another memory has its path by now.
    let edit = save(&env, "project/npm.md", &moved);
    commit(&env, &["mv", "project/npm.md", "project/pnpm.md"]);
    commit(&env, &["add", "Npm is slow", "--path", "project/npm.md"]);
    env.mdmem(["undo", &edit])
        .stdout("edited   project/pnpm.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("project/pnpm.md"), format!("{moved}More\n"));
}

#[test]
fn another_memory_in_the_place_of_a_changed_one_is_left() {
    let env = TestEnv::with_store();
    let note = |head: &str, second: &str| format!("{head}\n\none\n{second}\nthree\n");
    let stated = |id: &str, second: &str| note(&format!("---\nid: mem_01{id}\n---\n{id}"), second);
    // Neither file states an id.
    save(&env, "project/a.md", &note("Deploy note", "two"));
    let edit = save(&env, "project/a.md", &note("Deploy note", "2"));
    commit(&env, &["mv", "project/a.md", "decision/a.md"]);
    let other = note("Another note", "2");
    save(&env, "project/a.md", &other);
    env.mdmem(["undo", &edit])
        .stdout("edited   decision/a.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("project/a.md"), other);
    assert!(env.read("decision/a.md").contains("\ntwo\n"));
    // The memory is nowhere any more.
    save(&env, "project/b.md", &stated("AAAAAA", "two"));
    let edit = save(&env, "project/b.md", &stated("AAAAAA", "2"));
    let other = stated("BBBBBB", "2");
    commit(&env, &["rm", "project/b.md"]);
    save(&env, "project/b.md", &other);
    env.mdmem(["undo", &edit])
        .fails("project/b.md was changed again since")
        .run();
    assert_eq!(env.read("project/b.md"), other);
}

#[test]
fn no_way_back_writes_a_held_credential_into_an_object() {
    let env = TestEnv::with_store();
    let (label, secret) = ("The PIN\nis\n", "Xk29sLq81mZp");
    let (lines, parts) = ("project/lines.md", "project/parts.md");
    let mut revisions = Vec::new();
    let mut done = |args: &[&str]| {
        env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        revisions.push(Repository::of(&env).git(&["rev-parse", "HEAD"]).trim().to_owned());
    };
    for [host, label] in [["one", label], ["two", "The key\nis\n"]] {
        env.write(lines, &format!("Host {host}\n\nx\ny\n"));
        env.write(parts, label);
        done(&["sweep"]);
    }
    env.write(parts, "The key\nis\n482913\n");
    for args in [
        &["mv", lines, "project/moved.md"][..],
        &["add", "Zeta goes"],
        &["forget", "zeta-goes"],
    ] {
        done(args);
    }
    let [_, edit, moving, adding, forgetting] = &*revisions else {
        panic!("{revisions:?}")
    };
    let leak = |path: &str| {
        let text = env.read(path);
        env.write(path, &format!("{text}password: {secret}\n"));
    };
    leak("project/moved.md");
    leak("forgotten");
    let held = "is not committed: suspected secret: password";
    for (args, why) in [
        (
            ["undo", edit],
            "project/lines.md was removed or moved since then".to_owned(),
        ),
        (
            ["undo", edit],
            format!("without the change, {parts} would be held back: suspected secret: pin (line 3)"),
        ),
        (["undo", moving], format!("project/moved.md {held}")),
        (["undo", forgetting], format!("): forgotten {held}")),
    ] {
        for dry in [&["-n"][..], &[]] {
            env.mdmem(args.iter().chain(dry)).fails(&why).run();
        }
    }
    let held = "forgotten is not committed, and was left as it is: suspected secret";
    for args in [
        &["restore", adding, "project/zeta-goes.md"][..],
        &["forget", parts],
    ] {
        env.mdmem(args.iter().copied()).fails(held).run();
    }
    let objects = env
        .git(["cat-file", "--batch-all-objects", "--batch"])
        .any_stdout()
        .run();
    for text in [secret, "PIN\nis\n482913"] {
        assert!(!objects.stdout.contains(text), "{}", objects.stdout);
    }
    assert!(env.read("forgotten").ends_with(&format!("{secret}\n")));
}
