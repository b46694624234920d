//! The output that a person or a program sees: lines, tables, JSON; colors; how much is said. Knows no memory.

mod color;
mod door;
mod pager;
mod pick;
mod table;
mod terminal;
mod times;

use std::borrow::Cow;
use std::io::{self, BufRead as _, IsTerminal as _};

use serde::Serialize;

pub(crate) use color::{Color, Tone};
pub(crate) use door::{Door, Symbols, show_work};
use pager::Paged;
pub(crate) use pager::Pager;
pub(crate) use table::{Table, bar, cells, number, row, sparkline, wrap};
pub(crate) use times::{age, ago, day, in_zone, minute, second, time_of_day};

use crate::sys::{Env, TimeZone};

pub(crate) use crate::service::counted;
pub(crate) use crate::sys::shell_word;

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

/// The most lines on a terminal of what a command did.
const MOST: usize = 20;

fn more_words(more: usize) -> String {
    format!("… and {more} more; with --verbose all of them")
}

/// The two streams and how to write to them.
pub(crate) struct Ui {
    pub(crate) out: Door,
    pub(crate) err: Door,
    /// The program through which a person reads a long answer.
    pub(crate) pager: Pager,
    /// The reader of the answer: a person or a program.
    pub(crate) format: Format,
    /// The amount that is said besides the answer.
    pub(crate) verbosity: Verbosity,
    /// The zone of the times that a person reads and types.
    pub(crate) zone: TimeZone,
    /// The color of the answer.
    pub(crate) color: Color,
    /// The color of errors.
    pub(crate) err_color: Color,
    /// Covers credentials in the names that a line for a person tells, once the store is open that knows them.
    pub(crate) cover: Option<Cover>,
}

/// A line as a person is told it.
pub(crate) type Cover = Box<dyn Fn(&str) -> String>;

impl Ui {
    /// One line of the answer.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        self.out.line(&covered(self.cover.as_ref(), line))
    }

    /// A text of the answer behind `indent`: on a terminal broken at blanks, with its `marks` (bytes of it) painted.
    pub(crate) fn text(&mut self, text: &str, marks: &[(usize, usize)], indent: &str) -> io::Result<()> {
        let width = self.out.width();
        let columns = width.map(|width| usize::from(width).saturating_sub(indent.len()).max(20));
        for part in wrap(text, columns) {
            let (mut painted, mut done) = (indent.to_owned(), part.start);
            let within = marks
                .iter()
                .filter(|(from, to)| *to > part.start && *from < part.end);
            for &(from, to) in within {
                let (from, to) = (from.max(part.start), to.min(part.end));
                painted.push_str(&text[done..from]);
                painted.push_str(&self.color.paint(Tone::Good, &text[from..to]));
                done = to;
            }
            painted.push_str(&text[done..part.end]);
            self.line(painted.trim_end())?;
        }
        Ok(())
    }

    /// One line of an error.
    pub(crate) fn error_line(&mut self, line: &str) -> io::Result<()> {
        self.err.line(&covered(self.cover.as_ref(), line))
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

    /// A file's text: as it is into a pipe; a terminal's next line begins after it.
    pub(crate) fn text_of_file(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.bytes(bytes)?;
        if !self.out.is_terminal() || bytes.is_empty() || bytes.ends_with(b"\n") {
            return Ok(());
        }
        self.out.bytes(b"\n")
    }

    /// The change of a file line by line, each behind `indent`.
    pub(crate) fn diff(&mut self, diff: &str, indent: &str) -> io::Result<()> {
        for (at, line) in diff.split_terminator('\n').enumerate() {
            let tone = match line.as_bytes().first() {
                Some(b'@') => Some(Tone::Hint),
                _ if at < 2 => Some(Tone::Heading),
                Some(b'-') => Some(Tone::Bad),
                Some(b'+') => Some(Tone::Good),
                _ => None,
            };
            let line = tone.map_or_else(|| line.to_owned(), |tone| self.color.paint(tone, line));
            self.out.text(&format!("{indent}{line}\n"))?;
        }
        Ok(())
    }

    /// A table.
    pub(crate) fn table(&mut self, table: &Table) -> io::Result<()> {
        let lines = self.table_lines(table).concat();
        lines.iter().try_for_each(|line| self.out.line(line))
    }

    /// The lines of a table: of its heading, then of each row.
    pub(crate) fn table_lines(&self, table: &Table) -> Vec<Vec<String>> {
        table.lines(self.color, |cell| covered(self.cover.as_ref(), cell).into_owned())
    }

    /// The first of many things that nobody asked for one by one: on a terminal, unless verbose, the first 20.
    pub(crate) fn first_of<'t, T>(&self, all: &'t [T]) -> &'t [T] {
        &all[..all.len().min(self.most(MOST))]
    }

    /// Says how many of `all` things [`first_of`](Self::first_of) left out.
    pub(crate) fn tell_more<T>(&mut self, all: &[T]) -> io::Result<()> {
        match all.len() - self.first_of(all).len() {
            0 => Ok(()),
            more => self.notice(&more_words(more)),
        }
    }

    /// Lines of a part of an answer, on a terminal the first of them, and the number of the others.
    pub(crate) fn some_lines(&mut self, lines: &[String], most: usize) -> io::Result<()> {
        let shown = lines.len().min(self.most(most));
        self.lines(&lines[..shown])?;
        match lines.len() - shown {
            0 => Ok(()),
            more => self.line(&format!("  {}", more_words(more))),
        }
    }

    /// The most things that are shown, which on a terminal are few.
    fn most(&self, on_terminal: usize) -> usize {
        if !self.out.is_terminal() || self.verbosity == Verbosity::Verbose {
            usize::MAX
        } else {
            on_terminal
        }
    }

    /// One JSON document.
    pub(crate) fn json<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        self.out.json(value)
    }

    /// One JSON document on one line, out at once: for commands that stay.
    pub(crate) fn json_line<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        self.out.json_line(value)?;
        self.out.flush()
    }

    /// Something besides the answer, unless quiet: where a store was made, what to do next.
    pub(crate) fn notice(&mut self, line: &str) -> io::Result<()> {
        if self.verbosity == Verbosity::Quiet {
            return Ok(());
        }
        self.out.flush()?;
        self.error_line(line)?;
        self.err.flush()
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

    /// Asks the person at the terminal; false also where nobody can answer: a stream is no terminal, a program reads the
    /// answer, or the person closed the input.
    pub(crate) fn confirms(&mut self, question: &str) -> io::Result<bool> {
        if !self.is_answered() {
            return Ok(false);
        }
        self.out.flush()?;
        self.err.text(&format!("{question} [y/N] "))?;
        self.err.flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
    }

    /// True when a person sees a question and can answer it.
    pub(crate) fn is_answered(&self) -> bool {
        self.format == Format::Text && self.shows_progress() && io::stdin().is_terminal()
    }

    /// True when somebody sees how a long work goes: a terminal that is not asked to be quiet.
    pub(crate) fn shows_progress(&self) -> bool {
        self.verbosity > Verbosity::Quiet && self.err.is_terminal()
    }

    /// True where a person may read a long answer through a pager.
    pub(crate) fn may_page(&self) -> bool {
        matches!(self.pager, Pager::Wanted) && self.format == Format::Text && self.out.is_terminal()
    }

    /// Sends what comes through a pager; as git does it, also what goes to standard error, if that is the terminal too. A
    /// pager that cannot be started is none, and so is `cat`.
    pub(crate) fn page(&mut self, command: &str, env: &Env) -> io::Result<()> {
        if matches!(command.trim(), "" | "cat") {
            return Ok(());
        }
        self.flush()?;
        if let Ok(pager) = Paged::start(command, env) {
            door::hide_work();
            if self.err.is_terminal() {
                self.err = self.err.through(pager.clone());
            }
            self.out = self.out.through(pager.clone());
            self.pager = Pager::Running(pager);
        }
        Ok(())
    }

    /// Waits until the person has closed the pager, if one runs.
    pub(crate) fn end_page(&mut self) {
        if let Pager::Running(pager) = std::mem::replace(&mut self.pager, Pager::Off) {
            // The bytes that the doors hold back go to the pager before.
            (self.out, self.err) = (Door::stdout(), Door::stderr());
            pager.end();
        }
    }

    /// Sends what is still held back.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.err.flush()
    }
}

fn covered<'l>(cover: Option<&Cover>, line: &'l str) -> Cow<'l, str> {
    cover.map_or(Cow::Borrowed(line), |cover| Cow::Owned(cover(line)))
}
