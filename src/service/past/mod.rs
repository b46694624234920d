//! Use case: the conversations that the hosts of this machine keep, read only. Everything that leaves here is without
//! credentials.

mod compactions;
mod error;
mod hits;
mod page;
mod plans;

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use crate::archive::{
    ArchiveError, ClaudeCode, Conversation, ConversationArchive, Facts, Message, OpenCode, Reading, Role,
};
use crate::capture::{self, RequestPatterns, SummaryLine};
use crate::model::Kind;
use crate::store::Workspace;
use crate::text::Redactor;

use super::{Context, ServiceError};

pub use compactions::{Compactions, FoundCompaction};
pub use error::PastError;
pub use hits::{PastHit, PastHits, PastSearch, Snippet, Texts};
pub use page::Page;
pub use plans::Plan;

/// The messages that are read at a time, where all are read.
const PAGE: usize = 200;
/// The name of a conversation stands for one where it is the beginning or the end of its id, of so many characters.
const LEAST_NAME: usize = 4;

/// The conversations that are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// The workspaces.
    pub reach: Reach,
    /// Those that worked for another conversation.
    pub subagents: SubAgents,
}

/// The workspaces whose conversations are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The present one.
    Workspace,
    /// All of this machine.
    Machine,
}

/// Conversations that worked for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubAgents {
    /// They are left out.
    Without,
    /// They are among the others.
    With,
}

/// The hosts' conversations, open for reading.
pub struct Past {
    archives: Vec<Box<dyn ConversationArchive>>,
    /// Trouble with a host, while another one answers.
    notices: Vec<String>,
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
        let settings = context.settings();
        let data = context.env.data_home()?.join("opencode");
        let named = settings.history.opencode.map(PathBuf::from);
        let variable = || context.env.var("OPENCODE_DB").filter(|path| !path.is_empty());
        let path = match &named {
            Some(path) => context.env.current_dir().join(path),
            None => data.join(variable().unwrap_or_else(|| "opencode.db".to_owned())),
        };
        let home = context.env.home().ok();
        let claude = context
            .env
            .var("CLAUDE_CONFIG_DIR")
            .filter(|folder| !folder.is_empty());
        let claude = claude.map(PathBuf::from);
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
        let opencode = OpenCode::open(&path);
        let is_absent = named.is_none() && matches!(opencode, Err(ArchiveError::Missing { .. }));
        let trouble = past.take(opencode);
        let other = claude.and_then(|folder| past.take(ClaudeCode::open(&folder)));
        match trouble {
            Some(error) if past.archives.is_empty() => return Err(error.into()),
            Some(error) if !is_absent => past.notices.push(error.to_string()),
            _ => {}
        }
        past.notices.extend(
            other
                .filter(|error| !matches!(error, ArchiveError::Missing { .. }))
                .map(|error| error.to_string()),
        );
        Ok(past)
    }

    fn take<A>(&mut self, opened: Result<A, ArchiveError>) -> Option<ArchiveError>
    where
        A: ConversationArchive + 'static,
    {
        let archive = match opened {
            Ok(archive) => archive,
            Err(error) => return Some(error),
        };
        if let Some(newer) = archive.newer_form() {
            let place = archive.place().display();
            self.notices.push(format!(
                "{place} is of a newer OpenCode than this mdmem knows ({newer}): something may be missing here"
            ));
        }
        self.archives.push(Box::new(archive));
        None
    }

    /// The trouble that a person should know of beside these answers.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The conversations, the one that changed last first.
    pub fn conversations(&self, chosen: Chosen) -> Result<Vec<Conversation>, ServiceError> {
        let found = self.chosen(chosen)?.into_iter();
        Ok(found.map(|(_, found)| self.shown(found)).collect())
    }

    /// The conversation of this name; without a name, the newest.
    pub fn conversation(&self, name: Option<&str>, reach: Reach) -> Result<Conversation, ServiceError> {
        Ok(self.shown(self.named(name, reach)?.1))
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
            self.redact(message);
        }
        Ok(messages)
    }

    /// The file of a conversation, where its host keeps each in one of its own.
    pub(super) fn transcript(&self, of: &Conversation) -> Option<PathBuf> {
        self.archive_of(of).ok()?.transcript(of)
    }

    /// Each message of a conversation, in their order, while the host may write more of them.
    pub fn each_message<E>(
        &self,
        of: &Conversation,
        mut work: impl FnMut(Message) -> Result<(), E>,
    ) -> Result<(), E>
    where
        E: From<ServiceError>,
    {
        let mut from = Reading::OldestBehind(None);
        loop {
            let page = self.messages(of, &from, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            from = Reading::OldestBehind(Some(last.mark.clone()));
            page.into_iter().try_for_each(&mut work)?;
        }
    }

    /// The facts about conversations.
    pub fn facts(&self, of: &[Conversation]) -> Result<Facts, ServiceError> {
        let mut facts = Facts::default();
        let patterns = RequestPatterns::standard();
        for conversation in of {
            facts.next_conversation();
            let folder = conversation.directory.to_string_lossy().into_owned() + "/";
            self.each_message::<ServiceError>(conversation, |message| {
                facts.count(&message, &folder);
                for text in message.texts() {
                    facts.decisions.extend(decisions(message.role, text, &patterns));
                }
                Ok(())
            })?;
        }
        facts.decisions.dedup();
        Ok(facts)
    }

    /// The conversations with the archive of each. Their titles and folders are as they are.
    fn chosen(&self, chosen: Chosen) -> Result<Vec<(usize, Conversation)>, ServiceError> {
        let mut found = Vec::new();
        for (at, archive) in self.archives.iter().enumerate() {
            found.extend(archive.conversations()?.into_iter().map(|found| (at, found)));
        }
        found.retain(|(_, conversation)| !conversation.is_a_pass());
        if chosen.subagents == SubAgents::Without {
            found.retain(|(_, conversation)| conversation.parent.is_none());
        }
        if chosen.reach == Reach::Workspace {
            let mut known = HashMap::new();
            found.retain(|(_, conversation)| {
                let folder = &conversation.directory;
                *known
                    .entry(folder.clone())
                    .or_insert_with(|| self.is_here(folder))
            });
        }
        // Each host's are in this order already.
        found.sort_by_key(|(_, conversation)| std::cmp::Reverse(conversation.updated));
        Ok(found)
    }

    /// True for a folder of the present workspace. Of a folder that is gone the nearest one above it decides that is there.
    fn is_here(&self, folder: &Path) -> bool {
        let Some(here) = &self.workspace else { return false };
        match Workspace::of(folder, self.home.as_deref()) {
            Ok(workspace) => workspace.root() == here,
            Err(_) if folder.exists() => false,
            Err(_) => nearest_there(folder).is_some_and(|above| {
                let workspace = Workspace::of(&above, self.home.as_deref());
                workspace.is_ok_and(|workspace| workspace.root() == here)
            }),
        }
    }

    fn named(&self, name: Option<&str>, reach: Reach) -> Result<(usize, Conversation), ServiceError> {
        let subagents = match name {
            Some(_) => SubAgents::With,
            None => SubAgents::Without,
        };
        let mut all = self.chosen(Chosen { reach, subagents })?;
        let Some(name) = name else {
            let newest = all.into_iter().next();
            return newest.ok_or_else(|| PastError::Nothing.into());
        };
        if let Some(at) = all.iter().position(|(_, conversation)| conversation.id == name) {
            return Ok(all.swap_remove(at));
        }
        let is_meant = |id: &str| {
            let bare = id.strip_prefix("ses_").unwrap_or(id);
            [id, bare].iter().any(|id| id.starts_with(name)) || id.ends_with(name)
        };
        all.retain(|(_, conversation)| name.len() >= LEAST_NAME && is_meant(&conversation.id));
        let candidates =
            |all: Vec<(usize, Conversation)>| all.into_iter().map(|(_, found)| found.id).collect();
        match all.len() {
            1 => Ok(all.remove(0)),
            0 => Err(PastError::Unknown(name.to_owned()).into()),
            _ => Err(PastError::Ambiguous {
                name: name.to_owned(),
                candidates: candidates(all),
            }
            .into()),
        }
    }

    fn archive_of(&self, of: &Conversation) -> Result<&dyn ConversationArchive, ServiceError> {
        let archive = self.archives.iter().find(|archive| archive.host() == of.host);
        Ok(archive.ok_or_else(|| PastError::Unknown(of.id.clone()))?.as_ref())
    }

    fn shown(&self, mut conversation: Conversation) -> Conversation {
        conversation.title = self.redactor.redact_line(&conversation.title).into_owned();
        let folder = conversation.directory.to_string_lossy();
        conversation.directory = PathBuf::from(self.redactor.redact_path(&folder));
        conversation.plan = conversation.plan.map(|plan| self.redactor.redact_path(&plan));
        conversation
    }

    fn redact(&self, message: &mut Message) {
        message.each_text(|text| {
            if let std::borrow::Cow::Owned(redacted) = self.redactor.redact(text) {
                *text = redacted;
            }
        });
        message.each_name(|name| *name = self.redactor.redact_path(name));
    }
}

/// The decisions that a text states: the requests of a user, the candidates of a summary.
fn decisions(role: Role, text: &str, patterns: &RequestPatterns) -> Vec<String> {
    let is_decision = |kind: &Kind| *kind == Kind::new("decision");
    match role {
        Role::Assistant => Vec::new(),
        Role::User => {
            let memories = capture::requests(text, patterns).memories.into_iter();
            let decided = memories.filter(|memory| is_decision(&memory.kind));
            decided.map(|memory| memory.text).collect()
        }
        Role::Summary => {
            let lines = capture::read_summary(text, &[Kind::new("decision")])
                .lines
                .into_iter();
            let decided = lines.filter_map(|line| match line {
                SummaryLine::Candidate { kind, text } if is_decision(&kind) => Some(text),
                _ => None,
            });
            decided.collect()
        }
    }
}

/// The nearest folder that is there on the way to a folder that is gone. `..` behind the last folder that is there leads
/// to the one above.
fn nearest_there(gone: &Path) -> Option<PathBuf> {
    let mut above = gone.ancestors().filter(|_| gone.is_absolute());
    let (mut place, known) = above.find_map(|above| Some((above.canonicalize().ok()?, above)))?;
    for part in gone.strip_prefix(known).ok()?.components() {
        match part {
            Component::Normal(name) => place.push(name),
            Component::ParentDir => drop(place.pop()),
            _ => {}
        }
    }
    place
        .ancestors()
        .find(|folder| folder.is_dir())
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_folder_that_is_gone_the_nearest_one_that_is_there_counts() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("w/nested")).unwrap();
        std::os::unix::fs::symlink(root.join("w/nested"), root.join("link")).unwrap();
        for (gone, nearest) in [
            ("w/gone/below", "w"),
            ("w/nested/gone", "w/nested"),
            ("w/../other-gone", ""),
            ("w/gone/../../other", ""),
            ("w/gone/../nested/gone", "w/nested"),
            ("link/gone", "w/nested"),
        ] {
            assert_eq!(
                nearest_there(&root.join(gone)),
                Some(root.join(nearest)),
                "{gone}"
            );
        }
        assert_eq!(nearest_there(Path::new("w")), None);
    }
}
