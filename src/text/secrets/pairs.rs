//! Runs of names and values: cookies (`Cookie: session=…; theme=dark`), and the entries of the file in which `ftp`,
//! `curl` and `git` find passwords (`machine … login … password …`).

use std::ops::Range;

use super::Secret;
use super::labelled::joined;
use super::stand_in::is_stand_in;

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
/// The words in the names of cookies that say who somebody is.
const NAMES: &[&str] = &[
    "sess", "sid", "auth", "token", "jwt", "login", "remember", "csrf", "xsrf", "sso", "identity", "ticket",
];

/// The secrets of the cookies that the header at `at` gives.
pub(super) fn read_header(text: &str, at: &Range<usize>) -> Vec<Secret> {
    joined(text, at).map_or_else(Vec::new, |joined| read_cookies(text, joined.at))
}

/// The secrets of the cookies that begin at `at`. The first word that is no cookie ends them: no text of many headers
/// is read to its end from each of them.
pub(super) fn read_cookies(text: &str, at: usize) -> Vec<Secret> {
    let at = at + usize::from(text[at..].starts_with(['"', '\'', '`']));
    let window = &text[at..text.floor_char_boundary(text.len().min(at + MOST_COOKIES))];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let is_end = |c: char| c == ';' || c.is_whitespace() || ",\"'`".contains(c);
    let mut secrets = Vec::new();
    let mut next = Some(window);
    while let Some(cookie) = next {
        let cookie = cookie.trim_start_matches(' ');
        let (name, rest) = cookie.split_at(cookie.find(|c| !is_name(c)).unwrap_or(cookie.len()));
        let Some(rest) = rest.strip_prefix('=').filter(|_| !name.is_empty()) else {
            break;
        };
        let (value, rest) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        if is_session(name, value) {
            secrets.push(secret(text, value, "cookie"));
        }
        next = rest.strip_prefix(';');
    }
    secrets
}

fn is_session(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_letter = value.contains(|c: char| c.is_ascii_alphabetic());
    let says_who = NAMES.iter().any(|part| name.contains(part)) && value.len() >= SHORTEST;
    let is_drawn = has_digit && has_letter && value.len() >= SHORTEST_DRAWN;
    (says_who || is_drawn) && !is_stand_in(value)
}

/// The secrets of the entry whose first word is at `at`. An entry names a user as well as a password: a sentence does
/// not.
pub(super) fn read_entry(text: &str, at: &Range<usize>) -> Vec<Secret> {
    let window = &text[at.end..text.floor_char_boundary(text.len().min(at.end + MOST_ENTRY))];
    let mut words = window.split_whitespace();
    if text[at.clone()].eq_ignore_ascii_case("machine") {
        words.next();
    }
    let mut secrets = Vec::new();
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        let kind = match key {
            "login" | "account" => "username",
            "password" => "password",
            _ => break,
        };
        secrets.push(secret(text, value, kind));
    }
    let has = |kind| secrets.iter().any(|secret: &Secret| secret.kind == kind);
    if !(window.starts_with(char::is_whitespace) && has("username") && has("password")) {
        return Vec::new();
    }
    secrets.retain(|secret| !is_stand_in(&text[secret.range.clone()]));
    secrets
}

/// A secret that is a part of a text.
fn secret(text: &str, value: &str, kind: &'static str) -> Secret {
    let start = value.as_ptr().addr() - text.as_ptr().addr();
    Secret {
        range: start..start + value.len(),
        kind,
    }
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
