//! What a new user does wrong and what an enemy does on purpose, through the real binary.

mod files;
mod loss;
mod machine;
mod names;
mod places;
mod prompt;
mod settings;
mod stores;
