//! Secrets are taken out of everything that an entry says before it is written, compared or shown.

use std::borrow::Cow;

use super::incoming::{Said, Stated};
use crate::model::{Content, Kind};
use crate::text::{Redactor, one_line};

/// Takes the secrets out of an entry; the kinds of those that were found, each once, in order.
pub(super) fn redact(said: &mut Said, redactor: &Redactor) -> Vec<String> {
    let mut kinds = Vec::new();
    // A note is shown as it is written, anything else on one line.
    let is_note = said.content.is_note();
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
    for (index, text) in texts.into_iter().enumerate() {
        let (found, without) = if is_note && index == 0 {
            (redactor.find(text), redactor.redact(text))
        } else {
            (redactor.find(&one_line(text)), redactor.redact_line(text))
        };
        for secret in found {
            if kinds.iter().all(|kind| *kind != secret.kind) {
                kinds.push(secret.kind.to_owned());
            }
        }
        if let Cow::Owned(without) = without {
            *text = without;
        }
    }
    redact_names(said, redactor, &mut kinds);
    kinds
}

/// Takes secrets out of what is no text and is kept as it stands: a type loses them, an id or a session is not kept.
fn redact_names(said: &mut Said, redactor: &Redactor, kinds: &mut Vec<String>) {
    let mut is_secret = |name: &str| {
        let found = redactor.find(name);
        for secret in &found {
            if kinds.iter().all(|kind| *kind != secret.kind) {
                kinds.push(secret.kind.to_owned());
            }
        }
        !found.is_empty()
    };
    if is_secret(said.kind.as_str()) {
        said.kind = Kind::new(&redactor.redact(said.kind.as_str()));
    }
    said.id = said.id.take().filter(|id| !is_secret(id));
    said.session = said.session.take().filter(|session| !is_secret(session));
    said.supersedes.retain(|id| !is_secret(id.as_str()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Id;

    #[test]
    fn a_value_on_the_next_line_is_taken_out_of_a_fact() {
        let content = Content::Fact {
            text: "The password is\nhunter2-x9".to_owned(),
            rationale: None,
        };
        let mut said = Said::new(Kind::new("reference"), content);
        assert_eq!(redact(&mut said, &Redactor::standard()), ["password"]);
        assert_eq!(said.content.keyed_text(), "The password is [REDACTED:password]");
    }

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
            id: Some("ghp_Fake0Token1Fake0Token1Fake0Token1Fak".to_owned()),
            session: Some(secret.to_owned()),
            supersedes: vec![Id::parse("ghp_Fake0Token1Fake0Token1Fake0Token1Fak").unwrap()],
            ..Said::new(Kind::new(secret), content)
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
