//! The body of a request: the text that it asks to be remembered, unless that is a question, for later, or nothing.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::folded::{Folded, is_blank};
use super::language::{compile, of_every_language};
use super::opening::{Form, Object, Request};
use super::sentences::first_sentence;
use super::task::{expires, is_at_hand, is_task};
use crate::capture::Rejection;
use crate::text::{is_cjk, pattern};

/// The reading of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// No request.
    Nothing,
    /// A request that is not followed.
    Refused(Rejection),
    /// A request without a body: about what was just said, or about the list below it.
    Bare,
    /// A text to remember.
    Asked(String),
    /// A job of this session, which is no memory.
    Task(String),
    /// The words for something that no longer holds.
    TakenBack(String),
}

/// The fewest letters of a memory of one word.
const LETTERS: usize = 8;

/// The same, where words are not parted or carry their endings.
const LETTERS_CJK: usize = 4;

/// The length of a text's beginning, and of its end, that the patterns see which may match anywhere. Bytes; a
/// text that people put there is shorter, and a longer one was pasted.
const MARGIN: usize = 600;

static DEFERRAL_OPENING: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        "^{}",
        of_every_language(|language| language.deferral_openings)
    ))
});
static DEFERRAL_ENDING: LazyLock<Regex> =
    LazyLock::new(|| compile(&of_every_language(|language| language.deferral_endings)));
static NO_DEFERRAL: LazyLock<Regex> =
    LazyLock::new(|| compile(&of_every_language(|language| language.no_deferrals)));
static QUESTION_ENDING: LazyLock<Regex> =
    LazyLock::new(|| compile(&of_every_language(|language| language.question_endings)));
static QUESTION_TAG: LazyLock<Regex> = LazyLock::new(|| {
    let tags = of_every_language(|language| language.question_tags);
    compile(&format!("(?:[,、;]|[.!。] ?| [-–—]+) ?{tags}[ !?]*[?][ !?]*$"))
});
static THANKS: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        "^(?:{}[ .,!。、~]*)+$",
        of_every_language(|language| language.thanks)
    ))
});
static CONTINUATION: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        "^{}",
        of_every_language(|language| language.continuations)
    ))
});
static COMPARED: LazyLock<Regex> = LazyLock::new(|| pattern(" (?:over|to|than|instead|rather|per) "));
static ORDER: LazyLock<Regex> = LazyLock::new(|| compile(&of_every_language(|language| language.orders)));

/// The kinds of separator between a request and its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parted {
    /// Nothing but white space.
    No,
    /// A colon, or an exclamation mark: what follows is what is meant.
    Colon,
    /// A comma or a dash, which may also go on with something else.
    Comma,
    /// The sentence has ended: what follows is another one, and mostly another task.
    Stop,
}

/// Reads what stands behind a request, to the end of its sentence, whose place in the folded line it gives.
pub(super) fn body(line: &str, folded: &Folded, request: &Request) -> (Heard, usize) {
    let text = folded.as_str();
    let behind = &text[request.object_end..];
    let (parted, separator) = separation(behind, request.object);
    let end = text.len() - behind.len() + separator + first_sentence(&behind[separator..]);
    (sentence(line, folded, request, (parted, separator), end), end)
}

fn sentence(
    line: &str,
    folded: &Folded,
    request: &Request,
    (parted, separator): (Parted, usize),
    end: usize,
) -> Heard {
    let text = folded.as_str();
    let is_asked = request.form == Form::Asked;
    let rest = &text[request.end..end];
    let rest = if is_asked {
        rest.trim_end_matches([' ', '?', '!'])
    } else {
        rest
    };
    let Some(told) = told(rest) else {
        return Heard::Nothing;
    };
    let last = request.end + told.len();
    let behind = text.get(request.object_end..last).unwrap_or_default();
    let said = behind.get(separator..).unwrap_or_default();
    if [told, behind].into_iter().any(deferral_opens) || is_deferred(said) {
        return Heard::Refused(Rejection::Deferral);
    }
    let conjunction = match request.form {
        Form::Sentence => 0,
        _ => request.grammar.map_or(0, |grammar| grammar.conjunction(said)),
    };
    let fact = &said[conjunction..];
    // "To" parts a thing to do from a thing to know.
    let judged = if said.trim_start().starts_with("to ") {
        said
    } else {
        fact
    };
    let words = &text[..request.end];
    let judged = judged.trim_start();
    let is_job = || match request.form {
        Form::Sentence => expires(judged) || is_at_hand(judged),
        _ => is_task(words, judged),
    };
    // Without its verb a bare thing that is preferred says nothing; one that is compared does.
    let thing = fact.trim();
    let is_preferred = conjunction == 0
        && words.ends_with("i prefer")
        && (2..=4).contains(&thing.split(' ').count())
        && !COMPARED.is_match(thing);
    let begin = if is_preferred {
        request.end - "i prefer".len()
    } else {
        last - fact.len()
    };
    match spoken(line, folded, begin..last) {
        // "Can you remember this?" may ask for a recollection.
        _ if is_bare(said, parted, request) && is_asked => Heard::Nothing,
        _ if is_bare(said, parted, request) => Heard::Bare,
        Heard::Asked(text) if is_job() => Heard::Task(text),
        heard => heard,
    }
}

/// The request of a user's pattern, which ends before its body.
pub(super) fn whole(line: &str) -> Heard {
    let folded = Folded::new(line);
    let request = Request::default();
    let parted = separation(folded.as_str(), request.object);
    sentence(line, &folded, &request, parted, folded.as_str().len())
}

/// An item below a request, whose words are given.
pub(super) fn item(line: &str, words: &str) -> Heard {
    match whole(line) {
        Heard::Asked(text) if is_task(words, Folded::new(&text).as_str()) => Heard::Task(text),
        heard => heard,
    }
}

/// Reads a clause that stands before its request.
pub(super) fn clause(line: &str, folded: &Folded, clause: Range<usize>) -> Heard {
    let said = &folded.as_str()[clause.clone()];
    let words = &folded.as_str()[clause.end..];
    match () {
        () if told(said).is_none() => Heard::Nothing,
        () if is_deferred(said) => Heard::Refused(Rejection::Deferral),
        () => match spoken(line, folded, clause) {
            Heard::Asked(text) if is_task(words, said.trim_end()) => Heard::Task(text),
            heard => heard,
        },
    }
}

/// Gives the separator between the request and its body, and its length.
fn separation(behind: &str, object: Object) -> (Parted, usize) {
    // A dash, not the sign of an option; dots, and a full stop that ends a sentence.
    static RUN: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:[ :,;、–—!。]|\.{2,}|\.(?: |$)|-+(?: |$))*"));
    static STOP: LazyLock<Regex> = LazyLock::new(|| pattern(r"。|(?:^|[^.])\.(?: |$)"));
    let run = RUN.find(behind).map_or("", |run| run.as_str());
    let parted = match run.trim_start().chars().next() {
        _ if STOP.is_match(run) || (object == Object::Named && run.contains('!')) => Parted::Stop,
        None => Parted::No,
        Some(':' | '!') => Parted::Colon,
        Some(_) => Parted::Comma,
    };
    (parted, run.len())
}

/// True for a sentence in Japanese or Korean that asks for nothing: behind a request of its own it is its matter.
pub(super) fn states(said: &str) -> bool {
    said.contains(|c| matches!(c, 'ぁ'..='ヿ' | '가'..='힣'))
        && !ORDER.is_match(end(said))
        && !CONTINUATION.is_match(said)
        && told(said).is_some()
}

/// True when nothing is left to remember: no words, thanks, another sentence, or one that goes on from the request.
fn is_bare(said: &str, parted: Parted, request: &Request) -> bool {
    let is_thanks = said.len() <= MARGIN && THANKS.is_match(said);
    // In Japanese and Korean a polite request ends its sentence; what it means follows.
    if said.is_empty() || is_thanks || (parted == Parted::Stop && !states(said)) {
        return true;
    }
    request.form != Form::Sentence && parted != Parted::Colon && CONTINUATION.is_match(said)
}

/// The text as typed, without what is blank at its ends and without control characters.
pub(super) fn spoken(line: &str, folded: &Folded, range: Range<usize>) -> Heard {
    let text: String = line[folded.place(range.start)..folded.place(range.end)]
        .trim_matches(is_blank)
        .chars()
        .map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
        .collect();
    match () {
        () if !text.contains(char::is_alphanumeric) => Heard::Bare,
        () => Heard::Asked(text),
    }
}

/// True for a text that is too short for a memory.
pub(super) fn is_short(body: &str) -> bool {
    let words = body
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .take(2)
        .count();
    let letters = body.chars().filter(|c| c.is_alphanumeric()).take(LETTERS).count();
    let least = if body.contains(is_cjk) {
        LETTERS_CJK
    } else {
        LETTERS
    };
    words < 2 && letters < least
}

/// True when the text behind a request puts it off at once.
pub(super) fn deferral_opens(text: &str) -> bool {
    DEFERRAL_OPENING
        .is_match(text.trim_start_matches([' ', ':', ',', ';', '、', '。', '.', '-', '–', '—', '(']))
}

/// True when a body puts its matter off.
fn is_deferred(body: &str) -> bool {
    [&body[..body.floor_char_boundary(MARGIN)], end(body)]
        .into_iter()
        .any(|part| DEFERRAL_ENDING.is_match(part) && !NO_DEFERRAL.is_match(part))
}

/// The end of a text, in which to search for what people say.
pub(super) fn end(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MARGIN))..]
}

/// Gives the text behind a request without the tag that asks to obey it (", ok?"); `None` for a question.
pub(super) fn told(rest: &str) -> Option<&str> {
    // The first sentence or the last ends with a question mark, also with a smiley behind the mark. A mark inside a word,
    // a URL or a quote ends nothing.
    static FIRST: LazyLock<Regex> = LazyLock::new(|| {
        let inside = r#"[0-9A-Za-z"'`)\]}」』》=&/*+|:,]"#;
        let outside = inside.replacen('[', "[^", 1);
        pattern(&format!(
            r"^(?:[^?。.!]|[.!]+[^ .!?]|\?{inside})*[.!]*\?(?:{outside}|$)"
        ))
    });
    static LAST: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\?[^\pL\pN"'`)\]}」』》]*$"#));
    let tail = end(rest);
    let rest = match QUESTION_TAG.find(tail) {
        Some(tag) => {
            // The end of the sentence before the tag belongs to the sentence.
            let mark = tag.as_str().chars().next().filter(|mark| ".!。".contains(*mark));
            let kept = tag.start() + mark.map_or(0, char::len_utf8);
            &rest[..rest.len() - tail.len() + kept]
        }
        None => rest,
    };
    let asks = FIRST.is_match(rest) || LAST.is_match(rest) || QUESTION_ENDING.is_match(end(rest));
    (!asks).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions() {
        for rest in [
            " which branch had it?",
            "? 지난번에 껐는지",
            "?この前の原因。",
            ": should we use redis??! 🙂",
            " use x. did it work?",
            "发版了吗",
            ": どこにありますか。",
        ] {
            assert_eq!(told(rest), None, "{rest}");
        }
    }

    #[test]
    fn statements() {
        for rest in [
            ": the check is at /health?full=1",
            ": never ask \"are you sure?\" twice",
            ": use x. why? because it is fast",
            "：别问为什么",
            ": 이렇게 하니까 빠르다",
        ] {
            assert_eq!(told(rest), Some(rest));
        }
    }

    #[test]
    fn a_tag_is_no_question() {
        assert_eq!(told(": use x, ok?"), Some(": use x"));
        assert_eq!(told(": use x. Got it?".to_lowercase().as_str()), Some(": use x."));
        assert_eq!(told(":用 x,好吗?"), Some(":用 x"));
        assert_eq!(told(": x, is it ok?"), None);
    }

    fn puts_off(body: &str) -> bool {
        deferral_opens(body) || is_deferred(body)
    }

    #[test]
    fn for_later() {
        for body in [
            "this later, i have to check it",
            "later.",
            "next time we talk about it",
            "but not now",
            "we'll decide on the cache later",
            "部署顺序这件事以后再说,先修",
            "再說吧",
            "後で",
            "この件は後で相談する",
            "나중에 정하자",
            "이 얘기는 나중에",
        ] {
            assert!(puts_off(body), "{body}");
        }
    }

    #[test]
    fn for_now() {
        for body in [
            "the report starts ten minutes later than the export",
            "later versions of the api drop xml",
            "we need node 20 or later",
            "the job retries 5 minutes later",
            "not yet released features are hidden behind flags",
            "测试通过再改",
            "デプロイした後で確認する",
            "次回リリースは金曜日",
        ] {
            assert!(!puts_off(body), "{body}");
        }
    }
}
