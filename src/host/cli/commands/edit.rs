//! `mdmem edit`, and the person's editor: the choice of it, and its start

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Serialize;

use crate::host::cli::change_report::tell_finding;
use crate::host::cli::ui::shell_word;
use crate::host::cli::{CommandError, Context};
use crate::model::StorePath;
use crate::service::{self, Done, EditCopy, Original, Store};
use crate::sys::Env;

/// Edit a memory in your editor, or create one
///
/// The editor is the setting `editor`, else $VISUAL, else $EDITOR, else vi. It opens a copy. If the memory
/// was saved by somebody else meanwhile, nothing is overwritten: your text stays in a draft, and the message
/// names it. A new memory that is closed unchanged is not created.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem edit use-npm-cache
  mdmem edit decision/use-pnpm.md         create it
  EDITOR='code --wait' mdmem edit system/human.md")]
pub(crate) struct EditArgs {
    /// Path, slug or start of the id; for a new memory, its path or title
    #[arg(value_name = "MEMORY")]
    memory: Option<String>,
}

#[derive(Serialize)]
struct Edited<'a> {
    path: &'a StorePath,
}

pub(crate) fn run(args: &EditArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store_or_new()?;
    let name = cx.memory(&store, args.memory.as_deref())?;
    let original = service::original(&store, &name)?;
    let path = &original.path;
    if original.is_new {
        cx.ui.notice(&format!("{path} is new"))?;
    }
    let saved = match edited(&store, &original, cx)? {
        Some((text, copy)) => {
            for finding in &service::validate(&store, path, &text) {
                tell_finding(finding, &mut cx.ui)?;
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
    let command = editor(store.settings().editor.as_deref(), &cx.service.env);
    cx.ui.flush()?;
    let closed = open(&command, copy.0.path()).map_err(CommandError::failed);
    let text = copy.0.read()?;
    if text == original.bytes {
        copy.0.remove()?;
        return closed.map(|()| None);
    }
    if text.trim_ascii().is_empty() {
        copy.0.remove()?;
        let error = CommandError::failed(anyhow!("not saved: the text is empty"));
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

/// The editor that is started when nothing says otherwise.
const FALLBACK: &str = "vi";

/// The editor: the setting, else `$VISUAL`, else `$EDITOR`, else vi. On a terminal that can do nothing (`TERM=dumb`)
/// `$VISUAL` is passed over, as git does.
fn editor(setting: Option<&str>, env: &Env) -> String {
    let var = |name| env.var(name).filter(|value| !value.trim().is_empty());
    let is_dumb = env.var("TERM").is_none_or(|term| term == "dumb");
    let visual = if is_dumb { None } else { var("VISUAL") };
    let setting = setting
        .map(str::to_owned)
        .filter(|value| !value.trim().is_empty());
    setting
        .or(visual)
        .or_else(|| var("EDITOR"))
        .or_else(|| var("VISUAL"))
        .unwrap_or_else(|| FALLBACK.to_owned())
}

/// Opens a file in the editor and waits until it is closed. The editor may have arguments, quotes and variables: the
/// shell reads it, and is given the file as an argument of its own, so that no name can be read as a command.
fn open(editor: &str, file: &Path) -> anyhow::Result<()> {
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$@\""))
        .arg(editor)
        .arg(file)
        .status()
        .with_context(|| format!("cannot start the editor `{editor}`"))?;
    if status.success() {
        return Ok(());
    }
    match status.code() {
        Some(127) => anyhow::bail!("no editor `{editor}` was found"),
        Some(code) => anyhow::bail!("the editor `{editor}` exited with code {code}"),
        None => anyhow::bail!("the editor `{editor}` was killed by a signal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(setting: Option<&str>, vars: &[(&str, &str)]) -> String {
        editor(setting, &Env::fixed(vars.iter().copied(), "/"))
    }

    #[test]
    fn the_setting_then_the_variables_then_vi() {
        let vars = [("TERM", "xterm"), ("VISUAL", "code --wait"), ("EDITOR", "nano")];
        assert_eq!(chosen(Some("hx"), &vars), "hx");
        assert_eq!(chosen(Some(" "), &vars), "code --wait");
        assert_eq!(chosen(None, &vars[..2]), "code --wait");
        assert_eq!(
            chosen(None, &[("TERM", "dumb"), ("VISUAL", "code"), ("EDITOR", "ed")]),
            "ed"
        );
        assert_eq!(chosen(None, &[("VISUAL", "code")]), "code");
        assert_eq!(chosen(None, &[("EDITOR", "")]), "vi");
    }

    #[test]
    fn the_file_is_an_argument_and_no_command() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b; touch $(x) 'q'.md");
        open("sh -c 'echo \"changed\" >> \"$1\"' --", &file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "changed\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_editor_that_fails_is_named() {
        let error = |editor| open(editor, Path::new("x")).unwrap_err().to_string();
        assert_eq!(error("exit 3;"), "the editor `exit 3;` exited with code 3");
        assert_eq!(error("no-such-editor"), "no editor `no-such-editor` was found");
    }
}
