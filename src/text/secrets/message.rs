//! Texts for people, where a value would stand: messages, labels of forms, translations.

use std::ops::Range;

use super::hints::{HINTS, Meaning};
use super::labelled::begins_word;

/// A word of this length or less, in small letters, makes a capitalised text a sentence: `of`, `la`, `do`, `per`.
const LONGEST_PARTICLE: usize = 3;

/// Whether the content of a quotation is said to a person.
pub(super) fn is_message(value: &str) -> bool {
    let mut words = value.split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | ':'));
    let plain = without_escapes(value);
    let is_several = plain.contains(char::is_whitespace);
    if plain.contains(|c: char| c.is_ascii_digit()) {
        return is_several && ends_sentence(value);
    }
    let is_sentence = value.starts_with(char::is_uppercase) && words.any(is_particle);
    let is_title = !is_several || value.starts_with(char::is_uppercase);
    plain != value || is_sentence || (is_several && ends_sentence(value)) || is_title && names_secret(value)
}

fn ends_sentence(value: &str) -> bool {
    value.ends_with(['.', '?', '…', '。', '？'])
}

fn is_particle(word: &str) -> bool {
    !word.is_empty() && word.chars().count() <= LONGEST_PARTICLE && word.chars().all(char::is_lowercase)
}

/// The text without `\u00e9` and the like, for letters that are not those of a password's alphabet.
fn without_escapes(value: &str) -> String {
    let mut parts = value.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..4).and_then(|code| u32::from_str_radix(code, 16).ok());
        match code {
            Some(0xa0..) => plain.push_str(&part[4..]),
            _ => plain.push_str(part),
        }
    }
    plain
}

/// Whether it has the name of a secret in it, in any language; one word must be that name.
fn names_secret(value: &str) -> bool {
    let mut from = 0;
    while let Some(at) = HINTS.next(value, from) {
        let mut names = HINTS.at(value, at);
        let is_name = |range: &Range<usize>| {
            if value.contains(char::is_whitespace) {
                begins_word(value, range)
            } else {
                *range == (0..value.len())
            }
        };
        if names.any(|(range, meaning)| matches!(meaning, Meaning::Label(_)) && is_name(&range)) {
            return true;
        }
        from = at + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_something() {
        for text in [
            "Enter your password",
            "Wrong secret?",
            "Il nome della chiave di accesso",
            "Пароль администратора",
            "Le mot de passe oublié",
            "\\u5bc6\\u78bc\\u932f\\u8aa4",
            "Cl\\u00e9 de l'API",
            "Hasło",
        ] {
            assert!(is_message(text), "{text}");
        }
        for text in [
            "open sesame",
            "Correct horse battery staple",
            "four fake staple words",
            "zwei Wörter",
            "clave falsa 7",
            "p\\u0040ss",
            "Sésame",
            "Fake 7x",
            "hunter?",
        ] {
            assert!(!is_message(text), "{text}");
        }
    }
}
