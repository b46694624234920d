//! The bytes of an index, read in place and unchecked: libgit2 hashes the whole file and makes an object of each entry,
//! which for ten thousand files takes longer than the rest of a commit.

use std::ops::Range;

use super::index_update::SKIP_WORKTREE;

/// The entries of an index, in git's order.
pub(super) struct RawIndex<'a> {
    rest: &'a [u8],
    left: u32,
}

/// The entry of one path, as it is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawIndexEntry<'a> {
    pub(super) flags: u16,
    flags_extended: u16,
    pub(super) path: &'a [u8],
    /// The whole entry, with the zeros that fill it up.
    pub(super) bytes: &'a [u8],
}

/// The name's length in `flags`; this one means "as long or longer".
pub(super) const NAME_MASK: u16 = 0x0fff;
/// In `flags`: sixteen more flags follow.
const EXTENDED: u16 = 0x4000;
/// In `flags`: git takes the file for unchanged.
const ASSUME_UNCHANGED: u16 = 0x8000;
pub(super) const CHECKSUM: usize = 20;
/// The place of the size in an entry.
pub(super) const SIZE: Range<usize> = 36..40;

impl<'a> RawIndex<'a> {
    /// `None` for what this cannot read: another version (names that share their beginnings), or an extension that
    /// changes what the entries mean (a split or sparse index).
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(12)?;
        let is_known = head.starts_with(b"DIRC") && matches!(number(head, 4)?, 2 | 3);
        let left = number(head, 8)?;
        let index = Self { rest, left };
        let mut entries = Self { ..index };
        let whole = entries.by_ref().count() == usize::try_from(left).ok()?;
        (is_known && whole && has_optional_extensions(entries.rest)?).then_some(index)
    }

    /// The bytes after the entries, without the checksum.
    pub(super) fn extensions(&self) -> &'a [u8] {
        let mut entries = Self { ..*self };
        entries.by_ref().for_each(drop);
        &entries.rest[..entries.rest.len().saturating_sub(CHECKSUM)]
    }
}

/// A capital letter begins the name of an extension that a reader may pass over.
fn has_optional_extensions(mut rest: &[u8]) -> Option<bool> {
    while rest.len() > CHECKSUM {
        if !rest[0].is_ascii_uppercase() {
            return Some(false);
        }
        let length = usize::try_from(number(rest, 4)?).ok()?;
        rest = rest.get(8 + length..)?;
    }
    Some(rest.len() == CHECKSUM)
}

impl<'a> Iterator for RawIndex<'a> {
    type Item = RawIndexEntry<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.rest;
        let flags = short(entry, 60)?;
        let is_extended = flags & EXTENDED != 0;
        let name = if is_extended { 64 } else { 62 };
        let length = match flags & NAME_MASK {
            NAME_MASK => entry.get(name..)?.iter().position(|byte| *byte == 0)?,
            length => usize::from(length),
        };
        let end = name + length;
        // One to eight zero bytes fill the entry up to a multiple of eight.
        let (bytes, rest) = entry.split_at_checked((end + 8) / 8 * 8)?;
        self.rest = rest;
        Some(RawIndexEntry {
            flags,
            flags_extended: if is_extended { short(entry, 62)? } else { 0 },
            path: &entry[name..end],
            bytes,
        })
    }
}

impl RawIndexEntry<'_> {
    /// When the file was last written, in seconds since 1970.
    pub(super) fn modified(&self) -> u32 {
        number(self.bytes, 8).expect("because an entry has at least 62 bytes")
    }

    /// Says whether git takes the file for unchanged without a look.
    pub(super) fn is_hidden(self) -> bool {
        self.flags & ASSUME_UNCHANGED != 0 || self.flags_extended & SKIP_WORKTREE != 0
    }

    /// The same as libgit2 keeps it.
    pub(super) fn to_git2(self) -> git2::IndexEntry {
        let number = |at| number(self.bytes, at).expect("because an entry has at least 62 bytes");
        let time = |at| git2::IndexTime::new(number(at).cast_signed(), number(at + 4));
        git2::IndexEntry {
            ctime: time(0),
            mtime: time(8),
            dev: number(16),
            ino: number(20),
            mode: number(24),
            uid: number(28),
            gid: number(32),
            file_size: number(SIZE.start),
            id: git2::Oid::from_bytes(&self.bytes[40..60])
                .expect("because twenty bytes are an object's name"),
            flags: self.flags,
            flags_extended: self.flags_extended,
            path: self.path.to_vec(),
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(version: u8, entries: &[(&str, u16)], extension: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0".to_vec();
        bytes.push(version);
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (path, extended) in entries {
            let begin = bytes.len();
            bytes.extend((1..=10_u32).flat_map(u32::to_be_bytes));
            bytes.extend([7; 20]);
            let flag = if *extended == 0 { 0 } else { EXTENDED };
            let length = u16::try_from(path.len()).unwrap().min(NAME_MASK);
            bytes.extend((flag | length).to_be_bytes());
            if *extended != 0 {
                bytes.extend(extended.to_be_bytes());
            }
            bytes.extend(path.as_bytes());
            bytes.push(0);
            while !(bytes.len() - begin).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes.extend(extension);
        bytes.extend([9; CHECKSUM]);
        bytes
    }

    #[test]
    fn reads_entries_whatever_the_length_of_their_names() {
        let long = "x".repeat(5000);
        let names = ["a", "ab.md", "d/12345678.md", long.as_str()];
        let entries: Vec<(&str, u16)> = names.iter().map(|name| (*name, 0)).collect();
        let bytes = index(2, &entries, b"TREE\0\0\0\x02xy");
        let read: Vec<RawIndexEntry<'_>> = RawIndex::new(&bytes).unwrap().collect();
        let paths: Vec<&[u8]> = read.iter().map(|entry| entry.path).collect();
        assert_eq!(paths, names.map(str::as_bytes));
        let first = read[0].to_git2();
        let time = |time: git2::IndexTime| (time.seconds(), time.nanoseconds());
        assert_eq!((time(first.ctime), time(first.mtime)), ((1, 2), (3, 4)));
        assert_eq!((first.ino, first.mode, first.file_size), (6, 7, 10));
        assert_eq!(first.id.as_bytes(), [7; 20]);
    }

    #[test]
    fn reads_more_flags() {
        let bytes = index(3, &[("a", 1 << 14), ("b", 0)], b"");
        let flags: Vec<u16> = RawIndex::new(&bytes)
            .unwrap()
            .map(|entry| entry.flags_extended)
            .collect();
        assert_eq!(flags, [1 << 14, 0]);
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        let fine = index(2, &[("a", 0)], b"");
        assert!(RawIndex::new(&fine).is_some());
        assert!(RawIndex::new(&index(4, &[("a", 0)], b"")).is_none());
        assert!(RawIndex::new(&index(2, &[("a", 0)], b"link\0\0\0\0")).is_none());
        for length in 0..fine.len() {
            assert!(RawIndex::new(&fine[..length]).is_none(), "{length}");
        }
    }
}
