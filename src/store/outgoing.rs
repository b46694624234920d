//! Credentials in commits that are to leave this machine: in the files that they change, in the names of these, in
//! their messages. Each content is looked into once, however many commits have it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::Path;

use crate::git::{FileVersion, Message, Rewrite};
use crate::model::Oid;
use crate::sys::shown_path;

use super::allowed::Allowed;
use super::findings::{Finding, find};
use super::writer::Writer;
use super::{Store, StoreError};

/// The number of places that are listed. Nobody reads more of them.
const MOST_LEAKS: usize = 1000;

/// A place in a commit that looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The commit.
    pub commit: Oid,
    /// The file and its blob; `None`: the message has it.
    pub file: Option<FileVersion>,
    /// The line in the file; `None` in a name, and in a message.
    pub line: Option<u32>,
    /// The kind that it looks like.
    pub kind: &'static str,
}

/// `project/a.md line 3 looks like a credential (password), in commit 3f2a91c`
impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, commit) = (self.kind, self.commit.short());
        match (&self.file, self.line) {
            (None, _) => write!(
                f,
                "the message of commit {commit} has what looks like a credential ({kind})"
            ),
            (Some((path, _)), Some(line)) => {
                let path = shown_path(path);
                write!(
                    f,
                    "{path} line {line} looks like a credential ({kind}), in commit {commit}"
                )
            }
            // The name is not repeated.
            (Some(_), None) => write!(
                f,
                "the name of a file in commit {commit} looks like a credential ({kind})"
            ),
        }
    }
}

fn text_of(message: &Message) -> String {
    let trailers = message
        .trailers
        .iter()
        .map(|(key, value)| format!("{key}: {value}"));
    let parts = [message.subject.clone(), message.body.clone()]
        .into_iter()
        .chain(trailers);
    parts.collect::<Vec<_>>().join("\n")
}

impl Writer<'_> {
    /// Takes what looks like a credential out of the commits of HEAD that none of the `others` has: the files stay as they
    /// are, and are held from then on. Gives the places, and the number of commits that changed.
    pub fn take_leaks_out(&mut self, others: &[Oid]) -> Result<(Vec<Leak>, usize), StoreError> {
        let store = self.store;
        if let Some(unfinished) = &self.unfinished {
            return Err(StoreError::Waiting(Box::new(unfinished.clone())));
        }
        self.check_no_obstacle()?;
        let Some(head) = store.repo.head()?.tip() else {
            return Ok((Vec::new(), 0));
        };
        let leaks = store.leaks(head, others)?;
        let without: BTreeSet<FileVersion> = leaks.iter().filter_map(|leak| leak.file.clone()).collect();
        let rewrite = Rewrite {
            without: &without,
            message: &|text| store.redactor().redact(text).into_owned(),
            time: self.now(),
        };
        if leaks.is_empty() {
            return Ok((leaks, 0));
        }
        let commits = store.repo.rewrite(&mut self.lock, others, &rewrite)?;
        self.follow_head()?;
        Ok((leaks, commits))
    }
}

impl Store {
    /// The places in the commits of `head` that none of the `others` has. What the content before had at its path is in
    /// history already; what a person allowed is none.
    pub fn leaks(&self, head: Oid, others: &[Oid]) -> Result<Vec<Leak>, StoreError> {
        let allowed = Allowed::read(self.root());
        let mut known: HashMap<FileVersion, Vec<Finding>> = HashMap::new();
        let mut told = HashSet::new();
        let mut leaks = Vec::new();
        for step in self.repo.walk_beyond(head, others)? {
            let step = step?;
            let commit = step.commit.oid;
            for secret in self.redactor().find(&text_of(&step.commit.message)) {
                leaks.push(Leak {
                    commit,
                    file: None,
                    line: None,
                    kind: secret.kind,
                });
            }
            for change in step.changes {
                let Some(new) = change.new.filter(|new| new.mode.is_file()) else {
                    continue;
                };
                let file = (change.path, new.oid);
                let found = self.findings_in(&mut known, &file, &allowed)?;
                let open: Vec<Finding> = found.into_iter().filter(|finding| !finding.is_allowed).collect();
                if open.is_empty() || !told.insert(file.clone()) {
                    continue;
                }
                let before = match change.old {
                    Some(old) => {
                        let path = change.renamed_from.as_ref().unwrap_or(&file.0);
                        self.findings_in(&mut known, &(path.clone(), old.oid), &allowed)?
                    }
                    None => Vec::new(),
                };
                let before: BTreeSet<&str> = before.iter().map(|finding| finding.digest.as_str()).collect();
                let new = open
                    .iter()
                    .filter(|finding| !before.contains(finding.digest.as_str()));
                leaks.extend(new.map(|finding| Leak {
                    commit,
                    file: Some(file.clone()),
                    line: finding.line(),
                    kind: finding.kind,
                }));
            }
            if leaks.len() > MOST_LEAKS {
                break;
            }
        }
        Ok(leaks)
    }

    fn findings_in(
        &self,
        known: &mut HashMap<FileVersion, Vec<Finding>>,
        file: &FileVersion,
        allowed: &Allowed,
    ) -> Result<Vec<Finding>, StoreError> {
        if let Some(findings) = known.get(file) {
            return Ok(findings.clone());
        }
        let (path, blob) = (Path::new(&file.0), file.1);
        let mut findings = find(path, &self.repo.blob(blob)?, self.redactor(), allowed);
        findings.retain(Finding::is_secret);
        known.insert(file.clone(), findings.clone());
        Ok(findings)
    }
}
