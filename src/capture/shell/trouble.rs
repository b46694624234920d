//! The lines of an output that must not get lost: those that tell of trouble, and those that name a place in a file.

use aho_corasick::AhoCorasick;

use super::names_file::names_file;
use super::outcome::programs;
use super::places::places;
use super::program::Program;
use super::signs::signs;
use super::words::said;
use crate::text::without_escapes;

/// Bytes of a long line that are read at a time, and those that two pieces share: more than a word or a place is long.
const PIECE: usize = 4096;
const SHARED: usize = 256;

/// Programs that list files and print little else.
const LISTING: [&str; 10] = [
    "ls", "find", "fd", "fdfind", "tree", "du", "exa", "eza", "lsd", "locate",
];

/// The same with an argument.
const LISTING_BY: [(&str, &str); 3] = [("git", "ls-files"), ("git", "ls-tree"), ("rg", "--files")];

/// Arguments by which a program that lists files does something with them.
const DOING: [&str; 6] = ["-exec", "-execdir", "-ok", "-x", "--exec", "-delete"];

/// True when a line names an error, a failure or a warning, or tells of trouble in other words or by a sign; counts of
/// nothing and denials ("0 failed") do not.
pub fn tells_trouble(line: &str) -> bool {
    let line = without_escapes(line);
    pieces(&line).any(|piece| {
        let signs = signs(piece);
        signs.are_there || (signs.may_say && said(piece).tells_trouble())
    })
}

/// True when all that a command line does is to list files.
pub fn lists_files(command: &str) -> bool {
    let lists = |program: &Program| {
        let has = |word: &str| program.args.iter().any(|arg| arg == word);
        let by = |(file, word): &(&str, &str)| program.file == *file && has(word);
        let is_listing = LISTING.contains(&program.file.as_str()) || LISTING_BY.iter().any(by);
        is_listing && !DOING.iter().any(|word| has(word))
    };
    let programs = programs(command);
    !programs.is_empty() && programs.iter().all(lists)
}

/// The files that errors name, to be looked for in many lines.
#[derive(Debug)]
pub struct NamedFiles<'a> {
    files: &'a [String],
    names: Option<AhoCorasick>,
}

impl<'a> NamedFiles<'a> {
    /// Those files, as they were printed.
    pub fn new(files: &'a [String]) -> Self {
        let names = files.iter().filter_map(|file| file.rsplit(['/', '\\']).next());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let names = (!names.is_empty())
            .then(|| AhoCorasick::new(names).ok())
            .flatten();
        Self { files, names }
    }

    /// True when a line names a place in one of them.
    pub fn are_in(&self, line: &str) -> bool {
        let is_in = |names: &AhoCorasick| {
            names.is_match(line)
                && pieces(&without_escapes(line)).any(|piece| {
                    places(piece)
                        .iter()
                        .any(|place| names_file(self.files, &place.path))
                })
        };
        self.names.as_ref().is_some_and(is_in)
    }
}

/// A long line in pieces, because some readers look back from each word.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        if text.len() <= PIECE {
            return Some(text);
        }
        rest = Some(&text[text.floor_char_boundary(PIECE - SHARED)..]);
        Some(&text[..text.floor_char_boundary(PIECE)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_read_in_pieces() {
        for length in [
            PIECE - 300,
            PIECE - SHARED - 3,
            PIECE - 3,
            PIECE,
            PIECE + 3,
            3 * PIECE,
        ] {
            assert!(
                tells_trouble(&format!("{} error: x", "é".repeat(length / 2))),
                "{length}"
            );
            assert!(!tells_trouble(&"errors".repeat(length)), "{length}");
        }
        assert!(!tells_trouble(&"error=0|".repeat(100_000)));
    }

    #[test]
    fn colours_hide_nothing() {
        assert!(tells_trouble("\u{1b}[31merror\u{1b}[0m: x"));
        assert!(!tells_trouble("\u{1b}[32mno error\u{1b}[0m"));
        assert!(tells_trouble("e\u{1b}[1mrror: x"));
        assert!(tells_trouble("  \u{1b}[31m✕\u{1b}[0m adds"));
    }
}
