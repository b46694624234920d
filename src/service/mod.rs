//! One function per use case, with its request and its response; every host calls these.

mod add;
mod background;
mod change;
mod context;
mod create;
mod edit;
mod epoch;
mod error;
mod point;
mod prompt;
mod remove;
mod rename;
mod resolve;
mod restore;
mod select_memory;
mod sweep;
mod tidy;
mod undo;
mod undo_choice;
mod watch;

pub use add::{AddRequest, Added, Reinforced, add};
pub use background::Background;
pub use change::{Aftermath, Changed};
pub use context::Context;
pub use create::{Created, InstallState, Installed, create};
pub use edit::{Draft, Edited, draft, save, validate};
pub use epoch::{PromptServer, ServedPrompt, SessionRequest};
pub use error::ServiceError;
pub use point::Point;
pub use prompt::{OpenStores, PromptFate, PromptRequest, RenderedPrompt, render_prompt};
pub use remove::{RemoveRequest, Removed, plan_removal, remove};
pub use rename::{RenameRequest, Renaming, plan_rename, rename};
pub use resolve::{commit_at, resolve_point};
pub use restore::{RestoreRequest, Restored, plan_restore, restore};
pub use select_memory::{NameError, Named, select_memory};
pub use sweep::{Swept, plan_sweep, sweep};
pub use tidy::{Tidied, TidyStep, plan_tidy, tidy};
pub use undo::{UndoDirection, Undone, plan_undo, undo};
pub use watch::{Continue, WatchReport, watch};

pub use crate::policy::ContextUse;
pub use crate::store::MassDeletion;
