//! Stories: each text in `stories/` is commands behind `$ ` (`> ` where one goes on), each with everything that it says, and
//! with its exit code where that is not 0. They run one after the other in the workspace of a machine that has a store, whose
//! folder is `$STORE`. `MDMEM_WRITE_DOCS=1` writes the answers anew, for a person to read.

use std::path::Path;

use super::help::names;
use super::session::COMMANDS;
use crate::env::{TestEnv, write_at};

/// What the commands of a story say.
fn told(story: &str) -> String {
    let env = TestEnv::with_store();
    let program = Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap();
    let mut script = format!("PATH='{}':$PATH\nSTORE=$(mdmem path)\n", program.display());
    let mut lines = story.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else {
            continue;
        };
        let (mut shown, mut command) = (line.to_owned(), first.to_owned());
        while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
            shown.extend(["\n", more]);
            command.extend(["\n", &more[2..]]);
        }
        let shown = shown.replace('\'', r"'\''");
        script.extend(["printf '%s\\n' '", &shown, "'\n", &command]);
        script.push_str("\ncode=$?; [ $code = 0 ] || echo \"[$code]\"\n");
    }
    write_at(&env.home().join("story.sh"), &script);
    let output = env.command("sh").args(["-c", "exec 2>&1; . ~/story.sh"]).output();
    let mut text = env.normalised(&String::from_utf8(output.unwrap().stdout).unwrap());
    // Names of commits and ids are other ones each time.
    for (pattern, name) in [
        (r"\b[0-9a-f]{40}\b", "COMMIT"),
        (r"\b[0-9a-f]{7}\b", "COMMIT-"),
        ("mem_[0-9A-Z]{26}", "mem_ID"),
    ] {
        let pattern = regex::Regex::new(pattern).unwrap();
        text = pattern.replace_all(&text, name).into_owned();
    }
    text
}

/// Commands that stay until they are ended, talk to programs alone, or print what a shell or `man` reads: other tests run
/// them.
const ELSEWHERE: [&str; 7] = ["watch", "view", "serve", "hook", "mcp", "completions", "man"];

#[test]
fn every_command_is_in_a_story_or_a_session() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/stories");
    let stories = folder
        .read_dir()
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let said = stories.collect::<Vec<_>>().join("\n") + &COMMANDS.join("\n");
    let help = TestEnv::new().mdmem(["--help"]).any_stdout().run().stdout;
    let untold = names(&help).into_iter().filter(|name| {
        let told = regex::Regex::new(&format!(r"mdmem (--?\w+(=\S+)? )*{name}\b")).unwrap();
        !told.is_match(&said) && !ELSEWHERE.contains(&&**name)
    });
    let topics = ["types", "prompt", "files", "agents"];
    let untold: Vec<String> = untold.filter(|name| !topics.contains(&&**name)).collect();
    assert!(untold.is_empty(), "{untold:?}");
}

#[test]
fn every_story_goes_as_it_is_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/stories");
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.collect();
    assert!(files.len() >= 4, "{files:?}");
    std::thread::scope(|scope| {
        for file in &files {
            scope.spawn(move || {
                let expected = std::fs::read_to_string(file).unwrap();
                let told = told(&expected);
                if std::env::var_os("MDMEM_WRITE_DOCS").is_some() {
                    write_at(file, &told);
                } else {
                    assert_eq!(
                        told,
                        expected,
                        "{}: MDMEM_WRITE_DOCS=1 writes it anew",
                        file.display()
                    );
                }
            });
        }
    });
}
