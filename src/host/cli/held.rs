//! A file that is held because of what looks like a credential, as lines.

use std::io;

use super::ui::{Ui, harmless_line};
use crate::host::errors::held_hint;
use crate::service::Held;

/// `decision/a.md is not committed: it holds what looks like a credential: password (line 3)`.
pub(crate) fn held_line(held: &Held) -> String {
    format!(
        "{} is not committed: it holds what looks like a credential: {}",
        harmless_line(&held.path.to_string_lossy()),
        held.describe()
    )
}

/// Says that files are held, and what to do.
pub(crate) fn tell_held(held: &[Held], ui: &mut Ui) -> io::Result<()> {
    for held in held {
        ui.warning(&held_line(held))?;
        ui.hint(&held_hint(held))?;
    }
    Ok(())
}
