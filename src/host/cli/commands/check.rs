//! `mdmem check`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::{tell_aftermath, tell_rest};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::finding;
use crate::host::cli::ui::{Format, counted};
use crate::host::errors::some_of;
use crate::host::json::with_commit;
use crate::model::{Diagnostic, Severity};
use crate::service::{self, Aftermath, FileFate, Fixed, Mend, Repair, Run, TidyStep};
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

pub(crate) fn run(args: &CheckArgs, cx: &mut Context) -> Result<ExitCode, CommandError> {
    if args.fix {
        fix(if args.yes { Run::Real } else { Run::Dry }, cx)?;
        return Ok(ExitCode::SUCCESS);
    }
    // For what its names cover; without a store there are findings too.
    drop(cx.open());
    let findings = service::check(&cx.service, &args.memories)?;
    if cx.ui.format == Format::Json {
        cx.ui.json(&findings)?;
    } else {
        cx.page_anywhere()?;
        let (color, zone) = (cx.ui.color, cx.ui.zone);
        for finding in &findings {
            cx.ui.lines(&finding::lines(finding, color, zone))?;
        }
        if findings.is_empty() {
            cx.ui.notice("nothing to mend")?;
        } else if findings.len() > MOST_SEEN {
            cx.ui.notice(&summary(&findings))?;
        }
    }
    let is_bad = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(ExitCode::from(u8::from(is_bad)))
}

/// `3 errors, 1 warning`: the findings of each severity, the gravest first.
fn summary(findings: &[Diagnostic]) -> String {
    let count = |severity: Severity| {
        let count = findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count();
        (count > 0).then(|| counted(count, severity.as_str()))
    };
    let words = [Severity::Error, Severity::Warning, Severity::Note];
    words.into_iter().filter_map(count).collect::<Vec<_>>().join(", ")
}

fn fix(run: Run, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.open()?;
    cx.warn_of_settings(&store)?;
    let fixed = service::fix(&store, run)?;
    let mended = fixed.tidying.links.iter().filter(|mend| mend.may_change);
    let mended: Vec<&str> = mended.map(|mend| mend.path.as_str()).collect();
    if cx.ui.format == Format::Json {
        let history = fixed.history.as_ref().map(|(repair, _)| repair_json(repair));
        let form = json!({ "history": history, "steps": fixed.tidying.steps, "links": mended });
        return Ok(cx.ui.json(&with_commit(form, fixed.changed.as_ref()))?);
    }
    match &fixed.history {
        Some((repair, aftermath)) => tell_repair(repair, aftermath.as_ref(), cx),
        None => tell_tidying(&fixed, &mended, run, cx),
    }
}

fn tell_tidying(fixed: &Fixed, mended: &[&str], run: Run, cx: &mut Context) -> Result<(), CommandError> {
    let steps = &fixed.tidying.steps;
    for TidyStep { path, kept, fate, .. } in cx.ui.first_of(steps) {
        let word = match (fate, run) {
            (FileFate::Removed, Run::Real) => "removed",
            (FileFate::Removed, Run::Dry) => "would remove",
            (FileFate::Superseded, Run::Real) => "superseded",
            (FileFate::Superseded, Run::Dry) => "would supersede",
            (FileFate::Hidden, _) => "left",
        };
        cx.ui.line(&format!("{word} {path}: {kept} says it"))?;
    }
    cx.ui.tell_more(steps)?;
    if !mended.is_empty() {
        let word = if run == Run::Real { "mended" } else { "would mend" };
        let files = some_of(mended.iter().copied());
        cx.ui.notice(&format!("{word} the links in {files}"))?;
    }
    match &fixed.changed {
        _ if steps.is_empty() => cx.ui.notice("nothing to fix")?,
        None => cx.ui.hint("`mdmem check --fix --yes` does it.")?,
        Some(changed) => {
            tell_rest(changed, &mut cx.ui)?;
            cx.ui.hint("`mdmem undo` takes it back.")?;
        }
    }
    Ok(())
}

/// `aftermath` is there where it was done.
fn tell_repair(repair: &Repair, aftermath: Option<&Aftermath>, cx: &mut Context) -> Result<(), CommandError> {
    for damage in &repair.damage {
        cx.ui.warning(damage)?;
    }
    let (would, branch) = (if aftermath.is_some() { "" } else { "would be " }, &repair.branch);
    for (path, _) in &repair.rewritten {
        let path = shown_path(path);
        cx.ui
            .line(&format!("{would}written again into the history: {path}"))?;
    }
    let did = match repair.mend {
        Mend::Nothing | Mend::Rewrite => None,
        Mend::Back(tip) => Some(format!(
            "at {}, the newest commit that can be read (it was `{}`)",
            tip.short(),
            repair.before
        )),
        Mend::Anew => {
            Some("begun anew with the files: no commit can be read with all that came before it".to_owned())
        }
    };
    if let Some(did) = did {
        cx.ui.line(&format!("{branch} {would}{did}"))?;
    }
    if let Some(folder) = &repair.kept_in {
        let folder = shown_path(folder);
        cx.ui.notice(&format!("what was replaced is kept in {folder}"))?;
    }
    match aftermath {
        Some(aftermath) => Ok(tell_aftermath(aftermath, &mut cx.ui)?),
        None => Ok(cx
            .ui
            .hint("`mdmem check --fix --yes` does it; no file is changed.")?),
    }
}

fn repair_json(repair: &Repair) -> Value {
    let (way, commit) = match repair.mend {
        Mend::Nothing => ("nothing", None),
        Mend::Rewrite => ("rewrite", None),
        Mend::Back(tip) => ("back", Some(tip)),
        Mend::Anew => ("anew", None),
    };
    json!({
        "damage": repair.damage,
        "mend": way,
        "commit": commit,
        "branch": repair.branch,
        "before": repair.before,
        "rewritten": repair.rewritten.iter().map(|(path, _)| shown_path(path)).collect::<Vec<_>>(),
        "kept_in": repair.kept_in.as_deref().map(shown_path),
    })
}
