//! The settings around a store's own: what the user's file, the environment and the flags say.

use std::path::{Path, PathBuf};

use crate::capture::RequestPatterns;
use crate::config::{Inputs, PatternList, Settings, TomlFile};
use crate::text::Redactor;

/// The layers of settings that do not lie in a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsSources {
    /// The user's file, with its path; absent where there is none.
    pub user: Option<(PathBuf, String)>,
    /// Variables of the environment.
    pub environment: Vec<(String, String)>,
    /// `key=value` of the command line, in order.
    pub flags: Vec<(String, String)>,
}

impl SettingsSources {
    /// The settings of a store whose own file, if it has one, is `store`.
    pub fn settings(&self, store: Option<(&Path, &str)>) -> Settings {
        let file = |(path, text)| TomlFile { path, text };
        let settings = Settings::load(&Inputs {
            user: self
                .user
                .as_ref()
                .map(|(path, text)| file((path.as_path(), text.as_str()))),
            store: store.map(file),
            environment: &self.environment,
            flags: &self.flags,
        });
        let settings = settings.without_unusable(PatternList::Capture, |pattern| {
            RequestPatterns::new(&[pattern.to_owned()])
                .err()
                .map(|error| error.to_string())
        });
        settings.without_unusable(PatternList::Redact, |pattern| {
            Redactor::new(&[pattern.to_owned()])
                .err()
                .map(|error| error.to_string())
        })
    }
}
