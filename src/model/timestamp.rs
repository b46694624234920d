//! Points in time, in whole milliseconds, as the retention rules count them.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};
use regex::{Captures, Regex};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Times and dates as people, mdmem, git and editors write them; those of RFC 3339 are read before.
const WITH_OFFSET: &str = "
    %Y-%m-%d %H:%M:%S%.f %#z | %Y-%m-%d %H:%M %#z | %Y-%m-%dT%H:%M%#z | %Y-%m-%dT%H:%M:%S%.f%#z | %a %b %d %H:%M:%S %Y %z |
    %a, %d %b %Y %H:%M:%S %z
    ";
const WITHOUT_OFFSET: &str = "
    %Y-%m-%d %H:%M:%S%.f | %Y-%m-%dT%H:%M:%S%.f | %Y-%m-%d %H:%M | %Y-%m-%dT%H:%M | %Y-%m-%d %I:%M %p |
    %Y-%m-%d %I:%M:%S %p | %a %b %d %H:%M:%S %Y | %d %B %Y %H:%M | %B %d, %Y %I:%M %p | %A, %B %d %Y, %I:%M:%S %p |
    %d.%m.%Y %H:%M | %Y%m%d%H%M | %Y%m%d%H%M%S
    ";
const DATES: &str = "
    %Y-%m-%d | %d %B %Y | %B %d %Y | %B %d, %Y | %d.%m.%Y | %A, %B %d %Y | %Y%m%d
    ";

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The latest instant that RFC 3339 can write (9999-12-31T23:59:59.999Z).
    pub const MAX: Self = Self(253_402_300_799_999);

    /// A timestamp from milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// A timestamp from whole seconds since 1970, as git keeps them; saturates instead of overflowing.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970, rounded down.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Reads a time or a date (midnight) in the forms that people, git and editors write, and milliseconds or seconds since
    /// 1970. Without an offset it is UTC: the same file means the same on every machine. Anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let utc = |time: NaiveDateTime| Some(Self(time.and_utc().timestamp_millis()));
        Some(Self::written(text, utc)?.0)
    }

    /// The same, and whether it has a time of the day. `instant` gives the one of a time without an offset. A day and a month
    /// that could be either way around are no date.
    pub fn written(text: &str, instant: impl Fn(NaiveDateTime) -> Option<Self>) -> Option<(Self, bool)> {
        let text = text.trim().trim_matches(['[', ']', '"', '\'']).trim();
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Some((Self(time.timestamp_millis()), true));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            match text.len() {
                10 => return Some((Self::from_seconds(text.parse().ok()?), true)),
                13 => return Some((Self(text.parse().ok()?), true)),
                8 | 12 | 14 => {}
                _ => return None,
            }
        }
        let text = plain_date(text);
        let formats = |list: &'static str| list.split('|').map(str::trim);
        let with_offset = |format| DateTime::parse_from_str(&text, format).ok();
        if let Some(time) = formats(WITH_OFFSET).find_map(with_offset) {
            return Some((Self(time.timestamp_millis()), true));
        }
        let to_minute = |format: &str| NaiveDateTime::parse_from_str(&text, format).ok();
        if let Some(time) = formats(WITHOUT_OFFSET).find_map(to_minute) {
            return Some((instant(time)?, true));
        }
        let date = |format| NaiveDate::parse_from_str(&text, format).ok();
        let date = formats(DATES).find_map(date)?;
        Some((instant(date.and_time(NaiveTime::MIN))?, false))
    }

    /// Writes RFC 3339 in UTC: whole seconds as `…:00Z`, else with milliseconds.
    pub fn to_rfc3339(self) -> String {
        let format = if self.0 % 1000 == 0 {
            SecondsFormat::Secs
        } else {
            SecondsFormat::Millis
        };
        self.to_utc().to_rfc3339_opts(format, true)
    }

    /// As a `chrono` time, clamped to what it can hold.
    pub fn to_utc(self) -> DateTime<Utc> {
        let bound = if self.0 < 0 {
            DateTime::<Utc>::MIN_UTC
        } else {
            DateTime::<Utc>::MAX_UTC
        };
        DateTime::from_timestamp_millis(self.0).unwrap_or(bound)
    }

    /// Milliseconds from `earlier` to `self`; negative when `self` is the earlier one.
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

/// As RFC 3339.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("no time"))
    }
}

/// A date without the ends of its ordinals, with dashes for slashes, and the year first where that is clear.
fn plain_date(text: &str) -> String {
    static ORDINAL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(\d)(?:st|nd|rd|th)\b").expect("because it is a constant"));
    static YEAR_LAST: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(\d\d?)/(\d\d?)/(\d{4})").expect("because it is a constant"));
    let text = ORDINAL.replace_all(text, "$1");
    let year_first = |parts: &Captures<'_>| {
        let [first, second] = [1, 2].map(|at| parts[at].parse().unwrap_or(0));
        match (first, second) {
            (13.., _) => format!("{}-{second}-{first}", &parts[3]),
            (_, 13..) => format!("{}-{first}-{second}", &parts[3]),
            (day, month) if day == month => format!("{}-{month}-{day}", &parts[3]),
            _ => parts[0].to_owned(),
        }
    };
    let text = YEAR_LAST.replace(&text, year_first);
    if YEAR_LAST.is_match(&text) {
        text.into_owned()
    } else {
        text.replace('/', "-")
    }
}

/// A time as a file states it. A time that is there but cannot be read counts as "now" in the rules of retention,
/// which is not the same as a key that is absent and falls back to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Moment {
    /// The key is absent.
    #[default]
    Unset,
    /// The key is there and its value is no time.
    Unreadable,
    /// A time.
    At(Timestamp),
}

/// A time, or null.
impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.known().serialize(serializer)
    }
}

impl Moment {
    /// The time, when there is one.
    pub const fn known(self) -> Option<Timestamp> {
        match self {
            Self::At(time) => Some(time),
            Self::Unset | Self::Unreadable => None,
        }
    }

    /// True when the key is absent.
    pub const fn is_unset(&self) -> bool {
        matches!(self, Self::Unset)
    }

    /// `self`, or `other` when the key is absent.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        match self {
            Self::Unset => other,
            Self::Unreadable | Self::At(_) => self,
        }
    }

    /// A moment from the text of a key.
    pub fn parse(text: &str) -> Self {
        Timestamp::parse(text).map_or(Self::Unreadable, Self::At)
    }
}

/// A time as milliseconds since 1970.
pub mod millis {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Timestamp;

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

        use super::super::Timestamp;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rfc3339_with_offset_and_plain_dates() {
        assert_eq!(
            Timestamp::parse("2026-05-01T00:00:00+08:00"),
            Timestamp::parse("2026-04-30T16:00:00Z")
        );
        assert_eq!(
            Timestamp::parse("2026-05-01"),
            Timestamp::parse("2026-05-01T00:00:00Z")
        );
        for same in [
            "2024-06-06T10:00:00",
            "2024-06-06 10:00",
            "2024/06/06 10:00",
            "2024-06-06T10:00:00.000456",
            "2024-06-06 12:00:00 +0200",
            "2024-06-06T12:00:00+0200",
            "Thu Jun 6 12:00:00 2024 +0200",
            "Thu, 06 Jun 2024 12:00:00 +0200",
            "Thu Jun 6 10:00:00 2024",
            "6 June 2024 10:00",
            "06.06.2024 10:00",
            "2024-06-06 10:00 AM",
            "20240606100000",
            "1717668000",
            "1717668000000",
        ] {
            assert_eq!(
                Timestamp::parse(same),
                Timestamp::parse("2024-06-06T10:00:00Z"),
                "{same}"
            );
        }
        assert_eq!(Timestamp::parse("yesterday"), None);
        for none in ["2024060", "06/07/2024 10:00", "Thu Jun 6", "3"] {
            assert_eq!(Timestamp::parse(none), None, "{none}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for text in [
            "2026-11-20T10:00:00Z",
            "2026-11-20T10:00:00.250Z",
            "1969-12-31T23:59:59.999Z",
        ] {
            assert_eq!(
                Timestamp::parse(text).map(Timestamp::to_rfc3339).as_deref(),
                Some(text)
            );
        }
    }
}
