//! `mdmem check`

use std::process::ExitCode;

use clap::Args;

use crate::host::cli::change_report::finding_lines;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Ui, counted};
use crate::model::{Diagnostic, Severity};
use crate::service::{self, FileFate, Mend, Repair, Run, TidyStep, Tidying, some_of};
use crate::sys::shown_path;

/// Say what is wrong, in the files and behind them, and how to mend it
///
/// Each finding has its file, line and column. Without MEMORY, everything else is looked at too: every object of the history, what waits to
/// be committed, stored or exchanged, the records of sessions and decisions, OpenCode's plugin. The exit code is 1 when there
/// is an error.
///
/// With --fix, duplicates become one memory by the rules by which `add` does it; links to the file that goes mean the other one.
/// If the history is damaged, it comes back instead: the branch goes back to the newest commit that can be read, and the
/// contents of the files beyond it are committed. No file is changed for that, and everything that is replaced is kept in
/// .git/mdmem-repair. Without --yes, --fix only says what it would do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem check
  mdmem check decision/use-npm-cache.md
  mdmem check --fix             what would be done
  mdmem check --fix --yes       do it
  mdmem check --json | jq -r '.[].path'")]
pub(crate) struct CheckArgs {
    /// Paths, slugs or starts of ids [default: everything]
    #[arg(value_name = "MEMORY")]
    pub(crate) memories: Vec<String>,

    /// Settle the duplicates, or bring a damaged history back
    #[arg(long, conflicts_with = "memories")]
    pub(crate) fix: bool,

    /// With --fix: do it
    #[arg(short, long, requires = "fix", conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// With --fix: only say what would be done (the default)
    #[arg(short = 'n', long, requires = "fix")]
    pub(crate) dry_run: bool,
}

/// The findings that a person counts at a glance.
const MOST_SEEN: usize = 10;

pub(crate) fn run(args: &CheckArgs, cx: &mut Context) -> Result<(), CommandError> {
    if args.fix {
        return fix(Run::dry_if(!args.yes), cx);
    }
    // For what its names cover; without a store there are findings too.
    drop(cx.open());
    let findings = service::check(&cx.service, &args.memories)?;
    cx.page(None)?;
    cx.answer(&findings, |ui| {
        for finding in &findings {
            ui.lines(&finding_lines(finding, ui.color, ui.zone))?;
        }
        match findings.len() {
            0 => ui.notice("nothing to mend"),
            1..=MOST_SEEN => Ok(()),
            _ => ui.notice(&summary(&findings)),
        }
    })?;
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        cx.exit = ExitCode::FAILURE;
    }
    Ok(())
}

/// `3 errors, 1 warning`: the findings of each severity, the gravest first.
fn summary(findings: &[Diagnostic]) -> String {
    let count = |severity: Severity| {
        let of_it = findings.iter().filter(|finding| finding.severity == severity);
        let count = of_it.count();
        (count > 0).then(|| counted(count, severity.as_str()))
    };
    let words = [Severity::Error, Severity::Warning, Severity::Note];
    words.into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}

fn fix(run: Run, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.open()?;
    cx.warn_of_settings(&store)?;
    let done = service::fix(&store, run)?;
    cx.done(&done, |ui| {
        match &done.answer.history {
            Some(repair) => tell_repair(repair, run, ui)?,
            None => tell_tidying(&done.answer.tidying, run, ui)?,
        }
        Ok("`mdmem undo` takes it back.".to_owned())
    })
}

fn tell_tidying(Tidying { steps, links }: &Tidying, run: Run, ui: &mut Ui) -> std::io::Result<()> {
    for TidyStep { path, kept, fate, .. } in ui.first_of(steps) {
        let word = match fate {
            FileFate::Removed => run.says("removed", "would remove"),
            FileFate::Superseded => run.says("superseded", "would supersede"),
            FileFate::Hidden => "left",
        };
        ui.line(&format!("{word} {path}: {kept} says it"))?;
    }
    ui.tell_more(steps)?;
    if !links.is_empty() {
        let mended = run.says("mended", "would mend");
        ui.notice(&format!("{mended} the links in {}", some_of(links)))?;
    }
    match run {
        _ if steps.is_empty() => ui.notice("nothing to fix"),
        Run::Dry => ui.hint("`mdmem check --fix --yes` does it."),
        Run::Real => Ok(()),
    }
}

fn tell_repair(repair: &Repair, run: Run, ui: &mut Ui) -> std::io::Result<()> {
    for damage in &repair.damage {
        ui.warning(damage)?;
    }
    let (would, branch) = (run.says("", "would be "), &repair.branch);
    for (path, _) in &repair.rewritten {
        let path = shown_path(path);
        ui.line(&format!("{would}written again into the history: {path}"))?;
    }
    match repair.mend {
        Mend::Nothing | Mend::Rewrite => {}
        Mend::Back(tip) => ui.line(&format!(
            "{branch} {would}at {}, the newest commit that can be read (it was `{}`)",
            tip.short(),
            repair.before
        ))?,
        Mend::Anew => ui.line(&format!(
            "{branch} {would}begun anew with the files: no commit can be read with all that came before it"
        ))?,
    }
    if let Some(folder) = &repair.kept_in {
        let folder = shown_path(folder);
        ui.notice(&format!("what was replaced is kept in {folder}"))?;
    }
    match run {
        Run::Dry => ui.hint("`mdmem check --fix --yes` does it; no file is changed."),
        Run::Real => Ok(()),
    }
}
