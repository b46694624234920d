//! The hot state of one conversation: which files it works on, which errors are open, what was decided, what is not to be
//! forgotten, what it stored since its epoch began, which numbered memories its last summary was shown. Pure: values and how events change them;
//! the file that holds them is the store's.

mod blocks;
mod context_level;
mod lists;
mod pool;
mod state;
mod working;

pub use blocks::{Block, BlockEdit, BlockRefusal, BlockRule, Blocks};
pub use context_level::{ContextFigures, ContextMeter, TokenLimits, TokenUsage};
pub use lists::{ActiveFile, ErrorStatus, OpenError, RecentDecision, SessionTodo, StoredMemory};
pub use pool::{Pool, PoolItem, PoolKind};
pub use state::{Pruning, SaidRequest, SessionState};
pub(crate) use working::GOAL;
pub use working::{SessionList, WorkingMemory};
