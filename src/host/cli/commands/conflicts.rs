//! `mdmem conflicts`

use std::io::{self, IsTerminal as _};

use clap::Args;

use super::edit::edited;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::ui::{Format, Tone, Ui, ago, shell_word};
use crate::host::cli::{CommandError, Context};
use crate::model::Timestamp;
use crate::service::{self, Conflict, ConflictSide, Contradicted, Keep, Original, Run, SetAside};

/// Show and resolve conflict copies and contradictions
///
/// If two machines changed the same lines of a memory, the later text stays active everywhere; the other is
/// kept in a conflict copy, which no agent sees. Naming a memory without --keep opens both texts in your
/// editor. Two memories that contradict each other (`mdmem reconcile`) both stay active until you choose.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem conflicts
  mdmem conflicts use-npm-cache                  resolve it in your editor
  mdmem conflicts use-npm-cache --keep theirs")]
pub(crate) struct ConflictsArgs {
    /// The memory or its conflict copy: path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,

    /// Which text to keep
    #[arg(long, value_enum, value_name = "TEXT", requires = "memory")]
    pub(crate) keep: Option<Keep>,

    /// Only show what would be done
    #[arg(short = 'n', long, requires = "keep")]
    pub(crate) dry_run: bool,
}

/// Begins the part of the editor's text that is not saved.
const BELOW: &str = "<!-- mdmem: everything above this line is saved. Conflict copy, not saved:";

pub(crate) fn run(args: &ConflictsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    if let (Some(name), Some(keep)) = (&args.memory, args.keep) {
        return settle(&store, name, keep, Run::dry_if(args.dry_run), cx);
    }
    let conflicts = service::conflicts(&store, args.memory.as_deref())?;
    if args.memory.is_some() && cx.ui.format == Format::Text && io::stdin().is_terminal() {
        let mut is_edited = false;
        for conflict in &conflicts {
            if let Conflict::Aside(conflict) = conflict {
                edit_both(&store, conflict, cx)?;
                is_edited = true;
            }
        }
        if is_edited {
            return Ok(());
        }
    }
    let now = cx.now();
    cx.answer(&conflicts, |ui| {
        let (mut aside, mut contradicted) = (None, None);
        for conflict in &conflicts {
            match conflict {
                Conflict::Aside(conflict) => {
                    tell_aside(conflict, now, ui)?;
                    let side = conflict.memory.as_ref().unwrap_or(&conflict.aside[0]);
                    aside.get_or_insert(&side.path);
                }
                Conflict::Contradiction(pair) => {
                    tell_pair(pair, ui)?;
                    contradicted.get_or_insert(&pair.contradicts[0].path);
                }
            }
        }
        if conflicts.is_empty() {
            ui.notice("no conflicts")?;
        }
        if let Some(path) = aside {
            let path = shell_word(path.as_str());
            ui.hint(&format!(
                "`mdmem conflicts {path}` opens both in your editor; `--keep ours` keeps the memory, \
                 `--keep theirs` the conflict copy, `--keep both` makes the copy a memory of its own."
            ))?;
        }
        if let Some(path) = contradicted {
            let path = shell_word(path.as_str());
            ui.hint(&format!(
                "`mdmem conflicts {path} --keep ours` keeps that memory and archives the other, `--keep \
                 theirs` does the reverse, `--keep both` keeps both."
            ))?;
        }
        Ok(())
    })
}

fn tell_pair(pair: &Contradicted, ui: &mut Ui) -> io::Result<()> {
    let [a, b] = &pair.contradicts;
    let heading = ui
        .color
        .paint(Tone::Heading, &format!("{} and {}", a.path, b.path));
    ui.line(&heading)?;
    ui.line(&format!("  contradiction: {}", pair.why))?;
    for text in [&a.text, &b.text] {
        for (at, line) in text.lines().enumerate() {
            ui.line(&format!("  {} {line}", if at == 0 { "-" } else { " " }))?;
        }
    }
    Ok(())
}

fn tell_aside(conflict: &SetAside, now: Timestamp, ui: &mut Ui) -> io::Result<()> {
    let shown = |side: &ConflictSide| match side.updated {
        Some(at) => format!("{} ({})", side.path, ago(at, now)),
        None => side.path.to_string(),
    };
    let gone = || format!("a removed memory ({})", conflict.id);
    let line = conflict.memory.as_ref().map_or_else(gone, shown);
    let line = ui.color.paint(Tone::Heading, &line);
    ui.line(&line)?;
    for side in &conflict.aside {
        ui.line(&format!("  conflict copy: {}", shown(side)))?;
        ui.diff(&side.diff, "  ")?;
    }
    Ok(())
}

fn settle(
    store: &service::Store,
    name: &str,
    keep: Keep,
    run: Run,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let done = service::settle(&cx.service, store, name, keep, run)?;
    let settled = &done.answer;
    cx.done(&done, |ui| {
        for (word, paths) in [
            (run.says("changed", "would change"), &settled.changed),
            (run.says("added", "would add"), &settled.added),
            (run.says("removed", "would remove"), &settled.removed),
        ] {
            paths
                .iter()
                .try_for_each(|path| ui.line(&format!("{word} {path}")))?;
        }
        let would = run.says("", "would be ");
        for pair in &settled.settled {
            let [a, b] = &pair.contradicts;
            ui.line(&format!("{would}resolved {} and {}", a.path, b.path))?;
        }
        for path in &settled.archived {
            ui.line(&format!("{would}archived {path}"))?;
        }
        Ok("`mdmem undo` takes it back.".to_owned())
    })
}

/// The editor gets the memory, and below it its conflict copy, to take from that what should stay.
fn edit_both(store: &service::Store, conflict: &SetAside, cx: &mut Context) -> Result<(), CommandError> {
    let Some(memory) = &conflict.memory else {
        let error = CommandError::failed(anyhow::anyhow!("the memory {} was removed", conflict.id));
        return Err(error
            .hint("`--keep both` makes the conflict copy a memory of its own; `--keep ours` removes it."));
    };
    let mut bytes = memory.bytes.clone();
    for side in &conflict.aside {
        let heading = format!("\n{BELOW} {} -->\n\n", side.path);
        bytes.extend([heading.as_bytes(), &side.bytes].concat());
    }
    let handed = Original {
        path: memory.path.clone(),
        bytes,
        is_new: false,
    };
    let Some((text, copy)) = edited(store, &handed, cx)? else {
        return Ok(cx.ui.notice("nothing was changed")?);
    };
    let changed = copy.kept_unless(service::settle_by_text(store, conflict, above(&text)))?;
    cx.ui.line(&format!("saved {}", memory.path))?;
    Ok(tell_rest(&changed, &mut cx.ui)?)
}

/// The part of an edited text that is saved.
fn above(text: &[u8]) -> &[u8] {
    let mut parts = text.windows(BELOW.len());
    match parts.position(|part| part == BELOW.as_bytes()) {
        Some(end) => text[..end].strip_suffix(b"\n").unwrap_or(&text[..end]),
        None => text,
    }
}
