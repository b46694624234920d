//! The pinned block: whole bodies, each line indented, so that nothing in a body can end the block or look like a
//! heading of ours.

use minijinja::{Value, context};

use super::layout::{PromptLayout, Scope};
use super::templates::Template;
use crate::model::{Content, Memory};
use crate::policy::{Candidates, Entry, fit_pinned, holds_for, plain, said_of};
use crate::text::is_line_break;

/// The number of files that do not fit and are named; the others are counted.
const MOST_NAMED: usize = 5;

/// The block of these files, and of those that do not fit; `""` without either.
pub(super) fn block(scope: Scope, files: &[Entry<'_>], left_out: &[&Memory]) -> String {
    if files.is_empty() && left_out.is_empty() {
        return String::new();
    }
    let files = files.iter().map(file).collect();
    Template::Pinned.render(values(scope, files, left_out, false))
}

/// The memories that hold for a file at hand, whole, as many as `chars` characters have room for; the others are named.
pub fn note_for_file(scope: Scope, candidates: &Candidates<'_>, entries: &[usize], chars: usize) -> String {
    let fitted = fit_pinned(entries, candidates, chars, &PromptLayout::new(scope));
    let memories = |entries: &[usize]| -> Vec<&Memory> {
        entries
            .iter()
            .map(|entry| candidates.entries[*entry].memory)
            .collect()
    };
    let shown = fitted.shown.iter();
    let files = shown.map(|entry| file(&candidates.entries[*entry])).collect();
    Template::Pinned.render(values(scope, files, &memories(&fitted.left_out), true))
}

/// The values that the template needs.
pub(super) fn values(scope: Scope, files: Vec<Value>, left_out: &[&Memory], is_note: bool) -> Value {
    let named = left_out.iter().take(MOST_NAMED);
    let named: Vec<String> = named
        .map(|memory| plain(memory.path.as_str()).collect())
        .collect();
    let more = left_out.len() - named.len();
    context! { scope => scope.as_str(), is_note, files, left_out => left_out.len(), named => named.join(", "), more }
}

/// A file: its path, the lines of its body, and what it cites that is gone.
pub(super) fn file(entry: &Entry<'_>) -> Value {
    let memory = entry.memory;
    let path: String = plain(memory.path.as_str()).collect();
    context! { path, files => holds_for(memory), lines => lines(&memory.content), gone => said_of(entry.gone) }
}

fn lines(content: &Content) -> Vec<String> {
    match content {
        Content::Note { body } if body.is_empty() => Vec::new(),
        Content::Note { body } => split(body),
        Content::Fact { text, rationale } => {
            let mut lines = split(text);
            if let Some(rationale) = rationale {
                lines.push(String::new());
                lines.extend(split(&format!("Why: {rationale}")));
            }
            lines
        }
    }
}

/// The lines of a body, by everything that any reader might take for a line break. A tab stays: it is indentation.
fn split(body: &str) -> Vec<String> {
    let body = body.replace("\r\n", "\n");
    body.split(is_line_break)
        .map(|line| {
            let parts = line.split('\t').map(|part| plain(part).collect());
            parts.collect::<Vec<String>>().join("\t")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_break_makes_a_line() {
        assert_eq!(
            split("a\r\nb\rc\u{2028}d\u{b}e\n\nf\u{0}\tg"),
            ["a", "b", "c", "d", "e", "", "f \tg"]
        );
    }

    #[test]
    fn an_empty_body_has_no_line() {
        assert!(lines(&Content::Note { body: String::new() }).is_empty());
    }

    #[test]
    fn a_fact_shows_its_reason_as_its_file_does() {
        let fact = Content::Fact {
            text: "Use npm\ncache".into(),
            rationale: Some("links\nbreak".into()),
        };
        assert_eq!(lines(&fact), ["Use npm", "cache", "", "Why: links", "break"]);
    }
}
