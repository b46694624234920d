//! Conversations over the protocol of `mdmem serve`, without a host's program: what is heard, learned, kept and given.

mod bounded;
mod commands;
mod compaction;
mod crowd;
mod diag;
mod forgetting;
mod global;
mod handover;
mod home;
mod hostile;
mod hostile_calls;
mod hot;
mod messages;
mod prompt;
mod protection;
mod refusals;
pub(crate) mod server;
mod spool;
mod state;
mod tools;
mod wishes;
