//! The accounts of all files, as a value: a copy shares with the original what neither of the two changed since.

use std::collections::BTreeSet;
use std::fmt::Formatter;
use std::sync::Arc;

use serde::de::{SeqAccess, Visitor};
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::file_history::FileHistory;

/// A change copies the accounts of so small a part of the paths.
const PARTS: usize = 256;

/// The accounts by path, in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Accounts(Vec<Arc<Part>>);

/// Sorted by path. A list is decoded in half the time that a tree takes, and has few enough accounts to move them.
type Part = Vec<(String, FileHistory)>;

impl Accounts {
    pub(super) fn get(&self, path: &str) -> Option<&FileHistory> {
        let part = &self.0[part(path)];
        Some(&part[place(part, path).ok()?].1)
    }

    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut FileHistory> {
        let part = &mut self.0[part(path)];
        let place = place(part, path).ok()?;
        Some(&mut Arc::make_mut(part)[place].1)
    }

    pub(super) fn insert(&mut self, path: &str, account: FileHistory) {
        insert(Arc::make_mut(&mut self.0[part(path)]), path.to_owned(), account);
    }

    pub(super) fn remove(&mut self, path: &str) -> Option<FileHistory> {
        let part = &mut self.0[part(path)];
        let place = place(part, path).ok()?;
        Some(Arc::make_mut(part).remove(place).1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &FileHistory)> {
        let files = self.0.iter().flat_map(|part| part.iter());
        files.map(|(path, account)| (path, account))
    }

    /// The paths of which the two say different things.
    pub(super) fn differing<'a>(&'a self, other: &'a Self) -> BTreeSet<&'a str> {
        let parts = self.0.iter().zip(&other.0);
        let parts = parts.filter(|(one, other)| !Arc::ptr_eq(one, other));
        let differing = parts.flat_map(|(one, other)| {
            let changed = one.iter().filter(move |file| !has(other, file));
            changed.chain(other.iter().filter(move |file| !has(one, file)))
        });
        differing.map(|(path, _)| path.as_str()).collect()
    }
}

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

fn insert(part: &mut Part, path: String, account: FileHistory) {
    // As they come from the cache, in their order.
    if part.last().is_none_or(|(last, _)| *last < path) {
        return part.push((path, account));
    }
    match place(part, &path) {
        Ok(place) => part[place].1 = account,
        Err(place) => part.insert(place, (path, account)),
    }
}

impl Default for Accounts {
    fn default() -> Self {
        Self(vec![Arc::default(); PARTS])
    }
}

impl Serialize for Accounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let files = self.0.iter().map(|part| part.len()).sum();
        let mut sequence = serializer.serialize_seq(Some(files))?;
        for file in self.iter() {
            sequence.serialize_element(&file)?;
        }
        sequence.end()
    }
}

impl<'de> Deserialize<'de> for Accounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Files;
        impl<'de> Visitor<'de> for Files {
            type Value = Accounts;

            fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("accounts by path")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut files: A) -> Result<Accounts, A::Error> {
                let mut parts = vec![Part::new(); PARTS];
                while let Some((path, account)) = files.next_element::<(String, FileHistory)>()? {
                    insert(&mut parts[part(&path)], path, account);
                }
                Ok(Accounts(parts.into_iter().map(Arc::new).collect()))
            }
        }
        deserializer.deserialize_seq(Files)
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
        let bytes = postcard::to_stdvec(&one).unwrap();
        assert_eq!(postcard::from_bytes::<Accounts>(&bytes).unwrap(), one);
        let mut backwards: Vec<_> = one.iter().collect();
        backwards.reverse();
        let bytes = postcard::to_stdvec(&backwards).unwrap();
        assert_eq!(postcard::from_bytes::<Accounts>(&bytes).unwrap(), one);
        other.get_mut(&path(3)).unwrap().present = false;
        assert_eq!(other.remove(&path(4)), Some(account(1)));
        assert!(other.get(&path(4)).is_none() && other.remove(&path(4)).is_none());
        other.insert("x.md", account(3));
        let differing = [path(3), path(4), "x.md".to_owned()];
        let differing: BTreeSet<&str> = differing.iter().map(String::as_str).collect();
        assert_eq!(one.differing(&other), differing);
        assert_eq!(other.differing(&one), differing);
    }
}
