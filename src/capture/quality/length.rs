//! `empty` and `too_short`.

use super::passage::is_mostly_cjk;
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::{is_punctuation, is_space};

/// The fewest characters of a memory.
const FEWEST: usize = 20;
/// The fewest where most of them are Chinese, Japanese or Korean.
const FEWEST_CJK: usize = 10;
/// The most bytes of a fact's name.
const LONGEST_NAME: usize = 61;

/// Refuses a text that has neither a letter nor a digit nor any other sign that means something.
pub(super) fn empty(text: &str) -> Option<Rejection> {
    let meaning = text.chars().any(|c| {
        c.is_alphanumeric() || (!c.is_ascii() && !is_space(c) && !is_punctuation(c) && !c.is_control())
    });
    (!meaning).then_some(Rejection::Empty)
}

/// Refuses a text that is too short for its type.
pub(super) fn too_short(kind: &Kind, text: &str) -> Option<Rejection> {
    let text = text.trim();
    let fewest = if is_mostly_cjk(text) { FEWEST_CJK } else { FEWEST };
    let short = text.chars().nth(fewest - 1).is_none();
    (short && !is_fact(kind, text)).then_some(Rejection::TooShort)
}

/// True when a text is a reference of the form `key = value` or `key: value`.
pub(super) fn is_fact(kind: &Kind, text: &str) -> bool {
    kind.as_str() == "reference" && fact(text.trim()).is_some()
}

/// The name and the value of `Dev port: 5173`, `region = eu-west-1`.
pub(super) fn fact(text: &str) -> Option<(&str, &str)> {
    let at = text.find(['=', ':', '：'])?;
    let (name, rest) = text.split_at(at);
    let sign = rest.chars().next()?;
    let rest = &rest[sign.len_utf8()..];
    let parted = sign != ':' || rest.starts_with(char::is_whitespace);
    let named = !name.trim().is_empty() && name.len() <= LONGEST_NAME && !name.contains('\n');
    (named && parted && !rest.trim().is_empty()).then(|| (name.trim(), rest.trim()))
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
