//! Credentials in commits that are to leave this machine: in the files that they change, in the names of these, in
//! their messages, in the names and addresses of who made them, in other lines of their heads. Each content is looked
//! into once, however many commits have it. Links and submodules stay here: no other machine takes them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::git::{FileChange, FileVersion, Message, Mode, Rewrite};
use crate::model::Oid;
use crate::sys::shown_path;

use super::allowed::Allowed;
use super::contents::MAX_FILE;
use super::findings::{Finding, find, find_in_name};
use super::writer::Writer;
use super::{Store, StoreError};

/// The number of places that are listed. Nobody reads more of them.
const MOST_LEAKS: usize = 1000;

/// A place in a commit that looks like a credential, or that is no file that another machine takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leak {
    /// The commit.
    pub commit: Oid,
    /// The place in it: `message`, `people` (author or committer), `header` (another line of its head: a merged tag, the
    /// note of a program), `name` of a file, `line` of a file, `too_large` or `no_file` (a link or a submodule).
    pub place: &'static str,
    /// The file; `None` where its name is not to be repeated.
    #[serde(serialize_with = "lossy_if_any")]
    pub path: Option<PathBuf>,
    /// The line in the file.
    pub line: Option<u32>,
    /// The kind that it looks like, or is.
    pub kind: &'static str,
    /// The version of the file.
    #[serde(skip)]
    pub file: Option<FileVersion>,
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
fn lossy_if_any<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref()
        .map(|path| path.to_string_lossy())
        .serialize(serializer)
}

/// The person in the place of an author or a committer that looks like a credential.
const NOBODY: &str = "redacted <>";

/// `project/a.md suspected secret in line 3 (password), in commit 3f2a91c`
impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, commit) = (self.kind, self.commit.short());
        let path = self.path.as_deref().map(shown_path).unwrap_or_default();
        let whole = match self.place {
            "message" => "the message of",
            "people" => "the author or committer of",
            "header" => "the head of",
            "name" => "the name of a file in",
            "no_file" => {
                return write!(
                    f,
                    "{path} in commit {commit} is a {kind}, which other machines refuse"
                );
            }
            "too_large" => {
                return write!(
                    f,
                    "{path} in commit {commit} is over 1 MiB, which other machines refuse"
                );
            }
            _ => {
                let line = self.line.unwrap_or_default();
                return write!(
                    f,
                    "suspected secret in {path} line {line} ({kind}), in commit {commit}"
                );
            }
        };
        write!(f, "suspected secret in {whole} commit {commit} ({kind})")
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

fn files_of(leaks: &[Leak]) -> BTreeSet<FileVersion> {
    leaks.iter().filter_map(|leak| leak.file.clone()).collect()
}

impl Writer<'_> {
    /// Takes what looks like a credential out of the commits of HEAD that none of the `others` has: the files stay as
    /// they are, and are held from then on. Gives the places, and the number of commits that changed.
    pub fn take_leaks_out(&mut self, others: &[Oid]) -> Result<(Vec<Leak>, usize), StoreError> {
        let store = self.store;
        self.check_free()?;
        let Some(head) = store.repo.head()?.tip() else {
            return Ok((Vec::new(), 0));
        };
        let leaks = store.leaks(head, others)?;
        let without = files_of(&leaks);
        let rewrite = Rewrite {
            without: &without,
            message: &|text| store.redactor().redact(text).into_owned(),
            people: &|who| {
                let is_clean = store.redactor().find(who).is_empty();
                if is_clean { who } else { NOBODY }.to_owned()
            },
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
            let leak = |place, kind, file: Option<&FileVersion>| Leak {
                commit,
                place,
                path: file.filter(|_| place != "name").map(|(path, _)| path.clone()),
                line: None,
                kind,
                file: file.cloned(),
            };
            let mut look = |place, text: &str| {
                let found = self.redactor().find(text).into_iter();
                leaks.extend(found.map(|secret| leak(place, secret.kind, None)));
            };
            look("message", &text_of(&step.commit.message));
            for who in self.repo.people_of(commit)? {
                look("people", &who);
            }
            look("header", &self.repo.other_headers_of(commit)?);
            for change in step.changes {
                let Some(new) = change.new else { continue };
                let file = (change.path, new.oid);
                let unfit = match new.mode {
                    Mode::Link => Some("link"),
                    Mode::Submodule => Some("submodule"),
                    Mode::Plain | Mode::Executable => None,
                };
                if let Some(kind) = unfit {
                    if told.insert(file.clone()) {
                        // Its name may be what is not to be repeated.
                        let found = find_in_name(&file.0, self.redactor(), &allowed);
                        leaks.push(match found.iter().find(|finding| !finding.is_allowed) {
                            Some(finding) => leak("name", finding.kind, Some(&file)),
                            None => leak("no_file", kind, Some(&file)),
                        });
                    }
                    continue;
                }
                if self.repo.size_of(new.oid)? > MAX_FILE {
                    if told.insert(file.clone()) {
                        leaks.push(leak("too_large", "too_large", Some(&file)));
                    }
                    continue;
                }
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
                    line: finding.line,
                    ..leak(finding.line.map_or("name", |_| "line"), finding.kind, Some(&file))
                }));
            }
            if leaks.len() > MOST_LEAKS {
                break;
            }
        }
        Ok(leaks)
    }

    /// The number of commits of `head` that nothing is left of once these leaks are out of them.
    pub fn emptied(&self, leaks: &[Leak], head: Oid, others: &[Oid]) -> Result<usize, StoreError> {
        let without = files_of(leaks);
        if without.is_empty() {
            return Ok(0);
        }
        let mut emptied = 0;
        for step in self.repo.walk_beyond(head, others)? {
            let step = step?;
            let is_kept = step.commit.parents.len() != 1;
            let mut changes = step.changes.into_iter().peekable();
            let is_taken_out = |change: FileChange| {
                let new = change.new.filter(|_| change.renamed_from.is_none());
                new.is_some_and(|new| without.contains(&(change.path, new.oid)))
            };
            emptied += usize::from(!is_kept && changes.peek().is_some() && changes.all(is_taken_out));
        }
        Ok(emptied)
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
        if self.repo.size_of(blob)? > MAX_FILE {
            return Ok(Vec::new());
        }
        let mut findings = find(path, &self.repo.blob(blob)?, self.redactor(), allowed);
        findings.retain(Finding::is_secret);
        known.insert(file.clone(), findings.clone());
        Ok(findings)
    }
}
