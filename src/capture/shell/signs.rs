//! The signs by which a line tells of trouble without a word for it: a mark before it, a number behind a word.

use std::ops::Range;

use super::finder::{Sort, found};
use super::line::{MARKED, bare};
use super::shape::has_shape;
use super::words::{begins_after, begins_name, ends_before};

/// Marks of warnings and alarms before a text, and the frames of Python, which stand before their error.
const WARNED: &str = "⚠*, ❗*, ⛔*, 🔴*, 🛑*, 🚨*, 💥*, [!]*, file \"*line %*";

/// Beginnings of lines: what pytest says of an assertion, apt's errors and warnings, and the sides of a conflict.
const BEGINNINGS: [&str; 6] = ["E   ", ">   ", "E: ", "W: ", "<<<<<<< ", ">>>>>>> "];

/// Words behind which every number but 0 is trouble: the end of a program.
const ENDS: [&str; 9] = [
    "exit",
    "exited",
    "exits",
    "exit_code",
    "exit_status",
    "exitcode",
    "return code",
    "returncode",
    "error_code",
];

/// Words behind which the status of an answer stands, and methods, behind whose path it stands.
const ANSWERS: [&str; 9] = [
    "status",
    "status_code",
    "statuscode",
    "http/1.0",
    "http/1.1",
    "http/2",
    "http/2.0",
    "http/3",
    "http/3.0",
];
const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];

/// Words between such a word and its number, and the most that are passed over.
const BETWEEN: &str = "code is of signal status value was with";
const MOST_BETWEEN: usize = 4;

/// The words before numbers and the beginnings of marks, for the pass that finds them.
pub(super) fn patterns() -> impl Iterator<Item = (&'static str, Sort)> {
    let of = |sort| move |word| (word, sort);
    let ends = ENDS.into_iter().map(of(Sort::End));
    let answers = ANSWERS.into_iter().map(of(Sort::Answer));
    let methods = METHODS.into_iter().map(of(Sort::Method));
    let marks = [MARKED, WARNED].into_iter().flat_map(|list| list.split(", "));
    let marks = marks.filter_map(|mark| mark.split(['*', '%']).next());
    ends.chain(answers)
        .chain(methods)
        .chain(marks.map(of(Sort::Mark)))
}

/// The first look at a line.
pub(super) struct Signs {
    /// It has a mark of trouble before it, or gives a number that is one.
    pub(super) are_there: bool,
    /// False where [`said`](super::words::said) finds nothing in it.
    pub(super) may_say: bool,
}

/// Looks for signs in a line.
pub(super) fn signs(line: &str) -> Signs {
    let mut signs = Signs {
        are_there: line.starts_with(['E', '>', 'W', '<'])
            && BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)),
        may_say: false,
    };
    let mut may_be_marked = false;
    for (sort, range) in found(line) {
        match sort {
            Sort::Error | Sort::Trouble | Sort::Warning => signs.may_say = true,
            Sort::Name => signs.may_say |= begins_name(line, &range),
            Sort::End | Sort::Answer | Sort::Method => signs.are_there |= has_number(line, sort, &range),
            Sort::Mark => may_be_marked = true,
        }
    }
    signs.are_there |= may_be_marked && is_marked(bare(line));
    signs
}

fn is_marked(bare: &str) -> bool {
    has_shape(bare, MARKED) || has_shape(bare, WARNED)
}

/// True when the number behind a word tells of trouble.
fn has_number(line: &str, sort: Sort, word: &Range<usize>) -> bool {
    let (before, after) = (&line[..word.start], &line[word.end..]);
    let is_meant = || {
        ends_before(before)
            && begins_after(after)
            && (sort != Sort::Method || after.trim_start().starts_with(['/', 'h']))
    };
    let is_trouble = |number: u32| match sort {
        Sort::End => number > 0,
        _ => (400..600).contains(&number),
    };
    let may_be_trouble = sort == Sort::End || may_be_status(after);
    may_be_trouble && is_meant() && number(after).is_some_and(is_trouble)
}

/// Bytes behind a word in which a number is looked for quickly.
const QUICKLY: usize = 200;

/// False where no number of a text is the status of a failure: most lines that name a method have none.
fn may_be_status(text: &str) -> bool {
    let is_status = |three: &[u8]| {
        matches!(three[0], b'4' | b'5') && three[1].is_ascii_digit() && three[2].is_ascii_digit()
    };
    text.len() > QUICKLY || text.as_bytes().windows(3).any(is_status)
}

/// The number behind a word, with nothing between but words that say so, a path and the name of a protocol.
fn number(after: &str) -> Option<u32> {
    let signs = |c: char| c.is_ascii_punctuation() && c != '/';
    let is_one = |word: &str| BETWEEN.split(' ').any(|one| one.eq_ignore_ascii_case(word));
    let is_between = |word: &str| {
        let is_address = word.starts_with('/')
            || word
                .get(..4)
                .is_some_and(|four| four.eq_ignore_ascii_case("http"));
        word.is_empty() || is_address || is_one(word.trim_end_matches(signs))
    };
    let words = after
        .split_whitespace()
        .map(|word| word.trim_start_matches(signs));
    let word = words.take(MOST_BETWEEN + 1).find(|word| !is_between(word))?;
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_part = |c: char| c.is_alphanumeric() || "/%_-".contains(c);
    let goes_on = rest.starts_with(is_part)
        || rest
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(is_part));
    word[..word.len() - rest.len()].parse().ok().filter(|_| !goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines with a sign, and lines that look like them.
    const CASES: &str = "
sign|    ✕ adds two numbers (5 ms)
sign|web:test: ✗ adds two numbers
sign|  ● math › adds two numbers
sign|not ok 3 - adds two numbers
sign|❌ build broke
sign|⚠ something is off
sign|[!] something
sign|E       assert 1 == 2
sign|>       assert f() == 5
sign|W: GPG key expired
sign|<<<<<<< HEAD
sign|  File \"/srv/app/run.py\", line 31, in main
sign|job exit 137
sign|exit status 1
sign|exit status: 101
sign|Process completed with exit code 1.
sign|web-1 exited with code 2
sign|exit code -1
sign|killed, exit=9
sign|{\"exit_code\": 3}
sign|c0ffee  Exited (137) 2 hours ago
sign|10.0.0.1 - - [23/Nov/2026:07:00:55 +0000] \"GET /api?a=200 HTTP/1.1\" 500 12
sign|HTTP/1.1 503 Service Unavailable
sign|< HTTP/2 404
sign|GET /api/orders 502 12.3 ms - 9
sign|level=info path=/a status=500 ms=3
sign|{\"path\":\"/a\",\"status\":404,\"ms\":3}
sign|answered with status code 429
none|    ✓ adds two numbers (5 ms)
none|ok 3 - adds two numbers
none|> vite build
none|e: 3, w: 4
none|exit code 0
none|web-1 exited with code 0
none|c0ffee  Exited (0) 2 hours ago
none|sys.exit(1)
none|exit code 1.5
none|Get:404 http://deb.example.org/debian stable/main amd64 a 1.2 [500 kB]
none|get 500 items
none|GET /500/404 200 12 ms
none|10.0.0.1 - - [23/Nov/2026:07:00:55 +0000] \"GET /api HTTP/1.1\" 200 500
none|status 500/1000
none|status of the 3 jobs: 404
none|   Compiling http v0.4.500
none|Ⓔ ✗
";

    #[test]
    fn signs_are_told_from_what_looks_like_them() {
        for case in CASES.trim().lines() {
            let (expected, line) = case.split_once('|').unwrap();
            let sign = if signs(line).are_there { "sign" } else { "none" };
            assert_eq!(sign, expected, "{line}");
        }
    }
}
