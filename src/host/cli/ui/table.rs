//! A table as a person reads it: no lines, two spaces between columns; text that is broken at blanks.

use std::ops::Range;

use unicode_width::UnicodeWidthStr as _;

use super::color::{Color, Tone};
use super::terminal::harmless_line;

/// The number of cells of a bar; one cell is one unit of strength.
const CELLS: usize = 10;
/// The width of the gap between two columns.
const GAP: usize = 2;
/// The columns that the text of a table should have, or half of a narrow terminal, before a column is left out for it.
const WANTED: usize = 36;
/// The least that it has where nothing more can be left out.
const LEAST: usize = 12;
/// The most lines that a cell is broken into.
const MOST_LINES: usize = 3;

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

/// The parts of a text that have room on a line of so many columns, broken at blanks; a word that is longer is broken where
/// the line ends. `None`: the whole text is one line.
pub(crate) fn wrap(text: &str, columns: Option<usize>) -> Vec<Range<usize>> {
    let Some(columns) = columns else {
        return std::iter::once(0..text.len()).collect();
    };
    let (mut lines, mut line, mut at) = (Vec::new(), 0..0, 0);
    let fits = |from: usize, to: usize| text[from..to].width() <= columns;
    for word in text.split_inclusive(' ') {
        let end = at + word.trim_end().len();
        if fits(line.start, end) {
            line.end = end;
        } else if fits(at, end) {
            lines.push(std::mem::replace(&mut line, at..end));
        } else {
            for (from, c) in word.trim_end().char_indices() {
                let (from, to) = (at + from, at + from + c.len_utf8());
                if fits(line.start, to) {
                    line.end = to;
                } else {
                    lines.push(std::mem::replace(&mut line, from..to));
                }
            }
        }
        at += word.len();
    }
    lines.push(line);
    lines
}

/// Numbers as a line of blocks, the greatest the highest: `█▆▄▃▂▁`.
pub(crate) fn sparkline(numbers: &[f64]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let greatest = numbers.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let block = |number: &f64| {
        let above = BLOCKS.iter().zip(1_u8..8);
        let above = above.filter(|(_, eighth)| number / greatest >= (f64::from(*eighth) - 0.5) / 7.0);
        BLOCKS[above.count()]
    };
    numbers.iter().map(block).collect()
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
    tones: Vec<(usize, Tone)>,
}

impl Table {
    /// An empty table. With a `width`, what is flexible and spare gives way to it; without one (into a pipe), nothing
    /// does. Where no column has a heading, no line is for them.
    pub(crate) fn new(header: &[&str], width: Option<u16>) -> Self {
        Self {
            header: header.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
            width: width.map(usize::from),
            right: Vec::new(),
            flexible: None,
            spare: Vec::new(),
            tones: Vec::new(),
        }
    }

    /// Aligns the column at `index` to the right, for numbers.
    pub(crate) fn right(mut self, index: usize) -> Self {
        self.right.push(index);
        self
    }

    /// The column at `index` has the room that the others leave: its cells are broken at blanks, into three lines at most.
    pub(crate) fn flexible(mut self, index: usize) -> Self {
        self.flexible = Some(index);
        self
    }

    /// On a narrow terminal these columns are left out, the first one first.
    pub(crate) fn spare(mut self, indices: &[usize]) -> Self {
        self.spare = indices.to_vec();
        self
    }

    /// Paints the column at `index`.
    pub(crate) fn tone(mut self, index: usize, tone: Tone) -> Self {
        self.tones.push((index, tone));
        self
    }

    /// Adds a row. Its cells are made harmless before they are measured.
    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows
            .push(cells.iter().map(|cell| harmless_line(cell)).collect());
    }

    /// The lines of the heading, then those of each row; cells are told by `told`.
    pub(crate) fn lines(&self, color: Color, told: impl Fn(&str) -> String) -> Vec<Vec<String>> {
        let cells = |row: &Vec<String>| row.iter().map(|cell| told(cell)).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        let columns = self.columns(&rows);
        let heading = self.row_lines(&columns, &self.header, Color::Off);
        let heading = heading.iter().filter(|line| !line.is_empty());
        let heading = heading.map(|line| color.paint(Tone::Heading, line)).collect();
        let rows = rows.iter().map(|row| self.row_lines(&columns, row, color));
        [heading].into_iter().chain(rows).collect()
    }

    /// The columns that are shown, each with its width: a terminal first loses the spare ones, then what is flexible is
    /// broken.
    fn columns(&self, rows: &[Vec<String>]) -> Vec<(usize, usize)> {
        let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or(0);
        let wide = |at: usize| (at, widest(at).max(self.header[at].width()));
        let shown = (0..self.header.len()).filter(|at| widest(*at) > 0);
        let mut columns: Vec<(usize, usize)> = shown.map(wide).collect();
        let Some(terminal) = self.width else {
            return columns;
        };
        let mut spare = self.spare.iter();
        loop {
            let taken: usize = columns.iter().map(|(_, width)| width + GAP).sum();
            let over = taken.saturating_sub(GAP + terminal);
            let Some((_, width)) = columns.iter_mut().find(|(at, _)| Some(*at) == self.flexible) else {
                return columns;
            };
            let (least, left) = (WANTED.min(terminal / 2).min(*width), width.saturating_sub(over));
            match spare.next() {
                Some(spare) if left < least => columns.retain(|(at, _)| at != spare),
                _ => {
                    *width = left.max(LEAST.min(terminal / 2).min(*width));
                    return columns;
                }
            }
        }
    }

    /// One row: on a terminal the text of its flexible column goes on below.
    fn row_lines(&self, columns: &[(usize, usize)], row: &[String], color: Color) -> Vec<String> {
        let parts = |&(at, width): &(usize, usize)| {
            let columns = self
                .width
                .and_then(|_| (self.flexible == Some(at)).then_some(width));
            let lines = wrap(&row[at], columns);
            let is_cut = lines.len() > MOST_LINES;
            let lines = lines.into_iter().take(MOST_LINES);
            let mut lines: Vec<String> = lines.map(|line| row[at][line].to_owned()).collect();
            if let (true, Some(last)) = (is_cut, lines.last_mut()) {
                while last.width() >= width && last.pop().is_some() {}
                last.push('…');
            }
            lines
        };
        let cells: Vec<Vec<String>> = columns.iter().map(parts).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |number| {
            let mut line = String::new();
            for (&(at, width), cell) in columns.iter().zip(&cells) {
                let text = cell.get(number).map_or("", String::as_str);
                let pad = " ".repeat(width.saturating_sub(text.width()));
                let tone = self.tones.iter().find(|(of, _)| *of == at);
                let text = tone.map_or_else(|| text.to_owned(), |(_, tone)| color.paint(*tone, text));
                let is_right = self.right.contains(&at);
                line.push_str(&if is_right { pad + &text } else { text + &pad });
                line.push_str("  ");
            }
            line.truncate(line.trim_end().len());
            line
        };
        (0..height).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "reference/2026/q4/the-billing-service";

    fn sample(width: Option<u16>) -> Table {
        let header = ["MEMORY", "STRENGTH", "TYPE", "FLAG", "FOLDER"];
        let mut table = Table::new(&header, width)
            .right(1)
            .flexible(0)
            .spare(&[2])
            .tone(4, Tone::Faint);
        let mut row = |text: &str, strength: f64, flag: &str, folder: &str| {
            table.row(&[text, &number(strength), "decision", flag, folder].map(str::to_owned));
        };
        row("Use npm cache for plugin loading", 4.9, "", "decision");
        row("設定はファイルに書き、環境変数には書かない", 10.2, "", "b");
        row(
            "Run the tests of the billing service in docker",
            0.2,
            "archived",
            LONG,
        );
        table
    }

    fn lines(width: Option<u16>) -> Vec<String> {
        sample(width).lines(Color::Off, str::to_owned).concat()
    }

    #[test]
    fn columns_line_up_and_nothing_trails_or_is_broken_in_a_pipe() {
        assert_eq!(
            lines(None),
            [
                "MEMORY                                          STRENGTH  TYPE      FLAG      FOLDER",
                "Use npm cache for plugin loading                     4.9  decision            decision",
                "設定はファイルに書き、環境変数には書かない          10.2  decision            b",
                "Run the tests of the billing service in docker       0.2  decision  archived  \
                 reference/2026/q4/the-billing-service",
            ]
        );
    }

    #[test]
    fn a_narrow_terminal_breaks_text_at_blanks() {
        assert_eq!(
            lines(Some(86)),
            [
                "MEMORY                       STRENGTH  FLAG      FOLDER",
                "Use npm cache for plugin          4.9            decision",
                "loading",
                "設定はファイルに書き、環境       10.2            b",
                "変数には書かない",
                "Run the tests of the              0.2  archived  reference/2026/q4/the-billing-service",
                "billing service in docker",
            ]
        );
        for terminal in [86, 100, 120, 200] {
            let lines = lines(Some(terminal));
            assert!(
                lines.iter().all(|line| line.width() <= terminal.into()),
                "{terminal}: {lines:?}"
            );
        }
        assert_eq!(lines(Some(200)), lines(None));
    }

    #[test]
    fn a_long_text_ends_after_three_lines() {
        let mut table = Table::new(&[""], Some(24)).flexible(0);
        table.row(&["word ".repeat(40)]);
        let lines = table.lines(Color::Off, str::to_owned).concat();
        let line = "word word word word word";
        assert_eq!(lines, [line, line, "word word word word wor…"]);
    }

    #[test]
    fn a_column_without_content_is_not_shown() {
        let mut table = Table::new(&["A", "B", "C"], None);
        table.row(&["1".into(), String::new(), "3".into()]);
        assert_eq!(table.lines(Color::Off, str::to_owned).concat(), ["A  C", "1  3"]);
    }

    #[test]
    fn a_column_is_painted_without_its_padding() {
        let faint = Color::On.paint(Tone::Faint, "decision");
        let lines = sample(None).lines(Color::On, str::to_owned).concat();
        assert!(lines[1].ends_with(&format!("            {faint}")), "{lines:?}");
    }

    #[test]
    fn a_text_without_blanks_is_broken_where_the_line_ends() {
        let parts = |text: &str, columns| -> Vec<String> {
            let lines = wrap(text, Some(columns)).into_iter();
            lines.map(|line| text[line].to_owned()).collect()
        };
        assert_eq!(parts("設定はファイルに書く", 20), ["設定はファイルに書く"]);
        assert_eq!(parts("設定はファイルに書く", 11), ["設定はファ", "イルに書く"]);
        assert_eq!(parts("see https://a.b/c d", 10), ["see https:", "//a.b/c d"]);
        assert_eq!(parts("", 3), [""]);
        assert_eq!(
            (bar(0.5).as_str(), bar(1e6).as_str()),
            ("█░░░░░░░░░  0.5", "██████████ 1000000.0")
        );
    }
}
