//! Prints what an agent would be told in a folder, now and in thirty days.
//!
//! `cargo run --example prompt -- FOLDER`

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example is a program of its own"
)]

use std::path::Path;

use mdmem::model::Timestamp;
use mdmem::render::Scope;
use mdmem::service::{Context, PromptRequest, render_prompt};
use mdmem::sys::Env;

const THIRTY_DAYS: i64 = 30 * 24 * 60 * 60 * 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let env = Env::real()?.in_folder(Path::new(&folder));
    let context = Context::real(env, Scope::Workspace, Vec::new())?;

    let now = render_prompt(&context, &PromptRequest::default())?;
    println!("now:\n{}\n", now.text);

    let later = Timestamp::from_millis(now.now.as_millis() + THIRTY_DAYS);
    let then = render_prompt(
        &context,
        &PromptRequest {
            at: Some(later),
            ..PromptRequest::default()
        },
    )?;
    println!("in thirty days:\n{}", then.text);
    Ok(())
}
