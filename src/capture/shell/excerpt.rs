//! The lines of an output that tell what is wrong.

use super::line::{Line, Standing, read};
use crate::capture::ErrorCategory;

/// Lines that are shown.
const MAX_LINES: usize = 5;

/// Files that are remembered.
const MAX_FILES: usize = 20;

/// The error lines of an output.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// At most 5, in the order of the output; at least one.
    pub(super) lines: Vec<String>,
    /// The files that error lines name, those of the shown lines first, each once.
    pub(super) files: Vec<String>,
}

/// The error lines among the lines of a failed command's output; `None` when there is none.
pub(super) fn excerpt(output: &[String], category: ErrorCategory) -> Option<Excerpt> {
    let lines = read_all(output, category);
    let mut shown = Vec::new();
    fill(&mut shown, &lines, Standing::Failure);
    fill(&mut shown, &lines, Standing::Trouble);
    // Without them the rest speaks, the clearest first.
    for standing in [Standing::Pointer, Standing::Total, Standing::Mild] {
        if shown.is_empty() {
            fill(&mut shown, &lines, standing);
        }
    }
    shown.sort_unstable();
    (!shown.is_empty()).then(|| Excerpt {
        files: files(&lines, &shown),
        lines: shown.iter().map(|at| lines[*at].text.clone()).collect(),
    })
}

/// True when an output shows that anything went wrong.
pub(super) fn shows_failure(output: &[String], category: ErrorCategory) -> bool {
    let bad = [Standing::Failure, Standing::Total, Standing::Trouble];
    read_all(output, category)
        .iter()
        .any(|line| bad.contains(&line.standing))
}

/// Every line, with what only its neighbours tell.
fn read_all(output: &[String], category: ErrorCategory) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(output.len());
    let mut is_traceback = false;
    let mut announces = false;
    for raw in output {
        let mut line = read(raw, category);
        let is_silent = matches!(
            line.standing,
            Standing::Noise | Standing::Mild | Standing::Heading | Standing::Total
        );
        // The last line of a Python traceback is its error, whatever the exception is called; what follows
        // `panicked at src/a.rs:3:5:` or `Error:` is what happened.
        let ends_traceback = is_traceback && !raw.starts_with(char::is_whitespace);
        if ends_traceback || (announces && !is_silent) {
            line.standing = Standing::Failure;
        }
        is_traceback = (is_traceback && !ends_traceback) || raw.trim_start().starts_with("Traceback (most");
        announces = match line.standing {
            Standing::Failure => !announces && line.text.ends_with([':', ']']),
            Standing::Total => matches!(line.text.as_str(), "Failure:" | "Error:"),
            _ => false,
        };
        lines.push(line);
    }
    lines
}

/// Takes the first lines of this standing as far as there is room, each with its place or the heading of its file:
/// without that it tells little.
fn fill(shown: &mut Vec<usize>, lines: &[Line], wanted: Standing) {
    let mut heading = None;
    let mut leading = None;
    let mut waits_for_place = false;
    for (at, line) in lines.iter().enumerate() {
        let is_wanted = line.standing == wanted;
        match line.standing {
            _ if shown.len() >= MAX_LINES => break,
            _ if is_wanted && shown.iter().any(|other| lines[*other].text == line.text) => {}
            _ if is_wanted => {
                let above = heading.take_if(|_| line.is_entry || line.has_place);
                let place = above.or(leading.take().filter(|_| !line.has_place));
                waits_for_place = line.standing == Standing::Failure && !line.has_place && place.is_none();
                shown.extend(place);
                shown.push(at);
            }
            Standing::Heading => heading = Some(at),
            Standing::Mild => waits_for_place = false,
            Standing::Pointer if waits_for_place => {
                shown.push(at);
                waits_for_place = false;
            }
            Standing::Pointer if line.leads => leading = Some(at),
            _ => {}
        }
    }
    shown.truncate(MAX_LINES);
}

/// The files of the shown lines, then those of the other errors and places.
fn files(lines: &[Line], shown: &[usize]) -> Vec<String> {
    let tells = |line: &&Line| {
        matches!(
            line.standing,
            Standing::Failure | Standing::Pointer | Standing::Trouble
        )
    };
    let shown = shown.iter().map(|at| &lines[*at]);
    let mut files: Vec<String> = Vec::new();
    for file in shown
        .chain(lines.iter().filter(tells))
        .flat_map(|line| &line.files)
    {
        if files.len() < MAX_FILES && !files.contains(file) {
            files.push(file.clone());
        }
    }
    files
}
