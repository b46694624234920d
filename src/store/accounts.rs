//! The accounts of all files, as a value: a copy shares with the original what neither of the two changed since.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::file_history::FileHistory;

/// A change copies the accounts of so small a part of the paths.
const PARTS: usize = 256;

/// The accounts by path, in parts.
#[derive(Debug, Clone)]
pub(super) struct Accounts(Vec<Arc<Part>>);

/// Sorted by path. A list is decoded in half the time that a tree takes, and has few enough accounts to move them.
type List = Vec<(String, FileHistory)>;

/// The accounts of some paths; `None`: such a path has none.
pub(super) type Beyond = Vec<(String, Option<FileHistory>)>;

/// Those whose paths fall together. They are decoded once somebody asks for them: few commits change few parts.
#[derive(Debug, Clone, Default)]
struct Part {
    /// The bytes of a cache, and the place there; `None` once they were changed.
    encoded: Option<(Arc<Vec<u8>>, Range<usize>)>,
    decoded: OnceLock<List>,
}

impl Part {
    fn list(&self) -> &List {
        self.decoded.get_or_init(|| match self.bytes() {
            Some(bytes) => {
                postcard::from_bytes(bytes).expect("because they could be decoded when the cache was read")
            }
            None => List::new(),
        })
    }

    fn list_mut(&mut self) -> &mut List {
        self.list();
        self.encoded = None;
        self.decoded.get_mut().expect("because it was looked at")
    }

    fn bytes(&self) -> Option<&[u8]> {
        let (bytes, range) = self.encoded.as_ref()?;
        Some(&bytes[range.clone()])
    }
}

impl Accounts {
    pub(super) fn get(&self, path: &str) -> Option<&FileHistory> {
        let part = self.0[part(path)].list();
        Some(&part[place(part, path).ok()?].1)
    }

    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut FileHistory> {
        let part = &mut self.0[part(path)];
        let place = place(part.list(), path).ok()?;
        Some(&mut Arc::make_mut(part).list_mut()[place].1)
    }

    pub(super) fn insert(&mut self, path: &str, account: FileHistory) {
        let part = Arc::make_mut(&mut self.0[part(path)]).list_mut();
        match place(part, path) {
            Ok(place) => part[place].1 = account,
            Err(place) => part.insert(place, (path.to_owned(), account)),
        }
    }

    pub(super) fn remove(&mut self, path: &str) -> Option<FileHistory> {
        let part = &mut self.0[part(path)];
        let place = place(part.list(), path).ok()?;
        Some(Arc::make_mut(part).list_mut().remove(place).1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &FileHistory)> {
        let files = self.0.iter().flat_map(|part| part.list());
        files.map(|(path, account)| (path, account))
    }

    /// The paths of which the two say different things.
    pub(super) fn differing<'a>(&'a self, other: &'a Self) -> BTreeSet<&'a str> {
        let parts = self.0.iter().zip(&other.0);
        let parts = parts.filter(|(one, other)| !Arc::ptr_eq(one, other));
        let differing = parts.flat_map(|(one, other)| {
            let (one, other) = (one.list(), other.list());
            let changed = one.iter().filter(move |file| !has(other, file));
            changed.chain(other.iter().filter(move |file| !has(one, file)))
        });
        differing.map(|(path, _)| path.as_str()).collect()
    }

    /// The accounts that make `self` of `other`: of each path of which they say different things what `self` says.
    pub(super) fn beyond(&self, other: &Self) -> Beyond {
        let differing = self.differing(other).into_iter();
        differing
            .map(|path| (path.to_owned(), self.get(path).cloned()))
            .collect()
    }

    /// Takes what [`Accounts::beyond`] gave.
    pub(super) fn take_in(&mut self, beyond: Beyond) {
        for (path, account) in beyond {
            match account {
                Some(account) => self.insert(&path, account),
                None => drop(self.remove(&path)),
            }
        }
    }

    /// Adds the accounts to some bytes, and gives the length of each part there. `None` where one cannot be encoded.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) -> Option<Vec<usize>> {
        let encode = |part: &Arc<Part>| {
            let before = bytes.len();
            match part.bytes() {
                Some(encoded) => bytes.extend_from_slice(encoded),
                None => bytes.extend(postcard::to_stdvec(part.list()).ok()?),
            }
            Some(bytes.len() - before)
        };
        self.0.iter().map(encode).collect()
    }

    /// The accounts in parts of these lengths, which stand in `bytes` from a place on. `None` where one cannot be decoded.
    pub(super) fn encoded(bytes: &Arc<Vec<u8>>, mut from: usize, lengths: &[usize]) -> Option<Self> {
        let part = |length: &usize| {
            let to = from.checked_add(*length).filter(|to| *to <= bytes.len())?;
            let range = std::mem::replace(&mut from, to)..to;
            // In place, which takes a fraction of the time.
            postcard::from_bytes::<Vec<(&str, FileHistory<&str>)>>(&bytes[range.clone()]).ok()?;
            Some(Arc::new(Part {
                encoded: Some((Arc::clone(bytes), range)),
                decoded: OnceLock::new(),
            }))
        };
        let parts: Vec<_> = lengths.iter().map(part).collect::<Option<_>>()?;
        (parts.len() == PARTS && from == bytes.len()).then_some(Self(parts))
    }
}

impl PartialEq for Accounts {
    fn eq(&self, other: &Self) -> bool {
        self.differing(other).is_empty()
    }
}

impl Eq for Accounts {}

fn part(path: &str) -> usize {
    path.bytes()
        .fold(0, |part, byte| (part * 31 + usize::from(byte)) % PARTS)
}

/// The place of a path in its part, or where it belongs.
fn place(part: &[(String, FileHistory)], path: &str) -> Result<usize, usize> {
    part.binary_search_by(|(known, _)| known.as_str().cmp(path))
}

/// Says whether a part has this account of this path.
fn has(part: &[(String, FileHistory)], (path, account): &(String, FileHistory)) -> bool {
    place(part, path).is_ok_and(|place| part[place].1 == *account)
}

impl Default for Accounts {
    fn default() -> Self {
        Self(vec![Arc::default(); PARTS])
    }
}

#[cfg(test)]
mod tests {
    use super::super::file_history::Origin;
    use super::*;
    use crate::model::Timestamp;

    fn account(n: u8) -> FileHistory {
        let origin = Origin {
            path: format!("{n}.md"),
            blob: [n; 20],
            nth: 0,
        };
        FileHistory::new(origin, Timestamp::from_seconds(n.into()), n.into())
    }

    fn encoded(accounts: &Accounts) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = b"before".to_vec();
        let lengths = accounts.encode(&mut bytes).unwrap();
        (bytes, lengths)
    }

    fn decoded((bytes, lengths): &(Vec<u8>, Vec<usize>)) -> Option<Accounts> {
        Accounts::encoded(&Arc::new(bytes.clone()), "before".len(), lengths)
    }

    #[test]
    fn the_order_in_which_accounts_come_makes_no_difference() {
        let path = |n: u16| format!("{}/{n}.md", n % 7);
        let mut one = Accounts::default();
        let mut other = Accounts::default();
        for n in 0..2000 {
            one.insert(&path(n), account(1));
            other.insert(&path(1999 - n), account(2));
            other.insert(&path(1999 - n), account(1));
        }
        assert_eq!(one, other);
        assert!(one.iter().count() == 2000 && one.differing(&other).is_empty());
        let bytes = encoded(&one);
        assert_eq!(decoded(&bytes), Some(one.clone()));
        assert_eq!(encoded(&decoded(&bytes).unwrap()), bytes);
        other.get_mut(&path(3)).unwrap().present = false;
        assert_eq!(other.remove(&path(4)), Some(account(1)));
        assert!(other.get(&path(4)).is_none() && other.remove(&path(4)).is_none());
        other.insert("x.md", account(3));
        let differing = [path(3), path(4), "x.md".to_owned()];
        let differing: BTreeSet<&str> = differing.iter().map(String::as_str).collect();
        assert_eq!(one.differing(&other), differing);
        assert_eq!(other.differing(&one), differing);
        let mut changed = decoded(&bytes).unwrap();
        changed.take_in(other.beyond(&one));
        assert_eq!(changed, other);
        assert_eq!(decoded(&encoded(&changed)), Some(other));
    }

    #[test]
    fn parts_that_do_not_fill_the_bytes_are_none() {
        let (bytes, mut lengths) = encoded(&Accounts::default());
        lengths.swap(0, 1);
        assert!(decoded(&(bytes.clone(), lengths.clone())).is_some());
        assert!(decoded(&(bytes.clone(), lengths[1..].to_vec())).is_none());
        lengths[7] = usize::MAX;
        assert!(decoded(&(bytes, lengths)).is_none());
    }

    #[test]
    fn bytes_that_are_no_accounts_are_none() {
        let mut accounts = Accounts::default();
        accounts.insert("a.md", account(1));
        let (bytes, lengths) = encoded(&accounts);
        let at = bytes.windows(4).position(|part| part == b"a.md").unwrap();
        for (place, odd) in [(at, 0xff), (at - 1, 200), (bytes.len() - 1, 1)] {
            let mut bytes = bytes.clone();
            bytes[place] = odd;
            assert!(decoded(&(bytes, lengths.clone())).is_none(), "{place}");
        }
    }
}
