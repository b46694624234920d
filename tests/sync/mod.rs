//! Stores that meet over a remote, each remote a real one: a folder, git's own daemon, HTTP, ssh.

mod all_stores;
mod attacker;
pub(crate) mod auto;
mod beside;
mod by_hand;
mod conflicts;
mod day;
mod exchange;
mod faults;
mod forgetting;
mod full;
mod hidden_files;
mod http;
mod incoming;
mod machine;
mod pair;
pub(crate) mod remote;
mod remotes;
mod secrets;
mod ssh;
mod transfers;
mod trust;
mod undoing;
