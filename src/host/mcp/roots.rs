//! The folder that a client works in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::service::{RequestContext, RoleServer};
use url::Url;

use crate::service::{Context, Scope, ServiceError, StoreError};

/// The time that a client has to name its roots.
const WAIT: Duration = Duration::from_secs(2);

/// The reason why there is no workspace where the agent works elsewhere: the folder that it started the program in is
/// another one.
const NO_FOLDER: &str = "no root of the agent is a folder on this machine";

/// The way to the folder.
pub(super) enum Roots {
    /// It is said already.
    Known(Context),
    /// The client is asked; where it has no roots, this is the folder.
    Asked(Context),
}

impl Roots {
    pub(super) fn new(context: &Context, workspace: Option<&Path>) -> Self {
        match workspace {
            Some(folder) => Self::Known(in_folder(context, folder)),
            None if context.scope == Scope::Global => Self::Known(context.clone()),
            None => Self::Asked(context.clone()),
        }
    }

    /// The context of the folder that is known without a question to the client.
    pub(super) const fn start(&self) -> &Context {
        let (Self::Known(context) | Self::Asked(context)) = self;
        context
    }

    /// The context of the first root that can be a workspace; where none can, that of the global memory, with the
    /// reason.
    pub(super) async fn context(
        &self,
        request: &RequestContext<RoleServer>,
    ) -> Result<(Context, Option<String>), ServiceError> {
        let candidates = match self {
            Self::Known(context) => vec![context.clone()],
            Self::Asked(context) => {
                let roots = named(request).await;
                let folders = roots.iter().filter_map(|root| folder(root));
                let folders: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
                match (&roots[..], &folders[..]) {
                    ([], _) => vec![context.clone()],
                    (_, []) => return Ok((context.global(), Some(NO_FOLDER.to_owned()))),
                    (_, folders) => folders.iter().map(|root| in_folder(context, root)).collect(),
                }
            }
        };
        let mut refused = None;
        for context in candidates {
            match context.place() {
                Ok(_) => return Ok((context.of_session()?, None)),
                Err(error) => drop(refused.get_or_insert((context, error))),
            }
        }
        match refused.expect("because there is a candidate, and none was taken") {
            (context, error @ ServiceError::Store(StoreError::NotAWorkspace { .. })) => {
                Ok((context.of_session()?, Some(error.to_string())))
            }
            (_, error) => Err(error),
        }
    }
}

fn in_folder(context: &Context, folder: &Path) -> Context {
    Context {
        env: context.env.clone().in_folder(folder),
        ..context.clone()
    }
}

/// The roots that the client names, in its order. A client that does not answer in time names none.
#[expect(
    deprecated,
    reason = "the revisions of the protocol that are spoken here have roots"
)]
async fn named(request: &RequestContext<RoleServer>) -> Vec<String> {
    let client = request.client_capabilities();
    if client.is_none_or(|client| client.roots.is_none()) {
        return Vec::new();
    }
    let asked = tokio::time::timeout(WAIT, request.peer.list_roots()).await;
    let roots = match asked {
        Ok(Ok(listed)) => listed.roots,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the client's roots are unknown");
            Vec::new()
        }
        Err(_) => {
            tracing::warn!("the client does not send its roots");
            Vec::new()
        }
    };
    roots.into_iter().map(|root| root.uri).collect()
}

/// The folder of a `file:` URI.
fn folder(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_a_folder_of_this_machine() {
        for (uri, path) in [
            ("file:///work", Some("/work")),
            ("file:///a%20b/%C3%A4", Some("/a b/ä")),
            ("file://localhost/work/", Some("/work/")),
            ("file://elsewhere/work", None),
            ("https://example.com/work", None),
            ("/work", None),
            ("", None),
        ] {
            assert_eq!(folder(uri), path.map(PathBuf::from), "{uri}");
        }
    }
}
