//! Type and text to the exact key and the identity key.

use mdmem::model::{Content, Kind};
use mdmem::policy::keys;
use serde_json::{Value, json};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let kind = Kind::new(case["input"]["type"].as_str().expect("a case has a type"));
    let text = case["input"]["text"].as_str().expect("a case has a text");
    let content = Content::Fact {
        text: text.to_owned(),
        rationale: None,
    };
    let keys = keys(&kind, &content);
    let got = json!({ "exact": keys.exact, "identity": keys.identity() });
    let expected = &case["output"];
    if got == *expected {
        Ok(())
    } else {
        Err(format!("expected {expected}, got {got}"))
    }
}
