//! The hot state of one conversation, and what each event does to it.

use serde::{Deserialize, Serialize};

use super::lists;
use super::{
    ActiveFile, ContextMeter, ErrorStatus, OpenError, PoolKind, RecentDecision, SessionList, SessionTodo,
    StoredMemory, WorkingMemory,
};
use crate::capture::{ErrorCategory, FileAction, ShellError, is_planted, names_file};
use crate::model::{Id, Oid, Timestamp, millis};
use crate::policy::{NumberedMemories, NumberedMemory, says_declined};
use crate::text::Phrases;

/// The number of message ids that are kept. A host sends a message again soon or never.
const HANDLED_KEPT: usize = 256;

/// Counts of a conversation's tool outputs that were shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pruning {
    /// The outputs.
    pub calls: u64,
    /// The characters that they had.
    pub chars_in: u64,
    /// The characters that the conversation was given.
    pub chars_out: u64,
    /// The number of times that something was fetched back.
    pub fetched: u64,
}

impl std::ops::Add for Pruning {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            chars_in: self.chars_in.saturating_add(other.chars_in),
            chars_out: self.chars_out.saturating_add(other.chars_out),
            fetched: self.fetched.saturating_add(other.fetched),
        }
    }
}

/// A line of the user's that asks to remember something, or takes something back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidRequest {
    /// Its words, in canonical form, without credentials.
    pub words: String,
    /// True where it takes something back.
    pub takes_back: bool,
}

/// The state of a conversation that is going on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionState {
    /// The files that its tools named, the highest rank first.
    pub active_files: Vec<ActiveFile>,
    /// The errors that its commands left open, the last seen last.
    pub open_errors: Vec<OpenError>,
    /// The decisions, newest last.
    pub decisions: Vec<RecentDecision>,
    /// The jobs that the user asked not to forget, newest last.
    #[serde(default)]
    pub todos: Vec<SessionTodo>,
    /// The open tasks of the host's own list, as the host lists them.
    #[serde(default)]
    pub host_todos: Vec<String>,
    /// The texts that its agent keeps about its work.
    #[serde(default)]
    pub working: WorkingMemory,
    /// The fullness of its context.
    #[serde(default)]
    pub context: ContextMeter,
    /// The counts of its tool outputs that were pruned.
    #[serde(default)]
    pub pruning: Pruning,
    /// The memories that it stored since its epoch began, newest last.
    pub stored: Vec<StoredMemory>,
    /// What the user asked not to remember, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<String>,
    /// The user's requests, which a tool may quote, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<SaidRequest>,
    /// False where no memory held for some files alone when its store was looked at last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_partial: bool,
    /// The memories that it was told beside a file that they hold for, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Id>,
    /// The ids of the user's messages that were read, newest last.
    pub handled: Vec<String>,
    /// The memories that its compaction prompt numbered, until the summary has been read.
    #[serde(default)]
    pub numbered: Option<NumberedMemories>,
    /// The commit up to which the session has heard of the store: by its prompt, or by what it was told since.
    #[serde(default)]
    pub known_head: Option<Oid>,
    /// The same of the global store, where the session has another one.
    #[serde(default)]
    pub known_global: Option<Oid>,
    /// The bytes of the host's transcript that were read, where the host keeps one.
    #[serde(default)]
    pub transcript_read: u64,
    /// How far a model has read the conversation: in messages of a transcript, or by the host's own numbers.
    #[serde(default)]
    pub learned_to: u64,
    /// The number of times that the model gave no answer about the messages behind them.
    #[serde(default)]
    pub learning_failed: u32,
    /// When the user last said something that a model is to read and has not read.
    #[serde(with = "millis::optional", default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<Timestamp>,
    /// When an event last changed it.
    #[serde(with = "millis")]
    pub updated: Timestamp,
}

impl SessionState {
    /// A tool did this with a file.
    pub fn touch(&mut self, path: &str, action: FileAction, now: Timestamp) {
        lists::touch(&mut self.active_files, path, action, now);
        self.updated = now;
    }

    /// A command failed with this error: it is open, also when it was thought to be mended.
    pub fn open_error(&mut self, report: ShellError, now: Timestamp) {
        lists::open(&mut self.open_errors, report, now);
        self.updated = now;
    }

    /// A command of this category succeeded: its errors are gone, for runtime and tools those of the same program.
    pub fn clear(&mut self, category: ErrorCategory, program: &str, now: Timestamp) {
        lists::clear(&mut self.open_errors, category, program);
        self.updated = now;
    }

    /// A file was edited: the errors that name it may be fixed.
    pub fn edited(&mut self, path: &str, now: Timestamp) {
        let named = |error: &&mut OpenError| names_file(&error.files, path);
        for error in self.open_errors.iter_mut().filter(named) {
            error.status = ErrorStatus::MaybeFixed;
        }
        self.updated = now;
    }

    /// Something was decided.
    pub fn decide(&mut self, decision: RecentDecision) {
        self.updated = decision.at;
        lists::decide(&mut self.decisions, decision);
    }

    /// These memories are no longer in force: nothing is said of them.
    pub fn forget(&mut self, gone: &[Id]) {
        let is_gone = |decision: &RecentDecision| decision.id.as_ref().is_some_and(|id| gone.contains(id));
        self.decisions.retain(|decision| !is_gone(decision));
        self.stored.retain(|stored| !gone.contains(&stored.id));
    }

    /// These memories were forgotten for good, with these words: nothing is left that says them.
    pub fn scrub(&mut self, gone: &[Id], said: &Phrases) {
        self.forget(gone);
        self.leave_out(|text| said.are_in(text));
        if let Some(numbered) = &mut self.numbered {
            let says = |memory: &NumberedMemory| gone.contains(&memory.id) || said.are_in(&memory.exact);
            numbered.refs.retain(|memory| !says(memory));
        }
    }

    /// Without the lines and the files whose text or path is one of these.
    pub fn leave_out(&mut self, is_one: impl Fn(&str) -> bool) {
        self.active_files.retain(|file| !is_one(&file.path));
        self.context.focus = self.context.focus.take().filter(|focus| !is_one(focus));
        self.decisions.retain(|decision| !is_one(&decision.text));
        self.stored.retain(|stored| !is_one(&stored.text));
        self.declined.retain(|text| !is_one(text));
        self.said.retain(|said| !is_one(&said.words));
        self.todos.retain(|todo| !is_one(&todo.text));
        self.host_todos.retain(|text| !is_one(text));
        self.open_errors.retain(|error| !is_one(&error.summary));
        self.working.leave_out(is_one);
    }

    /// The memories that its lines speak of.
    pub fn named(&self) -> impl Iterator<Item = &Id> {
        let decided = self.decisions.iter().filter_map(|decision| decision.id.as_ref());
        decided.chain(self.stored.iter().map(|stored| &stored.id))
    }

    /// Says what it says of memories in their present words, and nothing of those that `words` does not know.
    pub fn retell(&mut self, words: impl Fn(&Id) -> Option<String>) {
        let retold = |id: &Id, text: &mut String| words(id).map(|words| *text = words).is_some();
        self.stored
            .retain_mut(|stored| retold(&stored.id, &mut stored.text));
        self.decisions.retain_mut(|decision| match &decision.id {
            Some(id) => retold(id, &mut decision.text),
            None => true,
        });
    }

    /// The part of it that the next session of the workspace is told, as it was at the last event; `None` where there
    /// is nothing to tell. What gives orders to its reader, or plants something, goes no further than it was seen.
    #[must_use]
    pub fn handed_over(mut self) -> Option<Self> {
        self.expire(self.updated);
        let nothing = Self {
            updated: self.updated,
            ..Self::default()
        };
        let mut left = Self {
            active_files: self.active_files,
            open_errors: self.open_errors,
            decisions: self.decisions,
            todos: self.todos,
            host_todos: self.host_todos,
            working: self.working.goal_alone(),
            ..nothing.clone()
        };
        left.leave_out(is_planted);
        (left != nothing).then_some(left)
    }

    /// The user asked not to forget a job.
    pub fn add_todo(&mut self, text: &str, now: Timestamp) {
        lists::expire_todos(&mut self.todos, now);
        lists::add(&mut self.todos, text, now);
        self.updated = now;
    }

    /// The host listed the tasks of this conversation; these are open.
    pub fn list_host_todos(&mut self, open: Vec<String>, now: Timestamp) {
        self.host_todos = lists::of_host(open);
        self.updated = now;
    }

    /// Empties a list.
    pub fn clear_list(&mut self, list: SessionList) {
        match list {
            SessionList::Note => _ = self.working.pool.remove_if(|item| item.kind == PoolKind::Note),
            SessionList::File => _ = self.working.pool.remove_if(|item| item.kind == PoolKind::File),
            SessionList::Todo => {
                self.todos.clear();
                self.host_todos.clear();
            }
            SessionList::Decision => self.decisions.clear(),
            SessionList::Error => self.open_errors.clear(),
            SessionList::Dependency => self.working.dependencies.clear(),
        }
    }

    /// Takes the items away that say exactly this; false where there is no such item.
    #[must_use]
    pub fn clear_text(&mut self, text: &str) -> bool {
        let count = |state: &Self| {
            let lists = [state.todos.len(), state.host_todos.len(), state.decisions.len()];
            lists.into_iter().sum::<usize>() + state.open_errors.len()
        };
        let before = count(self);
        self.todos.retain(|todo| todo.text != text);
        self.host_todos.retain(|own| own != text);
        self.decisions.retain(|decision| decision.text != text);
        self.open_errors.retain(|error| error.summary != text);
        self.working.remove_if(|own| own == text) || count(self) < before
    }

    /// The user asked not to remember this.
    pub fn decline(&mut self, text: &str) {
        let text = text.chars().take(lists::TODO_CHARS).collect();
        lists::renew(&mut self.declined, text, lists::TODOS, String::eq);
    }

    /// True for a text that the user asked not to remember.
    pub fn is_declined(&self, text: &str) -> bool {
        self.declined.iter().any(|said| says_declined(said, text))
    }

    /// Todos of a week ago are over, and errors of an hour ago.
    pub fn expire(&mut self, now: Timestamp) {
        lists::expire_todos(&mut self.todos, now);
        lists::expire_errors(&mut self.open_errors, now);
    }

    /// A compaction prompt lists the todos: its summary carries them.
    pub fn list_todos(&mut self) {
        for todo in &mut self.todos {
            todo.is_listed = true;
        }
    }

    /// A summary was read: it says what is still to be done of the todos that its prompt listed.
    pub fn end_listed_todos(&mut self) {
        self.todos.retain(|todo| !todo.is_listed);
    }

    /// The session stored a memory.
    pub fn remember_stored(&mut self, memory: StoredMemory, now: Timestamp) {
        lists::remember(&mut self.stored, memory);
        self.updated = now;
    }

    /// A new epoch has begun: these, which were stored before, are in the prompt now, or compete for a place there.
    pub fn begin_epoch(&mut self, stored: &[Id], head: Option<Oid>, global: Option<Oid>) {
        (self.known_head, self.known_global) = (head, global);
        self.stored.retain(|memory| !stored.contains(&memory.id));
    }

    /// It is told this memory beside a file that it holds for.
    pub fn tell(&mut self, memory: &Id) {
        lists::renew(&mut self.told, memory.clone(), HANDLED_KEPT, Id::eq);
    }

    /// Notes that a message was read.
    pub fn handle(&mut self, message: &str) {
        lists::renew(&mut self.handled, message.to_owned(), HANDLED_KEPT, String::eq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    fn decision(id: &str, text: &str) -> RecentDecision {
        RecentDecision {
            id: Some(Id::parse(id).unwrap()),
            text: text.to_owned(),
            exact: format!("decision:{text}"),
            at: Timestamp::from_millis(7),
        }
    }

    #[test]
    fn what_is_said_of_memories_is_what_they_say_now() {
        let mut state = SessionState::default();
        state.decide(decision("mem_a", "Use pnpm"));
        state.decide(decision("mem_b", "Use yarn"));
        state.decide(RecentDecision {
            id: None,
            ..decision("mem_c", "Use npm")
        });
        let words = |id: &Id| (id.as_str() == "mem_b").then(|| "Use yarn 4".to_owned());
        state.retell(words);
        let texts = |state: &SessionState| -> Vec<String> {
            let texts = state.decisions.iter().map(|decision| decision.text.clone());
            texts.collect()
        };
        assert_eq!(texts(&state), ["Use yarn 4", "Use npm"]);
        state.forget(&[Id::parse("mem_b").unwrap()]);
        assert_eq!(texts(&state), ["Use npm"], "nobody knows whose it is");
    }

    #[test]
    fn the_next_session_is_told_of_the_work_alone_as_it_was_at_the_last_event() {
        let at = |minutes: i64| Timestamp::from_seconds(minutes * 60);
        let mut state = SessionState::default();
        state.handle("msg");
        assert_eq!(state.clone().handed_over(), None);
        let report = ShellError {
            category: ErrorCategory::Test,
            program: "cargo".into(),
            summary: "it failed".into(),
            fingerprint: "f".into(),
            files: Vec::new(),
        };
        state.open_error(report, at(0));
        state.add_todo("close the ticket", at(30));
        let left = state.clone().handed_over().unwrap();
        assert_eq!(
            (left.open_errors.len(), left.todos.len(), left.updated),
            (1, 1, at(30))
        );
        assert_eq!(left.handled, [""; 0]);
        state.touch("a.rs", FileAction::Edit, at(90));
        assert_eq!(
            state.handed_over().unwrap().open_errors,
            [],
            "it was over by then"
        );
    }

    #[test]
    fn a_message_is_handled_once_however_many_follow() {
        let mut state = SessionState::default();
        for n in 0..HANDLED_KEPT + 10 {
            state.handle(&format!("msg_{n}"));
            state.handle(&format!("msg_{n}"));
        }
        assert_eq!(state.handled.len(), HANDLED_KEPT);
        assert_eq!(state.handled[0], "msg_10");
    }

    #[test]
    fn a_summary_ends_the_todos_that_its_prompt_listed() {
        let now = Timestamp::from_millis(7);
        let mut state = SessionState::default();
        state.add_todo("close the ticket", now);
        state.list_todos();
        state.add_todo("rebase it", now);
        state.end_listed_todos();
        let texts: Vec<&str> = state.todos.iter().map(|todo| todo.text.as_str()).collect();
        assert_eq!(texts, ["rebase it"], "nothing was written about it");
    }

    #[test]
    fn an_epoch_ends_what_is_pending_and_nothing_else() {
        let now = Timestamp::from_millis(7);
        let mut state = SessionState::default();
        state.touch("a.rs", FileAction::Edit, now);
        state.decide(decision("mem_d", "Use pnpm"));
        state.remember_stored(
            StoredMemory {
                id: Id::parse("mem_a").unwrap(),
                kind: Kind::new("decision"),
                text: "Use pnpm".into(),
            },
            now,
        );
        let before = state.clone();
        state.begin_epoch(&[Id::parse("mem_b").unwrap()], None, None);
        assert_eq!(state, before, "what came while the prompt was rendered stays");
        state.begin_epoch(&[Id::parse("mem_a").unwrap()], None, None);
        assert_eq!(
            state,
            SessionState {
                stored: Vec::new(),
                ..before
            }
        );
        assert_eq!(state.updated, now);
    }
}
