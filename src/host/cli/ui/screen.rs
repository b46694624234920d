//! Lines that stay on a terminal: what they say next takes the place of what they said before.

use std::io;

use super::color::plain;
use super::door::Door;
use super::width::width;

/// The columns and the lines of a terminal.
type Size = (u16, u16);

/// The lines that stand there.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    lines: Vec<String>,
    /// The size of the terminal when it got them; `None` where there is no terminal.
    size: Option<Size>,
}

impl Screen {
    /// Shows these lines; a terminal has as many of them as it has room for, and keeps those that are there already. A
    /// terminal of another size by now is cleared, because it has moved what stood there.
    pub(crate) fn show(&mut self, door: &mut Door, lines: Vec<String>) -> io::Result<()> {
        let before = std::mem::replace(
            self,
            Self {
                lines,
                size: door.size(),
            },
        );
        match (before.size, self.size) {
            (Some(old), Some(new)) if old == new && before.shown() == self.shown() => return Ok(()),
            (Some(old), Some(new)) if old != new => door.clear()?,
            _ => door.back(before.rows())?,
        }
        self.shown().iter().try_for_each(|line| door.line(line))
    }

    /// The first lines, so that the one behind them still has a place: what a terminal has scrolled away stays away.
    fn shown(&self) -> &[String] {
        let Some((_, room)) = self.size.filter(|(_, rows)| *rows > 0) else {
            return &self.lines;
        };
        let mut left = usize::from(room) - 1;
        let fits = |line: &&String| {
            let fits = self.rows_of(line) <= left;
            left = left.saturating_sub(self.rows_of(line));
            fits
        };
        &self.lines[..self.lines.iter().take_while(fits).count()]
    }

    /// The lines of the terminal that they take.
    fn rows(&self) -> usize {
        self.shown().iter().map(|line| self.rows_of(line)).sum()
    }

    fn rows_of(&self, line: &str) -> usize {
        let columns = self.size.map_or(usize::MAX, |(columns, _)| columns.into());
        width(&plain(line)).div_ceil(columns).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::cli::ui::{Color, Tone};

    fn screen(size: Option<Size>, lines: &[&str]) -> Screen {
        Screen {
            lines: lines.iter().map(ToString::to_string).collect(),
            size,
        }
    }

    #[test]
    fn a_line_takes_as_many_rows_as_it_is_wide() {
        let painted = Color::On.paint(Tone::Good, "██████████");
        for (columns, rows) in [(9, 2 + 1 + 2), (10, 1 + 1 + 2), (16, 1 + 1 + 1), (1, 10 + 1 + 16)] {
            let screen = screen(Some((columns, 0)), &[&painted, "", "設定設定設定設定"]);
            assert_eq!(screen.rows(), rows, "{columns}");
        }
        assert_eq!(screen(None, &["x", "y"]).rows(), 2);
    }

    #[test]
    fn what_has_no_room_is_not_shown() {
        let lines = ["1", "22222", "3", "4"];
        for (rows, shown) in [(0, 4), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (6, 4), (60, 4)] {
            assert_eq!(screen(Some((3, rows)), &lines).shown().len(), shown, "{rows}");
        }
        assert_eq!(screen(None, &lines).shown().len(), 4);
    }
}
