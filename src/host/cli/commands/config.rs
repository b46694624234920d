//! `mdmem config`

use clap::{Args, Subcommand};

use crate::config::Scope;
use crate::host::cli::change_report::tell_deferred;
use crate::host::cli::ui::Table;
use crate::host::cli::{CommandError, Context};
use crate::service::counted;
use crate::service::{self, Repinned};
use crate::sys::shell_word;

/// Show or change settings
///
/// Later wins: the default, the user's file, the store's mdmem.toml, the environment, --set. `format` and
/// `hot_dir` (the folder of pinned notes) are set in mdmem.toml only.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  mdmem config
  mdmem config get render.max_chars
  mdmem config set render.max_chars 5000
  mdmem config set --user editor \"code --wait\"
  MDMEM_RENDER__MAX_CHARS=2000 mdmem render"
)]
pub(crate) struct ConfigArgs {
    /// Print the value of this setting, as `get` does
    #[arg(value_name = "KEY")]
    key: Option<String>,

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
        /// The value, as in TOML; text needs no quotes
        #[arg(value_name = "VALUE")]
        value: String,
        /// Write to the user's file instead of the store's
        #[arg(long)]
        user: bool,
    },
    /// Remove a setting from the store's mdmem.toml, or the user's file
    Unset {
        /// The setting, such as `render.max_chars`
        #[arg(value_name = "KEY")]
        key: String,
        /// Remove it from the user's file instead of the store's
        #[arg(long)]
        user: bool,
    },
}

pub(crate) fn run(args: &ConfigArgs, cx: &mut Context) -> Result<(), CommandError> {
    match (&args.action, &args.key) {
        (Some(ConfigAction::Get { key }), _) | (None, Some(key)) => get(key, cx),
        (Some(ConfigAction::Set { key, value, user }), _) => change(key, Some(value.as_str()), *user, cx),
        (Some(ConfigAction::Unset { key, user }), _) => change(key, None, *user, cx),
        (Some(ConfigAction::List), _) | (None, None) => list(cx),
    }
}

fn list(cx: &mut Context) -> Result<(), CommandError> {
    let report = service::settings(&cx.service)?;
    cx.answer(&report, |ui| {
        let mut table = Table::new(&["KEY", "VALUE", "FROM"], ui.out.width()).flexible(1);
        for entry in &report.all {
            table.row(&[entry.key.clone(), entry.shown(), entry.origin.to_string()]);
        }
        ui.table(&table)?;
        let mut problems = report.settings.problems.iter();
        problems.try_for_each(|problem| ui.warning(&problem.to_string()))
    })
}

fn get(key: &str, cx: &mut Context) -> Result<(), CommandError> {
    let settings = service::settings(&cx.service)?.settings;
    let Some(entry) = settings.get(key) else {
        let unknown = CommandError::failed(anyhow::anyhow!("unknown setting `{key}`"));
        return Err(unknown.hint(match settings.nearest(key) {
            Some(nearest) => format!("Did you mean `{nearest}`?"),
            None => "`mdmem config` lists every setting.".to_owned(),
        }));
    };
    cx.answer(&entry, |ui| {
        let text = entry
            .value
            .as_ref()
            .map(|value| value.as_str().map_or_else(|| entry.shown(), str::to_owned));
        ui.line(&text.unwrap_or_default())
    })
}

fn change(key: &str, value: Option<&str>, user: bool, cx: &mut Context) -> Result<(), CommandError> {
    let file = if user { Scope::User } else { Scope::Store };
    let changed = service::change_setting(&cx.service, file, key, value)?;
    cx.answer(&changed, |ui| {
        let word = if value.is_some() { "set" } else { "unset" };
        ui.notice(&format!("{word} {key} in {}", changed.file.display()))?;
        if let Some(outcome) = &changed.outcome {
            tell_deferred(outcome, ui)?;
        }
        if key == "search.model" && value.is_some() {
            ui.hint(
                "`mdmem sweep` makes the vectors of a store, and so does a watcher that starts from now on.",
            )?;
        }
        if let Some(unshown) = changed.unshown {
            ui.warning(&format!(
                "{} of {} memories are no longer shown in prompts",
                unshown.count, unshown.of
            ))?;
            unshown.hint().map_or(Ok(()), |hint| ui.hint(&hint))?;
        }
        let Some(Repinned { before, now, left }) = &changed.repinned else {
            return Ok(());
        };
        ui.notice(&format!(
            "{now}/ is now the folder of pinned notes, and {before}/ an ordinary folder; open sessions \
             follow with their next prompt"
        ))?;
        let Some(first) = left.first() else { return Ok(()) };
        let (left, first) = (counted(left.len(), "note"), shell_word(first.as_str()));
        ui.hint(&format!(
            "Still in {before}/: {left}. `mdmem mv {first} {now}/` pins it again."
        ))
    })
}
