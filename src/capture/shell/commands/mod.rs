//! The kind of work that a program does, by the command that runs it: a table per category, and one of the programs
//! that run tasks by a name that the project chose.

mod build;
mod lint;
mod options;
mod runners;
mod tasks;
mod test;
mod typecheck;

pub(super) use options::positionals;
pub(super) use runners::{Runner, runner};
pub(super) use tasks::{of_script, of_task};

use crate::capture::ErrorCategory;

const TABLES: [(ErrorCategory, &[&str]); 4] = [
    (ErrorCategory::Typecheck, typecheck::COMMANDS),
    (ErrorCategory::Test, test::COMMANDS),
    (ErrorCategory::Lint, lint::COMMANDS),
    (ErrorCategory::Build, build::COMMANDS),
];

/// The category that a table gives for a program and its arguments; the row with the most words wins.
pub(super) fn of_command(program: &str, args: &[String]) -> Option<ErrorCategory> {
    let mut best = None;
    for (category, table) in TABLES {
        for row in table {
            let words = match row.strip_prefix(program) {
                Some("") => "",
                Some(rest) if rest.starts_with(' ') => &rest[1..],
                _ => continue,
            };
            let words = words.split_terminator(' ');
            let length = words.clone().count();
            if best.is_none_or(|(most, _)| length > most) && fits(words, program, args) {
                best = Some((length, category));
            }
        }
    }
    best.map(|(_, category)| category)
}

/// Whether the words after the program's name are among the arguments: options anywhere, the others in front.
fn fits<'a>(words: impl Iterator<Item = &'a str>, program: &str, args: &[String]) -> bool {
    let mut positional = positionals(program, args).map(|(_, word)| word);
    for word in words {
        let fits = if word.starts_with('-') {
            args.iter().any(|arg| arg == word)
        } else {
            positional.next() == Some(word)
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<ErrorCategory> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        of_command(&words[0], &words[1..])
    }

    #[test]
    fn a_row_is_matched_by_its_words() {
        assert_eq!(of("tsc -p ."), Some(ErrorCategory::Typecheck));
        assert_eq!(
            of("cargo +nightly --locked check --all"),
            Some(ErrorCategory::Typecheck)
        );
        assert_eq!(
            of("cargo --manifest-path a/Cargo.toml test"),
            Some(ErrorCategory::Test)
        );
        assert_eq!(of("cargo run test"), None);
        assert_eq!(of("node --test"), Some(ErrorCategory::Test));
        assert_eq!(of("node a.js"), None);
        assert_eq!(of("go -C tools vet ./..."), Some(ErrorCategory::Lint));
    }

    #[test]
    fn the_longest_row_wins() {
        assert_eq!(of("xcodebuild -scheme App"), Some(ErrorCategory::Build));
        assert_eq!(of("xcodebuild -scheme App test"), Some(ErrorCategory::Test));
        assert_eq!(of("zig build test"), Some(ErrorCategory::Test));
        assert_eq!(of("zig build"), Some(ErrorCategory::Build));
    }

    #[test]
    fn no_row_stands_in_two_tables() {
        let mut seen = std::collections::BTreeSet::new();
        for (_, table) in TABLES {
            for row in table {
                assert!(seen.insert(*row), "{row} twice");
            }
        }
    }
}
