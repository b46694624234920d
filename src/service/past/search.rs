//! The search in conversations: message by message, the newest first, in all conversations at once.

use std::ops::Range;

use serde::Serialize;

use crate::archive::{Conversation, Mark, Message, Part, Reading, Role};
use crate::model::Timestamp;
use crate::text::{WantedWords, one_line};

use super::super::ServiceError;
use super::{Chosen, Past, PastError};

/// The messages of a conversation that are read at a time.
const PAGE: usize = 100;
/// The characters of a snippet before a hit and behind it.
const BEFORE: usize = 60;
const BEHIND: usize = 90;

/// A question to the conversations.
#[derive(Debug, Clone, Default)]
pub struct PastSearch {
    /// The words, all of which have to be in a message.
    pub words: String,
    /// The conversations.
    pub chosen: Chosen,
    /// The one conversation that is meant, by its name.
    pub session: Option<String>,
    /// Also the arguments and outputs of tools are looked at.
    pub tools: bool,
    /// Only messages before this place.
    pub before: Option<Mark>,
}

/// A message that has every word.
#[derive(Debug, Clone, Serialize)]
pub struct PastHit {
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

/// The hits of a question, the newest first, each when it is asked for.
pub struct PastHits<'p> {
    past: &'p Past,
    wanted: WantedWords,
    tools: bool,
    unread: Vec<Unread>,
    /// The place of the last message that was looked at.
    last: Option<Mark>,
    /// The number of messages that were looked at.
    looked: usize,
}

/// The messages of a conversation that are not looked at yet.
struct Unread {
    of: Conversation,
    /// Those that are read, the newest last.
    page: Vec<Message>,
    /// The place before which the others are; `None`: all of them are unread.
    before: Option<Mark>,
    /// No others are left.
    is_last: bool,
}

impl Unread {
    /// No message that is left is newer.
    fn newest(&self) -> (Timestamp, bool, &str) {
        let mark = self
            .page
            .last()
            .map(|message| &message.mark)
            .or(self.before.as_ref());
        mark.map_or((self.of.updated, true, ""), |mark| (mark.time, false, &mark.id))
    }
}

impl Past {
    /// Searches. A message without credentials is what is searched.
    pub fn search(&self, search: &PastSearch) -> Result<PastHits<'_>, ServiceError> {
        let wanted = WantedWords::new(&search.words).ok_or(PastError::NoWords)?;
        let unread = self.named(search.session.as_deref(), search.chosen)?.into_iter();
        let unread = unread.map(|of| Unread {
            of,
            page: Vec::new(),
            before: search.before.clone(),
            is_last: false,
        });
        Ok(PastHits {
            past: self,
            wanted,
            tools: search.tools,
            unread: unread.collect(),
            last: None,
            looked: 0,
        })
    }
}

impl PastHits<'_> {
    /// The next hit; `None` where there is no further one, or where `most` messages were looked at.
    pub fn next(&mut self, most: usize) -> Result<Option<PastHit>, ServiceError> {
        while self.looked < most {
            let newest = (0..self.unread.len()).max_by_key(|at| self.unread[*at].newest());
            let Some(at) = newest else { break };
            let unread = &mut self.unread[at];
            let Some(message) = unread.page.pop() else {
                let from = Reading::NewestBefore(unread.before.take());
                let archive = self.past.archive_of(&unread.of)?;
                unread.page = archive.messages(&unread.of, &from, PAGE)?;
                unread.is_last = unread.page.len() < PAGE;
                unread.before = unread.page.first().map(|oldest| oldest.mark.clone());
                if unread.page.is_empty() {
                    self.unread.swap_remove(at);
                }
                continue;
            };
            let (session, title) = (unread.of.id.clone(), unread.of.name().to_owned());
            if unread.page.is_empty() && unread.is_last {
                self.unread.swap_remove(at);
            }
            self.looked += 1;
            self.last = Some(message.mark.clone());
            if let Some(snippet) = self.snippet(&message) {
                return Ok(Some(PastHit {
                    session,
                    title,
                    mark: message.mark,
                    role: message.role,
                    snippet,
                }));
            }
        }
        Ok(None)
    }

    /// The place before which the search goes on; `None` where nothing is left.
    pub fn left(&self) -> Option<&Mark> {
        self.last.as_ref().filter(|_| !self.unread.is_empty())
    }

    /// The text around the words; `None` where one of them is missing, or is a part of a credential alone.
    fn snippet(&self, message: &Message) -> Option<Snippet> {
        let is_hit = |message: &Message| self.wanted.are_in(texts(message, self.tools));
        if !is_hit(message) {
            return None;
        }
        let mut shown = message.clone();
        // On one line a label meets a value that a line break parted from it.
        shown.each_text(|text| *text = self.past.redactor.redact_line(text).into_owned());
        if !is_hit(&shown) {
            return None;
        }
        let found = texts(&shown, self.tools).filter_map(|text| Some((text, self.wanted.found_in(text)?)));
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

/// The texts of a message that are looked at.
fn texts(message: &Message, tools: bool) -> impl Iterator<Item = &str> {
    let of_tools = message.parts.iter().flat_map(move |part| match part {
        Part::Tool(call) if tools => vec![call.input.as_str(), call.output.as_str()],
        _ => Vec::new(),
    });
    message.texts().chain(of_tools)
}
