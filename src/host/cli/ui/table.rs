//! A table as a person reads it: no lines, two spaces between columns, one line a row.

use super::bar;
use super::color::{Color, Tone};
use super::terminal::harmless_line;
use super::width::{cut, width};

/// The width of the gap between two columns.
const GAP: usize = 2;
/// The columns that the cells that are cut should have, before a column is left out for them.
const WANTED: usize = 24;
/// The least that a cell is cut to: a shorter one is left out.
const LEAST: usize = 6;

/// The width of a label.
const LABEL: usize = 12;

/// A label and what stands beside it.
pub(crate) fn row(label: &str, text: &str, color: Color) -> String {
    let label = color.paint(Tone::Heading, &format!("{label:<LABEL$}"));
    format!("{label} {text}")
}

/// A table for a person; programs read JSON. A column whose cells are all empty is not shown.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    width: Option<usize>,
    right: Vec<usize>,
    flexible: Option<usize>,
    spare: Vec<usize>,
}

impl Table {
    /// An empty table. With a `width`, what is flexible and spare gives way to it; without one (into a pipe), nothing
    /// does.
    pub(crate) fn new(header: &[&str], width: Option<u16>) -> Self {
        Self {
            header: header.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
            width: width.map(usize::from),
            right: Vec::new(),
            flexible: None,
            spare: Vec::new(),
        }
    }

    /// Aligns the column at `index` to the right, for numbers.
    pub(crate) fn right(mut self, index: usize) -> Self {
        self.right.push(index);
        self
    }

    /// On a narrow terminal the cells of the column at `index` are cut; those of all others never are.
    pub(crate) fn flexible(mut self, index: usize) -> Self {
        self.flexible = Some(index);
        self
    }

    /// On a narrow terminal these columns are left out, the first one first.
    pub(crate) fn spare(mut self, indices: &[usize]) -> Self {
        self.spare = indices.to_vec();
        self
    }

    /// Adds a row. Its cells are made harmless before they are measured.
    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows
            .push(cells.iter().map(|cell| harmless_line(cell)).collect());
    }

    /// The same table with its cells as they are told.
    pub(crate) fn with_cells(&self, told: &dyn Fn(&str) -> String) -> Self {
        let mut table = self.clone();
        for cell in table.rows.iter_mut().flatten() {
            *cell = told(cell);
        }
        table
    }

    /// The lines, the heading and the bars of strength painted.
    pub(crate) fn lines(&self, color: Color) -> Vec<String> {
        let columns = self.columns();
        let header = color.paint(Tone::Heading, &line(&columns, &self.header, self.width));
        let paint = |row: &Vec<String>| {
            let line = line(&columns, row, self.width);
            let cells = bar::cells_at_start(&line);
            let split = line.char_indices().nth(cells).map_or(line.len(), |(at, _)| at);
            let (bar, rest) = line.split_at(split);
            format!("{}{rest}", color.paint(Tone::Good, bar))
        };
        let mut lines = vec![header];
        lines.extend(self.rows.iter().map(paint));
        lines
    }

    /// The columns that are shown, as wide as the terminal lets them be.
    fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = (0..self.header.len())
            .filter(|&index| self.rows.iter().any(|row| !row[index].is_empty()))
            .map(|index| Column {
                index,
                width: self.rows.iter().fold(width(&self.header[index]), |widest, row| {
                    widest.max(width(&row[index]))
                }),
                is_right: self.right.contains(&index),
                is_flexible: self.flexible == Some(index),
            })
            .collect();
        let Some(terminal) = self.width else {
            return columns;
        };
        if let [before @ .., last] = columns.as_mut_slice()
            && before.iter().any(|column| column.is_flexible)
        {
            // A long path takes the room of its own row's text, and not that of all.
            last.width = last
                .width
                .min((terminal / 2).max(width(&self.header[last.index])));
        }
        let mut spare = self.spare.iter();
        loop {
            let taken: usize = columns.iter().map(|column| column.width + GAP).sum();
            let over = taken.saturating_sub(GAP).saturating_sub(terminal);
            let Some(flexible) = columns.iter_mut().find(|column| column.is_flexible) else {
                return columns;
            };
            let left = flexible.width.saturating_sub(over);
            match spare.next() {
                Some(spare) if left < flexible.width.min(WANTED) => {
                    columns.retain(|column| column.index != *spare);
                }
                _ => {
                    flexible.width = left;
                    if left < LEAST.min(width(&self.header[flexible.index])) {
                        columns.retain(|column| !column.is_flexible);
                    }
                    return columns;
                }
            }
        }
    }
}

/// A column that is shown.
#[derive(Debug)]
struct Column {
    index: usize,
    width: usize,
    is_right: bool,
    is_flexible: bool,
}

/// One row: where a cell is wider than its column, the cell that is cut makes room for it.
fn line(columns: &[Column], row: &[String], terminal: Option<usize>) -> String {
    let beyond = |column: &Column| match terminal {
        Some(_) if !column.is_flexible => width(&row[column.index]).saturating_sub(column.width),
        _ => 0,
    };
    let over: usize = columns.iter().map(beyond).sum();
    let mut line = String::new();
    for column in columns {
        let text = &row[column.index];
        let room = if column.is_flexible {
            column.width.saturating_sub(over)
        } else {
            column.width
        };
        let text = match column.is_flexible {
            true if room < LEAST.min(width(text)) => continue,
            true => cut(text, room),
            false => text.clone(),
        };
        let pad = " ".repeat(room.saturating_sub(width(&text)));
        let (before, after) = if column.is_right {
            (pad, String::new())
        } else {
            (String::new(), pad)
        };
        line.extend([before, text, after, " ".repeat(GAP)]);
    }
    line.truncate(line.trim_end().len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "decision/run-the-tests-of-the-billing-service-in-docker.md";

    fn sample(width: Option<u16>) -> Table {
        let header = ["STRENGTH", "", "TYPE", "FLAG", "TEXT", "PATH"];
        let mut table = Table::new(&header, width).right(1).flexible(4).spare(&[2, 0]);
        let mut row = |strength: f64, flag: &str, text: &str, path: &str| {
            table.row(&[
                bar::cells(strength),
                bar::number(strength),
                "decision".into(),
                flag.into(),
                text.into(),
                path.into(),
            ]);
        };
        row(4.9, "", "Use npm cache for plugin loading", "decision/a.md");
        row(10.2, "", "設定はファイルに書き、環境変数には書かない", "b.md");
        row(
            0.2,
            "archived",
            "Run the tests of the billing service in docker",
            LONG,
        );
        table
    }

    fn lines(width: u16) -> Vec<String> {
        sample(Some(width)).lines(Color::Off)
    }

    #[test]
    fn columns_line_up_and_nothing_trails_or_is_cut_in_a_pipe() {
        assert_eq!(
            sample(None).lines(Color::Off),
            [
                "STRENGTH          TYPE      FLAG      TEXT                                            PATH",
                "█████░░░░░   4.9  decision            Use npm cache for plugin loading                decision/a.md",
                "██████████  10.2  decision            設定はファイルに書き、環境変数には書かない      b.md",
                "░░░░░░░░░░   0.2  decision  archived  Run the tests of the billing service in docker  \
                 decision/run-the-tests-of-the-billing-service-in-docker.md",
            ]
        );
    }

    #[test]
    fn a_narrow_terminal_costs_text_and_spare_columns_only() {
        assert_eq!(
            lines(80),
            [
                "      FLAG      TEXT                    PATH",
                " 4.9            Use npm cache for plu…  decision/a.md",
                "10.2            設定はファイルに書き…   b.md",
                " 0.2  archived  decision/run-the-tests-of-the-billing-service-in-docker.md",
            ]
        );
        for terminal in [20, 40, 60, 80, 120, 200] {
            for (line, path) in lines(terminal)[1..].iter().zip(["decision/a.md", "b.md", LONG]) {
                assert!(line.ends_with(path), "{terminal}: {line}");
                let is_short = path != LONG;
                assert!(
                    !is_short || terminal < 40 || width(line) <= terminal.into(),
                    "{terminal}: {line}"
                );
            }
            assert!(lines(terminal)[3].contains("archived"), "{terminal}");
            assert!(lines(terminal)[3].contains("0.2"), "{terminal}");
        }
        assert_eq!(lines(200), sample(None).lines(Color::Off));
    }

    #[test]
    fn a_column_without_content_is_not_shown() {
        let mut table = Table::new(&["A", "B", "C"], None);
        table.row(&["1".into(), String::new(), "3".into()]);
        assert_eq!(table.lines(Color::Off), ["A  C", "1  3"]);
    }

    #[test]
    fn the_bar_alone_is_green() {
        let bar = Color::On.paint(Tone::Good, "█████░░░░░");
        assert!(sample(None).lines(Color::On)[1].starts_with(&format!("{bar}   4.9")));
    }
}
