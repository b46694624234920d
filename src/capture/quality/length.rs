//! `empty` and `too_short`.

use std::sync::LazyLock;

use regex::Regex;

use super::passage::is_mostly_cjk;
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::{is_punctuation, is_space};

/// The fewest characters of a memory.
const FEWEST: usize = 20;
/// The fewest where most of them are Chinese, Japanese or Korean.
const FEWEST_CJK: usize = 10;

/// `Dev port: 5173`, `region = eu-west-1`: a name and its value.
static FACT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[^\s:=：][^:=：\n]{0,60}(?:\s*=\s*|:\s+|：\s*)\S").expect("because a test compiles it")
});

/// Whether a text has neither a letter nor a digit nor any other sign that means something.
pub(super) fn empty(text: &str) -> Option<Rejection> {
    let meaning = text.chars().any(|c| {
        c.is_alphanumeric() || (!c.is_ascii() && !is_space(c) && !is_punctuation(c) && !c.is_control())
    });
    (!meaning).then_some(Rejection::Empty)
}

/// Whether a text is too short for its type.
pub(super) fn too_short(kind: &Kind, text: &str) -> Option<Rejection> {
    let text = text.trim();
    let fewest = if is_mostly_cjk(text) { FEWEST_CJK } else { FEWEST };
    let short = text.chars().nth(fewest - 1).is_none();
    (short && !is_fact(kind, text)).then_some(Rejection::TooShort)
}

/// Whether a text is a reference of the form `key = value` or `key: value`.
pub(super) fn is_fact(kind: &Kind, text: &str) -> bool {
    kind.as_str() == "reference" && FACT.is_match(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_not_bytes() {
        let project = Kind::new("project");
        assert_eq!(
            too_short(&project, "nineteen characters"),
            Some(Rejection::TooShort)
        );
        assert_eq!(too_short(&project, "twenty characters ok"), None);
        assert_eq!(too_short(&project, "日志保留三十天整"), Some(Rejection::TooShort));
        assert_eq!(too_short(&project, "日志必须保留三十天整"), None);
        assert_eq!(too_short(&project, "ééééééééééééééé"), Some(Rejection::TooShort));
    }

    #[test]
    fn only_a_reference_may_be_a_name_and_its_value() {
        for text in ["Dev port: 5173", "region = eu-west-1", "端口：8080", "a=b"] {
            assert_eq!(too_short(&Kind::new("reference"), text), None, "{text}");
            assert_eq!(
                too_short(&Kind::new("project"), text),
                Some(Rejection::TooShort),
                "{text}"
            );
        }
        for text in ["port", "port:", "https://x.io", ": 5173"] {
            assert_eq!(
                too_short(&Kind::new("reference"), text),
                Some(Rejection::TooShort),
                "{text}"
            );
        }
    }

    #[test]
    fn signs_alone_say_nothing() {
        for text in ["", " \n", "---", "…", "**", "\0\0"] {
            assert_eq!(empty(text), Some(Rejection::Empty), "{text:?}");
        }
    }
}
