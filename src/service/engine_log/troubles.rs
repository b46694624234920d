//! Use case: what went wrong lately, and is not over as far as the log tells?

use std::path::Path;

use super::{EngineLine, EngineLogReader};
use crate::model::Timestamp;

/// For how long a trouble is told of, in milliseconds: a day.
const RECENT: i64 = 86_400_000;

/// The warnings and errors in the log of the store `root` within a day, the oldest first, but for those that a later line
/// ends. A log that cannot be read tells nothing here.
pub fn engine_troubles(root: &Path, now: Timestamp) -> Vec<EngineLine> {
    let lines = EngineLogReader::open(root).and_then(|mut log| log.next_lines());
    let mut open = still_open(lines.unwrap_or_default());
    open.retain(|line| line.at.is_some_and(|at| now.millis_since(at) <= RECENT));
    open
}

/// A prompt that was served ends the trouble with prompts, a watch that commits ends what was in its way, an exchange ends
/// the trouble with the remote. Nothing ends any other trouble.
fn still_open(lines: Vec<EngineLine>) -> Vec<EngineLine> {
    let (mut prompts_go_on, mut commits_go_on, mut is_exchanged) = (false, false, false);
    let mut open: Vec<EngineLine> = Vec::new();
    for line in lines.into_iter().rev() {
        let of_prompts = ["prompt ", "the store cannot be opened: "];
        let is_over = (prompts_go_on && of_prompts.iter().any(|text| line.text.starts_with(text)))
            || (commits_go_on && line.text.starts_with("commits wait: "))
            || (is_exchanged && line.text.starts_with("nothing is exchanged "));
        prompts_go_on |= line.is_decision();
        let begins = ["commits are made again", "watching "];
        commits_go_on |= begins.iter().any(|text| line.text.starts_with(text));
        is_exchanged |= line.text.starts_with("exchanged with ");
        if line.is_trouble() && !is_over {
            open.push(line);
        }
    }
    open.reverse();
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Obstacle;
    use crate::service::{Failing, WatchReport};

    fn open(lines: &[(&str, &str)]) -> Vec<String> {
        let line = |(level, text): &(&str, &str)| {
            EngineLine::parse(&format!("2026-11-22T08:00:00Z {level:<5} serve[7] {text}"))
        };
        let open = still_open(lines.iter().map(line).collect());
        open.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_trouble_is_told_until_it_is_over() {
        let decision = "prompt ab12 first same 812 characters, 0 s old";
        let failed = "prompt ab12 store failed, kept: cannot read x";
        let blocked = WatchReport::Blocked(Obstacle::Merge).to_string();
        let again = WatchReport::Unblocked.to_string();
        let watching = WatchReport::Watching { root: "/s".into() }.to_string();
        let other = "HOT.md is not up to date";
        assert_eq!(
            open(&[("WARN", failed), ("INFO", decision)]),
            Vec::<String>::new()
        );
        assert_eq!(open(&[("INFO", decision), ("WARN", failed)]), [failed]);
        assert_eq!(
            open(&[("WARN", &blocked), ("INFO", decision)]),
            [blocked.as_str()]
        );
        let failing = WatchReport::NotExchanged(Failing {
            since: Timestamp::from_millis(0),
            cause: "the key is refused".to_owned(),
        });
        let failing = failing.to_string();
        let exchanged = WatchReport::Exchanged {
            received: 0,
            sent: 0,
            conflicts: 0,
            unshown: None,
        };
        let exchanged = exchanged.to_string();
        assert_eq!(open(&[("WARN", &failing), ("INFO", &again)]), [failing.as_str()]);
        assert_eq!(
            open(&[("WARN", &failing), ("INFO", &exchanged)]),
            Vec::<String>::new()
        );
        for end in [&again, &watching] {
            assert_eq!(
                open(&[("WARN", &blocked), ("WARN", other), ("INFO", end)]),
                [other],
                "{end}"
            );
            assert_eq!(open(&[("INFO", end), ("WARN", &blocked)]), [blocked.as_str()]);
        }
    }
}
