//! Use case: which memories answer a question?

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::ServiceError;
use super::check::check_kinds;
use crate::document;
use crate::model::{Id, Kind, Moment, Status, StorePath, Timestamp, Zone};
use crate::policy::{Dormancy, plain, strength};
use crate::render::Scope;
use crate::search::{Candidate, Facets, Query, Ranked, Reasons, rank};
use crate::store::{Searching, Snapshot, Store, StoredFile, document as searched_texts};

/// So many of the best by the plain measure are looked at closely, or this many for each that is asked for.
const LOOKED_AT: usize = 48;
const LOOKED_AT_FOR_EACH: usize = 4;
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
    /// The memories, the best one first.
    pub hits: Vec<Hit>,
    /// Neighbours of the best ones that are not among the hits.
    pub see_also: Vec<Neighbour>,
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
    /// The time of its last change.
    pub updated: Moment,
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
fn scope_word<S: Serializer>(scope: &Scope, serializer: S) -> Result<S::Ok, S::Error> {
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

/// Stores that are open for one question, or for many.
#[derive(Default)]
pub struct Searches<'s>(Vec<(Scope, Searching<'s>)>);

impl<'s> Searches<'s> {
    /// Adds a store of which nothing is loaded.
    pub fn open(&mut self, scope: Scope, store: &'s Store) -> Result<(), ServiceError> {
        self.0.push((scope, store.searching()?));
        Ok(())
    }

    /// Asks all of them.
    pub fn ask(&mut self, request: &SearchRequest) -> Result<Found, ServiceError> {
        let stores: Vec<&Store> = self.0.iter().map(|(_, searching)| searching.store()).collect();
        check_kinds(&request.kinds, &stores)?;
        let mut all = Vec::new();
        for (scope, searching) in &mut self.0 {
            all.push(ask(*scope, searching, request)?);
        }
        let found = Found::of_all(all, request.limit);
        let query = request.words.clone();
        Ok(Found { query, ..found })
    }
}

/// Asks one store.
pub(super) fn ask(
    scope: Scope,
    searching: &mut Searching<'_>,
    request: &SearchRequest,
) -> Result<Found, ServiceError> {
    let (files, candidates, mut ranked) = ranked(searching, request)?;
    ranked.truncate(request.limit);
    let hits = ranked.into_iter().map(|ranked| {
        let place = ranked.place;
        hit(
            scope,
            searching.store(),
            &files[place],
            candidates[place].strength,
            ranked,
        )
    });
    let hits: Vec<Hit> = hits.collect();
    let see_also = neighbours(searching, &hits, &files)?;
    let query = String::new();
    Ok(Found {
        query,
        hits,
        see_also,
    })
}

impl Found {
    /// The answers of several stores as one.
    pub(super) fn of_all(all: Vec<Self>, limit: usize) -> Self {
        let is_one = all.len() == 1;
        let mut found = Self::default();
        for answer in all {
            found.hits.extend(answer.hits);
            found.see_also.extend(answer.see_also);
        }
        // The order of one store looks at more than the score.
        if !is_one {
            found.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        found.hits.truncate(limit);
        found.see_also.truncate(MOST_NEIGHBOURS);
        found
    }
}

/// The paths of all memories that answer a question.
pub(super) fn paths_found(
    store: &Store,
    snapshot: Arc<Snapshot>,
    words: &str,
) -> Result<HashSet<StorePath>, ServiceError> {
    let request = SearchRequest {
        words: words.to_owned(),
        all: true,
        limit: usize::MAX,
        ..SearchRequest::default()
    };
    let (files, _, ranked) = ranked(&mut store.searching_in(snapshot, None), &request)?;
    Ok(ranked
        .iter()
        .map(|ranked| files[ranked.place].memory.path.clone())
        .collect())
}

/// The files that may answer, the same for the ranking, and those that answer in their order.
type InOrder = (Vec<Arc<StoredFile>>, Vec<Candidate>, Vec<Ranked>);

fn ranked(searching: &mut Searching<'_>, request: &SearchRequest) -> Result<InOrder, ServiceError> {
    let query = Query::new(&request.words);
    if query.is_empty() {
        return Ok(Default::default());
    }
    let most = request.limit.saturating_mul(LOOKED_AT_FOR_EACH).max(LOOKED_AT);
    let (frequencies, files) = searching.candidates(&query, most, |facets| is_meant(facets, request))?;
    let store = searching.store();
    let now = store.now();
    let dormancy = Dormancy::new(&searching.snapshot().activities, now, &store.rules().retention);
    let candidates = files.iter().map(|file| Candidate {
        document: searched_texts(file),
        strength: strength(&file.memory, &dormancy, now, store.rules()).value,
        updated: file.memory.updated.known().map_or(0, Timestamp::as_millis),
        path: file.memory.path.to_string(),
    });
    let candidates: Vec<Candidate> = candidates.collect();
    let ranked = rank(&query, &frequencies, &candidates);
    Ok((files, candidates, ranked))
}

fn is_meant(facets: &Facets, request: &SearchRequest) -> bool {
    let kind = request.kinds.is_empty() || request.kinds.iter().any(|kind| kind.as_str() == facets.kind);
    let zone = request.zones.is_empty() || request.zones.iter().any(|zone| zone.as_str() == facets.zone);
    let tag = request.tags.is_empty() || request.tags.iter().any(|tag| facets.tags.contains(tag));
    kind && zone && tag && (request.all || facets.status == Status::Active.as_str())
}

fn hit(scope: Scope, store: &Store, file: &StoredFile, strength: f64, ranked: Ranked) -> Hit {
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
        passages.push(FoundPassage {
            line: before,
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
        updated: memory.updated,
        strength,
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

fn neighbours(
    searching: &mut Searching<'_>,
    hits: &[Hit],
    files: &[Arc<StoredFile>],
) -> Result<Vec<Neighbour>, ServiceError> {
    let mut shown: HashSet<StorePath> = hits.iter().map(|hit| hit.path.clone()).collect();
    let mut found = Vec::new();
    for hit in hits.iter().take(WITH_NEIGHBOURS) {
        let Some(file) = files.iter().find(|file| file.memory.path == hit.path) else {
            continue;
        };
        let links = document::link_names(file.memory.content.keyed_text());
        let links: Vec<String> = links.map(|(name, _)| name.to_owned()).collect();
        for other in searching.neighbours(file, &links, MOST_OF_COMMIT)? {
            if other.is_readable
                && other.memory.conflict_of.is_none()
                && shown.insert(other.memory.path.clone())
            {
                found.push(Neighbour {
                    path: other.memory.path.clone(),
                    hook: plain(&other.memory.hook()).collect(),
                    of: hit.path.clone(),
                });
            }
        }
    }
    Ok(found)
}
