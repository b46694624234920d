//! The search in conversations: message by message, the newest first, in all conversations at once.

use std::collections::BinaryHeap;
use std::ops::Range;

use crate::archive::{Conversation, Mark, Message, Part, Reading, Role};
use crate::text::{WantedWords, one_line};

use super::super::ServiceError;
use super::{Chosen, Past, PastError};

/// The messages of a conversation that are read at a time.
const PAGE: usize = 100;
/// The characters of a snippet before a hit and behind it.
const BEFORE: usize = 60;
const BEHIND: usize = 90;
/// It is behind every id.
const LAST: &str = "\u{10ffff}";

/// A question to the conversations.
#[derive(Debug, Clone)]
pub struct PastSearch {
    /// The words, all of which have to be in a message.
    pub words: String,
    /// The conversations.
    pub chosen: Chosen,
    /// The one conversation that is meant, by its name.
    pub conversation: Option<String>,
    /// The texts that are looked at.
    pub texts: Texts,
    /// Only messages before this place.
    pub before: Option<Mark>,
}

/// The texts of a message that are looked at or shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// The texts that were said.
    Said,
    /// Also the arguments and outputs of tools.
    WithTools,
}

/// A message that has every word.
#[derive(Debug, Clone)]
pub struct PastHit {
    /// Its conversation.
    pub conversation: Conversation,
    /// Its place.
    pub mark: Mark,
    /// The one who spoke.
    pub role: Role,
    /// The text around a hit.
    pub snippet: Snippet,
}

/// The text around a hit, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    texts: Texts,
    conversations: Vec<Conversation>,
    /// For each conversation the messages that are read.
    pages: Vec<Page>,
    /// The conversations by the place before which, or at which, their next message is.
    next: BinaryHeap<(Mark, usize)>,
    /// The place before which the messages are that are meant.
    before: Option<Mark>,
    /// The place of the last message that was looked at.
    last: Option<Mark>,
    /// The number of messages that were looked at.
    looked: usize,
}

/// Messages of a conversation that follow each other.
#[derive(Default)]
struct Page {
    /// Those that are not yet looked at.
    messages: Vec<Message>,
    /// Tells whether the conversation begins with them.
    is_first: bool,
}

impl Past {
    /// Searches. A message without credentials is what is searched.
    pub fn search(&self, search: &PastSearch) -> Result<PastHits<'_>, ServiceError> {
        let wanted = WantedWords::new(&search.words).ok_or(PastError::NoWords)?;
        let conversations: Vec<Conversation> = match &search.conversation {
            Some(name) => vec![self.named(Some(name), search.chosen.reach)?.1],
            None => self
                .chosen(search.chosen)?
                .into_iter()
                .map(|(_, found)| found)
                .collect(),
        };
        let first = |conversation: &Conversation| {
            let newest = Mark {
                time: conversation.updated,
                id: LAST.to_owned(),
            };
            search
                .before
                .clone()
                .map_or(newest.clone(), |before| before.min(newest))
        };
        Ok(PastHits {
            past: self,
            wanted,
            texts: search.texts,
            pages: conversations.iter().map(|_| Page::default()).collect(),
            next: conversations.iter().map(first).zip(0..).collect(),
            conversations,
            before: search.before.clone(),
            last: None,
            looked: 0,
        })
    }
}

impl PastHits<'_> {
    /// The next hit; `None` where there is no further one, or where `most` messages were looked at.
    pub fn next(&mut self, most: usize) -> Result<Option<PastHit>, ServiceError> {
        while self.looked < most {
            let Some((at_most, at)) = self.next.pop() else {
                break;
            };
            let page = &mut self.pages[at];
            let Some(message) = page.messages.pop() else {
                self.read(at, at_most)?;
                continue;
            };
            self.looked += 1;
            let unread = (!page.is_first).then_some(&message);
            let next = page.messages.last().or(unread);
            self.next.extend(next.map(|next| (next.mark.clone(), at)));
            self.last = Some(message.mark.clone());
            if let Some(snippet) = self.snippet(&message) {
                return Ok(Some(PastHit {
                    conversation: self.past.shown(self.conversations[at].clone()),
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
        self.last.as_ref().filter(|_| !self.next.is_empty())
    }

    /// Reads the messages of a conversation before a place; without a further one it is done.
    fn read(&mut self, at: usize, before: Mark) -> Result<(), ServiceError> {
        let conversation = &self.conversations[at];
        // It may have grown since it was listed: its newest message is not known before it is read.
        let before = if before.id == LAST {
            self.before.clone()
        } else {
            Some(before)
        };
        let archive = self.past.archive_of(conversation)?;
        let messages = archive.messages(conversation, &Reading::NewestBefore(before), PAGE)?;
        if let Some(newest) = messages.last() {
            self.next.push((newest.mark.clone(), at));
            let is_first = messages.len() < PAGE;
            self.pages[at] = Page { messages, is_first };
        }
        Ok(())
    }

    /// The text around the words; `None` where one of them is missing, or is a part of a credential alone.
    fn snippet(&self, message: &Message) -> Option<Snippet> {
        let is_hit = |message: &Message| self.wanted.are_in(texts(message, self.texts));
        if !is_hit(message) {
            return None;
        }
        let mut shown = message.clone();
        // On one line a label meets a value that a line break parted from it.
        shown.each_text(|text| *text = self.past.redactor.redact_line(text).into_owned());
        if !is_hit(&shown) {
            return None;
        }
        let found = texts(&shown, self.texts).filter_map(|text| Some((text, self.wanted.found_in(text)?)));
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
    let mut line = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c.is_whitespace() {
            true if line.ends_with(' ') => {}
            true => line.push(' '),
            false => line.push(c),
        }
    }
    line
}

/// The texts of a message that are looked at.
fn texts(message: &Message, which: Texts) -> impl Iterator<Item = &str> {
    let of_tools = message.parts.iter().filter(move |_| which == Texts::WithTools);
    let of_tools = of_tools.flat_map(|part| match part {
        Part::Call(call) => vec![call.input.as_str(), call.output.as_str()],
        _ => Vec::new(),
    });
    message.texts().chain(of_tools)
}
