//! Conversations over the protocol of `mdmem serve`, without a host's program: what is heard, learned, kept and given.

mod bounded;
mod clock;
mod commands;
mod compaction;
pub(crate) mod context;
mod crowd;
mod forgetting;
mod global;
mod handover;
mod home;
mod hostile;
mod hostile_calls;
mod hot;
mod hot_dir;
mod leave;
mod messages;
mod prompt;
mod protection;
mod pruning;
mod refusals;
pub(crate) mod server;
mod spool;
mod state;
mod tools;
mod wishes;
mod working;
