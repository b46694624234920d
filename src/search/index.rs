//! The index: which memories have which tokens, in a database of `SQLite` that may be deleted at any time.
//!
//! It holds tokens and no text. A row says which state of its file it was made of (`fact`), and the database holds
//! the sum of all facts, so that one comparison tells whether the files are those that it knows. An update is one
//! transaction: who is killed in the middle of it leaves the state before.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};

use super::query::Query;
use super::rank::{Document, FIELDS, Frequencies};
use super::tokens::each_token;

/// The form of the tables and of the tokens.
const VERSION: &str = "1";
/// The time for which somebody waits for another process that has the database, which takes a few milliseconds.
const PATIENCE: Duration = Duration::from_millis(200);
/// Matching looks at about so many entries of tokens: the rarest words first, and what is everywhere not at all.
const MOST_ENTRIES: u64 = 1_500;

const TABLES: &str = "
    CREATE TABLE state(stamp TEXT, documents INTEGER, facts INTEGER);
    CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT UNIQUE, fact INTEGER, again INTEGER, facets TEXT,
        memory TEXT, stem TEXT, created INTEGER);
    CREATE INDEX again ON files(path) WHERE again;
    CREATE INDEX memories ON files(memory);
    CREATE INDEX stems ON files(stem);
    CREATE INDEX times ON files(created);
    CREATE VIRTUAL TABLE words USING fts5(name, hook, body, why, content='', contentless_delete=1,
        tokenize=\"ascii tokenchars '+#'\");";

/// The reason why an index cannot be used. It is a cache: nobody is told, and it is made again.
#[derive(Debug, thiserror::Error)]
#[error("the index of the search: {0}")]
pub struct IndexError(#[from] rusqlite::Error);

/// The properties of a memory that a question may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facets {
    /// Its type.
    pub kind: String,
    /// The zone of its folder.
    pub zone: String,
    /// Its status.
    pub status: String,
    /// Its tags.
    pub tags: Vec<String>,
}

impl Facets {
    fn text(&self) -> String {
        let fixed = [&self.kind, &self.zone, &self.status].into_iter();
        let parts: Vec<String> = fixed
            .chain(&self.tags)
            .map(|part| part.replace('\t', " "))
            .collect();
        parts.join("\t")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('\t').map(str::to_owned);
        let (kind, zone, status) = (parts.next()?, parts.next()?, parts.next()?);
        let tags = parts.collect();
        Some(Self {
            kind,
            zone,
            status,
            tags,
        })
    }
}

/// A file, for the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its path.
    pub path: String,
    /// A number that is another one when the file is another one.
    pub fact: u64,
    /// True for a file that every reader has to read again: what the index knows of it may be old, or is nothing.
    pub again: bool,
    /// Its properties.
    pub facets: Facets,
    /// Its id.
    pub memory: String,
    /// The name by which others link it.
    pub stem: String,
    /// When it was made (milliseconds): those of one commit share the time.
    pub created: i64,
    /// Its texts; `None`: it is not searched.
    pub document: Option<Document>,
}

/// An index, open.
pub struct Index {
    db: Connection,
}

impl Index {
    /// Opens an index; `None` where there is none of this `stamp`, or a torn one.
    pub fn open(path: &Path, stamp: &str) -> Option<Self> {
        if !path.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let opened = || {
            let db = Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )?;
            db.busy_timeout(PATIENCE)?;
            let stamped: String = db.query_row("SELECT stamp FROM state", [], |row| row.get(0))?;
            Ok::<_, IndexError>((stamped == stamped_by(stamp)).then_some(Self { db }))
        };
        opened().unwrap_or_else(|error| {
            tracing::debug!(%error, "not used");
            None
        })
    }

    /// Makes an index at a path where there is nothing; without a path, in memory.
    pub fn build(
        path: Option<&Path>,
        stamp: &str,
        rows: impl Iterator<Item = Row>,
    ) -> Result<Self, IndexError> {
        let mut db = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        // Nobody sees it before it has its name; a torn one is none.
        db.pragma_update(None, "journal_mode", "OFF")?;
        db.pragma_update(None, "synchronous", "OFF")?;
        db.execute_batch(TABLES)?;
        db.execute("INSERT INTO state VALUES (?1, 0, 0)", [stamped_by(stamp)])?;
        let transaction = db.transaction()?;
        add(&transaction, rows)?;
        transaction.commit()?;
        Ok(Self { db })
    }

    /// Puts rows in the place of those that these paths have, in one step.
    pub fn update(&mut self, paths: &[&str], rows: impl Iterator<Item = Row>) -> Result<(), IndexError> {
        self.db.pragma_update(None, "synchronous", "NORMAL")?;
        let transaction = self
            .db
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for path in paths {
            let row: Option<(i64, i64)> = transaction
                .prepare_cached("DELETE FROM files WHERE path = ?1 RETURNING id, fact")?
                .query_row([path], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((id, fact)) = row else { continue };
            let gone = transaction
                .prepare_cached("DELETE FROM words WHERE rowid = ?1")?
                .execute([id])?;
            count(
                &transaction,
                -i64::try_from(gone).unwrap_or(0),
                fact.wrapping_neg(),
            )?;
        }
        add(&transaction, rows)?;
        Ok(transaction.commit()?)
    }

    /// The sum of the facts of all files.
    pub fn facts(&self) -> Result<u64, IndexError> {
        let facts: i64 = self
            .db
            .query_row("SELECT facts FROM state", [], |row| row.get(0))?;
        Ok(facts.cast_unsigned())
    }

    /// Tells the number of changes that others made to it since it was opened.
    pub fn version(&self) -> Result<i64, IndexError> {
        Ok(self.db.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// The files that have to be read again.
    pub fn again(&self) -> Result<HashSet<String>, IndexError> {
        let mut found = self.db.prepare_cached("SELECT path FROM files WHERE again")?;
        Ok(found.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The fact of each file.
    pub fn known(&self) -> Result<HashMap<String, u64>, IndexError> {
        let mut found = self.db.prepare("SELECT path, fact FROM files")?;
        let rows = found.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned())))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The paths of the best memories by the plain measure, `most` of them that `is_meant` lets through, and how
    /// often the tokens of the question occur.
    pub fn matches(
        &self,
        query: &Query,
        most: usize,
        mut is_meant: impl FnMut(&str, &Facets) -> bool,
    ) -> Result<(Frequencies, Vec<String>), IndexError> {
        let documents: i64 = self
            .db
            .query_row("SELECT documents FROM state", [], |row| row.get(0))?;
        let mut frequencies = Frequencies {
            documents: documents.unsigned_abs(),
            ..Frequencies::default()
        };
        let mut terms = Vec::new();
        for word in &query.words {
            for (form, _) in &word.forms {
                let mut term = format!("\"{form}\"");
                if word.is_letter {
                    term.push('*');
                }
                if !frequencies.of.contains_key(form) {
                    let with = self.count(&term)?;
                    frequencies.of.insert(form.clone(), with);
                    terms.push((with, term));
                }
            }
        }
        terms.retain(|(with, _)| *with > 0);
        terms.sort();
        let mut entries = 0;
        let chosen: Vec<&str> = terms
            .iter()
            .take_while(|(with, _)| {
                entries += with;
                entries == *with || entries <= MOST_ENTRIES
            })
            .map(|(_, term)| term.as_str())
            .collect();
        if chosen.is_empty() {
            return Ok((frequencies, Vec::new()));
        }
        let [name, hook, body, why] = FIELDS.map(|(_, weight)| weight);
        let mut found = self.db.prepare_cached(
            "SELECT path, facets FROM words JOIN files ON files.id = words.rowid
             WHERE words MATCH ?1 ORDER BY bm25(words, ?2, ?3, ?4, ?5)",
        )?;
        let mut rows = found.query(params![chosen.join(" OR "), name, hook, body, why])?;
        let mut paths = Vec::new();
        while paths.len() < most
            && let Some(row) = rows.next()?
        {
            let (path, facets): (String, String) = (row.get(0)?, row.get(1)?);
            if Facets::parse(&facets).is_some_and(|facets| is_meant(&path, &facets)) {
                paths.push(path);
            }
        }
        Ok((frequencies, paths))
    }

    /// The number of memories that have a term, up to a bound.
    fn count(&self, term: &str) -> Result<u64, IndexError> {
        let mut counted = self
            .db
            .prepare_cached("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ?1 LIMIT ?2)")?;
        let most = i64::try_from(MOST_ENTRIES).unwrap_or(i64::MAX);
        let with: i64 = counted.query_row(params![term, most], |row| row.get(0))?;
        Ok(with.unsigned_abs())
    }

    /// The path of the memory with an id, or with a name of its file.
    pub fn named(&self, name: &str) -> Result<Option<String>, IndexError> {
        let mut found = self
            .db
            .prepare_cached("SELECT path FROM files WHERE memory = ?1 OR stem = ?1 ORDER BY path LIMIT 1")?;
        Ok(found.query_row([name], |row| row.get(0)).optional()?)
    }

    /// The paths of the memories that were made at a time, if they are `most` at most.
    pub fn made_at(&self, created: i64, most: usize) -> Result<Vec<String>, IndexError> {
        let mut found = self
            .db
            .prepare_cached("SELECT path FROM files WHERE created = ?1 LIMIT ?2")?;
        let limit = i64::try_from(most + 1).unwrap_or(i64::MAX);
        let paths: Vec<String> = found
            .query_map(params![created, limit], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        Ok(if paths.len() > most { Vec::new() } else { paths })
    }
}

fn stamped_by(stamp: &str) -> String {
    format!("{VERSION} {stamp}")
}

fn add(db: &Connection, rows: impl Iterator<Item = Row>) -> Result<(), IndexError> {
    let mut file = db.prepare_cached(
        "INSERT INTO files(path, fact, again, facets, memory, stem, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut words =
        db.prepare_cached("INSERT INTO words(rowid, name, hook, body, why) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let (mut documents, mut facts) = (0, 0_i64);
    for row in rows {
        let (fact, properties) = (row.fact.cast_signed(), row.facets.text());
        file.execute(params![
            row.path,
            fact,
            row.again,
            properties,
            row.memory,
            row.stem,
            row.created
        ])?;
        facts = facts.wrapping_add(fact);
        if let Some(document) = &row.document {
            let [name, hook, body, why] = document.fields().map(|text| tokens_of(text));
            words.execute(params![db.last_insert_rowid(), name, hook, body, why])?;
            documents += 1;
        }
    }
    count(db, documents, facts)
}

/// A sum of integers in SQL does not wrap.
fn count(db: &Connection, documents: i64, facts: i64) -> Result<(), IndexError> {
    let sum: i64 = db.query_row("SELECT facts FROM state", [], |row| row.get(0))?;
    db.prepare_cached("UPDATE state SET documents = documents + ?1, facts = ?2")?
        .execute([documents, sum.wrapping_add(facts)])?;
    Ok(())
}

fn tokens_of(text: &str) -> String {
    let mut tokens = String::with_capacity(text.len());
    each_token(text, |token| {
        tokens.push_str(&token.text);
        tokens.push(' ');
    });
    tokens
}
