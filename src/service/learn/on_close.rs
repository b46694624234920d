//! A conversation that has just ended (`passes.on_close`): another process asks about it, because the agent waits for
//! nobody by then.

use std::ffi::OsStr;
use std::path::Path;

use crate::sys::start_own_program;

use super::super::{Context, ServiceError, passes};
use super::PassTimer;

/// Has the program of `passes.command` asked about a conversation that ended, where the person wants that and no pause
/// after a failure is on. Waits for nothing.
pub fn learn_on_close(context: &Context, transcript: &Path, session: &str) -> Result<(), ServiceError> {
    let passes = context.settings().passes;
    if !passes.on_close || passes.command.is_empty() || !PassTimer::is_wanted(context) {
        return Ok(());
    }
    let store = context.open_existing()?;
    if store.is_some_and(|store| passes::is_waiting(&store)) {
        return Ok(());
    }
    let args = [
        OsStr::new("learn"),
        OsStr::new("--transcript"),
        transcript.as_os_str(),
    ];
    let session = [OsStr::new("--session"), OsStr::new(session)];
    Ok(start_own_program(
        &[&args[..], &session].concat(),
        context.env.current_dir(),
    )?)
}
