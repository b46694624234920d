//! Times on the command line: `yesterday`, `2 weeks ago`, `2026-11-01`, `in 3 days`, RFC 3339. Without an
//! offset they are times of the person's zone.

use interim::{Dialect, parse_date_string};

use crate::host::errors::{CommandError, TIMES};
use crate::model::Timestamp;
use crate::sys::TimeZone;

/// The digits of a number with which interim can count without an overflow.
const MOST_DIGITS: usize = 5;

/// Reads a time, relative to `now`. A span or the name of a day means the past, in every command (`30 days`, `friday`);
/// `in 30 days`, `tomorrow` and `next friday` are to come.
pub(super) fn parse(text: &str, now: Timestamp, zone: TimeZone) -> Result<Timestamp, CommandError> {
    let read = |text: &str| read(text, now, zone);
    let spelled = spell_numbers(text);
    let found = match spelled.split_once(' ') {
        Some((first, span)) if first.eq_ignore_ascii_case("in") => {
            let is_span = read(&format!("{span} ago")).is_some();
            read(span).filter(|&time| is_span && time >= now)
        }
        _ => read(&spelled).map(|time| {
            let earlier = || {
                let phrases = [format!("{spelled} ago"), format!("last {spelled}")];
                phrases
                    .iter()
                    .find_map(|text| read(text).filter(|&earlier| earlier <= now))
            };
            if time <= now {
                time
            } else {
                earlier().unwrap_or(time)
            }
        }),
    };
    found.ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        CommandError::misused(format!("`{shown}` is not a time")).hint(TIMES)
    })
}

/// Reads a time as it is written. Where it has no offset it is one of the zone.
fn read(text: &str, now: Timestamp, zone: TimeZone) -> Option<Timestamp> {
    // A date alone begins at the zone's midnight.
    if let Some(time) = Timestamp::parse(text).filter(|_| text.contains(':')) {
        return Some(time);
    }
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    let is_number = !text.contains(|c: char| !c.is_ascii_digit());
    if is_number || numbers.any(|number| number.len() > MOST_DIGITS) {
        return None;
    }
    let time = parse_date_string(text, zone.at(now), Dialect::Uk).ok()?;
    Some(Timestamp::from_millis(time.timestamp_millis()))
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

    fn read_in(zone: TimeZone, now: &str, text: &str) -> String {
        let now = Timestamp::parse(now).unwrap();
        parse(text, now, zone).map_or_else(|error| error.error.to_string(), Timestamp::to_rfc3339)
    }

    /// Read on a Friday, in UTC.
    fn read(text: &str) -> String {
        read_in(TimeZone::Utc, "2026-11-20T10:30:00Z", text)
    }

    #[test]
    fn reads_what_people_type() {
        let cases = [
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2027-01-01", "2027-01-01T00:00:00Z"),
            ("2026-11-01T10:00:00+02:00", "2026-11-01T08:00:00Z"),
            ("2026-11-01 10:00", "2026-11-01T10:00:00Z"),
            ("now", "2026-11-20T10:30:00Z"),
            (" yesterday ", "2026-11-19T10:30:00Z"),
            ("yesterday 9:00", "2026-11-19T09:00:00Z"),
            ("2 weeks ago", "2026-11-06T10:30:00Z"),
            ("two weeks ago", "2026-11-06T10:30:00Z"),
            ("an hour ago", "2026-11-20T09:30:00Z"),
            ("90m ago", "2026-11-20T09:00:00Z"),
            ("30 days", "2026-10-21T10:30:00Z"),
            ("30 days ago", "2026-10-21T10:30:00Z"),
            ("in 30 days", "2026-12-20T10:30:00Z"),
            ("In two  hours", "2026-11-20T12:30:00Z"),
            ("tomorrow", "2026-11-21T10:30:00Z"),
            ("monday", "2026-11-16T00:00:00Z"),
            ("next monday", "2026-11-30T00:00:00Z"),
            ("1 Oct 2026", "2026-10-01T00:00:00Z"),
            ("1 Dec 2026", "2026-12-01T00:00:00Z"),
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
            "in",
            "in monday",
            "in 3 days ago",
            "in 2027-01-01",
            "2147483647 years",
            "in 2147483647 hours",
        ] {
            assert_eq!(read(text), format!("`{text}` is not a time"));
        }
    }

    #[test]
    fn a_time_without_an_offset_is_one_of_the_zone() {
        // It is Saturday morning in Tokyo, and Friday afternoon in Los Angeles.
        let now = "2026-11-20T23:30:00Z";
        let cases = [
            ("2026-11-20", "2026-11-19T15:00:00Z", "2026-11-20T08:00:00Z"),
            ("2026-11-20 10:00", "2026-11-20T01:00:00Z", "2026-11-20T18:00:00Z"),
            (
                "2026-11-20T10:00:00Z",
                "2026-11-20T10:00:00Z",
                "2026-11-20T10:00:00Z",
            ),
            ("yesterday 9:00", "2026-11-20T00:00:00Z", "2026-11-19T17:00:00Z"),
            ("2 hours ago", "2026-11-20T21:30:00Z", "2026-11-20T21:30:00Z"),
            ("friday", "2026-11-19T15:00:00Z", "2026-11-20T08:00:00Z"),
        ];
        for (text, tokyo, los_angeles) in cases {
            assert_eq!(read_in(TimeZone::Tokyo, now, text), tokyo, "{text} in Tokyo");
            assert_eq!(
                read_in(TimeZone::LosAngeles, now, text),
                los_angeles,
                "{text} in Los Angeles"
            );
        }
    }

    #[test]
    fn every_time_of_the_day_means_something_where_clocks_change() {
        let spring = "2026-03-08T20:00:00Z";
        let autumn = "2026-11-01T20:00:00Z";
        for (now, text, expected) in [
            (spring, "2026-03-08 01:59", "2026-03-08T09:59:00Z"),
            (spring, "2026-03-08 02:30", "2026-03-08T10:30:00Z"),
            (spring, "2026-03-08 03:30", "2026-03-08T10:30:00Z"),
            (spring, "2026-03-08T02:30:00+01:00", "2026-03-08T01:30:00Z"),
            (spring, "yesterday", "2026-03-07T21:00:00Z"),
            (spring, "24 hours ago", "2026-03-07T20:00:00Z"),
            (autumn, "2026-11-01 01:30", "2026-11-01T08:30:00Z"),
            (autumn, "2026-11-01 02:30", "2026-11-01T10:30:00Z"),
        ] {
            assert_eq!(read_in(TimeZone::LosAngeles, now, text), expected, "{text}");
        }
    }
}
