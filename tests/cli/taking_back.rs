//! `restore` and `undo`: what they say is what they do, and what they cannot do they say.

use crate::env::{Repository, TestEnv};

fn remove(env: &TestEnv, path: &str) {
    std::fs::remove_file(env.store().join(path)).unwrap();
}

fn sweep(env: &TestEnv) {
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
}

/// Says whether the file system keeps names apart that differ in this way.
fn keeps_apart(env: &TestEnv, names: [&str; 2]) -> bool {
    let paths = names.map(|name| env.home().join(name));
    std::fs::write(&paths[0], "").unwrap();
    !paths[1].exists()
}

#[test]
fn one_of_two_names_that_differ_in_case_or_form_is_removed() {
    for [gone, stays] in [["a.md", "A.md"], ["A.md", "a.md"], ["e\u{301}.md", "\u{e9}.md"]] {
        let env = TestEnv::with_store();
        if !keeps_apart(&env, [gone, stays]) {
            eprintln!("SKIPPED: this file system takes {gone} and {stays} for one name");
            continue;
        }
        let [gone, stays] = [gone, stays].map(|name| format!("decision/{name}"));
        env.write(&gone, "Goes\n");
        env.write(&stays, "Stays\n");
        sweep(&env);
        remove(&env, &gone);
        env.mdmem(["sweep"])
            .stdout(format!("removed  {gone}\n"))
            .any_stderr()
            .run();
        env.mdmem(["restore", "HEAD"])
            .stderr_has("everything is as it was")
            .run();
        env.mdmem(["restore", "HEAD~1"])
            .stdout(format!("added    {gone}\n"))
            .any_stderr()
            .run();
        assert_eq!(env.read(&gone), "Goes\n");
        env.mdmem(["rm", &stays]).any_stdout().any_stderr().run();
        assert_eq!(Repository::of(&env).status(), "", "{stays}");
        assert_eq!(Repository::of(&env).committed(&stays), None);
    }
}

#[test]
fn most_of_a_store_that_went_is_brought_back() {
    let env = TestEnv::with_store();
    let paths: Vec<String> = (0..20).map(|n| format!("decision/{n}.md")).collect();
    for text in ["Older", "Newer"] {
        for path in &paths {
            env.write(path, &format!("{text} {path}\n"));
        }
        sweep(&env);
    }
    for (point, text) in [("HEAD", "Newer"), ("HEAD~1", "Older")] {
        std::fs::remove_dir_all(env.store().join("decision")).unwrap();
        let restored = env.mdmem(["restore", point]).any_stdout().any_stderr().run();
        assert!(
            !restored.stderr.contains("files are missing"),
            "{}",
            restored.stderr
        );
        assert_eq!(
            restored.stderr.contains("`mdmem undo` takes it back"),
            point != "HEAD",
            "{}",
            restored.stderr
        );
        for path in &paths {
            assert_eq!(env.read(path), format!("{text} {path}\n"));
        }
        assert_eq!(Repository::of(&env).status(), "", "{point}");
    }
}
