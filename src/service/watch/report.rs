//! The words of the watch: for the caller, who shows them, and for the log.

use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};

use crate::model::{Oid, Timestamp};
use crate::service::{Failing, Unshown};
use crate::store::{Held, Unfinished};
use crate::sys::shown_path;

/// An event that a watch tells its caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum WatchReport {
    /// This process holds the watch from now on.
    Watching {
        /// The store's folder.
        store: String,
    },
    /// Another process watches; this process waits to take over.
    Waiting {
        /// The other process, as it describes itself.
        holder: String,
    },
    /// A commit was made, by this process or another one.
    Committed {
        /// Its name.
        #[serde(rename = "commit")]
        oid: Oid,
        /// Its time.
        time: Timestamp,
        /// Its maker.
        by: CommitMaker,
        /// Its subject.
        subject: String,
    },
    /// Memories came from other machines, or went there; nothing, where that works again after a failure that was told.
    Exchanged {
        /// The number of commits that came.
        received: usize,
        /// The number of commits that went.
        sent: usize,
        /// The number of memories of which both sides changed the same lines.
        conflicts: usize,
        /// The memories that prompts do not show any more, where settings came that take most of them out.
        #[serde(serialize_with = "count_of")]
        unshown: Option<Unshown>,
    },
    /// The exchange with other machines does not work.
    NotExchanged(Failing),
    /// Commits wait for something that git is in the middle of.
    Blocked {
        /// What git is in the middle of.
        obstacle: String,
        /// What to do about it.
        #[serde(skip)]
        hint: Option<String>,
    },
    /// Something failed, and is tried again until it succeeds.
    Failing {
        /// The error, with the file that it is about.
        cause: String,
    },
    /// Commits are made again.
    Unblocked,
    /// The store is not there; the watch begins again when it comes back.
    Gone {
        /// Its folder.
        store: String,
    },
    /// Many files are missing: they are not taken as deleted until a person says so.
    Withheld {
        /// The number of missing files.
        files: usize,
    },
    /// A save is not committed.
    Held(Held),
    /// A restore, undo or import stopped half way; it is tried again until its cause is gone.
    Unfinished(Unfinished),
    /// Something is not as it should be, and commits are made all the same.
    Warning {
        /// The words.
        message: String,
    },
    /// Something else that a person may want to know.
    Notice {
        /// The words.
        message: String,
    },
}

/// Of memories that are not shown any more their number.
#[expect(clippy::ref_option, reason = "serde calls it so")]
fn count_of<S: Serializer>(unshown: &Option<Unshown>, to: S) -> Result<S::Ok, S::Error> {
    unshown.map(|unshown| unshown.count).serialize(to)
}

/// The maker of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CommitMaker {
    /// A person, by an editor, a command or git.
    Person,
    /// An agent, in one of its sessions.
    Agent,
    /// The engine, by itself.
    Engine,
    /// Somebody on another machine; an exchange brought it.
    #[serde(rename = "machine")]
    OtherMachine,
}

impl CommitMaker {
    /// The word for it in the feed and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Engine => "engine",
            Self::OtherMachine => "machine",
        }
    }
}

/// The caller's answer to a report: the watch goes on, or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continue {
    /// It does.
    Yes,
    /// It ends after this.
    No,
}

impl WatchReport {
    /// A sentence that tells a person what to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Blocked { hint, .. } => hint.clone(),
            Self::Withheld { .. } => Some(
                "`mdmem sweep --yes` commits their deletion; `mdmem restore HEAD` brings them back."
                    .to_owned(),
            ),
            Self::Unfinished(unfinished) => Some(unfinished.hint().to_owned()),
            Self::Held(held) => Some(held.hint()),
            Self::Failing { .. } => Some("It is retried automatically.".to_owned()),
            Self::NotExchanged(_) => Some(
                "`mdmem sync` retries now and says what to do; with `sync.auto` it is retried \
                 automatically."
                    .to_owned(),
            ),
            Self::Exchanged { conflicts: 1.., .. } => Some(
                "`mdmem conflicts` shows and resolves \
                them."
                    .to_owned(),
            ),
            Self::Exchanged { unshown, .. } => unshown.as_ref()?.hint(),
            Self::Gone { .. } => Some("Watching resumes when it comes back.".to_owned()),
            _ => None,
        }
    }

    /// The line for a person who looks at an agent alone: of what needs a person's word, and would not be seen else.
    pub(super) fn notice(&self) -> Option<String> {
        let is_for_people = matches!(
            self,
            Self::NotExchanged(_)
                | Self::Exchanged { conflicts: 1.., .. }
                | Self::Exchanged { unshown: Some(_), .. }
        );
        let hint = is_for_people.then(|| self.hint())?.unwrap_or_default();
        Some(format!("{self}. {hint}"))
    }

    /// Writes the report into the log of the store `root`. The watch tells each thing once, by itself.
    pub(super) fn log(&self, root: &Path) {
        let store = root.display();
        let hint = self.hint();
        let hint = hint.as_deref();
        match self {
            Self::Committed { .. } => tracing::debug!(%store, "{self}"),
            Self::Blocked { .. }
            | Self::Failing { .. }
            | Self::Gone { .. }
            | Self::Withheld { .. }
            | Self::Held(_)
            | Self::Unfinished(_)
            | Self::NotExchanged(_)
            | Self::Warning { .. } => tracing::warn!(%store, hint, is_news = true, "{self}"),
            // A watch that a person looks at prints it, so that it is for the log alone.
            Self::Exchanged { .. } => tracing::info!(%store, hint, is_printed = true, "{self}"),
            Self::Watching { .. } | Self::Waiting { .. } | Self::Unblocked | Self::Notice { .. } => {
                tracing::info!(%store, hint, "{self}");
            }
        }
    }
}

impl fmt::Display for WatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Watching { store } => write!(f, "watching {store}"),
            Self::Waiting { holder } => {
                write!(f, "{holder} already watches this store: waiting to take over")
            }
            Self::Committed { oid, subject, .. } => write!(f, "committed {}: {subject}", oid.short()),
            Self::Blocked { obstacle: cause, .. } | Self::Failing { cause } => {
                write!(f, "commits wait: {cause}")
            }
            Self::Exchanged {
                received,
                sent,
                conflicts,
                unshown,
            } => {
                let commits = if *received == 1 { "commit" } else { "commits" };
                write!(f, "synced: received {received} {commits}, sent {sent}")?;
                if *conflicts > 0 {
                    write!(f, "; conflicts: {conflicts}")?;
                }
                unshown
                    .as_ref()
                    .map_or(Ok(()), |unshown| write!(f, "; {unshown}"))
            }
            Self::NotExchanged(Failing { since, cause }) => {
                write!(f, "not synced with other machines since {since}: {cause}")
            }
            Self::Unblocked => f.write_str("committing again"),
            Self::Gone { store } => write!(f, "commits wait: the store {store} is unavailable"),
            Self::Withheld { files } => write!(
                f,
                "{files} files are missing, more than half of the store: their deletion is not committed"
            ),
            Self::Held(held) => write!(
                f,
                "{} is not committed: {}",
                shown_path(&held.path),
                held.describe()
            ),
            Self::Unfinished(unfinished) => f.write_str(&unfinished.describe()),
            Self::Warning { message } | Self::Notice { message } => f.write_str(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_noticed_where_it_needs_a_person() {
        let exchanged = |conflicts, unshown| WatchReport::Exchanged {
            received: 1,
            sent: 0,
            conflicts,
            unshown,
        };
        assert_eq!(exchanged(0, None).notice(), None);
        let unshown = Unshown {
            count: 18,
            of: 20,
            last_in: None,
        };
        let notice = exchanged(0, Some(unshown)).notice().unwrap();
        assert!(
            notice.contains("remove 18 of 20 memories from the prompt"),
            "{notice}"
        );
        assert_eq!(
            exchanged(2, None).notice().unwrap(),
            "synced: received 1 commit, sent 0; conflicts: 2. \
             `mdmem conflicts` shows and resolves them."
        );
        assert_eq!(WatchReport::Unblocked.notice(), None);
    }
}
