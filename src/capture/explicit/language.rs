//! The table of a language, and the patterns that are made of it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::chinese::CHINESE;
use super::english::ENGLISH;
use super::european::EUROPEAN;
use super::japanese::JAPANESE;
use super::korean::KOREAN;

/// The words of a language around requests. Every entry is a regular expression over a folded line (lower case,
/// NFKC, single spaces), but for `cues` and `conjunctions`, which are text; so a table can be extended without a change
/// elsewhere. Within a list, put the longer before the shorter.
#[derive(Debug, Default)]
pub(super) struct Language {
    /// Pieces of words: a line that holds no cue of a language is not held against its patterns.
    pub(super) cues: &'static [&'static str],
    /// The way in which a request ends.
    pub(super) ending: Ending,
    /// Words that people say before they come to the point ("ok", "also", "hey").
    pub(super) openers: &'static [&'static str],
    /// Politeness and insistence before a request.
    pub(super) courtesies: &'static [&'static str],
    /// The objects that a request may name before its verb ("これを覚えておいて"). Then a separator must follow the request.
    pub(super) objects_before: &'static [&'static str],
    /// Requests to remember the clause or the thing that follows.
    pub(super) clauses: &'static [&'static str],
    /// The same, where only a separator or a conjunction makes a request of it.
    pub(super) parted: &'static [&'static str],
    /// The same, in the form of a question, whose question mark is no question.
    pub(super) asked: &'static [&'static str],
    /// Words that say since when the sentence that follows holds. Such a word ends by itself.
    pub(super) since: &'static [&'static str],
    /// Sentences that end with such a word: the group `rule` is the memory.
    pub(super) rules: &'static [&'static str],
    /// Sentences that say by their first words that they hold always or never, and those that only look so. They are
    /// rules where a message begins with them.
    pub(super) standing: &'static [&'static str],
    pub(super) no_standing: &'static [&'static str],
    /// Words after which the text is no request, though it looks like a request, from the request's last word on:
    /// compounds, recollections, answers, a request that is the subject of a sentence.
    pub(super) unless: &'static [&'static str],
    /// Words that join a clause to a request that comes after it. If a pattern has a group, the group belongs to the
    /// clause.
    pub(super) joints: &'static [&'static str],
    /// Words that join a bare object to such a request.
    pub(super) nouns: &'static [&'static str],
    /// Requests that come after what is to be remembered.
    pub(super) closings: &'static [&'static str],
    /// The same, but after a clause only: with a bare object they ask to write it down anywhere.
    pub(super) notes: &'static [&'static str],
    /// Texts before such a request that only name, or point back at, the thing to be remembered.
    pub(super) pointers: &'static [&'static str],
    /// Politeness and particles that belong to the request before them. They need a separator, a space or the end
    /// of the line behind them.
    pub(super) particles: &'static [&'static str],
    /// Words that point at the body, or back at the last message. They belong to the request when a separator follows.
    pub(super) objects: &'static [&'static str],
    /// Words that begin a body without being part of it.
    pub(super) conjunctions: &'static [&'static str],
    /// Requests not to remember.
    pub(super) negations: &'static [&'static str],
    /// Requests to remember at another time that say the time first.
    pub(super) postponed: &'static [&'static str],
    /// Beginnings of a body that put the request off.
    pub(super) deferral_openings: &'static [&'static str],
    /// Words inside a body, as a rule at the end of a clause, that put its matter off.
    pub(super) deferral_endings: &'static [&'static str],
    /// Texts that look like such an ending and are facts.
    pub(super) no_deferrals: &'static [&'static str],
    /// Endings of a question that has no question mark.
    pub(super) question_endings: &'static [&'static str],
    /// Questions at the end of a request that only ask to be obeyed ("ok?").
    pub(super) question_tags: &'static [&'static str],
    /// Words that may be all that follows a request about the last message.
    pub(super) thanks: &'static [&'static str],
    /// Beginnings of a text that goes on from a request about the last message.
    pub(super) continuations: &'static [&'static str],
    /// Endings of a sentence that asks for something, for languages in which a request is a sentence of its own and its
    /// matter follows (覚えておいてください。…). Empty if the next sentence is mostly another task.
    pub(super) orders: &'static [&'static str],
    /// Words that say that a thing holds for all times, or each time.
    pub(super) lasting: &'static [&'static str],
    /// Words that bind a thing to this moment, or to the work at hand.
    pub(super) passing: &'static [&'static str],
    /// Words that say until when a thing holds, which no word for all times outdoes.
    pub(super) expiring: &'static [&'static str],
    /// Beginnings of a habit, or of a statement, where a job could stand.
    pub(super) habits: &'static [&'static str],
    /// Forms of a job: a verb of the work at hand, with its object. Behind a request not to forget, the word "forget"
    /// stands before the text.
    pub(super) jobs: &'static [&'static str],
}

/// The way in which a request ends, so that it is a whole word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nowhere: words are not parted (Chinese). Compounds are told by a list.
    Anywhere,
    /// At a space, a separator or the end of the line.
    #[default]
    Word,
}

/// Every language, in the order in which a line is held against them.
pub(super) static LANGUAGES: [&LazyLock<Language>; 5] = [&ENGLISH, &CHINESE, &JAPANESE, &KOREAN, &EUROPEAN];

/// One for each of [`LANGUAGES`], made when a line first holds a cue of the language.
static GRAMMARS: [LazyLock<Grammar>; 5] = [
    LazyLock::new(|| Grammar::new(&ENGLISH)),
    LazyLock::new(|| Grammar::new(&CHINESE)),
    LazyLock::new(|| Grammar::new(&JAPANESE)),
    LazyLock::new(|| Grammar::new(&KOREAN)),
    LazyLock::new(|| Grammar::new(&EUROPEAN)),
];

static CUES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let cues = LANGUAGES.iter().flat_map(|language| language.cues);
    AhoCorasick::new(cues).expect("the cues are few and short")
});

/// True when a folded line may ask for anything. Most lines end here, before any pattern is made.
pub(super) fn has_cue(text: &str) -> bool {
    CUES.is_match(text)
}

/// The grammars of the languages that a folded line may be in.
pub(super) fn grammars(text: &str) -> impl Iterator<Item = &'static Grammar> {
    LANGUAGES
        .iter()
        .zip(&GRAMMARS)
        .filter(|(language, _)| language.cues.iter().any(|cue| text.contains(cue)))
        .map(|(_, grammar)| &**grammar)
}

/// The signs between a request and its body, or at the end of the line.
const SEPARATOR: &str = r"(?:[,;、!?。~–—]|:(?:[^:]|$)|\.(?:[ .]|$)|-+(?: |$)| -+ | [:;~–—]|$)";

/// The signs that may stand between two words of a request.
const GAP: &str = "[ ,、.!:;~–—-]*";

/// The patterns of one language that find a request.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) language: &'static Language,
    /// A request at the beginning of a line. The groups are named after their fields of the table.
    pub(super) opening: Regex,
    /// A sentence that sets a rule, with the words for it at its end. Group `rule`: the rule.
    pub(super) rule: Regex,
    /// The texts that are no request, from the last word of the request on.
    pub(super) unless: Regex,
    /// Behind a request. Group 1: its particles. Group 2: an object. Group 3 or 4: what parts them from the body.
    pub(super) tail: Regex,
    /// Of a language whose requests may come last.
    pub(super) closing: Option<Closing>,
}

/// The patterns of one language that find a request at the end of a line.
#[derive(Debug)]
pub(super) struct Closing {
    /// The request, with its joint. Groups `no` and `never`: it is one not to remember. Another group: what of the
    /// joint belongs to the clause.
    pub(super) request: Regex,
    /// The beginnings of a clause before a closing that are no part of it.
    pub(super) leading: Regex,
    /// A whole clause that only points at something.
    pub(super) pointer: Regex,
}

impl Grammar {
    fn new(language: &'static Language) -> Self {
        let before = before(language);
        let forms = [
            ("postponed", language.postponed),
            ("negations", language.negations),
            ("asked", language.asked),
            ("clauses", language.clauses),
            ("parted", language.parted),
            ("since", language.since),
        ];
        let forms: Vec<String> = forms
            .iter()
            .map(|(name, pieces)| format!("(?P<{name}>{})", one_of(pieces)))
            .collect();
        let object = one_of(language.objects_before);
        Self {
            language,
            opening: compile(&format!(
                "^{before}(?:(?P<object>{object}){GAP}{before})?(?:{})",
                forms.join("|")
            )),
            rule: compile(&format!("^{before}{}[.!~ ]*$", one_of(language.rules))),
            unless: compile(&format!("^{}", one_of(language.unless))),
            tail: compile(&format!(
                r#"^({}*)(?: ?({})({SEPARATOR})|({SEPARATOR})|[ "「『《])"#,
                one_of(language.particles),
                one_of(language.objects),
            )),
            closing: (!language.closings.is_empty()).then(|| Closing::new(language)),
        }
    }

    /// Gives the length of the conjunction that begins a text.
    pub(super) fn conjunction(&self, text: &str) -> usize {
        let words = self.language.conjunctions.iter();
        let behind = words.filter_map(|word| {
            let after = text.trim_start_matches(' ').strip_prefix(word)?;
            let behind = after.trim_start_matches([' ', ',', ':']);
            (behind.len() < after.len()).then_some(behind)
        });
        behind.map(|behind| text.len() - behind.len()).next().unwrap_or(0)
    }
}

impl Closing {
    fn new(language: &Language) -> Self {
        let before = before(language);
        let (no, closing) = (one_of(language.negations), one_of(language.closings));
        Self {
            request: compile(&format!(
                "(?:{joint}(?:{object})?{GAP}{before}(?:(?P<no>{no})|{closing}|{note})|{noun}{before}(?:(?P<never>{no})|{closing})){particle}*(?:{GAP}{thanks})*[ .!。~]*$",
                joint = one_of(language.joints),
                object = one_of(language.objects_before),
                noun = one_of(language.nouns),
                note = one_of(language.notes),
                particle = one_of(language.particles),
                thanks = one_of(language.thanks),
            )),
            leading: compile(&format!("^{}", repeated(language.openers))),
            pointer: compile(&format!("^{}$", one_of(language.pointers))),
        }
    }
}

/// Gives the pattern of the words that may stand before a request.
fn before(language: &Language) -> String {
    repeated(&[language.openers, language.courtesies].concat())
}

fn repeated(pieces: &[&str]) -> String {
    format!("(?:{}{GAP})*", one_of(pieces))
}

/// The entries of every language for one purpose: people mix languages.
pub(super) fn of_every_language(part: fn(&Language) -> &'static [&'static str]) -> String {
    one_of(&LANGUAGES.map(|language| part(language)).concat())
}

/// One of the pieces. A table without entries matches nothing.
pub(super) fn one_of(pieces: &[&str]) -> String {
    if pieces.is_empty() {
        return r"[a&&b]".to_owned();
    }
    format!("(?:{})", pieces.join("|"))
}

/// A pattern of a table. Its classes are those of ASCII: a word ends before a letter of another script ("later" in
/// "later再说"), and the patterns are ready in a fraction of the time.
pub(super) fn compile(pattern: &str) -> Regex {
    let ascii = [
        (r"\b", r"(?-u:\b)"),
        (r"\d", "[0-9]"),
        (r"\w", "[0-9A-Za-z_]"),
        (r"\s", r"[\t ]"),
        (r"\S", r"[^\t ]"),
    ];
    let pattern = ascii
        .iter()
        .fold(pattern.to_owned(), |pattern, (class, of_ascii)| {
            pattern.replace(class, of_ascii)
        });
    Regex::new(&pattern).unwrap_or_else(|error| unreachable!("the tables of the languages compile: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_compile() {
        for grammar in &GRAMMARS {
            assert!(!grammar.opening.is_match(""));
            assert!(
                grammar
                    .closing
                    .as_ref()
                    .is_none_or(|closing| !closing.request.is_match(""))
            );
        }
    }

    #[test]
    fn an_empty_table_matches_nothing() {
        assert!(!compile(&one_of(&[])).is_match("x"));
    }

    #[test]
    fn entries_match_what_is_folded() {
        for language in LANGUAGES {
            for piece in [language.clauses, language.parted, language.asked, language.since].concat() {
                let literal = piece.chars().filter(char::is_ascii_uppercase).count();
                assert_eq!(literal, 0, "{piece} can match no line in lower case");
            }
        }
    }
}
