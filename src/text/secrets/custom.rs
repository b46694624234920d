//! Patterns of the user's (`redact.patterns`).

use std::ops::Range;

use regex::{Regex, RegexBuilder};

/// The most that a compiled pattern may take, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression of this syntax.
    #[error("the pattern `{pattern}` is not a valid regular expression: {reason}")]
    Syntax {
        /// As it was written.
        pattern: String,
        /// The slip in the pattern, on one line.
        reason: String,
    },
    /// It would take too much memory.
    #[error("the pattern `{pattern}` is too large: it may take {most} KiB when compiled")]
    TooLarge {
        /// As it was written.
        pattern: String,
        /// The limit, in KiB.
        most: usize,
    },
}

/// A pattern of the user's.
#[derive(Debug)]
pub(super) struct Custom(Regex);

impl Custom {
    pub(super) fn new(pattern: &str) -> Result<Self, PatternError> {
        let compiled = RegexBuilder::new(pattern)
            .size_limit(MOST_BYTES)
            .dfa_size_limit(MOST_BYTES)
            .build();
        compiled.map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternError::TooLarge {
                pattern: pattern.to_owned(),
                most: MOST_BYTES / 1024,
            },
            other => PatternError::Syntax {
                pattern: pattern.to_owned(),
                // The last line says what is wrong, the ones before it draw where.
                reason: last_line(&other.to_string()),
            },
        })
    }

    /// As it was written.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Finds its matches: the first group of a pattern that has groups, else the whole match.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Range<usize>)) {
        if self.0.captures_len() == 1 {
            self.0.find_iter(text).for_each(|matched| found(matched.range()));
            return;
        }
        for captures in self.0.captures_iter(text) {
            if let Some(matched) = captures.get(1).or_else(|| captures.get(0)) {
                found(matched.range());
            }
        }
    }
}

fn last_line(message: &str) -> String {
    let last = message
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_pattern_is_named() {
        let error = Custom::new("acme-(").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the pattern `acme-(` is not a valid regular expression: unclosed group"
        );
        let error = Custom::new(r"\w{9999}\w{9999}").unwrap_err();
        assert!(
            matches!(error, PatternError::TooLarge { most: 1024, .. }),
            "{error}"
        );
    }
}
