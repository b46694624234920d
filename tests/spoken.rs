//! The words that mdmem speaks: no string that a person or a model meets says what there is a better word for, and
//! `cli/help/messages.txt` is all of them, to be read aloud in one go. `MDMEM_WRITE_DOCS=1` writes it anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::env::write_at;

/// What is not said, and what is said instead. Each stands for whole words, in any case.
const NOT_SAID: &[(&str, &str)] = &[
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed, updated or completed"),
    ("settle", "resolve"),
    ("settles", "resolves"),
    ("settled", "resolved or decided"),
    ("put right", "fix"),
    ("gone from", "unavailable"),
    ("is away", "unavailable"),
    ("sibling", "conflict copy"),
    ("companion", "conflict copy"),
    ("set aside", "conflict copy, or moved"),
    ("put aside", "moved"),
    ("what waits", "pending writes"),
    ("spool", "pending writes"),
    ("looks like a credential", "suspected secret"),
    ("what looks like", "suspected secret"),
    ("is none", "is harmless, or none at all"),
    ("kept apart", "held back"),
    ("taken for", "tracked"),
    ("what came", "received"),
    ("which came", "received"),
    ("came with it", "received"),
    ("in step", "up to date"),
    ("nothing came", "up to date"),
    ("let the system", "the login service"),
    ("in force", "active"),
    ("put away", "archived"),
    ("type_cap", "over the cap of its type"),
    ("global_cap", "over the cap"),
    ("is no", "is not a, or is not"),
    ("are no", "are not"),
    ("is none of", "is not one of"),
    ("memorys", "memories"),
    ("contradicts itself", "a contradiction"),
    ("neither committed", "not committed"),
    ("no word to look for", "empty search"),
    ("by itself", "on its own, or nothing"),
    ("has to be", "must be"),
    ("have to be", "must be"),
    ("without a word", "silently"),
    ("says it already", "already stored"),
    ("anew", "again"),
    ("stands", "is"),
    ("lies", "is"),
];

/// Where one of them is right, by the words around it.
const RIGHT: &[(&str, &str)] = &[
    ("there is none", "English"),
    ("is no longer", "English"),
    ("made anew when it is gone", "a line of a file that stores have"),
    ("are no longer", "English"),
    ("there is no ", "English"),
    ("there are no ", "English"),
    ("settled {} {} {}", "a line of the file `contradictions`"),
    ("fix repair mend solve", "what a person may search for"),
    (
        "begin the history anew",
        "the subject of a commit that stores have",
    ),
    ("{mend}", "the name of a variable"),
    ("{mended}", "the name of a variable"),
    ("{sibling}", "the name of a variable"),
    ("entry.sibling", "the name of a variable"),
    ("in step.files", "the name of a variable"),
    ("finding.mend", "the name of a variable"),
    ("\"settle\"", "the name of a form"),
];

/// Rooms whose strings are data: what people and tools say.
const DATA: &[&str] = &[
    "src/capture/",
    "src/text/",
    "src/policy/newer/",
    "src/policy/subject.rs",
];

/// What each file says, by its name; of code, with `has_help`, also the comments that are the help.
fn said(has_help: bool) -> Vec<(String, Vec<String>)> {
    let mut all = Vec::new();
    for file in files("src").into_iter().chain(files("templates")) {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        let is_test = name.ends_with("tests.rs")
            || name.contains("/tests/")
            || name.ends_with("testing.rs")
            || name.ends_with("fixture.rs");
        if is_test || DATA.iter().any(|room| name.starts_with(room)) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let said = match name.rsplit('.').next() {
            Some("rs") if text.contains("#![cfg(test)]") => Vec::new(),
            Some("rs") => strings(&text, has_help && name.starts_with("src/host/cli/commands/")),
            Some("ts") => strings(&text, false),
            _ => text.lines().map(str::to_owned).collect(),
        };
        all.push((name, said));
    }
    all
}

#[test]
fn nothing_is_said_that_has_a_better_word() {
    let mut faults = Vec::new();
    for (name, said) in said(true) {
        for line in said {
            faults.extend(
                not_said(&line).map(|(word, better)| format!("{name}: `{word}` in {line:?}: say {better}")),
            );
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_message_is_in_the_list_that_was_read() {
    // Two words beside each other, and no pattern, query or list of words. The examples of the help are in pages.txt.
    let words = regex::Regex::new("[a-z`}] [a-z`{]|^[A-Z][a-z]+ [a-z`]").unwrap();
    let code = regex::Regex::new(r"\\[bp]|\(\?|%[Ymd]|SELECT |^Examples:|^[^.,:;`{]{160,}$").unwrap();
    let markup = regex::Regex::new(r"<[^>]*>|\{%.*?%\}").unwrap();
    let mut list = "# What mdmem says, by the file that says it; `{…}` is filled in.\n".to_owned();
    for (name, mut said) in said(false) {
        said.retain(|line| words.is_match(line) && !code.is_match(line));
        // Words that mean the same, and styles.
        if name.starts_with("templates/search/")
            || name.starts_with("templates/completions/")
            || name.ends_with(".css")
        {
            continue;
        }
        if name.ends_with(".html") {
            let told = said
                .iter()
                .map(|line| markup.replace_all(line, " ").trim().to_owned());
            said = told.collect();
        }
        said.dedup();
        if !said.is_empty() {
            let lines: Vec<String> = said
                .iter()
                .map(|line| line.trim().replace("\\n", "\n  "))
                .collect();
            write!(list, "\n## {name}\n- {}\n", lines.join("\n- ")).unwrap();
        }
    }
    let file = root().join("tests/cli/help/messages.txt");
    if std::env::var_os("MDMEM_WRITE_DOCS").is_some() {
        write_at(&file, &list);
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        list, expected,
        "MDMEM_WRITE_DOCS=1 writes it anew: read what is new aloud"
    );
}

#[test]
fn the_words_are_found_in_strings_and_help_alone() {
    let code = "
/// Mend a file.
// mend it
let a = 'm'; let b = \"to \\\"mend\\\" \\
         it\"; let c = r#\"so mend\"#;
let d = expect(\"because we mend\");
#[cfg(test)]
mod tests { \"mend\" }
";
    assert_eq!(
        strings(code, true),
        ["Mend a file.", "to \\\"mend\\\" it", "so mend"]
    );
    assert_eq!(strings(code, false).len(), 2);
    let found = |line: &str| not_said(line).map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(found("Mend it: recommend"), ["mend"]);
    assert_eq!(found("it is no longer; this is no file"), ["is no"]);
    assert!(found("it is no longer there, and there is no file").is_empty());
}

/// The words of a line that have better ones, which it does not use rightly.
fn not_said(line: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut rest = line.to_lowercase();
    for (right, _) in RIGHT {
        rest = rest.replace(right, "");
    }
    let is_in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'));
    NOT_SAID.iter().copied().filter(move |(word, _)| {
        rest.match_indices(word).any(|(at, _)| {
            let (before, behind) = (
                rest[..at].chars().next_back(),
                rest[at + word.len()..].chars().next(),
            );
            !is_in_word(before) && !is_in_word(behind)
        })
    })
}

/// The string literals of code, but for the reasons of `expect`; on request the comments that are the help too. What only
/// tests have is left out.
fn strings(code: &str, has_help: bool) -> Vec<String> {
    let code = code.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let comment = rest.find('\n').unwrap_or(rest.len());
        let raw = ["r\"", "r#\"", "r##\""]
            .iter()
            .find(|mark| rest.starts_with(**mark));
        if rest.starts_with("//") {
            let help = rest[..comment].strip_prefix("/// ").filter(|_| has_help);
            found.extend(help.map(str::to_owned));
            rest = &rest[comment..];
        } else if let Some(mark) = raw {
            let end: String = mark[1..].chars().rev().collect();
            let (text, behind) = rest[mark.len()..].split_once(&end).unwrap_or_default();
            found.push(text.to_owned());
            rest = behind;
        } else if c == '"' {
            let mut end = 1;
            while end < rest.len() && !rest[end..].starts_with('"') {
                let escaped = usize::from(rest[end..].starts_with('\\'));
                end += rest[end..]
                    .chars()
                    .take(1 + escaped)
                    .map(char::len_utf8)
                    .sum::<usize>();
            }
            let lines = rest[1..end.min(rest.len())].split("\\\n").map(str::trim_start);
            // Not what a lint is told.
            if !code[..code.len() - rest.len()].ends_with("reason = ") {
                found.push(lines.collect::<String>());
            }
            rest = rest.get(end + 1..).unwrap_or_default();
        } else {
            // A character in quotes may be a quotation mark.
            let width = ["'\"'", "'\\\"'"].iter().find(|mark| rest.starts_with(**mark));
            rest = &rest[width.map_or(c.len_utf8(), |mark| mark.len())..];
        }
    }
    found.retain(|text| text.contains(' ') && !text.starts_with("because "));
    found
}

fn files(folder: &str) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name();
    let files = walk.into_iter().map(|entry| entry.unwrap().into_path());
    files.filter(|path| path.is_file()).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
