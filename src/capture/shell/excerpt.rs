//! Which lines of an output tell what is wrong.

use super::line::{Line, Standing, read};
use super::line_shapes::{FRAME, LISTED_TEST};
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
    let mut shown = failures(&lines);
    if shown.is_empty() {
        let fallbacks = if category == ErrorCategory::Lint {
            [
                Standing::Trouble,
                Standing::Mild,
                Standing::Pointer,
                Standing::Total,
            ]
        } else {
            [
                Standing::Trouble,
                Standing::Pointer,
                Standing::Total,
                Standing::Mild,
            ]
        };
        for standing in fallbacks {
            // A linter that fails by its warnings prints them beside "too many warnings".
            let is_beside = standing == Standing::Mild && category == ErrorCategory::Lint;
            if shown.is_empty() || is_beside {
                fill(&mut shown, &lines, standing);
            }
        }
    } else {
        fill(&mut shown, &lines, Standing::Trouble);
        let first = shown[0];
        let details = of(&lines, Standing::Detail).filter(|at| *at > first);
        let room = MAX_LINES.saturating_sub(shown.len());
        shown.extend(details.take(room));
    }
    shown.sort_unstable();
    if shown.is_empty() {
        return None;
    }
    Some(Excerpt {
        files: files(&lines, &shown),
        lines: shown.iter().map(|at| lines[*at].text.clone()).collect(),
    })
}

/// Whether an output shows that anything went wrong.
pub(super) fn shows_failure(output: &[String], category: ErrorCategory) -> bool {
    let is_bad = |line: &Line| {
        matches!(
            line.standing,
            Standing::Failure | Standing::Total | Standing::Trouble
        )
    };
    read_all(output, category).iter().any(is_bad)
}

/// Every line, with what only its neighbours tell.
fn read_all(output: &[String], category: ErrorCategory) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(output.len());
    let mut is_traceback = false;
    let mut announces = false;
    let mut was_explained = false;
    for raw in output {
        let mut line = read(raw, category);
        let is_indented = raw.starts_with(char::is_whitespace);
        if is_traceback && !is_indented {
            // The last line of a Python traceback is its error, whatever the exception is called.
            is_traceback = false;
            line.standing = Standing::Failure;
        }
        if raw.trim_start().starts_with("Traceback (most recent call last)") {
            is_traceback = true;
        }
        // What follows `panicked at src/a.rs:3:5:` or `Error:` is what happened.
        let says_what = matches!(
            line.standing,
            Standing::Plain | Standing::Trouble | Standing::Detail | Standing::Pointer
        );
        if announces && says_what && !is_frame(raw) {
            line.standing = Standing::Failure;
        }
        announces = match line.standing {
            Standing::Failure => !announces && is_announcement(&line.text),
            Standing::Total => matches!(line.text.as_str(), "Failure:" | "Error:"),
            _ => false,
        };
        // What stands above an arrow to a place is what is wrong there.
        if line.standing == Standing::Pointer
            && has_arrow(raw)
            && let Some(above) = lines.last_mut()
            && matches!(above.standing, Standing::Plain | Standing::Trouble)
        {
            above.standing = Standing::Failure;
        }
        // pytest explains an assertion on lines that begin with `E`: the first one says it.
        let explains = category == ErrorCategory::Test && raw.starts_with("E  ") && LISTED_TEST.is_match(raw);
        if explains && was_explained {
            line.standing = Standing::Noise;
        }
        was_explained = explains;
        lines.push(line);
    }
    lines
}

/// Whether a line only announces what the next one says: it ends with `:` or with the code of the error.
fn is_announcement(text: &str) -> bool {
    text.ends_with(':') || (text.ends_with(']') && text.contains("error: ["))
}

/// A frame of a stack trace says where, not what.
fn is_frame(raw: &str) -> bool {
    FRAME.is_match(raw)
}

fn has_arrow(raw: &str) -> bool {
    ["-->", "╭─[", "┌─"]
        .iter()
        .any(|arrow| raw.trim_start().starts_with(arrow))
}

/// The first failures, each with its place and the heading of its file.
fn failures(lines: &[Line]) -> Vec<usize> {
    let mut shown: Vec<usize> = Vec::new();
    let mut heading = None;
    let mut leading = None;
    let mut waits = false;
    for (at, line) in lines.iter().enumerate() {
        if shown.len() >= MAX_LINES {
            break;
        }
        match line.standing {
            Standing::Heading => heading = Some(at),
            // The place that follows is that of the warning.
            Standing::Mild => waits = false,
            Standing::Pointer if line.leads => leading = Some(at),
            Standing::Pointer if waits => {
                shown.push(at);
                waits = false;
            }
            Standing::Failure => {
                if is_repeated(lines, &shown, at) {
                    continue;
                }
                let above = if line.is_entry || line.has_place {
                    heading.take()
                } else {
                    None
                };
                let place = if line.has_place || above.is_some() {
                    None
                } else {
                    leading
                };
                leading = None;
                // A line without its heading or its place tells little: they take the room together.
                shown.extend(above.or(place));
                shown.push(at);
                waits = !line.has_place && place.is_none() && above.is_none();
            }
            _ => {}
        }
    }
    shown.truncate(MAX_LINES);
    shown
}

/// Whether a line says what a shown one has said.
fn is_repeated(lines: &[Line], shown: &[usize], at: usize) -> bool {
    shown.iter().any(|other| lines[*other].text == lines[at].text)
}

fn of(lines: &[Line], standing: Standing) -> impl Iterator<Item = usize> {
    lines
        .iter()
        .enumerate()
        .filter(move |(_, line)| line.standing == standing)
        .map(|(at, _)| at)
}

/// Lines of another standing, as far as there is room.
fn fill(shown: &mut Vec<usize>, lines: &[Line], standing: Standing) {
    let mut heading = None;
    for (at, line) in lines.iter().enumerate() {
        if shown.len() >= MAX_LINES {
            return;
        }
        if line.standing == Standing::Heading {
            heading = Some(at);
        } else if line.standing == standing && !is_repeated(lines, shown, at) {
            if line.is_entry && shown.len() + 1 < MAX_LINES {
                shown.extend(heading.take());
            }
            shown.push(at);
        }
    }
}

/// The files of the shown lines, then those of the other errors and places.
fn files(lines: &[Line], shown: &[usize]) -> Vec<String> {
    let has_failures = shown.iter().any(|at| lines[*at].standing != Standing::Total);
    if !has_failures {
        return Vec::new();
    }
    let is_error = |line: &&Line| {
        matches!(
            line.standing,
            Standing::Failure | Standing::Pointer | Standing::Trouble
        )
    };
    let mut heading: Option<&Line> = None;
    let mut is_warned = false;
    let mut found: Vec<String> = shown.iter().flat_map(|at| lines[*at].files.clone()).collect();
    for line in lines {
        if line.standing == Standing::Heading {
            heading = Some(line);
        } else if line.is_entry && line.standing == Standing::Failure {
            found.extend(heading.take().into_iter().flat_map(|line| line.files.clone()));
        }
        match line.standing {
            Standing::Mild => is_warned = true,
            Standing::Failure => is_warned = false,
            _ => {}
        }
        if is_error(&line) && !is_warned {
            found.extend(line.files.clone());
        }
        if found.len() > 50 * MAX_FILES {
            break;
        }
    }
    let mut files: Vec<String> = Vec::new();
    for file in found {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files.truncate(MAX_FILES);
    files
}
