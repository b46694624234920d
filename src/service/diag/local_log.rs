//! `.mdmem/log`, read: one line for each decision of an epoch, and one for each failure.

use crate::model::Timestamp;
use crate::service::HealthCheck;
use crate::store::{LOCAL, Store};
use crate::sys::{self, MAX_LOG_BYTES, shown_path};

/// What tells of a failure, in a line that tells of no decision.
const FAILURES: [&str; 4] = [" failed", " could not ", " cannot ", " in memory alone"];

/// How the last decisions of epochs went. A failure that no decision followed is trouble now; those before it are over.
pub(super) fn health(store: &Store) -> HealthCheck {
    let name = format!("{LOCAL}/log");
    // One line more than the limit may be there. A log that is missing or cannot be read tells of nothing.
    let bytes =
        sys::read(store.root(), &name, 2 * MAX_LOG_BYTES).map_or_else(|_| Vec::new(), |read| read.bytes);
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(undated).collect();
    let decided = lines.iter().rposition(|line| is_decision(line));
    let (over, open) = lines.split_at(decided.map_or(0, |at| at + 1));
    let failures = |lines: &[&str]| lines.iter().filter(|line| is_failure(line)).count();
    let Some(last) = open.iter().rfind(|line| is_failure(line)) else {
        return HealthCheck::well(
            "log",
            match (over.last(), failures(over)) {
                (None, _) => "no decision yet".to_owned(),
                (Some(last), 0) => format!("the last decision: {last}"),
                (Some(last), before) => format!("the last decision: {last}; failures before it: {before}"),
            },
        );
    };
    let what = format!("failures at its end: {}, the last one: {last}", failures(open));
    let path = shown_path(&store.root().join(name));
    let mend = format!("Sessions are served what they were given before; see {path} for the others.");
    HealthCheck::warning("log", what, mend)
}

/// A line without its time, if it has one.
fn undated(line: &str) -> &str {
    let dated = line
        .split_once(' ')
        .filter(|(time, _)| Timestamp::parse(time).is_some());
    dated.map_or(line, |(_, rest)| rest)
}

fn is_decision(line: &str) -> bool {
    line.starts_with("prompt ") && line.contains(" characters, ")
}

fn is_failure(line: &str) -> bool {
    !is_decision(line) && FAILURES.iter().any(|words| line.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_decision_or_a_failure() {
        let decision = undated("2026-11-20T10:00:00Z prompt ab12 first same 812 characters, 0 s old");
        assert!(is_decision(decision) && !is_failure(decision), "{decision}");
        let failure = undated("prompt ab12 store failed, kept: cannot read x");
        assert!(is_failure(failure) && !is_decision(failure), "{failure}");
    }
}
