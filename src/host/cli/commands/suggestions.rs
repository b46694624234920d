//! `mdmem suggestions`

use std::io;

use clap::{Args, Subcommand};

use crate::host::cli::ui::{Ui, minute};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, FileDifference, Run, ServiceError, Suggestion};

/// List what a model suggests and what agents wrote, and accept or dismiss it
///
/// A model never changes a memory that a person wrote: it suggests. Memories from summaries that may only be true today
/// are suggested too. Suggestions expire after 30 days. Memories that an agent wrote are marked until you accept them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem suggestions
  mdmem suggestions accept 1 --dry-run
  mdmem suggestions accept decision/use-npm-cache.md
  mdmem suggestions dismiss 2")]
pub(crate) struct SuggestionsArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List them, as without a command
    List,
    /// Accept a suggestion, or a memory that an agent wrote, in one commit
    Accept {
        /// The number of the suggestion, or the memory
        #[arg(value_name = "N|MEMORY")]
        what: String,

        /// Only show the change
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
    /// Dismiss a suggestion for good
    Dismiss {
        /// The number of the suggestion
        #[arg(value_name = "N")]
        number: String,
    },
}

pub(crate) fn run(args: &SuggestionsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    match &args.action {
        Some(Action::Accept { what, dry_run }) => {
            let run = Run::dry_if(*dry_run);
            if let Ok(number) = what.parse() {
                let done = service::accept(&store, &cx.service.ids, number, run)?;
                return cx.done(&done, |ui| show(&done.answer, run, ui).map(|()| String::new()));
            }
            let done = service::accept_memory(&store, what, run)?;
            let says = run.says("accepted", "would accept");
            cx.done(&done, |_| Ok(format!("{says} {}", done.answer)))
        }
        Some(Action::Dismiss { number }) => {
            let dismissed = service::dismiss(&store, number)?;
            cx.answer(&dismissed, |ui| {
                ui.line(&format!("dismissed {number}, about {}", about(&dismissed)))
            })
        }
        Some(Action::List) | None => {
            let snapshot = store.load().map_err(ServiceError::from)?;
            let waiting = service::suggestions(&store, &snapshot)?;
            let by_agents = service::by_agents(&store, &snapshot);
            cx.page(&store)?;
            cx.answer(&waiting, |ui| {
                waiting
                    .iter()
                    .try_for_each(|suggestion| show(suggestion, Run::Dry, ui))?;
                if !by_agents.is_empty() {
                    ui.line("written by agents:")?;
                    by_agents
                        .iter()
                        .try_for_each(|path| ui.line(&format!("  {path}")))?;
                    ui.hint("`mdmem suggestions accept MEMORY` makes one your own.")?;
                }
                if waiting.is_empty() {
                    return if by_agents.is_empty() {
                        ui.notice("no suggestions")
                    } else {
                        Ok(())
                    };
                }
                ui.hint(
                    "`mdmem suggestions accept N` makes the change, `mdmem suggestions dismiss N` drops \
                     it for good.",
                )
            })
        }
    }
}

/// The memory that a suggestion is about.
fn about(suggestion: &Suggestion) -> String {
    match (&suggestion.path, &suggestion.kind) {
        (Some(path), _) => path.to_string(),
        (None, kind) => format!("a new {} memory", kind.clone().unwrap_or_default()),
    }
}

/// A suggestion as a difference; a new memory as its text.
fn show(suggestion: &Suggestion, run: Run, ui: &mut Ui) -> io::Result<()> {
    let at = minute(suggestion.at, ui.zone);
    let (number, path) = (suggestion.number, about(suggestion));
    if let Some(text) = suggestion.new.as_ref().filter(|_| suggestion.kind.is_some()) {
        return ui.line(&format!(
            "{number}  {path}  {at}\n  {}",
            text.replace('\n', "\n  ")
        ));
    }
    ui.line(&format!("{number}  {path}  {at}  \"{}\"", suggestion.evidence))?;
    if suggestion.new.is_none() {
        ui.line(run.says("archived", "would be archived"))?;
    }
    let side = |body: &str| Some((path.clone(), format!("{body}\n").into_bytes()));
    let new = suggestion.new.as_deref().and_then(side);
    ui.diff(&FileDifference::of(side(&suggestion.old), new).diff, "")
}
