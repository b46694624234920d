//! One function per use case, with its request and its response; every host calls these.

mod select_memory;

pub use select_memory::{NameError, Named, select_memory};
