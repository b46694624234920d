//! Making a store: the folder, its repository, the first commit, its place in the registry.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::contents::{LOCAL, PROTOCOL, SETTINGS};
use super::difference::Description;
use super::place::Found;
use super::{Place, Registration, Registry, Store, StoreError, Workspace};
use crate::config::SettingsSources;
use crate::git::Repo;
use crate::sys::{Clock, FileLock, NewFile, SysError, shell_word};
use crate::{git, sys};

/// The files of a new store. A file that is there already is the person's, and stays.
const FILES: [(&str, &str); 4] = [
    (
        ".gitattributes",
        include_str!("../../templates/store/gitattributes"),
    ),
    (".gitignore", include_str!("../../templates/store/gitignore")),
    (SETTINGS, include_str!("../../templates/store/mdmem.toml")),
    (PROTOCOL, include_str!("../../templates/store/PROTOCOL.md")),
];

/// The text that says how to write a memory, as a new store gets it, in a store with this folder of pinned notes.
pub fn built_in_protocol(hot_dir: &str) -> String {
    repinned_protocol(FILES[3].1, hot_dir)
}

/// A text that says how to write a memory, with this folder of pinned notes in the row that mdmem wrote of it. Of
/// several such rows, which a merge may leave, the first stays.
pub fn repinned_protocol(text: &str, hot_dir: &str) -> String {
    let mut repinned = String::with_capacity(text.len());
    let mut is_named = false;
    for line in text.split_inclusive('\n') {
        let row = line
            .strip_prefix("| `")
            .and_then(|row| row.split_once('/'))
            .filter(|(_, rest)| rest.trim_end() == "` | pinned: the whole text is in every prompt |");
        match row {
            None => repinned.push_str(line),
            Some((_, rest)) if !is_named => {
                is_named = true;
                repinned.extend(["| `", hot_dir, "/", rest]);
            }
            Some(_) => {}
        }
    }
    repinned
}

/// The time for which two first commands of one home wait for each other.
pub(super) const WAIT_FOR_HOME: Duration = Duration::from_secs(10);

/// The result of making a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creation {
    /// It was there already.
    Existed,
    /// It was made.
    Created,
    /// The workspace moved: its store was found by its first commit, and is its store again.
    Relinked {
        /// The old place of the workspace.
        from: PathBuf,
    },
}

/// The need of a store where there is none: it says what a new history may take the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// Something is to be stored. If there was a store, or if there are files without a repository, or if the folder
    /// is no repository and another store's was in its place, nothing begins behind a person's back.
    ByNeed,
    /// A person asked for a store (`mdmem init`): files without a repository are its first commit.
    Asked,
    /// A person said that the store which is gone will not come back (`mdmem init --new`).
    Anew,
}

impl Store {
    /// Opens the store of a place, and makes it where there is none. Two processes that do this at once make one store.
    pub fn create(
        place: Place,
        beginning: Beginning,
        sources: &SettingsSources,
        clock: Clock,
    ) -> Result<(Self, Creation), StoreError> {
        if place.exists() && place.is_settled()? {
            return Ok((Self::open(place, sources, clock)?, Creation::Existed));
        }
        make_private_folder(&place.home)?;
        let _home = FileLock::acquire(&place.home.join(".lock"), WAIT_FOR_HOME)?;
        let mut registry = Registry::read(&place.home)?;
        if place.exists() {
            let from = place.settle(&mut registry)?;
            let creation = from.map_or(Creation::Existed, |from| Creation::Relinked { from });
            return Ok((Self::open(place, sources, clock)?, creation));
        }
        match Self::absent(&place) {
            // A place that is being made anew: the next thing there may be the repository.
            StoreError::Absent {
                before: Some(store), ..
            } if beginning == Beginning::ByNeed && place.is_plain() => {
                let folder = place.shown_root().display();
                return Err(StoreError::said(
                    format!("{folder} is no longer a git repository, but was one for the store `{store}`"),
                    format!(
                        "If the repository was moved, its memory moved with it. `mdmem stores link {}` \
                         links this folder to that store; `mdmem init` creates an empty one.",
                        shell_word(&store)
                    ),
                ));
            }
            StoreError::Absent { .. } => {}
            StoreError::NoRepository { .. } if beginning != Beginning::ByNeed => {}
            StoreError::Vanished { .. } if beginning == Beginning::Anew => {}
            error => return Err(error),
        }
        make(&place, sources, clock.clone())?;
        let registration = place.registration(&registry);
        register(&place, &mut registry, registration)?;
        Ok((Self::open(place, sources, clock)?, Creation::Created))
    }
}

/// Says whether a folder holds anything of a person's. The local folder can be made again, and may be all that there
/// is.
pub(super) fn has_files(root: &Path) -> bool {
    let is_local = |entry: &std::fs::DirEntry| entry.file_name() == LOCAL;
    root.read_dir()
        .is_ok_and(|entries| entries.flatten().any(|entry| !is_local(&entry)))
}

impl Place {
    /// Says whether the workspace's folder is there and is no repository.
    fn is_plain(&self) -> bool {
        let workspace = self.workspace.as_ref();
        workspace.is_some_and(|workspace| git::is_without_git(workspace.root()))
    }

    /// Says whether the registry knows all about the store. It knows nothing of one that somebody works inside of and
    /// that has no workspace.
    fn is_settled(&self) -> Result<bool, StoreError> {
        let registry = Registry::read(&self.home)?;
        Ok(match (registry.by_key_at(&self.key, self.path()), &self.found) {
            (_, Found::Moved { .. }) => false,
            (Some(known), _) => {
                let has_first_commit =
                    || known.identity.root_commit.is_some() || self.first_commit().is_none();
                !self.is_born_since(known) && has_first_commit() || known.is_displaced()
            }
            (None, _) => registry.knows(&self.key) || self.workspace.is_none() && !self.is_global(),
        })
    }

    /// Says whether the workspace's repository is a copy of the one that the registry knows, or was made in a folder that
    /// had none.
    fn is_born_since(&self, known: &Registration) -> bool {
        let workspace = self.workspace.as_ref();
        let born = workspace.and_then(|workspace| git::repository_born(workspace.root()));
        born.is_some() && known.identity.born != born
    }

    /// Writes down where the workspace is and how it is known again; gives its old place, where it moved. The home's lock
    /// is held. The store may have been made by another process meanwhile, or by one that was killed before it could
    /// register it.
    pub(super) fn settle(&self, registry: &mut Registry) -> Result<Option<PathBuf>, StoreError> {
        let path = match &self.found {
            Found::Moved { from } => Some(from.as_path()),
            _ => self.path(),
        };
        let Some(known) = registry.by_key_at(&self.key, path) else {
            let registration = self.registration(registry);
            register(self, registry, registration)?;
            return Ok(None);
        };
        let mut known = known.clone();
        let mut moved = None;
        if let (Found::Moved { from }, Some(workspace)) = (&self.found, &self.workspace)
            && known.path == *from
        {
            workspace.root().clone_into(&mut known.path);
            moved = Some(from.clone());
        }
        if known.workspace() != self.workspace || known.is_displaced() {
            return Ok(None);
        }
        if self.is_born_since(&known)
            && let Some(found) = self.registration(registry)
        {
            known.identity.refresh(found.identity);
        }
        let root_commit = &mut known.identity.root_commit;
        *root_commit = root_commit.take().or_else(|| self.first_commit());
        register(self, registry, Some(known))?;
        Ok(moved)
    }

    fn path(&self) -> Option<&Path> {
        self.workspace.as_ref().map(Workspace::root)
    }

    fn first_commit(&self) -> Option<String> {
        let workspace = self.workspace.as_ref()?;
        Some(git::first_commit_since(workspace.root())?.to_string())
    }

    pub(super) fn registration(&self, registry: &Registry) -> Option<Registration> {
        let workspace = self.workspace.as_ref()?;
        let known = registry.by_key(&self.key);
        Some(Registration {
            key: self.key.clone(),
            path: workspace.root().to_owned(),
            name: known.map_or_else(
                || registry.free_name(&workspace.name(), &self.key),
                |known| known.name.clone(),
            ),
            identity: git::workspace_identity(workspace.root()).into(),
        })
    }
}

/// A repository with its first commit is made beside its place and renamed there, so that nobody, and no later
/// process after a kill, meets half a store. The home's lock is held.
fn make(place: &Place, sources: &SettingsSources, clock: Clock) -> Result<(), StoreError> {
    make_private_folder(place.root.parent().unwrap_or(&place.home))?;
    if place.root.is_dir() {
        // A folder with files and no repository: a person's copy. It becomes the store, with everything in it.
        Repo::init(&place.root)?;
        return fill(place.clone(), sources, clock);
    }
    let beside = StoreBeside::begin(place)?;
    fill(beside.place(place), sources, clock)?;
    beside.rename_to(&place.root)
}

/// A store that is made beside its place. It goes with this value, unless it took its place.
pub struct StoreBeside {
    folder: tempfile::TempDir,
    /// Held while it is made, so that nobody takes it for one that a kill left.
    _lock: FileLock,
}

impl Store {
    /// Makes the folders of the types, and those of the other zones, where they are missing: an editor cannot save into a
    /// folder that is not there, and git removes a folder with its last file. In the place of a store that is gone they
    /// would take in saves that nobody finds again, so they come only beside the repository.
    pub(super) fn make_folders(&self) -> Result<(), StoreError> {
        let kinds = self.rules().types.iter().map(|rule| rule.kind.as_str());
        Ok(sys::make_folders_beside(
            self.root(),
            ".git",
            kinds.chain([self.rules().hot_dir.as_str(), "archive"]),
        )?)
    }

    /// Begins a repository without a commit beside a place.
    pub fn beside(place: &Place) -> Result<StoreBeside, StoreError> {
        make_private_folder(&place.home)?;
        make_private_folder(place.root.parent().unwrap_or(&place.home))?;
        let _home = FileLock::acquire(&place.home.join(".lock"), WAIT_FOR_HOME)?;
        StoreBeside::begin(place)
    }
}

impl StoreBeside {
    /// The home's lock is held.
    fn begin(place: &Place) -> Result<Self, StoreError> {
        let parent = place.root.parent().unwrap_or(&place.home);
        sweep_half_made(parent);
        let folder = tempfile::Builder::new()
            .prefix(BESIDE)
            .tempdir_in(parent)
            .map_err(|error| SysError::io("create a folder in", parent, error))?;
        make_private_folder(&folder.path().join(LOCAL))?;
        let lock = FileLock::acquire(&lock_of(folder.path()), WAIT_FOR_HOME)?;
        Repo::init(folder.path())?;
        Ok(Self { folder, _lock: lock })
    }

    /// The same place, where it lies now.
    pub fn place(&self, place: &Place) -> Place {
        Place {
            root: self.folder.path().to_owned(),
            ..place.clone()
        }
    }

    /// Moves it to its place, where nothing may be. The next to open it registers it.
    pub fn take_place(self, place: &Place) -> Result<(), StoreError> {
        let _home = FileLock::acquire(&place.home.join(".lock"), WAIT_FOR_HOME)?;
        match Store::absent(place) {
            StoreError::Absent { .. } | StoreError::Vanished { .. } => {}
            error => return Err(error),
        }
        self.rename_to(&place.root)
    }

    fn rename_to(self, root: &Path) -> Result<(), StoreError> {
        // A process that looks for what a kill left waits for the home's lock.
        let renamed = std::fs::remove_file(lock_of(self.folder.path()))
            .and_then(|()| std::fs::rename(self.folder.path(), root));
        renamed.map_err(|error| SysError::io("create", root, error))?;
        // There is nothing left to remove.
        let _ = self.folder.keep();
        Ok(())
    }
}

/// The beginning of the name of a store that is being made.
const BESIDE: &str = ".new-";

/// The file that is locked while a store is made in this folder.
fn lock_of(folder: &Path) -> PathBuf {
    folder.join(LOCAL).join("new.lock")
}

/// Removes what earlier processes left that were killed while they made a store. Who makes one holds its lock.
fn sweep_half_made(parent: &Path) {
    let entries = parent.read_dir().into_iter().flatten().flatten();
    let is_half_made = |entry: &std::fs::DirEntry| {
        let name = entry.file_name();
        let is_dead = || !matches!(FileLock::try_acquire(&lock_of(&entry.path())), Ok(None));
        name.to_string_lossy().starts_with(BESIDE)
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && is_dead()
    };
    for left in entries.filter(is_half_made) {
        let left = left.path();
        if let Err(error) = std::fs::remove_dir_all(&left) {
            tracing::warn!(path = %left.display(), %error, "a partly created store could not be removed");
        }
    }
}

fn fill(place: Place, sources: &SettingsSources, clock: Clock) -> Result<(), StoreError> {
    let root = place.root.clone();
    make_private_folder(&root.join(LOCAL))?;
    for (name, text) in FILES {
        match sys::write_new(&root, name, text.as_bytes())? {
            NewFile::Written | NewFile::Taken => {}
        }
    }
    let store = Store::open(place, sources, clock)?;
    store.make_folders()?;
    let mut writer = store.writer("mdmem init")?;
    let (changes, _) = writer.difference(None)?;
    writer.commit_changes(&changes, &Description::op("init", "create store with"), None)?;
    writer.finish();
    Ok(())
}

pub(super) fn register(
    place: &Place,
    registry: &mut Registry,
    registration: Option<Registration>,
) -> Result<(), StoreError> {
    match registration {
        Some(registration) => {
            link_by_name(&place.home, &registration)?;
            registry.put(registration);
        }
        None if place.is_global() => registry.put_global(),
        None => return Ok(()),
    }
    sys::remove_dead_parts_of(&place.home)?;
    Ok(registry.write(&place.home)?)
}

/// `by-name/<name>` leads to the store, for people and editors. A file system without links does without.
fn link_by_name(home: &Path, registration: &Registration) -> Result<(), StoreError> {
    let (link, target) = by_name(home, registration);
    if std::fs::read_link(&link).is_ok_and(|there| there == target) {
        return Ok(());
    }
    make_private_folder(&home.join(BY_NAME))?;
    if std::fs::symlink_metadata(&link).is_ok_and(|there| there.is_symlink()) {
        std::fs::remove_file(&link).map_err(|error| SysError::io("remove", &link, error))?;
    }
    if let Err(error) = std::os::unix::fs::symlink(&target, &link) {
        tracing::warn!(link = %link.display(), %error, "the link by name could not be created");
    }
    Ok(())
}

const BY_NAME: &str = "by-name";

/// The link of a store by its name, and the store as the link has it.
fn by_name(home: &Path, registration: &Registration) -> (PathBuf, PathBuf) {
    let link = home.join(BY_NAME).join(&registration.name);
    (link, Path::new("../workspaces").join(&registration.key))
}

/// Makes a folder that nobody else may look into, and those above it.
pub fn make_private_folder(path: &Path) -> Result<(), SysError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let made = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    made.map_err(|error| SysError::io("create the folder", path, error))
}
