//! One markdown file for people: every memory in force, type by type.

use super::seal::seal;
use crate::model::{Content, Memory, Zone};
use crate::text::{one_line, without_strays};

const BEGIN: &str = "<!-- mdmem export ";
const AFTER_SEAL: &str = " -->\n";

/// The file.
pub(super) fn file(memories: &[(Zone, &Memory)]) -> String {
    let mut text = "# Memory\n".to_owned();
    let mut heading = String::new();
    for (zone, memory) in memories {
        let section = match zone {
            Zone::Pinned => "pinned".to_owned(),
            Zone::Ranked => quiet(memory.kind.as_str()),
            Zone::Cold | Zone::Archive => "notes".to_owned(),
        };
        if section != heading {
            text += &["\n## ", section.as_str(), "\n\n"].concat();
            heading = section;
        }
        match &memory.content {
            Content::Fact { .. } => text.push_str(&one(memory)),
            Content::Note { body } => {
                let path = quiet(memory.path.as_str());
                let gap = if text.ends_with("\n\n") { "" } else { "\n" };
                text += &[gap, "### ", path.as_str(), "\n\n", quiet(body).as_str(), "\n\n"].concat();
            }
        }
    }
    format!("{BEGIN}{}{AFTER_SEAL}{text}", seal(&text))
}

/// Says whether a file is an export, and whether it is as it was written.
pub(in crate::service) fn is_export(text: &str) -> Option<bool> {
    let (sealed, rest) = text.strip_prefix(BEGIN)?.split_once(AFTER_SEAL)?;
    Some(sealed == seal(rest))
}

/// A memory in one item of a list: a fact with its reason, a note by its subject and its place.
pub(in crate::service) fn one(memory: &Memory) -> String {
    let words = |text: &str| quiet(&without_strays(&one_line(text)));
    match &memory.content {
        Content::Fact { text, rationale } => {
            let why = rationale.as_deref().map(|why| format!(" (Why: {})", words(why)));
            format!("- {}{}\n", words(text), why.unwrap_or_default())
        }
        Content::Note { body } => {
            let stated = memory.description.as_ref().or(memory.heading.as_ref());
            let subject = stated.map_or_else(|| body.lines().next().unwrap_or_default(), String::as_str);
            format!("- {} ({})\n", words(subject), words(memory.path.as_str()))
        }
    }
}

/// A text that opens and closes no comment, so that it cannot end a block or forge one.
pub(in crate::service) fn quiet(text: &str) -> String {
    text.replace("<!--", "<!\u{2011}-").replace("-->", "-\u{2011}>")
}
