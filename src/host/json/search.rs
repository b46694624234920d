//! The answer of a search in JSON.

use serde_json::{Value, json};

use crate::model::Timestamp;
use crate::service::{Found, Hit, Scope};

/// The answer to a question.
pub(crate) fn answer_json(query: &str, found: &Found) -> Value {
    let also = found.see_also.iter().map(
        |other| json!({ "path": other.path.as_str(), "description": other.hook, "of": other.of.as_str() }),
    );
    json!({
        "query": query,
        "hits": found.hits.iter().map(hit_json).collect::<Value>(),
        "see_also": also.collect::<Value>(),
    })
}

fn hit_json(hit: &Hit) -> Value {
    let memory = &hit.memory;
    let passages = hit.passages.iter().map(|passage| {
        let marks = passage.marks.iter().map(|mark| json!([mark.start, mark.end]));
        json!({ "line": passage.line, "text": passage.text, "marks": marks.collect::<Value>() })
    });
    let why = &hit.why;
    let found = why
        .found
        .iter()
        .map(|(word, fields)| (word.clone(), json!(fields)));
    json!({
        "path": memory.path.as_str(),
        "scope": if hit.scope == Scope::Global { "global" } else { "project" },
        "id": memory.id.as_str(),
        "type": memory.kind.as_str(),
        "status": memory.status.as_str(),
        "zone": hit.zone.as_str(),
        "title": memory.title(),
        "tags": memory.tags,
        "updated": memory.updated.known().map(Timestamp::to_rfc3339),
        "strength": hit.strength,
        "score": hit.score,
        "passages": passages.collect::<Value>(),
        "why": {
            "words": why.words, "share": why.share, "together": why.together, "phrase": why.phrase, "name": why.name,
            "found": found.collect::<serde_json::Map<_, _>>(),
        },
    })
}
