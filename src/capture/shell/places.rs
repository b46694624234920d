//! The files that the lines of an output name, and whether an error names a file that was edited.

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::text::{pattern, without_escapes};

/// A word that may be a path, and a line number behind it in the forms of compilers, linters and stack traces.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x) (?<path> (?:[A-Za-z]:\\)? [^\s:()\[\]{}"'`<>|,;*?=「」『』“”‘’«»：]+ )
        (?<line> :\d+(?::\d+)?\b | \ ?\(\d+(?:[,:]\d+)?\) | :\[\d+,\d+\] | :\(\.text[^)]*\) | \ \d+:\d+\ 
        | "?(?:,|:|\ on)?\ lines?\ \d+\b | :line\ \d+\b )?"#,
    )
});

/// The name of a file, by its extension or without one. Other words with a dot are hosts, versions and calls.
pub(super) static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)[^/\\]\.(?: asm|astro|bash|bats|c|cc|cjs|cljs?|cmake|conf|cpp|cs|csproj|css|cts|cu|cxx|d|dart|elm|erb|erl|exs?|f90|fs|gleam
            |go|gradle|graphql|groovy|h|hbs|hcl|hpp|hrl|hs|html|ini|ipynb|java|jl|jsx?|jsonc?|kts?|less|lua|m|mdx?|mjs|mk|mli?|mm|mts
            |nim|nix|php|pl|pm|prisma|properties|proto|ps1|pyi?|pyx|r|rake|rb|rs|rst|sass|sbt|scala|scss|sh|sol|sql|svelte|swift|tex
            |tf|tfvars|toml|tsx?|txt|v|vb|vue|xml|ya?ml|zig|zsh )$
        | (?-i:(?:^|[/\\])(?: BUILD|Containerfile|Dockerfile|Gemfile|Jenkinsfile|[Jj]ustfile|[Mm]akefile|Podfile|Procfile
            |Rakefile|WORKSPACE )$)",
    )
});

/// A folder and something like an extension.
static LIKE_A_FILE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[/\\].*\.(?:[A-Za-fh-z][A-Za-z0-9]{0,9}|g|g[A-Za-hj-z0-9][A-Za-z0-9]*)$"));

/// Parts of paths that nobody edits: what a package manager or a compiler brought, and addresses.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:node_modules|(?:site|dist)-packages|gems|\.venv|_logs|\.npm|\.pnpm|\.gradle|\.m2|pkg/mod|\.rustup)/|lib/python|/usr/(?:lib|include|local/|share)|/rustc/
        |\.cargo/registry|/nix/store|vendor/phpunit|internal/modules|/opt/(?:homebrew|hostedtoolcache)/|Xcode\.app",
    )
});

/// A file that a line names.
pub(super) struct Named {
    /// As it is printed, without line and column.
    pub(super) path: String,
    /// The place in the line, with line and column.
    pub(super) span: Range<usize>,
    pub(super) has_line: bool,
}

/// The files that a line names, from left to right; none that nobody edits.
pub(super) fn named(line: &str) -> Vec<Named> {
    let found = PATH.captures_iter(line).filter_map(|found| {
        let (whole, path) = (found.get(0)?, tidy(&found["path"]));
        let before = line[..whole.start()].rsplit(char::is_whitespace).next()?;
        let is_address = before.contains("://") || (before.ends_with(':') && path.starts_with('/'));
        let is_foreign =
            is_address && !before.contains("file:") || before.contains("node:") || FOREIGN.is_match(&path);
        (is_file(&path) && !is_foreign).then(|| Named {
            path,
            span: whole.range(),
            has_line: found.name("line").is_some(),
        })
    });
    found.collect()
}

/// The path, when a line is nothing but one: the heading of the errors under it.
pub(super) fn heading(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("FILE:");
    let path = tidy(line.trim_matches(['*', ' ', ':']));
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
    if path.starts_with("//") {
        format!("/{bare}")
    } else {
        path.to_owned()
    }
}

fn is_file(path: &str) -> bool {
    NAME.is_match(path) || LIKE_A_FILE.is_match(path)
}

/// True when a line names a place in one of the `files` that errors name, as they were printed.
pub fn are_named(files: &[String], line: &str) -> bool {
    let is_there = |file: &String| {
        let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
        !name.is_empty() && line.contains(name)
    };
    files.iter().any(is_there)
        && named(&without_escapes(line))
            .iter()
            .any(|found| found.has_line && names_file(files, &found.path))
}

/// True when a line begins with a place in a file that somebody may edit, or with a word that leads to one.
pub fn begins_with_place(line: &str) -> bool {
    let line = without_escapes(line);
    let first = line
        .contains(char::is_numeric)
        .then(|| named(&line).into_iter().next());
    first.flatten().is_some_and(|file| {
        let before = line[..file.span.start].trim();
        let leads = ["", "at", "from", "in", "-->", "rspec"].contains(&before);
        file.has_line && (leads || before.starts_with("at "))
    })
}

/// True when one of the files that an error names is the file at `path`, which is absolute or relative to the
/// workspace. A file may be named absolute, or relative to the folder in which a tool ran. Whole names are compared:
/// `a.tsx` is not `a.ts`.
pub fn names_file(named: &[String], path: &str) -> bool {
    let plain = |path: &str| {
        let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
        path.trim_start_matches("./").trim_start_matches("../").to_owned()
    };
    let edited = plain(path);
    named.iter().map(|name| plain(name)).any(|name| {
        let is_absolute = name.starts_with('/') || name.get(1..).is_some_and(|rest| rest.starts_with(':'));
        // The workspace's folder stands before the edited path, or the tool ran in a folder of the workspace.
        let (longer, shorter) = if is_absolute {
            (&name, &edited)
        } else {
            (&edited, &name)
        };
        !shorter.is_empty() && Path::new(longer).ends_with(shorter)
    })
}
