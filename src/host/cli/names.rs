//! A name that means several memories, or one of the global store: a person at a terminal chooses, everybody else is told.

use std::io;
use std::process::ExitCode;

use super::ask::{ask, is_answered};
use super::commands::{self, Command};
use super::context::Context;
use super::errors::CommandError;
use super::ui::{Ui, shell_word};
use crate::model::{Id, StorePath};
use crate::service::{InGlobalStore, NameError, Scope, ServiceError, in_global_store};

/// The number of memories that a person is shown to choose from.
const MOST_SHOWN: usize = 10;

/// Runs a command to its end; where one of its names means several memories, again with the path of the chosen one.
/// `verb` is what the person typed to run it.
pub(super) fn run(command: &mut Command, verb: &str, cx: &mut Context) -> Result<ExitCode, CommandError> {
    loop {
        let mut error = match commands::run(command, cx) {
            Ok(code) => return Ok(code),
            Err(error) => error,
        };
        match error.error.downcast_ref() {
            Some(ServiceError::Name(NameError::Ambiguous { name, candidates })) => {
                match pick(name, candidates, &mut cx.ui)? {
                    Some(path) if command.call_instead(name, path) => {}
                    _ => return Err(error),
                }
            }
            Some(ServiceError::Name(NameError::Unknown { name, .. })) => {
                let is_beside = cx.service.scope == Scope::Workspace;
                let found = is_beside.then(|| in_global_store(&cx.service, name)).flatten();
                match found {
                    Some(InGlobalStore::Called) => {
                        let name = shell_word(name);
                        let takes_memories = !command.memories().is_empty();
                        let verb = if takes_memories { verb } else { "show" };
                        let hint = format!("It is in the global store: `mdmem --global {verb} {name}`.");
                        error.hints = vec![hint];
                    }
                    // It may be another memory than the person means: no hint takes it away.
                    Some(InGlobalStore::Nearly(path)) => {
                        let path = shell_word(path.as_str());
                        let hint = format!("The global store has one like it: `mdmem --global show {path}`.");
                        error.hints = vec![hint];
                    }
                    None => {}
                }
                return Err(error);
            }
            _ => return Err(error),
        }
    }
}

/// Lets a person choose one of the memories; `None`: they do not, or nobody can be asked.
fn pick<'a>(name: &str, candidates: &'a [(StorePath, Id)], ui: &mut Ui) -> io::Result<Option<&'a StorePath>> {
    if !is_answered(ui) {
        return Ok(None);
    }
    let shown = &candidates[..candidates.len().min(MOST_SHOWN)];
    ui.notice(&format!("`{name}` names {} memories:", candidates.len()))?;
    for (number, (path, _)) in (1..).zip(shown) {
        ui.notice(&format!("{number:>4}  {path}"))?;
    }
    if candidates.len() > shown.len() {
        let more = candidates.len() - shown.len();
        ui.notice(&format!(
            "      and {more} more: type more of the name to see them"
        ))?;
    }
    let question = format!("Which one? [1-{}, nothing: none of them]", shown.len());
    loop {
        let answer = ask(&question, ui)?.unwrap_or_default();
        if answer.is_empty() {
            return Ok(None);
        }
        let number: usize = answer.parse().unwrap_or(0);
        if let Some((path, _)) = number.checked_sub(1).and_then(|at| shown.get(at)) {
            return Ok(Some(path));
        }
    }
}
