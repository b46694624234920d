//! `mdmem edit`

use std::io;

use clap::Args;
use serde_json::json;

use super::rm::restoring;
use crate::host::cli::ask::ask as ask_person;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::editor;
use crate::host::cli::errors::CommandError;
use crate::host::cli::finding;
use crate::host::cli::ui::{Format, Ui, shell_word};
use crate::host::json::with_commit;
use crate::model::{Diagnostic, Severity};
use crate::service::{self, Changed, EditCopy, NameError, Original, ServiceError, Store};

/// Edit a memory in your editor; a path that is not there is made
///
/// The editor is the setting `editor`, else $VISUAL, else $EDITOR, else vi. It gets a copy, which is checked when it
/// returns: what cannot be read as it stands is shown with line and mend, and can be edited again. If somebody saved
/// the memory meanwhile, nothing is overwritten: your text stays in the copy, and is named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem edit use-npm-cache
  mdmem edit --resume use-npm-cache       go on with a text that was kept
  mdmem edit decision/use-pnpm.md         make it
  EDITOR='code --wait' mdmem edit system/human.md")]
pub(crate) struct EditArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,

    /// Go on with the text that an earlier edit of this memory kept
    #[arg(short, long)]
    pub(crate) resume: bool,
}

pub(crate) fn run(args: &EditArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let original = match service::original(&store, &args.memory) {
        Ok(original) => original,
        Err(ServiceError::Name(NameError::Unknown { .. })) if service::is_path(&args.memory) => {
            let blank = service::blank(&store, &args.memory, None)?;
            cx.ui.notice(&format!("{} is new", blank.path))?;
            return make(&store, &blank, Draft::from(args.resume), cx);
        }
        Err(error) => return Err(error.into()),
    };
    let editing = Editing {
        handed: &original,
        saved_part: |text| text,
        save: &|text| service::save(&store, &original, text),
    };
    edit(&store, &editing, Draft::from(args.resume), cx)
}

/// Lets a person write a memory that is not there yet.
pub(super) fn make(
    store: &Store,
    blank: &Original,
    draft: Draft,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let editing = Editing {
        handed: blank,
        saved_part: |text| text,
        save: &|text| service::save_new(store, &blank.path, text),
    };
    edit(store, &editing, draft, cx)
}

/// The use of a text that an earlier edit kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Draft {
    /// The person at the terminal is asked.
    Ask,
    /// It is edited.
    Resume,
}

impl From<bool> for Draft {
    fn from(resume: bool) -> Self {
        if resume { Self::Resume } else { Self::Ask }
    }
}

/// The copy for the editor: the one that an earlier edit kept, where the person wants it.
fn copy(store: &Store, original: &Original, draft: Draft, ui: &mut Ui) -> Result<EditCopy, CommandError> {
    let Some(left) = EditCopy::left_of(store, original) else {
        if draft == Draft::Resume {
            let path = &original.path;
            ui.notice(&format!("no text of {path} was kept"))?;
        }
        return Ok(EditCopy::write(store, original)?);
    };
    let question = format!(
        "{} is a text of it that was not saved. Go on with it? [y/N]",
        left.path().display()
    );
    let goes_on =
        draft == Draft::Resume || matches!(ask_person(&question, ui)?.as_deref(), Some("y" | "yes"));
    if goes_on {
        Ok(left)
    } else {
        Ok(EditCopy::write(store, original)?)
    }
}

type Save<'a> = dyn Fn(&[u8]) -> Result<Option<Changed>, ServiceError> + 'a;

/// A text that is edited, and what becomes of it.
pub(crate) struct Editing<'a> {
    /// The text that the editor gets, and the path of its memory.
    pub(crate) handed: &'a Original,
    /// Gives the part of the edited text that is saved.
    pub(crate) saved_part: fn(&[u8]) -> &[u8],
    /// Saves that part; `None`: somebody saved the memory meanwhile.
    pub(crate) save: &'a Save<'a>,
}

/// Lets a person edit a text until it can be saved, or they give up. Nothing that they wrote is lost.
pub(crate) fn edit(
    store: &Store,
    editing: &Editing<'_>,
    draft: Draft,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let original = editing.handed;
    let copy = copy(store, original, draft, &mut cx.ui)?;
    let command = editor::editor(store.settings().editor.as_deref(), &cx.service.env);
    loop {
        cx.ui.flush()?;
        if let Err(error) = editor::open(&command, copy.path()) {
            return Err(keep_what_differs(CommandError::failed(error), copy, original)?);
        }
        let text = match copy.read() {
            Err(_) if !copy.path().exists() => return Err(gone(store, original, &copy)?),
            text => text?,
        };
        if text == original.bytes {
            copy.remove()?;
            return saved(original, None, cx);
        }
        let text = (editing.saved_part)(&text);
        if text.trim_ascii().is_empty() {
            copy.remove()?;
            let error = CommandError::failed(anyhow::anyhow!("the text is empty: nothing was saved"));
            return Err(error.hint(format!(
                "`mdmem rm {}` removes a memory.",
                shell_word(original.path.as_str())
            )));
        }
        let findings = service::validate(store, &original.path, text);
        let choice = if findings.iter().any(|finding| finding.severity == Severity::Error) {
            ask(&findings, &mut cx.ui)?
        } else {
            tell(&findings, &mut cx.ui)?;
            Choice::Save
        };
        match choice {
            Choice::EditAgain => {}
            Choice::Save => return save(editing, copy, text, cx),
            Choice::Keep => {
                let path = original.path.as_str();
                let error = CommandError::failed(anyhow::anyhow!(
                    "the text cannot be read as it stands: {path} was not changed"
                ));
                return Err(kept(error, &copy));
            }
        }
    }
}

/// The error where the copy went while the editor had it open.
fn gone(store: &Store, original: &Original, copy: &EditCopy) -> Result<CommandError, CommandError> {
    let path = original.path.as_str();
    let Some(last) = service::last_before_forgotten(store, original)? else {
        let error = anyhow::anyhow!("{} was removed while it was edited", copy.path().display());
        return Ok(CommandError::failed(error));
    };
    let error = anyhow::anyhow!(
        "{path} was forgotten for good while it was edited, and the copy with your text went with it"
    );
    let restoring = restoring(last, std::iter::once(path)).unwrap_or_default();
    Ok(CommandError::failed(error).hint(format!(
        "{restoring} brings the memory back as it was; then edit it again."
    )))
}

/// The choice for a text that cannot be read as it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    EditAgain,
    Save,
    Keep,
}

/// Shows what is wrong and asks; without a person at a terminal the text is kept and nothing is saved.
fn ask(findings: &[Diagnostic], ui: &mut Ui) -> Result<Choice, CommandError> {
    tell(findings, ui)?;
    loop {
        let answer = ask_person(
            "[e]dit again, [s]ave it as it is, or [q]uit and keep the text?",
            ui,
        )?;
        match answer.as_deref() {
            Some("" | "e" | "edit") => return Ok(Choice::EditAgain),
            Some("s" | "save") => return Ok(Choice::Save),
            None | Some("q" | "quit") => return Ok(Choice::Keep),
            Some(_) => {}
        }
    }
}

fn tell(findings: &[Diagnostic], ui: &mut Ui) -> io::Result<()> {
    findings
        .iter()
        .try_for_each(|finding| finding::notice(finding, ui))
}

fn save(editing: &Editing<'_>, copy: EditCopy, text: &[u8], cx: &mut Context) -> Result<(), CommandError> {
    let original = editing.handed;
    match (editing.save)(text) {
        Ok(Some(changed)) => {
            copy.remove()?;
            saved(original, Some(&changed), cx)
        }
        Ok(None) => {
            let path = original.path.as_str();
            let error =
                anyhow::anyhow!("{path} was saved by somebody else meanwhile: it was left as they saved it");
            Err(kept(CommandError::failed(error), &copy))
        }
        Err(error) => Err(kept(error.into(), &copy)),
    }
}

fn saved(original: &Original, changed: Option<&Changed>, cx: &mut Context) -> Result<(), CommandError> {
    if cx.ui.format == Format::Json {
        let form = json!({ "path": original.path.as_str() });
        return Ok(cx.ui.json(&with_commit(form, changed))?);
    }
    let Some(changed) = changed else {
        return Ok(cx.ui.notice("nothing was changed")?);
    };
    cx.ui.line(&format!("saved {}", original.path.as_str()))?;
    Ok(tell_rest(changed, &mut cx.ui)?)
}

/// After an editor that failed: what it left is named where it is more than what there was.
fn keep_what_differs(
    error: CommandError,
    copy: EditCopy,
    original: &Original,
) -> Result<CommandError, CommandError> {
    if copy.read().is_ok_and(|text| text != original.bytes) {
        return Ok(kept(error, &copy));
    }
    copy.remove()?;
    Ok(error)
}

fn kept(error: CommandError, copy: &EditCopy) -> CommandError {
    error.hint(format!(
        "Your text is kept in {}",
        shell_word(&copy.path().to_string_lossy())
    ))
}
