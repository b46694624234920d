//! `mdmem import`

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::host::cli::args::one_of;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, counted};
use crate::host::json::with_commit;
use crate::model::{Id, Kind, StorePath};
use crate::service::{
    self, Form, Import, ImportFate, ImportRequest, ImportedItem, Incoming, SecretsFound, ServiceError, Wanted,
};

/// Bring in what another tool remembered
///
/// Everything comes in as one commit. Earlier imports stay as they are, so that an import can be run again.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  mdmem import . --as facts --dry-run                what CLAUDE.md, AGENTS.md, Cursor's and Serena's files say here
  mdmem import --from opencode-memfs                 the part of that plugin's store that is this workspace's
  mdmem --global import --from opencode-memfs        the part that holds everywhere
  mdmem import ~/notes                               any folder of markdown
  mdmem import memories.json                         an export of mdmem's, or of engram's
  mdmem import opencode-working-memory --dry-run     what would come in"
)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) from_tool: Option<ImportFrom>,

    /// A file or folder: its form is told by looking at it
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// The form, where it cannot be seen; without a path, where that form usually is
    #[arg(long, value_parser = one_of(FORMS), value_name = "FORM")]
    pub(crate) from: Option<Form>,

    /// A text with several statements becomes one note, or a fact for each item of its lists and a note for the rest
    #[arg(long = "as", value_parser = one_of(WANTED), value_name = "WHAT", default_value = "notes")]
    pub(crate) wanted: Wanted,

    /// Keep what looks like a credential, because it is none, and allow it in the files that it comes into
    #[arg(long)]
    pub(crate) allow_secrets: bool,

    /// Say what would become of each file, and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

const FORMS: &[(&str, &str, Form)] = &[
    ("mdmem", "What mdmem export --to json writes", Form::Mdmem),
    (
        "opencode-memfs",
        "The store of that OpenCode plugin",
        Form::OpencodeMemfs,
    ),
    (
        "agent-notes",
        "Notes with name and metadata.type in their frontmatter",
        Form::AgentNotes,
    ),
    (
        "instructions",
        "CLAUDE.md, AGENTS.md, Cursor's rules, Serena's memories of a workspace",
        Form::Instructions,
    ),
    ("serena", "A folder of Serena's memories", Form::Serena),
    ("basic-memory", "A folder of basic-memory's", Form::BasicMemory),
    ("engram", "What engram export writes", Form::Engram),
    ("markdown", "Any folder of markdown, or one file", Form::Markdown),
];
const WANTED: &[(&str, &str, Wanted)] = &[
    ("notes", "One note for each text", Wanted::Notes),
    ("facts", "A fact for each statement", Wanted::Facts),
];

#[derive(Debug, Subcommand)]
pub(crate) enum ImportFrom {
    OpencodeWorkingMemory(OpencodeWorkingMemoryArgs),
}

/// Bring in the memory of the OpenCode plugin opencode-working-memory
///
/// Its workspace memory becomes memories, with their ids, times and counts; what it superseded stays superseded.
/// Entries that wait in its journal become memories too, unless a memory says the same. The blocks of its version 1
/// become notes, slots and pool notes in archive/. Its files are only read. Secrets are taken out of every text.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem import opencode-working-memory --dry-run
  mdmem import opencode-working-memory ~/.local/share/opencode-working-memory/workspaces/0123456789abcdef
  mdmem import opencode-working-memory --json")]
pub(crate) struct OpencodeWorkingMemoryArgs {
    /// A file or a folder of the plugin's, or a workspace [default: what the plugin keeps for the present folder]
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// Say what would become of each entry, and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ImportArgs, cx: &mut Context) -> Result<(), CommandError> {
    let (incoming, dry_run) = match &args.from_tool {
        Some(ImportFrom::OpencodeWorkingMemory(OpencodeWorkingMemoryArgs { path, dry_run })) => (
            service::read_opencode_working_memory(&cx.service, path.as_deref())?,
            *dry_run,
        ),
        None => (read(args, cx)?, args.dry_run),
    };
    let import = if dry_run {
        service::plan_import(&cx.service, incoming)?
    } else {
        service::import(&cx.store_or_new()?, incoming)?
    };
    if cx.ui.format == Format::Json {
        let count = |fate: ImportFate| (fate.as_str(), import.count(fate));
        let form = json!({
            "dry_run": dry_run,
            "files": import.files.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>(),
            "counts": ImportFate::ALL.into_iter().map(count).collect::<BTreeMap<_, _>>(),
            "entries": import.items.iter().map(item_json).collect::<Vec<_>>(),
        });
        cx.ui.json(&with_commit(form, import.changed.as_ref()))?;
    } else {
        tell(&import, args, dry_run, cx)?;
    }
    Ok(import.check_readable().map_err(ServiceError::from)?)
}

/// Prints what became of each entry.
fn tell(import: &Import, args: &ImportArgs, dry_run: bool, cx: &mut Context) -> Result<(), CommandError> {
    print_items(import, cx)?;
    let has_remark = |item: &&ImportedItem| item.remark.is_some() || !item.redacted.is_empty();
    let remarked: Vec<&ImportedItem> = import.items.iter().filter(has_remark).collect();
    for item in cx.ui.first_of(&remarked) {
        tell_remark(item, cx)?;
    }
    cx.ui.tell_more(&remarked)?;
    for file in &import.files {
        cx.ui.detail(&format!("read {}", file.display()))?;
    }
    cx.ui.notice(&summary(import, dry_run))?;
    if let Some(changed) = &import.changed {
        tell_rest(changed, &mut cx.ui)?;
        if import.written() > 0 {
            cx.ui.hint("`mdmem undo` takes it back.")?;
            if args.from_tool.is_none() && import.items.iter().any(|item| !item.redacted.is_empty()) {
                cx.ui
                    .hint("After that, `--allow-secrets` keeps what is no credential.")?;
            }
        }
    }
    Ok(())
}

/// Reads what is to be imported, and shows on a terminal how far that is.
fn read(args: &ImportArgs, cx: &mut Context) -> Result<Incoming, CommandError> {
    let request = ImportRequest {
        path: args.path.clone(),
        form: args.from,
        wanted: args.wanted,
        secrets: if args.allow_secrets {
            SecretsFound::Allowed
        } else {
            SecretsFound::TakenOut
        },
    };
    if !cx.ui.shows_progress() {
        return Ok(service::read_import(&cx.service, &request, &|_| {})?);
    }
    let ui = RefCell::new(&mut cx.ui);
    let told = |files: usize| {
        if files.is_multiple_of(EACH) {
            // Standard error that is gone must not stop an import.
            drop(ui.borrow_mut().progress(&format!("{files} files read")));
        }
    };
    let incoming = service::read_import(&cx.service, &request, &told);
    cx.ui.end_progress()?;
    Ok(incoming?)
}

/// After so many files, progress is told.
const EACH: usize = 200;

fn print_items(import: &Import, cx: &mut Context) -> Result<(), CommandError> {
    if import.items.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["OUTCOME", "PATH", "TEXT"], cx.ui.out.width()).flexible(2);
    for item in cx.ui.first_of(&import.items) {
        let path = match &item.path {
            Some(path) => path.as_str().to_owned(),
            None => place(item),
        };
        table.row(&[item.fate.as_str().to_owned(), path, item.preview.clone()]);
    }
    cx.ui.table(&table)?;
    Ok(cx.ui.tell_more(&import.items)?)
}

/// Tells what could not be read or kept, and what was taken out.
fn tell_remark(item: &ImportedItem, cx: &mut Context) -> Result<(), CommandError> {
    let whole = format!("{}: {}", item.file.to_string_lossy(), place(item));
    if let Some(remark) = &item.remark {
        cx.ui.warning(&format!("{whole}: {remark}"))?;
    }
    if item.fate.is_written() && !item.redacted.is_empty() {
        let kinds = item.redacted.join(", ");
        cx.ui.warning(&format!("{whole}: redacted {kinds}"))?;
    }
    Ok(())
}

fn place(item: &ImportedItem) -> String {
    match item.line {
        Some(line) => format!("{} (line {line})", item.place),
        None => item.place.clone(),
    }
}

/// `imported 40 memories (2 of them superseded) and 3 archived notes; 1 was there already`
fn summary(import: &Import, dry_run: bool) -> String {
    let count = |fate| import.count(fate);
    let superseded = count(ImportFate::Superseded);
    let memories = count(ImportFate::Imported) + superseded;
    let mut parts = Vec::new();
    if memories > 0 {
        let noun = if memories == 1 { "memory" } else { "memories" };
        let also = match superseded {
            0 => String::new(),
            superseded => format!(" ({superseded} superseded)"),
        };
        parts.push(format!("{memories} {noun}{also}"));
    }
    let archived = count(ImportFate::Archived);
    if archived > 0 {
        parts.push(format!("{} into archive/", counted(archived, "note")));
    }
    let verb = if dry_run { "would import" } else { "imported" };
    let done = match parts.is_empty() {
        true if dry_run => "would import nothing".to_owned(),
        true => "nothing to import".to_owned(),
        false => format!("{verb} {}", parts.join(" and ")),
    };
    let rest = [
        (ImportFate::AlreadyThere, "there already"),
        (ImportFate::AbsorbedExact, "said already by another"),
        (ImportFate::AlreadyForgotten, "forgotten for good"),
        (ImportFate::LeftOut, "left out"),
        (ImportFate::Unreadable, "not readable"),
    ]
    .into_iter()
    .filter(|(fate, _)| count(*fate) > 0)
    .map(|(fate, words)| format!("{} {words}", count(fate)));
    std::iter::once(done).chain(rest).collect::<Vec<_>>().join("; ")
}

fn item_json(item: &ImportedItem) -> serde_json::Value {
    json!({
        "file": item.file.to_string_lossy(),
        "place": item.place,
        "line": item.line,
        "outcome": item.fate.as_str(),
        "id": item.id.as_ref().map(Id::as_str),
        "path": item.path.as_ref().map(StorePath::as_str),
        "type": item.kind.as_ref().map(Kind::as_str),
        "text": item.preview,
        "remark": item.remark,
        "redacted": item.redacted,
    })
}
