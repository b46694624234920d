//! Credentials in commits that are to leave this machine: in the files that they change, in the names of these, in
//! their messages, in the names and addresses of who made them, in other lines of their heads. Each content is looked
//! into once, however many commits have it. Links and submodules stay here: no other machine takes them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::Path;

use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use crate::git::{Entry, FileChange, FileVersion, Message, Mode, Rewrite};
use crate::model::Oid;
use crate::sys::shown_path;

use super::allowed::Allowed;
use super::contents::MAX_FILE;
use super::findings::{Finding, find, find_in_name};
use super::writer::Writer;
use super::{Store, StoreError};

/// The number of places that are listed. Nobody reads more of them.
const MOST_LEAKS: usize = 1000;

/// A place in a commit that looks like a credential, or that is too large to be looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The commit.
    pub commit: Oid,
    /// The place in it.
    pub place: LeakPlace,
    /// The kind that it looks like.
    pub kind: &'static str,
}

/// A place in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeakPlace {
    /// The message.
    Message,
    /// The author or the committer.
    People,
    /// Another line of its head: a merged tag, the note of a program.
    Header,
    /// The name of a file.
    Name(FileVersion),
    /// A line of a file.
    Line(FileVersion, u32),
    /// A file that is larger than any file of a store.
    TooLarge(FileVersion),
    /// A link or a submodule.
    NoFile(FileVersion),
}

/// The kind of a file that nobody looks into.
const TOO_LARGE: &str = "too_large";
/// The kinds of what is no file.
const LINK: &str = "link";
const SUBMODULE: &str = "submodule";
/// The person in the place of an author or a committer that looks like a credential.
const NOBODY: &str = "redacted <>";

impl LeakPlace {
    /// The word in JSON.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::People => "people",
            Self::Header => "header",
            Self::Name(_) => "name",
            Self::Line(..) => "line",
            Self::TooLarge(_) => TOO_LARGE,
            Self::NoFile(_) => "no_file",
        }
    }

    const fn file(&self) -> Option<&FileVersion> {
        match self {
            Self::Message | Self::People | Self::Header => None,
            Self::Name(file) | Self::Line(file, _) | Self::TooLarge(file) | Self::NoFile(file) => Some(file),
        }
    }
}

impl Serialize for Leak {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Leak", 5)?;
        form.serialize_field("commit", &self.commit)?;
        form.serialize_field("place", self.place.as_str())?;
        form.serialize_field("path", &self.path().map(Path::to_string_lossy))?;
        form.serialize_field("line", &self.line())?;
        form.serialize_field("kind", self.kind)?;
        form.end()
    }
}

impl Leak {
    /// The file; `None` where its name is not to be repeated.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            LeakPlace::Name(_) => None,
            place => place.file().map(|(path, _)| path.as_path()),
        }
    }

    /// The line in the file.
    pub const fn line(&self) -> Option<u32> {
        match &self.place {
            LeakPlace::Line(_, line) => Some(*line),
            _ => None,
        }
    }
}

/// `project/a.md line 3 looks like a credential (password), in commit 3f2a91c`
impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, commit) = (self.kind, self.commit.short());
        match &self.place {
            LeakPlace::Message => write!(
                f,
                "the message of commit {commit} has what looks like a credential ({kind})"
            ),
            LeakPlace::People => write!(
                f,
                "the author or committer of commit {commit} has what looks like a credential ({kind})"
            ),
            LeakPlace::Header => write!(
                f,
                "the head of commit {commit} has what looks like a credential ({kind})"
            ),
            LeakPlace::NoFile((path, _)) => write!(
                f,
                "{} in commit {commit} is a {kind}, and no other machine takes it",
                shown_path(path)
            ),
            LeakPlace::Line((path, _), line) => write!(
                f,
                "{} line {line} looks like a credential ({kind}), in commit {commit}",
                shown_path(path)
            ),
            LeakPlace::Name(_) => write!(
                f,
                "the name of a file in commit {commit} looks like a credential ({kind})"
            ),
            LeakPlace::TooLarge((path, _)) => write!(
                f,
                "{} in commit {commit} has over 1 MiB, too much to be looked into, and no other machine takes it",
                shown_path(path)
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

fn files_of(leaks: &[Leak]) -> BTreeSet<FileVersion> {
    leaks
        .iter()
        .filter_map(|leak| leak.place.file().cloned())
        .collect()
}

impl Writer<'_> {
    /// Takes what looks like a credential out of the commits of HEAD that none of the `others` has: the files stay as
    /// they are, and are held from then on. Gives the places, and the number of commits that changed.
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
        let without: BTreeSet<FileVersion> = leaks
            .iter()
            .filter_map(|leak| leak.place.file().cloned())
            .collect();
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
            let mut look = |place: LeakPlace, text: &str| {
                let found = self.redactor().find(text).into_iter();
                leaks.extend(found.map(|secret| Leak {
                    commit,
                    place: place.clone(),
                    kind: secret.kind,
                }));
            };
            look(LeakPlace::Message, &text_of(&step.commit.message));
            for who in self.repo.people_of(commit)? {
                look(LeakPlace::People, &who);
            }
            look(LeakPlace::Header, &self.repo.other_headers_of(commit)?);
            for change in step.changes {
                let Some(new) = change.new else { continue };
                let file = (change.path, new.oid);
                if !new.mode.is_file() {
                    if told.insert(file.clone()) {
                        leaks.extend(self.no_file(commit, file, new, &allowed));
                    }
                    continue;
                }
                if self.repo.size_of(new.oid)? > MAX_FILE {
                    if told.insert(file.clone()) {
                        leaks.push(Leak {
                            commit,
                            place: LeakPlace::TooLarge(file),
                            kind: TOO_LARGE,
                        });
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
                    commit,
                    place: match finding.line() {
                        Some(line) => LeakPlace::Line(file.clone(), line),
                        None => LeakPlace::Name(file.clone()),
                    },
                    kind: finding.kind,
                }));
            }
            if leaks.len() > MOST_LEAKS {
                break;
            }
        }
        Ok(leaks)
    }

    /// The place of a link or a submodule; that of its name, where the name is not to be repeated.
    fn no_file(&self, commit: Oid, file: FileVersion, entry: Entry, allowed: &Allowed) -> Option<Leak> {
        let kind = match entry.mode {
            Mode::Link => LINK,
            Mode::Submodule => SUBMODULE,
            Mode::Plain | Mode::Executable => return None,
        };
        let found = find_in_name(&file.0, self.redactor(), allowed);
        let (place, kind) = match found.iter().find(|finding| !finding.is_allowed) {
            Some(finding) => (LeakPlace::Name(file), finding.kind),
            None => (LeakPlace::NoFile(file), kind),
        };
        Some(Leak { commit, place, kind })
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
