//! The pager: the program that shows a long answer screen by screen.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

/// The pager of this process.
#[derive(Debug)]
pub(crate) enum Pager {
    /// The answer goes straight to standard output.
    Off,
    /// A person reads: a long answer may go through a pager.
    Wanted,
    /// The answer goes through this process.
    Running(Child),
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

/// Starts a pager, and gives what to write to. `is_set` knows the variables that the person has set.
pub(super) fn start(command: &str, is_set: &dyn Fn(&str) -> bool) -> io::Result<(Child, File)> {
    let is_word = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    // A single word is started without a shell, so that a program that is not there is known.
    let mut pager = if command.chars().all(is_word) {
        Command::new(command)
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
    let stdin = child.stdin.take().expect("because it is a pipe");
    Ok((child, File::from(OwnedFd::from(stdin))))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn paged(command: &str, text: &str, is_set: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("seen");
        let command = format!("({command}) > '{}'", file.display());
        let (mut child, mut to) = start(&command, &|_| is_set).unwrap();
        to.write_all(text.as_bytes()).unwrap();
        drop(to);
        assert!(child.wait().unwrap().success());
        std::fs::read_to_string(file).unwrap()
    }

    #[test]
    fn what_is_written_is_shown_and_the_person_has_the_last_word() {
        assert_eq!(paged("sed s/^/-/", "a\nb\n", true), "-a\n-b\n");
        assert_eq!(paged("cat; echo $LESS $LV", "a\n", false), "a\nFRXK -c\n");
    }

    #[test]
    fn a_pager_that_is_not_there_is_known_before_anything_is_written() {
        assert!(start("no-such-pager", &|_| true).is_err());
        assert!(is_none("cat") && is_none(" ") && !is_none("less"));
    }
}
