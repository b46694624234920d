//! Through the real OpenCode: what the model is shown and what the server is told, in every kind of trouble.
//!
//! `npm ci --prefix tests/opencode` installs the client. The model is a script (`model.mjs`), and nothing leaves the
//! machine.

mod commands;
mod context;
mod conversation;
mod day;
mod driver;
mod fake;
mod machines;
mod main_job;
mod package;
mod passes;
mod plantings;
mod protocol;
mod pruning;
mod tools;
mod trouble;
mod working;
