//! A shell's command line as steps: what runs, and what joins it to the next. A reading, not an execution: no
//! expansion, no functions; what it does not know it passes over.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::pattern;

/// Bytes of a command line that are read; nothing that a person or a model types is longer.
const MAX_COMMAND: usize = 256 * 1024;

/// Steps that are read, the last ones: they decide.
const MOST_STEPS: usize = 200;

/// Words that only open or close what a shell groups.
const BRACKETS: [&str; 8] = ["{", "}", "then", "else", "do", "fi", "done", "esac"];

/// Words whose command's exit code decides something, and is not passed on.
const CONDITIONS: [&str; 5] = ["if", "elif", "while", "until", "!"];

/// Words that begin a list of values, not a command.
const HEADS: [&str; 4] = ["for", "case", "select", "function"];

/// What a line is made of: quotations, substitutions, an escaped character, signs, and the rest of words.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?sx) '[^']*'? | "(?:\\.|[^"\\])*"? | \$\((?:[^()]|\([^()]*\))*\)? | `[^`]*`? | \\.?
        | && | &>>? | \|[|&]? | (?:<<<|<<-?|<|>>|>)[&|]? | [\ \t\r]+ | [^\s'"`\\$<>&|;()]+ | ."#,
    )
});

/// The joints between a step and the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
    /// `;`, a line break, or the end.
    #[default]
    Sequence,
    /// `&`
    Background,
}

/// One simple command.
#[derive(Debug, Default)]
pub(super) struct Step {
    /// Its words without quotes, redirections and the shell's own keywords; never empty.
    pub(super) words: Vec<String>,
    /// The joint that follows it.
    pub(super) joint: Joint,
    /// A condition or a negation: its exit code is not passed on.
    pub(super) is_condition: bool,
    /// Its output goes into a file.
    pub(super) is_hidden: bool,
}

/// The steps of a command line, in order; of an endless one the last.
pub(super) fn steps(command: &str) -> Vec<Step> {
    let text = &command[..command.floor_char_boundary(MAX_COMMAND)];
    let (mut steps, mut step, mut word) = (Vec::new(), Step::default(), None::<String>);
    // The sign of a redirection whose word comes next, and the words that end the here-documents of this line.
    let (mut redirection, mut heredocs, mut at) = ("", Vec::new(), 0);
    while at <= text.len() {
        let token = TOKEN.find_at(text, at).map_or("\n", |token| token.as_str());
        if token.starts_with('#') && word.is_none() {
            at += text[at..].find('\n').unwrap_or(text.len() - at).max(1);
            continue;
        }
        at += token.len();
        if token == "\\\n" {
            continue;
        }
        let joint = match token {
            "&&" => Some(Joint::And),
            "||" => Some(Joint::Or),
            "|" | "|&" => Some(Joint::Pipe),
            ";" | "\n" => Some(Joint::Sequence),
            "&" => Some(Joint::Background),
            _ => None,
        };
        let is_redirection = token.starts_with(['<', '>']) || token.starts_with("&>");
        if joint.is_none() && !is_redirection && !token.starts_with([' ', '\t', '\r', '(', ')']) {
            word.get_or_insert_default().push_str(&unquoted(token));
            continue;
        }
        let descriptor = word.take_if(|word| is_redirection && word.bytes().all(|b| b.is_ascii_digit()));
        if let Some(word) = word.take() {
            match std::mem::take(&mut redirection) {
                "" => step.add(word),
                "<<" | "<<-" => heredocs.push(word),
                ">" | ">>" | ">|" | "&>" | "&>>" => step.is_hidden = true,
                _ => {}
            }
        }
        if is_redirection {
            let is_output = descriptor.is_none_or(|number| number == "1") || !token.starts_with('>');
            redirection = if is_output { token } else { "2>" };
        }
        if let Some(joint) = joint {
            end_step(&mut steps, std::mem::take(&mut step), joint);
        }
        if token == "\n" {
            for end in heredocs.drain(..) {
                let mut lines = text.get(at..).unwrap_or_default().split_inclusive('\n');
                let body = lines.by_ref().take_while(|line| line.trim() != end);
                at += body.map(str::len).sum::<usize>();
                at += text
                    .get(at..)
                    .and_then(|rest| rest.split_inclusive('\n').next())
                    .map_or(0, str::len);
            }
        }
    }
    steps.drain(..steps.len().saturating_sub(MOST_STEPS));
    steps
}

/// A part of a word without its quotes. In double ones a backslash stands for itself before most characters.
fn unquoted(token: &str) -> String {
    match token.as_bytes()[0] {
        b'\'' => token.trim_matches('\'').to_owned(),
        b'"' => token
            .trim_matches('"')
            .replace("\\\"", "\"")
            .replace("\\\\", "\\"),
        b'\\' => token[1..].to_owned(),
        _ => token.to_owned(),
    }
}

impl Step {
    fn add(&mut self, word: String) {
        let is_first = self.words.is_empty();
        if is_first && CONDITIONS.contains(&word.as_str()) {
            self.is_condition = true;
        } else if !is_first || !BRACKETS.contains(&word.as_str()) {
            self.words.push(word);
        }
    }
}

fn end_step(steps: &mut Vec<Step>, step: Step, joint: Joint) {
    match step.words.first() {
        Some(word) if HEADS.contains(&word.as_str()) => {}
        Some(_) => steps.push(Step { joint, ..step }),
        // `(a; b) | c`, `{ a; } && b`: what follows the bracket follows the last step in it.
        None => {
            if let Some(last) = steps.last_mut().filter(|last| last.joint == Joint::Sequence) {
                last.joint = joint;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &str) -> String {
        let show = |step: &Step| {
            let joint = match step.joint {
                Joint::And => " &&",
                Joint::Or => " ||",
                Joint::Pipe => " |",
                Joint::Sequence => ";",
                Joint::Background => " &",
            };
            let condition = if step.is_condition { "if " } else { "" };
            let hidden = if step.is_hidden { " > file" } else { "" };
            format!("{condition}{}{hidden}{joint}", step.words.join(" "))
        };
        let steps: Vec<String> = steps(command).iter().map(show).collect();
        steps.join(" ").trim_end_matches(';').to_owned()
    }

    /// A command line, and its steps as `shown` shows them.
    const CASES: [(&str, &str); 14] = [
        (
            "cd web && npm t | tail; a || b & c\nd",
            "cd web && npm t | tail; a || b & c; d",
        ),
        (
            "git commit -m \"a && b\" 'x | y' a\\ b",
            "git commit -m a && b x | y a b",
        ),
        ("npm \\\n  test", "npm test"),
        (
            "make 2>&1 >/dev/null && b 2> e < in &> all",
            "make > file && b > file",
        ),
        ("npm test 2>/dev/null", "npm test"),
        ("cat > a <<'EOF'\nfalse\nEOF\nmake", "cat > file; make"),
        ("a <<-EOF && make\nimport x\n\tEOF\nb", "a && make; b"),
        ("a <<< word && b", "a && b"),
        ("(cd web && npm test) || exit 1", "cd web && npm test || exit 1"),
        ("{ a; b; } | tail", "a; b | tail"),
        ("if make; then echo ok; fi", "if make; echo ok"),
        (
            "! grep -q x; for f in a b; do tsc $f; done",
            "if grep -q x; tsc $f",
        ),
        ("a # npm test\nb", "a; b"),
        (
            "kill $(pgrep (x) | head) && echo \"$(a; b)\" `c; d`",
            "kill $(pgrep (x) | head) && echo $(a; b) `c; d`",
        ),
    ];

    #[test]
    fn a_line_is_parted_into_steps() {
        for (command, expected) in CASES {
            assert_eq!(shown(command), expected, "{command}");
        }
    }

    #[test]
    fn anything_can_be_read() {
        for command in [
            "", ";;;", "&&", "'", "\"", "$(", "`", "<<", ">", "\\", "|||", "<<EOF\n", "\0", "#", "é",
        ] {
            let _ = steps(command);
        }
        assert_eq!(steps(&"a;".repeat(1000)).len(), MOST_STEPS);
        let _ = steps(&"(".repeat(1_000_000));
        let _ = steps(&"$(".repeat(1_000_000));
    }
}
