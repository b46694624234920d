//! A memory that was forgotten for good does not come back, unless the user says it again.

use crate::policy::Forgotten;
use crate::store::FORGOTTEN;
use crate::sys::Exchange;

use super::super::ServiceError;
use super::{Adding, Candidate};

/// The number of attempts at a file that somebody else keeps saving.
const ATTEMPTS: usize = 8;

impl Adding<'_, '_> {
    /// True when the memory may be stored. The user's own word lifts the entry in `forgotten`, in the same commit.
    pub(super) fn may_come_back(&mut self, candidate: &Candidate) -> Result<bool, ServiceError> {
        let said = candidate.memory.content.keyed_text();
        for _ in 0..ATTEMPTS {
            let Some(text) = self.writer.store().read_companion(FORGOTTEN)? else {
                return Ok(true);
            };
            let forgotten = Forgotten::parse(&text);
            let tokens: Vec<&str> = forgotten.tokens_of(said).collect();
            if tokens.is_empty() || !candidate.is_users_word() {
                return Ok(tokens.is_empty());
            }
            let today = self.writer.now().to_utc().format("%Y-%m-%d");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.extend(tokens.iter().map(|token| format!("lift {token} {today}")));
            lines.sort_unstable();
            let lifted = format!("{}\n", lines.join("\n"));
            let written = self
                .writer
                .replace(FORGOTTEN, text.as_bytes(), lifted.as_bytes())?;
            if written == Exchange::Exchanged {
                self.touched.push(FORGOTTEN.into());
                break;
            }
        }
        Ok(true)
    }
}
