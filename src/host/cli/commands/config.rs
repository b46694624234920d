//! `mdmem config`

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::config::{Entry, Problem, Value};
use crate::host::cli::change_report::tell_deferred;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, harmless_line};
use crate::host::json::severity_word;
use crate::service::{self, SettingChange, SettingsFile, SettingsReport};

/// Show every setting with its value and where it comes from, or change one
///
/// From weak to strong: the default, the user's file, the store's mdmem.toml, the environment, --set.
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
        /// In the user's file
        #[arg(long, conflicts_with = "store")]
        user: bool,
        /// In the store's mdmem.toml, which travels with the store [default]
        #[arg(long)]
        store: bool,
    },
    /// Take a setting out of the store's mdmem.toml, or of the user's file
    Unset {
        /// The setting, such as `render.max_chars`
        #[arg(value_name = "KEY")]
        key: String,
        /// Out of the user's file
        #[arg(long, conflicts_with = "store")]
        user: bool,
        /// Out of the store's mdmem.toml [default]
        #[arg(long)]
        store: bool,
    },
}

pub(crate) fn run(args: &ConfigArgs, cx: &mut Context) -> Result<(), CommandError> {
    match &args.action {
        None | Some(ConfigAction::List) => list(cx),
        Some(ConfigAction::Get { key }) => get(key, cx),
        Some(ConfigAction::Set { key, value, user, .. }) => change(key, Some(value), *user, cx),
        Some(ConfigAction::Unset { key, user, .. }) => change(key, None, *user, cx),
    }
}

fn list(cx: &mut Context) -> Result<(), CommandError> {
    let report = service::settings(&cx.service)?;
    let entries = report.settings.entries();
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&ReportJson::new(&report, &entries))?);
    }
    let mut table = Table::new(&["KEY", "VALUE", "FROM"], cx.ui.width()).flexible(1);
    for entry in &entries {
        table.row(vec![
            entry.key.clone(),
            harmless_line(&entry.value.to_string()),
            harmless_line(&entry.origin.to_string()),
        ]);
    }
    cx.ui.table(&mut table)?;
    for problem in report.settings.problems() {
        cx.ui.warning(&harmless_line(&problem.to_string()))?;
    }
    Ok(())
}

fn get(key: &str, cx: &mut Context) -> Result<(), CommandError> {
    let report = service::settings(&cx.service)?;
    let Some(entry) = report.settings.entry(key) else {
        let unknown = CommandError::failed(anyhow::anyhow!("there is no setting `{key}`"));
        let nearest = report
            .settings
            .nearest(key)
            .map(|nearest| format!("Did you mean `{nearest}`?"));
        return Err(unknown.hint(nearest.unwrap_or_else(|| "`mdmem config` lists every setting.".to_owned())));
    };
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&EntryJson::from(&entry))?);
    }
    let text = match &entry.value {
        Value::Text(text) => text.clone().unwrap_or_default(),
        value => value.to_string().trim_matches('"').to_owned(),
    };
    Ok(cx.ui.line(&text)?)
}

fn change(key: &str, value: Option<&String>, user: bool, cx: &mut Context) -> Result<(), CommandError> {
    let file = if user {
        SettingsFile::User
    } else {
        SettingsFile::Store
    };
    let change = SettingChange {
        key: key.to_owned(),
        value: value.cloned(),
        file,
    };
    let changed = service::change_setting(&cx.service, &change)?;
    let path = harmless_line(&changed.path.to_string_lossy());
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&ChangedJson { key, file: &path })?);
    }
    let word = if value.is_some() { "set" } else { "unset" };
    cx.ui.notice(&format!("{word} {key} in {path}"))?;
    if let Some(outcome) = &changed.outcome {
        tell_deferred(outcome, &mut cx.ui)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct ChangedJson<'a> {
    key: &'a str,
    file: &'a str,
}

#[derive(Serialize)]
struct ReportJson<'a> {
    user_file: String,
    store_file: Option<String>,
    settings: Vec<EntryJson<'a>>,
    problems: Vec<ProblemJson>,
}

#[derive(Serialize)]
struct EntryJson<'a> {
    key: &'a str,
    value: serde_json::Value,
    layer: &'static str,
    origin: String,
}

#[derive(Serialize)]
struct ProblemJson {
    severity: &'static str,
    message: String,
}

impl<'a> ReportJson<'a> {
    fn new(report: &SettingsReport, entries: &'a [Entry]) -> Self {
        let problem = |problem: &Problem| ProblemJson {
            severity: severity_word(problem.severity()),
            message: problem.to_string(),
        };
        Self {
            user_file: report.user_file.to_string_lossy().into_owned(),
            store_file: report
                .store_file
                .as_ref()
                .map(|path| path.to_string_lossy().into_owned()),
            settings: entries.iter().map(EntryJson::from).collect(),
            problems: report.settings.problems().iter().map(problem).collect(),
        }
    }
}

impl<'a> From<&'a Entry> for EntryJson<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            key: &entry.key,
            value: value_json(&entry.value),
            layer: entry.origin.layer(),
            origin: entry.origin.to_string(),
        }
    }
}

fn value_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Flag(flag) => (*flag).into(),
        Value::Count(count) => (*count).into(),
        Value::Integer(number) => (*number).into(),
        Value::Number(number) => (*number).into(),
        Value::Duration(_) => value.to_string().trim_matches('"').into(),
        Value::Text(text) => text.clone().into(),
        Value::List(items) => items.clone().into(),
    }
}
