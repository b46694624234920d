//! The places of the plugin's files. Since version 2: `<data home>/opencode-working-memory/workspaces/<key>/`, where the
//! key is the first 16 hex digits of the SHA-256 of the real path of the folder that OpenCode was started in. Before:
//! `.opencode/memory-core/` and `.opencode/memory-working/` in that folder.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::store::Workspace;
use crate::sys::{Env, SysError};
use crate::text::sha256_hex;

/// The name of the plugin, and of its folder.
pub(super) const NAME: &str = "opencode-working-memory";
/// The workspace memory.
const MEMORY: &str = "workspace-memory.json";
/// The entries that wait to become a part of it.
const JOURNAL: &str = "workspace-pending-journal.json";
/// The folders of version 1, and beside them nothing of ours: `_compaction` and `_pressure` are states, not memories.
const SESSION_FOLDERS: [&str; 2] = ["memory-core", "memory-working"];
const STATES: [&[u8]; 2] = [b"_compaction", b"_pressure"];

/// The kind of a file of the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The workspace memory.
    Memory,
    /// The journal of what waits.
    Journal,
    /// A session's file of version 1.
    Session,
    /// A file under a name of its own, whose keys say what it is.
    Unnamed,
}

/// The files that were found, and the places that were looked at.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The files, each once: memory before journal before sessions, of each place.
    pub(super) found: Vec<(PathBuf, What)>,
    /// The places.
    pub(super) looked: Vec<PathBuf>,
}

/// Looks where the plugin would have put the memory of the present folder.
pub(super) fn usual(env: &Env) -> Result<Search, SysError> {
    let mut search = Search::default();
    for folder in folders_of_work(env) {
        search.memory_of(&folder, env)?;
    }
    Ok(search)
}

/// Looks at a file or a folder that somebody names: the plugin's own folder, one above it, or a workspace.
pub(super) fn named(path: &Path, env: &Env) -> Result<Search, SysError> {
    let path = env.current_dir().join(path);
    let path = path
        .canonicalize()
        .map_err(|error| SysError::io("read", &path, error))?;
    let mut search = Search::default();
    if path.is_dir() {
        search.workspace_folder(&path)?;
        for folder in folders_of_work(env) {
            let key = key(&folder);
            search.workspace_folder(&path.join(&key))?;
            search.workspace_folder(&path.join("workspaces").join(&key))?;
            search.workspace_folder(&path.join(NAME).join("workspaces").join(&key))?;
        }
        for name in SESSION_FOLDERS {
            search.sessions_in(&path.join(name))?;
            if path.ends_with(name) {
                search.sessions_in(&path)?;
            }
        }
        search.memory_of(&path, env)?;
        return Ok(search);
    }
    search.look(&path);
    if path.ends_with(MEMORY) {
        let journal = path.with_file_name(JOURNAL);
        search.take(path, What::Memory);
        search.file(journal, What::Journal)?;
    } else if path.ends_with(JOURNAL) {
        search.take(path, What::Journal);
    } else {
        search.take(path, What::Unnamed);
    }
    Ok(search)
}

impl Search {
    /// Whatever there is of one workspace.
    fn memory_of(&mut self, folder: &Path, env: &Env) -> Result<(), SysError> {
        if let Ok(data) = env.data_home() {
            self.workspace_folder(&data.join(NAME).join("workspaces").join(key(folder)))?;
        }
        for name in SESSION_FOLDERS {
            self.sessions_in(&folder.join(".opencode").join(name))?;
        }
        Ok(())
    }

    fn workspace_folder(&mut self, folder: &Path) -> Result<(), SysError> {
        self.look(folder);
        self.file(folder.join(MEMORY), What::Memory)?;
        self.file(folder.join(JOURNAL), What::Journal)
    }

    /// The files of a folder of version 1, by name. A link there is not followed: the folder is a part of the
    /// workspace, and may come from somebody else.
    fn sessions_in(&mut self, folder: &Path) -> Result<(), SysError> {
        self.look(folder);
        let failed = |error| SysError::io("list", folder, error);
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let mut files = BTreeSet::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let stem = name.as_bytes().strip_suffix(b".json");
            let is_memory = stem.is_some_and(|stem| !STATES.iter().any(|state| stem.ends_with(state)));
            if is_memory && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                files.insert(entry.path());
            }
        }
        for path in files {
            self.take(path, What::Session);
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, what: What) -> Result<(), SysError> {
        match path.metadata() {
            Ok(_) => self.take(path, what),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(SysError::io("read", path, error)),
        }
        Ok(())
    }

    fn take(&mut self, path: PathBuf, what: What) {
        if self.found.iter().all(|(found, _)| *found != path) {
            self.found.push((path, what));
        }
    }

    fn look(&mut self, folder: &Path) {
        if self.looked.iter().all(|looked| looked != folder) {
            self.looked.push(folder.to_owned());
        }
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// The folders in which OpenCode may have been started: the workspace's root, and what lies between the present folder
/// and the top of its work tree.
fn folders_of_work(env: &Env) -> Vec<PathBuf> {
    let home = env.home().ok();
    let root = Workspace::of(env.current_dir(), home.as_deref()).map(|workspace| workspace.root().to_owned());
    let here = env
        .current_dir()
        .canonicalize()
        .unwrap_or_else(|_| env.current_dir().to_owned());
    let is_top = |folder: &Path| folder.join(".git").exists();
    let top = here.ancestors().position(is_top).unwrap_or(0);
    let upwards = here.ancestors().take(top + 1).map(Path::to_owned);
    let others = upwards.filter(|folder| root.as_ref().ok() != Some(folder));
    let others: Vec<PathBuf> = others.collect();
    root.into_iter().chain(others).collect()
}

fn key(folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    sha256_hex(real.as_os_str().as_bytes()).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Machine {
        _temp: tempfile::TempDir,
        root: PathBuf,
    }

    impl Machine {
        fn new() -> Self {
            let temp = tempfile::tempdir().unwrap();
            let root = temp.path().canonicalize().unwrap();
            Self { _temp: temp, root }
        }

        fn file(&self, path: &str) -> PathBuf {
            let path = self.root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(&path).unwrap();
            path
        }

        fn env(&self, folder: &str) -> Env {
            let folder = self.root.join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            Env::fixed([("HOME", self.root.join("home"))], folder)
        }

        fn store(&self, of: &str) -> String {
            let key = key(&self.root.join(of));
            format!("home/.local/share/{NAME}/workspaces/{key}")
        }
    }

    fn paths(search: &Search) -> Vec<&Path> {
        search.found.iter().map(|(path, _)| path.as_path()).collect()
    }

    #[test]
    fn the_usual_places_are_those_of_every_folder_that_opencode_may_run_in() {
        let machine = Machine::new();
        machine.file("repo/.git/HEAD");
        let env = machine.env("repo/src/deep");
        let looked = usual(&env).unwrap();
        assert_eq!((looked.found.len(), looked.looked.len()), (0, 9));
        let memory = machine.file(&format!("{}/{MEMORY}", machine.store("repo")));
        let journal = machine.file(&format!("{}/{JOURNAL}", machine.store("repo/src/deep")));
        let core = machine.file("repo/src/.opencode/memory-core/ses_a.json");
        machine.file("repo/src/.opencode/memory-core/ses_a_pressure.json");
        machine.file("repo/src/.opencode/memory-core/ses_a.txt");
        machine.file(".opencode/memory-core/above.json");
        let search = usual(&env).unwrap();
        assert_eq!(paths(&search), [memory.as_path(), &journal, &core]);
    }

    #[test]
    fn a_named_place_may_be_a_file_a_folder_or_a_workspace() {
        let machine = Machine::new();
        let env = machine.env("work");
        let memory = machine.file(&format!("{}/{MEMORY}", machine.store("work")));
        let journal = machine.file(&format!("{}/{JOURNAL}", machine.store("work")));
        let working = machine.file("work/.opencode/memory-working/ses_a.json");
        let both = [memory.as_path(), journal.as_path()];
        for folder in [
            memory.parent().unwrap(),
            &machine.root.join("home/.local/share"),
            &machine.root.join("home/.local/share/opencode-working-memory"),
            &machine
                .root
                .join("home/.local/share/opencode-working-memory/workspaces"),
        ] {
            assert_eq!(paths(&named(folder, &env).unwrap()), both, "{}", folder.display());
        }
        assert_eq!(paths(&named(&memory, &env).unwrap()), both);
        assert_eq!(paths(&named(&journal, &env).unwrap()), [journal.as_path()]);
        for folder in [".opencode", ".opencode/memory-working"] {
            assert_eq!(
                paths(&named(Path::new(folder), &env).unwrap()),
                [working.as_path()]
            );
        }
        let all = [memory.as_path(), &journal, &working];
        assert_eq!(
            paths(&named(&machine.root.join("work"), &machine.env("other")).unwrap()),
            all
        );
        assert!(named(Path::new("nothing"), &env).is_err());
    }

    #[test]
    fn a_link_among_the_session_files_is_not_followed() {
        let machine = Machine::new();
        let env = machine.env("work");
        let secret = machine.file("secret.json");
        std::fs::create_dir_all(machine.root.join("work/.opencode/memory-core")).unwrap();
        let link = machine.root.join("work/.opencode/memory-core/a.json");
        std::os::unix::fs::symlink(secret, link).unwrap();
        assert_eq!(usual(&env).unwrap().found, []);
    }
}
