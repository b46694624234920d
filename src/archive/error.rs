//! The reasons why a host's conversations cannot be read.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// The reason why a host's conversations cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Nothing is there.
    #[error("{}: there are no conversations of {host}", path.display())]
    Missing {
        /// The host.
        host: &'static str,
        /// The place.
        path: PathBuf,
    },
    /// Another process keeps everybody else out.
    #[error("{}: another process has locked the database", .0.display())]
    Locked(PathBuf),
    /// An answer takes longer than anybody waits for it.
    #[error("{}: the database did not answer in time", .0.display())]
    Slow(PathBuf),
    /// The file is no database, or a part of it is lost.
    #[error("{}: the database is torn, or is none: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The database's words.
        source: rusqlite::Error,
    },
    /// The database has other tables than those that mdmem knows.
    #[error("{}: {}: {source}", path.display(), form(newer.as_deref()))]
    OtherForm {
        /// The file.
        path: PathBuf,
        /// The newest change of its form, where mdmem does not know that.
        newer: Option<String>,
        /// The database's words.
        source: rusqlite::Error,
    },
    /// The database cannot be read for another reason.
    #[error("{}: the database cannot be read: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The database's words.
        source: rusqlite::Error,
    },
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}

impl ArchiveError {
    /// The error of the database at `path`.
    pub(super) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(path),
            Some(ErrorCode::OperationInterrupted) => Self::Slow(path),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged { path, source },
            _ => Self::Database { path, source },
        }
    }
}

fn form(newer: Option<&str>) -> String {
    match newer {
        Some(newer) => format!("it is of a newer OpenCode than this mdmem knows ({newer})"),
        None => "it has not the tables of OpenCode".to_owned(),
    }
}
