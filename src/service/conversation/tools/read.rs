//! `memory_read`, `memory_tree`, `memory_search` and `memory_history`: they take no lock and change nothing.

use std::path::Path;
use std::sync::Arc;

use crate::policy::plain;
use crate::render::Scope;
use crate::store::{
    CONFLICTS, INDEX, LOCAL, PROTOCOL, Snapshot, Store, StoreError, StoredFile, built_in_protocol,
};
use crate::text::path_below;

use super::super::super::search::{Found, SearchRequest, ask};
use super::super::super::stores::{PROJECTS, projects};
use super::super::super::{LogRequest, LoggedStep, NameError, ServiceError, log};
use super::super::Conversations;
use super::memory::Present;
use super::{ToolMemory, path_of, stated_path, unknown};

/// The answer to `memory_read`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolRead {
    /// A memory.
    Memory(Box<ToolMemory>),
    /// A text of the store's own: its index, or how to write a memory.
    Text(String),
}

/// The memories of one store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolTree {
    /// The store.
    pub scope: Scope,
    /// The memories, by path.
    pub lines: Vec<TreeLine>,
}

/// A memory in the tree, each text on one line and without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLine {
    /// Its path.
    pub path: String,
    /// Characters of its body.
    pub chars: usize,
    /// Its hook.
    pub hook: String,
}

impl Conversations {
    /// Reads a memory of the first of the stores that has it, or a text of the store's own. It reads the file itself, which
    /// is never stale. `projects.md` is made as it is now.
    pub fn memory_read(&mut self, scopes: &[Scope], name: &str) -> Result<ToolRead, ServiceError> {
        let read = self.in_first(scopes, name, |store, snapshot| {
            if ![PROTOCOL, INDEX, CONFLICTS].contains(&name) {
                let stated = stated_path(name)?;
                let path = match path_of(store, snapshot, name) {
                    Ok(path) if path == stated => path,
                    // Saved a moment ago, and nobody has told of it yet.
                    Ok(_) | Err(ServiceError::Name(_)) if store.read(&stated).is_ok() => stated,
                    found => found?,
                };
                let present = match Present::read(store, snapshot, &path) {
                    Err(ServiceError::Store(StoreError::Gone { .. })) => return Err(unknown(name)),
                    present => present?,
                };
                return Ok(ToolRead::Memory(Box::new(present.shown)));
            }
            match store.read(&stated_path(name)?) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    Ok(ToolRead::Text(store.redactor().redact(&text).into_owned()))
                }
                Err(StoreError::Gone { .. }) => Err(unknown(name)),
                Err(error) => Err(error.into()),
            }
        });
        match read {
            Err(ServiceError::Name(_)) if name == PROTOCOL => {
                let hot_dir = self.settings_in_force().rules.hot_dir;
                Ok(ToolRead::Text(built_in_protocol(&hot_dir)))
            }
            Err(ServiceError::Name(_)) if name == PROJECTS => Ok(ToolRead::Text(projects(&self.context)?)),
            read => read,
        }
    }

    /// The answer of a tool with `[REDACTED:kind]` for every credential in the name of a file that it names.
    pub fn without_credentials_in_names(&mut self, answer: &str) -> String {
        let mut answer = answer.to_owned();
        for scope in self.scopes(&[Scope::Workspace, Scope::Global]) {
            let Some(store) = self.store_of(scope).get() else {
                continue;
            };
            answer = store.redactor().redact_paths(&answer, |_| false);
        }
        answer
    }

    /// The memories of these stores; below a folder alone, where one is named.
    pub fn memory_tree(
        &mut self,
        scopes: &[Scope],
        folder: Option<&str>,
    ) -> Result<Vec<ToolTree>, ServiceError> {
        let folder = folder.map(|folder| folder.trim_end_matches('/'));
        if let Some(folder) = folder {
            stated_path(&format!("{folder}/x"))?;
        }
        let mut trees = Vec::new();
        for scope in self.scopes(scopes) {
            let Some((store, snapshot)) = self.store_of(scope).snapshot()? else {
                continue;
            };
            let is_meant = |file: &&Arc<StoredFile>| {
                folder.is_none_or(|folder| Path::new(file.memory.path.as_str()).starts_with(folder))
            };
            let files = snapshot.files.iter().filter(is_meant);
            let line = |text: String| plain(&text).collect::<String>();
            let lines = files.map(|file| TreeLine {
                path: line(store.redactor().redact_path(file.memory.path.as_str())),
                chars: file.chars,
                hook: line(file.memory.hook()),
            });
            let mut lines: Vec<TreeLine> = lines.collect();
            if scope == Scope::Global && folder.is_none() {
                lines.extend(page_of_projects(store));
            }
            trees.push(ToolTree { scope, lines });
        }
        Ok(trees)
    }

    /// Searches the memories of these stores.
    pub fn memory_search(
        &mut self,
        scopes: &[Scope],
        request: &SearchRequest,
    ) -> Result<Found, ServiceError> {
        let scopes = self.scopes(scopes);
        let both = [
            (self.context.scope, &mut self.store),
            (Scope::Global, &mut self.global),
        ];
        let asked = both.into_iter().filter(|(scope, _)| scopes.contains(scope));
        let mut found = Vec::new();
        for (scope, store) in asked.take(scopes.len()) {
            found.extend(store.snapshot()?.map(|(store, files)| (scope, store, files)));
        }
        let found: Vec<_> = found
            .iter()
            .map(|(scope, store, files)| (*scope, *store, &**files))
            .collect();
        Ok(ask(&found, request))
    }

    /// The newest commits, with what each did: to one memory, or to any of these stores.
    pub fn memory_history(
        &mut self,
        scopes: &[Scope],
        name: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(Scope, LoggedStep)>, ServiceError> {
        let request = LogRequest {
            memory: name.map(str::to_owned),
            limit: Some(limit),
            since: None,
            ..LogRequest::default()
        };
        let read = |store: &Store| {
            let steps = log(store, &request)?.into_iter();
            Ok(steps
                .map(|step| (store.place().scope(), without_secrets(step, store)))
                .collect())
        };
        if let Some(name) = name {
            stated_path(name)?;
            return self.in_first(scopes, name, |store, _| read(store));
        }
        let mut steps: Vec<(Scope, LoggedStep)> = Vec::new();
        for scope in self.scopes(scopes) {
            let store = self.store_of(scope).existing()?;
            steps.append(&mut store.map_or_else(|| Ok(Vec::new()), read)?);
        }
        steps.sort_by_key(|(_, step)| std::cmp::Reverse(step.commit.time));
        steps.truncate(limit);
        Ok(steps)
    }

    /// Reads in one store after the other, up to the first that has what is meant.
    fn in_first<T>(
        &mut self,
        scopes: &[Scope],
        name: &str,
        mut read: impl FnMut(&Store, &Snapshot) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let mut missed = None;
        for scope in self.scopes(scopes) {
            let Some((store, snapshot)) = self.store_of(scope).snapshot()? else {
                continue;
            };
            match read(store, &snapshot) {
                Err(error @ ServiceError::Name(NameError::Unknown { .. })) => {
                    missed.get_or_insert(error);
                }
                done => return done,
            }
        }
        Err(missed.unwrap_or_else(|| unknown(name)))
    }

    /// The store that has a file at this whole path, and its path there.
    pub fn place_below<'p>(&mut self, path: &'p str) -> Option<(Scope, &'p str)> {
        self.scopes(&[Scope::Workspace, Scope::Global])
            .into_iter()
            .find_map(|scope| {
                let root = self.store_of(scope).get()?.root().to_str()?;
                path_below(root, path).map(|below| (scope, below))
            })
    }

    /// The stores that are meant, each once.
    pub(super) fn scopes(&self, asked: &[Scope]) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = asked.iter().map(|scope| self.scope(*scope)).collect();
        scopes.dedup();
        scopes
    }
}

/// The line of projects.md, where it was made.
fn page_of_projects(store: &Store) -> Option<TreeLine> {
    let page = store.root().join(LOCAL).join(PROJECTS).metadata().ok()?;
    Some(TreeLine {
        path: PROJECTS.to_owned(),
        chars: usize::try_from(page.len()).unwrap_or(usize::MAX),
        hook: "the workspaces of this machine with a memory".to_owned(),
    })
}

fn without_secrets(mut step: LoggedStep, store: &Store) -> LoggedStep {
    let message = &mut step.commit.message;
    let values = message.trailers.iter_mut().map(|(_, value)| value);
    for text in values.chain([&mut message.subject]) {
        *text = store.redactor().redact_line(text).into_owned();
    }
    step
}
