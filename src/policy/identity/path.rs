//! Paths in running text, and which of them name a file rather than an alternative (`and/or`).

use std::ops::Range;

use super::mention::{Mention, is_delimiter};
use crate::text::{is_cjk, is_space};

/// The extensions that make a bare word a file.
const KNOWN_EXTENSIONS: [&str; 18] = [
    "json", "jsonc", "ts", "tsx", "js", "jsx", "mjs", "cjs", "md", "yaml", "yml", "toml", "lock", "config",
    "rs", "py", "go", "sh",
];

/// Marks that end a sentence rather than a path.
const TRAILING: [char; 6] = [',', '.', ';', ':', '!', '?'];

/// Bytes of the longest path that systems take; what is longer is something else.
const MAX_PATH: usize = 4096;

const OPENING: [char; 3] = ['(', '[', '{'];
const CLOSING: [char; 3] = [')', ']', '}'];

/// The concrete paths between two `` ` ``, `"` or `'`, from left to right; what stands in quotes within quotes
/// comes in its place.
pub(super) fn in_quotes(text: &str) -> impl Iterator<Item = Mention> {
    let found = || {
        let mut found = Vec::new();
        collect_quoted(text, 0, &mut found);
        found
    };
    std::iter::once_with(found).flatten()
}

fn collect_quoted(text: &str, offset: usize, found: &mut Vec<Mention>) {
    let quotes = Quotes {
        text,
        from: 0,
        all_apostrophes: false,
    };
    for inside in quotes {
        let content = &text[inside.clone()];
        let start = offset + inside.start;
        match quoted_path(content) {
            Some(path) => found.push(Mention {
                key: format!("path:{path}"),
                span: start..start + content.len(),
            }),
            // Ends, because no quote of the same kind stands inside.
            None => collect_quoted(content, start, found),
        }
    }
}

/// Iterates over the texts between two quotes of one kind, from left to right.
struct Quotes<'a> {
    text: &'a str,
    from: usize,
    /// No `'` that could close a pair is left.
    all_apostrophes: bool,
}

impl Quotes<'_> {
    /// Finds the end of the pair that is opened at `open`, relative to the text after the opening quote.
    fn close(&mut self, open: usize, quote: char) -> Option<usize> {
        let after = &self.text[open + 1..];
        if quote != '\'' {
            return after.find(quote);
        }
        if self.all_apostrophes || self.text[..open].ends_with(char::is_alphanumeric) {
            return None;
        }
        let mut marks = after.match_indices('\'').map(|(at, _)| at);
        let close = marks.find(|at| !after[at + 1..].starts_with(char::is_alphanumeric));
        self.all_apostrophes = close.is_none();
        close
    }
}

impl Iterator for Quotes<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let open = self.from + self.text[self.from..].find(['`', '"', '\''])?;
            let quote = self.text[open..].chars().next()?;
            self.from = open + 1;
            if let Some(length) = self.close(open, quote) {
                let inside = self.from..self.from + length;
                self.from = inside.end + 1;
                return Some(inside);
            }
        }
    }
}

/// Gives the text in quotes, if it is a concrete path. With white space in it only a file below a folder is: the rest
/// are sentences.
fn quoted_path(content: &str) -> Option<String> {
    if content.len() > MAX_PATH {
        return None;
    }
    let path = normalised(content.trim_matches(is_space).trim_end_matches(TRAILING));
    let concrete = if path.contains(is_space) {
        path.contains('/') && has_known_extension(&path)
    } else {
        is_concrete(&path)
    };
    concrete.then_some(path)
}

/// The concrete paths that stand in the text without quotes, from left to right.
pub(super) fn bare(text: &str) -> impl Iterator<Item = Mention> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let found = from + text[from..].find(|c| c == '/' || is_name_char(c))?;
            let name_end = end_of(text, found, |c| !is_name_char(c));
            let start = found + foreign_prefix(&text[found..name_end]);
            let (written, next) = if text[name_end..].starts_with(['/', '\\']) {
                let token_end = end_of(text, name_end, is_delimiter);
                (trimmed(&text[start..token_end]), token_end)
            } else {
                // A word without a slash: a file's name, when nothing clings to it.
                let after = text[name_end..]
                    .trim_start_matches(CLOSING)
                    .trim_start_matches(TRAILING);
                let clings = !after.is_empty() && !after.starts_with(is_delimiter);
                let name = if clings { "" } else { &text[start..name_end] };
                (name.trim_end_matches(TRAILING), name_end)
            };
            from = next;
            // Most words are no paths.
            if written.len() > MAX_PATH || !written.contains(['/', '\\', '.']) {
                continue;
            }
            let written = without_foreign_suffix(written);
            let is_tag = written.starts_with('/') && text[..start].ends_with('<');
            let path = normalised(written);
            // A slash alone is a word between two others.
            if !is_tag && path != "/" && is_concrete(&path) {
                return Some(Mention {
                    key: format!("path:{path}"),
                    span: start..start + written.len(),
                });
            }
        }
    })
}

/// The bytes of CJK text that stand before a Latin name without a space, as in 設定在src/main.rs.
fn foreign_prefix(name: &str) -> usize {
    let latin = name.find(|c| !is_cjk(c));
    latin.unwrap_or(0)
}

/// A path without the CJK text that follows a known extension without a space, as in src/main.rsにある.
fn without_foreign_suffix(written: &str) -> &str {
    let starts = written
        .char_indices()
        .filter(|(_, c)| is_cjk(*c))
        .map(|(at, _)| at);
    let mut ends = starts.filter(|at| written[..*at].ends_with(|c: char| c.is_ascii_alphabetic()));
    let end = ends.find(|at| has_known_extension(&written[..*at]));
    end.map_or(written, |end| &written[..end])
}

/// Says whether the first part of a path may have this character. A bare path begins with it, or with a slash; `~`, `$`
/// and the like before it are not part of it.
fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn end_of(text: &str, from: usize, ends: impl Fn(char) -> bool) -> usize {
    text[from..].find(ends).map_or(text.len(), |length| from + length)
}

/// Without the marks of the sentence at its end, and without closing brackets that were not opened in it.
fn trimmed(written: &str) -> &str {
    let mut unopened = OPENING.map(|open| written.matches(open).count());
    for (count, close) in unopened.iter_mut().zip(CLOSING) {
        *count = written.matches(close).count().saturating_sub(*count);
    }
    let mut belongs = |c: char| match CLOSING.iter().position(|close| *close == c) {
        Some(bracket) if unopened[bracket] == 0 => true,
        Some(bracket) => {
            unopened[bracket] -= 1;
            false
        }
        None => !TRAILING.contains(&c),
    };
    let last = written.char_indices().rev().find(|(_, c)| belongs(*c));
    last.map_or("", |(at, c)| &written[..at + c.len_utf8()])
}

/// Back slashes as slashes, each run of slashes as one, none at the end (but for the root itself).
fn normalised(written: &str) -> String {
    let mut path = String::with_capacity(written.len());
    for c in written.chars() {
        let c = if c == '\\' { '/' } else { c };
        if c != '/' || !path.ends_with('/') {
            path.push(c);
        }
    }
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Says whether a normalised path names one place: absolute, `./` or `../`, `.name/`, two slashes or more, or a file
/// with a known extension. `CI/CD` and `1/2` do not.
fn is_concrete(path: &str) -> bool {
    let slashes = path.matches('/').count();
    path.starts_with('/')
        || (path.starts_with('.') && slashes > 0)
        || slashes >= 2
        || has_known_extension(path)
}

fn has_known_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && KNOWN_EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<String> {
        let key = Mention::first(text)?.key;
        Some(key.strip_prefix("path:").expect("a path").to_owned())
    }

    #[test]
    fn words_with_slashes_are_no_paths() {
        for text in [
            "CI/CD and/or client/server, 1/2, w/o, I/O",
            "a / b // c",
            "@scope/pkg, v1.2/rc, node/test",
            ". .. ./ ../ a/ `docs/` `` ' '",
            "`.json` files and .md",
            "close </div>",
            "line src/a.ts:12:5, src/a.ts?raw, src/a.ts#L10",
            "FOO.JSON foo.jsonl .env",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn concrete_paths_are_normalised() {
        for (text, path) in [
            ("(see src/storage/store.ts).", "src/storage/store.ts"),
            ("src\\a\\\\b.ts", "src/a/b.ts"),
            ("\\\\server\\share\\a.txt", "server/share/a.txt"),
            ("/var//lib/app/", "/var/lib/app"),
            ("./x", "./x"),
            ("../x", "../x"),
            (".github/x", ".github/x"),
            ("~/notes.md", "/notes.md"),
            ("設定檔在 config/應用.json。", "config/應用.json"),
            ("應用/設定/x", "應用/設定/x"),
            ("Next: src/app/(group)/page", "src/app/(group)/page"),
            ("it's in user's generated.ts", "generated.ts"),
            ("package.json, or yarn.lock", "package.json"),
            ("(package.json).", "package.json"),
            ("設定在src/main.rsにあります", "src/main.rs"),
            ("설정은 src/a/b.ts에 있다", "src/a/b.ts"),
            ("看package.json的設定", "package.json"),
            ("src/日本語/ファイル.ts", "src/日本語/ファイル.ts"),
        ] {
            assert_eq!(first(text).as_deref(), Some(path), "{text}");
        }
    }

    #[test]
    fn quotes_come_first_and_may_hold_spaces() {
        for (text, path) in [
            ("a/b/c and `d.md`", "d.md"),
            ("path: \"my dir/file.json\"", "my dir/file.json"),
            ("\"in src/x/y.rs before merging\"", "src/x/y.rs"),
            ("\"it names `a/b.md` here\"", "a/b.md"),
            ("`/`", "/"),
            ("```src/a.ts```", "src/a.ts"),
            ("don't edit user's src/a/b.ts, it isn't ours", "src/a/b.ts"),
            ("`not closed src/a/b.ts", "src/a/b.ts"),
        ] {
            assert_eq!(first(text).as_deref(), Some(path), "{text}");
        }
    }

    #[test]
    fn a_long_text_takes_no_square_of_steps() {
        for part in ["'a ", "`a' ", "a,", "a/b.c,", "x((", "/)", "http://[", "\"a 'b` "] {
            assert_eq!(Mention::all(&part.repeat(10_000)).count(), 0, "{part}");
        }
    }

    #[test]
    fn the_span_holds_neither_quotes_nor_marks_of_the_sentence() {
        for (text, written) in [("in `a/b.md`.", "a/b.md"), ("in a/b.md.", "a/b.md")] {
            let mention = Mention::first(text).expect("a path");
            assert_eq!(&text[mention.span], written);
        }
    }
}
