//! The answer of a model that read a conversation: its proposals.

use serde_json::{Map, Value};

use super::listed::{AnswerFault, listed, preview};
use crate::capture::Rejection;
use crate::model::Kind;

/// The most proposals of one answer that count.
const MOST_PROPOSALS: usize = 40;

/// The change that is proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedAction {
    /// A new memory.
    Add {
        /// Its type.
        kind: Kind,
        /// Its text.
        text: String,
    },
    /// Other words for the memory of this number.
    Update {
        /// The number.
        number: u32,
        /// The new text.
        text: String,
    },
    /// The memory of this number was said again.
    Reinforce {
        /// The number.
        number: u32,
    },
}

/// A proposal that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The change.
    pub action: ProposedAction,
    /// The reason of the fact.
    pub why: Option<String>,
    /// The hook of a note.
    pub description: Option<String>,
    /// The rest of a note.
    pub body: Option<String>,
    /// The words of the conversation that it comes from.
    pub evidence: String,
}

impl Proposal {
    /// The number of the memory that it is about; 0 for a new one.
    pub const fn number(&self) -> u32 {
        match &self.action {
            ProposedAction::Add { .. } => 0,
            ProposedAction::Update { number, .. } | ProposedAction::Reinforce { number } => *number,
        }
    }

    /// The words that people are shown.
    pub fn text(&self) -> String {
        match &self.action {
            ProposedAction::Add { text, .. } | ProposedAction::Update { text, .. } => text.clone(),
            ProposedAction::Reinforce { number } => format!("REINFORCE [{number}]"),
        }
    }
}

/// A proposal that is refused by its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedProposal {
    /// The reason.
    pub reason: Rejection,
    /// The beginning of it.
    pub text: String,
}

/// The proposals of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The proposals, in their order.
    pub proposals: Vec<Result<Proposal, RefusedProposal>>,
    /// The number of those behind the last one that counts.
    pub unread: usize,
}

/// Reads an answer. `numbers` are the numbers of memories that the question gave, from 1 on; `kinds` are the types of
/// the store.
pub fn read_answer(answer: &[u8], numbers: u32, kinds: &[Kind]) -> Result<Answer, AnswerFault> {
    let all = listed(answer)?;
    let read = |item: &Map<String, Value>| {
        proposal(item, numbers, kinds).map_err(|reason| RefusedProposal {
            reason,
            text: preview(item),
        })
    };
    Ok(Answer {
        unread: all.len().saturating_sub(MOST_PROPOSALS),
        proposals: all.iter().take(MOST_PROPOSALS).map(read).collect(),
    })
}

fn proposal(item: &Map<String, Value>, numbers: u32, kinds: &[Kind]) -> Result<Proposal, Rejection> {
    let text = |key: &str| match item.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Some(_) => Err(Rejection::InvalidProposal),
    };
    let number = || {
        let number = item.get("ref").and_then(Value::as_u64);
        let number = number.and_then(|number| u32::try_from(number).ok());
        number
            .filter(|number| (1..=numbers).contains(number))
            .ok_or(Rejection::InvalidMemoryRef)
    };
    let words = || text("text")?.ok_or(Rejection::Empty);
    let action = match text("action")?.as_deref() {
        Some("add") => {
            let kind = text("type")?.map(|kind| Kind::new(&kind));
            ProposedAction::Add {
                kind: kind
                    .filter(|kind| kinds.contains(kind))
                    .ok_or(Rejection::InvalidMemoryType)?,
                text: words()?,
            }
        }
        Some("update") => ProposedAction::Update {
            number: number()?,
            text: words()?,
        },
        Some("reinforce") => ProposedAction::Reinforce { number: number()? },
        _ => return Err(Rejection::InvalidProposal),
    };
    Ok(Proposal {
        action,
        why: text("why")?,
        description: text("description")?,
        body: text("body")?,
        evidence: text("evidence")?.ok_or(Rejection::NoEvidence)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str =
        r#"{"action":"add","type":"project","text":"CI runs on ARM","evidence":"our CI runs on ARM"}"#;

    fn read(answer: &str) -> Result<Answer, AnswerFault> {
        read_answer(answer.as_bytes(), 2, &[Kind::new("project"), Kind::new("user")])
    }

    #[test]
    fn what_models_put_around_a_list_is_tolerated() {
        for answer in [
            format!("[{ONE}]"),
            format!("\u{feff}\n [{ONE}]\n"),
            format!("```json\n[{ONE}]\n```"),
            format!("Here [1] is what I found:\n\n```\n[{ONE}]\n```\nAnything else?"),
            format!("{{\"proposals\": [{ONE}], \"note\": \"one\"}}"),
            format!("I found {{one}} thing: {ONE}"),
            format!("[] is what I would say, but [{ONE}]").replace("[] is", "Nothing is"),
        ] {
            let read = read(&answer).unwrap();
            assert_eq!(read.proposals.len(), 1, "{answer}");
            let proposal = read.proposals[0].as_ref().unwrap();
            assert_eq!((proposal.text().as_str(), read.unread), ("CI runs on ARM", 0));
        }
        assert_eq!(read("[]").unwrap(), Answer::default(), "nothing is a good answer");
        assert_eq!(read("{\"memories\": []}").unwrap(), Answer::default());
    }

    #[test]
    fn everything_else_is_refused_with_its_cause() {
        let deep = "[".repeat(100_000);
        let bad = [
            "Nothing to remember.",
            "null",
            "true",
            "7",
            "\"[]",
            "[",
            "]",
            "{",
            "}",
            "[}",
            "{]",
            "[1]",
            "[\"add\"]",
            "[null]",
            "[[]]",
            "[{]",
            "[{}",
            "[{},",
            "[{\"action\"}]",
            "[{\"action\":}]",
            "[{action:\"add\"}]",
            "[{'action':'add'}]",
            "[{\"action\":\"add\",}]",
            "[{\"action\":\"add\"},]",
            "[{\"action\":\"add\"} {\"action\":\"add\"}]",
            "[{\"action\":\"add\\x\"}]",
            "[{\"action\":\"\\ud800\"}]",
            "[{\"action\":\"a\nb\"}]",
            "[{\"action\":NaN}]",
            "[{\"action\":01}]",
            "[{\"action\":1e999}]",
            "// none\n[{}, // c\n]",
            "{\"a\": [{}], \"b\": [{}]}",
            "{\"a\": {\"b\": []}}",
            "<answer/>",
            deep.as_str(),
        ];
        for answer in bad {
            let shown: String = answer.chars().take(60).collect();
            match read(answer) {
                Err(fault) => assert_eq!(fault, AnswerFault::NoProposals, "{shown}"),
                // A part of it may be a list of nothing that can be used.
                Ok(read) => assert!(read.proposals.iter().all(Result::is_err), "{shown}"),
            }
        }
        for broken in [
            format!("[{ONE}"),
            format!("[{ONE}, "),
            format!("[ \n{ONE},]"),
            format!("[{ONE} {ONE}]"),
            format!("[{ONE}, {{\"action\": \"add\", \"te"),
            format!("{{\"proposals\": [{ONE}, {{"),
            format!("```json\n[{ONE}, {{'action': 'add'}}]\n```"),
        ] {
            assert_eq!(read(&broken), Err(AnswerFault::NoProposals), "{broken}");
        }
        assert_eq!(read(" \n"), Err(AnswerFault::Empty));
        assert_eq!(read_answer(b"[\xff]", 0, &[]), Err(AnswerFault::NoText));
        let long = format!("[{ONE}]{}", " ".repeat(10 << 20));
        assert_eq!(read(&long), Err(AnswerFault::TooLong));
    }

    #[test]
    fn ten_thousand_proposals_are_forty_and_a_number() {
        let many = format!("[{}]", vec!["{}"; 10_000].join(","));
        let read = read(&many).unwrap();
        assert_eq!((read.proposals.len(), read.unread), (40, 9960));
    }

    #[test]
    fn a_proposal_has_what_its_action_needs() {
        let reason = |item: &str| match &read(&format!("[{item}]")).unwrap().proposals[0] {
            Ok(_) => None,
            Err(refused) => Some(refused.reason),
        };
        assert_eq!(reason(ONE), None);
        assert_eq!(reason(r#"{"action":"reinforce","ref":2,"evidence":"x"}"#), None);
        assert_eq!(
            reason(r#"{"action":"update","ref":1,"text":"T","why":null,"evidence":"x"}"#),
            None
        );
        for (item, why) in [
            ("{}", Rejection::InvalidProposal),
            (
                r#"{"action":"delete","ref":1,"evidence":"x"}"#,
                Rejection::InvalidProposal,
            ),
            (r#"{"action":["add"]}"#, Rejection::InvalidProposal),
            (
                r#"{"action":"add","type":"project","text":{"a":1},"evidence":"x"}"#,
                Rejection::InvalidProposal,
            ),
            (
                r#"{"action":"add","type":"recipe","text":"T","evidence":"x"}"#,
                Rejection::InvalidMemoryType,
            ),
            (
                r#"{"action":"add","text":"T","evidence":"x"}"#,
                Rejection::InvalidMemoryType,
            ),
            (
                r#"{"action":"add","type":"project","text":" ","evidence":"x"}"#,
                Rejection::Empty,
            ),
            (
                r#"{"action":"add","type":"project","text":"T"}"#,
                Rejection::NoEvidence,
            ),
            (
                r#"{"action":"reinforce","ref":0,"evidence":"x"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (
                r#"{"action":"reinforce","ref":3,"evidence":"x"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (
                r#"{"action":"reinforce","ref":1.5,"evidence":"x"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (
                r#"{"action":"reinforce","ref":-1,"evidence":"x"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (
                r#"{"action":"update","ref":18446744073709551616,"text":"T","evidence":"x"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (
                r#"{"action":"update","text":"T","evidence":"x"}"#,
                Rejection::InvalidMemoryRef,
            ),
        ] {
            assert_eq!(reason(item), Some(why), "{item}");
        }
    }
}
