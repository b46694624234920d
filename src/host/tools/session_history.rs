//! `session_history {what, …}`: the conversations of this workspace, read only, a bounded part at a time.

use super::calls::Args;
use super::{ToolCall, ToolError, arguments, words, wrong};
use crate::service::{
    Chosen, Conversation, ConversationSearch, Conversations, Facts, KeptConversations, Mark, Message, Part,
    Reading, ServiceError,
};

/// The items of an answer: by default, and at most; the most characters of the answer, and of a text in it.
const USUAL: usize = 10;
const MOST: usize = 50;
const CHARS: usize = 12_000;
const TEXT: usize = 1_500;

/// Answers the question.
pub(super) fn call(conversations: &mut Conversations, call: ToolCall<'_>) -> Result<String, ToolError> {
    let (_, args) = arguments::<Args>(call)?;
    let before = args
        .before
        .map(|text| Mark::parse(&text).ok_or_else(|| wrong("`before` is not a cursor")));
    let question = Question {
        session: args.session,
        query: args.query,
        before: before.transpose()?,
        most: args.limit.unwrap_or(USUAL).clamp(1, MOST),
        tools: args.tools,
    };
    let kept = conversations.kept()?;
    let blocks = match args.what.as_str() {
        "messages" => question.messages(&kept),
        "search" => question.search(&kept),
        "compactions" => question.compactions(&kept),
        "plans" => question.plans(&kept),
        "summary" => question.summary(&kept),
        "sessions" => question.sessions(&kept),
        _ => {
            return Err(wrong(
                "`what` is one of sessions, messages, search, compactions, plans, summary",
            ));
        }
    };
    Ok(bounded(&blocks?))
}

/// The arguments of a call.
struct Question {
    session: Option<String>,
    query: String,
    before: Option<Mark>,
    most: usize,
    tools: bool,
}

impl Question {
    fn sessions(&self, kept: &KeptConversations) -> Result<Vec<String>, ServiceError> {
        let all = kept.conversations(Chosen::default())?;
        Ok(all.iter().take(self.most).map(named).collect())
    }

    fn of(&self, kept: &KeptConversations) -> Result<Conversation, ServiceError> {
        kept.conversation(self.session.as_deref(), Chosen::default())
    }

    fn messages(&self, kept: &KeptConversations) -> Result<Vec<String>, ServiceError> {
        let from = Reading::NewestBefore(self.before.clone());
        let page = kept.page(self.of(kept)?, &from, self.most, self.tools)?;
        let mut blocks: Vec<String> = page.before.iter().map(|mark| older(mark)).collect();
        blocks.extend(page.messages.iter().map(|message| self.message(message)));
        Ok(blocks)
    }

    fn message(&self, message: &Message) -> String {
        let mut lines = vec![format!("[{}] {}", message.mark, message.role.as_str())];
        for part in &message.parts {
            match part {
                Part::Text { text } => lines.push(cut(text)),
                Part::Tool(call) => {
                    lines.push(format!("-> {} [{}]", call.tool, call.state));
                    if self.tools {
                        lines.extend([cut(&call.input), cut(&call.output)]);
                    }
                }
                Part::Files { files } => lines.push(cut(&format!("-> changed {}", files.join(", ")))),
                Part::Compaction { .. } => lines.push("-> compaction".to_owned()),
                Part::Aside { .. } | Part::Unread => {}
            }
        }
        lines.extend(message.error.as_deref().map(cut));
        lines.join("\n")
    }

    fn search(&self, kept: &KeptConversations) -> Result<Vec<String>, ServiceError> {
        let found = kept.search(&ConversationSearch {
            words: self.query.clone(),
            session: self.session.clone(),
            tools: self.tools,
            before: self.before.clone(),
            most: self.most,
            ..ConversationSearch::default()
        })?;
        let told = found.hits.into_iter().map(|hit| {
            let snippet = hit.snippet;
            let text = [snippet.before, snippet.hit, snippet.behind].concat();
            let title = words::on_one_line(&hit.title);
            let (mark, role, of) = (&hit.mark, hit.role.as_str(), &hit.session);
            format!("[{mark}] {role}, {of} {title}\n{text}")
        });
        let more = found
            .before
            .map(|place| format!("for more, set `before` to {place}"));
        Ok(told.chain(more).collect())
    }

    fn compactions(&self, kept: &KeptConversations) -> Result<Vec<String>, ServiceError> {
        let of = kept.named(self.session.as_deref(), Chosen::default())?;
        let found = kept.compactions(&of, self.most)?.into_iter();
        let told =
            found.map(|found| format!("[{}] of {}\n{}", found.mark.time, found.session, found.summary));
        Ok(told.collect())
    }

    fn plans(&self, kept: &KeptConversations) -> Result<Vec<String>, ServiceError> {
        if !self.query.is_empty() {
            return Ok(kept
                .plan(&self.query, Chosen::default())?
                .text
                .into_iter()
                .collect());
        }
        let plans = kept.plans(Chosen::default())?.into_iter().take(self.most);
        let told = plans.map(|plan| match plan.session {
            Some(session) => format!("{} of {session}", plan.name),
            None => plan.name,
        });
        Ok(told.collect())
    }

    fn summary(&self, kept: &KeptConversations) -> Result<Vec<String>, ServiceError> {
        let conversation = self.of(kept)?;
        let facts = kept.facts(std::slice::from_ref(&conversation))?;
        let mut blocks = vec![named(&conversation), counted(&facts)];
        let lists = [("decisions", &facts.decisions), ("errors", &facts.errors)];
        let files: Vec<String> = facts.files.iter().cloned().collect();
        let lists = lists.into_iter().chain([("files", &files)]);
        let lists = lists.filter(|(_, list)| !list.is_empty());
        blocks.extend(lists.map(|(name, list)| cut(&format!("{name}:\n{}", list.join("\n")))));
        let last = facts.compactions.last();
        blocks.extend(last.map(|last| format!("last compaction:\n{}", last.summary)));
        Ok(blocks)
    }
}

/// A session as a model may name it.
fn named(conversation: &Conversation) -> String {
    let title = words::on_one_line(&conversation.title);
    format!("{} ({}) {title}", conversation.id, conversation.updated)
}

fn counted(facts: &Facts) -> String {
    let calls: usize = facts.tools.values().map(|used| used.calls).sum();
    format!(
        "{} messages of the user, {} answers, {} tokens, {calls} tool calls, {} compactions",
        facts.asked,
        facts.answers,
        facts.tokens.total,
        facts.compactions.len(),
    )
}

fn older(mark: &str) -> String {
    format!("for older ones, set `before` to {mark}")
}

fn cut(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!(
            "{}… ({} more characters)",
            &text[..end],
            text[end..].chars().count()
        ),
        None => text.to_owned(),
    }
}

/// The blocks up to the first that would pass the limit, and a last line that counts the others.
fn bounded(blocks: &[String]) -> String {
    let mut answer = String::new();
    for (at, block) in blocks.iter().enumerate() {
        if answer.len() + block.len() > CHARS {
            let room = CHARS.saturating_sub(answer.len());
            let end = block.floor_char_boundary(room);
            let left = blocks.len() - at;
            answer.push_str(&block[..end]);
            return answer + &format!("…\n({left} cut off here: ask for fewer with `limit`)");
        }
        answer.push_str(block);
        answer.push('\n');
    }
    match answer.trim_end() {
        "" => "Nothing found.".to_owned(),
        answer => answer.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_its_bound() {
        assert_eq!(bounded(&[]), "Nothing found.");
        assert_eq!(bounded(&["a".into(), "b".into()]), "a\nb");
        let long = bounded(&["é".repeat(CHARS), "b".into()]);
        assert!(long.len() < CHARS + 100 && long.ends_with("(2 cut off here: ask for fewer with `limit`)"));
        assert_eq!(
            cut(&"é".repeat(TEXT + 3)).chars().filter(|c| *c == 'é').count(),
            TEXT
        );
    }
}
