//! `path_heavy`: paths, where words were asked for. They are found again by looking.

use super::length;
use super::passage::Passage;
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::is_cjk;

/// From this many paths on, a text is a list of files.
const MOST_PATHS: usize = 3;

/// What a file's name ends in.
const EXTENSIONS: &[&str] = &[
    "json",
    "jsonc",
    "ts",
    "tsx",
    "js",
    "jsx",
    "mjs",
    "cjs",
    "md",
    "mdx",
    "yaml",
    "yml",
    "toml",
    "lock",
    "config",
    "rs",
    "py",
    "go",
    "sh",
    "rb",
    "java",
    "kt",
    "kts",
    "swift",
    "c",
    "h",
    "cc",
    "cpp",
    "hpp",
    "cs",
    "php",
    "vue",
    "svelte",
    "css",
    "scss",
    "less",
    "html",
    "htm",
    "sql",
    "graphql",
    "gql",
    "proto",
    "xml",
    "ini",
    "cfg",
    "conf",
    "env",
    "txt",
    "csv",
    "tsv",
    "ipynb",
    "ex",
    "exs",
    "erl",
    "hs",
    "scala",
    "clj",
    "lua",
    "dart",
    "zig",
    "nix",
    "tf",
    "gradle",
    "snap",
    "tpl",
    "erb",
    "log",
    "bat",
    "ps1",
    "jsonl",
    "png",
    "svg",
    "wasm",
    "plist",
    "properties",
    "tex",
    "bib",
    "sty",
    "cls",
    "ino",
    "asm",
    "glsl",
    "hlsl",
    "wgsl",
    "gd",
    "tscn",
    "unity",
    "mm",
    "jl",
    "ml",
    "fs",
    "groovy",
    "parquet",
    "avro",
    "docx",
    "pdf",
];

/// Whether a text is made of paths.
pub(super) fn reason(kind: &Kind, passage: &Passage<'_>) -> Option<Rejection> {
    let paths: Vec<&str> = passage
        .whole
        .split(|c: char| c.is_whitespace() || ",;，、；：()（）「」\"'`|".contains(c))
        .map(|word| word.trim_end_matches(['.', ':', '。']))
        .filter(|word| is_path(word))
        .collect();
    // A Chinese, Japanese or Korean letter says as much as two others.
    let letters = |text: &str| -> usize {
        let weight = |c: char| {
            if is_cjk(c) {
                2
            } else {
                usize::from(!c.is_whitespace())
            }
        };
        text.chars().map(weight).sum()
    };
    let of_paths: usize = paths.iter().map(|path| letters(path)).sum();
    let half = of_paths * 2 > letters(passage.whole);
    // `logs = /var/log/shop` is what a reference is for: there the path is the value.
    let value = paths.len() == 1 && length::is_fact(kind, passage.whole);
    (paths.len() >= MOST_PATHS || (half && !value)).then_some(Rejection::PathHeavy)
}

/// Whether a word is a path: one with a folder in it, or a file by its extension. `and/or`, `CI/CD`, `1/2`,
/// `@scope/package` and addresses are words.
fn is_path(word: &str) -> bool {
    if word.contains("://") || word.starts_with('@') || !word.contains(char::is_alphabetic) {
        return false;
    }
    let parts: Vec<&str> = word.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let file = parts.last().is_some_and(|name| {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        !stem.is_empty() && EXTENSIONS.contains(&extension.to_lowercase().as_str())
    });
    let rooted = ["/", "./", "../", "~/", "~\\", ".\\"]
        .iter()
        .any(|root| word.starts_with(root))
        && !parts.is_empty();
    let drive = word.as_bytes().get(1..3) == Some(b":\\");
    let hidden = word.starts_with('.') && parts.len() >= 2;
    let shown = word.ends_with('/') && !parts.is_empty();
    file || rooted || drive || hidden || shown || parts.len() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heavy(kind: &str, text: &str) -> bool {
        reason(&Kind::new(kind), &Passage::new(text)).is_some()
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
