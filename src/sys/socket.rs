//! A socket in a private folder: a process asks another one of the same person on the same machine.
//!
//! One question a connection, one connection at a time. A question is sent once the other process has its hands free, so
//! that who waits for that in vain has asked nothing, and may do the work without fear that it is done twice.

use std::fs::Permissions;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use crate::sys::{Deadline, SysError};

/// The byte that says: ask.
const READY: u8 = b'?';
/// The time for the question itself, which is sent at once.
const QUESTION: Duration = Duration::from_secs(1);

/// Listens for as long as it lives, on a thread of its own.
#[derive(Debug)]
pub struct LocalListener {
    path: PathBuf,
    /// Its other end closes with it, which ends the thread.
    _end: UnixStream,
}

impl LocalListener {
    /// Listens at `path`, in the place of a process that is gone; the caller knows that no other process listens there.
    /// Questions may have `most` bytes; of one that gets no answer, the connection is closed. Fails where the path is
    /// too long for a socket (about 100 bytes).
    pub fn start(
        path: &Path,
        most: u64,
        mut answer: impl FnMut(&[u8]) -> Option<Vec<u8>> + Send + 'static,
    ) -> Result<Self, SysError> {
        let failed = |error| SysError::io("listen at", path, error);
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        // Also where a person gave others the folder.
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        let (end, ended) = UnixStream::pair().map_err(failed)?;
        let thread = std::thread::Builder::new().name("hooks".to_owned());
        let work = move || {
            while let Some(mut stream) = next(&listener, &ended) {
                // The other process may be gone by now.
                let _ = hear(&mut stream, most, &mut answer);
            }
        };
        thread.spawn(work).map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            _end: end,
        })
    }
}

impl Drop for LocalListener {
    fn drop(&mut self) {
        // A file that stays is refused by the system, and goes with the next listener.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The next connection; `None` when the listener is gone.
fn next(listener: &UnixListener, ended: &UnixStream) -> Option<UnixStream> {
    loop {
        let mut both = [
            PollFd::new(listener, PollFlags::IN),
            PollFd::new(ended, PollFlags::IN),
        ];
        match poll(&mut both, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return None,
            Ok(_) if !both[1].revents().is_empty() => return None,
            Ok(_) => {}
        }
        match listener.accept() {
            Ok((stream, _)) => return Some(stream),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // The other process was killed, or there is no file descriptor left: the next one may fare better.
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn hear(
    stream: &mut UnixStream,
    most: u64,
    answer: &mut impl FnMut(&[u8]) -> Option<Vec<u8>>,
) -> std::io::Result<()> {
    stream.set_write_timeout(Some(QUESTION))?;
    stream.write_all(&[READY])?;
    let question = read_by(stream, Deadline::after(QUESTION), most)?;
    if question.is_empty() {
        return Ok(());
    }
    match answer(&question) {
        Some(answer) => stream.write_all(&answer),
        None => Ok(()),
    }
}

/// Asks the process of this user that listens at `path`: waits for up to `ready` until it has its hands free, and for up
/// to `limit` for its whole answer. `None` where nobody listens, or no answer comes; then the question was not heard, or maybe it was.
pub fn ask_local(path: &Path, question: &[u8], ready: Duration, limit: Duration) -> Option<Vec<u8>> {
    let mut stream = connect_to_own(path).ok()??;
    stream.set_write_timeout(Some(QUESTION)).ok()?;
    let is_ready = read_by(&mut stream, Deadline::after(ready), 1).ok()? == [READY];
    if !is_ready {
        return None;
    }
    stream.write_all(question).ok()?;
    stream.shutdown(Shutdown::Write).ok()?;
    let answer = read_by(&mut stream, Deadline::after(limit), u64::MAX).ok()?;
    (!answer.is_empty()).then_some(answer)
}

/// The process that listens at `path`, if it is of this user, and if nobody else could put another one in its place.
fn connect_to_own(path: &Path) -> std::io::Result<Option<UnixStream>> {
    let own = rustix::process::geteuid();
    let folder = path.parent().unwrap_or(Path::new("/")).metadata()?;
    if folder.uid() != own.as_raw() {
        return Ok(None);
    }
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    // Where too many wait to be heard already, one more does not wait for them.
    ioctl_fionbio(&socket, true)?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    ioctl_fionbio(&socket, false)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if rustix::net::sockopt::socket_peercred(&socket)?.uid != own {
        return Ok(None);
    }
    Ok(Some(socket.into()))
}

/// Reads to the end, or up to `most` bytes; an error where that takes longer than the deadline.
fn read_by(stream: &mut UnixStream, deadline: Deadline, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut part = [0; 8192];
    while (bytes.len() as u64) < most {
        if deadline.is_over() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(deadline.left().max(Duration::from_millis(1))))?;
        let length = part
            .len()
            .min(usize::try_from(most).unwrap_or(usize::MAX) - bytes.len());
        match stream.read(&mut part[..length]) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(10);

    fn echo(path: &Path) -> LocalListener {
        LocalListener::start(path, 1000, |question| Some(question.to_ascii_uppercase())).unwrap()
    }

    #[test]
    fn a_question_has_its_answer_for_as_long_as_the_listener_lives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let ask = || ask_local(&path, b"abc", TIME, TIME);
        assert_eq!(ask(), None);
        let listener = echo(&path);
        assert_eq!(ask().unwrap(), b"ABC");
        assert_eq!(ask().unwrap(), b"ABC");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        drop(listener);
        assert_eq!(ask(), None);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_process_left_is_no_listener_and_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        drop(UnixListener::bind(&path).unwrap());
        assert_eq!(ask_local(&path, b"abc", TIME, TIME), None);
        let _listener = echo(&path);
        assert_eq!(ask_local(&path, b"abc", TIME, TIME).unwrap(), b"ABC");
    }

    #[test]
    fn who_says_nothing_or_goes_takes_no_ones_turn_for_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = echo(&path);
        let silent = UnixStream::connect(&path).unwrap();
        drop(UnixStream::connect(&path).unwrap());
        let short = Duration::from_millis(1);
        assert_eq!(ask_local(&path, b"abc", short, TIME), None, "nothing was asked");
        assert_eq!(ask_local(&path, b"abc", TIME, TIME).unwrap(), b"ABC");
        drop(silent);
    }

    #[test]
    fn a_question_that_fails_closes_its_connection_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let only_short = |question: &[u8]| (question.len() < 1000).then(|| b"short".to_vec());
        let _listener = LocalListener::start(&path, 1000, only_short).unwrap();
        assert_eq!(ask_local(&path, &[b'x'; 5000], TIME, TIME), None);
        assert_eq!(ask_local(&path, b"", TIME, TIME), None);
        assert_eq!(ask_local(&path, b"x", TIME, TIME).unwrap(), b"short");
    }

    /// The limit is for the whole answer, not for each part of it.
    #[test]
    fn an_answer_that_comes_byte_by_byte_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        let slow = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut count = 0;
            while stream.write_all(&[READY]).is_ok() {
                count += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            count
        });
        let begin = std::time::Instant::now();
        assert_eq!(ask_local(&path, b"abc", TIME, Duration::from_millis(200)), None);
        assert!(begin.elapsed() < TIME);
        assert!(slow.join().unwrap() > 2, "it answered");
    }

    /// Only root can give a folder to somebody else.
    #[test]
    fn nobody_is_asked_in_the_folder_of_another_user() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _listener = echo(&path);
        if std::os::unix::fs::chown(folder.path(), Some(65_534), None).is_err() {
            eprintln!("SKIPPED: this user cannot change the owner of a folder");
            return;
        }
        assert_eq!(ask_local(&path, b"abc", TIME, TIME), None);
    }
}
