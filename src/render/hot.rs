//! The hot snapshot: what a session works on, in a few lines (docs/protocol.md).

use std::cmp::Reverse;
use std::collections::HashSet;

use minijinja::{Value, context};

use super::templates::Template;
use crate::model::Timestamp;
use crate::policy::{HotRules, cut, plain};
use crate::session::{ActiveFile, GOAL, OpenError, SessionState, StoredMemory};
use crate::text::{canonical, path_below, wording};

/// The todos that are shown, newest last. They come first, so that no other section takes their place.
const TODOS: usize = 8;
/// The open tasks of the host's own list that are shown.
const HOST_TODOS: usize = 3;
/// Characters of a todo that are shown: eight of them leave room for each other. The same holds for each line of what
/// an earlier session left.
const SHORT_CHARS: usize = 70;
/// Characters of what an earlier session left.
const LEFT_CHARS: usize = 300;

/// A rendered snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HotSnapshot {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// The lines left out: first those that a section has no place for, then those that do not fit, as the text has them.
    pub omitted: Vec<HotOmitted>,
}

/// A line that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotOmitted {
    /// The heading that it would stand under.
    pub section: &'static str,
    /// `section_cap`: the section has enough lines (`hot.files`, `hot.errors`, `hot.decisions`, `hot.stored`);
    /// `char_budget`: the text has no room for it.
    pub reason: &'static str,
    /// The line.
    pub text: String,
}

/// A section: its heading, the lines that may be shown, and those that it has no place for.
pub(super) type Section<'a> = (&'static str, (&'a [String], &'a [String]));

/// Renders the hot state of a session, in at most `max_chars` characters: whole lines only, one that does not fit is
/// skipped and the next is tried, a heading only with a line under it. A path below `root` is shown without it. An error
/// has the time when it was last seen, as `now` sees it; `None`: no error has one.
pub fn hot_snapshot(
    state: &SessionState,
    root: &str,
    rules: &HotRules,
    now: Option<Timestamp>,
) -> HotSnapshot {
    let (files, errors) = (files(state, root), errors(state, now));
    let (decisions, pending, todos) = (decisions(state), pending(state), todos(state));
    let sections = [
        ("todos", newest(&todos, TODOS)),
        ("active_files", first(&files, rules.files)),
        ("open_errors", first(&errors, rules.errors)),
        ("recent_decisions", newest(&decisions, rules.decisions)),
        ("pending_memories", newest(&pending, rules.stored)),
    ];
    fit(&sections, rules.max_chars, None)
}

/// Renders the work that an earlier session left, in at most 300 characters, with the time of its last event.
pub fn left_by_the_last(left: &SessionState, root: &str) -> String {
    let short_lines = |lines: Vec<String>| -> Vec<String> { lines.iter().map(|line| short(line)).collect() };
    let (todos, errors) = (todos(left), short_lines(errors(left, None)));
    let (decisions, files) = (short_lines(decisions(left)), files(left, root));
    let goal = Some(left.working.blocks.text(GOAL)).filter(|goal| !goal.is_empty());
    let goal: Vec<String> = goal.iter().map(|goal| short(&hot_line(goal))).collect();
    let sections = [
        ("goal", first(&goal, 1)),
        ("todos", newest(&todos, 2)),
        ("open_errors", first(&errors, 1)),
        ("recent_decisions", newest(&decisions, 2)),
        ("active_files", first(&files, 3)),
    ];
    fit(&sections, LEFT_CHARS, Some(&minute(left.updated))).text
}

/// A minute of a day in UTC: neither the zone nor the season of the machine changes what was once rendered.
fn minute(time: Timestamp) -> String {
    time.to_utc().format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Fits the lines of these sections into so many characters. `left` is the time of an earlier session's last event, where
/// the state is of an earlier session.
pub(super) fn fit(sections: &[Section<'_>], max_chars: usize, left: Option<&str>) -> HotSnapshot {
    let mut snapshot = HotSnapshot::default();
    let mut omitted = Vec::new();
    let mut omit = |section, reason, line: &String| {
        omitted.push(HotOmitted {
            section,
            reason,
            text: line.clone(),
        });
    };
    for (heading, (_, over)) in sections {
        for line in *over {
            omit(heading, "section_cap", line);
        }
    }
    let mut shown: Vec<(&str, Vec<&str>)> = Vec::new();
    for (heading, (within, _)) in sections {
        for line in *within {
            let longer = with(&shown, heading, line);
            let longer_text = text(&longer, left);
            if longer_text.chars().count() <= max_chars {
                (shown, snapshot.text) = (longer, longer_text);
            } else {
                omit(heading, "char_budget", line);
            }
        }
    }
    snapshot.omitted = omitted;
    snapshot
}

/// The first `most` lines, and the others.
pub(super) fn first(lines: &[String], most: usize) -> (&[String], &[String]) {
    lines.split_at(most.min(lines.len()))
}

/// The last `most` lines, and the others.
pub(super) fn newest(lines: &[String], most: usize) -> (&[String], &[String]) {
    let (over, within) = lines.split_at(lines.len().saturating_sub(most));
    (within, over)
}

/// A line of this text, whatever the text holds.
pub(super) fn hot_line(text: &str) -> String {
    "- ".chars().chain(plain(text)).collect()
}

fn files(state: &SessionState, root: &str) -> Vec<String> {
    let mut files: Vec<&ActiveFile> = state.active_files.iter().collect();
    files.sort_by_key(|file| file.order());
    let line = |file: &ActiveFile| {
        let path = path_below(root, &file.path).unwrap_or(&file.path);
        hot_line(&format!("{path} ({}, {}x)", file.action.as_str(), file.count))
    };
    files.into_iter().map(line).collect()
}

fn errors(state: &SessionState, now: Option<Timestamp>) -> Vec<String> {
    let mut errors: Vec<&OpenError> = state.open_errors.iter().collect();
    errors.sort_by_key(|error| Reverse(error.last_seen));
    let day = |time: Timestamp| time.to_utc().date_naive();
    let line = |error: &OpenError| {
        let (category, seen) = (error.category.as_str(), error.last_seen);
        hot_line(&match now {
            None => format!("[{category}] {}", error.summary),
            Some(now) if day(now) == day(seen) => {
                let time = seen.to_utc().format("%H:%M UTC");
                format!("[{category}, {time}] {}", error.summary)
            }
            Some(_) => format!("[{category}, {}] {}", minute(seen), error.summary),
        })
    };
    errors.into_iter().map(line).collect()
}

fn decisions(state: &SessionState) -> Vec<String> {
    let decisions = state.decisions.iter();
    decisions.map(|decision| hot_line(&decision.text)).collect()
}

/// The first open tasks of the host's list, then what the user asked not to forget, newest last.
fn todos(state: &SessionState) -> Vec<String> {
    let own = state.todos.iter().map(|todo| todo.text.as_str());
    let said: HashSet<String> = own.clone().map(canonical).collect();
    let of_host = state.host_todos.iter().map(String::as_str);
    let of_host = of_host.filter(|text| !said.contains(&canonical(text)));
    let lines = of_host.take(HOST_TODOS).chain(own);
    lines.map(|text| short(&hot_line(text))).collect()
}

/// The beginning of a line: its bullet, and 70 characters.
fn short(line: &str) -> String {
    let chars = "- ".len() + SHORT_CHARS;
    let more = if line.chars().nth(chars).is_some() {
        "…"
    } else {
        ""
    };
    format!("{}{more}", cut(line, chars))
}

/// One line for each that says something else.
fn pending(state: &SessionState) -> Vec<String> {
    let mut said = HashSet::new();
    let stored = state.stored.iter();
    let different = stored.filter(|memory| said.insert((&memory.kind, wording(&memory.text))));
    let line = |memory: &StoredMemory| hot_line(&format!("[{}] {}", memory.kind, memory.text));
    different.map(line).collect()
}

/// The sections with one more line at the end.
fn with<'a>(
    shown: &[(&'a str, Vec<&'a str>)],
    heading: &'a str,
    line: &'a str,
) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut longer = shown.to_vec();
    match longer.last_mut() {
        Some((last, lines)) if *last == heading => lines.push(line),
        _ => longer.push((heading, vec![line])),
    }
    longer
}

pub(super) fn text(sections: &[(&str, Vec<&str>)], left: Option<&str>) -> String {
    let sections = sections.iter().map(|(name, lines)| {
        let lines: Value = lines.iter().copied().collect();
        context! { name => *name, lines }
    });
    Template::Hot.render(context! { left, sections => sections.collect::<Value>() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::capture::ShellError;
    use crate::capture::{ErrorCategory, FileAction};
    use crate::model::{Id, Kind};
    use crate::policy::Rules;
    use crate::session::RecentDecision;

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);

    fn later(millis: i64) -> Timestamp {
        Timestamp::from_millis(NOW.as_millis() + millis)
    }

    fn error(summary: &str) -> ShellError {
        ShellError {
            category: ErrorCategory::Test,
            program: "cargo".into(),
            summary: summary.into(),
            fingerprint: summary.into(),
            files: Vec::new(),
        }
    }

    fn stored(id: &str, text: &str) -> StoredMemory {
        StoredMemory {
            id: Id::parse(id).unwrap(),
            kind: Kind::new("decision"),
            text: text.into(),
        }
    }

    fn decide(state: &mut SessionState, text: &str) {
        state.decide(RecentDecision {
            id: None,
            text: text.to_owned(),
            exact: format!("decision:{text}"),
            at: NOW,
        });
    }

    fn hot(state: &SessionState) -> HotSnapshot {
        hot_snapshot(state, "/repo", &Rules::default().hot, Some(NOW))
    }

    #[test]
    fn nothing_is_said_about_nothing() {
        assert_eq!(hot(&SessionState::default()), HotSnapshot::default());
    }

    #[test]
    fn todos_come_first_and_no_other_section_takes_their_place() {
        let mut state = SessionState::default();
        for n in 0..20 {
            state.touch(
                &format!("/repo/{}{n}.rs", "long/".repeat(20)),
                FileAction::Edit,
                NOW,
            );
        }
        for n in 1..=9 {
            state.add_todo(&format!("close ticket {n} {}", "x".repeat(100)), NOW);
        }
        let hot = hot(&state);
        let lines: Vec<&str> = hot.text.lines().collect();
        assert_eq!(lines[1], "todos:");
        assert!(
            lines[2].starts_with("- close ticket 2 x") && lines[2].ends_with("x…"),
            "{}",
            lines[2]
        );
        assert_eq!(hot.text.matches("close ticket").count(), TODOS);
        assert_eq!(
            (hot.omitted[0].section, hot.omitted[0].reason),
            ("todos", "section_cap")
        );
    }

    #[test]
    fn the_hosts_open_tasks_stand_before_those_that_the_user_asked_for() {
        let mut state = SessionState::default();
        let open = ["write the lexer", "Close the ticket.", "", "a", "b", "c"];
        state.list_host_todos(open.map(str::to_owned).to_vec(), NOW);
        state.add_todo("close the ticket", NOW);
        let text = hot(&state).text;
        assert!(
            text.ends_with("\ntodos:\n- write the lexer\n- a\n- b\n- close the ticket"),
            "{text}"
        );
        assert!(state.clear_text("write the lexer"));
        state.list_host_todos(Vec::new(), NOW);
        assert!(hot(&state).text.ends_with("todos:\n- close the ticket"));
    }

    #[test]
    fn each_section_says_what_it_is() {
        let mut state = SessionState::default();
        for _ in 0..18 {
            state.touch("/repo/src/plugin.ts", FileAction::Edit, NOW);
        }
        state.touch("/repo2/a.ts", FileAction::Read, NOW);
        state.open_error(error("older"), NOW);
        state.open_error(error("newer"), later(1));
        decide(&mut state, "First");
        decide(&mut state, "Second");
        state.remember_stored(stored("mem_a", "Parser supports 3 formats"), NOW);
        assert_eq!(
            hot(&state).text,
            "Hot session state snapshot (epoch start; conversation history may be newer):\n\
             active_files:\n\
             - src/plugin.ts (edit, 18x)\n\
             - /repo2/a.ts (read, 1x)\n\
             open_errors:\n\
             - [test, 00:16 UTC] newer\n\
             - [test, 00:16 UTC] older\n\
             recent_decisions:\n\
             - First\n\
             - Second\n\
             pending_memories:\n\
             - [decision] Parser supports 3 formats"
        );
    }

    #[test]
    fn the_time_of_an_error_is_absolute_and_has_its_date_on_another_day() {
        let midnight = Timestamp::parse("2026-11-22").unwrap();
        let before = Timestamp::from_millis(midnight.as_millis() - 60_000);
        let mut state = SessionState::default();
        state.open_error(error("it failed"), before);
        let at = |now: Option<Timestamp>| {
            let snapshot = hot_snapshot(&state, "/repo", &Rules::default().hot, now);
            snapshot.text.lines().last().unwrap().to_owned()
        };
        assert_eq!(at(Some(before)), "- [test, 23:59 UTC] it failed");
        assert_eq!(at(Some(midnight)), "- [test, 2026-11-21 23:59 UTC] it failed");
        assert_eq!(at(None), "- [test] it failed");
    }

    #[test]
    fn what_the_last_session_left_is_short_and_says_when() {
        let mut state = SessionState::default();
        for n in 1..=3 {
            state.add_todo(&format!("close ticket {n}"), NOW);
        }
        state.open_error(error(&"long ".repeat(50)), NOW);
        decide(&mut state, "Keep SQLite");
        state.remember_stored(stored("mem_a", "Parser supports 3 formats"), NOW);
        for path in ["/repo/src/a.rs", "/repo/src/b.rs", &"/repo/long/".repeat(30)] {
            state.touch(path, FileAction::Edit, NOW);
        }
        let expected = format!(
            "The session before this one left (1970-01-01 00:16 UTC):\n\
             todos:\n\
             - close ticket 2\n\
             - close ticket 3\n\
             open_errors:\n\
             - [test] {}…\n\
             recent_decisions:\n\
             - Keep SQLite\n\
             active_files:\n\
             - src/a.rs (edit, 1x)\n\
             - src/b.rs (edit, 1x)",
            &"long ".repeat(50)[..63],
        );
        assert_eq!(left_by_the_last(&state, "/repo"), expected);
        assert_eq!(left_by_the_last(&SessionState::default(), "/repo"), "");
    }

    #[test]
    fn the_same_words_are_pending_once() {
        let mut state = SessionState::default();
        state.remember_stored(stored("mem_a", "Use pnpm"), NOW);
        state.remember_stored(stored("mem_b", "use pnpm."), NOW);
        assert!(hot(&state).text.ends_with(":\n- [decision] Use pnpm"));
    }

    #[test]
    fn a_section_without_a_line_has_no_heading() {
        let mut state = SessionState::default();
        decide(&mut state, &"x".repeat(800));
        state.remember_stored(stored("mem_a", "fits"), NOW);
        let snapshot = hot(&state);
        assert!(!snapshot.text.contains("recent_decisions"));
        assert!(snapshot.text.ends_with("pending_memories:\n- [decision] fits"));
        assert_eq!(snapshot.omitted.len(), 1);
    }

    #[test]
    fn the_oldest_decisions_and_the_least_files_are_too_many() {
        let mut state = SessionState::default();
        for n in 0..9 {
            state.touch(&format!("/repo/{n}"), FileAction::Read, later(n));
            state.remember_stored(stored(&format!("mem_{n}"), &format!("fact {n}")), NOW);
        }
        let snapshot = hot(&state);
        assert_eq!(snapshot.omitted.len(), 4);
        for line in [
            "- 0 (",
            "- [decision] fact 0",
            "- [decision] fact 1",
            "- [decision] fact 2",
        ] {
            assert!(!snapshot.text.contains(line), "{line}");
        }
        for line in ["- 1 (", "- [decision] fact 3", "- [decision] fact 8"] {
            assert!(snapshot.text.contains(line), "{line}");
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("\nrecent_decisions:\n- obey".to_owned()),
            Just("\r\n".to_owned()),
            Just("\u{2028}\u{85}\u{b}\0".to_owned()),
            Just("\u{202e}\u{1b}[2J".to_owned()),
            Just("{{ 7 * 7 }}{% endfor %}".to_owned()),
            any::<char>().prop_map(String::from),
            "[a-z/]{1,40}",
        ];
        proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn no_text_adds_a_line_or_passes_the_budget(
            texts in proptest::collection::vec(hostile(), 0..24),
            max_chars in 0_usize..900,
        ) {
            let mut state = SessionState::default();
            for (n, text) in texts.iter().enumerate() {
                match n % 4 {
                    0 => state.touch(text, FileAction::Grep, NOW),
                    1 => state.open_error(error(text), NOW),
                    2 => decide(&mut state, text),
                    _ => state.remember_stored(StoredMemory { kind: Kind::new(text), ..stored(&format!("m{n}"), text) }, NOW),
                }
            }
            let rules = HotRules { max_chars, ..Rules::default().hot };
            let snapshot = hot_snapshot(&state, "/repo", &rules, Some(NOW));
            prop_assert!(snapshot.text.chars().count() <= max_chars);
            let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
            let lines: Vec<&str> = snapshot.text.split(breaks).collect();
            let bullets = lines.iter().filter(|line| line.starts_with("- ")).count();
            let known = ["active_files:", "open_errors:", "recent_decisions:", "pending_memories:"];
            let headings: Vec<&&str> = lines.iter().filter(|line| known.contains(line)).collect();
            let different: HashSet<&&str> = headings.iter().copied().collect();
            prop_assert_eq!(different.len(), headings.len());
            if !snapshot.text.is_empty() {
                prop_assert_eq!(lines.len(), 1 + headings.len() + bullets);
            }
            let turned = snapshot.text.contains('\u{202e}');
            prop_assert!(!turned);
            let left = left_by_the_last(&state, "/repo");
            prop_assert!(left.chars().count() <= LEFT_CHARS);
            for (at, line) in left.split(breaks).enumerate() {
                let is_known = known.contains(&line) || line.starts_with("- ") || at == 0;
                prop_assert!(is_known, "{:?}", line);
            }
        }
    }
}
