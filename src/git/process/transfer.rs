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
/// What a stopped git may take to remove its own locks.
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
    // Who asks for a password on the terminal must be in the group that the terminal listens to.
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
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(PAUSE),
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
        while begin.elapsed() < GRACE {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(PAUSE / 5);
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
    kept: VecDeque<String>,
}

impl Words {
    fn take(&mut self, bytes: &[u8], progress: Option<&dyn Fn(&str)>) {
        for byte in bytes {
            match byte {
                // A line that ends so is written over by the next: git tells how far it is.
                b'\r' => {
                    let line = self.line();
                    if let Some(tell) = progress.filter(|_| !line.is_empty()) {
                        tell(&line);
                    }
                }
                b'\n' => self.keep(),
                _ if self.line.len() < LONGEST_LINE => self.line.push(*byte),
                _ => {}
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
