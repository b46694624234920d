//! What a person does on a page: the use cases of the command line, so that each change is a commit that can be undone.

use std::collections::BTreeMap;

use super::{DEFERRED, HELD, edited, revision};
use crate::git::Repo;
use crate::model::Oid;
use crate::render::{self, Scope};
use crate::service::{
    Changed, Context, Destination, Keep, Point, Run, ServiceError, UndoneChange, accept, accept_memory,
    allow, dismiss, forget, original, rename, restore, save, settle, undo, verify, what_to_restore,
};
use crate::store::{CommitOutcome, Place, Registry};

/// What became of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acted {
    /// It is done: the page that shows it, below the store's, with the commit.
    Done(String),
    /// A newer text met the one that was to be saved: the page shows both.
    Newer {
        /// The page of the memory, below the store's.
        page: String,
        /// The text that was not saved.
        draft: String,
    },
    /// The memory is no longer at its path: the text that was not saved.
    Moved(String),
}

/// Does what the form `action` of a page of this store asks for; `None`: there is no such form.
pub fn act(
    context: &Context,
    store: &str,
    action: &str,
    fields: &BTreeMap<String, String>,
) -> Result<Option<Acted>, ServiceError> {
    let context = Context {
        scope: Scope::Workspace,
        store: Some(store.to_owned()),
        ..context.clone()
    };
    let store = context.open()?;
    let field = |name: &str| fields.get(name).map_or("", String::as_str);
    let (path, names) = (field("path"), [field("path").to_owned()]);
    let point = |text: &str| Point {
        text: text.to_owned(),
        time: None,
    };
    let moved = |to| {
        let done = rename(&store, &names, to, Run::Real)?;
        Ok::<_, ServiceError>((memory(done.answer.to.as_str()), done.changed))
    };
    let (page, changed) = match action {
        "pin" => moved(Destination::Pinned)?,
        "unpin" => moved(Destination::Home)?,
        "archive" => moved(Destination::Archive)?,
        "verify" => (memory(path), verify(&context, &store, path, Run::Real)?.changed),
        "forget" => {
            let done = forget(&context, &store, &names, Run::Real)?;
            ("memories.html".to_owned(), done.changed)
        }
        "restore" => {
            let what = what_to_restore(&store, &[point(field("point")), point(path)])?;
            (memory(path), restore(&store, &what, Run::Real)?.changed)
        }
        "undo" => {
            let done = undo(&context, &store, UndoneChange::Named(field("commit")), Run::Real)?;
            ("history.html".to_owned(), done.changed)
        }
        "settle" => {
            let keep = match field("keep") {
                "ours" => Keep::Ours,
                "theirs" => Keep::Theirs,
                _ => Keep::Both,
            };
            (
                review(),
                settle(&context, &store, field("name"), keep, Run::Real)?.changed,
            )
        }
        "accept" => match field("number").parse() {
            Ok(number) => (review(), accept(&store, &context.ids, number, Run::Real)?.changed),
            Err(_) => (review(), accept_memory(&store, path, Run::Real)?.changed),
        },
        "dismiss" => {
            dismiss(&store, field("number"))?;
            (review(), Changed::default())
        }
        "allow" => (review(), allow(&store, &names)?.changed),
        "edit" => {
            let before = original(&store, path)?;
            if before.is_new || before.path.as_str() != path {
                return Ok(Some(Acted::Moved(field("text").to_owned())));
            }
            let text = edited(&before.bytes, field("text"));
            let is_newer = |bytes: &[u8]| revision(bytes) != field("rev");
            let saved = match () {
                () if is_newer(&before.bytes) => None,
                () if text == before.bytes => Some(Changed::default()),
                () => match save(&store, &before, &text) {
                    Ok(changed) => Some(changed),
                    // Somebody else was faster since.
                    Err(_) if original(&store, path).is_ok_and(|now| is_newer(&now.bytes)) => None,
                    Err(error) => return Err(error),
                },
            };
            match saved {
                Some(changed) => (memory(path), changed),
                None => {
                    return Ok(Some(Acted::Newer {
                        page: memory(path),
                        draft: field("text").to_owned(),
                    }));
                }
            }
        }
        _ => return Ok(None),
    };
    let done = match &changed.outcome {
        CommitOutcome::Committed { oid, .. } => format!("?done={oid}"),
        CommitOutcome::Held(_) => format!("?done={HELD}"),
        CommitOutcome::Deferred(_) => format!("?done={DEFERRED}"),
        CommitOutcome::Nothing => String::new(),
    };
    Ok(Some(Acted::Done(page + &done)))
}

fn memory(path: &str) -> String {
    format!("memory/{}.html", render::address(path))
}

fn review() -> String {
    "review.html".to_owned()
}

/// The commits that the stores of this machine are at, by the names of the stores: another one of a store means that it
/// has changed.
pub fn heads(context: &Context) -> Result<BTreeMap<String, Oid>, ServiceError> {
    let home = context.home()?;
    let places = Registry::read(&home)?.places(&home);
    let head = |place: Place| {
        let tip = Repo::open(&place.root).ok()?.head().ok()?.tip()?;
        Some((place.name, tip))
    };
    Ok(places.into_iter().filter_map(head).collect())
}
