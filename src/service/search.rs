//! Use case: which memories answer a question?

use std::collections::HashSet;
use std::mem::ManuallyDrop;

use serde::{Serialize, Serializer};

use super::ServiceError;
use super::check::check_kinds;
use super::meaning::near;
use crate::document;
use crate::model::{Id, Kind, Status, StorePath, Timestamp, Zone};
use crate::policy::{Dormancy, holds_for, is_emptied, plain, strength};
use crate::render::Scope;
use crate::search::{Answer, Candidate, Guess, Query, Ranked, Reasons, answer, matches};
use crate::store::{Snapshot, Store, StoredFile};

/// The number of hits whose neighbours are offered, and the most neighbours of all.
const WITH_NEIGHBOURS: usize = 3;
const MOST_NEIGHBOURS: usize = 5;
/// Memories of a commit with more of them are no neighbours.
const MOST_OF_COMMIT: usize = 6;

/// A question for memories; an empty filter lets everything through.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// The words.
    pub words: String,
    /// Only these types.
    pub kinds: Vec<Kind>,
    /// Only these zones.
    pub zones: Vec<Zone>,
    /// Only memories with one of these tags.
    pub tags: Vec<String>,
    /// True: superseded ones too.
    pub all: bool,
    /// The most hits.
    pub limit: usize,
}

/// The answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// The question.
    pub query: String,
    /// The words that no memory has, with those that were searched in their place.
    pub guesses: Vec<Guess>,
    /// The memories, the best one first.
    pub hits: Vec<Hit>,
    /// Neighbours of the best ones that are not among the hits.
    pub see_also: Vec<Neighbour>,
    /// The reason why the model of `search.model` was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_by_meaning: Option<String>,
}

/// A memory that answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// Its path.
    pub path: StorePath,
    /// Its store.
    #[serde(serialize_with = "scope_word")]
    pub scope: Scope,
    /// Its id.
    pub id: Id,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Its status.
    pub status: Status,
    /// The zone of its folder.
    pub zone: Zone,
    /// Its title.
    pub title: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The files that it holds for; `None`: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// The time of its last change.
    pub updated: Option<Timestamp>,
    /// Its strength now.
    pub strength: f64,
    /// The number by which it is ranked; comparable within an answer.
    pub score: f64,
    /// The reasons for its score.
    pub why: Reasons,
    /// Its best passages, the best one first. A memory that matches by its name alone shows its first lines.
    pub passages: Vec<FoundPassage>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn scope_word<S: Serializer>(scope: &Scope, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *scope == Scope::Global {
        "global"
    } else {
        "project"
    })
}

/// A passage of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundPassage {
    /// The first line of the file, counted from 1.
    pub line: usize,
    /// The lines.
    pub text: String,
    /// The bytes of the words that were asked for: begin and end.
    pub marks: Vec<(usize, usize)>,
}

/// A memory beside those that answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Neighbour {
    /// Its path.
    pub path: StorePath,
    /// Its hook.
    #[serde(rename = "description")]
    pub hook: String,
    /// The memory that it goes with.
    pub of: StorePath,
}

/// Stores that are loaded for one question, or for many, until the process ends: ten thousand memories are not freed one by
/// one.
#[derive(Default)]
pub struct Searches<'s>(Vec<(Scope, &'s Store, ManuallyDrop<Snapshot>)>);

impl<'s> Searches<'s> {
    /// Adds a store.
    pub fn open(&mut self, scope: Scope, store: &'s Store) -> Result<(), ServiceError> {
        self.0.push((scope, store, ManuallyDrop::new(store.load()?)));
        Ok(())
    }

    /// Asks all of them.
    pub fn ask(&self, request: &SearchRequest) -> Result<Found, ServiceError> {
        let stores: Vec<&Store> = self.0.iter().map(|(_, store, _)| *store).collect();
        check_kinds(&request.kinds, &stores)?;
        let stores = self.0.iter();
        let stores = stores.map(|(scope, store, snapshot)| (*scope, *store, &**snapshot));
        Ok(ask(&stores.collect::<Vec<_>>(), request))
    }
}

/// A loaded store.
pub(super) type Searched<'s> = (Scope, &'s Store, &'s Snapshot);

/// Asks all of these stores as one.
pub(super) fn ask(stores: &[Searched<'_>], request: &SearchRequest) -> Found {
    let (files, candidates) = candidates(stores, request);
    let (near, not_by_meaning) = match near(stores, &request.words, &files) {
        Ok(near) => (near, None),
        Err(reason) => (Vec::new(), Some(reason)),
    };
    let query = Query::new(&request.words).with_near(near);
    let dormancies = stores.iter().map(|(_, store, snapshot)| {
        let now = store.now();
        let dormancy = Dormancy::new(&snapshot.activities, now, &store.rules().retention);
        (now, dormancy)
    });
    let dormancies: Vec<_> = dormancies.collect();
    let strength = |place: usize| {
        let (of, file) = files[place];
        let (now, dormancy) = &dormancies[of];
        strength(&file.memory, dormancy, *now, stores[of].1.rules()).value
    };
    let Answer { mut ranked, guesses } = answer(query, &candidates, strength);
    ranked.truncate(request.limit);
    let hits = ranked.into_iter().map(|ranked| {
        let (of, file) = files[ranked.place];
        let (scope, store, _) = stores[of];
        (ranked.place, hit(scope, store, file, ranked))
    });
    let (places, hits): (Vec<usize>, Vec<Hit>) = hits.unzip();
    let best = places.iter().take(WITH_NEIGHBOURS).map(|place| files[*place]);
    let best = best.map(|(of, file)| (stores[of], file));
    Found {
        query: request.words.clone(),
        guesses,
        see_also: neighbours(&hits, best),
        hits,
        not_by_meaning,
    }
}

/// All memories that have words of a question, each by the place of its store and its path; with `guess` also what was
/// taken for words that none has.
pub(super) fn matching<'s>(
    stores: &[Searched<'s>],
    words: &str,
    guess: bool,
) -> (HashSet<(usize, &'s StorePath)>, Vec<Guess>) {
    let request = SearchRequest {
        all: true,
        ..SearchRequest::default()
    };
    let (files, candidates) = candidates(stores, &request);
    let near = guess.then(|| near(stores, words, &files).unwrap_or_default());
    let query = Query::new(words).with_near(near.unwrap_or_default());
    let (places, guesses) = matches(query, &candidates, guess);
    let found = places.into_iter().map(|place| files[place]);
    (found.map(|(of, file)| (of, &file.memory.path)).collect(), guesses)
}

/// The files that are searched, each with the place of its store.
fn candidates<'a>(
    stores: &[Searched<'a>],
    request: &SearchRequest,
) -> (Vec<(usize, &'a StoredFile)>, Vec<Candidate<'a>>) {
    let (mut files, mut candidates) = (Vec::new(), Vec::new());
    for (of, (_, _, snapshot)) in stores.iter().enumerate() {
        for file in snapshot.files.iter().filter(|file| is_meant(file, request)) {
            files.push((of, &**file));
            candidates.push(Candidate {
                memory: &file.memory,
                prints: &file.prints,
            });
        }
    }
    (files, candidates)
}

/// Says whether a file is searched, and lets the filters through.
fn is_meant(file: &StoredFile, request: &SearchRequest) -> bool {
    let memory = &file.memory;
    let kind = request.kinds.is_empty() || request.kinds.contains(&memory.kind);
    let zone = request.zones.is_empty() || request.zones.contains(&file.zone);
    let tag = request.tags.is_empty() || request.tags.iter().any(|tag| memory.tags.contains(tag));
    let status = request.all || memory.status == Status::Active;
    is_shown(file) && kind && zone && tag && status
}

/// Says whether a file may be shown, is not one that a merge set aside, and says anything.
fn is_shown(file: &StoredFile) -> bool {
    let memory = &file.memory;
    file.is_readable && memory.conflict_of.is_none() && !is_emptied(memory)
}

fn hit(scope: Scope, store: &Store, file: &StoredFile, ranked: Ranked) -> Hit {
    let memory = &file.memory;
    let body = memory.content.keyed_text();
    // The lines of the file; of one that is gone by now, those of the body.
    let bytes = store.read(&memory.path).unwrap_or_default();
    let before = first_line(&String::from_utf8_lossy(&bytes), body);
    let mut passages: Vec<FoundPassage> = ranked
        .passages
        .into_iter()
        .map(|passage| FoundPassage {
            line: before + passage.line,
            text: body[passage.bytes].to_owned(),
            marks: passage.marks.iter().map(|mark| (mark.start, mark.end)).collect(),
        })
        .collect();
    if passages.is_empty() {
        let text = body.split("\n\n").next().unwrap_or_default();
        let text = text.lines().take(3).collect::<Vec<_>>().join("\n");
        // A note that is all properties says them; they begin on the second line of its file.
        let (line, text) = match &memory.description {
            Some(properties) if text.is_empty() => (2, properties.clone()),
            _ => (before, text),
        };
        passages.push(FoundPassage {
            line,
            text,
            marks: Vec::new(),
        });
    }
    Hit {
        path: memory.path.clone(),
        scope,
        id: memory.id.clone(),
        kind: memory.kind.clone(),
        status: memory.status,
        zone: file.zone,
        title: memory.title().to_owned(),
        tags: memory.tags.clone(),
        files: holds_for(memory),
        updated: memory.changed(),
        strength: ranked.strength,
        score: ranked.score,
        why: ranked.why,
        passages,
    }
}

/// The line of a file, counted from 1, at which a body begins.
fn first_line(text: &str, body: &str) -> usize {
    let rest = document::body(text.as_bytes());
    // The body of an empty one lies nowhere.
    let start = (rest.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let start = start.unwrap_or(text.len());
    let first = body.lines().next().unwrap_or_default();
    let at = text[start.min(text.len())..]
        .find(first)
        .map_or(start, |at| start + at);
    1 + text[..at.min(text.len())].matches('\n').count()
}

/// The memories that go with the best ones: those that they replaced or were replaced by, that they link, and those of
/// their commit, where these are few.
fn neighbours<'a>(
    hits: &[Hit],
    best: impl Iterator<Item = (Searched<'a>, &'a StoredFile)>,
) -> Vec<Neighbour> {
    let mut shown: HashSet<(Scope, &StorePath)> = hits.iter().map(|hit| (hit.scope, &hit.path)).collect();
    let mut found = Vec::new();
    for ((scope, _, snapshot), file) in best {
        let memory = &file.memory;
        let links = document::link_names(memory.content.keyed_text());
        let links = links.filter_map(|(name, _)| name.trim_end_matches(".md").rsplit('/').next());
        let links: HashSet<String> = links.map(str::to_lowercase).collect();
        let ids: HashSet<&Id> = memory.supersedes.iter().chain(&memory.superseded_by).collect();
        let is_named = |other: &StoredFile| {
            let is_linked = || links.contains(&other.memory.path.stem().to_lowercase());
            ids.contains(&other.memory.id) || !links.is_empty() && is_linked()
        };
        let is_beside = |other: &StoredFile| {
            memory.created.known().is_some() && other.memory.created.known() == memory.created.known()
        };
        let others = snapshot.files.iter().map(|file| &**file);
        let mut beside: Vec<&StoredFile> = others.clone().filter(|other| is_beside(other)).collect();
        if beside.len() > MOST_OF_COMMIT {
            beside.clear();
        }
        for other in others.filter(|other| is_named(other)).chain(beside) {
            if is_shown(other) && shown.insert((scope, &other.memory.path)) {
                found.push(Neighbour {
                    path: other.memory.path.clone(),
                    hook: plain(&other.memory.hook()).collect(),
                    of: memory.path.clone(),
                });
            }
        }
    }
    found.truncate(MOST_NEIGHBOURS);
    found
}
