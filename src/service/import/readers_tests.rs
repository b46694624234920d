//! Each form, by texts in the shape that its tool writes.

use std::path::{Path, PathBuf};

use super::working_memory::{JOURNAL, MEMORY, NAME, key};
use crate::render::Scope;
use crate::service::import::{FORMS, ImportRequest, Incoming, Wanted, read_import};
use crate::service::{Context, ServiceError};
use crate::sys::Env;

/// A machine with a home and folders below one.
struct Machine {
    _temp: tempfile::TempDir,
    root: PathBuf,
}

impl Machine {
    fn with(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let machine = Self { _temp: temp, root };
        for (path, text) in files {
            machine.file(path, text);
        }
        machine
    }

    fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        crate::sys::write_durable(&path, text.as_bytes()).unwrap();
        path
    }

    /// Imports a path in this folder.
    fn import(
        &self,
        folder: &str,
        form: &str,
        path: Option<&Path>,
        wanted: Wanted,
    ) -> Result<Incoming, ServiceError> {
        let folder = self.root.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let env = Env::fixed([("HOME", self.root.join("home"))], folder);
        let context = Context::real(env, Scope::Workspace, Vec::new()).unwrap();
        let request = ImportRequest {
            path: path.map(Path::to_owned),
            form: FORMS
                .iter()
                .find(|(name, ..)| *name == form)
                .map(|(.., form)| *form),
            wanted,
            ..ImportRequest::default()
        };
        read_import(&context, &request)
    }
}

#[test]
fn opencode_memfs_has_a_pinned_folder_of_its_own_name() {
    for (settings, pinned) in [
        (r#"{"hotDir": "./hot/"}"#, "system/a.md"),
        (r#"{"hotDir": ""}"#, "hot/a.md"),
        ("{", "hot/a.md"),
    ] {
        let machine = Machine::with(&[
            ("memfs.json", settings),
            ("memory/hot/a.md", "x"),
            ("memory/hot/projects.md", "x"),
            ("memory/system/projects.md", "x"),
        ]);
        let entries = machine.import(
            "app",
            "opencode-memfs",
            Some(&machine.root.join("memory")),
            Wanted::Notes,
        );
        assert_eq!(entries.unwrap().entries[0].path, pinned, "{settings}");
    }
}

#[test]
fn a_named_place_may_be_a_file_a_folder_or_a_workspace() {
    let machine = Machine::with(&[("work/x", "")]);
    let key = key(&machine.root.join("work"));
    let store = format!("home/.local/share/{NAME}/workspaces/{key}");
    let file = |name: &str| machine.file(&format!("{store}/{name}"), r#"{"entries": []}"#);
    let (memory, journal) = (file(MEMORY), file(JOURNAL));
    let found = |here: &str, path: &Path| {
        let read = machine.import(here, NAME, Some(path), Wanted::Notes);
        read.map(|incoming| incoming.files)
    };
    let both = [memory.clone(), journal.clone()];
    let data = machine.root.join("home/.local/share");
    for folder in [
        memory.parent().unwrap().to_owned(),
        data.join(NAME),
        data.join(NAME).join("workspaces"),
        memory.clone(),
    ] {
        assert_eq!(found("work", &folder).unwrap(), both, "{}", folder.display());
    }
    assert_eq!(found("work", &journal).unwrap(), std::slice::from_ref(&journal));
    let work = machine.root.join("work");
    assert_eq!(found("other", &work).unwrap(), [memory, journal]);
    assert!(found("work", Path::new("nothing")).is_err());
}
