//! Tells of the commits that come to a store, whoever makes them.

use crate::git::{CommitInfo, GitError, Repo, trailer};
use crate::model::{Oid, Source};

use super::report::{CommitMaker, WatchReport};
use super::voice::Voice;

/// The most commits that are told one by one, when many come at once.
const MOST_TOLD: usize = 50;

/// The commits of a store up to the last one that was told.
#[derive(Debug)]
pub(super) struct Feed {
    known: Option<Oid>,
}

impl Feed {
    /// Tells nothing of what is committed by now.
    pub(super) fn of(repo: &Repo) -> Self {
        let head = repo.head().ok();
        Self {
            known: head.and_then(|head| head.tip()),
        }
    }

    /// Tells of the commits since, the oldest first. A history that cannot be read is no reason to stop the watch.
    pub(super) fn tell(&mut self, repo: &Repo, voice: &mut Voice<'_>) {
        match self.reports(repo) {
            Ok(reports) => reports.iter().rev().for_each(|report| voice.say(report)),
            Err(error) => tracing::debug!(%error, "the latest commits cannot be listed"),
        }
    }

    /// The newest first.
    fn reports(&mut self, repo: &Repo) -> Result<Vec<WatchReport>, GitError> {
        let tip = repo.head()?.tip();
        let Some(head) = tip.filter(|_| tip != self.known) else {
            return Ok(Vec::new());
        };
        let known = std::mem::replace(&mut self.known, tip);
        let new = match known {
            Some(known) if repo.has_object(known) => repo.commits_beyond(head, &[known])?,
            _ => vec![head],
        };
        let told = &new[..new.len().min(MOST_TOLD)];
        let made_here = repo.made_here_of(told)?;
        let mut reports = Vec::new();
        for oid in told {
            let commit = repo.commit_info(*oid)?;
            let is_made_here = made_here.contains(oid);
            reports.push(WatchReport::Committed {
                oid: *oid,
                by: maker(&commit, is_made_here),
                time: commit.time,
                subject: commit.message.subject,
            });
        }
        if new.len() > MOST_TOLD {
            let more = new.len() - MOST_TOLD;
            reports.push(WatchReport::Notice {
                message: format!("and {more} commits before these"),
            });
        }
        Ok(reports)
    }
}

/// Who made a commit.
pub(in crate::service) fn maker(commit: &CommitInfo, is_made_here: bool) -> CommitMaker {
    if !is_made_here && !commit.is_merge() {
        return CommitMaker::OtherMachine;
    }
    let trailer = |key| commit.message.trailer(key);
    if trailer(trailer::SESSION).is_some() || trailer(trailer::SOURCE) == Some(Source::Agent.as_str()) {
        return CommitMaker::Agent;
    }
    match trailer(trailer::OP) {
        Some("auto" | "init" | "learn" | "reconcile" | "sync") => CommitMaker::Engine,
        _ => CommitMaker::Person,
    }
}
