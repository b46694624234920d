//! The hot state of one conversation: which files it works on, which errors are open, what was decided, what is not to be
//! forgotten, what it stored since its epoch began, which numbered memories its last summary was shown. Pure: values and how events change them;
//! the file that holds them is the store's.

mod active_file;
mod open_error;
mod recent_decision;
mod state;
mod stored_memory;
mod todo;

pub use active_file::ActiveFile;
pub use open_error::{ErrorReport, ErrorStatus, OpenError};
pub use recent_decision::RecentDecision;
pub use state::SessionState;
pub use stored_memory::StoredMemory;
pub use todo::SessionTodo;
