//! The facts by which a workspace's own repository is known again: after a move, and from another project in its place.
//!
//! The address of a workspace's `origin`, as the registry may keep it: without what gives access.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::git;
use crate::git::{WorkspaceIdentity, parse_oid};
use crate::text::Redactor;

/// The facts, as the registry keeps them. A folder in no repository has none of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Identity {
    /// The first commit of the repository, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_commit: Option<String>,
    /// The address of its `origin`, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteAddress>,
    /// The milliseconds since 1970 at which the file system made its `.git`, where the file system keeps that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<i64>,
}

impl From<WorkspaceIdentity> for Identity {
    fn from(found: WorkspaceIdentity) -> Self {
        Self {
            root_commit: found.root_commit.map(|oid| oid.to_string()),
            remote: found.remote.map(RemoteAddress::from),
            born: found.born,
        }
    }
}

impl Identity {
    /// Says whether the repository at `root` is another project's. This one has the same `.git`, or the same `origin`,
    /// or the first commit and no other `origin`. A folder without a repository may be this one, whose `.git` is away,
    /// unless the folder is younger than that `.git`. A repository that cannot be read may be this one, and so may
    /// anything where nothing is known.
    pub(super) fn is_another_in(&self, root: &Path) -> bool {
        if self.born.is_some_and(|known| git::is_plain_since(root, known)) {
            return true;
        }
        let born = git::repository_born(root);
        if *self == Self::default() || born.is_some() && self.born == born {
            return false;
        }
        let first = self.root_commit.as_deref().and_then(parse_oid);
        let Some(there) = git::look_at(root, first) else {
            return false;
        };
        let is_of_another_git = self.is_of_another_git(born);
        let remote = there.remote.as_deref().and_then(RemoteAddress::telling);
        let remotes = self.remote.as_ref().zip(remote.as_ref());
        match remotes.map(|(known, remote)| known.is_same(remote)) {
            Some(true) => false,
            // In the same `.git` a person gave `origin` another address.
            Some(false) => is_of_another_git || !there.has_commit,
            None => !there.has_commit && (is_of_another_git || first.is_some()),
        }
    }

    /// Says whether a `.git` that the file system made at this time is surely not the one that is known.
    pub(super) fn is_of_another_git(&self, born: Option<i64>) -> bool {
        self.born.is_some() && born.is_some() && self.born != born
    }

    /// Takes over what is found; what is not found stays as it was known.
    pub(super) fn refresh(&mut self, found: Self) {
        self.root_commit = found.root_commit.or(self.root_commit.take());
        self.remote = found.remote.or(self.remote.take());
        self.born = found.born.or(self.born);
    }
}

/// No token of a known shape is shorter.
const LEAST_OF_TOKEN: usize = 16;

/// An address without user information, query and fragment, where people put names, passwords and tokens. Two addresses
/// of one repository are equal whoever fetches from it, and after a token was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct RemoteAddress(String);

impl From<String> for RemoteAddress {
    /// Also what a registry held that an older mdmem wrote: it matches, and is clean as soon as it is written again.
    fn from(address: String) -> Self {
        let address = match address.split_once("://") {
            Some((scheme, rest)) => format!("{scheme}://{}", without_user(&rest[..end_of_path(rest)])),
            None if is_scp_like(&address) => without_user(&address),
            None => address,
        };
        Self(without_tokens(address))
    }
}

impl RemoteAddress {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address, where it says by itself which repository is meant; `None` for one that depends on who asks, and where
    /// (a relative path, a path in somebody's home), or on what is not kept (a query, a token in the path, a scheme of
    /// another program's).
    pub fn telling(address: &str) -> Option<Self> {
        let kept = Self::from(address.to_owned());
        let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
        let (authority, path) = match scheme {
            "" if is_scp_like(rest) => rest.split_once(':')?,
            _ => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        };
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        let is_theirs = user.is_some_and(|user| user != "git");
        let tells = match scheme {
            "http" | "https" | "git" | "file" => end_of_path(rest) == rest.len(),
            "ssh" => !(is_theirs && path.starts_with("/~")),
            "" if is_scp_like(rest) => !rest.contains("::") && (!is_theirs || path.starts_with('/')),
            "" => rest.starts_with('/'),
            _ => false,
        };
        (tells && !kept.0.contains("[REDACTED")).then_some(kept)
    }

    /// Says whether both are one repository's.
    pub fn is_same(&self, other: &Self) -> bool {
        self.spelt() == other.spelt()
    }

    /// The one form that `https://host/a/b.git`, `ssh://git@host/a/b` and `git@host:a/b.git` have in common.
    pub fn plain(&self) -> String {
        self.spelt().to_lowercase()
    }

    /// The same as it is spelt: many hosts tell capitals apart.
    fn spelt(&self) -> String {
        let rest = self.0.split_once("://").map_or(self.as_str(), |(_, rest)| rest);
        let rest = rest.trim_end_matches('/').trim_end_matches(".git");
        rest.replace(':', "/")
    }
}

/// Some hosts take a token as a part of the path. A redactor is made only where a part is long enough for one.
fn without_tokens(address: String) -> String {
    if address
        .split(['/', ':', ';', '='])
        .all(|part| part.len() < LEAST_OF_TOKEN)
    {
        return address;
    }
    Redactor::standard().redact(&address).into_owned()
}

/// The length of authority and path: a query or a fragment begins after it.
fn end_of_path(rest: &str) -> usize {
    rest.find(['?', '#']).unwrap_or(rest.len())
}

/// True for `user@host:path`, git's short form; a path of this machine has its first slash before any colon.
fn is_scp_like(address: &str) -> bool {
    let host = address.split('/').next().unwrap_or_default();
    host.contains(':')
}

/// A password may hold an `@` of its own, so that the host begins after the last.
fn without_user(rest: &str) -> String {
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or(authority);
    format!("{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of a repository that comes and goes.
    struct Ground(tempfile::TempDir);

    impl Ground {
        fn root(&self) -> std::path::PathBuf {
            self.0.path().join("app")
        }

        /// A repository with a commit of this message and this `origin`, in the place of the one before.
        fn begin(&self, commit: Option<&str>, origin: Option<&str>) {
            let root = self.root();
            let _ = std::fs::remove_dir_all(&root);
            let git = git2::Repository::init(&root).unwrap();
            if let Some(message) = commit {
                let author = git2::Signature::new("a", "a@example.org", &git2::Time::new(1, 0)).unwrap();
                let mut index = git.index().unwrap();
                let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
                git.commit(Some("HEAD"), &author, &author, message, &tree, &[])
                    .unwrap();
            }
            if let Some(address) = origin {
                git.remote("origin", address).unwrap();
            }
        }

        /// Says twice if another project is there: where the registry knows of another `.git`, and where it knows of
        /// none.
        fn is_another(&self, known: &Identity) -> [bool; 2] {
            let born = git::repository_born(&self.root()).map(|born| born - 1);
            [born, None].map(|born| {
                Identity {
                    born,
                    ..known.clone()
                }
                .is_another_in(&self.root())
            })
        }
    }

    const HTTPS: &str = "https://host.example/a/app.git";
    const SSH: &str = "git@host.example:a/app";
    const OTHER: &str = "git@host.example:b/app.git";

    #[test]
    fn a_repository_in_the_place_of_another_is_that_one_or_another_project() {
        let ground = Ground(tempfile::tempdir().unwrap());
        let (yes, no) = ([true; 2], [false; 2]);
        // The registry knows the first, the second is there now, and the third says if that is another project.
        for (known, there, expected) in [
            ((Some("a"), Some(HTTPS)), (Some("b"), Some(OTHER)), yes),
            ((Some("a"), Some(HTTPS)), (Some("b"), None), yes),
            ((Some("a"), Some(HTTPS)), (None, Some(OTHER)), yes),
            ((Some("a"), Some(HTTPS)), (None, None), yes),
            ((Some("a"), None), (Some("b"), None), yes),
            ((Some("a"), None), (Some("b"), Some(OTHER)), yes),
            ((Some("a"), None), (None, None), yes),
            ((None, Some(HTTPS)), (Some("b"), Some(OTHER)), yes),
            // Its history was written anew, or this is a shallow clone of it.
            ((Some("a"), Some(HTTPS)), (Some("b"), Some(SSH)), no),
            ((Some("a"), Some(HTTPS)), (None, Some(HTTPS)), no),
            // It was cloned again.
            ((Some("a"), Some(HTTPS)), (Some("a"), Some(SSH)), no),
            ((Some("a"), Some(HTTPS)), (Some("a"), None), no),
            ((Some("a"), None), (Some("a"), Some(OTHER)), no),
            ((Some("a"), None), (Some("a"), None), no),
            // A fork of it, or the same one with another `origin`.
            ((Some("a"), Some(HTTPS)), (Some("a"), Some(OTHER)), [true, false]),
            // It had nothing to be known by.
            ((None, None), (Some("b"), Some(OTHER)), [true, false]),
            ((None, None), (None, None), [true, false]),
            ((None, Some(HTTPS)), (Some("b"), None), [true, false]),
        ] {
            ground.begin(known.0, known.1);
            let identity = Identity::from(git::workspace_identity(&ground.root()));
            assert!(!identity.is_another_in(&ground.root()), "{known:?}");
            ground.begin(there.0, there.1);
            let is_another = ground.is_another(&identity);
            // Some file systems do not keep when a folder was made.
            let expected = identity.born.map_or([expected[1]; 2], |_| expected);
            assert_eq!(is_another, expected, "{known:?}, then {there:?}");
        }
    }

    #[test]
    fn the_same_git_is_the_same_repository_whatever_it_holds() {
        let ground = Ground(tempfile::tempdir().unwrap());
        ground.begin(Some("a"), Some(HTTPS));
        let known = Identity::from(git::workspace_identity(&ground.root()));
        if known.born.is_none() {
            return eprintln!("this file system does not keep when a folder was made");
        }
        let git = ground.root().join(".git");
        std::fs::remove_dir_all(git.join("objects")).unwrap();
        std::fs::create_dir(git.join("objects")).unwrap();
        let opened = git2::Repository::open(ground.root()).unwrap();
        opened.remote_set_url("origin", OTHER).unwrap();
        assert_eq!(ground.is_another(&known), [true; 2]);
        assert!(!known.is_another_in(&ground.root()));
    }

    #[test]
    fn what_is_no_repository_that_can_be_read_may_be_the_one_that_is_known() {
        let ground = Ground(tempfile::tempdir().unwrap());
        ground.begin(Some("a"), Some(HTTPS));
        let known = Identity::from(git::workspace_identity(&ground.root()));
        let config = ground.root().join(".git/config");
        std::fs::remove_file(&config).unwrap();
        std::fs::create_dir(&config).unwrap();
        assert_eq!(ground.is_another(&known), [false; 2], "not readable");
        std::fs::remove_dir_all(ground.root().join(".git")).unwrap();
        assert_eq!(ground.is_another(&known), [false; 2], "no repository");
        assert!(!known.is_another_in(&ground.root()), "its `.git` is away");
        std::fs::remove_dir_all(ground.root()).unwrap();
        assert_eq!(ground.is_another(&known), [false; 2], "not there");
        std::thread::sleep(std::time::Duration::from_millis(5));
        std::fs::create_dir(ground.root()).unwrap();
        assert_eq!(
            known.is_another_in(&ground.root()),
            known.born.is_some(),
            "a younger folder"
        );
        std::fs::remove_dir_all(ground.root()).unwrap();
        ground.begin(Some("b"), Some(OTHER));
        assert!(
            !Identity::default().is_another_in(&ground.root()),
            "a plain folder"
        );
    }
}

#[cfg(test)]
mod remote_address_tests {
    use super::*;

    #[test]
    fn an_address_tells_where_it_means_one_repository_to_everybody() {
        for address in [
            "https://me:t0ken@host.example/a/b.git",
            "git@host.example:a/b.git",
            "host.example:a/b",
            "me@host.example:/srv/a.git",
            "ssh://me@host.example:2222/srv/a",
            "ssh://git@host.example/~a/b",
            "file:///srv/a.git",
            "/srv/a.git",
        ] {
            assert!(RemoteAddress::telling(address).is_some(), "{address}");
        }
        for address in [
            "",
            "../a.git",
            "a",
            "me@host.example:a.git",
            "ssh://me@host.example/~/a.git",
            "https://host.example/git?repo=a",
            "s3://bucket/a",
            "codecommit::us-east-1://me@a",
            "ext::sh -c x",
            "https://host.example/ghp_Fake0Token1Fake0Token1Fake0Token1Fak/a.git",
        ] {
            assert_eq!(RemoteAddress::telling(address), None, "{address}");
        }
        let [one, other] = ["https://host.example/A/b", "https://host.example/a/b"]
            .map(|address| RemoteAddress::telling(address).unwrap());
        assert!(!one.is_same(&other), "many hosts tell capitals apart");
        assert!(one.is_same(&RemoteAddress::from("git@host.example:A/b.git".to_owned())));
    }

    #[test]
    fn nothing_that_gives_access_is_kept() {
        for (address, kept) in [
            ("https://host.example/a/b.git", "https://host.example/a/b.git"),
            ("https://t0ken@host.example/a.git", "https://host.example/a.git"),
            (
                "https://me:t0ken@host.example:8443/a.git",
                "https://host.example:8443/a.git",
            ),
            (
                "https://me:p@ss@host.example/@scope/a",
                "https://host.example/@scope/a",
            ),
            ("https://me:t0ken@host.example", "https://host.example"),
            (
                "https://host.example/a?private_token=t0ken#t0ken",
                "https://host.example/a",
            ),
            ("https://host.example?token=t0ken", "https://host.example"),
            ("ssh://git@host.example/a.git", "ssh://host.example/a.git"),
            (
                "helper::https://t0ken@host.example/a",
                "helper::https://host.example/a",
            ),
            ("git@host.example:a/b.git", "host.example:a/b.git"),
            ("me:t0ken@host.example:a/b.git", "host.example:a/b.git"),
            ("https://[::1]:80/a", "https://[::1]:80/a"),
            ("/srv/git/me@host/a.git", "/srv/git/me@host/a.git"),
            ("../b@c:d/a.git", "../b@c:d/a.git"),
            (
                "https://host.example/ghp_Fake0Token1Fake0Token1Fake0Token1Fak/a.git",
                "https://host.example/[REDACTED:github_token]/a.git",
            ),
            (
                "https://host.example/a-team-with-a-long-name/a-project-with-a-longer-name.git",
                "https://host.example/a-team-with-a-long-name/a-project-with-a-longer-name.git",
            ),
            ("file:///srv/a@b.git", "file:///srv/a@b.git"),
            ("", ""),
        ] {
            assert_eq!(RemoteAddress::from(address.to_owned()).0, kept, "{address}");
        }
    }
}
