//! What stands for a value and is none: `${VAR}`, `<token>`, `***`, a path, a call, a name of a variable.

use super::ordinary::starts_fill_in;

/// The ends of the names of files in which keys and settings are.
const FILES: &[&str] = &[
    "pem", "key", "pub", "asc", "gpg", "p12", "pfx", "crt", "cer", "der", "jks", "ppk", "kdbx", "json",
    "txt", "env", "yaml", "yml", "toml", "ini", "cfg", "conf", "md", "rs", "ts", "tsx", "js", "py", "go",
    "rb", "java", "php", "sh", "html", "xml", "enc", "age", "lock", "log",
];

/// How a digest begins.
const DIGESTS: &[&str] = &[
    "sha1:", "sha256:", "sha384:", "sha512:", "sha1-", "sha256-", "sha384-", "sha512-", "md5:",
];

/// Whether a value is none; `rest` is what follows it.
pub(super) fn is_placeholder(value: &str, is_quoted: bool, rest: &str) -> bool {
    is_mask(value)
        || is_template(value)
        || is_fill_in(value)
        || is_digest(value)
        || is_location(value)
        || is_constant(value)
        || is_colour(value)
        || (!is_quoted && is_code(value, rest))
}

/// `***`, `xxxx`, `…`, `sk-...`.
fn is_mask(value: &str) -> bool {
    let is_dot = |c: char| {
        matches!(
            c,
            '*' | '•' | '●' | '.' | '…' | 'x' | 'X' | '-' | '_' | '#' | '?' | '＊'
        )
    };
    let is_masked = ["***", "•••", "●●●", "xxxx", "XXXX", "..."]
        .iter()
        .any(|mask| value.contains(mask));
    !value.contains(char::is_alphanumeric) || value.chars().all(is_dot) || is_masked || value.ends_with('…')
}

/// What a program or a person puts something in for: `${VAR}`, `$VAR`, `{{ pw }}`, `<token>`, `%PW%`, `[token]`.
fn is_template(value: &str) -> bool {
    if value.starts_with(['<', '{', '[', '(', '＜', '【', '［', '（']) {
        return true;
    }
    if let Some(variable) = value.strip_prefix('$') {
        let is_name = variable.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        let is_constant = variable
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        return variable.starts_with(['{', '(', '_'])
            || variable.starts_with("env:")
            || variable.contains("->")
            || is_name
            || is_constant;
    }
    let is_variable = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let percent = value.strip_prefix('%').and_then(|inner| inner.strip_suffix('%'));
    percent.is_some_and(|inner| inner.chars().all(is_variable))
        || ["${", "{{", "#{", "%s", "%(", "$("]
            .iter()
            .any(|mark| value.contains(mark))
        || has_hole(value.trim_matches('%'))
        || value.starts_with("ENC[")
}

/// Whether a part of it is put in: `Bearer {api_key}`, `token-<name>`, or all is: `env(NAME)`.
fn has_hole(value: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '-' | ' ');
    [('{', '}'), ('<', '>'), ('(', ')')].iter().any(|&(open, close)| {
        let hole = value
            .split_once(open)
            .and_then(|(before, rest)| Some((before, rest.split_once(close)?)));
        hole.is_some_and(|(before, (inside, after))| {
            // A call is the whole of a value, and no remark.
            let is_whole =
                open != '(' || !before.is_empty() && after.is_empty() && before.chars().all(is_name);
            inside.len() >= 2 && inside.chars().all(is_name) && is_whole
        })
    })
}

/// What somebody is to fill in: `your-token`, `changeme`.
fn is_fill_in(value: &str) -> bool {
    let lower = value.to_lowercase();
    let is_yours = lower.starts_with("your ") || lower.contains("_here") || lower.contains("-here");
    is_yours || starts_fill_in(&lower)
}

fn is_digest(value: &str) -> bool {
    let lower = value.to_lowercase();
    DIGESTS.iter().any(|start| lower.starts_with(start))
}

/// A path, a file, an address: where a secret is, not what it is.
fn is_location(value: &str) -> bool {
    if value.contains("://") || value.starts_with("arn:") {
        return true;
    }
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '-' | '_' | '~' | ':' | '#');
    if !value.chars().all(is_plain) {
        return false;
    }
    let extension = value.rsplit_once('.').map(|(_, extension)| extension);
    if extension.is_some_and(|extension| FILES.contains(&extension)) {
        return true;
    }
    let is_drive = value.as_bytes().get(1) == Some(&b':') && value.as_bytes().get(2) == Some(&b'\\');
    // Base64 has slashes as well: the parts of a path are words.
    let parts = value.split(['/', '\\']).filter(|part| !part.is_empty());
    let are_words = parts
        .clone()
        .all(|part| !part.contains(|c: char| c.is_ascii_digit()) || part.len() <= 12);
    is_drive || (value.contains('/') && are_words && parts.count() >= 2 && !is_mixed_anywhere(value))
}

fn is_mixed_anywhere(value: &str) -> bool {
    let has_upper = value.contains(|c: char| c.is_ascii_uppercase());
    has_upper && value.contains(|c: char| c.is_ascii_digit())
}

/// The name of a constant or of a header: `DB_PASSWORD`, `X-Api-Key`.
fn is_constant(value: &str) -> bool {
    let header = value.strip_prefix("X-").or_else(|| value.strip_prefix("x-"));
    if header.is_some_and(|header| header.chars().all(|c| c.is_ascii_alphabetic() || c == '-')) {
        return true;
    }
    let mut parts = value.split('_');
    value.contains('_')
        && value
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && parts.all(|part| part.is_empty() || part.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// `#fff`, `#1e90ff`.
fn is_colour(value: &str) -> bool {
    let digits = value.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6 | 8) && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A call, a member, a reference, a tag of YAML, a generic type.
fn is_code(value: &str, rest: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let head = value.len() - value.trim_start_matches(is_word).len();
    let after = &value[head..];
    let is_named = head > 0 && !value.starts_with(|c: char| c.is_ascii_digit());
    let is_called = is_named
        && ["(", "[", "!(", "![", "!{"]
            .iter()
            .any(|call| after.starts_with(call));
    let is_generic = is_named
        && after.is_empty()
        && (rest.starts_with('<') && !rest.starts_with("</") || rest.starts_with("::"));
    let is_path = is_named && after.starts_with("::");
    let is_hex = |digits: &str| digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let is_integer = value.strip_prefix("0x").is_some_and(is_hex);
    let is_tag = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    let operand = value.trim_start_matches(['!', '&', '*']);
    let is_marked = operand.len() < value.len() && (is_tag(operand) || is_member(operand));
    is_called || is_generic || is_path || is_integer || is_marked || is_member(value)
}

/// `process.env.TOKEN`, `self.password`, `os.environ[`, `std::env::var(`: names joined by dots. Only a call's names, and those with
/// underscores, have digits in them.
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(is_placeholder(value, false, ""), "{value}");
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
            assert!(!is_placeholder(value, false, ""), "{value}");
        }
    }
}
