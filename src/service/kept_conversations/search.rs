//! The search in conversations: each file is read once, and the newest hits of all conversations are told.

use std::cmp::Reverse;
use std::ops::Range;

use serde::Serialize;

use super::{Chosen, ConversationError, KeptConversations, Mark, Message, Part, Role, ServiceError};
use crate::sys::each;
use crate::text::{LineFilter, WantedWords, one_line};

/// The characters of a snippet before a hit and behind it.
const BEFORE: usize = 60;
const BEHIND: usize = 90;

/// A question to the conversations.
#[derive(Debug, Clone, Default)]
pub struct ConversationSearch {
    /// The words, all of which have to be in a message.
    pub words: String,
    /// The conversations.
    pub chosen: Chosen,
    /// The one conversation that is meant, by its name.
    pub session: Option<String>,
    /// Also the arguments and outputs of tools are looked at.
    pub tools: bool,
    /// Only messages before this cursor.
    pub before: Option<Mark>,
    /// At most so many of them.
    pub most: usize,
}

/// The messages that have every word.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationHits {
    /// The words.
    pub query: String,
    /// The newest of them, the newest first.
    pub hits: Vec<ConversationHit>,
    /// The cursor before which there are more; `None`: there are none.
    pub before: Option<String>,
}

/// A message that has every word.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationHit {
    /// The id of its conversation.
    pub session: String,
    /// The name of its conversation.
    pub title: String,
    /// Its place.
    #[serde(flatten)]
    pub mark: Mark,
    /// The one who spoke.
    pub role: Role,
    /// The text around a hit.
    pub snippet: Snippet,
}

/// The text around a hit, on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// The text before.
    pub before: String,
    /// The hit.
    pub hit: String,
    /// The text behind.
    pub behind: String,
}

impl KeptConversations {
    /// Searches. A message without credentials is what is searched.
    pub fn search(&self, search: &ConversationSearch) -> Result<ConversationHits, ServiceError> {
        let wanted = WantedWords::new(&search.words);
        let wanted = wanted.ok_or_else(|| ConversationError::new("empty search", ""))?;
        // The output of a tool belongs to the line of its call.
        let filter = LineFilter::new(&wanted, search.tools.then_some("\"tool_use\""));
        let mut hits: Vec<ConversationHit> = Vec::new();
        for of in each(
            "searching conversations",
            self.named(search.session.as_deref(), search.chosen)?,
        ) {
            // No conversation from here on has a message that is newer.
            if hits
                .get(search.most)
                .is_some_and(|last| last.mark.time > of.updated)
            {
                break;
            }
            let mut found = 0;
            let mut messages = self.messages(&of, Some(&filter))?;
            messages.retain(|message| search.before.as_ref().is_none_or(|before| message.mark < *before));
            for message in messages.into_iter().rev() {
                if let Some(snippet) = self.snippet(&wanted, &message, search.tools) {
                    found += 1;
                    hits.push(ConversationHit {
                        session: of.id.clone(),
                        title: of.name().to_owned(),
                        mark: message.mark,
                        role: message.role,
                        snippet,
                    });
                }
                if found > search.most {
                    break;
                }
            }
            hits.sort_by_key(|hit| Reverse(hit.mark.clone()));
            hits.truncate(search.most.saturating_add(1));
        }
        let is_more = hits.len() > search.most;
        hits.truncate(search.most);
        Ok(ConversationHits {
            query: search.words.clone(),
            before: hits.last().filter(|_| is_more).map(|last| last.mark.to_string()),
            hits,
        })
    }

    /// The text around the words; `None` where one of them is missing, or is a part of a credential alone.
    fn snippet(&self, wanted: &WantedWords, message: &Message, tools: bool) -> Option<Snippet> {
        let of_tools = message.parts.iter().flat_map(|part| match part {
            Part::Tool(call) if tools => vec![call.input.as_str(), call.output.as_str()],
            _ => Vec::new(),
        });
        let texts: Vec<&str> = message.texts().chain(of_tools).collect();
        if !wanted.are_in(texts.iter().copied()) {
            return None;
        }
        // On one line a label meets a value that a line break parted from it.
        let shown: Vec<_> = texts.iter().map(|text| self.redactor.redact_line(text)).collect();
        if !wanted.are_in(shown.iter().map(AsRef::as_ref)) {
            return None;
        }
        let found = shown
            .iter()
            .filter_map(|text| Some((text, wanted.found_in(text)?)));
        let (text, (_, at)) = found.max_by_key(|(_, (count, _))| *count)?;
        Some(Snippet::around(text, at))
    }
}

impl Snippet {
    fn around(text: &str, at: Range<usize>) -> Self {
        let start = text[..at.start].char_indices().rev().nth(BEFORE - 1);
        let start = start.map_or(0, |(start, _)| start);
        let end = text[at.end..].char_indices().nth(BEHIND);
        let end = end.map_or(text.len(), |(end, _)| at.end + end);
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        let before = spaced_once(&text[start..at.start]);
        let behind = spaced_once(&text[at.end..end]);
        Self {
            before: format!("{}{}", cut(start > 0), before.trim_start()),
            hit: spaced_once(&text[at]),
            behind: format!("{}{}", behind.trim_end(), cut(end < text.len())),
        }
    }
}

/// The text on one line, with one space in the place of several.
fn spaced_once(text: &str) -> String {
    let mut line = one_line(text).replace(char::is_whitespace, " ");
    while line.contains("  ") {
        line = line.replace("  ", " ");
    }
    line
}
