//! How a line opens: with a request, with the opposite, or with something else.

use super::folded::Folded;
use super::grammar::{BODY, GRAMMARS, Grammar, TriggerPattern};
use super::language::{Ending, Follows};

/// What a line asks for with its first words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// To remember.
    Request(Request),
    /// Not to remember. Where in the folded line those words end.
    Negated(usize),
    /// To remember at another time. Where in the folded line those words end.
    Postponed(usize),
}

/// The words of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    /// Where in the folded line its verb and politeness end.
    pub(super) end: usize,
    /// Where the object that points at the body, or back, ends; the same where there is none.
    pub(super) object_end: usize,
    /// Whether it named its object, before the verb or after it.
    pub(super) object: Object,
    pub(super) follows: Follows,
    pub(super) grammar: Option<&'static Grammar>,
}

/// Whether a request points at something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    Named,
    Unnamed,
}

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        (self.end, self.object_end, self.object, self.follows)
            == (other.end, other.object_end, other.object, other.follows)
    }
}

impl Eq for Request {}

/// What a line opens with; `None` for nothing of the kind.
pub(super) fn opening(line: &Folded) -> Option<Opening> {
    let text = line.as_str();
    GRAMMARS
        .iter()
        .filter(|grammar| grammar.any.is_match(text))
        .find_map(|grammar| in_language(text, grammar))
}

fn in_language(text: &str, grammar: &'static Grammar) -> Option<Opening> {
    if let Some(found) = grammar.postponed.find(text) {
        return Some(Opening::Postponed(found.end()));
    }
    if let Some(found) = grammar.negation.find(text) {
        return Some(Opening::Negated(found.end()));
    }
    grammar
        .triggers
        .iter()
        .find_map(|trigger| request(text, grammar, trigger))
        .map(Opening::Request)
}

fn request(text: &str, grammar: &'static Grammar, trigger: &TriggerPattern) -> Option<Request> {
    let (end, is_inverted) = match trigger.plain.find(text) {
        Some(found) => (found.end(), false),
        None => (trigger.inverted.as_ref()?.find(text)?.end(), true),
    };
    if trigger.unless.is_match(&text[end..]) {
        return None;
    }
    let particles = grammar.particles.captures(&text[end..]);
    let end = end + particles.map_or(0, |found| found[1].len());
    let rest = &text[end..];
    if grammar.language.ending == Ending::Word && !ends_word(rest) {
        return None;
    }
    let object = grammar.object.captures(rest);
    let object = object.and_then(|found| found.get(1)).map(|found| found.end());
    let object_end = end + object.unwrap_or(0);
    let needs_parting = is_inverted || trigger.follows == Follows::Parted;
    if needs_parting && !is_parted(&text[object_end..], grammar) {
        return None;
    }
    let is_named = is_inverted || object.is_some();
    Some(Request {
        end,
        object_end,
        object: if is_named { Object::Named } else { Object::Unnamed },
        follows: trigger.follows,
        grammar: Some(grammar),
    })
}

/// Whether a word ends before this: at white space, at a separator, before what is quoted. A hyphen or a dot
/// inside makes a compound or a name.
fn ends_word(rest: &str) -> bool {
    let mut chars = rest.chars();
    let Some(first) = chars.next() else { return true };
    let next = chars.next();
    match first {
        '-' => next.is_none_or(|c| c == ' ' || c == '-'),
        '.' => next.is_none_or(|c| c == ' ' || c == '.'),
        ':' => next != Some(':'),
        ' ' | ',' | ';' | '!' | '?' | '、' | '。' | '–' | '—' | '~' | '"' | '「' | '『' | '《' => {
            true
        }
        _ => false,
    }
}

/// Whether a separator, a conjunction, a word for later or the end of the line comes next.
fn is_parted(rest: &str, grammar: &Grammar) -> bool {
    let parts = |c: char| {
        matches!(
            c,
            ':' | ',' | ';' | '.' | '!' | '?' | '、' | '。' | '–' | '—' | '-' | '~'
        )
    };
    rest.trim_start().chars().next().is_none_or(parts)
        || grammar
            .conjunction
            .as_ref()
            .is_some_and(|conjunction| conjunction.is_match(rest))
        || BODY.deferral_opening.is_match(rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands behind the request and its object.
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
