//! The reasons why two machines do not exchange a store.

use std::path::PathBuf;

use crate::git::{GitError, Obstacle};
use crate::store::{Leak, StoreError};

use super::quarantine::{Descent, Quarantine};

/// The number of places of credentials that one message names.
const MOST_TOLD: usize = 5;

/// The reason why nothing was exchanged. The files here are as they were.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// git, or the network.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A reason that no caller asks for: what happened, and the next step as a sentence.
    #[error("{what}")]
    Said {
        /// What happened, and where.
        what: String,
        /// The next step.
        next: String,
    },
    /// Nobody said where.
    #[error("this store has no remote")]
    NoRemote,
    /// There is nothing to clone.
    #[error("{remote} has no commits yet")]
    EmptyRemote {
        /// The address.
        remote: String,
    },
    /// The remote's head waits for a person's word.
    #[error("nothing was merged from {remote}, which needs your approval: {quarantine}")]
    Quarantined {
        /// The address.
        remote: String,
        /// The reason.
        quarantine: Quarantine,
        /// The command that takes it back there.
        back: Option<String>,
    },
    /// A commit to be sent holds what looks like a credential, or what nobody looks into.
    #[error("nothing was sent: {}", leaks_told(leaks))]
    Secrets {
        /// Each place.
        leaks: Vec<Leak>,
    },
    /// Saves could not be committed, so that they would not go with the rest.
    #[error("{} not committed: {obstacle}", uncommitted(paths))]
    Uncommitted {
        /// The files that were saved.
        paths: Vec<PathBuf>,
        /// The thing in the way.
        obstacle: Box<Obstacle>,
    },
    /// Others pushed at every attempt.
    #[error(
        "others pushed to {remote} at each of {attempts} attempts: your changes are merged, but not \
         pushed yet"
    )]
    Raced {
        /// The address.
        remote: String,
        /// The number of attempts.
        attempts: usize,
    },
}

impl SyncError {
    /// What happened, and where, with the next step as a sentence.
    pub fn said(what: impl Into<String>, next: impl Into<String>) -> Self {
        let (what, next) = (what.into(), next.into());
        Self::Said { what, next }
    }

    /// The remote brings what no store may hold; `back` is the command that takes it back there.
    pub(super) fn brings(what: String, back: Option<&str>) -> Self {
        let next = "Nothing was changed here. Remove it on the machine that committed it, and push again \
            from there.";
        Self::said(what, next.to_owned() + &or_back(back))
    }

    /// Tells a person what to do next; `None` where the message says it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Git(error) => return error.hint(),
            Self::Store(error) => return error.hint(),
            Self::Said { next, .. } => next.clone(),
            Self::NoRemote => {
                "`mdmem sync URL` sets one; the setting `sync.remote` names one repository for all \
                 stores."
                    .to_owned()
            }
            Self::EmptyRemote { .. } => "`mdmem sync URL` sends this workspace's store there.".to_owned(),
            Self::Quarantined { quarantine, back, .. } => {
                let accepted = match quarantine.descent {
                    Descent::Onward => {
                        "accepts it: what was removed there is removed here, and stays in the history \
                         (`mdmem restore`)"
                    }
                    _ => "accepts it, and sends what only this machine has",
                };
                format!(
                    "`mdmem sync --show` shows what would change. If it was intended on another machine, \
                     `mdmem sync --accept-remote` {accepted}.{}",
                    or_back(back.as_deref())
                )
            }
            Self::Secrets { leaks } => {
                let of_people = "Set `git config user.name NAME` and `git config user.email ADDRESS` in \
                    the store's folder for new commits. ";
                let is_of_people = leaks.iter().any(|leak| leak.place == "people");
                format!(
                    "{}`mdmem sync --rewrite-unpushed` removes it from commits that were never sent. If \
                     it is harmless, `mdmem allow PATH`, or send it once with `mdmem sync --allow-secrets`.",
                    if is_of_people { of_people } else { "" }
                )
            }
            Self::Uncommitted { obstacle, .. } => return obstacle.hint(),
            Self::Raced { .. } => "Run `mdmem sync` again later.".to_owned(),
        })
    }
}

fn or_back(command: Option<&str>) -> String {
    command.map_or_else(String::new, |command| {
        format!(" If not, `{command}` in the store's folder restores the last accepted state there.")
    })
}

fn uncommitted(paths: &[PathBuf]) -> String {
    match paths {
        [] => "what was saved is".to_owned(),
        [one] => format!("{} is", one.display()),
        [first, more @ ..] => format!("{} and {} more are", first.display(), more.len()),
    }
}

fn leaks_told(leaks: &[Leak]) -> String {
    let told: Vec<String> = leaks.iter().take(MOST_TOLD).map(Leak::to_string).collect();
    let more = match leaks.len().saturating_sub(MOST_TOLD) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    told.join("; ") + &more
}
