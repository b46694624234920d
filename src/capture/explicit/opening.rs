//! The request of a line, in its first words or in its last: to remember, not to remember, or something else.

use std::ops::Range;

use super::body::{deferral_opens, end};
use super::folded::Folded;
use super::language::{Ending, Grammar, grammars};
use super::task::is_task;

/// The request of a line.
#[derive(Debug, Clone)]
pub(super) enum Opening {
    /// To remember what follows.
    Request(Request),
    /// To remember what comes before the request: where that stands in the folded line. `None` where it only points.
    Closing(Option<Range<usize>>),
    /// Not to remember, but a rule that says at its end that it holds from now on: where the rule stands.
    Rule(Range<usize>),
    /// Not to remember.
    Negated,
    /// To remember at another time.
    Postponed,
}

/// The words of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    /// The place in the folded line at which its verb and politeness end.
    pub(super) end: usize,
    /// The end of the object that points at the body, or back; the same place if there is no such object.
    pub(super) object_end: usize,
    /// Tells whether it named its object, before the verb or after it.
    pub(super) object: Object,
    pub(super) form: Form,
    pub(super) grammar: Option<&'static Grammar>,
}

/// Tells whether a request points at something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Object {
    Named,
    #[default]
    Unnamed,
}

/// The kinds of text that follow the words of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// The thing to be remembered, also as a clause with a conjunction.
    Clause,
    /// The same, parted from them: without a separator they are an ordinary instruction.
    Parted,
    /// The same, as a question that is a request.
    Asked,
    /// A sentence of its own: they say since when it holds.
    #[default]
    Sentence,
}

const FORMS: [(&str, Form); 4] = [
    ("asked", Form::Asked),
    ("clauses", Form::Clause),
    ("parted", Form::Parted),
    ("since", Form::Sentence),
];

/// Gives the request of a line; `None` for a line that asks for nothing of the kind.
pub(super) fn opening(line: &Folded) -> Option<Opening> {
    let text = line.as_str();
    grammars(text).find_map(|grammar| {
        first_words(text, grammar)
            .or_else(|| last_words(text, grammar))
            .or_else(|| {
                let rule = grammar.rule.captures(text)?.name("rule")?;
                Some(Opening::Rule(rule.range()))
            })
    })
}

fn first_words(text: &str, grammar: &'static Grammar) -> Option<Opening> {
    let found = grammar.opening.captures(text)?;
    if found.name("postponed").is_some() {
        return Some(Opening::Postponed);
    }
    if found.name("negations").is_some() {
        return Some(Opening::Negated);
    }
    let (form, words) = FORMS
        .iter()
        .find_map(|(name, form)| Some((*form, found.name(name)?)))?;
    let last_word = words.start() + words.as_str().rfind(' ').map_or(0, |space| space + 1);
    if grammar.unless.is_match(&text[last_word..]) {
        return None;
    }
    let tail = grammar.tail.captures(&text[words.end()..]);
    let is_word = tail.is_some() || form == Form::Sentence || grammar.language.ending == Ending::Anywhere;
    let group = |number| tail.as_ref().and_then(|tail| tail.get(number));
    let ends = |number| group(number).map(|found| words.end() + found.end());
    let request_end = ends(1).unwrap_or(words.end());
    let object_end = ends(2).unwrap_or(request_end);
    let is_before = found.name("object").is_some();
    let rest = &text[object_end..];
    let needs_parting = is_before || matches!(form, Form::Parted | Form::Asked);
    let is_parted = || {
        group(3).or(group(4)).is_some() || grammar.conjunction(rest) > 0 || deferral_opens(rest.trim_start())
    };
    if !is_word || (needs_parting && !is_parted()) {
        return None;
    }
    let is_named = is_before || group(2).is_some();
    Some(Opening::Request(Request {
        end: request_end,
        object_end,
        object: if is_named { Object::Named } else { Object::Unnamed },
        form,
        grammar: Some(grammar),
    }))
}

/// The verb comes last in Japanese and Korean, and may in Chinese: 「…ことを覚えておいて」.
fn last_words(text: &str, grammar: &'static Grammar) -> Option<Opening> {
    let closing = grammar.closing.as_ref()?;
    let tail = end(text);
    // A colon announces what follows, whatever stands before the request ("아래 세 가지 기억해줘:").
    let announced = tail.strip_suffix(':');
    let tail = announced.unwrap_or(tail);
    let found = closing.request.captures(tail)?;
    if found.name("no").or(found.name("never")).is_some() {
        return Some(Opening::Negated);
    }
    if announced.is_some() {
        return Some(Opening::Closing(None));
    }
    let kept = (1..found.len()).find_map(|number| found.get(number));
    let clause_end = text.len() - tail.len() + kept.map_or(found.get(0)?.start(), |kept| kept.end());
    let clause = text[..clause_end].trim_end();
    // A request that is a sentence of its own is about the whole line, another about its own sentence.
    let is_sentence = clause.ends_with(SENTENCE_ENDS);
    let sentence = if is_sentence { 0 } else { last_sentence(clause) };
    let start = sentence
        + closing
            .leading
            .find(&clause[sentence..])
            .map_or(0, |found| found.end());
    let is_pointer = start == clause.len() || closing.pointer.is_match(&clause[start..]);
    // A job not to be forgotten is named by its noun alone (READMEの更新を忘れないで).
    let words = &text[clause_end..];
    let named = text[start..clause_end].trim_end();
    let is_long = || named.split(' ').count() > 3;
    let is_job = || words.contains(['忘', '잊']) && (is_long() || is_task(words, named));
    Some(Opening::Closing(
        (!is_pointer || is_job()).then_some(start..clause_end),
    ))
}

const SENTENCE_ENDS: [char; 4] = ['。', '.', '!', '?'];

/// Gives the place at which the last sentence of a clause begins.
fn last_sentence(clause: &str) -> usize {
    let ends = |&(at, mark): &(usize, &str)| mark == "。" || clause[at + mark.len()..].starts_with(' ');
    let found = clause.rmatch_indices(SENTENCE_ENDS).find(ends);
    found.map_or(0, |(at, mark)| at + mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text behind the request and its object.
    fn rest(line: &str) -> Option<String> {
        match opening(&Folded::new(line))? {
            Opening::Request(request) => Some(Folded::new(line).as_str()[request.object_end..].to_owned()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_request_is_a_whole_word() {
        for (line, behind) in [
            ("remember: x", ": x"),
            ("please, remember this one thing - x", " - x"),
            ("remember this x", " this x"),
            ("save to memory that x", " that x"),
            ("记住这个项目", "这个项目"),
            ("请帮我记住这个：x", ":x"),
            ("覚えておいてくださいね、x", "、x"),
            ("これを覚えておいて: x", ": x"),
            ("꼭 기억해 주세요 x", " x"),
            ("이거 기억해줘: x", ": x"),
        ] {
            assert_eq!(rest(line).as_deref(), Some(behind), "{line}");
        }
        for line in [
            "remembering x",
            "remember-me x",
            "remember.me",
            "remember_me x",
            "remember::x",
            "記住密碼功能壞了",
            "覚えている",
            "기억해냈다",
            "기억해 냈다",
            "add in memory caching",
            "save in memory, not on disk",
            "going forward with x",
            "x remember",
            "",
        ] {
            assert_eq!(rest(line), None, "{line}");
        }
    }
}
