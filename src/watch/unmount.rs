//! The one thing that events of files do not tell: that the file system under the store was unmounted.
//!
//! A second thread sleeps on an inotify instance of its own until the kernel says so. Where there is none to be had
//! the next sweep finds out.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// Waits for the end of the file system under a folder; lets go when dropped.
#[derive(Debug)]
pub(super) struct Unmount {
    inotify: Arc<OwnedFd>,
    watch: i32,
}

impl Unmount {
    /// Calls `on_end` once, on a thread of its own, when the file system under `folder` is unmounted or the folder is
    /// removed. `None` where the system cannot watch for it.
    pub(super) fn watch(folder: &Path, on_end: impl FnOnce() + Send + 'static) -> Option<Self> {
        let inotify = Arc::new(inotify::init(CreateFlags::CLOEXEC).ok()?);
        let flags = WatchFlags::DELETE_SELF | WatchFlags::ONLYDIR;
        let watch = inotify::add_watch(&*inotify, folder, flags).ok()?;
        let thread_inotify = Arc::clone(&inotify);
        let wait = move || {
            let mut buffer = [MaybeUninit::uninit(); 512];
            let mut reader = Reader::new(&*thread_inotify, &mut buffer);
            // Dropping the watch raises `IGNORED`, so that this ends in any case.
            while let Ok(event) = reader.next() {
                if event
                    .events()
                    .intersects(ReadFlags::UNMOUNT | ReadFlags::DELETE_SELF)
                {
                    return on_end();
                }
                if event.events().contains(ReadFlags::IGNORED) {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("mdmem-unmount".to_owned())
            .spawn(wait)
            .ok()?;
        Some(Self { inotify, watch })
    }
}

impl Drop for Unmount {
    fn drop(&mut self) {
        // Refused where the kernel removed the watch by itself.
        let _ = inotify::remove_watch(&*self.inotify, self.watch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn tells_the_end_of_the_folder_once_and_nothing_when_let_go() {
        for removed in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let (send, ended) = channel();
            let unmount = Unmount::watch(folder.path(), move || send.send(()).unwrap()).unwrap();
            std::fs::File::create(folder.path().join("a.md")).unwrap();
            if removed {
                drop(folder);
                assert!(ended.recv_timeout(Duration::from_secs(20)).is_ok());
            } else {
                drop(unmount);
                assert!(
                    ended.recv_timeout(Duration::from_secs(20)).is_err(),
                    "the thread ended without a word"
                );
            }
        }
    }
}
