//! A trouble is told once.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tracing::Level;

use super::LogEvent;

/// After this, a trouble that goes on is told again.
const AGAIN: Duration = Duration::from_hours(1);
/// The most troubles of one part of the program that are remembered.
const MOST: usize = 100;

/// The troubles that were told, by the part of the program that told them.
#[derive(Debug, Default)]
pub(super) struct News {
    told: BTreeMap<&'static str, Vec<(String, Instant)>>,
}

impl News {
    pub(super) fn is_news(&mut self, event: &LogEvent<'_>, now: Instant) -> bool {
        if event.level > Level::WARN {
            // Things went on there: what is told from now on is another trouble.
            if event.level == Level::INFO {
                self.told.remove(event.target);
            }
            return true;
        }
        let text = format!("{} {}", event.store.unwrap_or_default(), event.text);
        let told = self.told.entry(event.target).or_default();
        told.retain(|(_, at)| now.saturating_duration_since(*at) < AGAIN);
        if told.iter().any(|(known, _)| *known == text) {
            return false;
        }
        if told.len() == MOST {
            told.remove(0);
        }
        told.push((text, now));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(level: Level, target: &'static str, text: &'static str) -> LogEvent<'static> {
        LogEvent {
            level,
            target,
            store: None,
            text,
            hint: None,
        }
    }

    #[test]
    fn a_trouble_is_told_once_until_it_is_over_or_an_hour_has_passed() {
        let mut news = News::default();
        let now = Instant::now();
        let full = event(Level::WARN, "a", "the disk is full");
        assert!(news.is_news(&full, now));
        assert!(!news.is_news(&full, now + Duration::from_secs(3_599)));
        assert!(news.is_news(&event(Level::WARN, "a", "another trouble"), now));
        assert!(
            news.is_news(&event(Level::WARN, "b", "the disk is full"), now),
            "elsewhere"
        );
        assert!(news.is_news(&full, now + Duration::from_secs(3_601)));

        assert!(news.is_news(&event(Level::DEBUG, "a", "a detail"), now));
        assert!(!news.is_news(&full, now));
        assert!(news.is_news(&event(Level::INFO, "a", "written again"), now));
        assert!(news.is_news(&full, now));
        let elsewhere = LogEvent {
            store: Some("/another"),
            ..full
        };
        assert!(news.is_news(&elsewhere, now), "of another store");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut news = News::default();
        let now = Instant::now();
        for n in 0..1_000 {
            let text = format!("trouble {n}");
            let event = LogEvent {
                text: &text,
                ..event(Level::ERROR, "a", "")
            };
            assert!(news.is_news(&event, now));
        }
        assert_eq!(news.told["a"].len(), MOST);
    }
}
