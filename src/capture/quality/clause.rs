//! How a clause of a language with spaces reads: as a rule, an order, a statement about how things are, or a report.
//! The first word that can only be the verb decides. English verbs are known by their forms; of German, French and
//! Spanish only the auxiliaries and a few common verbs are.

use super::passage::{QUOTED, Word, words};
use super::verbs;
use super::words::Words;

/// How a clause reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// `Never force-push`, `No emojis in commits`, `Handlers must be pure`.
    Rule,
    /// An order for every time: `Use pnpm`.
    Order,
    /// An order for work at hand: `Add more tests`.
    Task,
    /// How things are: `Sessions live in the database`.
    Present,
    /// What happened, with who did it: `The meeting took an hour`.
    Past,
    /// A report without a subject (`Fixed the parser`), or what has happened by now.
    Report,
    /// No verb that is known, or one that only describes: `Handling of edge cases`.
    None,
}

/// A clause that was read.
pub(super) struct Reading<'t> {
    pub(super) mood: Mood,
    /// Its words, after openers and a subordinate clause in front.
    pub(super) words: Vec<&'t str>,
    /// Which of them is the verb.
    pub(super) verb_at: usize,
    /// Whether a subordinate clause stands in front: `When in doubt, ask`.
    pub(super) conditional: bool,
}

static DETERMINERS: Words = Words::new(
    "
    the a an this that these those all every each some any no both our my your its his her their it them him us me you
    another several many most more other what how which whether where why everything nothing something one two three
    ",
);
static ARTICLES: Words = Words::new("the a an every each any no both our my your its his her their");
static PREPOSITIONS: Words = Words::new(
    "
    to on in into with up out off for over through back down at about from around across against away onto by as of
    and or but via per than under within without after before so if when because until unless during between
    ",
);
/// What begins a clause that another depends on.
static SUBORDINATORS: Words = Words::new(
    "
    when whenever if once after before until while because since as although unless for in on during with without at to
    per by besides despite given where wherever under inside outside unlike instead from whether wenn sobald falls weil
    bei für quand lorsque si pour cuando para
    ",
);
static RELATIVES: Words = Words::new("that which who whose whom where wie die que qui");
/// What ends the main clause before its verb: `fuzzy matching when no name fits`.
const CONJUNCTIONS: [&str; 7] = ["when", "whenever", "if", "because", "unless", "while", "until"];
/// Auxiliaries and verbs that are nothing but a finite form in the present.
static FINITE: Words = Words::new(
    "
    is are isn't aren't am can can't cannot may must mustn't should shouldn't shall need needs will won't
    does doesn't don't it's that's there's they're you're we're lies lie
    ist sind wird werden darf dürfen muss müssen soll sollen sollte kann können gilt liegt liegen steht stehen läuft
    laufen braucht nutzt nutzen verwendet verwenden enthält enthalten bleibt bleiben steuert heißt gehört kommt geht
    sein est sont doit doivent peut peuvent utilise utilisent reste restent faut es son debe deben está están puede
    pueden usa usan se sigue genera generan vive viven
    ",
);
static HAVE: Words =
    Words::new("has have hasn't haven't i've we've they've hat haben habe ont avons ha han hemos");
/// Words that a subject in the singular begins with.
const SINGULAR: [&str; 8] = ["the", "a", "an", "this", "each", "every", "our", "its"];
/// Subjects that take the plain form of a verb.
const PLURALS: [&str; 7] = ["we", "they", "you", "i", "that", "people", "data"];
static OPENERS: Words = Words::new(
    "and but so then also finally additionally thus therefore instead otherwise however both either please bitte first note",
);
static ADVERBS: Words = Words::new(
    "
    always never only also then still now already not just usually typically generally explicitly automatically
    deliberately currently successfully recently finally fully optionally entirely nicht nie immer nur ne pas toujours
    jamais no nunca siempre
    ",
);
/// What a rule without a verb, or before it, begins with.
static RULE_OPENERS: Words = Words::new(
    "
    always never no ne don't avoid prefer must nie niemals immer keine kein jamais toujours nunca siempre only künftig
    ",
);

/// Reads a clause: prose without its end sign.
pub(super) fn read(clause: &str) -> Reading<'_> {
    let all = words(clause);
    let begin = beginning(&all);
    let rest = &all[begin..];
    let conditional = all[..begin].iter().any(|word| SUBORDINATORS.contains(word.text));
    let (mood, verb_at) = if conditional && rest.len() < 3 && verbs::is_base(rest[0].text) {
        (Mood::Order, 0)
    } else {
        mood(rest)
    };
    Reading {
        mood,
        words: rest.iter().map(|word| word.text).collect(),
        verb_at,
        conditional,
    }
}

impl Reading<'_> {
    /// The verb; empty when there is none.
    pub(super) fn verb(&self) -> &str {
        self.words.get(self.verb_at).copied().unwrap_or("")
    }

    /// The words before the verb.
    pub(super) fn subject(&self) -> &[&str] {
        &self.words[..self.verb_at.min(self.words.len())]
    }

    /// Whether the clause ends in such a complement, or goes on after it as a list of what was done does.
    pub(super) fn ends_in(&self, class: &Words) -> bool {
        let at = self
            .words
            .iter()
            .rposition(|word| *word == self.complement())
            .unwrap_or(0);
        let next = self.words.get(at + 1).copied().unwrap_or("");
        class.contains(self.complement())
            && ["", "and", "but", "again", "for", "since", "everywhere"].contains(&next)
    }

    /// The first word after the verb that is no adverb.
    pub(super) fn complement(&self) -> &str {
        let mut after = self.words.iter().skip(self.verb_at + 1);
        after.find(|word| !ADVERBS.contains(word)).copied().unwrap_or("")
    }
}

/// Where the clause itself begins: after openers, and after a subordinate clause or phrase with its comma.
fn beginning(words: &[Word<'_>]) -> usize {
    let opener = |word: &&Word<'_>| OPENERS.contains(word.text);
    let mut begin = words.iter().take_while(opener).count();
    if words
        .get(begin)
        .is_some_and(|word| SUBORDINATORS.contains(word.text))
        && let Some(comma) = words[begin..].iter().position(|word| word.parted)
    {
        begin += comma + 1;
    }
    if begin < words.len() { begin } else { 0 }
}

/// The mood, and where the verb is.
fn mood(words: &[Word<'_>]) -> (Mood, usize) {
    let text = |at: usize| words.get(at).map_or("", |word| word.text);
    let (first, second) = (text(0), text(1));
    let negative = first == "do" && second == "not";
    if first == "no"
        && let Some((Mood::Past, at)) = finite(words, 1)
    {
        return (Mood::Past, at);
    }
    if negative || (RULE_OPENERS.contains(first) && !verbs::is_past(second)) {
        return (Mood::Rule, 0);
    }
    let led = !verbs::is_base(first) && (verbs::is_past(first) || verbs::is_participle(first));
    // What follows an order or a participle is its object, `keep answers short`, where it could be a plural.
    let object = (led || verbs::is_base(first)) && !FINITE.contains(second) && !HAVE.contains(second);
    let finite = finite(words, if object { 2 } else { 1 });
    let noun = first == "need" || (first == "support" && second == "for") || words.len() < 3;
    if verbs::is_base(first) && !noun && !is_subject(words, finite) {
        let mood = if verbs::is_work(first) {
            Mood::Task
        } else {
            Mood::Order
        };
        return (mood, 0);
    }
    if verbs::is_third_person(first) && !verbs::is_noun_too(first) && finite.is_none_or(|(_, at)| at > 2) {
        return (Mood::Present, 0);
    }
    if led
        && (leads_to_object(second)
            || !finite.is_some_and(|(mood, _)| mood == Mood::Present || mood == Mood::Rule))
    {
        return (Mood::Report, 0);
    }
    finite.unwrap_or((Mood::None, 0))
}

/// Whether the word after a past form shows it to be the verb of a report: `fixed the parser`, `moved to a queue`.
fn leads_to_object(word: &str) -> bool {
    word.is_empty()
        || DETERMINERS.contains(word)
        || PREPOSITIONS.contains(word) && word != "and"
        || word.ends_with("ly")
}

/// Whether the first word, which could be an order, belongs to a subject: `use cases are listed`, `test files live in`.
fn is_subject(words: &[Word<'_>], finite: Option<(Mood, usize)>) -> bool {
    let Some((_, at)) = finite else {
        return false;
    };
    let between = words.get(1..at).unwrap_or(&[]);
    if is_plural(words[0].text) && between.first().is_some_and(|word| RELATIVES.contains(word.text)) {
        return true;
    }
    let object = |word: &Word<'_>| DETERMINERS.contains(word.text) || PREPOSITIONS.contains(word.text);
    let be = ["is", "are"].contains(&words[at].text) && !between.first().is_some_and(object);
    be || at <= 4 && !between.iter().any(object) && !words[..at.max(1) - 1].iter().any(|word| word.parted)
}

/// The first finite verb of the main clause, and how it reads.
fn finite(words: &[Word<'_>], from: usize) -> Option<(Mood, usize)> {
    let text = |at: usize| words.get(at).map_or("", |word| word.text);
    let mut relative = false;
    let mut past = None;
    for at in from..words.len() {
        let word = text(at);
        if CONJUNCTIONS.contains(&word) {
            break;
        }
        if RELATIVES.contains(word) && !FINITE.contains(text(at - 1)) {
            relative = true;
            continue;
        }
        let Some(mood) = form(words, at) else {
            continue;
        };
        // The verb of a relative clause is not that of the sentence.
        if relative {
            relative = false;
            continue;
        }
        // Behind a past form only an auxiliary is surely a verb.
        if past.is_some() && mood == Mood::Present && !FINITE.contains(word) && !HAVE.contains(word) {
            continue;
        }
        if mood != Mood::Past {
            return Some((mood, at));
        }
        // `The files generated by the script are …`: a participle, if a verb in the present follows.
        let object = DETERMINERS.contains(text(at + 1)) || !text(at).ends_with("ed");
        if object {
            return Some(past.unwrap_or((Mood::Past, at)));
        }
        past.get_or_insert((Mood::Past, at));
    }
    past
}

/// How the word reads if it is a finite verb.
fn form(words: &[Word<'_>], at: usize) -> Option<Mood> {
    let text = |at: usize| words.get(at).map_or("", |word| word.text);
    let (word, next) = (text(at), text(at + 1));
    if FINITE.contains(word) {
        return Some(Mood::Present);
    }
    let after = (at + 1..words.len())
        .find(|at| !ADVERBS.contains(text(*at)))
        .map_or("", text);
    if HAVE.contains(word) {
        let mut rest = words.iter().skip_while(|word| word.text != after).skip(1);
        let done = verbs::is_participle(after)
            && (after != "been" || rest.next().is_some_and(|word| verbs::is_participle(word.text)));
        return Some(if done { Mood::Report } else { Mood::Present });
    }
    if ["was", "were", "did", "had"].contains(&word) {
        return Some(Mood::Past);
    }
    let noun =
        ARTICLES.contains(text(at - 1)) || PREPOSITIONS.contains(text(at - 1)) && text(at - 1) != "and";
    if noun {
        return None;
    }
    let before = (0..at)
        .rev()
        .find(|at| !ADVERBS.contains(text(*at)))
        .map_or("", text);
    let plural = is_plural(before)
        || is_plural(text(0))
        || PLURALS.contains(&before)
        || words[..at].iter().any(|word| word.text == "and");
    if plural && verbs::is_base(word) {
        return Some(Mood::Present);
    }
    if is_plural(word) && !words[at - 1].parted {
        let object =
            next == QUOTED || DETERMINERS.contains(next) || next.starts_with(|c: char| c.is_ascii_digit());
        let known = verbs::is_third_person(word);
        let clear =
            !verbs::is_noun_too(word) || ADVERBS.contains(text(at - 1)) || SINGULAR.contains(&text(0));
        return (object || known && clear).then_some(Mood::Present);
    }
    if verbs::is_third_person(word) && !verbs::is_noun_too(word) {
        return Some(Mood::Present);
    }
    verbs::is_past(word).then_some(Mood::Past)
}

/// Ends in `-s`, as a plural does and a verb in the third person.
fn is_plural(word: &str) -> bool {
    word.len() > 2 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}
