//! Every judgement on what stands where a value would stand. It is a secret unless it stands in for one (a mask, a template,
//! a text to fill in, the place of the secret, code), or is the name of a variable, an ordinary word, a measure, or a text
//! for people.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::hints::{HINTS, Meaning};
use super::joints::begins_word;
use super::labels::Value;
use super::ordinary::{is_fill_in, is_named, is_noun, is_ordinary, is_type_name, is_unit, set};
use super::value::{Candidate, Joint, ends_field};
use crate::text::{is_cjk, pattern};

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
        if self.is_quoted && (is_message(value) || COMMAND.is_match(value))
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

/// The command that prints a secret, or puts one in: it has a name, and something that no sentence has.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:sudo )?(?:make|just|npm|cargo|grep|rg|ag|sed|awk|cat|head|cut|jq|echo|printenv|op|bw|pass|gopass|vault|sops|age|gpg|security|keyring|kubectl|helm|aws|gcloud|az|heroku|flyctl|fly|doppler|terraform|docker|ssh|psql|mysql|curl|git|gh|glab|openssl|pwgen|python3?|node|bash|sh) .*[-/^$|_.=]",
    )
});

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
    let value = value.trim_end_matches('#');
    (4..=12).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit())
}

/// The ends of the names of files in which keys and settings are.
static FILES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set(&["
    pem key pub asc gpg p12 pfx crt cer der jks ppk kdbx json txt env yaml yml toml ini cfg conf md rs ts tsx js
    py go rb java php sh html xml enc age lock log
"])
});

/// True when a value stands for another one, whatever its label is.
pub(super) fn is_stand_in(value: &str) -> bool {
    let lower = value.to_lowercase();
    is_ordinary(&lower)
        || is_label(value)
        || is_mask(value)
        || is_template(value)
        || is_fill_in(&lower)
        || is_location(value, &lower)
        || CONSTANT.is_match(value)
}

/// `***`, `xxxx`, `…`, `sk-...`. A text with all that people put into a password is a password, masked in part or not,
/// and stars behind the beginning of a word leave that to be read: `abc***`.
fn is_mask(value: &str) -> bool {
    let is_dot = |c: char| "*•●.…xX-_#?＊".contains(c);
    let is_masked = value.contains(is_dot)
        && ["***", "•••", "●●●", "xxxx", "XXXX", "..."]
            .iter()
            .any(|mask| value.contains(mask));
    !value.contains(char::is_alphanumeric)
        || value.chars().all(is_dot)
        || value.ends_with('…')
        || (is_masked && !is_strong(value) && !begins_plainly(value))
}

/// True when stars follow three letters or digits or more that are no name of an issuer: `abc***`, not `AKIA***` or
/// `sk-***`.
fn begins_plainly(value: &str) -> bool {
    let (head, _) = value.split_once("***").unwrap_or_default();
    let head = head.rsplit(['-', '_']).next().unwrap_or_default();
    head.len() >= 3
        && head.chars().all(|c| c.is_ascii_alphanumeric())
        && head.contains(|c: char| !c.is_ascii_uppercase())
}

/// A variable, `${VAR}`, `{{ pw }}`, `%PW%`, `env(NAME)`, or a part that is put in: `Bearer {api_key}`. A call or a type is
/// the whole of a value, and no remark.
static SLOT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) ^(?:[)\]}] | \.[*+] | \[\^ | \\[SWDswd] | \(\.) | ^/(?:\{ | /[a-z]{0,2}(?:$|['\x22 ])) | ^\$(?: [{(_] | env: | [A-Za-z_]*[0-9]{0,2}$ | [A-Z0-9_]*_[A-Z0-9_]*$ | .*-> )
        | ^%[A-Za-z0-9_()]*%$ | \$\{ | \{\{ | \#\{ | %s | %\( | \$\( | ^ENC\[
        | \{[A-Za-z_.\ -]{2,}\} | <[A-Za-z_.\ -]{2,}> | ^[A-Za-z_.\ -]+(?:\([A-Za-z_.\ -]{2,}\)|\[[A-Za-z_.\ -]{2,}\])$",
    )
});

/// True for a slot that a program or a person fills, also in brackets: `<token>`, `[token]`.
fn is_template(value: &str) -> bool {
    if value.starts_with(['<', '{', '[', '(', '＜', '【', '［', '（']) {
        let is_closed = value.contains(['>', '}', ']', ')', '"', ',', '＞', '】', '］', '）']);
        let is_operand = value.starts_with('(') && !parts_a_word(value);
        return is_closed || is_operand || !is_strong(value);
    }
    SLOT.is_match(value)
}

/// True when a sign that no operator is written with stands inside a word: `x9!kQ2`, not `x$y1` or `!x1`.
fn parts_a_word(value: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    value
        .as_bytes()
        .windows(3)
        .any(|near| is_word(near[0]) && b"!@#^".contains(&near[1]) && is_word(near[2]))
}

/// An address, a digest, a colour.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)://|^(?:arn:|-----|(?:sha1|sha256|sha384|sha512|md5)[:-]|#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$)",
    )
});

/// Where a secret is or what it amounts to, not what it is: a path, an address, a digest.
fn is_location(value: &str, lower: &str) -> bool {
    if ADDRESS.is_match(value) {
        return true;
    }
    let is_plain = |c: char| c.is_alphanumeric() || "/\\.-_~:#".contains(c);
    if !value.chars().all(is_plain) {
        return false;
    }
    // Base64 has slashes as well: the parts of a path are words.
    let parts = || value.split(['/', '\\']).filter(|part| !part.is_empty());
    let has_digit = |part: &str| part.contains(|c: char| c.is_ascii_digit());
    let is_path = value.contains('/')
        && parts().count() >= 2
        && parts().all(|part| !has_digit(part) || part.len() <= 12);
    let is_hidden = value.starts_with(['.', '/']) && !has_digit(value) && lower == value;
    let is_mixed = value.contains(|c: char| c.is_ascii_uppercase()) && has_digit(value);
    value.get(1..3) == Some(":\\") || is_hidden || ((is_path || is_file(value)) && !is_mixed)
}

/// The name of a file in which keys and settings are.
fn is_file(value: &str) -> bool {
    let extension = value.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| FILES.contains(extension))
}

/// True when it has a letter, a digit and a symbol, as hardly anything but a password has.
fn is_strong(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    has(char::is_ascii_alphabetic)
        && has(char::is_ascii_digit)
        && value.contains(['!', '@', '#', '$', '%', '^', '&', '?'])
}

/// The name of a header or of a constant: `X-Api-Key`, `DB_PASSWORD`.
static CONSTANT: LazyLock<Regex> = LazyLock::new(|| {
    pattern("^(?:[Xx]-[A-Za-z-]*|(?:[A-Z][A-Z0-9]*|[0-9])?(?:_(?:[A-Z][A-Z0-9]*|[0-9])?)+)$")
});

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A call, a member, a number, a reference, a pattern, a tag of YAML. Names are joined by dots: `process.env.TOKEN`,
/// `self.password`, `std::env::var(`. Only a call's names, and those with underscores, have digits in them.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    let name = "(?:[A-Za-z_]+|[A-Za-z_][A-Za-z0-9_]*_[A-Za-z0-9_]*|_[A-Za-z0-9_]*)";
    let member = format!(
        r"(?:(?:self|this)\.|.*\?\.|{name}(?:(?:\.{name})+|(?:::{name})+)(?:[(\[!;,]|$)|[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]*)+[(\[])"
    );
    pattern(&format!(
        r"^(?:[A-Za-z_][A-Za-z0-9_]*(?:\(|\[|!\(|!\[|!\{{|::)|0x[0-9A-Fa-f]{{0,8}}$|[!&*]+[A-Za-z_]+$|/.*[\^\[\\]|[!&*]*{member})"
    ))
});

/// What follows a name that is an operand, or a generic type.
static OPERAND: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:<[^/]|<$|::| *(?:\?\??|&&|\|\||\+) )"));

/// True for the text of a program. `rest` stands behind it.
fn is_code(value: &str, rest: &str) -> bool {
    let is_name = value.chars().all(is_name_char) && !value.starts_with(|c: char| c.is_ascii_digit());
    CODE.is_match(value) || is_name && OPERAND.is_match(rest)
}

/// True when it is a label, in any language.
fn is_label(value: &str) -> bool {
    labels_at(value, 0).any(|range| range.end == value.len())
}

/// True when it has a label in it, in any language, that stands so.
fn has_label(value: &str, stands: impl Fn(&Range<usize>) -> bool) -> bool {
    let mut from = 0;
    while let Some(at) = HINTS.next(value, from) {
        if labels_at(value, at).any(|range| stands(&range)) {
            return true;
        }
        from = at + 1;
    }
    false
}

fn labels_at(value: &str, at: usize) -> impl Iterator<Item = Range<usize>> {
    let labels = HINTS.at(value, at);
    labels.filter_map(|(range, meaning)| matches!(meaning, Meaning::Label(_)).then_some(range))
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

    fn is_none(value: &str) -> bool {
        is_stand_in(value) || is_code(value, "")
    }

    #[test]
    fn stands_for_a_value() {
        for value in [
            "***",
            "********",
            "xxxxxxxx",
            "…",
            "sk-...",
            "${VAR}",
            "$VAR",
            "$(cat file)",
            "{{ pw }}",
            "<token>",
            "%PW%",
            "[token]",
            "your-token",
            "YOUR_API_KEY",
            "changeme",
            "sha256:9f86d081",
            "/run/secrets/db",
            "~/.ssh/id_rsa",
            "keys/release.asc",
            "op://vault/item",
            "C:\\keys\\a.pem",
            "DB_PASSWORD",
            "process.env.TOKEN",
            "getenv(",
            "os.environ[",
            "std::env::var(",
            "!vault",
            "secret_here",
            "${{ secrets.TOKEN }}",
            "req.body.password",
        ] {
            assert!(is_none(value), "{value}");
        }
    }

    #[test]
    fn is_a_value() {
        for value in [
            "hunter2",
            "Fake-Stage-31",
            "$ecret123",
            "FakeSecret/0+FakeSecret/0+F",
            "fakeprivkey00112233445566",
            "x1y2",
            "P@ss.word1",
            "FAKE_PASS_123",
            "Fake/Base64/12Ab",
            "!Fake1",
            "correcthorse",
        ] {
            assert!(!is_none(value), "{value}");
        }
    }
}
