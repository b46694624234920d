//! The settings for the pruning of tool output (`prune.*`).

use serde::{Deserialize, Serialize};

/// When a tool's output is pruned (`prune.mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PruneMode {
    /// Never.
    #[default]
    Off,
    /// From the level yellow on.
    Pressure,
    /// At every level.
    Always,
}

/// The rules of pruning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PruneRules {
    /// `prune.mode`.
    pub mode: PruneMode,
    /// `prune.keep`: the outputs and lines that stay, each as [`KeepRule`] reads it.
    pub keep: Vec<String>,
}

impl PruneRules {
    /// True where outputs are shortened, always or under pressure.
    pub fn is_on(&self) -> bool {
        self.mode != PruneMode::Off
    }
}

/// A rule of `prune.keep`. `*` stands for anything; capitals count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepRule<'a> {
    /// `tool NAME`: the outputs of the tools of this name.
    Tool(&'a str),
    /// `command TEXT`: the outputs of commands with this text in them.
    Command(&'a str),
    /// `line TEXT`: lines with this text in them.
    Line(&'a str),
}

impl<'a> KeepRule<'a> {
    /// Reads a rule; `None` for a text that is none.
    pub fn parse(rule: &'a str) -> Option<Self> {
        let (what, text) = rule.trim().split_once(' ')?;
        let text = text.trim();
        match what {
            _ if text.is_empty() => None,
            "tool" => Some(Self::Tool(text)),
            "command" => Some(Self::Command(text)),
            "line" => Some(Self::Line(text)),
            _ => None,
        }
    }

    /// True when the rule keeps the whole output of this tool, which ran this command.
    pub fn keeps_output(self, tool: &str, command: Option<&str>) -> bool {
        match self {
            Self::Tool(name) => has_form(tool, name, Ends::Fixed),
            Self::Command(text) => command.is_some_and(|command| has_form(command, text, Ends::Open)),
            Self::Line(_) => false,
        }
    }

    /// True when the rule keeps this line.
    pub fn keeps_line(self, line: &str) -> bool {
        matches!(self, Self::Line(text) if has_form(line, text, Ends::Open))
    }
}

/// Says whether something may stand before and behind a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Fixed,
    Open,
}

/// Looks for the parts between the stars one after the other, each at its first place: no form takes more than one pass.
fn has_form(text: &str, form: &str, ends: Ends) -> bool {
    let mut parts: Vec<&str> = form.split('*').collect();
    if ends == Ends::Open {
        parts.insert(0, "");
        parts.push("");
    }
    let (first, parts) = parts.split_first().expect("because a split gives a part");
    let Some((last, middle)) = parts.split_last() else {
        return text == *first;
    };
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let tool = |form: &str, name: &str| KeepRule::Tool(form).keeps_output(name, None);
        for (form, name) in [
            ("web*", "webfetch"),
            ("*_search", "docs_search"),
            ("*", ""),
            ("a*b*b", "abb"),
        ] {
            assert!(tool(form, name), "{form} {name}");
        }
        for (form, name) in [
            ("web", "webfetch"),
            ("a*b*b", "ab"),
            ("ab*ba", "aba"),
            ("Web*", "webfetch"),
        ] {
            assert!(!tool(form, name), "{form} {name}");
        }
        let line = |form: &str, line: &str| KeepRule::Line(form).keeps_line(line);
        assert!(line("TODO", "a TODO b") && line("a*c", "xabcx") && !line("a*c", "cab"));
        assert!(!line(&"a*".repeat(200), &"a".repeat(199)), "no form takes long");
    }

    #[test]
    fn a_rule_says_what_it_keeps() {
        assert_eq!(
            KeepRule::parse(" tool  webfetch "),
            Some(KeepRule::Tool("webfetch"))
        );
        assert_eq!(
            KeepRule::parse("command cargo tree"),
            Some(KeepRule::Command("cargo tree"))
        );
        for wrong in ["", "tool", "tool ", "webfetch", "file a.rs", "toolx"] {
            assert_eq!(KeepRule::parse(wrong), None, "{wrong}");
        }
    }
}
