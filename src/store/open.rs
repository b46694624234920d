//! Opening a store: its repository, its settings, its rules.
//!
//! The settings of a store: the layers around it, its own file, and no pattern that cannot be used.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::allowed::Allowed;
use super::contents::{LOCAL, MAX_FILE, SETTINGS, is_seen};
use super::create::has_files;
use super::difference::Tree;
use super::load::{Loaded, Source};
use super::reading::from_bytes;
use super::{Journal, Place, Registry, Sessions, Snapshot, StoreError, cache};
use crate::capture::RequestPatterns;
use crate::config::{FORMAT, PatternList, Problem, Settings, SettingsSources};
use crate::document::KeyEdit;
use crate::git::{GitError, Message, NewCommit, PathChange, Repo, Signing};
use crate::model::{Memory, Oid, Severity, StorePath, Timestamp};
use crate::policy::{ForcedBy, Rules};
use crate::sys::{Clock, Exchange, FailureKind, FileStat, Scan, SysError};
use crate::text::Redactor;
use crate::{document, sys};

/// The number of attempts at a file that a person keeps saving.
const ATTEMPTS: u32 = 100;

/// An opened store. Reading takes no lock, commits nothing and reads the files as they are.
pub struct Store {
    place: Place,
    pub(super) repo: Repo,
    settings: Settings,
    redactor: Redactor,
    sources: SettingsSources,
    clock: Clock,
    /// The stamps of the files that opening reads, as they were then.
    opened: Stamp,
}

/// The repository, and how its files are read.
pub type WayOfReading = (Option<FileStat>, String);

/// The stats of the files that opening reads: the repository, its configuration, its packs, the store's settings.
type Stamp = [Option<FileStat>; 4];

impl Store {
    /// Opens the store of a place. `sources` are the settings around the store's own.
    pub fn open(place: Place, sources: &SettingsSources, clock: Clock) -> Result<Self, StoreError> {
        if !place.exists() {
            return Err(Self::absent(&place));
        }
        let opened = stamp(&place.root);
        let repo = Repo::open(&place.root)?;
        refuse_what_is_no_folder(&place.root)?;
        let settings = read_settings(&place.root, sources)?;
        let redactor = redactor(&settings);
        Ok(Self {
            place,
            repo,
            settings,
            redactor,
            sources: sources.clone(),
            clock,
            opened,
        })
    }

    /// Says whether opening it now, with these settings around its own, would give the same: neither the repository,
    /// nor its configuration, nor the settings changed.
    pub fn is_current(&self, sources: &SettingsSources) -> bool {
        self.sources == *sources && self.is_as_opened()
    }

    /// The same without the settings around its own. Packs count because libgit2 keeps a pack open that git has
    /// replaced.
    pub fn is_as_opened(&self) -> bool {
        self.opened == stamp(self.root())
    }

    /// Says whether the store's settings file is the one that opening read.
    pub(super) fn has_its_settings(&self) -> bool {
        let [.., settings] = self.opened;
        settings == stat_of(self.root(), SETTINGS)
    }

    /// The same store, with its settings read again.
    pub fn reopened(&self) -> Result<Self, StoreError> {
        Self::open(self.place.clone(), &self.sources, self.clock.clone())
    }

    /// Gives the reason why there is no store at a place. A folder without `.git` that holds memories lost its
    /// repository; a store that the registry knows, and that is not there, was removed, renamed, or lies on a disk that
    /// is not mounted.
    pub fn absent(place: &Place) -> StoreError {
        if let Err(error @ GitError::Bare { .. }) = Repo::open(&place.root) {
            return error.into();
        }
        if let Err(source) = place.root.join(".git").metadata()
            && source.kind() == std::io::ErrorKind::PermissionDenied
        {
            return SysError::io("open", &place.root, source).into();
        }
        let (workspace, root) = (place.describe(), place.root.clone());
        if has_files(&root) {
            return StoreError::NoRepository { root };
        }
        match Registry::read(&place.home) {
            Ok(registry) if registry.knows(&place.key) => StoreError::Vanished { workspace, root },
            Ok(_) => StoreError::Absent {
                workspace,
                root,
                before: place.store_before().map(ToOwned::to_owned),
            },
            Err(error) => error,
        }
    }

    /// The variable by which an agent's shell is known, where this process runs in one.
    pub const fn agents_shell(&self) -> Option<&'static str> {
        self.sources.agents_shell
    }

    /// Its place.
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.place.root
    }

    /// The rules, by the settings.
    pub const fn rules(&self) -> &Rules {
        &self.settings.rules
    }

    /// The settings, with what is wrong in them.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The patterns by which a user's message asks to remember, by the settings. Patterns that do not compile are not
    /// among them.
    pub fn request_patterns(&self) -> RequestPatterns {
        let patterns = RequestPatterns::new(&self.settings.capture_patterns);
        patterns.unwrap_or_default()
    }

    /// The redactor that finds secrets, by the settings.
    pub const fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Gives the part of the present history that cannot be read, if there is such a part.
    pub fn damage(&self) -> Option<GitError> {
        let found = self.repo.check_last_commit().err();
        found.filter(|error| matches!(error, GitError::Damaged { .. }))
    }

    /// Its history.
    pub const fn repo(&self) -> &Repo {
        &self.repo
    }

    /// The sessions that it serves.
    pub fn sessions(&self) -> Sessions {
        Sessions::of(self.root())
    }

    /// The stores in whose sessions the prompt shows this one: itself, and for the global store those of all
    /// workspaces.
    pub fn roots_of_prompts(&self) -> Vec<PathBuf> {
        let mut roots = vec![self.root().to_owned()];
        if self.place.is_global() {
            let stores = self.place.home.join("workspaces").read_dir();
            let stores = stores.into_iter().flatten().flatten().map(|entry| entry.path());
            let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|there| there.is_dir());
            roots.extend(stores.filter(|root| is_folder(&root.join(LOCAL))));
        }
        roots
    }

    /// The pending writes of the store at `root`; without a home there are none.
    pub fn journal_of(&self, root: &Path) -> Option<Journal> {
        Some(Journal::of(self.sources.state_home.as_ref()?, root))
    }

    /// Begins a new epoch in every session whose prompt shows this store.
    pub fn force_epochs(&self, by: ForcedBy) -> Result<(), StoreError> {
        let mut sessions = self
            .roots_of_prompts()
            .into_iter()
            .map(|root| Sessions::of(&root));
        Ok(sessions.try_for_each(|sessions| sessions.force_all(by))?)
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The files as they are now.
    pub fn load(&self) -> Result<Snapshot, StoreError> {
        self.load_as_of(self.now())
    }

    /// The files as they are now, as the rules see them at `now`: activity after that is not counted.
    pub fn load_as_of(&self, now: Timestamp) -> Result<Snapshot, StoreError> {
        Ok(Arc::unwrap_or_clone(self.load_all(now)?.snapshot))
    }

    /// The same, to be kept up to date by [`Store::load_again`] or a writer.
    pub fn load_all(&self, now: Timestamp) -> Result<Loaded, StoreError> {
        self.repo.check_still_there()?;
        Source { now, ..self.source() }.load()
    }

    /// Reads those of these paths again that are not as they are loaded, and those in which something was allowed since,
    /// and follows HEAD: what else changed is not seen.
    pub fn load_again(&self, loaded: &mut Loaded, mut paths: BTreeSet<PathBuf>) -> Result<(), StoreError> {
        self.repo.check_still_there()?;
        let source = self.source();
        paths.retain(|path| !source.is_as_loaded(&loaded.snapshot, path));
        paths.extend(loaded.allowed.files_that_differ(&source.allowed));
        loaded.allowed.clone_from(&source.allowed);
        source.reload(loaded, &paths)
    }

    /// Gives the settings in which two openings of a store have to agree for one to use the other's loaded files.
    pub fn way_of_reading(&self) -> WayOfReading {
        let [folder, ..] = self.opened;
        (folder, cache::files_stamp(self.rules(), &self.redactor))
    }

    /// The files of a commit, with the history up to there, as the rules see them at `now`. What `known` has of them is
    /// not read again.
    pub fn load_commit(&self, commit: Oid, now: Timestamp, known: &Snapshot) -> Result<Snapshot, StoreError> {
        Source { now, ..self.source() }.load_commit(commit, known)
    }

    /// Every file that a commit has, with blob and mode. Those that mdmem would not see in the folder are not among
    /// them: hidden ones, say, that somebody committed with git.
    pub fn files_of(&self, commit: Oid) -> Result<Tree, StoreError> {
        let mut files = self.repo.entries(commit, None)?;
        files.retain(|path, entry| entry.mode.is_file() && is_seen(path));
        Ok(files)
    }

    /// The rules as they are where these files are those of the store. What does not concern them is not looked at.
    pub(super) fn rules_of(&self, files: &Tree) -> Result<Rules, StoreError> {
        let text = match files.get(Path::new(SETTINGS)) {
            Some(entry) if self.repo.size_of(entry.oid)? <= MAX_FILE => self.repo.blob(entry.oid)?,
            _ => Vec::new(),
        };
        let text = String::from_utf8_lossy(&text);
        Ok(self.sources.load(Some((Path::new(SETTINGS), &text))).rules)
    }

    /// Everything that lies in the folder.
    pub fn scan(&self) -> Result<Scan, StoreError> {
        self.repo.check_still_there()?;
        Ok(sys::scan(self.root())?)
    }

    /// The folder as loading needs it, with what is allowed now.
    pub(super) fn source(&self) -> Source<'_> {
        self.source_with(Allowed::read(self.root()))
    }

    /// The same, with what is known to be allowed.
    pub(super) fn source_with(&self, allowed: Allowed) -> Source<'_> {
        Source {
            root: self.root(),
            repo: &self.repo,
            rules: self.rules(),
            redactor: &self.redactor,
            allowed,
            now: self.now(),
        }
    }

    /// The memory in the bytes of a file as it is shown: without what looks like a credential.
    pub fn shown(&self, path: &StorePath, bytes: &[u8]) -> Memory {
        from_bytes(&self.source(), path, bytes, FileStat::default()).memory
    }

    /// The bytes of a memory's file.
    pub fn read(&self, path: &StorePath) -> Result<Vec<u8>, StoreError> {
        let read = sys::read_if_there(self.root(), path, MAX_FILE)?;
        let read = read.ok_or_else(|| StoreError::Gone { path: path.clone() })?;
        Ok(read.bytes)
    }

    /// Sets and removes single keys of a file. Needs no lock, because the bytes that were read are compared with those
    /// that are replaced; two writers of one store still take turns by the [`super::Writer`].
    pub(super) fn edit_file(
        &self,
        path: &StorePath,
        mut decide: impl FnMut(&[u8]) -> Vec<KeyEdit>,
    ) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let bytes = self.read(path)?;
            let edits = decide(&bytes);
            if edits.is_empty() {
                return Ok(());
            }
            let edited = document::edit(&bytes, &edits).map_err(|source| StoreError::Edit {
                path: path.clone(),
                source,
            })?;
            match sys::exchange(self.root(), path.as_str(), &bytes, &edited)? {
                Exchange::Exchanged => return Ok(()),
                Exchange::Changed(_) => {}
                Exchange::Missing => return Err(StoreError::Gone { path: path.clone() }),
            }
        }
        Err(StoreError::Contended {
            path: path.as_str().into(),
        })
    }

    /// An error when this program may not change the store, because it has a newer format.
    pub(super) fn check_format(&self) -> Result<(), StoreError> {
        let found = self.settings.format;
        if found > FORMAT {
            return Err(StoreError::NewerFormat {
                root: self.root().to_owned(),
                found,
                known: FORMAT,
            });
        }
        Ok(())
    }

    /// An error when a setting of the user's is wrong: for what stores text, because a pattern of theirs for secrets
    /// may be what was lost. A slip in the store's own file, which can set no such pattern, is left out of
    /// account, and told: the defaults hold.
    pub fn check_settings(&self) -> Result<(), StoreError> {
        let own = self.root().join(SETTINGS);
        let wrong = self
            .settings
            .problems
            .iter()
            .find(|problem| problem.severity() == Severity::Error && problem.file() != Some(&own));
        wrong.map_or(Ok(()), |problem| Err(StoreError::Settings(problem.to_string())))
    }

    /// A commit of these changes, now, signed where the settings say so.
    pub(super) fn new_commit<'a>(&self, changes: &'a [PathChange], message: &'a Message) -> NewCommit<'a> {
        let signing = if self.settings.commit_sign {
            Signing::ByGit
        } else {
            Signing::Unsigned
        };
        NewCommit {
            changes,
            message,
            time: self.now(),
            signing,
            merged: None,
        }
    }
}

/// Nothing of mdmem's own is read or written through a link, nor through what is no folder: a commit that somebody else
/// made may have brought it.
fn refuse_what_is_no_folder(root: &Path) -> Result<(), StoreError> {
    let local = root.join(LOCAL);
    let folders = ["cache", "sessions", "edit", "displaced"].map(|name| local.join(name));
    for path in std::iter::once(local).chain(folders) {
        match path.symlink_metadata() {
            Ok(there) if there.is_symlink() => return Err(SysError::Link(path).into()),
            Ok(there) if !there.is_dir() => {
                let error =
                    std::io::Error::other("a file is in its place: move it away, and mdmem makes the folder");
                return Err(SysError::io("open the folder", path, error).into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// The patterns of the settings were tried when the settings were read; those that do not compile are not among them.
fn redactor(settings: &Settings) -> Redactor {
    Redactor::new(&settings.redact_patterns).unwrap_or_default()
}

/// The repository's folder changes with every file in it: it is known by its inode alone.
fn stamp(root: &Path) -> Stamp {
    let folder = |path: &str| {
        let meta = root.join(path).metadata().ok()?;
        let known = FileStat {
            ino: meta.ino(),
            dev: meta.dev(),
            mode: meta.mode(),
            ..FileStat::default()
        };
        Some((known, meta.mtime() * 1_000_000_000 + meta.mtime_nsec()))
    };
    let repository = folder(".git").map(|(known, _)| known);
    let packs = folder(".git/objects/pack").map(|(known, mtime_ns)| FileStat { mtime_ns, ..known });
    [
        repository,
        stat_of(root, ".git/config"),
        packs,
        stat_of(root, SETTINGS),
    ]
}

fn stat_of(root: &Path, path: &str) -> Option<FileStat> {
    sys::stat(root, Path::new(path)).ok().flatten()
}

/// The settings of the store at `root`, whose repository is not looked at.
pub fn read_settings(root: &Path, sources: &SettingsSources) -> Result<Settings, StoreError> {
    let path = root.join(SETTINGS);
    let text = match sys::read_if_there(root, SETTINGS, MAX_FILE) {
        Ok(read) => read.map(sys::FileBytes::into_text),
        // A link is never followed out of the store; nobody's command ends for it.
        Err(error) if matches!(error.kind(), FailureKind::InTheWay | FailureKind::TooLarge) => {
            let mut settings = sources.settings(None);
            let message = error.to_string();
            settings.problems.push(Problem::Unreadable { path, message });
            return Ok(settings);
        }
        Err(error) => return Err(error.into()),
    };
    Ok(sources.settings(text.as_deref().map(|text| (path.as_path(), text))))
}

impl SettingsSources {
    /// The settings of a store whose own file, if it has one, is `store`.
    pub fn settings(&self, store: Option<(&Path, &str)>) -> Settings {
        let settings = self
            .load(store)
            .without_unusable(PatternList::Capture, |pattern| {
                RequestPatterns::new(&[pattern.to_owned()])
                    .err()
                    .map(|error| error.to_string())
            });
        settings.without_unusable(PatternList::Redact, |pattern| {
            Redactor::new(&[pattern.to_owned()])
                .err()
                .map(|error| error.to_string())
        })
    }
}
