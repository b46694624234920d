//! The time zone in which a person types and reads times. Files, JSON and agents have UTC.

use chrono::{
    DateTime, Datelike as _, Days, FixedOffset, Local, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime,
    Offset,
};

use super::Env;
use crate::model::Timestamp;

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeZone {
    /// UTC.
    #[default]
    Utc,
    /// The one of `TZ`, else the machine's.
    Local,
    /// For tests: nine hours before UTC, the whole year.
    #[cfg(test)]
    Tokyo,
    /// For tests: Los Angeles in 2026.
    #[cfg(test)]
    LosAngeles,
}

impl TimeZone {
    /// The person's zone: UTC where `TZ` is empty, and the machine's where it names one that is not known here.
    pub fn from_env(env: &Env) -> Self {
        match env.var("TZ").as_deref() {
            Some("") => Self::Utc,
            _ => Self::Local,
        }
    }

    /// The instant of a date, and whether it has a time of the day; without one it is the zone's midnight. A day and a
    /// month that could be either way around are no date.
    pub fn written(self, text: &str) -> Option<(Timestamp, bool)> {
        Timestamp::written(text, |time| self.instant(time))
    }

    /// The instant of a time of the zone; the first of two where clocks are set back.
    pub fn instant(self, time: NaiveDateTime) -> Option<Timestamp> {
        // Other years are slips: chrono reads `1-2-3` as a date.
        if !(1000..=9999).contains(&time.year()) {
            return None;
        }
        let time = chrono::TimeZone::from_local_datetime(&self, &time).earliest()?;
        Some(Timestamp::from_millis(time.timestamp_millis()))
    }

    /// The date and the time of day at an instant.
    pub fn at(self, time: Timestamp) -> DateTime<Self> {
        time.to_utc().with_timezone(&self)
    }
}

/// The distance of a zone from UTC at some time.
#[derive(Debug, Clone, Copy)]
pub struct ZoneOffset {
    zone: TimeZone,
    east: FixedOffset,
}

impl Offset for ZoneOffset {
    fn fix(&self) -> FixedOffset {
        self.east
    }
}

impl chrono::TimeZone for TimeZone {
    type Offset = ZoneOffset;

    fn from_offset(offset: &ZoneOffset) -> Self {
        offset.zone
    }

    /// Where the clocks go forward, a time that they leave out counts on from before: half past two is half past three.
    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<ZoneOffset> {
        let found = match self {
            Self::Utc => MappedLocalTime::Single(chrono::Utc.fix()),
            Self::Local => Local.offset_from_local_datetime(local),
            #[cfg(test)]
            Self::Tokyo => MappedLocalTime::Single(tests::hours_east(9)),
            #[cfg(test)]
            Self::LosAngeles => tests::los_angeles_from_local(local),
        };
        match found {
            MappedLocalTime::None => {
                let before = local.checked_sub_days(Days::new(1)).unwrap_or(*local);
                MappedLocalTime::Single(self.offset_from_utc_datetime(&before))
            }
            found => found.map(|east| ZoneOffset { zone: *self, east }),
        }
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> ZoneOffset {
        let east = match self {
            Self::Utc => chrono::Utc.fix(),
            Self::Local => Local.offset_from_utc_datetime(utc),
            #[cfg(test)]
            Self::Tokyo => tests::hours_east(9),
            #[cfg(test)]
            Self::LosAngeles => tests::los_angeles_from_utc(utc),
        };
        ZoneOffset { zone: *self, east }
    }

    fn offset_from_local_date(&self, local: &NaiveDate) -> MappedLocalTime<ZoneOffset> {
        self.offset_from_local_datetime(&local.and_time(NaiveTime::MIN))
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> ZoneOffset {
        self.offset_from_utc_datetime(&utc.and_time(NaiveTime::MIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn hours_east(hours: i32) -> FixedOffset {
        FixedOffset::east_opt(hours * 3600).unwrap()
    }

    /// Summer time begins on March 8 and ends on November 1, both at 2:00.
    fn los_angeles(month_day_hour: [(u32, u32, u32); 2]) -> [NaiveDateTime; 2] {
        let at = |(month, day, hour)| NaiveDate::from_ymd_opt(2026, month, day)?.and_hms_opt(hour, 0, 0);
        month_day_hour.map(|time| at(time).unwrap())
    }

    pub(super) fn los_angeles_from_utc(utc: &NaiveDateTime) -> FixedOffset {
        let [begin, end] = los_angeles([(3, 8, 10), (11, 1, 9)]);
        hours_east(if (begin..end).contains(utc) { -7 } else { -8 })
    }

    pub(super) fn los_angeles_from_local(local: &NaiveDateTime) -> MappedLocalTime<FixedOffset> {
        let (winter, summer) = (hours_east(-8), hours_east(-7));
        let [gap, begin] = los_angeles([(3, 8, 2), (3, 8, 3)]);
        let [twice, end] = los_angeles([(11, 1, 1), (11, 1, 2)]);
        match local {
            local if (gap..begin).contains(local) => MappedLocalTime::None,
            local if (twice..end).contains(local) => MappedLocalTime::Ambiguous(summer, winter),
            local if (begin..twice).contains(local) => MappedLocalTime::Single(summer),
            _ => MappedLocalTime::Single(winter),
        }
    }
}
