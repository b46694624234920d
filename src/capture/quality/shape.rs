//! Texts that are no prose: a list of paths, code, an error as a program printed it.

use super::length;
use super::passage::Passage;
use super::words::{Phrases, Words};
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::is_cjk;

/// From this many paths on, a text is a list of files.
const MOST_PATHS: usize = 3;
/// From this many signs of code on, a text that begins like code is code.
const FEWEST_SIGNS: usize = 2;

/// Endings of the names of files.
static EXTENSIONS: Words = Words::new(
    "
    json jsonc jsonl ts tsx js jsx mjs cjs md mdx yaml yml toml lock config rs py go sh rb java kt swift c h cc cpp hpp cs
    php vue svelte css scss less html sql graphql proto xml ini cfg conf env txt csv ipynb ex exs scala lua dart zig nix
    tf gradle snap erb log bat ps1 png svg wasm plist tex
    ",
);
/// Words that begin a declaration or a statement of a program.
static KEYWORDS: Words = Words::new(
    "
    fn def async await public private protected export const let var func fun class interface struct impl type enum
    import void static resource function trait int string bool extends override mod namespace extern val internal
    ",
);
/// Words that begin a statement of a program and may be words of prose, too.
static STATEMENTS: Words =
    Words::new("select insert update delete return if for use package module final get post put patch");
/// Words that only prose has.
static PROSE: Words =
    Words::new("the is are must should when each every never always and with after before their use a");
/// Words before the colon of a printed error.
const ERROR_HEADS: Phrases = Phrases(
    "error, exception, fatal, panic, warning, err!, err, traceback, fehler, critical, failure, assertion",
);
/// Signs that a program prints around an error.
const ERROR_MARKS: Phrases = Phrases(
    "
    command not found, panicked at, most recent call last, npm err!, econnrefused, segmentation fault,
    exception in thread, uncaught, symbol(s) not found, enoent:, eaddrinuse, cannot find module ',
    undefined reference to, latex error, fatal exception, core dumped
    ",
);

/// Gives the reason to refuse a text that is no prose.
pub(super) fn reason(kind: &Kind, passage: &Passage<'_>) -> Option<Rejection> {
    if is_error(passage.whole) {
        Some(Rejection::RawError)
    } else if is_code(passage.whole) {
        Some(Rejection::CodeOrApiSignature)
    } else {
        is_path_heavy(kind, passage.whole).then_some(Rejection::PathHeavy)
    }
}

/// True when a program printed the text: it begins with the name of an error, or holds words that only a program says.
fn is_error(text: &str) -> bool {
    let lower = text.to_lowercase();
    let plain = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (head, rest) = plain.split_once([':', ' ']).unwrap_or((plain, ""));
    let name = head.split(['[', '(']).next().unwrap_or(head);
    let named = ERROR_HEADS.end(name);
    let colon = plain[head.len()..].starts_with(':');
    let quotes = text.starts_with(['`', '"', '“']);
    let place = lower.split_once(": error ").map(|(place, _)| place);
    let located = place.is_some_and(|place| place.ends_with(|c: char| c.is_ascii_digit() || c == ')'))
        || lower.contains(": error: ")
        || lower.contains(" - error ts");
    let hex = |value: &str| {
        value
            .get(..4)
            .is_some_and(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()))
    };
    let registers =
        text.split("=0x").skip(1).any(hex) || plain.starts_with("e   ") || plain.starts_with("e assertion");
    let numbered = name == "error" && rest.starts_with(|c: char| c.is_ascii_digit());
    let thread = lower.starts_with("thread '");
    !quotes && ((named && colon) || numbered || thread || located || registers)
        || ERROR_MARKS.places(&lower).any(|(at, _)| at < 48) && !says_prose(&lower)
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
    let statement = STATEMENTS.contains(first) && text.ends_with([';', '{', '}']);
    let keyword = KEYWORDS.contains(first) || statement || text.starts_with(['#', '@', '\\', '<']);
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
    words.filter(|word| PROSE.contains(word)).count() > 1 || lower.chars().filter(|c| is_cjk(*c)).count() > 3
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
    let value = paths.len() == 1 && length::is_fact(kind, text);
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
    if word.contains("://") || word.starts_with('@') || !word.contains(char::is_alphabetic) {
        return false;
    }
    let parts: Vec<&str> = word.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let file = parts.last().is_some_and(|name| {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        !stem.is_empty() && EXTENSIONS.contains(&extension.to_lowercase())
    });
    let roots = ["/", "./", "../", "~/", "~\\", ".\\"];
    let rooted = roots.iter().any(|root| word.starts_with(root)) && !parts.is_empty();
    let drive = word.as_bytes().get(1..3) == Some(b":\\");
    let hidden = word.starts_with('.') && parts.len() >= 2;
    let shown = word.ends_with('/') && !parts.is_empty();
    file || rooted || drive || hidden || shown || parts.len() >= 3
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
