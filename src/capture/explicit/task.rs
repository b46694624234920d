//! Tells a one-off task from a standing wish (capture.md, section 1): a task is about the work at hand and is over with
//! it. In doubt a text is a wish.

use std::sync::LazyLock;

use regex::Regex;

use super::body::end;
use super::language::{compile, of_every_language};

static LASTING: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.lasting)));
static PASSING: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.passing)));
static EXPIRING: LazyLock<Regex> =
    LazyLock::new(|| compile(&of_every_language(|language| language.expiring)));
static HABITS: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.habits)));
static JOBS: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.jobs)));

/// Says whether a request asks for one job. `words` are those of the request itself, `said` is its body, folded, with
/// the "to" before it.
///
/// A word for its end (until I'm back) makes it a task. Else a word for all times (always, every) makes it a wish. Else a
/// word for this moment (when you're done, this PR) makes it a task. Else the verb decides: one of a habit (use, run)
/// makes it a wish, another, which is a job, a task. Not to forget is asked of jobs more than of facts.
pub(super) fn is_task(words: &str, said: &str) -> bool {
    // The words that make a task stand in its first words or in its last.
    let said = end(said);
    let said = said.trim_end_matches(['.', '!', ' ']);
    let forgets = format!("forget {said}");
    let is_job = |said: &str| JOBS.is_match(said) && !HABITS.is_match(said);
    let says_forget = words.contains("forget") || words.contains(['忘', '잊', '먹', '得']);
    let lasts = LASTING.is_match(words) || LASTING.is_match(said);
    expires(said) || (!lasts && (PASSING.is_match(said) || is_job(said) || (says_forget && is_job(&forgets))))
}

/// Says whether a text names its own end.
pub(super) fn expires(said: &str) -> bool {
    EXPIRING.is_match(end(said))
}
