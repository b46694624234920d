//! The mistakes of a new user and the attacks of an enemy, through the real binary.

mod files;
mod loss;
mod machine;
mod names;
mod places;
mod prompt;
mod settings;
mod stores;
