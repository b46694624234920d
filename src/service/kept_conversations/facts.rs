//! The facts about conversations, counted while their messages go by.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Conversation, KeptConversations, Mark, Message, Part, Role, ServiceError, Tokens};
use crate::capture::{RequestPatterns, SummaryLine, read_summary, requests};
use crate::model::Kind;

/// The most errors and files that are kept by name.
const MOST: usize = 1000;

/// The facts about one conversation, or about several.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Facts {
    /// The number of conversations.
    pub sessions: usize,
    /// The number of messages of the user.
    pub asked: usize,
    /// The number of answers of the model.
    pub answers: usize,
    /// The tokens of all answers.
    pub tokens: Tokens,
    /// The most tokens of one answer with what the model read for it.
    pub peak: u64,
    /// The models that answered.
    pub models: BTreeSet<String>,
    /// The tools that were used.
    pub tools: BTreeMap<String, ToolUse>,
    /// The files that were changed.
    pub files: BTreeSet<String>,
    /// The compactions, in their order.
    pub compactions: Vec<Compaction>,
    /// The decisions that were stated.
    pub decisions: Vec<String>,
    /// The errors: of tools, of commands, of answers; each on one line.
    pub errors: Vec<String>,
    #[serde(skip)]
    trigger: Option<&'static str>,
    #[serde(skip)]
    before: Option<u64>,
}

/// The use of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ToolUse {
    /// The number of calls.
    pub calls: usize,
    /// The number of those that failed.
    pub failed: usize,
}

/// A compaction: what was said before is a summary from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compaction {
    /// The host's name of the conversation.
    pub session: String,
    /// When the summary was begun.
    #[serde(flatten)]
    pub mark: Mark,
    /// `auto` or `asked`, where the host says it.
    pub trigger: Option<&'static str>,
    /// The tokens of the last answer before.
    pub tokens_before: Option<u64>,
    /// The summary.
    pub summary: String,
}

impl KeptConversations {
    /// The facts about conversations.
    pub fn facts(&self, of: &[Conversation]) -> Result<Facts, ServiceError> {
        let mut facts = Facts::default();
        let patterns = RequestPatterns::standard();
        for conversation in of {
            facts.sessions += 1;
            (facts.trigger, facts.before) = (None, None);
            let folder = conversation.directory.to_string_lossy().into_owned() + "/";
            for mut message in self.messages(conversation)? {
                message.redact(&self.redactor);
                facts.count(&conversation.id, &message, &folder);
                for text in message.texts() {
                    facts.decisions.extend(decisions(message.role, text, &patterns));
                }
            }
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
            let memories = requests(text, patterns).memories.into_iter();
            let decided = memories.filter(|memory| memory.kind == decision);
            decided.map(|memory| memory.text).collect()
        }
        Role::Summary => {
            let lines = read_summary(text, std::slice::from_ref(&decision)).lines;
            let decided = lines.into_iter().filter_map(|line| match line {
                SummaryLine::Candidate { kind, text, .. } if kind == decision => Some(text),
                _ => None,
            });
            decided.collect()
        }
    }
}

impl Facts {
    /// Counts a message of a session; those of a conversation come in their order. Files below `folder`, which ends with
    /// a slash, are told by their names there.
    fn count(&mut self, session: &str, message: &Message, folder: &str) {
        match message.role {
            Role::User => self.asked += usize::from(message.texts().next().is_some()),
            Role::Assistant => self.answers += 1,
            Role::Summary => self.compactions.push(Compaction {
                session: session.to_owned(),
                mark: message.mark.clone(),
                trigger: self.trigger.take(),
                tokens_before: self.before.take(),
                summary: message.texts().collect::<Vec<_>>().join("\n"),
            }),
        }
        if let Some(tokens) = message.tokens.filter(|tokens| tokens.total > 0) {
            self.tokens = self.tokens.and(tokens);
            if message.role == Role::Assistant {
                self.peak = self.peak.max(tokens.total);
                self.before = Some(tokens.total);
            }
        }
        self.models.extend(message.model.clone());
        if let Some(error) = &message.error {
            self.error("", error);
        }
        for part in &message.parts {
            match part {
                Part::Tool(call) => {
                    let used = self.tools.entry(call.tool.clone()).or_default();
                    used.calls += 1;
                    if call.state == "failed" {
                        used.failed += 1;
                        self.error(&format!("{}: ", call.tool), &call.output);
                    } else if call.state == "done" {
                        self.change(call.changed.as_slice(), folder);
                    }
                }
                Part::Files { files } => self.change(files, folder),
                Part::Compaction { trigger } => self.trigger = Some(trigger),
                _ => {}
            }
        }
    }

    fn change(&mut self, files: &[String], folder: &str) {
        let room = MOST.saturating_sub(self.files.len());
        let names = files.iter().map(|file| file.strip_prefix(folder).unwrap_or(file));
        self.files.extend(names.take(room).map(str::to_owned));
    }

    fn error(&mut self, of: &str, text: &str) {
        if self.errors.len() < MOST {
            let line = text.lines().find(|line| !line.trim().is_empty());
            let line = line.unwrap_or("it says nothing").trim();
            self.errors.push(format!("{of}{line}"));
        }
    }
}
