//! `mdmem show`, and `mdmem path`, which says where it lies

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::log::show_commit;
use crate::host::cli::change_report::tell_finding;
use crate::host::cli::ui::{Tone, ago, bar, minute};
use crate::host::cli::{CommandError, Context};
use crate::model::Timestamp;
use crate::service::{self, Fate, Shown, some_of};
use crate::sys::{TimeZone, lossy};

/// Show a memory, now or as it was
///
/// Below the file, the memories that link to it with `[[name]]` are listed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem show use-npm-cache
  mdmem show decision/use-npm-cache.md --body
  mdmem show use-npm-cache@3f2a91c        as it was in this commit
  mdmem show use-npm-cache@yesterday
  mdmem show HEAD                        the last commit, with its changes")]
pub(crate) struct ShowArgs {
    /// Path, slug or start of the id; @REV or @TIME shows it as it was then. Or a commit, as in `mdmem log`
    #[arg(value_name = "MEMORY[@REV]")]
    pub(crate) memory: Option<String>,

    /// Print the body only, without frontmatter
    #[arg(short, long)]
    pub(crate) body: bool,

    /// Print the file only, byte for byte
    #[arg(long, conflicts_with = "body")]
    pub(crate) raw: bool,
}

pub(crate) fn run(args: &ShowArgs, cx: &mut Context) -> Result<(), CommandError> {
    let now = cx.now();
    let store = cx.store()?;
    let name = cx.memory(&store, args.memory.as_deref())?;
    let point = name.rsplit_once('@').map(|(_, after)| cx.point(after));
    if is_commit(&name) && service::resolve_point(&store, &cx.point(&name)).is_ok() {
        return show_commit(&name, &store, cx);
    }
    let shown = service::show(&store, &name, point.as_ref())?;
    cx.page(&store)?;
    cx.answer(&shown, |ui| {
        if args.raw {
            return ui.out.bytes(&shown.bytes);
        }
        if args.body {
            return ui.text_of_file(&[&shown.body, &b"\n"[..]].concat());
        }
        let header = ui.color.paint(Tone::Heading, &header(&shown, now, ui.zone));
        ui.line(&header)?;
        ui.text_of_file(&shown.bytes)?;
        if !shown.backlinks.is_empty() {
            let from = format!("linked from {}", some_of(&shown.backlinks));
            let line = ui.color.paint(Tone::Faint, &from);
            ui.line(&line)?;
        }
        let mut diagnostics = shown.diagnostics.iter();
        diagnostics.try_for_each(|diagnostic| tell_finding(diagnostic, ui))
    })
}

/// Says whether a word is what `mdmem log` or git calls a commit.
fn is_commit(word: &str) -> bool {
    let base = word.split(['~', '^']).next().unwrap_or_default();
    base == "HEAD" || (7..=40).contains(&base.len()) && base.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// One line above the file: where, when, how strong, and what became of it.
fn header(shown: &Shown, now: Timestamp, zone: TimeZone) -> String {
    let view = &shown.view;
    let path = view.memory.path.as_str();
    let place = match shown.commit {
        Some(commit) => format!("{path} at {} ({})", commit.oid.short(), minute(commit.time, zone)),
        None => path.to_owned(),
    };
    let created = view
        .memory
        .created
        .known()
        .map(|time| format!("created {}", ago(time, now)));
    let fate = match view.fate {
        Fate::Omitted(reason) => format!("not shown: {}", reason.words()),
        fate => fate.as_str().to_owned(),
    };
    let parts = [Some(place), Some(bar(view.strength.value)), Some(fate), created];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// Print the path of the store, or of a memory's file
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cd \"$(mdmem path)\"
  vim \"$(mdmem path use-npm-cache)\"
  grep -rl npm \"$(mdmem --global path)\"")]
pub(crate) struct PathArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,
}

#[derive(Serialize)]
struct Found {
    #[serde(serialize_with = "lossy")]
    path: PathBuf,
}

pub(crate) fn path(args: &PathArgs, cx: &mut Context) -> Result<(), CommandError> {
    let path = service::path(&cx.service, args.memory.as_deref())?;
    let answer = Found { path };
    cx.answer(&answer, |ui| {
        ui.out.bytes(answer.path.as_os_str().as_bytes())?;
        ui.line("")
    })
}
