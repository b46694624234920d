//! The YAML of a frontmatter, read into plain strings: no typing (a time, `1.10` or `007` stays what was typed), no
//! value that is not asked for, and a bounded amount of work whatever the text says.
//!
//! The two passes over a frontmatter: first the form of each value, then its characters. Only the raw characters keep
//! `1.10` apart from `1.1`, and the library gives them only to a caller that knows beforehand that a scalar is coming.

use std::cell::Cell;
use std::fmt;

use serde::de;
use serde::de::{DeserializeSeed, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::fields::Key;

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// Nothing after the colon, `~` or `null`.
    Null,
    /// One value, as its characters.
    Scalar(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, one level deep.
    Map(Vec<(String, Node)>),
    /// Of a key that is not mdmem's, or nested deeper than any of mdmem's is.
    Other,
}

/// The key under which some tools keep `type`.
pub(super) const METADATA: &str = "metadata";

/// A frontmatter: its keys in order, duplicates and all.
pub(super) type Pairs = Vec<(String, Node)>;

/// The reason why a text is no YAML, and the place: counted from 1, within that text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlError {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
}

/// The parser is quadratic in the depth of `[[[[…`; no frontmatter that a person writes comes near these.
const MAX_FLOW_DEPTH: usize = 64;
const MAX_BYTES: usize = 256 * 1024;

/// Reads a frontmatter: a mapping, or nothing at all; `None` for a scalar or a list.
pub(super) fn read(text: &str) -> Result<Option<Pairs>, YamlError> {
    if let Some(pairs) = read_simple(text) {
        return Ok(Some(pairs));
    }
    check_size(text)?;
    match two_passes(text).map_err(|error| locate(text, &error))? {
        Node::Null => Ok(Some(Vec::new())),
        Node::Map(pairs) => Ok(Some(pairs)),
        Node::Scalar(_) | Node::List(_) | Node::Other => Ok(None),
    }
}

fn check_size(text: &str) -> Result<(), YamlError> {
    let refuse = |offset: usize, message: &str| YamlError {
        line: super::lines::line_number(text, offset),
        column: 1,
        message: message.to_owned(),
    };
    if text.len() > MAX_BYTES {
        return Err(refuse(0, "the frontmatter is longer than 256 KiB"));
    }
    let mut depth = 0_usize;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_FLOW_DEPTH {
            return Err(refuse(offset, "more than 64 open brackets"));
        }
    }
    Ok(())
}

/// The error with its place, counted in the lines of this text: the library also breaks lines at U+0085, U+2028 and
/// U+2029, which nobody sees as the end of one.
fn locate(text: &str, error: &serde_yaml::Error) -> YamlError {
    let whole = error.to_string();
    let message = whole.split(" at line ").next().unwrap_or(&whole).to_owned();
    let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let Some(place) = error.location() else {
        return YamlError {
            line: 1,
            column: 1,
            message,
        };
    };
    let is_unseen = |c: &char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.chars().any(|c| is_unseen(&c)) {
        return YamlError {
            line: at(place.line()).max(1),
            column: at(place.column()).max(1),
            message,
        };
    }
    // Its index counts characters.
    let before: String = text.chars().take(place.index()).collect();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    YamlError {
        line: super::lines::line_number(text, before.len()),
        column: at(before[start..].chars().count() + 1),
        message,
    }
}

/// Reads the form that most files have, one `key: word` a line, without the library, in a tenth of the time. `None` =
/// ask it.
fn read_simple(text: &str) -> Option<Pairs> {
    let mut pairs = Vec::with_capacity(12);
    for line in super::lines::lines(text, 0..text.len()) {
        let line = line.of(text);
        if line.is_empty() {
            continue;
        }
        let (key, value) = line.split_once(':')?;
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !key.starts_with(|c: char| c.is_ascii_alphabetic())
            || !key.chars().all(word)
            || is_null(key)
            || is_flag(key)
        {
            return None;
        }
        let node = match value.strip_prefix(' ') {
            None if value.is_empty() => Node::Null,
            Some(value) if is_simple(value) && !is_null(value) => Node::Scalar(value.to_owned()),
            Some(value) => Node::Scalar(simply_quoted(value)?.to_owned()),
            _ => return None,
        };
        let node = match Key::parse(key) {
            Some(_) => node,
            None if key == METADATA => return None,
            None => Node::Other,
        };
        pairs.push((key.to_owned(), node));
    }
    Some(pairs)
}

/// Gives the text between double quotes, where nothing in there is special.
fn simply_quoted(value: &str) -> Option<&str> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    let plain =
        |c: char| c.is_alphanumeric() || c == ' ' || (c.is_ascii_graphic() && !matches!(c, '"' | '\\'));
    inner.chars().all(plain).then_some(inner)
}

/// Says whether a plain scalar is one to every YAML parser, as it stands and on one line.
pub(super) fn is_simple(value: &str) -> bool {
    let visible = |c: char| c.is_alphanumeric() || (c.is_ascii_graphic() && c != '#') || c == ' ';
    value.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && !value.ends_with([' ', ':'])
        && !value.contains(": ")
        && value.chars().all(visible)
}

/// Says whether YAML reads a plain scalar as nothing.
pub(super) fn is_null(value: &str) -> bool {
    matches!(value, "~" | "null" | "Null" | "NULL")
}

/// Says whether some YAML parser reads a plain scalar as true or false.
pub(super) fn is_flag(value: &str) -> bool {
    ["true", "false", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

/// Says whether some YAML parser reads a plain scalar as something else than text.
pub(super) fn is_typed(value: &str) -> bool {
    is_null(value) || is_flag(value) || !value.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Values looked at, aliases followed: an alias can name a list that names lists.
const MAX_NODES: u32 = 10_000;

/// Reads a text as one value: a mapping's values as far as they are mdmem's, anything else not at all.
pub(super) fn two_passes(text: &str) -> Result<Node, serde_yaml::Error> {
    let budget = Cell::new(MAX_NODES);
    let first = Probe {
        depth: 0,
        budget: &budget,
    };
    match first.deserialize(serde_yaml::Deserializer::from_str(text))? {
        Shape::Null => Ok(Node::Null),
        shape @ Shape::Map(_) => Take(&shape).deserialize(serde_yaml::Deserializer::from_str(text)),
        Shape::Scalar | Shape::Name | Shape::List(_) | Shape::Other => Ok(Node::Other),
    }
}

/// The form of a value, without its characters.
enum Shape {
    Null,
    Scalar,
    /// A scalar that, as a key, names a value that is asked for.
    Name,
    List(Vec<Shape>),
    Map(Vec<(Shape, Shape)>),
    Other,
}

/// The first pass: forms. Depth 0 is the frontmatter and its keys, 1 a key's value, 2 an item of it; nothing of mdmem's
/// is deeper.
#[derive(Clone, Copy)]
struct Probe<'a> {
    depth: u32,
    budget: &'a Cell<u32>,
}

impl Probe<'_> {
    fn inner(&self) -> Self {
        Probe {
            depth: self.depth + 1,
            budget: self.budget,
        }
    }

    fn spend<E: de::Error>(&self) -> Result<(), E> {
        let left = self.budget.get().checked_sub(1);
        self.budget
            .set(left.ok_or_else(|| E::custom("more than 10,000 values"))?);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Probe<'_> {
    type Value = Shape;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        self.spend()?;
        if self.depth > 2 {
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            return Ok(Shape::Other);
        }
        deserializer.deserialize_any(self)
    }
}

macro_rules! shape_of {
    ($($visit:ident($from:ty) => $shape:ident),* $(,)?) => {
        $(fn $visit<E: de::Error>(self, _: $from) -> Result<Shape, E> {
            Ok(Shape::$shape)
        })*
    };
}

impl<'de> Visitor<'de> for Probe<'_> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    shape_of! {
        visit_bool(bool) => Scalar, visit_i64(i64) => Scalar, visit_u64(u64) => Scalar,
        visit_i128(i128) => Scalar, visit_u128(u128) => Scalar,
        visit_f64(f64) => Scalar,
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Shape, E> {
        let asked_for = match self.depth {
            0 => Key::parse(name).is_some() || name == METADATA,
            _ => name == "type",
        };
        Ok(if asked_for { Shape::Name } else { Shape::Scalar })
    }

    fn visit_unit<E: de::Error>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let mut shapes = Vec::new();
        while let Some(shape) = items.next_element_seed(self.inner())? {
            shapes.push(shape);
        }
        Ok(Shape::List(shapes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Shape, A::Error> {
        let mut shapes = Vec::new();
        while let Some(key) = pairs.next_key_seed(self)? {
            let value = if matches!(key, Shape::Name) {
                pairs.next_value_seed(self.inner())?
            } else {
                pairs.next_value::<IgnoredAny>()?;
                Shape::Other
            };
            shapes.push((key, value));
        }
        Ok(Shape::Map(shapes))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Shape, A::Error> {
        let (IgnoredAny, value) = data.variant::<IgnoredAny>()?;
        value.newtype_variant::<IgnoredAny>()?;
        Ok(Shape::Other)
    }
}

/// The second pass: characters, by the forms of the first.
struct Take<'a>(&'a Shape);

impl<'de> DeserializeSeed<'de> for Take<'_> {
    type Value = Node;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        match self.0 {
            Shape::Null => {
                deserializer.deserialize_ignored_any(IgnoredAny)?;
                Ok(Node::Null)
            }
            Shape::Scalar | Shape::Name => deserializer.deserialize_str(self),
            Shape::List(_) => deserializer.deserialize_seq(self),
            Shape::Map(_) => deserializer.deserialize_map(self),
            Shape::Other => {
                deserializer.deserialize_ignored_any(IgnoredAny)?;
                Ok(Node::Other)
            }
        }
    }
}

impl<'de> Visitor<'de> for Take<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what the first pass saw")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Scalar(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        if let Shape::List(shapes) = self.0 {
            for shape in shapes {
                nodes.extend(items.next_element_seed(Take(shape))?);
            }
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        if let Shape::Map(shapes) = self.0 {
            for (key, value) in shapes {
                let Some(key) = pairs.next_key_seed(Take(key))? else {
                    break;
                };
                let name = match key {
                    Node::Scalar(name) => name,
                    _ => String::new(),
                };
                nodes.push((name, pairs.next_value_seed(Take(value))?));
            }
        }
        Ok(Node::Map(nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(text: &str) -> Pairs {
        match read(text) {
            Ok(Some(pairs)) => pairs,
            other => panic!("{text:?} gave {other:?}"),
        }
    }

    fn scalar(text: &str) -> Node {
        Node::Scalar(text.to_owned())
    }

    #[test]
    fn an_error_names_a_line_that_a_person_sees() {
        for unseen in ["", "\u{85}", "\u{2028}", "\u{2029}"] {
            let error = read(&format!("sid: x, t0a,d{unseen}\nother: [a(cgs x, t}}\nlast: 1\n")).unwrap_err();
            assert!((1..=3).contains(&error.line), "{unseen:?}: {error:?}");
            let error = read(&format!("a: {unseen}b\nc: [d\n")).unwrap_err();
            assert!((2..=3).contains(&error.line), "{unseen:?}: {error:?}");
        }
    }

    #[test]
    fn keeps_the_characters_that_were_typed() {
        for (typed, kept) in [
            ("1.10", "1.10"),
            ("007", "007"),
            ("0x10", "0x10"),
            ("1e3", "1e3"),
            ("true", "true"),
            ("2026-11-20", "2026-11-20"),
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z"),
            ("12345678901234567890123", "12345678901234567890123"),
            ("\"5\"", "5"),
            ("'it''s'", "it's"),
            (".inf", ".inf"),
        ] {
            let text = format!("# comment\nname: {typed}\ntags: [{typed}]\n");
            assert_eq!(
                pairs(&text),
                [
                    ("name".to_owned(), scalar(kept)),
                    ("tags".to_owned(), Node::List(vec![scalar(kept)]))
                ],
                "{typed}"
            );
        }
    }

    #[test]
    fn skips_what_is_not_asked_for() {
        let text =
            "own: {a: [1, {b: 2}]}\n1: x\n? [a, b]\n: y\nmetadata: {type: user, more: [1]}\nname: !odd x\n";
        assert_eq!(
            pairs(text),
            [
                ("own".to_owned(), Node::Other),
                ("1".to_owned(), Node::Other),
                (String::new(), Node::Other),
                (
                    "metadata".to_owned(),
                    Node::Map(vec![
                        ("type".to_owned(), scalar("user")),
                        ("more".to_owned(), Node::Other)
                    ])
                ),
                ("name".to_owned(), Node::Other),
            ]
        );
    }

    #[test]
    fn follows_aliases_and_keeps_duplicates() {
        assert_eq!(
            pairs("x: &a decision\ntype: *a\ntype: user\n"),
            [
                ("x".to_owned(), Node::Other),
                ("type".to_owned(), scalar("decision")),
                ("type".to_owned(), scalar("user"))
            ]
        );
    }

    #[test]
    fn a_bomb_is_an_error_or_is_skipped_in_bounded_time() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (last, next) in "abcdefghi".chars().zip("bcdefghij".chars()) {
            let many = vec![format!("*{last}"); 10].join(", ");
            bomb.push_str(&[&next.to_string(), ": &", &next.to_string(), " [", &many, "]\n"].concat());
        }
        let wide = format!(
            "a: &a [{}]\ntags: [{}]\n",
            "x,".repeat(20_000),
            "*a,".repeat(20_000)
        );
        let start = std::time::Instant::now();
        assert!(matches!(read(&bomb), Ok(Some(_))));
        assert!(matches!(read(&format!("{bomb}tags: *j\n")), Ok(Some(_))));
        for text in [
            wide,
            "a: ".to_owned() + &"[".repeat(200_000),
            "a: ".to_owned() + &"{".repeat(200_000),
            format!("tags: [{}]", "x,".repeat(100_000)),
            "a: 'x\n".repeat(100_000),
        ] {
            let error = read(&text).expect_err("too much");
            assert!(error.line >= 1 && !error.message.is_empty());
        }
        assert!(start.elapsed().as_secs() < 60, "took {:?}", start.elapsed());
    }

    #[test]
    fn says_where_it_stopped() {
        let error = read("name: x\ndescription: fix: the build\n").expect_err("no YAML");
        assert_eq!((error.line, error.column), (2, 17));
        assert_eq!(error.message, "mapping values are not allowed in this context");
    }

    #[test]
    fn tells_a_mapping_from_other_values() {
        assert_eq!(read(""), Ok(Some(vec![])));
        assert_eq!(read("# nothing\n"), Ok(Some(vec![])));
        assert_eq!(read("a paragraph\nof text\n"), Ok(None));
        assert_eq!(read("- a\n- b\n"), Ok(None));
    }

    proptest! {
        #[test]
        fn the_quick_way_reads_what_the_library_reads(
            lines in prop::collection::vec("(id|type|name|own_key|null|on|n)(: |:|: ?)([a-zA-Z0-9é:./+@*&!%'\"\\[\\]{}|>-][a-z :#.,-]{0,8}|\"[a-zé:'#,\\\\\" -]{0,4}\"|null|~|true|1\\.10|)", 0..5),
            newline in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        ) {
            let text: String = lines.iter().flat_map(|line| [line.as_str(), newline]).collect();
            if let Some(quick) = read_simple(&text) {
                // A comment sends the same text past the quick way.
                prop_assert_eq!(read(&format!("{text}# x\n")), Ok(Some(quick)));
            }
        }
    }
}
