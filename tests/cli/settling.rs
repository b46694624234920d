//! Findings of `check` that can be settled: duplicates, files that cannot be read, files with git's markers; and what every command
//! would warn of is refused.

use crate::env::TestEnv;

const MARKED: &str = "<<<<<<< HEAD\nUse yarn\n=======\nUse pnpm\n>>>>>>> theirs\n";

#[test]
fn files_that_cannot_be_read_are_moved_and_removed() {
    let env = TestEnv::with_store();
    let files: [(&str, &[u8]); 5] = [
        (
            "yaml",
            b"---\ndescription: fix: it\ntags: [a\ntype: decision\n---\nText\n",
        ),
        ("unclosed", b"---\nid: mem_1\n\nText\n"),
        ("hopeless", b"---\n{id: x\n---\ny\n"),
        ("latin", b"caf\xe9\n"),
        ("empty", b""),
    ];
    for (name, bytes) in files {
        let path = env.write(&format!("decision/{name}.md"), "");
        std::fs::write(path, bytes).unwrap();
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for (name, bytes) in files {
        let to = format!("project/{name}.md");
        env.mdmem(["mv", name, "project/"])
            .any_stdout()
            .any_stderr()
            .run();
        assert_eq!(std::fs::read(env.store().join(&to)).unwrap(), bytes, "{name}");
        env.mdmem(["rm", name]).any_stdout().any_stderr().run();
        assert!(!env.store().join(&to).exists(), "{name}");
    }
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert!(env.store().join("project/empty.md").exists());
    env.mdmem(["status"]).stdout_has("uncommitted  nothing").run();
}

#[test]
fn a_file_with_markers_says_what_it_said_last_and_stays() {
    let env = TestEnv::with_store();
    env.write("decision/tool.md", "Use npm\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.write("decision/tool.md", MARKED);
    env.mdmem(["check"])
        .code(1)
        .stdout_has("decision/tool.md:1: error: conflict markers of git")
        .run();
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert!(prompt.contains("Use npm") && !prompt.contains("yarn"), "{prompt}");
    for args in [&["mv", "tool", "project/"][..], &["rm", "tool"]] {
        env.mdmem(args.iter().copied())
            .fails("conflict markers of git")
            .run();
    }
    assert_eq!(env.read("decision/tool.md"), MARKED);
    env.write("decision/tool.md", "Use pnpm\n");
    env.mdmem(["check"]).stderr("no problems found\n").run();
}

#[test]
fn after_tidy_check_names_no_duplicate() {
    let env = TestEnv::with_store();
    for number in 1..4 {
        env.write(
            &format!("project/deploy-{number}.md"),
            "Deploy on Mondays.\n\nNever on Fridays.\n",
        );
    }
    env.write("user/tea.md", "Likes tea\n");
    env.write("user/tea-too.md", "---\ntags: [kitchen]\n---\nlikes tea.\n");
    env.write("user/tea-locked.md", "---\nreadonly: true\n---\nLikes tea.\n");
    env.write("user/read.md", "Well read in Greek\n");
    env.write("user/well-read.md", "Well-read in Greek\n");
    env.write("user/c.md", "C is fine\n");
    env.write("user/c-sharp.md", "C# is fine\n");
    let check = || env.mdmem(["check"]).any_stdout().run().stdout;
    let named = check();
    assert_eq!(named.matches("[duplicate]").count(), 3, "{named}");
    assert_eq!(named.matches("[hidden]").count(), 2, "{named}");
    env.mdmem(["check", "--fix", "--yes"])
        .any_stdout()
        .any_stderr()
        .run();
    let named = env.mdmem(["check"]).any_stdout().run().stdout;
    assert!(
        !named.contains("[duplicate]") && named.contains("[hidden]"),
        "{named}"
    );
    env.mdmem(["check", "--fix"]).stderr("nothing to fix\n").run();
    let left = env.mdmem(["list", "--paths", "--all"]).any_stdout().run().stdout;
    assert_eq!(left.matches("deploy").count(), 1, "{left}");
    assert!(left.contains("user/tea-locked.md"), "{left}");
    let text = env.read("user/tea-too.md");
    assert!(
        !text.contains("status: superseded") && text.contains("kitchen"),
        "its tag would be lost: {text}"
    );
}

#[test]
fn a_setting_that_every_command_would_warn_of_is_refused() {
    let env = TestEnv::with_store();
    for (args, error) in [
        (
            &["--user", "redact.patterns", "("][..],
            "is not a valid regular expression",
        ),
        (
            &["--user", "capture.patterns", "("],
            "is not a valid regular expression",
        ),
        (&["format", "9"], "`format = 9` is not valid"),
    ] {
        let args = ["config", "set"].iter().chain(args);
        env.mdmem(args).fails(error).run();
    }
    env.mdmem(["config", "set", "render.max_entries", "9"])
        .any_stderr()
        .run();
    env.mdmem(["list"]).stderr("no memories\n").run();
}

#[test]
fn a_type_that_is_not_there_is_an_error_with_the_nearest() {
    let env = TestEnv::with_store();
    env.write("project/recipe.md", "---\ntype: recipe\n---\nBoil eggs\n");
    for command in [vec!["list"], vec!["search", "eggs"]] {
        let with = |kind: &'static str| command.iter().copied().chain(["-t", kind]);
        env.mdmem(with("decison"))
            .fails("unknown type `decison`")
            .stderr_has("Did you mean `decision`?")
            .run();
        env.mdmem(with("recipe")).stdout_has("recipe").run();
    }
    env.mdmem(["list", "-t", "decision"])
        .stderr("no memories\n")
        .run();
}

#[test]
fn links_to_a_file_that_tidy_removes_mean_the_one_that_stays() {
    let env = TestEnv::with_store();
    env.write("decision/s1.md", "---\ntags: [own]\n---\nSame text\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.write("decision/s2.md", "Same text\n");
    env.write("decision/l.md", "See [[s2]], [[s2|it]] and [[s1]].\n");
    env.write("decision/locked.md", "---\nreadonly: true\n---\nNever [[s2]].\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["check", "--fix"])
        .stdout("would remove decision/s2.md: same as decision/s1.md\n")
        .stderr_has("would update links in decision/l.md\n")
        .run();
    env.mdmem(["check", "--fix", "--yes"])
        .stdout("removed decision/s2.md: same as decision/s1.md\n")
        .stderr("updated links in decision/l.md\nhint: `mdmem undo` takes it back.\n")
        .run();
    assert_eq!(env.read("decision/l.md"), "See [[s1]], [[s1|it]] and [[s1]].\n");
    let named = env.mdmem(["check"]).any_stdout().run().stdout;
    assert!(
        named.contains("decision/locked.md:4: note: links to [[s2]]"),
        "{named}"
    );
    assert!(!named.contains("decision/l.md"), "{named}");
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert!(env.read("decision/l.md").contains("[[s2|it]]") && env.store().join("decision/s2.md").exists());
}

#[test]
fn a_frontmatter_that_is_none_is_named_and_protects_its_file() {
    let env = TestEnv::with_store();
    let files = [
        ("blanks", "\n---\nreadonly: true\n---\nOne\n"),
        ("toml", "+++\nreadonly = true\n+++\nTwo\n"),
        ("tab", "---\n\ttags: [x]\n---\nThree\n"),
        ("glued", "---\ntype:decision\n---\nFour\n"),
        ("broken", "---\ntags: [a\n---\nFive\n"),
    ];
    for (name, text) in files {
        env.write(&format!("decision/{name}.md"), text);
    }
    env.write("decision/copy.md", "Five\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let check = env.mdmem(["check"]).code(1).any_stdout().run().stdout;
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    // Blank lines above a frontmatter change nothing.
    for ((name, _), place) in files[1..].iter().zip(["1:1", "2:1", "2:1", "3:1"]) {
        let named = format!("decision/{name}.md:{place}: error: invalid YAML in the frontmatter");
        assert!(check.contains(&named), "{named} in {check}");
    }
    assert!(!prompt.contains("---") && !prompt.contains("+++"), "{prompt}");
    for name in ["blanks", "toml"] {
        env.mdmem(["rm", name])
            .fails(format!("decision/{name}.md is readonly"))
            .run();
    }
    // What has the same words would go too.
    for name in ["broken", "copy"] {
        env.mdmem(["forget", name])
            .fails("decision/broken.md cannot be read as a memory, and might be readonly: line 3")
            .stderr_has("hint: Close the bracket: tags: [a]")
            .run();
    }
    for (name, text) in files {
        assert_eq!(env.read(&format!("decision/{name}.md")), text);
    }
}

#[test]
fn what_check_finds_is_counted_where_it_is_long() {
    let env = TestEnv::with_store();
    for number in 0..10 {
        env.write(
            &format!("decision/{number}.md"),
            &format!("---\ntags: [a\n---\nText {number}\n"),
        );
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["check"]).code(1).any_stdout().run();
    env.write("decision/ahead.md", "---\ncreated: 2099-01-01\n---\nLater\n");
    env.mdmem(["check"])
        .code(1)
        .stdout_has("decision/ahead.md: warning: `created` is in the future")
        .stderr("10 errors, 1 warning\n")
        .run();
}
