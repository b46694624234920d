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
