//! The requests of a message, and the user's own patterns for them.

use std::collections::{BTreeSet, HashSet};

use regex::Regex;

use super::body::{Heard, body, clause, is_short, item, spoken, states, told, whole};
use super::correction::{self, Replaced, corrects, taken_back};
use super::folded::{Folded, is_blank};
use super::language::has_cue;
use super::memory_type::memory_type;
use super::opening::{Form, Opening, opening};
use super::said_lines::{Place, SaidLine, said_lines};
use super::sentences::{first_sentence, items};
use super::shown::{is_of_another, is_reported, shown};
use super::talk::is_remark;
use super::task::{is_built, standing};
use super::wishes::{Sentence, Wish, is_job, judge, sentences, signs_at};
use crate::capture::{Rejection, gives_orders};
use crate::model::Kind;
use crate::text::{without_escapes, wording};

/// The requests of a user's message to remember something, in the order of the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// The memories to be stored.
    pub memories: Vec<RequestedMemory>,
    /// The jobs of this session that it asks not to forget, as typed. They are no memories.
    pub tasks: Vec<String>,
    /// The takings back in it.
    pub taken_back: Vec<TakenBack>,
    /// The requests that are not stored, each with its reason.
    pub refused: Vec<Refused>,
    /// The number of requests without a body: they are about the last message, and only the model knows what that said.
    /// Each is among the refused as [`Rejection::TooShort`], too.
    pub bare: usize,
}

/// A memory that the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedMemory {
    /// Its type, by its words.
    pub kind: Kind,
    /// Its text as typed. Nothing is redacted yet.
    pub text: String,
}

/// A line that says that something no longer holds, and puts nothing in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenBack {
    /// The words for it, in lower case.
    pub object: String,
    /// The line of the message, without list markers. Nothing is redacted yet.
    pub text: String,
}

/// A request that is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub reason: Rejection,
    /// The line of the message, without list markers. Nothing is redacted yet.
    pub text: String,
}

/// The number of items of the list below a request that are stored.
const MOST_ITEMS: usize = 10;

/// The number of sentences of a line in which a request is looked for.
const MOST_SENTENCES: usize = 12;

/// The word before a job that is no memory (docs/working.md), folded.
const TODO: &str = "todo:";

/// The most requests of a message that are followed or refused one by one: nobody types more, and each of them is
/// compared with every memory.
const MOST_REQUESTS: usize = 100;

/// Reads what a user's message asks to be remembered (docs/capture.md). The work grows with the length of the
/// message, whatever it holds.
pub fn requests(message: &str, patterns: &RequestPatterns) -> Requests {
    read(message, patterns, true)
}

/// The same by the form of the request alone, without weighing.
pub fn outright(message: &str, patterns: &RequestPatterns) -> Requests {
    read(message, patterns, false)
}

fn read(message: &str, patterns: &RequestPatterns, weighs: bool) -> Requests {
    // A stored text has no colours of something that was pasted.
    let message = &*without_escapes(message);
    let said = said_lines(message);
    let mut hearing = Hearing::default();
    let shown = shown(&said);
    let own = [&said[..shown.start], &said[shown.end..]].concat();
    let all = sentences(&own, shown.start);
    let mut rest = own.as_slice();
    let mut silent = Vec::new();
    while let [line, below @ ..] = rest {
        let is_first = rest.len() == own.len();
        let mut heard = hear(line.text, is_first, patterns);
        if hearing.is_full() && heard.iter().any(|part| part.heard != Heard::Nothing) {
            hearing.take(line.text, Heard::Refused(Rejection::TooManyItems));
            break;
        }
        let items = heard
            .last()
            .map_or(&[][..], |part| list(part.said, &part.heard, below));
        let follows = match (heard.last(), below.first()) {
            (Some(part), Some(next))
                if part.heard == Heard::Bare
                    && items.is_empty()
                    && !next.is_first
                    && (ends_in_colon(part.said) || leads(line, next)) =>
            {
                Some(next)
            }
            _ => None,
        };
        if !items.is_empty() || follows.is_some() {
            heard.pop();
        }
        let place = own.len() - rest.len();
        if items.is_empty() && follows.is_none() && heard.iter().all(|part| part.heard == Heard::Nothing) {
            silent.push(place);
        }
        for part in heard {
            let is_job = |text: &str| part.is_rule && is_job(&all, place, text);
            let is_unclear = weighs && matches!(&part.heard, Heard::Asked(text) if is_job(text));
            let unclear = Heard::Refused(Rejection::UnclearWish);
            hearing.take(part.said, if is_unclear { unclear } else { part.heard });
        }
        rest = &below[items.len() + usize::from(follows.is_some())..];
        if let Some(next) = follows {
            hearing.take(next.text, item(next.text, Folded::new(line.text).as_str()));
        }
        let outer = items.iter().filter(|item| item.indent <= items[0].indent);
        hearing.take_items(outer.map(|item| item.text), line.text);
    }
    // Behind a request without a body the model looks for the wish.
    if weighs && hearing.requests.bare == 0 {
        hearing.take_wishes(&all, &silent);
    }
    // What the message shows asks for nothing; the model hears of the first wish in it, and can ask whose it is.
    let asks = |line: &&SaidLine<'_>| {
        let mut heard = hear(line.text, false, patterns).into_iter();
        heard.any(|part| matches!(part.heard, Heard::Asked(_) | Heard::TakenBack(_) | Heard::Bare))
    };
    if let Some(line) = said[shown].iter().take(MOST_REQUESTS).find(asks) {
        hearing.take(line.text, Heard::Refused(Rejection::ShownText));
    }
    hearing.requests
}

/// The lines of a message that are the user's own words, and not a text that it shows.
pub fn own_words(message: &str) -> String {
    let said = said_lines(message);
    let shown = shown(&said);
    let own = said[..shown.start].iter().chain(&said[shown.end..]);
    own.map(|line| line.text).collect::<Vec<_>>().join("\n")
}

/// The sentences of a message that are weighed, each with its signs: what `tests/eval/learn.rs` learns from.
pub fn weighed_sentences(message: &str) -> Vec<(String, BTreeSet<String>)> {
    let message = &*without_escapes(message);
    let said = said_lines(message);
    let shown = shown(&said);
    let own = [&said[..shown.start], &said[shown.end..]].concat();
    let all = sentences(&own, shown.start);
    let signs = (0..all.len()).map(|at| (all[at].text.to_owned(), signs_at(&all, at)));
    signs.collect()
}

/// The words for what no longer holds by a text that the user asked to remember ("… not yarn"); `None` for a text that
/// corrects nothing.
pub fn replaced(text: &str) -> Option<Replaced> {
    correction::replaced(Folded::new(text).as_str())
}

/// The lines of the list that follows at once the request that was heard as the last of its line, with what is indented
/// below its items.
fn list<'s, 'm>(said: &str, heard: &Heard, below: &'s [SaidLine<'m>]) -> &'s [SaidLine<'m>] {
    let is_request = matches!(
        heard,
        Heard::Bare | Heard::Asked(_) | Heard::Task(_) | Heard::Refused(Rejection::TooShort)
    );
    let is_heading = is_request
        && (ends_in_colon(said) || (*heard == Heard::Bare && !said.ends_with(['.', '。', '!', '！'])));
    let Some(first) = below
        .first()
        .filter(|line| is_heading && line.place == Place::Item)
    else {
        return &[];
    };
    let is_part = |line: &SaidLine<'_>| {
        line.indent > first.indent || (line.indent == first.indent && line.place == Place::Item)
    };
    let length = below
        .iter()
        .position(|line| !is_part(line))
        .unwrap_or(below.len());
    &below[..length]
}

/// True when a request is a line before the statement that it is about, and no line stands above that it could be about.
fn leads(line: &SaidLine<'_>, next: &SaidLine<'_>) -> bool {
    line.is_first && states(Folded::new(next.text).as_str())
}

/// A colon at the end of a line announces the next one.
fn ends_in_colon(line: &str) -> bool {
    line.ends_with([':', '：'])
}

/// The requests that were heard so far.
#[derive(Debug, Default)]
struct Hearing {
    requests: Requests,
    texts: HashSet<Vec<String>>,
}

impl Hearing {
    fn is_full(&self) -> bool {
        let requests = &self.requests;
        let heard = requests.memories.len() + requests.tasks.len() + requests.taken_back.len();
        heard + requests.refused.len() >= MOST_REQUESTS
    }

    fn take(&mut self, line: &str, heard: Heard) {
        let reason = match heard {
            Heard::Nothing => return,
            Heard::Refused(reason) => reason,
            Heard::Bare => {
                self.requests.bare += 1;
                Rejection::TooShort
            }
            Heard::Asked(text) if !items(&text).is_empty() => {
                return self.take_items(items(&text).into_iter(), line);
            }
            Heard::Asked(text) if is_short(&text) => Rejection::TooShort,
            Heard::Asked(text) if gives_orders(&text) => Rejection::PromptInjection,
            Heard::Asked(text) if self.texts.insert(wording(&text)) => {
                let kind = memory_type(&text);
                self.requests.memories.push(RequestedMemory { kind, text });
                return;
            }
            Heard::TakenBack(object) => {
                let text = line.to_owned();
                self.requests.taken_back.push(TakenBack { object, text });
                return;
            }
            Heard::Task(text) => {
                if self.texts.insert(wording(&text)) {
                    self.requests.tasks.push(text);
                }
                return;
            }
            Heard::Asked(_) => Rejection::DuplicateInMessage,
        };
        let text = line.to_owned();
        self.requests.refused.push(Refused { reason, text });
    }

    /// Takes the sentences of these lines that are wishes, and the first that may be one.
    fn take_wishes(&mut self, all: &[Sentence<'_>], lines: &[usize]) {
        let mut is_asked = false;
        for (at, sentence) in all.iter().enumerate() {
            if !lines.contains(&sentence.line) || self.is_full() {
                continue;
            }
            let folded = Folded::new(sentence.text);
            match judge(all, at) {
                Wish::Yes => self.take(
                    sentence.text,
                    spoken(sentence.text, &folded, 0..folded.as_str().len()),
                ),
                Wish::Maybe if !is_asked => {
                    is_asked = true;
                    self.take(sentence.text, Heard::Refused(Rejection::UnclearWish));
                }
                Wish::Maybe | Wish::No => {}
            }
        }
    }

    /// Takes each item of the list that the line `heading` asks to remember.
    fn take_items<'i>(&mut self, items: impl Iterator<Item = &'i str>, heading: &str) {
        let words = Folded::new(heading);
        for (number, text) in items.enumerate() {
            if self.is_full() {
                break;
            }
            let heard = if number < MOST_ITEMS {
                item(text, words.as_str().trim_end_matches([':', ' ']))
            } else {
                Heard::Refused(Rejection::TooManyItems)
            };
            self.take(text, heard);
        }
    }
}

/// A part of a line, and what was heard in it.
struct Part<'l> {
    /// The line from the sentence on.
    said: &'l str,
    heard: Heard,
    /// True where nothing is asked for by its verb: it says what is preferred, corrects something, or says that it holds
    /// from now on, always or never. It may be about the work at hand.
    is_rule: bool,
}

/// The requests of a line, sentence by sentence. The first line of the user's words may be a rule that says only that it
/// holds always.
fn hear<'l>(line: &'l str, is_first: bool, patterns: &RequestPatterns) -> Vec<Part<'l>> {
    let one = |heard, is_rule| {
        let said = line;
        vec![Part { said, heard, is_rule }]
    };
    let folded = Folded::new(line);
    if folded.as_str().starts_with(TODO) {
        return one(todo(line[folded.place(TODO.len())..].trim()), false);
    }
    if let Some(object) = taken_back(folded.as_str()) {
        return one(Heard::TakenBack(object.to_owned()), false);
    }
    if let Some(range) = corrects(folded.as_str()) {
        return one(spoken(line, &folded, range), true);
    }
    let mut heard = Vec::new();
    let mut rest = line;
    let mut is_remarked = true;
    for _ in 0..MOST_SENTENCES {
        let folded = Folded::new(rest);
        let text = folded.as_str();
        let end_of_first = first_sentence(text);
        let first = &text[..end_of_first];
        let mut is_rule = false;
        let (said, end) = match opening(&folded) {
            _ if is_remarked && corrects(first).is_some() => {
                is_rule = true;
                (spoken(rest, &folded, 0..end_of_first), end_of_first)
            }
            Some(Opening::Request(request)) => {
                is_rule = request.form == Form::Sentence || text[..request.end].contains("prefer");
                body(rest, &folded, &request)
            }
            Some(Opening::Rule(range)) => {
                is_rule = true;
                (clause(rest, &folded, range), text.len())
            }
            Some(Opening::Closing(Some(range))) => (clause(rest, &folded, range), text.len()),
            Some(Opening::Closing(None)) => (Heard::Bare, text.len()),
            Some(Opening::Negated) => (Heard::Refused(Rejection::NegatedRequest), text.len()),
            Some(Opening::Postponed) => (Heard::Refused(Rejection::Deferral), text.len()),
            None => match patterns.body(rest) {
                Some(body) => (whole(body), text.len()),
                None if is_remarked && is_first && standing(text) && !is_built(&text[end_of_first..]) => {
                    is_rule = true;
                    let kept = told(first).map_or(end_of_first, str::len);
                    (spoken(rest, &folded, 0..kept), end_of_first)
                }
                None => {
                    let heard;
                    (heard, is_rule) = inside_sentence(rest, &folded);
                    (heard, end_of_first)
                }
            },
        };
        is_remarked &= is_remark(first) && said == Heard::Nothing;
        let ended = &text[..end];
        // The words behind a question are about its answer.
        let is_answered = ended.ends_with('?') && !text[end..].trim_start().starts_with("and ");
        let goes_on = end < text.len() && (is_remarked || !is_answered && has_cue(&text[end..]));
        heard.push(Part {
            said: rest,
            heard: said,
            is_rule,
        });
        if !goes_on {
            break;
        }
        rest = rest[folded.place(end)..].trim_start_matches(is_blank);
    }
    heard
}

/// The job that a line names behind `todo:`.
fn todo(text: &str) -> Heard {
    if is_short(text) {
        return Heard::Nothing;
    }
    Heard::Task(text.to_owned())
}

/// The request of the first sentence of a line that does not begin with a request: the clause before a request that ends it,
/// or a task or a rule ("…, and from now on …") in the middle of it. Another wish must begin its sentence, because a wrong
/// memory costs more than a wrong todo. True where a rule was heard.
fn inside_sentence(line: &str, folded: &Folded) -> (Heard, bool) {
    if is_of_another(folded.as_str()) {
        return (Heard::Nothing, false);
    }
    let sentence = &line[..folded.place(first_sentence(folded.as_str()))];
    if sentence.len() < line.len() {
        let folded = Folded::new(sentence);
        match opening(&folded) {
            Some(Opening::Closing(Some(range))) => return (clause(sentence, &folded, range), false),
            Some(Opening::Rule(range)) => return (clause(sentence, &folded, range), true),
            _ => {}
        }
    }
    let joined = [" and ", " but "]
        .into_iter()
        .flat_map(|word| sentence.match_indices(word));
    let clauses = sentence
        .match_indices([',', ';', '，', '；', '、'])
        .chain(joined.map(|(at, _)| (at, " ")))
        .take(MOST_SENTENCES)
        .filter(|(at, _)| !is_reported(Folded::new(&sentence[..*at]).as_str()));
    let mut tasks = clauses.filter_map(|(at, mark)| {
        let part = sentence[at + mark.len()..].trim_start_matches(is_blank);
        let folded = Folded::new(part);
        let Some(Opening::Request(request)) = opening(&folded) else {
            return None;
        };
        let (heard, _) = body(part, &folded, &request);
        let is_told = part.starts_with("and ") && folded.as_str()[request.object_end..].starts_with(" that ");
        let is_rule = request.form == Form::Sentence;
        let is_kept = match heard {
            Heard::Asked(_) => is_rule || is_told,
            Heard::Task(_) => true,
            _ => false,
        };
        is_kept.then_some((heard, is_rule))
    });
    tasks.next().unwrap_or((Heard::Nothing, false))
}

/// The patterns of `capture.patterns`, compiled. The languages' own requests need none.
#[derive(Debug, Clone, Default)]
pub struct RequestPatterns {
    extra: Vec<Regex>,
}

/// A pattern of the user's that cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{pattern}` in `capture.patterns` is not a valid regular expression")]
pub struct RequestPatternError {
    /// The pattern as it was given.
    pub pattern: String,
    /// The slip in the pattern, and its place.
    #[source]
    pub source: regex::Error,
}

impl RequestPatterns {
    /// The built-in requests and these. Each is a regular expression over a line as it was typed, without its list
    /// markers; a line that begins with a match is a request, and what follows the match is its body, or what the
    /// first group took if the pattern has one.
    pub fn new(extra: &[String]) -> Result<Self, RequestPatternError> {
        let compile = |pattern: &String| {
            Regex::new(pattern).map_err(|source| RequestPatternError {
                pattern: pattern.clone(),
                source,
            })
        };
        let extra = extra.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { extra })
    }

    /// The built-in requests alone.
    pub fn standard() -> Self {
        Self::default()
    }

    /// Gives the rest of the line behind the first of the user's patterns that opens it.
    pub(super) fn body<'l>(&self, line: &'l str) -> Option<&'l str> {
        self.extra.iter().find_map(|pattern| {
            // The leftmost match is the one at the beginning, if there is one; an empty one asks for nothing.
            let found = pattern.captures(line)?;
            let whole = found.get(0)?;
            if whole.start() != 0 || whole.is_empty() {
                return None;
            }
            let group = found.get(1).map(|group| group.as_str());
            Some(group.unwrap_or(&line[whole.end()..]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_at_the_beginning_leaves_the_body() {
        let patterns = ["(?i)note to self", "^TIL (.+?) \\(", "x*"].map(str::to_owned);
        let patterns = RequestPatterns::new(&patterns).unwrap();
        assert_eq!(patterns.body("Note to self: use x"), Some(": use x"));
        assert_eq!(patterns.body("TIL jq sorts (finally)"), Some("jq sorts"));
        assert_eq!(patterns.body("a note to self: use x"), None);
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        let error = RequestPatterns::new(&["ok".to_owned(), "(".to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`(` in `capture.patterns` is not a valid regular expression"
        );
    }
}
