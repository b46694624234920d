//! How an English clause reads: as an order, a rule, a statement about how things are, or a report of what happened.
//! No grammar: the first word that can only be the verb decides.

use super::verbs;
use super::words::Words;

/// How a clause reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    /// An order: `Use pnpm`.
    Imperative,
    /// A rule: `Handlers must be pure`, `Never force-push`.
    Rule,
    /// How things are: `Sessions live in the database`.
    Present,
    /// What happened: `Fixed the parser`, `The meeting took an hour`.
    Past,
    /// What has happened by now: `The read model has been rebuilt`.
    Perfect,
    /// No verb that is known.
    None,
}

/// A clause that was read.
pub(super) struct Reading<'t> {
    /// The clause.
    pub(super) clause: &'t str,
    /// How it reads.
    pub(super) mood: Mood,
    /// Which of its words is the verb; 0 where it has no subject.
    pub(super) verb_at: usize,
    words: Vec<&'t str>,
}

static DETERMINERS: Words = Words::new(
    "
    the a an this that these those all every each some any no both our my your its his her their it them
    him us me you another several many most two three four five six seven eight nine ten more other what
    how which whether where why everything nothing something x
    ",
);
/// Prepositions and particles that follow a verb, not a participle before a noun.
static PARTICLES: Words = Words::new(
    "
    to on in into with up out off for over through back down at about from and that around across
    against away onto by
    ",
);
static SUBORDINATORS: Words = Words::new(
    "
    when whenever if once after before until while because since as although unless for in on during
    with without at to per by besides despite given where wherever under inside within outside like
    unlike instead from
    ",
);
static RELATIVES: Words = Words::new(
    "
    that which who whose whom where
    ",
);
static MODALS: Words = Words::new(
    "
    must mustn't should shouldn't shall may can can't cannot could would ought needs need will won't
    never always don't prefer prefers mustnt
    ",
);
static BE: Words = Words::new(
    "
    is are isn't aren't am does doesn't do it's that's there's lies lie
    ",
);
static HAVE: Words = Words::new(
    "
    has have hasn't haven't i've we've they've
    ",
);
static ADVERBS: Words = Words::new(
    "
    now just already also recently finally successfully then first next meanwhile additionally moreover
    furthermore so thus therefore hence instead otherwise still mostly partly fully completely all both
    and but or afterwards earlier previously later today yesterday however currently initially manually
    please even not n't further again ever never always generally usually typically normally explicitly
    quickly briefly temporarily
    ",
);
static RULE_OPENERS: Words = Words::new(
    "
    always never only don't no avoid prefer must please
    ",
);
/// Verbs of finding out: what was found may hold.
static FINDINGS: Words = Words::new(
    "
    learned learnt discovered noticed realised realized found turned noted
    ",
);
static ACTORS: Words = Words::new(
    "
    i we you he she they user team agent assistant reviewer developer session model colleague customer
    client someone nobody everybody everyone users maintainer manager
    ",
);

/// Reads a clause. The clause is prose: lower case, without quotes.
pub(super) fn read(clause: &str) -> Reading<'_> {
    let (words, commas) = words(clause);
    let (mood, verb_at, begin) = mood(&words, &commas);
    Reading {
        clause,
        mood,
        verb_at,
        words: words[begin.min(words.len())..].to_vec(),
    }
}

impl Reading<'_> {
    /// The verb; empty when there is none.
    pub(super) fn verb(&self) -> &str {
        self.words.get(self.verb_at).copied().unwrap_or("")
    }

    /// The participle that a form of `be` or `have` leads to.
    pub(super) fn participle(&self) -> Option<&str> {
        let led = ["was", "were", "is", "are", "been"].contains(&self.verb()) || HAVE.contains(self.verb());
        let after = self.words.get(self.verb_at + 1..)?.iter().take(4);
        let mut after = after.skip_while(|word| ADVERBS.contains(word) || ["been", "being"].contains(word));
        led.then(|| after.next().copied())
            .flatten()
            .filter(|word| verbs::is_participle(word))
    }

    /// Whether it tells of a state that lasts: `was deprecated`, `was written for PHP 5`.
    pub(super) fn holds(&self) -> bool {
        let Some(participle) = self.participle() else {
            return false;
        };
        let at = self.words.iter().rposition(|word| *word == participle);
        let next = at.and_then(|at| self.words.get(at + 1)).copied().unwrap_or("");
        let terms = ["for", "by", "in", "with", "as", "from", "to", "on"].contains(&next);
        !self.has_actor() && (verbs::is_state(participle) || verbs::is_origin(participle) && terms)
    }

    /// Whether its subject is a person or an agent.
    pub(super) fn has_actor(&self) -> bool {
        let subject = &self.words[..self.verb_at.min(self.words.len())];
        subject.iter().take(4).any(|word| ACTORS.contains(word))
    }

    /// Whether it tells what was found out, and that reads as something that holds.
    pub(super) fn reports_a_finding(&self) -> bool {
        let Some(rest) = self.words.get(self.verb_at + 1..) else {
            return false;
        };
        let that = rest.iter().take(3).position(|word| *word == "that");
        FINDINGS.contains(self.verb())
            && that.is_some_and(|at| {
                let found = rest[at + 1..].join(" ");
                matches!(read(&found).mood, Mood::Present | Mood::Rule)
            })
    }

    /// The words after the verb.
    pub(super) fn after_verb(&self) -> &[&str] {
        self.words.get(self.verb_at + 1..).unwrap_or(&[])
    }

    /// The words before the verb.
    pub(super) fn subject(&self) -> &[&str] {
        &self.words[..self.verb_at.min(self.words.len())]
    }
}

/// The words of a clause, and after which of them a comma or colon stands.
fn words(clause: &str) -> (Vec<&str>, Vec<bool>) {
    let mut words = Vec::new();
    let mut commas = Vec::new();
    for piece in clause.split_whitespace().take(80) {
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '+' && c != '#');
        if word.is_empty() {
            if let Some(last) = commas.last_mut() {
                *last = true;
            }
            continue;
        }
        words.push(word);
        commas.push(piece.ends_with([',', ':', ')']));
    }
    (words, commas)
}

/// The mood, the verb's place, and where the clause begins after its openers; the place counts from there.
fn mood(words: &[&str], commas: &[bool]) -> (Mood, usize, usize) {
    let begin = beginning(words, commas);
    let words = &words[begin.min(words.len())..];
    let Some(first) = words.first() else {
        return (Mood::None, 0, begin);
    };
    let second = words.get(1).copied().unwrap_or("");
    let past_after_adverb = matches!(*first, "never" | "always" | "only") && is_past(second);
    if (RULE_OPENERS.contains(first) && !past_after_adverb) || (*first == "do" && second == "not") {
        return (Mood::Rule, 0, begin);
    }
    if verbs::is_base(first) && !is_noun_here(words) {
        return (Mood::Imperative, 0, begin);
    }
    if is_past(first) && !["left", "found", "set", "meant"].contains(first) {
        let object = second.is_empty()
            || DETERMINERS.contains(second)
            || second.starts_with(|c: char| c.is_ascii_digit())
            || second.ends_with("ly");
        let particle = PARTICLES.contains(second) && !matches!(second, "by" | "and");
        let rest = finite(&words[1..]);
        let statement = rest.is_some_and(|(mood, at)| {
            let verb = words[at + 1];
            let parted =
                words[1..=at].iter().any(|word| PARTICLES.contains(word)) || verbs::is_work_done(first);
            matches!(mood, Mood::Present | Mood::Rule) && !(verbs::is_third_person(verb) && parted)
        });
        if object || !statement || (particle && verbs::is_work_done(first)) {
            return (Mood::Past, 0, begin);
        }
    }
    let skipped = usize::from(is_past(first));
    let (mood, at) = finite(&words[skipped..]).map_or((Mood::None, 0), |(mood, at)| (mood, at + skipped));
    (mood, at, begin)
}

/// Where the clause itself begins: after adverbs, and after a subordinate clause or phrase with its comma.
fn beginning(words: &[&str], commas: &[bool]) -> usize {
    let mut begin = 0;
    while let Some(word) = words.get(begin) {
        let rule = RULE_OPENERS.contains(word) && !["please"].contains(word);
        if ADVERBS.contains(word) && !rule && begin < 3 && words.len() > begin + 1 {
            begin += 1;
        } else {
            break;
        }
    }
    if words.get(begin).is_some_and(|word| SUBORDINATORS.contains(word))
        && let Some(comma) = (begin..words.len()).find(|at| commas[*at])
        && comma + 1 < words.len()
    {
        begin = comma + 1;
    }
    begin
}

fn is_past(word: &str) -> bool {
    verbs::is_regular_past(word) || verbs::is_irregular_past(word)
}

/// Whether a word that could be an order is the subject's here: `use cases are listed`, `test files live in`.
fn is_noun_here(words: &[&str]) -> bool {
    let second = words.get(1).copied().unwrap_or("");
    if DETERMINERS.contains(second) {
        return false;
    }
    // A verb shortly after, before anything that could part it from its subject, has the first words as its subject.
    let near = words
        .iter()
        .skip(1)
        .take(4)
        .take_while(|word| !DETERMINERS.contains(word));
    let mut previous = words[0];
    for word in near {
        if BE.contains(word)
            || HAVE.contains(word)
            || (MODALS.contains(word) && !["never", "always", "prefer", "need"].contains(word))
        {
            return true;
        }
        let plural = previous.ends_with('s') && !previous.ends_with("ss");
        if (plural && verbs::is_base(word)) || verbs::is_irregular_past(word) && *word != "left" {
            return true;
        }
        if verbs::is_third_person(word) && previous == words[0] && !plural_object(words[0]) {
            return true;
        }
        if PARTICLES.contains(word) {
            return false;
        }
        previous = word;
    }
    false
}

/// Verbs that take a bare plural: `use tabs`, `write tests`, `run checks`.
fn plural_object(verb: &str) -> bool {
    ![
        "build", "test", "release", "search", "request", "default", "model", "process", "cache", "access",
        "server",
    ]
    .contains(&verb)
}

/// The first finite verb: its mood and place.
fn finite(words: &[&str]) -> Option<(Mood, usize)> {
    let mut relative = false;
    let mut tentative = None;
    for (at, word) in words.iter().enumerate() {
        let previous = if at == 0 { "" } else { words[at - 1] };
        let next = words.get(at + 1).copied().unwrap_or("");
        if at > 0 && RELATIVES.contains(word) && !matches!(previous, "so" | "such") && next != "the" {
            relative = true;
            continue;
        }
        let Some(mood) = mood_of(word, previous, next, words.get(at + 2).copied().unwrap_or("")) else {
            continue;
        };
        if mood == Mood::Past && verbs::is_regular_past(word) && at > 0 {
            let object = DETERMINERS.contains(next) || next.starts_with(|c: char| c.is_ascii_digit());
            if !object && !relative {
                tentative = tentative.or(Some((Mood::Past, at)));
                continue;
            }
        }
        if relative {
            relative = false;
            continue;
        }
        return Some((mood, at));
    }
    tentative
}

/// The mood of a word as the verb between its neighbours; `None` when it is no verb here.
fn mood_of(word: &str, previous: &str, next: &str, after: &str) -> Option<Mood> {
    if matches!(word, "was" | "were") {
        return Some(Mood::Past);
    }
    let auxiliary = [
        "not", "was", "were", "is", "are", "be", "been", "being", "has", "have", "had",
    ];
    if auxiliary.contains(&previous) && (verbs::is_participle(word) || is_past(word)) {
        return None;
    }
    let determined = DETERMINERS.contains(previous) || PARTICLES.contains(previous) && previous != "and";
    if MODALS.contains(word) {
        return (!determined || !matches!(word, "need" | "can")).then_some(Mood::Rule);
    }
    if BE.contains(word) {
        return Some(Mood::Present);
    }
    if HAVE.contains(word) {
        let participle = if ADVERBS.contains(next) { after } else { next };
        return Some(if next == "to" {
            Mood::Rule
        } else if matches!(next, "not" | "never") {
            Mood::Present
        } else if participle == "been"
            || participle == "had"
            || verbs::is_work_done(participle)
            || (ADVERBS.contains(next) && verbs::is_participle(participle))
        {
            Mood::Perfect
        } else {
            Mood::Present
        });
    }
    if verbs::is_irregular_past(word)
        && !determined
        && (word != "left" || previous.is_empty())
        && ![
            "found", "built", "held", "kept", "meant", "made", "led", "shut", "stuck", "sent", "bought",
            "lost",
        ]
        .contains(&word)
    {
        return Some(Mood::Past);
    }
    if [
        "found", "built", "held", "kept", "made", "led", "sent", "lost", "bought",
    ]
    .contains(&word)
        && !determined
        && (DETERMINERS.contains(next) || next.is_empty())
    {
        return Some(Mood::Past);
    }
    if verbs::is_regular_past(word) && !determined {
        return Some(Mood::Past);
    }
    let noun_next = BE.contains(next) || HAVE.contains(next) || MODALS.contains(next);
    if verbs::is_third_person(word)
        && !determined
        && !previous.is_empty()
        && !noun_next
        && !verbs::is_third_person(next)
        && !ADVERBS.contains(previous)
    {
        return Some(Mood::Present);
    }
    let plural = (previous.ends_with('s') && !previous.ends_with("ss"))
        || ["we", "they", "you", "i", "people", "data", "that"].contains(&previous);
    if verbs::is_base(word) && plural && !noun_next {
        return Some(Mood::Present);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_read_as_what_they_are() {
        use Mood::{Imperative, Past, Perfect, Present, Rule};
        for (clause, mood) in [
            ("use pnpm for everything", Imperative),
            ("keep the company logo on the left", Imperative),
            ("prefer pattern matching to chains", Rule),
            ("please answer in german", Imperative),
            ("when a test fails, rerun it alone", Imperative),
            ("put ignore patterns into its own file", Imperative),
            ("never rewrite history", Rule),
            ("do not add comments", Rule),
            ("handlers must be pure", Rule),
            ("commit subjects have to name the ticket", Rule),
            ("release branches are named after the week", Present),
            ("test files live next to the code", Present),
            ("generated api clients live in packages/client", Present),
            ("completed orders are immutable", Present),
            ("sessions live in the database", Present),
            ("the gateway keeps no state", Present),
            ("commits signed by bots are rejected", Present),
            ("fixed-point numbers are used because floats lost cents", Present),
            ("orders that were paid are immutable", Present),
            ("the build needs jdk 21", Rule),
            ("fixed the parser", Past),
            ("replaced sleeps by explicit waits", Past),
            ("worked on the parser", Past),
            ("the user opened the settings page", Past),
            ("the discussion about caching took most of the afternoon", Past),
            ("the sidebar was drawn by an agency", Past),
            ("migrations ran through on staging", Past),
            ("we added a cache", Past),
            ("the read model has been rebuilt", Perfect),
            ("we have implemented the parser", Perfect),
        ] {
            assert_eq!(read(clause).mood, mood, "{clause}");
        }
    }

    #[test]
    fn parts_of_a_clause_are_told() {
        let passive = read("the sidebar was recently drawn by an agency");
        assert_eq!((passive.verb(), passive.participle()), ("was", Some("drawn")));
        assert!(read("the user looked at it").has_actor());
        assert!(!read("the queue was renamed").has_actor());
        assert!(read("we learned that the proxy closes idle connections").reports_a_finding());
        assert!(!read("we learned that the build failed").reports_a_finding());
    }
}
