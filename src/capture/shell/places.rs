//! Places in files, as compilers, linters and stack traces print them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A file that a line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// As it is printed, without line and column.
    pub(super) path: String,
    /// Where it stands in the line, with line and column.
    pub(super) span: Range<usize>,
}

/// A path without spaces, and a drive before it.
const PATH: &str = r#"(?:\b[A-Za-z]:[\\/])?[^\s:()\[\]{}"'`<>|,;*?=「」『』“”‘’«»：]+"#;

/// `PATH` stands for the pattern above; the group `path` is the path.
const PATTERNS: &[&str] = &[
    // src/a.rs:3:1, src/a.rs:3
    r"(?P<path>PATH):\d+(?::\d+)?",
    // a.cs(3,1), src/main.tsx (4:9)
    r"(?P<path>PATH) ?\(\d+(?:[,:]\d+)*\)",
    // App.java:[3,1]
    r"(?P<path>PATH):\[\d+,\d+\]",
    // main.cpp:(.text+0x1f)
    r"(?P<path>PATH):\(\.text[^)]*\)",
    // File "a.py", line 3
    r#"File "(?P<path>[^"]+)", lines? \d+"#,
    // in a.php on line 3, on main.tf line 3, ./a.sh: line 3, A.cs:line 3
    r"(?P<path>PATH)[:,]?\s?(?:on )?line \d+",
];

static PLACES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compile = |pattern: &&str| {
        Regex::new(&pattern.replace("PATH", PATH)).expect("because the patterns are constants")
    };
    PATTERNS.iter().map(compile).collect()
});

static BARE_PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(PATH).expect("because the pattern is a constant"));

/// Extensions that make a word without a folder a file: other words with a dot are hosts, versions and calls.
const EXTENSIONS: &[&str] = &[
    "adb",
    "asm",
    "astro",
    "bash",
    "bats",
    "bicep",
    "bzl",
    "c",
    "cc",
    "cjs",
    "clj",
    "cljs",
    "cmake",
    "conf",
    "cpp",
    "cr",
    "cs",
    "csproj",
    "css",
    "cts",
    "cu",
    "cxx",
    "d",
    "dart",
    "elm",
    "erb",
    "erl",
    "ex",
    "exs",
    "f90",
    "fs",
    "fsproj",
    "gd",
    "gleam",
    "go",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "haml",
    "hbs",
    "hcl",
    "hh",
    "hpp",
    "hrl",
    "hs",
    "html",
    "ini",
    "ipynb",
    "java",
    "jl",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsx",
    "kt",
    "kts",
    "less",
    "lua",
    "m",
    "mak",
    "md",
    "mdx",
    "mjs",
    "ml",
    "mli",
    "mk",
    "mm",
    "mts",
    "nim",
    "nix",
    "odin",
    "php",
    "pl",
    "pm",
    "prisma",
    "properties",
    "proto",
    "ps1",
    "pug",
    "purs",
    "py",
    "pyi",
    "pyx",
    "r",
    "rake",
    "rb",
    "re",
    "res",
    "rs",
    "rst",
    "sass",
    "sbt",
    "scala",
    "scss",
    "sh",
    "sol",
    "sql",
    "styl",
    "svelte",
    "swift",
    "tex",
    "tf",
    "tfvars",
    "thrift",
    "toml",
    "ts",
    "tsx",
    "txt",
    "v",
    "vb",
    "vue",
    "wgsl",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Files without an extension.
const NAMES: &[&str] = &[
    "BUILD",
    "Brewfile",
    "Containerfile",
    "Dockerfile",
    "Earthfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "Makefile",
    "Podfile",
    "Procfile",
    "Rakefile",
    "Tiltfile",
    "Vagrantfile",
    "WORKSPACE",
    "justfile",
    "makefile",
];

/// Parts of paths that nobody edits: what a package manager or a compiler brought.
const FOREIGN: &[&str] = &[
    "node_modules/",
    "site-packages/",
    "dist-packages/",
    "/usr/lib",
    "/usr/include",
    "/usr/local/lib",
    "/usr/local/go/",
    "/usr/share",
    "/rustc/",
    ".cargo/registry",
    ".rustup/",
    "pkg/mod/",
    "node:",
    "<frozen",
    "lib/python",
    "/gems/",
    ".venv/",
    "/nix/store",
    "/_logs/",
    ".npm/",
    ".pnpm/",
    "webpack/bootstrap",
    "vendor/autoload",
    "vendor/phpunit",
    "internal/modules",
    "internal/process",
    ".gradle/",
    ".m2/",
    "/opt/android",
    "/opt/conda/",
    "/opt/dotnet",
    "/opt/flutter",
    "/opt/gcc",
    "/opt/homebrew/",
    "/opt/hostedtoolcache/",
    "/opt/java/",
    "/opt/jdk",
    "/opt/local/",
    "/opt/node",
    "/opt/rh/",
    "/opt/zig",
    "Xcode.app",
    "[native code]",
];

/// The places that a line names, from left to right; none in files that nobody edits.
pub(super) fn places(line: &str) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    for pattern in PLACES.iter() {
        for captures in pattern.captures_iter(line) {
            let (Some(whole), Some(path)) = (captures.get(0), captures.name("path")) else {
                continue;
            };
            let path_start = path.start();
            let place = Place {
                path: tidy(path.as_str()),
                span: whole.range(),
            };
            let overlaps = found
                .iter()
                .any(|one| one.span.start < place.span.end && place.span.start < one.span.end);
            if !overlaps
                && is_file(&place.path)
                && !is_foreign(line, path_start, &place.path)
                && !goes_on(&line[place.span.end..])
            {
                found.push(place);
            }
        }
    }
    found.sort_by_key(|place| place.span.start);
    found
}

/// Whether a line points into a file that nobody edits, and nowhere else: a frame of a stack trace.
pub(super) fn is_foreign_frame(line: &str) -> bool {
    FOREIGN.iter().any(|part| line.contains(part)) && places(line).is_empty()
}

/// The files that an error line names without a line number: with a folder and a known extension, or behind `FAIL`.
pub(super) fn named_files(line: &str) -> Vec<String> {
    let after_verdict = [
        "FAIL ",
        "FAILED ",
        "ERROR ",
        "[warn] ",
        "would reformat ",
        "Would reformat: ",
    ]
    .iter()
    .find_map(|word| line.trim_start().strip_prefix(word))
    .and_then(|rest| rest.split_whitespace().next());
    let mut files = Vec::new();
    for found in BARE_PATH.find_iter(line) {
        let path = tidy(found.as_str());
        let has_folder = path.contains(['/', '\\']);
        let is_verdict = after_verdict.is_some_and(|word| word.starts_with(found.as_str()));
        if (has_folder || is_verdict) && has_known_extension(&path) && !is_foreign(line, found.start(), &path)
        {
            files.push(path);
        }
    }
    files
}

/// The path, when a line is nothing but one: the heading of the errors under it.
pub(super) fn heading(line: &str) -> Option<String> {
    let line = line.trim();
    let line = line.strip_prefix("FILE:").unwrap_or(line).trim();
    let path = tidy(line.strip_suffix(':').unwrap_or(line));
    let is_one = !line.contains(": ")
        && !line.contains(" -")
        && path.len() <= 512
        && (!path.contains(' ') || path.starts_with('/'));
    (is_one && is_file(&path) && !path.contains("://")).then_some(path)
}

/// Without what quotes or ends it: `file:///a` is `/a`.
fn tidy(path: &str) -> String {
    let path = path.trim_end_matches(['.', '!', '…']);
    let bare = path.trim_start_matches('/');
    if path.len() - bare.len() > 1 {
        format!("/{bare}")
    } else {
        path.to_owned()
    }
}

fn is_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if NAMES.contains(&name) {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_like_one = extension.len() <= 10
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    if path.contains(['/', '\\']) {
        is_like_one && !path.ends_with(".git")
    } else {
        !stem.is_empty() && has_known_extension(path)
    }
}

fn has_known_extension(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) => {
            !stem.is_empty() && EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
        }
        None => NAMES.contains(&name),
    }
}

/// In a package or a library, or a part of an address.
fn is_foreign(line: &str, start: usize, path: &str) -> bool {
    let word_start = line[..start].rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let word_start = line.ceil_char_boundary(word_start);
    let before = &line[word_start.min(start)..start];
    let is_address = (before.contains("://") || before.ends_with(':') && path.starts_with('/'))
        && !before.contains("file:");
    is_address || before.contains("node:") || FOREIGN.iter().any(|part| path.contains(part))
}

/// `web:1.2`, `a.ts:3x`: no line number.
fn goes_on(rest: &str) -> bool {
    let mut chars = rest.chars();
    match chars.next() {
        Some('.') => chars.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_ascii_alphanumeric() || c == '_' || c == '/',
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(line: &str) -> Vec<String> {
        places(line).into_iter().map(|place| place.path).collect()
    }

    #[test]
    fn every_form_of_a_place_is_read() {
        for (line, path) in [
            ("  --> src/posting.rs:42:18", "src/posting.rs"),
            ("src/api/client.ts(14,5): error TS2322: x", "src/api/client.ts"),
            ("RollupError: src/main.tsx (4:9): x", "src/main.tsx"),
            (
                "[ERROR] /home/dev/src/App.java:[12,9] cannot find symbol",
                "/home/dev/src/App.java",
            ),
            ("  File \"manage.py\", line 22, in <module>", "manage.py"),
            (
                "PHP Parse error:  syntax error in /srv/x.php on line 12",
                "/srv/x.php",
            ),
            ("  on main.tf line 12, in resource \"x\" \"y\":", "main.tf"),
            ("./deploy.sh: line 5: foo: command not found", "./deploy.sh"),
            ("In deploy.sh line 3:", "deploy.sh"),
            ("   at Tests.X() in /home/dev/X.cs:line 31", "/home/dev/X.cs"),
            (
                "e: file:///home/dev/src/Main.kt:3:5 Unresolved reference",
                "/home/dev/src/Main.kt",
            ),
            (
                "    at seed (/home/dev/scripts/seed.js:17:11)",
                "/home/dev/scripts/seed.js",
            ),
            ("    at file:///home/dev/a_test.ts:5:3", "/home/dev/a_test.ts"),
            ("C:\\src\\a.cs(3,1): error CS0103: x", "C:\\src\\a.cs"),
            ("C:\\src\\a.cpp:3:1: error: x", "C:\\src\\a.cpp"),
            (
                "CMake Error at CMakeLists.txt:5 (find_package):",
                "CMakeLists.txt",
            ),
            ("Dockerfile:12", "Dockerfile"),
            ("# ./spec/cart_spec.rb:14:in 'block'", "./spec/cart_spec.rb"),
            ("main.c:10:5: 错误：未知的类型名", "main.c"),
        ] {
            assert_eq!(paths(line), [path], "{line}");
        }
    }

    #[test]
    fn hosts_versions_times_and_libraries_are_no_places() {
        for line in [
            "Bind for 0.0.0.0:5432 failed",
            "http://localhost:3000/app.js:5:3",
            "connect ECONNREFUSED 127.0.0.1:5432",
            "registry.example.org:443 refused",
            "pull registry.example.org/app/web:1.2 failed",
            "image node:20 not found",
            "2026-02-03 10:00:01 ERROR x",
            "react@19.0.0",
            "    at Module._compile (node:internal/modules/cjs/loader:1554:14)",
            "    at x (/home/dev/node_modules/jest/build/a.js:3:1)",
            "  File \"/usr/lib/python3.12/json/__init__.py\", line 3",
            "git.example.org:acme/shop.git",
            "Node.js v20.11.1",
            "exit code: 1",
        ] {
            assert_eq!(paths(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn failures_name_files_without_lines() {
        assert_eq!(
            named_files(" FAIL  src/cart.test.ts > cart > x"),
            ["src/cart.test.ts"]
        );
        assert_eq!(
            named_files("FAILED tests/test_a.py::test_x - assert 1"),
            ["tests/test_a.py"]
        );
        assert_eq!(named_files("FAIL cart.test.js"), ["cart.test.js"]);
        assert_eq!(
            named_files("Cannot find module './x.js' from 'src/a.ts'"),
            ["./x.js", "src/a.ts"]
        );
        assert_eq!(named_files("see https://example.org/a/b.html"), [""; 0]);
        assert_eq!(
            named_files("process \"/bin/sh -c npm run bundle\" failed in Node.js"),
            [""; 0]
        );
        assert_eq!(
            named_files("npm error A complete log: /root/.npm/_logs/x-debug.txt"),
            [""; 0]
        );
    }

    #[test]
    fn a_heading_is_a_path_alone() {
        assert_eq!(
            heading("/home/dev/my app/a.ts").as_deref(),
            Some("/home/dev/my app/a.ts")
        );
        assert_eq!(heading("app/main.py:").as_deref(), Some("app/main.py"));
        assert_eq!(heading("FILE: /srv/a.php").as_deref(), Some("/srv/a.php"));
        assert_eq!(heading("error in a.ts"), None);
        assert_eq!(heading("Done."), None);
    }
}
