//! A label in one argument, field or element, and its value in the next: `["--password", "…"]`, `- name: DB_PASSWORD`
//! and `value: …`, `define('DB_PASSWORD', '…')`, `<key>password</key><string>…`, `<property name="password" value="…">`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::labelled::Joined;
use super::value::{Candidate, Joint};
use super::window;
use crate::text::pattern;

/// The text before and behind a label that is looked at.
const BEFORE: usize = 128;
const BEHIND: usize = 200;

/// A way in which a name stands before its value: what precedes the label, and what is between the two.
struct Form {
    before: Regex,
    behind: Regex,
    /// The value is all that its element holds.
    is_element: bool,
}

static FORMS: LazyLock<[Form; 5]> = LazyLock::new(|| {
    let form = |before: &str, behind: &str, is_element| Form {
        before: pattern(&format!(r"(?i)(?:{before})[\w.-]*$")),
        behind: pattern(&format!(r"(?i)^\d{{0,2}}(?:{behind})")),
        is_element,
    };
    let name = r#"\b(?:name|key|id|field|param|parameter|property|variable|var|env|option|setting)[ "'\\]*[:=] *(?:\\?["'])?"#;
    let value = r#"\b(?:value|val|default|defaultvalue|default_value|stringvalue)[\\"']* *[:=] *"#;
    let element = r"</[^>\n]{0,62}>[ \t\r\n]{0,40}(?:<(?:string|value|td|dd|data|code)>)+";
    [
        form(
            r#"(?:^|[^\w-])\\?["']--|\b(?:set|define|put)\w*\(\s*\\?["']"#,
            r#"\\?["'] *, *"#,
            false,
        ),
        form(name, &format!(r#"\\?["']?[\s,;][^{{}}>]*?{value}"#), false),
        form(
            r#"variable *["']"#,
            &format!(r"[^{{}}]*\{{[^{{}}]*?{value}"),
            false,
        ),
        form(name, r#"["']>"#, true),
        form(">", element, true),
    ]
});

/// The keys of a field that holds a name: behind one, another name begins.
static NEXT_NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?i)\b(?:name|key|id)["'\\]* *[:=]|\n\n"#));

/// Gives the place of the value that stands beside the name that a label ends, and that no sign joins to it.
pub(super) fn beside(text: &str, label: &Range<usize>) -> Option<Joined> {
    let behind = window(text, label.end, BEHIND);
    // Most labels are words of a sentence.
    let after = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    if !after.starts_with(['"', '\'', '\\', '<', '\n', '\r', ',']) {
        return None;
    }
    let before = &text[text.ceil_char_boundary(label.start.saturating_sub(BEFORE))..label.start];
    FORMS.iter().find_map(|form| {
        let found = form
            .behind
            .find(behind)
            .filter(|_| form.before.is_match(before))?;
        let at = label.end + found.end();
        let ends_element = || {
            let word = Candidate::read(text, at, Joint::Sign);
            word.is_some_and(|word| text[word.range.end..].starts_with("</"))
        };
        let is_value = !NEXT_NAME.is_match(found.as_str()) && (!form.is_element || ends_element());
        is_value.then_some(Joined {
            at,
            joint: Joint::Sign,
        })
    })
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
