//! The settings, all layers laid over each other.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toml::Value;

use super::catalog::{SETTINGS, TYPE_SETTINGS, find, names, of_type, types};
use super::origin::Origin;
use super::problem::{Fault, Problem};
use super::value::shown;
use crate::model::Kind;
use crate::policy::{EpochRules, Rules};

/// The format of a store that this program writes; a store with a greater one is read-only to it.
pub const FORMAT: u32 = 2;

/// A setting that is a list of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternList {
    /// `capture.patterns`.
    Capture,
    /// `redact.patterns`.
    Redact,
}

/// When the watcher commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchSettings {
    /// Without a change for so many milliseconds: commit.
    pub quiet_ms: u32,
    /// However busy the folder is: commit after so long.
    pub max_wait: Duration,
}

/// The permission of a model's tools to write into the global store, which every workspace shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GlobalTools {
    /// The host asks the person each time.
    #[default]
    Ask,
    /// They may.
    Allow,
    /// They may not.
    Deny,
}

/// Exchange with other machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncSettings {
    /// `sync.auto`: true when it happens by itself.
    pub auto: bool,
    /// `sync.interval`: the pause between two exchanges.
    pub interval: Duration,
    /// `sync.remote`: one repository, with a branch per store.
    pub remote: Option<String>,
}

/// The one who answers the questions of passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassModel {
    /// The program of `passes.command`.
    #[default]
    Command,
    /// The small model of the agent that mdmem serves.
    Host,
}

/// The questions to a model, and who answers them (docs/passes.md).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassSettings {
    /// `passes.extract`: true when conversations that rest are given to the model by themselves.
    pub extract: bool,
    /// `passes.reconcile`: true when the memories of a store are given to the model by themselves.
    pub reconcile: bool,
    /// `passes.pause`: the rest of a conversation before that.
    pub pause: Duration,
    /// `passes.on_close`: true when a conversation of Claude Code's is given to the program at its end; OpenCode tells
    /// no end.
    pub on_close: bool,
    /// `passes.model`: who answers.
    pub model: PassModel,
    /// `passes.command`: the program that answers, and its arguments; empty: none.
    pub command: Vec<String>,
    /// `passes.host_model`: the model of the host that answers, as the host names it; `None`: its small model.
    pub host_model: Option<String>,
}

/// The conversations that hosts keep.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HistorySettings {
    /// `history.tool`: true where models may read those of their workspace.
    pub is_offered: bool,
    /// `history.opencode`: OpenCode's database, where it is not in its usual place.
    pub opencode: Option<String>,
}

/// The settings in force, where each comes from, and what was wrong on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// `format` of the store.
    pub format: u32,
    /// The numbers of the rules.
    pub rules: Rules,
    /// `watch.*`.
    pub watch: WatchSettings,
    /// `epoch.*`.
    pub epoch: EpochRules,
    /// `tools.global`.
    pub global_tools: GlobalTools,
    /// `history.*`.
    pub history: HistorySettings,
    /// `search.model`: the folder of a sentence model.
    pub search_model: Option<String>,
    /// `tools.enabled`: the tools that a model may use, or "all"; empty: it is offered the usual ones.
    pub enabled_tools: Vec<String>,
    /// `sync.*`.
    pub sync: SyncSettings,
    /// `passes.*`.
    pub passes: PassSettings,
    /// `commit.sign`: whether git signs commits.
    pub commit_sign: bool,
    /// `editor`, else `$EDITOR`, else `$VISUAL`: a command, perhaps with arguments.
    pub editor: Option<String>,
    /// `capture.patterns`: what else means "remember this".
    pub capture_patterns: Vec<String>,
    /// `redact.patterns`: what else is a secret.
    pub redact_patterns: Vec<String>,
    pub(super) origins: BTreeMap<String, Origin>,
    /// The problems, in the order of the layers.
    pub problems: Vec<Problem>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            format: FORMAT,
            rules: Rules::default(),
            watch: WatchSettings {
                quiet_ms: 2000,
                max_wait: Duration::from_secs(10),
            },
            epoch: EpochRules::default(),
            global_tools: GlobalTools::default(),
            history: HistorySettings::default(),
            search_model: None,
            enabled_tools: Vec::new(),
            sync: SyncSettings {
                auto: false,
                interval: Duration::from_mins(15),
                remote: None,
            },
            passes: PassSettings {
                extract: false,
                reconcile: false,
                pause: Duration::from_mins(1),
                on_close: false,
                model: PassModel::default(),
                command: Vec::new(),
                host_model: None,
            },
            commit_sign: false,
            editor: None,
            capture_patterns: Vec::new(),
            redact_patterns: Vec::new(),
            origins: BTreeMap::new(),
            problems: Vec::new(),
        }
    }
}

/// One setting, for `mdmem config`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value; `None`: there is none.
    pub value: Option<Value>,
    /// The origin of the value.
    #[serde(flatten)]
    pub origin: Origin,
}

impl Setting {
    /// The value as people read it.
    pub fn shown(&self) -> String {
        shown(self.value.as_ref())
    }
}

impl Settings {
    /// The same settings without the patterns of a list that cannot be used; `reason` says why one cannot. This
    /// module does not know the form of a pattern.
    #[must_use]
    pub fn without_unusable(mut self, list: PatternList, reason: impl Fn(&str) -> Option<String>) -> Self {
        let (key, patterns) = match list {
            PatternList::Capture => ("capture.patterns", &mut self.capture_patterns),
            PatternList::Redact => ("redact.patterns", &mut self.redact_patterns),
        };
        let origin = self.origins.get(key).cloned().unwrap_or(Origin::Default);
        let problems = &mut self.problems;
        patterns.retain(|pattern| {
            let Some(reason) = reason(pattern) else {
                return true;
            };
            problems.push(Problem::Setting {
                origin: origin.clone(),
                fault: match list {
                    // Fewer requests are heard; nothing that is heard is in danger.
                    PatternList::Capture => Fault::warning(format!("`{key}`: {reason}")),
                    PatternList::Redact => Fault::error(format!("`{key}`: {reason}")),
                },
            });
            false
        });
        self
    }

    /// Says whether a newer mdmem wrote the store: then it must not be changed by this one.
    pub const fn is_newer_format(&self) -> bool {
        self.format > FORMAT
    }

    /// Every setting with its value and origin: those with a fixed name but `format`, which nobody sets, then the types, a
    /// setting each.
    pub fn all(&self) -> Vec<Setting> {
        let fixed = SETTINGS.iter().filter(|spec| spec.key != "format");
        let fixed = fixed.map(|spec| spec.key.to_owned());
        let types = types(&self.rules).into_iter();
        let names = fixed.chain(types.map(|rule| format!("type.{}", rule.kind)));
        names.filter_map(|key| self.get(&key)).collect()
    }

    /// One setting by its name, or all of a type (`type.NAME`).
    pub fn get(&self, key: &str) -> Option<Setting> {
        let origin = |key: &str| self.origins.get(key).cloned();
        let (value, origin) = if let Some(setting) = find(key) {
            (setting.get(self), origin(key))
        } else {
            let kind = Kind::new(key.strip_prefix("type.")?);
            let rule = self.rules.type_rule(&kind)?;
            let mut stated = TYPE_SETTINGS.iter().filter_map(|spec| {
                let field = format!("type.{kind}.{}", spec.key);
                origin(&field)
            });
            (Some(of_type(rule)), stated.next())
        };
        Some(Setting {
            key: key.to_owned(),
            value,
            origin: origin.unwrap_or(Origin::Default),
        })
    }

    /// The setting that was probably meant.
    pub fn nearest(&self, key: &str) -> Option<String> {
        super::nearest::nearest(key, names(&self.rules))
    }
}
