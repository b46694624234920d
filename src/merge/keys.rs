//! The rule of each key where both sides changed it.

use std::collections::BTreeSet;

use crate::document::{Key, KeyLines, Stated};
use crate::model::{Status, Timestamp};
use crate::text::sha256_hex;

/// The keys that the engine writes without anybody's word. A deletion does not yield to them.
pub(super) const ENGINES: [Key; 8] = [
    Key::Id,
    Key::Reinforcement,
    Key::Reinforced,
    Key::Session,
    Key::Clock,
    Key::Verified,
    Key::Created,
    Key::Updated,
];

/// The lines of a key after a merge.
pub(super) enum Chosen<'a> {
    /// These.
    Lines(&'a str),
    /// The key is not stated.
    Gone,
    /// These, with these items in the list.
    Items(&'a str, Vec<String>),
    /// These; the other side's say another text.
    Text(&'a str),
}

/// One side's lines of a key, where it states it.
type Side<'s, 'a> = Option<&'s KeyLines<'a>>;

/// Chooses the lines of a key. `winner_is_later` says whether the winner's commit is the later one; else both are as late.
pub(super) fn choose<'a>(
    name: &str,
    base: Side<'_, 'a>,
    winner: Side<'_, 'a>,
    loser: Side<'_, 'a>,
    winner_is_later: bool,
) -> Chosen<'a> {
    if let Some(side) = changed_by_one(base, winner, loser) {
        return stated(side);
    }
    let key = Key::parse(name);
    let side = match key {
        Some(Key::Tags | Key::Aliases | Key::Paths | Key::Supersedes) => return items(base, winner, loser),
        Some(Key::Text | Key::Rationale) => {
            return winner
                .or(loser)
                .map_or(Chosen::Gone, |side| Chosen::Text(side.lines));
        }
        Some(Key::Reinforcement) => greater(winner, loser, number),
        Some(Key::Reinforced | Key::Clock | Key::Verified | Key::Updated) => greater(winner, loser, time),
        Some(Key::Created) => greater(winner, loser, |value| time(value).map(std::cmp::Reverse)),
        Some(Key::Id) => greater(winner, loser, |value| {
            value.text().map(|id| std::cmp::Reverse(id.to_owned()))
        }),
        Some(Key::Status) => greater(winner, loser, |value| value.text().and_then(Status::parse)),
        Some(Key::Readonly) => greater(winner, loser, |value| Some(value.text() != Some("false"))),
        _ => None,
    };
    stated(side.unwrap_or_else(|| by_time(winner, loser, winner_is_later)))
}

/// Chooses the lines of a key without the change from `before` to `after`. Where it was changed again since, it is as it is now, or
/// as it was before; what the engine alone writes is as it is now.
pub(super) fn choose_back<'a>(
    name: &str,
    [before, after, now]: [Side<'_, 'a>; 3],
    keeps_present: bool,
) -> Chosen<'a> {
    if let Some(side) = changed_by_one(after, now, before) {
        return stated(side);
    }
    match Key::parse(name) {
        Some(Key::Tags | Key::Aliases | Key::Paths | Key::Supersedes) => items(after, now, before),
        Some(key) if ENGINES.contains(&key) => stated(now),
        _ => stated(if keeps_present { now } else { before }),
    }
}

fn stated<'a>(side: Side<'_, 'a>) -> Chosen<'a> {
    side.map_or(Chosen::Gone, |side| Chosen::Lines(side.lines))
}

/// The side that counts where not both changed the key: first by what is typed, so that a comment is a change, then by
/// what it says.
fn changed_by_one<'s, 'a>(
    base: Side<'s, 'a>,
    winner: Side<'s, 'a>,
    loser: Side<'s, 'a>,
) -> Option<Side<'s, 'a>> {
    let one_of = |is_same: fn(Side<'_, '_>, Side<'_, '_>) -> bool| {
        if is_same(winner, loser) || is_same(loser, base) {
            Some(winner)
        } else {
            is_same(winner, base).then_some(loser)
        }
    };
    let is_typed_alike = |one: Side<'_, '_>, other: Side<'_, '_>| one.map(typed) == other.map(typed);
    let says_the_same = |one: Side<'_, '_>, other: Side<'_, '_>| one.map(said) == other.map(said);
    one_of(is_typed_alike).or_else(|| one_of(says_the_same))
}

fn typed(key: &KeyLines<'_>) -> String {
    key.lines.replace('\r', "")
}

fn said<'s>(key: &'s KeyLines<'_>) -> &'s Stated {
    &key.value
}

/// The side with the greater value; the winner of two equal ones; `None` where neither has one.
fn greater<'s, 'a, T: PartialOrd>(
    winner: Side<'s, 'a>,
    loser: Side<'s, 'a>,
    value: impl Fn(&Stated) -> Option<T>,
) -> Option<Side<'s, 'a>> {
    let of = |side: Side<'_, '_>| side.and_then(|key| value(&key.value));
    let (of_winner, of_loser) = (of(winner), of(loser));
    if of_winner.is_none() && of_loser.is_none() {
        return None;
    }
    Some(if of_loser > of_winner { loser } else { winner })
}

fn number(value: &Stated) -> Option<f64> {
    value.text()?.trim().parse().ok()
}

fn time(value: &Stated) -> Option<Timestamp> {
    Timestamp::parse(value.text()?)
}

/// The later side; of two that are as late, the one whose lines have the greater hash.
fn by_time<'s, 'a>(winner: Side<'s, 'a>, loser: Side<'s, 'a>, winner_is_later: bool) -> Side<'s, 'a> {
    let hash = |side: Side<'_, '_>| side.map(|key| sha256_hex(typed(key).as_bytes()));
    if winner_is_later || hash(winner) >= hash(loser) {
        winner
    } else {
        loser
    }
}

/// A set: what all three have, and what either side added. The order is the winner's, then the other side's.
fn items<'a>(base: Side<'_, 'a>, winner: Side<'_, 'a>, loser: Side<'_, 'a>) -> Chosen<'a> {
    let of = |side: Side<'_, '_>| -> Vec<String> {
        side.map_or_else(Vec::new, |key| {
            key.value.items().into_iter().map(str::to_owned).collect()
        })
    };
    let (base, of_winner, of_loser) = (of(base), of(winner), of(loser));
    let stays = |item: &&String| {
        let has = |items: &[String]| items.contains(item);
        !has(&base) || (has(&of_winner) && has(&of_loser))
    };
    let mut seen = BTreeSet::new();
    let all = of_winner.iter().chain(&of_loser).filter(stays);
    let items: Vec<String> = all.filter(|item| seen.insert(item.as_str())).cloned().collect();
    match winner.or(loser) {
        Some(side) if !items.is_empty() => Chosen::Items(side.lines, items),
        _ => Chosen::Gone,
    }
}
