//! Days, as the settings and the rules count them, to and from whole milliseconds.

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
