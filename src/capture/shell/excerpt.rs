//! The lines of an output that tell what is wrong, their summary, and the fingerprint by which they are known again.

use std::sync::LazyLock;

use regex::Regex;

use super::line::{Line, Standing, read};
use crate::capture::ErrorCategory;
use crate::text::{pattern, sha256_hex, without_escapes};

/// Bytes of an output that are looked at from the start, and as many from the end.
const HALF: usize = 64 * 1024;

/// Lines that are looked at of either part.
const MOST_LINES: usize = 2000;

/// Bytes of a line that are kept.
const MAX_LINE: usize = 4096;

/// Characters of a summary.
const MAX_CHARS: usize = 280;

/// Hex digits of a fingerprint.
const FINGERPRINT: usize = 12;

/// Lines that are shown.
const MAX_LINES: usize = 5;

/// Files that are remembered.
const MAX_FILES: usize = 20;

/// The error lines of an output.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// At most 5, in the order of the output; at least one.
    pub(super) lines: Vec<String>,
    /// The files that error lines name, those of the shown lines first, each once.
    pub(super) files: Vec<String>,
}

/// The error lines among the lines of a failed command's output; `None` when there is none.
pub(super) fn excerpt(output: &[String], category: ErrorCategory) -> Option<Excerpt> {
    let lines = read_all(output, category);
    let mut shown = Vec::new();
    fill(&mut shown, &lines, Standing::Failure);
    fill(&mut shown, &lines, Standing::Trouble);
    // Without them the rest speaks, the clearest first.
    for standing in [Standing::Pointer, Standing::Total, Standing::Mild] {
        if shown.is_empty() {
            fill(&mut shown, &lines, standing);
        }
    }
    shown.sort_unstable();
    (!shown.is_empty()).then(|| Excerpt {
        files: files(&lines, &shown),
        lines: shown.iter().map(|at| lines[*at].text.clone()).collect(),
    })
}

/// True when an output shows that anything went wrong.
pub(super) fn shows_failure(output: &[String], category: ErrorCategory) -> bool {
    let bad = [Standing::Failure, Standing::Total, Standing::Trouble];
    read_all(output, category)
        .iter()
        .any(|line| bad.contains(&line.standing))
}

/// Every line, with what only its neighbours tell.
fn read_all(output: &[String], category: ErrorCategory) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(output.len());
    let mut is_traceback = false;
    let mut announces = false;
    for raw in output {
        let mut line = read(raw, category);
        let is_silent = matches!(
            line.standing,
            Standing::Noise | Standing::Mild | Standing::Heading | Standing::Total
        );
        // The last line of a Python traceback is its error, whatever the exception is called; what follows
        // `panicked at src/a.rs:3:5:` or `Error:` is what happened.
        let ends_traceback = is_traceback && !raw.starts_with(char::is_whitespace);
        if ends_traceback || (announces && !is_silent) {
            line.standing = Standing::Failure;
        }
        is_traceback = (is_traceback && !ends_traceback) || raw.trim_start().starts_with("Traceback (most");
        announces = match line.standing {
            Standing::Failure => !announces && line.text.ends_with([':', ']']),
            Standing::Total => matches!(line.text.as_str(), "Failure:" | "Error:"),
            _ => false,
        };
        lines.push(line);
    }
    lines
}

/// Takes the first lines of this standing as far as there is room, each with its place or the heading of its file:
/// without that it tells little.
fn fill(shown: &mut Vec<usize>, lines: &[Line], wanted: Standing) {
    let mut heading = None;
    let mut leading = None;
    let mut waits_for_place = false;
    for (at, line) in lines.iter().enumerate() {
        let is_wanted = line.standing == wanted;
        match line.standing {
            _ if shown.len() >= MAX_LINES => break,
            _ if is_wanted && shown.iter().any(|other| lines[*other].text == line.text) => {}
            _ if is_wanted => {
                let above = heading.take_if(|_| line.is_entry || line.has_place);
                let place = above.or(leading.take().filter(|_| !line.has_place));
                waits_for_place = line.standing == Standing::Failure && !line.has_place && place.is_none();
                shown.extend(place);
                shown.push(at);
            }
            Standing::Heading => heading = Some(at),
            Standing::Mild => waits_for_place = false,
            Standing::Pointer if waits_for_place => {
                shown.push(at);
                waits_for_place = false;
            }
            Standing::Pointer if line.leads => leading = Some(at),
            _ => {}
        }
    }
    shown.truncate(MAX_LINES);
}

/// The files of the shown lines, then those of the other errors and places.
fn files(lines: &[Line], shown: &[usize]) -> Vec<String> {
    let tells = |line: &&Line| {
        matches!(
            line.standing,
            Standing::Failure | Standing::Pointer | Standing::Trouble
        )
    };
    let shown = shown.iter().map(|at| &lines[*at]);
    let mut files: Vec<String> = Vec::new();
    for file in shown
        .chain(lines.iter().filter(tells))
        .flat_map(|line| &line.files)
    {
        if files.len() < MAX_FILES && !files.contains(file) {
            files.push(file.clone());
        }
    }
    files
}

/// The lines of an output as a person saw them, in order, without those that are blank: without colours, progress that was
/// written over, control characters. Of a long output the head and the tail.
pub(super) fn lines(output: &str) -> Vec<String> {
    let mut lines = if output.len() <= 2 * HALF {
        of_part(output)
    } else {
        let mut head = of_part(&output[..output.floor_char_boundary(HALF)]);
        head.extend(of_part(&output[output.ceil_char_boundary(output.len() - HALF)..]));
        head
    };
    if lines.len() > 2 * MOST_LINES {
        lines.drain(MOST_LINES..lines.len() - MOST_LINES);
    }
    lines
}

fn of_part(part: &str) -> Vec<String> {
    let is_shown = |c: &char| *c == '\t' || !c.is_control() && *c != '\u{feff}';
    let part = without_escapes(part);
    let lines = part.split(['\n', '\r']).map(|line| {
        let mut line: String = line.chars().filter(is_shown).collect();
        line.truncate(line.floor_char_boundary(MAX_LINE));
        line
    });
    lines.filter(|line| !line.trim().is_empty()).collect()
}

/// The error lines as a summary: joined by line breaks, cut between words.
pub(super) fn summary(lines: &[String]) -> String {
    cut(&lines.join("\n"))
}

/// The first 12 hex digits of `sha256(category + normalised summary)`. Normalised means: without numbers, ids and
/// the folders of temporary files, which differ from run to run.
pub(super) fn fingerprint(category: ErrorCategory, lines: &[String]) -> String {
    static TEMPORARY: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?:/tmp/|/dev/shm/|/var/folders/|\\[Tt]emp\\)\S*[/\\]"));
    // `E0308` is none of those.
    static VARYING: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:\d[\w.:,+-]*|[0-9a-f]{7}[0-9a-f-]*\b)"));
    let text = lines.join("\n");
    let normal = VARYING
        .replace_all(&TEMPORARY.replace_all(&text, "<temp>"), "#")
        .into_owned();
    // Cut after it is normalised: a longer line number must not push out a word.
    let mut hex = sha256_hex(format!("{}{}", category.as_str(), cut(&normal)).as_bytes());
    hex.truncate(FINGERPRINT);
    hex
}

/// At most 280 characters. A word is kept or left out as a whole, so that no half of a secret is left that nobody
/// recognises; only one that fills the summary is cut.
fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let mut ends = text.char_indices().map(|(at, _)| at).skip(MAX_CHARS - 1);
    let mut next = || ends.next().expect("because there are more characters");
    let (room, limit) = (next(), next());
    let is_word = |c: char| c.is_alphanumeric() && !crate::text::is_cjk(c) || "-_+/=.~%".contains(c);
    let goes_on = text[room..limit].starts_with(is_word) || text[limit..].starts_with(is_word);
    let mut kept = &text[..room];
    if goes_on && kept.ends_with(is_word) {
        let whole = kept.trim_end_matches(is_word);
        if !whole.trim().is_empty() {
            kept = whole;
        }
    }
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_does_is_taken_off() {
        assert_eq!(
            lines(
                "\u{1b}[31merror\u{1b}[0m: \u{1b}[1mx\u{1b}[22m\r\n\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}\n"
            ),
            ["error: x", "link"]
        );
        assert_eq!(lines("10%\r100%\rerror: full\n"), ["10%", "100%", "error: full"]);
        assert_eq!(lines("a\0b\u{8}\u{7}\tc"), ["ab\tc"]);
        assert_eq!(lines("\u{1b}"), [""; 0]);
        assert_eq!(lines("\n \n\r\n"), [""; 0]);
    }

    #[test]
    fn a_long_output_is_read_from_both_ends() {
        let output = format!("first\n{}last\n", "filling é line\n".repeat(100_000));
        let found = lines(&output);
        assert_eq!(found[0], "first");
        assert_eq!(found.last().map(String::as_str), Some("last"));
        assert!(found.iter().map(String::len).sum::<usize>() <= 2 * HALF);
    }

    #[test]
    fn an_endless_line_is_cut() {
        let found = lines(&"é".repeat(3_000_000));
        assert!(found.iter().all(|line| line.len() <= MAX_LINE));
        let _ = lines(&"\u{1b}[".repeat(1_000_000));
        let _ = lines(&"\u{1b}]".repeat(1_000_000));
    }

    fn print(line: &str) -> String {
        fingerprint(ErrorCategory::Build, &[line.to_owned()])
    }

    #[test]
    fn a_summary_is_cut_between_words() {
        let short = ["a b".to_owned(), "c".to_owned()];
        assert_eq!(summary(&short), "a b\nc");
        let long = summary(&["word ".repeat(100)]);
        assert!(
            long.ends_with("word…") && long.chars().count() <= MAX_CHARS,
            "{long}"
        );
        let secret = summary(&[format!("{}token=abcdefghijklmnopqrstuvwxyz", "x ".repeat(130))]);
        assert!(secret.ends_with("x…"), "{secret}");
        let endless = summary(&["x".repeat(1000)]);
        assert_eq!(endless.chars().count(), MAX_CHARS);
        let chinese = summary(&["错误".repeat(300)]);
        assert_eq!(chinese.chars().count(), MAX_CHARS);
    }

    #[test]
    fn the_same_error_elsewhere_has_the_same_fingerprint() {
        for (one, other) in [
            ("src/a.rs:3:5: error: x", "src/a.rs:1042:15: error: x"),
            ("src/a.ts(3,1): error TS1: x", "src/a.ts(30,11): error TS1: x"),
            ("2026-02-03T10:00:01Z ERROR x", "2026-02-04T11:30:09Z ERROR x"),
            ("segfault at 0x7ffe12 x", "segfault at 0x55aa90 x"),
            ("timed out after 5.02s", "timed out after 31s"),
            (
                "cannot open /tmp/build-1x/a.txt",
                "cannot open /tmp/build-9z/q/a.txt",
            ),
        ] {
            assert_eq!(print(one), print(other), "{one}");
        }
    }

    #[test]
    fn another_error_has_another() {
        assert_ne!(print("error[E0308]: x"), print("error[E0425]: x"));
        assert_ne!(print("src/a.rs:3:5: error: x"), print("src/b.rs:3:5: error: x"));
        let lint = fingerprint(ErrorCategory::Lint, &["x".to_owned()]);
        assert_ne!(lint, print("x"));
        assert_eq!(lint, sha256_hex(b"lintx")[..12]);
    }
}
