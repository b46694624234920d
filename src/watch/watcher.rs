//! The watch over one store: a thread that sleeps until something happens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use notify::EventKind;
use notify::event::ModifyKind;

use crate::sys::{Inode, SysError};
use crate::watch::folders::{Folders, GIT_INFO, NoMoreWatches, is_exhausted, is_visible};
#[cfg(target_os = "linux")]
use crate::watch::mounts::Mounts;

/// The pause between two looks where the machine has no more watches to give.
const LOOK: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 10_000 });
/// What to tell a person then.
const NO_MORE_WATCHES: &str = "this machine has no more file watches to give, so mdmem looks for changes every 10 s: raise \
     the limits (sudo sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024), then start again";

/// The store's folder for what is local: nothing in it wakes anybody.
const LOCAL: &str = ".mdmem";

/// An event of a store.
#[derive(Debug)]
pub enum Event {
    /// These paths below the store may have changed: came, went, or got other content. A path may be that of a folder
    /// that came, was removed or renamed; then everything that was in it is meant. Hidden names are never among them.
    Changed(BTreeSet<PathBuf>),
    /// Events were lost, or mean more than single files: look at the whole store.
    Rescan,
    /// The same; and from now on it comes again and again, because no events do. The sentence tells a person why, and what
    /// to change.
    Polls(&'static str),
    /// The store, or its repository, is not there any more, or another one came in its place. Nothing comes after it.
    /// Nothing was deleted by a person as far as the watcher knows: the disk may have been unmounted.
    Gone(SysError),
}

/// The reason for which a store cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// It is not there, or cannot be read.
    #[error(transparent)]
    Store(#[from] SysError),
    /// The operating system refused.
    #[error("cannot watch {}: {reason}", crate::sys::shown_path(path))]
    Refused {
        /// The store.
        path: PathBuf,
        /// The words of the operating system.
        reason: String,
    },
}

/// A running watch; it ends when this is dropped.
#[derive(Debug)]
pub struct Watcher {
    wake: Sender<Raw>,
    #[cfg(target_os = "linux")]
    _mounts: Option<Mounts>,
}

/// A message to the thread.
#[derive(Debug)]
enum Raw {
    Notify(notify::Result<notify::Event>),
    /// Another file system may lie where the store was.
    Check,
    /// No events come any more.
    Deaf,
    Stop,
}

impl Watcher {
    /// Begins to watch the store `root`, and calls `on_event` on a thread of its own whenever something happens.
    /// Start it first and sweep then: what changed before is not told.
    pub fn start(root: &Path, on_event: impl FnMut(Event) + Send + 'static) -> Result<Self, WatchError> {
        let root = std::fs::canonicalize(root).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => SysError::RootMissing(root.to_path_buf()),
            _ => SysError::io("watch", root, error),
        })?;
        let (wake, raw) = channel();
        let watch = Watch {
            identity: identity(&root)?,
            root,
            raw,
            on_event,
        };
        watch.check()?;
        #[cfg(target_os = "linux")]
        let mounts = {
            let wake = wake.clone();
            Mounts::watch(move || drop(wake.send(Raw::Check)))
        };
        let folders = watch.folders(wake.clone())?;
        spawn(watch, folders)?;
        Ok(Self {
            wake,
            #[cfg(target_os = "linux")]
            _mounts: mounts,
        })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // The thread may have ended already, after `Gone`.
        let _ = self.wake.send(Raw::Stop);
    }
}

struct Watch<F> {
    root: PathBuf,
    /// Tells the store from another folder in its place.
    identity: Inode,
    raw: Receiver<Raw>,
    on_event: F,
}

fn identity(folder: &Path) -> Result<Inode, SysError> {
    match folder.metadata() {
        Ok(data) => Ok(Inode::of(&data)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(SysError::RootMissing(folder.to_path_buf()))
        }
        Err(error) => Err(SysError::io("watch", folder, error)),
    }
}

/// The sum of several events.
#[derive(Debug, Default)]
struct Batch {
    changed: BTreeSet<PathBuf>,
    rescan: bool,
    check: bool,
    /// The root or the repository came or went, or another one came in its place.
    replaced: bool,
}

/// Receives notify's events. Notify's thread drops it when it ends, however it ends.
#[derive(Debug)]
struct Ear(Sender<Raw>);

impl Ear {
    fn hear(&self, event: notify::Result<notify::Event>) {
        // Reading raises these, also our own: they must not wake anybody.
        let is_access = event
            .as_ref()
            .is_ok_and(|event| matches!(event.kind, EventKind::Access(_)));
        if !is_access {
            let _ = self.0.send(Raw::Notify(event));
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let _ = self.0.send(Raw::Deaf);
    }
}

fn spawn<F: FnMut(Event) + Send + 'static>(
    mut watch: Watch<F>,
    folders: Option<Folders>,
) -> Result<(), WatchError> {
    let path = watch.root.clone();
    let thread = std::thread::Builder::new().name("mdmem-watch".to_owned());
    match thread.spawn(move || watch.run(folders)) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(&path, &error)),
    }
}

fn refused(path: &Path, error: &impl std::fmt::Display) -> WatchError {
    WatchError::Refused {
        path: path.to_path_buf(),
        reason: error.to_string(),
    }
}

impl<F: FnMut(Event)> Watch<F> {
    /// The folders, watched; `None` where the machine has no more watches to give.
    fn folders(&self, wake: Sender<Raw>) -> Result<Option<Folders>, WatchError> {
        let ear = Ear(wake);
        let handler = move |event| ear.hear(event);
        let notify = match notify::recommended_watcher(handler) {
            Ok(notify) => notify,
            Err(error) if is_exhausted(&error) => return Ok(None),
            Err(error) => return Err(refused(&self.root, &error)),
        };
        let mut folders = Folders::new(self.root.clone(), notify);
        match folders.watch_root() {
            Ok(()) => {}
            Err(error) if is_exhausted(&error) => return Ok(None),
            Err(error) => return Err(refused(&self.root, &error)),
        }
        let adopted = folders.adopt(Path::new(""), &mut BTreeSet::new());
        Ok(adopted.is_ok().then_some(folders))
    }

    fn run(&mut self, folders: Option<Folders>) {
        let has_watches = folders.map_or(Ok(false), |folders| self.by_events(folders));
        let ended = has_watches.and_then(|is_stopped| if is_stopped { Ok(()) } else { self.by_looking() });
        if let Err(error) = ended {
            (self.on_event)(Event::Gone(error));
        }
    }

    /// Sleeps until events come, and says what they mean. `true` when told to stop, `false` when no more events come.
    fn by_events(&mut self, mut folders: Folders) -> Result<bool, SysError> {
        loop {
            let Ok(first) = self.raw.recv() else {
                return Ok(true);
            };
            let mut batch = Batch::default();
            let mut exhausted = false;
            for raw in std::iter::once(first).chain(std::iter::from_fn(|| self.raw.try_recv().ok())) {
                match raw {
                    Raw::Stop => return Ok(true),
                    Raw::Check => batch.check = true,
                    Raw::Deaf => exhausted = true,
                    Raw::Notify(event) => {
                        exhausted |= batch.add(event, &self.root, &mut folders).is_err();
                    }
                }
            }
            if batch.check || batch.replaced {
                self.check()?;
            }
            if batch.replaced {
                // It may be another one, which nothing is watched of.
                return Err(SysError::RootReplaced(self.root.clone()));
            }
            if batch.rescan {
                // Folders may have come without an event of their own.
                exhausted |= folders.adopt(Path::new(""), &mut BTreeSet::new()).is_err();
            }
            if exhausted {
                return Ok(false);
            }
            if batch.rescan {
                (self.on_event)(Event::Rescan);
            } else if !batch.changed.is_empty() {
                (self.on_event)(Event::Changed(batch.changed));
            }
        }
    }

    /// Has the whole store looked at, again and again.
    fn by_looking(&mut self) -> Result<(), SysError> {
        (self.on_event)(Event::Polls(NO_MORE_WATCHES));
        loop {
            match self.raw.recv_timeout(LOOK) {
                // Left over from the time of events.
                Ok(Raw::Notify(_) | Raw::Deaf) => {}
                Ok(Raw::Check) => self.check()?,
                Ok(Raw::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    self.check()?;
                    (self.on_event)(Event::Rescan);
                }
            }
        }
    }

    /// An error when the store or its repository is not there, or cannot be looked at.
    fn check(&self) -> Result<(), SysError> {
        let identity = identity(&self.root)?;
        let git = self.root.join(".git");
        match git.symlink_metadata() {
            Ok(_) if identity != self.identity => Err(SysError::RootReplaced(self.root.clone())),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(SysError::GitMissing(self.root.clone()))
            }
            Err(error) => Err(SysError::io("watch", git, error)),
        }
    }
}

impl Batch {
    fn add(
        &mut self,
        event: notify::Result<notify::Event>,
        root: &Path,
        folders: &mut Folders,
    ) -> Result<(), NoMoreWatches> {
        let event = match event {
            Ok(event) => event,
            Err(error) if is_exhausted(&error) => return Err(NoMoreWatches),
            Err(_) => {
                self.rescan = true;
                return Ok(());
            }
        };
        if event.need_rescan() {
            self.rescan = true;
            self.check = true;
            return Ok(());
        }
        let came = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let went = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        for full in &event.paths {
            let Ok(path) = full.strip_prefix(root) else {
                continue;
            };
            if path.as_os_str().is_empty() || path == Path::new(".git") {
                self.replaced |= came || went;
            } else if path == Path::new(LOCAL) {
                // The local folder went, and the watch's lock with it.
                self.rescan |= went;
            } else if path.parent() == Some(Path::new(GIT_INFO)) {
                // Which files a commit may hold is another question now. A folder that goes takes the repository along.
                self.rescan |= !went || came;
            } else if path.file_name().is_some_and(|name| name == ".git") {
                // A folder became a repository of its own, or stopped being one.
                self.rescan |= came || went;
            } else if is_visible(path) && !folders.is_foreign(path) {
                let is_folder = full.symlink_metadata().is_ok_and(|data| data.is_dir());
                // Another folder may have come in the place of one that went: what was in that one went with it.
                if went || !is_folder {
                    self.changed.insert(path.to_path_buf());
                }
                if came && is_folder {
                    folders.adopt(path, &mut self.changed)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
