//! A table as a person reads it: no lines, two spaces between columns, one line a row.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::color::{Color, Tone};
use super::terminal::harmless_line;

/// The number of cells of a bar; one cell is one unit of strength.
const CELLS: usize = 10;
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

/// Strength as a bar and a number: `█████░░░░░  4.9`. A strength over ten fills the bar; the number is exact.
pub(crate) fn bar(strength: f64) -> String {
    format!("{} {:>4}", cells(strength), number(strength))
}

/// Strength as a number: `4.9`.
pub(crate) fn number(strength: f64) -> String {
    format!("{strength:.1}")
}

/// Strength as a bar: `█████░░░░░`.
pub(crate) fn cells(strength: f64) -> String {
    let filled = (0..CELLS)
        .filter(|&cell| strength >= f64::from(u32::try_from(cell).expect("because a bar is short")) + 0.5)
        .count();
    "█".repeat(filled) + &"░".repeat(CELLS - filled)
}

/// The line in at most so many columns; where more was cut off, the last column is `…`.
fn cut(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |c: &char| {
        let rest = left.checked_sub(c.width().unwrap_or(0));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let kept: String = line.chars().take_while(fits).collect();
    let mark = if columns == 0 { "" } else { "…" };
    format!("{}{mark}", kept.trim_end())
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

    /// The lines, the heading and the bars of strength painted; cells are told by `told`.
    pub(crate) fn lines(&self, color: Color, told: impl Fn(&str) -> String) -> Vec<String> {
        let cells = |row: &Vec<String>| row.iter().map(|cell| told(cell)).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        let columns = self.columns(&rows);
        let mut lines = vec![color.paint(Tone::Heading, &self.line(&columns, &self.header))];
        for row in &rows {
            let line = self.line(&columns, row);
            let rest = line.trim_start_matches(['█', '░']);
            let bar = color.paint(Tone::Good, &line[..line.len() - rest.len()]);
            lines.push(format!("{bar}{rest}"));
        }
        lines
    }

    /// The columns that are shown, each with its width: a terminal first loses the spare ones, then what is flexible is
    /// cut.
    fn columns(&self, rows: &[Vec<String>]) -> Vec<(usize, usize)> {
        let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or(0);
        let wide = |at: usize| (at, widest(at).max(self.header[at].width()));
        let shown = (0..self.header.len()).filter(|at| widest(*at) > 0);
        let mut columns: Vec<(usize, usize)> = shown.map(wide).collect();
        let (Some(terminal), Some(flexible)) = (self.width, self.flexible) else {
            return columns;
        };
        if let [.., last] = columns.as_mut_slice()
            && last.0 != flexible
        {
            // A long path takes the room of its own row's text, and not that of all.
            last.1 = last.1.min((terminal / 2).max(self.header[last.0].width()));
        }
        let mut spare = self.spare.iter();
        loop {
            let taken: usize = columns.iter().map(|(_, width)| width + GAP).sum();
            let over = taken.saturating_sub(GAP + terminal);
            let Some((_, width)) = columns.iter_mut().find(|(at, _)| *at == flexible) else {
                return columns;
            };
            let left = width.saturating_sub(over);
            match spare.next() {
                Some(spare) if left < WANTED.min(*width) => columns.retain(|(at, _)| at != spare),
                _ => {
                    *width = left;
                    return columns;
                }
            }
        }
    }

    /// One row: where a cell is wider than its column, the cell that is cut makes room for it.
    fn line(&self, columns: &[(usize, usize)], row: &[String]) -> String {
        let is_flexible = |at: usize| self.width.is_some() && self.flexible == Some(at);
        let beyond = |(at, width): &(usize, usize)| row[*at].width().saturating_sub(*width);
        let fixed = columns.iter().filter(|(at, _)| !is_flexible(*at));
        let over: usize = fixed.map(beyond).sum();
        let mut line = String::new();
        for &(at, mut room) in columns {
            let mut text = row[at].clone();
            if is_flexible(at) {
                room = room.saturating_sub(over);
                if room < LEAST.min(text.width()) {
                    continue;
                }
                text = cut(&text, room);
            }
            let pad = " ".repeat(room.saturating_sub(text.width()));
            let cell = if self.right.contains(&at) {
                pad + &text
            } else {
                text + &pad
            };
            line.push_str(&cell);
            line.push_str("  ");
        }
        line.truncate(line.trim_end().len());
        line
    }
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
                cells(strength),
                number(strength),
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
        sample(Some(width)).lines(Color::Off, str::to_owned)
    }

    #[test]
    fn columns_line_up_and_nothing_trails_or_is_cut_in_a_pipe() {
        assert_eq!(
            sample(None).lines(Color::Off, str::to_owned),
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
                    !is_short || terminal < 40 || line.width() <= terminal.into(),
                    "{terminal}: {line}"
                );
            }
            assert!(lines(terminal)[3].contains("archived"), "{terminal}");
            assert!(lines(terminal)[3].contains("0.2"), "{terminal}");
        }
        assert_eq!(lines(200), sample(None).lines(Color::Off, str::to_owned));
    }

    #[test]
    fn a_column_without_content_is_not_shown() {
        let mut table = Table::new(&["A", "B", "C"], None);
        table.row(&["1".into(), String::new(), "3".into()]);
        assert_eq!(table.lines(Color::Off, str::to_owned), ["A  C", "1  3"]);
    }

    #[test]
    fn the_bar_alone_is_green() {
        let bar = Color::On.paint(Tone::Good, "█████░░░░░");
        assert!(sample(None).lines(Color::On, str::to_owned)[1].starts_with(&format!("{bar}   4.9")));
    }

    #[test]
    fn cuts_within_a_text_without_spaces() {
        assert_eq!(cut("設定はファイルに書く", 20), "設定はファイルに書く");
        assert_eq!(cut("設定はファイルに書く", 10), "設定はフ…");
        assert_eq!(cut("Use npm cache", 9), "Use npm…");
        assert_eq!((cut("ab", 1).as_str(), cut("ab", 0).as_str()), ("…", ""));
        assert_eq!(
            (bar(0.5).as_str(), bar(1e6).as_str()),
            ("█░░░░░░░░░  0.5", "██████████ 1000000.0")
        );
    }
}
