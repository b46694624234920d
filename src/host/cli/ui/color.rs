//! The colors of a text: a handful of meanings, not of colors.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::LazyLock;

use clap::ColorChoice;
use clap::builder::StyledStr;

use crate::sys::Env;

/// The coloring of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Color {
    On,
    Off,
}

/// The meaning of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The word `error:`, what is removed.
    Bad,
    /// The word `warning:`.
    Warning,
    /// The word `hint:`, a header of a diff's hunk.
    Hint,
    /// A bar of strength, what is added.
    Good,
    /// The heading of a table, a file's name.
    Heading,
    /// A commit's name.
    Name,
    /// Text that may be overlooked.
    Faint,
}

impl Tone {
    const fn code(self) -> &'static str {
        match self {
            Self::Bad => "31",
            Self::Warning | Self::Name => "33",
            Self::Hint => "36",
            Self::Good => "32",
            Self::Heading => "1",
            Self::Faint => "2",
        }
    }
}

impl Color {
    /// Decides for a stream: the flag, then `NO_COLOR` (any value but the empty one, no-color.org) and `TERM`,
    /// then whether it is a terminal.
    pub(crate) fn decide(when: ColorChoice, env: Option<&Env>, is_terminal: bool) -> Self {
        let var = |name| env.and_then(|env| env.var(name));
        let is_plain = || {
            var("NO_COLOR").is_some_and(|value| !value.is_empty()) || var("TERM").as_deref() == Some("dumb")
        };
        match when {
            ColorChoice::Always => Self::On,
            ColorChoice::Auto if is_terminal && !is_plain() => Self::On,
            _ => Self::Off,
        }
    }

    /// The text, in the tone's color where colors are on; the colors are there once it is through the
    /// [`Door`](super::Door).
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        match self {
            Self::Off => text.to_owned(),
            Self::On if text.is_empty() => String::new(),
            Self::On => format!("{mark}[{}m{text}{mark}[0m", tone.code(), mark = *MARK),
        }
    }

    /// A text of this program's that clap painted.
    pub(crate) fn adopt(self, text: &StyledStr) -> String {
        match self {
            Self::Off => text.to_string(),
            Self::On => text.ansi().to_string().replace(ESCAPE, &MARK),
        }
    }
}

const ESCAPE: char = '\u{1b}';

/// The mark in a painted text for the place of the escape character: made by each process anew, so that no text that it
/// reads can hold it.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("{ESCAPE}{:016x}", RandomState::new().build_hasher().finish()));

/// The text as a terminal gets it: what was painted is obeyed, and `harmless` is made of all that is between.
pub(super) fn obeyed<'t>(text: &'t str, harmless: impl Fn(&'t str) -> Cow<'t, str>) -> String {
    let mut parts = text.split(MARK.as_str());
    let mut shown = harmless(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let (code, rest) = part.split_at(part.find('m').map_or(0, |at| at + 1));
        shown.push(ESCAPE);
        shown.push_str(code);
        shown.push_str(&harmless(rest));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_terminals_alone_and_honours_no_color() {
        for (when, vars, is_terminal, color) in [
            (ColorChoice::Auto, &[][..], true, Color::On),
            (ColorChoice::Auto, &[("NO_COLOR", "")], true, Color::On),
            (ColorChoice::Auto, &[("NO_COLOR", "1")], true, Color::Off),
            (ColorChoice::Auto, &[("TERM", "dumb")], true, Color::Off),
            (ColorChoice::Auto, &[], false, Color::Off),
            (ColorChoice::Always, &[("NO_COLOR", "1")], false, Color::On),
            (ColorChoice::Never, &[], true, Color::Off),
        ] {
            let env = Env::fixed(vars.iter().copied(), "/");
            assert_eq!(
                Color::decide(when, Some(&env), is_terminal),
                color,
                "{when} {vars:?}"
            );
        }
    }

    #[test]
    fn paints_nothing_around_nothing() {
        assert_eq!(Color::On.paint(Tone::Bad, ""), "");
        assert_eq!(
            obeyed(&Color::On.paint(Tone::Bad, "x"), Into::into),
            "\u{1b}[31mx\u{1b}[0m"
        );
        assert_eq!(Color::Off.paint(Tone::Bad, "x"), "x");
    }
}
