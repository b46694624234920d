//! Use case: the names that a shell completes. Nothing is written, locked or started, and no name that holds what looks
//! like a credential is among them.

use std::collections::BTreeMap;

use super::check::known_types;
use super::{Chosen, Context, KeptConversations, ServiceError, settings};
use crate::model::StorePath;
use crate::store::{FileRole, Registry, Store, role};
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

/// A name that a shell may complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The name.
    pub name: String,
    /// A few words that tell it from others; may be empty.
    pub about: String,
}

impl From<String> for Completion {
    fn from(name: String) -> Self {
        let about = String::new();
        Self { name, about }
    }
}

/// The names of a class that begin with `start`.
pub fn completions(
    context: &Context,
    what: Completable,
    start: &str,
) -> Result<Vec<Completion>, ServiceError> {
    let begins = |name: &String| name.starts_with(start);
    let names = match what {
        Completable::Setting => keys(context)?
            .into_iter()
            .filter(begins)
            .map(Into::into)
            .collect(),
        Completable::Type => types(context)?
            .into_iter()
            .filter(begins)
            .map(Into::into)
            .collect(),
        Completable::Store => stores(context)?
            .into_iter()
            .filter(|store| begins(&store.name))
            .collect(),
        Completable::Conversation => conversations(context)?
            .into_iter()
            .filter(|conversation| begins(&conversation.name))
            .collect(),
        Completable::Memory => match context.open_existing()? {
            Some(store) => memories(&store, start)?,
            None => Vec::new(),
        },
        Completable::Revision => match context.open_existing()? {
            Some(store) => revisions(&store, start)?,
            None => Vec::new(),
        },
    };
    Ok(names)
}

/// The paths that begin with `start`, and the slugs where nothing but a slug can be meant. A slug that several memories
/// have is no name.
fn memories(store: &Store, start: &str) -> Result<Vec<Completion>, ServiceError> {
    let files = store.scan()?.files;
    let paths = files.iter().filter_map(|file| match role(&file.path) {
        FileRole::Memory(path) => Some(path),
        _ => None,
    });
    let paths: Vec<StorePath> = paths.collect();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let is_slug = !start.is_empty() && !start.contains('/');
    for path in &paths {
        if path.as_str().starts_with(start) {
            names.insert(path.to_string(), 1);
        }
        if is_slug && path.stem().starts_with(start) {
            *names.entry(path.stem().to_owned()).or_default() += 1;
        }
    }
    let is_safe = |name: &String| store.redactor().find_in_name(name).is_empty();
    let names = names
        .into_iter()
        .filter(|(_, count)| *count == 1)
        .map(|(name, _)| name);
    Ok(names.filter(is_safe).map(Into::into).collect())
}

fn revisions(store: &Store, start: &str) -> Result<Vec<Completion>, ServiceError> {
    let commits = store.repo().first_parents(MOST_REVISIONS)?.into_iter();
    let named = commits.map(|commit| Completion {
        name: commit.oid.short(),
        about: store.redactor().redact_line(&commit.message.subject).into_owned(),
    });
    Ok(named.filter(|commit| commit.name.starts_with(start)).collect())
}

fn keys(context: &Context) -> Result<Vec<String>, ServiceError> {
    let settings = settings(context)?.settings.all();
    Ok(settings.into_iter().map(|setting| setting.key).collect())
}

fn types(context: &Context) -> Result<Vec<String>, ServiceError> {
    let settings = settings(context)?.settings;
    Ok(known_types(&settings.rules))
}

fn conversations(context: &Context) -> Result<Vec<Completion>, ServiceError> {
    let chosen = Chosen {
        all: false,
        subagents: true,
    };
    let found = KeptConversations::open(context)?
        .conversations(chosen)?
        .into_iter();
    let named = found.map(|conversation| Completion {
        name: conversation.id,
        about: conversation.title,
    });
    Ok(named.collect())
}

fn stores(context: &Context) -> Result<Vec<Completion>, ServiceError> {
    let home = context.home()?;
    let registry = Registry::read(&home)?;
    let redactor = Redactor::standard();
    let named = registry.places(&home).into_iter().map(|place| Completion {
        name: registry
            .by_key(&place.key)
            .map_or(place.key.clone(), |known| known.name.clone()),
        about: redactor.redact_line(&place.describe()).into_owned(),
    });
    Ok(named
        .filter(|store| redactor.find_in_name(&store.name).is_empty())
        .collect())
}
