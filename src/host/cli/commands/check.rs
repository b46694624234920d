//! `mdmem check`

use std::process::ExitCode;

use clap::Args;

use crate::host::cli::change_report::finding_lines;
use crate::host::cli::ui::{Ui, counted};
use crate::host::cli::{CommandError, Context};
use crate::model::{Diagnostic, Severity};
use crate::service::{self, FileFate, Mend, Repair, Run, TidyStep, Tidying, some_of};
use crate::sys::shown_path;

/// Find problems in the store, and say how to fix them
///
/// Each finding names its file, line and column. Without MEMORY, everything is checked: all files, every
/// object of the history, pending writes, sync, sessions, the log of decisions, OpenCode's plugin. The exit
/// code is 1 if there is an error.
///
/// With --fix, duplicates are merged into one memory, and links follow. If the history is damaged, it is
/// repaired instead: the branch is reset to the newest readable commit, and newer contents of the files are
/// committed again. No file is changed by that, and everything that is replaced is kept in .git/mdmem-repair.
/// Without --yes, --fix only shows what it would do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem check
  mdmem check decision/use-npm-cache.md
  mdmem check --fix             show what would be done
  mdmem check --fix --yes       do it
  mdmem check --json | jq -r '.[].path'")]
pub(crate) struct CheckArgs {
    /// Paths, slugs or starts of ids [default: everything]
    #[arg(value_name = "MEMORY")]
    pub(crate) memories: Vec<String>,

    /// Merge duplicates, or repair a damaged history
    #[arg(long, conflicts_with = "memories")]
    pub(crate) fix: bool,

    /// With --fix: make the changes
    #[arg(short, long, requires = "fix", conflicts_with = "dry_run")]
    pub(crate) yes: bool,

    /// With --fix: only show what would be done (the default)
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
            0 => ui.notice("no problems found"),
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
        ui.line(&format!("{word} {path}: same as {kept}"))?;
    }
    ui.tell_more(steps)?;
    if !links.is_empty() {
        let mended = run.says("updated", "would update");
        ui.notice(&format!("{mended} links in {}", some_of(links)))?;
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
        ui.line(&format!("{would}restored in the history: {path}"))?;
    }
    match repair.mend {
        Mend::Nothing | Mend::Rewrite => {}
        Mend::Back(tip) => ui.line(&format!(
            "{branch} {would}reset to {}, the newest readable commit (was `{}`)",
            tip.short(),
            repair.before
        ))?,
        Mend::Anew => ui.line(&format!(
            "{branch} {would}started over from the files: no commit is readable with all of its history"
        ))?,
    }
    if let Some(folder) = &repair.kept_in {
        let folder = shown_path(folder);
        ui.notice(&format!("what was replaced is kept in {folder}"))?;
    }
    match run {
        Run::Dry => ui.hint("`mdmem check --fix --yes` repairs the history; no file is changed."),
        Run::Real => Ok(()),
    }
}
