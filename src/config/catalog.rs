//! Every setting: its name, what it takes, who may set it, and its place in [`Settings`]. The table of
//! docs/file-format.md, as code.

use std::time::Duration;

use super::settings::Settings;
use super::value::{Form, Value};
use crate::model::{Kind, StorePath};
use crate::policy::{Level, Rules, TypeRule};

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

/// One setting.
pub(super) struct Spec {
    pub(super) key: &'static str,
    pub(super) form: Form,
    pub(super) allowed: Allowed,
    pub(super) get: fn(&Settings) -> Value,
    pub(super) set: fn(&mut Settings, Value),
}

const ANY_COUNT: Form = Form::Count(0, u64::MAX);
/// For fields of 32 bits.
const SMALL_COUNT: Form = Form::Count(0, u32::MAX as u64);
const FACTOR: Form = Form::Number(0.0, f64::INFINITY);

/// A field as a setting: how it is shown, and how it is set from a value of its form.
macro_rules! setting {
    (@value flag $field:expr) => { Value::Flag($field) };
    (@value count $field:expr) => { Value::Count(Some($field as u64)) };
    (@value small $field:expr) => { Value::Count(Some(u64::from($field))) };
    (@value number $field:expr) => { Value::Number($field) };
    (@value duration $field:expr) => { Value::Duration($field) };
    (@value millis $field:expr) => { Value::Count(Some(u64::try_from($field.as_millis()).unwrap_or(u64::MAX))) };
    (@value text $field:expr) => { Value::Text($field.clone()) };
    (@value word $field:expr) => { Value::Word($field.as_str()) };
    (@value folder $field:expr) => { Value::Text(Some($field.clone())) };
    (@value advise $field:expr) => { Value::Word($field.map_or("never", Level::as_str)) };
    (@value levels $field:expr) => { Value::Levels($field) };
    (@value list $field:expr) => { Value::List($field.clone()) };

    (@set flag $field:expr, $value:expr) => { if let Value::Flag(flag) = $value { $field = flag; } };
    (@set count $field:expr, $value:expr) => {
        if let Value::Count(Some(count)) = $value { $field = usize::try_from(count).unwrap_or(usize::MAX); }
    };
    (@set small $field:expr, $value:expr) => {
        if let Value::Count(Some(count)) = $value { $field = u32::try_from(count).unwrap_or(u32::MAX); }
    };
    (@set number $field:expr, $value:expr) => { if let Value::Number(number) = $value { $field = number; } };
    (@set duration $field:expr, $value:expr) => { if let Value::Duration(length) = $value { $field = length; } };
    (@set millis $field:expr, $value:expr) => {
        if let Value::Count(Some(millis)) = $value { $field = Duration::from_millis(millis); }
    };
    (@set text $field:expr, $value:expr) => { if let Value::Text(text) = $value { $field = text; } };
    (@set word $field:expr, $value:expr) => {
        if let Value::Word(word) = $value && let Ok(known) = word.parse() { $field = known; }
    };
    (@set folder $field:expr, $value:expr) => { if let Value::Text(Some(name)) = $value { $field = name; } };
    (@set advise $field:expr, $value:expr) => { if let Value::Word(word) = $value { $field = Level::parse(word); } };
    (@set levels $field:expr, $value:expr) => { if let Value::Levels(levels) = $value { $field = levels; } };
    (@set list $field:expr, $value:expr) => { if let Value::List(items) = $value { $field = items; } };

    ($key:literal, $allowed:ident, $kind:ident, $form:expr, $($field:ident).+) => {
        Spec {
            key: $key,
            form: $form,
            allowed: Allowed::$allowed,
            get: |settings| setting!(@value $kind settings.$($field).+),
            set: |settings, value| setting!(@set $kind settings.$($field).+, value),
        }
    };
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
pub(super) const SETTINGS: &[Spec] = &[
    setting!("format", InStoreAlone, small, Form::Count(1, u32::MAX as u64), format),
    setting!("render.max_chars", Everywhere, count, ANY_COUNT, rules.render.max_chars),
    setting!("render.max_entries", Everywhere, count, ANY_COUNT, rules.render.max_entries),
    setting!("render.total_chars", Everywhere, count, ANY_COUNT, rules.render.total_chars),
    setting!("render.global_chars", Everywhere, count, ANY_COUNT, rules.render.global_chars),
    setting!("render.notes", Everywhere, word, Form::Word(&["month", "off"]), rules.render.notes),
    setting!("retention.half_life_days", Everywhere, number, Form::Positive, rules.retention.half_life_days),
    setting!("limit.default", Everywhere, small, SMALL_COUNT, rules.limit),
    setting!("tree.max_depth", Everywhere, count, ANY_COUNT, rules.tree.max_depth),
    setting!("hot_dir", InStoreAlone, folder, Form::Folder, rules.hot_dir),
    setting!("exclude.folders", Everywhere, list, Form::List, rules.excluded),
    setting!("watch.quiet_ms", NotInStore, millis, SMALL_COUNT, watch.quiet),
    setting!("epoch.ttl", NotInStore, duration, Form::Duration, epoch.ttl),
    setting!("epoch.pressure_percent", NotInStore, small, Form::Count(0, 100), epoch.pressure_percent),
    setting!("session.handover", NotInStore, duration, Form::DurationOrOff, rules.hot.handover),
    setting!("session.working", NotInStore, flag, Form::Flag, rules.session.is_working),
    setting!("context.levels", NotInStore, levels, Form::Levels, rules.context.level.percent),
    setting!("context.advise", NotInStore, advise, Form::Word(&["yellow", "red", "critical", "never"]), rules.context.level.advise),
    setting!("context.compact", NotInStore, flag, Form::Flag, rules.context.may_compact),
    setting!("context.intervene", NotInStore, flag, Form::Flag, rules.context.may_intervene),
    setting!("prune.mode", NotInStore, word, Form::Word(&["off", "pressure", "always"]), rules.prune.mode),
    setting!("prune.keep", NotInStore, list, Form::KeepRules, rules.prune.keep),
    setting!("compaction.prompt", NotInStore, word, Form::Word(&["append", "replace"]), rules.compaction),
    setting!("tools.global", NotInStore, word, Form::Word(&["ask", "allow", "deny"]), global_tools),
    setting!("tools.enabled", NotInStore, list, Form::List, enabled_tools),
    setting!("history.tool", NotInStore, flag, Form::Flag, history.is_offered),
    setting!("history.opencode", NotInStore, text, Form::Text, history.opencode),
    setting!("sync.auto", NotInStore, flag, Form::Flag, sync.auto),
    setting!("sync.interval", NotInStore, duration, Form::Duration, sync.interval),
    setting!("sync.remote", NotInStore, text, Form::Text, sync.remote),
    setting!("passes.extract", NotInStore, flag, Form::Flag, passes.extract),
    setting!("passes.reconcile", NotInStore, flag, Form::Flag, passes.reconcile),
    setting!("passes.pause", NotInStore, duration, Form::Duration, passes.pause),
    setting!("passes.on_close", NotInStore, flag, Form::Flag, passes.on_close),
    setting!("passes.model", NotInStore, word, Form::Word(&["command", "host"]), passes.model),
    setting!("passes.command", NotInStore, list, Form::List, passes.command),
    setting!("passes.host_model", NotInStore, text, Form::Text, passes.host_model),
    setting!("commit.sign", NotInStore, flag, Form::Flag, commit_sign),
    setting!("editor", NotInStore, text, Form::Text, editor),
    setting!("capture.patterns", NotInStore, list, Form::List, capture_patterns),
    setting!("redact.patterns", NotInStore, list, Form::List, redact_patterns),
];

/// One of the settings that every type has: `type.NAME.factor` and its like.
pub(super) struct TypeSpec {
    pub(super) field: &'static str,
    pub(super) form: Form,
    pub(super) get: fn(&TypeRule) -> Value,
    pub(super) set: fn(&mut TypeRule, Value),
}

/// The settings of a type.
pub(super) const TYPE_SETTINGS: &[TypeSpec] = &[
    TypeSpec {
        field: "factor",
        form: FACTOR,
        get: |rule| Value::Number(rule.factor),
        set: |rule, value| setting!(@set number rule.factor, value),
    },
    TypeSpec {
        field: "cap",
        form: ANY_COUNT,
        get: |rule| Value::Count(rule.cap.map(|cap| cap as u64)),
        set: |rule, value| {
            if let Value::Count(Some(cap)) = value {
                rule.cap = Some(usize::try_from(cap).unwrap_or(usize::MAX));
            }
        },
    },
    TypeSpec {
        field: "stale_after",
        form: SMALL_COUNT,
        get: |rule| setting!(@value small rule.stale_after),
        set: |rule, value| setting!(@set small rule.stale_after, value),
    },
    TypeSpec {
        field: "order",
        form: Form::Integer,
        get: |rule| Value::Integer(rule.order),
        set: |rule, value| {
            if let Value::Integer(order) = value {
                rule.order = order;
            }
        },
    },
];

/// A setting, by its name.
pub(super) enum Found {
    Fixed(&'static Spec),
    OfType(Kind, &'static TypeSpec),
}

impl Found {
    pub(super) fn form(&self) -> Form {
        match self {
            Self::Fixed(spec) => spec.form,
            Self::OfType(_, spec) => spec.form,
        }
    }

    pub(super) fn allowed(&self) -> Allowed {
        match self {
            Self::Fixed(spec) => spec.allowed,
            Self::OfType(..) => Allowed::Everywhere,
        }
    }

    pub(super) fn get(&self, settings: &Settings) -> Value {
        match self {
            Self::Fixed(spec) => (spec.get)(settings),
            Self::OfType(kind, spec) => {
                let new = new_type(kind.clone());
                (spec.get)(settings.rules.type_rule(kind).unwrap_or(&new))
            }
        }
    }

    /// Sets it; a type that is not known is one from then on.
    pub(super) fn set(&self, settings: &mut Settings, value: Value) {
        match self {
            Self::Fixed(spec) => (spec.set)(settings, value),
            Self::OfType(kind, spec) => {
                let types = &mut settings.rules.types;
                let at = types.iter().position(|rule| rule.kind == *kind);
                let at = at.unwrap_or_else(|| {
                    types.push(new_type(kind.clone()));
                    types.len() - 1
                });
                (spec.set)(&mut types[at], value);
            }
        }
    }
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
    let spec = TYPE_SETTINGS.iter().find(|spec| spec.field == field)?;
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
            .map(move |spec| format!("type.{kind}.{}", spec.field))
    };
    fixed.chain(types(rules).into_iter().flat_map(fields)).collect()
}
