//! `mdmem allow`

use clap::Args;

use crate::host::cli::ui::counted;
use crate::host::cli::{CommandError, Context};
use crate::service;

/// The number of digits of a hash that tell two of them apart.
const SHORT: usize = 12;

/// Commit files that are held back: a suspected secret that is harmless, or a file that git ignores
///
/// A file with a suspected secret is held back: not committed, and shown redacted. This marks the secret as
/// harmless and commits the file. Only the hash of the value is kept, on this machine; another secret in the
/// same file is held back again. A memory that git ignores is rendered but has no history; this makes it a
/// tracked file like any other.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem allow reference/test-accounts.md
  mdmem allow decision/local-paths.md         a file that git ignores
  mdmem allow --list
  mdmem allow --revoke reference/test-accounts.md")]
pub(crate) struct AllowArgs {
    /// Memories, or files of the store
    #[arg(value_name = "PATH", required_unless_present = "list")]
    pub(crate) paths: Vec<String>,

    /// List what is allowed
    #[arg(long, conflicts_with_all = ["paths", "revoke"])]
    pub(crate) list: bool,

    /// No longer allow anything in these files
    #[arg(long)]
    pub(crate) revoke: bool,
}

pub(crate) fn run(args: &AllowArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    if args.list {
        let allowances = service::allowances(&store);
        return cx.answer(&allowances, |ui| {
            if allowances.is_empty() {
                ui.notice("nothing is allowed")?;
            }
            for entry in &allowances {
                let short = entry.digest.get(..SHORT).unwrap_or(&entry.digest);
                ui.line(&format!("{}  {}  {short}", entry.path, entry.kind))?;
            }
            Ok(())
        });
    }
    if args.revoke {
        let done = service::revoke(&store, &args.paths)?;
        return cx.done(&done, |ui| {
            for file in &done.answer.files {
                let path = &file.path;
                match file.revoked {
                    0 => ui.notice(&format!("nothing is allowed in {path}"))?,
                    count => ui.line(&format!("revoked {path}: {}", counted(count, "credential")))?,
                }
            }
            Ok(String::new())
        });
    }
    let done = service::allow(&store, &args.paths)?;
    cx.done(&done, |ui| {
        for file in &done.answer.files {
            let path = &file.path;
            if file.is_newly_tracked {
                ui.line(&format!("tracked {path}"))?;
            } else if file.findings.is_empty() {
                ui.notice(&format!("nothing to allow in {path}"))?;
            }
            for finding in &file.findings {
                let line = finding.line.map(|line| format!(":{line}"));
                let place = format!("{path}{}", line.unwrap_or_default());
                ui.line(&format!("allowed {place}: {}", finding.kind))?;
            }
        }
        Ok(String::new())
    })
}
