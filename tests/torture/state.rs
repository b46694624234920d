//! The state of a machine, as far as two runs of a command have to agree on it.

use std::collections::BTreeMap;

use crate::env::{Repository, TestEnv};

/// The content of the store: the tree of HEAD with what is made anew each time left out, and what git says is not committed;
/// and what lies beside it: the files of the workspace, the folders of the stores, and the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) tree: BTreeMap<String, String>,
    pub(super) status: String,
    pub(super) beside: BTreeMap<String, String>,
}

impl State {
    pub(super) fn of(env: &TestEnv) -> Self {
        let repository = Repository::of(env);
        let mut tree = BTreeMap::new();
        for path in repository
            .git(&["ls-tree", "-r", "-z", "--name-only", "HEAD"])
            .split_terminator('\0')
        {
            if path != "project/next.md" {
                let text = repository.committed(path).unwrap();
                tree.insert(path.to_owned(), without_made_anew(&text));
            }
        }
        Self {
            tree,
            status: repository.status(),
            beside: beside(env),
        }
    }
}

/// The files beside a store, the folders of the stores, and the registry.
pub(super) fn beside(env: &TestEnv) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let registry = env.mdmem_home().join("registry.toml");
    if let Ok(text) = std::fs::read_to_string(registry) {
        found.insert("registry.toml".to_owned(), text);
    }
    for stores in ["workspaces", "archived"] {
        let entries = std::fs::read_dir(env.mdmem_home().join(stores))
            .into_iter()
            .flatten();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            found.insert(format!("{stores}/{name}"), String::new());
        }
    }
    let workspace = env.workspace();
    for entry in walkdir::WalkDir::new(&workspace).into_iter().flatten() {
        if entry.file_type().is_file() {
            let text = String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned();
            let path = entry.path().strip_prefix(&workspace).unwrap();
            found.insert(path.display().to_string(), without_made_anew(&text));
        }
    }
    found
}

/// A memory without its id and its times, and a line of `forgotten` without its token, which are others each time.
fn without_made_anew(text: &str) -> String {
    let is_made_anew = |line: &&str| {
        let keys = [
            "id:",
            "created:",
            "updated:",
            "modified:",
            "mdmem_seal:",
            "reinforced:",
            "clock:",
        ];
        !keys.iter().any(|key| line.starts_with(key))
    };
    let known = |line: &'_ str| match line.split(' ').collect::<Vec<_>>()[..] {
        ["forget", .., hash] if hash.len() == 64 => hash.to_owned(),
        _ => line.to_owned(),
    };
    let mut lines: Vec<String> = text.lines().filter(is_made_anew).map(known).collect();
    if text.starts_with("forget ") {
        lines.sort_unstable();
    }
    let text = lines.join("\n");
    text.strip_prefix("---\n---\n")
        .map_or(text.clone(), str::to_owned)
}
