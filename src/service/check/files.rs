//! What is worth attention in the files of memories.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::document::{IndexLink, Key, links};
use crate::model::{CLAUDE_INDEX, Diagnostic, Id, Moment, StorePath, Timestamp, Zone};
use crate::policy::{self, Rules};
use crate::service::NameError;
use crate::service::links::{LinkTargets, links_of_index, may_link};
use crate::service::select_memory::nearest;
use crate::store::{Snapshot, StoredFile};
use crate::sys::each;
use crate::text::{folded_name, folded_path, some_of, strays};

/// A day, in milliseconds.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// `bytes_of` reads a file, for its links and for the lines of what nobody sees; what it cannot read has none.
pub(super) fn findings(
    snapshot: &Snapshot,
    rules: &Rules,
    now: Timestamp,
    bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>,
) -> Vec<Diagnostic> {
    let mut findings = snapshot.diagnostics();
    for file in each("checking memories", &snapshot.files) {
        findings.extend(unknown_type(file, rules));
        findings.extend(over_limit(file, rules));
        findings.extend(dated_ahead(file, now));
        findings.extend(conflicted_copy(file));
        findings.extend(set_aside(file));
        findings.extend(late_frontmatter(file));
        findings.extend(hidden_characters(file, &bytes_of));
        findings.extend(idle_patterns(file));
    }
    findings.extend(related(snapshot));
    findings.extend(name_clashes(snapshot));
    findings.extend(lost_links(snapshot, bytes_of));
    findings
}

fn unknown_type(file: &StoredFile, rules: &Rules) -> Option<Diagnostic> {
    let kind = &file.memory.kind;
    if rules.type_rule(kind).is_some() {
        return None;
    }
    let known = super::known_types(rules).join(", ");
    let mend = format!("Use one of {known}, or add `[type.{kind}]` to mdmem.toml.");
    let message = format!("unknown type `{kind}`: it counts 1.0 and is shown last");
    Some(Diagnostic::warning(
        "unknown-type",
        &file.memory.path,
        message,
        mend,
    ))
}

fn over_limit(file: &StoredFile, rules: &Rules) -> Option<Diagnostic> {
    let (chars, limit) = (file.chars, file.memory.limit.unwrap_or(rules.limit));
    if u64::try_from(chars).unwrap_or(u64::MAX) <= u64::from(limit) {
        return None;
    }
    let message = format!("the body has {chars} characters, over its limit of {limit}");
    let mend = "Shorten or split it, or raise `limit:`; until then tools cannot change it.";
    Some(Diagnostic::note("over-limit", &file.memory.path, message, mend))
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
        (Key::Verified, memory.verified),
        (Key::Reinforced, memory.reinforced),
    ];
    let is_ahead = |time: Moment| {
        time.known()
            .is_some_and(|time| time.millis_since(now) > DAY_MILLIS)
    };
    let (key, _) = times.into_iter().find(|(_, time)| is_ahead(*time))?;
    let message = format!("`{key}` is in the future: the memory does not age until then");
    let mend = format!("Correct the date, or remove `{key}`: the date is then taken from git's history.");
    Some(Diagnostic::warning("dated-ahead", &memory.path, message, mend))
}

/// Finds the texts that merges set aside.
fn set_aside(file: &StoredFile) -> Option<Diagnostic> {
    let message = format!("conflict copy of {}", file.memory.conflict_of.as_ref()?);
    let mend = "`mdmem conflicts` shows and resolves them.";
    Some(Diagnostic::warning("conflict", &file.memory.path, message, mend))
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
    let message = format!("is a conflict copy of `{original}.md`, made by a file sync tool");
    let mend = "Merge what is right into one of them, and remove the other.";
    Some(Diagnostic::warning("conflicted-copy", path, message, mend))
}

/// The first of the patterns of `paths` that match nothing.
fn idle_patterns(file: &StoredFile) -> Option<Diagnostic> {
    let patterns = file.memory.paths.iter().enumerate();
    let mut faults =
        patterns.filter_map(|(at, pattern)| Some((pattern, policy::pattern_fault(pattern, at)?)));
    let (pattern, fault) = faults.next()?;
    let more = match faults.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let pattern = beginning(pattern);
    let message = format!("`{pattern}` in `paths` matches nothing: it {fault}{more}");
    let mend = "Write globs of files in the workspace, such as `apps/**/*.tsx`.";
    Some(Diagnostic::warning(
        "bad-pattern",
        &file.memory.path,
        message,
        mend,
    ))
}

/// The characters that nobody sees, in what a memory says and in its path: one finding for each of the two.
fn hidden_characters(file: &StoredFile, bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>) -> Vec<Diagnostic> {
    const CODE: &str = "hidden-characters";
    let memory = &file.memory;
    let path = &memory.path;
    let content = [Some(memory.content.keyed_text()), memory.content.rationale()];
    let words = [
        &memory.name,
        &memory.heading,
        &memory.description,
        &memory.session,
    ];
    let lists = memory.tags.iter().chain(&memory.aliases);
    let lists = lists.chain(&memory.paths).map(String::as_str);
    let said = content.into_iter().chain(words.map(Option::as_deref)).flatten();
    let said = said.chain(lists).chain([memory.kind.as_str()]);
    let mut findings = Vec::new();
    if let Some(names) = code_points(said) {
        let bytes = bytes_of(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let line = strays(text)
            .next()
            .map(|(at, _)| 1 + text[..at].matches('\n').count());
        let message = format!("contains invisible characters: {names}");
        let mend = "Remove them; they are not shown anywhere.";
        findings.push(Diagnostic {
            line: line.and_then(|line| u32::try_from(line).ok()),
            ..Diagnostic::warning(CODE, path, message, mend)
        });
    }
    if let Some(names) = code_points([path.as_str()]) {
        let message = format!("has invisible characters in its name: {names}");
        findings.push(Diagnostic::warning(CODE, path, message, "Rename the file."));
    }
    findings
}

/// `U+200B, U+E0041 and 3 more`: the strays of these texts, each once.
fn code_points<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<String> {
    let strays = texts.into_iter().flat_map(|text| strays(text).map(|(_, c)| c));
    let found: BTreeSet<char> = strays.collect();
    let names = found.iter().map(|c| format!("U+{:04X}", u32::from(*c)));
    (!found.is_empty()).then(|| some_of(names))
}

/// Paths that are one on a system that does not tell case or Unicode forms apart, and those that a person takes for one.
fn name_clashes(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, &StorePath> = BTreeMap::new();
    let mut clashes = Vec::new();
    for file in &snapshot.files {
        let path = &file.memory.path;
        match first.entry(folded_path(path.as_str()).replace('-', "")) {
            Entry::Vacant(free) => drop(free.insert(path)),
            Entry::Occupied(taken) if folded_name(taken.get().as_str()) == folded_name(path.as_str()) => {
                let message = format!("differs from {} only in case or Unicode form", taken.get());
                let mend = "Rename one of them: on some systems they are the same file.";
                clashes.push(Diagnostic::warning("name-clash", path, message, mend));
            }
            Entry::Occupied(taken) => {
                let message = format!("differs from {} only in case, blanks or dashes", taken.get());
                let mend = "If they are one memory, merge them; else rename one.";
                clashes.push(Diagnostic::note("name-alike", path, message, mend));
            }
        }
    }
    clashes
}

/// A frontmatter that does not begin the file is a part of the text.
fn late_frontmatter(file: &StoredFile) -> Option<Diagnostic> {
    let text = file.memory.content.keyed_text();
    let (before, after) = text.split_once("\n---\n")?;
    let (inner, _) = after.split_once("\n---")?;
    let (key, _) = inner.lines().next()?.split_once(':')?;
    if before.contains("---") || Key::parse(key).is_none() {
        return None;
    }
    let message = "there is text before the first `---`, so the keys below it are ignored";
    let mend = "Move the text below the frontmatter.";
    Some(Diagnostic::warning(
        "late-frontmatter",
        &file.memory.path,
        message,
        mend,
    ))
}

/// Memories about one and the same thing that both stay, because neither says what the other does.
fn related(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let is_in_force = |file: &&StoredFile| file.memory.is_active() && file.zone != Zone::Archive;
    let files: Vec<&StoredFile> = snapshot
        .files
        .iter()
        .map(|file| &**file)
        .filter(is_in_force)
        .collect();
    let entries: Vec<policy::Entry<'_>> = files.iter().map(|file| file.as_entry()).collect();
    let groups = policy::related(&entries);
    let pairs = groups.iter().flat_map(|group| group.windows(2));
    let finding = |pair: &[usize]| {
        let message = format!("is about the same topic as {}", files[pair[0]].memory.path);
        let mend = "Check that they do not contradict each other.";
        Diagnostic::note("related", &files[pair[1]].memory.path, message, mend)
    };
    pairs.map(finding).collect()
}

/// Finds the links that mean no memory, or several.
fn lost_links(snapshot: &Snapshot, bytes_of: impl Fn(&StorePath) -> Option<Vec<u8>>) -> Vec<Diagnostic> {
    let linking = snapshot.files.iter().filter(|file| may_link(file));
    let targets = LinkTargets::new(&snapshot.files);
    let is_other = |target: &str| snapshot.others.iter().any(|other| other.path.ends_with(target));
    let mut suggestions = BTreeMap::new();
    let mut lost = Vec::new();
    for file in each("checking links", linking) {
        let path = &file.memory.path;
        let links = bytes_of(path).map(|bytes| links(&bytes)).unwrap_or_default();
        let told = links.into_iter().filter_map(|link| {
            let error = targets.find(&link.target).err()?;
            let finding = match error {
                NameError::Ambiguous { candidates, .. } => ambiguous_link(path, &link.target, &candidates),
                _ if is_other(&link.target) => return None,
                _ => dangling_link(path, &link.target, snapshot, &mut suggestions),
            };
            Some(Diagnostic {
                line: Some(link.line),
                ..finding
            })
        });
        lost.extend(Diagnostic::first_of(told));
    }
    if let Ok(index) = StorePath::new(CLAUDE_INDEX)
        && let Some(bytes) = bytes_of(&index)
    {
        let text = String::from_utf8_lossy(&bytes);
        let tree = snapshot.tree();
        let is_dead = |link: &IndexLink| {
            let is_file = link.path.extension().is_some_and(|extension| extension == "md");
            is_file && !tree.contains_key(&link.path) && !text[link.line.clone()].contains("://")
        };
        let dead = links_of_index(&text, snapshot).into_iter().filter(is_dead);
        lost.extend(Diagnostic::first_of(dead.map(|link| Diagnostic {
            line: u32::try_from(1 + text[..link.line.start].matches('\n').count()).ok(),
            ..dangling_link(&index, &link.path.to_string_lossy(), snapshot, &mut suggestions)
        })));
    }
    lost
}

fn ambiguous_link(path: &StorePath, target: &str, candidates: &[(StorePath, Id)]) -> Diagnostic {
    let first: Vec<&str> = candidates.iter().take(3).map(|(path, _)| path.as_str()).collect();
    let count = candidates.len();
    let message = format!(
        "links to [[{}]], which names {count} memories: {}",
        beginning(target),
        first.join(", ")
    );
    let path_of_first = first.first().copied().unwrap_or(target);
    let mend = format!("Use a path, such as [[{path_of_first}]].");
    Diagnostic::note("ambiguous-link", path, message, mend)
}

/// As much of a name as a message quotes.
fn beginning(target: &str) -> String {
    target.chars().take(80).collect()
}

/// `suggestions` keeps the nearest name of each target, because many links may lack one memory; a search through every
/// name takes long, so that after a number of targets there is none.
fn dangling_link(
    path: &StorePath,
    target: &str,
    snapshot: &Snapshot,
    suggestions: &mut BTreeMap<String, Option<StorePath>>,
) -> Diagnostic {
    const SEARCHES: usize = 50;
    if suggestions.len() < SEARCHES && !suggestions.contains_key(target) {
        let paths = snapshot.files.iter().map(|file| &file.memory.path);
        suggestions.insert(target.to_owned(), nearest(target, paths).into_iter().next());
    }
    let mend = match suggestions.get(target) {
        Some(Some(near)) => format!("Did you mean [[{}]]?", near.as_str().trim_end_matches(".md")),
        _ => "Fix the name: use a path, a file name without .md, a title, an alias or an id.".to_owned(),
    };
    let message = format!("links to [[{}]], which does not exist", beginning(target));
    Diagnostic::note("dangling-link", path, message, mend)
}
