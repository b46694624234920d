//! `mdmem add`

use std::io::{self, IsTerminal as _, Read as _};

use clap::Args;

use crate::host::cli::args::one_of;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::ui::{counted, shell_word};
use crate::host::cli::{CommandError, Context};
use crate::model::{Importance, Kind, Source, StorePath};
use crate::service::{self, AddRequest, Added, AdditionOutcome, Fate, Reinforced, some_of};

/// Remember one fact
///
/// The words are joined with spaces; with none, or with `-`, the text is read from standard input. A fact
/// that is already stored is not stored twice: its memory is reinforced. The store is created if there is
/// none. A warning says if the prompt will not show the memory, and why.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem add Tests run with cargo nextest
  mdmem add -t decision \"Use npm cache, not npm link\" --why \"npm link breaks peer dependencies\"
  git log -1 --format=%s | mdmem add -")]
pub(crate) struct AddArgs {
    /// The text to remember
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,

    /// Its type: feedback (how you want work done), decision (what was chosen, and why), project (facts of this
    /// project), reference (where something is), user (who you are), or one from mdmem.toml; `mdmem help types`
    /// explains them [default: project]
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,

    /// The reason behind it
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,

    /// The importance of the memory
    #[arg(long, value_enum, value_name = "IMPORTANCE", default_value = "normal")]
    pub(crate) importance: Importance,

    /// Who says it [default: explicit; agent in an agent's shell]
    #[arg(long, value_parser = one_of(SOURCES), value_name = "SOURCE")]
    pub(crate) source: Option<Source>,

    /// A tag; repeat for several
    #[arg(long = "tag", value_name = "WORD")]
    pub(crate) tags: Vec<String>,

    /// The files that it holds for, such as 'apps/**/*.tsx'; repeat for several [default: all]
    #[arg(long, value_name = "GLOB")]
    pub(crate) paths: Vec<String>,

    /// A one-line summary, for a text of several paragraphs
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,

    /// The path of its file, such as system/human.md [default: a slug of the text, in its type's folder]
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
}

const SOURCES: &[(&str, &str, Source)] = &[
    ("explicit", "The user", Source::Explicit),
    ("manual", "A person, in a file", Source::Manual),
    ("agent", "An agent", Source::Agent),
];

pub(crate) fn run(args: &AddArgs, cx: &mut Context) -> Result<(), CommandError> {
    let text = text(args)?;
    let path = args
        .path
        .as_deref()
        .map(StorePath::new)
        .transpose()
        .map_err(CommandError::usage)?;
    let source = match (args.source, cx.service.env.agents_shell()) {
        (Some(Source::Explicit | Source::Manual), Some(variable)) => {
            let refusal = format!(
                "--source cannot be set in an agent's shell ({variable} is set): the source is \
                    `agent`"
            );
            return Err(CommandError::failed(anyhow::anyhow!(refusal)).hint("Run it again without --source."));
        }
        (None, Some(_)) => Source::Agent,
        (None, None) => Source::Explicit,
        (Some(source), _) => source,
    };
    let store = cx.store_or_new()?;
    cx.settle_waiting()?;
    let request = AddRequest {
        text,
        why: args.why.clone(),
        kind: args.kind.as_deref().map(Kind::new),
        source,
        importance: args.importance,
        tags: args.tags.clone(),
        paths: args.paths.clone(),
        description: args.description.clone(),
        path,
        replaces: None,
        session: None,
        host: "cli".to_owned(),
    };
    let added = service::add(&store, &cx.service.ids, &request)?;
    cx.answer(&added, |ui| {
        let shown = match added.fate {
            Some(Fate::Pinned | Fate::Ranked) => " (in the prompt)",
            Some(Fate::Cold) => " (in the tree of the prompt)",
            // A warning says why not.
            Some(Fate::Omitted(_)) | None => "",
        };
        ui.line(&format!("{}{shown}", line(&added)))?;
        if !added.redacted.is_empty() {
            ui.warning(&format!(
                "suspected secrets were redacted: {}",
                added.redacted.join(", ")
            ))?;
        }
        for path in &added.displaced {
            ui.notice(&format!("replaces {path}"))?;
        }
        if let Some(explanation) = &added.explanation {
            ui.warning(&explanation.verdict)?;
        }
        if !added.pushed_out.is_empty() {
            let (why, setting) = added.limit.clone().unwrap_or_default();
            ui.warning(&format!(
                "no longer shown in the prompt, {why}: {}",
                some_of(&added.pushed_out)
            ))?;
            let first = shell_word(added.pushed_out[0].as_str());
            let pin = format!("`mdmem pin {first}` keeps it in every prompt");
            ui.hint(&match setting {
                Some((key, value)) => format!("`mdmem config set {key} {value}` makes room; {pin}."),
                None => format!("{pin}."),
            })?;
        }
        tell_rest(&added.changed, ui)
    })
}

/// The words of the command line, else standard input.
fn text(args: &AddArgs) -> Result<String, CommandError> {
    if !args.text.is_empty() && args.text != ["-"] {
        return Ok(args.text.join(" "));
    }
    let mut stdin = io::stdin();
    if args.text.is_empty() && stdin.is_terminal() {
        return Err(
            CommandError::misused("nothing to remember").hint("Give a text, or `-` to read standard input.")
        );
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).map_err(|error| {
        CommandError::failed(anyhow::Error::from(error).context("cannot read standard input"))
    })?;
    String::from_utf8(bytes).map_err(|_| CommandError::failed(anyhow::anyhow!("the text is not UTF-8")))
}

/// The outcome, in one line.
fn line(added: &Added) -> String {
    let path = added.path.as_str();
    if added.outcome == AdditionOutcome::AlreadyForgotten {
        return "not stored: it was forgotten for good; `--source explicit` stores it again".to_owned();
    }
    match added.reinforced {
        None => format!("added {path}"),
        Some(Reinforced::Yes(count)) => {
            format!(
                "already stored: {path} (reinforced {})",
                counted(count as usize, "time")
            )
        }
        Some(Reinforced::TooSoon) => format!("already stored: {path} (reinforced a short while ago)"),
        Some(Reinforced::Readonly) => format!("already stored: {path} (readonly)"),
    }
}
