//! The messages on the wire, protocol version 1: one JSON object a line.
//!
//! A request is `{"id": 7, "method": "prompt", "params": {…}}`. Its answer has the same `id` and either a
//! `"result"` or an `"error": {"kind", "message"}`. A request that cannot be read far enough to know its id is
//! answered with `"id": null`. A field that is not known is ignored, so that either side may be the newer one.

mod reply;
mod request;
mod usage;

pub(super) use reply::{Failure, FailureKind};
pub(super) use request::{Command, Hello, Message, Prompt, Request, Todo, ToolUse, read};
pub(super) use usage::Usage;
/// The version that this program speaks.
pub(super) const PROTOCOL: u32 = 1;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::request::Instant;
    use super::*;
    use crate::model::Timestamp;

    fn request(line: &str) -> Result<Request, Failure> {
        read(line.as_bytes()).1
    }

    #[test]
    fn reads_what_the_plugin_says() {
        let hello = request(
            r#"{"id":1,"method":"hello","params":{"protocol":1,"host":"opencode","version":"0.1.0","directory":"/w","worktree":"/w"}}"#,
        );
        let expected = Hello {
            protocol: 1,
            host: "opencode".to_owned(),
            version: "0.1.0".to_owned(),
            directory: Some("/w".to_owned()),
            ends_with_turn: false,
        };
        assert_eq!(hello, Ok(Request::Hello(expected)));
        let prompt = request(
            r#"{"id":2,"method":"prompt","params":{"session":"s","parent":null,"tokens":7,"limit":9,"lastResponseAt":1500}}"#,
        );
        let Ok(Request::Prompt(prompt)) = prompt else {
            panic!("{prompt:?}")
        };
        assert_eq!((prompt.tokens, prompt.limit), (Some(7), Some(9)));
        assert_eq!(
            prompt.last_response_at.and_then(|at| at.timestamp()),
            Some(Timestamp::from_millis(1500))
        );
        assert_eq!(request(r#"{"id":3,"method":"bye"}"#), Ok(Request::Bye {}));
    }

    #[test]
    fn a_session_is_enough_for_a_prompt_and_unknown_fields_are_ignored() {
        let prompt = request(r#"{"method":"prompt","params":{"session":"s","mood":"fine"},"trace":[1]}"#);
        assert!(matches!(prompt, Ok(Request::Prompt(Prompt { tokens: None, .. }))));
    }

    #[test]
    fn half_an_emoji_and_a_deep_value_cost_no_answer() {
        let (id, message) = read(
            br#"{"id":7,"method":"message","params":{"session":"s","messageId":"m","text":"x \ud83d"}}"#,
        );
        assert_eq!(id, 7);
        assert!(matches!(message, Ok(Request::Message(Message { text, .. })) if text == "x \u{fffd}"));
        let deep = format!(
            r#"{{"id":8,"method":"call","params":{}{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        let (id, refused) = read(deep.as_bytes());
        assert_eq!((id, refused.is_err()), (json!(8), true));
    }

    #[test]
    fn a_time_may_also_be_text() {
        let at = Instant::Text("1970-01-01T00:00:01Z".to_owned());
        assert_eq!(at.timestamp(), Some(Timestamp::from_millis(1000)));
        assert_eq!(Instant::Text("soon".to_owned()).timestamp(), None);
    }

    #[test]
    fn says_what_is_wrong_with_a_request() {
        let kind = |line| request(line).unwrap_err().kind;
        assert_eq!(kind(r#"{"method":"teleport"}"#), FailureKind::UnknownMethod);
        assert_eq!(kind(r#"{"method":"prompt"}"#), FailureKind::BadParams);
        assert_eq!(kind(r#"{"method":"prompt","params":[]}"#), FailureKind::BadParams);
        assert_eq!(
            kind(r#"{"method":"prompt","params":{"session":"s","tokens":-1}}"#),
            FailureKind::BadParams
        );
    }

    #[test]
    fn keeps_the_id_of_a_request_that_is_wrong_otherwise() {
        let kind = |line| {
            let (id, request) = read(line);
            (id, request.unwrap_err().kind)
        };
        let seven = kind(br#"{"id":"seven","method":5}"#);
        assert_eq!(seven, (json!("seven"), FailureKind::Malformed));
        for line in [&b"{"[..], b"7", b"[]", b"null", b"\"\xff\"", b""] {
            assert_eq!(kind(line), (Value::Null, FailureKind::Malformed));
        }
    }

    #[test]
    fn a_line_of_a_thousand_brackets_is_refused_and_not_followed() {
        let line = "[".repeat(100_000);
        assert!(read(line.as_bytes()).1.is_err());
    }
}
