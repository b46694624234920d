//! Passwords in statements of SQL: `CREATE USER … IDENTIFIED BY '…'`.

use std::ops::Range;

use super::Secret;
use super::labelled::{after_spaces, line_before};
use super::stand_in::is_stand_in;
use super::value::{Candidate, Joint};

/// The words before a password.
pub(super) const HINTS: &str = "identified by, identified with";
/// Between these words and the password stands at most the name of a method.
const MOST_METHOD: usize = 64;
/// The words of a statement about a user, without which a sentence may say what identifies a thing.
const STATEMENTS: &[&str] = &[
    "create user",
    "alter user",
    "create role",
    "alter role",
    "grant ",
    "create login",
];

/// The password behind the words at this place, in quotes.
pub(super) fn read(text: &str, at: &Range<usize>) -> Option<Secret> {
    let words = &text[at.clone()];
    let is_statement = || {
        let line = line_before(text, at.start).to_ascii_lowercase();
        STATEMENTS.iter().any(|statement| line.contains(statement))
    };
    if words.contains(|c: char| c.is_ascii_lowercase()) && !is_statement() {
        return None;
    }
    let mut from = at.end;
    let method = &text[at.end..text.floor_char_boundary(text.len().min(at.end + MOST_METHOD))];
    let method = method.split(['\n', ';']).next().unwrap_or_default();
    if words.to_ascii_lowercase().ends_with("with") {
        let lower = method.to_ascii_lowercase();
        from += lower.find(" by ")? + 3;
    } else if let Some(rest) = method.trim_start().strip_prefix("PASSWORD ") {
        from += method.len() - rest.len();
    }
    let start = after_spaces(text, from);
    let value =
        Candidate::read(text, start, Joint::Sign).filter(|value| value.is_quoted && start > at.end)?;
    let is_secret = !is_stand_in(&text[value.range.clone()]) && !text[start..].starts_with('`');
    is_secret.then_some(Secret {
        range: value.range,
        kind: "password",
    })
}

#[cfg(test)]
mod tests {
    use crate::text::Redactor;

    #[test]
    fn a_statement_gives_a_password_and_a_sentence_does_not() {
        let redactor = Redactor::standard();
        for text in [
            "CREATE USER 'b'@'%' IDENTIFIED BY 'fakeword';",
            "create user b identified by \"fakeword\"",
            "GRANT ALL ON *.* TO b IDENTIFIED BY PASSWORD 'fakeword'",
            "ALTER USER b\n  IDENTIFIED WITH mysql_native_password BY 'fakeword'",
        ] {
            assert!(!redactor.redact(text).contains("fakeword"), "{text}");
        }
        for text in [
            "Each order is identified by 'number7'.",
            "Rows are identified by \"id2\" and the host",
            "CREATE USER b IDENTIFIED BY '<password>'",
            "CREATE USER b IDENTIFIED BY ?",
            "ALTER USER b IDENTIFIED WITH auth_socket",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
