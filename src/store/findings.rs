//! Findings that look like credentials in the files of a store, and which of them keep a file from being committed
//! (docs/secrets.md).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde::Serialize;

use crate::document::{self, without_own_lines};
use crate::model::{Content, Diagnostic, Id, Kind, Memory, Oid, StorePath};
use crate::sys::shown_path;
use crate::text::{Redactor, Secret, conflict_line, one_line, sha256_hex, without_strays};

use super::allowed::{Allowance, Allowed};
use super::contents::{FORGOTTEN, FileRole, role};
use super::held::RENAME;
use super::{Held, HoldCause, Snapshot, Store, StoreError};
use crate::document::derived_id;

mod texts;

use texts::{decoded, runs};

/// Something in a file that looks like a credential. The credential itself is not kept.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its line, counted from 1; `None` when the name of the file has it.
    pub line: Option<u32>,
    /// The kind that it looks like: `password`, `github_token`, `custom` …
    pub kind: &'static str,
    /// True when a person said that it is none (`mdmem allow`).
    #[serde(skip)]
    pub is_allowed: bool,
    /// The SHA-256 of what was found.
    #[serde(skip)]
    pub(super) digest: String,
}

/// Without the hash: that of a PIN tells the PIN to whoever tries all of them, and this may go into a log.
impl Finding {
    /// False for markers of git's, which are no credential.
    pub fn is_secret(&self) -> bool {
        self.kind != CONFLICT
    }

    /// The line that allows this in a file.
    pub(super) fn allowance(&self, path: &str) -> Allowance {
        Allowance {
            path: path.to_owned(),
            kind: self.kind.to_owned(),
            digest: self.digest.clone(),
        }
    }
}

impl std::fmt::Debug for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            line,
            kind,
            is_allowed,
            ..
        } = self;
        f.debug_struct("Finding")
            .field("line", line)
            .field("kind", kind)
            .field("is_allowed", is_allowed)
            .finish_non_exhaustive()
    }
}

/// The number of findings that are told apart in a file. The rest of the file after them is one finding:
/// such a file is a list of credentials, and no memory.
const MOST_FINDINGS: usize = 1000;

/// The kind of all that comes after the first findings.
const MORE: &str = "more";

/// The kind of a text in which git left two versions: it is shown to nobody, and no save commits it anew.
const CONFLICT: &str = "conflict";

/// The number of times that the text of a file is searched for a part of its memory: a search may take the length of
/// the text.
const MOST_SEARCHES: usize = 24;

/// Finds what looks like a credential in a file: in its bytes, and in their meaning once they are read as a memory. A
/// line break that is shown as a space, or an escape of YAML's, may part a label from its value.
pub(super) fn find(path: &Path, bytes: &[u8], redactor: &Redactor, allowed: &Allowed) -> Vec<Finding> {
    let mut findings = find_in_bytes(path, bytes, redactor, allowed);
    if let FileRole::Memory(path) = role(path) {
        let memory = document::parse(&path, bytes, None, || named("mem_unnamed")).memory;
        find_in_memory(&memory, bytes, redactor, allowed, &mut findings);
    }
    findings
}

fn named(id: &str) -> Id {
    Id::parse(id).expect("because letters and `_` make an id")
}

/// Finds what looks like a credential in the name of a file: in each folder of its path, and in its own name. Both get
/// into subjects of commits, into MEMORY.md and into prompts as they are.
pub(super) fn find_in_name(path: &Path, redactor: &Redactor, allowed: &Allowed) -> Vec<Finding> {
    let name = path.to_string_lossy();
    let parts = name.strip_suffix(".md").unwrap_or(&name).split('/');
    let find = |part: &str| {
        let secrets = redactor.find_in_name(part).into_iter();
        let finding = |secret: Secret| finding(path, None, secret.kind, &part[secret.range], allowed);
        secrets.map(finding).collect::<Vec<_>>()
    };
    parts.flat_map(find).collect()
}

/// Says whether the name of a file has a credential that nobody allowed: such a file is not shown.
pub(super) fn has_unfit_name(findings: &[Finding]) -> bool {
    findings
        .iter()
        .any(|finding| finding.line.is_none() && !finding.is_allowed)
}

/// Finds what looks like a credential in the name and the bytes of a file. A NUL hides nothing: in a picture or the
/// like the runs of text are looked into.
pub(super) fn find_in_bytes(
    path: &Path,
    bytes: &[u8],
    redactor: &Redactor,
    allowed: &Allowed,
) -> Vec<Finding> {
    let mut findings = find_in_name(path, redactor, allowed);
    let mut text = decoded(bytes);
    if path == Path::new(FORGOTTEN) {
        text = Cow::Owned(without_own_lines(&text));
    }
    let has_nul = text.contains('\0');
    if !has_nul || matches!(role(path), FileRole::Memory(_) | FileRole::Unnameable(_)) {
        findings.extend(find_in_text(path, &text, redactor, allowed));
        findings.extend(find_conflict(path, &text, allowed));
    }
    if has_nul {
        let mut known: HashSet<String> = findings.iter().map(|finding| finding.digest.clone()).collect();
        for text in runs(bytes) {
            let mut found = find_in_text(path, &text, redactor, allowed);
            found.retain(|finding| known.insert(finding.digest.clone()));
            findings.append(&mut found);
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Finds what looks like a credential in a text, in its order.
fn find_in_text(path: &Path, text: &str, redactor: &Redactor, allowed: &Allowed) -> Vec<Finding> {
    let mut line = 1;
    let mut from = 0;
    let finding = |secret: Secret| {
        line += count_lines(&text[from..secret.range.start]);
        from = secret.range.start;
        finding(path, Some(line), secret.kind, &text[secret.range], allowed)
    };
    let mut secrets = redactor.find(text);
    if let Some(next) = secrets.get(MOST_FINDINGS) {
        let rest = Secret {
            range: next.range.start..text.len(),
            kind: MORE,
        };
        secrets.truncate(MOST_FINDINGS);
        secrets.push(rest);
    }
    secrets.into_iter().map(finding).collect()
}

fn find_conflict(path: &Path, text: &str, allowed: &Allowed) -> Option<Finding> {
    let line = conflict_line(text)?;
    Some(finding(path, Some(line), CONFLICT, text, allowed))
}

/// The line at which git left two versions in a file, unless a person said that they are the text.
pub(super) fn conflict(findings: &[Finding]) -> Option<u32> {
    let is_open = |finding: &&Finding| !finding.is_allowed && !finding.is_secret();
    findings.iter().find(is_open)?.line
}

/// Says whether a file holds more credentials than are told apart, and not all of them were allowed: it is not shown.
pub(super) fn are_too_many(findings: &[Finding]) -> bool {
    is_list(findings) && findings.iter().any(|finding| !finding.is_allowed)
}

fn is_list(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.kind == MORE)
}

/// Adds what looks like a credential only in what a memory says, as it is shown.
pub(super) fn find_in_memory(
    memory: &Memory,
    bytes: &[u8],
    redactor: &Redactor,
    allowed: &Allowed,
    findings: &mut Vec<Finding>,
) {
    // One of them covers the rest of the file.
    if is_list(findings) {
        return;
    }
    let text = decoded(bytes);
    let path = Path::new(memory.path.as_str());
    let mut known: HashSet<String> = findings.iter().map(|finding| finding.digest.clone()).collect();
    let mut searches = 0..MOST_SEARCHES;
    for shown in lines_of(memory) {
        // The same words were looked into above.
        if searches.next().is_some() && text.contains(&*shown) {
            continue;
        }
        for secret in redactor.find(&shown) {
            let found = &shown[secret.range];
            let mut finding = finding(path, Some(1), secret.kind, found, allowed);
            if !known.insert(finding.digest.clone()) {
                continue;
            }
            if searches.next().is_some() {
                finding.line = Some(text.find(found).map_or(1, |at| 1 + count_lines(&text[..at])));
            }
            findings.push(finding);
        }
    }
    findings.sort_by_key(|finding| finding.line);
}

fn finding(path: &Path, line: Option<u32>, kind: &'static str, secret: &str, allowed: &Allowed) -> Finding {
    let digest = sha256_hex(secret.as_bytes());
    Finding {
        line,
        kind,
        is_allowed: allowed.contains(path, &digest),
        digest,
    }
}

/// The texts of a memory as they are rendered: in single lines its type, its names, tags and stated ids, and a fact; a
/// note where something in it is not shown, so that its parts meet.
fn lines_of(memory: &Memory) -> Vec<String> {
    let (fact, note) = match &memory.content {
        Content::Fact { text, rationale } => ([Some(text), rationale.as_ref()], None),
        Content::Note { body } => ([None, None], parts_that_meet(body)),
    };
    let names = [
        memory.name.as_ref(),
        memory.heading.as_ref(),
        memory.description.as_ref(),
        memory.session.as_ref(),
        memory.promoted.as_ref(),
    ];
    let words = memory.tags.iter().chain(&memory.aliases).chain(&memory.paths);
    let texts = fact.into_iter().chain(names).flatten().chain(words);
    let ids = memory.id_stated.then_some(&memory.id).into_iter();
    let ids = ids.chain(&memory.supersedes).chain(&memory.superseded_by);
    let ids = ids.chain(&memory.conflict_of).map(Id::as_str);
    let lines = texts.map(String::as_str).chain([memory.kind.as_str()]).chain(ids);
    lines.map(one_line).chain(note).collect()
}

fn parts_that_meet(body: &str) -> Option<String> {
    match without_strays(body) {
        Cow::Owned(shown) => Some(shown),
        Cow::Borrowed(_) => None,
    }
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|&byte| byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// The diagnostics of `check`: the first lines and kinds that nobody allowed.
pub(super) fn diagnostics(path: &Path, findings: &[Finding]) -> Vec<Diagnostic> {
    let open = findings
        .iter()
        .filter(|finding| !finding.is_allowed && finding.is_secret());
    let places: BTreeSet<(Option<u32>, &str)> = open.map(|finding| (finding.line, finding.kind)).collect();
    let path = shown_path(path);
    let shown = if are_too_many(findings) {
        "with more than a thousand of them, the file is not shown"
    } else {
        "prompts and lists show it redacted"
    };
    let diagnostic = |(line, kind): (Option<u32>, &str)| {
        let (message, mend) = if line.is_none() {
            (
                format!("suspected secret in its name ({kind}): it is held back, and not shown"),
                RENAME.to_owned(),
            )
        } else {
            (
                format!("suspected secret ({kind}): held back; {shown}"),
                format!("Remove it from the file, or mark it as harmless with `mdmem allow {path}`."),
            )
        };
        Diagnostic {
            line,
            ..Diagnostic::error("credential", &path, message, mend)
        }
    };
    let conflict = conflict(findings).map(|line| {
        let message = "conflict markers of git: held back, and not shown";
        let mend =
            format!("Edit the file and remove the markers; if they belong there, `mdmem allow {path}`.");
        Diagnostic {
            line: Some(line),
            ..Diagnostic::error(CONFLICT, &path, message, mend)
        }
    });
    let secrets = Diagnostic::first_of(places.into_iter().map(diagnostic));
    conflict.into_iter().chain(secrets).collect()
}

/// The fewest characters of a secret by which it is known without its label: a shorter one is a word, too.
const LEAST_ELSEWHERE: usize = 8;

/// The memory as it may be shown: `[REDACTED:kind]` for what was found and not allowed.
pub(super) fn redacted(memory: Memory, findings: &[Finding], redactor: &Redactor) -> Memory {
    if findings.iter().all(|finding| finding.is_allowed) {
        return memory;
    }
    let allowed = findings.iter().filter(|finding| finding.is_allowed);
    let allowed: HashSet<&str> = allowed.map(|finding| finding.digest.as_str()).collect();
    let is_allowed =
        |secret: &str| !allowed.is_empty() && allowed.contains(sha256_hex(secret.as_bytes()).as_str());
    // A password that stands beside its label is one in the title as well.
    let body = memory.content.as_body();
    // Of one that is found twice, the first kind is told.
    let secrets = redactor.find(&body).into_iter().rev().filter_map(|secret| {
        let value = &body[secret.range];
        let is_meant = value.chars().count() >= LEAST_ELSEWHERE && !is_allowed(value);
        is_meant.then(|| (value, format!("[REDACTED:{}]", secret.kind)))
    });
    let secrets: BTreeMap<&str, String> = secrets.collect();
    // A DFA would take hundreds of bytes for each byte of a secret.
    let finder = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .match_kind(MatchKind::LeftmostLongest)
        .build(secrets.keys());
    let finder = finder.expect("because a memory is short");
    let marks: Vec<String> = secrets.into_values().collect();
    let elsewhere = |text: String| finder.replace_all(&text, &marks);
    let clean = |text: String| elsewhere(redactor.redact_unless(&text, is_allowed).into_owned());
    let clean_line = |text: String| elsewhere(redactor.redact_line_unless(&text, is_allowed).into_owned());
    let is_clean = |id: &Id| matches!(redactor.redact_unless(id.as_str(), is_allowed), Cow::Borrowed(_));
    let linked = |id: Id| if is_clean(&id) { id } else { named("redacted") };
    Memory {
        kind: Kind::new(&clean(memory.kind.as_str().to_owned())),
        content: match memory.content {
            Content::Fact { text, rationale } => Content::Fact {
                text: clean_line(text),
                rationale: rationale.map(clean_line),
            },
            Content::Note { body } => Content::Note {
                body: clean(parts_that_meet(&body).unwrap_or(body)),
            },
        },
        name: memory.name.map(clean_line),
        heading: memory.heading.map(clean_line),
        description: memory.description.map(clean_line),
        session: memory.session.map(clean),
        promoted: memory.promoted.map(clean_line),
        tags: memory.tags.into_iter().map(clean).collect(),
        aliases: memory.aliases.into_iter().map(clean_line).collect(),
        paths: memory.paths.into_iter().map(clean_line).collect(),
        id: if !memory.id_stated || is_clean(&memory.id) {
            memory.id
        } else {
            derived_id(memory.path.as_str(), Oid([0; 20]))
        },
        supersedes: memory.supersedes.into_iter().map(linked).collect(),
        superseded_by: memory.superseded_by.map(linked),
        conflict_of: memory.conflict_of.map(linked),
        ..memory
    }
}

/// The memory of a file of which nothing is shown.
pub(super) fn blank(memory: Memory) -> Memory {
    Memory {
        kind: Kind::default(),
        content: Content::default(),
        name: None,
        heading: None,
        description: None,
        session: None,
        promoted: None,
        tags: Vec::new(),
        aliases: Vec::new(),
        paths: Vec::new(),
        ..memory
    }
}

/// Redacts the diagnostics of a file, which quote it, unless somebody allowed each finding.
pub(super) fn redacted_problems(
    problems: Vec<Diagnostic>,
    findings: &[Finding],
    redactor: &Redactor,
) -> Vec<Diagnostic> {
    if findings.iter().all(|finding| finding.is_allowed) {
        return problems;
    }
    let clean = |text: String| redactor.redact(&text).into_owned();
    let redacted = |problem: Diagnostic| Diagnostic {
        message: clean(problem.message),
        mend: problem.mend.map(clean),
        ..problem
    };
    problems.into_iter().map(redacted).collect()
}

impl Snapshot {
    /// Says whether a memory is shown without what looks like a credential in it: two that differ in nothing else look
    /// alike.
    pub fn is_redacted(&self, path: &StorePath) -> bool {
        let findings = self.findings(Path::new(path.as_str()));
        findings.iter().any(|finding| !finding.is_allowed)
    }

    /// The findings in the file at a path.
    pub(super) fn findings(&self, path: &Path) -> &[Finding] {
        if let Some(other) = self.other(path) {
            return &other.findings;
        }
        let place = path.to_str().and_then(|path| self.place_of(path));
        place.map_or(&[], |place| &self.files[place].findings)
    }
}

impl Store {
    /// The credentials that nobody allowed in bytes that were not looked at before, and that neither HEAD at their path
    /// nor `known`, an older blob of it, has.
    fn new_credentials(
        &self,
        path: &Path,
        bytes: &[u8],
        known: Option<Oid>,
    ) -> Result<Vec<Finding>, StoreError> {
        let findings = find(path, bytes, self.redactor(), &Allowed::read(self.root()));
        if findings.is_empty() {
            return Ok(findings);
        }
        let head = self.head_tree(Some(&BTreeSet::from([path.to_owned()])))?;
        let blobs = head.get(path).map(|entry| entry.oid).into_iter().chain(known);
        let open = self.not_in(path, None, &findings)?;
        blobs
            .into_iter()
            .try_fold(open, |open, blob| self.not_in(path, Some(blob), &open))
    }

    /// Says whether bytes that were not looked at before hold a credential that HEAD does not have at their path.
    pub(super) fn holds_new_credential(&self, path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
        Ok(!self.new_credentials(path, bytes, None)?.is_empty())
    }

    /// An error where bytes that are to be written into the repository hold a credential that neither HEAD at their path
    /// nor `known`, an older blob of it, has.
    pub fn check_no_new_credential(
        &self,
        path: &Path,
        bytes: &[u8],
        known: Option<Oid>,
    ) -> Result<(), StoreError> {
        let found = self.new_credentials(path, bytes, known)?;
        if found.is_empty() {
            return Ok(());
        }
        Err(StoreError::Held(Held {
            path: path.to_owned(),
            cause: HoldCause::Credential(found),
            blob: None,
        }))
    }

    /// The findings that nobody allowed and that a committed blob does not have.
    pub(super) fn not_in(
        &self,
        path: &Path,
        blob: Option<Oid>,
        findings: &[Finding],
    ) -> Result<Vec<Finding>, StoreError> {
        let open = || findings.iter().filter(|finding| !finding.is_allowed);
        if open().next().is_none() {
            return Ok(Vec::new());
        }
        let known: BTreeSet<String> = match blob {
            Some(blob) => {
                let bytes = self.repo.blob(blob)?;
                let found = find(path, &bytes, self.redactor(), &Allowed::default());
                found.into_iter().map(|finding| finding.digest).collect()
            }
            None => BTreeSet::new(),
        };
        Ok(open()
            .filter(|finding| !known.contains(&finding.digest))
            .cloned()
            .collect())
    }
}

#[cfg(test)]
mod tests;
