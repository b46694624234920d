//! Times, as a person reads them.

use crate::model::Timestamp;
use crate::sys::TimeZone;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The time since then, in one unit: `just now`, `5 minutes ago`, `3 days ago`, `in 2 hours`.
pub(crate) fn ago(time: Timestamp, now: Timestamp) -> String {
    let millis = now.millis_since(time);
    let (amount, unit, _) = largest_unit(millis.saturating_abs());
    if amount == 0 {
        return "just now".to_owned();
    }
    let plural = if amount == 1 { "" } else { "s" };
    if millis < 0 {
        format!("in {amount} {unit}{plural}")
    } else {
        format!("{amount} {unit}{plural} ago")
    }
}

/// The same in a few characters, for a column: `now`, `5m`, `3d`, `2w`, `4mo`, `3y`; `-` for a time to come.
pub(crate) fn age(time: Timestamp, now: Timestamp) -> String {
    let millis = now.millis_since(time);
    if millis < 0 {
        return "-".to_owned();
    }
    match largest_unit(millis) {
        (0, ..) => "now".to_owned(),
        (amount, _, short) => format!("{amount}{short}"),
    }
}

/// Date and time to the minute: `2026-11-20 10:00`.
pub(crate) fn minute(time: Timestamp, zone: TimeZone) -> String {
    zone.at(time).naive_local().format("%Y-%m-%d %H:%M").to_string()
}

/// A day: `14 January 2027`.
pub(crate) fn day(time: Timestamp, zone: TimeZone) -> String {
    zone.at(time).naive_local().format("%-d %B %Y").to_string()
}

/// A line of the engine's, with the person's time in the place of each that it states in UTC.
pub(crate) fn in_zone(text: &str, zone: TimeZone) -> String {
    let shown = |word: &str| {
        let time = word.trim_end_matches([':', ',', '.']);
        let stated = (time.ends_with('Z') && time.contains('T')).then(|| Timestamp::parse(time));
        match stated.flatten() {
            Some(at) => minute(at, zone) + &word[time.len()..],
            None => word.to_owned(),
        }
    };
    let words: Vec<String> = text.split(' ').map(shown).collect();
    words.join(" ")
}

/// The time of the day: `10:00:07`.
pub(crate) fn time_of_day(time: Timestamp, zone: TimeZone) -> String {
    zone.at(time).naive_local().format("%H:%M:%S").to_string()
}

/// Date and time to the second: `2026-11-20 10:00:05`.
pub(crate) fn second(time: Timestamp, zone: TimeZone) -> String {
    zone.at(time)
        .naive_local()
        .format("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// The amount, the unit, and its abbreviation.
fn largest_unit(millis: i64) -> (i64, &'static str, &'static str) {
    match millis {
        ..MINUTE => (0, "second", "s"),
        MINUTE..HOUR => (millis / MINUTE, "minute", "m"),
        HOUR..DAY => (millis / HOUR, "hour", "h"),
        _ => match millis / DAY {
            days @ ..14 => (days, "day", "d"),
            days @ 14..61 => (days / 7, "week", "w"),
            days @ 61..730 => (days * 12 / 365, "month", "mo"),
            days => (days / 365, "year", "y"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(millis_ago: i64) -> (String, String) {
        let now = Timestamp::from_millis(2_000_000_000_000);
        let then = Timestamp::from_millis(now.as_millis() - millis_ago);
        (ago(then, now), age(then, now))
    }

    #[test]
    fn a_line_of_the_engine_has_the_time_of_the_zone() {
        let line = "nothing is exchanged since 2026-11-23T19:34:35.963Z: no host (T Z, 2026-11-23)";
        let shown = line.replace("2026-11-23T19:34:35.963Z", "2026-11-24 04:34");
        assert_eq!(in_zone(line, TimeZone::Tokyo), shown);
    }

    #[test]
    fn a_minute_is_one_of_the_zone() {
        for (time, utc, tokyo, los_angeles) in [
            (
                "2026-03-08T09:59:59Z",
                "2026-03-08 09:59",
                "2026-03-08 18:59",
                "2026-03-08 01:59",
            ),
            (
                "2026-03-08T10:00:00Z",
                "2026-03-08 10:00",
                "2026-03-08 19:00",
                "2026-03-08 03:00",
            ),
            (
                "2026-11-01T09:30:00Z",
                "2026-11-01 09:30",
                "2026-11-01 18:30",
                "2026-11-01 01:30",
            ),
        ] {
            let zones = [TimeZone::Utc, TimeZone::Tokyo, TimeZone::LosAngeles];
            let time = Timestamp::parse(time).unwrap();
            assert_eq!(zones.map(|zone| minute(time, zone)), [utc, tokyo, los_angeles]);
        }
    }

    #[test]
    fn one_unit_is_enough() {
        let cases = [
            (0, "just now", "now"),
            (59 * SECOND, "just now", "now"),
            (MINUTE, "1 minute ago", "1m"),
            (90 * MINUTE, "1 hour ago", "1h"),
            (13 * DAY, "13 days ago", "13d"),
            (14 * DAY, "2 weeks ago", "2w"),
            (61 * DAY, "2 months ago", "2mo"),
            (729 * DAY, "23 months ago", "23mo"),
            (730 * DAY, "2 years ago", "2y"),
        ];
        for (millis, long, short) in cases {
            assert_eq!(both(millis), (long.to_owned(), short.to_owned()), "{millis}");
        }
        assert_eq!(both(-3 * HOUR), ("in 3 hours".to_owned(), "-".to_owned()));
    }
}
