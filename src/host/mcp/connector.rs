//! The tools `search` and `fetch` in the form that connectors of chat clients call: results with an id, a title and an
//! address, as JSON. Offered over HTTP alone, where such clients come from.

use rmcp::model::{CallToolResult, ContentBlock, ToolAnnotations};
use serde_json::{Value, json};

use super::resources;
use crate::service::{Conversations, SearchRequest};

/// The most results of a search.
const MOST: usize = 10;

pub(super) fn is_tool(name: &str) -> bool {
    matches!(name, "search" | "fetch")
}

pub(super) fn tools() -> [rmcp::model::Tool; 2] {
    let tool = |name: &'static str, about: &'static str, argument: &str| {
        let schema = json!({
            "type": "object", "properties": { argument: { "type": "string" } }, "required": [argument],
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        let annotations = ToolAnnotations::new().read_only(true).open_world(false);
        rmcp::model::Tool::new(name, about, schema).with_annotations(annotations)
    };
    [
        tool(
            "search",
            "Use when you need what earlier sessions remember: finds memories by words.",
            "query",
        ),
        tool(
            "fetch",
            "Use when a result of `search` is to be read whole: reads a memory by its id.",
            "id",
        ),
    ]
}

/// Calls one of them.
pub(super) fn call(conversations: &mut Conversations, tool: &str, args: &Value) -> CallToolResult {
    let answered = match tool {
        "search" => search(conversations, args["query"].as_str().unwrap_or_default()),
        _ => fetch(conversations, args["id"].as_str().unwrap_or_default()),
    };
    match answered {
        Ok(answer) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.to_string())]);
            result.structured_content = Some(answer);
            result
        }
        Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
    }
}

fn search(conversations: &mut Conversations, query: &str) -> Result<Value, String> {
    let request = SearchRequest {
        words: query.to_owned(),
        limit: MOST,
        ..SearchRequest::default()
    };
    let found = conversations.memory_search(&resources::STORES.map(|(_, scope)| scope), &request);
    let found = found.map_err(|error| error.to_string())?;
    let results = found.hits.iter().map(|hit| {
        let address = resources::address(hit.scope, hit.path.as_str());
        json!({ "id": address, "title": hit.title, "url": address })
    });
    Ok(json!({ "results": results.collect::<Vec<_>>() }))
}

fn fetch(conversations: &mut Conversations, id: &str) -> Result<Value, String> {
    let text = resources::text(conversations, id)?;
    let title = id.rsplit('/').next().unwrap_or(id);
    Ok(json!({ "id": id, "title": title, "text": text, "url": id, "metadata": {} }))
}
