//! The meaning of each form: a source becomes entries, a file for each kind of source.

pub(super) mod markdown;
pub(super) mod memfs;
pub(super) mod records;
pub(super) mod working_memory;

#[cfg(test)]
mod tests;
