//! The memories as resources: `mdmem://project/decision/x.md`, `mdmem://global/MEMORY.md`.

use std::path::Path;

use rmcp::model::{
    ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use url::Url;

use crate::host::tools;
use crate::service::{Conversations, Scope};

/// The most resources of a page.
const PAGE: usize = 500;
const MARKDOWN: &str = "text/markdown";
/// The stores, and what they are called in an address.
const STORES: [(&str, Scope); 2] = [("project", Scope::Workspace), ("global", Scope::Global)];

/// The form of every address.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("mdmem://{store}/{+path}", "memory")
        .with_description("A memory of this workspace (project) or of all (global), by its path")
        .with_mime_type(MARKDOWN)
}

/// The page behind an address: MEMORY.md and PROTOCOL.md of each store, and its memories, by path.
pub(super) fn list(
    conversations: &mut Conversations,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let behind = cursor.map(|cursor| {
        place(cursor).ok_or_else(|| ErrorData::invalid_params("the cursor is not one of these pages", None))
    });
    let behind = behind.transpose()?;
    let trees = conversations
        .memory_tree(&STORES.map(|(_, scope)| scope), None)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let own = [
        ("MEMORY.md", "The index of the memories"),
        ("PROTOCOL.md", "How to write a memory"),
    ];
    let mut all = Vec::new();
    for tree in &trees {
        let memories = tree
            .lines
            .iter()
            .map(|line| (line.path.as_str(), line.hook.as_str()));
        all.extend(
            own.into_iter()
                .chain(memories)
                .map(|(path, about)| (tree.scope, path, about)),
        );
    }
    all.sort_by_key(|(scope, path, _)| order(*scope, path));
    // By order, and not by place: the memory may be gone since.
    let is_shown = |(store, path): &(&str, String)| {
        all.partition_point(|(other, at, _)| order(*other, at) <= order(scope_of(store), path))
    };
    let rest = &all[behind.as_ref().map_or(0, is_shown)..];
    let resource = |(scope, path, about): &(Scope, &str, &str)| {
        Resource::new(address(*scope, path), *path)
            .with_description(*about)
            .with_mime_type(MARKDOWN)
    };
    let page: Vec<Resource> = rest.iter().take(PAGE).map(resource).collect();
    let last = page.last().map(|last| last.uri.clone());
    let mut result = ListResourcesResult::with_all_items(page);
    result.next_cursor = last.filter(|_| rest.len() > PAGE);
    Ok(result)
}

/// The workspace's store comes first, and in each store the files that lie in no folder.
fn order(scope: Scope, path: &str) -> (bool, bool, &str) {
    (scope == Scope::Global, path.contains('/'), path)
}

/// The text at an address, as a model reads it: without credentials.
pub(super) fn read(conversations: &mut Conversations, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = |why: String| ErrorData::resource_not_found(why, Some(serde_json::json!({ "uri": uri })));
    let Some((store, path)) = place(uri) else {
        return Err(missing(
            "an address is mdmem://project/PATH or mdmem://global/PATH".to_owned(),
        ));
    };
    let scope = STORES
        .iter()
        .find(|(name, _)| *name == store)
        .map(|(_, scope)| *scope);
    let text =
        tools::read(conversations, scope.as_slice(), &path).map_err(|error| missing(error.to_string()))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn scope_of(store: &str) -> Scope {
    let store = STORES.iter().find(|(name, _)| *name == store);
    store.map_or(Scope::Workspace, |(_, scope)| *scope)
}

fn address(scope: Scope, path: &str) -> String {
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
