//! The jobs of a session that the user asked not to forget. They are no memories: they end with the session's work.

use crate::model::Timestamp;
use crate::text::canonical;

/// The number of todos that are kept.
const KEPT: usize = 20;
/// Characters of its text that are kept.
const CHARS: usize = 300;
/// A todo that nobody said again for this long is over: the user has moved on, or has said so in other words.
const OVER_AFTER_MILLIS: i64 = 7 * 24 * 60 * 60 * 1000;

/// A job that the user asked not to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionTodo {
    /// The text, as typed.
    pub text: String,
    /// When the user last said it.
    pub at: Timestamp,
    /// True when a compaction prompt listed it: the summary carries it from then on.
    pub is_listed: bool,
}

/// Adds one as the newest; the same text once; of more than 20 the oldest goes.
pub(super) fn add(todos: &mut Vec<SessionTodo>, text: &str, now: Timestamp) {
    let same = canonical(text);
    todos.retain(|todo| canonical(&todo.text) != same);
    todos.push(SessionTodo {
        text: text.chars().take(CHARS).collect(),
        at: now,
        is_listed: false,
    });
    if todos.len() > KEPT {
        todos.drain(..todos.len() - KEPT);
    }
}

/// The open tasks of the host's own list that are kept of it, as it gives them.
pub(super) fn of_host(open: Vec<String>) -> Vec<String> {
    let short = |text: String| text.trim().chars().take(CHARS).collect::<String>();
    let mut kept: Vec<String> = open.into_iter().map(short).collect();
    kept.retain(|text| !text.is_empty());
    kept.truncate(KEPT);
    kept
}

/// Takes away what is over by now. A time in the future (the clock was set back) is no age.
pub(super) fn expire(todos: &mut Vec<SessionTodo>, now: Timestamp) {
    todos.retain(|todo| now.millis_since(todo.at) < OVER_AFTER_MILLIS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_job_once_and_the_newest_twenty() {
        let mut todos = Vec::new();
        for (n, text) in (0..).zip(["Close the ticket", "rebase it", "close the ticket."]) {
            add(&mut todos, text, Timestamp::from_millis(n));
        }
        let texts: Vec<&str> = todos.iter().map(|todo| todo.text.as_str()).collect();
        assert_eq!(texts, ["rebase it", "close the ticket."]);
        for n in 0..KEPT {
            add(&mut todos, &format!("job {n}"), Timestamp::from_millis(9));
        }
        assert_eq!((todos.len(), todos[0].text.as_str()), (KEPT, "job 0"));
    }

    const YEARS: i64 = 20 * 365 * 24 * 60 * 60 * 1000;

    #[test]
    fn a_week_ends_it_and_no_time_before_it() {
        let mut todos = Vec::new();
        add(&mut todos, "close the ticket", Timestamp::from_millis(5));
        expire(&mut todos, Timestamp::from_millis(4 + OVER_AFTER_MILLIS));
        assert_eq!(todos.len(), 1);
        expire(&mut todos, Timestamp::from_millis(5 + OVER_AFTER_MILLIS));
        assert_eq!(todos, []);
        // The clock was set back, by years or by more than there are: no age.
        for (said, now) in [(YEARS, 0), (i64::MAX, i64::MIN), (i64::MIN, i64::MIN)] {
            add(&mut todos, "close the ticket", Timestamp::from_millis(said));
            expire(&mut todos, Timestamp::from_millis(now));
            assert_eq!(todos.len(), 1, "{said} {now}");
        }
        expire(&mut todos, Timestamp::from_millis(i64::MAX));
        assert_eq!(todos, []);
    }
}
