//! Texts that stand in for a value and are no secret: a mask, a template, a text to fill in, the place of the secret,
//! code.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::hints::{HINTS, Meaning};
use super::ordinary::{is_fill_in, is_ordinary, set};

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
        || is_constant(value)
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

/// True for a slot that a program or a person fills: `${VAR}`, `$VAR`, `{{ pw }}`, `<token>`, `%PW%`, `[token]`,
/// `Bearer {api_key}`, `env(NAME)`.
fn is_template(value: &str) -> bool {
    if value.starts_with(['<', '{', '[', '(', '＜', '【', '［', '（']) {
        let is_closed = value.contains(['>', '}', ']', ')', '"', ',', '＞', '】', '］', '）']);
        let is_operand = value.starts_with('(') && !parts_a_word(value);
        return is_closed || is_operand || !is_strong(value);
    }
    if let Some(variable) = value.strip_prefix('$') {
        let name = variable.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_name =
            name.chars().all(|c| c.is_ascii_alphabetic() || c == '_') && variable.len() - name.len() <= 2;
        let is_joined = variable.contains('_') && is_upper(variable);
        return variable.starts_with(['{', '(', '_'])
            || variable.starts_with("env:")
            || variable.contains("->")
            || is_name
            || is_joined;
    }
    let percent = value.strip_prefix('%').and_then(|inner| inner.strip_suffix('%'));
    percent.is_some_and(|inner| inner.chars().all(is_name_char))
        || value.contains(['$', '{', '%'])
            && ["${", "{{", "#{", "%s", "%(", "$("]
                .iter()
                .any(|mark| value.contains(mark))
        || has_hole(value.trim_matches('%'))
        || value.starts_with("ENC[")
}

/// True when a sign that no operator is written with stands inside a word: `x9!kQ2`, not `x$y1` or `!x1`.
fn parts_a_word(value: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    value
        .as_bytes()
        .windows(3)
        .any(|near| is_word(near[0]) && b"!@#^".contains(&near[1]) && is_word(near[2]))
}

/// True when a part of it is put in: `Bearer {api_key}`, `token-<name>`, or all is: `env(NAME)`.
fn has_hole(value: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '-' | ' ');
    [('{', '}'), ('<', '>'), ('(', ')'), ('[', ']')]
        .iter()
        .any(|&(open, close)| {
            let hole = value
                .split_once(open)
                .and_then(|(before, rest)| Some((before, rest.split_once(close)?)));
            hole.is_some_and(|(before, (inside, after))| {
                // A call or a type is the whole of a value, and no remark.
                let is_whole = matches!(open, '{' | '<')
                    || !before.is_empty() && after.is_empty() && before.chars().all(is_name);
                inside.len() >= 2 && inside.chars().all(is_name) && is_whole
            })
        })
}

/// A path, an address, a digest, a colour: where a secret is or what it amounts to, not what it is.
fn is_location(value: &str, lower: &str) -> bool {
    let is_digest = |name| {
        lower
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([':', '-']))
    };
    let is_hex = |digits: &str| digits.bytes().all(|b| b.is_ascii_hexdigit());
    let is_colour = |digits: &str| matches!(digits.len(), 3 | 6 | 8) && is_hex(digits);
    if value.contains('/') && value.contains("://")
        || value.starts_with("arn:")
        || value.starts_with("-----")
        || lower.contains([':', '-'])
            && ["sha1", "sha256", "sha384", "sha512", "md5"]
                .into_iter()
                .any(is_digest)
        || value.strip_prefix('#').is_some_and(is_colour)
    {
        return true;
    }
    let is_plain = |c: char| c.is_alphanumeric() || "/\\.-_~:#".contains(c);
    if !value.chars().all(is_plain) {
        return false;
    }
    let is_drive = value.as_bytes().get(1..3) == Some(b":\\");
    // Base64 has slashes as well: the parts of a path are words.
    let parts = || value.split(['/', '\\']).filter(|part| !part.is_empty());
    let has_digit = |part: &str| part.contains(|c: char| c.is_ascii_digit());
    let is_path = value.contains('/')
        && parts().count() >= 2
        && parts().all(|part| !has_digit(part) || part.len() <= 12);
    let is_hidden = value.starts_with(['.', '/']) && !has_digit(value) && lower == value;
    is_drive || is_hidden || ((is_path || is_file(value)) && !is_mixed_anywhere(value))
}

/// The name of a file in which keys and settings are.
pub(super) fn is_file(value: &str) -> bool {
    let extension = value.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| FILES.contains(extension))
}

fn is_mixed_anywhere(value: &str) -> bool {
    let has_upper = value.contains(|c: char| c.is_ascii_uppercase());
    has_upper && value.contains(|c: char| c.is_ascii_digit())
}

/// True when it has a letter, a digit and a symbol, as hardly anything but a password has.
fn is_strong(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    has(char::is_ascii_alphabetic)
        && has(char::is_ascii_digit)
        && value.contains(['!', '@', '#', '$', '%', '^', '&', '?'])
}

/// The name of a constant or of a header: `DB_PASSWORD`, `X-Api-Key`.
fn is_constant(value: &str) -> bool {
    let header = value.strip_prefix("X-").or_else(|| value.strip_prefix("x-"));
    let is_header = |header: &str| header.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    let is_part =
        |part: &str| part.is_empty() || part.starts_with(|c: char| c.is_ascii_uppercase()) || part.len() == 1;
    header.is_some_and(is_header) || value.contains('_') && is_upper(value) && value.split('_').all(is_part)
}

fn is_upper(value: &str) -> bool {
    value.chars().all(|c| is_name_char(c) && !c.is_ascii_lowercase())
}

pub(super) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A call, a member, a reference, an operand, a pattern, a tag of YAML, a generic type.
pub(super) fn is_code(value: &str, rest: &str) -> bool {
    let after = value.trim_start_matches(is_name_char);
    let is_named = after.len() < value.len() && !value.starts_with(|c: char| c.is_ascii_digit());
    let is_followed = |signs: &[&str], text: &str| signs.iter().any(|sign| text.starts_with(sign));
    let is_called =
        after.starts_with(['(', '[', '!', ':']) && is_followed(&["(", "[", "!(", "![", "!{", "::"], after);
    let is_generic = match rest.as_bytes() {
        [b'<', next @ ..] => !next.starts_with(b"/"),
        [b':', b':', ..] => true,
        _ => false,
    };
    let next = rest.trim_start_matches(' ');
    let is_operand =
        next.starts_with(['?', '&', '|', '+']) && is_followed(&["? ", "?? ", "&& ", "|| ", "+ "], next);
    let is_hex = |digits: &str| digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let is_tag = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    let operand = value.trim_start_matches(['!', '&', '*']);
    is_named && (is_called || after.is_empty() && (is_generic || is_operand))
        || value.strip_prefix("0x").is_some_and(is_hex)
        || operand.len() < value.len() && (is_tag(operand) || is_member(operand))
        || value.starts_with('/') && value.contains(['^', '[', '\\'])
        || is_member(value)
}

/// `process.env.TOKEN`, `self.password`, `os.environ[`, `std::env::var(`: names joined by dots. Only a call's names,
/// and those with underscores, have digits in them.
fn is_member(value: &str) -> bool {
    let path = value.split(['(', '[', '!', ';', ',']).next().unwrap_or_default();
    let is_call = value[path.len()..].starts_with(['(', '[']);
    let separator = if path.contains("::") { "::" } else { "." };
    let is_name = |part: &str| {
        let may_count = is_call || part.contains('_');
        let is_part = |c: char| c.is_ascii_alphabetic() || c == '_' || (may_count && c.is_ascii_digit());
        part.starts_with(|c: char| !c.is_ascii_digit()) && part.chars().all(is_part)
    };
    let is_own = path.starts_with("self.") || path.starts_with("this.");
    is_own || value.contains("?.") || path.contains(separator) && path.split(separator).all(is_name)
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
