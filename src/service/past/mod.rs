//! Use case: the conversations that the hosts of this machine keep, read only. Everything that leaves here is without
//! credentials.

mod plans;
mod search;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::archive::{
    ArchiveError, ClaudeCode, Compaction, Conversation, ConversationArchive, Facts, Mark, Message, OpenCode,
    Reading, Role,
};
use crate::capture::{self, RequestPatterns, SummaryLine};
use crate::model::Kind;
use crate::store::Workspace;
use crate::text::{Redactor, some_of};

use super::{Context, ServiceError};

pub use plans::Plan;
pub use search::{PastHit, PastHits, PastSearch, Snippet};

/// The messages that are read at a time, where all are read.
const PAGE: usize = 200;
/// The name of a conversation stands for one where it is the beginning or the end of its id, of so many characters.
const LEAST_NAME: usize = 4;
/// The characters of what a tool was given that are shown where nobody asks for it.
const BRIEF: usize = 100;

/// The reason why nothing is told of a conversation.
#[derive(Debug, thiserror::Error)]
pub enum PastError {
    /// There is none.
    #[error("no session of this workspace is kept here")]
    Nothing,
    /// No conversation has this name.
    #[error("there is no session `{}`", .0.escape_debug())]
    Unknown(String),
    /// A name stands for several.
    #[error("`{}` names {} sessions", name.escape_debug(), candidates.len())]
    Ambiguous {
        /// The name.
        name: String,
        /// Their ids.
        candidates: Vec<String>,
    },
    /// No plan has this name.
    #[error("there is no plan `{}`", .0.escape_debug())]
    NoPlan(String),
    /// A question without a word.
    #[error("empty search")]
    NoWords,
}

impl PastError {
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            Self::Nothing | Self::Unknown(_) => Some(
                "`mdmem sessions list --all` lists those of every workspace; `mdmem sessions list --subagents` those of sub-agents too."
                    .to_owned(),
            ),
            Self::Ambiguous { candidates, .. } => Some(format!("Name one of them: {}.", some_of(candidates))),
            Self::NoPlan(_) => Some("`mdmem sessions plans` lists them.".to_owned()),
            Self::NoWords => None,
        }
    }
}

/// The conversations that are meant: those of this workspace, without those that worked for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chosen {
    /// Those of every workspace.
    pub all: bool,
    /// Also those that worked for another one.
    pub subagents: bool,
}

/// A page of a conversation.
#[derive(Debug, Clone, Serialize)]
pub struct Page {
    /// The conversation.
    pub session: Conversation,
    /// The messages, in their order.
    pub messages: Vec<Message>,
    /// The cursor before which there are older messages; `None`: there are none.
    pub before: Option<String>,
    /// The cursor behind which there are newer ones; `None`: there are none.
    pub after: Option<String>,
}

/// The hosts' conversations, open for reading.
pub struct Past {
    archives: Vec<Box<dyn ConversationArchive>>,
    /// The trouble that a person should know of beside the answers.
    pub notices: Vec<String>,
    redactor: Redactor,
    workspace: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl Past {
    /// Opens what the hosts of this machine keep: OpenCode's database (`history.opencode`, else `$OPENCODE_DB`, else
    /// `opencode/opencode.db` in the user's folder for data), and Claude Code's transcripts.
    pub fn open(context: &Context) -> Result<Self, ServiceError> {
        let patterns = context.settings().redact_patterns;
        let store = context.open_existing().ok().flatten();
        let redactor = store.map(|store| store.redactor().clone());
        Self::with(
            context,
            redactor.unwrap_or_else(|| Redactor::new(&patterns).unwrap_or_default()),
        )
    }

    /// The same with what takes out credentials.
    pub(super) fn with(context: &Context, redactor: Redactor) -> Result<Self, ServiceError> {
        let env = &context.env;
        let named = context.settings().history.opencode;
        let variable = |name| env.var(name).filter(|path| !path.is_empty());
        let database = if let Some(path) = &named {
            env.current_dir().join(path)
        } else {
            let name = variable("OPENCODE_DB").unwrap_or_else(|| "opencode.db".to_owned());
            env.data_home()?.join("opencode").join(name)
        };
        let home = env.home().ok();
        let claude = variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        let claude = claude.or_else(|| Some(home.as_ref()?.join(".claude")));
        let mut past = Self {
            archives: Vec::new(),
            notices: Vec::new(),
            redactor,
            // In a folder that is no workspace there are those of all workspaces alone.
            workspace: context
                .of_session()?
                .place()?
                .workspace
                .map(|workspace| workspace.root().to_owned()),
            home,
        };
        let mut errors = Vec::new();
        match OpenCode::open(&database) {
            Ok(opencode) => past.archives.push(Box::new(opencode)),
            Err(error) => errors.push((named.is_some(), error)),
        }
        match claude.as_deref().map(ClaudeCode::open) {
            Some(Ok(claude)) => past.archives.push(Box::new(claude)),
            Some(Err(error)) => errors.push((false, error)),
            None => {}
        }
        if past.archives.is_empty() && !errors.is_empty() {
            return Err(errors.remove(0).1.into());
        }
        errors.retain(|(is_named, error)| *is_named || !matches!(error, ArchiveError::Missing { .. }));
        past.notices
            .extend(past.archives.iter().filter_map(|archive| archive.notice()));
        past.notices
            .extend(errors.iter().map(|(_, error)| error.to_string()));
        Ok(past)
    }

    /// The conversations, the one that changed last first.
    pub fn conversations(&self, chosen: Chosen) -> Result<Vec<Conversation>, ServiceError> {
        let mut found = Vec::new();
        for archive in &self.archives {
            found.extend(archive.conversations()?);
        }
        found.retain(|of| !of.is_a_pass() && (chosen.subagents || of.parent.is_none()));
        if !chosen.all {
            let mut known = HashMap::new();
            found.retain(|of| {
                let folder = of.directory.clone();
                *known
                    .entry(folder)
                    .or_insert_with_key(|folder| self.is_here(folder))
            });
        }
        // Each host's are in this order already.
        found.sort_by_key(|of| std::cmp::Reverse(of.updated));
        for of in &mut found {
            of.title = self.redactor.redact_line(&of.title).into_owned();
            of.directory = PathBuf::from(self.redactor.redact_path(&of.directory.to_string_lossy()));
        }
        Ok(found)
    }

    /// True for a folder of the present workspace. Of a folder that is gone the nearest one above it decides that is there.
    fn is_here(&self, folder: &Path) -> bool {
        let there = folder.ancestors().find(|folder| folder.is_dir());
        let (Some(here), Some(there)) = (&self.workspace, there) else {
            return false;
        };
        Workspace::of(there, self.home.as_deref()).is_ok_and(|workspace| workspace.root() == here)
    }

    /// The conversation of this name; without a name, the newest.
    pub fn conversation(&self, name: Option<&str>, chosen: Chosen) -> Result<Conversation, ServiceError> {
        let subagents = name.is_some();
        let mut all = self.conversations(Chosen { subagents, ..chosen })?;
        let Some(name) = name else {
            let newest = all.into_iter().next();
            return newest.ok_or_else(|| PastError::Nothing.into());
        };
        if let Some(at) = all.iter().position(|of| of.id == name) {
            return Ok(all.swap_remove(at));
        }
        let is_meant = |id: &str| {
            let bare = id.strip_prefix("ses_").unwrap_or(id);
            [id, bare].iter().any(|id| id.starts_with(name)) || id.ends_with(name)
        };
        all.retain(|of| name.len() >= LEAST_NAME && is_meant(&of.id));
        let name = name.to_owned();
        Err(match all.len() {
            1 => return Ok(all.remove(0)),
            0 => PastError::Unknown(name),
            _ => PastError::Ambiguous {
                name,
                candidates: all.into_iter().map(|of| of.id).collect(),
            },
        }
        .into())
    }

    /// The conversation of this name; without a name, all that are chosen.
    pub fn named(&self, name: Option<&str>, chosen: Chosen) -> Result<Vec<Conversation>, ServiceError> {
        match name {
            Some(_) => Ok(vec![self.conversation(name, chosen)?]),
            None => self.conversations(chosen),
        }
    }

    fn archive_of(&self, of: &Conversation) -> Result<&dyn ConversationArchive, ServiceError> {
        let archive = self.archives.iter().find(|archive| archive.host() == of.host);
        Ok(archive.ok_or_else(|| PastError::Unknown(of.id.clone()))?.as_ref())
    }

    /// The file of a conversation, where its host keeps each in one of its own.
    pub(super) fn transcript(&self, of: &Conversation) -> Option<PathBuf> {
        self.archive_of(of).ok()?.transcript(of)
    }

    /// At most so many messages of a conversation, in their order.
    pub fn messages(
        &self,
        of: &Conversation,
        from: &Reading,
        most: usize,
    ) -> Result<Vec<Message>, ServiceError> {
        let mut messages = self.archive_of(of)?.messages(of, from, most)?;
        for message in &mut messages {
            message.each_text(|text| {
                if let std::borrow::Cow::Owned(redacted) = self.redactor.redact(text) {
                    *text = redacted;
                }
            });
            message.each_name(|name| *name = self.redactor.redact_path(name));
        }
        Ok(messages)
    }

    /// At most so many messages of a conversation from one of its ends, or from a place; with `tools`, what tools were
    /// given and gave, and what the host added.
    pub fn page(
        &self,
        session: Conversation,
        from: &Reading,
        most: usize,
        tools: bool,
    ) -> Result<Page, ServiceError> {
        let mut messages = self.messages(&session, from, most.saturating_add(1))?;
        let is_more = messages.len() > most;
        let (has_older, has_newer) = match from {
            Reading::NewestBefore(mark) => {
                messages.drain(..usize::from(is_more));
                (is_more, mark.is_some())
            }
            Reading::OldestBehind(mark) => {
                messages.truncate(most);
                (mark.is_some(), is_more)
            }
        };
        if !tools {
            for message in &mut messages {
                message.shorten(BRIEF);
            }
        }
        let cursor = |message: &Message| message.mark.to_string();
        Ok(Page {
            before: messages.first().filter(|_| has_older).map(cursor),
            after: messages.last().filter(|_| has_newer).map(cursor),
            session,
            messages,
        })
    }

    /// Each message of a conversation, in their order, while the host may write more of them.
    fn each_message(&self, of: &Conversation, mut work: impl FnMut(Message)) -> Result<(), ServiceError> {
        let mut behind: Option<Mark> = None;
        loop {
            let page = self.messages(of, &Reading::OldestBehind(behind), PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            behind = Some(last.mark.clone());
            page.into_iter().for_each(&mut work);
        }
    }

    /// The facts about conversations.
    pub fn facts(&self, of: &[Conversation]) -> Result<Facts, ServiceError> {
        let mut facts = Facts::default();
        let patterns = RequestPatterns::standard();
        for conversation in of {
            facts.next_conversation();
            let folder = conversation.directory.to_string_lossy().into_owned() + "/";
            self.each_message(conversation, |message| {
                facts.count(&conversation.id, &message, &folder);
                for text in message.texts() {
                    facts.decisions.extend(decisions(message.role, text, &patterns));
                }
            })?;
        }
        facts.decisions.dedup();
        Ok(facts)
    }

    /// At most so many compactions: the conversation that changed last first, and of each the newest first.
    pub fn compactions(&self, of: &[Conversation], most: usize) -> Result<Vec<Compaction>, ServiceError> {
        let mut found = Vec::new();
        for conversation in of {
            if found.len() < most {
                let facts = self.facts(std::slice::from_ref(conversation))?;
                found.extend(facts.compactions.into_iter().rev());
            }
        }
        found.truncate(most);
        Ok(found)
    }
}

/// The decisions that a text states: the requests of a user, the candidates of a summary.
fn decisions(role: Role, text: &str, patterns: &RequestPatterns) -> Vec<String> {
    let decision = Kind::new("decision");
    match role {
        Role::Assistant => Vec::new(),
        Role::User => {
            let memories = capture::requests(text, patterns).memories.into_iter();
            let decided = memories.filter(|memory| memory.kind == decision);
            decided.map(|memory| memory.text).collect()
        }
        Role::Summary => {
            let lines = capture::read_summary(text, std::slice::from_ref(&decision)).lines;
            let decided = lines.into_iter().filter_map(|line| match line {
                SummaryLine::Candidate { kind, text } if kind == decision => Some(text),
                _ => None,
            });
            decided.collect()
        }
    }
}
