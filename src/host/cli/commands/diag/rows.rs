//! Labelled rows, and counted words in one of them.

use crate::host::cli::ui::{Color, Tone, harmless_line};

/// How wide a label is.
const LABEL: usize = 14;

/// A label and what stands beside it.
pub(super) fn row(label: &str, text: &str, color: Color) -> String {
    format!(
        "{} {text}",
        color.paint(Tone::Heading, &format!("{label:<LABEL$}"))
    )
}

/// `decision 5, project 2`; `none` for nothing.
pub(super) fn counted(counts: &[(String, usize)]) -> String {
    if counts.is_empty() {
        return "none".to_owned();
    }
    let words = counts
        .iter()
        .map(|(word, count)| format!("{} {count}", harmless_line(word)));
    words.collect::<Vec<_>>().join(", ")
}

/// Counted words in JSON: an object, whose keys are in the order of the counts.
pub(super) fn counted_json(counts: &[(String, usize)]) -> serde_json::Map<String, serde_json::Value> {
    counts
        .iter()
        .map(|(word, count)| (word.clone(), (*count).into()))
        .collect()
}
