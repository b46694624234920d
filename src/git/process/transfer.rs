//! One run of git that talks to another machine: it tells how far it is, can be stopped, and leaves nothing behind.

use std::collections::VecDeque;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::no_program;
use crate::git::remote_fault::{RemoteFault, shown_words};
use crate::git::{GitError, Network, Prompts};
use crate::sys::{Deadline, Group, Heard, Running};

/// A git that says nothing for so long waits for something that does not come. Its first word comes with the connection:
/// a program between ssh and the host may hang. Later a hook of the remote's may work for a while, and tells nothing.
const FIRST_WORD: Duration = Duration::from_secs(if cfg!(test) { 5 } else { 60 });
const SILENCE: Duration = Duration::from_secs(if cfg!(test) { 10 } else { 120 });
/// The same where a person may have to find a password. Before the first word there is no limit for them.
const SILENCE_OF_PERSON: Duration = Duration::from_mins(10);
/// After so long without a word it is said what is waited for, and again each time that it lasted twice as long.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 5 });
/// The most bytes of an answer that are kept, and the most lines of its words.
const MOST_BYTES: usize = 4 << 20;
const MOST_LINES: usize = 60;
const LONGEST_LINE: usize = 400;

/// The end of a run.
pub(super) enum Ended {
    ByItself(Transfer),
    /// It was killed, for this reason.
    ByUs(RemoteFault),
}

/// A run that came to its own end.
pub(super) struct Transfer {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    /// The last lines of its standard error, without those that tell how far it is.
    pub(super) words: Vec<String>,
}

/// Runs it to its end. `partner` is what it talks to.
pub(super) fn transfer(command: Command, partner: &str, network: &Network<'_>) -> Result<Ended, GitError> {
    // A program that asks for a password has to be in the group that the terminal listens to.
    let is_alone = network.prompts == Prompts::Off;
    let group = if is_alone { Group::Own } else { Group::Shared };
    let mut running = Running::start(command, None, group).map_err(no_program)?;
    let mut answer = Vec::new();
    let mut words = Words::default();
    let mut limit = is_alone.then_some(FIRST_WORD);
    let mut silent = limit.map(Deadline::after);
    let (mut waited, mut untold) = (PATIENCE, Deadline::after(PATIENCE));
    loop {
        match running.hear() {
            Heard::End => break,
            Heard::Nothing => {
                if let Some(limit) = limit.filter(|_| silent.is_some_and(Deadline::is_over)) {
                    return Ok(Ended::ByUs(RemoteFault::Silent(limit.as_secs())));
                }
                if untold.is_over() {
                    if let Some(tell) = network.waiting {
                        tell(&format!("waiting for {partner} ({} s)", waited.as_secs()));
                    }
                    untold = Deadline::after(waited);
                    waited *= 2;
                }
            }
            heard => {
                limit = Some(if is_alone { SILENCE } else { SILENCE_OF_PERSON });
                silent = limit.map(Deadline::after);
                (waited, untold) = (PATIENCE, Deadline::after(PATIENCE));
                match heard {
                    Heard::Output(bytes) if answer.len() < MOST_BYTES => answer.extend(bytes),
                    Heard::Words(bytes) => words.take(&bytes, network.progress),
                    _ => {}
                }
            }
        }
        if (network.is_stopped)() {
            return Ok(Ended::ByUs(RemoteFault::Other));
        }
    }
    Ok(Ended::ByItself(Transfer {
        status: running.end().map_err(no_program)?,
        stdout: String::from_utf8_lossy(&answer).into_owned(),
        words: words.end(),
    }))
}

/// The lines of standard error.
#[derive(Default)]
struct Words {
    line: Vec<u8>,
    is_return: bool,
    kept: VecDeque<String>,
}

impl Words {
    fn take(&mut self, bytes: &[u8], progress: Option<&dyn Fn(&str)>) {
        for byte in bytes {
            // A line that only this ends is written over by the next: git tells how far it is. Ssh ends its lines by both.
            let was_return = std::mem::replace(&mut self.is_return, *byte == b'\r');
            match byte {
                b'\r' => {}
                b'\n' => self.keep(),
                _ => {
                    if was_return {
                        let line = self.line();
                        if let Some(tell) = progress.filter(|_| !line.is_empty()) {
                            tell(&line);
                        }
                    }
                    if self.line.len() < LONGEST_LINE {
                        self.line.push(*byte);
                    }
                }
            }
        }
    }

    fn line(&mut self) -> String {
        let line = std::mem::take(&mut self.line);
        shown_words(&String::from_utf8_lossy(&line))
    }

    fn keep(&mut self) {
        let line = self.line();
        if !line.is_empty() {
            self.kept.push_back(line);
        }
        if self.kept.len() > MOST_LINES {
            self.kept.pop_front();
        }
    }

    fn end(mut self) -> Vec<String> {
        self.keep();
        self.kept.into()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Instant;

    use super::*;
    use crate::sys::Env;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// A zombie that nobody takes leave of counts as gone.
    fn is_running(pid: &str) -> bool {
        let state = if Path::new("/proc/self").exists() {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit(") ").next().unwrap_or_default().to_owned()
        } else {
            let ps = Command::new("ps")
                .args(["-o", "stat=", "-p", pid])
                .output()
                .unwrap();
            String::from_utf8_lossy(&ps.stdout).trim().to_owned()
        };
        !state.is_empty() && !state.starts_with('Z')
    }

    fn assert_ends(pid: &str) {
        let begin = Instant::now();
        while is_running(pid) {
            assert!(begin.elapsed().as_secs() < 60, "it still runs");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn pid_in(file: &Path) -> Option<String> {
        let pid = std::fs::read_to_string(file).ok()?;
        Some(pid.strip_suffix('\n')?.to_owned())
    }

    #[test]
    fn all_that_a_stopped_program_started_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, env) = (folder.path().join("pid"), Env::fixed([("A", "a")], "/"));
        let is_stopped = || pid_in(&file).is_some();
        let network = Network {
            is_stopped: &is_stopped,
            ..Network::background(&env)
        };
        let script = format!(
            "trap '' TERM; sleep 600 & echo $! > {}; wait; wait",
            file.display()
        );
        let ended = transfer(sh(&script), "it", &network).unwrap();
        assert!(matches!(ended, Ended::ByUs(RemoteFault::Other)));
        assert_ends(&pid_in(&file).unwrap());
    }

    /// Such as a proxy command of ssh, or a hook of the remote's behind the whole of a push.
    #[test]
    fn a_program_that_says_no_word_more_is_told_of_and_ends_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let (file, env) = (folder.path().join("pid"), Env::fixed([("A", "a")], "/"));
        for (first, limit) in [("", FIRST_WORD), ("echo 'Writing objects: 100%' >&2;", SILENCE)] {
            let told = std::sync::Mutex::new(Vec::new());
            let waiting = |line: &str| told.lock().unwrap().push(line.to_owned());
            let network = Network {
                waiting: Some(&waiting),
                ..Network::background(&env)
            };
            let script = format!("{first} sleep 600 & echo $! > {}; wait", file.display());
            let ended = transfer(sh(&script), "ssh to host", &network).unwrap();
            assert!(matches!(ended, Ended::ByUs(RemoteFault::Silent(s)) if s == limit.as_secs()));
            let told = told.lock().unwrap();
            let expected = ["waiting for ssh to host (1 s)", "waiting for ssh to host (2 s)"];
            assert_eq!(told[..2], expected);
            assert_ends(&pid_in(&file).unwrap());
        }
    }

    /// Such as the master of an ssh connection that others share.
    #[test]
    fn nobody_waits_for_what_a_program_leaves_running() {
        let env = Env::fixed([("A", "a")], "/");
        let begin = Instant::now();
        let script = "sleep 600 & echo $!; echo 'fatal: no' >&2; exit 3";
        let Ended::ByItself(run) = transfer(sh(script), "it", &Network::background(&env)).unwrap() else {
            panic!("it ended by itself");
        };
        assert!(begin.elapsed().as_secs() < 300, "it was waited for");
        assert_eq!(
            (run.status.code(), run.words),
            (Some(3), vec!["fatal: no".to_owned()])
        );
        let pid = run.stdout.trim();
        assert!(is_running(pid), "it may go on");
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
    }

    #[test]
    fn an_answer_without_an_end_is_cut_off() {
        let env = Env::fixed([("A", "a")], "/");
        let script = "head -c 9000000 /dev/zero; head -c 9000000 /dev/zero >&2; \
                      seq 1 5000 >&2; printf 'at 5%%\\rat 6%%\\r\\nlast' >&2";
        let told = std::sync::Mutex::new(Vec::new());
        let progress = |line: &str| told.lock().unwrap().push(line.to_owned());
        let network = Network {
            progress: Some(&progress),
            ..Network::background(&env)
        };
        let Ended::ByItself(run) = transfer(sh(script), "it", &network).unwrap() else {
            panic!("it ended by itself");
        };
        assert!(run.stdout.len() <= MOST_BYTES + 8192);
        assert!(run.words.len() <= MOST_LINES);
        assert_eq!(
            run.words.last_chunk(),
            Some(&["at 6%".to_owned(), "last".to_owned()])
        );
        assert_eq!(*told.lock().unwrap(), ["at 5%"]);
    }
}
