//! The heads of a remote that were accepted: merged or pushed. The last of them is a ref of mdmem's own; a small file in
//! the store's local folder keeps about one an hour, back to a day ago.

use std::path::PathBuf;

use crate::git::{ORIGIN_REF, Repo, SEEN_REF, parse_oid};
use crate::model::{Oid, Timestamp};
use crate::store::{LOCAL, Store};
use crate::sys;

use super::incoming::{check_incoming, way_back};
use super::quarantine::{Descent, Quarantine, judge};
use super::{SyncError, plan::is_within};

const FILE: &str = "accepted";
const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

/// An accepted head, and when that was by the store's clock.
type Accepted = (Timestamp, Oid);

/// Notes that this head of the remote was merged.
pub fn set_seen(repo: &Repo, head: Oid) -> Result<(), SyncError> {
    if repo.own_ref(SEEN_REF)? != Some(head) {
        repo.set_own_ref(SEEN_REF, Some(head))?;
    }
    Ok(())
}

/// Notes that this machine and the remote agree on a head: heads to come are measured by it in a day. Where most of the
/// memories went, a person said so here, and they are measured by it at once.
pub fn accept(store: &Store, head: Oid) -> Result<(), SyncError> {
    let repo = store.repo();
    let now = store.now();
    let mut heads = accepted(store)?;
    if let Some((_, baseline)) = baseline(&heads, now)
        && baseline != head
        && store.loss(baseline, head)?.is_most()
    {
        heads.clear();
    }
    if heads.last().is_none_or(|(_, last)| *last != head) {
        note(&mut heads, (now, head));
        if let Some(first) = baseline(&heads, now) {
            heads.retain(|(at, _)| *at >= first.0);
        }
        let line = |(at, head): &Accepted| format!("{} {head}\n", at.as_millis());
        let text: String = heads.iter().map(line).collect();
        sys::write_durable(&path(store), text.as_bytes()).map_err(crate::store::StoreError::from)?;
    }
    set_seen(repo, head)
}

/// An error where the head of the remote is not applied without a person's word.
pub fn check_trusted(store: &Store, remote: &str, ours: Option<Oid>, theirs: Oid) -> Result<(), SyncError> {
    match quarantine(store, ours, theirs)? {
        None => Ok(()),
        Some(quarantine) => Err(SyncError::Quarantined {
            remote: remote.to_owned(),
            quarantine,
            back: way_back(store.repo())?,
        }),
    }
}

/// The reason why the head that was fetched last was not taken over, though it came: it is quarantined, or brings what no
/// store may hold. Asks no network, and is over as soon as the head is accepted or another one was fetched.
pub fn not_taken_over(store: &Store) -> Result<Option<SyncError>, SyncError> {
    let repo = store.repo();
    let (Some(theirs), Some(remote)) = (repo.own_ref(ORIGIN_REF)?, repo.remote_url()?) else {
        return Ok(None);
    };
    if repo.own_ref(SEEN_REF)? == Some(theirs) {
        return Ok(None);
    }
    let ours = repo.head()?.tip();
    let checked = check_incoming(store, &remote, ours, theirs);
    match checked.and_then(|()| check_trusted(store, &remote, ours, theirs)) {
        Err(error @ (SyncError::Git(_) | SyncError::Store(_))) => Err(error),
        checked => Ok(checked.err()),
    }
}

/// An error where a commit that the remote lacks holds what looks like a credential.
pub fn check_outgoing(store: &Store, theirs: Option<Oid>, head: Oid) -> Result<(), SyncError> {
    let leaks = store.leaks(head, theirs.as_slice())?;
    if leaks.is_empty() {
        return Ok(());
    }
    Err(SyncError::Secrets { leaks })
}

fn quarantine(store: &Store, ours: Option<Oid>, theirs: Oid) -> Result<Option<Quarantine>, SyncError> {
    let repo = store.repo();
    let Some(seen) = repo.own_ref(SEEN_REF)? else {
        return Ok(None);
    };
    if seen == theirs {
        return Ok(None);
    }
    let descent = match repo.ahead_behind(seen, theirs)? {
        (0, _) if is_within(repo, theirs, ours)? => return Ok(None),
        (0, _) => Descent::Onward,
        (gone, 0) => Descent::Rewound(gone),
        _ if repo.merge_bases(seen, theirs)?.is_empty() => Descent::Unrelated,
        (gone, _) => Descent::Rewritten(gone),
    };
    let heads = accepted(store)?;
    let day_ago = baseline(&heads, store.now()).map_or(seen, |(_, head)| head);
    Ok(judge(descent, store.loss(day_ago, theirs)?))
}

/// Adds a head. Between two an hour apart there is at most one more: the last of that hour.
fn note(heads: &mut Vec<Accepted>, new: Accepted) {
    if let [.., (before, _), last] = heads.as_mut_slice()
        && new.0.as_millis() - before.as_millis() < HOUR
    {
        *last = new;
        return;
    }
    heads.push(new);
}

/// The head that was the accepted one a day ago; the first that is known, where that is later.
fn baseline(heads: &[Accepted], now: Timestamp) -> Option<Accepted> {
    let is_old = |(at, _): &&Accepted| now.as_millis() - at.as_millis() >= DAY;
    heads.iter().rfind(is_old).or(heads.first()).copied()
}

/// The accepted heads, the oldest first. A line that cannot be read, one of a time to come or of a commit that is not
/// there says nothing. Another remote begins anew.
fn accepted(store: &Store) -> Result<Vec<Accepted>, SyncError> {
    let repo = store.repo();
    if repo.own_ref(SEEN_REF)?.is_none() {
        return Ok(Vec::new());
    }
    let text = sys::read_text(&path(store)).unwrap_or_default();
    let now = store.now();
    let line = |line: &str| {
        let (at, head) = line.split_once(' ')?;
        Some((Timestamp::from_millis(at.parse().ok()?), parse_oid(head)?))
    };
    let heads = text.lines().filter_map(line);
    Ok(heads
        .filter(|(at, head)| *at <= now && repo.has_object(*head))
        .collect())
}

fn path(store: &Store) -> PathBuf {
    store.root().join(LOCAL).join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_measured_by_the_last_that_was_accepted_a_day_before() {
        let at = |hours: i64, name: u8| (Timestamp::from_millis(hours * HOUR), Oid([name; 20]));
        let heads = [at(0, 1), at(5, 2), at(26, 3), at(27, 4)];
        let of =
            |hours: i64| baseline(&heads, Timestamp::from_millis(hours * HOUR)).map(|(_, head)| head.0[0]);
        assert_eq!(of(20), Some(1));
        assert_eq!(of(28), Some(1));
        assert_eq!(of(29), Some(2));
        assert_eq!(of(50), Some(3));
        assert_eq!(of(500), Some(4));
        assert_eq!(baseline(&[], Timestamp::from_millis(0)), None);
    }

    #[test]
    fn a_day_of_heads_is_a_short_list() {
        let mut heads = Vec::new();
        for minute in 0..24 * 60 {
            note(
                &mut heads,
                (Timestamp::from_millis(minute * 60_000), Oid([1; 20])),
            );
        }
        assert!(heads.len() < 60, "{}", heads.len());
        let apart = |pair: &[Accepted]| pair[2].0.as_millis() - pair[0].0.as_millis() >= HOUR;
        assert!(heads.windows(3).all(apart));
    }
}
