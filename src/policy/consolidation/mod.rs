//! Settles memories that are one (consolidation.md): which one stays, what it takes from the others, and what
//! happens to their files. When two are one is in [`super::likeness`].

mod contest;
mod duplicates;
mod file_fate;
mod standing;
#[cfg(test)]
mod tests;
mod tidy;

pub use contest::prevails;
pub(super) use contest::strongest;
pub use duplicates::{Duplicate, duplicates, related};
pub use file_fate::FileFate;
pub(super) use file_fate::adds_nothing;
pub use standing::Standing;
pub use tidy::{Absorption, Consolidation, tidy};
