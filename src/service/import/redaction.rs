//! Secrets are taken out of everything that an entry says before it is written, compared or shown.

use std::borrow::Cow;

use super::incoming::{Said, Stated};
use crate::model::Content;
use crate::text::Redactor;

/// Takes the secrets out of an entry; the kinds of those that were found, each once, in order.
pub(super) fn redact(said: &mut Said, redactor: &Redactor) -> Vec<String> {
    let mut kinds = Vec::new();
    let mut texts: Vec<&mut String> = match &mut said.content {
        Content::Fact { text, rationale } => [Some(text), rationale.as_mut()].into_iter().flatten().collect(),
        Content::Note { body } => vec![body],
    };
    texts.extend(said.description.as_mut());
    texts.extend(&mut said.tags);
    for time in [
        &mut said.created,
        &mut said.updated,
        &mut said.reinforced,
        &mut said.clock,
    ] {
        if let Stated::Unreadable(text) = time {
            texts.push(text);
        }
    }
    for text in texts {
        let found = redactor.find(text);
        if found.is_empty() {
            continue;
        }
        for secret in found {
            if kinds.iter().all(|kind| *kind != secret.kind) {
                kinds.push(secret.kind.to_owned());
            }
        }
        if let Cow::Owned(without) = redactor.redact(text) {
            *text = without;
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    #[test]
    fn every_part_of_an_entry_is_searched() {
        let secret = "the password is hunter2-x9";
        let content = Content::Fact {
            text: format!("Login: {secret}"),
            rationale: Some(secret.to_owned()),
        };
        let mut said = Said {
            description: Some(secret.to_owned()),
            tags: vec!["plain".to_owned(), secret.to_owned()],
            clock: Stated::Unreadable(secret.to_owned()),
            ..Said::new(Kind::new("reference"), content)
        };
        assert_eq!(redact(&mut said, &Redactor::standard()), ["password"]);
        assert!(!format!("{said:?}").contains("hunter2"), "{said:?}");
        assert_eq!(redact(&mut said, &Redactor::standard()), Vec::<String>::new());
    }
}
