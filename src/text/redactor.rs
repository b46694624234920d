//! Stands in for the redactor until it is there.

use std::borrow::Cow;

/// Stands in for the redactor until it is there.
#[derive(Debug, Clone)]
pub struct Redactor(());

impl Redactor {
    /// Built-in rules only.
    pub fn standard() -> Self {
        Self(())
    }

    /// The text without its secrets.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}
