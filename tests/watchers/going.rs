//! A store goes and comes back, in every way: what is saved afterwards is committed, and nothing is left over.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::machine;
use crate::env::{LIMIT, Repository, TestEnv, Watching, wait_for};
use crate::serve::server::Server;

/// The process that watches the store.
enum Cover {
    Watch(Watching),
    Serve(Box<Server>),
}

impl Cover {
    /// Waits until it is said that the store is in this state.
    #[track_caller]
    fn wait_until(&mut self, state: &str, env: &TestEnv) {
        match self {
            Self::Watch(watching) => watching.wait_until_said(if state == "gone" {
                " is unavailable"
            } else {
                "warning: commits wait: "
            }),
            Self::Serve(server) => wait_for(&format!("the state {state}"), LIMIT, || {
                let hello = json!({"protocol": 1, "directory": env.workspace()});
                let welcome = server.ask("hello", &hello);
                (welcome["watch"]["state"] == state).then_some(())
            }),
        }
    }
}

/// Takes a part of the store away, or all of it, and gives it back.
struct Away<'a> {
    env: &'a TestEnv,
    repository: &'a Repository<'a>,
    cover: &'a mut Cover,
}

impl Away<'_> {
    fn at(&self, path: &str) -> std::path::PathBuf {
        if path.is_empty() {
            self.repository.root().to_owned()
        } else {
            self.repository.at(path)
        }
    }

    fn aside(&self) -> std::path::PathBuf {
        self.env.home().join("aside")
    }

    fn take(&self, path: &str) {
        std::fs::rename(self.at(path), self.aside()).unwrap();
    }

    fn give_back(&self, path: &str) {
        // A folder that a program made anew meanwhile goes, as with a restored backup.
        let _ = std::fs::remove_dir_all(self.at(path));
        std::fs::rename(self.aside(), self.at(path)).unwrap();
    }

    fn wait_until(&mut self, state: &str) {
        self.cover.wait_until(state, self.env);
    }

    fn save(&self) {
        self.repository.save("project/meanwhile.md", "Saved meanwhile.\n");
    }
}

/// Does something to a store that is covered by `mdmem watch`, and then to one that `mdmem serve` covers.
#[track_caller]
fn survives(what: impl Fn(&mut Away<'_>)) {
    for is_served in [false, true] {
        let mut env = machine();
        env.set_var("MDMEM_WATCH__QUIET_MS", "100");
        let repository = Repository::of(&env);
        let mut cover = if is_served {
            Cover::Serve(Box::new(Server::start(&env)))
        } else {
            Cover::Watch(env.watch(&[]))
        };
        repository.save("project/first.md", "Saved first.\n");
        repository.wait_for_commit_of("project/first.md", "Saved first.\n", LIMIT);

        what(&mut Away {
            env: &env,
            repository: &repository,
            cover: &mut cover,
        });

        repository.save("project/last.md", "Saved last.\n");
        repository.wait_for_commit_of("project/last.md", "Saved last.\n", LIMIT);
        wait_for("nothing to be left over", LIMIT, || {
            repository.status().is_empty().then_some(())
        });
        let commits = repository.log();
        // A store that was made anew has its first commit, and the last save.
        let is_new_store = commits.len() == 2;
        assert!(
            is_new_store || repository.committed("project/3.md").is_some(),
            "nothing was taken as deleted: {commits:?}"
        );
        if let Cover::Watch(watching) = &mut cover {
            assert!(watching.is_running());
        }
        repository.assert_sound();
    }
}

#[test]
fn the_folder_goes_and_comes_back() {
    survives(|away| {
        away.take("");
        away.wait_until("gone");
        assert!(
            !away.repository.root().exists(),
            "nothing is made anew behind a person's back"
        );
        away.give_back("");
    });
}

#[test]
fn the_folder_goes_and_comes_back_at_once() {
    survives(|away| {
        for _ in 0..5 {
            away.take("");
            away.give_back("");
        }
    });
}

/// Another folder, with other inodes, as it comes from a backup.
#[test]
fn another_folder_comes_in_its_place() {
    survives(|away| {
        let copy = away.env.home().join("copy");
        // `cp` fails when a file that the watcher had for a moment is gone before it is copied.
        wait_for("a whole copy", LIMIT, || {
            let _ = std::fs::remove_dir_all(&copy);
            let mut cp = Command::new("cp");
            let copied = cp.arg("-a").arg(away.repository.root()).arg(&copy).status();
            copied.unwrap().success().then_some(())
        });
        away.take("");
        std::fs::rename(copy, away.repository.root()).unwrap();
    });
}

#[test]
fn the_repository_goes_and_comes_back() {
    survives(|away| {
        away.take(".git");
        away.wait_until("gone");
        away.save();
        away.give_back(".git");
        away.repository
            .wait_for_commit_of("project/meanwhile.md", "Saved meanwhile.\n", LIMIT);
    });
}

/// A part of the repository, or a file that is read for every commit, is away for a while.
#[track_caller]
fn survives_without(part: &str) {
    survives(|away| {
        let tip = away.repository.git(&["rev-parse", "HEAD"]);
        away.take(part);
        away.save();
        away.wait_until("blocked");
        away.give_back(part);
        away.repository
            .wait_for_commit_of("project/meanwhile.md", "Saved meanwhile.\n", LIMIT);
        let history = away.repository.git(&["rev-list", "HEAD"]);
        assert!(history.contains(tip.trim()), "the history goes on");
    });
}

#[test]
fn the_refs_are_away() {
    survives_without(".git/refs");
}

#[test]
fn the_objects_are_away() {
    survives_without(".git/objects");
}

#[test]
fn the_head_is_away() {
    survives_without(".git/HEAD");
}

/// The log of the branch says that there were commits: a new history is not begun.
#[test]
fn the_branch_is_away() {
    survives_without(".git/refs/heads/main");
}

/// A folder stands in the place of the index.
#[test]
fn the_index_cannot_be_read() {
    survives(|away| {
        away.take(".git/index");
        std::fs::create_dir(away.at(".git/index")).unwrap();
        away.save();
        away.wait_until("blocked");
        away.give_back(".git/index");
        away.repository
            .wait_for_commit_of("project/meanwhile.md", "Saved meanwhile.\n", LIMIT);
    });
}

#[test]
fn the_settings_cannot_be_read() {
    survives(|away| {
        away.take("mdmem.toml");
        std::fs::create_dir(away.at("mdmem.toml")).unwrap();
        away.save();
        away.give_back("mdmem.toml");
    });
}

#[test]
fn the_store_is_deleted_and_made_anew() {
    survives(|away| {
        // A program that writes into a folder while it is removed leaves something behind.
        wait_for("the store to be removed", LIMIT, || {
            std::fs::remove_dir_all(away.repository.root()).ok()
        });
        away.wait_until("gone");
        away.env
            .mdmem(["init", "--new", "--quiet"])
            .any_stdout()
            .any_stderr()
            .run();
    });
}

#[test]
fn the_local_folder_is_removed_and_still_one_process_watches() {
    survives(|away| {
        let local = away.repository.at(".mdmem");
        std::fs::remove_dir_all(&local).unwrap();
        wait_for("the watch to be locked again", LIMIT, || {
            let status = away.env.mdmem(["status"]).any_stdout().any_stderr().run();
            status.stdout.contains("watched      process ").then_some(())
        });
        let second = away.env.start_watching(&[]);
        second.wait_until_said("waiting to take over");
    });
}

/// Another file system over the store: to everybody who looks, the store is unmounted.
#[test]
fn the_store_is_unmounted() {
    survives(|away| {
        let root = away.repository.root().to_owned();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "tmpfs"])
            .arg(&root)
            .output();
        if !mount.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: only root can mount a file system");
            return;
        }
        away.wait_until("gone");
        assert!(Command::new("umount").arg(&root).status().unwrap().success());
    });
}

/// Permissions are taken away. They do not bind root, so the watcher runs as somebody else where root runs the tests.
#[test]
fn nothing_may_be_read_for_a_while() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65_534;

    for path in ["", ".git"] {
        let env = machine();
        let repository = Repository::of(&env);
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.arg("watch").env("MDMEM_WATCH__QUIET_MS", "100");
        let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
        if is_root {
            let all = env.home().parent().unwrap().to_owned();
            let owned = Command::new("chown")
                .args(["-R", &NOBODY.to_string()])
                .arg(&all)
                .status();
            assert!(owned.unwrap().success());
            // Git refuses what belongs to somebody else.
            crate::env::write_at(&env.home().join(".gitconfig"), "[safe]\n\tdirectory = *\n");
            command.uid(NOBODY);
            if !can_run_as(NOBODY, Path::new(env!("CARGO_BIN_EXE_mdmem"))) {
                eprintln!("skipped: the program lies where only root can read it");
                return;
            }
        }
        let watching = Watching::start(command);
        watching.wait_until_said("watching ");
        let taken = if path.is_empty() {
            repository.root().to_owned()
        } else {
            repository.at(path)
        };
        let allow =
            |mode: u32| std::fs::set_permissions(&taken, std::fs::Permissions::from_mode(mode)).unwrap();
        repository.save("project/meanwhile.md", "Saved meanwhile.\n");
        allow(0o000);
        watching.wait_until_said("warning: commits wait: ");
        allow(0o755);
        repository.wait_for_commit_of("project/meanwhile.md", "Saved meanwhile.\n", LIMIT);
        watching.wait_until_said("committing again");
        repository.save("project/last.md", "Saved last.\n");
        repository.wait_for_commit_of("project/last.md", "Saved last.\n", LIMIT);
    }
}

fn can_run_as(user: u32, program: &Path) -> bool {
    use std::os::unix::process::CommandExt as _;
    let run = Command::new(program).arg("--version").uid(user).output();
    run.is_ok_and(|output| output.status.success())
}
