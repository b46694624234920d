//! Stores that meet over a remote, each remote a real one: a folder, git's own daemon, HTTP, ssh.

mod exchange;
mod faults;
mod forgetting;
mod http;
mod machine;
mod remote;
mod remotes;
mod ssh;
mod transfers;
