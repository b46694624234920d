//! The lines of an output that must not get lost: those that tell of trouble, and those that name a place in a file.

use aho_corasick::AhoCorasick;

use super::line::places;
use super::outcome::programs;
use super::program::Program;
use super::words;
use crate::text::without_escapes;

/// Bytes of a long line that are read at a time, and those that two pieces share: more than a word or a place is long.
const PIECE: usize = 4096;
const SHARED: usize = 256;

/// Commands that list files and print little else.
const LISTING: &str =
    "ls, find, fd, fdfind, tree, du, exa, eza, lsd, locate, git ls-files, git ls-tree, rg --files";

/// Arguments by which a program that lists files does something with them.
const DOING: [&str; 6] = ["-exec", "-execdir", "-ok", "-x", "--exec", "-delete"];

/// True when a line names an error, a failure or a warning, or tells of trouble in other words or by a sign; counts of
/// nothing and denials ("0 failed") do not.
pub fn tells_trouble(line: &str) -> bool {
    pieces(&without_escapes(line)).any(words::tells_trouble)
}

/// True when all that a command line does is to list files.
pub fn lists_files(command: &str) -> bool {
    let does = |arg: &String| DOING.contains(&arg.as_str());
    let lists = |program: &Program| program.is_in(LISTING) && !program.args.iter().any(does);
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

/// True when one of the files that an error names is the file at `path`, which is absolute or relative to the
/// workspace. A file may be named absolute, or relative to the folder in which a tool ran. Whole names are compared:
/// `a.tsx` is not `a.ts`.
pub fn names_file(named: &[String], path: &str) -> bool {
    let edited = parts(path);
    named.iter().map(|name| parts(name)).any(|name| {
        let is_absolute = name
            .first()
            .is_some_and(|first| first.is_empty() || first.ends_with(':'));
        let (longer, shorter) = if is_absolute {
            // The workspace's folder stands before the edited path.
            (&name, &edited)
        } else {
            // The tool ran in the workspace or in a folder of it.
            (&edited, &name)
        };
        !shorter.is_empty() && longer.ends_with(shorter)
    })
}

/// The names in a path, without `.` and `..`. The first name of an absolute path is empty, or a drive.
fn parts(path: &str) -> Vec<&str> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let mut parts = Vec::new();
    for (at, part) in path.split(['/', '\\']).enumerate() {
        match part {
            "" if at == 0 && !path.is_empty() => parts.push(part),
            "" | "." => {}
            ".." => {
                parts.pop_if(|part| !part.is_empty());
            }
            part => parts.push(part),
        }
    }
    parts
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

    fn is_named(named: &str, path: &str) -> bool {
        names_file(&[named.to_owned()], path)
    }

    #[test]
    fn a_file_is_known_however_it_is_written() {
        for named in [
            "src/a.ts",
            "./src/a.ts",
            "src\\a.ts",
            "file:///home/dev/src/a.ts",
            "src/b/../a.ts",
            "a.ts",
        ] {
            assert!(is_named(named, "src/a.ts"), "{named}");
            assert!(is_named(named, "/home/dev/src/a.ts"), "{named}");
        }
        for (named, path) in [
            ("src/a.tsx", "src/a.ts"),
            ("src/a.json", "src/a.js"),
            ("src/ba.ts", "a.ts"),
            ("src/a.ts", "a.ts"),
            ("/home/dev/other/src/a.ts", "/home/dev/shop/src/a.ts"),
            ("", "src/a.ts"),
            ("src/a.ts", ""),
        ] {
            assert!(!is_named(named, path), "{named} {path}");
        }
    }
}
