//! Paths below a store: a trust boundary, because they come from models and remotes.

use clap::ValueEnum;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::names::Text;

/// The path of a memory below its store: relative, `/` between parts, ends in `.md`, and nothing in it can lead
/// outside, into git's own folder or to a device. Holding one means that these hold; whether a link stands in the
/// way is asked when the file is opened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct StorePath(String);

/// The folder that Claude Code's own memory may be given: what lies in it counts as an agent's.
pub const CLAUDE_FOLDER: &str = "claude";
/// The index that Claude Code writes there: no memory.
pub const CLAUDE_INDEX: &str = "claude/MEMORY.md";

/// The reason why a text is no path of a memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing to name.
    #[error("the path is empty")]
    Empty,
    /// Begins at the root or at a drive.
    #[error("`{0}` is not a path in the store: use one such as decision/use-npm.md")]
    Absolute(String),
    /// Has a `..` or a `.` part.
    #[error("`{0}` leaves the store: `..` and `.` are not allowed in a path")]
    Leaves(String),
    /// Has an empty part, as in `a//b.md`.
    #[error("`{0}` has an empty part")]
    EmptyPart(String),
    /// A part begins with a dot.
    #[error("`{0}` has a hidden part: names that begin with a dot are not memories")]
    Hidden(String),
    /// A part that means something else to git, to mdmem or to some system.
    #[error("the name `{part}` in `{path}` is reserved")]
    Reserved {
        /// The whole path.
        path: String,
        /// The part.
        part: String,
    },
    /// A part over 255 bytes, or a path over 4,000.
    #[error("a part of the path is longer than 255 bytes: {0}…")]
    TooLong(String),
    /// More folders than a walk through a store looks into.
    #[error("`{0}…` has more than {MAX_FOLDERS} folders: give a path nearer to the root of the store")]
    TooDeep(String),
    /// A control character, a back slash, or NUL.
    #[error("`{0}` has a character that is not allowed in a path")]
    Character(String),
    /// No `.md` at its end.
    #[error("`{0}` does not end in .md")]
    NotMarkdown(String),
}

/// The way in which a memory is shown, by the first folder of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Zone {
    /// system/, or what `hot_dir` names: the whole body is in the prompt
    Pinned,
    /// A type's folder, or the root: one line each, by strength
    Ranked,
    /// archive/: kept and searched, never shown
    #[value(name = "archived", alias = "archive")]
    Archive,
    /// Any other folder: listed by name, read on demand
    #[value(name = "reference", alias = "cold")]
    Cold,
}

impl Zone {
    /// The word for it in tables and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Ranked => "ranked",
            Self::Archive => "archive",
            Self::Cold => "cold",
        }
    }
}

/// The folder of the pinned notes, in a store whose settings name no other one as `hot_dir`.
pub const HOT_DIR: &str = "system";
/// Folders in folders below a store: deeper ones are no work of a person, and nobody looks into them.
pub const MAX_FOLDERS: usize = 64;
const MAX_PART: usize = 255;
const MAX_PATH: usize = 4000;

impl StorePath {
    /// Checks a path from a caller, a model, a remote or the scan.
    pub fn new(path: &str) -> Result<Self, PathError> {
        let shown = || path.chars().take(80).collect::<String>();
        if path.is_empty() {
            return Err(PathError::Empty);
        }
        if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
            return Err(PathError::Absolute(shown()));
        }
        // One look at each byte: every path of a store that is loaded comes by here.
        let kinds = path
            .bytes()
            .fold(0, |kinds, byte| kinds | KINDS[usize::from(byte)]);
        if kinds & REFUSED != 0 || kinds & NOT_ASCII != 0 && path.chars().any(char::is_control) {
            return Err(PathError::Character(shown()));
        }
        if path.len() > MAX_PATH {
            return Err(PathError::TooLong(shown()));
        }
        let parts = || path.as_bytes().split(|byte| *byte == b'/');
        if path.len() > MAX_FOLDERS && parts().count() > MAX_FOLDERS + 1 {
            return Err(PathError::TooDeep(shown()));
        }
        let mut begin = 0;
        for length in parts().map(<[u8]>::len) {
            check_part(&path[begin..begin + length], kinds, &shown)?;
            begin += length + 1;
        }
        if !path.ends_with(".md") || path.ends_with("/.md") {
            return Err(PathError::NotMarkdown(shown()));
        }
        Ok(Self(path.to_owned()))
    }

    /// The path with `/` between its parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file's name without `.md`.
    pub fn stem(&self) -> &str {
        let name = self.0.rsplit('/').next().unwrap_or(&self.0);
        name.strip_suffix(".md").unwrap_or(name)
    }

    /// The first folder, or `None` for a file at the root.
    pub fn first_folder(&self) -> Option<&str> {
        self.0.split_once('/').map(|(folder, _)| folder)
    }

    /// The folder the file lies in, `""` for the root.
    pub fn parent(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(parent, _)| parent)
    }
}

impl AsRef<std::path::Path> for StorePath {
    fn as_ref(&self) -> &std::path::Path {
        std::path::Path::new(&self.0)
    }
}

impl std::fmt::Display for StorePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A control character, or what parts a path elsewhere.
const REFUSED: u8 = 1;
const NOT_ASCII: u8 = 2;
const COLON: u8 = 4;

/// The kind of each byte.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < kinds.len() {
        kinds[byte] = match byte {
            0..0x20 | 0x5c | 0x7f => REFUSED,
            0x3a => COLON,
            0x80.. => NOT_ASCII,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// `kinds` are those of the bytes of the whole path.
fn check_part(part: &str, kinds: u8, path: &dyn Fn() -> String) -> Result<(), PathError> {
    if part.is_empty() {
        return Err(PathError::EmptyPart(path()));
    }
    if part == "." || part == ".." {
        return Err(PathError::Leaves(path()));
    }
    if part.len() > MAX_PART {
        return Err(PathError::TooLong(path()));
    }
    let is_reserved = match kinds & NOT_ASCII {
        // Nearly every name.
        0 => is_reserved_folded(part),
        _ => is_reserved(part),
    };
    if is_reserved || kinds & COLON != 0 && part.contains(':') {
        return Err(PathError::Reserved {
            path: path(),
            part: part.to_owned(),
        });
    }
    if part.starts_with('.') {
        return Err(PathError::Hidden(path()));
    }
    Ok(())
}

/// Names that mean something else: git's folder in any case (and under the names that HFS+ and NTFS take for it),
/// mdmem's own, and the devices of Windows, with or without an extension.
fn is_reserved(part: &str) -> bool {
    let visible: String = part.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    is_reserved_folded(&visible.to_lowercase())
}

/// The same for a name of which only the case of ASCII letters is still to be ignored. Most names begin as no reserved
/// word does.
fn is_reserved_folded(name: &str) -> bool {
    let length = name.bytes().rposition(|byte| !matches!(byte, b'.' | b' '));
    let name = &name[..length.map_or(0, |last| last + 1)];
    match name.as_bytes().first().map(u8::to_ascii_lowercase) {
        Some(b'.') => is_any(name, &[".git", ".mdmem"]),
        Some(b'g') => after(name, "git~").is_some(),
        Some(b'a' | b'c' | b'l' | b'n' | b'p') => is_device(name.split('.').next().unwrap_or(name)),
        _ => false,
    }
}

fn is_any(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// A device of Windows.
fn is_device(name: &str) -> bool {
    is_any(name, &["con", "prn", "aux", "nul", "conin$", "conout$"]) || is_numbered_device(name)
}

fn is_numbered_device(name: &str) -> bool {
    let number = after(name, "com").or_else(|| after(name, "lpt"));
    number.is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
}

/// The rest of a name behind a prefix in any case.
fn after<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Code points that HFS+ leaves out when it compares names (git's `is_hfs_dotgit`).
const fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

impl<'de> Deserialize<'de> for StorePath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(&Text::deserialize(from)?.0).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_names_of_any_script_with_spaces() {
        for path in [
            "decision/use npm.md",
            "ノート/設定.md",
            "한국어.md",
            "a/b/c/d.md",
            "x.md/y.md",
            "a..b.md",
        ] {
            assert!(StorePath::new(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn refuses_what_leads_elsewhere() {
        let long = format!("{}.md", "x".repeat(253));
        for path in [
            "",
            "/etc/passwd.md",
            "C:/x.md",
            "../x.md",
            "a/../b.md",
            "./a.md",
            "a//b.md",
            ".hidden.md",
            "a/.b/c.md",
            ".git/hooks/x.md",
            ".GIT/x.md",
            ".g\u{200c}it/x.md",
            "git~1/x.md",
            "GIT~2/x.md",
            "a/.Git. /x.md",
            "\u{212a}/COM\u{200c}1.é.md",
            "lPt9.md",
            ".mdmem/x.md",
            "con.md",
            "a/LPT1.x.md",
            "a\\b.md",
            "a\nb.md",
            "a\0.md",
            "plain.txt",
            "a/.md",
            long.as_str(),
            "a/b",
            "x:y.md",
        ] {
            assert!(StorePath::new(path).is_err(), "{path:?}");
        }
    }

    /// The rules, each with a look of its own at the path.
    fn keeps_the_rules(path: &str) -> bool {
        let folded = |part: &str| {
            let visible: String = part.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
            visible.to_lowercase().trim_end_matches(['.', ' ']).to_owned()
        };
        let devices = ["con", "prn", "aux", "nul", "conin$", "conout$"]
            .map(str::to_owned)
            .into_iter();
        let numbered = (0..10).flat_map(|n| [format!("com{n}"), format!("lpt{n}")]);
        let devices: Vec<String> = devices.chain(numbered).collect();
        let is_fit = |part: &str| {
            let name = folded(part);
            let is_device = devices
                .iter()
                .any(|device| name.split('.').next() == Some(device));
            let is_gits = name == ".git" || name.starts_with("git~");
            !part.is_empty() && !part.starts_with('.') && part.len() <= MAX_PART && !is_device && !is_gits
        };
        path.split('/').all(is_fit)
            && path.len() <= MAX_PATH
            && path.matches('/').count() <= MAX_FOLDERS
            && !path.contains([':', '\\'])
            && !path.contains(char::is_control)
            && path.ends_with(".md")
            && !path.ends_with("/.md")
    }

    proptest::proptest! {
        #[test]
        fn takes_what_keeps_the_rules_and_nothing_else(
            parts in proptest::collection::vec("[acglnpPox.~ 1it:é\u{200c}\u{212a}]{0,5}|con|Com1|git~1|.git|LPT9|conin\\$|nul|aux|.mdmem|a\\\\b|\t|\u{85}", 1..5),
            end in "|\\.md|\\.MD| \\.md"
        ) {
            let path = parts.join("/") + &end;
            proptest::prop_assert_eq!(StorePath::new(&path).is_ok(), keeps_the_rules(&path), "{:?}", path);
        }
    }

    #[test]
    fn takes_as_many_folders_as_a_walk_looks_into() {
        let deep = |folders| StorePath::new(&format!("{}x.md", "d/".repeat(folders)));
        assert!(deep(MAX_FOLDERS).is_ok());
        assert!(matches!(deep(MAX_FOLDERS + 1), Err(PathError::TooDeep(_))));
    }

    #[test]
    fn names_its_parts() {
        let path = StorePath::new("decision/2026-11/use-npm.md").expect("valid");
        assert_eq!(
            (path.stem(), path.first_folder(), path.parent()),
            ("use-npm", Some("decision"), "decision/2026-11")
        );
    }
}
