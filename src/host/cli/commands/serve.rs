//! What agents and git start: `mdmem serve`, `mdmem hook`, `mdmem mcp` and `mdmem merge-driver`

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::host::cli::{CommandError, Context};
use crate::host::hook_event::{HookEvent, HookHost};
use crate::service::{self, FileMerge, MERGE_CONFLICT, MergeFiles, MergeRule};
use crate::sys::{secret, survive};

/// Serve an agent's plugin: JSON lines on standard input and output
///
/// Started by the plugin that `mdmem init --with opencode` installs; not meant for people.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"id\":1,\"method\":\"hello\",\"params\":{\"protocol\":1}}' | mdmem serve")]
pub(crate) struct ServeArgs {}

pub(crate) fn run(_: &ServeArgs, cx: &mut Context) -> Result<(), CommandError> {
    (cx.hosts.serve)(&cx.service, &cx.log).map_err(CommandError::failed)
}

/// Handle an agent's hook: the event as JSON on standard input
///
/// Started by the hooks that `mdmem init --with AGENT` installs; not meant for people. The exit code is
/// always 0: an error never stops the agent's turn, and is logged in `.mdmem/log`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"session_id\":\"s\",\"source\":\"startup\"}' | mdmem hook session-start")]
pub(crate) struct HookArgs {
    /// The event
    #[arg(value_enum, value_name = "EVENT")]
    event: HookEvent,

    /// The agent whose hook this is: its answer has that agent's form
    #[arg(long, value_enum, default_value_t, value_name = "AGENT")]
    host: HookHost,
}

pub(crate) fn hook(args: &HookArgs, cx: &mut Context) -> Result<(), CommandError> {
    let answered = survive(|| (cx.hosts.hook)(&cx.service, &cx.log, args.host, args.event));
    if let Ok(Some(answer)) = answered {
        cx.ui.out.text(&answer)?;
    }
    Ok(())
}

/// Serve an agent over the Model Context Protocol, on standard input and output
///
/// Started by the agent, whose settings name this command. The workspace is the one that the agent names (its
/// roots), else DIR, else the current folder. With --http it listens at ADDRESS instead, until Ctrl-C: each
/// request needs the token that is printed, or the one in `MDMEM_HTTP_TOKEN`, which stays the same.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claude mcp add mdmem -- mdmem mcp
  mdmem mcp --workspace ~/projects/site
  mdmem mcp --http 127.0.0.1:7310             for a client that speaks HTTP")]
pub(crate) struct McpArgs {
    /// Use the workspace of DIR, whatever the agent names
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,

    /// Listen here; port 0 is any. Other machines reach all but a loopback address, unencrypted
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    http: Option<SocketAddr>,
}

/// A port alone, or one of `localhost`, is this machine's.
fn address(given: &str) -> Result<SocketAddr, String> {
    let port = given.strip_prefix("localhost:").unwrap_or(given);
    match port.parse::<u16>() {
        Ok(port) => Ok((Ipv4Addr::LOCALHOST, port).into()),
        Err(_) => given
            .parse()
            .map_err(|_| "give an IP address and a port, such as 127.0.0.1:7310".to_owned()),
    }
}

pub(crate) fn mcp(args: &McpArgs, cx: &mut Context) -> Result<(), CommandError> {
    if let Some(address) = args.http {
        return mcp_http(args.workspace.as_deref(), address, cx);
    }
    (cx.hosts.mcp)(&cx.service, &cx.log, args.workspace.as_deref()).map_err(CommandError::failed)
}

fn mcp_http(workspace: Option<&Path>, address: SocketAddr, cx: &mut Context) -> Result<(), CommandError> {
    let given = cx.service.env.var("MDMEM_HTTP_TOKEN");
    let given = given.filter(|token| !token.is_empty());
    let token = given
        .clone()
        .map_or_else(secret, Ok)
        .map_err(CommandError::failed)?;
    let Context {
        ui,
        service,
        log,
        hosts,
        ..
    } = cx;
    let mut told = |url: &str| {
        ui.line(&format!("listening at {url}"))?;
        if given.is_none() {
            ui.line(&format!(
                "each request needs the header `Authorization: Bearer {token}`"
            ))?;
        }
        if !address.ip().is_loopback() {
            ui.warning("other machines can reach this address, and what is sent is not encrypted")?;
        }
        Ok(ui.flush()?)
    };
    (hosts.mcp_http)(service, log, workspace, address, &token, &mut told).map_err(CommandError::failed)
}

/// Merge one file for git
///
/// git runs this for a file that both sides changed (`merge=mdmem` in the store's attributes). Keys are
/// merged one by one, the text line by line; the result replaces OURS. If both sides changed the same lines,
/// `git merge` and `git pull` keep the later text, and the next command that writes puts the other into a
/// conflict copy (`mdmem conflicts`). A rebase or cherry-pick gets conflict markers, and the exit code 3. On
/// any other failure OURS is unchanged.
#[derive(Debug, Args)]
pub(crate) struct MergeDriverArgs {
    /// Merge the list `forgotten` (`merge=mdmem-forgotten`) as a set of lines
    #[arg(long)]
    pub(crate) forgotten: bool,
    /// The common ancestor (%O)
    pub(crate) base: PathBuf,
    /// Our version, and the result (%A)
    pub(crate) ours: PathBuf,
    /// Their version (%B)
    pub(crate) theirs: PathBuf,
    /// The path of the file in the store (%P)
    pub(crate) path: PathBuf,
}

pub(crate) fn merge_driver(args: &MergeDriverArgs, cx: &mut Context) -> Result<(), CommandError> {
    let files = MergeFiles {
        base: args.base.clone(),
        ours: args.ours.clone(),
        theirs: args.theirs.clone(),
        path: args.path.clone(),
        rule: if args.forgotten {
            MergeRule::Forgotten
        } else {
            MergeRule::Memory
        },
    };
    if service::merge_file(&cx.service, &files)? == FileMerge::Conflict {
        cx.exit = ExitCode::from(MERGE_CONFLICT);
    }
    Ok(())
}
