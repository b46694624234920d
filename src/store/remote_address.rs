//! The address of a workspace's `origin`, as the registry may keep it: without what gives access.

use serde::{Deserialize, Serialize};

use crate::text::Redactor;

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
