//! Links that mean no memory, or several: a part of what `mdmem check` finds.

use std::collections::BTreeMap;

use crate::document::links;
use crate::model::{Diagnostic, Id, StorePath};
use crate::service::NameError;
use crate::service::links::{LinkTargets, may_link};
use crate::service::select_memory::nearest;
use crate::store::Snapshot;

/// Finds the links that mean no memory, or several.
pub(super) fn lost_links(
    snapshot: &Snapshot,
    bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>,
) -> Vec<Diagnostic> {
    let mut linking = snapshot.files.iter().filter(|file| may_link(file)).peekable();
    if linking.peek().is_none() {
        return Vec::new();
    }
    let targets = LinkTargets::new(&snapshot.files);
    let is_other = |target: &str| snapshot.others.iter().any(|other| other.path.ends_with(target));
    let mut suggestions = BTreeMap::new();
    let mut lost = Vec::new();
    for file in linking {
        let path = &file.memory.path;
        let links = bytes_of(path).map(|bytes| links(&bytes)).unwrap_or_default();
        let told = links.into_iter().filter_map(|link| {
            let error = targets.find(&link.target).err()?;
            let finding = match error {
                NameError::Ambiguous { candidates, .. } => ambiguous_link(path, &link.target, &candidates),
                _ if is_other(&link.target) => return None,
                _ => dangling_link(path, &link.target, snapshot, &mut suggestions),
            };
            Some(Diagnostic {
                line: Some(link.line),
                ..finding
            })
        });
        lost.extend(Diagnostic::first_of(told));
    }
    lost
}

fn ambiguous_link(path: &StorePath, target: &str, candidates: &[(StorePath, Id)]) -> Diagnostic {
    let first: Vec<&str> = candidates.iter().take(3).map(|(path, _)| path.as_str()).collect();
    let count = candidates.len();
    let message = format!(
        "links to [[{}]], which names {count} memories: {}",
        beginning(target),
        first.join(", ")
    );
    let path_of_first = first.first().copied().unwrap_or(target);
    let mend = format!("Use a path, such as [[{path_of_first}]].");
    Diagnostic::note("ambiguous-link", path, message, mend)
}

/// As much of a name as a message quotes.
fn beginning(target: &str) -> String {
    target.chars().take(80).collect()
}

/// `suggestions` keeps the nearest name of each target, because many links may lack one memory; a search through every
/// name takes long, so that after a number of targets there is none.
fn dangling_link(
    path: &StorePath,
    target: &str,
    snapshot: &Snapshot,
    suggestions: &mut BTreeMap<String, Option<StorePath>>,
) -> Diagnostic {
    const SEARCHES: usize = 50;
    if suggestions.len() < SEARCHES && !suggestions.contains_key(target) {
        let paths = snapshot.files.iter().map(|file| &file.memory.path);
        suggestions.insert(target.to_owned(), nearest(target, paths).into_iter().next());
    }
    let mend = match suggestions.get(target) {
        Some(Some(near)) => format!("Did you mean [[{}]]?", near.as_str().trim_end_matches(".md")),
        _ => "Fix the name: use a path, a file name without .md, a title, an alias or an id.".to_owned(),
    };
    let message = format!("links to [[{}]], which does not exist", beginning(target));
    Diagnostic::note("dangling-link", path, message, mend)
}
