//! Classes that are refused all the same: words that bind a clause to a day, a stage or a session. A clause that
//! speaks in general is excused from most of them: "at most 20 files are left open" tells of no count.

use super::clause::{Mood, Reading};
use super::passage::{Passage, QUOTED};
use super::verbs;
use super::words::{Phrases, Words};
use crate::capture::Rejection;

/// Rules, limits, conditions and causes: what makes a clause speak in general.
static GENERAL: Words = Words::new(
    "
    must mustn't never always only every each should shouldn't shall cannot can't required requires mandatory unless
    because whenever when if otherwise until per forbidden exclusively regardless default most least up maximum minimum
    don't without ensure ensures limited limit prevents instead rather needs need whichever wherever
    immer nie niemals nur muss müssen darf wenn weil sonst pflicht toujours jamais doit doivent quand lorsque siempre
    nunca debe deben cuando solo sólo
    ",
);
/// Rules and contrasts that need no verb beside them: `One commit per reason`.
static RULE: Words = Words::new(
    "
    must never always only required mandatory no not truth instead rather because unless exclusively forbidden don't per
    keine niemals immer pflicht default otherwise
    ",
);
/// Days and stages that no rule excuses.
const DATED: Phrases = Phrases(
    "
    today, yesterday, tomorrow, tonight, heute, gestern, aujourd'hui, hoy, ayer, wip, derzeit, momentan, actuellement,
    actualmente, lately, recently, currently, aktuell, considering, stopgap, investigation, vacation, noon, deadline,
    for now, right now, at the moment, for the moment, for the time being, so far, not yet, these days, in progress,
    on hold, in the works, under way, in the middle of, in review, next step, next steps, next up, up next, next task,
    future work, to be decided, follow-up, not built, nobody knows, cause unknown, reason unknown, unknown cause,
    cause still, cause not, is planned, is open, is live, are live, is pending, are pending, are left,
    left to, current focus, most recent, after the last, after the change, depuis ce, keeps failing, does nothing
    ",
);
/// What binds a time to today, and the times: `next week`, `by Friday`, `this session`.
const NEAR: [&str; 6] = ["this", "last", "next", "since", "by", "until"];
static TIMES: Words = Words::new(
    "
    monday tuesday wednesday thursday friday saturday sunday morning afternoon evening night week weekend month quarter
    sprint session round spring summer autumn winter release handoff
    ",
);
/// Words of a state that will change.
static PASSING: Words = Words::new(
    "
    still now yet again ongoing temporarily remaining remains noch uncommitted unpushed ready further ahora correctly
    successfully properly encore untested upcoming later potential scheduled
    ",
);
/// What stands before the colon of a status.
static STATUS_LABELS: Words = Words::new(
    "
    current currently status state next todo to-do done remaining blocked blocker blockers offen open pending completed
    finished wip progress focus recent latest update session phase erledigt stand goal unfinished tests coverage
    mode evidence results result bug bugs
    ",
);
/// What a project works on: how it is tells of a stage.
static ITEMS: Words = Words::new(
    "
    branch pr feature task ticket milestone phase prototype rewrite refactor refactoring rollout epic spike bug issue
    implementation fix
    ",
);
/// Complements of `is` that tell how far something is.
static STAGE: Words = Words::new(
    "
    done finished complete completed fixed merged implemented tested missing closed met waiting disabled broken down
    red green blocked paused stuck gone functional stable working passing failing live unreachable out failed passed
    deployed queued gescheitert grün durchgeführt fertig generic skipped
    ",
);
/// Verbs that tell how a run went.
static OUTCOME: Words = Words::new("passes pass compiles succeeds passed succeeded failed fails passent");
/// Verbs of trouble: a trap where a condition or a cause stands beside them, else a defect of the day.
static TROUBLE: Words = Words::new(
    "fails fail crashes crash hangs hang freezes flickers breaks leaks errors stalls loses jumps fires disappears",
);
/// Complaints that are no verbs.
const COMPLAINTS: [&str; 6] = ["broken", "flaky", "wrong", "failing", "crashing", "hanging"];
/// What gives trouble a cause.
static CAUSES: Words = Words::new("since so as due with under after before on unlike");
static CI: Words = Words::new("ci pipeline build workflow actions jenkins job builds lint typecheck");
static HASHED: Words = Words::new(
    "commit commits head main rebase landed merged pushed rebased cherry-picked hash merge as fixed",
);
static ENVIRONMENTS: Words = Words::new("production prod staging testflight live store demo canary");
/// Things that a session counts.
static COUNTED: Words = Words::new(
    "
    tests test errors error warnings failures issues tickets todos bugs passed failed skipped commits prs points
    components complete done cases findings grün
    ",
);
const EDITING: Phrases = Phrases(
    "
    open file, open files, files open, active file, cursor is, ^editing, ^viewing, ^working in, ^looking at,
    currently open, are editing, i am in, being worked on, tab with
    ",
);
const DEPLOYED: [&str; 5] = ["deployed", "released", "rolled", "shipped", "live"];
const CONVENTIONAL: &[&str] = &[
    "feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert",
];

/// What says that something is not decided.
const OPEN: Phrases = Phrases(
    "
    unclear, not clear, open whether, still open, undecided, not decided, to be decided, not sure, open question,
    clarified, 是否需要, 要不要, 还没决定, まだ決ま, べきか, べきでしょうか
    ",
);

/// Whether a clause speaks in general.
pub(super) fn is_general(words: &[&str]) -> bool {
    words.iter().any(|word| GENERAL.contains(word))
}

/// Whether a clause without a verb states a rule or a contrast.
pub(super) fn is_rule(words: &[&str]) -> bool {
    words.iter().any(|word| RULE.contains(word))
}

/// Whether a label begins a status: `Next:`, `Current mode:`, `2025-04-12:`.
pub(super) fn is_status_label(label: &str) -> bool {
    let mut words = label.split_whitespace();
    words.any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        STATUS_LABELS.contains(word) || verbs::is_work_done(word) || is_date(word)
    })
}

/// Whether a sentence names the file that is open.
pub(super) fn is_editing(sentence: &str) -> bool {
    let placed = has_value(sentence) || sentence.contains('.');
    EDITING.is_in(sentence) && placed
}

/// Whether a text asks: it ends as a question, or says that something is not decided.
pub(super) fn question(passage: &Passage<'_>) -> Option<Rejection> {
    let asks = passage
        .sentences()
        .any(|sentence| sentence.ends_with(['?', '？']));
    (asks || OPEN.is_in(&passage.prose)).then_some(Rejection::UnresolvedQuestion)
}

/// Whether a whole text is the subject of a commit, or tells of a commit or of a run of the pipeline.
pub(super) fn commit(passage: &Passage<'_>) -> Option<Rejection> {
    let kind = passage.prose.split(['(', ':', '!']).next().unwrap_or("");
    let subject = passage.prose[kind.len()..]
        .split_once(": ")
        .is_some_and(|(scope, _)| {
            scope.is_empty()
                || scope == "!"
                || (scope.starts_with('(') && scope.trim_end_matches('!').ends_with(')'))
        });
    let words: Vec<&str> = passage
        .whole
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .collect();
    let lower = |word: &&str| word.to_lowercase();
    let hash = |word: &&str| {
        (7..=40).contains(&word.len())
            && word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_alphabetic())
    };
    let hashed = words.iter().any(hash) && words.iter().map(lower).any(|word| HASHED.contains(&word));
    let listed = words.iter().filter(|word| hash(word)).count() > 1;
    // A label begins with a capital, and an address is what a reference names.
    let address = passage.prose.contains("://") || !passage.whole.starts_with(kind);
    (CONVENTIONAL.contains(&kind) && subject && !address || hashed || listed)
        .then_some(Rejection::CommitOrCiSnapshot)
}

/// Whether a clause is bound to a day, a stage or a session.
pub(super) fn reason(clause: &str, reading: &Reading<'_>) -> Option<Rejection> {
    let words: Vec<&str> = super::passage::words(clause)
        .iter()
        .map(|word| word.text)
        .collect();
    let general = is_general(&words);
    let has = |class: &Words| words.iter().any(|word| class.contains(word));
    let (verb, complement) = (reading.verb(), reading.complement());
    let be = ["is", "are", "am", "was", "were", "ist", "sind"].contains(&verb);
    let told = matches!(reading.mood, Mood::Past | Mood::Report);
    let trouble = (TROUBLE.contains(verb) && !["the", "a", "an", QUOTED].contains(&complement))
        || words.iter().skip(1).any(|word| COMPLAINTS.contains(word));
    let from_now_on = words.windows(3).any(|three| three == ["from", "now", "on"]);
    let passing = has(&PASSING)
        && !from_now_on
        && (trouble || !(general || words.contains(&"but") || words.contains(&"so")));
    // `is shipping`: what goes on just now.
    let progresses = be && complement.len() > 4 && complement.ends_with("ing");
    let dated = is_dated(clause, &words);
    if !general {
        let outcome = has(&OUTCOME) || has(&STAGE);
        if words.iter().take(4).any(|word| CI.contains(word)) && outcome {
            return Some(Rejection::CommitOrCiSnapshot);
        }
        let deployed = told && words.iter().any(|word| DEPLOYED.contains(word));
        if deployed || has(&ENVIRONMENTS) && names_version(&words) {
            return Some(Rejection::DeploymentSnapshot);
        }
        if told && dated && verbs::is_work_done(verb) {
            return Some(Rejection::ProgressSnapshot);
        }
    }
    if dated || passing || is_until(&words) || (progresses && !general) {
        return Some(if trouble {
            Rejection::TransientBugState
        } else {
            Rejection::TemporaryStatus
        });
    }
    if general {
        return None;
    }
    let of_us = reading
        .subject()
        .iter()
        .any(|word| ["we", "i", "team"].contains(word));
    let stage = of_us && STAGE.contains(complement) || be && reading.ends_in(&STAGE);
    let item = reading.subject().last().is_some_and(|word| ITEMS.contains(word))
        && (be || ["has", "have", "needs", "need"].contains(&verb));
    let counted = counts(&words)
        || words.contains(&"left") && clause.contains(|c: char| c.is_ascii_digit())
        || words.first() == Some(&"phase");
    let runs = ["works", "work", "run", "runs"].contains(&verb)
        && ["", "correctly", "again", "fine", "well", "end"].contains(&complement);
    if counted || stage || item || runs || OUTCOME.contains(verb) && reading.words.len() < 8 {
        return Some(Rejection::ProgressSnapshot);
    }
    let caused = has(&CAUSES) && reading.words.len() > 7;
    (trouble && !caused).then_some(Rejection::TransientBugState)
}

/// Whether a clause names a day or a stage, or dates from an event: `since the cookie change`.
fn is_dated(clause: &str, words: &[&str]) -> bool {
    // `Currently supported browsers` describes a noun.
    let describes =
        words.first() == Some(&"currently") && words.get(1).is_some_and(|word| verbs::is_participle(word));
    let near = words
        .windows(2)
        .any(|pair| NEAR.contains(&pair[0]) && TIMES.contains(pair[1]));
    let event = words.iter().position(|word| *word == "since").is_some_and(|at| {
        let event = &words[at + 1..];
        let named = event
            .first()
            .is_some_and(|word| ["the", "this", "last"].contains(word));
        named
            && event.len() <= 4
            && !event
                .iter()
                .any(|word| verbs::is_third_person(word) || *word == "is")
    });
    near || event || words.iter().any(|word| is_date(word)) || (DATED.is_in(clause) && !describes)
}

/// Whether a state lasts only until something comes: `is used until the real one is ready`.
fn is_until(words: &[&str]) -> bool {
    let comes = [
        "arrive",
        "arrives",
        "lands",
        "ready",
        "back",
        "exists",
        "available",
        "decided",
    ];
    let mut after = words.iter().skip_while(|word| **word != "until");
    after.any(|word| comes.contains(word))
}

/// Whether a clause names a version: `build 41`, `v1.2`.
fn names_version(words: &[&str]) -> bool {
    words.windows(2).any(|pair| {
        let number = pair[1]
            .trim_start_matches('v')
            .starts_with(|c: char| c.is_ascii_digit());
        number && (pair[1].contains('.') || ["build", "version", "candidate", "release"].contains(&pair[0]))
    })
}

/// Whether a clause counts what a session counts: `14 tests`, `5 of 9`.
pub(super) fn counts(words: &[&str]) -> bool {
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || ".,/+%".contains(c));
    words
        .windows(2)
        .any(|pair| number(pair[0]) && COUNTED.contains(pair[1]))
        || words
            .windows(3)
            .any(|three| three[1] == "of" && number(three[0]) && number(three[2]))
}

/// `2025-04-12`, `12.04.2025`.
pub(super) fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '.', '/']).collect();
    parts.len() == 3
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
        && parts.iter().any(|part| part.len() == 4)
}

/// Whether a clause quotes code or names a path or a list: a value, and not only words.
pub(super) fn has_value(clause: &str) -> bool {
    clause.contains(|c: char| "/+@=<".contains(c)) || clause.contains(QUOTED)
}
