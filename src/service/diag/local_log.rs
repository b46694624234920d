//! `.mdmem/log`, read: one line for each decision of an epoch, and one for each failure.

use crate::model::Timestamp;
use crate::store::{LOCAL, Store};
use crate::sys::{self, MAX_LOG_BYTES};

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When it was written, where it says so.
    pub at: Option<Timestamp>,
    /// The rest of the line.
    pub text: String,
}

impl LogLine {
    fn of(line: &str) -> Self {
        let dated = line
            .split_once(' ')
            .and_then(|(time, rest)| Some((Timestamp::parse(time)?, rest)));
        match dated {
            Some((at, rest)) => Self {
                at: Some(at),
                text: rest.to_owned(),
            },
            None => Self {
                at: None,
                text: line.to_owned(),
            },
        }
    }

    /// Whether it tells of a failure.
    pub fn is_failure(&self) -> bool {
        let words = [" failed", " could not ", " cannot ", " in memory alone"];
        !self.is_decision() && words.iter().any(|word| self.text.contains(word))
    }

    /// Whether it tells of a decision.
    pub fn is_decision(&self) -> bool {
        self.text.starts_with("prompt ") && self.text.contains(" characters, ")
    }
}

/// The lines of a store's log, the oldest first. No log, or one that cannot be read: none.
pub(super) fn lines(store: &Store) -> Vec<LogLine> {
    // One line more than the limit may be there.
    let path = format!("{LOCAL}/log");
    let Ok(read) = sys::read(store.root(), path, 2 * MAX_LOG_BYTES) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&read.bytes);
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(LogLine::of)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_decision_or_a_failure() {
        let decision = LogLine::of("2026-11-20T10:00:00Z prompt ab12 first same 812 characters, 0 s old");
        assert_eq!(decision.at, Timestamp::parse("2026-11-20T10:00:00Z"));
        assert!(decision.is_decision() && !decision.is_failure());
        let failure = LogLine::of("prompt ab12 store failed, kept: cannot read x");
        assert_eq!(failure.at, None);
        assert!(failure.is_failure() && !failure.is_decision());
    }
}
