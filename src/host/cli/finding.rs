//! A finding that is worth attention in a file, as a line that editors can jump to.

use std::io;

use super::ui::{Color, Tone, Ui};
use crate::model::{Diagnostic, Severity};

/// `path:line:column: severity: message [code]`, and the mend on a line of its own.
pub(crate) fn lines(diagnostic: &Diagnostic, color: Color) -> Vec<String> {
    let number = |number: Option<u32>| number.map(|n| format!(":{n}")).unwrap_or_default();
    let place = format!(
        "{}{}{}:",
        diagnostic.path,
        number(diagnostic.line),
        number(diagnostic.line.and(diagnostic.column))
    );
    let word = format!("{}:", diagnostic.severity.as_str());
    let word = color.paint(severity_tone(diagnostic.severity), &word);
    let code = color.paint(Tone::Faint, &format!("[{}]", diagnostic.code));
    let place = color.paint(Tone::Heading, &place);
    let mut lines = vec![format!("{place} {word} {} {code}", diagnostic.message)];
    lines.extend(diagnostic.mend.as_deref().map(mend_line));
    lines
}

/// The line below a finding that says how to mend it.
pub(crate) fn mend_line(mend: &str) -> String {
    format!("  mend: {mend}")
}

/// The same on standard error, beside an answer.
pub(crate) fn notice(diagnostic: &Diagnostic, ui: &mut Ui) -> io::Result<()> {
    lines(diagnostic, ui.err_color)
        .iter()
        .try_for_each(|line| ui.notice(line))
}

/// The tone of a severity.
pub(crate) const fn severity_tone(severity: Severity) -> Tone {
    match severity {
        Severity::Note => Tone::Hint,
        Severity::Warning => Tone::Warning,
        Severity::Error => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_can_jump_to_it() {
        let mut diagnostic = Diagnostic {
            severity: Severity::Error,
            code: "yaml-syntax",
            path: "decision/a.md".to_owned(),
            line: Some(3),
            column: Some(17),
            message: "a `: ` inside a plain value".to_owned(),
            mend: Some("Put the value in quotes.".to_owned()),
        };
        assert_eq!(
            lines(&diagnostic, Color::Off),
            [
                "decision/a.md:3:17: error: a `: ` inside a plain value [yaml-syntax]",
                "  mend: Put the value in quotes."
            ]
        );
        diagnostic.line = None;
        diagnostic.mend = None;
        assert_eq!(lines(&diagnostic, Color::Off).len(), 1);
        assert!(lines(&diagnostic, Color::Off)[0].starts_with("decision/a.md: error:"));
    }
}
