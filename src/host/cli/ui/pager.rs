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
    /// The answer so far, for the case that the pager fails; `None` where nobody waits for it any more.
    answer: Option<Vec<u8>>,
}

/// The options of less, where the person has set none: as git sets them (end at once where the answer fits the screen, pass
/// colors on, leave the text on the screen), and end at Ctrl-C, which ends this process too.
const LESS: (&str, &str) = ("LESS", "FRXK");
/// The same for lv: pass colors on.
const LV: (&str, &str) = ("LV", "-c");
/// The longest answer that is kept for a pager that fails, in bytes: who has read so much has a pager that works.
const MOST_KEPT: usize = 16 << 20;

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
        let answer = Some(Vec::new());
        Ok(Self(Rc::new(RefCell::new(Running { child, to, answer }))))
    }

    /// Ends the text, and waits until the person has closed the pager. Gives the answer where the pager failed.
    pub(super) fn end(&self) -> Option<Vec<u8>> {
        let mut running = self.0.borrow_mut();
        running.to = None;
        let is_shown = running.child.wait().is_ok_and(|status| status.success());
        running.answer.take().filter(|_| !is_shown)
    }
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut running = self.0.borrow_mut();
        let Running { child, to, answer } = &mut *running;
        if answer
            .as_ref()
            .is_some_and(|answer| answer.len() + bytes.len() > MOST_KEPT)
        {
            *answer = None;
        }
        if let Some(answer) = answer {
            answer.extend_from_slice(bytes);
        }
        if to.as_mut().is_some_and(|to| to.write_all(bytes).is_err()) {
            *to = None;
            if child.wait().is_ok_and(|status| status.success()) {
                // The person has seen enough.
                *answer = None;
            }
        }
        if to.is_none() && answer.is_none() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(bytes.len())
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
        assert_eq!(pager.end(), None);
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
    fn the_answer_outlives_a_pager_that_fails() {
        let long = "line\n".repeat(100_000);
        for command in [
            "'no-such-pager'",
            "exit 3;",
            "head -c1 >/dev/null; exit 1",
            "kill -9 $$",
        ] {
            for text in ["short\n", long.as_str()] {
                let mut pager = Paged::start(command, &|_| true).unwrap();
                for part in text.as_bytes().chunks(1000) {
                    pager.write_all(part).unwrap();
                }
                assert!(
                    pager.end().is_some_and(|kept| kept == text.as_bytes()),
                    "{command}"
                );
            }
        }
    }

    #[test]
    fn a_pager_that_is_closed_early_ends_the_answer() {
        let mut pager = Paged::start("head -c1 >/dev/null", &|_| true).unwrap();
        let written = (0..1000).try_for_each(|_| pager.write_all(&[b'x'; 1000]));
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(pager.end(), None);
    }
}
