//! What a line of a failed command's output is: an error, a place, a remark, or nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::failure_words::{LANGUAGES, Language};
use super::line_shapes::{
    CODE, COUNT, DENIAL, DETAIL, ECHO, ENTRY, ERROR_CODE, EXCEPTION, FAILED_NAME, FRAME, HINT, LISTED_TEST,
    MILD, PASSED, PREFIX, REMARK, TABLE_ROW, TOTAL,
};
use super::places::{heading, is_foreign_frame, named_files, places};
use crate::capture::ErrorCategory;

/// What a line is worth in the account of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Says that something failed, or what is wrong at a place.
    Failure,
    /// Tells of trouble without naming it an error.
    Trouble,
    /// A place and nothing else.
    Pointer,
    /// What was expected, and what came.
    Detail,
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

/// What frames a line or decorates its ends.
const FRAMES: &[char] = &[
    '│', '┃', '╷', '╵', '┌', '└', '├', '─', '━', '╭', '╰', '╮', '╯', '┐', '┘', '┆', '⎯', '═', '║', '┈', '┊',
];

/// Characters of a long line that are shown, from a little before what makes it an error.
const WINDOW: usize = 280;

/// Bytes of a line that are shown as a whole.
const SHORT: usize = 1000;

struct Words {
    errors: Regex,
    troubles: Regex,
    warnings: Regex,
    denials: Regex,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| Words {
    errors: words(|language| language.errors),
    troubles: words(|language| language.troubles),
    warnings: words(|language| language.warnings),
    denials: words(|language| language.denials),
});

/// One pattern for a list of every language. A word within a path, an option or a longer name does not count.
fn words(list: impl Fn(&Language) -> &'static [&'static str]) -> Regex {
    let is_joined = |word: &&str| word.chars().any(crate::text::is_cjk);
    let all: Vec<&str> = LANGUAGES
        .iter()
        .flat_map(|language| list(language).iter().copied())
        .collect();
    let alternatives = |is_wanted: &dyn Fn(&&str) -> bool| {
        let quoted: Vec<String> = all
            .iter()
            .filter(|word| is_wanted(word))
            .map(|word| regex::escape(word))
            .collect();
        quoted.join("|")
    };
    let spaced = alternatives(&|word| !is_joined(word));
    let joined = alternatives(&is_joined);
    let joined = if joined.is_empty() {
        String::new()
    } else {
        format!("|{joined}")
    };
    Regex::new(&format!(
        r"(?i)(?:^|[^\w/.\-@\\$])(?:{spaced})(?:$|[^\w/\-.(\\]|\.(?:$|\s)|\(\w*\)|\\?[nr]){joined}"
    ))
    .expect("because the words are constants")
}

/// Reads a line of what a command of this category printed.
pub(super) fn read(line: &str, category: ErrorCategory) -> Line {
    let prefix = PREFIX.find(line).map_or(0, |found| found.end());
    let line = &line[prefix..];
    let bare = line.trim().trim_matches(FRAMES).trim();
    let said = deny(bare);
    let standing = standing(line, bare, &said, category);
    let places = places(line);
    let mut files: Vec<String> = places.iter().map(|place| place.path.clone()).collect();
    if matches!(standing, Standing::Failure | Standing::Mild | Standing::Trouble) {
        files.extend(named_files(line));
    }
    if standing == Standing::Heading {
        files.extend(heading(line));
    }
    // PHPUnit and its like print the place of a failed test after it, others that of an error before it.
    let is_python = line.trim_start().starts_with("File \"");
    let is_bare = places
        .first()
        .is_some_and(|place| bare.len() <= place.span.len() + 1);
    Line {
        text: shown(bare),
        standing,
        files,
        has_place: !places.is_empty(),
        leads: is_python || bare.starts_with("In ") || (is_bare && category != ErrorCategory::Test),
        is_entry: ENTRY.is_match(line),
    }
}

/// The line without what denies errors.
fn deny(line: &str) -> String {
    let line = WORDS.denials.replace_all(line, " ");
    DENIAL.replace_all(&line, " ").into_owned()
}

fn standing(line: &str, bare: &str, said: &str, category: ErrorCategory) -> Standing {
    if TABLE_ROW.is_match(line) {
        return if MILD.is_match(line) {
            Standing::Mild
        } else {
            Standing::Failure
        };
    }
    let is_test = category == ErrorCategory::Test;
    if is_test && LISTED_TEST.is_match(line) {
        return Standing::Failure;
    }
    if DETAIL.is_match(bare) {
        return Standing::Detail;
    }
    let means_nothing = [&*ECHO, &PASSED, &CODE].iter().any(|shape| shape.is_match(line))
        || HINT.is_match(bare)
        || REMARK.is_match(bare);
    if means_nothing {
        return Standing::Noise;
    }
    let is_frame = FRAME.is_match(bare);
    if is_frame && (line.starts_with(char::is_whitespace) || !places(line).is_empty()) {
        return if places(line).is_empty() {
            Standing::Noise
        } else {
            Standing::Pointer
        };
    }
    if TOTAL.is_match(said.trim()) {
        return Standing::Total;
    }
    let error = WORDS.errors.find(said).map(|word| word.start());
    if is_mild(said, error) {
        return Standing::Mild;
    }
    if FAILED_NAME.is_match(said) || says_what_is_wrong(line) {
        return Standing::Failure;
    }
    if COUNT.is_match(said) {
        return Standing::Total;
    }
    if error.is_some() || EXCEPTION.is_match(said) || ERROR_CODE.is_match(said) {
        return if is_foreign_frame(line) && is_frame {
            Standing::Noise
        } else {
            Standing::Failure
        };
    }
    if !places(line).is_empty() {
        return Standing::Pointer;
    }
    if ENTRY.is_match(line) && line.starts_with(char::is_whitespace) {
        return Standing::Failure;
    }
    if heading(line).is_some() || is_package(bare) {
        return Standing::Heading;
    }
    if WORDS.troubles.is_match(said) {
        return Standing::Trouble;
    }
    Standing::Plain
}

/// A warning, unless the line names an error first.
fn is_mild(said: &str, error: Option<usize>) -> bool {
    let by_shape = MILD.find(said).map(|found| found.start());
    let by_word = WORDS
        .warnings
        .find(said)
        .filter(|found| {
            said[found.end()..].starts_with([' ', ':', '：']) || found.as_str().ends_with([':', '：', ' '])
        })
        .filter(|_| says_what_is_wrong(said))
        .map(|found| found.start());
    let mild = by_shape.into_iter().chain(by_word).min();
    mild.is_some_and(|mild| error.is_none_or(|error| mild <= error))
}

/// `path:line:col message`: the line begins with a place and goes on with words.
fn says_what_is_wrong(line: &str) -> bool {
    let places = places(line);
    let Some(place) = places.first() else { return false };
    let before = line[..place.span.start].trim();
    let after =
        line[place.span.end..].trim_start_matches(|c: char| c.is_whitespace() || ":-–—)].,".contains(c));
    let is_first = before.is_empty() || (!before.contains(char::is_whitespace) && before.len() <= 24);
    is_first
        && !after.starts_with(['+', '|'])
        && !after.starts_with("in ")
        && after.chars().filter(|c| c.is_alphabetic()).count() >= 2
}

/// `# example.org/atlas/internal/store`: the package to which Go's errors belong.
fn is_package(bare: &str) -> bool {
    bare.strip_prefix("# ").is_some_and(|name| {
        !name.contains([' ', '[', ':']) && (name.contains('/') || name == "command-line-arguments")
    })
}

/// The line with single spaces; of an endless one the part that says what is wrong.
fn shown(bare: &str) -> String {
    let part = if bare.len() <= SHORT {
        bare
    } else {
        let found = [&WORDS.errors, &*EXCEPTION, &*ERROR_CODE, &WORDS.troubles]
            .into_iter()
            .find_map(|pattern| pattern.find(bare));
        let start = bare.floor_char_boundary(found.map_or(0, |found| found.start().saturating_sub(40)));
        let start = if start < 40 { 0 } else { start };
        let end = bare[start..]
            .char_indices()
            .nth(WINDOW)
            .map_or(bare.len(), |(at, _)| start + at);
        &bare[start..end]
    };
    let mut text = String::with_capacity(part.len());
    for word in part.split_whitespace() {
        let word = word.trim_matches(FRAMES);
        let is_rule = word.len() >= 4 && word.bytes().all(|byte| b"_=-!*#".contains(&byte));
        if !word.is_empty() && !is_rule {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(line: &str) -> Standing {
        read(line, ErrorCategory::Runtime).standing
    }

    #[test]
    fn errors_are_told_by_words_in_many_languages() {
        for line in [
            "error: x",
            "fatal: not a git repository",
            "Error response from daemon: x",
            "npm ERR! code ERESOLVE",
            "thread 'main' panicked at src/main.rs:3:5:",
            "java.lang.NullPointerException: x",
            "django.db.utils.OperationalError: no such table",
            "RollupError: x",
            "AssertionError [ERR_ASSERTION]: x",
            "ENOENT: open 'x'",
            "main.c:10:5: Fehler: unbekannter Typname »u8«",
            "main.c:10:5: 错误：未知的类型名",
            "main.c:10:5: エラー: 不明な型名",
            "main.c:10:5: 오류: 알 수 없는 형식",
            "main.c:10:5: erreur: type inconnu",
            "src/cache.go:57:14: undefined: evictAll",
            "Segmentation fault (core dumped)",
            "level=error msg=x",
            "{\"error\":\"x\"}",
            "test a::b ... FAILED",
            "CONFLICT (content): Merge conflict in a.rs",
        ] {
            assert_eq!(is(line), Standing::Failure, "{line}");
        }
    }

    #[test]
    fn trouble_is_told_without_the_word() {
        for line in [
            "bash: vitest: command not found",
            "cp: cannot stat 'x': No such file or directory",
            "ssh: connect to host x port 22: Connection refused",
            "unknown flag: --foo",
        ] {
            assert_eq!(is(line), Standing::Trouble, "{line}");
        }
    }

    #[test]
    fn denied_errors_are_none() {
        for line in [
            "0 failed",
            "no errors found",
            "Found 0 errors.",
            "Errors: 0, Failures: 0",
            "Finished without errors",
            "12 passed; 0 failed; 0 ignored",
            "   Errors  no errors",
            "0 个错误",
            "没有错误",
            "エラーはありません",
            "오류 0개",
            "keine Fehler",
            "failures=0",
        ] {
            assert!(matches!(is(line), Standing::Noise | Standing::Plain), "{line}");
        }
    }

    #[test]
    fn names_and_passing_tests_are_no_errors() {
        for line in [
            "dist/assets/error-page-5b1c.js   4.10 kB",
            " ✓ src/errors.test.ts (4 tests) 6ms",
            "PASS src/failed-login.test.js",
            "test handles_error ... ok",
            "tests/test_errors.py::test_failure PASSED [ 50%]",
            "   Compiling thiserror v1.0.0",
            "    throw new Error('x');",
            "42 |     error(x)",
            "> eslint src/error",
            "For more information about this error, try `rustc --explain E0308`.",
            "ok 3 - throws an error",
            "npm error A complete log of this run can be found in: /root/.npm/_logs/x.log",
            "running with --fail-fast",
        ] {
            assert!(matches!(is(line), Standing::Noise | Standing::Plain), "{line}");
        }
    }

    #[test]
    fn totals_warnings_and_places_stand_apart() {
        assert_eq!(
            is("Found 1 error in 1 file (checked 23 source files)"),
            Standing::Total
        );
        assert_eq!(is("✖ 1 problem (1 error, 0 warnings)"), Standing::Total);
        assert_eq!(is("make: *** [Makefile:14: test] Error 1"), Standing::Total);
        assert_eq!(
            is("test result: FAILED. 2 passed; 1 failed; 0 ignored"),
            Standing::Total
        );
        assert_eq!(is("a.c:3:5: warning: unused variable"), Standing::Mild);
        assert_eq!(is("a.c:3:5: Warnung: unbenutzte Variable"), Standing::Mild);
        assert_eq!(is("[warn] src/a.ts"), Standing::Mild);
        assert_eq!(is("a.c:3:5: note: declared here"), Standing::Noise);
        assert_eq!(is("  --> src/a.rs:3:5"), Standing::Pointer);
        assert_eq!(is("    at seed (/home/dev/seed.js:17:11)"), Standing::Pointer);
        assert_eq!(is("/home/dev/a.ts"), Standing::Heading);
        assert_eq!(is("Expected: 3"), Standing::Detail);
    }

    #[test]
    fn an_endless_line_shows_what_is_wrong() {
        let line = format!("{} error: the end {}", "x".repeat(2000), "y".repeat(2000));
        let read = read(&line, ErrorCategory::Runtime);
        assert!(read.text.contains("error: the end"), "{}", read.text);
        assert!(read.text.chars().count() <= WINDOW);
    }
}
