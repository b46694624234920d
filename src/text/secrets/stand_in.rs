//! Texts that stand in for a value and are no secret: a mask, a template, a text to fill in, the place of the secret,
//! code.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::hints::{HINTS, Meaning};
use super::ordinary::{is_fill_in, is_ordinary, set};
use crate::text::pattern;

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
        r"(?x) ^\$(?: [{(_] | env: | [A-Za-z_]*[0-9]{0,2}$ | [A-Z0-9_]*_[A-Z0-9_]*$ | .*-> )
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
pub(super) fn is_file(value: &str) -> bool {
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

pub(super) fn is_name_char(c: char) -> bool {
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
pub(super) fn is_code(value: &str, rest: &str) -> bool {
    let is_name = value.chars().all(is_name_char) && !value.starts_with(|c: char| c.is_ascii_digit());
    CODE.is_match(value) || is_name && OPERAND.is_match(rest)
}

/// True when it is a label, in any language.
pub(super) fn is_label(value: &str) -> bool {
    labels_at(value, 0).any(|range| range.end == value.len())
}

/// True when it has a label in it, in any language, that stands so.
pub(super) fn has_label(value: &str, stands: impl Fn(&Range<usize>) -> bool) -> bool {
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
