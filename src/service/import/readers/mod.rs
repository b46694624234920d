//! The meaning of each form: a source becomes entries, a file for each form.

pub(super) mod basic_memory;
pub(super) mod engram;
pub(super) mod markdown;
pub(super) mod memfs;
pub(super) mod working_memory;

#[cfg(test)]
mod tests;
