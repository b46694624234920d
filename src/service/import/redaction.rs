//! Secrets are taken out of everything that an entry says before it is written, compared or shown.

use std::borrow::Cow;

use super::incoming::Said;
use crate::document::Value;
use crate::model::{Content, Kind};
use crate::text::{Redactor, Secret, one_line};

/// Takes the secrets out of an entry; the kinds of those that were found, each once, in order.
pub(super) fn redact(said: &mut Said, redactor: &Redactor) -> Vec<String> {
    let mut kinds = Vec::new();
    let mut note = |found: Vec<Secret>| note_kinds(found, &mut kinds);
    let memory = &mut said.memory;
    let mut lines: Vec<&mut String> = Vec::new();
    match &mut memory.content {
        Content::Fact { text, rationale } => lines.extend([text].into_iter().chain(rationale)),
        // A note is shown as it is written, anything else on one line.
        Content::Note { body } => {
            note(redactor.find(body));
            *body = redactor.redact(body).into_owned();
        }
    }
    lines.extend(&mut memory.description);
    lines.extend(&mut memory.tags);
    for time in [
        &mut memory.created,
        &mut memory.updated,
        &mut memory.reinforced,
        &mut memory.clock,
    ] {
        if let Some(Value::Text(text)) = time {
            lines.push(text);
        }
    }
    for line in lines {
        note(redactor.find(&one_line(line)));
        if let Cow::Owned(without) = redactor.redact_line(line) {
            *line = without;
        }
    }
    // Values that are no text and are kept as they stand: a type loses its secrets, an id or a session is not kept.
    let mut is_secret = |name: &str| {
        let found = redactor.find(name);
        let any = !found.is_empty();
        note(found);
        any
    };
    if is_secret(memory.kind.as_str()) {
        memory.kind = Kind::new(&redactor.redact(memory.kind.as_str()));
    }
    said.id = said.id.take().filter(|id| !is_secret(id));
    memory.session = memory.session.take().filter(|session| !is_secret(session));
    memory.supersedes.retain(|id| !is_secret(id.as_str()));
    kinds
}

/// Takes the secrets out of the value of a key; gives those that were found.
pub(super) fn redact_value(value: &mut Value, redactor: &Redactor) -> Vec<Secret> {
    let lines = match value {
        Value::Text(text) => std::slice::from_mut(text),
        Value::List(words) => words,
        Value::Number(_) | Value::Count(_) | Value::Time(_) => &mut [],
    };
    let mut found = Vec::new();
    for line in lines {
        found.extend(redactor.find(&one_line(line)));
        if let Cow::Owned(without) = redactor.redact_line(line) {
            *line = without;
        }
    }
    found
}

/// Adds the kinds of these secrets to `kinds`, each once.
pub(super) fn note_kinds(found: Vec<Secret>, kinds: &mut Vec<String>) {
    for secret in found {
        if kinds.iter().all(|kind| *kind != secret.kind) {
            kinds.push(secret.kind.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::NewMemory;
    use crate::model::Id;

    fn said(kind: &str, content: Content) -> Said {
        let kind = Kind::new(kind);
        Said {
            memory: NewMemory {
                kind,
                content,
                ..NewMemory::default()
            },
            ..Said::default()
        }
    }

    #[test]
    fn a_value_on_the_next_line_is_taken_out_of_a_fact() {
        let content = Content::Fact {
            text: "The password is\nhunter2-x9".to_owned(),
            rationale: None,
        };
        let mut said = said("reference", content);
        assert_eq!(redact(&mut said, &Redactor::standard()), ["password"]);
        assert_eq!(
            said.memory.content.keyed_text(),
            "The password is [REDACTED:password]"
        );
    }

    #[test]
    fn every_part_of_an_entry_is_searched() {
        let secret = "the password is hunter2-x9";
        let content = Content::Fact {
            text: format!("Login: {secret}"),
            rationale: Some(secret.to_owned()),
        };
        let mut said = said(secret, content);
        said.id = Some("ghp_Fake0Token1Fake0Token1Fake0Token1Fak".to_owned());
        said.memory = NewMemory {
            description: Some(secret.to_owned()),
            tags: vec!["plain".to_owned(), secret.to_owned()],
            clock: Some(Value::Text(secret.to_owned())),
            session: Some(secret.to_owned()),
            supersedes: vec![Id::parse("ghp_Fake0Token1Fake0Token1Fake0Token1Fak").unwrap()],
            ..said.memory
        };
        assert_eq!(
            redact(&mut said, &Redactor::standard()),
            ["password", "github_token"]
        );
        let kept = format!("{said:?}");
        assert!(
            !kept.contains("hunter2") && !kept.contains("Fake0Token1"),
            "{kept}"
        );
        assert_eq!(redact(&mut said, &Redactor::standard()), Vec::<String>::new());
    }
}
