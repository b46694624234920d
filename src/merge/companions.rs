//! Files that are no memories, where both sides changed them: the settings key by key, `forgotten` and `contradictions` as sets, other
//! texts line by line. Where both sides changed the same lines of a text, both stand in it, as in git's `merge=union`: such a
//! file has no sibling that could keep the other's words, and a rule that one machine's `.gitignore` lost would publish
//! what it hid.

use std::path::Path;

use toml_edit::{DocumentMut, Item, TableLike};

use super::body::merge_body;
use crate::document::merge_lines;

/// A file that both sides changed.
pub(super) struct Companion {
    pub(super) bytes: Vec<u8>,
    /// Both sides changed the same setting, or what is no text: the later side's stays, and the other is in history alone.
    pub(super) is_overruled: bool,
}

/// Merges two versions of a file. A file that is no text is the winner's.
pub(super) fn merge_companion(path: &Path, base: &[u8], winner: &[u8], loser: &[u8]) -> Companion {
    match path.to_str() {
        Some("forgotten" | "contradictions") => Companion {
            bytes: merge_lines(base, winner, loser),
            is_overruled: false,
        },
        Some("mdmem.toml") => merge_settings(base, winner, loser),
        _ => merge_text(base, winner, loser),
    }
}

/// The folder that settings name as that of the pinned notes.
pub(super) fn hot_dir(settings: &[u8]) -> Option<String> {
    Some(read(settings)?.get("hot_dir")?.as_str()?.to_owned())
}

fn read(settings: &[u8]) -> Option<DocumentMut> {
    std::str::from_utf8(settings).ok()?.parse().ok()
}

fn merge_text(base: &[u8], winner: &[u8], loser: &[u8]) -> Companion {
    let text = |bytes| {
        std::str::from_utf8(bytes)
            .ok()
            .filter(|text| !text.contains('\0'))
    };
    let (Some(base), Some(ours), Some(theirs)) = (text(base), text(winner), text(loser)) else {
        return Companion {
            bytes: winner.to_vec(),
            is_overruled: true,
        };
    };
    Companion {
        is_overruled: false,
        bytes: merge_body(base, ours, theirs).joined().into_bytes(),
    }
}

/// Merges settings key by key. Of two files of which one is no TOML, the other one stays.
fn merge_settings(base: &[u8], winner: &[u8], loser: &[u8]) -> Companion {
    let whole = |bytes: &[u8]| Companion {
        bytes: bytes.to_vec(),
        is_overruled: true,
    };
    let (mut merged, other) = match (read(winner), read(loser)) {
        (Some(winner), Some(loser)) => (winner, loser),
        (None, Some(_)) => return whole(loser),
        _ => return whole(winner),
    };
    let base = read(base).unwrap_or_default();
    let is_overruled = merge_table(Some(base.as_table()), merged.as_table_mut(), other.as_table());
    let text = merged.to_string();
    if text.parse::<DocumentMut>().is_err() {
        return whole(winner);
    }
    Companion {
        bytes: text.into_bytes(),
        is_overruled,
    }
}

/// Brings to the winner's table what the other side alone changed. Says whether both changed a key.
fn merge_table(base: Option<&dyn TableLike>, winner: &mut dyn TableLike, loser: &dyn TableLike) -> bool {
    let mut is_overruled = false;
    let names =
        |table: &dyn TableLike| -> Vec<String> { table.iter().map(|(name, _)| name.to_owned()).collect() };
    let mut all = names(winner);
    all.extend(names(loser).into_iter().filter(|name| !winner.contains_key(name)));
    for name in all {
        let before = base.and_then(|base| base.get(&name));
        let other = loser.get(&name);
        let now = winner.get(&name);
        if said(now) == said(other) || said(other) == said(before) {
            continue;
        }
        let are_tables = now.is_some_and(Item::is_table_like) && other.is_some_and(Item::is_table_like);
        if said(now) != said(before) && !are_tables {
            is_overruled = true;
            continue;
        }
        match (winner.get_mut(&name), other) {
            (Some(now), Some(other)) if are_tables => {
                let (Some(now), Some(other)) = (now.as_table_like_mut(), other.as_table_like()) else {
                    continue;
                };
                is_overruled |= merge_table(before.and_then(Item::as_table_like), now, other);
            }
            (Some(now), Some(other)) => *now = other.clone(),
            (None, Some(other)) => drop(winner.insert(&name, other.clone())),
            (_, None) => drop(winner.remove(&name)),
        }
    }
    is_overruled
}

/// The value of a key, as it is typed.
fn said(item: Option<&Item>) -> Option<String> {
    item.map(|item| match item.as_table_like() {
        Some(table) => {
            let parts = table.iter();
            let mut parts: Vec<String> = parts
                .map(|(name, item)| format!("{name}={}", said(Some(item)).unwrap_or_default()))
                .collect();
            parts.sort();
            format!("{{{}}}", parts.join(","))
        }
        None => item.to_string().trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base: &str, winner: &str, loser: &str) -> (String, bool) {
        let merged = merge_companion(
            Path::new("mdmem.toml"),
            base.as_bytes(),
            winner.as_bytes(),
            loser.as_bytes(),
        );
        (String::from_utf8(merged.bytes).unwrap(), merged.is_overruled)
    }

    #[test]
    fn settings_are_merged_key_by_key() {
        let base = "# ours\nformat = 1\n[render]\nmax_chars = 3600 # why\nmax_entries = 28\n";
        let winner = base.replace("3600", "4000");
        let loser = base.replace("max_entries = 28", "max_entries = 30\nnotes = \"off\"")
            + "\n[type.recipe]\nfactor = 2.0\n";
        let (text, is_overruled) = settings(base, &winner, &loser);
        assert_eq!(
            text,
            "# ours\nformat = 1\n[render]\nmax_chars = 4000 # why\nmax_entries = 30\nnotes = \"off\"\n\n\
             [type.recipe]\nfactor = 2.0\n"
        );
        assert!(!is_overruled);
        let (text, is_overruled) = settings(base, &winner, &base.replace("3600", "5000"));
        assert_eq!((text.as_str(), is_overruled), (winner.as_str(), true));
        let (text, _) = settings(base, &winner, &base.replace("max_entries = 28\n", ""));
        assert_eq!(text, winner.replace("max_entries = 28\n", ""));
    }

    #[test]
    fn of_settings_that_are_no_toml_the_others_stay() {
        let base = "format = 1\n";
        let good = "format = 1\n[render]\nnotes = \"off\"\n";
        assert_eq!(settings(base, "format = \n", good).0, good);
        assert_eq!(settings(base, good, "format = \n").0, good);
        assert_eq!(settings(base, "a b\n", "format = \n").0, "a b\n");
        assert_eq!(
            settings("a b\n", good, "format = 1\nx = 2\n").0,
            "format = 1\nx = 2\n[render]\nnotes = \"off\"\n"
        );
    }

    #[test]
    fn other_texts_are_merged_by_lines_and_both_sides_lines_stay() {
        let merged = |winner: &[u8], loser: &[u8]| {
            let merged = merge_companion(Path::new("PROTOCOL.md"), b"a\n1\n2\n3\nc\n", winner, loser);
            (merged.bytes, merged.is_overruled)
        };
        assert_eq!(
            merged(b"A\n1\n2\n3\nc\n", b"a\n1\n2\n3\nC\n"),
            (b"A\n1\n2\n3\nC\n".to_vec(), false)
        );
        assert_eq!(
            merged(b"A\n1\n2\n3\nc\n", b"x\n1\n2\n3\nc\n"),
            (b"A\nx\n1\n2\n3\nc\n".to_vec(), false)
        );
        assert_eq!(merged(b"\xff", b"x\nb\nc\n"), (b"\xff".to_vec(), true));
    }
}
