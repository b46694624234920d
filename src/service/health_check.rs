//! The state of something that mdmem keeps for a store.

use crate::model::Severity;

/// The state of one thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    /// The name of the thing: `store`, `files`, `git`, `watcher`, `remote`, `evidence`, `sessions`, `outputs`, `requests`,
    /// `plugin`, `connected`, `log`, `events`.
    pub name: &'static str,
    /// `None`: in order. A note asks nobody to act.
    pub severity: Option<Severity>,
    /// Its state, in words.
    pub what: String,
    /// A sentence that says what to do.
    pub mend: Option<String>,
}

impl HealthCheck {
    /// It is in order.
    pub(super) fn well(name: &'static str, what: impl Into<String>) -> Self {
        Self {
            name,
            severity: None,
            what: what.into(),
            mend: None,
        }
    }

    /// It is not quite as it might be, and nobody has to act.
    pub(super) fn note(name: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::of(Severity::Note, name, what, mend)
    }

    /// It is not as it should be.
    pub(super) fn warning(name: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::of(Severity::Warning, name, what, mend)
    }

    /// It is this much out of order.
    pub(super) fn of(
        severity: Severity,
        name: &'static str,
        what: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            severity: Some(severity),
            mend: Some(mend.into()),
            ..Self::well(name, what)
        }
    }

    /// True when somebody has to act.
    pub fn is_trouble(&self) -> bool {
        self.severity.is_some_and(|severity| severity > Severity::Note)
    }
}
