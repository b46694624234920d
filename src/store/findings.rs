//! What looks like a credential in the files of a store: where it is, and which of it keeps a file from being committed
//! (history.md).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::model::{Content, Diagnostic, Memory, Oid, Severity};
use crate::sys::shown_path;
use crate::text::{Redactor, Secret, sha256_hex};

use super::allowed::Allowed;
use super::difference::{Change, Tree};
use super::{Snapshot, Store, StoreError};

/// Something in a file that looks like a credential. The credential itself is not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its line, counted from 1.
    pub line: u32,
    /// What it looks like: `password`, `github_token`, `custom` …
    pub kind: &'static str,
    /// Whether a person said that it is none (`mdmem allow`).
    pub is_allowed: bool,
    /// The SHA-256 of what was found.
    pub(super) digest: String,
}

/// Without the hash: that of a PIN tells the PIN to whoever tries all of them, and this may go into a log.
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

/// A file that is not committed, because it holds what looks like a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its path below the store.
    pub path: PathBuf,
    /// What holds it, by line.
    pub findings: Vec<Finding>,
    /// The blob that the file makes, by which two saves are told apart.
    pub(crate) blob: Option<Oid>,
}

impl Held {
    /// What it holds, by kind and line: `password (line 3), api_key (line 7)`.
    pub fn describe(&self) -> String {
        let each = self
            .findings
            .iter()
            .map(|finding| format!("{} (line {})", finding.kind, finding.line));
        each.collect::<Vec<_>>().join(", ")
    }
}

/// What looks like a credential in the bytes of a file. What is no text is not looked into.
pub(super) fn find(path: &Path, bytes: &[u8], redactor: &Redactor, allowed: &Allowed) -> Vec<Finding> {
    if bytes.contains(&0) {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(bytes);
    let mut line = 1;
    let mut from = 0;
    let finding = |secret: Secret| {
        line += count_lines(&text[from..secret.range.start]);
        from = secret.range.start;
        let digest = sha256_hex(text[secret.range].as_bytes());
        Finding {
            line,
            kind: secret.kind,
            is_allowed: allowed.contains(path, &digest),
            digest,
        }
    };
    redactor.find(&text).into_iter().map(finding).collect()
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|&byte| byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// What `check` says about them: one diagnostic for each line and kind that nobody allowed.
pub(super) fn diagnostics(path: &Path, findings: &[Finding]) -> Vec<Diagnostic> {
    let open = findings.iter().filter(|finding| !finding.is_allowed);
    let places: BTreeSet<(u32, &str)> = open.map(|finding| (finding.line, finding.kind)).collect();
    let path = shown_path(path);
    let diagnostic = |(line, kind): (u32, &str)| Diagnostic {
        severity: Severity::Error,
        code: "credential",
        path: path.clone(),
        line: Some(line),
        column: None,
        message: format!(
            "looks like a credential ({kind}): it is shown redacted, and no save commits it anew"
        ),
        mend: Some(format!(
            "Take it out of the file, or say that it is none: `mdmem allow {path}`."
        )),
    };
    places.into_iter().map(diagnostic).collect()
}

/// The memory as it may be shown: `[REDACTED:kind]` for what was found and not allowed.
pub(super) fn redacted(memory: Memory, findings: &[Finding], redactor: &Redactor) -> Memory {
    if findings.iter().all(|finding| finding.is_allowed) {
        return memory;
    }
    let is_allowed = |secret: &str| {
        let digest = sha256_hex(secret.as_bytes());
        findings
            .iter()
            .any(|finding| finding.is_allowed && finding.digest == digest)
    };
    let clean = |text: String| redactor.redact_unless(&text, is_allowed).into_owned();
    Memory {
        content: match memory.content {
            Content::Fact { text, rationale } => Content::Fact {
                text: clean(text),
                rationale: rationale.map(clean),
            },
            Content::Note { body } => Content::Note { body: clean(body) },
        },
        name: memory.name.map(clean),
        heading: memory.heading.map(clean),
        description: memory.description.map(clean),
        tags: memory.tags.into_iter().map(clean).collect(),
        ..memory
    }
}

impl Snapshot {
    /// What looks like a credential in the file at a path.
    pub(super) fn findings(&self, path: &Path) -> &[Finding] {
        if let Ok(place) = self.others.binary_search_by(|file| file.path.as_path().cmp(path)) {
            return &self.others[place].findings;
        }
        let by_path = |text: &str| {
            self.files
                .binary_search_by(|file| file.memory.path.as_str().cmp(text))
                .ok()
        };
        let place = path.to_str().and_then(by_path);
        place.map_or(&[], |place| &self.files[place].findings)
    }
}

impl Store {
    /// The changes that can be committed, and the files that hold a new credential. What HEAD has at that path already
    /// is new to nobody.
    pub(super) fn hold_back(
        &self,
        changes: Vec<Change>,
        snapshot: &Snapshot,
        committed: &Tree,
    ) -> Result<(Vec<Change>, Vec<Held>), StoreError> {
        let mut kept = Vec::with_capacity(changes.len());
        let mut held = Vec::new();
        for change in changes {
            let before = match &change {
                Change::Removed(_) => {
                    kept.push(change);
                    continue;
                }
                Change::Renamed { from, .. } => from,
                other => other.path(),
            };
            let blob = committed.get(before).map(|entry| entry.oid);
            let findings = self.not_in(blob, snapshot.findings(change.path()))?;
            if findings.is_empty() {
                kept.push(change);
                continue;
            }
            held.push(Held {
                path: change.path().to_owned(),
                findings,
                blob: snapshot.entry(change.path()).map(|entry| entry.oid),
            });
        }
        Ok((kept, held))
    }

    /// Whether bytes that were not looked at before hold a credential that HEAD does not have at their path.
    pub(super) fn holds_new_credential(&self, path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
        let findings = find(path, bytes, self.redactor(), &Allowed::read(self.root()));
        if findings.is_empty() {
            return Ok(false);
        }
        let head = self.head_tree(Some(&BTreeSet::from([path.to_owned()])))?;
        let blob = head.get(path).map(|entry| entry.oid);
        Ok(!self.not_in(blob, &findings)?.is_empty())
    }

    /// What of the findings nobody allowed and a committed blob does not have.
    fn not_in(&self, blob: Option<Oid>, findings: &[Finding]) -> Result<Vec<Finding>, StoreError> {
        let open = || findings.iter().filter(|finding| !finding.is_allowed);
        if open().next().is_none() {
            return Ok(Vec::new());
        }
        let known: BTreeSet<String> = match blob {
            Some(blob) => {
                let bytes = self.repo.blob(blob)?;
                let found = find(Path::new(""), &bytes, self.redactor(), &Allowed::default());
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
mod tests {
    use super::*;
    use crate::store::Allowance;

    const TEXT: &[u8] = b"a\r\npassword: Fake-7x, PIN: 4829\r\n\xff\r\ntoken: fake0123456789\r\n";

    #[test]
    fn lines_are_counted_and_what_is_no_text_is_left() {
        let redactor = Redactor::standard();
        let found = find(Path::new("a.md"), TEXT, &redactor, &Allowed::default());
        let places: Vec<(u32, &str)> = found.iter().map(|finding| (finding.line, finding.kind)).collect();
        assert_eq!(places, [(2, "password"), (2, "pin"), (4, "token")]);
        assert!(!format!("{found:?}").contains(&found[0].digest));
        let binary = [TEXT, b"\0"].concat();
        assert_eq!(
            find(Path::new("a.md"), &binary, &redactor, &Allowed::default()),
            []
        );
    }

    #[test]
    fn what_is_allowed_is_shown_and_the_rest_is_not() {
        let redactor = Redactor::standard();
        let path = Path::new("a.md");
        let digest = sha256_hex(b"Fake-7x");
        let mut allowed = Allowed::default();
        allowed.insert(Allowance {
            path: "a.md".to_owned(),
            kind: "password".to_owned(),
            digest,
        });
        let bytes = b"password: Fake-7x, PIN: 4829\ntoken: fake0123456789\n";
        let found = find(path, bytes, &redactor, &allowed);
        assert!(found[0].is_allowed && !found[1].is_allowed);
        assert_eq!(diagnostics(path, &found).len(), 2);
        let store_path = crate::model::StorePath::new("a.md").unwrap();
        let id = || crate::model::Id::parse("a").unwrap();
        let memory = crate::document::parse(&store_path, bytes, None, id).memory;
        let shown = redacted(memory, &found, &redactor);
        let text = shown.content.keyed_text();
        assert!(text.contains("password: Fake-7x, PIN: [REDACTED:pin]"), "{text}");
        assert!(text.contains("token: [REDACTED:token]"), "{text}");
    }
}
