//! What is worth attention, as a line that editors can jump to.

use std::io;

use super::ui::{Color, Tone, Ui, in_zone};
use crate::model::{Diagnostic, Severity};
use crate::sys::TimeZone;

/// `path:line:column: severity: message [code]`, and the mend on a line of its own.
pub(crate) fn lines(diagnostic: &Diagnostic, color: Color, zone: TimeZone) -> Vec<String> {
    let number = |number: Option<u32>| number.map(|n| format!(":{n}")).unwrap_or_default();
    let place = format!(
        "{}{}{}:",
        diagnostic.path,
        number(diagnostic.line),
        number(diagnostic.line.and(diagnostic.column))
    );
    let word = format!("{}:", diagnostic.severity.as_str());
    let tone = match diagnostic.severity {
        Severity::Note => Tone::Hint,
        Severity::Warning => Tone::Warning,
        Severity::Error => Tone::Bad,
    };
    let word = color.paint(tone, &word);
    let code = color.paint(Tone::Faint, &format!("[{}]", diagnostic.code));
    let place = color.paint(Tone::Heading, &place);
    let message = in_zone(&diagnostic.message, zone);
    let mut lines = vec![format!("{place} {word} {message} {code}")];
    lines.extend(diagnostic.mend.iter().map(|mend| format!("  mend: {mend}")));
    lines
}

/// The same on standard error, beside an answer.
pub(crate) fn notice(diagnostic: &Diagnostic, ui: &mut Ui) -> io::Result<()> {
    lines(diagnostic, ui.err_color, ui.zone)
        .iter()
        .try_for_each(|line| ui.notice(line))
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
            lines(&diagnostic, Color::Off, TimeZone::Utc),
            [
                "decision/a.md:3:17: error: a `: ` inside a plain value [yaml-syntax]",
                "  mend: Put the value in quotes."
            ]
        );
        diagnostic.line = None;
        diagnostic.mend = None;
        assert_eq!(lines(&diagnostic, Color::Off, TimeZone::Utc).len(), 1);
        assert!(lines(&diagnostic, Color::Off, TimeZone::Utc)[0].starts_with("decision/a.md: error:"));
    }
}
