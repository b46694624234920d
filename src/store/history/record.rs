//! A history as bytes: a checksum, the record, and behind it the accounts in parts, which are decoded once they are asked
//! for. The checksum tells whether they can be.

use std::borrow::Cow;
use std::sync::Arc;

use flate2::Crc;
use serde::{Deserialize, Serialize};

use crate::model::Oid;

use super::super::accounts::{Accounts, Beyond};
use super::super::derived::{Activity, Derived};
use super::History;

/// The length of the checksum, a CRC-32 of everything behind it, the least significant byte first.
const CHECKSUM: usize = 4;

impl History {
    /// As much as it takes to make it anew; `stamp` says by what it was made.
    pub(in super::super) fn to_bytes(&self, stamp: &str) -> Option<Vec<u8>> {
        let mut parts = Vec::new();
        let record = HistoryRecord {
            stamp,
            head: self.head?.0,
            derived: Cow::Borrowed(&self.derived),
            parts: self.derived.files.encode(&mut parts)?,
            marks: self
                .marks
                .iter()
                .map(|(oid, state)| Mark::new(*oid, state, &self.derived))
                .collect(),
            filed: self
                .filed
                .as_ref()
                .map(|(commit, accounts)| (commit.0, accounts.beyond(&self.derived.files))),
        };
        let mut bytes = vec![0; CHECKSUM];
        bytes.extend(postcard::to_stdvec(&record).ok()?);
        bytes.append(&mut parts);
        let sum = checksum(&bytes[CHECKSUM..]);
        bytes[..CHECKSUM].copy_from_slice(&sum);
        Some(bytes)
    }

    /// The history of these bytes; `None` where they are not as they were written, or were made by something else.
    pub(in super::super) fn from_bytes(bytes: Vec<u8>, stamp: &str) -> Option<Self> {
        let rest = bytes.get(CHECKSUM..)?;
        if checksum(rest) != bytes[..CHECKSUM] {
            return None;
        }
        let bytes = Arc::new(bytes);
        let (record, parts): (HistoryRecord<'_>, _) = postcard::take_from_bytes(&bytes[CHECKSUM..]).ok()?;
        if record.stamp != stamp {
            return None;
        }
        let mut derived = record.derived.into_owned();
        derived.files = Accounts::encoded(&bytes, bytes.len() - parts.len(), &record.parts)?;
        let marks = record.marks.into_iter().map(|mark| mark.restored(&derived));
        let filed = record.filed.map(|(commit, beyond)| {
            let mut accounts = derived.files.clone();
            accounts.take_in(beyond);
            (Oid(commit), accounts)
        });
        Some(Self {
            head: Some(Oid(record.head)),
            marks: marks.collect(),
            filed,
            derived,
        })
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum().to_le_bytes()
}

/// A history without the accounts.
#[derive(Serialize, Deserialize)]
struct HistoryRecord<'a> {
    stamp: &'a str,
    head: [u8; 20],
    derived: Cow<'a, Derived>,
    /// The lengths of the parts.
    parts: Vec<usize>,
    marks: Vec<Mark>,
    /// The accounts by which the cache of the files was filled in, where they differ.
    filed: Option<([u8; 20], Beyond)>,
}

/// An earlier state, by its difference from a later one.
#[derive(Serialize, Deserialize)]
struct Mark {
    commit: [u8; 20],
    files: Beyond,
    /// The activities that came later.
    later: Vec<Activity>,
    length: u32,
    left: Vec<((String, [u8; 20]), u32)>,
}

impl Mark {
    fn new(commit: Oid, state: &Derived, later: &Derived) -> Self {
        let is_later = |activity: &&Activity| state.activities.binary_search(activity).is_err();
        Self {
            commit: commit.0,
            files: state.files.beyond(&later.files),
            later: later.activities.iter().filter(is_later).copied().collect(),
            length: state.length,
            left: state.left.clone().into_iter().collect(),
        }
    }

    fn restored(self, later: &Derived) -> (Oid, Derived) {
        let mut state = later.clone();
        state.files.take_in(self.files);
        let is_later = |activity: &Activity| self.later.binary_search(activity).is_ok();
        state.activities.retain(|activity| !is_later(activity));
        state.length = self.length;
        state.left = self.left.into_iter().collect();
        (Oid(self.commit), state)
    }
}
