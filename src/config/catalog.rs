//! Every setting: its name, what it takes, who may set it, and its place in [`Settings`]. The table of
//! docs/file-format.md, as code.

use toml::Value;

use super::settings::Settings;
use super::value::Access::{self, As, Level, Time};
use super::value::number;
use crate::model::{Kind, StorePath};
use crate::policy::{KeepRule, Rules, TypeRule};

use Allowed::{Everywhere, InStoreAlone, NotInStore};

/// The files in which a setting may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The user's file.
    User,
    /// A store's `mdmem.toml`.
    Store,
}

/// The places in which a setting counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowed {
    /// Everyone: a store's file too.
    Everywhere,
    /// Everyone but a store's file, because that travels.
    NotInStore,
    /// A store's file alone.
    InStoreAlone,
}

/// A setting in what holds it.
pub(super) struct Spec<T> {
    pub(super) key: &'static str,
    pub(super) allowed: Allowed,
    /// What to write, to end a sentence that begins "want".
    pub(super) wanted: &'static str,
    /// Says whether a value is possible, beside what its type takes.
    fits: fn(&Value) -> bool,
    access: Access<T>,
}

impl<T> Spec<T> {
    const fn new(key: &'static str, allowed: Allowed, wanted: &'static str, access: Access<T>) -> Self {
        Self::fitting(key, allowed, wanted, |_| true, access)
    }

    const fn fitting(
        key: &'static str,
        allowed: Allowed,
        wanted: &'static str,
        fits: fn(&Value) -> bool,
        access: Access<T>,
    ) -> Self {
        Self {
            key,
            allowed,
            wanted,
            fits,
            access,
        }
    }

    fn take(&self, of: &mut T, value: &Value) -> Option<()> {
        (self.fits)(value).then(|| self.access.take(of, value))?
    }
}

const FLAG: &str = "true or false";
const COUNT: &str = "a whole number of at least 0";
const TIME: &str = "a time such as \"90s\", \"15m\" or \"2h\"";
const TEXT: &str = "text in quotes";
const LIST: &str = "a list of texts, as in [\"a\", \"b\"]";

fn is_time(value: &Value) -> bool {
    value.as_str() != Some("off")
}

fn is_level(value: &Value) -> bool {
    matches!(value.as_str(), Some("yellow" | "red" | "critical" | "never"))
}

fn are_levels(value: &Value) -> bool {
    let levels = value.as_array().into_iter().flatten();
    let levels: Vec<i64> = levels.filter_map(Value::as_integer).collect();
    levels.is_sorted_by(|lower, upper| lower < upper) && levels.iter().all(|level| (1..=100).contains(level))
}

fn are_keep_rules(value: &Value) -> bool {
    let rules = value.as_array().into_iter().flatten();
    rules
        .filter_map(Value::as_str)
        .all(|rule| KeepRule::parse(rule).is_some())
}

/// A folder at the root that no type has from the beginning.
fn is_free_folder(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|name| is_folder_name(name) && Rules::default().type_rule(&Kind::new(name)).is_none())
}

/// The settings of earlier builds that are constants now. A file may still have them.
pub(super) fn is_former(key: &str) -> bool {
    const GROUPS: [&str; 5] = [
        "source.",
        "importance.",
        "hot.",
        "reinforce.",
        "retention.dormant_",
    ];
    const KEYS: [&str; 5] = [
        "tree.max_lines",
        "watch.max_wait_ms",
        "epoch.max_age",
        "session.blocks",
        "session.chars",
    ];
    KEYS.contains(&key) || GROUPS.iter().any(|group| key.starts_with(group))
}

/// The settings with a fixed name, in the order of the table.
// A table is read by its rows.
#[rustfmt::skip]
pub(super) const SETTINGS: &[Spec<Settings>] = &[
    Spec::fitting("format", InStoreAlone, "a whole number of at least 1", |value| value.as_integer() > Some(0), As(|s| &mut s.format)),
    Spec::new("render.max_chars", Everywhere, COUNT, As(|s| &mut s.rules.render.max_chars)),
    Spec::new("render.max_entries", Everywhere, COUNT, As(|s| &mut s.rules.render.max_entries)),
    Spec::new("render.total_chars", Everywhere, COUNT, As(|s| &mut s.rules.render.total_chars)),
    Spec::new("render.global_chars", Everywhere, COUNT, As(|s| &mut s.rules.render.global_chars)),
    Spec::new("render.notes", Everywhere, "one of \"date\", \"off\"", As(|s| &mut s.rules.render.notes)),
    Spec::fitting("retention.half_life_days", Everywhere, "a number greater than 0", |value| number(value) > Some(0.0), As(|s| &mut s.rules.retention.half_life_days)),
    Spec::new("limit.default", Everywhere, COUNT, As(|s| &mut s.rules.limit)),
    Spec::new("tree.max_depth", Everywhere, COUNT, As(|s| &mut s.rules.tree.max_depth)),
    Spec::fitting("hot_dir", InStoreAlone, "the name of a folder in the store, of letters, digits, - and _, without another meaning", is_free_folder, As(|s| &mut s.rules.hot_dir)),
    Spec::new("exclude.folders", Everywhere, LIST, As(|s| &mut s.rules.excluded)),
    Spec::new("watch.quiet_ms", NotInStore, COUNT, As(|s| &mut s.watch.quiet_ms)),
    Spec::fitting("epoch.ttl", NotInStore, TIME, is_time, Time(|s| &mut s.epoch.ttl)),
    Spec::fitting("epoch.pressure_percent", NotInStore, "a whole number from 0 to 100", |value| value.as_integer() <= Some(100), As(|s| &mut s.epoch.pressure_percent)),
    Spec::new("session.handover", NotInStore, "a time such as \"12h\", or \"off\"", Time(|s| &mut s.rules.hot.handover)),
    Spec::new("session.working", NotInStore, FLAG, As(|s| &mut s.rules.session.is_working)),
    Spec::fitting("context.levels", NotInStore, "three rising percentages, as in [70, 85, 92]", are_levels, As(|s| &mut s.rules.context.level.percent)),
    Spec::fitting("context.advise", NotInStore, "one of \"yellow\", \"red\", \"critical\", \"never\"", is_level, Level(|s| &mut s.rules.context.level.advise)),
    Spec::new("context.compact", NotInStore, FLAG, As(|s| &mut s.rules.context.may_compact)),
    Spec::new("context.intervene", NotInStore, FLAG, As(|s| &mut s.rules.context.may_intervene)),
    Spec::new("prune.mode", NotInStore, "one of \"off\", \"pressure\", \"always\"", As(|s| &mut s.rules.prune.mode)),
    Spec::fitting("prune.keep", NotInStore, "rules \"tool NAME\", \"command TEXT\" or \"line TEXT\", as in [\"tool webfetch\"]", are_keep_rules, As(|s| &mut s.rules.prune.keep)),
    Spec::new("compaction.prompt", NotInStore, "one of \"append\", \"replace\"", As(|s| &mut s.rules.compaction)),
    Spec::new("tools.global", NotInStore, "one of \"ask\", \"allow\", \"deny\"", As(|s| &mut s.global_tools)),
    Spec::new("tools.enabled", NotInStore, LIST, As(|s| &mut s.enabled_tools)),
    Spec::new("history.tool", NotInStore, FLAG, As(|s| &mut s.history.is_offered)),
    Spec::new("history.opencode", NotInStore, TEXT, As(|s| &mut s.history.opencode)),
    Spec::fitting("search.model", NotInStore, "the whole path of a folder, as in \"/home/me/all-MiniLM-L6-v2\"", |value| value.as_str().is_some_and(|folder| folder.starts_with('/')), As(|s| &mut s.search_model)),
    Spec::new("sync.auto", NotInStore, FLAG, As(|s| &mut s.sync.auto)),
    Spec::fitting("sync.interval", NotInStore, TIME, is_time, Time(|s| &mut s.sync.interval)),
    Spec::new("sync.remote", NotInStore, TEXT, As(|s| &mut s.sync.remote)),
    Spec::new("passes.extract", NotInStore, FLAG, As(|s| &mut s.passes.extract)),
    Spec::new("passes.reconcile", NotInStore, FLAG, As(|s| &mut s.passes.reconcile)),
    Spec::fitting("passes.pause", NotInStore, TIME, is_time, Time(|s| &mut s.passes.pause)),
    Spec::new("passes.on_close", NotInStore, FLAG, As(|s| &mut s.passes.on_close)),
    Spec::new("passes.model", NotInStore, "one of \"command\", \"host\"", As(|s| &mut s.passes.model)),
    Spec::new("passes.command", NotInStore, LIST, As(|s| &mut s.passes.command)),
    Spec::new("passes.host_model", NotInStore, TEXT, As(|s| &mut s.passes.host_model)),
    Spec::new("commit.sign", NotInStore, FLAG, As(|s| &mut s.commit_sign)),
    Spec::new("editor", NotInStore, TEXT, As(|s| &mut s.editor)),
    Spec::new("capture.patterns", NotInStore, LIST, As(|s| &mut s.capture_patterns)),
    Spec::new("redact.patterns", NotInStore, LIST, As(|s| &mut s.redact_patterns)),
];

/// The settings that every type has: `type.NAME.factor` and its like.
#[rustfmt::skip]
pub(super) const TYPE_SETTINGS: &[Spec<TypeRule>] = &[
    Spec::fitting("factor", Everywhere, "a number of at least 0", |value| number(value) >= Some(0.0), As(|rule| &mut rule.factor)),
    Spec::new("cap", Everywhere, COUNT, As(|rule| &mut rule.cap)),
    Spec::new("stale_after", Everywhere, COUNT, As(|rule| &mut rule.stale_after)),
    Spec::new("order", Everywhere, "a whole number", As(|rule| &mut rule.order)),
];

/// A setting, by its name.
pub(super) enum Found {
    Fixed(&'static Spec<Settings>),
    OfType(Kind, &'static Spec<TypeRule>),
}

impl Found {
    pub(super) const fn wanted(&self) -> &'static str {
        match self {
            Self::Fixed(spec) => spec.wanted,
            Self::OfType(_, spec) => spec.wanted,
        }
    }

    pub(super) const fn allowed(&self) -> Allowed {
        match self {
            Self::Fixed(spec) => spec.allowed,
            Self::OfType(_, spec) => spec.allowed,
        }
    }

    pub(super) fn get(&self, settings: &Settings) -> Option<Value> {
        match self {
            Self::Fixed(spec) => spec.access.value(&mut settings.clone()),
            Self::OfType(kind, spec) => {
                let rule = settings.rules.type_rule(kind).cloned();
                spec.access
                    .value(&mut rule.unwrap_or_else(|| new_type(kind.clone())))
            }
        }
    }

    /// Sets it, where the value is possible; a type that is not known is one from then on.
    pub(super) fn set(&self, settings: &mut Settings, value: &Value) -> Option<()> {
        match self {
            Self::Fixed(spec) => spec.take(settings, value),
            Self::OfType(kind, spec) => {
                let types = &mut settings.rules.types;
                let at = types.iter().position(|rule| rule.kind == *kind);
                let mut rule = at.map_or_else(|| new_type(kind.clone()), |at| types[at].clone());
                spec.take(&mut rule, value)?;
                match at {
                    Some(at) => types[at] = rule,
                    None => types.push(rule),
                }
                Some(())
            }
        }
    }
}

/// The values of all settings of a type.
pub(super) fn of_type(rule: &TypeRule) -> Value {
    let mut rule = rule.clone();
    let fields = TYPE_SETTINGS.iter();
    let fields = fields.filter_map(|spec| Some((spec.key.to_owned(), spec.access.value(&mut rule)?)));
    Value::Table(fields.collect())
}

/// A type that `mdmem.toml` adds, before it says anything else about it: as strong as a reference, never stale,
/// without a cap of its own, behind the others.
fn new_type(kind: Kind) -> TypeRule {
    TypeRule {
        kind,
        factor: 1.0,
        cap: None,
        stale_after: 0,
        order: 100,
    }
}

/// The setting of that name.
pub(super) fn find(key: &str) -> Option<Found> {
    if let Some(spec) = SETTINGS.iter().find(|spec| spec.key == key) {
        return Some(Found::Fixed(spec));
    }
    let (name, field) = key.strip_prefix("type.")?.rsplit_once('.')?;
    let spec = TYPE_SETTINGS.iter().find(|spec| spec.key == field)?;
    is_folder_name(name).then(|| Found::OfType(Kind::new(name), spec))
}

/// The name of a folder at the root in which memories can lie, and that means nothing else: that of a type, or of the
/// pinned notes. `forgotten` is a file of the store.
pub(super) fn is_folder_name(name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    name.chars().all(word)
        && StorePath::new(&format!("{name}/a.md")).is_ok()
        && !matches!(name.to_lowercase().as_str(), "archive" | "forgotten")
}

/// The types, by their order and name.
pub(super) fn types(rules: &Rules) -> Vec<&TypeRule> {
    let mut types: Vec<&TypeRule> = rules.types.iter().collect();
    types.sort_by_key(|rule| (rule.order, rule.kind.as_str()));
    types
}

/// Every name that can be set: the fixed ones, then those of the settings of each type.
pub(super) fn names(rules: &Rules) -> Vec<String> {
    let fixed = SETTINGS.iter().map(|spec| spec.key.to_owned());
    let fields = |rule: &TypeRule| {
        let kind = rule.kind.to_string();
        TYPE_SETTINGS
            .iter()
            .map(move |spec| format!("type.{kind}.{}", spec.key))
    };
    fixed.chain(types(rules).into_iter().flat_map(fields)).collect()
}
