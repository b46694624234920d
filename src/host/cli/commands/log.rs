//! `mdmem log` and `mdmem diff`

use std::collections::BTreeMap;

use clap::Args;

use crate::host::cli::change_report::changed_line;
use crate::host::cli::ui::{Color, Table, Tone, age, in_zone, minute, second};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, Decision, Level, LogRequest, LoggedStep, Store};
use crate::sys::TimeZone;

/// Show the history of the store or of a memory
///
/// A memory's history follows its renames. Decisions are recorded on this machine, in the store's
/// .mdmem/evidence.jsonl, for 90 days; texts in it are redacted and shortened.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that is there or not"
)]
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  mdmem log -5
  mdmem log use-npm-cache
  mdmem log -p --grep \"npm cache\"
  mdmem log --decisions --grep rejected      what was refused, and why
  mdmem log --decisions use-npm-cache        what was decided about a memory
  mdmem log --engine -n 20
  mdmem log --since \"2 weeks ago\" --json")]
pub(crate) struct LogArgs {
    /// Path, slug or start of the id of a memory, present or removed; or a folder, ending in `/`. With
    /// --decisions, also words of a text
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,

    /// The newest N only; -N too
    #[arg(
        short = 'n',
        long = "limit",
        value_name = "N",
        allow_hyphen_values = true,
        overrides_with = "limit"
    )]
    pub(crate) limit: Option<usize>,

    /// Only after this time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Only before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,

    /// Only entries with this text, ignoring case. With --decisions, also in types, reasons and sessions
    #[arg(long, value_name = "TEXT")]
    pub(crate) grep: Option<String>,

    /// Show each commit's changes as a diff
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) patch: bool,

    /// Without the times, as `git log --oneline`
    #[arg(long)]
    pub(crate) oneline: bool,

    /// Show the files that each commit changed
    #[arg(long)]
    pub(crate) stat: bool,

    /// Show decisions: what was stored, refused, reinforced, replaced or shown, and why
    #[arg(long, conflicts_with_all = ["engine", "stat", "patch"])]
    pub(crate) decisions: bool,

    /// Show the engine's log: failures, blocked commits, served prompts
    #[arg(long, conflicts_with_all = ["memory", "stat", "patch"])]
    pub(crate) engine: bool,
}

/// The columns of a terminal that has room for times; a narrower one has the age of a commit.
const WIDE: u16 = 100;

pub(crate) fn run(args: &LogArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = LogRequest {
        memory: args.memory.clone(),
        limit: args.limit,
        revision: None,
        since: cx.time(args.since.as_deref())?,
        until: cx.time(args.until.as_deref())?,
        text: args.grep.clone(),
    };
    if args.engine {
        return engine(&request, cx);
    }
    let store = cx.store()?;
    if args.decisions {
        let decisions = service::decisions(&store, &request)?;
        cx.page(&store)?;
        return cx.answer(&decisions, |ui| {
            if decisions.is_empty() {
                ui.notice("no decision found")?;
            }
            ui.lines(&decision_lines(&decisions, ui.color, ui.zone))
        });
    }
    tell(&service::log(&store, &request)?, args, &store, cx)
}

/// Shows one commit with its changes, as `git show`.
pub(super) fn show_commit(revision: &str, store: &Store, cx: &mut Context) -> Result<(), CommandError> {
    let request = LogRequest {
        revision: Some(revision.to_owned()),
        limit: Some(1),
        ..LogRequest::default()
    };
    let args = LogArgs {
        patch: true,
        ..LogArgs::default()
    };
    tell(&service::log(store, &request)?, &args, store, cx)
}

fn tell(steps: &[LoggedStep], args: &LogArgs, store: &Store, cx: &mut Context) -> Result<(), CommandError> {
    let mut patches = BTreeMap::new();
    if args.patch {
        for (at, step) in steps.iter().enumerate() {
            patches.insert(at, service::diff_of_step(store, &step.changes)?);
        }
    }
    cx.page(store)?;
    let now = cx.now();
    cx.answer(&steps, |ui| {
        let mut table = Table::new(&["", "", ""], ui.out.width())
            .flexible(1)
            .tone(0, Tone::Name)
            .tone(2, Tone::Faint);
        for LoggedStep { commit, .. } in steps {
            let when = match ui.out.width() {
                _ if args.oneline => String::new(),
                Some(..WIDE) => age(commit.time, now),
                _ => minute(commit.time, ui.zone),
            };
            table.row(&[commit.oid.short(), commit.message.subject.clone(), when]);
        }
        let rows = ui.table_lines(&table);
        for (at, (step, lines)) in steps.iter().zip(&rows[1..]).enumerate() {
            ui.lines(lines)?;
            for file in step.files.iter().filter(|_| args.stat) {
                ui.line(&format!("         {}", changed_line(file, ui.color)))?;
            }
            if let Some(files) = patches.get(&at) {
                files.iter().try_for_each(|file| ui.diff(&file.diff, ""))?;
                ui.line("")?;
            }
        }
        Ok(())
    })
}

/// A line for each decision: when, in which session, and what.
pub(super) fn decision_lines(decisions: &[Decision], color: Color, zone: TimeZone) -> Vec<String> {
    let line = |decision: &Decision| {
        let session = decision.event.session.as_deref().unwrap_or("-");
        let session: String = session.chars().take(8).collect();
        let when = format!("{}  {session:<8}", minute(decision.event.at, zone));
        format!("{}  {decision}", color.paint(Tone::Faint, &when))
    };
    decisions.iter().map(line).collect()
}

/// The store need not be one that can be opened: the log says why it cannot.
fn engine(request: &LogRequest, cx: &mut Context) -> Result<(), CommandError> {
    let lines = service::engine_log(&cx.service.place()?.root, request)?;
    cx.page(None)?;
    cx.answer(&lines, |ui| {
        for line in &lines {
            let tone = match line.level {
                Some(Level::ERROR) => Tone::Bad,
                Some(Level::WARN) => Tone::Warning,
                _ => Tone::Faint,
            };
            let at = line.at.map(|at| second(at, ui.zone) + " ").unwrap_or_default();
            let by = line
                .level
                .map(|level| format!("{:<5} {} ", level.as_str(), line.process));
            let before = ui.color.paint(tone, &(at + &by.unwrap_or_default()));
            ui.line(&format!("{before}{}", in_zone(&line.text, ui.zone)))?;
        }
        Ok(())
    })
}

/// Show what changed between two commits or times, or since the last commit
///
/// Without arguments: changes that are not committed. With one revision or time: from then to the present
/// files. With two: from the first to the second.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diff
  mdmem diff yesterday
  mdmem diff \"2 weeks ago\"
  mdmem diff 3f2a91c 9b01d4e
  mdmem diff 3f2a91c -- use-npm-cache")]
pub(crate) struct DiffArgs {
    /// Revisions or times (at most two), then memories
    #[arg(value_name = "REV|TIME|MEMORY")]
    pub(crate) words: Vec<String>,

    /// Memories, or folders ending in `/`
    #[arg(value_name = "MEMORY", last = true)]
    pub(crate) memories: Vec<String>,
}

pub(crate) fn diff(args: &DiffArgs, cx: &mut Context) -> Result<(), CommandError> {
    let words: Vec<_> = args.words.iter().map(|word| cx.point(word)).collect();
    let store = cx.store()?;
    let differences = service::diff(&store, &words, &args.memories)?;
    cx.page(&store)?;
    cx.answer(&differences, |ui| {
        let mut files = differences.files.iter();
        files.try_for_each(|file| ui.diff(&file.diff, ""))
    })
}
