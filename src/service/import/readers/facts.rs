//! The statements of a text as facts, and what is left of it.

use crate::capture::{self, Rejection};
use crate::document::NewMemory;
use crate::model::{Content, Kind};
use crate::service::import::incoming::{Incoming, Said, Way};
use crate::service::import::rest::without;
use crate::service::import::source::SourceFile;
use crate::service::import::statements::{Statement, statements};

/// The fact that a statement is: its words, its type and its tags; `None` where it is none.
pub(super) type Judge<'a> = &'a dyn Fn(&Statement) -> Option<(String, Kind, Vec<String>)>;

/// Adds a fact for each statement, and gives the rest of the text; `None` where nothing else is said. An order to its
/// reader is no fact, and is named.
pub(super) fn take(
    file: &SourceFile,
    text: &str,
    judge: Judge<'_>,
    incoming: &mut Incoming,
) -> Option<String> {
    let mut taken = Vec::new();
    for statement in statements(text) {
        let Some((words, kind, tags)) = judge(&statement) else {
            continue;
        };
        let place = statement.context.as_deref().unwrap_or("list");
        let said = if capture::quality(&kind, &words) == Some(Rejection::PromptInjection) {
            Err("it reads like an order to its reader (prompt_injection)".to_owned())
        } else {
            let content = Content::Fact {
                text: words,
                rationale: None,
            };
            Ok(Said {
                way: Way::Waiting,
                memory: NewMemory {
                    kind,
                    tags,
                    content,
                    ..NewMemory::default()
                },
                ..Said::default()
            })
        };
        incoming.entry(&file.file, place, Some(statement.line), said);
        taken.push(statement);
    }
    without(text, &taken)
}
