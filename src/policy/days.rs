//! Days, as the settings and the rules count them, to and from whole milliseconds.

use crate::model::Timestamp;

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Whole milliseconds of so many days, rounded; saturates at the ends of `i64`, NaN is 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float-to-integer cast saturates, which is what a span beyond i64 should do"
)]
pub(super) fn to_millis(days: f64) -> i64 {
    (days * DAY).round() as i64
}

/// Days of so many milliseconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact up to 285,000 years; beyond that no digit matters"
)]
pub(super) fn from_millis(millis: i64) -> f64 {
    millis as f64 / DAY
}

/// Whole days in so many milliseconds, rounded down.
pub(super) const fn whole(millis: i64) -> i64 {
    millis.div_euclid(86_400_000)
}

/// `time` moved by so many days, saturating.
pub(super) fn after(time: Timestamp, days: f64) -> Timestamp {
    Timestamp::from_millis(time.as_millis().saturating_add(to_millis(days)))
}
