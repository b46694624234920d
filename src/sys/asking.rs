//! A program that is asked: text on its standard input, its answer on standard output, and an end in any case.

use std::io::{Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Deadline, SysError};

/// The bytes that are read at once.
const CHUNK: usize = 16 * 1024;
/// The bytes of standard error that are kept.
const MOST_SAID: usize = 4096;
/// The pause between two looks whether the program has ended.
const LOOK: Duration = Duration::from_millis(20);
/// The time that the last output of a program that has ended may take.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// The reason why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// It was not started, or the machine failed.
    #[error(transparent)]
    Sys(#[from] SysError),
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

/// The bounds of an answer.
#[derive(Debug, Clone, Copy)]
pub struct AskLimits {
    /// The time that the program has.
    pub time: Duration,
    /// The most bytes that it may print.
    pub bytes: usize,
}

/// Runs `command` (a program and its arguments, without a shell) in `folder`, with `question` on its standard input,
/// and gives what it printed. At its end, at its limit and after too long an answer, its whole process group is
/// killed: only a child that began a session of its own lives on. `variable` is set to 1 for it.
pub fn ask_program(
    command: &[String],
    folder: &Path,
    variable: &str,
    question: Vec<u8>,
    limits: AskLimits,
) -> Result<Vec<u8>, AskError> {
    let (program, arguments) = command.split_first().map_or(("", &[][..]), |(p, rest)| (p, rest));
    let failed = |error| SysError::io("run", Path::new(program), error);
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env(variable, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program need not read what it is asked.
        std::thread::spawn(move || drop(stdin.write_all(&question)));
    }
    let output = chunks(child.stdout.take());
    let said = chunks(child.stderr.take());
    let asked = Asked { child };
    let heard = asked.hear(&output, limits);
    let status = asked.end().map_err(failed)?;
    let answer = heard?;
    if status.success() {
        return Ok(answer);
    }
    Err(AskError::Failed {
        status,
        said: last_line(&said),
    })
}

/// A program that runs.
struct Asked {
    child: Child,
}

impl Asked {
    /// The output up to the program's end.
    fn hear(&self, output: &Receiver<Vec<u8>>, limits: AskLimits) -> Result<Vec<u8>, AskError> {
        let deadline = Deadline::after(limits.time);
        let mut answer = Vec::new();
        let mut rest: Option<Deadline> = None;
        loop {
            let pause = rest.map_or(LOOK, Deadline::left).min(deadline.left());
            match output.recv_timeout(pause) {
                Ok(chunk) if answer.len() + chunk.len() > limits.bytes => {
                    return Err(AskError::TooLong(limits.bytes));
                }
                Ok(chunk) => answer.extend(chunk),
                Err(RecvTimeoutError::Timeout) => {
                    if rest.is_some_and(Deadline::is_over) {
                        // A child of its own keeps the stream open.
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Disconnected) if self.has_ended() => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(pause),
            }
            if deadline.is_over() {
                return Err(AskError::TooSlow(limits.time));
            }
            if rest.is_none() && self.has_ended() {
                rest = Some(Deadline::after(LAST_OUTPUT));
            }
        }
    }

    /// True when the program has ended. It keeps its number until [`Self::end`], so that no other process has it.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        waitid(WaitId::Pid(self.pid()), options).map_or(true, |status| status.is_some())
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Kills what is left of the group, and gives how the program ended.
    fn end(mut self) -> std::io::Result<ExitStatus> {
        let _ = kill_process_group(self.pid(), Signal::KILL);
        self.child.wait()
    }
}

/// The chunks of a stream, read on a thread that ends with the stream or with its reader.
fn chunks(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, chunks): (SyncSender<Vec<u8>>, _) = sync_channel(4);
    if let Some(mut stream) = stream {
        std::thread::spawn(move || {
            let mut buffer = vec![0; CHUNK];
            while let Ok(read @ 1..) = stream.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    chunks
}

/// The last line of what a program said, as far as it was read.
fn last_line(said: &Receiver<Vec<u8>>) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::new();
    while let Ok(chunk) = said.recv_timeout(LOOK) {
        bytes.extend(chunk);
        let more = bytes.len().saturating_sub(MOST_SAID);
        bytes.drain(..more);
    }
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    text.lines().last().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(script: &str, millis: u64, bytes: usize) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let command = ["sh", "-c", script].map(str::to_owned);
        let limits = AskLimits {
            time: Duration::from_millis(millis),
            bytes,
        };
        ask_program(
            &command,
            folder.path(),
            "MDMEM_PASS",
            b"question".to_vec(),
            limits,
        )
        .map(|answer| String::from_utf8(answer).unwrap())
        .map_err(|error| error.to_string())
    }

    #[test]
    fn a_program_answers_in_its_own_folder() {
        let script = "printf '%s %s %s' \"$(cat)\" \"$MDMEM_PASS\" \"$(ls | wc -l)\"";
        assert_eq!(
            ask(script, 20_000, 100).unwrap().replace("  ", ""),
            "question 1 0"
        );
        assert_eq!(
            ask("printf deaf", 20_000, 100).unwrap(),
            "deaf",
            "nobody has to read"
        );
        let left = ask("sleep 60 & printf done", 20_000, 100).unwrap();
        assert_eq!(left, "done", "a child that stays is not waited for");
    }

    #[test]
    fn a_program_that_does_not_answer_ends_all_the_same() {
        let message = |script: &str, millis, bytes| ask(script, millis, bytes).unwrap_err();
        assert_eq!(message("sleep 60", 1000, 9), "it gave no answer within 1 s");
        assert_eq!(
            message("exec >&-; sleep 60", 1000, 9),
            "it gave no answer within 1 s"
        );
        assert_eq!(
            message("yes", 20_000, 1000),
            "its answer has more than 1000 bytes"
        );
        assert_eq!(
            message("echo no >&2; echo key >&2; exit 3", 20_000, 9),
            "it failed (exit status: 3): key"
        );
        assert_eq!(
            message("kill -9 $$", 20_000, 9),
            "it failed (signal: 9 (SIGKILL))"
        );
        let error = ask_program(
            &["mdmem-no-such-program".to_owned()],
            Path::new("/"),
            "X",
            Vec::new(),
            AskLimits { time: LOOK, bytes: 1 },
        );
        assert!(
            error
                .unwrap_err()
                .to_string()
                .starts_with("cannot run mdmem-no-such-program")
        );
    }

    #[test]
    fn the_children_of_a_program_end_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("pid");
        let script = format!("sleep 60 & echo $! >{}; wait", note.display());
        assert!(ask(&script, 1000, 9).is_err());
        let pid = std::fs::read_to_string(&note).unwrap();
        let stat = std::path::PathBuf::from(format!("/proc/{}/stat", pid.trim()));
        let is_over = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        let end = std::time::Instant::now() + Duration::from_secs(20);
        while !is_over() && std::time::Instant::now() < end {
            std::thread::sleep(LOOK);
        }
        assert!(is_over(), "{pid}");
    }
}
