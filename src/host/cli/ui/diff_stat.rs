//! The amount of change in each file, as `git diff --stat` counts it.

use super::color::{Color, Tone};
use super::unified_diff::{Side, is_binary};
use super::width::width;
use crate::host::words::counted;
use crate::service::{DiffLineKind, line_diff};

/// The width where nobody sees it on a terminal, as git has it.
const PIPED: u16 = 80;
/// The least room for the marks of the lines.
const LEAST: usize = 10;

/// A line a file, ` decision/a.md | 4 ++--`, and the sum.
pub(crate) fn diff_stat<'a>(
    files: impl Iterator<Item = (Side<'a>, Side<'a>)>,
    terminal: Option<u16>,
    color: Color,
) -> Vec<String> {
    let counts: Vec<(String, Option<(usize, usize)>)> = files
        .map(|(old, new)| (name(old, new), changed_lines(old, new)))
        .collect();
    if counts.is_empty() {
        return Vec::new();
    }
    let names = counts.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let changed = || counts.iter().filter_map(|(_, count)| *count);
    let most = changed()
        .map(|(added, removed)| added + removed)
        .max()
        .unwrap_or(0);
    let digits = most.to_string().len().max(3);
    let room = usize::from(terminal.unwrap_or(PIPED)).saturating_sub(names + digits + 5);
    let room = room.max(LEAST);
    let scale = |lines: usize| {
        if most > room {
            (lines * room).div_ceil(most)
        } else {
            lines
        }
    };
    let mut lines: Vec<String> = Vec::new();
    for (name, count) in &counts {
        let pad = " ".repeat(names - width(name));
        let (number, marks) = match *count {
            Some((added, removed)) => {
                let plus = color.paint(Tone::Good, &"+".repeat(scale(added)));
                let minus = color.paint(Tone::Bad, &"-".repeat(scale(removed)));
                ((added + removed).to_string(), format!("{plus}{minus}"))
            }
            None => ("Bin".to_owned(), String::new()),
        };
        let line = format!(" {name}{pad} | {number:>digits$} {marks}");
        lines.push(line.trim_end().to_owned());
    }
    let (added, removed) = changed().fold((0, 0), |(a, r), (added, removed)| (a + added, r + removed));
    let files = counted(counts.len(), "file");
    let (plus, minus) = (counted(added, "insertion"), counted(removed, "deletion"));
    lines.push(format!(" {files} changed, {plus}(+), {minus}(-)"));
    lines
}

/// `a.md`, `a.md => b.md`.
fn name(old: Side<'_>, new: Side<'_>) -> String {
    match (old, new) {
        (Some((from, _)), Some((to, _))) if from != to => format!("{from} => {to}"),
        (Some((path, _)), _) | (None, Some((path, _))) => path.to_owned(),
        (None, None) => String::new(),
    }
}

/// The numbers of lines that are added and removed; `None` for what has no lines.
fn changed_lines(old: Side<'_>, new: Side<'_>) -> Option<(usize, usize)> {
    let [before, after] = [old, new].map(|side| side.map_or(b"".as_slice(), |(_, bytes)| bytes));
    if is_binary(before) || is_binary(after) {
        return None;
    }
    let lines = line_diff(before, after)?;
    let count = |kind: DiffLineKind| lines.iter().filter(|line| line.kind == kind).count();
    Some((count(DiffLineKind::Added), count(DiffLineKind::Removed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_sums_them_up() {
        let many = "x\n".repeat(300);
        let files: [(Side<'_>, Side<'_>); 4] = [
            (
                Some(("a.md", b"one\ntwo\n")),
                Some(("a.md", b"one\nthree\nfour\n")),
            ),
            (Some(("old.md", b"one\n")), Some(("new.md", b"one\n"))),
            (None, Some(("many.md", many.as_bytes()))),
            (Some(("b.png", b"\0")), None),
        ];
        let lines = diff_stat(files.into_iter(), Some(40), Color::Off);
        assert_eq!(
            lines,
            [
                " a.md             |   3 +-",
                " old.md => new.md |   0",
                " many.md          | 300 ++++++++++++++++",
                " b.png            | Bin",
                " 4 files changed, 302 insertions(+), 1 deletion(-)",
            ]
        );
        assert!(diff_stat(std::iter::empty(), None, Color::Off).is_empty());
    }
}
