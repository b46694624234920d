//! Other programs: started, fed and heard, and an end in any case, also of what they started.

use std::io::{Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use super::error::reason;
use super::{Deadline, SysError};

/// The longest time between two looks at a program.
const PAUSE: Duration = Duration::from_millis(50);
/// The time that the last output of a program that has ended may take: a child of its own may keep the pipes open.
const LAST_OUTPUT: Duration = Duration::from_secs(1);
/// The time that a program has to clear up after it was told to end, and to be gone after it was killed.
const GRACE: Duration = Duration::from_secs(2);

/// The reason why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was not started, or the machine failed.
    #[error("it was not run: {}", reason(.0))]
    NotRun(std::io::Error),
    /// It ran longer than it may, and was killed.
    #[error("it gave no answer within {} s", .0.as_secs())]
    TooSlow(Duration),
    /// It printed more than it may, and was killed.
    #[error("its answer has more than {0} bytes")]
    TooLong(usize),
    /// It failed.
    #[error("it failed ({status}){}", said.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Failed {
        /// Its exit code or signal.
        status: ExitStatus,
        /// The last line that it printed to standard error.
        said: Option<String>,
    },
}

impl RunError {
    /// Says whether its command line is to blame: it is not there, or refuses its arguments.
    pub fn is_of_command(&self) -> bool {
        match self {
            Self::NotRun(_) => true,
            Self::Failed { status, .. } => matches!(status.code(), Some(2 | 64 | 126 | 127)),
            Self::TooSlow(_) | Self::TooLong(_) => false,
        }
    }
}

/// The bounds of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// The time that the program has.
    pub time: Duration,
    /// The most bytes that it may print.
    pub bytes: usize,
}

/// The process group of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// That of this process, which the terminal listens to: the program may ask a person. It is stopped alone.
    Shared,
    /// One of its own, which is stopped as a whole. What the program leaves running at its own end stays.
    Own,
    /// One of its own, of which nothing is left when it ends; only a child that began a session of its own lives on.
    Swept,
}

/// A program that has ended.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it said on standard error, up to the limit of its bytes.
    pub stderr: Vec<u8>,
}

impl Ran {
    /// What it printed; an error where it failed.
    pub fn answer(self) -> Result<Vec<u8>, RunError> {
        if self.status.success() {
            return Ok(self.stdout);
        }
        let said = String::from_utf8_lossy(&self.stderr);
        Err(RunError::Failed {
            status: self.status,
            said: said.trim().lines().last().map(str::to_owned),
        })
    }
}

/// What a running program does next.
#[derive(Debug)]
pub enum Heard {
    /// It printed this.
    Output(Vec<u8>),
    /// It said this on standard error.
    Words(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// It has ended: [`Running::end`] says how.
    End,
}

/// A program that runs. It does not survive this value.
#[derive(Debug)]
pub struct Running {
    child: Child,
    group: Group,
    pieces: Receiver<Heard>,
    /// Set when it has ended: no output is waited for after this.
    rest: Option<Deadline>,
    nap: Duration,
    is_over: bool,
}

impl Running {
    /// Starts a program. It is fed `input` while it is heard, and need not read it.
    pub fn start(mut command: Command, input: Option<Vec<u8>>, group: Group) -> Result<Self, RunError> {
        let stdin = if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        if group != Group::Shared {
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(RunError::NotRun)?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            std::thread::spawn(move || drop(stdin.write_all(&input)));
        }
        let (sender, pieces) = sync_channel(4);
        read_along(child.stdout.take(), sender.clone(), Heard::Output);
        read_along(child.stderr.take(), sender, Heard::Words);
        Ok(Self {
            child,
            group,
            pieces,
            rest: None,
            nap: PAUSE / 100,
            is_over: false,
        })
    }

    /// What it does next, within a moment.
    pub fn hear(&mut self) -> Heard {
        if self.rest.is_none() && self.has_ended() {
            self.rest = Some(Deadline::after(LAST_OUTPUT));
        }
        if self.rest.is_some_and(Deadline::is_over) {
            return Heard::End;
        }
        match self.pieces.recv_timeout(PAUSE) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) if self.rest.is_some() => Heard::End,
            Err(RecvTimeoutError::Disconnected) => {
                // Whoever closes both pipes ends in a moment, as a rule.
                std::thread::sleep(self.nap);
                self.nap = (self.nap * 2).min(PAUSE);
                Heard::Nothing
            }
        }
    }

    /// Hears it to its end, within these bounds.
    pub fn finish(mut self, limits: RunLimits) -> Result<Ran, RunError> {
        let deadline = Deadline::after(limits.time);
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        loop {
            match self.hear() {
                Heard::Output(bytes) if stdout.len() + bytes.len() > limits.bytes => {
                    return Err(RunError::TooLong(limits.bytes));
                }
                Heard::Output(bytes) => stdout.extend(bytes),
                Heard::Words(bytes) if stderr.len() < limits.bytes => stderr.extend(bytes),
                Heard::Words(_) | Heard::Nothing => {}
                Heard::End => break,
            }
            if deadline.is_over() {
                return Err(RunError::TooSlow(limits.time));
            }
        }
        Ok(Ran {
            status: self.end()?,
            stdout,
            stderr,
        })
    }

    /// How it ended.
    pub fn end(mut self) -> Result<ExitStatus, RunError> {
        if self.group == Group::Swept {
            self.signal(Signal::KILL);
        }
        self.is_over = true;
        self.child.wait().map_err(RunError::NotRun)
    }

    /// True when it has ended. It keeps its number until it is waited for, so that no other process has it.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        waitid(WaitId::Pid(Pid::from_child(&self.child)), options).map_or(true, |status| status.is_some())
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        let sent = match self.group {
            Group::Shared => kill_process(pid, signal),
            Group::Own | Group::Swept => kill_process_group(pid, signal),
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "a program was not signalled");
        }
    }
}

impl Drop for Running {
    /// A program removes its locks when it is asked to end; what does not end then is killed.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        for signal in [Signal::TERM, Signal::KILL] {
            self.signal(signal);
            let grace = Deadline::after(GRACE);
            while !self.has_ended() && !grace.is_over() {
                std::thread::sleep(PAUSE / 5);
            }
        }
        // Not even a kill ends what waits for a disk that is away: nobody waits for it.
        let _ = self.child.try_wait();
    }
}

/// Sends what a pipe brings, on a thread that ends with the pipe or with its reader. A program that was left running may
/// keep the pipe open for ever, so nobody waits for the thread.
fn read_along(
    pipe: Option<impl Read + Send + 'static>,
    to: SyncSender<Heard>,
    piece: impl Fn(Vec<u8>) -> Heard + Send + 'static,
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

/// The file of this program, as the system started it.
pub fn own_program() -> Result<PathBuf, SysError> {
    std::env::current_exe().map_err(|error| SysError::io("find the program's own file", "mdmem", error))
}

/// Starts this program anew in `folder`, without input and output and in a process group of its own. Nobody waits for its
/// end: it is for a process that is about to end itself.
pub fn start_own_program(args: &[impl AsRef<std::ffi::OsStr>], folder: &Path) -> Result<(), SysError> {
    let program = own_program()?;
    let started = Command::new(&program)
        .args(args)
        .current_dir(folder)
        .env("PWD", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    started
        .map(drop)
        .map_err(|error| SysError::io("run", &program, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, millis: u64, bytes: usize, group: Group) -> Result<String, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let limits = RunLimits {
            time: Duration::from_millis(millis),
            bytes,
        };
        let running = Running::start(command, Some(b"question".to_vec()), group).unwrap();
        let answer = running.finish(limits).and_then(Ran::answer);
        answer
            .map(|answer| String::from_utf8(answer).unwrap())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_program_hears_and_answers() {
        assert_eq!(run("cat", 20_000, 100, Group::Own).unwrap(), "question");
        let deaf = run("printf deaf", 20_000, 100, Group::Own).unwrap();
        assert_eq!(deaf, "deaf", "nobody has to read");
        let left = run("sleep 60 & printf done", 20_000, 100, Group::Swept).unwrap();
        assert_eq!(left, "done", "a child that stays is not waited for");
    }

    /// More than fits into both pipes.
    #[test]
    fn a_program_that_answers_while_it_is_fed_waits_for_nobody() {
        let input = vec![b'x'; 1 << 20];
        let limits = RunLimits {
            time: Duration::from_mins(1),
            bytes: input.len(),
        };
        let running = Running::start(Command::new("cat"), Some(input.clone()), Group::Own).unwrap();
        assert!(running.finish(limits).unwrap().stdout == input);
    }

    #[test]
    fn a_program_that_does_not_answer_ends_all_the_same() {
        let message = |script: &str, millis, bytes| run(script, millis, bytes, Group::Own).unwrap_err();
        assert_eq!(message("sleep 60", 1000, 9), "it gave no answer within 1 s");
        assert_eq!(
            message("exec >&- 2>&-; sleep 60", 1000, 9),
            "it gave no answer within 1 s"
        );
        assert_eq!(
            message("yes", 20_000, 1000),
            "its answer has more than 1000 bytes"
        );
        assert_eq!(
            message("echo no >&2; echo key >&2; exit 3", 20_000, 99),
            "it failed (exit status: 3): key"
        );
        assert_eq!(
            message("kill -9 $$", 20_000, 9),
            "it failed (signal: 9 (SIGKILL))"
        );
    }

    /// A zombie that nobody takes leave of counts as gone.
    fn assert_ends(pid: &str) {
        let is_over = || {
            let ps = Command::new("ps")
                .args(["-o", "stat=", "-p", pid])
                .output()
                .unwrap();
            let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
            state.is_empty() || state.starts_with('Z')
        };
        let end = Deadline::after(Duration::from_mins(1));
        while !is_over() {
            assert!(!end.is_over(), "{pid} still runs");
            std::thread::sleep(PAUSE);
        }
    }

    #[test]
    fn the_children_of_a_program_end_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("pid");
        let begin = format!("trap '' TERM; sleep 60 & echo $! >{};", note.display());
        let pid = || std::fs::read_to_string(&note).unwrap().trim().to_owned();
        run(&format!("{begin} wait; wait"), 1000, 9, Group::Own).unwrap_err();
        assert_ends(&pid());
        run(&begin, 20_000, 9, Group::Swept).unwrap();
        assert_ends(&pid());
    }
}
