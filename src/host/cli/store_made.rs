//! What a command says when it made the store.

use std::io;

use super::ui::{Ui, harmless_line};
use crate::service::{Creation, Store};

/// Says where a store was made, or that it was found again; nothing where it was there already.
pub(crate) fn tell_creation(store: &Store, creation: &Creation, ui: &mut Ui) -> io::Result<()> {
    if *creation == Creation::Existed {
        return Ok(());
    }
    ui.notice(&creation_line(store, creation))
}

/// What became of the store, in one line.
pub(crate) fn creation_line(store: &Store, creation: &Creation) -> String {
    let root = harmless_line(&store.root().to_string_lossy());
    let place = store.place();
    let whose = match &place.workspace {
        Some(workspace) => format!(
            "the store of {}",
            harmless_line(&workspace.root().to_string_lossy())
        ),
        None => format!("the {} store", harmless_line(&place.key)),
    };
    match creation {
        Creation::Existed => format!("{whose} is in {root}"),
        Creation::Created => format!("created {whose} in {root}"),
        Creation::Relinked { from } => {
            let from = harmless_line(&from.to_string_lossy());
            format!("{whose} is in {root}: the workspace was {from} before")
        }
    }
}
