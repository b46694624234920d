//! Hosts only translate: the command line, and the protocol of the OpenCode plugin.

pub mod cli;
pub mod serve;
