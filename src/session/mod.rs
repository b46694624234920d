//! The hot state of one conversation: which files it works on, which errors are open, what was decided, what is not to be
//! forgotten, what it stored since its epoch began, which numbered memories its last summary was shown. Pure: values and how events change them;
//! the file that holds them is the store's.

mod active_file;
mod blocks;
mod context_level;
mod open_error;
mod pool;
mod pruning;
mod recent_decision;
mod state;
mod stored_memory;
mod todo;
mod working;

pub use active_file::ActiveFile;
pub use blocks::{BlockEdit, BlockRefusal, BlockRule, Blocks};
pub use context_level::{ContextFigures, ContextMeter, TokenLimits, TokenUsage};
pub use open_error::{ErrorReport, ErrorStatus, OpenError};
pub use pool::{Pool, PoolItem, PoolKind};
pub use pruning::Pruning;
pub use recent_decision::RecentDecision;
pub use state::SessionState;
pub use stored_memory::StoredMemory;
pub use todo::SessionTodo;
pub(crate) use working::GOAL;
pub use working::{SessionList, WorkingMemory};
