//! The log of one store: what is added to it, what it keeps, and what it says.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::event::{Event, Line};
use crate::model::{Id, Timestamp};
use crate::sys::{Ids, LineFile, Rewritten, SysError};
use crate::text::{Phrases, Redactor, one_line};

/// The log, below a store's root.
pub(super) const FILE: &str = ".mdmem/evidence.jsonl";
/// Lines of it that are no events, below a store's root, and the most bytes of them.
pub(super) const UNREADABLE: &str = ".mdmem/evidence-unreadable.jsonl";
const UNREADABLE_BYTES: usize = 256 << 10;

/// The most milliseconds that an event is kept (90 days), the most lines, and the most bytes.
const AGE: i64 = 90 * 86_400_000;
const LINES: usize = 5_000;
const BYTES: usize = 2 << 20;
/// The most that is read of a log. One that is larger was not made by this program.
const MOST_READ: u64 = 256 << 20;

/// The most characters of a preview, and of a text among the details.
const PREVIEW_CHARS: usize = 120;
const DETAIL_CHARS: usize = 240;
/// The most characters of a text that are redacted before it is cut: more than any secret is long.
const MOST_LOOKED_AT: usize = 16_384;
/// The most relations of one event.
const MOST_RELATIONS: usize = 64;

/// The evidence log of one store (`.mdmem/evidence.jsonl`), as one host writes it.
#[derive(Debug)]
pub struct EvidenceLog {
    /// The store's root.
    pub root: PathBuf,
    /// Makes the names of events.
    pub ids: Ids,
    /// The name of the store's folder.
    pub workspace: String,
    /// The hash of the workspace's path.
    pub workspace_root: String,
    /// The name of the host.
    pub producer: String,
    /// Takes credentials out of texts.
    pub redactor: Redactor,
}

impl EvidenceLog {
    /// Records what happened at `now`. When the file has become too large, it is made shorter too; an error
    /// there is no error of what was recorded.
    pub fn append(&self, events: &[Event], now: Timestamp) -> Result<(), SysError> {
        if events.is_empty() {
            return Ok(());
        }
        let lines: String = events
            .iter()
            .map(|event| self.recorded(event, now).to_line())
            .collect();
        let size = LineFile::new(&self.root, FILE).append(lines.as_bytes())?;
        if size > BYTES as u64
            && let Err(error) = prune(&self.root, now)
        {
            tracing::warn!(%error, "the log of decisions could not be shortened");
        }
        Ok(())
    }

    fn recorded(&self, event: &Event, now: Timestamp) -> Event {
        let mut event = event.clone();
        event.id = self.ids.next(now).to_string().replacen("mem_", "evt_", 1);
        event.at = now;
        event.workspace_key.clone_from(&self.workspace);
        event.workspace_root_hash.clone_from(&self.workspace_root);
        event.producer_name.clone_from(&self.producer);
        event.relations.truncate(MOST_RELATIONS);
        for value in event.details.values_mut() {
            self.shorten(value);
        }
        event.preview = event.preview.map(|text| self.shortened(&text, PREVIEW_CHARS));
        event
    }

    /// Texts among the details are redacted and cut as previews are.
    fn shorten(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.shortened(text, DETAIL_CHARS),
            Value::Array(values) => values.iter_mut().for_each(|value| self.shorten(value)),
            Value::Object(object) => object.values_mut().for_each(|value| self.shorten(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
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

/// The content of a log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The events that this program understands, in the order in which they were recorded: the oldest first.
    pub events: Vec<Event>,
    /// The number of lines that are no events.
    pub unreadable: usize,
}

impl Evidence {
    /// Reads the log of the store at `root`. No file is no evidence, and a line that cannot be read is only counted.
    pub fn read(root: &Path) -> Result<Self, SysError> {
        let bytes = LineFile::new(root, FILE).read(MOST_READ)?.unwrap_or_default();
        let mut evidence = Self::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            match Line::read(line) {
                Line::Event(event) => evidence.events.push(*event),
                Line::Unreadable => evidence.unreadable += 1,
                Line::Newer | Line::Blank => {}
            }
        }
        Ok(evidence)
    }
}

/// Makes the log of the store at `root` shorter where it is over one of its limits (90 days, 5,000 events, 2 MiB): the
/// oldest lines go first, down to a tenth of room. Lines that are no events are put aside.
pub fn prune(root: &Path, now: Timestamp) -> Result<(), SysError> {
    let rewritten = LineFile::new(root, FILE).rewrite(MOST_READ, |bytes| {
        let mut aside = Vec::new();
        let mut kept: Vec<&[u8]> = Vec::new();
        for text in bytes.split_inclusive(|byte| *byte == b'\n') {
            match Line::read(text) {
                Line::Blank => {}
                Line::Unreadable => aside.extend([text.trim_ascii(), b"\n"].concat()),
                Line::Event(event) if now.millis_since(event.at) > AGE => {}
                Line::Event(_) | Line::Newer => kept.push(text.trim_ascii()),
            }
        }
        let size = |lines: &[&[u8]]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
        if kept.len() > LINES || size(&kept) > BYTES {
            let most = LINES / 10 * 9;
            kept.drain(..kept.len().saturating_sub(most));
            while size(&kept) > BYTES / 10 * 9 {
                kept.drain(..kept.len().div_ceil(16));
            }
        }
        let kept: Vec<u8> = kept.iter().flat_map(|line| [*line, b"\n"].concat()).collect();
        if kept == bytes {
            return Ok(None);
        }
        if !aside.is_empty() {
            // First: a kill in between leaves them in both places rather than in none.
            aside.truncate(UNREADABLE_BYTES);
            LineFile::new(root, UNREADABLE).append_below(UNREADABLE_BYTES as u64, &aside)?;
        }
        Ok(Some(kept))
    });
    rewritten.map(drop)
}

/// Takes previews and details with these words, and the previews of these memories, out of the log of the store at
/// `root`; the events stay. Lines that this program cannot read go where they say the words.
pub fn scrub(root: &Path, gone: &[Id], said: &Phrases) -> Result<(), SysError> {
    let without = |text: &[u8]| match Line::read(text) {
        Line::Event(mut event) => {
            let id = event.memory.as_ref().and_then(|memory| memory.id.as_ref());
            let is_gone = id.is_some_and(|id| gone.contains(id));
            let before = event.clone();
            event.preview.take_if(|preview| is_gone || said.are_in(preview));
            event.details.retain(|_, value| !said.are_in(&value.to_string()));
            if event == before {
                text.to_vec()
            } else {
                event.to_line().into_bytes()
            }
        }
        _ if said.are_in(&String::from_utf8_lossy(text)) => Vec::new(),
        _ => text.to_vec(),
    };
    let file = LineFile::new(root, FILE);
    let rewritten = file.rewrite(MOST_READ, |bytes| {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let scrubbed = lines.map(without).collect::<Vec<_>>().concat();
        Ok((scrubbed != bytes).then_some(scrubbed))
    })?;
    match rewritten {
        Rewritten::Busy => Err(SysError::Locked {
            path: file.path(),
            holder: "another process".to_owned(),
        }),
        Rewritten::Written | Rewritten::Same => Ok(()),
    }
}
