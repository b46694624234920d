//! A store without a change: the merge whose base is the change, between the files as they are now and as they were before
//! it. Where both sides say something, the present stays.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::body;
use super::files::{Blob, Contents, Files, Place, Reader, Side, memory_path};
use super::memory;
use super::store::Content;
use super::units::{Look, Unit, units};

/// The files of a store without a change.
#[derive(Debug, Default)]
pub struct TakenBack {
    /// The paths that become others than they are; `None` removes.
    pub changes: BTreeMap<PathBuf, Option<Content>>,
    /// The paths that stay as they are, or where they are: with the reason of whoever asked, or because they were changed
    /// again, moved or removed since.
    pub stays: BTreeMap<PathBuf, Option<String>>,
    /// The files of which lines were changed again since, and stay.
    pub mixed: Vec<PathBuf>,
}

/// What becomes of one file: the path that it has, and the path and the content that it gets.
#[derive(Debug)]
pub struct Step<'a> {
    /// Its path now; `None` where it comes back.
    pub now: Option<&'a Path>,
    /// What it becomes; `None` where it goes.
    pub then: Option<(&'a Path, Content)>,
    is_mixed: bool,
}

/// Takes the change from `before` to `after` back in the files as they are now. `refused` says of a step why it must not
/// be taken, if it must not.
pub fn take_back<C: Contents>(
    [before, after, now]: [&Files; 3],
    contents: &C,
    mut refused: impl FnMut(&Step<'_>) -> Result<Option<String>, C::Error>,
) -> Result<TakenBack, C::Error> {
    let reader = Reader::new(contents);
    let mut back = TakenBack::default();
    let mut steps = Vec::new();
    for unit in units([after, now, before], Look::Whole, &reader)? {
        let Some(step) = back.step(unit, &reader)? else {
            continue;
        };
        match refused(&step)? {
            why @ Some(_) => drop(back.stays.insert(step.path().to_owned(), why)),
            None => steps.push(step),
        }
    }
    // A file that stays keeps its path from the one that would get it, which then stays too.
    let mut by_goal: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        if let Some(goal) = step.goal().filter(|goal| step.now != Some(*goal)) {
            by_goal.entry(goal).or_default().push(at);
        }
    }
    let vacated: BTreeSet<&Path> = steps.iter().filter_map(Step::vacated).collect();
    let occupied = by_goal
        .keys()
        .filter(|goal| now.contains_key(**goal) && !vacated.contains(*goal));
    let mut occupied: Vec<&Path> = occupied.copied().collect();
    let mut stay = BTreeSet::new();
    while let Some(goal) = occupied.pop() {
        let new = by_goal
            .get(goal)
            .into_iter()
            .flatten()
            .filter(|at| stay.insert(**at));
        occupied.extend(new.filter_map(|at| steps[*at].vacated()));
    }
    let mut at = 0..;
    let (staying, steps): (Vec<Step<'_>>, Vec<Step<'_>>) = steps
        .into_iter()
        .partition(|_| at.next().is_some_and(|at| stay.contains(&at)));
    for step in staying {
        for path in step.goal().into_iter().chain(step.now) {
            back.stays.entry(path.to_owned()).or_default();
        }
    }
    back.changes.extend(
        steps
            .iter()
            .filter_map(Step::vacated)
            .map(|path| (path.to_owned(), None)),
    );
    for step in steps {
        if let Some((path, content)) = step.then {
            back.mixed.extend(step.is_mixed.then(|| path.to_owned()));
            let is_same = matches!(&content, Content::Blob(blob) if now.get(path) == Some(blob));
            if !is_same {
                back.changes.insert(path.to_owned(), Some(content));
            }
        }
    }
    Ok(back)
}

impl Step<'_> {
    /// The path by which people know the file.
    pub fn path(&self) -> &Path {
        self.now
            .or(self.goal())
            .expect("because a step begins or ends at a path")
    }

    /// The path that it gets.
    pub fn goal(&self) -> Option<&Path> {
        self.then.as_ref().map(|(path, _)| *path)
    }

    fn vacated(&self) -> Option<&Path> {
        self.now.filter(|now| self.goal() != Some(*now))
    }
}

impl TakenBack {
    /// What becomes of a file; `None` where the change did nothing to it, or nothing of that is left.
    fn step<'a, C: Contents>(
        &mut self,
        unit: Unit<'a>,
        reader: &Reader<'_, C>,
    ) -> Result<Option<Step<'a>>, C::Error> {
        let step = |now: Option<Place<'a>>, then: Option<Place<'a>>| Step {
            now: now.map(|now| now.path),
            then: then.map(|then| (then.path, Content::Blob(then.blob))),
            is_mixed: false,
        };
        let (after, now, before) = (unit.base, unit.on(Side::Ours), unit.on(Side::Theirs));
        if after == before || now == before {
            return Ok(None);
        }
        let path = match (after, now, before) {
            (Some(after), Some(now), Some(before)) => return self.merged([after, now, before], reader),
            (Some(after), Some(now), None) if now.blob == after.blob => {
                return Ok(Some(step(Some(now), None)));
            }
            (None, None, before) => return Ok(Some(step(None, before))),
            (_, Some(now), _) => now.path,
            (Some(after), None, _) => after.path,
        };
        self.stays.insert(path.to_owned(), None);
        Ok(None)
    }

    /// A file that was there before the change, after it, and is there now: its path, its mode and its text go back each
    /// by itself.
    fn merged<'a, C: Contents>(
        &mut self,
        [after, now, before]: [Place<'a>; 3],
        reader: &Reader<'_, C>,
    ) -> Result<Option<Step<'a>>, C::Error> {
        let path = if before.path == after.path || now.path == before.path {
            now.path
        } else if now.path == after.path {
            before.path
        } else {
            self.stays.insert(after.path.to_owned(), None);
            now.path
        };
        let mode = if now.blob.mode == after.blob.mode {
            before.blob.mode
        } else {
            now.blob.mode
        };
        let oids = [after, now, before].map(|place| place.blob.oid);
        let mut is_mixed = false;
        let content = if oids[0] == oids[2] || oids[1] == oids[2] {
            Content::Blob(Blob { oid: oids[1], mode })
        } else if oids[0] == oids[1] {
            Content::Blob(Blob { oid: oids[2], mode })
        } else {
            let [after, present, before] = [
                reader.bytes(oids[0])?,
                reader.bytes(oids[1])?,
                reader.bytes(oids[2])?,
            ];
            let Some([text, whole]) = texts(now.path, [&before, &after, &present]) else {
                self.stays.insert(now.path.to_owned(), None);
                return Ok(None);
            };
            is_mixed = text != whole;
            if text.as_bytes() == &*present {
                Content::Blob(Blob { oid: oids[1], mode })
            } else {
                let bytes = text.into_bytes();
                Content::Bytes { bytes, mode }
            }
        };
        let is_same = path == now.path && matches!(&content, Content::Blob(blob) if *blob == now.blob);
        if is_same {
            self.mixed.extend(is_mixed.then(|| path.to_owned()));
            return Ok(None);
        }
        Ok(Some(Step {
            now: Some(now.path),
            then: Some((path, content)),
            is_mixed,
        }))
    }
}

/// The text of a file without a change, with the lines that were changed again since as they are, and as they were before it.
fn texts(path: &Path, bytes: [&[u8]; 3]) -> Option<[String; 2]> {
    let [before, after, now] = bytes.map(|bytes| std::str::from_utf8(bytes).ok());
    let texts = [before?, after?, now?];
    if memory_path(path).is_some()
        && let Some(texts) = memory::take_back(texts)
    {
        return Some(texts);
    }
    let back = body::take_back(texts)?;
    let is_toml = |text: &str| text.parse::<toml_edit::DocumentMut>().is_ok();
    let is_broken = path == Path::new("mdmem.toml") && is_toml(texts[2]) && !is_toml(&back[0]);
    (!is_broken).then_some(back)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::convert::Infallible;

    use super::*;
    use crate::model::Oid;

    struct Texts(HashMap<Oid, Vec<u8>>);

    impl Contents for Texts {
        type Error = Infallible;

        fn bytes(&self, oid: Oid) -> Result<Vec<u8>, Infallible> {
            Ok(self.0[&oid].clone())
        }
    }

    /// The memories of a tree, each by its number, at every place that they may have.
    fn arrangements() -> Vec<Vec<(&'static str, u8)>> {
        let places = ["p.md", "q.md", "r.md", ""];
        let all = places
            .iter()
            .flat_map(|a| places.iter().map(move |b| [(*a, 1), (*b, 2)]));
        let apart = all.filter(|[(a, _), (b, _)]| a != b || a.is_empty());
        apart
            .map(|both| both.into_iter().filter(|(path, _)| !path.is_empty()).collect())
            .collect()
    }

    #[test]
    fn every_arrangement_of_two_memories_keeps_them() {
        let texts = [1, 2].map(|n| {
            (
                Oid([n; 20]),
                format!("---\nid: mem_0{n}\n---\nFact {n}\n").into_bytes(),
            )
        });
        let texts = Texts(texts.into());
        let files = |of: &[(&str, u8)]| -> Files {
            let blob = |n| Blob {
                oid: Oid([n; 20]),
                mode: 0o100_644,
            };
            of.iter()
                .map(|(path, n)| (PathBuf::from(path), blob(*n)))
                .collect()
        };
        for before in arrangements() {
            for after in arrangements() {
                for now in arrangements() {
                    let case = (&before, &after, &now);
                    let trees = [files(&before), files(&after), files(&now)];
                    let Ok(back) = take_back(trees.each_ref(), &texts, |_| Ok(None));
                    let mut then = trees[2].clone();
                    super::super::apply(&mut then, back.changes, |_| unreachable!("no text changed"));
                    let count =
                        |files: &Files, n| files.values().filter(|blob| blob.oid == Oid([n; 20])).count();
                    for n in [1, 2] {
                        assert!(count(&then, n) <= 1, "in two places: {case:?}: {then:?}");
                        let is_kept =
                            count(&trees[2], n) == 0 || count(&trees[0], n) == 0 || count(&then, n) == 1;
                        assert!(is_kept, "lost: {case:?}: {then:?}");
                    }
                    if now == after && back.stays.is_empty() {
                        assert_eq!(then, trees[0], "{case:?}");
                    }
                }
            }
        }
    }
}
