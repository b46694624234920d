//! The part of a workspace that a memory holds for: the patterns of `paths`, as globs of paths below its root.

use std::borrow::Cow;

use globset::{GlobBuilder, GlobMatcher};
use unicode_normalization::UnicodeNormalization as _;

use super::line::cut;
use crate::model::Memory;
use crate::text::some_of;

/// The most bytes of a pattern, and the most patterns of a memory: what is over them matches nothing.
const MOST_BYTES: usize = 200;
const MOST_PATTERNS: usize = 32;
/// Characters of the patterns in a line.
const LINE_CHARS: usize = 80;

/// The files that a memory holds for, on one line; `None` where it holds for all of them.
pub fn holds_for(memory: &Memory) -> Option<String> {
    let named = || cut(&some_of(memory.paths.iter()), LINE_CHARS);
    (!memory.paths.is_empty()).then(named)
}

/// The first of these patterns that a path matches. The path is relative to the workspace, with `/` between its parts; how
/// its letters are composed makes no difference.
pub fn matching<'p>(patterns: &'p [String], path: &str) -> Option<&'p str> {
    let path = composed(path);
    let mut patterns = patterns.iter().take(MOST_PATTERNS).map(String::as_str);
    patterns.find(|pattern| {
        let pattern = composed(pattern);
        let is_match = |pattern: &str| {
            may_match(pattern, &path) && matcher(pattern).is_ok_and(|matcher| matcher.is_match(&*path))
        };
        is_name_of(&pattern, &path) || is_match(&pattern) || {
            // Folders of web frameworks are called `[id]`.
            path.contains('[') && is_match(&pattern.replace('[', "\\[").replace(']', "\\]"))
        }
    })
}

fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        text.nfc().collect::<String>().into()
    }
}

/// Says whether a pattern is the very name of the file, or of a folder that it is in.
fn is_name_of(pattern: &str, path: &str) -> bool {
    let name = pattern.strip_prefix("./").unwrap_or(pattern);
    let rest = path.strip_prefix(name).filter(|_| !name.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) && matcher(pattern).is_ok()
}

/// The reason why a pattern matches nothing; `None` for one that may match. `place` is its place among those of the memory.
pub fn pattern_fault(pattern: &str, place: usize) -> Option<&'static str> {
    if place >= MOST_PATTERNS {
        return Some("is one too many (32 at most)");
    }
    matcher(pattern).err()
}

fn matcher(pattern: &str) -> Result<GlobMatcher, &'static str> {
    let plain = pattern.strip_prefix("./").unwrap_or(pattern);
    if plain.starts_with('!') {
        return Err("is a negation, which is kept and excludes nothing");
    }
    if plain.starts_with(['/', '~']) || plain.get(1..3) == Some(":\\") {
        return Err("is absolute, and paths are relative to the workspace");
    }
    if plain.split('/').any(|part| part == "..") {
        return Err("leads out of the workspace");
    }
    if plain.is_empty() || plain.len() > MOST_BYTES {
        return Err("is empty or longer than 200 bytes");
    }
    let behind = plain.split('\\').skip(1);
    if behind
        .filter_map(|rest| rest.chars().next())
        .any(char::is_alphanumeric)
    {
        return Err("has a backslash in the place of `/`");
    }
    if plain.contains("//") {
        return Err("has `//` in the place of `/`");
    }
    if plain.contains("@(") || plain.contains("+(") {
        return Err("has `@(a|b)`, for which globs have `{a,b}`");
    }
    // A folder stands for what is in it.
    let whole = if plain.ends_with('/') { "**" } else { "" };
    let glob = GlobBuilder::new(&format!("{plain}{whole}"))
        .literal_separator(true)
        .build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|_| "is not a valid glob")
}

/// A look at the letters before the first sign and behind the last one: making a matcher takes a thousand times as long.
fn may_match(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let first = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
    let last = pattern.rfind(['*', '?', ']', '}', '\\']).map_or(0, |at| at + 1);
    let end = pattern[last..].trim_start_matches('/');
    path.starts_with(&pattern[..first]) && (pattern.ends_with('/') || path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_match(pattern: &str, path: &str) -> bool {
        matching(&[pattern.to_owned()], path).is_some()
    }

    #[test]
    fn a_pattern_is_a_glob_of_the_workspace() {
        for (pattern, path, is) in [
            ("apps/**/*.tsx", "apps/page.tsx", true),
            ("apps/**/*.tsx", "apps/web/a/page.tsx", true),
            ("apps/*.tsx", "apps/web/page.tsx", false),
            ("*.md", "README.md", true),
            ("*.md", "docs/README.md", false),
            ("**/*.md", "README.md", true),
            ("src/*.{ts,tsx}", "src/a.tsx", true),
            ("src/", "src/a/b.rs", true),
            ("./src/a.rs", "src/a.rs", true),
            ("src/**", "src/a", true),
            ("src/**", "srcs/a", false),
            ("[ab].rs", "a.rs", true),
            ("a\\*b", "a*b", true),
            ("**/migrations/", "db/migrations/1.sql", true),
            ("src", "src/a/b.rs", true),
            ("src", "srcs/a", false),
            ("src/[id].tsx", "src/[id].tsx", true),
            ("src/[id].tsx", "src/i.tsx", true),
            ("app/[[...slug]]/**", "app/[[...slug]]/page.tsx", true),
            ("app/(shop)/page.tsx", "app/(shop)/page.tsx", true),
            ("caf\u{e9}/**", "cafe\u{301}/a.rs", true),
        ] {
            assert_eq!(is_match(pattern, path), is, "{pattern} {path}");
        }
    }

    #[test]
    fn what_matches_nothing_has_a_reason() {
        for pattern in [
            "!src/**",
            "/etc/**",
            "~/x",
            "../a",
            "a/../b",
            "[",
            "{a",
            "",
            "C:\\x",
            "src\\app\\*.ts",
            "src//a",
            "@(a|b)/**",
        ] {
            assert!(pattern_fault(pattern, 0).is_some(), "{pattern}");
            assert!(!is_match(pattern, "etc/passwd") && !is_match(pattern, "b"));
        }
        assert!(pattern_fault(&"{a,b}".repeat(2000), 0).is_some());
        assert!(pattern_fault("src/**", 32).is_some());
        assert_eq!(pattern_fault("{a,b}{a,b}{a,b}{a,b}*.ts", 31), None);
    }

    proptest! {
        #[test]
        fn the_look_at_the_letters_leaves_out_no_match(
            pattern in "([ab/.*?{},\\[\\]]|\\*\\*/|\\\\){0,10}",
            path in "[ab/.*]{0,8}",
        ) {
            let is_match = matcher(&pattern).is_ok_and(|matcher| matcher.is_match(&path));
            prop_assert!(!is_match || may_match(&pattern, &path), "{} {}", pattern, path);
        }
    }
}
