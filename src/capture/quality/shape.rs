//! Texts that are refused whatever else they show: a list of paths, code, an error as a program printed it, questions,
//! subjects of commits, and the file that is open.

use std::sync::LazyLock;

use regex::Regex;

use super::is_fact;
use super::passage::{Passage, QUOTED};
use super::words::{Phrases, is};
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::{is_cjk, pattern};

/// From this many paths on, a text is a list of files.
const MOST_PATHS: usize = 3;
/// From this many signs of code on, a text that begins like code is code.
const FEWEST_SIGNS: usize = 2;

/// A file by its extension, a path with a root, with a folder behind a hidden one, with three names, or a folder.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix) [^/\\]\.(?: json | jsonc | jsonl | ts | tsx | js | jsx | mjs | cjs | md | mdx | yaml | yml | toml | lock | config | rs |
            py | go | sh | rb | java | kt | swift | c | h | cc | cpp | hpp | cs | php | vue | svelte | css | scss | less
            | html | sql | graphql | proto | xml | ini | cfg | conf | env | txt | csv | ipynb | ex | exs | scala | lua |
            dart | zig | nix | tf | gradle | snap | erb | log | bat | ps1 | png | svg | wasm | plist | tex )[/\\]*$
        | ^(?:/|\.\.?/|~[/\\]|\.\\).*[^/\\] | ^.:\\ | ^\.[^/\\]*[/\\]+[^/\\] | [^/\\].*/$ | [^/\\][/\\]+[^/\\]+[/\\]+[^/\\]",
    )
});

/// An error as a program prints it: its name and a colon, a number, a place.
static PRINTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[^\pL\pN]*(?:[^\s:\[(]*(?:traceback|assertion|exception|critical|warning|failure|fehler|error|panic|fatal|err!|err)(?:[\[(][^\s:]*)?:|error \d|e   |e assertion)|^thread '|[\d)]: error |: error: | - error ts|=0x[0-9a-f]{4}",
    )
});

/// Signs that a program prints around an error.
static ERROR_MARKS: Phrases = Phrases::new(
    "
    command not found, panicked at, most recent call last, npm err!, econnrefused, segmentation fault,
    exception in thread, uncaught, symbol(s) not found, enoent:, eaddrinuse, cannot find module ',
    undefined reference to, latex error, fatal exception, core dumped
    ",
);

/// The subject of a commit. A label begins with a capital.
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(?:\([^:]*\))?!?: ")
});

static EDITING: Phrases = Phrases::new(
    "
    open file, open files, files open, active file, cursor is, ^editing, ^viewing, ^working in, ^looking at,
    currently open, are editing, i am in, being worked on, tab with
    ",
);

/// Words that say that something is not decided.
static OPEN: Phrases = Phrases::new(
    "
    unclear, not clear, open whether, still open, undecided, not decided, to be decided, not sure, open question,
    clarified, 是否需要, 要不要, 还没决定, まだ決ま, べきか, べきでしょうか
    ",
);

/// Gives the reason to refuse a text whatever signs it has.
pub(super) fn reason(kind: &Kind, passage: &Passage<'_>) -> Option<Rejection> {
    let is_question = |sentence: &str| sentence.ends_with(['?', '？']);
    let reason = if is_error(passage.whole) {
        Rejection::RawError
    } else if is_code(passage.whole) {
        Rejection::CodeOrApiSignature
    } else if is_path_heavy(kind, passage.whole) {
        Rejection::PathHeavy
    } else if passage.sentences().any(is_question) || OPEN.is_in(&passage.prose) {
        Rejection::UnresolvedQuestion
    } else if is_commit(passage) {
        Rejection::CommitOrCiSnapshot
    } else if passage.sentences().any(is_editing) {
        Rejection::ActiveFileSnapshot
    } else {
        return None;
    };
    Some(reason)
}

/// True when a program printed the text: it begins with the name of an error, or holds words that only a program says.
fn is_error(text: &str) -> bool {
    let lower = text.to_lowercase();
    !text.starts_with(['`', '"', '“']) && PRINTED.is_match(text)
        || ERROR_MARKS.places(&lower).any(|(at, _)| at < 48) && !says_prose(&lower)
}

/// True when a sentence names the file that is open.
fn is_editing(sentence: &str) -> bool {
    let placed = sentence.contains(|c: char| "/+@=<".contains(c))
        || sentence.contains(QUOTED)
        || sentence
            .trim_end_matches('.')
            .contains(|c: char| c == '.' || c.is_ascii_digit());
    EDITING.is_in(sentence) && placed
}

/// True when a whole text is the subject of a commit, or tells of a commit or of a run of the pipeline.
fn is_commit(passage: &Passage<'_>) -> bool {
    let words = || passage.whole.split(|c: char| !c.is_alphanumeric() && c != '-');
    let hash = |word: &&str| {
        (7..=40).contains(&word.len())
            && word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_alphabetic())
    };
    let hashes = words().filter(hash).count();
    let is_hashed = hashes > 0 && words().any(|word| is(&word.to_lowercase(), "of a commit"));
    let is_subject = SUBJECT.is_match(passage.whole) && !passage.prose.contains("://");
    is_subject || is_hashed || hashes > 1
}

/// True when a text is code: it begins or ends as code does, and has the signs of code, not the words of prose.
fn is_code(text: &str) -> bool {
    let text = text.trim_matches(['`', '*']).trim();
    let lower = text.to_lowercase();
    let first = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or("");
    let signs = text.matches(|c| "(){};=<>[]".contains(c)).count()
        + text.matches("->").count()
        + text.matches("::").count();
    let statement = is(first, "statement") && text.ends_with([';', '{', '}']);
    let keyword = is(first, "keyword") || statement || text.starts_with(['#', '@', '\\', '<']);
    let ends = text.ends_with([';', '{', '}', ')', '>']) && !text.contains(". ");
    let named = |name: &str| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
    };
    let call = text
        .split_once('(')
        .is_some_and(|(name, _)| !name.is_empty() && named(name));
    let signature = (keyword && signs >= FEWEST_SIGNS)
        || (ends && signs >= 2 * FEWEST_SIGNS)
        || (call && signs > FEWEST_SIGNS);
    signature && !says_prose(&lower)
}

fn says_prose(lower: &str) -> bool {
    let words = lower.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| is(word, "prose")).count() > 1 || lower.chars().filter(|c| is_cjk(*c)).count() > 3
}

/// True when a text is made of paths. Paths are found again by looking.
fn is_path_heavy(kind: &Kind, text: &str) -> bool {
    let pieces = text.split(|c: char| c.is_whitespace() || ",;，、；：()（）「」\"'`|".contains(c));
    let paths: Vec<&str> = pieces
        .map(|word| word.trim_end_matches(['.', ':', '。']))
        .filter(|word| is_path(word))
        .collect();
    // A Chinese, Japanese or Korean letter says as much as two others.
    let weight = |c: char| usize::from(!c.is_whitespace()) + usize::from(is_cjk(c));
    let letters = |text: &str| -> usize { text.chars().map(weight).sum() };
    let of_paths: usize = paths.iter().map(|path| letters(path)).sum();
    // `logs = /var/log/shop` is what a reference is for: there the path is the value.
    let value = paths.len() == 1 && is_fact(kind, text);
    let placed = paths.iter().any(|path| is_placed(text, path));
    paths.len() >= MOST_PATHS || (of_paths * 2 > letters(text) && !value && !placed)
}

/// True when a text says of the path that something is there: `the table is in docs/table.md`.
fn is_placed(text: &str, path: &str) -> bool {
    let before = text.split(path).next().unwrap_or("");
    let before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    [
        " in", " at", " under", " from", "在", "看", "见", "に", "は", "에",
    ]
    .iter()
    .any(|place| before.ends_with(place))
}

/// True when a word is a path: one with a folder in it, or a file by its extension. `and/or`, `CI/CD`, `1/2`,
/// `@scope/package` and addresses are words.
fn is_path(word: &str) -> bool {
    let is_word = word.contains("://") || word.starts_with('@') || !word.contains(char::is_alphabetic);
    !is_word && PATH.is_match(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heavy(kind: &str, text: &str) -> bool {
        is_path_heavy(&Kind::new(kind), text)
    }

    #[test]
    fn words_with_a_slash_are_no_paths() {
        for word in [
            "and/or",
            "CI/CD",
            "1/2",
            "@scope/package",
            "https://x.example/a/b/c",
            "client/server",
            "v1.2",
            "e.g",
        ] {
            assert!(!is_path(word), "{word}");
        }
        for word in [
            "src/a.ts",
            "README.md",
            "/var/log",
            "./x",
            "a/b/c",
            "C:\\logs",
            ".github/workflows",
            "docs/",
        ] {
            assert!(is_path(word), "{word}");
        }
    }

    #[test]
    fn three_paths_or_half_a_text_are_too_many() {
        assert!(heavy(
            "project",
            "Look at a/b.ts, then at c/d.ts, and at last at README.md for the whole picture of it"
        ));
        assert!(heavy("project", "Main: packages/server/src/main.ts"));
        assert!(!heavy(
            "project",
            "Routes are declared in app/routes.ts and guards live in app/guards.ts"
        ));
        assert!(!heavy("reference", "Worker log: /var/log/shop/worker.log"));
    }
}
