//! A conversation is about to be replaced by its summary: the prompt for it, with the memories on file under numbers.

use crate::policy::{Candidates, Dormancy, Rules};
use crate::render::{self, CompactionContext, NumberedList, Todo};
use crate::store::session_hash;
use crate::text::sha256_hex;

use super::super::ServiceError;
use super::super::contender::Contender;
use super::Conversations;

/// Hex digits of a numbering's id.
const SNAPSHOT_LEN: usize = 12;

/// A host's request for the prompt of a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionRequest {
    /// The host's name for the session.
    pub session: String,
    /// The host's list of what is to be done.
    pub todos: Vec<Todo>,
    /// Texts that other plugins want in the prompt.
    pub context: Vec<String>,
}

impl Conversations {
    /// The prompt that takes the place of the host's own. What its numbers stand for is kept with the session until the
    /// summary has been read.
    pub fn compacting(&mut self, request: &CompactionRequest) -> Result<String, ServiceError> {
        let session = session_hash(&request.session);
        self.retry(&session);
        let numbered = self.number(&session)?;
        let todo = |todo: &Todo| Todo {
            content: self.redact(&todo.content),
            status: self.redact(&todo.status),
            priority: self.redact(&todo.priority),
        };
        let todos: Vec<Todo> = request.todos.iter().map(todo).collect();
        let context: Vec<String> = request.context.iter().map(|text| self.redact(text)).collect();
        let standard = Rules::default();
        let prompt = render::compaction_prompt(&CompactionContext {
            numbered: &numbered,
            rules: self.store.get().map_or(&standard, |store| store.rules()),
            todos: &todos,
            context: &context,
        });
        self.change_state(&session, |state| {
            state.numbered = (!numbered.memories.refs.is_empty()).then_some(numbered.memories);
        });
        Ok(prompt)
    }

    fn number(&mut self, session: &str) -> Result<NumberedList, ServiceError> {
        let now = self.now();
        let name = format!("{session} {}", now.as_millis());
        let snapshot: String = sha256_hex(name.as_bytes()).chars().take(SNAPSHOT_LEN).collect();
        self.follow_store()?;
        let Some((store, files)) = self.store.snapshot()? else {
            let rules = Rules::default();
            let nothing = Candidates {
                entries: &[],
                unreadable: &[],
                dormancy: &Dormancy::new(&[], now, &rules.retention),
                rules: &rules,
            };
            return Ok(render::numbered_memories(&nothing, now, &snapshot));
        };
        let contender = Contender::new(store.rules(), &files, now);
        Ok(render::numbered_memories(&contender.candidates(), now, &snapshot))
    }
}
