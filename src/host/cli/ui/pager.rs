//! The pager: the program that shows a long answer screen by screen.

use std::cell::RefCell;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;

/// The pager of this process.
#[derive(Debug)]
pub(crate) enum Pager {
    /// The answer goes straight to standard output.
    Off,
    /// A person reads: a long answer may go through a pager.
    Wanted,
    /// The answer goes through this one.
    Running(Paged),
}

/// A pager that runs, for everybody who writes to it.
#[derive(Debug, Clone)]
pub(crate) struct Paged(Rc<RefCell<Running>>);

#[derive(Debug)]
struct Running {
    child: Child,
    /// The way to it; `None` once it reads no more.
    to: Option<ChildStdin>,
}

/// The options of less, where the person has set none: as git sets them (end at once where the answer fits the screen, pass
/// colors on, leave the text on the screen), and end at Ctrl-C, which ends this process too.
const LESS: (&str, &str) = ("LESS", "FRXK");
/// The same for lv: pass colors on.
const LV: (&str, &str) = ("LV", "-c");

/// True where a command means that there shall be no pager.
pub(super) fn is_none(command: &str) -> bool {
    matches!(command.trim(), "" | "cat")
}

/// The program of a command and its arguments, where no shell is needed to read them.
fn plain_words(command: &str) -> Option<(&str, std::str::SplitWhitespace<'_>)> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,% ".contains(c);
    let mut words = command.split_whitespace();
    let program = words.next()?;
    (command.chars().all(is_plain) && !program.contains('=')).then_some((program, words))
}

impl Paged {
    /// Starts a pager. `is_set` knows the variables that the person has set. An error where the program is not there, unless
    /// only a shell can tell.
    pub(super) fn start(command: &str, is_set: &dyn Fn(&str) -> bool) -> io::Result<Self> {
        let mut pager = if let Some((program, arguments)) = plain_words(command) {
            let mut pager = Command::new(program);
            pager.args(arguments);
            pager
        } else {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(command);
            shell
        };
        for (name, value) in [LESS, LV] {
            if !is_set(name) {
                pager.env(name, value);
            }
        }
        let mut child = pager.stdin(Stdio::piped()).spawn()?;
        let to = child.stdin.take();
        Ok(Self(Rc::new(RefCell::new(Running { child, to }))))
    }

    /// Ends the text, and waits until the person has closed the pager.
    pub(super) fn end(&self) {
        let mut running = self.0.borrow_mut();
        running.to = None;
        // What the pager had to say, it has said itself.
        drop(running.child.wait());
    }
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0.borrow_mut().to {
            Some(to) => to.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paged(command: &str, text: &str, is_set: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("seen");
        let command = format!("({command}) > '{}'", file.display());
        let mut pager = Paged::start(&command, &|_| is_set).unwrap();
        pager.write_all(text.as_bytes()).unwrap();
        pager.end();
        std::fs::read_to_string(file).unwrap()
    }

    #[test]
    fn what_is_written_is_shown_and_the_person_has_the_last_word() {
        assert_eq!(paged("sed s/^/-/", "a\nb\n", true), "-a\n-b\n");
        assert_eq!(paged("cat; echo $LESS $LV", "a\n", false), "a\nFRXK -c\n");
    }

    #[test]
    fn a_pager_that_is_not_there_is_known_before_anything_is_written() {
        for command in ["no-such-pager", "no-such-pager --side --tabs=4"] {
            assert!(Paged::start(command, &|_| true).is_err(), "{command}");
        }
        assert!(is_none("cat") && is_none(" ") && !is_none("less"));
    }

    #[test]
    fn a_pager_that_is_closed_early_ends_the_answer() {
        let mut pager = Paged::start("head -c1 >/dev/null", &|_| true).unwrap();
        let written = (0..1000).try_for_each(|_| pager.write_all(&[b'x'; 1000]));
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        pager.end();
    }
}
