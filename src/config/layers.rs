//! The layers: two files, the environment, the flags.

use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, TableLike};

use super::catalog::{Found, SETTINGS, Scope, find};
use super::origin::Origin;
use super::problem::{Fault, Problem};
use super::settings::{FORMAT, Settings};
use super::value::Value;

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
}

/// The most types that count: every memory is compared with each.
const MOST_TYPES: usize = 200;
/// For so many faults at most the setting is looked for that was probably meant.
const MOST_GUESSES: usize = 20;

/// The reason why an argument of `--set` is no setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` sets nothing: write --set KEY=VALUE, for example --set render.max_entries=10")]
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
        settings
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
        let origin = match scope {
            Scope::User => Origin::User { path, line },
            Scope::Store => Origin::Store { path, line },
        };
        match find(&leaf.key) {
            // A newer mdmem may have settings that we do not know; that the store is read-only is said already.
            None if newer => {}
            None => unknown(settings, origin, &leaf.key),
            Some(setting) => {
                let value = setting.form().read_toml(leaf.item);
                let written = leaf.item.to_string().trim().to_owned();
                assign(settings, &leaf.key, &setting, value, &written, origin);
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
            let value = setting.form().read_text(text);
            assign(settings, key, &setting, value, text, origin);
        }
    }
}

fn unknown(settings: &mut Settings, origin: Origin, key: &str) {
    let fault = Fault::UnknownKey {
        key: key.to_owned(),
        nearest: (settings.problems.len() < MOST_GUESSES)
            .then(|| settings.nearest(key))
            .flatten(),
    };
    settings.problems.push(Problem::Setting { origin, fault });
}

fn assign(
    settings: &mut Settings,
    key: &str,
    setting: &Found,
    value: Option<Value>,
    written: &str,
    origin: Origin,
) {
    let scope = match origin {
        Origin::Store { .. } => Scope::Store,
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
    let fault = match (Fault::of_place(setting, &key, scope), value) {
        (Some(fault), _) => fault,
        (None, None) => Fault::of_value(setting, &key, written),
        (None, Some(_)) if is_too_many => Fault::TooManyTypes {
            key,
            most: MOST_TYPES,
        },
        (None, Some(value)) => {
            setting.set(settings, value);
            settings.origins.insert(key, origin);
            return;
        }
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
mod tests {
    use super::*;
    use crate::model::{Kind, Severity, repeated, takes_its_length};
    use std::time::Duration;

    fn load(user: &str, store: &str, environment: &[(&str, &str)], flags: &[&str]) -> Settings {
        let own = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect()
        };
        let sources = SettingsSources {
            user: Some(("/u/config.toml".into(), user.to_owned())),
            environment: own(environment),
            flags: flags
                .iter()
                .map(|flag| read_flag(flag).expect("a flag"))
                .collect(),
            ..SettingsSources::default()
        };
        sources.load(Some((Path::new("/s/mdmem.toml"), store)))
    }

    fn shown(settings: &Settings, key: &str) -> (String, String) {
        let entry = settings.get(key).expect("a setting");
        (entry.value.to_string(), entry.origin.to_string())
    }

    fn errors(settings: &Settings) -> usize {
        let is_error = |problem: &&Problem| problem.severity() == Severity::Error;
        settings.problems.iter().filter(is_error).count()
    }

    fn messages(settings: &Settings) -> Vec<String> {
        settings.problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_later_layer_wins_and_is_named() {
        let user = "[render]\nmax_chars = 1\nmax_entries = 1\ntotal_chars = 1\n[tree]\nmax_depth = 1\n";
        let store = "format = 1\nrender = { max_entries = 2, total_chars = 2 }\ntree.max_depth = 2";
        let settings = load(
            user,
            store,
            &[("MDMEM_RENDER__TOTAL_CHARS", "3"), ("MDMEM_TREE__MAX_DEPTH", "3")],
            &["tree.max_depth=4"],
        );
        assert_eq!(messages(&settings), [""; 0]);
        for (key, value, origin) in [
            ("render.max_chars", "1", "/u/config.toml:2"),
            ("render.max_entries", "2", "/s/mdmem.toml:2"),
            ("render.total_chars", "3", "$MDMEM_RENDER__TOTAL_CHARS"),
            ("tree.max_depth", "4", "--set"),
            ("tree.max_lines", "100", "default"),
            ("format", "1", "/s/mdmem.toml:1"),
        ] {
            assert_eq!(
                shown(&settings, key),
                (value.to_owned(), origin.to_owned()),
                "{key}"
            );
        }
        assert_eq!(settings.rules.render.max_entries, 2);
    }

    #[test]
    fn the_defaults_are_those_of_the_rules() {
        let settings = load("", "", &[], &[]);
        assert_eq!(settings, Settings::default());
        assert_eq!(settings.rules, crate::policy::Rules::default());
        assert_eq!(settings.watch.quiet, Duration::from_secs(2));
        assert_eq!(settings.epoch.max_age, Duration::from_hours(1));
        for (key, value) in [
            ("epoch.ttl", "\"5m\""),
            ("epoch.max_age", "\"60m\""),
            ("session.handover", "\"12h\""),
            ("sync.interval", "\"15m\""),
            ("watch.max_wait_ms", "10000"),
            ("type.decision.factor", "2.5"),
            ("type.reference.stale_after", "90"),
            ("source.manual.factor", "1.4"),
            ("sync.remote", "none"),
            ("capture.patterns", "[]"),
        ] {
            assert_eq!(
                shown(&settings, key),
                (value.to_owned(), "default".to_owned()),
                "{key}"
            );
        }
        let entries = settings.all();
        assert_eq!(entries.len(), 43 + 5 * 4);
        assert_eq!(
            (entries[0].key.as_str(), entries[43].key.as_str()),
            ("format", "type.feedback.factor")
        );
    }

    #[test]
    fn a_store_sets_only_what_may_travel() {
        let settings = load(
            "editor = 'vi'\nsync.remote = 'git@host:x'\nformat = 1\n",
            "editor = 'rm -rf ~'\n[sync]\nremote = 'ext::sh'\n[watch]\nquiet_ms = 1\n[type.user]\ncap = 3\n",
            &[],
            &[],
        );
        assert_eq!(settings.editor.as_deref(), Some("vi"));
        assert_eq!(settings.sync.remote.as_deref(), Some("git@host:x"));
        assert_eq!(settings.watch.quiet, Duration::from_secs(2));
        assert_eq!(shown(&settings, "type.user.cap").0, "3");
        assert_eq!(
            messages(&settings),
            [
                "/u/config.toml:3: `format` has no effect here: it belongs into the mdmem.toml of a store",
                "/s/mdmem.toml:1: `editor` has no effect here: a store's file travels, only the user's own file can set it",
                "/s/mdmem.toml:3: `sync.remote` has no effect here: a store's file travels, only the user's own file can set it",
                "/s/mdmem.toml:5: `watch.quiet_ms` has no effect here: a store's file travels, only the user's own file can set it",
            ]
        );
        assert_eq!(errors(&settings), 0);
        assert!(
            settings
                .problems
                .iter()
                .all(|problem| problem.severity() == Severity::Warning)
        );
    }

    #[test]
    fn wrong_settings_are_named_and_left_out() {
        let settings = load(
            "[render]\nmax_char = 100\nmax_entries = \"ten\"\n[epoch]\nttl = 5\n[retention]\nhalf_life_days = 0\n",
            "render = 3\ncolour = 'red'\n",
            &[
                ("MDMEM_HOME", "/x"),
                ("MDMEM_EDITOR", ""),
                ("MDMEM_WATCH__QUIET", "5"),
                ("MDMEM_SYNC__AUTO", "perhaps"),
            ],
            &[
                "hot.files=-1",
                "type.system.cap=3",
                "type.Forgotten.cap=3",
                "type.con.cap=3",
            ],
        );
        assert_eq!(
            messages(&settings),
            [
                "/u/config.toml:2: there is no setting `render.max_char`; did you mean `render.max_chars`?",
                "/u/config.toml:3: `render.max_entries = \"ten\"` is not possible: want a whole number of at least 0",
                "/u/config.toml:5: `epoch.ttl = 5` is not possible: want a time such as \"90s\", \"15m\" or \"2h\"",
                "/u/config.toml:7: `retention.half_life_days = 0` is not possible: want a number greater than 0",
                "/s/mdmem.toml:1: there is no setting `render`; did you mean `render.max_chars`?",
                "/s/mdmem.toml:2: there is no setting `colour`",
                "$MDMEM_WATCH__QUIET: there is no setting `watch.quiet`; did you mean `watch.quiet_ms`?",
                "$MDMEM_SYNC__AUTO: `sync.auto = perhaps` is not possible: want true or false",
                "--set: `hot.files = -1` is not possible: want a whole number of at least 0",
                "--set: there is no setting `type.system.cap`; did you mean `type.user.cap`?",
                "--set: there is no setting `type.Forgotten.cap`; did you mean `type.project.cap`?",
                "--set: there is no setting `type.con.cap`; did you mean `type.decision.cap`?",
            ]
        );
        assert_eq!(errors(&settings), 12);
        assert_eq!(settings.rules, crate::policy::Rules::default());
    }

    #[test]
    fn a_file_that_is_no_toml_leaves_the_others_in_force() {
        let settings = load("[render]\nmax_chars = = 1\n", "render.max_chars = 5\n", &[], &[]);
        assert_eq!(settings.rules.render.max_chars, 5);
        let [Problem::Syntax { line, column, .. }] = settings.problems.as_slice() else {
            panic!("{:?}", settings.problems)
        };
        assert_eq!((*line, *column), (2, 13));
        let twice = load("", "limit.default = 1\n[limit]\ndefault = 2\n", &[], &[]);
        assert_eq!(errors(&twice), 1);
    }

    #[test]
    fn a_type_can_be_added() {
        let settings = load(
            "",
            "[type.Recipe]\nfactor = 1.5\norder = 5\n",
            &[("MDMEM_TYPE__RECIPE__CAP", "4")],
            &[],
        );
        assert_eq!(messages(&settings), [""; 0]);
        let rule = settings
            .rules
            .type_rule(&Kind::new("recipe"))
            .expect("added")
            .clone();
        assert_eq!((rule.cap, rule.stale_after, rule.order), (Some(4), 0, 5));
        assert_eq!(
            settings.all()[43].key,
            "type.recipe.factor",
            "first, by its order"
        );
        assert_eq!(shown(&settings, "type.recipe.factor").1, "/s/mdmem.toml:2");
    }

    #[test]
    fn a_newer_store_is_recognised() {
        let settings = load("", "format = 2\n[shine]\nlevel = 3\n", &[], &[]);
        assert!(settings.is_newer_format());
        assert_eq!((settings.format, messages(&settings).len()), (2, 0));
        assert!(!load("", "format = 1", &[], &[]).is_newer_format());
        assert_eq!(errors(&load("", "format = 0", &[], &[])), 1);
    }

    #[test]
    fn the_editor_of_the_environment_is_the_default() {
        let environment = [("EDITOR", "nano"), ("VISUAL", "code -w")];
        let settings = load("", "", &environment, &[]);
        assert_eq!(
            shown(&settings, "editor"),
            ("\"nano\"".to_owned(), "$EDITOR".to_owned())
        );
        assert_eq!(
            load("editor = 'hx'", "", &environment, &[]).editor.as_deref(),
            Some("hx")
        );
        assert_eq!(
            load("editor = 'hx'", "", &[("MDMEM_EDITOR", "ed")], &[])
                .editor
                .as_deref(),
            Some("ed")
        );
    }

    #[test]
    fn lists_come_from_files_and_variables() {
        let settings = load(
            "redact.patterns = ['sk-[a-z]+', \"x,y\"]",
            "",
            &[("MDMEM_CAPTURE__PATTERNS", "(?i)note to self")],
            &[],
        );
        assert_eq!(settings.redact_patterns, ["sk-[a-z]+", "x,y"]);
        assert_eq!(settings.capture_patterns, ["(?i)note to self"]);
    }

    #[test]
    fn a_flag_needs_a_key_and_a_value() {
        assert_eq!(
            read_flag(" editor = vim -f "),
            Ok(("editor".into(), "vim -f".into()))
        );
        assert!(read_flag("editor").is_err() && read_flag("=x").is_err());
    }

    #[test]
    fn a_hostile_file_takes_its_length() {
        for line in [
            "[type.t#]\n",
            "[type.t#]\nfactor = 1.0\n",
            "[type.t#]\nfactor = \"x\"\n",
            "k# = 1\n",
            "render.k# = 1\n",
            "watch.k#.x = [1]\n",
        ] {
            let load = |text: &String| {
                let settings = SettingsSources::default().load(Some((Path::new("mdmem.toml"), text)));
                assert!(settings.rules.types.len() <= MOST_TYPES);
            };
            takes_its_length(line, |bytes| repeated(line, bytes), load);
        }
    }
}
