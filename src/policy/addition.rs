//! Plans the effect of a new explicit or manual memory on those that are there (docs/file-format.md).

use serde::Serialize;

use super::consolidation::{FileFate, adds_nothing, strongest};
use super::likeness::Compared;
use super::{Entry, Likeness, Reason, ReinforceDecision, ReinforceRules, Rules, Standing, prevails};
use crate::model::{Memory, Source, Status, Timestamp};

/// The outcome of an addition, exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AdditionOutcome {
    /// A memory of its own.
    Promoted,
    /// Another one says it already, in the same words.
    AbsorbedExact,
    /// Another one says it already, in other words.
    AbsorbedIdentity,
    /// It replaced another one.
    Superseded,
    /// It would win no place today, and went to the archive.
    RejectedCapacity,
    /// It was forgotten for good, and nobody asked for it again.
    AlreadyForgotten,
    /// Nobody can tell whether it lasts: it is a suggestion, and has no file.
    Suggested,
}

impl AdditionOutcome {
    /// The word for it in the evidence and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Promoted => "promoted",
            Self::AbsorbedExact => "absorbed_exact",
            Self::AbsorbedIdentity => "absorbed_identity",
            Self::Superseded => "superseded",
            Self::RejectedCapacity => "rejected_capacity",
            Self::AlreadyForgotten => "already_forgotten",
            Self::Suggested => "suggested",
        }
    }
}

/// The file that is written for a new memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewFile {
    /// None: the one that is recalled has every word of it.
    None,
    /// A memory in force, with this standing.
    Active(Standing),
    /// A memory with `status: superseded`, by the one that is recalled: nothing that was said is lost.
    Superseded,
    /// A memory in the archive, for this reason: it may be moved back.
    Archived(Reason),
}

/// The memory that says already what is added, as an index into the existing ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// The memory that is meant.
    pub index: usize,
    /// The decision about the recurrence; `None` where its file is `readonly`.
    pub attempt: Option<ReinforceDecision>,
    /// Its standing afterwards: as before, unless the attempt is allowed.
    pub standing: Standing,
}

/// An existing memory that the new one takes the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Displaced {
    /// The memory that is meant, as an index into the existing ones.
    pub index: usize,
    /// The way in which the two are one.
    pub likeness: Likeness,
    /// The fate of its file.
    pub file: FileFate,
}

/// The plan for one new memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The outcome.
    pub outcome: AdditionOutcome,
    /// The file that is written.
    pub file: NewFile,
    /// The existing memory that is reinforced instead.
    pub recalled: Option<Recalled>,
    /// The existing memories whose place it takes, strongest first.
    pub displaced: Vec<Displaced>,
}

/// Plans what to do with `new`, an explicit or manual memory that is not in the store yet, beside the existing ones.
///
/// - In the same words as an existing one, whatever the sources: that one is reinforced, and no file is written. Only
///   an extracted memory (compaction) makes room for the person's own words.
/// - In other words for what a stronger one says: that one is reinforced; the new file is written as superseded.
/// - In other words for what a weaker one says: the new one takes its place, and its counts.
/// - In the same words as one of another type, where a person or a tool says it: that one is reinforced. The type is a
///   guess at what the words are about, and a second line of them tells nobody anything.
/// - Else it is a memory of its own.
///
/// Files with `source: manual` are people's own: they are reinforced when they are recalled, and at most hidden
/// otherwise. A `readonly` file is not touched at all. A note is always a memory of its own.
pub fn plan_addition(
    new: Entry<'_>,
    existing: &[Entry<'_>],
    now: Timestamp,
    session: Option<&str>,
    rules: &Rules,
) -> Addition {
    let rules = &rules.reinforce;
    let alike = alike(new, existing);
    let of_another_type = || Some((said_in_another_type(new, existing)?, Likeness::Exact));
    if let Some((index, likeness)) = stays(new, existing, &alike).or_else(of_another_type) {
        let recalled = recall(index, existing[index].memory, session, now, rules);
        let (outcome, file) = match likeness {
            Likeness::Exact => (AdditionOutcome::AbsorbedExact, NewFile::None),
            Likeness::Identity if was_said(new, existing) => {
                (AdditionOutcome::AbsorbedIdentity, NewFile::None)
            }
            Likeness::Identity => (AdditionOutcome::AbsorbedIdentity, NewFile::Superseded),
        };
        return Addition {
            outcome,
            file,
            recalled: Some(recalled),
            displaced: Vec::new(),
        };
    }
    let displaced: Vec<Displaced> = alike
        .into_iter()
        .map(|(index, likeness)| Displaced {
            index,
            likeness,
            file: fate(existing[index].memory, new.memory, likeness),
        })
        .collect();
    let replaced = || {
        displaced
            .iter()
            .filter(|displaced| displaced.file != FileFate::Hidden)
    };
    let outcome = match replaced().next() {
        Some(_) => AdditionOutcome::Superseded,
        None => AdditionOutcome::Promoted,
    };
    let mut standing = Standing::of(new.memory);
    for replaced in replaced() {
        standing.take(&Standing::of(existing[replaced.index].memory));
    }
    if outcome == AdditionOutcome::Superseded {
        standing.recur(session, now, rules);
    }
    Addition {
        outcome,
        file: NewFile::Active(standing),
        recalled: None,
        displaced,
    }
}

/// The memories in force that are one with the new one: those in the same words, then the others, the strongest
/// first of each.
fn alike(new: Entry<'_>, existing: &[Entry<'_>]) -> Vec<(usize, Likeness)> {
    if new.memory.content.is_note() {
        return Vec::new();
    }
    let said = Compared::new(new.keys, &new.memory.content);
    let (mut exact, mut identity) = (Vec::new(), Vec::new());
    for (index, old) in existing.iter().enumerate() {
        if !old.memory.is_active() || old.memory.content.is_note() {
            continue;
        }
        match said.likeness(old.keys, &old.memory.content) {
            Some(Likeness::Exact) => exact.push(index),
            Some(Likeness::Identity) => identity.push(index),
            None => {}
        }
    }
    let exact = strongest_first(existing, &exact);
    let identity = strongest_first(existing, &identity);
    let exact = exact.into_iter().map(|index| (index, Likeness::Exact));
    let identity = identity.into_iter().map(|index| (index, Likeness::Identity));
    exact.chain(identity).collect()
}

fn strongest_first(existing: &[Entry<'_>], members: &[usize]) -> Vec<usize> {
    let mut left = members.to_vec();
    let next = || {
        let first = strongest(existing, &left)?;
        left.retain(|member| *member != first);
        Some(first)
    };
    std::iter::from_fn(next).collect()
}

/// The existing memory that stays, if there is one that does.
fn stays(new: Entry<'_>, existing: &[Entry<'_>], alike: &[(usize, Likeness)]) -> Option<(usize, Likeness)> {
    alike.iter().copied().find(|(index, likeness)| {
        let old = existing[*index].memory;
        match likeness {
            // Nothing is lost with the new one, so that a second file would only be in the way.
            Likeness::Exact => {
                let outranked = !old.source.is_persons() && new.memory.source.is_persons();
                let makes_room = outranked && fate(old, new.memory, Likeness::Exact) == FileFate::Removed;
                adds_nothing(new.memory, old) && !makes_room
            }
            Likeness::Identity => prevails(old, new.memory),
        }
    })
}

/// The strongest memory in force of another type that says the same in the same words.
fn said_in_another_type(new: Entry<'_>, existing: &[Entry<'_>]) -> Option<usize> {
    if new.memory.content.is_note() || !new.memory.source.is_persons() {
        return None;
    }
    let says_it = |old: &Entry<'_>| {
        let is_other = || old.memory.is_active() && old.memory.kind != new.memory.kind;
        let is_same = || old.keys.text() == new.keys.text();
        is_other() && is_same() && adds_nothing(new.memory, old.memory)
    };
    let saying = existing.iter().enumerate();
    let saying = saying.filter(|(_, old)| old.numbers.words == new.numbers.words && says_it(old));
    let saying: Vec<usize> = saying.map(|(index, _)| index).collect();
    strongest_first(existing, &saying).first().copied()
}

/// Says whether the new words stand already in a file that is superseded.
fn was_said(new: Entry<'_>, existing: &[Entry<'_>]) -> bool {
    existing
        .iter()
        .filter(|old| old.memory.status == Status::Superseded && old.keys.exact == new.keys.exact)
        .any(|old| adds_nothing(new.memory, old.memory))
}

/// The fate of an existing file whose place is taken: people's own are only hidden.
fn fate(old: &Memory, new: &Memory, likeness: Likeness) -> FileFate {
    match old.source {
        Source::Manual => FileFate::Hidden,
        Source::Explicit | Source::Agent | Source::Compaction | Source::Extraction => {
            FileFate::new(old, new, likeness)
        }
    }
}

fn recall(
    index: usize,
    memory: &Memory,
    session: Option<&str>,
    now: Timestamp,
    rules: &ReinforceRules,
) -> Recalled {
    let mut standing = Standing::of(memory);
    let attempt = (!memory.readonly).then(|| standing.recur(session, now, rules));
    Recalled {
        index,
        attempt,
        standing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Content, Id, Moment};
    use crate::policy::fixture::{NOW, days_ago, note};
    use crate::policy::{Keys, fixture, keys};

    fn fact(source: Source, kind: &str, text: &str) -> Memory {
        Memory {
            source,
            ..fixture::fact("mem_old", "old.md", kind, text)
        }
    }

    /// The engine is just adding this memory: nobody has dated it yet.
    fn new(kind: &str, text: &str) -> Memory {
        Memory {
            created: Moment::Unset,
            ..fixture::fact("mem_new", "new.md", kind, text)
        }
    }

    fn because(memory: Memory, reason: &str) -> Memory {
        let content = Content::Fact {
            text: memory.content.keyed_text().to_owned(),
            rationale: Some(reason.to_owned()),
        };
        Memory { content, ..memory }
    }

    fn plan(new: &Memory, existing: &[Memory]) -> Addition {
        let of = |memory: &Memory| keys(&memory.kind, &memory.content);
        let stored: Vec<Keys> = existing.iter().map(of).collect();
        let pairs = existing.iter().zip(&stored);
        let existing: Vec<Entry<'_>> = pairs
            .map(|(memory, keys)| Entry::new(memory, keys, &Rules::default()))
            .collect();
        let own = of(new);
        let new = Entry::new(new, &own, &Rules::default());
        plan_addition(new, &existing, NOW, Some("ses"), &Rules::default())
    }

    fn displaced(plan: &Addition) -> Vec<(usize, FileFate)> {
        plan.displaced.iter().map(|it| (it.index, it.file)).collect()
    }

    #[test]
    fn what_nobody_said_is_promoted() {
        let plan = plan(
            &new("decision", "Use tabs"),
            &[fact(Source::Explicit, "feedback", "Use spaces")],
        );
        assert_eq!(plan.outcome, AdditionOutcome::Promoted);
        assert_eq!(
            plan.file,
            NewFile::Active(Standing::of(&new("decision", "Use tabs")))
        );
        assert_eq!((plan.recalled, plan.displaced), (None, vec![]));
    }

    #[test]
    fn the_same_words_of_another_type_are_one_line_too() {
        let said = [fact(Source::Explicit, "feedback", "use tabs")];
        let again = plan(&new("decision", "Use tabs"), &said);
        assert_eq!(
            (again.outcome, again.file),
            (AdditionOutcome::AbsorbedExact, NewFile::None)
        );
        let learned = Memory {
            source: Source::Extraction,
            ..new("decision", "Use tabs")
        };
        assert_eq!(plan(&learned, &said).outcome, AdditionOutcome::Promoted);
    }

    #[test]
    fn the_same_words_reinforce_and_write_no_file() {
        for source in [Source::Explicit, Source::Manual] {
            let plan = plan(
                &new("decision", "\"use tabs.\""),
                &[fact(source, "decision", "Use tabs")],
            );
            assert_eq!(
                (plan.outcome, &plan.file),
                (AdditionOutcome::AbsorbedExact, &NewFile::None)
            );
            let recalled = plan.recalled.expect("the one that said it");
            assert_eq!((recalled.index, recalled.standing.reinforcement), (0, 1));
            assert_eq!(recalled.standing.reinforced, Moment::At(NOW));
            assert_eq!(recalled.standing.session.as_deref(), Some("ses"));
        }
    }

    #[test]
    fn the_window_blocks_a_second_recurrence_and_readonly_every_one() {
        let mut old = fact(Source::Explicit, "decision", "Use tabs");
        old.reinforcement = 2;
        old.reinforced = days_ago(6);
        let before = Standing::of(&old);
        let blocked = plan(&new("decision", "Use tabs"), std::slice::from_ref(&old)).recalled;
        let blocked = blocked.expect("recalled");
        assert!(!blocked.attempt.expect("an attempt").is_allowed());
        assert_eq!(blocked.standing, before);
        old.reinforced = Moment::Unset;
        old.readonly = true;
        let untouched = plan(&new("decision", "Use tabs"), &[old])
            .recalled
            .expect("recalled");
        assert_eq!(untouched.attempt, None);
    }

    #[test]
    fn the_persons_words_take_the_place_of_extracted_ones() {
        let mut old = fact(Source::Compaction, "decision", "Use tabs");
        old.reinforcement = 3;
        let plan = plan(&new("decision", "use tabs"), &[old]);
        assert_eq!(plan.outcome, AdditionOutcome::Superseded);
        assert_eq!(displaced(&plan), [(0, FileFate::Removed)]);
        let NewFile::Active(standing) = plan.file else {
            panic!("{:?}", plan.file);
        };
        assert_eq!((standing.reinforcement, standing.clock), (4, Moment::At(NOW)));
    }

    #[test]
    fn other_words_for_what_a_stronger_one_says_are_kept_as_superseded() {
        let old = fact(
            Source::Explicit,
            "project",
            "The docs of the project are in docs/a/b.md",
        );
        let old = [old];
        let said = new("project", "The docs are in docs/a/b.md");
        let first = plan(&said, &old);
        assert_eq!(first.outcome, AdditionOutcome::AbsorbedIdentity);
        assert_eq!(first.file, NewFile::Superseded);
        assert_eq!(first.recalled.expect("recalled").index, 0);

        let [old] = old;
        let mut aside = old.clone();
        aside.conflict_of = Id::parse("mem_x").ok();
        assert_eq!(plan(&said, &[aside]).outcome, AdditionOutcome::Promoted);
        let stored = Memory {
            status: Status::Superseded,
            ..fact(Source::Explicit, "project", "The docs are in docs/a/b.md")
        };
        let again = plan(&said, &[stored, old]);
        assert_eq!(
            (again.outcome, again.file),
            (AdditionOutcome::AbsorbedIdentity, NewFile::None)
        );
        assert_eq!(again.recalled.expect("recalled").index, 1);
    }

    #[test]
    fn other_words_for_what_a_weaker_one_says_replace_the_engines_file_and_hide_the_persons() {
        let text = "The docs are in docs/a/b.md";
        let said = new("project", "The docs of the project are in docs/a/b.md");
        let replaced = plan(&said, &[fact(Source::Explicit, "project", text)]);
        assert_eq!(replaced.outcome, AdditionOutcome::Superseded);
        assert_eq!(displaced(&replaced), [(0, FileFate::Superseded)]);
        let beside = plan(&said, &[fact(Source::Manual, "project", text)]);
        assert_eq!(beside.outcome, AdditionOutcome::Promoted);
        assert_eq!(displaced(&beside), [(0, FileFate::Hidden)]);
    }

    #[test]
    fn the_same_key_with_more_to_say_is_a_second_memory() {
        let stored = [fact(Source::Explicit, "decision", "Use C")];
        for more in [
            new("decision", "Use \"C\""),
            because(new("decision", "Use C"), "speed"),
        ] {
            let plan = plan(&more, &stored);
            assert_eq!(plan.outcome, AdditionOutcome::Promoted, "{more:?}");
            assert_eq!(displaced(&plan), [(0, FileFate::Hidden)]);
        }
        let mut tagged = new("decision", "Use C");
        tagged.tags = vec!["lang".to_owned()];
        assert_eq!(displaced(&plan(&tagged, &stored)), [(0, FileFate::Removed)]);
    }

    #[test]
    fn a_sign_or_a_case_that_tells_is_another_memory() {
        for (old, said) in [
            (
                "Delete branches with git branch -d",
                "Delete branches with git branch -D",
            ),
            ("Call save in background jobs", "Call save! in background jobs"),
            ("Use C", "Use C#"),
        ] {
            let plan = plan(&new("decision", said), &[fact(Source::Explicit, "decision", old)]);
            assert_eq!(
                (plan.outcome, plan.displaced),
                (AdditionOutcome::Promoted, vec![]),
                "{said}"
            );
        }
    }

    #[test]
    fn the_same_words_without_the_reason_say_nothing_more() {
        let old = [
            because(fact(Source::Explicit, "decision", "Use C"), "speed"),
            because(fact(Source::Explicit, "decision", "Use C"), "habit"),
        ];
        let bare = plan(&new("decision", "Use C"), &old);
        assert_eq!(bare.outcome, AdditionOutcome::AbsorbedExact);
        let second = plan(&because(new("decision", "use C"), "Habit."), &old);
        assert_eq!(second.recalled.expect("recalled").index, 1);
    }

    #[test]
    fn notes_and_what_is_superseded_take_no_part() {
        let body = "Docs\n\nin docs/a/b.md";
        let plan_of_note = plan(&note("new.md", body), &[note("old.md", body)]);
        assert_eq!(plan_of_note.outcome, AdditionOutcome::Promoted);
        let gone = Memory {
            status: Status::Superseded,
            ..fact(Source::Explicit, "decision", "Use tabs")
        };
        assert_eq!(
            plan(&new("decision", "Use tabs"), &[gone]).outcome,
            AdditionOutcome::Promoted
        );
    }
}
