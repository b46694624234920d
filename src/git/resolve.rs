//! From what a person writes to a commit: a revision or a time.

use git2::ObjectType;

use super::object::{from_git2, parse_oid, to_git2};
use super::{GitError, Head, Repo};
use crate::model::{Oid, Timestamp};

/// Fewer digits name no commit, as in git: a short number is a slip, also when one commit happens to begin with it.
const FEWEST_DIGITS: usize = 4;
/// The most commits that an ambiguous name lists.
const MOST_CANDIDATES: usize = 8;

/// One step from a commit to one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// `~3`: so many first parents back.
    Back(usize),
    /// `^2`: to this parent. `^0` and `^{commit}` stay where they are.
    Parent(usize),
}

/// The first of the steps, and the others. `None` for what is no step.
fn next_step(steps: &str) -> Option<(Step, &str)> {
    for whole in ["^{commit}", "^{}"] {
        if let Some(rest) = steps.strip_prefix(whole) {
            return Some((Step::Parent(0), rest));
        }
    }
    let (sign, rest) = steps.split_at_checked(1)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    let number = if number.is_empty() {
        1
    } else {
        number.parse().ok()?
    };
    match sign {
        "~" => Some((Step::Back(number), rest)),
        "^" => Some((Step::Parent(number), rest)),
        _ => None,
    }
}

impl Repo {
    /// The commit that a revision names, in git's own words: `3f2a91c`, `HEAD~2`, `main^2`, `v1`, `@{1}`. The rarer ones
    /// (`:/words`, `@{upstream}`, `@{yesterday}`) are unknown.
    ///
    /// Errors: unknown (also when it names something that is no commit), ambiguous with the commits it fits.
    pub fn resolve(&self, rev: &str) -> Result<Oid, GitError> {
        let unknown = |reason: Option<String>| GitError::UnknownRevision {
            rev: rev.to_owned(),
            reason,
        };
        let trimmed = rev.trim();
        if trimmed.is_empty() {
            return Err(unknown(None));
        }
        if rev.starts_with("HEAD") && self.head()?.tip().is_none() {
            return Err(GitError::NoCommit(self.root.clone()));
        }
        let (base, mut steps) = trimmed.split_at(trimmed.find(['~', '^']).unwrap_or(trimmed.len()));
        let mut oid = self.named(base)?.ok_or_else(|| unknown(None))?;
        loop {
            oid = self.peeled(oid).map_err(|error| match error {
                GitError::UnknownRevision { reason, .. } => unknown(reason),
                error => error,
            })?;
            if steps.is_empty() {
                return Ok(from_git2(oid));
            }
            let (step, rest) = next_step(steps).ok_or_else(|| unknown(None))?;
            steps = rest;
            oid = self.stepped(oid, step)?.ok_or_else(|| unknown(None))?;
        }
    }

    /// The object of a name without steps: a ref, an entry of a log, or the digits of an object.
    fn named(&self, base: &str) -> Result<Option<git2::Oid>, GitError> {
        if let Some((name, back)) = base.strip_suffix('}').and_then(|base| base.split_once("@{")) {
            let logged = self.log_of(name)?;
            let logged = back
                .parse()
                .ok()
                .and_then(|back: usize| logged.get(back).copied());
            return Ok(logged.map(to_git2));
        }
        if let Some(oid) = parse_oid(base).filter(|oid| self.has_object(*oid)) {
            return Ok(Some(to_git2(oid)));
        }
        let name = if base == "@" { "HEAD" } else { base };
        if let Ok(reference) = self.git.resolve_reference_from_short_name(name) {
            return Ok(reference.resolve().ok().and_then(|direct| direct.target()));
        }
        let is_digits = base.len() >= FEWEST_DIGITS && base.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_digits {
            return Ok(None);
        }
        self.resolve_prefix(base).map(|oid| Some(to_git2(oid)))
    }

    /// The commits that a ref named, the newest first; without a name those of the branch.
    fn log_of(&self, name: &str) -> Result<Vec<Oid>, GitError> {
        let full = match (name, self.head()?) {
            ("", Head::Branch { branch, .. } | Head::Unborn { branch }) => branch,
            ("" | "@" | "HEAD", _) => "HEAD".to_owned(),
            (name, _) => {
                let found = self.git.resolve_reference_from_short_name(name);
                let Some(full) = found.ok().and_then(|found| found.name().ok().map(str::to_owned)) else {
                    return Ok(Vec::new());
                };
                full
            }
        };
        let mut moves = self.logged(&full);
        let first = moves.last().map(|(old, _)| *old);
        let mut named: Vec<Oid> = moves.drain(..).map(|(_, new)| new).collect();
        named.extend(first.filter(|oid| oid.0 != [0; 20]));
        Ok(named)
    }

    /// The commit itself, or the one that a tag names.
    fn peeled(&self, oid: git2::Oid) -> Result<git2::Oid, GitError> {
        let mut oid = oid;
        loop {
            let kind = self.kind_of(oid).unwrap_or(ObjectType::Commit);
            let bytes = self.read(kind, oid)?;
            let tagged = || {
                let text = String::from_utf8_lossy(&bytes);
                text.lines()
                    .next()
                    .and_then(|line| parse_oid(line.strip_prefix("object ")?))
            };
            match (kind, tagged()) {
                (ObjectType::Commit, _) => return Ok(oid),
                (ObjectType::Tag, Some(named)) => oid = to_git2(named),
                _ => {
                    return Err(GitError::UnknownRevision {
                        rev: oid.to_string(),
                        reason: Some(format!("it is a {}, not a commit", kind.str())),
                    });
                }
            }
        }
    }

    fn stepped(&self, from: git2::Oid, step: Step) -> Result<Option<git2::Oid>, GitError> {
        let parent = |oid, number: usize| -> Result<Option<git2::Oid>, GitError> {
            Ok(self.read_commit(oid)?.parents.get(number - 1).copied())
        };
        let mut oid = Some(from);
        match step {
            Step::Back(count) => {
                for _ in 0..count {
                    oid = match oid {
                        Some(oid) => parent(oid, 1)?,
                        None => return Ok(None),
                    };
                }
            }
            Step::Parent(0) => {}
            Step::Parent(number) => oid = parent(from, number)?,
        }
        Ok(oid)
    }

    /// The last commit at or before a time, on HEAD's line of first parents: what this machine had then. Merges
    /// bring older commits of other machines, which were not here at that time. `None` when the history begins later.
    pub fn commit_at(&self, time: Timestamp) -> Result<Option<Oid>, GitError> {
        let Some(tip) = self.head()?.tip() else {
            return Ok(None);
        };
        let mut next = Some(to_git2(tip));
        while let Some(oid) = next {
            let commit = self.read_commit(oid)?;
            if commit.seconds <= time.as_seconds() {
                return Ok(Some(from_git2(oid)));
            }
            next = commit.parents.first().copied();
        }
        Ok(None)
    }

    /// Several objects begin with these digits; only commits count.
    pub(super) fn resolve_prefix(&self, prefix: &str) -> Result<Oid, GitError> {
        let lower = prefix.to_ascii_lowercase();
        let mut commits = self.all_objects();
        commits.retain(|oid| {
            // One that cannot be read may be what is meant, and its damage is then told.
            let is_other = |oid| matches!(self.kind_of(oid), Some(ObjectType::Blob | ObjectType::Tree));
            oid.to_string().starts_with(&lower) && !is_other(*oid)
        });
        commits.sort_unstable();
        commits.dedup();
        match commits.as_slice() {
            [] => Err(GitError::UnknownRevision {
                rev: prefix.to_owned(),
                reason: None,
            }),
            [only] => Ok(from_git2(*only)),
            many => Err(GitError::AmbiguousRevision {
                rev: prefix.to_owned(),
                candidates: many
                    .iter()
                    .take(MOST_CANDIDATES)
                    .map(|oid| self.shown(*oid))
                    .collect(),
            }),
        }
    }

    fn shown(&self, oid: git2::Oid) -> String {
        let name: String = oid.to_string().chars().take(10).collect();
        let subject = self
            .commit_info(from_git2(oid))
            .map(|info| super::message::one_line(&info.message.subject))
            .unwrap_or_default();
        format!("{name} ({subject})")
    }
}
