//! Runs of names and values: cookies (`Cookie: session=…; theme=dark`), and the entries of the file in which `ftp`,
//! `curl` and `git` find passwords (`machine … login … password …`).

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::labelled::joined;
use super::stand_in::is_stand_in;
use super::{Secret, window};
use crate::text::pattern;

/// The beginning of a header of cookies.
pub(super) const COOKIES: &str = "cookie";
/// The beginnings of an entry of a netrc file.
pub(super) const ENTRIES: &str = "machine, default";
/// All cookies together are no longer than this.
const MOST_COOKIES: usize = 4096;
/// An entry is no longer than this.
const MOST_ENTRY: usize = 512;
/// The value of a session is no shorter than this.
const SHORTEST: usize = 6;
/// The length from which a drawn text is a secret under any name.
const SHORTEST_DRAWN: usize = 24;

static COOKIE: LazyLock<Regex> = LazyLock::new(|| pattern(r#"^[;"'` ]*([A-Za-z0-9_.-]+)=([^;\s,"'`]*)"#));

/// The words in the names of cookies that say who somebody is.
static NAMES: LazyLock<Regex> =
    LazyLock::new(|| pattern("(?i)sess|sid|auth|token|jwt|login|remember|csrf|xsrf|sso|identity|ticket"));

static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^(?:machine\s+\S+|default)\s+login\s+(\S+)\s+(?:account\s+\S+\s+)?password\s+(\S+)")
});

/// The secrets of the cookies that the header at `at` gives.
pub(super) fn read_header(text: &str, at: &Range<usize>) -> Vec<Secret> {
    joined(text, at).map_or_else(Vec::new, |joined| read_cookies(text, joined.at))
}

/// The secrets of the cookies that begin at `at`. The first word that is no cookie ends them: no text of many headers
/// is read to its end from each of them.
pub(super) fn read_cookies(text: &str, at: usize) -> Vec<Secret> {
    let (mut secrets, mut at, end) = (Vec::new(), at, at + window(text, at, MOST_COOKIES).len());
    while let Some(cookie) = COOKIE.captures(&text[at..end]) {
        let (name, value) = (&cookie[1], &cookie[2]);
        at += cookie[0].len();
        let has = |is: fn(&u8) -> bool| value.bytes().any(|byte| is(&byte));
        let is_drawn =
            value.len() >= SHORTEST_DRAWN && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
        let says_who = value.len() >= SHORTEST && NAMES.is_match(name);
        if (says_who || is_drawn) && !is_stand_in(value) {
            secrets.push(Secret {
                range: at - value.len()..at,
                kind: "cookie",
            });
        }
        if !text[at..end].starts_with(';') {
            break;
        }
    }
    secrets
}

/// The secrets of the entry whose first word is at `at`. An entry names a user as well as a password: a sentence does
/// not.
pub(super) fn read_entry(text: &str, at: &Range<usize>) -> Vec<Secret> {
    let Some(entry) = ENTRY.captures(window(text, at.start, MOST_ENTRY)) else {
        return Vec::new();
    };
    let part = |part, kind| {
        let value = entry.get(part).filter(|value| !is_stand_in(value.as_str()))?;
        Some(Secret {
            range: at.start + value.start()..at.start + value.end(),
            kind,
        })
    };
    [part(1, "username"), part(2, "password")]
        .into_iter()
        .flatten()
        .collect()
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

    #[test]
    fn an_entry_is_read_on_one_line_and_on_several() {
        let redactor = Redactor::standard();
        for (text, expected) in [
            (
                "machine git.example.org login fakeuser password fakeword",
                "machine git.example.org login [REDACTED:username] password [REDACTED:password]",
            ),
            (
                "machine git.example.org\n  login fakeuser\n  password fakeword\nmachine b",
                "machine git.example.org\n  login [REDACTED:username]\n  password [REDACTED:password]\nmachine b",
            ),
            (
                "default login fakeuser password fakeword",
                "default login [REDACTED:username] password [REDACTED:password]",
            ),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
        for text in [
            "The machine needs a login and a password by tomorrow",
            "machine git.example.org login <user> password <password>",
            "the default login page",
            "default login form password field",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
