//! A folder for basic-memory: a file for each memory, with its frontmatter; a fact is an observation.

use super::markdown::quiet;
use super::seal::seal;
use crate::model::{Content, Memory};
use crate::text::one_line;

const SEAL: &str = "\nmdmem_seal: ";

/// The file of a memory.
pub(super) fn file(memory: &Memory) -> String {
    let stem = memory.path.stem();
    let title = memory
        .name
        .as_ref()
        .or(memory.heading.as_ref())
        .map_or(stem, String::as_str);
    let quoted = |text: &str| serde_json::to_string(&one_line(text)).expect("because a text is JSON");
    let tags: Vec<String> = memory.tags.iter().map(|tag| quoted(tag)).collect();
    let time = |moment: crate::model::Moment| moment.known().map(crate::model::Timestamp::to_rfc3339);
    let times = [
        ("created", time(memory.created)),
        ("modified", time(memory.updated)),
    ];
    let times = times
        .into_iter()
        .filter_map(|(key, time)| Some(format!("{key}: {}\n", time?)));
    let times = times.collect::<Vec<_>>().concat();
    let keys = format!(
        "title: {}\ntype: note\nid: {}\ntags: [{}]\n{times}",
        quoted(title),
        memory.id,
        tags.join(", ")
    );
    let body = match &memory.content {
        Content::Note { body } => body.clone(),
        Content::Fact { text, rationale } => {
            let why = rationale.as_deref().map(|why| format!(" ({})", one_line(why)));
            let tags = memory
                .tags
                .iter()
                .filter(|tag| !tag.contains(char::is_whitespace));
            let tags = tags.map(|tag| format!(" #{tag}")).collect::<Vec<_>>().concat();
            format!(
                "# {}\n\n## Observations\n\n- [{}] {}{tags}{}",
                quiet(&one_line(title)),
                memory.kind,
                one_line(text),
                why.unwrap_or_default()
            )
        }
    };
    let rest = format!("{keys}---\n\n{body}\n");
    format!("---{SEAL}{}\n{rest}", seal(&rest))
}

/// Says whether a file is an export, and whether it is as it was written.
pub(in crate::service) fn is_export(text: &str) -> Option<bool> {
    let (sealed, rest) = text.strip_prefix("---")?.strip_prefix(SEAL)?.split_once('\n')?;
    Some(sealed == seal(rest))
}
