//! The search in conversations: each file is read once, and the best or the newest hits are told.

use std::ops::Range;

use serde::Serialize;

use super::{Chosen, ConversationError, KeptConversations, Mark, Role, ServiceError};
use crate::model::Timestamp;
use crate::search::{Turn, roots, scores};
use crate::sys::each;
use crate::text::{LineFilter, WantedWords, one_line};

/// The characters of a snippet before a hit and behind it.
const BEFORE: usize = 60;
const BEHIND: usize = 90;
/// Begins the id of the place from which a search goes on; behind it, how many hits to leave out. No host has such ids,
/// and all of theirs come after it.
const TOLD: char = '+';

/// The order of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum HitOrder {
    /// The best first; what is said around a message counts too
    #[default]
    Relevance,
    /// The newest first, of those with every word
    Time,
}

/// A question to the conversations.
#[derive(Debug, Clone, Default)]
pub struct ConversationSearch {
    /// The words.
    pub words: String,
    /// The order.
    pub order: HitOrder,
    /// The conversations.
    pub chosen: Chosen,
    /// The one conversation that is meant, by its name.
    pub session: Option<String>,
    /// Also the arguments and outputs of tools are looked at.
    pub tools: bool,
    /// The place from which it goes on: a cursor of an earlier answer, or a message before which it looks.
    pub before: Option<Mark>,
    /// At most so many of them.
    pub most: usize,
}

/// The messages that have the words.
#[derive(Debug, Clone, Serialize)]
pub struct ConversationHits {
    /// The words.
    pub query: String,
    /// The first of them in the order that was asked for.
    pub hits: Vec<ConversationHit>,
    /// The cursor from which there are more; `None`: there are none.
    pub before: Option<String>,
}

/// A message that has words of the question.
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
        let wanted = WantedWords::new(&roots(&search.words).join(" "));
        let wanted = wanted.ok_or_else(|| ConversationError::new("empty search", ""))?;
        // The output of a tool belongs to the line of its call.
        let filter = LineFilter::new(&wanted, search.tools.then_some("\"tool_use\""));
        let takes = |texts: &[&str]| {
            let counts = wanted.counts(texts.iter().copied());
            let has = |count: &f64| *count > 0.0;
            let is_taken = match search.order {
                HitOrder::Relevance => counts.iter().any(has),
                HitOrder::Time => counts.iter().all(has),
            };
            is_taken.then_some(counts)
        };
        let all = self.named(search.session.as_deref(), search.chosen)?;
        // Their texts are read again where they are shown: a common word is in more than there is memory for.
        let mut found: Vec<Turn> = Vec::new();
        for (place, of) in each("searching conversations", all.iter().enumerate()) {
            self.reader(of).messages(of, 0, Some(&filter), &mut |message| {
                let texts = message.searched(search.tools);
                let is_meant = search.before.as_ref().is_none_or(|before| message.mark < *before);
                if let Some(counts) = takes(&texts).filter(|_| is_meant) {
                    found.push(Turn {
                        place: (place, message.turn),
                        at: message.at,
                        time: message.mark.time.as_millis(),
                        bytes: texts.iter().map(|text| text.len()).sum(),
                        counts,
                    });
                }
                true
            })?;
        }
        found.sort_by_key(|turn| turn.place);
        let newest = found.iter().map(|turn| turn.time).max();
        let scores = match search.order {
            HitOrder::Relevance => scores(&found),
            HitOrder::Time => vec![0.0; found.len()],
        };
        let mut ranked: Vec<_> = scores.into_iter().zip(&found).collect();
        ranked.sort_by(|(a, one), (b, other)| {
            let newest_first = || (other.time, other.place).cmp(&(one.time, one.place));
            b.total_cmp(a).then_with(newest_first)
        });
        // What comes meanwhile is newer, and changes nothing in what follows.
        let end = Timestamp::from_millis(newest.unwrap_or_default() + 1);
        let told = search.before.as_ref();
        let told = told.and_then(|before| before.id.strip_prefix(TOLD)?.parse().ok());
        let ranked = ranked.into_iter().enumerate().skip(told.unwrap_or(0));
        let hits = ranked.filter_map(|(rank, (_, turn))| {
            let of = &all[turn.place.0];
            let mut message = None;
            let read = self.reader(of).messages(of, turn.at, Some(&filter), &mut |read| {
                message = Some(read).filter(|read| read.mark.time.as_millis() == turn.time);
                message.is_none()
            });
            read.ok()?;
            let message = message?;
            let texts = message.searched(search.tools);
            // On one line a label meets a value that a line break parted from it.
            let shown: Vec<_> = texts.iter().map(|text| self.redactor.redact_line(text)).collect();
            takes(&shown.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
            let found = shown
                .iter()
                .filter_map(|text| Some((text, wanted.found_in(text)?)));
            let (text, (_, at)) = found.max_by_key(|(_, (count, _))| *count)?;
            let hit = ConversationHit {
                session: of.id.clone(),
                title: of.name().to_owned(),
                role: message.role,
                snippet: Snippet::around(text, at),
                mark: message.mark,
            };
            Some((rank, hit))
        });
        let mut hits: Vec<_> = hits.take(search.most.saturating_add(1)).collect();
        let next = hits.get(search.most).map(|(rank, _)| format!("{TOLD}{rank}"));
        hits.truncate(search.most);
        Ok(ConversationHits {
            query: search.words.clone(),
            hits: hits.into_iter().map(|(_, hit)| hit).collect(),
            before: next.map(|id| Mark { time: end, id }.to_string()),
        })
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
