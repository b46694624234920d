//! The answer of a model that read a conversation, or the memories of a store: its proposals.

use serde_json::{Map, Value};

use super::listed::{AnswerFault, listed, preview};
use crate::capture::Rejection;
use crate::model::Kind;
use crate::policy::Proposed;

/// The most proposals about a conversation that count, and about the memories of a store.
const MOST_OF_TALK: usize = 40;
const MOST_OF_STORE: usize = 200;

/// The most memories of one merge.
const MOST_REFS: usize = 20;

/// A proposal that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The change.
    pub change: Proposed,
    /// The reason of the fact.
    pub why: Option<String>,
    /// The hook of a note.
    pub description: Option<String>,
    /// The rest of a note.
    pub body: Option<String>,
    /// The words of the conversation that it comes from; about the memories of a store, none.
    pub evidence: String,
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

/// Reads an answer about a conversation, where `kinds` are the types of the store, or about the memories of a store.
/// Whether a number means a memory is for the rules to say.
pub fn read_answer(answer: &[u8], kinds: Option<&[Kind]>) -> Result<Answer, AnswerFault> {
    let mut all = listed(answer)?;
    // Where a model puts what holds today alone.
    all.retain(|item| item.get("action").and_then(Value::as_str) != Some("passing"));
    let most = if kinds.is_some() {
        MOST_OF_TALK
    } else {
        MOST_OF_STORE
    };
    let read = |item: &Map<String, Value>| {
        proposal(item, kinds).map_err(|reason| RefusedProposal {
            reason,
            text: preview(item),
        })
    };
    Ok(Answer {
        unread: all.len().saturating_sub(most),
        proposals: all.iter().take(most).map(read).collect(),
    })
}

fn proposal(item: &Map<String, Value>, kinds: Option<&[Kind]>) -> Result<Proposal, Rejection> {
    let text = |key: &str| match item.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Some(_) => Err(Rejection::InvalidProposal),
    };
    let words = |key| text(key)?.ok_or(Rejection::Empty);
    let number = |value: Option<&Value>| {
        let number = value.and_then(Value::as_u64);
        number
            .and_then(|number| u32::try_from(number).ok())
            .ok_or(Rejection::InvalidMemoryRef)
    };
    let one = |key| number(item.get(key));
    let change = match (text("action")?.as_deref(), kinds) {
        (Some("add"), Some(kinds)) => {
            let kind = text("type")?.map(|kind| Kind::new(&kind));
            Proposed::Add {
                kind: kind
                    .filter(|kind| kinds.contains(kind))
                    .ok_or(Rejection::InvalidMemoryType)?,
                text: words("text")?,
            }
        }
        (Some("update"), Some(_)) | (Some("rewrite"), None) => Proposed::Update {
            number: one("ref")?,
            text: words("text")?,
        },
        (Some("reinforce"), Some(_)) => Proposed::Reinforce { number: one("ref")? },
        (Some("merge"), None) => {
            let refs = item.get("refs").and_then(Value::as_array);
            let refs = refs.filter(|refs| refs.len() <= MOST_REFS);
            let refs = refs.ok_or(Rejection::InvalidMemoryRef)?.iter();
            Proposed::Merge {
                refs: refs.map(|value| number(Some(value))).collect::<Result<_, _>>()?,
                text: words("text")?,
            }
        }
        (Some("delete"), None) => Proposed::Delete { number: one("ref")? },
        (Some("flag"), None) => Proposed::Flag {
            a: one("a")?,
            b: one("b")?,
            why: words("why")?,
        },
        _ => return Err(Rejection::InvalidProposal),
    };
    let evidence = text("evidence")?;
    Ok(Proposal {
        change,
        why: text("why")?,
        description: text("description")?,
        body: text("body")?,
        evidence: match kinds {
            Some(_) => evidence.ok_or(Rejection::NoEvidence)?,
            None => evidence.unwrap_or_default(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str =
        r#"{"action":"add","type":"project","text":"CI runs on ARM","evidence":"our CI runs on ARM"}"#;

    fn read(answer: &str) -> Result<Answer, AnswerFault> {
        read_answer(
            answer.as_bytes(),
            Some(&[Kind::new("project"), Kind::new("user")]),
        )
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
            assert_eq!((proposal.change.text(), read.unread), ("CI runs on ARM", 0));
        }
        assert_eq!(read("[]").unwrap(), Answer::default(), "nothing is a good answer");
        assert_eq!(read("{\"memories\": []}").unwrap(), Answer::default());
        let passing = r#"[{"action":"passing","text":"The disk is at 94%"}]"#;
        assert_eq!(read(passing).unwrap(), Answer::default(), "it is read by nobody");
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
        assert_eq!(read_answer(b"[\xff]", None), Err(AnswerFault::NoText));
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

    #[test]
    fn each_operation_has_what_it_needs() {
        let read_one =
            |item: &str| match &read_answer(format!("Here:\n```json\n[{item}]\n```").as_bytes(), None)
                .unwrap()
                .proposals[0]
            {
                Ok(proposal) => Ok(proposal.change.clone()),
                Err(refused) => Err(refused.reason),
            };
        let merge = Proposed::Merge {
            refs: vec![1, 2],
            text: "T".to_owned(),
        };
        assert_eq!(
            read_one(r#"{"action":"merge","refs":[1,2],"text":" T "}"#),
            Ok(merge)
        );
        assert_eq!(
            read_one(r#"{"action":"delete","ref":3}"#),
            Ok(Proposed::Delete { number: 3 })
        );
        for (item, why) in [
            ("{}", Rejection::InvalidProposal),
            (r#"{"action":"add","text":"T"}"#, Rejection::InvalidProposal),
            (r#"{"action":["merge"]}"#, Rejection::InvalidProposal),
            (r#"{"action":"merge","refs":[1,2]}"#, Rejection::Empty),
            (
                r#"{"action":"merge","refs":"1,2","text":"T"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (
                r#"{"action":"merge","refs":[1,-2],"text":"T"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (
                r#"{"action":"merge","refs":[1,4294967296],"text":"T"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (r#"{"action":"delete","ref":1.5}"#, Rejection::InvalidMemoryRef),
            (r#"{"action":"delete"}"#, Rejection::InvalidMemoryRef),
            (
                r#"{"action":"rewrite","ref":1,"text":{"a":1}}"#,
                Rejection::InvalidProposal,
            ),
            (
                r#"{"action":"flag","a":1,"why":"x"}"#,
                Rejection::InvalidMemoryRef,
            ),
            (r#"{"action":"flag","a":1,"b":2,"why":" "}"#, Rejection::Empty),
        ] {
            assert_eq!(read_one(item), Err(why), "{item}");
        }
    }

    #[test]
    fn ten_thousand_operations_are_two_hundred_and_a_number() {
        let one = r#"{"action":"delete","ref":1}"#;
        let plan = read_answer(format!("[{}]", vec![one; 8_000].join(",")).as_bytes(), None).unwrap();
        assert_eq!((plan.proposals.len(), plan.unread), (200, 7_800));
    }
}
