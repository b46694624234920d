//! Places in files, as compilers, linters and stack traces print them.

use std::ops::Range;

use super::categories::is_among;
use super::shape::{has_shape, length};

/// A file that a line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// As it is printed, without line and column.
    pub(super) path: String,
    /// The place in the line, with line and column.
    pub(super) span: Range<usize>,
}

/// Extensions that make a word without a folder a file: other words with a dot are hosts, versions and calls.
const EXTENSIONS: &str = "asm astro bash bats c cc cjs clj cmake conf cpp cs csproj css cts cu cxx d dart elm erb erl ex exs \
    f90 fs gleam go gradle graphql groovy h hbs hcl hpp hrl hs html ini ipynb java jl js json jsonc jsx kt kts less \
    lua m md mdx mjs mk ml mli mm mts nim nix php pl pm prisma properties proto ps1 py pyi pyx r rake rb rs rst sass \
    sbt scala scss sh sol sql svelte swift tex tf tfvars toml ts tsx txt v vb vue xml yaml yml zig zsh";

/// Files without an extension.
const NAMES: &str = "BUILD Containerfile Dockerfile Gemfile Jenkinsfile Justfile Makefile Podfile Procfile Rakefile WORKSPACE \
    justfile makefile";

/// Parts of paths that nobody edits: what a package manager or a compiler brought.
const FOREIGN: &str = "node_modules/ site-packages/ dist-packages/ lib/python /usr/lib /usr/include /usr/local/ /usr/share /rustc/ \
    .cargo/registry .rustup/ pkg/mod/ /gems/ .venv/ /nix/store /_logs/ .npm/ .pnpm/ vendor/phpunit internal/modules .gradle/ \
    .m2/ /opt/homebrew/ /opt/hostedtoolcache/ Xcode.app";

/// Signs that no path without spaces holds.
const ENDS: &str = "()[]{}\"'`<>|,;*?=「」『』“”‘’«»：";

/// The forms of a line number behind a path; `%` is a number.
const POSITIONS: &[&str] = &[
    ":%",
    ":%:%",
    "(%)",
    "(%,%)",
    " (%:%)",
    ":[%,%]",
    ":(.text*)",
    " %:% ",
    "\", line %",
    "\", lines %",
    " line %",
    " on line %",
    ": line %",
    ":line %",
    ", line %",
];

/// The places that a line names, from left to right; none in files that nobody edits.
pub(super) fn places(line: &str) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    if !line.contains(|c: char| c.is_ascii_digit()) {
        return places;
    }
    for word in words(line) {
        let behind = &line[word.end..];
        let end = word.end + position(behind);
        let path = tidy(&line[word.clone()]);
        let is_over = places.last().is_some_and(|last| word.start < last.span.end);
        if end > word.end && !is_over && is_file(&path) && !is_foreign(line, word.start, &path) {
            places.push(Place {
                path,
                span: word.start..end,
            });
        }
    }
    places
}

/// The words of a line that may be paths; `C:` belongs to the word behind it.
fn words(line: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |c: char| !c.is_whitespace() && c != ':' && !ENDS.contains(c);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find(is_part)?;
        let has_drive = line.get(start + 1..start + 3) == Some(":\\");
        let after = start + if has_drive { 3 } else { 0 };
        let end = line[after..].find(|c| !is_part(c));
        at = end.map_or(line.len(), |end| after + end);
        Some(start..at)
    })
}

/// Gives the length of the line number behind a path, with column and signs; 0 when there is no number.
fn position(behind: &str) -> usize {
    let longest = POSITIONS
        .iter()
        .filter_map(|shape| length(behind, shape))
        .max()
        .unwrap_or(0);
    // `a.ts:3x` and times are no line numbers.
    let goes_on = behind[longest..].starts_with(|c: char| c.is_alphanumeric());
    if goes_on { 0 } else { longest }
}

/// The files that an error line names without a line number: with a folder and a known extension, or behind `FAIL`.
pub(super) fn named_files(line: &str) -> Vec<String> {
    let is_verdict = has_shape(
        line.trim(),
        "FAIL *, FAILED *, ERROR *, [warn] *, would reformat*",
    );
    let mut files = Vec::new();
    for word in words(line) {
        let path = tidy(&line[word.clone()]);
        let is_named = is_verdict || path.contains(['/', '\\']);
        if is_named && has_known_name(&path) && !is_foreign(line, word.start, &path) {
            files.push(path);
        }
    }
    files
}

/// The path, when a line is nothing but one: the heading of the errors under it.
pub(super) fn heading(line: &str) -> Option<String> {
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
    let extension = path.rsplit(['/', '\\', '.']).next().unwrap_or(path);
    let is_like_one = (1..=10).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    let is_other = extension == "git" || !path.ends_with(&format!(".{extension}"));
    has_known_name(path) || (is_like_one && !is_other && path.contains(['/', '\\']))
}

fn has_known_name(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) => !stem.is_empty() && is_among(EXTENSIONS, &extension.to_ascii_lowercase()),
        None => is_among(NAMES, name),
    }
}

/// In a package or a library, or a part of an address.
fn is_foreign(line: &str, start: usize, path: &str) -> bool {
    let before = line[..start]
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let is_address = before.contains("://") || (before.ends_with(':') && path.starts_with('/'));
    (is_address && !before.contains("file:"))
        || before.contains("node:")
        || FOREIGN.split(' ').any(|part| path.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

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
