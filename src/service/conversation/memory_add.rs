//! The tool `memory_add`: a model stores one fact.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::document::parted;
use crate::model::{Kind, Source};
use crate::policy;
use crate::store::session_hash;

use super::super::add::text_without_secrets;
use super::super::create::check_no_credential;
use super::super::{AddRequest, ServiceError};
use super::summary::Extractor;
use super::tools::{check_length, check_no_order};
use super::{Asking, Conversations, HeardLine};

/// A fact that a model wants to be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MemoryAdd {
    /// The fact.
    pub text: String,
    /// Its type; `None`: project.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// The reason for it.
    pub why: Option<String>,
    /// Patterns of the files that it holds for, with commas between them; `None`: it holds everywhere.
    pub paths: Option<String>,
}

impl Conversations {
    /// Stores one fact, at once; not what the user's message said a moment ago, and nothing that gives orders to its
    /// reader.
    pub fn memory_add(&mut self, asking: &Asking, request: &MemoryAdd) -> Result<HeardLine, ServiceError> {
        let session = session_hash(&asking.session);
        self.retry();
        let said = self.just_said.get(&session).into_iter().flatten();
        let mut said = said.filter(|line| line.kind.is_some());
        if let Some(line) = said.find(|line| policy::retells(&line.text, &request.text)) {
            let outcome = if line.path.is_some() {
                "absorbed_exact"
            } else {
                line.outcome
            };
            return Ok(HeardLine {
                outcome,
                replaces: Vec::new(),
                ..line.clone()
            });
        }
        self.check_declined(&session, &request.text)?;
        self.make_store()?;
        let limit = self.rules().limit;
        let mut redacted = BTreeSet::new();
        let mut clean = |text: &str| {
            check_length(text, limit)?;
            Ok::<_, ServiceError>(text_without_secrets(text, &self.redactor, &mut redacted))
        };
        let text = clean(&request.text)?;
        let why = request.why.as_deref().map(&mut clean).transpose()?;
        let paths = request.paths.as_deref().map(clean).transpose()?;
        let all = [Some(&text), why.as_ref(), paths.as_ref()];
        check_no_order(
            &all.into_iter()
                .flatten()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("\n\n"),
        )?;
        let paths = paths.as_deref().map(parted).unwrap_or_default();
        let kind = request.kind.clone().unwrap_or_default();
        let scope = self.scope(asking.scope);
        self.check_scope(scope, asking.answered)?;
        check_no_credential(kind.as_str(), &self.redactor)?;
        let addition = AddRequest {
            why,
            paths,
            ..self.saying(&session).request(&kind, &text, Source::Agent)
        };
        self.store_of(scope).or_created()?;
        let say = |extractor: &mut Extractor<'_, '_, '_>, request: &_| extractor.say(request);
        let mut stored = self.store_requests(&session, scope, &[addition], say)?;
        stored.failure.map_or(Ok(()), Err)?;
        self.look_whether_shown(scope, stored.lines.iter_mut());
        let line = stored.lines.pop().expect("because nothing was in the way");
        Ok(HeardLine {
            redacted: redacted.into_iter().collect(),
            ..line
        })
    }
}
