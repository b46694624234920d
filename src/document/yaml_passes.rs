//! The two passes over a frontmatter: first the form of each value, then its characters. Only the raw characters keep
//! `1.10` apart from `1.1`, and the library gives them only to a caller that knows beforehand that a scalar is coming.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    self, DeserializeSeed, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::key::Key;
use super::yaml::{METADATA, Node};

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
