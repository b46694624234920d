//! `mdmem import`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::host::cli::args::one_of;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, Table, counted};
use crate::service::{
    self, FORMS, Form, Import, ImportFate, ImportRequest, ImportedItem, ServiceError, Wanted,
};

/// Bring in what another tool remembered
///
/// Everything comes in as one commit. Earlier imports stay as they are, so that an import can be run again.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  mdmem import . --as facts --dry-run                what CLAUDE.md, AGENTS.md, Cursor's and Serena's files say here
  mdmem import --from opencode-memfs                 the part of that plugin's store that is this workspace's
  mdmem --global import --from opencode-memfs        the part that holds everywhere
  mdmem import ~/notes                               any folder of markdown
  mdmem import memories.json                         an export of mdmem's, or of engram's
  mdmem import --from opencode-working-memory        what that plugin keeps for the present folder"
)]
pub(crate) struct ImportArgs {
    /// A file or folder: its form is told by looking at it
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// The form, where it cannot be seen; without a path, where that form usually is
    #[arg(long, value_parser = one_of(FORMS), value_name = "FORM")]
    pub(crate) from: Option<Form>,

    /// A text with several statements becomes one note, or a fact for each item of its lists and a note for the rest
    #[arg(long = "as", value_name = "WHAT", default_value = "notes")]
    pub(crate) wanted: Wanted,

    /// Keep what looks like a credential, because it is none, and allow it in the files that it comes into
    #[arg(long)]
    pub(crate) allow_secrets: bool,

    /// Say what would become of each file, and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ImportArgs, cx: &mut Context) -> Result<(), CommandError> {
    let dry_run = args.dry_run;
    let request = ImportRequest {
        path: args.path.clone(),
        form: args.from,
        wanted: args.wanted,
        allows_secrets: args.allow_secrets,
    };
    let incoming = service::read_import(&cx.service, &request)?;
    let import = if dry_run {
        service::plan_import(&cx.service, incoming)?
    } else {
        service::import(&cx.store_or_new()?, incoming)?
    };
    if cx.ui.format == Format::Json {
        let mut form = json!(import);
        form["dry_run"] = dry_run.into();
        for fate in ImportFate::ALL {
            form["counts"][fate.as_str()] = import.count(fate).into();
        }
        let changed = json!(import.changed.clone().unwrap_or_default());
        for key in ["commit", "deferred", "held", "left_out"] {
            if let Some(value) = changed.get(key) {
                form[key] = value.clone();
            }
        }
        cx.ui.json(&form)?;
    } else {
        tell(&import, dry_run, cx)?;
    }
    Ok(import.check_readable().map_err(ServiceError::from)?)
}

/// Prints what became of each entry.
fn tell(import: &Import, dry_run: bool, cx: &mut Context) -> Result<(), CommandError> {
    let mut table = Table::new(&["OUTCOME", "PATH", "TEXT"], cx.ui.out.width()).flexible(2);
    for item in cx.ui.first_of(&import.items) {
        let path = item.path.clone().unwrap_or_else(|| place(item));
        table.row(&[item.fate.as_str().to_owned(), path, item.preview.clone()]);
    }
    if !import.items.is_empty() {
        cx.ui.table(&table)?;
        cx.ui.tell_more(&import.items)?;
    }
    let is_redacted = |item: &ImportedItem| item.fate.is_written() && !item.redacted.is_empty();
    let remarks = import.items.iter().flat_map(|item| {
        let redacted = is_redacted(item).then(|| format!("redacted {}", item.redacted.join(", ")));
        let told = item.remark.clone().into_iter().chain(redacted);
        told.map(move |told| format!("{}: {}: {told}", item.file, place(item)))
    });
    let remarks: Vec<String> = remarks.collect();
    for remark in cx.ui.first_of(&remarks) {
        cx.ui.warning(remark)?;
    }
    cx.ui.tell_more(&remarks)?;
    for file in &import.files {
        cx.ui.detail(&format!("read {file}"))?;
    }
    cx.ui.notice(&summary(import, dry_run))?;
    let Some(changed) = &import.changed else {
        return Ok(());
    };
    tell_rest(changed, &mut cx.ui)?;
    if import.items.iter().any(|item| item.fate.is_written()) {
        cx.ui.hint("`mdmem undo` takes it back.")?;
    }
    if import.items.iter().any(is_redacted) {
        cx.ui
            .hint("After that, `--allow-secrets` keeps what is no credential.")?;
    }
    Ok(())
}

fn place(item: &ImportedItem) -> String {
    match item.line {
        Some(line) => format!("{} (line {line})", item.place),
        None => item.place.clone(),
    }
}

/// `imported 40 memories (2 superseded) and 3 notes into archive/; 1 there already`
fn summary(import: &Import, dry_run: bool) -> String {
    let count = |fate| import.count(fate);
    let superseded = count(ImportFate::Superseded);
    let memories = count(ImportFate::Imported) + superseded;
    let noun = if memories == 1 { "memory" } else { "memories" };
    let also = match superseded {
        0 => String::new(),
        superseded => format!(" ({superseded} superseded)"),
    };
    let archived = count(ImportFate::Archived);
    let parts = [
        (memories > 0).then(|| format!("{memories} {noun}{also}")),
        (archived > 0).then(|| format!("{} into archive/", counted(archived, "note"))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let done = match (parts.is_empty(), dry_run) {
        (true, true) => "would import nothing".to_owned(),
        (true, false) => "nothing to import".to_owned(),
        (false, true) => format!("would import {}", parts.join(" and ")),
        (false, false) => format!("imported {}", parts.join(" and ")),
    };
    let rest = [
        (ImportFate::AlreadyThere, "there already"),
        (ImportFate::AbsorbedExact, "said already by another"),
        (ImportFate::AlreadyForgotten, "forgotten for good"),
        (ImportFate::LeftOut, "left out"),
        (ImportFate::Unreadable, "not readable"),
    ];
    let rest = rest.into_iter().filter(|(fate, _)| count(*fate) > 0);
    let rest = rest.map(|(fate, words)| format!("{} {words}", count(fate)));
    std::iter::once(done).chain(rest).collect::<Vec<_>>().join("; ")
}
