//! `mdmem import`

use std::path::PathBuf;

use clap::Args;

use crate::host::cli::args::one_of;
use crate::host::cli::ui::{Table, Ui, counted};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, FORMS, Form, Import, ImportFate, ImportRequest, ImportedItem, Wanted};

/// Import memories from another tool
///
/// An import is one commit. It can be repeated: what is already there stays, and what changed in the source
/// is updated.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem import . --as facts --dry-run                facts in this folder's CLAUDE.md, AGENTS.md, rules, Serena's memories
  mdmem import --from opencode-memfs                 that plugin's memories of this workspace
  mdmem --global import --from opencode-memfs        its global memories
  mdmem import ~/notes                               any folder of markdown
  mdmem import memories.json                         an export of mdmem, engram, mem0 or the MCP memory server
  mdmem import --from opencode-working-memory        that plugin's memories of this folder")]
pub(crate) struct ImportArgs {
    /// A file or folder, by default this one; its format is detected
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// The format, if it is not detected; without PATH, that tool's usual place is read
    #[arg(long, value_parser = one_of(FORMS), value_name = "FORM")]
    pub(crate) from: Option<Form>,

    /// Import long texts as one note each, or as a fact for each list item and a note for the rest
    #[arg(long = "as", value_name = "WHAT", default_value = "notes")]
    pub(crate) wanted: Wanted,

    /// Import suspected secrets as they are, and allow them in the imported files
    #[arg(long)]
    pub(crate) allow_secrets: bool,

    /// Only show what would be imported
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ImportArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = ImportRequest {
        path: args
            .path
            .clone()
            .or_else(|| args.from.is_none().then(|| ".".into())),
        form: args.from,
        wanted: args.wanted,
        allows_secrets: args.allow_secrets,
    };
    let incoming = service::read_import(&cx.service, &request)?;
    let done = if args.dry_run {
        service::plan_import(&cx.service, incoming)?
    } else {
        service::import(&cx.store_or_new()?, incoming)?
    };
    let import = &done.answer;
    cx.done(&done, |ui| tell(import, ui))?;
    Ok(import.check_readable()?)
}

/// Prints what became of each entry, file by file.
fn tell(import: &Import, ui: &mut Ui) -> std::io::Result<String> {
    let mut table = Table::new(&["OUTCOME", "FROM", "PATH", "TEXT"], ui.out.width()).flexible(3);
    for item in ui.first_of(&import.items) {
        let path = item.path.clone().unwrap_or_default();
        table.row(&[
            words(item.fate).to_owned(),
            from(item, import),
            path,
            item.preview.clone(),
        ]);
    }
    if !import.items.is_empty() {
        ui.table(&table)?;
        ui.tell_more(&import.items)?;
    }
    let is_redacted = |item: &ImportedItem| item.fate.is_written() && !item.redacted.is_empty();
    let remarks = import.items.iter().flat_map(|item| {
        let redacted = is_redacted(item).then(|| format!("redacted {}", item.redacted.join(", ")));
        let told = item.remark.clone().into_iter().chain(redacted);
        told.map(move |told| format!("{}: {told}", from(item, import)))
    });
    let remarks: Vec<String> = remarks.collect();
    for remark in ui.first_of(&remarks) {
        ui.warning(remark)?;
    }
    ui.tell_more(&remarks)?;
    for file in &import.files {
        ui.detail(&format!("read {file}"))?;
    }
    ui.notice(&summary(import))?;
    let allow = " Then `mdmem import --allow-secrets` keeps harmless values.";
    let allow = if import.items.iter().any(is_redacted) {
        allow
    } else {
        ""
    };
    Ok(format!("`mdmem undo` takes it back.{allow}"))
}

/// Where an entry stood: its file, below the source, and its line or place there.
fn from(item: &ImportedItem, import: &Import) -> String {
    let below = |source: &String| {
        Some(
            std::path::Path::new(&item.file)
                .strip_prefix(source)
                .ok()?
                .to_owned(),
        )
    };
    let below = import
        .files
        .iter()
        .find_map(below)
        .filter(|below| below.iter().next().is_some());
    let name = || std::path::Path::new(&item.file).file_name().map(PathBuf::from);
    let file = below.or_else(name).unwrap_or_default();
    match item.line {
        Some(line) => format!("{}:{line}", file.display()),
        None if item.place == "file" => file.display().to_string(),
        None => format!("{} {}", file.display(), item.place),
    }
}

/// What became of an entry, as people say it.
const fn words(fate: ImportFate) -> &'static str {
    match fate {
        ImportFate::AbsorbedExact => "duplicate",
        ImportFate::AlreadyThere => "already there",
        ImportFate::AlreadyForgotten => "forgotten for good",
        ImportFate::LeftOut => "left out",
        ImportFate::Unreadable => "not readable",
        fate => fate.as_str(),
    }
}

/// `imported 40 memories (2 superseded) and 3 notes into archive/; 1 there already`
fn summary(import: &Import) -> String {
    let count = |fate| import.count(fate);
    let (superseded, changed) = (count(ImportFate::Superseded), count(ImportFate::Changed));
    let memories = count(ImportFate::Imported) + superseded + changed;
    let noun = if memories == 1 { "memory" } else { "memories" };
    let also = [(superseded, "superseded"), (changed, "changed")];
    let also: Vec<String> = also
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let also = if also.is_empty() {
        String::new()
    } else {
        format!(" ({})", also.join(", "))
    };
    let archived = count(ImportFate::Archived);
    let parts = [
        (memories > 0).then(|| format!("{memories} {noun}{also}")),
        (archived > 0).then(|| format!("{} into archive/", counted(archived, "note"))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let done = match (parts.is_empty(), import.dry_run) {
        (true, true) => "would import nothing".to_owned(),
        (true, false) => "nothing to import".to_owned(),
        (false, true) => format!("would import {}", parts.join(" and ")),
        (false, false) => format!("imported {}", parts.join(" and ")),
    };
    let rest = ImportFate::ALL
        .into_iter()
        .filter(|fate| !fate.is_written() && count(*fate) > 0);
    let rest = rest.map(|fate| match fate {
        ImportFate::AbsorbedExact => counted(count(fate), words(fate)),
        fate => format!("{} {}", count(fate), words(fate)),
    });
    std::iter::once(done).chain(rest).collect::<Vec<_>>().join("; ")
}
