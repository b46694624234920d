//! Paths of the workspace that are gone, and what its history tells of that.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Oid, Timestamp};

/// A file or folder that was in the workspace's history and is not on its disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// Its path below the root of the workspace.
    pub path: String,
    /// The path that it seems to have now.
    pub now: Option<String>,
    /// The commit of the workspace that removed it; `None` where no commit has.
    pub commit: Option<Oid>,
    /// The time of that commit.
    pub since: Option<Timestamp>,
}

impl Gone {
    /// `src/cart.ts is gone since 3f2a1b9 of 2026-10-31; now src/basket.ts?`
    pub fn told(&self) -> String {
        let path = &self.path;
        let day = |since: Timestamp| since.to_utc().format("%Y-%m-%d").to_string();
        let since = match (self.commit, self.since) {
            (Some(commit), Some(since)) => format!("since {} of {}", commit.short(), day(since)),
            _ => "without a commit".to_owned(),
        };
        let now = self.now.as_ref().map(|now| format!("; now {now}?"));
        format!("{path} is gone {since}{}", now.unwrap_or_default())
    }
}

/// A look into the workspace's history for paths that are not on its disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedFor {
    /// The commit that it began at.
    pub head: Oid,
    /// What it found of each path; `None`: nothing is known to have been there.
    pub found: BTreeMap<String, Option<Gone>>,
}
