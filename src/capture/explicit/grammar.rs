//! The tables of the languages, compiled once.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::language::{Follows, LANGUAGES, Language};

/// What parts a request from its body, or ends the line.
const SEPARATOR: &str = r"(?:[:,;、。!~–—]|\.(?:[ .]|$)|-+(?: |$)| -+ | [:;~–—]|$)";

/// What may stand between two words of a request.
const GAP: &str = "[ ,、]*";

/// The patterns of one language that find a request at the beginning of a line.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) language: &'static Language,
    /// Whether any of the others can match: most lines end here.
    pub(super) any: Regex,
    pub(super) negation: Regex,
    pub(super) postponed: Regex,
    pub(super) triggers: Vec<TriggerPattern>,
    /// Group 1: particles that belong to the request.
    pub(super) particles: Regex,
    /// Group 1: an object that belongs to the request.
    pub(super) object: Regex,
    pub(super) conjunction: Option<Regex>,
    /// A sentence that states something, where one may follow the request's own.
    pub(super) statement: Option<Regex>,
}

#[derive(Debug)]
pub(super) struct TriggerPattern {
    pub(super) plain: Regex,
    /// With its object before it.
    pub(super) inverted: Option<Regex>,
    pub(super) unless: RegexSet,
    pub(super) follows: Follows,
}

/// The patterns over what follows a request. They are those of every language at once: people mix them.
#[derive(Debug)]
pub(super) struct BodyPatterns {
    pub(super) deferral_opening: Regex,
    pub(super) deferral_ending: Regex,
    pub(super) no_deferral: Regex,
    pub(super) question_ending: Regex,
    /// Group 1: the tag without the separator before it.
    pub(super) question_tag: Regex,
    pub(super) thanks: Regex,
    pub(super) continuation: Regex,
}

/// One for each of [`LANGUAGES`].
pub(super) static GRAMMARS: LazyLock<Vec<Grammar>> =
    LazyLock::new(|| LANGUAGES.into_iter().map(Grammar::new).collect());

/// How much of a text's beginning, and of its end, is held against the patterns that may match anywhere. Bytes; what
/// people put there is shorter, and what is longer was pasted.
const MARGIN: usize = 600;

pub(super) static BODY: LazyLock<BodyPatterns> = LazyLock::new(BodyPatterns::new);

impl Grammar {
    fn new(language: &'static Language) -> Self {
        let courtesies = format!("(?:(?:{}){GAP})*", one_of(language.courtesies));
        let plain = |words: &str| format!("^{courtesies}(?:{words})");
        let objects = one_of(language.objects_before);
        let inverted = |words: &str| format!("^{courtesies}(?:{objects}){GAP}{courtesies}(?:{words})");
        let has_objects = !language.objects_before.is_empty();
        let negation = plain(&one_of(language.negations));
        let postponed = plain(&one_of(language.postponed));
        let words: Vec<&str> = language.triggers.iter().map(|trigger| trigger.words).collect();
        let mut any = vec![negation.clone(), postponed.clone(), plain(&one_of(&words))];
        any.extend(has_objects.then(|| inverted(&one_of(&words))));
        let triggers = language.triggers.iter().map(|trigger| TriggerPattern {
            plain: compile(&plain(trigger.words)),
            inverted: has_objects.then(|| compile(&inverted(trigger.words))),
            unless: RegexSet::new(trigger.unless).expect("the tables of the languages compile"),
            follows: trigger.follows,
        });
        Self {
            language,
            any: compile(&one_of(&any)),
            negation: compile(&negation),
            postponed: compile(&postponed),
            triggers: triggers.collect(),
            particles: compile(&format!(
                r#"^((?:{})+)(?:{SEPARATOR}|[ ?"「『《])"#,
                one_of(language.particles)
            )),
            object: compile(&format!("^ ?({}){SEPARATOR}", one_of(language.objects))),
            conjunction: (!language.conjunctions.is_empty())
                .then(|| compile(&format!("^ ?(?:{})[ ,:]+", one_of(language.conjunctions)))),
            statement: (!language.statement_endings.is_empty())
                .then(|| compile(&one_of(language.statement_endings))),
        }
    }
}

impl BodyPatterns {
    fn new() -> Self {
        let every = |part: fn(&Language) -> &'static [&'static str]| {
            let pieces: Vec<&str> = LANGUAGES.into_iter().flat_map(part).copied().collect();
            one_of(&pieces)
        };
        let thanks = every(|language| language.thanks);
        Self {
            deferral_opening: compile(&format!("^(?:{})", every(|language| language.deferral_openings))),
            deferral_ending: compile(&every(|language| language.deferral_endings)),
            no_deferral: compile(&every(|language| language.no_deferrals)),
            question_ending: compile(&every(|language| language.question_endings)),
            question_tag: compile(&format!(
                "(?:[,、;]|[.!。] ?| [-–—]+) ?(?:{})[ !?]*[?][ !?]*$",
                every(|language| language.question_tags)
            )),
            thanks: compile(&format!("^(?:(?:{thanks})[ .,!。、~]*)+$")),
            continuation: compile(&format!("^(?:{})", every(|language| language.continuations))),
        }
    }
}

/// The beginning of a text, in which to search for what people say.
pub(super) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MARGIN)]
}

/// The end of a text, likewise.
pub(super) fn end(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MARGIN))..]
}

/// One of the pieces. A table without entries matches nothing.
fn one_of<S: AsRef<str>>(pieces: &[S]) -> String {
    if pieces.is_empty() {
        return r"[^\s\S]".to_owned();
    }
    let pieces: Vec<String> = pieces
        .iter()
        .map(|piece| format!("(?:{})", piece.as_ref()))
        .collect();
    format!("(?:{})", pieces.join("|"))
}

/// A word ends before a letter of another script ("later" in "later再说"), and an ASCII boundary is the one that the
/// fast engine knows.
fn compile(pattern: &str) -> Regex {
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)"))
        .unwrap_or_else(|error| unreachable!("the tables of the languages compile: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_compile() {
        assert_eq!(GRAMMARS.len(), LANGUAGES.len());
        assert!(!BODY.thanks.is_match(""));
    }

    #[test]
    fn an_empty_table_matches_nothing() {
        assert!(!compile(&one_of::<&str>(&[])).is_match("x"));
    }

    #[test]
    fn entries_match_what_is_folded() {
        for language in LANGUAGES {
            for piece in language.triggers.iter().map(|trigger| trigger.words) {
                let literal = piece.chars().filter(char::is_ascii_uppercase).count();
                assert_eq!(literal, 0, "{piece} can match no line in lower case");
            }
        }
    }
}
