//! The bytes of a tree object, read in place: a walk over history reads tens of thousands of them.

/// The entries of a tree, in git's order. Stops at the first malformed entry (the object was compared with its name).
pub(super) struct RawTree<'a> {
    rest: &'a [u8],
}

/// One entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawEntry<'a> {
    pub(super) mode: u32,
    pub(super) name: &'a [u8],
    /// The twenty bytes of the object's name, made a name only when it is asked for.
    pub(super) oid: &'a [u8; 20],
}

impl RawEntry<'_> {
    pub(super) const fn is_tree(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    pub(super) fn id(&self) -> git2::Oid {
        git2::Oid::from_bytes(self.oid).expect("because twenty bytes are an object's name")
    }

    /// The bytes of the entry in a tree.
    pub(super) fn encode(&self) -> Vec<u8> {
        let head = format!("{:o} ", self.mode);
        [head.as_bytes(), self.name, b"\0", self.oid].concat()
    }

    /// Git's order: by bytes, a folder as if its name ended in `/`.
    pub(super) fn order(&self, other: &RawEntry<'_>) -> std::cmp::Ordering {
        let shared = self.name.len().min(other.name.len());
        let next = |entry: &RawEntry<'_>| {
            entry
                .name
                .get(shared)
                .copied()
                .unwrap_or(if entry.is_tree() { b'/' } else { 0 })
        };
        self.name[..shared]
            .cmp(&other.name[..shared])
            .then_with(|| next(self).cmp(&next(other)))
            .then_with(|| self.name.len().cmp(&other.name.len()))
    }
}

impl<'a> RawTree<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Every entry; `None` where one is malformed.
    pub(super) fn all(bytes: &'a [u8]) -> Option<Vec<RawEntry<'a>>> {
        let mut tree = Self::new(bytes);
        let entries = tree.by_ref().collect();
        tree.rest.is_empty().then_some(entries)
    }
}

impl<'a> Iterator for RawTree<'a> {
    type Item = RawEntry<'a>;

    fn next(&mut self) -> Option<RawEntry<'a>> {
        let space = self.rest.iter().position(|byte| *byte == b' ')?;
        let mut mode = 0;
        for digit in &self.rest[..space] {
            mode = mode * 8 + u32::from(digit.checked_sub(b'0').filter(|digit| *digit < 8)?);
        }
        let after = &self.rest[space + 1..];
        let end = after.iter().position(|byte| *byte == 0)?;
        let name = &after[..end];
        let oid = after[end + 1..].first_chunk()?;
        self.rest = &after[end + 21..];
        Some(RawEntry { mode, name, oid })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: u32, name: &[u8]) -> RawEntry<'_> {
        RawEntry {
            mode,
            name,
            oid: &[0; 20],
        }
    }

    #[test]
    fn reads_modes_names_and_oids() {
        let mut bytes = b"100644 a b.md\0".to_vec();
        bytes.extend([7; 20]);
        bytes.extend(b"40000 dir\0");
        bytes.extend([9; 20]);
        let entries: Vec<_> = RawTree::new(&bytes).collect();
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[0].mode, entries[0].name), (0o100_644, &b"a b.md"[..]));
        assert!(entries[1].is_tree());
        assert_eq!(entries[1].oid, &[9; 20]);
    }

    #[test]
    fn stops_at_a_torn_entry() {
        assert_eq!(RawTree::new(b"100644 a\0short").count(), 0);
        assert_eq!(RawTree::new(b"").count(), 0);
    }

    #[test]
    fn orders_folders_as_git_does() {
        // git keeps `a-b`, `a/`, `a.md` … as if folders ended in a slash: '-' < '.' < '/'.
        let mut entries = [
            entry(0o040_000, b"a"),
            entry(0o100_644, b"a.md"),
            entry(0o100_644, b"a-b"),
            entry(0o100_644, b"a0"),
            entry(0o100_644, b"a"),
        ];
        entries.sort_by(RawEntry::order);
        let names: Vec<_> = entries.iter().map(|e| (e.name, e.is_tree())).collect();
        assert_eq!(
            names,
            [
                (&b"a"[..], false),
                (b"a-b", false),
                (b"a.md", false),
                (b"a", true),
                (b"a0", false)
            ]
        );
    }
}
