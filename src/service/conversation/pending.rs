//! The places in which pending writes wait: the session's journal in the store, the spool in the user's state folder,
//! and, where neither can be written to, the memory of this server.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::store::{SessionFolder, Sessions, WaitingWrite};
use crate::sys::{FailureKind, Inode, SysError};

/// The most writes of one session that are kept in memory alone.
const MOST_IN_MEMORY: usize = 256;

/// The place in which pending writes were kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The session's journal in the store.
    InStore,
    /// The spool, in this folder.
    InSpool(PathBuf),
    /// The memory of this server alone; with the cause.
    InMemory(String),
}

/// The pending writes of one store.
pub(super) struct Pending {
    root: PathBuf,
    /// The store's folder as it was when this server first saw it. Another one in its place keeps no journal for this
    /// store: it may go again, with everything in it.
    known: Option<Inode>,
    sessions: Sessions,
    /// `None`: there is no state folder.
    spool: Option<Sessions>,
    /// The writes that no file could be written for, by session.
    in_memory: HashMap<String, Vec<WaitingWrite>>,
    /// The folders that nobody can read, as far as that was told.
    unreadable: HashSet<PathBuf>,
}

impl Pending {
    pub(super) fn new(root: &Path, sessions: Sessions, spool: Option<Sessions>) -> Self {
        Self {
            root: root.to_owned(),
            known: None,
            sessions,
            spool,
            in_memory: HashMap::new(),
            unreadable: HashSet::new(),
        }
    }

    /// Takes the store's folder for the one that is meant, where it is the first that is seen.
    pub(super) fn know(&mut self) {
        if self.known.is_none() && self.root.join(".git").exists() {
            self.known = inode(&self.root);
        }
    }

    /// The folders that may hold a journal of the session, in the order in which it was heard: the journal in the store
    /// takes nothing while the spool holds something.
    pub(super) fn folders(&self, session: &str) -> Vec<SessionFolder> {
        let spooled = self.spool.as_ref().map(|spool| spool.folder(session));
        std::iter::once(self.sessions.folder(session))
            .chain(spooled)
            .collect()
    }

    /// True when something of the session waits that what is heard now comes behind. Nothing can come behind a file that
    /// nobody can read.
    pub(super) fn is_waiting(&self, session: &str) -> bool {
        self.is_in_memory(session) || self.folders(session).iter().any(SessionFolder::holds_back)
    }

    /// True when something of the session waits in memory alone.
    pub(super) fn is_in_memory(&self, session: &str) -> bool {
        self.in_memory.contains_key(session)
    }

    /// True the first time that a folder of pending writes is found which nobody can read.
    pub(super) fn is_news(&mut self, unreadable: &SessionFolder) -> bool {
        self.unreadable.insert(unreadable.path().to_owned())
    }

    /// True when something of this message or summary waits.
    pub(super) fn holds(&self, session: &str, id: &String) -> bool {
        let is_of = |write: &WaitingWrite| write.unless_handled.as_ref() == Some(id);
        let in_memory = self.in_memory.get(session);
        in_memory.is_some_and(|writes| writes.iter().any(is_of))
            || self
                .folders(session)
                .iter()
                .filter(|folder| folder.has_waiting())
                .any(|folder| folder.waiting().unwrap_or_default().iter().any(is_of))
    }

    /// The sessions that wait outside the store's own journals.
    pub(super) fn outside(&self) -> Vec<String> {
        let spooled = self.spool.as_ref().and_then(|spool| spool.folders().ok());
        let spooled = spooled.unwrap_or_default().into_iter();
        let spooled = spooled.map(|folder| folder.hash().to_owned());
        let mut sessions: Vec<String> = self.in_memory.keys().cloned().chain(spooled).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    }

    /// Keeps writes until they can be stored, behind those of the session that are in memory. An error: so much waits
    /// that these are not kept.
    pub(super) fn keep(
        &mut self,
        session: &str,
        more: Vec<WaitingWrite>,
        wait: Duration,
    ) -> Result<Kept, SysError> {
        let mut all = self.in_memory.remove(session).unwrap_or_default();
        let earlier = all.len();
        all.extend(more);
        match self.keep_in_files(session, &all, wait) {
            Err(error) if error.kind() == FailureKind::TooLarge || all.len() > MOST_IN_MEMORY => {
                all.truncate(earlier);
                self.put_back(session, all);
                Err(error)
            }
            Err(error) => {
                let cause = error.to_string();
                self.put_back(session, all);
                Ok(Kept::InMemory(cause))
            }
            kept => kept,
        }
    }

    /// Tries once more to write down what is in memory alone; gives what could not be.
    pub(super) fn empty_memory(&mut self, wait: Duration) -> Vec<WaitingWrite> {
        for session in self.in_memory.keys().cloned().collect::<Vec<_>>() {
            self.write_down(&session, wait);
        }
        self.in_memory.values().flatten().cloned().collect()
    }

    /// Tries to write down what of the session is in memory alone.
    pub(super) fn write_down(&mut self, session: &str, wait: Duration) {
        if self.in_memory.contains_key(session) {
            // A write that is refused stays in memory.
            let _ = self.keep(session, Vec::new(), wait);
        }
    }

    fn put_back(&mut self, session: &str, writes: Vec<WaitingWrite>) {
        if !writes.is_empty() {
            self.in_memory.insert(session.to_owned(), writes);
        }
    }

    fn keep_in_files(
        &self,
        session: &str,
        writes: &[WaitingWrite],
        wait: Duration,
    ) -> Result<Kept, SysError> {
        let spooled = self.spool.as_ref().map(|spool| (spool, spool.folder(session)));
        let is_known = self.known.is_some() && self.known == inode(&self.root);
        let mut refused = SysError::RootReplaced(self.root.clone());
        if is_known && !spooled.as_ref().is_some_and(|(_, folder)| folder.holds_back()) {
            match self.sessions.folder(session).keep_more(wait, writes) {
                Ok(()) => return Ok(Kept::InStore),
                Err(error) if error.kind() == FailureKind::TooLarge => return Err(error),
                Err(error) => refused = error,
            }
        }
        let Some((spool, folder)) = spooled else {
            return Err(refused);
        };
        spool.make_room(session)?;
        folder.keep_more(wait, writes)?;
        Ok(Kept::InSpool(folder.path().to_owned()))
    }
}

/// The identity of a folder; a link to it is followed.
fn inode(folder: &Path) -> Option<Inode> {
    let meta = std::fs::metadata(folder).ok()?;
    Some(Inode::of(&meta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, Timestamp};
    use crate::store::Waiting;

    const S: &str = "0123456789abcdef";
    const WAIT: Duration = Duration::from_secs(1);

    fn write(id: &str) -> WaitingWrite {
        WaitingWrite {
            what: Waiting::Memory {
                kind: Kind::default(),
                text: "Use tabs".to_owned(),
            },
            at: Timestamp::from_seconds(7),
            attempts: 1,
            unless_handled: Some(id.to_owned()),
            cause: None,
        }
    }

    fn store(root: &Path) {
        std::fs::create_dir_all(root.join(".git")).unwrap();
    }

    fn ids(folder: &SessionFolder) -> Vec<String> {
        let waiting = folder.waiting().unwrap().into_iter();
        waiting.filter_map(|write| write.unless_handled).collect()
    }

    #[test]
    fn the_journal_is_for_the_store_that_was_known_and_the_spool_for_the_rest_in_order() {
        let temp = tempfile::tempdir().unwrap();
        let (root, state) = (temp.path().join("store"), temp.path().join("state"));
        store(&root);
        let spool = Sessions::spooled(&state, &root);
        let mut pending = Pending::new(&root, Sessions::of(&root), Some(spool));
        pending.know();
        assert_eq!(pending.keep(S, vec![write("a")], WAIT).unwrap(), Kept::InStore);
        let aside = temp.path().join("aside");
        std::fs::rename(&root, &aside).unwrap();
        store(&root);
        pending.know();
        let kept = pending.keep(S, vec![write("b")], WAIT).unwrap();
        assert!(matches!(kept, Kept::InSpool(_)), "{kept:?}");
        std::fs::remove_dir_all(&root).unwrap();
        std::fs::rename(&aside, &root).unwrap();
        let kept = pending.keep(S, vec![write("c")], WAIT).unwrap();
        assert!(matches!(kept, Kept::InSpool(_)), "behind what is there: {kept:?}");
        let [journal, spool] = &pending.folders(S)[..] else {
            panic!("no spool")
        };
        assert_eq!(
            (ids(journal), ids(spool)),
            (vec!["a".into()], vec!["b".into(), "c".into()])
        );
        assert!(pending.holds(S, &"b".to_owned()) && !pending.holds(S, &"d".to_owned()));
        assert_eq!(pending.outside(), [S]);
    }

    #[test]
    fn what_no_file_takes_is_in_memory_up_to_a_bound_and_is_written_down_later() {
        let temp = tempfile::tempdir().unwrap();
        let (root, state) = (temp.path().join("store"), temp.path().join("state"));
        // A file in the way of the folder.
        crate::sys::write_atomic(&state, b"").unwrap();
        let spool = Sessions::spooled(&state, &root);
        let mut pending = Pending::new(&root, Sessions::of(&root), Some(spool));
        for n in 0..MOST_IN_MEMORY {
            let kept = pending.keep(S, vec![write(&n.to_string())], WAIT).unwrap();
            assert!(matches!(kept, Kept::InMemory(_)), "{kept:?}");
        }
        assert!(pending.keep(S, vec![write("too many")], WAIT).is_err());
        assert_eq!(pending.empty_memory(WAIT).len(), MOST_IN_MEMORY);
        std::fs::remove_file(&state).unwrap();
        assert_eq!(pending.empty_memory(WAIT), []);
        let [_, spool] = &pending.folders(S)[..] else {
            panic!("no spool")
        };
        let in_order: Vec<String> = (0..MOST_IN_MEMORY).map(|n| n.to_string()).collect();
        assert_eq!(ids(spool), in_order);
    }
}
