//! The facts about conversations, counted while their messages go by.

use std::collections::{BTreeMap, BTreeSet};

use super::{CallState, Compaction, Message, Part, Role, Tokens, Trigger};

/// The most errors and files that are kept by name.
const MOST: usize = 1000;

/// The facts about one conversation, or about several.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The number of conversations.
    pub conversations: usize,
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
    /// The errors: of tools, of commands, of answers; each on one line.
    pub errors: Vec<String>,
    /// The decisions that were stated; who knows the words for them adds them.
    pub decisions: Vec<String>,
    trigger: Option<Trigger>,
    before: Option<u64>,
}

/// The use of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ToolUse {
    /// The number of calls.
    pub calls: usize,
    /// The number of those that failed.
    pub failed: usize,
}

impl Facts {
    /// Counts a message; those of a conversation come in their order. Files below `folder`, which ends with a slash, are
    /// told by their names there.
    pub fn count(&mut self, message: &Message, folder: &str) {
        match message.role {
            Role::User => self.asked += usize::from(message.texts().next().is_some()),
            Role::Assistant => self.answers += 1,
            Role::Summary => {
                let compaction = Compaction {
                    mark: message.mark.clone(),
                    trigger: self.trigger.take(),
                    before: self.before.take(),
                    summary: message.texts().collect::<Vec<_>>().join("\n"),
                };
                self.compactions.push(compaction);
            }
        }
        if let Some(tokens) = message.tokens.filter(|tokens| tokens.total() > 0) {
            self.tokens.add(&tokens);
            if message.role == Role::Assistant {
                self.peak = self.peak.max(tokens.total());
                self.before = Some(tokens.total());
            }
        }
        self.models.extend(message.model.clone());
        if let Some(error) = &message.error {
            self.error(None, error);
        }
        for part in &message.parts {
            match part {
                Part::Call(call) => {
                    let used = self.tools.entry(call.tool.clone()).or_default();
                    used.calls += 1;
                    match call.state {
                        CallState::Open => {}
                        CallState::Done => self.change(call.changed.as_slice(), folder),
                        CallState::Failed => {
                            used.failed += 1;
                            self.error(Some(&call.tool), &call.output);
                        }
                    }
                }
                Part::Changed(files) => self.change(files, folder),
                Part::Compaction(trigger) => self.trigger = Some(*trigger),
                Part::Text(_) | Part::Aside(_) | Part::Unread => {}
            }
        }
    }

    /// The next message is of another conversation.
    pub fn next_conversation(&mut self) {
        self.conversations += 1;
        (self.trigger, self.before) = (None, None);
    }

    fn change(&mut self, files: &[String], folder: &str) {
        let room = MOST.saturating_sub(self.files.len());
        let names = files.iter().map(|file| file.strip_prefix(folder).unwrap_or(file));
        self.files.extend(names.take(room).map(str::to_owned));
    }

    fn error(&mut self, tool: Option<&str>, text: &str) {
        if self.errors.len() < MOST {
            let line = text.lines().find(|line| !line.trim().is_empty());
            let line = line.unwrap_or("it says nothing").trim();
            let of = tool.map(|tool| format!("{tool}: ")).unwrap_or_default();
            self.errors.push(format!("{of}{line}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Call, Mark};
    use super::*;
    use crate::model::Timestamp;

    fn message(role: Role, input: u64, parts: Vec<Part>) -> Message {
        let time = Timestamp::from_millis(1);
        let mark = Mark { time, id: "m".into() };
        let tokens = (input > 0).then(|| Tokens {
            input,
            ..Tokens::default()
        });
        let (model, error) = (Some("fast".to_owned()), None);
        Message {
            mark,
            role,
            model,
            tokens,
            error,
            parts,
        }
    }

    #[test]
    fn a_compaction_knows_who_asked_and_how_full_the_context_was() {
        let mut facts = Facts::default();
        facts.next_conversation();
        let failed = Call {
            tool: "bash".into(),
            input: "{}".into(),
            output: "\nno such file\nmore".into(),
            state: CallState::Failed,
            changed: Some("c.rs".into()),
        };
        let text = |text: &str| Part::Text(text.into());
        for message in [
            message(Role::User, 0, vec![text("go")]),
            message(Role::Assistant, 900, vec![Part::Call(failed)]),
            message(
                Role::Assistant,
                0,
                vec![Part::Changed(vec!["/w/b.rs".into(), "/x/a.rs".into()])],
            ),
            message(Role::User, 0, vec![Part::Compaction(Trigger::Auto)]),
            message(Role::Summary, 70, vec![text("all"), text("done")]),
            message(Role::Summary, 70, vec![text("again")]),
        ] {
            facts.count(&message, "/w/");
        }
        let told = |at: usize| {
            let found = &facts.compactions[at];
            (found.trigger, found.before, found.summary.as_str())
        };
        assert_eq!(told(0), (Some(Trigger::Auto), Some(900), "all\ndone"));
        assert_eq!(told(1), (None, None, "again"));
        assert_eq!(
            (facts.asked, facts.answers, facts.peak, facts.tokens.input),
            (1, 2, 900, 1040)
        );
        assert_eq!(facts.errors, ["bash: no such file"]);
        assert_eq!(facts.tools["bash"], ToolUse { calls: 1, failed: 1 });
        assert_eq!(
            facts.files.iter().map(String::as_str).collect::<Vec<_>>(),
            ["/x/a.rs", "b.rs"]
        );
    }
}
