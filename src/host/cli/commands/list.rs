//! `mdmem list`

use std::os::unix::ffi::OsStrExt as _;

use clap::Args;

use super::search::{Scopes, stores};
use crate::host::cli::ui::{Table, Tone, age, number};
use crate::host::cli::{CommandError, Context};
use crate::model::{Kind, Memory, Zone};
use crate::service::{self, Fate, ListOrder, ListRequest, Listed, Reason, Scope, holds_for};

/// List the memories, strongest first
///
/// Without filters: all active memories, pinned ones first, those of the global store included. Memories that
/// are not shown in the prompt are listed too; `mdmem why` says why they are not.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that is there or not"
)]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem list --type decision
  mdmem list plugin loading
  mdmem list --all --sort created
  mdmem list --json | jq -r '.[].text'
  mdmem list --paths -0 | xargs -0 grep -l npm")]
pub(crate) struct ListArgs {
    /// Only memories that match these words, as in `mdmem search`
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,

    /// Only these types
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kinds: Vec<String>,

    /// Only these zones
    #[arg(long = "zone", value_enum, value_name = "ZONE")]
    pub(crate) zones: Vec<Zone>,

    /// The stores to list [default: both]
    #[arg(long, value_enum, value_name = "SCOPE", conflicts_with = "global")]
    pub(crate) scope: Option<Scopes>,

    /// Also superseded and archived memories
    #[arg(short, long)]
    pub(crate) all: bool,

    /// The order of the memories
    #[arg(short, long, value_enum, value_name = "ORDER", default_value = "strength")]
    pub(crate) sort: ListOrder,

    /// Show types and whole paths too, as into a pipe
    #[arg(short, long)]
    pub(crate) long: bool,

    /// Print only paths in the store, one per line
    #[arg(short = 'p', long, conflicts_with = "json")]
    pub(crate) paths: bool,

    /// Print full paths, each followed by a NUL byte, for `xargs -0`
    #[arg(short = '0', long = "null", requires = "paths")]
    pub(crate) null: bool,
}

pub(crate) fn run(args: &ListArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = ListRequest {
        kinds: args.kinds.iter().map(|name| Kind::new(name)).collect(),
        zones: args.zones.clone(),
        words: args.words.join(" "),
        guess: false,
        all: args.all,
        order: args.sort,
    };
    // A path below the store is one below its own.
    let of_one = args.paths && !args.null;
    let scope = if of_one { Some(Scopes::Project) } else { args.scope };
    let stores = stores(scope, cx)?;
    let listing = service::list(&cx.service, &stores, &request)?;
    cx.page(stores.first().map(|(_, store)| store))?;
    if args.paths {
        for Listed { scope, view } in &listing.memories {
            let path = view.memory.path.as_str();
            let store = stores.iter().find(|(of, _)| of == scope);
            if let Some((_, store)) = store.filter(|_| args.null) {
                let whole = store.root().join(path);
                cx.ui.out.bytes(whole.as_os_str().as_bytes())?;
                cx.ui.out.bytes(b"\0")?;
            } else {
                cx.ui.out.bytes(path.as_bytes())?;
                cx.ui.out.bytes(b"\n")?;
            }
        }
        return Ok(());
    }
    let now = cx.now();
    cx.answer(&listing, |ui| {
        if listing.memories.is_empty() {
            ui.notice("no memories")?;
        } else {
            let header = ["MEMORY", "STRENGTH", "TYPE", "AGE", "FLAG", "FOLDER", "PATH"];
            let mut table = Table::new(&header, ui.out.width())
                .flexible(0)
                .right(1)
                .right(3)
                .spare(&[2, 3, 1, 5])
                .tone(5, Tone::Faint)
                .tone(6, Tone::Faint);
            let is_long = args.long || !ui.out.is_terminal();
            let long_only = |text: String| if is_long { text } else { String::new() };
            for Listed { scope, view } in &listing.memories {
                let memory = &view.memory;
                let changed = memory.changed();
                let fate = match view.fate {
                    Fate::Pinned => "pinned",
                    fate => fate.reason().map_or("", Reason::words),
                };
                let global = if *scope == Scope::Global { "global " } else { "" };
                let stale = if view.gone.is_empty() { "" } else { " stale" };
                table.row(&[
                    said(memory),
                    number(view.strength.value),
                    long_only(memory.kind.to_string()),
                    changed.map_or_else(|| "-".to_owned(), |time| age(time, now)),
                    format!("{global}{fate}{stale}").trim().to_owned(),
                    if is_long {
                        String::new()
                    } else {
                        memory.path.parent().to_owned()
                    },
                    long_only(memory.path.to_string()),
                ]);
            }
            ui.table(&table)?;
        }
        match listing.not_in_force {
            0 => Ok(()),
            more => ui.notice(&format!("{more} more with --all: superseded or archived")),
        }
    })
}

/// The text of a fact; the title of a note, and what it says; before it the files that it holds for.
pub(super) fn said(memory: &Memory) -> String {
    let files = holds_for(memory).map(|files| format!("in {files}: "));
    files.unwrap_or_default() + &words(memory)
}

fn words(memory: &Memory) -> String {
    let text = memory.content.keyed_text();
    if !memory.content.is_note() && !text.is_empty() {
        return text.to_owned();
    }
    let (title, says) = (memory.title(), memory.says());
    if says.is_empty() {
        title.to_owned()
    } else {
        format!("{title}: {says}")
    }
}
