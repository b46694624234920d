//! Findings that look like credentials in the files of a store, and which of them keep a file from being committed
//! (history.md).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use crate::document;
use crate::model::{Content, Diagnostic, Id, Kind, Memory, Oid, Severity, StorePath};
use crate::sys::shown_path;
use crate::text::{Redactor, Secret, one_line, sha256_hex, without_strays};

use super::allowed::{Allowance, Allowed};
use super::contents::{FileRole, role};
use super::{Snapshot, Store, StoreError};

/// Something in a file that looks like a credential. The credential itself is not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its line, counted from 1.
    pub line: u32,
    /// The kind that it looks like: `password`, `github_token`, `custom` …
    pub kind: &'static str,
    /// True when a person said that it is none (`mdmem allow`).
    pub is_allowed: bool,
    /// The SHA-256 of what was found.
    pub(super) digest: String,
}

/// Without the hash: that of a PIN tells the PIN to whoever tries all of them, and this may go into a log.
impl Finding {
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

/// Finds what looks like a credential in a file: in its bytes, and in their meaning once they are read as a memory. A
/// line break that is shown as a space, or an escape of YAML's, may part a label from its value.
pub(super) fn find(path: &Path, bytes: &[u8], redactor: &Redactor, allowed: &Allowed) -> Vec<Finding> {
    let mut findings = find_in_bytes(path, bytes, redactor, allowed);
    if let FileRole::Memory(path) = role(path) {
        let id = || Id::parse("mem_unnamed").expect("because letters and `_` make an id");
        let memory = document::parse(&path, bytes, None, id).memory;
        find_in_memory(&memory, bytes, redactor, allowed, &mut findings);
    }
    findings
}

/// Finds what looks like a credential in the bytes of a file. A NUL hides nothing in what is shown; a picture or the
/// like is not looked into.
pub(super) fn find_in_bytes(
    path: &Path,
    bytes: &[u8],
    redactor: &Redactor,
    allowed: &Allowed,
) -> Vec<Finding> {
    let text = decoded(bytes);
    if text.contains('\0') && !matches!(role(path), FileRole::Memory(_) | FileRole::Unnameable(_)) {
        return Vec::new();
    }
    let mut line = 1;
    let mut from = 0;
    let finding = |secret: Secret| {
        line += count_lines(&text[from..secret.range.start]);
        from = secret.range.start;
        finding(path, line, secret.kind, &text[secret.range], allowed)
    };
    redactor.find(&text).into_iter().map(finding).collect()
}

/// Adds what looks like a credential only in what a memory says, as it is shown.
pub(super) fn find_in_memory(
    memory: &Memory,
    bytes: &[u8],
    redactor: &Redactor,
    allowed: &Allowed,
    findings: &mut Vec<Finding>,
) {
    let text = decoded(bytes);
    let path = Path::new(memory.path.as_str());
    for shown in lines_of(memory) {
        // The same words were looked into above.
        if text.contains(&*shown) {
            continue;
        }
        for secret in redactor.find(&shown) {
            let found = &shown[secret.range];
            let line = text.find(found).map_or(1, |at| 1 + count_lines(&text[..at]));
            let finding = finding(path, line, secret.kind, found, allowed);
            if findings.iter().all(|known| known.digest != finding.digest) {
                findings.push(finding);
            }
        }
    }
    findings.sort_by_key(|finding| finding.line);
}

fn finding(path: &Path, line: u32, kind: &'static str, secret: &str, allowed: &Allowed) -> Finding {
    let digest = sha256_hex(secret.as_bytes());
    Finding {
        line,
        kind,
        is_allowed: allowed.contains(path, &digest),
        digest,
    }
}

/// The texts of a memory as they are rendered: in single lines its type, its names and tags, and a fact; a note where
/// something in it is not shown, so that its parts meet.
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
    ];
    let texts = fact.into_iter().chain(names).flatten().chain(&memory.tags);
    let lines = texts.map(String::as_str).chain([memory.kind.as_str()]);
    lines.map(one_line).chain(note).collect()
}

fn parts_that_meet(body: &str) -> Option<String> {
    match without_strays(body) {
        Cow::Owned(shown) => Some(shown),
        Cow::Borrowed(_) => None,
    }
}

/// The text of a file. What is no UTF-8 in it becomes `U+FFFD`, unless the file says that it is UTF-16.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return String::from_utf8_lossy(bytes),
    };
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    let decode = |unit: Result<char, _>| unit.unwrap_or(char::REPLACEMENT_CHARACTER);
    Cow::Owned(char::decode_utf16(units).map(decode).collect())
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|&byte| byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// The diagnostics of `check`: one diagnostic for each line and kind that nobody allowed.
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
    let clean_line = |text: String| redactor.redact_line_unless(&text, is_allowed).into_owned();
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
        tags: memory.tags.into_iter().map(clean).collect(),
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
    /// Says whether bytes that were not looked at before hold a credential that HEAD does not have at their path.
    pub(super) fn holds_new_credential(&self, path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
        let findings = find(path, bytes, self.redactor(), &Allowed::read(self.root()));
        if findings.is_empty() {
            return Ok(false);
        }
        let head = self.head_tree(Some(&BTreeSet::from([path.to_owned()])))?;
        let blob = head.get(path).map(|entry| entry.oid);
        Ok(!self.not_in(path, blob, &findings)?.is_empty())
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
mod tests {
    use super::*;

    const TEXT: &[u8] = b"a\r\npassword: Fake-7x, PIN: 4829\r\n\xff\r\ntoken: fake0123456789\r\n";

    #[test]
    fn lines_are_counted_and_a_nul_hides_nothing() {
        let redactor = Redactor::standard();
        let found = find(Path::new("a.md"), TEXT, &redactor, &Allowed::default());
        let places: Vec<(u32, &str)> = found.iter().map(|finding| (finding.line, finding.kind)).collect();
        assert_eq!(places, [(2, "password"), (2, "pin"), (4, "token")]);
        assert!(!format!("{found:?}").contains(&found[0].digest));
        for bytes in [[TEXT, b"\0"].concat(), [b"\0", TEXT].concat()] {
            assert_eq!(
                find(Path::new("a.md"), &bytes, &redactor, &Allowed::default()).len(),
                3
            );
            assert_eq!(
                find(Path::new("a.png"), &bytes, &redactor, &Allowed::default()),
                []
            );
        }
    }

    #[test]
    fn what_an_editor_saves_in_utf_16_is_read() {
        let text = "\u{feff}Say hello\r\npassword: Fake-7x\r\n";
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
            let found = find(
                Path::new("a.md"),
                &bytes,
                &Redactor::standard(),
                &Allowed::default(),
            );
            assert_eq!((found.len(), found[0].line, found[0].kind), (1, 2, "password"));
        }
    }

    #[test]
    fn what_meets_only_where_it_is_shown_is_found_and_redacted() {
        let redactor = Redactor::standard();
        let texts = [
            "Log in as root, and the password:\nFake-7x for all.\n",
            "Log in as root, and the password is\r\nFake-7x for all.\r\n",
            "Log in.\n\nWhy: the password\nis Fake-7x\n",
            "the password is\0Fake-7x\n",
            "---\ntext: \"the pass\\x77ord is\\tFake-7x\"\n---\n",
            "---\ndescription: >\n  the password\n  is Fake-7x\n---\n# A\n\nb\n\nc\n",
            "---\nname: \"the password\\nis Fake-7x\"\n---\na\n",
            "---\ntype: \"password: Fake-7x\"\n---\na\n",
        ];
        for text in texts {
            let path = StorePath::new("reference/a.md").unwrap();
            let id = || Id::parse("a").unwrap();
            let read = document::parse(&path, text.as_bytes(), None, id);
            let found = find(
                Path::new(path.as_str()),
                text.as_bytes(),
                &redactor,
                &Allowed::default(),
            );
            assert!(!found.is_empty(), "{text:?}");
            let line = 1 + text[..text.find("Fake-7x").unwrap()].matches('\n').count();
            assert!(
                found.iter().any(|finding| finding.line as usize == line),
                "{text:?}: {found:?}"
            );
            let shown = lines_of(&redacted(read.memory, &found, &redactor)).join("\n");
            assert!(!shown.to_lowercase().contains("fake-7x"), "{text:?}: {shown}");
            let problems = redacted_problems(read.diagnostics, &found, &redactor);
            assert!(
                !format!("{problems:?}").to_lowercase().contains("fake-7x"),
                "{problems:?}"
            );
        }
        let plain = "Things to set:\n- the password\n- is it long enough\n";
        assert_eq!(
            find(
                Path::new("a.md"),
                plain.as_bytes(),
                &redactor,
                &Allowed::default()
            ),
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
        let store_path = StorePath::new("a.md").unwrap();
        let id = || crate::model::Id::parse("a").unwrap();
        let memory = crate::document::parse(&store_path, bytes, None, id).memory;
        let shown = redacted(memory, &found, &redactor);
        let text = shown.content.keyed_text();
        assert!(text.contains("password: Fake-7x, PIN: [REDACTED:pin]"), "{text}");
        assert!(text.contains("token: [REDACTED:token]"), "{text}");
    }
}
