//! The output that a person or a program sees: lines, tables, JSON; colors; how much is said. Knows no memory.

mod bar;
mod color;
mod table;
mod terminal;
mod times;
mod unified_diff;

use std::io::{self, Write};

use serde::Serialize;

pub(crate) use bar::bar;
pub(crate) use color::{Color, Stream, Tone, When};
pub(crate) use table::{Table, row};
pub(crate) use terminal::{columns, harmless, harmless_line, harmless_path, shortened};
pub(crate) use times::{age, ago, minute};
pub(crate) use unified_diff::{Side, unified_diff};

pub(crate) use crate::host::words::{counted, shell_word};

/// The reader of the answer: a person or a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

/// The amount that is said besides the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// The answer and errors.
    Quiet,
    /// Notices too.
    Normal,
    /// And what happened on the way.
    Verbose,
}

/// The two streams and how to write to them.
pub(crate) struct Ui {
    pub(crate) out: Box<dyn Write>,
    pub(crate) err: Box<dyn Write>,
    /// The reader of the answer: a person or a program.
    pub(crate) format: Format,
    /// The amount that is said besides the answer.
    pub(crate) verbosity: Verbosity,
    /// The color of the answer.
    pub(crate) color: Color,
    /// The destination of the answer.
    pub(crate) stream: Stream,
    /// The terminal's width, if the answer goes to one.
    pub(crate) width: Option<u16>,
    /// The color of errors.
    pub(crate) err_color: Color,
}

impl Ui {
    /// One line of the answer.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Lines of the answer.
    pub(crate) fn lines(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| self.line(line))
    }

    /// One line of the answer, out at once: for commands that stay.
    pub(crate) fn line_now(&mut self, line: &str) -> io::Result<()> {
        self.line(line)?;
        self.out.flush()
    }

    /// Bytes of the answer, as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// A file's text: as it is into a pipe; on a terminal, without what a terminal would obey.
    pub(crate) fn text_of_file(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.stream == Stream::Elsewhere {
            return self.out.write_all(bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        self.out.write_all(harmless(&text).as_bytes())?;
        if text.is_empty() || text.ends_with('\n') {
            Ok(())
        } else {
            self.out.write_all(b"\n")
        }
    }

    /// A table.
    pub(crate) fn table(&mut self, table: &mut Table) -> io::Result<()> {
        self.lines(&table.lines(self.color))
    }

    /// One JSON document.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }

    /// One JSON document on one line, out at once: for commands that stay.
    pub(crate) fn json_line<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    /// Something besides the answer, unless quiet: where a store was made, what to do next.
    pub(crate) fn notice(&mut self, line: &str) -> io::Result<()> {
        if self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        self.out.flush()?;
        writeln!(self.err, "{line}")
    }

    /// Something that only who asks for more wants to know.
    pub(crate) fn detail(&mut self, line: &str) -> io::Result<()> {
        if self.verbosity == Verbosity::Verbose {
            self.notice(line)?;
        }
        Ok(())
    }

    /// Something that is not as it should be, but does not stop the command.
    pub(crate) fn warning(&mut self, line: &str) -> io::Result<()> {
        let label = self.err_color.paint(Tone::Warning, "warning:");
        self.notice(&format!("{label} {line}"))
    }

    /// A hint that says what to do.
    pub(crate) fn hint(&mut self, line: &str) -> io::Result<()> {
        let label = self.err_color.paint(Tone::Hint, "hint:");
        self.notice(&format!("{label} {line}"))
    }

    /// A line of an error, whatever the verbosity.
    pub(crate) fn error_line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.err, "{line}")
    }

    /// Sends what is still held back.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.err.flush()
    }
}
