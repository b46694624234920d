//! Takes the words of forgotten memories out of the log. The events stay: they know ids and hashes.

use std::path::Path;

use super::limits::MOST_READ;
use super::line::{self, Line};
use super::{FILE, RecordedEvent, UNREADABLE};
use crate::model::Id;
use crate::sys::{LineFile, Rewritten, SysError};
use crate::text::Phrases;

/// Takes previews and details with these words, and the previews of these memories, out of the log of the store at
/// `root`. Lines that this program cannot read go where they say the words.
pub fn scrub(root: &Path, gone: &[Id], said: &Phrases) -> Result<(), SysError> {
    for file in [FILE, UNREADABLE] {
        let file = LineFile::new(root, file);
        let rewritten = file.rewrite(MOST_READ, |bytes| {
            let lines = bytes.split_inclusive(|byte| *byte == b'\n');
            let scrubbed = lines
                .map(|line| without(line, gone, said))
                .collect::<Vec<_>>()
                .concat();
            Ok((scrubbed != bytes).then_some(scrubbed))
        })?;
        if rewritten == Rewritten::Busy {
            return Err(SysError::Locked {
                path: file.path(),
                holder: "another process".to_owned(),
            });
        }
    }
    Ok(())
}

/// A line of the log without the words; nothing of a line that is no event of ours and says them.
fn without(text: &[u8], gone: &[Id], said: &Phrases) -> Vec<u8> {
    match line::read(text) {
        Line::Event(mut event) if says(&event, gone, said) => {
            event.preview = None;
            event.details.retain(|_, value| !said.are_in(&value.to_string()));
            line::write(&event).into_bytes()
        }
        Line::Newer(_) | Line::Unreadable if said.are_in(&String::from_utf8_lossy(text)) => Vec::new(),
        _ => text.to_vec(),
    }
}

fn says(event: &RecordedEvent, gone: &[Id], said: &Phrases) -> bool {
    let id = event.memory.as_ref().and_then(|memory| memory.id.as_ref());
    let is_gone = event.preview.is_some() && id.is_some_and(|id| gone.contains(id));
    let mut details = event.details.values();
    is_gone
        || event.preview.as_ref().is_some_and(|preview| said.are_in(preview))
        || details.any(|value| said.are_in(&value.to_string()))
}
