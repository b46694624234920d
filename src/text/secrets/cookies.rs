//! Cookies: `Cookie: session=…; theme=dark`, `Set-Cookie: sid=…; Path=/`.

use std::ops::Range;

use super::Secret;
use super::labelled::joined;
use super::ordinary::is_ordinary;
use super::placeholder::is_placeholder;

pub(super) const HINT: &str = "cookie";
/// All cookies together are no longer than this.
const MOST: usize = 4096;
/// The name of a cookie is no longer than this.
const LONGEST_NAME: usize = 128;
/// The value of a session is no shorter than this.
const SHORTEST: usize = 6;
/// What is drawn is a secret under any name when it is as long as this.
const SHORTEST_DRAWN: usize = 24;
/// What the names of cookies have in them that say who somebody is.
const NAMES: &[&str] = &[
    "sess", "sid", "auth", "token", "jwt", "login", "remember", "csrf", "xsrf", "sso", "identity", "ticket",
];

/// The secrets of the cookies that the header or the flag at `at` gives.
pub(super) fn read(text: &str, at: &Range<usize>) -> Vec<Secret> {
    joined(text, at).map_or_else(Vec::new, |joined| read_pairs(text, joined.at))
}

/// The secrets of the cookies that begin at `at`. The first word that is no cookie ends them: no text of many headers
/// is read to its end from each of them.
pub(super) fn read_pairs(text: &str, at: usize) -> Vec<Secret> {
    let mut at = at + usize::from(text[at..].starts_with(['"', '\'', '`']));
    let end = text.floor_char_boundary(text.len().min(at + MOST));
    let mut secrets = Vec::new();
    while let Some((name, value)) = pair(text, at..end) {
        at = value.end;
        if is_secret(&text[name], &text[value.clone()]) {
            secrets.push(Secret {
                range: value,
                kind: "cookie",
            });
        }
        if !text[at..].starts_with(';') {
            break;
        }
        at += 1;
    }
    secrets
}

/// The name and the value of the cookie with which a text begins.
fn pair(text: &str, within: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let rest = &text[within.clone()];
    let start = within.start + rest.len() - rest.trim_start_matches(' ').len();
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let name = text.as_bytes()[start..within.end]
        .iter()
        .take(LONGEST_NAME)
        .take_while(|b| is_name(b))
        .count();
    let value = text[start + name..within.end]
        .strip_prefix('=')
        .filter(|_| name > 0)?;
    let is_end = |c: char| c.is_whitespace() || matches!(c, ';' | ',' | '"' | '\'' | '`');
    let value = value.find(is_end).unwrap_or(value.len());
    let after = start + name + 1;
    Some((start..start + name, after..after + value))
}

fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_letter = value.contains(|c: char| c.is_ascii_alphabetic());
    let says_who = NAMES.iter().any(|part| name.contains(part)) && value.len() >= SHORTEST;
    let is_drawn = has_digit && has_letter && value.len() >= SHORTEST_DRAWN;
    (says_who || is_drawn) && !is_placeholder(value, false, "") && !is_ordinary(&value.to_lowercase())
}

#[cfg(test)]
mod tests {
    use crate::text::Redactor;

    #[test]
    fn who_somebody_is_goes_and_the_rest_stays() {
        let redactor = Redactor::standard();
        for (text, expected) in [
            (
                "Cookie: theme=dark; session=fake0123; lang=en",
                "Cookie: theme=dark; session=[REDACTED:cookie]; lang=en",
            ),
            (
                "set-cookie: sid=fakeFake01; Path=/; HttpOnly",
                "set-cookie: sid=[REDACTED:cookie]; Path=/; HttpOnly",
            ),
            (
                "Cookie: a_session=fake0123; xsrf=fake4567",
                "Cookie: a_session=[REDACTED:cookie]; xsrf=[REDACTED:cookie]",
            ),
            (
                "curl -b 'sessionid=fake0123' https://x.example.org",
                "curl -b 'sessionid=[REDACTED:cookie]' https://x.example.org",
            ),
            (
                "headers = {'Cookie': 'sid=fake0123'}",
                "headers = {'Cookie': 'sid=[REDACTED:cookie]'}",
            ),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
        for text in [
            "Cookie: session=<session>",
            "Cookie: session=$SESSION; theme=dark",
            "The cookie is HttpOnly; Secure; SameSite=Lax",
            "cookie: sessionid=required",
            "const cookie = serialize(session, options);",
            "cookie = f'session={session_id}'",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
