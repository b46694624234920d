//! Which texts cannot have a word of a question: told by their letters, at the pace of a search for bytes, because most
//! memories have none of them.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};

use super::tokens::{MONTHS, folded};

/// Looks for the letters by which each token begins that a question asks for.
pub(super) struct Glance {
    beginnings: AhoCorasick,
    letters: Vec<u8>,
}

impl Glance {
    pub(super) fn new<'t>(tokens: impl Iterator<Item = &'t str>) -> Self {
        let beginnings = tokens.flat_map(|token| {
            let month = MONTHS.iter().position(|month| *month == token);
            // A date has its month as a number.
            let number = month.map(|month| format!("{:02}", month + 1));
            let number = number.map(String::into_bytes);
            number.into_iter().chain([beginning(token)])
        });
        let beginnings = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(beginnings)
            .expect("because a question has a few words");
        Self {
            beginnings,
            letters: Vec::new(),
        }
    }

    /// False: none of these texts has one of the tokens.
    pub(super) fn may_be_in<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> bool {
        self.letters.clear();
        for text in texts {
            push_letters(text, &mut self.letters);
            self.letters.push(b'\n');
        }
        self.beginnings.is_match(&self.letters)
    }
}

/// Adds a text as its words are folded, without what joins the parts of an identifier.
fn push_letters(text: &str, letters: &mut Vec<u8>) {
    let text = if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(folded(text))
    };
    let (before, mut from) = (letters.len(), 0);
    for joint in memchr::memchr3_iter(b'_', b'-', b'.', text.as_bytes()) {
        letters.extend_from_slice(&text.as_bytes()[from..joint]);
        from = joint + 1;
    }
    letters.extend_from_slice(&text.as_bytes()[from..]);
    letters[before..].make_ascii_lowercase();
}

/// The letters that each word begins with whose token this is: a stem may have others at its end (`deploi`, `enabl`).
fn beginning(token: &str) -> Vec<u8> {
    let mut letters = Vec::new();
    push_letters(token, &mut letters);
    if letters.iter().all(u8::is_ascii_lowercase) {
        let ending = ["ble", "bl", "e", "i"]
            .into_iter()
            .find(|ending| letters.ends_with(ending.as_bytes()));
        let others = ending.map_or(0, |ending| ending.trim_start_matches('b').len());
        letters.truncate(letters.len() - others);
    }
    letters
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tokens::each_token;
    use super::*;

    /// Texts of what tokens are made of, beside each other and beside anything.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z]{1,7}(ational|tional|enci|izer|bly|biliti|ation|alism|iveness|logy|icate|ative|ing|ed|eed|ies|sses|ly|y|e|ll)?",
            "[A-Za-z0-9]{1,6}([_.-][A-Za-z0-9]{1,6}){0,2}",
            "(19|20)[0-9]{2}-(0[1-9]|1[0-2])(-[0-3][0-9])?",
            "c\\+\\+|c#|Straße|Café|ﬁle|İstanbul|Ångström|ＡＢＣ|ｶﾞ|資料庫|データベース|데이터|ภาษาไทย|हिन्दी",
            "[_.-]",
            "\\PC{0,3}",
        ];
        proptest::collection::vec((piece, " ?"), 1..8)
            .prop_map(|pieces| pieces.into_iter().map(|(piece, space)| piece + &space).collect())
    }

    proptest! {
        #[test]
        fn a_text_is_never_passed_over_that_has_the_token(text in text()) {
            each_token(&text, |token| {
                let mut glance = Glance::new([token.text.as_str()].into_iter());
                assert!(glance.may_be_in([text.as_str()].into_iter()), "{token:?} in {text:?}");
            });
        }
    }

    #[test]
    fn a_text_without_the_word_is_passed_over() {
        let mut glance = Glance::new(["deploi", "资料"].into_iter());
        let mut may_be_in = |text: &'static str| glance.may_be_in([text].into_iter());
        assert!(may_be_in("we DEPLOYED it") && may_be_in("de_ploy") && may_be_in("的资料库"));
        assert!(!may_be_in("Nobody depends on it") && !may_be_in("数据"));
    }
}
