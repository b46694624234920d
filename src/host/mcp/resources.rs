//! The memories as resources: `mdmem://project/decision/x.md`, `mdmem://global/MEMORY.md`.

use std::path::Path;

use rmcp::model::{
    ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use url::Url;

use crate::host::tools;
use crate::service::{Conversations, Scope};

const MARKDOWN: &str = "text/markdown";
/// The stores, and what they are called in an address.
pub(super) const STORES: [(&str, Scope); 2] = [("project", Scope::Workspace), ("global", Scope::Global)];

/// The form of every address.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("mdmem://{store}/{+path}", "memory")
        .with_description("A memory of this workspace (project) or of all workspaces (global), by its path")
        .with_mime_type(MARKDOWN)
}

/// MEMORY.md and PROTOCOL.md of each store, and its memories, by path; the workspace's store comes first.
pub(super) fn list(conversations: &mut Conversations) -> Result<ListResourcesResult, ErrorData> {
    let trees = conversations
        .memory_tree(&STORES.map(|(_, scope)| scope), None)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let own = [
        ("MEMORY.md", "The index of the memories"),
        ("PROTOCOL.md", "How to write a memory"),
    ];
    let mut all = Vec::new();
    for tree in &trees {
        let lines = tree.lines.iter();
        let memories = lines.map(|line| (line.path.as_str(), line.hook.as_str()));
        for (path, about) in own.into_iter().chain(memories) {
            let resource = Resource::new(address(tree.scope, path), path);
            all.push(resource.with_description(about).with_mime_type(MARKDOWN));
        }
    }
    Ok(ListResourcesResult::with_all_items(all))
}

/// The text at an address, as a resource.
pub(super) fn read(conversations: &mut Conversations, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let text = text(conversations, uri)
        .map_err(|why| ErrorData::resource_not_found(why, Some(serde_json::json!({ "uri": uri }))))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The text at an address, as a model reads it: without credentials; or the reason why there is none.
pub(super) fn text(conversations: &mut Conversations, uri: &str) -> Result<String, String> {
    let missing = "an address must be mdmem://project/PATH or mdmem://global/PATH";
    let (store, path) = place(uri).ok_or(missing)?;
    let scope = STORES
        .iter()
        .find(|(name, _)| *name == store)
        .map(|(_, scope)| *scope);
    tools::read(conversations, scope.as_slice(), &path).map_err(|error| error.to_string())
}

pub(super) fn address(scope: Scope, path: &str) -> String {
    let store = STORES
        .iter()
        .find(|(_, of)| *of == scope)
        .map_or("", |(store, _)| store);
    let path = Url::from_file_path(Path::new("/").join(path));
    let path = path.as_ref().map_or("", Url::path);
    format!("mdmem://{store}{path}")
}

/// The name of the store, and the path in it, at an address.
pub(super) fn place(address: &str) -> Option<(&'static str, String)> {
    let (store, path) = address.strip_prefix("mdmem://")?.split_once('/')?;
    let (store, _) = STORES.iter().find(|(name, _)| *name == store)?;
    let path = Url::parse(&format!("file:///{path}")).ok()?.to_file_path().ok()?;
    Some((store, path.strip_prefix("/").ok()?.to_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_memory() {
        for path in ["MEMORY.md", "decision/a b.md", "user/ä %41?#.md", "記憶/x.md"] {
            for (store, scope) in STORES {
                let address = address(scope, path);
                assert!(address.is_ascii() && !address.contains(' '), "{address}");
                assert_eq!(place(&address), Some((store, path.to_owned())));
            }
        }
        for other in [
            "",
            "mdmem://",
            "mdmem://project",
            "mdmem://other/x.md",
            "file:///x.md",
        ] {
            assert_eq!(place(other), None, "{other}");
        }
    }
}
