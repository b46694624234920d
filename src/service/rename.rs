//! Use case: give a memory another path (`mdmem mv`, `pin`, `unpin`, `archive`). A move into a type's folder changes its
//! type.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::document::{self, IndexLink, Key, KeyEdit, Value, without_links};
use crate::model::{CLAUDE_FOLDER, CLAUDE_INDEX, Kind, Memory, StorePath, Zone};
use crate::policy::{ForcedBy, Rules, restated_strength, zone};
use crate::store::{
    Description, FORGOTTEN, LeftOut, Snapshot, Store, StoreError, StoredFile, TakenPaths, free_path_in,
};
use crate::text::{counted, folded_stem};

use super::ServiceError;
use super::agents_shell::transact_by_person;
use super::change::{ARCHIVE, AskedBy, Done, Run, Transaction};
use super::create::{check_no_credential, check_no_reserved, check_not_excluded};
use super::links::{LinkMend, OldNames, folded_target, links_of_index, mends};
use super::past_memory::unstated;
use super::remove::{check_unprotected, named_paths};
use super::select_memory::Reach;

/// Where a memory goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination<'a> {
    /// A path, a folder, or a new name in the folder where it is.
    To(&'a str),
    /// The folder of the pinned notes.
    Pinned,
    /// Where it was before it was pinned or archived, else its type's folder.
    Home,
    /// The archive.
    Archive,
}

/// A memory that is renamed, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Renaming {
    /// The old path.
    pub from: StorePath,
    /// The new path.
    pub to: StorePath,
    /// The type that its file states from now on, where that changes.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// The memories whose links named it by its old path, and follow.
    pub links: Vec<StorePath>,
    /// True where it was in the running for the prompt, and is read on demand from now on.
    #[serde(skip)]
    pub leaves_prompt: bool,
    /// The others that move with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Renaming>,
}

/// Renames the memories `names`, changes the `type:` of each between type folders, and mends the links that name it by its
/// path, in one commit. Several go into one folder.
pub fn rename(
    store: &Store,
    names: &[String],
    to: Destination<'_>,
    run: Run,
) -> Result<Done<Renaming>, ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let done = transact_by_person(store, "mdmem mv", run, |tx| {
        let (first, others) = names.split_first().expect("because a command names one");
        if let (Destination::To(to), [_, ..]) = (to, others)
            && !(to.ends_with('/') || is_folder(store, tx.snapshot, to))
        {
            return Err(ServiceError::said(
                format!("`{to}` is not a folder"),
                format!("Several memories move into a folder: write `{to}/`."),
            ));
        }
        let (mut answer, mut description) = move_named(tx, first, to, AskedBy::default())?;
        for name in others {
            let (other, _) = move_named(tx, name, to, AskedBy::default())?;
            answer.others.push(other);
            description = Description {
                about: Some(counted(names.len(), "memory")),
                ..Description::op("move", "move").detail(format!("to {}/", answer.to.parent()))
            };
        }
        Ok((answer, description))
    })?;
    let all = [&done.answer].into_iter().chain(&done.answer.others);
    let forced = all.filter_map(|moved| forced_by_move(&moved.from, &moved.to, store.rules()));
    let forced = forced.last();
    if run == Run::Real
        && let Some(by) = forced
    {
        store.force_epochs(by)?;
    }
    Ok(done)
}

/// The cause for a new epoch in every session, where a move changes the way in which a memory is shown.
pub(super) fn forced_by_move(from: &StorePath, to: &StorePath, rules: &Rules) -> Option<ForcedBy> {
    match (zone(from, rules), zone(to, rules)) {
        (before, after) if before == after => None,
        (_, Zone::Pinned) => Some(ForcedBy::Promote),
        _ => Some(ForcedBy::Demote),
    }
}

/// Finds the memory `name` and the path that it gets, and moves it there.
pub(super) fn move_named(
    tx: &mut Transaction<'_>,
    name: &str,
    to: Destination<'_>,
    by: AskedBy<'_>,
) -> Result<(Renaming, Description), ServiceError> {
    let (store, snapshot) = (tx.store, tx.snapshot);
    let rules = store.rules();
    // `mv a b` means a memory that is called `a`.
    let reach = match to {
        Destination::To(_) => Reach::Whole,
        _ => Reach::Part,
    };
    let from = named_paths(snapshot, &[name.to_owned()], store, reach)?.remove(0);
    check_unprotected(store, snapshot, &from)?;
    let file = snapshot.file(&from).expect("because the snapshot has named it");
    // A move by hand says where a memory belongs; these two leave it what it is.
    let is_aside = matches!(to, Destination::Pinned | Destination::Archive);
    let in_folder = |folder: &str| target(&from, &format!("{folder}/"), |_| true);
    let to = match to {
        Destination::To(to) => target(&from, to, |folder| is_folder(store, snapshot, folder))?,
        Destination::Pinned => in_folder(&rules.hot_dir)?,
        Destination::Archive => in_folder(ARCHIVE)?,
        Destination::Home if matches!(file.zone, Zone::Pinned | Zone::Archive) => tx.home(file),
        Destination::Home => from.clone(),
    };
    check_no_reserved(&to)?;
    check_not_excluded(&to, rules)?;
    check_no_credential(to.as_str(), store.redactor())?;
    let others = snapshot.files.iter().map(|file| file.memory.path.as_str());
    let moved = tx.moves.iter().map(|(_, to)| to.as_str());
    let taken = TakenPaths::new(others.filter(|path| *path != from.as_str()).chain(moved));
    if taken.contains(to.as_str()) {
        let free = free_path_in(to.parent(), to.stem(), &taken);
        return Err(ServiceError::Taken { path: to, free });
    }
    let kind = to.first_folder().map(Kind::new);
    // A file that cannot be read stays as it is.
    let changes =
        |kind: &Kind| rules.type_rule(kind).is_some() && !file.memory.readonly && file.memory.kind != *kind;
    let kind = kind.filter(changes);
    let mut edits = kind
        .as_ref()
        .map_or_else(Vec::new, |kind| retyped(tx, file, kind));
    if is_aside {
        edits.extend(tx.unstated_type(&from)?);
    }
    tx.rename(&from, &to, &edits)?;
    let links = mend_links(tx, &mends(store, snapshot, (&from, &to), OldNames::Path))?;
    let shown = to.as_str().strip_suffix(".md").unwrap_or(to.as_str());
    let description = Description::op("move", "move")
        .about(&from)
        .detail(format!("to {shown}"));
    Ok((
        Renaming {
            leaves_prompt: zone(&to, rules) == Zone::Cold && file.zone != Zone::Cold,
            from,
            to,
            kind,
            links,
            others: Vec::new(),
        },
        by.sign(description),
    ))
}

/// The keys of a memory that gets another type, and keeps a strength that only the type gave.
fn retyped(tx: &Transaction<'_>, file: &StoredFile, kind: &Kind) -> Vec<KeyEdit> {
    let before = &file.memory;
    let after = Memory {
        kind: kind.clone(),
        ..before.clone()
    };
    let bytes = tx.store.read(&before.path).unwrap_or_default();
    let states = states_type(&before.path, &bytes);
    let kind = states.then(|| KeyEdit::Set(Key::Type, Value::Text(kind.to_string())));
    let strength = restated_strength(before, &after, tx.store.rules());
    let strength = strength.map(|strength| KeyEdit::Set(Key::Strength, Value::Number(strength)));
    kind.into_iter().chain(strength).collect()
}

/// Writes the new names of links into the files that may change, and gives these. The links in the others mean the memory
/// by its former path.
pub(super) fn mend_links(
    tx: &mut Transaction<'_>,
    links: &[LinkMend],
) -> Result<Vec<StorePath>, ServiceError> {
    let mut mended = Vec::new();
    for mend in links.iter().filter(|mend| mend.may_change) {
        let moved = tx.moves.iter().find(|(from, _)| *from == mend.path);
        let path = moved.map_or(&mend.path, |(_, to)| to).clone();
        let bytes = tx.read(&path)?;
        if let Some(new) = document::rename_links(&bytes, |target| mend.names.get(target).cloned()) {
            tx.write(&path, Some(bytes), Some(new));
            mended.push(mend.path.clone());
        }
    }
    Ok(mended)
}

/// Keeps the index of Claude Code's own memory true to what it leads to: links follow memories that move, and a line whose
/// links all lead to ones that are removed or archived goes with them, because it may repeat their words. What is forgotten
/// takes every line along that leads to it. Lines of restored ones come back. An index that no commit takes, or that is no
/// text, is left, and named.
pub(super) fn relink(tx: &mut Transaction<'_>) -> Result<Option<Result<String, LeftOut>>, ServiceError> {
    let gone = tx.files.values().filter(|file| file.new.is_none());
    let gone = gone.map(|file| (file.path.as_path(), None));
    let moves = tx.moves.iter().map(|(from, to)| {
        let is_kept = to.first_folder() != Some(ARCHIVE);
        (Path::new(from.as_str()), is_kept.then_some(to))
    });
    let fates: BTreeMap<&Path, Option<&StorePath>> = gone.chain(moves).collect();
    if fates.is_empty() && tx.index_lines.is_empty() {
        return Ok(None);
    }
    let left = |why: String| {
        let path = CLAUDE_INDEX.into();
        Ok(Some(Err(LeftOut { path, why })))
    };
    let index = StorePath::new(CLAUDE_INDEX).map_err(ServiceError::Path)?;
    let is_there = tx.store.root().join(CLAUDE_INDEX).symlink_metadata().is_ok();
    let text = match tx.read(&index).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        _ if !is_there || fates.keys().all(|path| !path.starts_with(CLAUDE_FOLDER)) => return Ok(None),
        Ok(Err(_)) => return left(format!("{CLAUDE_INDEX} is not UTF-8")),
        Err(error) => return left(error.to_string()),
    };
    let is_forgetting = tx.files.contains_key(Path::new(FORGOTTEN));
    let links = links_of_index(&text, tx.snapshot);
    let is_gone = |link: &IndexLink| fates.get(&*link.path) == Some(&None);
    let goes = |of_line: &&[IndexLink]| {
        if is_forgetting {
            of_line.iter().any(is_gone)
        } else {
            of_line.iter().all(is_gone)
        }
    };
    let of_lines = links.chunk_by(|one, other| one.line == other.line);
    let kept = without_links(text.as_bytes(), of_lines.filter(goes).flatten());
    let mut kept = String::from_utf8_lossy(&kept).into_owned();
    let mut links = links_of_index(&kept, tx.snapshot);
    // From the last one on: a link that is longer than a line may have one on a later line within it.
    links.sort_by_key(|link| Reverse(link.place.start));
    for link in links {
        if let Some(Some(to)) = fates.get(&*link.path)
            && let Some(new) = renamed(&link, &kept[link.place.clone()], to)
        {
            kept.replace_range(link.place, &new);
        }
    }
    for line in tx.index_lines.iter().filter(|line| !text.contains(*line)) {
        kept = format!("{}\n{line}\n", kept.trim_end());
    }
    if kept == text {
        return Ok(None);
    }
    let held = tx.store.safeguard(tx.snapshot)?.held_at([CLAUDE_INDEX.into()])?;
    if let Some(held) = held.into_iter().next() {
        return left(StoreError::Held(held).to_string());
    }
    tx.write(CLAUDE_INDEX, Some(text.into_bytes()), Some(kept.into_bytes()));
    Ok(Some(Ok(CLAUDE_INDEX.to_owned())))
}

/// What a link of the index says once its memory is at `to`; a name that is not that of its file means it anyway.
fn renamed(link: &IndexLink, said: &str, to: &StorePath) -> Option<String> {
    let inside = Path::new(to.as_str()).strip_prefix(CLAUDE_FOLDER).ok();
    let inside = inside.map(|inside| inside.display().to_string());
    let new = match &link.name {
        Some(name) => {
            let is_its_file = folded_target(name) == folded_stem(link.path.file_stem()?.to_str()?);
            let new = inside.unwrap_or_else(|| to.to_string());
            return is_its_file.then(|| new.trim_end_matches(".md").to_owned());
        }
        None if said.starts_with('/') => format!("/{to}"),
        None => inside.unwrap_or_else(|| format!("../{to}")),
    };
    Some(new.replace(' ', "%20"))
}

/// The path that a memory at `from` gets by `to`: a path, a folder, or a new name in the folder where it is.
fn target(from: &StorePath, to: &str, is_folder: impl Fn(&str) -> bool) -> Result<StorePath, ServiceError> {
    let trimmed = to.trim_end_matches('/');
    let name = trimmed.strip_suffix(".md").unwrap_or(trimmed);
    let path = if to.ends_with('/') || is_folder(trimmed) {
        format!("{trimmed}/{}.md", from.stem())
    } else if trimmed.contains('/') || trimmed.ends_with(".md") {
        format!("{name}.md")
    } else {
        format!("{}/{name}.md", from.parent())
            .trim_start_matches('/')
            .to_owned()
    };
    StorePath::new(&path).map_err(ServiceError::Path)
}

/// True for a folder that there is, or that means something.
fn is_folder(store: &Store, snapshot: &Snapshot, name: &str) -> bool {
    let rules = store.rules();
    let means = [&rules.hot_dir, "archive"].contains(&name) || rules.type_rule(&Kind::new(name)).is_some();
    let mut paths = snapshot.files.iter().map(|file| file.memory.path.as_str());
    means || paths.any(|path| path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
}

/// True when a file states its type, rather than having that of its folder: a folder of no known type would show through.
pub(super) fn states_type(path: &StorePath, bytes: &[u8]) -> bool {
    let folder = Kind::new("\u{0}");
    document::parse(path, bytes, Some(&folder), unstated).memory.kind != folder
}
