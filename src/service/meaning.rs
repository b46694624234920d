//! Search by meaning, where a person named a sentence model by `search.model`: the vectors of a store, which the watcher
//! and `mdmem sweep` make, and how near each memory is to a question.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::ServiceError;
use super::search::Searched;
use crate::search::{Near, parts};
use crate::semantic::{Encoder, ModelError, cosine, knows, rounded};
use crate::store::{Snapshot, Store, StoredFile, Vectors, keep_vectors, read_vectors};
use crate::sys::each;

/// From so many parts on, no further memory is taken into one go, which lasts about a tenth of a second.
const AT_ONCE: usize = 8;
/// Vectors are kept at the latest this long after they were made.
const KEEP_AFTER: Duration = Duration::from_secs(10);

/// A model as a process has it loaded: its folder, and the time of its file.
type Loaded = (PathBuf, Option<SystemTime>, Arc<Encoder>);

/// The model in a folder. A process loads it once.
pub(super) fn open_model(folder: &Path) -> Result<Arc<Encoder>, ModelError> {
    static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);
    let metadata = std::fs::metadata(folder.join("model.safetensors"));
    let changed = metadata.and_then(|metadata| metadata.modified()).ok();
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, time, model)) = &*loaded
        && (known.as_path(), *time) == (folder, changed)
    {
        return Ok(Arc::clone(model));
    }
    let model = Arc::new(Encoder::open(folder)?);
    *loaded = Some((folder.to_owned(), changed, Arc::clone(&model)));
    Ok(model)
}

/// What vectors depend on beside the file: the model, and what is a secret.
fn stamp(store: &Store, model: &Encoder) -> String {
    format!("{} {}", store.way_of_reading().1, model.hash())
}

/// How near each of these files is to a question; an error is the reason why no model was asked. Without `search.model`
/// there is nothing to say.
pub(super) fn near(
    stores: &[Searched<'_>],
    words: &str,
    files: &[(usize, &StoredFile)],
) -> Result<Vec<Option<Near>>, String> {
    let Some(folder) = stores
        .first()
        .and_then(|(_, store, _)| store.settings().search_model.as_ref())
    else {
        return Ok(Vec::new());
    };
    if !knows(words) {
        return Err("the model knows English alone".to_owned());
    }
    let has_some = |(_, store, _): &Searched<'_>| store.root().join(".mdmem/cache/vectors").exists();
    let none = || Err("there are no vectors yet: the watcher makes them, and `mdmem sweep`".to_owned());
    if !stores.iter().any(has_some) {
        return none();
    }
    let model = open_model(Path::new(folder)).map_err(|error| error.to_string())?;
    let asked = model
        .vectors(&[words.to_owned()])
        .map_err(|error| error.to_string())?;
    let asked = rounded(asked.first().map_or(&[], Vec::as_slice));
    let known = stores.iter();
    let known: Vec<Vectors> = known
        .map(|(_, store, _)| read_vectors(store.root(), &stamp(store, &model)).unwrap_or_default())
        .collect();
    if known.iter().all(BTreeMap::is_empty) {
        return none();
    }
    let near = |(of, file): &(usize, &StoredFile)| {
        let vectors = known[*of].get(&file.blob.0)?.chunks_exact(asked.len().max(1));
        let near = vectors.map(|vector| cosine(&asked, vector)).enumerate();
        let (part, cosine) = near.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        Some(Near { cosine, part })
    };
    Ok(files.iter().map(near).collect())
}

/// Makes all vectors of a store that are missing.
pub(super) fn make_vectors(store: &Store) -> Result<(), ServiceError> {
    if store.settings().search_model.is_some() {
        let (mut making, snapshot) = (Making::default(), store.load()?);
        let steps = std::iter::from_fn(|| Some(making.step(store, &snapshot)));
        for is_more in each("making vectors", steps) {
            if !is_more? {
                break;
            }
        }
    }
    Ok(())
}

/// The making of a store's vectors, a few at a time.
#[derive(Default)]
pub(super) struct Making {
    vectors: Option<(String, Vectors)>,
    /// Since when some are not kept.
    unkept: Option<Instant>,
}

impl Making {
    /// Makes a few of those that are missing, and drops those of files that are gone; says whether more are missing. What
    /// is held back has none. An error, too, where they cannot be kept.
    pub(super) fn step(&mut self, store: &Store, snapshot: &Snapshot) -> Result<bool, ServiceError> {
        let Some(folder) = &store.settings().search_model else {
            return Ok(false);
        };
        let model = open_model(Path::new(folder))?;
        let stamp = stamp(store, &model);
        self.vectors.take_if(|(of, _)| *of != stamp);
        let read = || read_vectors(store.root(), &stamp).unwrap_or_default();
        let (_, vectors) = self.vectors.get_or_insert_with(|| (stamp.clone(), read()));
        let files = snapshot
            .files
            .iter()
            .filter(|file| file.is_readable && file.findings.is_empty());
        let files: BTreeMap<_, _> = files.map(|file| (file.blob.0, file)).collect();
        let before = vectors.len();
        vectors.retain(|blob, _| files.contains_key(blob));
        let is_fewer = vectors.len() < before;
        let missing = files.iter().filter(|(blob, _)| !vectors.contains_key(*blob));
        let (mut texts, mut ends, mut is_done) = (Vec::new(), Vec::new(), true);
        for (blob, file) in missing {
            if texts.len() >= AT_ONCE {
                is_done = false;
                break;
            }
            texts.extend(parts(&file.memory));
            ends.push((*blob, texts.len()));
        }
        let mut made = model.vectors(&texts)?.into_iter();
        let mut begin = 0;
        if is_fewer || !ends.is_empty() {
            self.unkept.get_or_insert_with(Instant::now);
        }
        for (blob, end) in ends {
            let vectors_of = made.by_ref().take(end - begin);
            vectors.insert(blob, vectors_of.flat_map(|vector| rounded(&vector)).collect());
            begin = end;
        }
        if self
            .unkept
            .is_some_and(|since| is_done || is_fewer || since.elapsed() > KEEP_AFTER)
        {
            keep_vectors(store.root(), vectors, &stamp)?;
            self.unkept = None;
        }
        Ok(!is_done)
    }
}
