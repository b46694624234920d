//! The settings of a store: the layers around it, its own file, and no pattern that cannot be used.

use std::path::Path;

use crate::capture::RequestPatterns;
use crate::config::{PatternList, Settings, SettingsSources};
use crate::text::Redactor;

impl SettingsSources {
    /// The settings of a store whose own file, if it has one, is `store`.
    pub fn settings(&self, store: Option<(&Path, &str)>) -> Settings {
        let settings = self
            .load(store)
            .without_unusable(PatternList::Capture, |pattern| {
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
