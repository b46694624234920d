//! The log of one store: events are added to its end, all of one batch in one write.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use super::limits::BYTES;
use super::line;
use super::prune::{Look, prune_after};
use super::{Event, FILE, RecordedEvent};
use crate::model::Timestamp;
use crate::sys::{Ids, LineFile, SysError};
use crate::text::{Redactor, one_line};

/// The most characters of a preview.
const PREVIEW_CHARS: usize = 120;
/// The most characters of a text among the details.
const DETAIL_CHARS: usize = 240;
/// The most characters of a text that are redacted before it is cut: more than any secret is long.
const MOST_LOOKED_AT: usize = 16_384;
/// The most relations of one event.
const MOST_RELATIONS: usize = 64;
/// The number of events that are added before the file is looked at again for events that are too many or too old.
const LOOK_EVERY: u32 = 250;

/// The evidence log of one store (`.mdmem/evidence.jsonl`), as one host writes it.
#[derive(Debug)]
pub struct EvidenceLog {
    root: PathBuf,
    file: LineFile,
    ids: Ids,
    workspace: String,
    workspace_root: String,
    producer: String,
    redactor: Redactor,
    /// The number of events added since the last look at the file, which is still to come at first.
    since_look: AtomicU32,
}

impl EvidenceLog {
    /// The log of the store at `root`. `workspace` is the name of the store's folder, `workspace_root` the hash of the
    /// workspace's path ([`root_hash`]), `producer` the name of the host.
    pub fn new(
        root: &Path,
        ids: Ids,
        workspace: impl Into<String>,
        workspace_root: impl Into<String>,
        producer: impl Into<String>,
        redactor: Redactor,
    ) -> Self {
        Self {
            root: root.to_owned(),
            file: LineFile::new(root, FILE),
            ids,
            workspace: workspace.into(),
            workspace_root: workspace_root.into(),
            producer: producer.into(),
            redactor,
            since_look: AtomicU32::new(LOOK_EVERY),
        }
    }

    /// Records what happened at `now`. When the file has become too large or too old, it is made shorter too; an error
    /// there is no error of what was recorded.
    pub fn append(&self, events: &[Event], now: Timestamp) -> Result<(), SysError> {
        if events.is_empty() {
            return Ok(());
        }
        let lines: String = events
            .iter()
            .map(|event| line::write(&self.recorded(event, now)))
            .collect();
        let size = self.file.append(lines.as_bytes())?;
        let added = u32::try_from(events.len()).unwrap_or(LOOK_EVERY);
        let since = self.since_look.fetch_add(added, Ordering::Relaxed);
        if size > BYTES as u64 || since >= LOOK_EVERY {
            self.since_look.store(0, Ordering::Relaxed);
            if let Err(error) = prune_after(&self.root, now, Look::Quick) {
                tracing::warn!(%error, "the evidence log could not be made shorter");
            }
        }
        Ok(())
    }

    fn recorded(&self, event: &Event, now: Timestamp) -> RecordedEvent {
        let id = self.ids.next(now).to_string();
        let relations = event.relations.iter().take(MOST_RELATIONS);
        RecordedEvent {
            id: id.replacen("mem_", "evt_", 1),
            at: now,
            workspace: self.workspace.clone(),
            workspace_root: self.workspace_root.clone(),
            session: event.session.clone(),
            producer: (self.producer.clone(), env!("CARGO_PKG_VERSION").to_owned()),
            event_type: event.what,
            reasons: event.reasons.clone(),
            memory: event.memory.clone(),
            relations: relations.cloned().collect(),
            details: event
                .details
                .iter()
                .map(|(key, value)| (key.clone(), self.harmless(value)))
                .collect(),
            preview: event
                .preview
                .as_deref()
                .map(|text| self.shortened(text, PREVIEW_CHARS)),
        }
    }

    /// Texts among the details are redacted and cut as previews are.
    fn harmless(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.shortened(text, DETAIL_CHARS)),
            Value::Array(values) => values.iter().map(|value| self.harmless(value)).collect(),
            Value::Object(object) => {
                let harmless = |(key, value): (&String, &Value)| (key.clone(), self.harmless(value));
                Value::Object(object.iter().map(harmless).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn shortened(&self, text: &str, chars: usize) -> String {
        let text: String = text.chars().take(MOST_LOOKED_AT).collect();
        let line = one_line(&self.redactor.redact_line(&text));
        let line = line.trim();
        if line.chars().count() <= chars {
            return line.to_owned();
        }
        let cut: String = line.chars().take(chars - 1).collect();
        format!("{cut}…")
    }
}
