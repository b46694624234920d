//! The repository and the branch with which a store is exchanged.

use std::path::Path;

use crate::git::Head;
use crate::store::{Registration, RemoteAddress, Store};
use crate::text::{Redactor, sha256_hex, slug};

use super::SyncError;

/// The branch of a store that has a repository of its own.
const OWN_BRANCH: &str = "main";
/// The branch of the global store in a repository of several stores.
const GLOBAL_BRANCH: &str = "global";

/// The place of exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The address, as git takes it.
    pub url: String,
    /// The branch there, without `refs/heads/`.
    pub branch: String,
    /// True when the repository holds other stores too, each on a branch of its own.
    pub is_shared: bool,
}

impl Exchange {
    /// A repository for one store alone, on this branch of it.
    pub fn own(url: impl Into<String>, branch: Option<&str>) -> Self {
        Self {
            url: url.into(),
            branch: branch.unwrap_or(OWN_BRANCH).to_owned(),
            is_shared: false,
        }
    }

    /// The place of a store: its own remote, else its branch in the repository of the setting `sync.remote`.
    /// `registration` is that of its workspace; the global store has none. Where the setting changes, the stores that
    /// follow it follow.
    pub fn of(
        store: &Store,
        registration: Option<&Registration>,
        user_home: Option<&Path>,
    ) -> Result<Self, SyncError> {
        let shared = match registration {
            Some(registration) => branch_of_store(registration, user_home),
            None => GLOBAL_BRANCH.to_owned(),
        };
        let configured = store.repo().remote_url()?.map(|url| {
            let branch = store
                .repo()
                .remote_branch()
                .unwrap_or_else(|| OWN_BRANCH.to_owned());
            let is_shared = branch == shared;
            Self {
                url,
                branch,
                is_shared,
            }
        });
        match (configured, &store.settings().sync.remote) {
            (Some(own), _) if !own.is_shared => Ok(own),
            (_, Some(url)) => Ok(Self {
                url: url.clone(),
                branch: shared,
                is_shared: true,
            }),
            (own, None) => own.ok_or(SyncError::NoRemote),
        }
    }
}

/// An error where the checked out branch is not the one that is exchanged.
pub fn check_branch(store: &Store) -> Result<(), SyncError> {
    let (Head::Unborn { branch } | Head::Branch { branch, .. }) = store.repo().head()? else {
        // Nothing is written there.
        return Ok(());
    };
    let branch = branch.strip_prefix("refs/heads/").unwrap_or(&branch);
    match store.repo().exchanged_branch()? {
        Some(exchanged) if exchanged != branch => Err(SyncError::said(
            format!("the branch {branch} is checked out, but the store syncs {exchanged}"),
            format!(
                "Nothing was synced. Run `git switch {exchanged}` in the store's folder, then `git merge \
                 {branch}` to keep what was committed meanwhile."
            ),
        )),
        _ => Ok(()),
    }
}

/// An error where an address holds a token, which would lie in git's settings in plain text.
pub fn check_no_token(url: &str) -> Result<(), SyncError> {
    match Redactor::standard().find(url).first() {
        Some(secret) => Err(SyncError::said(
            format!("suspected secret in the address ({})", secret.kind),
            "Give the address without it; git's credential helpers store it (`git help credentials`).",
        )),
        None => Ok(()),
    }
}

/// An error where the name of a branch, which everybody who may read the remote sees, looks like a credential.
pub fn check_branch_name(branch: &str) -> Result<(), SyncError> {
    let redactor = Redactor::standard();
    let found = branch
        .split('/')
        .flat_map(|part| redactor.find_in_name(part))
        .next();
    found.map_or(Ok(()), |secret| {
        Err(SyncError::said(
            format!("suspected secret in the branch name ({})", secret.kind),
            "Rename it there, then run `mdmem sync URL --branch NAME`, or `git config branch.main.merge \
             refs/heads/NAME` in the store's folder.",
        ))
    })
}

/// An error where the address is the store itself.
pub fn check_not_own(store: &Store, url: &str) -> Result<(), SyncError> {
    let whole = |path: &Path| path.canonicalize().ok();
    let named = whole(Path::new(url.strip_prefix("file://").unwrap_or(url)));
    let own = [store.root().to_owned(), store.root().join(".git")];
    if named.is_some() && own.iter().any(|own| whole(own) == named) {
        return Err(SyncError::said(
            format!("{} is this store itself", store.root().display()),
            "Use an empty repository elsewhere (`git init --bare FOLDER`), or one on a server.",
        ));
    }
    Ok(())
}

/// The branch of a workspace's store in a repository of several stores: the same on each machine that has the
/// workspace, wherever it lies there. A workspace with a repository is known by its first commit and its remote, so
/// that a fork has a branch of its own; one without by its place below the home folder.
///
/// A store whose workspace was given another one stands for itself alone.
fn branch_of_store(registration: &Registration, user_home: Option<&Path>) -> String {
    let path = &registration.path;
    if registration.workspace().is_none() {
        return branch_name(&registration.name, &registration.key);
    }
    let remote = registration.identity.remote.as_ref().map(RemoteAddress::plain);
    let (name, known_by) = match (remote, &registration.identity.root_commit) {
        (Some(remote), commit) => {
            let name = remote.rsplit('/').next().unwrap_or_default().to_owned();
            (
                name,
                format!("{} {remote}", commit.as_deref().unwrap_or_default()),
            )
        }
        (None, commit) => {
            let place = user_home
                .and_then(|home| path.strip_prefix(home).ok())
                .unwrap_or(path);
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let place = place.to_string_lossy().into_owned();
            (name, commit.clone().unwrap_or(place))
        }
    };
    branch_name(&name, &known_by)
}

fn branch_name(name: &str, known_by: &str) -> String {
    let name: String = slug(name).chars().filter(char::is_ascii).collect();
    let name = name.trim_matches('-');
    let hash = &sha256_hex(known_by.as_bytes())[..8];
    if name.is_empty() {
        format!("store-{hash}")
    } else {
        format!("{name}-{hash}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Identity;

    fn branch(path: &str, root_commit: Option<&str>, remote: Option<&str>) -> String {
        let registration = Registration {
            key: "k".into(),
            path: path.into(),
            name: "n".into(),
            identity: Identity {
                root_commit: root_commit.map(str::to_owned),
                remote: remote.map(|remote| RemoteAddress::from(remote.to_owned())),
                born: None,
            },
        };
        branch_of_store(&registration, Some(Path::new("/home/ada")))
    }

    #[test]
    fn no_branch_bears_a_token() {
        for branch in ["main", "token", "notes-1a2b3c4d", "feature/pin-codes"] {
            assert!(check_branch_name(branch).is_ok(), "{branch}");
        }
        let token = "work/ghp_a8Kd02mfLs93kdPq71bXzR5tYw4uVn6cJh2E";
        let error = check_branch_name(token).unwrap_err();
        assert!(error.to_string().contains("github_token"), "{error}");
    }

    #[test]
    fn a_workspace_has_one_branch_wherever_it_lies_and_a_fork_another() {
        let here = branch(
            "/home/ada/src/tool",
            Some("c1"),
            Some("git@host.example:a/tool.git"),
        );
        assert_eq!(
            here,
            branch("/srv/t", Some("c1"), Some("https://host.example/a/tool"))
        );
        assert!(here.starts_with("tool-"), "{here}");
        assert_ne!(
            here,
            branch("/srv/t", Some("c1"), Some("https://host.example/b/tool"))
        );
        let without = branch("/home/ada/notes", None, None);
        assert_ne!(without, branch("/home/ada/other/notes", None, None));
        assert!(branch("/home/ada/日本", None, None).starts_with("store-"));
        // Without a workspace it does not meet the store that the workspace has now.
        assert_ne!(branch("", Some("c1"), Some("https://host.example/a/tool")), here);
    }
}
