//! Use case: what in the files is worth a person's attention?

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Ranking, ServiceError};
use crate::config::{Origin, Problem};
use crate::document::links;
use crate::model::{Diagnostic, Severity, Status, StorePath, Zone};
use crate::policy::{self, Fate, Reason, Rules};
use crate::store::{Snapshot, Store, StoredFile};
use crate::sys::shown_path;
use crate::text::folded_name;

/// Which files are checked.
#[derive(Debug, Clone, Default)]
pub struct CheckRequest {
    /// Names of memories, paths, or folders that end in `/`; none: every file.
    pub memories: Vec<String>,
}

/// Checks the files of a store: what is worth attention, by path and line.
pub fn check(store: &Store, request: &CheckRequest) -> Result<Vec<Diagnostic>, ServiceError> {
    let snapshot = store.load()?;
    let ranking = Ranking::new(store, &snapshot, store.now());
    let mut findings = findings(&snapshot, &ranking, store.rules(), |path| store.read(path).ok());
    findings.splice(
        0..0,
        store
            .settings()
            .problems
            .iter()
            .map(|problem| wrong_setting(problem, store.root())),
    );
    if !request.memories.is_empty() {
        let wanted = wanted(request, &findings, &ranking, store)?;
        findings.retain(|finding| wanted.iter().any(|name| covers(name, &finding.path)));
    }
    Ok(findings)
}

/// The paths and folders that the request names. What has a finding under its own path can be named by it, because
/// not everything that `check` finds is a memory.
fn wanted(
    request: &CheckRequest,
    findings: &[Diagnostic],
    ranking: &Ranking<'_>,
    store: &Store,
) -> Result<Vec<String>, ServiceError> {
    let path_of = |name: &String| {
        if name.ends_with('/') || findings.iter().any(|finding| finding.path == *name) {
            return Ok(name.clone());
        }
        let place = ranking.find(name, store.root())?;
        Ok(ranking.view(place).memory.path.to_string())
    };
    request.memories.iter().map(path_of).collect()
}

fn covers(name: &str, path: &str) -> bool {
    path == name || (name.ends_with('/') && path.starts_with(name))
}

/// `bytes_of` reads a file, for its links; what it cannot read has none.
fn findings(
    snapshot: &Snapshot,
    ranking: &Ranking<'_>,
    rules: &Rules,
    bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>,
) -> Vec<Diagnostic> {
    let mut findings = snapshot.problems.clone();
    findings.extend(
        snapshot
            .files
            .iter()
            .flat_map(|file| file.diagnostics.iter().cloned()),
    );
    findings.extend(snapshot.files.iter().filter_map(|file| unknown_type(file, rules)));
    findings.extend(snapshot.files.iter().filter_map(|file| over_limit(file, rules)));
    findings.extend(
        ranking
            .views()
            .iter()
            .filter_map(|view| match (view.fate, &view.instead) {
                (Fate::Omitted(Reason::Duplicate { .. }), Some(kept)) => {
                    Some(duplicate(&view.memory.path, kept))
                }
                _ => None,
            }),
    );
    findings.extend(snapshot.files.iter().filter_map(conflicted_copy));
    findings.extend(related(snapshot));
    findings.extend(name_clashes(snapshot));
    findings.extend(dangling_links(snapshot, bytes_of));
    findings.sort_by(|a, b| (&a.path, a.line, a.column, a.code).cmp(&(&b.path, b.line, b.column, b.code)));
    findings.dedup();
    findings
}

fn about(
    path: &StorePath,
    severity: Severity,
    code: &'static str,
    message: String,
    mend: &str,
) -> Diagnostic {
    Diagnostic {
        severity,
        code,
        path: path.to_string(),
        line: None,
        column: None,
        message,
        mend: Some(mend.to_owned()),
    }
}

fn unknown_type(file: &StoredFile, rules: &Rules) -> Option<Diagnostic> {
    let kind = &file.memory.kind;
    if rules.type_rule(kind).is_some() {
        return None;
    }
    let mend = format!(
        "Use one of {}, or add [type.{kind}] to mdmem.toml.",
        known_types(rules)
    );
    let message = format!("the type `{kind}` is not known, so it counts 1.0 and is shown last");
    Some(about(
        &file.memory.path,
        Severity::Warning,
        "unknown-type",
        message,
        &mend,
    ))
}

fn known_types(rules: &Rules) -> String {
    let mut types: Vec<_> = rules
        .types
        .iter()
        .map(|rule| (rule.order, rule.kind.as_str()))
        .collect();
    types.sort_unstable();
    types.iter().map(|(_, kind)| *kind).collect::<Vec<_>>().join(", ")
}

fn over_limit(file: &StoredFile, rules: &Rules) -> Option<Diagnostic> {
    let limit = file.memory.limit.unwrap_or(rules.limit);
    if u64::try_from(file.chars).unwrap_or(u64::MAX) <= u64::from(limit) {
        return None;
    }
    let message = format!(
        "the body has {} characters, more than its limit of {limit}",
        file.chars
    );
    let mend = "Shorten it or split it, or raise `limit:`; until then tools cannot write it.";
    Some(about(
        &file.memory.path,
        Severity::Note,
        "over-limit",
        message,
        mend,
    ))
}

/// What programs that sync folders call the second of two versions: Syncthing, and Dropbox, Nextcloud and their like.
fn conflicted_copy(file: &StoredFile) -> Option<Diagnostic> {
    let path = &file.memory.path;
    let stem = path.stem();
    let lower = stem.to_lowercase();
    let mark = lower
        .find(".sync-conflict-")
        .or_else(|| lower.contains("conflicted copy").then(|| lower.rfind('('))?)
        .or_else(|| lower.rfind("(case conflict"))?;
    let original = stem.get(..mark).unwrap_or(stem).trim_end();
    let message = format!("is the copy that a sync tool made of `{original}.md` in a conflict");
    let mend = "Read both, keep what is right in one of them, and remove the other.";
    Some(about(path, Severity::Warning, "conflicted-copy", message, mend))
}

fn duplicate(path: &StorePath, kept: &StorePath) -> Diagnostic {
    let message = format!("says the same as {kept}, which is shown in its stead");
    about(
        path,
        Severity::Warning,
        "duplicate",
        message,
        "`mdmem tidy` shows how to settle it.",
    )
}

fn is_in_force(file: &StoredFile) -> bool {
    file.memory.status == Status::Active && file.zone != Zone::Archive
}

/// Paths that are one on a system that does not tell case or Unicode forms apart.
fn name_clashes(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, &StorePath> = BTreeMap::new();
    let mut clashes = Vec::new();
    for file in &snapshot.files {
        let path = &file.memory.path;
        match first.entry(folded_name(path.as_str())) {
            Entry::Vacant(free) => {
                free.insert(path);
            }
            Entry::Occupied(taken) => {
                let message = format!("differs from {} only in case or Unicode form", taken.get());
                let mend = "Rename one of them: on some systems the two are one file.";
                clashes.push(about(path, Severity::Warning, "name-clash", message, mend));
            }
        }
    }
    clashes
}

/// Memories about one and the same thing that both stay, because neither says what the other does.
fn related(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let files: Vec<&StoredFile> = snapshot.files.iter().filter(|file| is_in_force(file)).collect();
    let entries: Vec<policy::Entry<'_>> = files
        .iter()
        .map(|file| policy::Entry {
            memory: &file.memory,
            keys: &file.keys,
        })
        .collect();
    let mut findings = Vec::new();
    for group in policy::related(&entries) {
        for pair in group.windows(2) {
            let message = format!("is about the same thing as {}", files[pair[0]].memory.path);
            let mend = "Read both: do they contradict each other?";
            findings.push(about(
                &files[pair[1]].memory.path,
                Severity::Note,
                "related",
                message,
                mend,
            ));
        }
    }
    findings
}

fn dangling_links<'a>(
    snapshot: &'a Snapshot,
    bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>,
) -> Vec<Diagnostic> {
    let names = |file: &'a StoredFile| {
        let path = file.memory.path.as_str();
        let stem = file.memory.path.stem();
        [
            stem,
            file.memory.id.as_str(),
            path,
            path.strip_suffix(".md").unwrap_or(path),
        ]
    };
    let known: BTreeSet<&str> = snapshot.files.iter().flat_map(names).collect();
    let mut dangling = Vec::new();
    for file in snapshot.files.iter().filter(|file| may_link(file)) {
        let path = &file.memory.path;
        for link in bytes_of(path).map(|bytes| links(&bytes)).unwrap_or_default() {
            if known.contains(link.target.as_str()) {
                continue;
            }
            let message = format!("links to [[{}]], which is no memory here", link.target);
            let mut finding = about(
                path,
                Severity::Note,
                "dangling-link",
                message,
                "Mend the name: a file's name without .md, or an id.",
            );
            finding.line = Some(link.line);
            dangling.push(finding);
        }
    }
    dangling
}

fn may_link(file: &StoredFile) -> bool {
    let content = &file.memory.content;
    let texts = [Some(content.keyed_text()), content.rationale()];
    texts.into_iter().flatten().any(|text| text.contains("[["))
}

/// What is wrong in a settings file, told where it stands: the store's by its name, the user's by its whole path.
fn wrong_setting(problem: &Problem, root: &Path) -> Diagnostic {
    let name = |path: &Path| shown_path(path.strip_prefix(root).unwrap_or(path));
    let number = |number: usize| u32::try_from(number).ok();
    let text = problem.to_string();
    let (path, line, told) = match (problem, problem.origin()) {
        (
            Problem::Syntax {
                path,
                line,
                column,
                message,
            },
            _,
        ) => {
            return Diagnostic {
                severity: Severity::Error,
                code: "setting",
                path: name(path),
                line: number(*line),
                column: number(*column),
                message: message.clone(),
                mend: Some("Until it is mended, none of the file counts.".to_owned()),
            };
        }
        (_, Some(origin @ (Origin::User { path, line } | Origin::Store { path, line }))) => {
            (name(path), number(*line), format!("{origin}: "))
        }
        (_, Some(origin)) => (origin.to_string(), None, format!("{origin}: ")),
        (_, None) => (String::new(), None, String::new()),
    };
    Diagnostic {
        severity: problem.severity(),
        code: "setting",
        path,
        line,
        column: None,
        message: text.strip_prefix(&told).unwrap_or(&text).to_owned(),
        mend: None,
    }
}
