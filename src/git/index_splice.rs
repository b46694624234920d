//! An index with a few entries changed, made from the bytes of the old index: every other entry is copied as it is.
//!
//! libgit2 reads, checks and writes each of ten thousand entries for this, which took a third of a commit's time.
//! The layout is git's `Documentation/gitformat-index.txt`, versions 2 and 3.

use std::collections::BTreeMap;

use sha1::{Digest as _, Sha1};

use super::raw_index::{CHECKSUM, NAME_MASK, RawIndex, RawIndexEntry, SIZE};

/// Folders in folders that the cache of trees may have; a deeper cache is dropped, and git makes it again.
const MAX_DEPTH: usize = 256;

/// From so many bytes on, a checksum takes longer than the start of a thread.
const LARGE: usize = 1 << 18;

/// The entries that the index shall hold at some paths: `None` for a path at which it shall hold nothing.
pub(super) type Wanted = BTreeMap<Vec<u8>, Option<git2::IndexEntry>>;

/// Says whether the checksum at the end of an index is that of its bytes.
pub(super) fn has_checksum(index: &[u8]) -> bool {
    let Some(end) = index.len().checked_sub(CHECKSUM) else {
        return false;
    };
    let (content, checksum) = index.split_at(end);
    // Git leaves the checksum at zero where `index.skipHash` is set.
    checksum == [0; CHECKSUM] || checksum == Sha1::digest(content).as_slice()
}

/// The bytes of the index with the wanted entries in it. `None` where only git or libgit2 can do it: another version, a
/// split or sparse index, a wrong checksum, or a path that has a conflict, flags of its own, or a folder in its place.
/// Of an entry that `is_unsure` the size is not copied, so that git reads the file.
pub(super) fn splice(
    old: &[u8],
    wanted: &Wanted,
    is_unsure: impl Fn(&RawIndexEntry<'_>) -> bool,
) -> Option<Vec<u8>> {
    if old.len() < LARGE {
        return has_checksum(old).then(|| spliced(old, wanted, is_unsure))?;
    }
    // The old checksum is looked at while the new index, and its checksum, are made.
    std::thread::scope(|threads| {
        let looking = std::thread::Builder::new().spawn_scoped(threads, || has_checksum(old));
        let new = spliced(old, wanted, is_unsure);
        let is_whole = match looking {
            Ok(looking) => looking.join().expect("because no checksum panics"),
            // The machine has no room for another thread.
            Err(_) => has_checksum(old),
        };
        new.filter(|_| is_whole)
    })
}

/// The same of an index whose checksum nobody has looked at.
fn spliced(old: &[u8], wanted: &Wanted, is_unsure: impl Fn(&RawIndexEntry<'_>) -> bool) -> Option<Vec<u8>> {
    let index = RawIndex::new(old)?;
    let extensions = index.extensions();
    let entries: Vec<RawIndexEntry<'_>> = index.collect();
    let added = wanted.iter().filter(|(_, entry)| entry.is_some());
    if added.into_iter().any(|(path, _)| is_in_the_way(&entries, path)) {
        return None;
    }
    let mut new = Vec::with_capacity(old.len() + wanted.len() * 128);
    new.extend_from_slice(&old[..12]);
    let mut count: u32 = 0;
    let mut write = |bytes: Option<&[u8]>| {
        new.extend_from_slice(bytes.unwrap_or_default());
        count += u32::from(bytes.is_some());
    };
    let mut pending = wanted.iter().peekable();
    for entry in &entries {
        while let Some((_, change)) = pending.next_if(|(path, _)| path.as_slice() < entry.path) {
            write(change.as_ref().map(encode).as_deref());
        }
        match pending.next_if(|(path, _)| path.as_slice() == entry.path) {
            Some(_) if entry.flags & !NAME_MASK != 0 => return None,
            Some((_, change)) => write(change.as_ref().map(encode).as_deref()),
            None if is_unsure(entry) => write(Some(&without_size(entry.bytes))),
            None => write(Some(entry.bytes)),
        }
    }
    for (_, change) in pending {
        write(change.as_ref().map(encode).as_deref());
    }
    new[8..12].copy_from_slice(&count.to_be_bytes());
    copy_extensions(extensions, wanted, &mut new)?;
    let checksum = Sha1::digest(&new);
    new.extend_from_slice(checksum.as_slice());
    Some(new)
}

/// True when a file has the place of one of the path's folders, or files lie below the path itself.
fn is_in_the_way(entries: &[RawIndexEntry<'_>], path: &[u8]) -> bool {
    let place_of = |path: &[u8]| entries.binary_search_by(|entry| entry.path.cmp(path));
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let folder = [path, b"/"].concat();
    let (Ok(first) | Err(first)) = place_of(&folder);
    let is_a_folder = entries
        .get(first)
        .is_some_and(|entry| entry.path.starts_with(&folder));
    is_a_folder || slashes.into_iter().any(|(at, _)| place_of(&path[..at]).is_ok())
}

/// The same entry with a size of zero: unknown.
fn without_size(entry: &[u8]) -> Vec<u8> {
    [&entry[..SIZE.start], &[0; 4], &entry[SIZE.end..]].concat()
}

/// An entry without flags of its own, filled up with zeros to a multiple of eight bytes.
fn encode(entry: &git2::IndexEntry) -> Vec<u8> {
    let numbers = [
        entry.ctime.seconds().cast_unsigned(),
        entry.ctime.nanoseconds(),
        entry.mtime.seconds().cast_unsigned(),
        entry.mtime.nanoseconds(),
        entry.dev,
        entry.ino,
        entry.mode,
        entry.uid,
        entry.gid,
        entry.file_size,
    ];
    let length = u16::try_from(entry.path.len()).map_or(NAME_MASK, |length| length.min(NAME_MASK));
    let mut bytes: Vec<u8> = numbers.into_iter().flat_map(u32::to_be_bytes).collect();
    bytes.extend_from_slice(entry.id.as_bytes());
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&entry.path);
    bytes.resize((bytes.len() + 8) / 8 * 8, 0);
    bytes
}

/// Keeps what git noted of solved conflicts, and of the cache of trees what still holds. The other extensions speak of
/// entries by their place, or of untracked files: git makes them again.
fn copy_extensions(mut rest: &[u8], wanted: &Wanted, new: &mut Vec<u8>) -> Option<()> {
    let changed: Vec<&[u8]> = wanted.keys().map(Vec::as_slice).collect();
    while !rest.is_empty() {
        let (head, after) = rest.split_at_checked(8)?;
        let length = u32::from_be_bytes(*head[4..].first_chunk()?);
        let (data, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
        match &head[..4] {
            b"REUC" => {
                new.extend_from_slice(head);
                new.extend_from_slice(data);
            }
            b"TREE" => {
                let mut cache = Vec::with_capacity(data.len());
                if copy_tree(&mut &*data, &changed, MAX_DEPTH, &mut cache).is_some() {
                    new.extend_from_slice(&head[..4]);
                    new.extend_from_slice(&u32::try_from(cache.len()).ok()?.to_be_bytes());
                    new.extend_from_slice(&cache);
                }
            }
            _ => {}
        }
        rest = after;
    }
    Some(())
}

/// Copies one folder of the cache of trees and those below it: its name and a zero byte, how many entries it has and
/// how many folders, and the tree's name. A folder with a changed path below it has -1 entries and no name, which is
/// how git marks what it must make again. `changed` are relative to the folder.
fn copy_tree(rest: &mut &[u8], changed: &[&[u8]], depth: usize, new: &mut Vec<u8>) -> Option<()> {
    let name = split_off(rest, 0)?;
    let count = split_off(rest, b' ')?;
    let folders_text = split_off(rest, b'\n')?;
    let folders: usize = std::str::from_utf8(folders_text).ok()?.parse().ok()?;
    let is_valid = !count.starts_with(b"-");
    let (oid, after) = rest.split_at_checked(if is_valid { 20 } else { 0 })?;
    *rest = after;
    new.extend_from_slice(name);
    new.push(0);
    let is_kept = changed.is_empty();
    new.extend_from_slice(if is_kept { count } else { b"-1" });
    new.push(b' ');
    new.extend_from_slice(folders_text);
    new.push(b'\n');
    new.extend_from_slice(if is_kept { oid } else { b"" });
    let depth = depth.checked_sub(1)?;
    for _ in 0..folders {
        let folder = &rest[..rest.iter().position(|byte| *byte == 0)?];
        let below = |path: &&'_ [u8]| path.starts_with(folder) && path.get(folder.len()) == Some(&b'/');
        let within: Vec<&[u8]> = changed
            .iter()
            .filter(|path| below(path))
            .map(|path| &path[folder.len() + 1..])
            .collect();
        copy_tree(rest, &within, depth, new)?;
    }
    Some(())
}

/// Takes the bytes before the next such byte, which is passed over.
fn split_off<'a>(rest: &mut &'a [u8], end: u8) -> Option<&'a [u8]> {
    let at = rest.iter().position(|byte| *byte == end)?;
    let found = &rest[..at];
    *rest = &rest[at + 1..];
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::git::object::{hash_blob, to_git2};
    use crate::git::testing::Scratch;

    /// An entry for this text, without metadata.
    fn entry(path: &str, text: &str) -> git2::IndexEntry {
        git2::IndexEntry {
            ctime: git2::IndexTime::new(0, 0),
            mtime: git2::IndexTime::new(0, 0),
            dev: 0,
            ino: 0,
            mode: 0o100_644,
            uid: 0,
            gid: 0,
            file_size: 0,
            id: to_git2(hash_blob(text.as_bytes())),
            flags: 0,
            flags_extended: 0,
            path: path.as_bytes().to_vec(),
        }
    }

    fn wanted(changes: &[(&str, Option<&str>)]) -> Wanted {
        let changes = changes.iter();
        changes
            .map(|(path, text)| (path.as_bytes().to_vec(), text.map(|text| entry(path, text))))
            .collect()
    }

    /// A repository whose index has a cache of trees, and the bytes of the index.
    fn staged(names: &[&str]) -> (Scratch, Vec<u8>) {
        let scratch = Scratch::new();
        std::fs::create_dir(scratch.root()).unwrap();
        scratch.git(&["init", "-q"]);
        for name in names {
            scratch.write(name, "1\n");
        }
        scratch.git(&["add", "."]);
        scratch.git(&["commit", "-q", "-m", "files"]);
        let bytes = std::fs::read(scratch.root().join(".git/index")).unwrap();
        assert!(bytes.windows(4).any(|part| part == b"TREE"));
        (scratch, bytes)
    }

    fn splice(old: &[u8], wanted: &Wanted) -> Option<Vec<u8>> {
        super::splice(old, wanted, |_| false)
    }

    fn put(scratch: &Scratch, index: &[u8]) {
        scratch.write_bytes(Path::new(".git/index"), index);
    }

    const NAMES: [&str; 6] = ["a.md", "d/b.md", "d/e/c.md", "d/e/d.md", "f/x.md", "z.md"];

    #[test]
    fn git_reads_what_was_spliced_and_makes_the_same_tree() {
        let (scratch, old) = staged(&NAMES);
        let long = format!("d/{}x.md", format!("{}/", "n".repeat(90)).repeat(50));
        let changes = wanted(&[
            ("a.md", Some("2\n")),
            ("d/e/c.md", None),
            ("d/new/y.md", Some("1\n")),
            (&long, Some("1\n")),
            ("f/x.md", None),
            ("zz.md", Some("2\n")),
        ]);
        scratch.write("two", "2\n");
        scratch.git(&["hash-object", "-w", "two"]);
        put(&scratch, &splice(&old, &changes).unwrap());
        let listed = scratch.git(&["ls-files", "--stage"]);
        let names: Vec<&str> = listed
            .lines()
            .map(|line| line.split_once('\t').unwrap().1)
            .collect();
        assert_eq!(
            names,
            [
                "a.md",
                "d/b.md",
                "d/e/d.md",
                "d/new/y.md",
                long.as_str(),
                "z.md",
                "zz.md"
            ]
        );
        assert!(listed.starts_with(&format!("100644 {} 0\ta.md\n", hash_blob(b"2\n"))));
        // A cache of trees that named an old tree would make git write that one.
        let tree = scratch.git(&["write-tree"]);
        let in_tree = scratch.git(&["ls-tree", "-r", "--name-only", tree.trim()]);
        assert_eq!(in_tree.lines().collect::<Vec<_>>(), names);
        scratch.assert_whole();
    }

    #[test]
    fn the_cache_of_unchanged_trees_is_kept() {
        let (scratch, old) = staged(&NAMES);
        let new = splice(&old, &wanted(&[("d/b.md", Some("1\n2\n"))])).unwrap();
        let oid_of = |tree: &str| {
            let oid = scratch.git(&["rev-parse", &format!("HEAD{tree}")]);
            git2::Oid::from_str(oid.trim()).unwrap().as_bytes().to_vec()
        };
        let has = |oid: &[u8]| new.windows(20).any(|part| part == oid);
        assert!(has(&oid_of(":d/e")) && has(&oid_of(":f")));
        assert!(!has(&oid_of(":d")) && !has(&oid_of("^{tree}")));
    }

    #[test]
    fn a_large_index_is_checked_as_a_small_one_is() {
        let names: Vec<String> = (0..LARGE / 64).map(|n| format!("d/{n}.md")).collect();
        let (scratch, old) = staged(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(old.len() > LARGE);
        let mut torn = old.clone();
        *torn.last_mut().unwrap() ^= 1;
        let changes = wanted(&[("d/x.md", Some("1\n"))]);
        assert!(splice(&torn, &changes).is_none());
        put(&scratch, &splice(&old, &changes).unwrap());
        let listed = scratch.git(&["ls-files"]);
        assert_eq!(listed.lines().count(), names.len() + 1);
        scratch.git(&["write-tree"]);
    }

    #[test]
    fn bytes_that_nobody_has_checked_are_spliced_or_refused() {
        let (_scratch, old) = staged(&NAMES);
        let changes = wanted(&[("d/b.md", Some("1\n")), ("x.md", None), ("y.md", Some("1\n"))]);
        for (at, bit) in (0..old.len()).flat_map(|at| [1_u8, 0x80].map(|bit| (at, bit))) {
            let mut odd = old.clone();
            odd[at] ^= bit;
            drop(spliced(&odd, &changes, |_| false));
        }
        for length in 0..old.len() {
            drop(spliced(&old[..length], &changes, |_| false));
        }
    }

    #[test]
    fn libgit2_and_git_are_asked_where_it_takes_more() {
        let (scratch, old) = staged(&NAMES);
        for path in ["d", "a.md/b.md"] {
            assert!(splice(&old, &wanted(&[(path, Some("1\n"))])).is_none(), "{path}");
        }
        let mut torn = old.clone();
        torn[40] ^= 1;
        assert!(splice(&torn, &Wanted::new()).is_none(), "a wrong checksum");
        scratch.git(&["update-index", "--assume-unchanged", "a.md"]);
        let flagged = std::fs::read(scratch.root().join(".git/index")).unwrap();
        assert!(splice(&flagged, &wanted(&[("a.md", Some("1\n"))])).is_none());
        assert!(splice(&flagged, &wanted(&[("z.md", Some("1\n"))])).is_some());
        scratch.git(&["update-index", "--index-version", "4"]);
        let version_4 = std::fs::read(scratch.root().join(".git/index")).unwrap();
        assert!(splice(&version_4, &Wanted::new()).is_none());
    }

    #[test]
    fn a_checksum_that_git_left_out_is_no_fault() {
        let (scratch, _) = staged(&NAMES);
        scratch.git(&["-c", "index.skipHash=true", "update-index", "--force-write-index"]);
        let old = std::fs::read(scratch.root().join(".git/index")).unwrap();
        assert!(old.ends_with(&[0; CHECKSUM]));
        put(&scratch, &splice(&old, &wanted(&[("z.md", None)])).unwrap());
        assert_eq!(scratch.git(&["ls-files"]).lines().count(), NAMES.len() - 1);
    }

    proptest! {
        #[test]
        fn hostile_extensions_end_in_an_answer(
            data in proptest::collection::vec(prop_oneof![Just(0u8), Just(b'1'), Just(b' '), Just(b'\n'), any::<u8>()], 0..200),
        ) {
            let mut new = Vec::new();
            let _ = copy_tree(&mut data.as_slice(), &[b"a/b"], MAX_DEPTH, &mut new);
            let _ = copy_extensions(&data, &wanted(&[("a/b", None)]), &mut new);
        }
    }
}
