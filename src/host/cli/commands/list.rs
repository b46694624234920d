//! `mdmem list`

use clap::Args;
use serde_json::Value;

use crate::host::cli::args::one_of;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, age, bar, shortened};
use crate::host::json::memory_json;
use crate::model::{Kind, Status, Zone};
use crate::service::{self, Fate, ListOrder, ListRequest, Listing, MemoryView};

/// List the memories, strongest first
///
/// Without filters: all active memories, pinned ones first. Nothing is ever cut: what does not win a place in the
/// prompt is listed too, and `mdmem why` says why.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem list --type decision
  mdmem list plugin loading
  mdmem list --all --sort created
  mdmem list --json | jq -r '.[].text'
  mdmem list --paths -0 | xargs -0 grep -l npm")]
pub(crate) struct ListArgs {
    /// Only memories that these words find, as `mdmem search` does
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,

    /// Only these types
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kinds: Vec<String>,

    /// Only these zones
    #[arg(long = "zone", value_parser = one_of(ZONES), value_name = "ZONE")]
    pub(crate) zones: Vec<Zone>,

    /// Only memories in this status
    #[arg(long, value_parser = one_of(STATUSES), value_name = "STATUS")]
    pub(crate) status: Option<Status>,

    /// Also superseded and archived memories
    #[arg(short, long)]
    pub(crate) all: bool,

    /// The order of the memories
    #[arg(short, long, value_parser = one_of(ORDERS), value_name = "ORDER", default_value = "strength")]
    pub(crate) sort: ListOrder,

    /// Print paths alone, one a line
    #[arg(short = 'p', long, conflicts_with = "json")]
    pub(crate) paths: bool,

    /// End each path with a NUL byte instead of a line feed
    #[arg(short = '0', long = "null", requires = "paths")]
    pub(crate) null: bool,
}

pub(super) const ZONES: &[(&str, &str, Zone)] = &[
    ("pinned", "system/: the whole body is in the prompt", Zone::Pinned),
    (
        "ranked",
        "A type's folder: one line each, by strength",
        Zone::Ranked,
    ),
    ("cold", "Any other folder: listed in the tree", Zone::Cold),
    ("archive", "archive/: kept, never rendered", Zone::Archive),
];
const STATUSES: &[(&str, &str, Status)] = &[
    ("active", "In force", Status::Active),
    ("superseded", "Another memory says it now", Status::Superseded),
];
const ORDERS: &[(&str, &str, ListOrder)] = &[
    ("strength", "The strongest first", ListOrder::Strength),
    ("created", "The newest first", ListOrder::Created),
    ("updated", "The last changed first", ListOrder::Updated),
    ("path", "By path", ListOrder::Path),
];

/// The most characters of a text in the table; `show` has the rest.
const TEXT: usize = 70;

pub(crate) fn run(args: &ListArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = ListRequest {
        kinds: args.kinds.iter().map(|name| Kind::new(name)).collect(),
        zones: args.zones.clone(),
        words: args.words.join(" "),
        status: args.status,
        all: args.all,
        order: args.sort,
    };
    let listing = service::list(&cx.store()?, &request)?;
    if args.paths {
        let end: &[u8] = if args.null { b"\0" } else { b"\n" };
        for view in &listing.memories {
            cx.ui.out.bytes(view.memory.path.as_str().as_bytes())?;
            cx.ui.out.bytes(end)?;
        }
        return Ok(());
    }
    if cx.ui.format == Format::Json {
        return Ok(cx
            .ui
            .json(&listing.memories.iter().map(memory_json).collect::<Value>())?);
    }
    print(&listing, cx)
}

fn print(listing: &Listing, cx: &mut Context) -> Result<(), CommandError> {
    let now = cx.now();
    if listing.memories.is_empty() {
        cx.ui.notice("no memories")?;
    } else {
        let mut table = Table::new(&["STRENGTH", "TYPE", "MEMORY", "AGE", "PATH"], cx.ui.out.width())
            .right(3)
            .flexible(2);
        for view in &listing.memories {
            table.row(&[
                bar(view.strength.value),
                view.memory.kind.to_string(),
                label(view),
                view.memory
                    .created
                    .known()
                    .map_or_else(|| "-".to_owned(), |created| age(created, now)),
                view.memory.path.to_string(),
            ]);
        }
        cx.ui.table(&mut table)?;
    }
    if listing.not_in_force > 0 {
        cx.ui.notice(&format!(
            "{} more with --all: superseded or archived",
            listing.not_in_force
        ))?;
    }
    Ok(())
}

/// The text of a memory, in one cell: a fact's text, a note's title and hook, and why it is not shown.
fn label(view: &MemoryView) -> String {
    let memory = &view.memory;
    let said = if memory.content.is_note() || memory.content.keyed_text().is_empty() {
        memory.title()
    } else {
        memory.content.keyed_text()
    };
    let mut text = shortened(said, TEXT);
    match view.fate {
        Fate::Pinned => text.push_str(" [pinned]"),
        Fate::Omitted(reason) => {
            text.push_str(" [");
            text.push_str(reason.as_str());
            text.push(']');
        }
        Fate::Ranked | Fate::Cold => {}
    }
    text
}
