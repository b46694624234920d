//! The words in which the model and the person are told what became of a message: a part of that message, which the
//! host stores with it, and a line on the screen.

use std::error::Error;

use serde::Serialize;

use crate::model::StorePath;
use crate::service::{FactChange, Heard, HeardLine, News, Scope, ServiceError};

/// The words for the model after a request without a body.
const REMEMBER: &str = include_str!("../../templates/prompt/remember.txt");

/// The characters of a wish that a message only shows which the model hears.
const SHOWN_CHARS: usize = 120;

const WAY_BACK: &str = "`mdmem undo` brings it back";
const HEADING: &str = "mdmem heard in this message:";
const GLOBAL_HEADING: &str = "mdmem heard in this message, for every workspace:";
const LATER: &str = "mdmem, on an earlier message:";
const ON_FILE: &str = "It is stored: do not store it again.";
const KEEPS: &str = "mdmem keeps it and tries again: do not store it again.";
const DECLINED: &str = "mdmem: the user does not want this remembered in this session, by any tool or \
    summary:";
const SETTLE: &str = "The user says that something is no longer true, but several memories could be \
    meant: find the right one with the memory tools and change it, or ask.";

/// The words about one message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Told {
    /// The part of the message, for the model; empty where only the person is told something.
    pub(crate) text: String,
    /// The line on the screen, for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) toast: Option<Toast>,
}

/// A line on the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Toast {
    /// The line.
    pub(crate) message: String,
    /// The host's word for its colour: `success`, `info` or `warning`.
    pub(crate) variant: &'static str,
}

/// The memories that leave the prompt which are named.
const PUSHED_OUT: usize = 2;
/// The most words of a changed fact that are told by themselves.
const FORMER: usize = 6;

/// The words about what was heard; `None` where nothing was asked for.
pub(crate) fn told(heard: &Heard) -> Option<Told> {
    let settled: Vec<Answer> = heard.settled.iter().map(about).collect();
    let answers = answers(heard);
    let mut text = changed(&heard.changed, "your memory was", "");
    text.push_str(&changed(
        &heard.changed_globally,
        "the global memory was",
        "--global ",
    ));
    list(&mut text, LATER, &settled);
    let heading = match heard.scope {
        Scope::Global => GLOBAL_HEADING,
        Scope::Workspace => HEADING,
    };
    list(&mut text, heading, &answers);
    // Some of the requests that mdmem keeps are in no memory file yet.
    let has = |words| answers.iter().any(|answer| answer.not_again == Some(words));
    if let Some(words) = [KEEPS, ON_FILE].into_iter().find(|words| has(words)) {
        text.push_str(words);
        text.push('\n');
    }
    let is_unsettled = |line: &HeardLine| line.is_unsettled || line.outcome == "not_taken_back";
    if heard.memories.iter().chain(&heard.settled).any(is_unsettled) {
        text.push_str(SETTLE);
        text.push('\n');
    }
    for declined in heard.declined() {
        let shown: String = declined.chars().take(SHOWN_CHARS).collect();
        text.extend([DECLINED, " \"", &shown, "\"\n"]);
    }
    if heard.asks_the_model {
        text.push_str(REMEMBER);
    }
    let text = text.trim_end().to_owned();
    let all: Vec<Answer> = settled.into_iter().chain(answers).collect();
    let toast = with_notices(&heard.notices, toast(&all));
    (!text.is_empty() || toast.is_some()).then_some(Told { text, toast })
}

/// The words about a message with a request that nothing could store or keep.
pub(crate) fn unheard(error: &ServiceError) -> Told {
    let causes = std::iter::successors(Some(error as &dyn Error), |&error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    let answers = [Answer {
        words: format!("not stored: {}; fix that, then say it again", causes.join(": ")),
        not_again: None,
        variant: "warning",
    }];
    let mut text = String::new();
    list(&mut text, HEADING, &answers);
    Told {
        text: text.trim_end().to_owned(),
        toast: toast(&answers),
    }
}

/// The notices of the exchange with other machines, above the line about the message.
fn with_notices(notices: &[String], toast: Option<Toast>) -> Option<Toast> {
    if notices.is_empty() {
        return toast;
    }
    let lines = notices.iter().map(|notice| format!("Memory: {notice}"));
    let lines: Vec<String> = lines.chain(toast.map(|toast| toast.message)).collect();
    Some(Toast {
        message: lines.join("\n"),
        variant: "warning",
    })
}

/// What others changed in a store whose memory `was` rendered: the facts, because their prompt comes later.
fn changed(news: &News, was: &str, flag: &str) -> String {
    let mut lines: Vec<String> = news.facts.iter().filter_map(changed_fact).collect();
    if news.is_forgotten {
        lines.push("Something was forgotten for good: do not repeat it.".to_owned());
    }
    if news.more > 0 {
        lines.push(format!("{} more: `mdmem {flag}log`", news.more));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!("mdmem: since {was} rendered:\n- {}\n", lines.join("\n- "))
}

/// A changed fact in words.
fn changed_fact(fact: &FactChange) -> Option<String> {
    let by = if fact.by_hand { " by hand" } else { "" };
    Some(match (&fact.was, &fact.now) {
        (None, Some(now)) => format!("Added: \"{now}\""),
        (Some(was), None) => format!("Removed: \"{was}\""),
        (Some(was), Some(now)) => format!("Changed{by}: \"{now}\" (was {})", former(was, now)),
        (None, None) => return None,
    })
}

/// The words of a text that are other ones now, where they are few; else all of it.
fn former(was: &str, now: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (was.split(' ').collect(), now.split(' ').collect());
    let begins = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[begins..], &new[begins..]);
    let same = old_rest.iter().rev().zip(new_rest.iter().rev());
    let ends = same.take_while(|(old, new)| old == new).count();
    let words = &old_rest[..old_rest.len() - ends];
    if words.is_empty() || words.len() > FORMER || words.len() > begins + ends {
        return format!("\"{was}\"");
    }
    words.join(" ").trim_end_matches(['.', ',', ';']).to_owned()
}

/// The outcome of one request, in words.
struct Answer {
    words: String,
    /// The words that keep the model from storing the memory again.
    not_again: Option<&'static str>,
    /// The host's word for the colour of the line; empty where the person is shown none.
    variant: &'static str,
}

/// The words about each request of a message.
fn answers(heard: &Heard) -> Vec<Answer> {
    let unwritten = heard.tasks_unwritten.as_deref();
    let tasks = heard.tasks.iter().map(|task| about_task(task, unwritten));
    let refused = heard.refused.iter();
    let refused = refused.filter_map(|(reason, text)| refusal(reason, text));
    heard
        .memories
        .iter()
        .map(about)
        .chain(tasks)
        .chain(refused)
        .collect()
}

/// The words about a fact that a model stored.
pub(crate) fn added(line: &HeardLine) -> String {
    about(line).words
}

/// The words about what became of a command: for the person at once, and for the model with the next message. `heading`
/// names the command.
pub(crate) fn answered(heading: &str, heard: &Heard) -> Told {
    let answers = answers(heard);
    let mut text = String::new();
    list(&mut text, heading, &answers);
    Told {
        text: text.trim_end().to_owned(),
        toast: toast(&answers),
    }
}

fn list(text: &mut String, heading: &str, answers: &[Answer]) {
    if answers.is_empty() {
        return;
    }
    text.push_str(heading);
    for answer in answers {
        text.push_str("\n- ");
        text.push_str(&answer.words);
    }
    text.push('\n');
}

fn toast(answers: &[Answer]) -> Option<Toast> {
    let loudest = |variant| answers.iter().find(|answer| answer.variant == variant);
    let first = ["warning", "success", "info"].into_iter().find_map(loudest)?;
    let shown = answers.iter().filter(|answer| !answer.variant.is_empty());
    let more = match shown.count() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(Toast {
        message: format!("Memory: {}{more}", first.words),
        variant: first.variant,
    })
}

fn about(line: &HeardLine) -> Answer {
    let path = line.path.as_ref().map_or("", StorePath::as_str);
    let (mut words, variant) = match line.outcome {
        "pending" => (format!("not stored yet: {}", waits(line)), "warning"),
        "taking_back_pending" => (format!("not undone yet: {}", waits(line)), "warning"),
        "absorbed_exact" | "absorbed_identity" => (format!("already known: {path}"), "info"),
        "rejected" | "rejected_quality" => {
            let why = line.reason.map_or("it cannot be stored as it is", why);
            (format!("not stored: {why}"), "warning")
        }
        "taken_back" => (format!("archived: {path} ({WAY_BACK})"), "success"),
        "not_taken_back" => (not_taken_back(line), "info"),
        "already_forgotten" => {
            let words = "not stored: it was forgotten for good, and only the user can say it again";
            (words.to_owned(), "warning")
        }
        _ => (format!("stored as {path}"), "success"),
    };
    for replaced in &line.replaces {
        words.extend(["; replaces ", replaced.as_str(), " (", WAY_BACK, ")"]);
    }
    if let Some(reason) = line.not_shown {
        words.extend(["; not shown in the prompt: ", not_shown(reason)]);
    }
    for (path, reason) in line.pushed_out.iter().take(PUSHED_OUT) {
        let why = not_shown(reason);
        words.extend(["; ", path.as_str(), " leaves the prompt: ", why]);
    }
    if let more @ 1.. = line.pushed_out.len().saturating_sub(PUSHED_OUT) {
        words.extend(["; ", &more.to_string(), " more leave it"]);
    }
    if !line.redacted.is_empty() {
        let kinds = line.redacted.join(", ");
        words.extend(["; without the credential in it (", &kinds, ")"]);
    }
    Answer {
        words,
        not_again: match line.outcome {
            "pending" => Some(KEEPS),
            "taken_back" | "not_taken_back" | "taking_back_pending" => None,
            _ => (variant != "warning").then_some(ON_FILE),
        },
        variant,
    }
}

/// The reason for which the prompt leaves a memory out, in words.
fn not_shown(reason: &str) -> &str {
    match reason {
        "type_cap" => "stronger memories of its type come first; `importance: high` ranks it higher",
        "global_cap" | "char_budget" | "empty_render_budget" => {
            "stronger memories come first; `importance: high` ranks it higher"
        }
        "duplicate" => "another memory says the same",
        "conflict" => "it is a conflict copy",
        "redacted" => "it says nothing but a suspected secret",
        other => other,
    }
}

/// The words about a task, and the cause for which it is in memory alone.
fn about_task(task: &str, unwritten: Option<&str>) -> Answer {
    let place = unwritten.map_or_else(String::new, |cause| {
        format!(" and kept only in this process until it can be written ({cause})")
    });
    Answer {
        words: format!("a task of this session, not stored as a memory{place}: {task}"),
        not_again: None,
        variant: if unwritten.is_some() { "warning" } else { "info" },
    }
}

/// The words about a pending write: why it waits, and where.
fn waits(line: &HeardLine) -> String {
    match &line.waits {
        Some(cause) => format!("{cause}; it is a pending write and will be retried"),
        None => "it will be retried".to_owned(),
    }
}

fn not_taken_back(line: &HeardLine) -> String {
    let text = &line.text;
    let alike: Vec<&str> = line.candidates.iter().map(StorePath::as_str).collect();
    if alike.is_empty() {
        return format!("nothing was changed: {text}");
    }
    format!(
        "nothing was changed: {text}; did you mean {}?",
        alike.join(" or ")
    )
}

/// The words for a request that was refused. A person who says what not to remember is not answered.
fn refusal(reason: &str, text: &str) -> Option<Answer> {
    let is_answered = !matches!(reason, "negated_request" | "duplicate_in_message");
    is_answered.then(|| Answer {
        words: match reason {
            "too_short" => "not stored yet: too short to be understood later; the agent should store it \
             as a full sentence"
                .to_owned(),
            "shown_text" => format!(
                "not stored, because the message only quotes it: \"{}\". If it may be the user's own \
                 wish, ask",
                text.chars().take(SHOWN_CHARS).collect::<String>()
            ),
            "unclear_wish" => format!(
                "not stored, because it may be meant for this session only: \"{}\". If it may be a wish for \
                 later sessions too, ask",
                text.chars().take(SHOWN_CHARS).collect::<String>()
            ),
            _ => format!("not stored: {}", why(reason)),
        },
        not_again: None,
        // A guess is for the model alone.
        variant: if reason == "unclear_wish" { "" } else { "warning" },
    })
}

/// A reason in words.
fn why(reason: &str) -> &str {
    match reason {
        "prompt_injection" => "it reads like an instruction to the agent, not a fact",
        "deferral" => "it is not true yet; say it again when it is",
        "over_limit" => "it is too long for a memory",
        "too_much_waits" => {
            "there are too many pending writes: `mdmem status` says why; fix that, then say it again"
        }
        "not_kept" => {
            "the store and the folder of pending writes are not writable: `mdmem status` says why; fix \
             that, then say it again"
        }
        "redacted" => {
            "it says nothing but a suspected secret, which mdmem never stores; say where the secret is kept instead"
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(outcome: &'static str, path: &str) -> HeardLine {
        HeardLine {
            path: StorePath::new(path).ok(),
            ..HeardLine::new(outcome, "use pnpm".to_owned())
        }
    }

    fn told_of(memories: Vec<HeardLine>) -> Told {
        let heard = Heard {
            memories,
            ..Heard::default()
        };
        told(&heard).unwrap()
    }

    #[test]
    fn a_message_without_a_request_is_not_answered_and_the_person_not_for_what_is_declined() {
        assert_eq!(told(&Heard::default()), None);
        let refused = Heard {
            refused: vec![("negated_request", "the port".to_owned())],
            ..Heard::default()
        };
        let told = told(&refused).unwrap();
        assert_eq!(
            (told.text, told.toast),
            (format!("{DECLINED} \"the port\""), None)
        );
    }

    #[test]
    fn each_outcome_has_its_words() {
        let replacing = HeardLine {
            replaces: vec![StorePath::new("feedback/npm.md").unwrap()],
            not_shown: Some("type_cap"),
            redacted: vec!["password"],
            ..line("superseded", "feedback/pnpm.md")
        };
        let waiting = HeardLine {
            waits: Some("the disk is full".to_owned()),
            ..line("pending", "")
        };
        let told = told_of(vec![
            line("promoted", "feedback/a.md"),
            line("absorbed_exact", "feedback/b.md"),
            replacing,
            waiting,
        ]);
        assert_eq!(
            told.text,
            "mdmem heard in this message:\n\
             - stored as feedback/a.md\n\
             - already known: feedback/b.md\n\
             - stored as feedback/pnpm.md; replaces feedback/npm.md (`mdmem undo` brings it back); \
             not shown in the prompt: stronger memories of its type come first; `importance: high` ranks it higher; \
             without the credential in it (password)\n\
             - not stored yet: the disk is full; it is a pending write and will be retried\n\
             mdmem keeps it and tries again: do not store it again."
        );
        let on_file = told_of(vec![line("promoted", "feedback/a.md")]);
        assert!(on_file.text.ends_with(ON_FILE), "{}", on_file.text);
        let toast = told.toast.unwrap();
        assert_eq!(toast.variant, "warning");
        assert_eq!(
            toast.message,
            "Memory: not stored yet: the disk is full; it is a pending write and will be retried (and 3 more)"
        );
    }

    #[test]
    fn a_refusal_has_the_same_words_at_once_and_after_a_wait() {
        let words = "not stored: it says nothing but a suspected secret, which mdmem never stores; say where the \
            secret is kept instead";
        let at_once = Heard {
            refused: vec![("redacted", "the password is [REDACTED:password]".to_owned())],
            ..Heard::default()
        };
        let waited = Heard {
            settled: vec![HeardLine {
                reason: Some("redacted"),
                ..line("rejected", "")
            }],
            ..Heard::default()
        };
        for (heard, heading) in [(at_once, HEADING), (waited, LATER)] {
            let told = told(&heard).unwrap();
            assert_eq!(told.text, format!("{heading}\n- {words}"));
            assert_eq!(told.toast.unwrap().message, format!("Memory: {words}"));
        }
    }

    #[test]
    fn tasks_and_takings_back_have_their_words() {
        let mut heard = Heard {
            tasks: vec!["close the ticket".to_owned()],
            memories: vec![line("taken_back", "feedback/yarn.md")],
            ..Heard::default()
        };
        assert_eq!(
            told(&heard).unwrap().text,
            "mdmem heard in this message:\n\
             - archived: feedback/yarn.md (`mdmem undo` brings it back)\n\
             - a task of this session, not stored as a memory: close the ticket"
        );
        heard.memories = vec![line("not_taken_back", "")];
        let told = told(&heard).unwrap();
        assert!(
            told.text.contains("- nothing was changed: use pnpm\n"),
            "{}",
            told.text
        );
        assert!(told.text.ends_with(SETTLE), "{}", told.text);
        assert_eq!(told.toast.unwrap().variant, "info");
    }

    #[test]
    fn what_waits_says_why() {
        for (outcome, not_yet) in [("pending", "stored"), ("taking_back_pending", "undone")] {
            let told = told_of(vec![HeardLine {
                waits: Some("the disk is full".to_owned()),
                ..line(outcome, "")
            }]);
            let words =
                format!("- not {not_yet} yet: the disk is full; it is a pending write and will be retried");
            assert!(told.text.contains(&words), "{}", told.text);
            assert_eq!(told.toast.unwrap().variant, "warning");
        }
    }

    #[test]
    fn changes_by_others_are_told_as_facts() {
        let fact = |by_hand, was: Option<&str>, now: Option<&str>| FactChange {
            by_hand,
            was: was.map(str::to_owned),
            now: now.map(str::to_owned),
        };
        let (old, new) = (
            "Service golf listens on port 8005.",
            "Service golf listens on port 9900.",
        );
        let heard = Heard {
            changed: News {
                facts: vec![
                    fact(true, Some(old), Some(new)),
                    fact(false, Some("Use tabs"), Some("Indent by spaces")),
                    fact(true, Some(old), None),
                    fact(false, None, Some(new)),
                ],
                more: 2,
                is_forgotten: true,
            },
            ..Heard::default()
        };
        let told = told(&heard).unwrap();
        assert_eq!(
            told.text,
            "mdmem: since your memory was rendered:\n\
             - Changed by hand: \"Service golf listens on port 9900.\" (was 8005)\n\
             - Changed: \"Indent by spaces\" (was \"Use tabs\")\n\
             - Removed: \"Service golf listens on port 8005.\"\n\
             - Added: \"Service golf listens on port 9900.\"\n\
             - Something was forgotten for good: do not repeat it.\n\
             - 2 more: `mdmem log`"
        );
        assert_eq!(told.toast, None);
    }

    #[test]
    fn a_notice_is_for_the_person_alone_and_stands_above_the_line_about_the_message() {
        let notices = vec!["nothing is exchanged".to_owned()];
        let mut heard = Heard {
            notices,
            ..Heard::default()
        };
        let alone = told(&heard).unwrap();
        assert_eq!(alone.text, "");
        let toast = alone.toast.unwrap();
        assert_eq!(
            (toast.message.as_str(), toast.variant),
            ("Memory: nothing is exchanged", "warning")
        );
        heard.memories = vec![line("promoted", "feedback/a.md")];
        let both = told(&heard).unwrap();
        assert!(!both.text.contains("exchanged"), "{}", both.text);
        assert_eq!(
            both.toast.unwrap().message,
            "Memory: nothing is exchanged\nMemory: stored as feedback/a.md"
        );
    }

    #[test]
    fn a_request_without_a_body_asks_the_model_and_shows_nothing() {
        let heard = Heard {
            asks_the_model: true,
            ..Heard::default()
        };
        let told = told(&heard).unwrap();
        assert!(told.text.contains("memory_add"), "{}", told.text);
        assert_eq!(told.toast, None);
    }
}
