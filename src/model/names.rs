//! Names: of a memory, of a type, of a git object.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A text that is read where it stands, as far as it can be: names are read for each of ten thousand memories.
#[derive(Deserialize)]
pub(super) struct Text<'t>(#[serde(borrow)] pub(super) Cow<'t, str>);

/// The stable name of a memory, kept across renames: `mem_` and a ULID where the engine made it, any single
/// word of printable characters where a person or another tool did.
///
/// An id of the engine's stands in the value itself, because ten thousand are compared with a new one.
#[derive(Clone)]
pub struct Id(Word);

#[derive(Clone)]
enum Word {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<str>),
}

/// The length of `mem_` and a ULID.
const SHORT: usize = 30;

/// The reason why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid id: use at most 128 letters, digits, `_`, `-`, `.` or `:`")]
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
            Ok(Self(Word::new(text)))
        } else {
            Err(IdError(text.chars().take(40).collect()))
        }
    }

    /// The id as it stands in a file.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Word::Short { .. } => {
                std::str::from_utf8(self.as_bytes()).expect("because it was made of a text")
            }
            Word::Long(text) => text,
        }
    }

    fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Word::Short { length, bytes } => &bytes[..usize::from(*length)],
            Word::Long(text) => text.as_bytes(),
        }
    }
}

impl Word {
    fn new(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(text.as_bytes());
                Self::Short { length, bytes }
            }
            _ => Self::Long(text.into()),
        }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Id {}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By code point, as texts are.
impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl std::fmt::Debug for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Id").field(&self.as_str()).finish()
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&Text::deserialize(deserializer)?.0).map_err(de::Error::custom)
    }
}

/// The type of a memory (`type:` in its file, or its folder): a word, because `mdmem.toml` may add types.
/// The meaning of a type (factor, cap, order) is in the rules, not here.
///
/// The usual types share their names, which the rules compare for each of ten thousand memories.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Text<'_>")]
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

impl From<Text<'_>> for Kind {
    fn from(Text(name): Text<'_>) -> Self {
        Self::new(&name)
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

impl Serialize for Oid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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

impl<'de> Deserialize<'de> for Oid {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let byte = |at: usize| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..20).map(byte).collect();
        let bytes = bytes
            .filter(|_| text.len() == 40)
            .and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(Self)
            .ok_or_else(|| de::Error::custom("a commit has 40 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_length_are_told_apart_and_ordered_as_their_texts() {
        let long = "x".repeat(128);
        let texts = [
            "a",
            "B",
            "項",
            "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R",
            "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R2",
            "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3",
            &long,
            "項項項項項項項項項項",
            "項項項項項項項項項項項",
        ];
        for one in texts {
            let id = Id::parse(one).unwrap();
            assert_eq!((id.as_str(), id.to_string().as_str()), (one, one));
            for other in texts {
                let other_id = Id::parse(other).unwrap();
                assert_eq!(
                    (id == other_id, id.cmp(&other_id)),
                    (one == other, one.cmp(other))
                );
            }
        }
        for text in ["", "two words", "a/b", "a\0", &"x".repeat(129)] {
            assert!(Id::parse(text).is_err(), "{text:?}");
        }
    }
}
