//! Of which type a requested memory is.

use std::sync::LazyLock;

use regex::Regex;

use super::folded::Folded;
use super::language::{LANGUAGES, Language};
use crate::model::Kind;

/// The patterns of one table.
#[derive(Debug)]
struct TypePatterns {
    references: Option<Regex>,
    names: Option<Regex>,
    decisions: Option<Regex>,
    projects: Option<Regex>,
    language: &'static Language,
}

/// How much of a text is looked at, in bytes: what it is about stands at its beginning.
const TELLING: usize = 16_384;

static URL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u:\b)(?:https?|ftp)://[^\s/]").expect("the pattern compiles"));

static TYPES: LazyLock<Vec<TypePatterns>> = LazyLock::new(|| {
    let patterns = LANGUAGES.into_iter().map(|language| TypePatterns {
        references: words(language.types.references),
        names: any(language.types.names.iter().map(|name| (*name).to_owned())),
        decisions: words(language.types.decisions),
        projects: words(language.types.projects),
        language,
    });
    patterns.collect()
});

/// A URL or a named external tool makes a reference; else that something was decided makes a decision; else the
/// project makes a fact about it; else it is feedback (capture.md, section 1).
pub(super) fn memory_type(text: &str) -> Kind {
    let text = &text[..text.floor_char_boundary(TELLING)];
    let folded = Folded::new(text);
    let folded = folded.as_str();
    let is_japanese = text.contains(is_kana);
    let tables = || {
        // 項目 is a project in Chinese and an entry in Japanese.
        TYPES.iter().filter(move |types| {
            !(is_japanese && std::ptr::eq(types.language, &raw const super::chinese::CHINESE))
        })
    };
    let has = |part: fn(&TypePatterns) -> &Option<Regex>, text: &str| {
        tables().any(|types| part(types).as_ref().is_some_and(|pattern| pattern.is_match(text)))
    };
    let kind = if URL.is_match(folded)
        || has(|types| &types.references, folded)
        || has(|types| &types.names, text)
    {
        "reference"
    } else if has(|types| &types.decisions, folded) {
        "decision"
    } else if has(|types| &types.projects, folded) {
        "project"
    } else {
        "feedback"
    };
    Kind::new(kind)
}

/// Words of the Latin alphabet are whole ones, also beside letters of another script.
fn words(pieces: &[&str]) -> Option<Regex> {
    any(pieces.iter().map(|piece| {
        if piece.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            format!(r"(?-u:\b)(?:{piece})(?-u:\b)")
        } else {
            format!("(?:{piece})")
        }
    }))
}

fn any(pieces: impl Iterator<Item = String>) -> Option<Regex> {
    let pieces: Vec<String> = pieces.collect();
    (!pieces.is_empty()).then(|| Regex::new(&pieces.join("|")).expect("the tables of the languages compile"))
}

const fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types() {
        for (text, kind) in [
            (
                "latency graphs are at https://grafana.example.net/d/latency",
                "reference",
            ),
            ("bugs are filed in Linear under BIL", "reference"),
            ("Linear holds the roadmap", "reference"),
            ("バグはLinearで管理する", "reference"),
            ("the Grafana dashboard shows the queue", "reference"),
            ("발표 자료는 노션에 있다", "reference"),
            ("specs live in the team's Notion", "reference"),
            ("we decided to use SQLite", "decision"),
            ("we chose Postgres", "decision"),
            ("我们决定用 gRPC", "decision"),
            ("REST をやめて gRPC に決めた", "decision"),
            ("배포는 화요일에 하기로 했다", "decision"),
            ("this repo uses pnpm", "project"),
            ("这个项目用 pnpm", "project"),
            ("このプロジェクトは pnpm を使う", "project"),
            ("이 프로젝트는 pnpm 을 쓴다", "project"),
            ("linear search is fine below 100 entries", "feedback"),
            ("Linear scans are fine below 100 entries", "feedback"),
            ("the notion of time is injected", "feedback"),
            ("設定項目は英語で書く", "feedback"),
            ("use tabs", "feedback"),
            ("report errors with a hint", "feedback"),
        ] {
            assert_eq!(memory_type(text).as_str(), kind, "{text}");
        }
    }
}
