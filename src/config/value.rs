//! A value of a setting, the forms that values have, and how they are read from TOML and from plain text.

use std::time::Duration;

use toml_edit::Item;

use super::catalog::is_folder_name;
use crate::model::Kind;
use crate::policy::{KeepRule, Rules};

/// A value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number of at least 0; `None` = no limit.
    Count(Option<u64>),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A length of time.
    Duration(Duration),
    /// A text; `None` = there is none.
    Text(Option<String>),
    /// A word of those that the setting knows.
    Word(&'static str),
    /// Three percentages, rising.
    Levels([u32; 3]),
    /// Texts.
    List(Vec<String>),
    /// The settings of a type, by their names.
    Type(Vec<(&'static str, Value)>),
}

/// As in TOML; what there is none of is `none`.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(Some(count)) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number}"),
            value => match value.to_toml() {
                Some(value) => f.write_str(value.to_string().trim()),
                None => f.write_str("none"),
            },
        }
    }
}

impl Value {
    /// As a TOML value; `None` for what there is none of.
    pub(super) fn to_toml(&self) -> Option<toml_edit::Value> {
        Some(match self {
            Self::Flag(flag) => (*flag).into(),
            Self::Count(Some(count)) => i64::try_from(*count).unwrap_or(i64::MAX).into(),
            Self::Integer(number) => (*number).into(),
            Self::Number(number) => (*number).into(),
            Self::Duration(duration) => spell(*duration).into(),
            Self::Text(Some(text)) => text.as_str().into(),
            Self::Word(word) => (*word).into(),
            Self::Levels(levels) => levels
                .iter()
                .map(|level| i64::from(*level))
                .collect::<toml_edit::Array>()
                .into(),
            Self::Count(None) | Self::Text(None) => return None,
            Self::Type(fields) => {
                let stated = fields
                    .iter()
                    .filter_map(|(name, value)| Some((*name, value.to_toml()?)));
                stated.collect::<toml_edit::InlineTable>().into()
            }
            Self::List(items) => items
                .iter()
                .map(String::as_str)
                .collect::<toml_edit::Array>()
                .into(),
        })
    }
}

/// The form of value that a setting takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Flag,
    /// From the first number up to the second.
    Count(u64, u64),
    Integer,
    /// From the first number up to the second.
    Number(f64, f64),
    /// Greater than 0.
    Positive,
    Duration,
    /// A duration, or the word `off` for none.
    DurationOrOff,
    Text,
    /// The name of a folder at the root of the store, which no type has from the beginning.
    Folder,
    /// A word of these.
    Word(&'static [&'static str]),
    /// Three percentages, rising, as in [70, 85, 92].
    Levels,
    List,
    /// Rules of what pruning keeps, as in "tool webfetch".
    KeepRules,
}

impl Form {
    /// Says what to write, to end a sentence that begins "want".
    pub(super) fn wanted(self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Count(least, most) if most >= u64::from(u32::MAX) => {
                format!("a whole number of at least {least}")
            }
            Self::Count(least, most) => format!("a whole number from {least} to {most}"),
            Self::Integer => "a whole number".to_owned(),
            Self::Number(least, f64::INFINITY) => format!("a number of at least {least}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Positive => "a number greater than 0".to_owned(),
            Self::Duration => "a time such as \"90s\", \"15m\" or \"2h\"".to_owned(),
            Self::DurationOrOff => "a time such as \"12h\", or \"off\"".to_owned(),
            Self::Text => "a text in quotes".to_owned(),
            Self::Folder => {
                "the name of a folder below the store, of letters, digits, - and _, that means nothing else"
                    .to_owned()
            }
            Self::Word(words) => format!("one of \"{}\"", words.join("\", \"")),
            Self::Levels => "three rising percentages, as in [70, 85, 92]".to_owned(),
            Self::List => "a list of texts, as in [\"a\", \"b\"]".to_owned(),
            Self::KeepRules => {
                "rules \"tool NAME\", \"command TEXT\" or \"line TEXT\", as in [\"tool webfetch\"]".to_owned()
            }
        }
    }

    /// Reads a value of a TOML file.
    pub(super) fn read_toml(self, item: &Item) -> Option<Value> {
        match self {
            Self::Flag => item.as_bool().map(Value::Flag),
            Self::Count(..) => self.count(u64::try_from(item.as_integer()?).ok()?),
            Self::Integer => item.as_integer().map(Value::Integer),
            Self::Number(..) | Self::Positive => {
                #[expect(clippy::cast_precision_loss, reason = "no setting needs more than 53 bits")]
                let whole = item.as_integer().map(|number| number as f64);
                self.number(item.as_float().or(whole)?)
            }
            Self::Duration | Self::DurationOrOff => self.duration(item.as_str()?),
            Self::Text => Some(Value::Text(Some(item.as_str()?.to_owned()))),
            Self::Folder => folder(item.as_str()?),
            Self::Word(words) => word_of(words, item.as_str()?),
            Self::Levels => {
                let percent = |item: &toml_edit::Value| u32::try_from(item.as_integer()?).ok();
                let percents = item.as_array()?.iter().map(percent);
                let levels: [u32; 3] = percents.collect::<Option<Vec<_>>>()?.try_into().ok()?;
                let is_rising = levels.is_sorted_by(|lower, upper| lower < upper);
                (is_rising && levels[0] > 0 && levels[2] <= 100).then_some(Value::Levels(levels))
            }
            Self::List | Self::KeepRules => {
                let items = item
                    .as_array()?
                    .iter()
                    .map(|item| item.as_str().map(str::to_owned));
                let items = items.collect::<Option<Vec<_>>>()?;
                items
                    .iter()
                    .all(|item| self.takes(item))
                    .then_some(Value::List(items))
            }
        }
    }

    /// Reads a variable or a flag: as in TOML, but without the quotes.
    pub(super) fn read_text(self, text: &str) -> Option<Value> {
        let text = text.trim();
        match self {
            Self::Flag => match text.to_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(Value::Flag(true)),
                "false" | "no" | "off" | "0" => Some(Value::Flag(false)),
                _ => None,
            },
            Self::Count(..) => self.count(text.parse().ok()?),
            Self::Integer => text.parse().ok().map(Value::Integer),
            Self::Number(..) | Self::Positive => self.number(text.parse().ok()?),
            Self::Duration | Self::DurationOrOff => self.duration(text.trim_matches('"')),
            Self::Text => Some(Value::Text(Some(unquoted(text)))),
            Self::Folder => folder(&unquoted(text)),
            Self::Word(words) => word_of(words, &unquoted(text)),
            Self::List | Self::KeepRules if text.starts_with('[') => self.read_array(text),
            Self::Levels => self.read_array(&format!("[{}]", text.trim_matches(['[', ']']))),
            Self::List | Self::KeepRules => Some(unquoted(text))
                .filter(|item| self.takes(item))
                .map(|item| Value::List(vec![item])),
        }
    }

    /// True for an item that a list of this form may have.
    fn takes(self, item: &str) -> bool {
        self != Self::KeepRules || KeepRule::parse(item).is_some()
    }

    fn read_array(self, text: &str) -> Option<Value> {
        let document = toml_edit::Document::parse(format!("list = {text}")).ok()?;
        self.read_toml(document.get("list")?)
    }

    fn count(self, count: u64) -> Option<Value> {
        match self {
            Self::Count(least, most) if (least..=most).contains(&count) => Some(Value::Count(Some(count))),
            _ => None,
        }
    }

    fn duration(self, text: &str) -> Option<Value> {
        let is_off = self == Self::DurationOrOff && text.trim() == "off";
        let duration = if is_off {
            Some(Duration::ZERO)
        } else {
            read_duration(text)
        };
        duration.map(Value::Duration)
    }

    fn number(self, number: f64) -> Option<Value> {
        let within = match self {
            Self::Number(least, most) => number >= least && number <= most,
            _ => number > 0.0,
        };
        (number.is_finite() && within).then_some(Value::Number(number))
    }
}

fn word_of(words: &[&'static str], text: &str) -> Option<Value> {
    words
        .iter()
        .find(|word| **word == text)
        .map(|word| Value::Word(word))
}

/// A type that every store has is a folder already.
fn folder(name: &str) -> Option<Value> {
    let is_free = is_folder_name(name) && Rules::default().type_rule(&Kind::new(name)).is_none();
    is_free.then(|| Value::Text(Some(name.to_owned())))
}

fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}

const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// Reads `90s`, `15m`, `1h30m`, `250ms`. A number without a unit is refused: nobody agrees on what it means.
fn read_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut millis = 0_u64;
    if rest.is_empty() {
        return None;
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
            ("2h", 7_200_000),
            ("90s", 90_000),
            ("250ms", 250),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("1d", 86_400_000),
            ("0s", 0),
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
        for text in ["5m", "60m", "15m", "2h", "90s", "250ms", "0s", "24h"] {
            let duration = read_duration(text).expect("a duration");
            assert_eq!(spell(duration), text);
        }
    }

    #[test]
    fn plain_text_needs_no_quotes() {
        assert_eq!(
            Form::Text.read_text("vim -f"),
            Some(Value::Text(Some("vim -f".into())))
        );
        assert_eq!(
            Form::Text.read_text("\"vim\""),
            Some(Value::Text(Some("vim".into())))
        );
        assert_eq!(Form::List.read_text("a,b"), Some(Value::List(vec!["a,b".into()])));
        assert_eq!(
            Form::List.read_text("['a', \"b\"]"),
            Some(Value::List(vec!["a".into(), "b".into()]))
        );
        assert_eq!(Form::Flag.read_text("Yes"), Some(Value::Flag(true)));
        assert_eq!(Form::Flag.read_text("maybe"), None);
    }

    #[test]
    fn levels_are_three_and_rise() {
        let levels = Some(Value::Levels([60, 80, 100]));
        for text in ["[60, 80, 100]", "60,80,100", " 60, 80 , 100 "] {
            assert_eq!(Form::Levels.read_text(text), levels, "{text}");
        }
        let refused = [
            "",
            "70",
            "0,1,2",
            "70,70,90",
            "90,80,70",
            "70,80,101",
            "-1,2,3",
            "70,80,x",
            "1,2,3,4",
        ];
        for text in refused {
            assert_eq!(Form::Levels.read_text(text), None, "{text}");
        }
        assert_eq!(Value::Levels([60, 80, 100]).to_string(), "[60, 80, 100]");
    }

    #[test]
    fn a_list_of_rules_has_rules_alone() {
        let list = Some(Value::List(vec!["tool webfetch".into(), "line TODO".into()]));
        assert_eq!(Form::KeepRules.read_text("['tool webfetch', 'line TODO']"), list);
        assert!(Form::KeepRules.read_text("command cargo tree").is_some());
        for wrong in ["webfetch", "['tool webfetch', 'webfetch']", "['line ']", ""] {
            assert_eq!(Form::KeepRules.read_text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn off_is_a_duration_where_the_setting_says_so() {
        let off = Some(Value::Duration(Duration::ZERO));
        assert_eq!(Form::DurationOrOff.read_text("\"off\""), off);
        assert_eq!(Form::DurationOrOff.read_text("0s"), off);
        assert_eq!(Form::Duration.read_text("off"), None);
    }

    #[test]
    fn a_word_is_one_that_the_setting_knows() {
        let form = Form::Word(&["ask", "deny"]);
        assert_eq!(form.read_text("\"deny\""), Some(Value::Word("deny")));
        assert_eq!(form.read_text("Deny"), None);
        assert_eq!(form.wanted(), "one of \"ask\", \"deny\"");
    }

    #[test]
    fn numbers_have_bounds() {
        assert_eq!(Form::Count(1, 100).read_text("0"), None);
        assert_eq!(Form::Count(1, 100).read_text("101"), None);
        assert_eq!(Form::Positive.read_text("0"), None);
        assert_eq!(Form::Number(0.0, 1.0).read_text("1.5"), None);
        assert_eq!(Form::Number(0.0, f64::INFINITY).read_text("inf"), None);
        assert_eq!(Form::Number(0.0, f64::INFINITY).read_text("NaN"), None);
        assert_eq!(Form::Count(0, u64::MAX).read_text("-1"), None);
    }

    #[test]
    fn shows_values_as_toml() {
        for (value, shown) in [
            (Value::Duration(Duration::from_mins(5)), "\"5m\""),
            (Value::Text(Some("a \"b\"".into())), "'a \"b\"'"),
            (Value::Text(None), "none"),
            (Value::List(vec!["a".into()]), "[\"a\"]"),
            (Value::Number(0.25), "0.25"),
        ] {
            assert_eq!(value.to_string(), shown);
        }
    }
}
