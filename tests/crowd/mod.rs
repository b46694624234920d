//! Many at a time on one store, and one who does not stop.

mod many_processes;
mod steady_writer;
