//! Times on the command line: `yesterday`, `2 weeks ago`, `2026-11-01`, RFC 3339. Without an offset they are UTC, as
//! in the files, so that the same command gives the same answer on every machine.

use interim::{Dialect, parse_date_string};

use crate::host::errors::{CommandError, TIMES};
use crate::model::Timestamp;
use crate::service::Point;

/// The time of an option, such as `--at`.
pub(crate) fn at(option: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>, CommandError> {
    option.map(|text| parse(text, now)).transpose()
}

/// The time of an option that means the past, such as `--since`.
pub(crate) fn since(option: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>, CommandError> {
    option.map(|text| parse_past(text, now)).transpose()
}

/// Reads a time, relative to `now`.
fn parse(text: &str, now: Timestamp) -> Result<Timestamp, CommandError> {
    let trimmed = text.trim();
    let bad = || {
        let shown: String = text.chars().take(60).collect();
        CommandError::misused(format!("`{shown}` is not a time")).hint(TIMES)
    };
    if let Some(time) = Timestamp::parse(trimmed) {
        return Ok(time);
    }
    if trimmed.is_empty() {
        return Err(bad());
    }
    let spelled = spell_numbers(trimmed);
    if spelled.chars().all(|c| c.is_ascii_digit()) {
        return Err(bad());
    }
    let time = parse_date_string(&spelled, now.to_utc(), Dialect::Uk).map_err(|_| bad())?;
    Ok(Timestamp::from_millis(time.timestamp_millis()))
}

/// Reads a time that should lie in the past: `friday` is the last one, and `3 days` are 3 days ago.
fn parse_past(text: &str, now: Timestamp) -> Result<Timestamp, CommandError> {
    let time = parse(text, now)?;
    if time <= now {
        return Ok(time);
    }
    let earlier = [format!("{text} ago"), format!("last {text}")]
        .iter()
        .find_map(|text| parse(text, now).ok().filter(|&earlier| earlier <= now));
    Ok(earlier.unwrap_or(time))
}

/// A word that may be a revision or a time gone by; which, the history decides.
pub(crate) fn point(text: &str, now: Timestamp) -> Point {
    Point {
        text: text.to_owned(),
        time: parse_past(text, now).ok(),
    }
}

/// `a week ago`, `two days ago`: people write small numbers as words, interim reads digits.
fn spell_numbers(text: &str) -> String {
    let digits = |word: &str| {
        let digit = match word.to_lowercase().as_str() {
            "a" | "an" | "one" => "1",
            "two" => "2",
            "three" => "3",
            "four" => "4",
            "five" => "5",
            "six" => "6",
            "ten" => "10",
            _ => return word.to_owned(),
        };
        digit.to_owned()
    };
    text.split_whitespace().map(digits).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        // A Friday.
        Timestamp::parse("2026-11-20T10:30:00Z").expect("valid")
    }

    fn read(text: &str) -> String {
        parse(text, now()).map_or_else(|error| error.error.to_string(), Timestamp::to_rfc3339)
    }

    #[test]
    fn reads_what_people_type() {
        let cases = [
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2026-11-01T10:00:00+02:00", "2026-11-01T08:00:00Z"),
            ("2026-11-01 10:00", "2026-11-01T10:00:00Z"),
            ("now", "2026-11-20T10:30:00Z"),
            ("yesterday", "2026-11-19T10:30:00Z"),
            ("yesterday 9:00", "2026-11-19T09:00:00Z"),
            ("2 weeks ago", "2026-11-06T10:30:00Z"),
            ("two weeks ago", "2026-11-06T10:30:00Z"),
            ("an hour ago", "2026-11-20T09:30:00Z"),
            ("90m ago", "2026-11-20T09:00:00Z"),
            ("30 days", "2026-12-20T10:30:00Z"),
            ("tomorrow", "2026-11-21T10:30:00Z"),
            ("1 Oct 2026", "2026-10-01T00:00:00Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "",
            "  ",
            "soon",
            "2026-13-01",
            "2026-02-30",
            "deadbeef",
            "99:99",
            "3 bananas",
            "a",
            "7",
            "2026",
            "ノート",
        ] {
            assert_eq!(read(text), format!("`{text}` is not a time"));
        }
    }

    #[test]
    fn a_time_gone_by_is_meant() {
        let past = |text| parse_past(text, now()).unwrap().to_rfc3339();
        assert_eq!(past("monday"), "2026-11-16T00:00:00Z");
        assert_eq!(past("3 days"), "2026-11-17T10:30:00Z");
        assert_eq!(past("2027-01-01"), "2027-01-01T00:00:00Z");
    }
}
