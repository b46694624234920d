//! The memories that hold for some files alone: a session is told each of them once, beside the first such file that its
//! agent reads or changes.

use std::path::Path;

use crate::capture::FileAction;
use crate::model::{Id, Zone};
use crate::policy::matching;
use crate::render::{self, Scope};
use crate::store::session_hash;

use super::super::PromptTiming;
use super::super::open_store::OpenStore;
use super::super::ranking::Contender;
use super::Conversations;
use super::tool_report::{ToolReport, plain};

/// Characters of the memories in a note, of each store.
const NOTE_CHARS: usize = 2000;

impl Conversations {
    /// The memories that hold for the files that a tool read or changed, and that the session was not told yet, in their
    /// fence. A store that cannot be read has none.
    pub fn note_for(&mut self, session: &str, report: &ToolReport) -> Option<String> {
        let ToolReport::Files { action, paths } = report else {
            return None;
        };
        let paths = paths.iter().filter_map(|path| self.below_work_tree(path));
        let paths: Vec<String> = paths.filter(|_| *action != FileAction::Grep).collect();
        if paths.is_empty() {
            return None;
        }
        let session = session_hash(session);
        let state = self.states.get(&session, self.now());
        // A process for each event reads no files for nothing.
        if self.prompts == PromptTiming::AtSessionStart && !state.has_partial {
            let is_other = |open: &mut OpenStore, known| {
                let head = open.existing().ok()??.repo().head().ok()?;
                Some(head.tip() != known)
            };
            let own = is_other(&mut self.store, state.known_head);
            if own != Some(true) && is_other(&mut self.global, state.known_global) != Some(true) {
                return None;
            }
        }
        let (told, mut has_partial) = (state.told, false);
        let (now, mut texts, mut new) = (self.now(), Vec::new(), Vec::new());
        let stores = [
            (Scope::Global, &mut self.global),
            (Scope::Workspace, &mut self.store),
        ];
        for (scope, open) in stores {
            let Ok(Some((store, snapshot))) = open.snapshot() else {
                continue;
            };
            let contender = Contender::new(store.rules(), &snapshot, now);
            let candidates = contender.candidates();
            has_partial |= candidates
                .entries
                .iter()
                .any(|entry| !entry.memory.paths.is_empty());
            let entries = candidates.entries.iter().enumerate().filter(|(_, entry)| {
                // The prompt has the whole text of those that are pinned.
                let is_shown = matches!(entry.eligibility, Ok(Zone::Ranked | Zone::Cold));
                let holds = |path: &String| matching(&entry.memory.paths, path).is_some();
                is_shown && paths.iter().any(holds) && !told.contains(&entry.memory.id)
            });
            let entries: Vec<usize> = entries.map(|(at, _)| at).collect();
            if !entries.is_empty() {
                let ids = entries.iter().map(|at| candidates.entries[*at].memory.id.clone());
                new.extend(ids.collect::<Vec<Id>>());
                texts.push(render::note_for_file(scope, &candidates, &entries, NOTE_CHARS));
            }
        }
        if state.has_partial && !has_partial {
            self.change_state(&session, |state| state.has_partial = false);
        }
        if texts.is_empty() {
            return None;
        }
        self.change_state(&session, |state| new.iter().for_each(|id| state.tell(id)));
        Some(render::fenced(&[&texts.join("\n\n")]).concat())
    }

    /// A path of the host's, relative to the work tree; `None` for one outside of it.
    fn below_work_tree(&self, path: &str) -> Option<String> {
        let root = self.work_tree.as_ref()?;
        let whole = plain(&self.context.env.current_dir().join(path));
        let below = |whole: &Path| Some(whole.strip_prefix(root).ok()?.to_str()?.to_owned());
        below(&whole).or_else(|| below(&whole.canonicalize().ok()?))
    }
}
