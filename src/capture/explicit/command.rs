//! The host's commands `/remember TEXT` and `/forget TEXT`: the whole of what was typed behind the name is one request,
//! whatever its words are.

use serde::Deserialize;

use super::memory_type::memory_type;
use super::requests::{Refused, RequestedMemory, Requests, TakenBack};
use crate::capture::Rejection;
use crate::text::without_escapes;

/// A command of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UserCommand {
    /// Remember the text.
    Remember,
    /// Put the memory that says the text out of force.
    Forget,
}

/// The request of a command, by the text that was typed behind its name.
pub fn commanded(command: UserCommand, typed: &str) -> Requests {
    let typed = without_escapes(typed);
    let text = typed.trim();
    let mut requests = Requests::default();
    match command {
        _ if !text.contains(char::is_alphanumeric) => requests.refused.push(Refused {
            reason: Rejection::TooShort,
            text: text.to_owned(),
        }),
        UserCommand::Remember => requests.memories.push(RequestedMemory {
            kind: memory_type(text),
            text: text.to_owned(),
        }),
        UserCommand::Forget => requests.taken_back.push(TakenBack {
            object: text.to_owned(),
            text: text.to_owned(),
        }),
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_text_is_one_request_whatever_it_says() {
        for text in [
            "use pnpm",
            "Don't remember the port",
            "Should we move to Redis?",
            "close the ticket later",
            "forget that we use npm",
            "これは",
        ] {
            let asked = commanded(UserCommand::Remember, &format!(" {text}\n"));
            assert_eq!(asked.memories.len(), 1, "{text}");
            assert_eq!(asked.memories[0].text, text);
            let taken = commanded(UserCommand::Forget, text).taken_back;
            assert_eq!((taken.len(), taken[0].object.as_str()), (1, text));
        }
    }

    #[test]
    fn nothing_is_no_request() {
        for text in ["", " \n", "...", "\u{200b}"] {
            for command in [UserCommand::Remember, UserCommand::Forget] {
                let requests = commanded(command, text);
                assert!(requests.memories.is_empty() && requests.taken_back.is_empty());
                assert_eq!(requests.refused[0].reason, Rejection::TooShort, "{text:?}");
            }
        }
    }
}
