//! `mdmem edit`

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::shell_word;
use crate::host::cli::{editor, finding};
use crate::model::StorePath;
use crate::service::{self, Done, EditCopy, Original, Store};

/// Edit a memory in your editor; one that is not there is made
///
/// The editor is the setting `editor`, else $VISUAL, else $EDITOR, else vi. It gets a copy. If somebody saved the memory
/// meanwhile, nothing is overwritten: your text stays in the copy, and is named. A new memory that is closed unchanged is
/// not made.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem edit use-npm-cache
  mdmem edit decision/use-pnpm.md         make it
  EDITOR='code --wait' mdmem edit system/human.md")]
pub(crate) struct EditArgs {
    /// Path, slug or start of the id; or the path or the title of a new one
    #[arg(value_name = "MEMORY")]
    memory: String,
}

#[derive(Serialize)]
struct Edited<'a> {
    path: &'a StorePath,
}

pub(crate) fn run(args: &EditArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store_or_new()?;
    let original = service::original(&store, &args.memory)?;
    let path = &original.path;
    if original.is_new {
        cx.ui.notice(&format!("{path} is new"))?;
    }
    let saved = match edited(&store, &original, cx)? {
        Some((text, copy)) => {
            for finding in &service::validate(&store, path, &text) {
                finding::notice(finding, &mut cx.ui)?;
            }
            Some(copy.kept_unless(service::save(&store, &original, &text))?)
        }
        None => None,
    };
    let is_saved = saved.is_some();
    let done = Done::real(Edited { path }, saved.unwrap_or_default());
    cx.done(&done, |ui| {
        if is_saved {
            ui.line(&format!("saved {path}"))?;
        } else {
            ui.notice("nothing was changed")?;
        }
        Ok(String::new())
    })
}

/// Lets a person edit a text; `None`: it is closed unchanged. The copy stays until its text is saved, and an error names
/// it.
pub(crate) fn edited(
    store: &Store,
    original: &Original,
    cx: &mut Context,
) -> Result<Option<(Vec<u8>, Copy)>, CommandError> {
    let copy = Copy(EditCopy::write(store, original)?);
    let command = editor::editor(store.settings().editor.as_deref(), &cx.service.env);
    cx.ui.flush()?;
    let closed = editor::open(&command, copy.0.path()).map_err(CommandError::failed);
    let text = copy.0.read()?;
    if text == original.bytes {
        copy.0.remove()?;
        return closed.map(|()| None);
    }
    if text.trim_ascii().is_empty() {
        copy.0.remove()?;
        let error = CommandError::failed(anyhow!("the text is empty: nothing was saved"));
        let path = shell_word(original.path.as_str());
        return Err(error.hint(format!("`mdmem rm {path}` removes a memory.")));
    }
    match closed {
        Ok(()) => Ok(Some((text, copy))),
        Err(error) => Err(copy.kept(error)),
    }
}

/// The copy of a text that is not saved yet.
pub(crate) struct Copy(EditCopy);

impl Copy {
    /// Removes it once its text is saved; else the error names it.
    pub(crate) fn kept_unless<T>(self, saved: Result<T, service::ServiceError>) -> Result<T, CommandError> {
        let saved = saved.map_err(|error| self.kept(error.into()))?;
        self.0.remove()?;
        Ok(saved)
    }

    fn kept(&self, error: CommandError) -> CommandError {
        error.hint(format!("Your text is kept in {}", shell_word(self.0.path())))
    }
}
