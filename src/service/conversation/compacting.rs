//! A conversation is about to be replaced by its summary: the prompt for it, with the memories on file under numbers.

use std::sync::Arc;

use crate::policy::{CompactionPrompt, Rules};
use crate::render::{self, CompactionContext, NumberedList, Todo};
use crate::store::session_hash;
use crate::text::sha256_hex;

use super::super::ServiceError;
use super::super::contender::Contender;
use super::Conversations;

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
        let numbered = self.number(&session)?;
        let todo = |todo: &Todo| Todo {
            content: self.redact(&todo.content),
            status: self.redact(&todo.status),
            priority: self.redact(&todo.priority),
        };
        let state = self.states.get(&session, self.now());
        let focus = self.redact(&state.context.focus.unwrap_or_default());
        let own = state.todos.into_iter().map(|todo| Todo {
            content: todo.text,
            status: "asked by the user".to_owned(),
            priority: String::new(),
        });
        let todos: Vec<Todo> = own.chain(todos.iter().map(todo)).collect();
        let context: Vec<String> = context.iter().map(|text| self.redact(text)).collect();
        let blocks = self.own_blocks(&session);
        let standard = Rules::default();
        let rules = self.store.get().map_or(&standard, |store| store.rules());
        let form = rules.compaction;
        let words = render::compaction_prompt(&CompactionContext {
            numbered: &numbered,
            rules,
            todos: &todos,
            blocks: &blocks,
            focus: &focus,
            context: &context,
        });
        self.change_state(&session, |state| {
            state.list_todos();
            state.numbered = (!numbered.memories.refs.is_empty()).then_some(numbered.memories);
        });
        Ok((form, words))
    }

    /// The blocks that the agent keeps.
    fn own_blocks(&self, session: &str) -> String {
        let rules = self.session_rules();
        if !rules.is_working {
            return String::new();
        }
        self.redact(&render::working_blocks(
            &self.states.get(session, self.now()),
            &rules,
        ))
    }

    fn number(&mut self, session: &str) -> Result<NumberedList, ServiceError> {
        let now = self.now();
        let name = format!("{session} {}", now.as_millis());
        let snapshot: String = sha256_hex(name.as_bytes()).chars().take(SNAPSHOT_LEN).collect();
        self.follow_store()?;
        let standard = Rules::default();
        let (rules, files) = match self.store.snapshot()? {
            Some((store, files)) => (store.rules(), files),
            None => (&standard, Arc::default()),
        };
        let contender = Contender::new(rules, &files, now);
        Ok(render::numbered_memories(&contender.candidates(), now, &snapshot))
    }
}
