//! Use case: the conversations that the hosts of this machine keep, read only: one interface, a file per host. Nothing is
//! ever written there, and everything that leaves here is without credentials.

mod claude_code;
mod conversation;
mod facts;
mod opencode;
mod search;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use super::{Context, ServiceError};
use crate::store::Workspace;
use crate::sys;
use crate::text::{LineFilter, Redactor, some_of};

pub use claude_code::ClaudeCode;
pub use conversation::{Conversation, Mark, Message, Part, Role};
pub use facts::{Compaction, Facts};
pub use search::{ConversationHits, ConversationSearch, HitOrder};

pub(super) use claude_code::ClaudeLine;
pub(super) use conversation::PASS_TITLE;

use conversation::{Call, Tokens};
use opencode::OpenCode;

/// The name of a conversation stands for one where it is the beginning or the end of its id, of so many characters.
const LEAST_NAME: usize = 4;
/// The characters of what a tool was given that are shown where nobody asks for it.
const BRIEF: usize = 100;
/// What to do where there is no such conversation.
const LISTS: &str = "`mdmem sessions list --all` lists those of every workspace, `mdmem sessions list --subagents` includes \
    sub-agents.";

/// The folder of plans in a workspace.
const PLANS: &str = ".opencode/plans";
/// The most bytes of a plan.
const MOST_OF_A_PLAN: u64 = 4 << 20;

/// The reason why nothing is told of a conversation: what happened, and to what.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct ConversationError {
    what: String,
    /// The next step.
    pub(super) hint: String,
    /// True where a host keeps none.
    is_missing: bool,
}

impl ConversationError {
    fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: hint.into(),
            is_missing: false,
        }
    }

    /// A host's file does not answer as it should.
    fn at(path: &Path, what: impl Display, hint: &str) -> Self {
        Self::new(format!("{}: {what}", path.display()), hint)
    }

    fn read(path: &Path, source: &std::io::Error) -> Self {
        Self::at(path, source, "Check that you can read the file.")
    }
}

/// The end of a conversation from which its messages are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// From the newest before this place on to the oldest; `None`: before the end.
    NewestBefore(Option<Mark>),
    /// From the oldest behind this place on to the newest; `None`: behind the beginning.
    OldestBehind(Option<Mark>),
}

/// The conversations of one host.
trait Reader {
    /// The host's word for itself.
    fn host(&self) -> &'static str;

    /// Every conversation, the one that changed last first.
    fn conversations(&self) -> Result<Vec<Conversation>, ConversationError>;

    /// Hands on the messages of a conversation from a place ([`Message::at`]) on, in any order, while `take` is true; with a
    /// filter, those alone that have something of what is looked for. None is kept longer than it takes to read it.
    fn messages(
        &self,
        of: &Conversation,
        from: u64,
        filter: Option<&LineFilter>,
        take: &mut dyn FnMut(Message) -> bool,
    ) -> Result<(), ConversationError>;

    /// The folder, beside that of the workspace, in which the host keeps plans, each under the name that
    /// [`Conversation::plan`] gives.
    fn plans(&self) -> Option<PathBuf> {
        None
    }
}

/// The conversations that are meant: those of this workspace, without those that worked for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chosen {
    /// Those of every workspace.
    pub all: bool,
    /// Also sessions of sub-agents.
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

/// A plan.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// The name of its file, without credentials.
    pub name: String,
    /// The bytes of its text.
    pub size: u64,
    /// The id of the conversation that wrote it, where that is known.
    pub session: Option<String>,
    /// The title of that.
    pub title: Option<String>,
    /// Its text, where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip)]
    root: PathBuf,
    #[serde(skip)]
    path: PathBuf,
}

/// The hosts' conversations, open for reading.
pub struct KeptConversations {
    readers: Vec<Box<dyn Reader>>,
    /// The trouble that a person should know of beside the answers.
    pub notices: Vec<String>,
    redactor: Redactor,
    workspace: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl KeptConversations {
    /// Opens what the hosts of this machine keep: OpenCode's database (`history.opencode`, else `$OPENCODE_DB`, else
    /// `opencode/opencode.db` in the user's folder for data), and Claude Code's transcripts.
    pub fn open(context: &Context) -> Result<Self, ServiceError> {
        let redactor = match context.open_existing() {
            Ok(Some(store)) => store.redactor().clone(),
            _ => Redactor::new(&context.settings().redact_patterns).unwrap_or_default(),
        };
        Self::with(context, redactor)
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
        let claude = claude.and_then(|folder| ClaudeCode::open(&folder));
        let mut readers: Vec<Box<dyn Reader>> = Vec::new();
        let mut notices = Vec::new();
        match OpenCode::open(&database) {
            Ok(opencode) => {
                notices.extend(opencode.notice());
                readers.push(Box::new(opencode));
            }
            Err(error) if claude.is_none() => return Err(error.into()),
            Err(error) if named.is_some() || !error.is_missing => notices.push(error.to_string()),
            Err(_) => {}
        }
        if let Some(claude) = claude {
            readers.push(Box::new(claude));
        }
        Ok(Self {
            readers,
            notices,
            redactor,
            // In a folder that is no workspace there are those of all workspaces alone.
            workspace: context
                .of_session()?
                .place()?
                .workspace
                .map(|workspace| workspace.root().to_owned()),
            home,
        })
    }

    /// The conversations, the one that changed last first.
    pub fn conversations(&self, chosen: Chosen) -> Result<Vec<Conversation>, ServiceError> {
        let mut found = Vec::new();
        for reader in &self.readers {
            found.extend(reader.conversations()?);
        }
        found.retain(|of| !of.is_a_pass() && (chosen.subagents || of.parent.is_none()));
        if !chosen.all {
            let mut known = HashMap::new();
            found.retain(|of| {
                let folder = known.entry(of.directory.clone());
                *folder.or_insert_with_key(|folder| self.is_here(folder))
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
            let none = || ConversationError::new("this workspace has no sessions", LISTS);
            return newest.ok_or_else(|| none().into());
        };
        if let Some(at) = all.iter().position(|of| of.id == name) {
            return Ok(all.swap_remove(at));
        }
        all.retain(|of| {
            let bare = of.id.strip_prefix("ses_").unwrap_or(&of.id);
            let is_meant = [&of.id, bare].iter().any(|id| id.starts_with(name)) || of.id.ends_with(name);
            name.len() >= LEAST_NAME && is_meant
        });
        let name = name.escape_debug();
        Err(match all.len() {
            1 => return Ok(all.remove(0)),
            0 => ConversationError::new(format!("no session `{name}`"), LISTS),
            count => {
                let ids = all.into_iter().map(|of| of.id);
                let hint = format!("Name one of them: {}.", some_of(ids));
                ConversationError::new(format!("`{name}` names {count} sessions"), hint)
            }
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

    /// The one who reads a conversation.
    fn reader(&self, of: &Conversation) -> &dyn Reader {
        let reader = self.readers.iter().find(|reader| reader.host() == of.host);
        reader.expect("because one of them has it").as_ref()
    }

    /// The messages of a conversation as they are kept, the oldest first.
    fn messages(&self, of: &Conversation) -> Result<Vec<Message>, ServiceError> {
        let mut messages = Vec::new();
        self.reader(of).messages(of, 0, None, &mut |message| {
            messages.push(message);
            true
        })?;
        messages.sort_by(|a, b| a.mark.cmp(&b.mark));
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
        let mut messages = self.messages(&session)?;
        let all = messages.len();
        let range = match from {
            Reading::NewestBefore(mark) => {
                let before = |mark: &Mark| messages.partition_point(|message| message.mark < *mark);
                let end = mark.as_ref().map_or(all, before);
                end.saturating_sub(most)..end
            }
            Reading::OldestBehind(mark) => {
                let behind = |mark: &Mark| messages.partition_point(|message| message.mark <= *mark);
                let start = mark.as_ref().map_or(0, behind);
                start..start.saturating_add(most).min(all)
            }
        };
        let (has_older, has_newer) = (range.start > 0, range.end < all);
        messages.truncate(range.end);
        messages.drain(..range.start);
        for message in &mut messages {
            message.redact(&self.redactor);
            if !tools {
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

    /// The plans, by name: those in the workspace, and those of its conversations that lie beside the host's database.
    pub fn plans(&self, chosen: Chosen) -> Result<Vec<Plan>, ServiceError> {
        let subagents = true;
        let conversations = self.conversations(Chosen { subagents, ..chosen })?;
        let of = conversations.iter().filter_map(|of| Some((of.plan.clone()?, of)));
        let of: BTreeMap<String, _> = of.collect();
        let own = self.workspace.clone().map(|root| (root, PLANS));
        let beside = self.readers.iter().filter_map(|reader| reader.plans());
        let mut plans = Vec::new();
        for (root, folder) in own.into_iter().chain(beside.map(|root| (root, ""))) {
            for entry in root.join(folder).read_dir().into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = Path::new(folder).join(&name);
                let conversation = of.get(&name);
                let is_meant = name.ends_with(".md") && (!folder.is_empty() || conversation.is_some());
                // A link, also of the folder, is none: its target may lie anywhere.
                if let (true, Ok(Some(stat))) = (is_meant, sys::stat(&root, &path)) {
                    plans.push(Plan {
                        name: self.redactor.redact_path(&name),
                        size: stat.size,
                        session: conversation.map(|of| of.id.clone()),
                        title: conversation.map(|of| of.title.clone()),
                        text: None,
                        root: root.clone(),
                        path,
                    });
                }
            }
        }
        plans.sort_by(|a, b| b.path.file_name().cmp(&a.path.file_name()));
        Ok(plans)
    }

    /// A plan with its text.
    pub fn plan(&self, name: &str, chosen: Chosen) -> Result<Plan, ServiceError> {
        let unknown = || {
            let what = format!("no plan `{}`", name.escape_debug());
            ConversationError::new(what, "`mdmem sessions plans` lists them.")
        };
        let mut parts = Path::new(name).components();
        let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
            return Err(unknown().into());
        };
        let is_named = |it: &str| it == name || it.strip_suffix(".md") == Some(name);
        let is_it = |plan: &Plan| {
            let file = plan.path.file_name().unwrap_or_default();
            is_named(&plan.name) || is_named(&file.to_string_lossy())
        };
        let mut plan = self.plans(chosen)?.into_iter().find(is_it).ok_or_else(unknown)?;
        let text = sys::read(&plan.root, &plan.path, MOST_OF_A_PLAN)?.into_text();
        plan.text = Some(self.redactor.redact(&text).into_owned());
        Ok(plan)
    }
}
