//! Every judgement on what stands where a value would stand. It is a secret unless it stands in for one, or is the name
//! of a variable, an ordinary word, a measure, or a text for people.

use std::borrow::Cow;

use super::labelled::begins_word;
use super::labels::Value;
use super::ordinary::{is_named, is_noun, is_ordinary, is_type_name, is_unit};
use super::stand_in::{has_label, is_code, is_file, is_label, is_name_char, is_stand_in};
use super::value::{Candidate, Joint, ends_field};
use crate::text::is_cjk;

/// A bare value that is longer than this is no word of a sentence.
const LONG: usize = 256;

/// A word of this length or less, in small letters, makes a capitalised text a sentence: `of`, `la`, `do`, `per`.
const LONGEST_PARTICLE: usize = 3;

/// The words of the names of variables that tell of no secret are no shorter.
const SHORTEST_WORD: usize = 4;

impl Candidate {
    /// True when it looks like the value of such a label.
    pub(super) fn is_secret(&self, text: &str, want: Value, joint: Joint) -> bool {
        let value = &text[self.range.clone()];
        let rest = &text[self.range.end..];
        if value.len() > LONG && !self.is_quoted {
            return true;
        }
        let is_file = || want != Value::Chosen && is_file(value);
        if is_stand_in(value) || is_file() || (!self.is_quoted && is_code(value, rest)) {
            return false;
        }
        if want == Value::Digits {
            return is_pin(value) && !is_counted(rest);
        }
        let lower = value.trim_matches(is_edge).to_lowercase();
        if is_ordinary_phrase(&lower) || is_measure(&lower, rest) || is_named(&lower) {
            return false;
        }
        // In a file of settings no variable can be read.
        if self.is_quoted && is_message(value)
            || joint != Joint::Assignment && self.is_variable(text, want, joint)
        {
            return false;
        }
        if self.is_quoted && value.contains(char::is_whitespace) {
            let is_title =
                value.starts_with(char::is_uppercase) && !value.contains(|c: char| c.is_ascii_digit());
            return want == Value::Chosen || (want == Value::Drawn && !is_title);
        }
        if self.is_quoted && want != Value::Token || looks_drawn(value, want) {
            return true;
        }
        if value.ends_with("_t") || value.chars().all(|c| c.is_ascii_uppercase()) {
            return false;
        }
        match (joint, want) {
            (Joint::Verb, _) | (_, Value::Token | Value::Digits) => {
                joint == Joint::Assignment && value.len() >= 8
            }
            (Joint::Assignment, _) => value.len() >= 4,
            // A word after a colon is the value if nothing follows: with more words it is the start of a sentence.
            (_, Value::Chosen) => value.len() >= 4 && ends_field(rest),
            // In a list a word is a variable.
            (_, Value::Drawn) => {
                let is_last = ends_field(rest) && !rest.starts_with([',', ')']);
                value.len() >= 6 && is_last && value.chars().all(char::is_lowercase)
            }
        }
    }

    /// True when it is the name of a variable or a type that holds a secret: `hashedPassword`, `_api_key`, `token2`,
    /// `KafkaV12Credentials`. In quotes only a text that no person chose is a name; behind a colon, on a line of its
    /// own, `adminPassword` is a password.
    fn is_variable(&self, text: &str, want: Value, joint: Joint) -> bool {
        let value = &text[self.range.clone()];
        let is_chosen = want == Value::Chosen;
        let digits = value.chars().filter(char::is_ascii_digit).count();
        if !value.chars().all(is_name_char)
            || self.is_quoted && is_chosen
            || digits > 0 && (is_chosen || self.is_quoted)
        {
            return false;
        }
        let rest = text[self.range.end..].trim_start_matches([' ', '\r']);
        let is_alone = is_chosen && joint == Joint::Line && (rest.is_empty() || rest.starts_with('\n'));
        let parts = parts(value);
        let is_noun = |part: &String| {
            let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
            is_noun(part) && !(is_alone && is_label(part))
        };
        if digits > 0 {
            // A drawn value does not end with the name of a secret, and begins with no name of a type.
            let is_type =
                digits <= 3 && parts.len() >= 2 && value.starts_with(|c: char| c.is_ascii_uppercase());
            return is_type && parts.iter().any(is_noun) || digits <= 2 && parts.last().is_some_and(is_noun);
        }
        let in_words: usize = parts
            .iter()
            .map(String::len)
            .filter(|length| *length >= SHORTEST_WORD)
            .sum();
        let are_words = !is_chosen && !self.is_quoted && in_words * 4 >= value.len() * 3;
        parts.len() >= 2 && (are_words || parts.iter().any(is_noun))
    }
}

/// The words of a name, in lower case: at underscores and capitals.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if c == '_' || (was_small && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        if c.is_ascii_alphanumeric() {
            parts
                .last_mut()
                .expect("because it begins with a part")
                .push(c.to_ascii_lowercase());
        }
        was_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// True when the content of a quotation is said to a person.
fn is_message(value: &str) -> bool {
    let mut words = value.split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | ':'));
    let plain = without_escapes(value);
    let is_several = plain.contains(char::is_whitespace);
    if plain.contains(|c: char| c.is_ascii_digit()) {
        return is_several && ends_sentence(value);
    }
    let is_sentence = value.starts_with(char::is_uppercase) && words.any(is_particle);
    let is_title = !is_several || value.starts_with(char::is_uppercase);
    plain != value
        || is_sentence
        || (is_several && ends_sentence(value))
        || is_title && (is_label(value) || is_several && has_label(value, |range| begins_word(value, range)))
}

fn ends_sentence(value: &str) -> bool {
    value.ends_with(['.', '?', '…', '。', '？'])
}

fn is_particle(word: &str) -> bool {
    !word.is_empty() && word.chars().count() <= LONGEST_PARTICLE && word.chars().all(char::is_lowercase)
}

/// The text without `\u00e9` and the like, for letters that are not those of a password's alphabet.
fn without_escapes(value: &str) -> Cow<'_, str> {
    if !value.contains('\\') {
        return Cow::Borrowed(value);
    }
    let mut parts = value.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..4).and_then(|code| u32::from_str_radix(code, 16).ok());
        match code {
            Some(0xa0..) => plain.push_str(&part[4..]),
            _ => plain.push_str(part),
        }
    }
    Cow::Owned(plain)
}

/// True for a sign that may stand around a word without being part of it.
fn is_edge(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '/' | '~' | '$' | '%' | '+' | '#')
}

/// True when every part of it is an ordinary word or a small number: `required|min:8`.
fn is_ordinary_phrase(lower: &str) -> bool {
    let mut parts = lower
        .split(['|', ':', ',', '/', ' '])
        .filter(|part| !part.is_empty());
    parts.clone().next().is_some()
        && parts
            .all(|part| is_ordinary(part) || (part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit())))
}

/// True when it has the signs that people and programs put into a secret, and words do not have.
fn looks_drawn(value: &str, want: Value) -> bool {
    let shortest = if want == Value::Chosen { 4 } else { 6 };
    if value.chars().count() < shortest {
        return false;
    }
    if value.chars().all(|c| c.is_ascii_digit()) {
        let digits = match want {
            Value::Chosen | Value::Digits => 4,
            Value::Drawn => 8,
            Value::Token => 10,
        };
        return value.len() >= digits;
    }
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_symbol = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '~', '?']);
    has_digit || has_symbol || (is_mixed(value) && !is_type_name(value))
}

/// True when a capital stands after a small letter of the same word: `hunterTwo`, not `X-Api-Key`.
fn is_mixed(value: &str) -> bool {
    let mut was_lower = false;
    value.chars().any(|c| {
        let is_mixed = was_lower && c.is_uppercase();
        was_lower = c.is_lowercase();
        is_mixed
    })
}

/// True when it is a number, or a number of something, a date, a time, a version.
fn is_measure(lower: &str, rest: &str) -> bool {
    let bare = lower.trim_start_matches(['v', '~', '+', '#']);
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 5 {
        return false;
    }
    let tail = &bare[digits..];
    if tail.is_empty() {
        return is_counted(rest);
    }
    if tail
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ':' | '-' | '/' | '%' | '+' | ',' | '–' | 't' | 'z'))
    {
        // 2026-11-01, 12:30, 1.2.3, 8-64, 50%; but not a long one, as a card's or a phone's.
        return bare.len() <= 10 || bare.starts_with("20");
    }
    let mut words = tail.trim_start_matches(['+', '-', '–']).split('-');
    words.all(|word| is_unit(word) || is_ordinary(word) || is_named(word))
}

/// True when the word behind a number names the things that it counts.
fn is_counted(rest: &str) -> bool {
    let after = rest.trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}', '-', '+', '*']);
    let is_word = |c: char| c.is_alphanumeric() && !is_cjk(c);
    let end = after.find(|c| !is_word(c)).unwrap_or(after.len());
    if end > 0 {
        return end < 20 && is_unit(&after[..end].to_lowercase());
    }
    let mut ends = after.char_indices().skip(1).map(|(at, _)| at).take(3);
    after.starts_with(is_cjk) && (ends.any(|end| is_unit(&after[..end])) || is_unit(after))
}

fn is_pin(value: &str) -> bool {
    (4..=12).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit())
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
