//! Values as files state them: the words of [`StorePath`] and [`Oid`] are checked, times of state files are milliseconds.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::{Oid, StorePath};

impl<'de> Deserialize<'de> for StorePath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(from)?).map_err(D::Error::custom)
    }
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
            .ok_or_else(|| D::Error::custom("a commit has 40 hexadecimal digits"))
    }
}

/// A time as milliseconds since 1970.
pub mod millis {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::super::Timestamp;

    /// Writes it.
    pub fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(time.as_millis())
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(from).map(Timestamp::from_millis)
    }

    /// The same where there may be none.
    pub mod optional {
        use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

        use super::super::super::Timestamp;

        /// Writes it.
        pub fn serialize<S: Serializer>(time: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
            time.map(Timestamp::as_millis).serialize(to)
        }

        /// Reads it.
        pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
            let millis = Option::<i64>::deserialize(from)?;
            Ok(millis.map(Timestamp::from_millis))
        }
    }
}
