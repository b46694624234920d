//! The words that describe arguments, shared by the tools.

use serde_json::{Value, json};

/// The schema of a tool with these arguments.
pub(super) fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

/// A text without a word about it.
pub(super) fn text() -> Value {
    json!({"type": "string"})
}

/// A text, described.
pub(super) fn said(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// The store to write to.
pub(super) fn scope() -> Value {
    json!({"type": "string", "enum": ["project", "global"]})
}

/// The stores to read.
pub(super) fn scopes() -> Value {
    json!({"type": "string", "enum": ["project", "global", "all"]})
}
