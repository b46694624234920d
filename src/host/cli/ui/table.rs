//! Tables, where people compare: no lines, two spaces between columns, one line a row.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row, Table as Grid};

use super::bar;
use super::color::{Color, Tone};
use super::terminal::harmless_line;

/// The width of the gap between two columns.
const GAP: u16 = 2;
/// The least that a flexible column is cut to.
const LEAST: u16 = 12;

/// The width of a label.
const LABEL: usize = 12;

/// A label and what stands beside it.
pub(crate) fn row(label: &str, text: &str, color: Color) -> String {
    let label = color.paint(Tone::Heading, &format!("{label:<LABEL$}"));
    format!("{label} {text}")
}

/// A table for a person; programs read JSON.
#[derive(Debug)]
pub(crate) struct Table {
    grid: Grid,
    flexible: Option<usize>,
}

impl Table {
    /// An empty table. With a `width`, longer rows are cut to it; without one (into a pipe), nothing is cut.
    pub(crate) fn new(header: &[&str], width: Option<u16>) -> Self {
        let mut grid = Grid::new();
        grid.load_style(comfy_table::presets::NOTHING);
        grid.set_truncation_indicator("…");
        match width {
            Some(width) => grid
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(width),
            None => grid.set_content_arrangement(ContentArrangement::Disabled),
        };
        grid.set_header(header.iter().copied());
        let columns = header.len();
        for (index, column) in grid.column_iter_mut().enumerate() {
            column.set_padding((0, if index + 1 == columns { 0 } else { GAP }));
        }
        Self { grid, flexible: None }
    }

    /// Aligns the column at `index` to the right, for numbers.
    pub(crate) fn right(mut self, index: usize) -> Self {
        if let Some(column) = self.grid.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        self
    }

    /// On a narrow terminal the column at `index` is cut, as long as the others have their room without it.
    pub(crate) fn flexible(mut self, index: usize) -> Self {
        self.flexible = Some(index);
        self
    }

    /// Adds a row. Its cells are made harmless before they are measured.
    pub(crate) fn row(&mut self, cells: &[String]) {
        let mut row = Row::from(cells.iter().map(|cell| harmless_line(cell)));
        row.max_height(1);
        self.grid.add_row(row);
    }

    /// The lines, the heading and the bars of strength painted.
    pub(crate) fn lines(&mut self, color: Color) -> Vec<String> {
        self.keep_what_is_not_flexible();
        let paint = |(index, line): (usize, String)| {
            let line = line.trim_end();
            if index == 0 {
                return color.paint(Tone::Heading, line);
            }
            let cells = bar::cells_at_start(line);
            let split = line.char_indices().nth(cells).map_or(line.len(), |(at, _)| at);
            let (bar, rest) = line.split_at(split);
            format!("{}{rest}", color.paint(Tone::Good, bar))
        };
        self.grid.lines().enumerate().map(paint).collect()
    }

    fn keep_what_is_not_flexible(&mut self) {
        let (Some(flexible), Some(width)) = (self.flexible, self.grid.width()) else {
            return;
        };
        let widths = self.grid.column_max_content_widths();
        let is_fixed = |(index, _): &(usize, &u16)| *index != flexible;
        let fixed: u16 = widths
            .iter()
            .enumerate()
            .filter(is_fixed)
            .map(|(_, width)| width + GAP)
            .sum();
        if fixed.saturating_add(LEAST + GAP) > width {
            return;
        }
        for (index, column) in self.grid.column_iter_mut().enumerate() {
            if index != flexible {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(width: Option<u16>) -> Table {
        let mut table = Table::new(&["STRENGTH", "TEXT", "PATH"], width);
        table.row(&[
            bar::bar(4.9),
            "Use npm cache for plugin loading".into(),
            "decision/a.md".into(),
        ]);
        table.row(&[bar::bar(0.2), "短い".into(), "b.md".into()]);
        table
    }

    #[test]
    fn columns_line_up_and_nothing_trails() {
        assert_eq!(
            sample(None).lines(Color::Off),
            [
                "STRENGTH         TEXT                              PATH",
                "█████░░░░░  4.9  Use npm cache for plugin loading  decision/a.md",
                "░░░░░░░░░░  0.2  短い                              b.md",
            ]
        );
    }

    #[test]
    fn a_row_is_cut_to_the_terminal() {
        for line in sample(Some(50)).lines(Color::Off) {
            assert!(line.chars().count() <= 50, "{line}");
        }
        assert_eq!(sample(Some(50)).lines(Color::Off).len(), 3);
    }

    #[test]
    fn the_flexible_column_is_cut_first() {
        let lines = sample(Some(46)).flexible(1).lines(Color::Off);
        assert_eq!(lines[1], "█████░░░░░  4.9  Use npm cache…  decision/a.md");
    }

    #[test]
    fn the_bar_alone_is_green() {
        let bar = Color::On.paint(Tone::Good, "█████░░░░░");
        assert!(sample(None).lines(Color::On)[1].starts_with(&format!("{bar}  4.9")));
    }
}
