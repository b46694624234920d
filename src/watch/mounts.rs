//! The one thing that events of files do not tell: that another file system lies where the store was, or none.
//!
//! A file system that is unmounted while it is in use raises no event, and neither does one that is mounted over the
//! store. A second thread sleeps until the kernel's table of mounts changes. If the table cannot be watched, the next
//! commit finds out.

use std::fs::File;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, poll};

/// Waits for changes of the table of mounts; lets go when dropped.
#[derive(Debug)]
pub(super) struct Mounts {
    /// Closed when this is dropped, which the thread sees at its other end.
    _end: UnixStream,
}

impl Mounts {
    /// Calls `on_change`, on a thread of its own, whenever something was mounted or unmounted anywhere. `None` where
    /// the system cannot tell.
    pub(super) fn watch(on_change: impl Fn() + Send + 'static) -> Option<Self> {
        let table = File::open("/proc/self/mounts").ok()?;
        let (end, other_end) = UnixStream::pair().ok()?;
        let wait = move || {
            loop {
                let mut sources = [
                    PollFd::new(&table, PollFlags::PRI | PollFlags::ERR),
                    PollFd::new(&other_end, PollFlags::IN | PollFlags::HUP),
                ];
                match poll(&mut sources, None) {
                    Err(rustix::io::Errno::INTR) => {}
                    Ok(_) if sources[1].revents().is_empty() => on_change(),
                    _ => return,
                }
            }
        };
        std::thread::Builder::new()
            .name("mdmem-mounts".to_owned())
            .spawn(wait)
            .ok()?;
        Some(Self { _end: end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    #[test]
    fn the_thread_ends_without_a_word_when_let_go() {
        let (send, changed) = channel();
        let mounts = Mounts::watch(move || send.send(()).unwrap_or_default()).unwrap();
        drop(mounts);
        // Another test may mount something meanwhile.
        while changed.recv_timeout(Duration::from_secs(20)).is_ok() {}
        assert_eq!(
            changed.recv_timeout(Duration::ZERO),
            Err(RecvTimeoutError::Disconnected)
        );
    }
}
