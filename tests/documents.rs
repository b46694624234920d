//! What the documents say about each other and about the program: links lead somewhere, commands exist, tests are named
//! as they are called, and a change is one line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::env::TestEnv;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pattern(text: &str) -> regex::Regex {
    regex::Regex::new(text).unwrap()
}

/// The documents for people: the pages at the root, and those of docs/.
fn documents() -> Vec<(PathBuf, String)> {
    let mut documents = Vec::new();
    for folder in [root().to_owned(), root().join("docs")] {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "md") {
                let text = std::fs::read_to_string(&path).unwrap();
                documents.push((path, text));
            }
        }
    }
    assert!(documents.len() > 20, "{documents:?}");
    documents
}

/// The name by which a link means a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars()
        .filter(|char| char.is_alphanumeric() || "-_".contains(*char))
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let (link, heading) = (pattern(r"\]\(([^)\s]+)\)"), pattern(r"(?m)^#+ (.*)$"));
    let mut faults = Vec::new();
    for (path, text) in documents() {
        for found in link.captures_iter(&text) {
            let target = &found[1];
            if target.starts_with("http") {
                continue;
            }
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            let said = match std::fs::read_to_string(&file) {
                Ok(said) => said,
                Err(_) if file.exists() => continue,
                Err(error) => {
                    faults.push(format!("{}: {target}: {error}", path.display()));
                    continue;
                }
            };
            if !place.is_empty()
                && !heading
                    .captures_iter(&said)
                    .any(|found| anchor(&found[1]) == place)
            {
                faults.push(format!("{}: {target}: no such heading", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Each command of a code block or a code span: its verb, its sub-command and its options are in the helps.
#[test]
fn every_command_that_a_document_names_exists() {
    let code = pattern(r"(?s)```console\n(.*?)```|`([^`\n]+)`");
    let command =
        pattern(r"(?m)(?:^|[$(|] )mdmem (?:--global |--store \S+ )*([a-z][a-z-]*)(?: ([a-z]+))?([^#|;&\n]*)");
    let option = pattern(r" (--[a-z-]+)");
    let env = TestEnv::new();
    let help = |words: &[&str]| {
        let mut mdmem = env.command(env!("CARGO_BIN_EXE_mdmem"));
        let said = mdmem.args(words).arg("--help").output().unwrap();
        let is_known = said.status.success();
        is_known.then(|| String::from_utf8(said.stdout).unwrap())
    };
    let (mut seen, mut faults) = (BTreeSet::new(), Vec::new());
    for (path, text) in documents() {
        if path.ends_with("CHANGELOG.md") {
            continue;
        }
        for found in code.captures_iter(&text) {
            let code = found.get(1).or(found.get(2)).unwrap().as_str();
            for found in command.captures_iter(code) {
                let (verb, sub) = (&found[1], found.get(2).map_or("", |sub| sub.as_str()));
                let options: BTreeSet<_> = option.captures_iter(&found[3]).map(|o| o[1].to_owned()).collect();
                if verb == "help" || !seen.insert(format!("{verb} {sub} {options:?}")) {
                    continue;
                }
                let said = help(&[verb]).unwrap_or_default() + &help(&[verb, sub]).unwrap_or_default();
                if said.is_empty() || options.iter().any(|option| !said.contains(option.as_str())) {
                    faults.push(format!("{}: {}", path.display(), &found[0]));
                }
            }
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every part of a test's name in docs/reliability.md is a module or a function of the tests.
#[test]
fn every_test_that_a_promise_names_exists() {
    let mut names = BTreeSet::new();
    let function = pattern(r"\bfn (\w+)|\bmod (\w+)");
    for folder in ["src", "tests"] {
        for file in walkdir::WalkDir::new(root().join(folder)) {
            let file = file.unwrap();
            if file.path().extension().is_some_and(|end| end == "rs") {
                names.insert(file.path().file_stem().unwrap().to_string_lossy().into_owned());
                let text = std::fs::read_to_string(file.path()).unwrap();
                for found in function.captures_iter(&text) {
                    names.insert(found.get(1).or(found.get(2)).unwrap().as_str().to_owned());
                }
            } else if file.file_type().is_dir() {
                names.insert(file.file_name().to_string_lossy().into_owned());
            }
        }
    }
    let page = std::fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let tests: Vec<_> = rows
        .filter_map(|row| row.split(" | ").nth(1))
        .flat_map(|cell| {
            let spans = pattern(r"`(\w+(?:::\w*)+)`");
            spans
                .captures_iter(cell)
                .map(|found| found[1].to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(tests.len() > 30, "{tests:?}");
    let unknown: Vec<_> = tests
        .iter()
        .filter(|test| {
            test.split("::")
                .any(|part| !part.is_empty() && !names.contains(part))
        })
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn a_change_is_one_line() {
    let text = std::fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let long: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("- ") && line.chars().count() > 200)
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Each file or folder of src/ that ARCHITECTURE.md names, such as `store/held.rs` or `service/mend`.
#[test]
fn every_room_that_the_architecture_names_exists() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let named = pattern(r"`([a-z]+/[a-z_/.]+)`");
    let rooms: BTreeSet<String> = named
        .captures_iter(&text)
        .map(|found| found[1].trim_end_matches('/').to_owned())
        .collect();
    assert!(rooms.len() > 15, "{rooms:?}");
    let at = |place: &str| ["src", ""].map(|above| root().join(above).join(place));
    let missing: Vec<_> = rooms
        .iter()
        .filter(|room| {
            !at(room)
                .iter()
                .chain(&at(&format!("{room}.rs")))
                .any(|path| path.exists())
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_setting_is_explained() {
    let env = TestEnv::with_store();
    let rows = env.mdmem(["config"]).any_stdout().run().stdout;
    let page = std::fs::read_to_string(root().join("docs/file-format.md")).unwrap();
    let missing: Vec<_> = rows
        .lines()
        .skip(1)
        .filter_map(|row| row.split_whitespace().next())
        .filter(|key| !key.starts_with("type.") && !page.contains(&format!("`{key}`")))
        .collect();
    assert!(rows.lines().count() > 30, "{rows}");
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_page_that_the_source_names_exists() {
    let page = pattern(r"\bdocs/[a-z-]+\.md\b");
    let mut pages = BTreeSet::new();
    for file in walkdir::WalkDir::new(root().join("src")) {
        let file = file.unwrap();
        if file.path().extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(file.path()).unwrap();
            let comments = text.lines().filter(|line| line.trim_start().starts_with("//"));
            pages.extend(
                comments.flat_map(|line| page.find_iter(line).map(|found| found.as_str().to_owned())),
            );
        }
    }
    pages.remove("docs/table.md"); // An example of what a text says.
    assert!(pages.len() > 5, "{pages:?}");
    let missing: Vec<_> = pages.iter().filter(|page| !root().join(page).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
