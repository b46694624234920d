//! The conversations of this workspace, for a model.

use crate::config::Settings;

use super::super::super::{Past, ServiceError};
use super::super::Conversations;

/// The tools that a model may use, by the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnabledTools {
    /// Those that `tools.enabled` names; empty: nothing is said about them.
    pub named: Vec<String>,
    /// True where `history.tool` lets models read the conversations of their workspace.
    pub has_past: bool,
}

impl EnabledTools {
    /// Those of these settings.
    pub fn of(settings: &Settings) -> Self {
        Self {
            named: settings.enabled_tools.clone(),
            has_past: settings.history.is_offered,
        }
    }
}

impl Conversations {
    /// The tools that a model may use, by the settings.
    pub fn enabled_tools(&self) -> EnabledTools {
        EnabledTools::of(&self.settings_in_force())
    }

    /// The conversations that the hosts of this machine keep.
    pub fn past(&self) -> Result<Past, ServiceError> {
        Past::with(&self.context, self.redactor.clone())
    }
}
