//! The right store for a folder: after a move, in a copy, below a plain folder, by its name.

use std::path::{Path, PathBuf};

use crate::env::{TestEnv, write_at};
use crate::serve::server::Server;

/// A repository with a commit, below `work/`.
fn repository(env: &TestEnv, name: &str) -> PathBuf {
    begun(env, name, name)
}

/// The same with this first commit.
fn begun(env: &TestEnv, name: &str, message: &str) -> PathBuf {
    let folder = plain(env, name);
    for args in [
        &["init", "-q"][..],
        &["commit", "-q", "--allow-empty", "-m", message],
    ] {
        git(env, &folder, args);
    }
    folder
}

fn plain(env: &TestEnv, name: &str) -> PathBuf {
    let folder = env.home().join("work").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn git(env: &TestEnv, folder: &Path, args: &[&str]) {
    let done = env.command("git").current_dir(folder).args(args).status();
    assert!(done.unwrap().success(), "{args:?}");
}

/// A repository of this `origin`, below `work/`.
fn cloned(env: &TestEnv, name: &str, origin: &str) -> PathBuf {
    let folder = begun(env, name, origin);
    git(env, &folder, &["remote", "add", "origin", origin]);
    folder
}

/// Remembers something there, and gives what was said.
fn add(env: &TestEnv, folder: &Path, text: &str) -> String {
    let added = env.mdmem(["add", text]).current_dir(folder);
    added.any_stdout().any_stderr().run().stderr
}

fn rename(from: &Path, to: &Path) {
    std::fs::rename(from, to).unwrap();
}

/// The texts that are remembered there, and what was said beside them.
fn listed(env: &TestEnv, folder: &Path) -> (String, String) {
    let listed = env.mdmem(["list"]).current_dir(folder);
    let listed = listed.any_stdout().any_stderr().run();
    (listed.stdout, listed.stderr)
}

#[test]
fn a_repository_whose_history_began_anew_is_known_after_a_move_by_its_git() {
    let env = TestEnv::new();
    let old = repository(&env, "app");
    if old.join(".git").metadata().unwrap().created().is_err() {
        return eprintln!("this file system does not keep when a folder was made");
    }
    add(&env, &old, "Use make for everything");
    git(
        &env,
        &old,
        &["commit", "-q", "--amend", "--allow-empty", "-m", "again"],
    );
    git(&env, &old, &["reflog", "expire", "--expire=now", "--all"]);
    git(&env, &old, &["gc", "-q", "--prune=now"]);
    let new = old.with_file_name("renamed");
    rename(&old, &new);
    assert!(listed(&env, &new).0.contains("Use make"));
}

#[test]
fn a_moved_repository_keeps_its_store_and_says_so_once() {
    let env = TestEnv::new();
    let old = repository(&env, "app");
    add(&env, &old, "Use make for everything");
    let new = old.with_file_name("renamed");
    rename(&old, &new);
    let (texts, said) = listed(&env, &new);
    assert!(texts.contains("Use make"), "{texts}");
    assert!(
        said.contains("this workspace was $HOME/work/app before"),
        "{said}"
    );
    let (texts, said) = listed(&env, &new);
    assert!(texts.contains("Use make") && said.is_empty(), "{texts}{said}");
    // Another project in the old place begins with nothing.
    repository(&env, "app");
    let said = add(&env, &old, "Use cargo here");
    assert!(said.contains("created the store of"), "{said}");
    let (texts, _) = listed(&env, &old);
    assert!(!texts.contains("Use make"), "{texts}");
    // `init` finds it too, and a server's greeting.
    let third = old.with_file_name("third");
    rename(&new, &third);
    let made = env
        .mdmem(["init", "--json"])
        .current_dir(&third)
        .any_stdout()
        .run()
        .json();
    assert_eq!((&made["created"], &made["name"]), (&false.into(), &"app".into()));
    assert_eq!(made["relinked_from"], new.to_str().unwrap());
    std::fs::remove_dir(env.workspace()).unwrap();
    rename(&third, &env.workspace());
    let mut server = Server::start(&env);
    assert!(server.prompt("s").contains("Use make"));
    server.bye();
    let (_, said) = listed(&env, &env.workspace());
    assert_eq!(said, "", "the greeting mended it");
}

#[test]
fn another_project_in_the_place_of_a_moved_one_has_a_store_of_its_own() {
    let env = TestEnv::new();
    let place = cloned(&env, "client", "https://host.example/a.git");
    add(&env, &place, "Deploy a to bastion 10.1.2.3");
    let moved = place.with_file_name("client-a");
    rename(&place, &moved);
    cloned(&env, "client", "https://host.example/b.git");
    // Readers, and an agent's session, are told nothing of the other's memory.
    let rendered = env.mdmem(["render"]).current_dir(&place).any_stdout().run();
    assert!(!rendered.stdout.contains("bastion"), "{}", rendered.stdout);
    env.mdmem(["list"])
        .current_dir(&place)
        .fails("has no store yet")
        .stderr_has("`mdmem stores link client` links this one to its store")
        .run();
    let event = format!(
        r#"{{"session_id":"s","hook_event_name":"SessionStart","cwd":"{}","source":"startup"}}"#,
        place.display()
    );
    let told = env.mdmem(["hook", "session-start"]).current_dir(&place);
    let told = told.stdin(event).any_stdout().any_stderr().run();
    assert!(!told.stdout.contains("bastion"), "{}", told.stdout);
    env.mdmem(["stores"]).stdout_has("workspace gone").run();
    // The first store of the new one says once what was there, and the moved one has lost nothing.
    let said = add(&env, &place, "Deploy b with make");
    assert!(
        said.contains("the store `client` belongs to another project that was here before"),
        "{said}"
    );
    assert!(said.contains("`mdmem stores link client`"), "{said}");
    assert_eq!(add(&env, &place, "Release b on Fridays"), "");
    let (texts, said) = listed(&env, &moved);
    assert!(texts.contains("bastion") && !texts.contains("make"), "{texts}");
    assert!(
        said.contains("this workspace made room for another project"),
        "{said}"
    );
    let (texts, said) = listed(&env, &place);
    assert!(
        texts.contains("make") && !texts.contains("bastion") && said.is_empty(),
        "{texts}{said}"
    );
    // The two change places, as folders that are mounted in one place do.
    let aside = place.with_file_name("aside");
    for (now, own, other) in [(&moved, "bastion", "make"), (&aside, "make", "bastion")] {
        if now == &moved {
            rename(&place, &aside);
        } else {
            rename(&place, &moved);
        }
        rename(now, &place);
        let (texts, _) = listed(&env, &place);
        assert!(texts.contains(own) && !texts.contains(other), "{texts}");
    }
    let (texts, _) = listed(&env, &moved);
    assert!(texts.contains("bastion"), "{texts}");
}

#[test]
fn a_repository_that_was_begun_anew_is_told_how_to_keep_its_memory() {
    let env = TestEnv::new();
    let app = repository(&env, "app");
    add(&env, &app, "Use make for everything");
    // An older mdmem wrote less down: the next change of the store adds it.
    let registry = env.mdmem_home().join("registry.toml");
    let written = std::fs::read_to_string(&registry).unwrap();
    let older: Vec<&str> = written.lines().filter(|line| !line.starts_with("born")).collect();
    write_at(&registry, &older.join("\n"));
    add(&env, &app, "Use ninja for nothing");
    assert_eq!(std::fs::read_to_string(&registry).unwrap(), written);
    // The first commit is another one, and the one that was known is gone: the same `.git` is the same repository, where
    // the file system tells that.
    let keeps_births = app.join(".git").metadata().unwrap().created().is_ok();
    git(
        &env,
        &app,
        &["commit", "-q", "--amend", "--allow-empty", "-m", "Begin"],
    );
    git(&env, &app, &["reflog", "expire", "--expire=now", "--all"]);
    git(&env, &app, &["gc", "-q", "--prune=now"]);
    assert!(listed(&env, &app).0.contains("Use make") || !keeps_births);
    std::fs::remove_dir_all(app.join(".git")).unwrap();
    assert!(listed(&env, &app).0.contains("Use make"), "in no repository");
    cloned(&env, "app", "https://host.example/app.git");
    env.mdmem(["list"])
        .current_dir(&app)
        .fails("has no store yet")
        .stderr_has("`mdmem stores link app` links this one to its store")
        .run();
    env.mdmem(["stores", "link", "app"])
        .current_dir(&app)
        .stdout_has("has the store `app`")
        .run();
    assert_eq!(add(&env, &app, "Release on Fridays"), "");
    let (texts, _) = listed(&env, &app);
    assert!(texts.contains("Use make") && texts.contains("Fridays"), "{texts}");
    // Another place may be given the store whose own has another project.
    std::fs::remove_dir_all(&app).unwrap();
    cloned(&env, "app", "https://host.example/other.git");
    env.mdmem(["stores", "link", "app"])
        .current_dir(&plain(&env, "elsewhere"))
        .stdout_has("has the store `app`")
        .run();
}

#[test]
fn a_folder_in_the_place_of_a_moved_repository_is_another_project() {
    for asks_first in [false, true] {
        let env = TestEnv::new();
        let app = cloned(&env, "app", "https://host.example/app.git");
        if app.join(".git").metadata().unwrap().created().is_err() {
            return eprintln!("this file system does not keep when a folder was made");
        }
        add(&env, &app, "Use make");
        std::thread::sleep(std::time::Duration::from_millis(5));
        rename(&app, &app.with_file_name("moved"));
        let plain = plain(&env, "app");
        if asks_first {
            // Nothing is shown, and nothing begins behind a person's back.
            env.mdmem(["list"])
                .current_dir(&plain)
                .fails("has no store yet")
                .stderr_has("`mdmem stores link app`")
                .run();
            env.mdmem(["add", "Use ninja"])
                .current_dir(&plain)
                .fails("is no longer a git repository, but was one for the store `app`")
                .stderr_has("`mdmem init` creates an empty one")
                .run();
        }
        let moved = app.with_file_name("moved");
        assert!(listed(&env, &moved).0.contains("Use make"));
        assert_eq!(
            add(&env, &moved, "Release on Fridays")
                .matches("is a copy")
                .count(),
            0
        );
        add(&env, &plain, "Use ninja");
        let (texts, _) = listed(&env, &plain);
        assert!(texts.contains("Use ninja") && !texts.contains("make"), "{texts}");
        let (texts, _) = listed(&env, &moved);
        assert!(
            texts.contains("make") && texts.contains("Fridays") && !texts.contains("ninja"),
            "{texts}"
        );
    }
}

#[test]
fn a_repository_whose_git_is_away_keeps_its_store_and_a_store_without_one_can_be_linked() {
    let env = TestEnv::new();
    let app = cloned(&env, "app", "https://host.example/app.git");
    add(&env, &app, "Use make");
    rename(&app.join(".git"), &app.join("git-away"));
    assert!(listed(&env, &app).0.contains("Use make"));
    add(&env, &app, "Release on Fridays");
    let elsewhere = cloned(&env, "elsewhere", "https://host.example/app.git");
    env.mdmem(["stores", "link", "app"])
        .current_dir(&elsewhere)
        .stdout_has("has the store `app`")
        .run();
    assert!(listed(&env, &elsewhere).0.contains("Fridays"));
}

#[test]
fn a_work_tree_whose_repository_was_moved_gets_no_store_of_its_own() {
    let env = TestEnv::new();
    let app = repository(&env, "app");
    add(&env, &app, "Use make");
    git(&env, &app, &["worktree", "add", "-q", "../tree"]);
    let tree = app.with_file_name("tree");
    assert!(listed(&env, &tree).0.contains("Use make"));
    let moved = app.with_file_name("moved");
    rename(&app, &moved);
    env.mdmem(["add", "Use ninja"])
        .current_dir(&tree)
        .fails("the repository of the worktree")
        .stderr_has("`git worktree repair`")
        .run();
    git(&env, &moved, &["worktree", "repair", "../tree"]);
    assert!(listed(&env, &tree).0.contains("Use make"));
}

#[test]
fn a_copy_begins_with_its_own_and_says_what_can_be_done() {
    let env = TestEnv::new();
    let app = repository(&env, "app");
    let remote = ["remote", "add", "origin", "https://host.example/app.git"];
    git(&env, &app, &remote);
    add(&env, &app, "Use make for everything");
    let copy = app.with_file_name("copy");
    git(&env, &app, &["clone", "-q", ".", "../copy"]);
    let said = add(&env, &copy, "Use ninja in the copy");
    assert!(said.contains("work/app is a clone of this repository"), "{said}");
    assert!(said.contains("`mdmem stores link app` shares it"), "{said}");
    assert!(!listed(&env, &copy).0.contains("Use make"));
    env.mdmem(["stores", "link", "app"])
        .current_dir(&plain(&env, "other"))
        .fails("`app` is already the store of")
        .stderr_has("another project")
        .stderr_has("`mdmem --store app export --to json FILE`")
        .run();
    // One of two clones is gone: a third takes its store over. When both are gone, a person decides.
    let third = app.with_file_name("third");
    rename(&copy, &third);
    assert!(listed(&env, &third).0.contains("Use ninja"));
    let fourth = app.with_file_name("fourth");
    git(&env, &third, &["clone", "-q", ".", "../fourth"]);
    std::fs::remove_dir_all(&third).unwrap();
    std::fs::remove_dir_all(&app).unwrap();
    git(&env, &fourth, &["remote", "remove", "origin"]);
    git(
        &env,
        &fourth,
        &["remote", "add", "origin", "https://host.example/fork.git"],
    );
    let said = add(&env, &fourth, "Use bazel in the fourth");
    assert!(said.contains("`mdmem stores link app`"), "{said}");
    env.mdmem(["stores", "link", "app", "-n"])
        .current_dir(&fourth)
        .stdout_has("would have the store `app`")
        .any_stderr()
        .run();
    env.mdmem(["stores", "link", "app"])
        .current_dir(&fourth)
        .stdout_has("has the store `app`")
        .stderr_has("`mdmem stores link fourth` links it again")
        .run();
    assert!(listed(&env, &fourth).0.contains("Use make"));
    env.mdmem(["--store", "fourth", "list"])
        .current_dir(&env.home())
        .stdout_has("Use bazel")
        .run();
    env.mdmem(["stores"]).stdout_has("no workspace").run();
}

#[test]
fn clones_of_one_repository_share_a_store_that_each_keeps_when_the_other_moves_or_goes() {
    let env = TestEnv::new();
    let app = repository(&env, "app");
    add(&env, &app, "Use make for everything");
    let clone = app.with_file_name("clone");
    git(&env, &app, &["clone", "-q", ".", "../clone"]);
    env.mdmem(["stores", "link", "app", "--dry-run"])
        .current_dir(&clone)
        .stdout_has("would have the store `app`")
        .stdout_has("shared with $HOME/work/app")
        .run();
    env.mdmem(["list"])
        .current_dir(&clone)
        .fails("has no store yet")
        .run();
    env.mdmem(["stores", "link", "app"])
        .current_dir(&clone)
        .stdout_has("shared with $HOME/work/app")
        .run();
    add(&env, &clone, "Release on Fridays");
    for folder in [&app, &clone] {
        let (shown, _) = listed(&env, folder);
        assert!(shown.contains("Use make") && shown.contains("Fridays"), "{shown}");
    }
    env.mdmem(["stores"])
        .stdout(
            "NAME  STATE    ACTIVITY  WORKSPACE\n\
             app   present  just now  $HOME/work/app\n                         $HOME/work/clone\n",
        )
        .run();
    // Each is found where it is moved to, and the other stays.
    let moved = app.with_file_name("moved");
    rename(&app, &moved);
    let again = app.with_file_name("again");
    assert!(listed(&env, &clone).0.contains("Fridays"));
    assert!(listed(&env, &moved).0.contains("Fridays"));
    rename(&clone, &again);
    assert!(listed(&env, &again).0.contains("Use make"));
    add(&env, &again, "Tests run in parallel");
    assert!(listed(&env, &moved).0.contains("in parallel"));
    // One goes: the other keeps the store, and a new clone gets none of its own accord.
    std::fs::remove_dir_all(&moved).unwrap();
    let third = app.with_file_name("third");
    git(&env, &again, &["clone", "-q", ".", "../third"]);
    env.mdmem(["list"])
        .current_dir(&third)
        .fails("has no store yet")
        .run();
    add(&env, &again, "Ship the docs too");
    env.mdmem(["--store", "app", "list"])
        .current_dir(&env.home())
        .stdout_has("Ship the docs")
        .run();
    // One that takes another store leaves this one to the other.
    env.mdmem(["stores", "link", "app"])
        .current_dir(&third)
        .any_stdout()
        .run();
    env.mdmem(["stores", "link", "--new"])
        .current_dir(&again)
        .any_stdout()
        .stderr_has("its previous store `app` stays the store of $HOME/work/third")
        .run();
    add(&env, &again, "Use ninja");
    assert!(!listed(&env, &again).0.contains("Ship the docs"));
    assert!(listed(&env, &third).0.contains("Ship the docs"));
}

#[test]
fn a_plain_folder_serves_those_below_it_but_none_that_is_everybodys() {
    let env = TestEnv::new();
    let notes = plain(&env, "notes");
    let deep = plain(&env, "notes/a/b");
    add(&env, &notes, "Use make for everything");
    assert!(listed(&env, &deep).0.contains("Use make"));
    env.mdmem(["init"])
        .current_dir(&deep)
        .stdout_has("the store already exists")
        .stderr_has("it is the store of $HOME/work/notes")
        .run();
    env.mdmem(["stores", "link", "--new"])
        .current_dir(&deep)
        .stdout_has("has the store `b`")
        .run();
    assert!(!listed(&env, &deep).0.contains("Use make"));
    assert!(listed(&env, &plain(&env, "notes/a")).0.contains("Use make"));
    // A folder cannot be known again after a move: its store is named.
    let moved = notes.with_file_name("moved");
    rename(&notes, &moved);
    let same_name = plain(&env, "elsewhere/notes");
    let said = add(&env, &same_name, "Something else");
    assert!(
        said.contains("the store `notes` belongs to $HOME/work/notes, which is unavailable"),
        "{said}"
    );
    env.mdmem(["stores", "link", "notes"])
        .current_dir(&moved)
        .stdout_has("has the store `notes`")
        .run();
    assert!(listed(&env, &moved).0.contains("Use make"));
    // The home folder is nobody's workspace, so nothing below it can find a store of it.
    env.mdmem(["add", "For everything"])
        .current_dir(&env.home())
        .fails("is not a workspace")
        .run();
}

#[test]
fn a_store_is_reached_by_its_name_and_known_from_inside() {
    let env = TestEnv::new();
    let app = plain(&env, "app");
    add(&env, &app, "Use make for everything");
    add(&env, &plain(&env, "other/app"), "Use ninja");
    env.mdmem(["--global", "add", "Answer in English"])
        .any_stdout()
        .any_stderr()
        .run();
    for (name, text) in [("app", "Use make"), ("app-2", "Use ninja"), ("global", "English")] {
        env.mdmem(["list", "--store", name]).stdout_has(text).run();
    }
    env.mdmem(["--store", "ap-2", "list"])
        .fails("no store `ap-2`")
        .stderr_has("Did you mean app-2?")
        .run();
    env.mdmem(["--store", "app", "--global", "list"])
        .refuses("cannot be used with")
        .run();
    env.mdmem(["--store", "app", "stores", "link", "--new"])
        .refuses("neither --store nor --global")
        .run();
    let path = env.mdmem(["--store", "app", "path"]).any_stdout().run();
    let store = PathBuf::from(String::from_utf8(path.bytes).unwrap().trim_end());
    let inside = store.join("project");
    let status = env
        .mdmem(["status", "--json"])
        .current_dir(&inside)
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        (&status["name"], &status["workspace"]),
        (&"app".into(), &app.to_str().unwrap().into())
    );
    // A work tree of the store itself, and a link to the workspace, are no workspaces of their own.
    let linked = env.home().join("linked");
    std::os::unix::fs::symlink(&app, &linked).unwrap();
    assert!(listed(&env, &linked).0.contains("Use make"));
    let tree = env.home().join("tree");
    let tree_path = tree.to_str().unwrap();
    let add_tree = ["worktree", "add", "-q", "--detach", tree_path];
    git(&env, &store, &add_tree);
    let status = env
        .mdmem(["status", "--json"])
        .current_dir(&tree)
        .any_stdout()
        .run()
        .json();
    assert_eq!(status["name"], "app");
}
