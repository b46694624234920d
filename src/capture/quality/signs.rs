//! The signs by which [`super::weight`] tells a text that lasts from a text that passes. A sign is a class of
//! words, the form of a verb, or the form of the text, never a wording.

use std::collections::HashSet;

use super::cjk;
use super::clause::{self, BE, CAN, MODAL, Opening, RULE, WAS};
use super::passage::{Passage, QUOTED, words};
use super::verbs;
use super::words::{Phrases, Words};

/// Rules, conditions and causes: what speaks in general.
static UNIVERSAL: Words = Words::new(
    "
    always never only every each all any exclusively whenever regardless strictly immer nie niemals nur jede jeder
    jedes toujours jamais seulement siempre nunca solo sólo cada sempre только всегда никогда все каждый
    ",
);
static CONDITION: Words = Words::new(
    "
    if when unless otherwise until once whenever where wherever while wenn falls sobald bis quand lorsque si cuando se
    quando если когда при пока
    ",
);
static CAUSE: Words = Words::new(
    "
    because since so therefore due thus prevents avoids causes weil da denn damit parce car porque así потому чтобы
    поэтому
    ",
);
/// Words that describe a design.
static STATE: Words = Words::new(
    "
    enabled required scoped centralized managed stored configured shared prefixed used allowed supported limited
    isolated grouped derived generated handled kept served hosted owned named validated mapped wrapped pinned backed
    loaded injected exposed reserved excluded ignored documented tracked cached versioned signed
    ",
);
/// Choices and wishes.
static CHOICE: Words = Words::new(
    "
    prefers wants likes dislikes expects insists hates asked decided chose chosen choose agreed settled adopted selected
    rejected dropped decision rationale picked opted decisión décision decisão entscheidung решение решено
    ",
);
/// Words for things that pass: the present day, stages, plans, counts, news.
static NOW: Words = Words::new(
    "
    now still yet already just temporarily previously newly ongoing upcoming later soon eventually noch bereits jetzt
    schon encore ahora actual todavía ya ainda agora já пока уже ещё временно
    ",
);
static STAGE: Words = Words::new(
    "
    done finished complete completed fixed merged implemented tested verified resolved passing passed failing failed
    working works ready blocked waiting pending broken green red stable functional operational closed open missing
    remaining paused active started progress place uncommitted unpushed pushed untested partial partially fertig
    erledigt grün rot offen abgeschlossen terminé fini fait vert verts hecho terminado listo completo completado
    pendiente pronto feito concluída concluídas aprovados готово готова завершён завершено активна обновлен met gone
    down disabled queued skipped succeeded happy
    ",
);
static DEPLOYMENT: Words = Words::new(
    "
    deployed released rolled shipped live production prod staging testflight store demo canary
    ",
);
static PIPELINE: Words =
    Words::new("ci pipeline build builds workflow actions jenkins job lint typecheck checks");
static PLAN: Words = Words::new(
    "
    next todo to-do plan planned plans planning scheduled will future roadmap phase sprint milestone step backlog followup
    follow-up consider considering investigate potential possibly maybe improvements improvement enhance enhanced
    enhancement priority nächste schritt prochaine étape próximo próximos paso siguiente планируется следующий
    ",
);
static COUNTABLE: Words = Words::new(
    "
    tests test errors warnings failures files lines passed commits assertions cases coverage findings tools loc
    tickets issues todos tested
    ",
);
static NOVELTY: Words = Words::new(
    "
    new improved better comprehensive robust various multiple additional more initial basic full proper properly
    correctly successfully successful existing several further neu neue nuevo nueva nuevos novo
    ",
);
/// Words that the label of a status names.
static SESSION: Words = Words::new(
    "
    session current branch commit head pr issue ticket bug bugs issues release deploy deployment baseline status
    update updates summary changelog tag
    ",
);
/// Trouble weighs nothing: "X hangs when Y" lasts, "X hangs" does not.
static TROUBLE: Words = Words::new(
    "fails fail failing crash crashes hangs hang breaks break broken flaky wrong silently error errors leak race loses throws",
);
static JUDGEMENT: Words = Words::new(
    "
    good great nice excellent powerful simple easy effective effectively essential important critical well clear best
    significantly helps provides challenging foundation popular many slower faster larger interesting boring
    ",
);
/// Days and stages.
const DATED: Phrases = Phrases(
    "
    today, yesterday, tomorrow, tonight, heute, gestern, aujourd'hui, hoy, ayer, hoje, ontem, сегодня, вчера, wip,
    derzeit, momentan, actuellement, actualmente, lately, recently, currently, aktuell, stopgap, vacation, noon, deadline,
    for now, right now, at the moment, for the moment, the time being, so far, not yet, these days, in progress, on hold,
    in the works, under way, in the middle of, in review, up next, future work, depuis ce, keeps failing, does nothing,
    since the, after the last, after the change, are left, to follow, takes over, left to, cause unknown, reason unknown,
    unknown cause, nobody knows, cause still, cause not, cause has not, needs investigation
    ",
);
/// Words that bind a time to today, and the times: `next week`, `by Friday`, `this session`.
const NEAR: [&str; 6] = ["this", "last", "next", "since", "by", "until"];
static TIMES: Words = Words::new(
    "
    monday tuesday wednesday thursday friday saturday sunday morning afternoon evening night week weekend month quarter
    sprint session round spring summer autumn winter release handoff task step
    ",
);
static MONTHS: Words =
    Words::new("january february march april june july august september october november december");
/// Words that end a wait.
const COMES: [&str; 8] = [
    "arrive",
    "arrives",
    "lands",
    "ready",
    "back",
    "exists",
    "available",
    "decided",
];
const OUTCOMES: [&str; 13] = [
    "works",
    "work",
    "passes",
    "pass",
    "passed",
    "compiles",
    "succeeds",
    "succeeded",
    "runs",
    "ran",
    "fails",
    "failed",
    "finished",
];

/// The signs that are classes of words, wherever in a text they stand.
static CLASSES: [(&str, &Words); 18] = [
    ("universal", &UNIVERSAL),
    ("condition", &CONDITION),
    ("cause", &CAUSE),
    ("modal verb", &MODAL),
    ("state", &STATE),
    ("choice", &CHOICE),
    ("now", &NOW),
    ("stage", &STAGE),
    ("deployment", &DEPLOYMENT),
    ("pipeline", &PIPELINE),
    ("plan", &PLAN),
    ("trouble", &TROUBLE),
    ("countable", &COUNTABLE),
    ("novelty", &NOVELTY),
    ("rule word", &RULE),
    ("can", &CAN),
    ("is", &BE),
    ("was", &WAS),
];

/// The signs of a text, each once.
#[derive(Default)]
pub(super) struct Signs(Vec<&'static str>);

impl Signs {
    pub(super) fn add_if(&mut self, shown: bool, sign: &'static str) {
        if shown && !self.has(sign) {
            self.0.push(sign);
        }
    }

    pub(super) fn has(&self, sign: &str) -> bool {
        self.0.contains(&sign)
    }
}

/// The signs of a text.
pub(super) fn of(passage: &Passage<'_>) -> Signs {
    let mut signs = Signs::default();
    let prose = &passage.prose.replace("from now on", "always");
    let all: Vec<&str> = words(prose).iter().map(|word| word.text).collect();
    of_words(&all, &mut signs);
    signs.add_if(all.iter().any(|word| JUDGEMENT.contains(word)), "judgement");
    signs.add_if(DATED.is_in(prose), "dated");
    signs.add_if(all.iter().any(|word| is_date(word)), "date");
    signs.add_if(passage.is_ticked(), "ticked");
    signs.add_if(!prose.contains(QUOTED), "no quote");
    signs.add_if(passage.whole.ends_with(['.', '。']), "full stop");
    signs.add_if(passage.whole.contains('='), "equals");
    signs.add_if(passage.whole.contains('('), "aside");
    let label = label(prose);
    if let Some((label, _)) = label {
        of_label(label, &mut signs);
    }
    if passage.is_cjk() {
        cjk::signs(passage, &mut signs);
        return signs;
    }
    let different: HashSet<&str> = all.iter().copied().collect();
    signs.add_if(all.len() < 8, "short");
    signs.add_if(different.len() > 20, "long");
    of_opening(
        &clause::read(label.map_or(prose, |(_, statement)| statement)),
        &mut signs,
    );
    if signs.has("no verb") {
        let mut later = passage.whole.split_whitespace().skip(1);
        signs.add_if(
            later.any(|word| word.contains(char::is_uppercase)),
            "name, no verb",
        );
        signs.add_if(label.is_some(), "label, no verb");
    }
    signs
}

fn of_words(all: &[&str], signs: &mut Signs) {
    for (sign, class) in CLASSES {
        signs.add_if(all.iter().any(|word| class.contains(word)), sign);
    }
    let mut general = ["universal", "condition", "cause", "modal verb"].iter();
    let general = general.any(|sign| signs.has(sign));
    signs.add_if(general, "general");
    let numbered = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    for pair in all.windows(2) {
        let near = NEAR.contains(&pair[0]) && TIMES.contains(pair[1]);
        signs.add_if(near || MONTHS.contains(pair[0]) && numbered(pair[1]), "dated");
    }
    let counted = |at: usize| {
        all.iter()
            .skip(at + 1)
            .take(2)
            .any(|word| COUNTABLE.contains(word) || *word == "of")
    };
    signs.add_if((0..all.len()).any(|at| numbered(all[at]) && counted(at)), "count");
    let mut wait = all.iter().skip_while(|word| **word != "until");
    signs.add_if(wait.any(|word| COMES.contains(word)), "dated");
}

fn of_label(label: &str, signs: &mut Signs) {
    let all: Vec<&str> = words(label).iter().map(|word| word.text).collect();
    let mut inner = Signs::default();
    of_words(&all, &mut inner);
    let status = ["now", "dated", "stage", "plan"]
        .iter()
        .any(|sign| inner.has(sign));
    let past = |word: &&str| verbs::is_past(word) && !verbs::is_base(word);
    let told = all.iter().any(|word| past(word) || SESSION.contains(word));
    signs.add_if(true, "label");
    signs.add_if(status || told, "status label");
}

fn of_opening(opening: &Opening<'_>, signs: &mut Signs) {
    signs.add_if(true, opening.first);
    signs.add_if(true, opening.verb);
    signs.add_if(opening.conditional, "condition first");
    let subject = opening.subject();
    signs.add_if(
        subject.last().is_some_and(|word| clause::is_plural(word)),
        "plural subject",
    );
    let is = ["be", "perfect", "was"].contains(&opening.verb);
    signs.add_if(is && STAGE.contains(opening.complement()), "is at a stage");
    let verb = opening.words.get(opening.verb_at);
    signs.add_if(verb.is_some_and(|verb| OUTCOMES.contains(verb)), "outcome");
}

/// The label of a text and what it labels: `Routing: …`, `src/a.rs - …`.
fn label(prose: &str) -> Option<(&str, &str)> {
    let marks = [": ", "：", " - ", " — ", " – ", " → "];
    let (mark, (label, rest)) = marks
        .iter()
        .filter_map(|mark| Some((mark, prose.split_once(mark)?)))
        .min_by_key(|(_, (label, _))| label.len())?;
    let named = mark.starts_with([':', '：']) || label.contains(QUOTED);
    (named && !label.is_empty() && label.split_whitespace().count() <= 6).then_some((label, rest))
}

/// `2025-04-12`, `12.04.2025`.
fn is_date(word: &str) -> bool {
    let mut parts = word.split(['-', '.', '/']);
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    parts.clone().count() == 3 && parts.clone().all(digits) && parts.any(|part| part.len() == 4)
}
