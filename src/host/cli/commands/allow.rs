//! `mdmem allow`

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::{tell_aftermath, tell_rest};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, counted};
use crate::host::json::with_commit;
use crate::service::{self, Allowance, AllowedFile, Store};

/// The number of digits of a hash that tell two of them apart.
const SHORT: usize = 12;

/// Commit files that are held back: a suspected secret that is harmless, or a file that git ignores
///
/// A file with a suspected secret is held back: not committed, and shown redacted. This commits it, and shows it as it
/// is. An allowed value is remembered on this machine by its hash: another secret that comes into the same file is held
/// back again. A memory that .gitignore or .git/info/exclude matches is rendered and has no history; this makes it a
/// tracked file like any other.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem allow reference/test-accounts.md
  mdmem allow decision/local-paths.md         although git ignores it
  mdmem allow --list
  mdmem allow --revoke reference/test-accounts.md")]
pub(crate) struct AllowArgs {
    /// Files of the store, or names of memories
    #[arg(value_name = "PATH", required_unless_present = "list")]
    pub(crate) paths: Vec<String>,

    /// List what was allowed
    #[arg(long, conflicts_with_all = ["paths", "revoke"])]
    pub(crate) list: bool,

    /// Take back what was allowed in these files
    #[arg(long)]
    pub(crate) revoke: bool,
}

pub(crate) fn run(args: &AllowArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    if args.list {
        list(&store, cx)
    } else if args.revoke {
        revoke(&store, args, cx)
    } else {
        allow(&store, args, cx)
    }
}

fn allow(store: &Store, args: &AllowArgs, cx: &mut Context) -> Result<(), CommandError> {
    let (files, changed) = service::allow(store, &args.paths)?;
    if cx.ui.format == Format::Json {
        let file = |file: &AllowedFile| json!({ "path": file.path, "allowed": file.findings, "tracked": file.is_newly_tracked });
        let form = json!({ "files": files.iter().map(file).collect::<Value>() });
        return Ok(cx.ui.json(&with_commit(form, Some(&changed)))?);
    }
    for file in &files {
        let path = &file.path;
        if file.is_newly_tracked {
            cx.ui.line(&format!("tracked {path}"))?;
        } else if file.findings.is_empty() {
            cx.ui.notice(&format!("nothing to allow in {path}"))?;
        }
        for finding in &file.findings {
            let place = finding
                .line()
                .map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
            cx.ui.line(&format!("allowed {place}: {}", finding.kind))?;
        }
    }
    Ok(tell_rest(&changed, &mut cx.ui)?)
}

fn revoke(store: &Store, args: &AllowArgs, cx: &mut Context) -> Result<(), CommandError> {
    let (files, aftermath) = service::revoke(store, &args.paths)?;
    if cx.ui.format == Format::Json {
        let file = |(path, count): &(String, usize)| json!({ "path": path, "revoked": count });
        let files: Vec<_> = files.iter().map(file).collect();
        return Ok(cx.ui.json(&json!({ "files": files }))?);
    }
    for (path, count) in &files {
        if *count == 0 {
            cx.ui.notice(&format!("nothing was allowed in {path}"))?;
        } else {
            cx.ui
                .line(&format!("revoked {path}: {}", counted(*count, "credential")))?;
        }
    }
    Ok(tell_aftermath(&aftermath, &mut cx.ui)?)
}

fn list(store: &Store, cx: &mut Context) -> Result<(), CommandError> {
    let allowances = service::allowances(store);
    if cx.ui.format == Format::Json {
        let form =
            |entry: &Allowance| json!({ "path": entry.path, "kind": entry.kind, "sha256": entry.digest });
        return Ok(cx.ui.json(&allowances.iter().map(form).collect::<Vec<_>>())?);
    }
    for entry in &allowances {
        let short = entry.digest.get(..SHORT).unwrap_or(&entry.digest);
        cx.ui.line(&format!("{}  {}  {short}", entry.path, entry.kind))?;
    }
    Ok(())
}
