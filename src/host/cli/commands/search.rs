//! `mdmem search`

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::host::cli::ui::{Tone, Ui, age, number};
use crate::host::cli::{CommandError, Context};
use crate::model::{Kind, Status, Timestamp, Zone};
use crate::service::{Found, FoundPassage, Hit, Scope, SearchRequest, Searches, Store};
use crate::sys;

/// Find memories by words
///
/// Words match in any form and any order; memories with more of the words, and rarer ones, come first.
/// Archived memories are searched too. The exit code is 1 if nothing is found.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem search plugin cache
  mdmem search --type decision --explain why postgres
  mdmem search --scope project --json timezone | jq -r '.hits[].path'
  mdmem search --batch questions.txt")]
pub(crate) struct SearchArgs {
    /// The words to look for
    #[arg(value_name = "WORDS", required_unless_present = "batch")]
    pub(crate) words: Vec<String>,

    /// Only these types
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kinds: Vec<String>,

    /// Only these zones
    #[arg(long = "zone", value_enum, value_name = "ZONE")]
    pub(crate) zones: Vec<Zone>,

    /// Only memories with one of these tags
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,

    /// The stores to search [default: both]
    #[arg(long, value_enum, value_name = "SCOPE", conflicts_with = "global")]
    pub(crate) scope: Option<Scopes>,

    /// At most N memories
    #[arg(short = 'n', long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,

    /// Also search superseded memories
    #[arg(short, long)]
    pub(crate) all: bool,

    /// Explain the rank of each memory
    #[arg(long, conflicts_with = "batch")]
    pub(crate) explain: bool,

    /// Answer each line of FILE with one line of JSON
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub(crate) batch: Option<PathBuf>,
}

/// The stores to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scopes {
    /// That of the workspace
    Project,
    /// The global one
    Global,
    /// Both
    All,
}

/// The most bytes of a file of questions.
const MOST_BYTES: u64 = 64 << 20;

pub(crate) fn run(args: &SearchArgs, cx: &mut Context) -> Result<(), CommandError> {
    let stores = stores(args.scope, cx)?;
    let mut searches = Searches::default();
    for (scope, store) in &stores {
        searches.open(*scope, store)?;
    }
    let mut request = SearchRequest {
        words: args.words.join(" "),
        kinds: args.kinds.iter().map(|name| Kind::new(name)).collect(),
        zones: args.zones.clone(),
        tags: args.tags.clone(),
        all: args.all,
        limit: usize::from(args.limit),
    };
    let mut is_found = false;
    if let Some(file) = &args.batch {
        let read = sys::read_regular(&cx.service.env.current_dir().join(file), MOST_BYTES);
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        let bytes = read.and_then(|bytes| bytes.ok_or_else(missing));
        let bytes =
            bytes.map_err(|error| CommandError::usage(anyhow::anyhow!("{}: {error}", file.display())))?;
        for line in String::from_utf8_lossy(&bytes).lines() {
            line.clone_into(&mut request.words);
            let found = searches.ask(&request)?;
            is_found |= !found.hits.is_empty();
            cx.ui.json_line(&found)?;
        }
    } else {
        let found = searches.ask(&request)?;
        is_found = !found.hits.is_empty();
        let now = cx.now();
        cx.answer(&found, |ui| print(&found, args, now, ui))?;
    }
    if !is_found {
        cx.exit = ExitCode::FAILURE;
    }
    Ok(())
}

/// Opens the stores of a scope; where none is named, that of the workspace and the global one, and of `--store` and `--global`
/// that one alone.
pub(super) fn stores(scope: Option<Scopes>, cx: &mut Context) -> Result<Vec<(Scope, Store)>, CommandError> {
    let is_named = cx.service.store.is_some() || cx.service.scope == Scope::Global;
    let scope = scope.unwrap_or(if is_named { Scopes::Project } else { Scopes::All });
    let mut stores = Vec::new();
    if scope != Scopes::Global {
        stores.push((cx.service.scope, cx.store()?));
    }
    if scope != Scopes::Project {
        let global = cx.service.open_global()?;
        stores.extend(global.map(|store| (Scope::Global, store)));
    }
    Ok(stores)
}

fn print(found: &Found, args: &SearchArgs, now: Timestamp, ui: &mut Ui) -> io::Result<()> {
    for guess in &found.guesses {
        ui.notice(&guess.to_string())?;
    }
    if args.explain
        && let Some(reason) = &found.not_by_meaning
    {
        ui.notice(&format!("by words alone: {reason}"))?;
    }
    if found.hits.is_empty() {
        ui.notice("nothing found")?;
    }
    for hit in &found.hits {
        for passage in &hit.passages {
            print_passage(passage, ui)?;
        }
        let line = hit.passages.first().map_or(1, |passage| passage.line);
        let old = hit.updated.map(|updated| format!("  {}", age(updated, now)));
        let (old, strength) = (old.unwrap_or_default(), number(hit.strength));
        let place = format!("  {}:{line}  {strength}{old}{}", hit.path, flags(hit));
        let place = ui.color.paint(Tone::Faint, &place);
        ui.line(&place)?;
        if args.explain {
            explain(hit, ui)?;
        }
    }
    if !found.see_also.is_empty() {
        ui.line("")?;
        ui.line("See also:")?;
        for other in &found.see_also {
            ui.text(&other.hook, &[], "  ")?;
            let place = ui.color.paint(Tone::Faint, &format!("    {}", other.path));
            ui.line(&place)?;
        }
    }
    Ok(())
}

/// The words for what is not usual about a memory.
fn flags(hit: &Hit) -> String {
    let flags = [
        (hit.scope == Scope::Global, "global"),
        (hit.zone == Zone::Archive, "archived"),
        (hit.status == Status::Superseded, "superseded"),
    ];
    let flags = flags.into_iter().filter(|(is_so, _)| *is_so);
    let words: Vec<String> = flags.map(|(_, word)| format!("  [{word}]")).collect();
    let files = hit.files.as_ref().map(|files| format!("  [in {files}]"));
    words.concat() + &files.unwrap_or_default()
}

fn print_passage(passage: &FoundPassage, ui: &mut Ui) -> io::Result<()> {
    let mut start = 0;
    for line in passage.text.split('\n') {
        let end = start + line.len();
        let marks = passage
            .marks
            .iter()
            .filter(|(from, to)| *from < end && *to > start);
        let marks = marks.map(|(from, to)| (from.max(&start) - start, to.min(&end) - start));
        ui.text(line, &marks.collect::<Vec<_>>(), "")?;
        start = end + 1;
    }
    Ok(())
}

fn explain(hit: &Hit, ui: &mut Ui) -> io::Result<()> {
    let why = &hit.why;
    let found = why
        .found
        .iter()
        .map(|(word, fields)| format!("{word} ({})", fields.join(", ")));
    let found = found.collect::<Vec<_>>().join(", ");
    let meaning = why.meaning.map(|cosine| format!("meaning {cosine:.2}"));
    let found: Vec<String> = meaning
        .into_iter()
        .chain((!found.is_empty()).then_some(found))
        .collect();
    ui.line(&format!("  score {:.2}: {}", hit.score, found.join("; ")))?;
    ui.line(&format!(
        "    words {:.2}; question {:.0} % ({:.0} % in one passage); phrase {:.0} %; name {:.0} %; strength {:.2}",
        why.words,
        100.0 * why.share,
        100.0 * why.together,
        100.0 * why.phrase,
        100.0 * why.name,
        hit.strength,
    ))
}
