//! The pager: the program that shows a long answer screen by screen.

use std::cell::RefCell;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;

use crate::sys::Env;

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

/// The options of less and of lv, where the person has set none: as git sets them (less ends at once where the answer fits the
/// screen, passes colors on, leaves the text on the screen), and less ends at Ctrl-C, which ends this process too.
const OPTIONS: [(&str, &str); 2] = [("LESS", "FRXK"), ("LV", "-c")];

impl Paged {
    /// Starts a pager. An error where the program is not there, unless only a shell can tell.
    pub(super) fn start(command: &str, env: &Env) -> io::Result<Self> {
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,% ".contains(c);
        let words: Vec<&str> = command.split_whitespace().collect();
        let mut pager = if let [program, arguments @ ..] = words.as_slice()
            && command.chars().all(is_plain)
        {
            let mut pager = Command::new(program);
            pager.args(arguments);
            pager
        } else {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(command);
            shell
        };
        pager.envs(OPTIONS.into_iter().filter(|(name, _)| env.var_os(name).is_none()));
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

    fn start(command: &str, vars: &[(&str, &str)]) -> io::Result<Paged> {
        Paged::start(command, &Env::fixed(vars.iter().copied(), "/"))
    }

    #[test]
    fn what_is_written_is_shown_and_the_person_has_the_last_word() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("seen");
        for (pager, vars, seen) in [
            ("sed s/^/-/", &[][..], "-a\n"),
            ("cat; echo $LESS $LV", &[], "a\nFRXK -c\n"),
            ("cat; echo $LESS $LV", &[("LESS", "")], "a\n-c\n"),
        ] {
            let mut paged = start(&format!("({pager}) > '{}'", file.display()), vars).unwrap();
            paged.write_all(b"a\n").unwrap();
            paged.end();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), seen, "{pager}");
        }
    }

    #[test]
    fn a_pager_that_is_not_there_is_known_and_one_that_is_closed_ends_the_answer() {
        assert!(start("no-such-pager --side", &[]).is_err());
        let mut pager = start("head -c1 >/dev/null", &[]).unwrap();
        let written = (0..1000).try_for_each(|_| pager.write_all(&[b'x'; 1000]));
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        pager.end();
    }
}
