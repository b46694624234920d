//! A shell's command line as steps: what runs, and what joins it to the next. A reading, not an execution: no
//! expansion, no functions; what it does not know it passes over.

/// Bytes of a command line that are read; nothing that a person or a model types is longer.
const MAX_COMMAND: usize = 256 * 1024;

/// Steps that are read, the last ones: they decide.
const MOST_STEPS: usize = 200;

/// Words that only open or close what a shell groups.
const BRACKETS: &[&str] = &["{", "}", "then", "else", "do", "fi", "done", "esac"];

/// Words whose command's exit code decides something, and is not passed on.
const CONDITIONS: &[&str] = &["if", "elif", "while", "until", "!"];

/// Words that begin a list of values, not a command.
const HEADS: &[&str] = &["for", "case", "select", "function"];

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
    let end = command.floor_char_boundary(MAX_COMMAND);
    let mut reader = Reader {
        rest: command[..end].chars().peekable(),
        steps: Vec::new(),
        step: Step::default(),
        word: None,
        target: None,
        heredocs: Vec::new(),
    };
    reader.read();
    let mut steps = reader.steps;
    steps.drain(..steps.len().saturating_sub(MOST_STEPS));
    steps
}

/// The meaning of the word after a redirection.
#[derive(Clone, Copy)]
enum Target {
    File,
    OutputFile,
    Heredoc,
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    steps: Vec<Step>,
    /// The step that is being read.
    step: Step,
    word: Option<String>,
    target: Option<Target>,
    /// The words that end the here-documents that begin after this line.
    heredocs: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\n' => {
                    self.end_step(Joint::Sequence);
                    self.skip_heredocs();
                }
                ';' => self.end_step(Joint::Sequence),
                '&' if self.rest.next_if_eq(&'&').is_some() => self.end_step(Joint::And),
                '&' if self.rest.peek() == Some(&'>') => self.end_word(),
                '&' => self.end_step(Joint::Background),
                '|' if self.rest.next_if_eq(&'|').is_some() => self.end_step(Joint::Or),
                '|' => {
                    let _ = self.rest.next_if_eq(&'&');
                    self.end_step(Joint::Pipe);
                }
                '(' | ')' if self.word.is_none() => {}
                ')' => self.end_word(),
                '<' | '>' => self.redirection(c),
                '#' if self.word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                c if c.is_whitespace() => self.end_word(),
                '\'' => {
                    let quoted: String = self.rest.by_ref().take_while(|c| *c != '\'').collect();
                    self.word.get_or_insert_default().push_str(&quoted);
                }
                '"' => self.double_quoted(),
                c => self.unquoted(c),
            }
        }
        self.end_step(Joint::Sequence);
    }

    fn double_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.rest.next() {
            match c {
                '"' => return,
                // Before any other character a backslash stands for itself.
                '\\' if !matches!(self.rest.peek(), Some('"' | '\\' | '$' | '`' | '\n')) => self.push(c),
                c => self.unquoted(c),
            }
        }
    }

    /// A character that no single quotes hold.
    fn unquoted(&mut self, c: char) {
        match c {
            '\\' => {
                if let Some(c) = self.rest.next().filter(|c| *c != '\n') {
                    self.push(c);
                }
            }
            '$' if self.rest.peek() == Some(&'(') => self.substitution(),
            '`' => {
                self.push('$');
                self.rest.by_ref().take_while(|c| *c != '`').for_each(drop);
            }
            c => self.push(c),
        }
    }

    /// The output of a command substitution is not known: a `$` stands for it.
    fn substitution(&mut self) {
        self.push('$');
        let mut depth = 0_usize;
        for c in self.rest.by_ref() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn redirection(&mut self, sign: char) {
        let is_descriptor = |word: &mut String| word.bytes().all(|byte| byte.is_ascii_digit());
        let descriptor = self.word.take_if(is_descriptor);
        self.end_word();
        let is_doubled = self.rest.next_if_eq(&sign).is_some();
        let is_here_string = sign == '<' && is_doubled && self.rest.next_if_eq(&'<').is_some();
        let is_copy = self.rest.next_if(|c| matches!(c, '&' | '|' | '-')) == Some('&');
        self.target = Some(match sign {
            '<' if is_doubled && !is_here_string => Target::Heredoc,
            '>' if !is_copy && descriptor.is_none_or(|number| number == "1") => Target::OutputFile,
            _ => Target::File,
        });
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.target.take() {
            Some(Target::File) => {}
            Some(Target::OutputFile) => self.step.is_hidden = true,
            Some(Target::Heredoc) => self.heredocs.push(word),
            None if self.step.words.is_empty() && BRACKETS.contains(&word.as_str()) => {}
            None if self.step.words.is_empty() && CONDITIONS.contains(&word.as_str()) => {
                self.step.is_condition = true;
            }
            None => self.step.words.push(word),
        }
    }

    fn end_step(&mut self, joint: Joint) {
        self.end_word();
        let step = std::mem::take(&mut self.step);
        match step.words.first() {
            Some(word) if HEADS.contains(&word.as_str()) => {}
            Some(_) => self.steps.push(Step { joint, ..step }),
            // `(a; b) | c`, `{ a; } && b`: what follows the bracket follows the last step in it.
            None => {
                if let Some(last) = self.steps.last_mut()
                    && last.joint == Joint::Sequence
                {
                    last.joint = joint;
                }
            }
        }
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            loop {
                let line: String = self.rest.by_ref().take_while(|c| *c != '\n').collect();
                if line.trim() == end || self.rest.peek().is_none() {
                    break;
                }
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
            "kill $ && echo $ $",
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
            "", ";;;", "&&", "'", "\"", "$(", "`", "<<", ">", "\\", "|||", "<<EOF\n", "\0",
        ] {
            let _ = steps(command);
        }
        assert_eq!(steps(&"a;".repeat(1000)).len(), MOST_STEPS);
        let _ = steps(&"(".repeat(1_000_000));
        let _ = steps(&"$(".repeat(1_000_000));
    }
}
