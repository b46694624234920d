//! Rules that the compiler does not hold: which module may import which, how long a file may be, how a file may be
//! called, and that no file is forgotten.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The table of ARCHITECTURE.md and of src/lib.rs: a module, and what it may import. An arrow never points up. Each
/// part of `host` is a module of its own, so that no host imports another one.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("text", &["model"]),
    ("document", &["model", "text"]),
    ("policy", &["model", "text"]),
    ("capture", &["model", "text", "policy"]),
    ("session", &["model", "text", "policy", "capture"]),
    ("render", &["model", "text", "policy", "session", "capture"]),
    ("merge", &["model", "text", "document"]),
    ("sys", &["model"]),
    ("config", &["model", "policy", "sys"]),
    ("git", &["model", "sys"]),
    ("search", &["model", "text"]),
    ("semantic", &["text", "sys"]),
    (
        "store",
        &[
            "model", "text", "document", "policy", "capture", "session", "render", "sys", "config", "git",
            "search",
        ],
    ),
    ("evidence", &["model", "text", "sys"]),
    ("watch", &["model", "sys"]),
    (
        "sync",
        &[
            "model", "text", "document", "merge", "config", "sys", "git", "store",
        ],
    ),
    (
        "service",
        &[
            "model", "text", "document", "policy", "capture", "session", "render", "merge", "sys", "config",
            "git", "search", "semantic", "store", "evidence", "watch", "sync",
        ],
    ),
    (
        "host",
        &[
            "host/cli",
            "host/opencode",
            "host/hooks",
            "host/mcp",
            "host/view",
            "service",
        ],
    ),
    ("host/lines", &[]),
    ("host/tools", &["host/told", "service", "model"]),
    ("host/told", &["service", "model", "sys"]),
    ("host/hook_event", &[]),
    (
        "host/cli",
        &["host/hook_event", "service", "config", "model", "sys"],
    ),
    ("host/http", &[]),
    ("host/view", &["host/http", "service", "sys"]),
    (
        "host/mcp",
        &["host/http", "host/lines", "host/tools", "service", "sys"],
    ),
    (
        "host/opencode",
        &[
            "host/lines",
            "host/told",
            "host/tools",
            "service",
            "config",
            "model",
            "sys",
        ],
    ),
    (
        "host/hooks",
        &[
            "host/hook_event",
            "host/lines",
            "host/told",
            "host/tools",
            "service",
            "sys",
        ],
    ),
];

/// The most lines of a file without a reason, its tests apart.
const MOST_LINES: usize = 600;

/// Files that are longer, and why.
const LONG_FILES: &[(&str, &str)] = &[];

/// Names that say nothing about what lives under them.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "helper", "helpers", "common", "manager", "prelude", "misc",
];

#[test]
fn a_module_imports_only_what_its_row_allows() {
    let src = root().join("src");
    let mut faults = Vec::new();
    for file in rust_files(&src) {
        let place = file.strip_prefix(&src).unwrap();
        let Some(module) = module_of(place) else { continue };
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == module) else {
            faults.push(format!("{}: `{module}` has no row in the table", place.display()));
            continue;
        };
        for imported in imports(&read(&file)) {
            if imported != module && !allowed.contains(&imported.as_str()) {
                faults.push(format!(
                    "{}: `{module}` may not import `{imported}`",
                    place.display()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_table_of_the_crate_is_this_one() {
    let map = read(&root().join("src/lib.rs"));
    for (module, allowed) in MAY_IMPORT {
        assert!(
            module.contains('/') || map.contains(&format!("pub mod {module};")),
            "src/lib.rs has no `{module}`"
        );
        let name = match module.split_once('/') {
            Some((outer, part)) => format!("//! | `{outer}::{part}`"),
            None => format!("//! | [`{module}`]"),
        };
        let row = map.lines().find(|line| line.starts_with(&name));
        let row = row.unwrap_or_else(|| panic!("the table of src/lib.rs has no row `{module}`"));
        let cell = row.split('|').nth(2).unwrap().trim();
        if !matches!(cell, "-" | "all above" | "all below it") {
            let told: BTreeSet<&str> = cell.split_whitespace().collect();
            assert_eq!(
                told,
                allowed.iter().copied().collect(),
                "the row of `{module}` in src/lib.rs"
            );
        }
    }
}

#[test]
fn a_long_file_has_a_reason() {
    for file in all_files() {
        let name = shown(&file);
        if name.starts_with("src/") && name.ends_with("tests.rs") {
            continue;
        }
        let lines = read(&file)
            .lines()
            .take_while(|line| *line != "#[cfg(test)]")
            .count();
        let reason = LONG_FILES.iter().find(|(long, _)| *long == name);
        match reason {
            None => assert!(
                lines <= MOST_LINES,
                "{name} has {lines} lines: split it, or name the reason"
            ),
            Some(_) => assert!(lines > MOST_LINES, "{name} is short again: take it off the list"),
        }
    }
}

#[test]
fn a_file_is_named_for_what_lives_in_it() {
    for file in all_files() {
        for part in Path::new(&shown(&file))
            .with_extension("")
            .iter()
            .filter_map(|part| part.to_str())
        {
            assert!(
                !EMPTY_NAMES.contains(&part),
                "{}: `{part}` says nothing",
                shown(&file)
            );
        }
    }
}

#[test]
fn a_module_says_what_lives_in_it() {
    for file in rust_files(&root().join("src")) {
        assert!(
            read(&file).starts_with("//! "),
            "{} does not begin with `//! `",
            shown(&file)
        );
    }
}

/// Text that others wrote reaches a terminal through `ui/door.rs` alone, which lets no terminal obey it.
#[test]
fn standard_output_and_error_have_one_door() {
    const WAYS: &[&str] = &[
        "stdout()",
        "stderr()",
        "print!(",
        "println!(",
        "dbg!(",
        ".print()",
        ".exit()",
        "/dev/tty",
        "/dev/std",
        "inherit()",
    ];
    const DOORS: &[(&str, &str)] = &[
        ("src/host/cli/ui/door.rs", "the door"),
        ("src/host/mcp/wire.rs", "messages for a program"),
        ("src/host/opencode/server.rs", "JSON lines for a program"),
    ];
    let mut ways = Vec::new();
    for file in rust_files(&root().join("src")) {
        let (name, text) = (shown(&file), read(&file));
        let is_test =
            text.contains("#![cfg(test)]") || name.ends_with("tests.rs") || name.contains("/tests/");
        if is_test || name == "src/sys/files/killed.rs" || DOORS.iter().any(|(door, _)| *door == name) {
            continue;
        }
        let code = text.lines().take_while(|line| *line != "#[cfg(test)]");
        for line in code.map(|line| line.split("//").next().unwrap_or(line)) {
            let line = line.replace("Door::stdout()", "").replace("Door::stderr()", "");
            if WAYS.iter().any(|way| line.contains(way)) {
                ways.push(format!("{name}: {}", line.trim()));
            }
        }
    }
    assert!(ways.is_empty(), "{}", ways.join("\n"));
    let door = read(&root().join(DOORS[0].0));
    assert!(
        door.contains("stdout()") && door.contains("stderr()"),
        "the ways are not found where they are"
    );
}

#[test]
fn no_file_is_forgotten() {
    let mut forgotten = Vec::new();
    for (folder, entry) in [("tests", "main.rs"), ("src", "lib.rs")] {
        let folder = root().join(folder);
        for file in rust_files(&folder)
            .into_iter()
            .filter(|file| *file != folder.join(entry))
        {
            let is_main = file == folder.join("main.rs");
            let wired = is_main
                || candidates(&file, &folder.join(entry))
                    .iter()
                    .any(|parent| names(parent, &file));
            if !wired {
                forgotten.push(shown(&file));
            }
        }
    }
    assert!(forgotten.is_empty(), "no `mod` line for {forgotten:?}");
}

#[test]
fn imports_are_found_in_every_form() {
    let text = "
use crate::model::{Id, Kind};
use crate::{git, store::Store};
pub(crate) use crate::sys;
fn f() -> crate::config::Settings { todo() }
// crate::host in a comment, \"and a link to [`crate::watch`]\"
/// See [`crate::watch`].
use crate::{
    policy::Rules,
    render::{self, prompt},
    host::tools,
};
use crate::host::{cli, opencode};
";
    let found: Vec<String> = imports(text).into_iter().collect();
    assert_eq!(
        found,
        [
            "config",
            "git",
            "host",
            "host/tools",
            "model",
            "policy",
            "render",
            "store",
            "sys"
        ]
    );
}

/// The module of every `crate::…` path that is code.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            found.extend(first_parts(group));
        } else {
            found.extend(word(rest));
        }
    }
    found
}

/// The first words of the paths in a group of imports, which begins after its `{`.
fn first_parts(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut is_first = true;
    for (at, c) in group.char_indices() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            c if is_first && (c.is_alphabetic() || c == '_') => {
                parts.extend(word(&group[at..]));
                is_first = false;
            }
            _ => {}
        }
    }
    parts
}

/// The name of a module at the start of a text, `host/cli` for a part of a host. A name with a capital, or with a `!`,
/// is no module.
fn word(text: &str) -> Option<String> {
    if let Some(part) = text.strip_prefix("host::").and_then(word) {
        return Some(format!("host/{part}"));
    }
    let word: String = text
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let is_module = word.starts_with(|c: char| c.is_lowercase()) && !text[word.len()..].starts_with('!');
    is_module.then_some(word)
}

/// The module of a file below src/, `host/cli` for a part of a host; `None` for the crate's own two files.
fn module_of(place: &Path) -> Option<String> {
    let mut parts = place
        .iter()
        .filter_map(|part| Some(part.to_str()?.trim_end_matches(".rs")));
    match (parts.next()?, parts.next()) {
        ("lib" | "main", _) => None,
        ("host", Some(part)) if part != "mod" => Some(format!("host/{part}")),
        (first, _) => Some(first.to_owned()),
    }
}

/// The files that could declare a module: `mod.rs` beside it or above it, or the entry of the crate.
fn candidates(file: &Path, entry: &Path) -> Vec<PathBuf> {
    let folder = file.parent().unwrap();
    let outer = if file.ends_with("mod.rs") {
        folder.parent().unwrap()
    } else {
        folder
    };
    let mut parents = vec![outer.join("mod.rs"), outer.with_extension("rs")];
    if entry.parent() == Some(outer) {
        parents.push(entry.to_owned());
    }
    parents
}

/// True when `parent` has a `mod` line for `file`.
fn names(parent: &Path, file: &Path) -> bool {
    let stem = if file.ends_with("mod.rs") {
        file.parent().unwrap().file_name()
    } else {
        file.file_stem()
    };
    let line = format!("mod {};", stem.unwrap().to_str().unwrap());
    let Ok(text) = std::fs::read_to_string(parent) else {
        return false;
    };
    text.lines()
        .map(str::trim)
        .any(|code| code == line || code.ends_with(&format!(" {line}")))
}

fn all_files() -> Vec<PathBuf> {
    let mut files = rust_files(&root().join("src"));
    files.extend(rust_files(&root().join("tests")));
    files
}

/// Every Rust file below a folder, in order; what npm and pip install is not ours.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    let ours = walk
        .filter_entry(|entry| entry.file_name() != "node_modules" && entry.file_name() != "venv")
        .map(|entry| entry.unwrap().into_path());
    ours.filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
