//! Tells a one-off task from a standing wish (docs/capture.md): a task is about the work at hand and is over with
//! it. In doubt a text is a wish.

use std::sync::LazyLock;

use regex::Regex;

use super::body::{end, told};
use super::folded::Folded;
use super::language::{compile, of_every_language, one_of};
use super::sentences::first_sentence;
use super::talk::{asks, is_tentative};

static LASTING: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.lasting)));
static PASSING: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.passing)));
static EXPIRING: LazyLock<Regex> =
    LazyLock::new(|| compile(&of_every_language(|language| language.expiring)));
static HABITS: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.habits)));
static JOBS: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.jobs)));

/// Names of the work at hand that bind also a sentence which says since when it holds ("from now on").
static AT_HAND: LazyLock<Regex> = LazyLock::new(|| {
    compile(&one_of(&[
        r"\b(?:in|for|on|with|of|fix|rename|finish|close|merge) (?:this|these) (?:[a-z-]+ )?(?:file|test|function|method|class|pr|mr|branch|commit|line|block|diff|patch|ticket|issue|bug|task|job|run|request|chat|change)s?(?: ?[.,;!]|$)",
        r"^(?:to )?(?:(?:please|just|only) )*(?:skip|do|redo|repeat|run|finish|try|(?:start|continue|go on) (?:with|at|from)|go (?:back )?to) steps? [0-9]+",
        r"(?:この|その)(?:ファイル|テスト|関数|メソッド|クラス|ブランチ|コミット|pr|プルリク|行|バグ|チケット|タスク|件)(?:を|だけ|では)",
        r"(?:^|[ ,.])(?:이|이번) ?(?:파일|테스트|함수|메서드|클래스|브랜치|커밋|pr|줄|버그|티켓|작업|요청)(?:을|를|만|부터|에서)",
        r"[把改修删刪看跑]一?下?(?:这|這)[个個条條次]? ?(?:文件|檔案|[测測]试|測試|函数|函式|方法|分支|提交|pr|mr|bug|行)",
    ]))
});

/// Says whether a folded line begins with a sentence that holds always or never, and not for the work at hand alone.
pub(super) fn standing(line: &str) -> bool {
    static STANDING: LazyLock<Regex> = LazyLock::new(|| {
        let before = r"(?:(?:ok|okay|and|also|no|so|hey|btw|please|pls|请|請)[ ,.!:]*)*";
        compile(&format!(
            "^{before}{}",
            of_every_language(|language| language.standing)
        ))
    });
    static NOT: LazyLock<Regex> = LazyLock::new(|| {
        compile(&format!(
            "^{}",
            of_every_language(|language| language.no_standing)
        ))
    });
    let Some(said) = told(&line[..first_sentence(line)]) else {
        return false;
    };
    let said = said.trim_end_matches(['.', '!', ' ']);
    let polite = ["please", "pls", "thanks", "thank you"];
    let said = polite
        .iter()
        .find_map(|word| said.strip_suffix(word))
        .unwrap_or(said);
    let said = said.trim_end_matches([',', '.', '!', ' ']);
    // Behind always or never it is the project that is meant.
    let said = said.strip_suffix(" here").unwrap_or(said);
    STANDING.is_match(said)
        && !NOT.is_match(said)
        && !asks(said)
        && !is_tentative(said)
        && !expires(said)
        && !AT_HAND.is_match(end(said))
}

/// Says whether the words behind a rule order the thing that it is about.
pub(super) fn is_built(behind: &str) -> bool {
    static BUILT: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"^(?:please|pls|now|so|and|ok|can you|[ ,])*(?:write|implement|build|create|add|generate|code|do|make) (?:it|that|this|them|the|an?)\b",
        )
    });
    BUILT.is_match(behind)
}

/// Says whether a sentence that says since when it holds is about the work at hand all the same.
pub(super) fn is_at_hand(said: &str) -> bool {
    let said = end(said);
    !LASTING.is_match(said) && AT_HAND.is_match(said)
}

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
    expires(said)
        || (!lasts
            && (PASSING.is_match(said)
                || AT_HAND.is_match(said)
                || is_job(said)
                || (says_forget && is_job(&forgets))))
}

/// Says whether a text that nobody asked to remember tells somebody to do one job.
pub fn is_one_job(text: &str) -> bool {
    is_task("", Folded::new(text).as_str())
}

/// Says whether a text names its own end.
pub(super) fn expires(said: &str) -> bool {
    EXPIRING.is_match(end(said))
}
