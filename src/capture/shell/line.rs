//! The kinds of lines in a command's output: an error, a place, a remark, or nothing.

use super::places::{Place, heading, named_files, places};
use super::shape::has_shape;
use super::words::{Said, is_general, said};
use crate::capture::ErrorCategory::{self, Lint, Test, Typecheck};

/// The worth of a line in the account of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Says that something failed, or what is wrong at a place.
    Failure,
    /// Tells of trouble without naming it an error, or what was expected and what came.
    Trouble,
    /// A place and nothing else.
    Pointer,
    /// A warning.
    Mild,
    /// A count of failures, or that there were any.
    Total,
    /// The file to which the lines under it belong.
    Heading,
    /// Source code, a hint, what passed.
    Noise,
    /// Nothing by itself: what it means, its neighbours tell.
    Plain,
}

/// A line of an output, read.
#[derive(Debug)]
pub(super) struct Line {
    /// As it is to be shown: one space between words, no frame around it.
    pub(super) text: String,
    pub(super) standing: Standing,
    /// The files that it names.
    pub(super) files: Vec<String>,
    /// It names a place by itself.
    pub(super) has_place: bool,
    /// The error comes after this place, not before it.
    pub(super) leads: bool,
    /// It gives a line of the file that a heading above it names.
    pub(super) is_entry: bool,
}

/// Signs that frame a line or decorate its ends.
const FRAMES: [char; 21] = [
    '│', '┃', '╷', '╵', '┌', '└', '├', '─', '━', '╭', '╰', '╮', '╯', '┐', '┘', '┆', '⎯', '═', '║', '┈', '┊',
];

/// Characters of a long line that are shown, from a little before what makes it an error.
const WINDOW: usize = 280;

/// Bytes of a line that are shown as a whole.
const SHORT: usize = 1000;

/// The shapes of lines, whatever they say, in the order in which they count: `*` is anything, `%` a number.
const SHAPES: &[(Standing, &str)] = &[
    (Standing::Failure, "% | ERROR*, * [E]"),
    // Work that went well, or goes on
    (
        Standing::Noise,
        "✓*, ✔*, √*, ☑*, ✅*, ·*, ↓*, ok *, pass *, passed *, (pass)*, --- pass*, --- skip*, === *, -- *, info *, info:*, \
         debug *, trace *, [info]*, [debug]*, [ run *, [  passed*, [       ok*, compiling *, checking *, downloading *, \
         finished *, running *, building *, *... ok, *... ignored, * PASSED, * skipped, test case *started*",
    ),
    // Hints, references and leftovers that name errors without being one.
    (
        Standing::Noise,
        "for more *, *to see *, see *, some errors have *, *a complete log *, *re-run *, *[help*, *-> *help*, emitted *, \
         node.js v*, http*://*, [error], npm error, npm err!, * try:, > run with*, errno: *, code: *, path: *, syscall: *, \
         note:*, help:*, hint:*, tip:*, = note:*, = help:*, *: note:*, *: 附注*, *: 備考*, traceback (*",
    ),
    // Source code, and marks under it.
    (
        Standing::Noise,
        "% |*, % │*, %▕*, > % |*, > % │*, ➜  %▕*, |*, >  *, throw *;*, raise *, return *, assert *, const *=*",
    ),
    // The value that was expected, and the value that came
    (
        Standing::Trouble,
        "expected*:*, received*:*, actual*:*, got:*, want:*, left:*, right:*",
    ),
    // A program that speaks so says everything like that.
    (Standing::Trouble, "npm error *, npm err! *"),
];

/// The names of failed tests as their programs list them.
const LISTED: &str = "%) *, ___*___, E   *";

/// The marks before the name of something that failed.
pub(super) const MARKED: &str = "✕*, ✖*, ✗*, ✘*, ×*, ❌*, ⨯*, ●*, ☒*, not ok*, failure/error:*";

/// An error whose line is given after the heading of its file.
const ENTRY: &str = "%:% *, ✖ %:% *, % | *, line %,*";

/// A command that is about to run, as npm, yarn and `set -x` print it: behind the sign stands no capital.
const ECHOES: [&str; 3] = ["> ", "$ ", "+ "];

/// Reads a line of what a command of this category printed.
pub(super) fn read(raw: &str, category: ErrorCategory) -> Line {
    let line = without_prefix(raw);
    let bare = bare(raw);
    let places = places(line);
    let said = said(bare);
    let text = shown(bare, &said);
    let standing = if text.is_empty() {
        Standing::Noise
    } else {
        standing(line, bare, &said, &places, category)
    };
    let mut files: Vec<String> = places.iter().map(|place| place.path.clone()).collect();
    if matches!(standing, Standing::Failure | Standing::Mild | Standing::Trouble) {
        files.extend(named_files(line));
    }
    if standing == Standing::Heading {
        files.extend(heading(line));
    }
    Line {
        text,
        standing,
        files,
        has_place: !places.is_empty(),
        leads: bare.starts_with("File \"") || bare.starts_with("In "),
        is_entry: has_shape(bare, ENTRY),
    }
}

/// A line without the prefix of another program and the frame around it.
pub(super) fn bare(raw: &str) -> &str {
    without_prefix(raw).trim().trim_matches(FRAMES).trim()
}

/// Without what programs that run others print before their lines: `#12 0.512 ` (docker build), `web-1  | ` (docker
/// compose), `web:test: ` (turbo).
fn without_prefix(line: &str) -> &str {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (second, behind) = rest.split_once(' ').unwrap_or((rest, ""));
    if has_shape(first, "#%") {
        if has_shape(second, "%.%") { behind } else { rest }
    } else if let Some((_, rest)) = line.split_once("| ").filter(|_| has_shape(first, "*-%")) {
        rest
    } else if has_shape(first, "*:build:, *:check:, *:lint:, *:test:, *:typecheck:") {
        rest
    } else {
        line
    }
}

fn standing(line: &str, bare: &str, said: &Said, places: &[Place], category: ErrorCategory) -> Standing {
    let names_rule = || matches!(category, Lint | Typecheck) && bare.split_whitespace().any(is_rule);
    if category == Test && has_shape(line.trim_start(), LISTED) {
        Standing::Failure
    } else if let Some((standing, _)) = SHAPES.iter().find(|(_, shapes)| has_shape(bare, shapes)) {
        *standing
    } else if is_echo(bare) || bare.chars().all(|c| " ~^|-=".contains(c)) {
        Standing::Noise
    } else if said.is_warning() {
        Standing::Mild
    } else if is_general(bare) {
        let tells = said.error.is_some() || said.is_count;
        if tells { Standing::Total } else { Standing::Plain }
    } else if has_shape(bare, MARKED)
        || says_what_is_wrong(line, places)
        || said.error.is_some()
        || names_rule()
    {
        Standing::Failure
    } else if said.is_count {
        Standing::Total
    } else if !places.is_empty() {
        Standing::Pointer
    } else if heading(line).is_some() {
        Standing::Heading
    } else if said.trouble.is_some() {
        Standing::Trouble
    } else {
        Standing::Plain
    }
}

fn is_echo(bare: &str) -> bool {
    let command = ECHOES.iter().find_map(|sign| bare.strip_prefix(sign));
    command.is_some_and(|command| !command.starts_with(|c: char| c.is_uppercase() || c.is_whitespace()))
}

/// `path:line:col message`: the line begins with a place and goes on with words.
fn says_what_is_wrong(line: &str, places: &[Place]) -> bool {
    let Some(place) = places.first() else { return false };
    let before = line[..place.span.start].trim();
    let after =
        line[place.span.end..].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '|');
    let is_first = !before.contains(char::is_whitespace) && before.len() <= 24;
    is_first && !after.starts_with(['+', '|']) && !after.starts_with("in ") && after.chars().nth(1).is_some()
}

/// The name of a rule of a linter: `F401`, `SC2086`, `[TS2322]`.
fn is_rule(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    digits.len() < word.len() && (3..=5).contains(&digits.len()) && has_shape(digits, "%")
}

/// The line with single spaces; of an endless one the part that says what is wrong.
fn shown(bare: &str, said: &Said) -> String {
    let start = said.error.or(said.trouble).map_or(0, |at| at.saturating_sub(40));
    let part = if bare.len() <= SHORT {
        bare
    } else {
        let rest = &bare[bare.floor_char_boundary(start)..];
        rest.char_indices()
            .nth(WINDOW)
            .map_or(rest, |(end, _)| &rest[..end])
    };
    let is_rule = |word: &&str| word.len() >= 4 && word.bytes().all(|byte| b"_=-!*#".contains(&byte));
    let words = part.split_whitespace().map(|word| word.trim_matches(FRAMES));
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !is_rule(word)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of a line, and the line.
    const CASES: &str = "
Failure|fatal: not a git repository
Failure|thread 'main' panicked at src/main.rs:3:5:
Failure|java.lang.NullPointerException: x
Failure|AssertionError [ERR_ASSERTION]: x
Failure|ENOENT: open 'x'
Failure|main.c:10:5: 错误：未知的类型名
Failure|src/cache.go:57:14: undefined: evictAll
Failure|level=error msg=x
Failure|test a::b ... FAILED
Trouble|bash: vitest: command not found
Trouble|unknown flag: --foo
Trouble|Expected: 3
Mild|a.c:3:5: warning: unused variable
Mild|[warn] src/a.ts
Total|Found 1 error in 1 file (checked 23 source files)
Total|make: *** [Makefile:14: test] Error 1
Pointer|  --> src/a.rs:3:5
Pointer|    at seed (/home/dev/seed.js:17:11)
Heading|/home/dev/a.ts
Noise|a.c:3:5: note: declared here
Noise| ✓ src/errors.test.ts (4 tests) 6ms
Noise|PASS src/failed-login.test.js
Noise|test handles_error ... ok
Noise|    throw new Error('x');
Noise|42 |     error(x)
Noise|> eslint src/error
Noise|For more information about this error, try `rustc --explain E0308`.
Noise|npm error A complete log of this run can be found in: /root/.npm/_logs/x.log
";

    #[test]
    fn a_line_has_a_standing() {
        for case in CASES.trim().lines() {
            let (standing, line) = case.split_once('|').unwrap();
            let read = read(line, ErrorCategory::Runtime);
            assert_eq!(format!("{:?}", read.standing), standing, "{line}");
        }
    }

    #[test]
    fn an_endless_line_shows_what_is_wrong() {
        let line = format!("{} error: the end {}", "x".repeat(2000), "y".repeat(2000));
        let read = read(&line, ErrorCategory::Runtime);
        assert!(read.text.contains("error: the end"), "{}", read.text);
        assert!(read.text.chars().count() <= WINDOW);
    }
}
