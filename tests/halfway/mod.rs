//! Restore, undo and import where the machine refuses: everything is as it was, or what could not be rolled back is told, keeps its
//! own paths alone, and is taken back by the next command.

mod faults;
mod forgetting;
mod partial;
mod stopped;
mod tried_first;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::env::{Repository, TestEnv};

/// The number of files that each restore here changes, beside one that it adds and one that it removes.
const EDITED: usize = 5;

/// A machine with two states of a store, and the first one's name.
fn machine() -> (TestEnv, String) {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for round in ["first", "second"] {
        for n in 0..EDITED {
            env.write(&format!("decision/of-many-{n}.md"), &text(round, n));
        }
        env.write(
            &format!("feedback/only-{round}.md"),
            &format!("Only in the {round} round.\n"),
        );
        if round == "second" {
            std::fs::remove_file(env.store().join("feedback/only-first.md")).unwrap();
        }
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    }
    let first = env.git(["rev-parse", "HEAD^"]).any_stdout().run().stdout;
    (env, first.trim().to_owned())
}

fn text(round: &str, n: usize) -> String {
    format!("Said in the {round} round by {n}.\n")
}

/// A place that nobody can write to, root neither, until the value is dropped.
struct Shut {
    path: PathBuf,
    way: Way,
}

enum Way {
    Mode,
    Immutable,
    Mount,
}

fn is_done(program: &str, args: &[&str], path: &Path) -> bool {
    let output = Command::new(program).args(args).arg(path).output();
    output.is_ok_and(|output| output.status.success())
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

impl Shut {
    /// A folder in which nothing can be made or renamed.
    fn folder(path: PathBuf) -> Option<Self> {
        let way = if !rustix::process::geteuid().is_root() {
            set_mode(&path, 0o555);
            Way::Mode
        } else if is_done("chattr", &["+i"], &path) {
            Way::Immutable
        } else if is_done("mount", &["--bind", path.to_str()?], &path)
            && is_done("mount", &["-o", "remount,bind,ro"], &path)
        {
            Way::Mount
        } else {
            eprintln!("SKIPPED: this root can neither mark a folder as immutable nor mount it");
            return None;
        };
        Some(Self { path, way })
    }

    /// A file that cannot be renamed or exchanged, which no look at it tells.
    fn file(path: PathBuf) -> Option<Self> {
        let way = Way::Mount;
        if is_done("mount", &["--bind", path.to_str()?], &path) {
            return Some(Self { path, way });
        }
        eprintln!("SKIPPED: only root can mount a file");
        None
    }
}

impl Drop for Shut {
    fn drop(&mut self) {
        match self.way {
            Way::Mode => set_mode(&self.path, 0o755),
            Way::Immutable => assert!(is_done("chattr", &["-i"], &self.path)),
            Way::Mount => assert!(is_done("umount", &["-l"], &self.path)),
        }
    }
}

/// Every file of the store with its bytes, git's index, HEAD and the journal among them; not mdmem's own folder, the lock
/// and the objects.
fn everything(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut left = vec![env.store()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if [".mdmem", "objects", "mdmem.lock"].iter().any(|own| name == *own) {
                continue;
            }
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                left.push(path);
            } else if kind.is_file() {
                all.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// The bytes that the restore is to bring, or the present ones.
#[track_caller]
fn assert_round(env: &TestEnv, round: &str) {
    for n in 0..EDITED {
        assert_eq!(
            env.read(&format!("decision/of-many-{n}.md")),
            text(round, n),
            "{n}"
        );
    }
    let other = if round == "first" { "second" } else { "first" };
    assert!(env.store().join(format!("feedback/only-{round}.md")).exists());
    assert!(!env.store().join(format!("feedback/only-{other}.md")).exists());
}

#[track_caller]
fn assert_settled(env: &TestEnv) {
    assert!(!env.store().join(".git/mdmem-journal").exists());
    assert_eq!(Repository::of(env).status(), "");
    let temporary = |path: &PathBuf| path.to_string_lossy().contains(".mdmem-");
    assert_eq!(everything(env).into_keys().find(temporary), None);
    Repository::of(env).assert_sound();
}

fn subjects(env: &TestEnv) -> Vec<String> {
    let log = env.git(["log", "--format=%s"]).any_stdout().run().stdout;
    log.lines().map(str::to_owned).collect()
}
