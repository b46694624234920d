//! Names: of a memory, of a type, of a git object.

use std::borrow::Cow;

/// The stable name of a memory, kept across renames: `mem_` and a ULID where the engine made it, any single
/// word of printable characters where a person or another tool did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(String);

/// The reason why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no id: an id is one word of at most 128 letters, digits, `_`, `-`, `.` or `:`")]
pub struct IdError(pub String);

impl Id {
    /// Checks a text from a file or from a caller.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let is_sign = |byte: u8| matches!(byte, b'_' | b'-' | b'.' | b':');
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || is_sign(byte);
        let word = |c: char| c.is_alphanumeric() || u8::try_from(c).is_ok_and(is_sign);
        let is_word = || text.bytes().all(is_plain) || text.chars().all(word);
        let valid = !text.is_empty() && text.len() <= 128 && is_word();
        if valid {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError(text.chars().take(40).collect()))
        }
    }

    /// The id as it stands in a file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The type of a memory (`type:` in its file, or its folder): a word, because `mdmem.toml` may add types.
/// The meaning of a type (factor, cap, order) is in the rules, not here.
///
/// The usual types share their names, which the rules compare for each of ten thousand memories.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(Cow<'static, str>);

impl Kind {
    /// The type of a file that neither says one nor lies in a type's folder.
    pub const DEFAULT: &'static str = "project";

    const USUAL: [&'static str; 5] = ["decision", "feedback", Self::DEFAULT, "reference", "user"];

    /// A type by its name: white space at the ends is not part of it, letters are lower case.
    pub fn new(name: &str) -> Self {
        let usual = Self::USUAL.into_iter().find(|usual| *usual == name);
        Self(usual.map_or_else(|| name.trim().to_lowercase().into(), Cow::Borrowed))
    }

    /// The name, as in `type:` and as the folder's name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Kind {
    fn default() -> Self {
        Self(Cow::Borrowed(Self::DEFAULT))
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The SHA-1 name of a git object. The model has its own, so that nothing above `git` knows a git library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(pub [u8; 20]);

impl Oid {
    /// The first seven hexadecimal digits, as people read them in `git log --oneline`.
    pub fn short(self) -> String {
        self.to_string().chars().take(7).collect()
    }
}

impl std::fmt::Display for Oid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The bytes as lower case hexadecimal digits, two for each.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for digit in bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]) {
        text.push(char::from(DIGITS[usize::from(digit)]));
    }
    text
}
