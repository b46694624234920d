//! The time zone in which a person types and reads times. Files, JSON and agents have UTC.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use chrono::{
    DateTime, Days, FixedOffset, Local, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, Offset,
};

use super::{Env, SysError};
use crate::model::Timestamp;

/// The folders of the time zone database; chrono looks into the same ones.
const DATABASES: [&str; 4] = [
    "/usr/share/zoneinfo",
    "/share/zoneinfo",
    "/etc/zoneinfo",
    "/usr/share/lib/zoneinfo",
];

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
    /// The person's zone. An error where `TZ` names a zone that this machine does not know.
    pub fn from_env(env: &Env) -> Result<Self, SysError> {
        match env.var("TZ").as_deref() {
            Some("") => Ok(Self::Utc),
            None | Some("localtime") => Ok(Self::Local),
            Some(name) if is_in_database(name.trim_start_matches(':')) || is_rule(name) => Ok(Self::Local),
            Some(name) => Err(SysError::Variable {
                name: "TZ",
                value: name.chars().filter(|c| !c.is_control()).take(80).collect(),
                mend: "this machine knows no such time zone; give one such as Europe/Berlin (times are UTC now)",
            }),
        }
    }

    /// The date and the time of day at an instant.
    pub fn at(self, time: Timestamp) -> DateTime<Self> {
        time.to_utc().with_timezone(&self)
    }
}

/// Says whether the database has a zone of this name, or whether it is the path of a zone's file.
fn is_in_database(name: &str) -> bool {
    let is_zone = |path: PathBuf| {
        let mut magic = [0; 4];
        path.is_file()
            && File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
            && magic == *b"TZif"
    };
    // A full path takes the place of the folder.
    DATABASES
        .iter()
        .any(|folder| is_zone(Path::new(folder).join(name)))
}

/// Says whether a text has the shape of a rule of POSIX: `JST-9`, `<+03>-3`, `PST8PDT,M3.2.0,M11.1.0`.
fn is_rule(text: &str) -> bool {
    let after_name = if let Some(quoted) = text.strip_prefix('<') {
        quoted.split_once('>').map(|(_, rest)| rest)
    } else {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        (text.len() - rest.len() >= 3).then_some(rest)
    };
    let offset = after_name.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
    offset.is_some_and(|offset| offset.starts_with(|c: char| c.is_ascii_digit()))
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

    #[test]
    fn the_zone_is_that_of_the_variable() {
        let zone = |value: &str| TimeZone::from_env(&Env::fixed([("TZ", value)], "/w"));
        let unset = Env::fixed([("HOME", "/h")], "/w");
        assert_eq!(TimeZone::from_env(&unset).unwrap(), TimeZone::Local);
        assert_eq!(zone("").unwrap(), TimeZone::Utc);
        for known in ["JST-9", "PST8PDT,M3.2.0,M11.1.0", "<+0330>-3:30", "localtime"] {
            assert_eq!(zone(known).unwrap(), TimeZone::Local, "{known}");
        }
        for unknown in [
            "Asia/Tokio",
            "/dev/null",
            "/",
            "../../../etc/passwd",
            "東京",
            ":",
            "a1",
            "Mars",
        ] {
            let error = zone(unknown).unwrap_err().to_string();
            assert!(error.starts_with(&format!("TZ is `{unknown}`: ")), "{error}");
        }
    }
}
