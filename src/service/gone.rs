//! What memories cite and the workspace no longer has: what its history had and its disk has not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::{Context, MemoryView};
use crate::capture::is_planted;
use crate::git::{found_of, is_there, look_for};
use crate::model::{Cited, Gone, Id, LookedFor, Memory};
use crate::store::{Store, keep_looked_for, read_looked_for};
use crate::sys::Work;
use crate::text::citations;

/// What each of these memories of a store cites and is gone from `work_tree` since its words were said or verified; `false`
/// where that is what the last look found, because this one takes longer than `most`.
pub(super) fn gone_of<'m>(
    store: &Store,
    work_tree: &Path,
    memories: impl Iterator<Item = &'m Memory>,
    most: Option<Duration>,
) -> (BTreeMap<Id, Vec<Gone>>, bool) {
    let citing = memories.map(|memory| {
        let said = [Some(memory.content.keyed_text()), memory.description.as_deref()];
        let said = said.into_iter().flatten();
        let cited = said.flat_map(|text| citations(text, |path| !is_there(work_tree, path)));
        (memory, cited.collect())
    });
    let citing: Vec<(&Memory, BTreeSet<Cited>)> = citing.collect();
    let cited: BTreeSet<Cited> = citing.iter().flat_map(|(_, cited)| cited).cloned().collect();
    if cited.is_empty() {
        return (BTreeMap::new(), true);
    }
    let _work = Work::of("looking up what memories name", 0);
    let (looked, is_new) = look_within(store.root(), work_tree, cited, most);
    let Some(looked) = looked else {
        return (BTreeMap::new(), is_new);
    };
    let gone_from = |memory: &Memory, cited: &Cited| {
        let mut gone = found_of(&looked, work_tree, cited)?;
        // A name that a line would not say is none to guess: anybody may have given it to a file.
        gone.now.take_if(|now| {
            citations(&format!("`{now}`"), |_| true).first() != Some(&Cited::Path(now.clone()))
                || now.contains(['[', ']'])
                || store.redactor().redact(now) != *now
                || is_planted(&now.replace(['/', '_', '-', '.'], " "))
        });
        let is_news = gone.since.is_none_or(|since| Some(since) > memory.affirmed());
        is_news.then_some(gone)
    };
    let of = |(memory, cited): (&Memory, BTreeSet<Cited>)| {
        let gone = cited.iter().filter_map(|cited| gone_from(memory, cited));
        let gone: Vec<Gone> = gone.collect();
        (!gone.is_empty()).then(|| (memory.id.clone(), gone))
    };
    (citing.into_iter().filter_map(of).collect(), is_new)
}

/// The longest wait of a command for the look: the first one of a long history takes seconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Notes of those of these memories that are `asked` for what they cite and is gone.
pub(super) fn note_gone(
    context: &Context,
    store: &Store,
    views: &mut [MemoryView],
    asked: impl Fn(&MemoryView) -> bool,
) {
    let Some(work_tree) = context.work_tree(store.place()) else {
        return;
    };
    let memories = views.iter().filter(|view| asked(view)).map(|view| &view.memory);
    let (mut gone, _) = gone_of(store, &work_tree, memories, Some(PATIENCE));
    for view in views {
        view.gone = gone.remove(&view.memory.id).unwrap_or_default();
    }
}

/// The look, and `true`; where it takes longer than `most`, it goes on in the background, and the last one is as good.
fn look_within(
    root: &Path,
    work_tree: &Path,
    cited: BTreeSet<Cited>,
    most: Option<Duration>,
) -> (Option<LookedFor>, bool) {
    let before = read_looked_for(root);
    let (root, work_tree, known) = (root.to_owned(), work_tree.to_owned(), before.clone());
    let look = move || {
        let looked = look_for(&work_tree, &cited, known.as_ref())?;
        if Some(&looked) != known.as_ref() {
            keep_looked_for(&root, &looked);
        }
        Some(looked)
    };
    let Some(most) = most else {
        return (look(), true);
    };
    let (done, wait) = channel();
    let thread = std::thread::Builder::new().name("workspace".to_owned());
    // Nobody may wait any more.
    let spawned = thread.spawn(move || drop(done.send(look())));
    match spawned.ok().and_then(|_| wait.recv_timeout(most).ok()) {
        Some(looked) => (looked, true),
        None => (before, false),
    }
}
