//! A label in one argument, field or element, and its value in the next: `["--password", "…"]`, `- name: DB_PASSWORD`
//! and `value: …`, `define('DB_PASSWORD', '…')`, `<key>password</key><string>…`, `<property name="password" value="…">`.

use std::ops::Range;

use super::labelled::{Joined, after_spaces};
use super::value::{Candidate, Joint};

/// The name that a label ends begins no further away than this.
const MOST_NAME: usize = 64;
/// The value of a named field stands no further away than this.
const MOST_FIELDS: usize = 200;
/// Between two elements stands no more white space.
const MOST_GAP: usize = 40;
/// The keys of the field that holds a name.
const NAMES: &[&str] = &[
    "name",
    "key",
    "id",
    "field",
    "param",
    "parameter",
    "property",
    "variable",
    "var",
    "env",
    "option",
    "setting",
];
/// The keys of the field that holds its value.
const VALUES: &[&str] = &[
    "value",
    "val",
    "default",
    "defaultvalue",
    "default_value",
    "stringvalue",
];
/// The elements that hold the value of the element before.
const ELEMENTS: &[&str] = &["<string>", "<value>", "<td>", "<dd>", "<data>", "<code>"];
/// The beginnings of the names of functions that give a name its value.
const SETTERS: &[&str] = &["set", "define", "put"];

/// The name that ends with a label, as a whole.
struct Name<'t> {
    text: &'t str,
    /// The place of the name, without its quotes.
    range: Range<usize>,
    /// The place behind its closing quote.
    closed: usize,
    /// The text before its opening quote, as far back as is looked.
    before: &'t str,
    is_quoted: bool,
}

/// Gives the place of the value that stands beside the name that a label ends, and that no sign joins to it.
pub(super) fn beside(text: &str, label: &Range<usize>) -> Option<Joined> {
    let name = Name::read(text, label)?;
    let at = name
        .next_argument()
        .or_else(|| name.next_field())
        .or_else(|| name.next_element())?;
    Some(Joined {
        at,
        joint: Joint::Sign,
    })
}

impl<'t> Name<'t> {
    fn read(text: &'t str, label: &Range<usize>) -> Option<Self> {
        // Most labels are words of a sentence.
        let after = text[label.end..].trim_start_matches(|c: char| c.is_ascii_digit());
        let end = text.len() - after.len();
        if end > label.end + 2 || !after.starts_with(['"', '\'', '\\', '<', '\n', '\r', ',']) {
            return None;
        }
        let window = &text[text.ceil_char_boundary(label.start.saturating_sub(2 * MOST_NAME))..label.start];
        let before =
            window.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let start = label.start - (window.len() - before.len());
        // Inside a string of a program, the quotes are escaped.
        let quote = ["\\\"", "\"", "'"]
            .into_iter()
            .find(|quote| before.ends_with(quote));
        let quote = quote
            .filter(|quote| after.starts_with(*quote))
            .unwrap_or_default();
        Some(Self {
            text,
            range: start..end,
            closed: end + quote.len(),
            before: &before[..before.len() - quote.len()],
            is_quoted: !quote.is_empty(),
        })
    }

    /// Behind the comma of a list of arguments, `"--password", "…"`, or of a call that sets something.
    fn next_argument(&self) -> Option<usize> {
        let is_flag = self.text[self.range.clone()].starts_with("--");
        let is_set = || {
            let function = self.before.trim_end().strip_suffix('(').unwrap_or_default();
            let function = function
                .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next();
            let function = function.unwrap_or_default().to_ascii_lowercase();
            SETTERS.iter().any(|setter| function.starts_with(setter))
        };
        if !self.is_quoted || !is_flag && !is_set() {
            return None;
        }
        let comma = after_spaces(self.text, self.closed);
        let at = after_spaces(
            self.text,
            comma + self.text[comma..].strip_prefix(',').map(|_| 1)?,
        );
        self.text[at..].starts_with(['"', '\'', '\\']).then_some(at)
    }

    /// Behind the sign of the field that holds the value, in the same object, element or item.
    fn next_field(&self) -> Option<usize> {
        let is_block = self.is_quoted && self.before.trim_end().ends_with("variable");
        if !is_block && !self.is_value_of(NAMES) {
            return None;
        }
        if self.text[self.closed..].starts_with('>') {
            return ends_element(self.text, self.closed + 1).then_some(self.closed + 1);
        }
        let rest = &self.text[self.closed
            ..self
                .text
                .floor_char_boundary(self.text.len().min(self.closed + MOST_FIELDS))];
        let skipped = if is_block { rest.find('{')? + 1 } else { 0 };
        let fields = &rest[skipped..];
        let fields = &fields[..fields.find(['{', '}', '>']).unwrap_or(fields.len())];
        let fields = &fields[..fields.find("\n\n").unwrap_or(fields.len())];
        let mut from = 0;
        while let Some(begin) = fields[from..].find(|c: char| c.is_ascii_alphabetic()) {
            let word = &fields[from + begin..];
            let length = word
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(word.len());
            let lower = word[..length].to_ascii_lowercase();
            from += begin + length;
            let behind = fields[from..]
                .trim_start_matches(['\\', '"', '\''])
                .trim_start_matches(' ');
            if !behind.starts_with([':', '=']) {
                continue;
            }
            if NAMES.contains(&lower.as_str()) {
                return None;
            }
            if VALUES.contains(&lower.as_str()) {
                let at = self.closed + skipped + (fields.len() - behind.len()) + 1;
                return Some(after_spaces(self.text, at));
            }
        }
        None
    }

    /// In the element behind the one that holds nothing but the name.
    fn next_element(&self) -> Option<usize> {
        let after = &self.text[self.closed..];
        if !self.before.ends_with('>') || !after.starts_with("</") {
            return None;
        }
        let close = after[..after.floor_char_boundary(MOST_NAME)].find('>')?;
        let gap = &after[close + 1..];
        let next = gap.trim_start_matches([' ', '\t', '\r', '\n']);
        let mut inside = next;
        while let Some(element) = ELEMENTS.iter().find(|element| inside.starts_with(**element)) {
            inside = &inside[element.len()..];
        }
        let at = self.text.len() - inside.len();
        let is_near = gap.len() - next.len() <= MOST_GAP && inside.len() < next.len();
        (is_near && ends_element(self.text, at)).then_some(at)
    }

    /// True when the name is the value of a field with such a key: `name: `, `"key":`, `name=`.
    fn is_value_of(&self, keys: &[&str]) -> bool {
        let sign = self.before.trim_end_matches(' ');
        let key = sign.trim_end_matches([':', '=']);
        if key.len() == sign.len() {
            return false;
        }
        let key = key.trim_end_matches([' ', '"', '\'', '\\']);
        let word = key
            .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .next();
        keys.contains(&word.unwrap_or_default().to_ascii_lowercase().as_str())
    }
}

/// True when an element ends behind the word at this place.
fn ends_element(text: &str, at: usize) -> bool {
    let word = Candidate::read(text, at, Joint::Sign);
    word.is_some_and(|word| text[word.range.end..].starts_with("</"))
}

#[cfg(test)]
mod tests {
    use crate::text::Redactor;

    #[test]
    fn a_value_beside_its_name_goes() {
        let redactor = Redactor::standard();
        for text in [
            "env:\n  - name: DB_PASSWORD\n    value: Fake-7x",
            "env:\n  - name: DB_PASSWORD\n    value: \"Fake-7x\"\n  - name: MODE\n    value: fast",
            "{\"env\":[{\"name\":\"DB_PASSWORD\",\"value\":\"Fake-7x\"}]}",
            "{\"text\":\"{\\\"name\\\":\\\"DB_PASSWORD\\\",\\\"value\\\":\\\"Fake-7x\\\"}\"}",
            "{ key: 'apiToken', type: 'x', value: 'Fake-7x01' }",
            "[\"tool\", \"--password\", \"Fake-7x\"]",
            "run(['psql','--db-password','Fake-7x'])",
            "define('DB_PASSWORD', 'Fake-7x');",
            "define( 'DB_PASSWORD', 'Fake-7x' );",
            "config.setProperty(\"db.password\", \"Fake-7x\")",
            "variable \"db_password\" {\n  type = string\n  default = \"Fake-7x\"\n}",
            "<property name=\"password\" value=\"Fake-7x\"/>",
            "<input type=\"password\" name=\"password\" value=\"Fake-7x\">",
            "<property name=\"password\">Fake-7x</property>",
            "<key>password</key>\n\t<string>Fake-7x</string>",
            "<tr><td>Password</td>\n<td><code>Fake-7x</code></td></tr>",
        ] {
            let redacted = redactor.redact(text);
            assert!(!redacted.contains("Fake-7x"), "{redacted}");
        }
        for text in [
            "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: shop-db2\n      key: password9",
            "- name: DB_PASSWORD\n  value: ${DB_PASSWORD}",
            "- name: DB_PASSWORD\n- name: MODE\n  value: fast-7x",
            "{\"name\":\"password\",\"type\":\"string\"},{\"name\":\"size\",\"value\":\"XL-7x\"}",
            "[\"--password-file\", \"/run/secrets/db\", \"--mode\", \"x7\"]",
            "check('password', 'Fake-7x')",
            "<label for=\"password\">Step 2a</label>",
            "<a href=\"#password\">Step2a</a>",
            "<th>Password</th><th>Step2a</th>",
            "variable \"db_password\" {\n  type = string\n}\nvariable \"zone\" {\n  default = \"eu-1a\"\n}",
            "<input name=\"password\" value=\"\">",
            "<key>password</key>\n<true/>",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
