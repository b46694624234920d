//! The settings, all layers laid over each other.

use std::collections::BTreeMap;
use std::time::Duration;

use super::catalog::{find, names};
use super::layers::{Inputs, apply};
use super::origin::Origin;
use super::problem::{Fault, Problem};
use super::value::Value;
use crate::policy::{EpochRules, Rules};

/// The format of a store that this program writes; a store with a greater one is read-only to it.
pub const FORMAT: u32 = 1;

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
    /// Without a change for so long: commit.
    pub quiet: Duration,
    /// However busy the folder is: commit after so long.
    pub max_wait: Duration,
}

/// Exchange with other machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncSettings {
    /// Whether it happens by itself.
    pub auto: bool,
    /// How often.
    pub interval: Duration,
    /// One repository, with a branch per store.
    pub remote: Option<String>,
}

/// The values themselves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Values {
    pub(super) format: u32,
    pub(super) rules: Rules,
    pub(super) watch: WatchSettings,
    pub(super) epoch: EpochRules,
    pub(super) sync: SyncSettings,
    pub(super) commit_sign: bool,
    pub(super) editor: Option<String>,
    pub(super) capture_patterns: Vec<String>,
    pub(super) redact_patterns: Vec<String>,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            format: FORMAT,
            rules: Rules::default(),
            watch: WatchSettings {
                quiet: Duration::from_secs(2),
                max_wait: Duration::from_secs(10),
            },
            epoch: EpochRules::default(),
            sync: SyncSettings {
                auto: false,
                interval: Duration::from_mins(15),
                remote: None,
            },
            commit_sign: false,
            editor: None,
            capture_patterns: Vec::new(),
            redact_patterns: Vec::new(),
        }
    }
}

/// The settings in force, where each comes from, and what was wrong on the way.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub(super) values: Values,
    pub(super) origins: BTreeMap<String, Origin>,
    pub(super) problems: Vec<Problem>,
}

/// One setting, for `mdmem config`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where the value comes from.
    pub origin: Origin,
}

impl Settings {
    /// Lays the layers over each other. What is wrong is left out, and listed in [`Self::problems`].
    pub fn load(inputs: &Inputs<'_>) -> Self {
        let mut settings = Self::default();
        apply(&mut settings, inputs);
        settings
    }

    /// The numbers of the rules.
    pub const fn rules(&self) -> &Rules {
        &self.values.rules
    }

    /// `watch.*`.
    pub const fn watch(&self) -> WatchSettings {
        self.values.watch
    }

    /// `epoch.*`.
    pub const fn epoch(&self) -> EpochRules {
        self.values.epoch
    }

    /// `sync.*`.
    pub const fn sync(&self) -> &SyncSettings {
        &self.values.sync
    }

    /// `commit.sign`: whether git signs commits.
    pub const fn commit_sign(&self) -> bool {
        self.values.commit_sign
    }

    /// `editor`, else `$EDITOR`, else `$VISUAL`: a command, perhaps with arguments.
    pub fn editor(&self) -> Option<&str> {
        self.values.editor.as_deref()
    }

    /// `capture.patterns`: what else means "remember this".
    pub fn capture_patterns(&self) -> &[String] {
        &self.values.capture_patterns
    }

    /// `redact.patterns`: what else is a secret.
    pub fn redact_patterns(&self) -> &[String] {
        &self.values.redact_patterns
    }

    /// The same settings without the patterns of a list that cannot be used; `reason` says why one cannot. What a
    /// pattern may be is not for this module to know.
    #[must_use]
    pub fn without_unusable(mut self, list: PatternList, reason: impl Fn(&str) -> Option<String>) -> Self {
        let (key, patterns) = match list {
            PatternList::Capture => ("capture.patterns", &mut self.values.capture_patterns),
            PatternList::Redact => ("redact.patterns", &mut self.values.redact_patterns),
        };
        let origin = self.origins.get(key).cloned().unwrap_or(Origin::Default);
        let problems = &mut self.problems;
        patterns.retain(|pattern| {
            let Some(reason) = reason(pattern) else {
                return true;
            };
            problems.push(Problem::Setting {
                origin: origin.clone(),
                fault: Fault::BadPattern { key, list, reason },
            });
            false
        });
        self
    }

    /// `format` of the store.
    pub const fn format(&self) -> u32 {
        self.values.format
    }

    /// Whether a newer mdmem wrote the store: then it must not be changed by this one.
    pub const fn is_newer_format(&self) -> bool {
        self.values.format > FORMAT
    }

    /// What was wrong, in the order of the layers.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Every setting with its value and origin: those with a fixed name, then those of the types.
    pub fn all(&self) -> Vec<Setting> {
        let names = names(&self.values.rules).into_iter();
        names.filter_map(|key| self.get(&key)).collect()
    }

    /// One setting by its name.
    pub fn get(&self, key: &str) -> Option<Setting> {
        let value = find(key)?.get(&self.values);
        Some(Setting {
            key: key.to_owned(),
            value,
            origin: self.origins.get(key).cloned().unwrap_or(Origin::Default),
        })
    }

    /// The setting that was probably meant.
    pub fn nearest(&self, key: &str) -> Option<String> {
        super::nearest::nearest(key, names(&self.values.rules))
    }
}
