//! The main job, through the real OpenCode: what the model is shown, in every kind of trouble.
//!
//! `npm ci --prefix tests/opencode` installs the client. The model is a script (`model.mjs`), and nothing leaves the
//! machine.

mod driver;
mod main_job;
mod trouble;
