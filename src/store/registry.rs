//! `registry.toml`: which workspace has which store. Kept by mdmem, readable by people.
//!
//! The registration of a workspace: which store it has, and how it is known again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::place::Found;
use super::{Identity, Place, Presence, RemoteAddress, StoreError, Workspace};
use crate::sys::{FileStat, SysError};
use crate::text::folded_name;
use crate::{git, sys};

const FILE: &str = "registry.toml";

/// The most that is read: room for fifty thousand workspaces.
const MAX_BYTES: u64 = 16 << 20;

/// The key of the global store, which belongs to no workspace.
pub(super) const GLOBAL: &str = "global";

/// The registry, read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Registry {
    /// True when there is, or was, a global store.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    global: bool,
    #[serde(default, rename = "workspace")]
    registrations: Vec<Registration>,
}

impl Registry {
    /// Reads the registry of an mdmem home; there is none yet: empty.
    pub fn read(home: &Path) -> Result<Self, StoreError> {
        let path = home.join(FILE);
        let bytes = match sys::read_regular(&path, MAX_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Self::default()),
            Err(source) => return Err(SysError::io("open", path, source).into()),
        };
        let text = String::from_utf8_lossy(&bytes);
        toml::from_str(&text).map_err(|error| {
            StoreError::said(format!("cannot read {}: {}", path.display(), error.message()), "")
        })
    }

    /// The facts of the file of an mdmem home's registry, which are others once it was written.
    pub fn stat(home: &Path) -> Option<FileStat> {
        sys::stat(home, Path::new(FILE)).ok().flatten()
    }

    /// Writes the registry of an mdmem home.
    pub fn write(&self, home: &Path) -> Result<(), SysError> {
        sys::write_durable(&home.join(FILE), self.to_toml().as_bytes()).map(drop)
    }

    /// The file as it is written, sorted by path, so that equal registries are equal bytes.
    fn to_toml(&self) -> String {
        let text = toml::to_string(self).expect("because a registry is strings, its paths too");
        format!("# Which workspace has which store. Kept by mdmem.\n{text}")
    }

    /// The registration of a workspace. That of another project, which was in this place before, is not this one's.
    pub fn of(&self, root: &Path) -> Option<&Registration> {
        self.at(root).filter(|registration| !registration.is_displaced())
    }

    /// The registration that has this path, whichever project is there now.
    pub(super) fn at(&self, root: &Path) -> Option<&Registration> {
        self.registrations
            .iter()
            .find(|registration| registration.path == root)
    }

    /// The registrations of a store: one for each clone that shares it.
    pub fn all_of<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a Registration> {
        self.registrations.iter().filter(move |store| store.key == key)
    }

    /// The registration of a store; where clones share it, of the first that is in its place.
    pub fn by_key(&self, key: &str) -> Option<&Registration> {
        let mut all = self.all_of(key);
        let first = all.next()?;
        if !first.is_left() {
            return Some(first);
        }
        all.find(|other| !other.is_left()).or(Some(first))
    }

    /// The registration of a store for the workspace at this path, else that of another one.
    pub(super) fn by_key_at(&self, key: &str, path: Option<&Path>) -> Option<&Registration> {
        let here = self.all_of(key).find(|store| Some(store.path.as_path()) == path);
        here.or_else(|| self.by_key(key))
    }

    /// The registration of the store with this name, this key or this workspace.
    pub fn named(&self, name: &str) -> Option<&Registration> {
        let by_name = self.registrations.iter().find(|store| store.name == name);
        let key = by_name.map_or(name, |store| &store.key);
        self.by_key(key)
            .or_else(|| self.of(Path::new(name)).filter(|_| !name.is_empty()))
    }

    /// The names of all stores, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names: BTreeSet<&str> = self
            .registrations
            .iter()
            .map(|store| store.name.as_str())
            .collect();
        names.into_iter().chain(self.global.then_some(GLOBAL))
    }

    /// The first commits of the workspaces that have one.
    pub fn root_commits(&self) -> impl Iterator<Item = &str> {
        self.registrations
            .iter()
            .filter_map(|store| store.identity.root_commit.as_deref())
    }

    /// The places of all stores, below an mdmem home: those of workspaces in the order of their paths, then the global one.
    pub fn places(&self, home: &Path) -> Vec<Place> {
        let mut seen = BTreeSet::new();
        let keys = self.registrations.iter().map(|store| store.key.as_str());
        let keys = keys.filter(|key| seen.insert(*key)).collect::<Vec<_>>();
        let workspaces = keys.into_iter().filter_map(|key| self.by_key(key));
        workspaces
            .map(|store| Place::registered(home, store, Found::Named))
            .chain(self.global.then(|| Place::global(home)))
            .collect()
    }

    /// Says whether there is, or was, a store of this key.
    pub fn knows(&self, key: &str) -> bool {
        self.by_key(key).is_some() || (self.global && key == GLOBAL)
    }

    /// Notes that there is a global store.
    pub fn put_global(&mut self) {
        self.global = true;
    }

    /// Adds a registration, or replaces the one of the same store. Clones in their place that share it keep theirs. A
    /// workspace has one store: another one that had it has none from now on, unless clones share that.
    pub fn put(&mut self, registration: Registration) {
        let shares = |other: &Registration| {
            let has_place = other.workspace().is_some() && !other.is_left();
            has_place && other.path != registration.path && other.is_clone_of(&registration)
        };
        self.registrations
            .retain(|other| other.key != registration.key || shares(other));
        if let Some(at) = self
            .registrations
            .iter()
            .position(|other| other.path == registration.path)
        {
            let mut other = self.registrations.remove(at);
            if self.all_of(&other.key).next().is_none() {
                other.path = PathBuf::new();
                self.registrations.push(other);
            }
        }
        self.registrations.push(registration);
        self.registrations.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// The store of the workspace that had this `.git`, wherever that is now, and whatever was done to its history. A copy
    /// has another one.
    pub fn of_git(&self, born: Option<i64>) -> Option<&Registration> {
        let has_it = |store: &&Registration| born.is_some() && store.identity.born == born;
        let stores: Vec<&Registration> = self.registrations.iter().filter(has_it).collect();
        match stores.as_slice() {
            [store] if store.workspace().is_none() || store.is_left() => Some(store),
            _ => None,
        }
    }

    /// The store that a workspace without one takes over: its old folder is gone, or another project is there, and the
    /// first commit is the same. So is the remote, or one of the two had none and the `.git` may be the same. A clone or a
    /// fork, whose original is still there, takes over none, and several candidates are no answer.
    pub fn moved(&self, there: &Identity) -> Option<&Registration> {
        there.root_commit.as_ref()?;
        let is_copy = |store: &&Registration| store.identity.root_commit == there.root_commit;
        let copies = || self.registrations.iter().filter(is_copy);
        // A store has no workspace any more when another project took its place. It has none either when a person gave
        // the workspace another store, but then this one has the repository's workspace.
        let have_workspace = copies().any(|store| store.workspace().is_some());
        let is_lost = |store: &&Registration| match store.workspace() {
            // A clone that shared a store which others still have leaves nothing to take over.
            Some(_) => self.all_of(&store.key).all(Registration::is_left),
            None => !have_workspace,
        };
        let has_remote = |store: &&Registration| store.identity.remote == there.remote;
        let may_be_it = |store: &&Registration| {
            there.remote.is_some() && has_remote(store) || !store.identity.is_of_another_git(there.born)
        };
        let lost: Vec<&Registration> = copies().filter(is_lost).filter(may_be_it).collect();
        let same: Vec<&Registration> = lost.iter().copied().filter(has_remote).collect();
        let is_without = |store: &&Registration| store.identity.remote.is_none() || there.remote.is_none();
        let candidates = if same.is_empty() {
            lost.into_iter().filter(is_without).collect()
        } else {
            same
        };
        match candidates.as_slice() {
            [moved] => Some(moved),
            _ => None,
        }
    }

    /// The stores that a new one may stand beside by mistake: of other copies of its repository, wherever those are,
    /// and of workspaces of its folder's name that are in their places no more.
    pub fn akin(&self, new: &Registration) -> Vec<&Registration> {
        let is_akin = |store: &&Registration| {
            let has_its_name = store.path.file_name() == new.path.file_name();
            store.key != new.key && (store.is_clone_of(new) || has_its_name && store.is_left())
        };
        let mut seen = BTreeSet::new();
        let akin = self.registrations.iter().filter(is_akin);
        akin.filter(|store| seen.insert(&store.key)).collect()
    }

    /// A name that no other store has, in any case: file systems may take two for one.
    pub fn free_name(&self, wanted: &str, key: &str) -> String {
        let plain: String = wanted
            .chars()
            .map(|c| if c == '/' || c.is_control() { '-' } else { c })
            .collect();
        let taken = |name: &str| {
            let folded = folded_name(name);
            folded == GLOBAL
                || self
                    .registrations
                    .iter()
                    .any(|other| folded_name(&other.name) == folded && other.key != key)
        };
        let numbered = (2..).map(|n| format!("{plain}-{n}"));
        std::iter::once(plain.clone())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or(plain)
    }

    /// A key for the store of a workspace that no other store has: one that was made for a workspace in this place may
    /// have moved with it.
    pub fn free_key(&self, workspace: &Workspace) -> String {
        let keys = (1..).map(|n| workspace.key(n));
        let is_free = |key: &String| self.by_key(key).is_none();
        keys.into_iter()
            .find(is_free)
            .expect("because the numbers do not end")
    }
}

/// One workspace that has a store. Clones of one repository may share one: each has a registration with the same key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The name of the store's folder below `workspaces/`.
    pub key: String,
    /// The workspace's root, as a real path; empty for a store whose workspace was given another one.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// The name of the store, which no other has: under `by-name/`, and for `--store`. It stays when the workspace
    /// moves.
    pub name: String,
    /// The facts by which the workspace's own repository is known again.
    #[serde(flatten)]
    pub identity: Identity,
}

impl Registration {
    /// The workspace, where the store has one.
    pub fn workspace(&self) -> Option<Workspace> {
        let is_known = !self.path.as_os_str().is_empty();
        is_known.then(|| Workspace::at(self.path.clone()))
    }

    /// Says whether both are clones of one repository: the first commit or the address of `origin` is the same.
    pub(super) fn is_clone_of(&self, other: &Self) -> bool {
        let (here, there) = (&self.identity, &other.identity);
        let telling = |of: &Identity| RemoteAddress::telling(of.remote.as_ref()?.as_str());
        here.root_commit.is_some() && here.root_commit == there.root_commit
            || telling(here)
                .zip(telling(there))
                .is_some_and(|(remote, other)| remote.is_same(&other))
    }

    /// Says whether the workspace is in its place no more: somebody removed or renamed it, or another project is there.
    pub(super) fn is_left(&self) -> bool {
        let workspace = self.workspace();
        workspace.is_some_and(|workspace| workspace.presence() == Presence::Gone) || self.is_displaced()
    }

    /// Says whether the workspace is in its place, with its repository.
    pub fn is_in_its_place(&self) -> bool {
        let presence = self.workspace().map(|workspace| workspace.presence());
        presence == Some(Presence::There) && !self.is_displaced() && !self.is_without_repository()
    }

    /// Says whether a folder is in the workspace's place that is no repository, where one was known.
    pub fn is_without_repository(&self) -> bool {
        let workspace = self.workspace();
        let is_plain = workspace.is_some_and(|workspace| git::is_without_git(workspace.root()));
        is_plain && self.identity != Identity::default()
    }

    /// Says whether another project is in the workspace's place: its repository, or a folder that is younger than the
    /// workspace's own.
    pub fn is_displaced(&self) -> bool {
        let workspace = self.workspace();
        workspace.is_some_and(|workspace| self.identity.is_another_in(workspace.root()))
    }
}

/// A path in a file of text. TOML has strings of UTF-8 alone, and a path is bytes: one that is no UTF-8 is written
/// percent-encoded after the mark `bytes:`, with which no full path begins.
mod path_text {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
    use serde::{Deserialize as _, Deserializer, Serializer};

    const MARK: &str = "bytes:";
    const ENCODED: &AsciiSet = &CONTROLS.add(b'%');

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(&format_args!(
                "{MARK}{}",
                percent_encode(path.as_os_str().as_bytes(), ENCODED)
            )),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match text.strip_prefix(MARK) {
            Some(encoded) => OsStr::from_bytes(&percent_decode_str(encoded).collect::<Vec<u8>>()).into(),
            None => text.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;
    use crate::model::{repeated, takes_its_length};

    fn registration(key: &str, path: &str) -> Registration {
        Registration {
            key: key.to_owned(),
            path: PathBuf::from(path),
            name: "app".to_owned(),
            identity: identity(Some("u")),
        }
    }

    fn identity(remote: Option<&str>) -> Identity {
        Identity {
            root_commit: Some("r".to_owned()),
            remote: remote.map(|address| RemoteAddress::from(address.to_owned())),
            born: None,
        }
    }

    #[test]
    fn reads_what_it_writes() {
        let mut registry = Registry::default();
        registry.put(registration("k1", "/does/not/exist/a"));
        registry.put(registration("k2", "/"));
        registry.put(registration("k3", "/50%20 bytes:%e9"));
        let mut bytes = registration("k4", "");
        bytes.path = std::ffi::OsStr::from_bytes(b"/caf\xe9/100%/%e9\xff").into();
        registry.put(bytes);
        let read: Registry = toml::from_str(&registry.to_toml()).unwrap();
        assert_eq!(read, registry);
        assert!(!read.knows(GLOBAL) && read.knows("k1") && !read.knows("k9"));
        registry.put_global();
        let read: Registry = toml::from_str(&registry.to_toml()).unwrap();
        assert!(read == registry && read.knows(GLOBAL));
    }

    /// A folder below which workspaces come and go: what is missing there is gone, and on no other disk.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("there")).unwrap();
        folder
    }

    #[test]
    fn a_moved_workspace_is_linked_only_when_the_old_folder_is_gone() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let moved = |registry: &Registry, remote: Option<&str>| {
            registry.moved(&identity(remote)).map(|found| found.key.clone())
        };
        let mut registry = Registry::default();
        registry.put(registration("k1", &at("there")));
        assert_eq!(moved(&registry, Some("u")), None, "a copy");
        registry.put(registration("k9", "/mnt/no-such-volume/app"));
        assert_eq!(moved(&registry, Some("u")), None, "on another disk");
        registry.put(registration("k2", &at("a")));
        for remote in [Some("u"), None] {
            assert_eq!(moved(&registry, remote).as_deref(), Some("k2"), "{remote:?}");
        }
        assert_eq!(moved(&registry, Some("fork")), None);
        let without = |key: &str, path: &str| Registration {
            identity: identity(None),
            ..registration(key, &at(path))
        };
        registry.put(without("k3", "b"));
        assert_eq!(
            moved(&registry, Some("u")).as_deref(),
            Some("k2"),
            "the same remote"
        );
        assert_eq!(moved(&registry, None).as_deref(), Some("k3"), "none, as before");
        assert_eq!(moved(&registry, Some("fork")).as_deref(), Some("k3"));
        registry.put(without("k4", "c"));
        assert_eq!(moved(&registry, None), None, "two candidates are no answer");
        assert_eq!(registry.moved(&Identity::default()), None);
    }

    #[test]
    fn a_copy_of_a_gone_repository_without_a_remote_is_not_that_repository() {
        let folder = folder();
        let gone = |remote: Option<&str>| {
            let mut gone = registration("k", folder.path().join("gone").to_str().unwrap());
            gone.identity = Identity {
                born: Some(1),
                ..identity(remote)
            };
            let mut registry = Registry::default();
            registry.put(gone);
            registry
        };
        for (known, remote, born, is_it) in [
            (None, None, Some(1), true),
            (None, None, None, true),
            (None, None, Some(2), false),
            (None, Some("u"), Some(1), true),
            (None, Some("u"), Some(2), false),
            (Some("u"), None, Some(2), false),
            (Some("u"), Some("u"), Some(2), true),
            (Some("u"), Some("fork"), Some(1), false),
        ] {
            let there = Identity {
                born,
                ..identity(remote)
            };
            let registry = gone(known);
            assert_eq!(registry.moved(&there).is_some(), is_it, "{known:?} {there:?}");
        }
    }

    #[test]
    fn a_store_without_a_workspace_is_found_where_no_other_has_the_repository() {
        let folder = folder();
        let mut parted = Registry::default();
        parted.put(registration("k1", ""));
        let there = identity(Some("u"));
        assert_eq!(parted.moved(&there).unwrap().key, "k1", "its place was taken");
        let with = |path: &str| {
            let mut registry = parted.clone();
            registry.put(registration("k2", folder.path().join(path).to_str().unwrap()));
            registry.moved(&there).map(|found| found.key.clone())
        };
        assert_eq!(with("there"), None, "it was parted from its workspace");
        assert_eq!(with("gone").as_deref(), Some("k2"), "the one it has now");
    }

    #[test]
    fn a_workspace_has_one_store_and_a_place_may_have_had_several() {
        let folder = folder();
        let path = folder.path().join("there");
        let workspace = Workspace::at(path.clone());
        let at = path.to_str().unwrap();
        let mut registry = Registry::default();
        let first = registry.free_key(&workspace);
        registry.put(registration(&first, at));
        let second = registry.free_key(&workspace);
        assert_ne!(first, second);
        registry.put(registration(&second, at));
        assert_eq!(registry.of(&path).unwrap().key, second);
        assert_eq!(registry.by_key(&first).unwrap().workspace(), None);
        assert!(registry.named("").is_none());
        let read: Registry = toml::from_str(&registry.to_toml()).unwrap();
        assert_eq!(read, registry);
    }

    #[test]
    fn a_new_store_knows_the_other_copies_and_what_is_gone() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let mut registry = Registry::default();
        let plain = |key: &str, path: &str| Registration {
            identity: Identity::default(),
            ..registration(key, path)
        };
        registry.put(registration("copy", &at("there")));
        registry.put(plain("gone", &at("app")));
        registry.put(plain("other", &at("else")));
        let akin = |new: &Registration| {
            registry
                .akin(new)
                .iter()
                .map(|found| found.key.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(akin(&registration("new", "/x/copied")), ["copy"]);
        assert_eq!(akin(&plain("new", "/x/app")), ["gone"]);
        assert!(akin(&plain("new", "/x/y")).is_empty());
    }

    #[test]
    fn what_an_older_mdmem_kept_with_a_token_still_matches_and_is_written_without() {
        let folder = folder();
        let text = format!(
            "[[workspace]]\nkey = \"k\"\npath = \"{}/gone\"\nname = \"app\"\nroot_commit = \"r\"\n\
             remote = \"https://me:old-token@host.example/a.git\"\n",
            folder.path().display()
        );
        let registry: Registry = toml::from_str(&text).unwrap();
        let now = identity(Some("https://me:new-token@host.example/a.git"));
        assert!(registry.moved(&now).is_some());
        assert!(!registry.to_toml().contains("token"), "{}", registry.to_toml());
    }

    #[test]
    fn names_are_told_apart() {
        let mut registry = Registry::default();
        registry.put(registration("k1", "/x"));
        assert_eq!(
            (registry.free_name("app", "k1"), registry.free_name("app", "k2")),
            ("app".into(), "app-2".into())
        );
        assert_eq!(
            registry.free_name("APP", "k2"),
            "APP-2",
            "some file systems take them for one"
        );
        assert_eq!(registry.free_name("global", "k2"), "global-2");
        let found = |name: &str| registry.named(name).map(|found| found.key.as_str());
        assert_eq!(
            [found("app"), found("k1"), found("/x"), found("a")],
            [Some("k1"), Some("k1"), Some("k1"), None]
        );
    }

    #[test]
    fn a_hostile_registry_takes_its_length() {
        let home = tempfile::tempdir().unwrap();
        let write = |text: String| {
            sys::write_atomic(&home.path().join(FILE), text.as_bytes())
                .map(drop)
                .unwrap();
        };
        let entry = "[[workspace]]\nkey = \"k#\"\npath = \"/w/#\"\nname = \"n#\"\n";
        for piece in [
            entry,
            "[[workspace]]\nkey = \"k\"\npath = \"/w\"\nname = \"n\"\n",
            "[[workspace]]\nkey = \"k\"\npath = \"bytes:%ff%\"\nname = \"n-#\"\nremote = \"https://a@b/#\"\n",
            "[workspace.k#]\n",
            "[[workspace]]\n",
            "a.b.c.d.e.f# = 1\n",
            "[",
            "x = [[",
            "\"",
            "\'\'\'",
            "# x\n",
        ] {
            let file = |bytes: usize| write(repeated(piece, bytes));
            takes_its_length(piece, file, |()| {
                let Ok(mut registry) = Registry::read(home.path()) else {
                    return;
                };
                assert!(registry.of(Path::new("/nowhere")).is_none());
                assert!(!registry.free_name("n", "k").is_empty());
                if let Some(mut added) = registry.registrations.first().cloned() {
                    added.key = "other".to_owned();
                    registry.put(added);
                }
            });
        }
        write(repeated(entry, 700_000));
        assert!(Registry::read(home.path()).unwrap().by_key("k9999").is_some());
    }
}
