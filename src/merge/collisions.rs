//! Names that two files of a merged tree would share: on any system, the file with the lesser id keeps its name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::files::{Contents, Reader, Side, memory_path, read_memory};
use super::resolve::Claim;
use super::store::Content;
use crate::model::Id;
use crate::text::{folded_name, sha256_hex};

/// The most bytes of a name.
const LONGEST: usize = 255;

/// Gives each file a name of its own. `settled` are the paths that no side changed.
pub(super) fn part<'a, C: Contents>(
    claims: &mut [Claim<'a>],
    settled: impl Iterator<Item = &'a Path>,
    reader: &Reader<'_, C>,
) -> Result<(), C::Error> {
    let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate() {
        by_name.entry(folded(&claim.path)).or_default().push(at);
    }
    // A path that no side changed cannot meet another one: some side has both.
    let parents = claims.iter().flat_map(|claim| claim.path.ancestors().skip(1));
    let folders: BTreeSet<String> = parents.map(folded).collect();
    let mut renamed = Vec::new();
    for (name, members) in &by_name {
        let is_folder = folders.contains(name);
        if members.len() == 1 && !is_folder {
            continue;
        }
        let mut ranked = Vec::new();
        for at in members {
            ranked.push((Rank::of(&claims[*at], reader)?, *at));
        }
        ranked.sort();
        let mut kept: Vec<usize> = Vec::new();
        for (rank, at) in ranked {
            let lives_beside = |other: &usize| lives_beside(&claims[at], &claims[*other]);
            if !is_folder && kept.iter().all(lives_beside) {
                kept.push(at);
            } else {
                renamed.push((rank, at));
            }
        }
    }
    if renamed.is_empty() {
        return Ok(());
    }
    renamed.sort();
    let mut taken: BTreeSet<String> = settled.flat_map(Path::ancestors).map(folded).collect();
    taken.extend(by_name.into_keys());
    taken.extend(folders);
    for (rank, at) in renamed {
        let path = free(&claims[at].path, &rank.suffix(), &mut taken);
        claims[at].path = Cow::Owned(path);
    }
    Ok(())
}

/// Says whether some side has both files, so that its system tells their names apart.
fn lives_beside(one: &Claim<'_>, other: &Claim<'_>) -> bool {
    Side::BOTH.into_iter().any(|side| {
        let is_there = |claim: &Claim<'_>| claim.unit.on(side).is_some_and(|place| place.path == claim.path);
        one.path != other.path && is_there(one) && is_there(other)
    })
}

/// The order in which files keep their names: by id, then those without by their content.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    has_no_id: bool,
    id: Option<Id>,
    hash: String,
    path: PathBuf,
}

impl Rank {
    fn of<C: Contents>(claim: &Claim<'_>, reader: &Reader<'_, C>) -> Result<Self, C::Error> {
        let bytes = match &claim.content {
            Content::Blob(blob) => reader.bytes(blob.oid)?.to_vec(),
            Content::Bytes { bytes, .. } => bytes.clone(),
        };
        let memory = memory_path(&claim.path).map(|path| read_memory(&path, &bytes));
        let id = memory.and_then(|memory| memory.id_stated.then_some(memory.id));
        Ok(Self {
            has_no_id: id.is_none(),
            id,
            hash: sha256_hex(&bytes),
            path: claim.path.to_path_buf(),
        })
    }

    /// The last six letters and digits of the id, else of the hash.
    fn suffix(&self) -> String {
        let id = self.id.as_ref().map_or("", Id::as_str);
        let word: Vec<char> = id.chars().filter(|c| c.is_alphanumeric()).collect();
        let word = if word.is_empty() {
            self.hash.chars().collect()
        } else {
            word
        };
        word[word.len().saturating_sub(6)..].iter().collect()
    }
}

fn free(path: &Path, suffix: &str, taken: &mut BTreeSet<String>) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let dot = name.rfind('.').filter(|at| *at > 0 && name.len() - at < 32);
    let (stem, extension) = name.split_at(dot.unwrap_or(name.len()));
    let mut ends = std::iter::once(String::new()).chain((2_u32..).map(|n| format!("-{n}")));
    ends.find_map(|end| {
        let end = format!("-{suffix}{end}{extension}");
        let stem = &stem[..stem.floor_char_boundary(LONGEST - end.len())];
        let path = path.with_file_name(format!("{stem}{end}"));
        taken.insert(folded(&path)).then_some(path)
    })
    .expect("because numbers do not end before names do")
}

/// The path as systems compare it that do not tell case or composition apart; of a path that is no UTF-8, its bytes.
pub(super) fn folded(path: &Path) -> String {
    match path.to_str() {
        Some(path) => folded_name(path),
        None => format!("\0{}", crate::model::hex(path.as_os_str().as_encoded_bytes())),
    }
}
