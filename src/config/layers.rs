//! The layers: two files, the environment, the flags.

use std::path::{Path, PathBuf};

use toml::Value;
use toml_edit::{Document, Item, TableLike};

use super::catalog::{Found, SETTINGS, Scope, find};
use super::origin::Origin;
use super::problem::{Fault, Problem};
use super::settings::{FORMAT, Settings};
use super::value::{of_text, of_toml};
use crate::model::Kind;

/// The layers of settings that do not lie in a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsSources {
    /// The user's file (`$XDG_CONFIG_HOME/mdmem/config.toml`), with its path; absent where there is none.
    pub user: Option<(PathBuf, String)>,
    /// The environment: only `MDMEM_…`, `EDITOR` and `VISUAL` are looked at.
    pub environment: Vec<(String, String)>,
    /// Keys and values of `--set key=value`, in order.
    pub flags: Vec<(String, String)>,
    /// The user's state folder, in which waits what a store could not keep. It holds no settings.
    pub state_home: Option<PathBuf>,
    /// The variable by which an agent's shell is known, where a command runs in one. It holds no settings either.
    pub agents_shell: Option<&'static str>,
}

/// The most types that count: every memory is compared with each.
const MOST_TYPES: usize = 200;
/// For so many faults at most the setting is looked for that was probably meant.
const MOST_GUESSES: usize = 20;

/// The reason why an argument of `--set` is no setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not KEY=VALUE: write, for example, --set render.max_entries=10")]
pub struct FlagError(pub String);

/// Divides `key=value`.
pub fn read_flag(text: &str) -> Result<(String, String), FlagError> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err(FlagError(text.to_owned())),
    }
}

impl SettingsSources {
    /// Lays the layers over each other, with the store's own file, if it has one, by its path and text. Wrong lines
    /// are left out, and listed in [`Settings::problems`].
    pub fn load(&self, store: Option<(&Path, &str)>) -> Settings {
        let mut settings = Settings::default();
        let variable = |name: &str| {
            let mut set = self.environment.iter().filter(|(key, _)| key == name);
            set.next().filter(|(_, value)| !value.trim().is_empty())
        };
        if let Some((name, command)) = variable("EDITOR").or_else(|| variable("VISUAL")) {
            settings.editor = Some(command.clone());
            let origin = Origin::Environment(name.clone());
            settings.origins.insert("editor".to_owned(), origin);
        }
        if let Some((path, text)) = &self.user {
            apply_file(&mut settings, path, text, Scope::User);
        }
        if let Some((path, text)) = store {
            apply_file(&mut settings, path, text, Scope::Store);
        }
        for (name, value) in &self.environment {
            apply_variable(&mut settings, name, value);
        }
        for (key, value) in &self.flags {
            apply_text(&mut settings, key, value, Origin::Flag);
        }
        part_pinned_folder(&mut settings);
        settings
    }
}

/// The pinned folder is no type's, whichever file names the type: so every machine shows a store in the same way. An
/// excluded one pins nothing.
fn part_pinned_folder(settings: &mut Settings) {
    let folder = settings.rules.hot_dir.clone();
    let kind = Kind::new(&folder);
    settings.rules.types.retain(|rule| rule.kind != kind);
    let of_type = format!("type.{kind}.");
    let (origins, problems) = (&mut settings.origins, &mut settings.problems);
    origins.retain(|key, origin| {
        let is_of_type = key.starts_with(&of_type);
        if is_of_type {
            let fault = format!(
                "`{key}` has no effect: `{folder}/` is the folder of pinned notes \
                (`hot_dir`)"
            );
            let (origin, fault) = (origin.clone(), Fault::error(fault));
            problems.push(Problem::Setting { origin, fault });
        }
        !is_of_type
    });
    let stated = origins.get("hot_dir").or_else(|| origins.get("exclude.folders"));
    if let Some(origin) = stated
        && settings.rules.excludes(&format!("{folder}/a.md"))
    {
        let fault = format!("`hot_dir = {folder}` pins nothing: `exclude.folders` excludes `{folder}/`");
        let (origin, fault) = (origin.clone(), Fault::error(fault));
        problems.push(Problem::Setting { origin, fault });
    }
}

fn apply_file(settings: &mut Settings, path: &Path, text: &str, scope: Scope) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let (line, column, message) = place_of(text, &error);
            let path = path.to_owned();
            settings.problems.push(Problem::Syntax {
                path,
                line,
                column,
                message,
            });
            return;
        }
    };
    let mut found = Vec::new();
    flatten(document.as_table(), "", &mut found);
    let format = document.as_table().get("format").and_then(Item::as_integer);
    let newer = scope == Scope::Store && format.is_some_and(|format| format > i64::from(FORMAT));
    let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    for leaf in found {
        let line = breaks.partition_point(|at| *at < leaf.offset) + 1;
        let path = path.to_owned();
        let origin = Origin::File { scope, path, line };
        match find(&leaf.key) {
            // A newer mdmem may have settings that we do not know; that the store is read-only is said already.
            None if newer => {}
            None => unknown(settings, origin, &leaf.key),
            Some(setting) => {
                let written = leaf.item.to_string();
                let value = of_toml(written.trim());
                assign(settings, &leaf.key, &setting, value, written.trim(), origin);
            }
        }
    }
}

fn apply_variable(settings: &mut Settings, name: &str, value: &str) {
    let Some(capitals) = name.strip_prefix("MDMEM_") else {
        return;
    };
    if value.trim().is_empty() {
        return;
    }
    let key = capitals.to_lowercase().replace("__", ".");
    // `MDMEM_HOME` and its like are no settings: only a name with a group in it is meant as one.
    if !key.contains('.') && SETTINGS.iter().all(|spec| spec.key != key) {
        return;
    }
    apply_text(settings, &key, value, Origin::Environment(name.to_owned()));
}

fn apply_text(settings: &mut Settings, key: &str, text: &str, origin: Origin) {
    match find(key) {
        None => unknown(settings, origin, key),
        Some(setting) => {
            assign(settings, key, &setting, of_text(text), text, origin);
        }
    }
}

fn unknown(settings: &mut Settings, origin: Origin, key: &str) {
    let nearest = (settings.problems.len() < MOST_GUESSES).then(|| settings.nearest(key));
    let fault = Fault::unknown(key, nearest.flatten());
    settings.problems.push(Problem::Setting { origin, fault });
}

fn assign(
    settings: &mut Settings,
    key: &str,
    setting: &Found,
    readings: impl IntoIterator<Item = Value>,
    written: &str,
    origin: Origin,
) {
    let scope = match origin {
        Origin::File { scope, .. } => scope,
        _ => Scope::User,
    };
    let key = match setting {
        // Types are lower case, whatever was typed.
        Found::OfType(..) => key.to_lowercase(),
        Found::Fixed(_) => key.to_owned(),
    };
    let types = &settings.rules;
    let is_too_many = matches!(setting, Found::OfType(kind, _) if types.type_rule(kind).is_none())
        && types.types.len() >= MOST_TYPES;
    let fault = if let Some(fault) = Fault::of_place(setting, &key, scope) {
        fault
    } else if is_too_many {
        Fault::error(format!(
            "`{key}` has no effect: there are {MOST_TYPES} types already"
        ))
    } else if readings
        .into_iter()
        .any(|value| setting.set(settings, &value).is_some())
    {
        settings.origins.insert(key, origin);
        return;
    } else {
        Fault::wanting(&key, written, setting.wanted())
    };
    settings.problems.push(Problem::Setting { origin, fault });
}

/// One value of a file.
struct Leaf<'a> {
    key: String,
    item: &'a Item,
    offset: usize,
}

/// The values below a table; dots between the names of the tables. A table where a value should be is one too.
fn flatten<'a>(table: &'a dyn TableLike, prefix: &str, found: &mut Vec<Leaf<'a>>) {
    for (name, item) in table.iter() {
        let key = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        };
        match item.as_table_like() {
            Some(inner) if find(&key).is_none() => flatten(inner, &key, found),
            _ => {
                let span = table
                    .key(name)
                    .and_then(toml_edit::Key::span)
                    .or_else(|| item.span());
                found.push(Leaf {
                    key,
                    item,
                    offset: span.map_or(0, |span| span.start),
                });
            }
        }
    }
}

/// The line and the column of what is no TOML, and what the parser says, on one line.
pub(super) fn place_of(text: &str, error: &toml_edit::TomlError) -> (usize, usize, String) {
    let offset = error.span().map_or(0, |span| span.start).min(text.len());
    let begin = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let message: Vec<&str> = error.message().split_whitespace().collect();
    let column = text[begin..offset].chars().count() + 1;
    (line_of(text, offset), column, message.join(" "))
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests;
