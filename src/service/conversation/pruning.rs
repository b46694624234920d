//! The pruning of tool output, and the way back to what was left out (docs/working.md).

use std::fmt::Write as _;

use crate::policy::Level;
use crate::render::{ToolOutput, prune_output};
use crate::session::Pruning;
use crate::store::{KeptOutput, KeptOutputs, output_name, session_hash};

use super::super::ServiceError;
use super::{Conversations, SessionRefusal};

/// The most lines of an answer, and the most characters: what hosts cut tool outputs to themselves.
const MOST_LINES: usize = 200;
const MOST_CHARS: usize = 50_000;

impl Conversations {
    /// True where tool outputs are pruned.
    pub fn prunes(&self) -> bool {
        self.rules().prune.is_on()
    }

    /// The output as the conversation is to have it; `None` where that is as it is, also where it cannot be kept.
    pub fn prune(&mut self, session: &str, call: &str, output: &ToolOutput<'_>) -> Option<String> {
        let session = session_hash(session);
        // The store may have come, or its settings may be others by now.
        let _ = self.follow_store();
        let (rules, now) = (self.rules(), self.now());
        if !rules.prune.is_on() {
            return None;
        }
        let mut state = self.states.get(&session, now);
        state.expire(now);
        let figures = state.context.figures(&rules.context.level);
        let level = figures.map_or(Level::Green, |figures| figures.level);
        let files: Vec<String> = state
            .open_errors
            .into_iter()
            .flat_map(|error| error.files)
            .collect();
        let name = output_name(call, output.text);
        let pruned = prune_output(output, &rules.prune, level, &files, &name)?;
        let kept = KeptOutput {
            text: self.redact(output.text),
            gaps: pruned.gaps,
        };
        if let Err(error) = self.outputs().keep(&session, &name, &kept) {
            tracing::warn!(%error, "a tool's output was not shortened, because the rest could not be kept");
            return None;
        }
        self.sweep_outputs();
        let chars = |text: &str| text.chars().count() as u64;
        self.count(
            &session,
            Pruning {
                calls: 1,
                chars_in: chars(output.text),
                chars_out: chars(&pruned.text),
                fetched: 0,
            },
        );
        Some(pruned.text)
    }

    /// Lines of an output that is kept, from a number on or from the first that was left out, with a heading that says
    /// which they are.
    pub fn kept_output(
        &mut self,
        session: &str,
        name: &str,
        from: Option<usize>,
        lines: Option<usize>,
    ) -> Result<String, ServiceError> {
        let session = session_hash(session);
        let kept = self.outputs().get(&session, name);
        let kept = kept
            .map_err(crate::store::StoreError::from)?
            .ok_or(SessionRefusal::NoOutput)?;
        self.count(
            &session,
            Pruning {
                fetched: 1,
                ..Pruning::default()
            },
        );
        Ok(shown(
            &kept,
            from,
            lines.unwrap_or(MOST_LINES).clamp(1, MOST_LINES),
        ))
    }

    /// Removes what is kept of a session.
    pub(super) fn forget_outputs(&self, session: &str) {
        if let Err(error) = self.outputs().forget(session) {
            tracing::warn!(%error, "the outputs of a session could not be removed");
        }
    }

    /// Removes the outputs that are too old or too many.
    pub(super) fn sweep_outputs(&self) {
        if let Err(error) = self.outputs().sweep(self.now()) {
            tracing::warn!(%error, "old outputs could not be removed");
        }
    }

    fn outputs(&self) -> KeptOutputs {
        KeptOutputs::of(&self.root)
    }

    fn count(&self, session: &str, more: Pruning) {
        let now = self.now();
        self.states.change(session, now, self.wait(), |state| {
            state.pruning = state.pruning + more;
        });
    }
}

fn shown(kept: &KeptOutput, from: Option<usize>, most: usize) -> String {
    let lines: Vec<&str> = kept.text.lines().collect();
    let first_gap = kept.gaps.first().map_or(1, |gap| gap.start + 1);
    let first = from.unwrap_or(first_gap).clamp(1, lines.len().max(1));
    let mut body = String::new();
    let mut room = MOST_CHARS;
    let mut last = first - 1;
    for line in lines.iter().skip(first - 1).take(most) {
        let chars = line.chars().count();
        if chars > room && last >= first {
            break;
        }
        last += 1;
        match line.char_indices().nth(room) {
            Some((end, _)) => _ = write!(body, "\n{} [{} characters more]", &line[..end], chars - room),
            None => _ = write!(body, "\n{line}"),
        }
        room = room.saturating_sub(chars);
    }
    let gaps = kept
        .gaps
        .iter()
        .map(|gap| format!("{}-{}", gap.start + 1, gap.end));
    let gaps: Vec<String> = gaps.collect();
    format!(
        "Lines {first} to {last} of {}; left out were {}.{body}",
        lines.len(),
        gaps.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: String) -> KeptOutput {
        KeptOutput {
            text,
            gaps: vec![30..300, 310..320],
        }
    }

    fn numbered(lines: usize) -> KeptOutput {
        let lines: Vec<String> = (1..=lines).map(|line| format!("line {line}\n")).collect();
        kept(lines.concat())
    }

    #[test]
    fn an_answer_begins_where_something_is_missing() {
        let shown = |from, most| shown(&numbered(400), from, most);
        let first = shown(None, 200);
        assert!(
            first.starts_with("Lines 31 to 230 of 400; left out were 31-300, 311-320.\nline 31\n"),
            "{first}"
        );
        assert!(first.ends_with("\nline 230"));
        assert_eq!(shown(Some(399), 200).lines().count(), 3);
        assert!(shown(Some(0), 1).ends_with("\nline 1"));
        assert!(shown(Some(usize::MAX), 200).ends_with("\nline 400"));
        assert!(super::shown(&kept(String::new()), None, 200).starts_with("Lines 1 to 0 of 0;"));
    }

    #[test]
    fn no_answer_is_endless() {
        let long = kept(format!("a\n{}\nb\n", "é".repeat(5_000_000)));
        let answer = shown(&long, Some(1), 200);
        assert!(answer.ends_with("\na"), "the long line is for the next answer");
        let answer = shown(&long, Some(2), 200);
        assert!(answer.ends_with(" [4950000 characters more]") && answer.chars().count() < 51_000);
        let many = kept(format!("{}\n", "x".repeat(1_000)).repeat(400));
        let answer = shown(&many, Some(1), 200);
        assert!(answer.starts_with("Lines 1 to 50 of 400;"), "{}", &answer[..80]);
    }
}
