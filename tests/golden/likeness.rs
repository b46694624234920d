//! Type and two texts to whether the two are one.

use mdmem::model::{Content, Kind};
use mdmem::policy::alike;
use serde_json::Value;

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let kind = Kind::new(input["type"].as_str().expect("a case has a type"));
    let fact = |key: &str| Content::Fact {
        text: input[key].as_str().expect("a case has two texts").to_owned(),
        rationale: None,
    };
    let got = alike(&kind, &fact("a"), &fact("b"));
    let expected = case["output"]["same"].as_bool().expect("a case has an answer");
    if got == expected {
        Ok(())
    } else {
        Err(format!("expected same: {expected}, got {got}"))
    }
}
