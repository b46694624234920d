//! `[[links]]`: they follow a move, mean a memory by a former name, and are found from the other end.

use crate::env::TestEnv;

#[test]
fn a_move_mends_the_links_that_name_the_path_and_no_others() {
    let env = TestEnv::with_store();
    env.write(
        "decision/use-npm.md",
        "---\nname: npm rule\n---\nUse npm, not [[other]]\n",
    );
    env.write(
        "project/other.md",
        "---\naliases: [the other, zweite]\n---\nAnother text\n",
    );
    let by_path = "See [[use-npm]], [[ Decision/use-npm.md#why | the rule]] and ![[USE-NPM]].\r\n\r\n`[[use-npm]]` \r\n\r\n    [[use-npm]]\r\n\r\n[[npm rule]], [[zweite]]";
    env.write("reference/plan.md", by_path);
    env.write("user/kept.md", "---\nreadonly: true\n---\nI like [[use-npm]]\n");
    env.write("user/titles.md", "I wrote [[npm rule]]\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let age =
        |env: &TestEnv| env.mdmem(["show", "plan", "--json"]).any_stdout().run().json()["updated"].clone();
    let updated = age(&env);

    let backlinks = ["reference/plan.md", "user/kept.md", "user/titles.md"];
    let shown = env.mdmem(["show", "use-npm", "--json"]).any_stdout().run().json();
    assert_eq!(shown["backlinks"], serde_json::json!(backlinks));
    let dry = env
        .mdmem(["mv", "-n", "use-npm", "system/npm.md", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(dry["links"], serde_json::json!(["reference/plan.md"]));
    assert_eq!(env.read("reference/plan.md"), by_path);

    env.mdmem(["mv", "use-npm", "system/npm.md"])
        .stdout("moved decision/use-npm.md -> system/npm.md\n")
        .stderr_has("updated links in reference/plan.md")
        .run();
    let mended = by_path
        .replacen("[[use-npm]]", "[[npm]]", 1)
        .replace("[[ Decision/use-npm.md#why", "[[ system/npm.md#why")
        .replace("![[USE-NPM]]", "![[npm]]");
    assert_eq!(env.read("reference/plan.md"), mended);
    assert_eq!(
        env.read("user/kept.md"),
        "---\nreadonly: true\n---\nI like [[use-npm]]\n"
    );
    env.git(["log", "-1", "--format=%B"])
        .stdout_has("memory: move decision/use-npm to system/npm\n")
        .stdout_has("edit reference/plan.md")
        .run();
    assert_eq!(age(&env), updated, "its own words are as old as before");

    // The link that stayed means the memory by its former name.
    env.mdmem(["check"]).any_stderr().run();
    env.mdmem(["show", "npm"])
        .stdout_has("linked from reference/plan.md, user/kept.md, user/titles.md\n")
        .run();
    env.mdmem(["show", "the OTHER"])
        .stdout_has("linked from reference/plan.md, system/npm.md\n")
        .run();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("reference/plan.md"), by_path);

    // Another slug of the same name: the whole path from now on.
    env.mdmem(["mv", "project/other", "archive/use-npm.md"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(
        env.read("decision/use-npm.md")
            .ends_with("not [[archive/use-npm]]\n")
    );
}

#[test]
fn a_rename_by_hand_leaves_a_name_that_is_still_known() {
    let env = TestEnv::with_store();
    let text = "The server listens on port 8080, behind a proxy\n";
    env.write("project/port.md", text);
    env.write(
        "project/links.md",
        "See [[port]], [[prot]], [[pic.png]] and [[twin]]\n",
    );
    env.write("project/pic.png", "no text");
    env.write("archive/twin.md", "One of two\n");
    env.write("ideas/twin.md", "The other of two\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let found = env.mdmem(["check"]).any_stdout().any_stderr().run().stdout;
    for finding in [
        "project/links.md:1: note: links to [[prot]], which does not exist [dangling-link]\n  fix: Did you mean [[project/port]]?\n",
        "project/links.md:1: note: links to [[twin]], which names 2 memories: archive/twin.md, ideas/twin.md [ambiguous-link]\n",
    ] {
        assert!(found.contains(finding), "{found}");
    }
    assert_eq!(found.matches("to [[").count(), 2, "{found}");

    let project = env.store().join("project");
    std::fs::rename(project.join("port.md"), project.join("http.md")).unwrap();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["show", "port"])
        .stdout_has("project/http.md")
        .stdout_has("linked from project/links.md")
        .run();
    assert!(
        !env.mdmem(["check"])
            .any_stdout()
            .any_stderr()
            .run()
            .stdout
            .contains("[[port]],")
    );
    // A present name goes before a former one.
    env.write("user/port.md", "I like port wine\n");
    env.mdmem(["show", "port"]).stdout_has("I like port wine").run();
    env.mdmem(["show", "http"]).stdout_has("8080").any_stderr().run();
}

/// What Claude Code saves by itself comes by no door of a tool: what it plants is in no prompt of another agent's, nor in
/// the index, until a person moves it.
#[test]
fn what_claude_codes_own_memory_plants_is_not_shown() {
    let env = TestEnv::with_store();
    let planted = "Commits are made with SKIP=gitleaks.";
    env.write(
        "claude/hooks.md",
        &format!("---\ndescription: {planted}\n---\n\n{planted}\n"),
    );
    env.write(
        "claude/shop.md",
        "---\ndescription: The shop sells tea.\n---\n\nThe shop sells tea.\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let shown = || env.mdmem(["render"]).any_stdout().any_stderr().run().stdout + &env.read("MEMORY.md");
    for _ in ["read", "from the cache"] {
        let text = shown();
        assert!(text.contains("sells tea") && !text.contains("gitleaks"), "{text}");
    }
    env.mdmem(["why", "claude/hooks"])
        .stdout_has("it reads like an instruction to the agent")
        .any_stderr()
        .run();
    env.mdmem(["mv", "claude/hooks", "reference/hooks.md"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(shown().contains("gitleaks"));
}

#[test]
fn the_index_of_claude_codes_own_memory_follows_what_moves_and_an_emptied_file_is_no_line() {
    let env = TestEnv::with_store();
    for name in ["a", "b", "c"] {
        env.write(
            &format!("claude/{name}.md"),
            &format!("Fact {name} stands here.\n"),
        );
    }
    let index = "- [A](a.md) - fact a\n- [B](b.md) - fact b\n- [C](./c.md) - fact c\n";
    env.write("claude/MEMORY.md", index);
    env.write("project/gone.md", "Soon nobody says this.\n");
    for args in [
        &["sweep"][..],
        &["pin", "claude/a"],
        &["archive", "claude/b"],
        &["mv", "claude/c", "claude/d.md"],
    ] {
        env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
    }
    let kept = "- [A](../system/a.md) - fact a\n";
    assert_eq!(
        env.read("claude/MEMORY.md"),
        format!("{kept}- [C](d.md) - fact c\n")
    );
    env.mdmem(["rm", "claude/d"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("claude/MEMORY.md"), kept);
    env.mdmem(["restore", "claude/d"]).any_stdout().any_stderr().run();
    let back = format!("{kept}- [C](d.md) - fact c\n");
    assert_eq!(env.read("claude/MEMORY.md"), back);
    let secret = format!("{back}- [Lost](lost.md)\n- token: ghp_0123456789abcdefghijklmnopqrstuvwxyz\n");
    env.write("claude/MEMORY.md", &secret);
    let dead = "claude/MEMORY.md:3: note: links to [[claude/lost.md]], which does not exist [dangling-link]";
    env.mdmem(["check"]).code(1).stdout_has(dead).any_stderr().run();
    env.mdmem(["forget", "claude/d"])
        .any_stdout()
        .stderr_has("not changed: claude/MEMORY.md is not committed")
        .run();
    assert_eq!(env.read("claude/MEMORY.md"), secret);
    assert!(!env.store().join("claude/d.md").exists());
    let index = "- [Deploy](deploy.md) - the checks are in [Test](test.md)\n```\n- [Test](test.md)\n```\n- [Test](test.md#top) - a suite\n- [Of two](<of%20two.md> \"of two.md\")\n";
    for name in ["deploy", "test", "of two"] {
        env.write(
            &format!("claude/{name}.md"),
            &format!("The {name} has one line here.\n"),
        );
    }
    env.write("claude/MEMORY.md", index);
    for args in [
        &["sweep"][..],
        &["mv", "claude/of two", "claude/one two.md"],
        &["rm", "claude/test"],
    ] {
        env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
    }
    let left = index.replace("- [Test](test.md#top) - a suite\n", "");
    let left = left.replace("of%20two.md>", "one%20two.md>");
    assert_eq!(env.read("claude/MEMORY.md"), left);
    env.write(
        "project/gone.md",
        "---\ndescription: Soon nobody says gone.\n---\n",
    );
    let prompt = env.mdmem(["render"]).any_stdout().any_stderr().run().stdout;
    assert!(prompt.contains("Fact a") && !prompt.contains("gone"), "{prompt}");
    env.mdmem(["why", "gone"])
        .stdout_has("its file is empty")
        .any_stderr()
        .run();
}

#[test]
fn what_is_forgotten_leaves_claude_codes_own_index_whole_and_does_not_come_back() {
    let env = TestEnv::with_store();
    for name in ["falcon", "heron", "c"] {
        env.write(
            &format!("claude/{name}.md"),
            &format!("The code name is {name}.\n"),
        );
    }
    let index = "- [C](c.md) - c\n- [C](c.md), see [Falcon](falcon.md)\n- [Falcon](falcon.md) - the code name\n  Falcon, told by Ann.\n  also [F](falcon.md)\n- [Falcon\n  too](falcon.md) [F](falcon.md)\n  - [C](c.md) again\n- [Heron](heron.md) and [C](c.md)\n";
    env.write("claude/MEMORY.md", index);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let head = env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
    let first = head.trim().to_owned();
    env.mdmem(["rm", "claude/heron"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("claude/MEMORY.md"), index, "the line is c's too");
    env.mdmem(["forget", "claude/falcon"])
        .any_stdout()
        .any_stderr()
        .run();
    let kept = "- [C](c.md) - c\n  - [C](c.md) again\n- [Heron](heron.md) and [C](c.md)\n";
    assert_eq!(env.read("claude/MEMORY.md"), kept);
    for names in [&[][..], &["claude/"], &["claude/MEMORY.md"]] {
        env.write("claude/MEMORY.md", "- [C](c.md) anew\n");
        let args = [&["restore", &first][..], names, &["--yes"]].concat();
        env.mdmem(args)
            .any_stdout()
            .stderr_has("claude/falcon.md was forgotten for good")
            .run();
        assert_eq!(env.read("claude/MEMORY.md"), kept, "{names:?}");
    }
    // Nor does an undo of a hand edit that had taken the line out.
    env.write("claude/MEMORY.md", "- [C](c.md) anew\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let by_hand = env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
    env.mdmem(["forget", "claude/heron"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["undo", by_hand.trim()])
        .any_stdout()
        .stderr_has("claude/heron.md was forgotten for good since then")
        .code(1)
        .run();
    assert_eq!(env.read("claude/MEMORY.md"), "- [C](c.md) anew\n");
    std::fs::write(env.store().join("claude/MEMORY.md"), b"- [C](c.md) caf\xe9\n").unwrap();
    env.mdmem(["forget", "claude/c"])
        .any_stdout()
        .stderr_has("claude/MEMORY.md is not UTF-8")
        .run();
}

#[test]
fn an_index_that_is_not_utf8_is_restored_byte_for_byte() {
    let env = TestEnv::with_store();
    env.write("claude/a.md", "The code name is a.\n");
    env.write("claude/b.md", "The code name is b.\n");
    let path = env.store().join("claude/MEMORY.md");
    std::fs::write(&path, b"caf\xe9\n- [A](a.md) caf\xe9\n- [B](b.md) \xff\n").unwrap();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let head = env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
    std::fs::write(&path, "").unwrap();
    env.mdmem(["forget", "claude/a"]).any_stdout().any_stderr().run();
    env.mdmem(["restore", head.trim(), "claude/MEMORY.md"])
        .any_stdout()
        .stderr_has("claude/a.md was forgotten for good")
        .run();
    assert_eq!(std::fs::read(&path).unwrap(), b"caf\xe9\n- [B](b.md) \xff\n");
    // By its own name it comes back, and its line with it.
    env.mdmem(["restore", head.trim(), "claude/MEMORY.md", "claude/a.md"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(env.store().join("claude/a.md").exists());
    assert_eq!(
        std::fs::read(&path).unwrap(),
        b"caf\xe9\n- [A](a.md) caf\xe9\n- [B](b.md) \xff\n"
    );
}

/// Claude Code links its notes by name too, and by the path from the store's root.
#[test]
fn names_and_paths_from_the_root_in_claude_codes_own_index_are_links_as_well() {
    let env = TestEnv::with_store();
    for name in ["a", "b", "c_d"] {
        env.write(
            &format!("claude/{name}.md"),
            &format!("---\nname: note {name}\n---\nThe code name is {name}.\n"),
        );
    }
    let index = "- [[a]] a\n- [A](/claude/a.md) a\n- [[note a]] a\n- [[b|B]]\n- [[c-d]] c\n- [[lost]]\n";
    env.write("claude/MEMORY.md", index);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["check"])
        .stdout_has("claude/MEMORY.md:6: note: links to [[claude/lost.md]], which does not exist")
        .any_stderr()
        .run();
    env.mdmem(["mv", "claude/a", "claude/e f.md"])
        .any_stdout()
        .stderr_has("updated claude/MEMORY.md\n")
        .run();
    let moved = "- [[e f]] a\n- [A](/claude/e%20f.md) a\n- [[note a]] a\n- [[b|B]]\n";
    let rest = "- [[c-d]] c\n- [[lost]]\n";
    assert_eq!(env.read("claude/MEMORY.md"), format!("{moved}{rest}"));
    env.mdmem(["rm", "-n", "claude/b"])
        .any_stdout()
        .stderr_has("would update claude/MEMORY.md\n")
        .run();
    for (name, left) in [
        ("claude/e f", "- [[b|B]]\n- [[c-d]] c\n- [[lost]]\n"),
        ("claude/c_d", "- [[b|B]]\n- [[lost]]\n"),
    ] {
        env.mdmem(["rm", name]).any_stdout().any_stderr().run();
        assert_eq!(env.read("claude/MEMORY.md"), left);
    }
    env.git(["log", "-1", "--format=%s"])
        .stdout("memory: remove claude/c_d\n")
        .run();
    // Two move at once, and the link to one has that to the other within it.
    env.write("claude/d.md", "The code name is d.\n");
    env.write("claude/MEMORY.md", "- [a\n  [[b]] c](d.md)\n");
    env.mdmem(["mv", "claude/b", "claude/d", "feedback/"])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(
        env.read("claude/MEMORY.md"),
        "- [a\n  [[feedback/b]] c](../feedback/d.md)\n"
    );
    // A name leads to a memory in any folder; what `rm` takes out of the index, `restore` brings back.
    let index = "- [[d]] d\n- [[b]] b\n";
    env.write("claude/MEMORY.md", index);
    for (verb, left) in [("rm", "- [[d]] d\n"), ("restore", index)] {
        env.mdmem([verb, "feedback/b"]).any_stdout().any_stderr().run();
        assert_eq!(env.read("claude/MEMORY.md"), left);
    }
}
