//! `mdmem conflicts`

use std::io::IsTerminal as _;

use clap::Args;
use serde_json::{Value, json};

use super::edit::edited;
use crate::host::cli::args::one_of;
use crate::host::cli::change_report::tell_rest;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, ago, shell_word, unified_diff};
use crate::host::json::with_commit;
use crate::model::{Id, StorePath, Timestamp};
use crate::service::{self, Conflict, ConflictSide, Contradicted, Keep, Original, Run, ServiceError};

/// Show and resolve conflict copies and contradictions
///
/// Where both sides changed the same lines of a memory, the later text is in force, the same one on every machine; the
/// other lies beside it and is shown to no agent. Without --keep, and with a memory, your editor gets both texts. Two
/// memories that a model finds in contradiction (`mdmem reconcile`) both stay in force until you say which one holds.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem conflicts
  mdmem conflicts use-npm-cache                  settle it in your editor
  mdmem conflicts use-npm-cache --keep theirs")]
pub(crate) struct ConflictsArgs {
    /// The memory, or the file that was set aside: path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,

    /// The text that counts from now on
    #[arg(long, value_parser = one_of(KEEPS), value_name = "TEXT", requires = "memory")]
    pub(crate) keep: Option<Keep>,

    /// Only say what would be done
    #[arg(short = 'n', long, requires = "keep")]
    pub(crate) dry_run: bool,
}

const KEEPS: &[(&str, &str, Keep)] = &[
    ("ours", "The one in force, or MEMORY; the other goes", Keep::Ours),
    (
        "theirs",
        "The one that was set aside takes its place, or the other memory stays",
        Keep::Theirs,
    ),
    (
        "both",
        "Both: as a memory of its own, or as no contradiction",
        Keep::Both,
    ),
];

/// Begins the part of the editor's text that is not saved.
const BELOW: &str = "<!-- mdmem: what stands above is saved. Set aside, and left out from here on:";

pub(crate) fn run(args: &ConflictsArgs, cx: &mut Context) -> Result<(), CommandError> {
    if let (Some(name), Some(keep)) = (&args.memory, args.keep) {
        return settle(args, name, keep, cx);
    }
    let store = cx.store()?;
    let name = args.memory.as_deref();
    let pairs = service::contradictions(&store, name)?;
    let conflicts = match service::conflicts(&store, name) {
        Err(ServiceError::NoConflict { .. }) if !pairs.is_empty() => Vec::new(),
        found => found?,
    };
    if cx.ui.format == Format::Json {
        let all = conflicts.iter().map(form).chain(pairs.iter().map(pair_form));
        return Ok(cx.ui.json(&all.collect::<Value>())?);
    }
    if args.memory.is_some() && !conflicts.is_empty() && std::io::stdin().is_terminal() {
        for conflict in &conflicts {
            edit_both(&store, conflict, cx)?;
        }
        return Ok(());
    }
    for conflict in &conflicts {
        tell(conflict, cx)?;
    }
    for pair in &pairs {
        tell_pair(pair, cx)?;
    }
    if conflicts.is_empty() && pairs.is_empty() {
        cx.ui
            .notice("nothing was set aside, and nothing contradicts itself")?;
    }
    if let Some(first) = conflicts.first() {
        let path = first.memory.as_ref().unwrap_or(&first.aside[0]).path.as_str();
        let path = shell_word(path);
        cx.ui.hint(&format!(
            "`mdmem conflicts {path}` settles it in your editor; `--keep ours` leaves the text in force, `--keep theirs` puts the other in its place, `--keep both` makes that a memory of its own."
        ))?;
    }
    if let Some(first) = pairs.first() {
        let path = shell_word(first.a.0.as_str());
        cx.ui.hint(&format!(
            "`mdmem conflicts {path} --keep ours` keeps that memory and archives the other, `--keep theirs` the reverse, `--keep both` says that both hold."
        ))?;
    }
    Ok(())
}

fn tell_pair(pair: &Contradicted, cx: &mut Context) -> Result<(), CommandError> {
    let color = cx.ui.color;
    let ((a, says_a), (b, says_b)) = (&pair.a, &pair.b);
    let heading = color.paint(Tone::Heading, &format!("{a} and {b}"));
    cx.ui.line(&heading)?;
    cx.ui.line(&format!("  both cannot hold: {}", pair.told.why))?;
    for text in [says_a, says_b] {
        for (at, line) in text.lines().enumerate() {
            cx.ui
                .line(&format!("  {} {line}", if at == 0 { "-" } else { " " }))?;
        }
    }
    Ok(())
}

fn pair_form(pair: &Contradicted) -> Value {
    let side =
        |id: &str, side: &(StorePath, String)| json!({ "id": id, "path": side.0.as_str(), "text": side.1 });
    let [a, b] = pair.ids().map(Id::as_str);
    json!({ "why": pair.told.why, "contradicts": [side(a, &pair.a), side(b, &pair.b)] })
}

/// Settles the contradictions of a memory.
fn settle_pairs(args: &ConflictsArgs, name: &str, keep: Keep, cx: &mut Context) -> Result<(), CommandError> {
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let (settled, changed) = service::settle_contradictions(&cx.store()?, name, keep, run)?;
    if cx.ui.format == Format::Json {
        let form = json!({
            "settled": settled.pairs.iter().map(pair_form).collect::<Value>(),
            "archived": settled.archived.iter().map(StorePath::as_str).collect::<Vec<_>>(),
        });
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    let would = if args.dry_run { "would be " } else { "" };
    for pair in &settled.pairs {
        cx.ui
            .line(&format!("{would}settled {} and {}", pair.a.0, pair.b.0))?;
    }
    for path in &settled.archived {
        cx.ui.line(&format!("{would}archived {path}"))?;
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        cx.ui.hint("`mdmem undo` takes it back.")?;
    }
    Ok(())
}

fn tell(conflict: &Conflict, cx: &mut Context) -> Result<(), CommandError> {
    let (now, color) = (cx.now(), cx.ui.color);
    let shown = |side: &ConflictSide, now: Timestamp| match side.updated {
        Some(at) => format!("{} ({})", side.path, ago(at, now)),
        None => side.path.to_string(),
    };
    let memory = conflict.memory.as_ref();
    let line = memory.map_or_else(
        || format!("a memory that is gone ({})", conflict.id),
        |memory| shown(memory, now),
    );
    cx.ui.line(&color.paint(Tone::Heading, &line))?;
    for side in &conflict.aside {
        cx.ui.line(&format!("  set aside: {}", shown(side, now)))?;
        for line in diff(memory, side, color) {
            cx.ui.out.text(&format!("  {line}\n"))?;
        }
    }
    Ok(())
}

/// The change that `--keep theirs` makes.
fn diff(memory: Option<&ConflictSide>, side: &ConflictSide, color: Color) -> Vec<String> {
    let of = |side: &'_ ConflictSide| (side.path.to_string(), side.bytes.clone());
    let (old, new) = (memory.map(of), of(side));
    let old = old
        .as_ref()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
    unified_diff(old, Some((new.0.as_str(), &new.1)), color)
}

fn form(conflict: &Conflict) -> Value {
    let memory = conflict.memory.as_ref();
    let updated = |side: &ConflictSide| side.updated.map(Timestamp::to_rfc3339);
    let aside = |side: &ConflictSide| {
        json!({
            "path": side.path.as_str(),
            "updated": updated(side),
            "text": String::from_utf8_lossy(&side.bytes),
            "diff": diff(memory, side, Color::Off).join("\n"),
        })
    };
    json!({
        "id": conflict.id.as_str(),
        "path": memory.map(|memory| memory.path.as_str()),
        "updated": memory.and_then(updated),
        "text": memory.map(|memory| String::from_utf8_lossy(&memory.bytes)),
        "aside": conflict.aside.iter().map(aside).collect::<Value>(),
    })
}

fn settle(args: &ConflictsArgs, name: &str, keep: Keep, cx: &mut Context) -> Result<(), CommandError> {
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let store = cx.store()?;
    let (settling, changed) = match service::settle(&cx.service, &store, name, keep, run) {
        Err(ServiceError::NoConflict { .. }) => return settle_pairs(args, name, keep, cx),
        settled => settled?,
    };
    let paths = |paths: &mut dyn Iterator<Item = &StorePath>| {
        paths.map(|path| path.as_str().to_owned()).collect::<Vec<_>>()
    };
    let of = [
        ("changed", "change", paths(&mut settling.changed().into_iter())),
        ("added", "add", paths(&mut settling.added())),
        ("removed", "remove", paths(&mut settling.removed.iter())),
    ];
    if cx.ui.format == Format::Json {
        let form = of.map(|(word, _, paths)| (word.to_owned(), json!(paths)));
        return Ok(cx.ui.json(&with_commit(
            form.into_iter().collect::<Value>(),
            changed.as_ref(),
        ))?);
    }
    for (done, to_do, paths) in &of {
        for path in paths {
            let line = if args.dry_run {
                format!("would {to_do} {path}")
            } else {
                format!("{done} {path}")
            };
            cx.ui.line(&line)?;
        }
    }
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        cx.ui.hint("`mdmem undo` takes it back.")?;
    }
    Ok(())
}

/// The editor gets the memory, and below it what was set aside, to take from that what should stay.
fn edit_both(store: &service::Store, conflict: &Conflict, cx: &mut Context) -> Result<(), CommandError> {
    let Some(memory) = &conflict.memory else {
        let error = CommandError::failed(anyhow::anyhow!("the memory {} is gone", conflict.id));
        return Err(error.hint(
            "`--keep both` makes what was set aside a memory of its own; `--keep ours` removes that too.",
        ));
    };
    let mut bytes = memory.bytes.clone();
    for side in &conflict.aside {
        let heading = format!("\n{BELOW} {} -->\n\n", side.path);
        bytes.extend([heading.as_bytes(), &side.bytes].concat());
    }
    let path = memory.path.clone();
    let handed = Original {
        path,
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
    let text_of = |text: &[u8]| {
        text.windows(BELOW.len())
            .position(|part| part == BELOW.as_bytes())
    };
    match text_of(text) {
        Some(end) => text[..end].strip_suffix(b"\n").unwrap_or(&text[..end]),
        None => text,
    }
}
