//! The answer of a model that read a conversation, or the memories of a store (docs/passes.md): an array of proposals in
//! JSON, perhaps in a code fence, between sentences or in an object. It is trusted in nothing: every proposal about a
//! conversation names the words that it comes from, which are looked for in what was said ([`Talk`]).

mod talk;

use serde_json::{Map, Value};

use crate::policy::{Action, Proposal};

pub use talk::{Speaker, Talk, Utterance, in_one_batch};

/// The longest answer that is read, in bytes.
const MOST_BYTES: usize = 256 * 1024;
/// The most places of an answer at which a value is looked for.
const MOST_TRIES: usize = 64;
/// The characters of a proposal of no known form that are kept for the evidence.
const PREVIEW: usize = 200;

/// The proposals of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The proposals, in their order. One of no known form has the action [`Action::Invalid`], and its beginning as its
    /// text.
    pub proposals: Vec<Proposal>,
    /// The number of those behind the last one that counts.
    pub unread: usize,
}

/// The reason why an answer is refused as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFault {
    /// Nothing was answered.
    #[error("the answer is empty")]
    Empty,
    /// More than is read.
    #[error("the answer has more than {MOST_BYTES} bytes")]
    TooLong,
    /// Bytes that are no text.
    #[error("the answer is not UTF-8")]
    NoText,
    /// No JSON array or object of proposals can be found.
    #[error("the answer has no JSON array of proposals")]
    NoProposals,
}

/// Reads an answer, of which so many proposals count. Whether they can be carried out is for the rules to say.
pub fn read_answer(answer: &[u8], most: usize) -> Result<Answer, AnswerFault> {
    if answer.len() > MOST_BYTES {
        return Err(AnswerFault::TooLong);
    }
    let text = std::str::from_utf8(answer).map_err(|_| AnswerFault::NoText)?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(AnswerFault::Empty);
    }
    let items = list_in(text).ok_or(AnswerFault::NoProposals)?.into_iter();
    let mut proposals: Vec<Proposal> = items.map(proposal).collect();
    proposals.retain(|proposal| proposal.action != Action::Passing);
    let unread = proposals.len().saturating_sub(most);
    proposals.truncate(most);
    Ok(Answer { proposals, unread })
}

fn proposal(item: Map<String, Value>) -> Proposal {
    let item = Value::Object(item);
    let text = item["text"]
        .as_str()
        .map_or_else(|| item.to_string(), str::to_owned);
    let mut read = serde_json::from_value(item).unwrap_or_else(|_| Proposal {
        text: Some(text.chars().take(PREVIEW).collect()),
        ..Proposal::default()
    });
    for words in [
        &mut read.text,
        &mut read.why,
        &mut read.description,
        &mut read.body,
    ] {
        let trimmed = words.as_deref().map(|words| words.trim().to_owned());
        *words = trimmed.filter(|words| !words.is_empty());
    }
    read
}

/// The first value in a text that is a list of objects, or an object that holds one such list.
pub(super) fn list_in(text: &str) -> Option<Vec<Map<String, Value>>> {
    let mut rest = text;
    for _ in 0..MOST_TRIES {
        let at = rest.find(['[', '{'])?;
        rest = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let behind = values.byte_offset();
                if let Some(list) = list_of(value) {
                    return Some(list);
                }
                rest = &rest[behind..];
            }
            // A list that is cut off or broken is no list of what can be read of it.
            _ if begins_list(rest) => return None,
            _ => rest = &rest[1..],
        }
    }
    None
}

fn begins_list(text: &str) -> bool {
    let inside = text.strip_prefix('[').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with('{'))
}

fn list_of(value: Value) -> Option<Vec<Map<String, Value>>> {
    let objects = |list: Vec<Value>| -> Option<Vec<Map<String, Value>>> {
        let object = |item| match item {
            Value::Object(object) => Some(object),
            _ => None,
        };
        list.into_iter().map(object).collect()
    };
    match value {
        Value::Array(list) => objects(list),
        // A single proposal without its list is one too.
        Value::Object(object) if object.contains_key("action") => Some(vec![object]),
        Value::Object(object) => {
            let mut lists = object.into_iter().filter_map(|(_, value)| match value {
                Value::Array(list) => Some(list),
                _ => None,
            });
            let only = lists.next().filter(|_| lists.next().is_none())?;
            objects(only)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str =
        r#"{"action":"add","type":"project","text":"CI runs on ARM","evidence":"our CI runs on ARM"}"#;

    fn read(answer: &str) -> Result<Answer, AnswerFault> {
        read_answer(answer.as_bytes(), 40)
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
            assert_eq!((read.proposals[0].text(), read.unread), ("CI runs on ARM", 0));
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
                Ok(read) => assert!(
                    read.proposals.iter().all(|it| it.action == Action::Invalid),
                    "{shown}"
                ),
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
        assert_eq!(read_answer(b"[\xff]", 40), Err(AnswerFault::NoText));
        let long = format!("[{ONE}]{}", " ".repeat(10 << 20));
        assert_eq!(read(&long), Err(AnswerFault::TooLong));
    }

    #[test]
    fn what_counts_is_read_and_the_rest_is_a_number() {
        let many = format!("[{}]", vec!["{}"; 10_000].join(","));
        let read = read(&many).unwrap();
        assert_eq!((read.proposals.len(), read.unread), (40, 9960));
    }

    #[test]
    fn a_proposal_of_no_known_form_is_none() {
        for item in [
            r#"{"action":["add"]}"#,
            r#"{"action":"purge","ref":1}"#,
            r#"{"action":"add","type":"project","text":{"a":1},"evidence":"x"}"#,
            r#"{"action":"reinforce","ref":1.5,"evidence":"x"}"#,
            r#"{"action":"reinforce","ref":-1,"evidence":"x"}"#,
            r#"{"action":"update","ref":18446744073709551616,"text":"T","evidence":"x"}"#,
            r#"{"action":"merge","refs":"1,2","text":"T"}"#,
            r#"{"action":"merge","refs":[1,4294967296],"text":"T"}"#,
        ] {
            let read = read(&format!("[{item}]")).unwrap();
            assert_eq!(read.proposals[0].action, Action::Invalid, "{item}");
        }
        let read = read(r#"[{"action":"merge","refs":[1,2],"text":" T ","why":null}]"#).unwrap();
        assert_eq!(
            (read.proposals[0].refs(), read.proposals[0].text()),
            (vec![1, 2], "T")
        );
    }
}
