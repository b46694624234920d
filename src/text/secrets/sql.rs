//! Passwords in statements of SQL: `CREATE USER … IDENTIFIED BY '…'`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::labelled::line_before;
use super::stand_in::is_stand_in;
use super::value::{Candidate, Joint};
use super::{Secret, window};
use crate::text::pattern;

/// The words before a password.
pub(super) const HINTS: &str = "identified by, identified with";
/// Between these words and the password stands at most the name of a method.
const MOST_METHOD: usize = 64;

/// A statement about a user, without which a sentence may say what identifies a thing.
static STATEMENT: LazyLock<Regex> =
    LazyLock::new(|| pattern("(?i)(?:create|alter) (?:user|role|login)|grant "));

/// What stands between the words and the quote before the password.
static METHOD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)^(?:by(?: password)?|with [^\n;]*? by)\s+["']"#));

/// The password behind the words at this place, in quotes.
pub(super) fn read(text: &str, at: &Range<usize>) -> Option<Secret> {
    let words = &text[at.clone()];
    if words.contains(|c: char| c.is_ascii_lowercase()) && !STATEMENT.is_match(line_before(text, at.start)) {
        return None;
    }
    let from = at.start + words.rfind(' ')? + 1;
    let method = METHOD.find(window(text, from, MOST_METHOD))?;
    let value = Candidate::read(text, from + method.end() - 1, Joint::Sign)?;
    (value.is_quoted && !is_stand_in(&text[value.range.clone()])).then_some(Secret {
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
