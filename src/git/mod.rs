//! One repository: a small facade over git2, whose types do not leave this module.

mod message;
mod paths;

pub use message::{Message, shown_name, trailer};
