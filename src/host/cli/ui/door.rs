//! The only way to standard output and standard error. Text that somebody else wrote (a file, its name, a key, a setting, a
//! commit) passes as text: a terminal obeys nothing but what [`Color`](super::Color) painted. `tests/tidy.rs` sees to it
//! that there is no other way.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::color::obeyed;
use super::pager::Paged;
use super::terminal::{harmless, harmless_json, harmless_line, size};
use crate::sys::{Env, present_work, view_works};

/// One of the two streams.
pub(crate) struct Door {
    to: Box<dyn Write>,
    is_terminal: bool,
    /// The columns and the lines of a terminal.
    size: Option<(u16, u16)>,
    pub(crate) symbols: Symbols,
}

/// The signs that a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Symbols {
    /// It has those of ASCII alone, by its locale.
    pub(crate) is_ascii: bool,
    /// It cannot go back over what it shows (`TERM=dumb`).
    pub(crate) is_dumb: bool,
}

impl Symbols {
    /// By the locale (the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set) and `TERM`.
    pub(crate) fn of(env: &Env) -> Self {
        let set = |name: &&str| env.var(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
        let is_utf8 = |locale: &String| locale.to_lowercase().replace('-', "").contains("utf8");
        Self {
            is_ascii: locale.is_some_and(|locale| !is_utf8(&locale)),
            is_dumb: env.var("TERM").as_deref() == Some("dumb"),
        }
    }
}

/// The signs of this program's own, each in ASCII.
const ASCII: [(char, &str); 14] = [
    ('█', "#"),
    ('▇', "#"),
    ('▆', "*"),
    ('▅', "+"),
    ('▄', "="),
    ('▃', "-"),
    ('▂', ":"),
    ('▁', "."),
    ('░', "."),
    ('…', "..."),
    ('→', "->"),
    ('×', "x"),
    ('·', "*"),
    ('−', "-"),
];

impl Door {
    /// Standard output, held back until it is flushed.
    pub(crate) fn stdout() -> Self {
        let stdout = io::stdout();
        Self::new(&stdout, BufWriter::new(BelowWork(io::stdout())))
    }

    /// Standard error, at once.
    pub(crate) fn stderr() -> Self {
        let stderr = io::stderr();
        Self::new(&stderr, BelowWork(io::stderr()))
    }

    fn new(stream: &(impl IsTerminal + AsFd), to: impl Write + 'static) -> Self {
        Self {
            to: Box::new(to),
            is_terminal: stream.is_terminal(),
            size: size(stream),
            symbols: Symbols::default(),
        }
    }

    /// The way to the same reader through a pager, held back until it is flushed.
    pub(super) fn through(&self, pager: Paged) -> Self {
        Self {
            to: Box::new(BufWriter::new(pager)),
            is_terminal: self.is_terminal,
            size: self.size,
            symbols: self.symbols,
        }
    }

    /// True where a person reads it as it comes.
    pub(crate) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The number of columns, if it is a terminal.
    pub(crate) fn width(&self) -> Option<u16> {
        self.size.map(|(columns, _)| columns)
    }

    /// One line, whatever breaks are in its parts.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        let mut line = obeyed(line, |part| harmless_line(part).into());
        if self.is_terminal && self.symbols.is_ascii {
            let ascii = |c: char| ASCII.iter().find(|(symbol, _)| *symbol == c);
            let shown = line
                .chars()
                .map(|c| ascii(c).map_or_else(|| c.to_string(), |(_, sign)| (*sign).to_owned()));
            line = shown.collect();
        }
        // In one piece: other processes may write to the same terminal.
        line.push('\n');
        self.to.write_all(line.as_bytes())
    }

    /// Measures the terminal that standard output is once more: its window may have another size by now.
    pub(crate) fn measure(&mut self) {
        self.size = self.size.and_then(|_| size(&io::stdout()));
    }

    /// Lines in the place of everything on a terminal, as many as it has room for.
    pub(crate) fn anew(&mut self, lines: &[String]) -> io::Result<()> {
        if self.is_terminal && !self.symbols.is_dumb {
            self.to.write_all(b"\x1b[H\x1b[2J")?;
        }
        let room = self
            .size
            .map_or(usize::MAX, |(_, rows)| usize::from(rows).saturating_sub(1));
        lines.iter().take(room).try_for_each(|line| self.line(line))
    }

    /// A text of several lines: into a pipe as it is.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        let seen = |part| {
            if self.is_terminal {
                harmless(part)
            } else {
                part.into()
            }
        };
        self.to.write_all(obeyed(text, seen).as_bytes())
    }

    /// The bytes of a file: into a pipe as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_terminal {
            return self
                .to
                .write_all(harmless(&String::from_utf8_lossy(bytes)).as_bytes());
        }
        self.to.write_all(bytes)
    }

    /// A JSON document over several lines.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.json_text(&serde_json::to_string_pretty(value)?)
    }

    /// A JSON document on one line.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.json_text(&serde_json::to_string(value)?)
    }

    fn json_text(&mut self, text: &str) -> io::Result<()> {
        let mut line = harmless_json(text).into_owned();
        line.push('\n');
        self.to.write_all(line.as_bytes())
    }

    /// Sends what is held back.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The state of the terminal's line that says how far a work is. Whoever writes holds it.
static WORK_LINE: Mutex<WorkLine> = Mutex::new(WorkLine::Clear);
/// A work that takes no longer is not shown.
const UNSHOWN: Duration = Duration::from_secs(1);
/// So often it is looked at again.
const TICK: Duration = Duration::from_millis(200);

#[derive(PartialEq)]
enum WorkLine {
    Clear,
    Shown,
    /// Another program has the terminal.
    Hidden,
}

fn work_line() -> MutexGuard<'static, WorkLine> {
    WORK_LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows on standard error, which is a terminal, what takes more than a second and how far it is, until something else is
/// written.
pub(crate) fn show_work() {
    std::thread::spawn(|| {
        view_works();
        let mut last = None;
        loop {
            while present_work().is_none() {
                std::thread::park();
            }
            let begun = Instant::now();
            while present_work().is_some() {
                std::thread::sleep(TICK);
                let mut line = work_line();
                let work = present_work().filter(|_| begun.elapsed() >= UNSHOWN && *line != WorkLine::Hidden);
                if work.is_some() && work != last {
                    let most = size(&io::stderr())
                        .map_or(80, |(columns, _)| columns)
                        .saturating_sub(1);
                    let shown: String = harmless_line(work.as_deref().unwrap_or_default())
                        .chars()
                        .take(most.into())
                        .collect();
                    let _ = io::stderr().write_all(format!("\r\u{1b}[K{shown}").as_bytes());
                    (*line, last) = (WorkLine::Shown, work);
                }
            }
        }
    });
}

/// Another program has the terminal from now on.
pub(super) fn hide_work() {
    *work_line() = WorkLine::Hidden;
}

/// What is written to it stands where the line of a work was.
struct BelowWork<W>(W);

impl<W: Write> Write for BelowWork<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut line = work_line();
        if *line == WorkLine::Shown {
            let _ = io::stderr().write_all(b"\r\x1b[K");
            *line = WorkLine::Clear;
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write(b"")?;
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::host::cli::ui::{Color, Tone};

    const HOSTILE: &str = "a\u{1b}[2J\u{1b}[31m\u{9b}1m\u{7}\r\n\u{202e}b\u{200b}\u{e0041}\u{1b}]0;t\u{7}";

    #[derive(Clone, Default)]
    struct Seen(Rc<RefCell<Vec<u8>>>);

    impl Write for Seen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(is_terminal: bool, write: impl FnOnce(&mut Door) -> io::Result<()>) -> String {
        let seen = Seen::default();
        let mut door = Door {
            to: Box::new(seen.clone()),
            is_terminal,
            size: None,
            symbols: Symbols {
                is_ascii: true,
                is_dumb: false,
            },
        };
        write(&mut door).unwrap();
        String::from_utf8(seen.0.take()).unwrap()
    }

    #[test]
    fn only_what_was_painted_is_obeyed() {
        let painted = format!("{} {HOSTILE}", Color::On.paint(Tone::Bad, HOSTILE));
        let escaped = "a\\x1b[2J\\x1b[31m\\x9b1m\\x07 \\u{202e}b\\u{200b}\\u{e0041}\\x1b]0;t\\x07";
        for is_terminal in [true, false] {
            assert_eq!(
                written(is_terminal, |door| door.line(&painted)),
                format!("\u{1b}[31m{escaped}\u{1b}[0m {escaped}\n")
            );
        }
        let text = written(true, |door| door.text(&painted));
        assert_eq!(text.matches('\u{1b}').count(), 2, "{text:?}");
        let file = written(true, |door| door.bytes(HOSTILE.as_bytes()));
        assert!(!file.chars().any(|c| c.is_control() && c != '\n'), "{file:?}");
    }

    #[test]
    fn a_terminal_without_utf8_gets_ascii_and_a_pipe_everything() {
        let line = "██░░  2.0  ▇▄▁ a → b…";
        assert_eq!(
            written(true, |door| door.line(line)),
            "##..  2.0  #=. a -> b...\n"
        );
        assert_eq!(written(false, |door| door.line(line)), format!("{line}\n"));
        for (vars, is_ascii) in [
            (&[][..], false),
            (&[("LANG", "C")], true),
            (&[("LANG", "C.UTF-8")], false),
            (&[("LANG", "en_US.utf8"), ("LC_ALL", "POSIX")], true),
            (
                &[("LANG", "C"), ("LC_CTYPE", "de_DE.UTF-8"), ("LC_ALL", "")],
                false,
            ),
        ] {
            let env = Env::fixed(vars.iter().copied(), "/");
            assert_eq!(Symbols::of(&env).is_ascii, is_ascii, "{vars:?}");
        }
    }

    #[test]
    fn a_file_goes_into_a_pipe_as_it_is() {
        assert_eq!(written(false, |door| door.bytes(HOSTILE.as_bytes())), HOSTILE);
        assert_eq!(written(false, |door| door.text(HOSTILE)), HOSTILE);
    }

    #[test]
    fn json_says_the_same_without_it() {
        for is_terminal in [true, false] {
            let json = written(is_terminal, |door| door.json_line(&HOSTILE));
            assert!(
                json.trim_end().chars().all(|c| (' '..='~').contains(&c)),
                "{json:?}"
            );
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), HOSTILE);
        }
    }
}
