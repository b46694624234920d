//! Use case: the names that a shell completes. Nothing is written, locked or started, and no name that holds what looks
//! like a credential is among them.

use std::collections::BTreeMap;

use super::check::known_types;
use super::{Chosen, Context, KeptConversations, ServiceError, settings, stores};
use crate::store::{FileRole, Store, role};
use crate::text::Redactor;

/// The number of revisions that are offered.
const MOST_REVISIONS: usize = 200;

/// A class of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completable {
    /// Memories, by path and by slug.
    Memory,
    /// Types of memories.
    Type,
    /// Keys of settings.
    Setting,
    /// The latest commits.
    Revision,
    /// Stores of this machine.
    Store,
    /// Conversations of this workspace that a host keeps.
    Conversation,
}

/// The names of a class that begin with `start`, each with a few words that tell it from others, which may be empty.
pub fn completions(
    context: &Context,
    what: Completable,
    start: &str,
) -> Result<Vec<(String, String)>, ServiceError> {
    let alone = |name: String| (name, String::new());
    let redactor = Redactor::standard();
    let mut names: Vec<(String, String)> = match what {
        Completable::Setting => {
            let all = settings(context)?.settings.all().into_iter();
            all.map(|setting| alone(setting.key)).collect()
        }
        Completable::Type => {
            let types = known_types(&settings(context)?.settings.rules).into_iter();
            types.map(alone).collect()
        }
        Completable::Store => {
            let all = stores(context)?.into_iter();
            all.map(|store| {
                let workspace = store.workspace.map(|folder| folder.display().to_string());
                let about = redactor.redact_line(&workspace.unwrap_or_default()).into_owned();
                (store.name, about)
            })
            .collect()
        }
        Completable::Conversation => {
            let chosen = Chosen {
                all: false,
                subagents: true,
            };
            let found = KeptConversations::open(context)?
                .conversations(chosen)?
                .into_iter();
            found.map(|found| (found.id, found.title)).collect()
        }
        Completable::Memory => match context.open_existing()? {
            Some(store) => memories(&store, start)?.into_iter().map(alone).collect(),
            None => Vec::new(),
        },
        Completable::Revision => match context.open_existing()? {
            Some(store) => {
                let subject = |subject: &str| store.redactor().redact_line(subject).into_owned();
                let commits = store.repo().first_parents(MOST_REVISIONS)?.into_iter();
                commits
                    .map(|commit| (commit.oid.short(), subject(&commit.message.subject)))
                    .collect()
            }
            None => Vec::new(),
        },
    };
    names.retain(|(name, _)| name.starts_with(start) && redactor.find_in_name(name).is_empty());
    Ok(names)
}

/// The paths, and the slugs where nothing but a slug can be meant. A slug that several memories have is no name.
fn memories(store: &Store, start: &str) -> Result<Vec<String>, ServiceError> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for file in store.scan()?.files {
        let FileRole::Memory(path) = role(&file.path) else {
            continue;
        };
        if !start.is_empty() && !start.contains('/') {
            *names.entry(path.stem().to_owned()).or_default() += 1;
        }
        names.insert(path.to_string(), 1);
    }
    let is_safe = |name: &String| store.redactor().find_in_name(name).is_empty();
    let names = names.into_iter().filter(|(_, count)| *count == 1);
    Ok(names.map(|(name, _)| name).filter(is_safe).collect())
}
