//! One run of git that talks to another machine: it tells how far it is, can be stopped, and leaves nothing behind.

use std::collections::VecDeque;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::no_program;
use crate::git::remote_fault::{RemoteFault, shown_words};
use crate::git::{GitError, Network, Prompts};

/// The time between two looks at whether to stop.
const PAUSE: Duration = Duration::from_millis(50);
/// The time that a stopped git has to remove its own locks.
const GRACE: Duration = Duration::from_secs(2);
/// Without a person: a git that says nothing for so long waits for something that does not come.
const SILENCE: Duration = Duration::from_mins(10);
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

enum Piece {
    Answer(Vec<u8>),
    Words(Vec<u8>),
}

/// A git that runs; it does not survive this value.
struct Running {
    child: Child,
    has_group: bool,
    has_ended: bool,
}

/// Runs it to its end.
pub(super) fn transfer(mut command: Command, network: &Network<'_>) -> Result<Ended, GitError> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A program that asks for a password has to be in the group that the terminal listens to.
    let has_group = network.prompts == Prompts::Off;
    if has_group {
        command.process_group(0);
    }
    let mut child = command.spawn().map_err(no_program)?;
    let (sender, pieces) = mpsc::channel();
    read_along(child.stdout.take(), sender.clone(), Piece::Answer);
    read_along(child.stderr.take(), sender, Piece::Words);
    let running = Running {
        child,
        has_group,
        has_ended: false,
    };
    running.follow(&pieces, network)
}

/// Sends what a pipe brings. A program that git left running may keep the pipe open for ever, so nobody waits for the
/// thread.
fn read_along(
    pipe: Option<impl Read + Send + 'static>,
    to: Sender<Piece>,
    piece: impl Fn(Vec<u8>) -> Piece + Send + 'static,
) {
    let Some(mut pipe) = pipe else { return };
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if to.send(piece(buffer[..count].to_vec())).is_err() {
                return;
            }
        }
    });
}

impl Running {
    fn follow(mut self, pieces: &Receiver<Piece>, network: &Network<'_>) -> Result<Ended, GitError> {
        let mut answer = Vec::new();
        let mut words = Words::default();
        let mut heard = Instant::now();
        let mut ended: Option<(ExitStatus, Instant)> = None;
        // Whoever closes both pipes ends in a moment, as a rule.
        let mut nap = PAUSE / 50;
        loop {
            match pieces.recv_timeout(PAUSE) {
                Ok(piece) => {
                    heard = Instant::now();
                    match piece {
                        Piece::Answer(bytes) if answer.len() < MOST_BYTES => answer.extend(bytes),
                        Piece::Answer(_) => {}
                        Piece::Words(bytes) => words.take(&bytes, network.progress),
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if ended.is_some() => break,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(nap);
                    nap = (nap * 2).min(PAUSE);
                }
            }
            if let Some((_, when)) = ended {
                if when.elapsed() > GRACE {
                    break;
                }
            } else if let Some(status) = self.child.try_wait().map_err(no_program)? {
                self.has_ended = true;
                ended = Some((status, Instant::now()));
            } else if (network.is_stopped)() {
                return Ok(Ended::ByUs(RemoteFault::Stopped));
            } else if self.has_group && heard.elapsed() > SILENCE {
                return Ok(Ended::ByUs(RemoteFault::Silent));
            }
        }
        let (status, _) = ended.expect("because the loop ends after the program");
        Ok(Ended::ByItself(Transfer {
            status,
            stdout: String::from_utf8_lossy(&answer).into_owned(),
            words: words.end(),
        }))
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        let sent = if self.has_group {
            kill_process_group(pid, signal)
        } else {
            kill_process(pid, signal)
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "git was not signalled");
        }
    }
}

impl Drop for Running {
    /// Git removes its locks when it is asked to end; what does not end then is killed.
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.signal(Signal::TERM);
        let begin = Instant::now();
        while begin.elapsed() < GRACE && !self.has_ended {
            self.has_ended = !matches!(self.child.try_wait(), Ok(None));
            std::thread::sleep(PAUSE / 5);
        }
        if self.has_ended && !self.has_group {
            return;
        }
        // Those whom git started may live on, and their group with them.
        self.signal(Signal::KILL);
        if let Err(error) = self.child.wait() {
            tracing::debug!(%error, "git was not waited for");
        }
    }
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
        let ended = transfer(sh(&script), &network).unwrap();
        assert!(matches!(ended, Ended::ByUs(RemoteFault::Stopped)));
        let pid = pid_in(&file).unwrap();
        let begin = Instant::now();
        while is_running(&pid) {
            assert!(begin.elapsed().as_secs() < 60, "it still runs");
            std::thread::sleep(PAUSE);
        }
    }

    /// Such as the master of an ssh connection that others share.
    #[test]
    fn nobody_waits_for_what_a_program_leaves_running() {
        let env = Env::fixed([("A", "a")], "/");
        let begin = Instant::now();
        let script = "sleep 600 & echo $!; echo 'fatal: no' >&2; exit 3";
        let Ended::ByItself(run) = transfer(sh(script), &Network::background(&env)).unwrap() else {
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
        let Ended::ByItself(run) = transfer(sh(script), &network).unwrap() else {
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
