//! The memory that is to be added, as the rules see it before it has a file.

use std::collections::BTreeMap;

use crate::capture::planted_words;
use crate::document;
use crate::model::{Content, Memory, Source, StorePath, Zone};
use crate::policy::{self, Addition, AdditionOutcome, Candidates, Dormancy, Entry, FileFate, NewFile, Rules};
use crate::store::{Snapshot, Store};
use crate::sys::Ids;
use crate::text::can_be_seen;

use super::super::check::known_types;
use super::super::{AddRequest, ServiceError};
use super::Arrived;

/// Existing memories, by their index in a plan.
pub(in crate::service) type Concerned = BTreeMap<usize, Memory>;

/// The way in which a memory comes in (docs/capture.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service) enum Door {
    /// The user or a tool says it: always stored.
    Said,
    /// Extracted from a summary: stored where it would be shown, else archived.
    Extracted,
    /// The same where it is in doubt whether it lasts: suggested, unless a memory says it already.
    Doubtful,
}

/// The memory that is to be added.
pub(in crate::service) struct Candidate {
    pub(super) memory: Memory,
    pub(super) keys: policy::Keys,
}

impl Candidate {
    pub(in crate::service) fn new(
        store: &Store,
        ids: &Ids,
        request: &AddRequest,
    ) -> Result<Self, ServiceError> {
        let content = content_of(request)?;
        if policy::says_nothing(&content, request.description.as_deref()) {
            return Err(ServiceError::OnlySecrets);
        }
        check_limit(&content, store.rules().limit)?;
        let folder_kind = |path| crate::store::folder_kind(path, store.rules());
        let kind = request
            .kind
            .clone()
            .or_else(|| request.path.as_ref().and_then(folder_kind));
        let kind = kind.unwrap_or_default();
        if store.rules().type_rule(&kind).is_none() {
            return Err(ServiceError::UnknownKind {
                kind: kind.to_string(),
                known: known_types(store.rules()),
            });
        }
        let id = ids.next(store.now());
        let path = StorePath::new("new.md").expect("because it is a plain name");
        let memory = Memory {
            source: request.source,
            confidence: request.source.usual_confidence(),
            importance: request.importance,
            tags: request.tags.clone(),
            paths: request.paths.clone(),
            description: request.description.clone(),
            ..Memory::new(id, path, kind, content)
        };
        let path = request.path.as_ref().map_or("", StorePath::as_str);
        let body = [path, &memory.content.as_body()].join("\n\n");
        // A person may say what nobody else may.
        let is_persons = request.source.is_persons();
        if let Some(words) = planted_words(&memory.shown(&body)).filter(|_| !is_persons) {
            return Err(ServiceError::Injection(words));
        }
        let keys = policy::keys_of(&memory);
        Ok(Self { memory, keys })
    }

    /// The plan, and the existing memories that it concerns, by their index in the plan. Only ranked memories count: a fact
    /// that is pinned or archived is no reason not to remember it again.
    pub(in crate::service) fn plan(
        &self,
        snapshot: &Snapshot,
        store: &Store,
        session: Option<&str>,
        door: Door,
    ) -> (Addition, Concerned) {
        let ranked = snapshot.files.iter().filter(|file| file.zone == Zone::Ranked);
        let existing: Vec<Entry<'_>> = ranked.map(|file| file.as_entry()).collect();
        let rules = store.rules();
        let mut plan = policy::plan_addition(self.entry(rules), &existing, store.now(), session, rules);
        if door != Door::Said {
            // A summary repeats what is known in ever new words: those are evidence, not files.
            if plan.file == NewFile::Superseded {
                plan.file = NewFile::None;
            }
            if matches!(plan.file, NewFile::Active(_)) {
                self.check_capacity(&mut plan, &existing, snapshot, store);
            }
        }
        let recalled = plan.recalled.iter().map(|recalled| recalled.index);
        let indices = recalled.chain(plan.displaced.iter().map(|displaced| displaced.index));
        let concerned = indices
            .map(|index| (index, existing[index].memory.clone()))
            .collect();
        (plan, concerned)
    }

    /// A memory of its own that would win no rendered place today goes to the archive (docs/file-format.md).
    fn check_capacity(
        &self,
        plan: &mut Addition,
        existing: &[Entry<'_>],
        snapshot: &Snapshot,
        store: &Store,
    ) {
        let is_gone = |index: usize| {
            let displaced = plan.displaced.iter().find(|displaced| displaced.index == index);
            displaced.is_some_and(|displaced| displaced.file != FileFate::Hidden)
        };
        let in_force = existing
            .iter()
            .enumerate()
            .filter(|(index, entry)| entry.memory.is_active() && !is_gone(*index));
        let entries: Vec<Entry<'_>> = in_force.map(|(_, entry)| *entry).collect();
        let (now, rules) = (store.now(), store.rules());
        let candidates = Candidates {
            entries: &entries,
            dormancy: &Dormancy::new(&snapshot.activities, now, &rules.retention),
            rules,
        };
        if let Some(reason) = policy::over_capacity(&self.memory, &candidates, now) {
            plan.outcome = AdditionOutcome::RejectedCapacity;
            plan.file = NewFile::Archived(reason);
            plan.displaced.clear();
        }
    }

    /// Its words.
    pub(in crate::service) fn text(&self) -> &str {
        self.memory.content.keyed_text()
    }

    /// An outcome without a file.
    pub(super) fn without_file(&self, request: &AddRequest, outcome: AdditionOutcome) -> Arrived {
        Arrived::new(request, outcome, &self.memory)
    }

    pub(super) fn entry(&self, rules: &Rules) -> Entry<'_> {
        Entry::new(&self.memory, &self.keys, rules)
    }

    /// True for the user's own word, which brings back a memory that was forgotten.
    pub(super) fn is_users_word(&self) -> bool {
        self.memory.source == Source::Explicit
    }
}

/// A tool's write is refused over the limit; a person's own edit of a file is only reported.
fn check_limit(content: &Content, limit: u32) -> Result<(), ServiceError> {
    let chars = |text: &str| text.chars().count();
    let chars = chars(content.keyed_text()) + content.rationale().map_or(0, chars);
    if u32::try_from(chars).is_ok_and(|chars| chars <= limit) {
        Ok(())
    } else {
        Err(ServiceError::OverLimit { chars, limit })
    }
}

fn content_of(request: &AddRequest) -> Result<Content, ServiceError> {
    let text = request.text.replace("\r\n", "\n");
    if !can_be_seen(&text) {
        return Err(ServiceError::EmptyText);
    }
    let content = document::read_content(&text);
    Ok(match (content, &request.why) {
        (Content::Fact { text, .. }, Some(why)) => Content::Fact {
            text,
            rationale: Some(why.trim().to_owned()),
        },
        (Content::Note { body }, Some(why)) => Content::Note {
            body: format!("{body}\n\nWhy: {}", why.trim()),
        },
        (content, None) => content,
    })
}
