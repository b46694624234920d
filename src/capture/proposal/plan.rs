//! The answer of a model that read the memories of a store: what it would merge, delete, rewrite and flag.

use serde_json::{Map, Value};

use super::RefusedProposal;
use super::listed::{AnswerFault, listed, preview};
use crate::capture::Rejection;
use crate::policy::Operation;

/// The most operations of one answer that count.
const MOST_OPERATIONS: usize = 200;

/// The most memories of one merge.
const MOST_REFS: usize = 20;

/// The operations of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReconcilingPlan {
    /// The operations, in their order.
    pub operations: Vec<Result<Operation, RefusedProposal>>,
    /// The number of those behind the last one that counts.
    pub unread: usize,
}

/// Reads an answer. Whether a number means a memory is for the rules to say.
pub fn read_plan(answer: &[u8]) -> Result<ReconcilingPlan, AnswerFault> {
    let all = listed(answer)?;
    let read = |item: &Map<String, Value>| {
        operation(item).map_err(|reason| RefusedProposal {
            reason,
            text: preview(item),
        })
    };
    Ok(ReconcilingPlan {
        unread: all.len().saturating_sub(MOST_OPERATIONS),
        operations: all.iter().take(MOST_OPERATIONS).map(read).collect(),
    })
}

fn operation(item: &Map<String, Value>) -> Result<Operation, Rejection> {
    let text = |key: &str| match item.get(key) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        None | Some(Value::Null | Value::String(_)) => Err(Rejection::Empty),
        Some(_) => Err(Rejection::InvalidProposal),
    };
    let number = |key: &str| {
        item.get(key)
            .and_then(reference)
            .ok_or(Rejection::InvalidMemoryRef)
    };
    match item.get("action").and_then(Value::as_str) {
        Some("merge") => {
            let refs = item.get("refs").and_then(Value::as_array);
            let refs = refs.filter(|refs| refs.len() <= MOST_REFS);
            let refs: Option<Vec<u32>> = refs.and_then(|refs| refs.iter().map(reference).collect());
            Ok(Operation::Merge {
                refs: refs.ok_or(Rejection::InvalidMemoryRef)?,
                text: text("text")?,
            })
        }
        Some("delete") => Ok(Operation::Delete {
            number: number("ref")?,
        }),
        Some("rewrite") => Ok(Operation::Rewrite {
            number: number("ref")?,
            text: text("text")?,
        }),
        Some("flag") => Ok(Operation::Flag {
            a: number("a")?,
            b: number("b")?,
            why: text("why")?,
        }),
        _ => Err(Rejection::InvalidProposal),
    }
}

fn reference(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_what_it_needs() {
        let read = |item: &str| match &read_plan(format!("Here:\n```json\n[{item}]\n```").as_bytes())
            .unwrap()
            .operations[0]
        {
            Ok(operation) => Ok(operation.clone()),
            Err(refused) => Err(refused.reason),
        };
        let merge = Operation::Merge {
            refs: vec![1, 2],
            text: "T".to_owned(),
        };
        assert_eq!(read(r#"{"action":"merge","refs":[1,2],"text":" T "}"#), Ok(merge));
        assert_eq!(
            read(r#"{"action":"delete","ref":3}"#),
            Ok(Operation::Delete { number: 3 })
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
            assert_eq!(read(item), Err(why), "{item}");
        }
    }

    #[test]
    fn ten_thousand_operations_are_two_hundred_and_a_number() {
        let one = r#"{"action":"delete","ref":1}"#;
        let plan = read_plan(format!("[{}]", vec![one; 8_000].join(",")).as_bytes()).unwrap();
        assert_eq!((plan.operations.len(), plan.unread), (200, 7_800));
    }
}
