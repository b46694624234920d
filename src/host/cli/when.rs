//! Times on the command line: `2026-11-01`, `yesterday 9:00`, `2 weeks ago`, `in 3 days`, and the dates that git prints.
//! Without an offset they are times of the person's zone. An ordinary word is never a time: `may`, `march` and `second`
//! are none without a number.

use chrono::{Datelike as _, Days, Months, NaiveDateTime, NaiveTime, Weekday};

use super::report::CommandError;
use crate::model::Timestamp;
use crate::service::TIMES;
use crate::sys::TimeZone;

/// Reads a time, relative to `now`. A span or the name of a day means the past, in every command (`30 days`, `friday`);
/// `in 30 days` and `tomorrow` are to come.
pub(super) fn parse(text: &str, now: Timestamp, zone: TimeZone) -> Result<Timestamp, CommandError> {
    let trimmed = text.trim();
    // `2026` and `123d` are rather the start of a commit's id.
    let may_be_id = trimmed.len() > 3 && trimmed.bytes().all(|byte| byte.is_ascii_hexdigit());
    let written = || Some(zone.written(trimmed)?.0);
    let found = || written().or_else(|| spoken(&trimmed.to_lowercase(), now, zone));
    let found = if may_be_id { None } else { found() };
    found.ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        CommandError::misused(format!("`{shown}` is not a time")).hint(TIMES)
    })
}

/// A time that is told from now.
fn spoken(text: &str, now: Timestamp, zone: TimeZone) -> Option<Timestamp> {
    let here = zone.at(now).naive_local();
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let clock = words
        .last()
        .and_then(|word| NaiveTime::parse_from_str(word, "%H:%M").ok());
    if clock.is_some() {
        words.pop();
    }
    let at_clock = here.date().and_time(clock.unwrap_or_default());
    let same_time = here.date().and_time(clock.unwrap_or(here.time()));
    // The last one of those that are so many days apart.
    let last = |time: NaiveDateTime, days| if time > here { time - Days::new(days) } else { time };
    let time = match words.as_slice() {
        ["now"] if clock.is_none() => return Some(now),
        [] if clock.is_some() => last(at_clock, 1),
        ["today"] => at_clock,
        ["yesterday"] => same_time - Days::new(1),
        ["tomorrow"] => same_time + Days::new(1),
        [day] | ["last", day] if let Some(days) = days_since(day, here) => {
            let this = last(at_clock - Days::new(days), 7);
            let is_today = words.len() > 1 && this.date() == here.date();
            this - Days::new(if is_today { 7 } else { 0 })
        }
        span if clock.is_none() => return at_distance(span, now, zone),
        _ => return None,
    };
    zone.instant(time)
}

/// The days that have passed since the last day of the week that is called so.
fn days_since(day: &str, here: NaiveDateTime) -> Option<u64> {
    let day: Weekday = day.ends_with("day").then(|| day.parse().ok())??;
    Some(here.weekday().days_since(day).into())
}

/// `2 weeks`, `2 weeks ago`, `2w`, `last week`, `in 2 weeks`.
fn at_distance(span: &[&str], now: Timestamp, zone: TimeZone) -> Option<Timestamp> {
    let (is_past, span) = match span {
        ["in", span @ ..] => (false, span),
        [span @ .., "ago"] | span => (true, span),
    };
    let (number, unit) = match span {
        ["last", _] if !is_past => return None,
        [number, unit] => (*number, *unit),
        [both] => both.split_at(both.find(|c: char| !c.is_ascii_digit())?),
        _ => return None,
    };
    let number = match number {
        "a" | "an" | "one" | "last" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "ten" => 10,
        digits => digits.parse::<u16>().ok()?,
    };
    let (months, days, seconds) = match unit {
        "s" | "second" | "seconds" => (0, 0, 1),
        "m" | "minute" | "minutes" => (0, 0, 60),
        "h" | "hour" | "hours" => (0, 0, 3600),
        "d" | "day" | "days" => (0, 1, 0),
        "w" | "week" | "weeks" => (0, 7, 0),
        "mo" | "month" | "months" => (1, 0, 0),
        "y" | "year" | "years" => (12, 0, 0),
        _ => return None,
    };
    if seconds > 0 {
        let millis = i64::from(number) * seconds * 1000;
        let millis = if is_past { -millis } else { millis };
        return Some(Timestamp::from_millis(now.as_millis() + millis));
    }
    let here = zone.at(now).naive_local();
    let months = Months::new(u32::from(number) * months);
    let days = Days::new(u64::from(number) * days);
    let time = if is_past {
        here.checked_sub_months(months)?.checked_sub_days(days)?
    } else {
        here.checked_add_months(months)?.checked_add_days(days)?
    };
    zone.instant(time)
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
            ("friday 9:00", "2026-11-20T09:00:00Z"),
            ("Friday 18:00", "2026-11-13T18:00:00Z"),
            ("last friday 9:00", "2026-11-13T09:00:00Z"),
            ("last monday", "2026-11-16T00:00:00Z"),
            ("today", "2026-11-20T00:00:00Z"),
            ("9:00", "2026-11-20T09:00:00Z"),
            ("18:00", "2026-11-19T18:00:00Z"),
            ("last month", "2026-10-20T10:30:00Z"),
            ("2w", "2026-11-06T10:30:00Z"),
            ("in 4mo", "2027-03-20T10:30:00Z"),
            ("3 years ago", "2023-11-20T10:30:00Z"),
            ("1 Oct 2026", "2026-10-01T00:00:00Z"),
            ("1 Dec 2026", "2026-12-01T00:00:00Z"),
            ("1 october 2026 10:00", "2026-10-01T10:00:00Z"),
            ("October 1, 2026", "2026-10-01T00:00:00Z"),
            ("may 1 2026", "2026-05-01T00:00:00Z"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn reads_what_git_log_prints() {
        for text in [
            "Fri Nov 20 09:30:00 2026 +0100",
            "Fri, 20 Nov 2026 09:30:00 +0100",
            "2026-11-20 09:30:00 +0100",
            "2026-11-20T09:30:00+01:00",
            "Fri Nov 20 08:30:00 2026",
            "2026-11-20 08:30:00",
        ] {
            assert_eq!(read(text), "2026-11-20T08:30:00Z", "{text}");
        }
    }

    #[test]
    fn an_ordinary_word_is_no_time() {
        let words = include_str!("../../../tests/cli/ordinary_words.txt").split_whitespace();
        let mut count = 0;
        for word in words {
            count += 1;
            for text in [word.to_owned(), format!("the {word}"), format!("{word} 2")] {
                assert_eq!(read(&text), format!("`{text}` is not a time"));
            }
        }
        assert!(count > 500, "{count}");
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
            "123d",
            "1-2-3",
            "next monday",
            "in last week",
            "mon",
            "Sat Nov 20 08:30:00 2026",
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
