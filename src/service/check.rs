//! Use case: what in the files is worth a person's attention?

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::contender::Contender;
use super::epoch::MOST_OF_A_HOOK;
use super::lost_links::lost_links;
use super::select_memory::Reach;
use super::status::merges_without_mdmem;
use super::{HealthCheck, MemoryView, Ranking, ServiceError, tidy};
use crate::config::{Origin, Problem};
use crate::document::Key;
use crate::git::ORIGIN_REF;
use crate::model::{Diagnostic, Kind, Moment, Severity, StorePath, Timestamp, Zone};
use crate::policy::{self, Fate, Reason, Rules, select};
use crate::render::{PromptLayout, Scope};
use crate::store::{FORGOTTEN, Held, Snapshot, Store, StoreError, StoredFile};
use crate::sync::not_taken_over;
use crate::sys::shown_path;
use crate::text::{folded_name, strays};

/// A day, in milliseconds.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Checks the files of a store: what is worth attention, by path and line. `names` names memories, paths, or folders
/// that end in `/`; without any, every file is checked.
pub fn check(store: &Store, names: &[String]) -> Result<Vec<Diagnostic>, ServiceError> {
    let snapshot = store.load()?;
    let ranking = Ranking::new(store, &snapshot, store.now());
    let mut findings = findings(&snapshot, store.rules(), |path| store.read(path).ok());
    let now = store.now();
    findings.extend(snapshot.files.iter().filter_map(|file| dated_ahead(file, now)));
    let steps = tidy::Plan::new(store, &snapshot).steps;
    let settled: BTreeSet<&StorePath> = steps.iter().map(|step| &step.path).collect();
    findings.extend(
        ranking
            .views()
            .iter()
            .filter_map(|view| duplicate(view, &settled)),
    );
    findings.sort_by(|a, b| (&a.path, a.line, a.column, a.code).cmp(&(&b.path, b.line, b.column, b.code)));
    findings.dedup();
    findings.extend(store.held(&snapshot)?.iter().filter_map(Held::diagnostic));
    let problems = store.settings().problems.iter();
    let wrong = problems.map(|problem| wrong_setting(problem, store.root()));
    findings.splice(0..0, Diagnostic::first_of(wrong));
    let of_git = |severity, code, path: &str, message, mend| Diagnostic {
        severity,
        code,
        path: path.to_owned(),
        line: None,
        column: None,
        message,
        mend,
    };
    findings.extend(beyond_a_hook(store, &snapshot));
    let refused = not_taken_over(store)?;
    findings.extend(refused.map(|error| {
        let message = error.to_string();
        of_git(Severity::Error, "remote", ORIGIN_REF, message, error.hint())
    }));
    let lacking = merges_without_mdmem(store)?;
    findings.extend(lacking.map(|HealthCheck { what, mend, .. }| {
        of_git(Severity::Note, "merge-driver", ".git/config", what, mend)
    }));
    findings.extend(store.forgotten().err().map(|error| unreadable_list(&error)));
    if !names.is_empty() {
        let wanted = wanted(names, &findings, &ranking, store)?;
        findings.retain(|finding| wanted.iter().any(|name| covers(name, &finding.path)));
    }
    Ok(findings)
}

/// The paths and folders that the request names. A file with a finding under its own path can be named by that path,
/// because not everything that `check` finds is a memory.
fn wanted(
    names: &[String],
    findings: &[Diagnostic],
    ranking: &Ranking<'_>,
    store: &Store,
) -> Result<Vec<String>, ServiceError> {
    let path_of = |name: &String| {
        if name.ends_with('/') || findings.iter().any(|finding| finding.path == *name) {
            return Ok(name.clone());
        }
        let place = ranking.find(name, store.root(), Reach::Part)?;
        Ok(ranking.view(place).memory.path.to_string())
    };
    names.iter().map(path_of).collect()
}

fn covers(name: &str, path: &str) -> bool {
    path == name || (name.ends_with('/') && path.starts_with(name))
}

/// `bytes_of` reads a file, for its links; what it cannot read has none.
fn findings(
    snapshot: &Snapshot,
    rules: &Rules,
    bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>,
) -> Vec<Diagnostic> {
    let mut findings = snapshot.diagnostics();
    for file in &snapshot.files {
        findings.extend(unknown_type(file, rules));
        findings.extend(over_limit(file, rules));
        findings.extend(conflicted_copy(file));
        findings.extend(set_aside(file));
    }
    findings.extend(related(snapshot));
    findings.extend(name_clashes(snapshot));
    findings.extend(
        snapshot
            .files
            .iter()
            .flat_map(|file| hidden_characters(file, &bytes_of)),
    );
    findings.extend(lost_links(snapshot, bytes_of));
    findings
}

/// A finding that is only worth knowing.
pub(super) fn note(
    path: &StorePath,
    code: &'static str,
    message: String,
    mend: impl Into<String>,
) -> Diagnostic {
    Diagnostic {
        severity: Severity::Note,
        code,
        path: path.to_string(),
        line: None,
        column: None,
        message,
        mend: Some(mend.into()),
    }
}

fn warning(path: &StorePath, code: &'static str, message: String, mend: impl Into<String>) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        ..note(path, code, message, mend)
    }
}

fn unknown_type(file: &StoredFile, rules: &Rules) -> Option<Diagnostic> {
    let kind = &file.memory.kind;
    if rules.type_rule(kind).is_some() {
        return None;
    }
    let known = known_types(rules).join(", ");
    let mend = format!("Use one of {known}, or add [type.{kind}] to mdmem.toml.");
    let message = format!("the type `{kind}` is not known, so it counts 1.0 and is shown last");
    Some(warning(&file.memory.path, "unknown-type", message, mend))
}

/// The types that the settings know, in their order.
pub(super) fn known_types(rules: &Rules) -> Vec<String> {
    let mut types: Vec<_> = rules
        .types
        .iter()
        .map(|rule| (rule.order, rule.kind.as_str()))
        .collect();
    types.sort_unstable();
    types.iter().map(|(_, kind)| (*kind).to_owned()).collect()
}

/// An error for a type that neither the settings of these stores nor any of their memories know.
pub(super) fn check_kinds(kinds: &[Kind], stores: &[&Store]) -> Result<(), ServiceError> {
    let is_known = |kind: &Kind| stores.iter().any(|store| store.rules().type_rule(kind).is_some());
    for kind in kinds.iter().filter(|kind| !is_known(kind)) {
        let mut known: Vec<String> = Vec::new();
        let mut is_used = false;
        for store in stores {
            let mut types = known_types(store.rules());
            types.retain(|name| !known.contains(name));
            known.append(&mut types);
            let snapshot = store.load()?;
            is_used |= snapshot.files.iter().any(|file| file.memory.kind == *kind);
        }
        if !is_used {
            let kind = kind.to_string();
            return Err(ServiceError::UnknownKind { kind, known });
        }
    }
    Ok(())
}

/// The room for the memories in a prompt of Claude Code's, beside the fence, its sentence and the count of the others, where
/// a session has no hot state yet.
const ROOM_IN_A_HOOK: usize = MOST_OF_A_HOOK - 400;

/// What the settings let into a prompt, and a hook of Claude Code's does not.
fn beyond_a_hook(store: &Store, snapshot: &Snapshot) -> Vec<Diagnostic> {
    let (rules, room) = (store.rules(), ROOM_IN_A_HOOK);
    let contender = Contender::new(rules, snapshot, store.now());
    let layout = PromptLayout::new(Scope::Workspace);
    let selection = select(
        &contender.candidates(),
        store.now(),
        rules.render.total_chars.min(room),
        &layout,
    );
    let left_out = selection.pinned_left_out.iter();
    let mut findings: Vec<Diagnostic> = left_out
        .map(|entry| {
            let message = format!(
                "pinned, but the pinned notes have more than the {room} characters of a Claude Code prompt"
            );
            let mend = "Shorten one, or move this one out of the pinned folder; agents read it on demand.";
            note(&contender.entries()[*entry].memory.path, "no-room", message, mend)
        })
        .collect();
    let key = "render.total_chars";
    let origin = store.settings().get(key).map(|setting| setting.origin);
    if let Some(origin) = origin.filter(|origin| *origin != Origin::Default)
        && rules.render.total_chars > room
    {
        findings.push(Diagnostic {
            severity: Severity::Note,
            code: "setting",
            path: origin.to_string(),
            line: None,
            column: None,
            message: format!("{key} is more than the {room} characters that fit in a Claude Code prompt"),
            mend: Some("Other agents get all of it.".to_owned()),
        });
    }
    findings
}

fn over_limit(file: &StoredFile, rules: &Rules) -> Option<Diagnostic> {
    let limit = file.memory.limit.unwrap_or(rules.limit);
    if u64::try_from(file.chars).unwrap_or(u64::MAX) <= u64::from(limit) {
        return None;
    }
    let chars = file.chars;
    let message = format!("the body has {chars} characters, more than its limit of {limit}");
    let mend = "Shorten it or split it, or raise `limit:`; until then tools cannot write it.";
    Some(note(&file.memory.path, "over-limit", message, mend))
}

/// Finds the times that lie more than a day ahead, of which no difference of zones is the cause: such a memory counts as
/// new until then.
fn dated_ahead(file: &StoredFile, now: Timestamp) -> Option<Diagnostic> {
    let memory = &file.memory;
    let (created, updated) = file.stated_times();
    let times = [
        (Key::Created, created),
        (Key::Updated, updated),
        (Key::Clock, memory.clock),
        (Key::Reinforced, memory.reinforced),
    ];
    let is_ahead = |time: Moment| {
        let time = time.known();
        time.is_some_and(|time| time.millis_since(now) > DAY_MILLIS)
    };
    let (key, _) = times.into_iter().find(|(_, time)| is_ahead(*time))?;
    let message = format!("its `{key}` lies ahead: until then the memory does not age");
    let mend =
        format!("Write the day on which that was, or take `{key}` out: then git's history tells the times.");
    Some(warning(&memory.path, "dated-ahead", message, mend))
}

/// Finds the texts that merges set aside.
fn set_aside(file: &StoredFile) -> Option<Diagnostic> {
    let memory = file.memory.conflict_of.as_ref()?;
    let message = format!("contradicts {memory}: a merge set it aside");
    let mend = "`mdmem conflicts` shows both texts, and settles it.";
    Some(warning(&file.memory.path, "conflict", message, mend))
}

/// Finds the names that programs which sync folders give to the second of two versions: Syncthing, and Dropbox,
/// Nextcloud and their like.
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
    Some(warning(path, "conflicted-copy", message, mend))
}

/// The characters that nobody sees, in what a memory says and in its path: one finding for each of the two.
fn hidden_characters(file: &StoredFile, bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>) -> Vec<Diagnostic> {
    let memory = &file.memory;
    let path = &memory.path;
    let words = [
        &memory.name,
        &memory.heading,
        &memory.description,
        &memory.session,
    ];
    let content = [Some(memory.content.keyed_text()), memory.content.rationale()];
    let said = content
        .into_iter()
        .chain(words.map(Option::as_deref))
        .flatten()
        .chain(memory.tags.iter().chain(&memory.aliases).map(String::as_str))
        .chain([memory.kind.as_str()]);
    let mut findings = Vec::new();
    if let Some(names) = code_points(said) {
        let bytes = bytes_of(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let first = strays(text)
            .next()
            .map(|(at, _)| 1 + text[..at].matches('\n').count());
        let message = format!("holds characters that nobody sees: {names}");
        let mend = "Take them out: wherever the memory is shown, they are left out.";
        findings.push(Diagnostic {
            line: first.and_then(|line| u32::try_from(line).ok()),
            ..warning(path, "hidden-characters", message, mend)
        });
    }
    if let Some(names) = code_points([path.as_str()]) {
        let message = format!("has a name with characters that nobody sees: {names}");
        findings.push(warning(path, "hidden-characters", message, "Rename the file."));
    }
    findings
}

/// `U+200B, U+E0041`: the strays of these texts, each once, the first few.
fn code_points<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<String> {
    const NAMED: usize = 5;
    let found: BTreeSet<char> = texts
        .into_iter()
        .flat_map(|text| strays(text).map(|(_, c)| c))
        .collect();
    let names = found
        .iter()
        .take(NAMED)
        .map(|c| format!("U+{:04X}", u32::from(*c)));
    let mut names = names.collect::<Vec<_>>().join(", ");
    if found.len() > NAMED {
        names.push_str(" and others");
    }
    (!found.is_empty()).then_some(names)
}

/// A memory that another one hides: by `settled`, the paths that `mdmem tidy` would settle, a duplicate; or one that stays
/// beside the other, and is not shown.
fn duplicate(view: &MemoryView, settled: &BTreeSet<&StorePath>) -> Option<Diagnostic> {
    let (Fate::Omitted(Reason::Duplicate { .. }), Some(kept)) = (view.fate, &view.instead) else {
        return None;
    };
    let path = &view.memory.path;
    let message = format!("says the same as {kept}, which is shown in its stead");
    if settled.contains(path) || settled.contains(kept) {
        let mend = "`mdmem tidy` shows how to settle it.";
        return Some(warning(path, "duplicate", message, mend));
    }
    let mend = "`mdmem tidy` settles neither: they are readonly, hold what looks like a credential, differ in more than \
                spelling, or each has something of its own. Word one of them so that it says more, or remove it.";
    Some(note(path, "hidden", message, mend))
}

fn is_in_force(file: &StoredFile) -> bool {
    file.memory.is_active() && file.zone != Zone::Archive
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
                clashes.push(warning(path, "name-clash", message, mend));
            }
        }
    }
    clashes
}

/// Memories about one and the same thing that both stay, because neither says what the other does.
fn related(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let files = snapshot.files.iter().filter(|file| is_in_force(file));
    let files: Vec<&StoredFile> = files.map(|file| &**file).collect();
    let entries: Vec<policy::Entry<'_>> = files.iter().map(|file| file.as_entry()).collect();
    let mut findings = Vec::new();
    for group in policy::related(&entries) {
        for pair in group.windows(2) {
            let message = format!("is about the same thing as {}", files[pair[0]].memory.path);
            let mend = "Read both: do they contradict each other?";
            findings.push(note(&files[pair[1]].memory.path, "related", message, mend));
        }
    }
    findings
}

/// The list of what was forgotten cannot be read: until it can be, nothing is extracted, imported or forgotten.
fn unreadable_list(error: &StoreError) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "forgotten",
        path: FORGOTTEN.to_owned(),
        line: None,
        column: None,
        message: format!("nobody can tell what was forgotten for good: {error}"),
        mend: Some(
            "move away what stands in its place; `git log -p forgotten` in the store shows what it was"
                .to_owned(),
        ),
    }
}

/// The finding for a fault in a settings file, told where it stands: the store's by its name, the user's by its whole
/// path.
fn wrong_setting(problem: &Problem, root: &Path) -> Diagnostic {
    let name = |path: &Path| shown_path(path.strip_prefix(root).unwrap_or(path));
    let number = |number: usize| u32::try_from(number).ok();
    let mut finding = Diagnostic {
        severity: problem.severity(),
        code: "setting",
        path: String::new(),
        line: None,
        column: None,
        message: problem.to_string(),
        mend: None,
    };
    if let Problem::Syntax {
        path,
        line,
        column,
        message,
    } = problem
    {
        return Diagnostic {
            path: name(path),
            line: number(*line),
            column: number(*column),
            message: message.clone(),
            mend: Some("Until it is mended, none of the file counts.".to_owned()),
            ..finding
        };
    }
    if let Problem::Unreadable { path, message } = problem {
        return Diagnostic {
            path: name(path),
            message: message.clone(),
            mend: Some("Put a file of settings in its place; until then the defaults hold.".to_owned()),
            ..finding
        };
    }
    if let Some(origin) = problem.origin() {
        (finding.path, finding.line) = match origin {
            Origin::User { path, line } | Origin::Store { path, line } => (name(path), number(*line)),
            _ => (origin.to_string(), None),
        };
        if let Some(told) = finding.message.strip_prefix(&format!("{origin}: ")) {
            finding.message = told.to_owned();
        }
    }
    finding
}
