//! The ranked block: a heading for each type, a line for each memory.

use minijinja::{Value, context};

use super::layout::Scope;
use super::templates::Template;
use crate::model::{Kind, Source};
use crate::policy::{Line, Section, plain};

/// Characters of a type's name in a heading.
const KIND_CHARS: usize = 40;

/// The block of these sections, by the template of the prompt or that of the numbered list; `""` without any section.
pub(super) fn block(template: Template, scope: Scope, sections: &[Section]) -> String {
    if sections.is_empty() {
        return String::new();
    }
    let mut numbers = 1..;
    let sections = sections.iter().map(|section| {
        let lines = section.lines.iter().zip(&mut numbers);
        let lines = lines.map(|(shown, number)| line(&shown.line, number));
        heading(&section.kind, lines.collect())
    });
    template.render(values(scope, sections.collect()))
}

/// The values that the template needs.
pub(super) fn values(scope: Scope, sections: Vec<Value>) -> Value {
    context! { scope => scope.as_str(), sections }
}

/// A section with these lines.
pub(super) fn heading(kind: &Kind, lines: Vec<Value>) -> Value {
    // A type is what a file says it is: nothing in it may look like another heading or like a line.
    let word = |c: char| {
        if c.is_alphanumeric() || matches!(c, '_' | '.') {
            c
        } else {
            '-'
        }
    };
    let kind: String = plain(kind.as_str()).take(KIND_CHARS).map(word).collect();
    context! { kind, lines }
}

/// The line of a memory, which is the block's so-manyth line, counted from 1.
pub(super) fn line(line: &Line, number: usize) -> Value {
    context! {
        number,
        files => line.files.as_deref(),
        text => line.text.as_str(),
        path => line.path.as_deref(),
        why => line.why.as_deref(),
        days_old => line.days_old,
        origin => line.origin.map(Source::as_str),
        date => line.date.as_deref(),
        gone => &line.gone,
        newer => line.newer.as_deref(),
    }
}
