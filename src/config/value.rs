//! The values of settings, and how they are read. A value is one of TOML; the types of the settings say by serde what they
//! take.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::policy::Level;

/// A type that a setting can have.
pub(super) trait Field {
    /// `None` for what there is none of.
    fn value(&self) -> Option<Value>;

    /// Takes a value; `None` where it is none of this type.
    fn take(&mut self, value: &Value) -> Option<()>;
}

impl<T: Serialize + DeserializeOwned> Field for T {
    fn value(&self) -> Option<Value> {
        Value::try_from(self).ok()
    }

    fn take(&mut self, value: &Value) -> Option<()> {
        *self = value.clone().try_into().ok()?;
        Some(())
    }
}

/// The field of a setting in what holds it.
pub(super) enum Access<T> {
    As(fn(&mut T) -> &mut dyn Field),
    /// In words such as `90s`; `off` is no time.
    Time(fn(&mut T) -> &mut Duration),
    /// A level, or `never`.
    Level(fn(&mut T) -> &mut Option<Level>),
}

impl<T> Access<T> {
    pub(super) fn value(&self, of: &mut T) -> Option<Value> {
        match self {
            Self::As(field) => field(of).value(),
            Self::Time(field) => Some(spell(*field(of)).into()),
            Self::Level(field) => Some(field(of).map_or("never", Level::as_str).into()),
        }
    }

    pub(super) fn take(&self, of: &mut T, value: &Value) -> Option<()> {
        match self {
            Self::As(field) => field(of).take(value)?,
            Self::Time(field) => *field(of) = read_duration(value.as_str()?)?,
            Self::Level(field) => *field(of) = Level::parse(value.as_str()?),
        }
        Some(())
    }
}

/// The value that a text of TOML is.
pub(super) fn of_toml(text: &str) -> Option<Value> {
    toml::from_str::<Table>(&format!("value = {text}"))
        .ok()?
        .remove("value")
}

/// What a text of a variable or a flag may mean, the likeliest first: as in TOML, but without the quotes and brackets.
pub(super) fn of_text(text: &str) -> impl Iterator<Item = Value> {
    let text = text.trim();
    let word = || Value::from(text);
    let flag = match text.to_lowercase().as_str() {
        "yes" | "on" | "1" => Some(true),
        "no" | "off" | "0" => Some(false),
        other => other.parse().ok(),
    };
    let readings = [
        of_toml(text),
        Some(word()),
        flag.map(Value::Boolean),
        of_toml(&format!("[{text}]")),
        Some(Value::Array(vec![word()])),
    ];
    readings.into_iter().flatten()
}

/// A number as a fraction.
pub(super) fn number(value: &Value) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "no setting needs more than 53 bits")]
    let whole = value.as_integer().map(|number| number as f64);
    value.as_float().or(whole).filter(|number| number.is_finite())
}

/// A value as people read it.
pub(super) fn shown(value: Option<&Value>) -> String {
    match value {
        None => "none".to_owned(),
        Some(Value::Float(number)) => number.to_string(),
        Some(value) => value.to_string(),
    }
}

const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// Reads `90s`, `15m`, `1h30m`, `250ms`; `off` is no time. A number without a unit is refused: nobody agrees on what it
/// means.
fn read_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut millis = 0_u64;
    match rest {
        "" => return None,
        "off" => return Some(Duration::ZERO),
        _ => {}
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let count: u64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &rest[..letters])?;
        millis = millis.checked_add(count.checked_mul(*unit)?)?;
        rest = rest[letters..].trim_start();
    }
    Some(Duration::from_millis(millis))
}

/// The shortest spelling in one unit.
fn spell(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    // In minutes up to two hours, as people say them.
    let units = UNITS
        .iter()
        .filter(|(name, _)| *name != "d" && (*name != "h" || millis > 7_200_000 - 1));
    let fitting = units
        .into_iter()
        .find(|(_, unit)| millis > 0 && millis % unit == 0);
    match fitting {
        Some((name, unit)) => format!("{}{name}", millis / unit),
        None => "0s".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, millis) in [
            ("5m", 300_000),
            ("90s", 90_000),
            ("250ms", 250),
            ("1h 30m", 5_400_000),
            ("1d", 86_400_000),
            ("0s", 0),
            ("off", 0),
        ] {
            assert_eq!(read_duration(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "5",
            "m",
            "5 apples",
            "-5m",
            "1.5h",
            "99999999999999999999d",
            "5m?",
        ] {
            assert_eq!(read_duration(text), None, "{text}");
        }
        for text in ["5m", "60m", "2h", "90s", "250ms", "0s", "24h"] {
            assert_eq!(spell(read_duration(text).unwrap()), text);
        }
    }
}
