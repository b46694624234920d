//! What memories cite of the workspace and is gone, and what its history tells of that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Oid, Timestamp};

/// What a memory cites of its workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cited {
    /// A file or folder by its path below the root of the workspace.
    Path(String),
    /// A script, recipe or target by the command that runs it: `npm run lint`.
    Script(String),
    /// A dependency by its name.
    Package(String),
}

impl Cited {
    /// The path of a file or folder.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Path(path) => Some(path),
            Self::Script(_) | Self::Package(_) => None,
        }
    }
}

impl fmt::Display for Cited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(name) | Self::Script(name) => f.write_str(name),
            Self::Package(name) => write!(f, "package {name}"),
        }
    }
}

/// What was in the workspace's history and is there no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// What it is.
    pub cited: Cited,
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
        let cited = &self.cited;
        let day = |since: Timestamp| since.to_utc().format("%Y-%m-%d").to_string();
        let since = match (self.commit, self.since) {
            (Some(commit), Some(since)) => format!("since {} of {}", commit.short(), day(since)),
            _ => "without a commit".to_owned(),
        };
        let now = self.now.as_ref().map(|now| format!("; now {now}?"));
        format!("{cited} is gone {since}{}", now.unwrap_or_default())
    }
}

/// A look into the workspace's history for what it no longer has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedFor {
    /// The commit that it began at.
    pub head: Oid,
    /// The manifests of the workspace; empty where it has too many.
    pub manifests: BTreeSet<String>,
    /// What it found of each; `None`: nothing is known to have been there, or it is there.
    pub found: BTreeMap<Cited, Option<Gone>>,
}
