//! The reasons why two machines do not exchange a store.

use std::path::PathBuf;

use crate::git::{GitError, Obstacle};
use crate::model::Oid;
use crate::store::{Leak, LeakPlace, StoreError};

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
    /// Nobody said where.
    #[error("this store has no remote")]
    NoRemote,
    /// Another branch is checked out than the one that is exchanged.
    #[error("the branch {branch} is checked out, and {exchanged} is the one that is exchanged")]
    OtherBranch {
        /// The branch of HEAD.
        branch: String,
        /// The branch that follows the remote.
        exchanged: String,
    },
    /// The address is the store itself.
    #[error("{} is this store itself", root.display())]
    OwnFolder {
        /// The store's folder.
        root: PathBuf,
    },
    /// The address would show what gives access.
    #[error("the address holds what looks like a credential ({kind})")]
    TokenInAddress {
        /// The kind that it looks like.
        kind: &'static str,
    },
    /// The branch's name would show what gives access.
    #[error("the name of the branch looks like a credential ({kind})")]
    TokenInBranch {
        /// The kind that it looks like.
        kind: &'static str,
    },
    /// There is nothing to clone.
    #[error("there is nothing at {remote} yet")]
    EmptyRemote {
        /// The address.
        remote: String,
    },
    /// A clone never takes the place of a store.
    #[error("this workspace has a store already: {}", root.display())]
    StoreExists {
        /// The store's folder.
        root: PathBuf,
    },
    /// The remote holds something else.
    #[error("{remote} holds no store: there is no mdmem.toml in it")]
    NotAStore {
        /// The address.
        remote: String,
    },
    /// A newer mdmem writes there.
    #[error("the store at {remote} has the format {format}, which a newer mdmem wrote")]
    NewerFormat {
        /// The address.
        remote: String,
        /// The number of the format.
        format: u32,
    },
    /// The remote brings what no store may hold.
    #[error("{remote} brings {}: {why}", path.display())]
    Refused {
        /// The address.
        remote: String,
        /// The path.
        path: PathBuf,
        /// The reason.
        why: String,
        /// The command that takes it back there.
        back: Option<String>,
    },
    /// More files than any store has.
    #[error("{remote} brings more than {most} files, or folders without end (commit {})", commit.short())]
    TooManyFiles {
        /// The address.
        remote: String,
        /// The commit that has them.
        commit: Oid,
        /// The limit.
        most: usize,
        /// The command that takes it back there.
        back: Option<String>,
    },
    /// The remote's head waits for a person's word.
    #[error("{remote} waits for your word, nothing of it was taken over: {quarantine}")]
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
    /// The remote takes no push.
    #[error("{remote} refused the push: {why}")]
    Refusal {
        /// The address.
        remote: String,
        /// The remote's words.
        why: String,
    },
    /// The remote's branch was locked at every attempt.
    #[error("{remote} takes no push now: {why}")]
    Locked {
        /// The address.
        remote: String,
        /// The remote's words.
        why: String,
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
        "others pushed to {remote} at each of {attempts} attempts: your changes are merged, and not pushed yet"
    )]
    Raced {
        /// The address.
        remote: String,
        /// The number of attempts.
        attempts: usize,
    },
}

impl SyncError {
    /// Tells a person what to do next; `None` where the message says it.
    pub fn hint(&self) -> Option<String> {
        let (text, back) = match self {
            Self::Refused { back, .. } | Self::TooManyFiles { back, .. } => (
                "Nothing was changed here. Take it out on the machine that committed it, and push again from there."
                    .to_owned(),
                back,
            ),
            Self::Quarantined {
                quarantine, back, ..
            } => {
                let accepted = match quarantine.descent {
                    Descent::Onward => {
                        "accepts it: what went there goes here too, and stays in history (`mdmem restore`)"
                    }
                    _ => "accepts it, and brings back there what only this machine has",
                };
                let text = format!(
                    "`mdmem sync --show` shows what would change. If another machine meant it (`mdmem sweep --yes`, say), `mdmem sync --accept-remote` {accepted}."
                );
                (text, back)
            }
            Self::Secrets { leaks } => {
                let of_people = "With `git config user.name NAME` and `git config user.email ADDRESS`, in the store's folder, the next commit is without it. ";
                let is_of_people = leaks.iter().any(|leak| leak.place == LeakPlace::People);
                return Some(format!(
                    "{}`mdmem sync --rewrite-unpushed` takes it out of the commits that were never sent, and keeps the files here. `mdmem allow PATH` if it is none; `mdmem sync --allow-secrets` sends it this once.",
                    if is_of_people { of_people } else { "" }
                ));
            }
            Self::Uncommitted { obstacle, .. } => return obstacle.hint(),
            Self::NewerFormat { .. } => {
                return Some("Nothing was changed here. Update mdmem on this machine.".to_owned());
            }
            Self::OtherBranch { branch, exchanged } => {
                return Some(format!(
                    "Nothing was exchanged. Go back with `git switch {exchanged}` in the store's folder, where `git merge {branch}` brings along what was committed meanwhile."
                ));
            }
            Self::Git(error) => return error.hint(),
            Self::Store(error) => return error.hint(),
            other => return other.next_step().map(str::to_owned),
        };
        let back = back.as_ref().map(|command| {
            format!(" If nobody did: `{command}`, in the store's folder, brings back there what was accepted last.")
        });
        Some(text + &back.unwrap_or_default())
    }
}

impl SyncError {
    const fn next_step(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoRemote => {
                "`mdmem sync URL` gives it one; the setting `sync.remote` names one repository for all stores."
            }
            Self::NotAStore { .. } => {
                "No memory was changed. Give another address (`mdmem sync URL`): an empty repository, or a store of mdmem's."
            }
            Self::StoreExists { .. } => "`mdmem sync URL` joins the two.",
            Self::OwnFolder { .. } => {
                "Name an empty repository elsewhere, which `git init --bare FOLDER` makes, or one on a server."
            }
            Self::TokenInAddress { .. } => {
                "Give the address without it; git's credential helpers keep it (`git help credentials`)."
            }
            Self::TokenInBranch { .. } => {
                "Give it another name there, then `mdmem sync URL --branch NAME`, or `git config branch.main.merge refs/heads/NAME` in the store's folder."
            }
            Self::EmptyRemote { .. } => "`mdmem sync URL` brings this workspace's store there.",
            Self::Refusal { .. } => {
                "What came from there is merged; your own changes are safe here, and are sent by the next `mdmem sync`."
            }
            Self::Locked { .. } => {
                "Your changes are merged and safe here. If no git runs there, one that was killed left the lock: remove that file, then run `mdmem sync` again."
            }
            Self::Raced { .. } => "Run `mdmem sync` again when it is quieter there.",
            _ => return None,
        })
    }
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
