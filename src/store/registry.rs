//! `registry.toml`: which workspace has which store. Kept by mdmem, readable by people.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::sys::{self, SysError};

use super::remote_address::RemoteAddress;
use super::{Place, StoreError, Workspace};

const FILE: &str = "registry.toml";

/// The most that is read: room for fifty thousand workspaces.
const MAX_BYTES: u64 = 16 << 20;

/// The key of the global store, which belongs to no workspace.
pub(super) const GLOBAL: &str = "global";

/// One workspace that has a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The name of the store's folder below `workspaces/`.
    pub key: String,
    /// The workspace's root, as a real path.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// The name under `by-name/`.
    pub name: String,
    /// The first commit of the workspace's own repository, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_commit: Option<String>,
    /// The address of the workspace's `origin`, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteAddress>,
}

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
            Err(source) => return Err(StoreError::Folder { path, source }),
        };
        let text = String::from_utf8_lossy(&bytes);
        toml::from_str(&text).map_err(|error| StoreError::Registry {
            path,
            message: error.message().to_owned(),
        })
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

    /// The registration of a workspace.
    pub fn of(&self, root: &Path) -> Option<&Registration> {
        self.registrations
            .iter()
            .find(|registration| registration.path == root)
    }

    /// The registration of a store.
    pub fn by_key(&self, key: &str) -> Option<&Registration> {
        self.registrations
            .iter()
            .find(|registration| registration.key == key)
    }

    /// The places of all stores, below an mdmem home: those of workspaces in the order of their paths, then the global one.
    pub fn places(&self, home: &Path) -> Vec<Place> {
        let of_workspace = |registration: &Registration| Place {
            home: home.to_owned(),
            root: home.join("workspaces").join(&registration.key),
            workspace: Some(Workspace::at(registration.path.clone())),
            key: registration.key.clone(),
        };
        let workspaces = self.registrations.iter().map(of_workspace);
        workspaces
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

    /// Adds a registration, or replaces the one of the same store.
    pub fn put(&mut self, registration: Registration) {
        self.registrations.retain(|other| other.key != registration.key);
        self.registrations.push(registration);
        self.registrations.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// The store that a workspace without one takes over: its old folder is gone, and both the first commit and the
    /// remote are the same. A clone or a fork, whose original is still there, is never taken over.
    pub fn moved(&self, root_commit: &str, remote: &RemoteAddress) -> Option<&Registration> {
        let mut found = self.registrations.iter().filter(|registration| {
            registration.root_commit.as_deref() == Some(root_commit)
                && registration.remote.as_ref() == Some(remote)
                && !registration.path.exists()
        });
        let first = found.next();
        if found.next().is_some() { None } else { first }
    }

    /// A name for `by-name/` that no other store has.
    pub fn free_name(&self, wanted: &str, key: &str) -> String {
        let plain: String = wanted
            .chars()
            .map(|c| if c == '/' || c.is_control() { '-' } else { c })
            .collect();
        let taken = |name: &str| {
            self.registrations
                .iter()
                .any(|other| other.name == name && other.key != key)
        };
        let numbered = (2..).map(|n| format!("{plain}-{n}"));
        std::iter::once(plain.clone())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or(plain)
    }
}

/// A path in a file of text. TOML has strings of UTF-8 alone, and a path is bytes: those that are no UTF-8 are written as
/// a percent sign and two digits after the mark `bytes:`, with which no full path begins.
mod path_text {
    use std::ffi::OsStr;
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize as _, Deserializer, Serializer};

    const MARK: &str = "bytes:";

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = path.to_str() {
            return serializer.serialize_str(text);
        }
        let mut text = MARK.to_owned();
        for chunk in path.as_os_str().as_bytes().utf8_chunks() {
            text.push_str(&chunk.valid().replace('%', "%25"));
            for byte in chunk.invalid() {
                write!(text, "%{byte:02x}").expect("because writing to a string does not fail");
            }
        }
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match text.strip_prefix(MARK) {
            Some(escaped) => OsStr::from_bytes(&unescaped(escaped)).into(),
            None => text.into(),
        })
    }

    fn unescaped(escaped: &str) -> Vec<u8> {
        let mut parts = escaped.split('%');
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let byte = part
                .get(..2)
                .and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let rest = match byte {
                Some(_) => &part[2..],
                None => part,
            };
            bytes.extend(byte);
            bytes.extend_from_slice(rest.as_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;
    use crate::model::{repeated, takes_its_length};

    fn remote(address: &str) -> RemoteAddress {
        RemoteAddress::from(address.to_owned())
    }

    fn registration(key: &str, path: &str) -> Registration {
        Registration {
            key: key.to_owned(),
            path: PathBuf::from(path),
            name: "app".to_owned(),
            root_commit: Some("r".to_owned()),
            remote: Some(remote("u")),
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

    #[test]
    fn a_moved_workspace_is_linked_only_when_the_old_folder_is_gone() {
        let mut registry = Registry::default();
        registry.put(registration("k1", "/"));
        assert_eq!(registry.moved("r", &remote("u")), None);
        registry.put(registration("k2", "/does/not/exist/a"));
        assert_eq!(
            registry.moved("r", &remote("u")).map(|found| found.key.as_str()),
            Some("k2")
        );
        registry.put(registration("k3", "/does/not/exist/b"));
        assert_eq!(
            registry.moved("r", &remote("u")),
            None,
            "two candidates are no answer"
        );
    }

    #[test]
    fn what_an_older_mdmem_kept_with_a_token_still_matches_and_is_written_without() {
        let text = "[[workspace]]\nkey = \"k\"\npath = \"/does/not/exist\"\nname = \"app\"\nroot_commit = \"r\"\n\
                    remote = \"https://me:old-token@host.example/a.git\"\n";
        let registry: Registry = toml::from_str(text).unwrap();
        let now = remote("https://me:new-token@host.example/a.git");
        assert!(registry.moved("r", &now).is_some());
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
