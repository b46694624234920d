//! A compaction: the prompt for the summary, with the memories on file under numbers; then the summary, whose candidates
//! are stored before a new epoch begins.

use crate::capture;
use crate::evidence::{Event, EventType};
use crate::policy::{CompactionPrompt, ForcedBy};
use crate::render::{self, CompactionContext, Todo};
use crate::store::{Waiting, session_hash};
use crate::text::sha256_hex;

use super::super::ranking::Contender;
use super::super::{PromptTiming, ServiceError};
use super::pending::BEHIND;
use super::summary::Extraction;
use super::{Conversations, HeardLine, short_hash};

/// Hex digits of a numbering's id.
const SNAPSHOT_LEN: usize = 12;

impl Conversations {
    /// The words for the host's compaction, and whether they take the place of its own prompt: then they hold what other
    /// plugins want in it. The session keeps the meaning of its numbers until the summary has been read.
    pub fn compacting(
        &mut self,
        session: &str,
        todos: &[Todo],
        context: &[String],
    ) -> Result<(CompactionPrompt, String), ServiceError> {
        let session = session_hash(session);
        self.retry();
        let now = self.now();
        let name = format!("{session} {}", now.as_millis());
        let snapshot: String = sha256_hex(name.as_bytes()).chars().take(SNAPSHOT_LEN).collect();
        self.follow_store()?;
        let rules = self.rules();
        let files = self.store.snapshot()?.map(|(_, files)| files);
        let files = files.unwrap_or_default();
        let contender = Contender::new(&rules, &files, now);
        let numbered = render::numbered_memories(&contender.candidates(), now, &snapshot);
        let todo = |todo: &Todo| Todo {
            content: self.redact(&todo.content),
            status: self.redact(&todo.status),
            priority: self.redact(&todo.priority),
        };
        let state = self.states.get(&session, now);
        let blocks = if rules.session.is_working {
            self.redact(&render::working_blocks(&state, &rules.session))
        } else {
            String::new()
        };
        let focus = self.redact(&state.context.focus.unwrap_or_default());
        let own = state.todos.into_iter().map(|todo| Todo {
            content: todo.text,
            status: "asked by the user".to_owned(),
            priority: String::new(),
        });
        let todos: Vec<Todo> = own.chain(todos.iter().map(todo)).collect();
        let context: Vec<String> = context.iter().map(|text| self.redact(text)).collect();
        let form = rules.compaction;
        let words = render::compaction_prompt(&CompactionContext {
            numbered: &numbered,
            rules: &rules,
            todos: &todos,
            blocks: &blocks,
            focus: &focus,
            context: &context,
        });
        self.change_state(&session, |state| {
            state.list_todos();
            state.told.clear();
            state.numbered = (!numbered.memories.refs.is_empty()).then_some(numbered.memories);
        });
        Ok((form, words))
    }
}

/// The id of a summary in the journal, where it was kept before the host stored it.
fn kept(summary: &str) -> String {
    format!("kept:{}", short_hash(summary))
}

impl Conversations {
    /// Reads the summary of a session, once, and gives the outcome of its lines, in order. The lines that cannot be stored
    /// now become a pending write.
    pub fn compacted(&mut self, session: &str, summary: &str) -> Result<Vec<HeardLine>, ServiceError> {
        let session = session_hash(session);
        self.retry();
        let _turn = self.turn(&session);
        let id = format!("summary:{}", short_hash(summary));
        if self.is_handled(&session, &id) {
            return Ok(Vec::new());
        }
        let kept = kept(summary);
        let is_kept = self.is_handled(&session, &kept);
        // Behind earlier pending writes: a lock that those did not get a moment ago would only be waited for again.
        let is_behind = self.pending.is_waiting(&session);
        let extraction = if is_behind || is_kept {
            Extraction::default()
        } else {
            self.extract(&session, summary, 0)
        };
        if !is_kept && (is_behind || extraction.failure.is_some()) {
            self.write_rest(&session, summary, &id, &extraction)?;
        }
        // First of all, because a summary that is known is not looked at again. Where the prompt is a part of the
        // conversation, the summary itself says what it teaches.
        let forced = match self.prompts {
            PromptTiming::AtEveryStep => self.states.folder(&session).force(ForcedBy::Compaction),
            PromptTiming::AtSessionStart => Ok(()),
        };
        self.change_state(&session, |state| {
            state.handle(&id);
            state.end_listed_todos();
            state.working.pool.compact();
            state.context.compacted();
        });
        forced?;
        Ok(extraction.lines)
    }

    /// Keeps what a summary teaches in the journal, before the host stores the summary, and
    /// gives the summary without it. It is learned at the session's next event.
    pub fn summarized(&mut self, session: &str, summary: &str) -> Result<String, ServiceError> {
        let session = session_hash(session);
        let left = capture::without_candidates(summary);
        let kept = kept(summary);
        if left != summary && !self.is_handled(&session, &kept) {
            if let Err(error) = self.make_store() {
                tracing::debug!(%error, "a summary was kept outside the store");
            }
            let whole = Waiting::Summary {
                text: self.redact(summary),
                done: 0,
            };
            let write = self.waiting(&session, whole, &kept, "");
            if let Err(error) = self.pending.keep(&[write], self.wait()) {
                tracing::warn!(%error, "a summary was not cleaned up, because it cannot be kept here");
                return Ok(summary.to_owned());
            }
        }
        Ok(left.into_owned())
    }

    /// Makes the rest of a summary a pending write.
    fn write_rest(
        &mut self,
        session: &str,
        summary: &str,
        id: &str,
        extraction: &Extraction,
    ) -> Result<(), ServiceError> {
        let reason = extraction.failure.as_ref().map(ToString::to_string);
        let reason = reason.unwrap_or_else(|| BEHIND.to_owned());
        let rest = Waiting::Summary {
            text: self.redact(summary),
            done: extraction.lines.len(),
        };
        let write = self.waiting(session, rest, id, &reason);
        self.pending.keep(&[write], self.wait())?;
        let event = Event::new(EventType::PromotionRetryScheduled).detail("reason", reason);
        self.record(session, vec![event]);
        Ok(())
    }
}
