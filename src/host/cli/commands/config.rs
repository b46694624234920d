//! `mdmem config`

use clap::{Args, Subcommand};
use serde_json::json;

use crate::config::{Problem, Scope, Setting};
use crate::host::cli::change_report::tell_deferred;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, Table};
use crate::model::StorePath;
use crate::service::counted;
use crate::service::{self, Repinned, SettingChange};
use crate::sys::shell_word;

/// Show every setting with its value and where it comes from, or change one
///
/// From weak to strong: the default, the user's file, the store's mdmem.toml, the environment, --set. `format` and
/// `hot_dir`, the folder of the pinned notes, stand in mdmem.toml alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem config
  mdmem config get render.max_chars
  mdmem config set render.max_chars 5000
  mdmem config set --user editor \"code --wait\"
  MDMEM_RENDER__MAX_CHARS=2000 mdmem render")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Show every setting with its value and where it comes from
    List,
    /// Print the value of one setting
    Get {
        /// The setting, such as `render.max_chars`
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Set a value in the store's mdmem.toml, or in the user's file
    Set {
        /// The setting, such as `render.max_chars`
        #[arg(value_name = "KEY")]
        key: String,
        /// The value, as in TOML; a text needs no quotes
        #[arg(value_name = "VALUE")]
        value: String,
        /// In the user's file, instead of the store's, which travels with the store
        #[arg(long)]
        user: bool,
    },
    /// Take a setting out of the store's mdmem.toml, or of the user's file
    Unset {
        /// The setting, such as `render.max_chars`
        #[arg(value_name = "KEY")]
        key: String,
        /// Out of the user's file, instead of the store's
        #[arg(long)]
        user: bool,
    },
}

pub(crate) fn run(args: &ConfigArgs, cx: &mut Context) -> Result<(), CommandError> {
    match &args.action {
        None | Some(ConfigAction::List) => list(cx),
        Some(ConfigAction::Get { key }) => get(key, cx),
        Some(ConfigAction::Set { key, value, user }) => change(key, Some(value.as_str()), *user, cx),
        Some(ConfigAction::Unset { key, user }) => change(key, None, *user, cx),
    }
}

fn list(cx: &mut Context) -> Result<(), CommandError> {
    let report = service::settings(&cx.service)?;
    let entries = report.settings.all();
    if cx.ui.format == Format::Json {
        let problem =
            |problem: &Problem| json!({ "severity": problem.severity(), "message": problem.to_string() });
        return Ok(cx.ui.json(&json!({
            "user_file": report.user_file.to_string_lossy(),
            "store_file": report.store_file.as_ref().map(|path| path.to_string_lossy()),
            "settings": entries.iter().map(setting_json).collect::<Vec<_>>(),
            "problems": report.settings.problems.iter().map(problem).collect::<Vec<_>>(),
        }))?);
    }
    let mut table = Table::new(&["KEY", "VALUE", "FROM"], cx.ui.out.width()).flexible(1);
    for entry in &entries {
        table.row(&[entry.key.clone(), entry.shown(), entry.origin.to_string()]);
    }
    cx.ui.table(&table)?;
    for problem in &report.settings.problems {
        cx.ui.warning(&problem.to_string())?;
    }
    Ok(())
}

fn get(key: &str, cx: &mut Context) -> Result<(), CommandError> {
    let report = service::settings(&cx.service)?;
    let Some(entry) = report.settings.get(key) else {
        let unknown = CommandError::failed(anyhow::anyhow!("there is no setting `{key}`"));
        let nearest = report
            .settings
            .nearest(key)
            .map(|nearest| format!("Did you mean `{nearest}`?"));
        return Err(unknown.hint(nearest.unwrap_or_else(|| "`mdmem config` lists every setting.".to_owned())));
    };
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&setting_json(&entry))?);
    }
    let text = match &entry.value {
        None => String::new(),
        Some(value) => value.as_str().map_or_else(|| entry.shown(), str::to_owned),
    };
    Ok(cx.ui.line(&text)?)
}

fn change(key: &str, value: Option<&str>, user: bool, cx: &mut Context) -> Result<(), CommandError> {
    let file = if user { Scope::User } else { Scope::Store };
    let SettingChange {
        file,
        outcome,
        unshown,
        repinned,
    } = service::change_setting(&cx.service, file, key, value)?;
    let path = file.to_string_lossy();
    if cx.ui.format == Format::Json {
        let mut form = json!({ "key": key, "file": path });
        form["no_longer_shown"] = unshown.map_or(0, |unshown| unshown.count).into();
        if let Some(Repinned { left, .. }) = &repinned {
            form["no_longer_pinned"] = left.iter().map(StorePath::as_str).collect();
        }
        return Ok(cx.ui.json(&form)?);
    }
    let word = if value.is_some() { "set" } else { "unset" };
    cx.ui.notice(&format!("{word} {key} in {path}"))?;
    if let Some(outcome) = &outcome {
        tell_deferred(outcome, &mut cx.ui)?;
    }
    if let Some(unshown) = unshown {
        let what = format!(
            "{} of {} memories are no longer shown in prompts",
            unshown.count, unshown.of
        );
        if unshown.is_most() {
            cx.ui.warning(&what)?;
        } else {
            cx.ui.notice(&what)?;
        }
        unshown.hint().map_or(Ok(()), |hint| cx.ui.hint(&hint))?;
    }
    repinned.map_or(Ok(()), |repinned| tell_repinned(&repinned, cx))
}

/// Says what became of the notes that were pinned, and how they are pinned again.
fn tell_repinned(repinned: &Repinned, cx: &mut Context) -> Result<(), CommandError> {
    let Repinned { before, now, left } = repinned;
    cx.ui.notice(&format!(
        "{now}/ is pinned from each session's next epoch on, and {before}/ is a folder like any other"
    ))?;
    if let Some(first) = left.first() {
        let (left, first) = (counted(left.len(), "note"), shell_word(first.as_str()));
        cx.ui.hint(&format!(
            "Still in {before}/: {left}. `mdmem mv {first} {now}/` pins one again."
        ))?;
    }
    Ok(())
}

fn setting_json(entry: &Setting) -> serde_json::Value {
    json!({
        "key": entry.key,
        "value": entry.value,
        "layer": entry.origin.layer(),
        "origin": entry.origin.to_string(),
    })
}
