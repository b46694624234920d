//! The lines of an output: an error, a place, a remark, or nothing; and the places in files that they name.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::words::{Said, is_general, said};
use crate::capture::ErrorCategory::{self, Lint, Test, Typecheck};
use crate::text::pattern;

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

/// Work that went well, or goes on; hints, references and leftovers that name errors without being one; source code, and
/// marks under it.
static NOISE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?: [✓✔√☑✅·↓] | (?:ok|pass|passed|===|--|info|debug|trace|compiling|checking|downloading|finished|running|building
                |see|throw|raise|return|assert|some\ errors\ have|for\ more|errno:|code:|path:|syscall:)\ 
            | \(pass\) | ---\ (?:pass|skip) | info: | \[(?:info|debug|error)\]$ | \[info\] | \[debug\] | \[\ +(?:run|ok|passed)\ 
            | \[\ \ passed | npm\ (?:error|err!)$ | node\.js\ v | https?[^:]*:// | >\ run\ with | emitted\  | traceback\ \(
            | (?:=\ )?(?:note|help|hint|tip): | \d+\ (?:\||│)|\d+▕ | >\ \d+\ [|│] | ➜\ \ \d+▕ | \| | >\ \  | const\ .*=
            | test\ case\ .*started
            | .*(?: \.\.\.\ (?:ok|ignored) | \ PASSED | \ skipped | \ try: )$
            | .*(?: to\ see\  | a\ complete\ log\  | re-run\  | \[help | ->\ help | :\ note: | :\ (?:附注|備考) ) )",
    )
});

/// The value that was expected, and the value that came; and programs that say everything so.
static TROUBLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^(?:(?:expected|received|actual).*:|got:|want:|left:|right:|npm (?:error|err!) )")
});

/// The names of failed tests as their programs list them.
static LISTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:\d+\) |___.*___|E   )"));

/// What a program says of something that failed, in the form of what is noise elsewhere.
static FAILED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d+ \| ERROR| \[E\]$"));

/// The marks before the name of something that failed.
pub(super) static MARK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:[✕✖✗✘×❌⨯●☒]|not ok|failure/error:)"));

/// The marks before warnings and alarms, and the frames of Python, which stand before their error.
pub(super) static WARNED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?i)^(?:[⚠❗⛔🔴🛑🚨💥]|\[!\]|file ".*line \d)"#));

/// An error whose line is given after the heading of its file.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^(?:(?:✖ )?\d+:\d+ |\d+ \||line \d+,)"));

/// What programs that run others print before their lines: `#12 0.512 ` (docker build), `web-1  | ` (docker compose),
/// `web:test: ` (turbo).
static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:#\d+ (?:\d+\.\d+ )?|[^ ]*-\d+ .*?\| |[^ ]*:(?:build|check|lint|test|typecheck): )")
});

/// A path with a line number behind it, in the forms of compilers, linters and stack traces.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x) (?<path> (?:[A-Za-z]:\\)? [^\s:()\[\]{}"'`<>|,;*?=「」『』“”‘’«»：]+ )
        (?: :\d+(?::\d+)?\b | \ ?\(\d+(?:[,:]\d+)?\) | :\[\d+,\d+\] | :\(\.text[^)]*\) | \ \d+:\d+\ 
        | "?(?:,|:|\ on)?\ lines?\ \d+\b | :line\ \d+\b )"#,
    )
});

/// A word that may be a path.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:[A-Za-z]:\\)?[^\s:()\[\]{}"'`<>|,;*?=「」『』“”‘’«»：]+"#));

/// The name of a file: by its extension, or without one. Other words with a dot are hosts, versions and calls.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)[^/\\]\.(?: asm|astro|bash|bats|c|cc|cjs|cljs?|cmake|conf|cpp|cs|csproj|css|cts|cu|cxx|d|dart|elm|erb|erl|exs?|f90|fs|gleam
            |go|gradle|graphql|groovy|h|hbs|hcl|hpp|hrl|hs|html|ini|ipynb|java|jl|jsx?|jsonc?|kts?|less|lua|m|mdx?|mjs|mk|mli?|mm|mts
            |nim|nix|php|pl|pm|prisma|properties|proto|ps1|pyi?|pyx|r|rake|rb|rs|rst|sass|sbt|scala|scss|sh|sol|sql|svelte|swift|tex
            |tf|tfvars|toml|tsx?|txt|v|vb|vue|xml|ya?ml|zig|zsh )$
        | (?-i:(?:^|[/\\])(?: BUILD|Containerfile|Dockerfile|Gemfile|Jenkinsfile|[Jj]ustfile|[Mm]akefile|Podfile|Procfile
            |Rakefile|WORKSPACE )$)",
    )
});

/// Parts of paths that nobody edits: what a package manager or a compiler brought.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:node_modules|(?:site|dist)-packages|gems|\.venv|_logs|\.npm|\.pnpm|\.gradle|\.m2|pkg/mod|\.rustup)/|lib/python|/usr/(?:lib|include|local/|share)|/rustc/
        |\.cargo/registry|/nix/store|vendor/phpunit|internal/modules|/opt/(?:homebrew|hostedtoolcache)/|Xcode\.app",
    )
});

/// A file that a line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// As it is printed, without line and column.
    pub(super) path: String,
    /// The place in the line, with line and column.
    span: Range<usize>,
}

/// The places that a line names, from left to right; none in files that nobody edits.
pub(super) fn places(line: &str) -> Vec<Place> {
    if !line.contains(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let found = PLACE.captures_iter(line).map(|found| {
        let (span, path) = (found.get(0), found.name("path"));
        let span = span.expect("because it matched").range();
        (span, tidy(path.map_or("", |path| path.as_str())))
    });
    let own = found.filter(|(span, path)| is_file(path) && !is_foreign(line, span.start, path));
    own.map(|(span, path)| Place { path, span }).collect()
}

/// The files that an error line names without a line number: with a folder and a known extension, or behind `FAIL`.
fn named_files(line: &str) -> Vec<String> {
    let verdicts = ["FAIL ", "FAILED ", "ERROR ", "[warn] ", "would reformat"];
    let is_verdict = verdicts.iter().any(|verdict| line.trim().starts_with(verdict));
    let words = WORD
        .find_iter(line)
        .map(|word| (word.start(), tidy(word.as_str())));
    let named = words.filter(|(start, path)| {
        (is_verdict || path.contains(['/', '\\'])) && NAME.is_match(path) && !is_foreign(line, *start, path)
    });
    named.map(|(_, path)| path).collect()
}

/// The path, when a line is nothing but one: the heading of the errors under it.
fn heading(line: &str) -> Option<String> {
    let line = line.trim();
    let line = line.strip_prefix("FILE:").unwrap_or(line).trim();
    let path = tidy(line.trim_start_matches(['*', ' ']).trim_end_matches(':'));
    let is_one = !line.contains(": ")
        && !line.contains(" -")
        && path.len() <= 512
        && (!path.contains(' ') || path.starts_with('/'));
    (is_one && is_file(&path) && !path.contains("://")).then_some(path)
}

/// Without what ends it: `//home/a` of `file:///home/a` is `/home/a`.
fn tidy(path: &str) -> String {
    let path = path.trim_end_matches(['.', '!', '…']);
    let bare = path.trim_start_matches('/');
    if path.len() - bare.len() > 1 {
        format!("/{bare}")
    } else {
        path.to_owned()
    }
}

/// True when a word is a file: by its name, or by a folder and something like an extension.
fn is_file(path: &str) -> bool {
    static LIKE_ONE: LazyLock<Regex> = LazyLock::new(|| pattern(r"[/\\].*\.[A-Za-z][A-Za-z0-9]{0,9}$"));
    NAME.is_match(path) || LIKE_ONE.is_match(path) && !path.ends_with(".git")
}

/// In a package or a library, or a part of an address.
fn is_foreign(line: &str, start: usize, path: &str) -> bool {
    let before = line[..start]
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let is_address = before.contains("://") || (before.ends_with(':') && path.starts_with('/'));
    (is_address && !before.contains("file:")) || before.contains("node:") || FOREIGN.is_match(path)
}

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
    match standing {
        Standing::Failure | Standing::Mild | Standing::Trouble => files.extend(named_files(line)),
        Standing::Heading => files.extend(heading(line)),
        _ => {}
    }
    Line {
        text,
        standing,
        files,
        has_place: !places.is_empty(),
        leads: bare.starts_with("File \"") || bare.starts_with("In "),
        is_entry: ENTRY.is_match(bare),
    }
}

/// A line without the prefix of another program and the frame around it.
pub(super) fn bare(raw: &str) -> &str {
    without_prefix(raw).trim().trim_matches(FRAMES).trim()
}

fn without_prefix(line: &str) -> &str {
    PREFIX.find(line).map_or(line, |prefix| &line[prefix.end()..])
}

fn standing(line: &str, bare: &str, said: &Said, places: &[Place], category: ErrorCategory) -> Standing {
    let names_rule = || matches!(category, Lint | Typecheck) && RULE.is_match(bare);
    if category == Test && LISTED.is_match(line.trim_start()) || FAILED.is_match(bare) {
        Standing::Failure
    } else if NOISE.is_match(bare) || is_echo(bare) || bare.chars().all(|c| " ~^|-=".contains(c)) {
        Standing::Noise
    } else if TROUBLE.is_match(bare) {
        Standing::Trouble
    } else if said.is_warning() {
        Standing::Mild
    } else if is_general(bare) {
        let tells = said.error.is_some() || said.is_count;
        if tells { Standing::Total } else { Standing::Plain }
    } else if MARK.is_match(bare) || says_what_is_wrong(line, places) || said.error.is_some() || names_rule()
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

/// A command that is about to run, as npm, yarn and `set -x` print it: behind the sign stands no capital.
fn is_echo(bare: &str) -> bool {
    let command = ["> ", "$ ", "+ "].iter().find_map(|sign| bare.strip_prefix(sign));
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
static RULE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[A-Z]+\d{3,5}\b"));

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

    /// The path that a line names, if any, and the line.
    const PLACES: &str = "
src/posting.rs|  --> src/posting.rs:42:18
src/api/client.ts|src/api/client.ts(14,5): error TS2322: x
src/main.tsx|RollupError: src/main.tsx (4:9): x
/home/dev/src/App.java|[ERROR] /home/dev/src/App.java:[12,9] cannot find symbol
manage.py|  File \"manage.py\", line 22, in <module>
/srv/x.php|PHP Parse error:  syntax error in /srv/x.php on line 12
main.tf|  on main.tf line 12, in resource \"x\" \"y\":
./deploy.sh|./deploy.sh: line 5: foo: command not found
/home/dev/X.cs|   at Tests.X() in /home/dev/X.cs:line 31
/home/dev/src/Main.kt|e: file:///home/dev/src/Main.kt:3:5 Unresolved reference
C:\\src\\a.cpp|C:\\src\\a.cpp:3:1: error: x
test/counter_test.dart|  test/counter_test.dart 9:7   main.<fn>
Dockerfile|Dockerfile:12
|Bind for 0.0.0.0:5432 failed
|http://localhost:3000/app.js:5:3
|registry.example.org:443 refused
|pull registry.example.org/app/web:1.2 failed
|2026-02-03 10:00:01 ERROR x
|    at Module._compile (node:internal/modules/cjs/loader:1554:14)
|    at x (/home/dev/node_modules/jest/build/a.js:3:1)
|git.example.org:acme/shop.git
";

    #[test]
    fn a_line_names_a_place() {
        for case in PLACES.trim().lines() {
            let (path, line) = case.split_once('|').unwrap();
            let found = places(line).into_iter().map(|place| place.path);
            assert_eq!(found.collect::<Vec<_>>().join(" "), path, "{line}");
        }
    }

    #[test]
    fn failures_name_files_without_lines() {
        for (line, files) in [
            ("FAIL cart.test.js", "cart.test.js"),
            ("FAILED tests/test_a.py::test_x - assert 1", "tests/test_a.py"),
            ("no './x.js' in 'src/a.ts'", "./x.js src/a.ts"),
            ("see https://example.org/a/b.html", ""),
            ("npm run bundle failed in Node.js", ""),
        ] {
            assert_eq!(named_files(line).join(" "), files, "{line}");
        }
    }

    #[test]
    fn a_heading_is_a_path_alone() {
        let is = |line: &str| heading(line).unwrap_or_default();
        assert_eq!(is("/home/dev/my app/a.ts"), "/home/dev/my app/a.ts");
        assert_eq!(is("app/main.py:"), "app/main.py");
        assert_eq!(is("FILE: /srv/a.php"), "/srv/a.php");
        assert_eq!(is("error in a.ts"), "");
    }
}
