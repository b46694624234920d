//! One line of the table.

use std::fmt;
use std::time::Duration;

use crate::pairs::Pairs;

/// A measured value beside the promised one.
pub(crate) struct Row {
    what: String,
    ours: String,
    git: String,
    ratio: String,
    goal: String,
    is_met: Option<bool>,
}

impl Row {
    pub(crate) const HEAD: &str = "| what | mdmem | git | ratio | goal | met |\n|---|---|---|---|---|---|";

    /// A time, and the time that it should be within.
    pub(crate) fn time(what: impl Into<String>, ours: Duration, goal: Option<Duration>) -> Self {
        Self {
            what: what.into(),
            ours: shown(ours),
            git: String::new(),
            ratio: String::new(),
            goal: goal.map(shown).unwrap_or_default(),
            is_met: goal.map(|goal| ours <= goal),
        }
    }

    /// The same, beside what git takes for something like it.
    pub(crate) fn time_beside(what: impl Into<String>, pairs: &Pairs, goal: Option<Duration>) -> Self {
        Self {
            git: shown(pairs.git.median()),
            ratio: format!("{:.2}", pairs.ratio()),
            ..Self::time(what, pairs.ours.median(), goal)
        }
    }

    /// Two times, and the ratio that they should be within.
    pub(crate) fn ratio(what: impl Into<String>, pairs: &Pairs, goal: Option<f64>) -> Self {
        Self {
            goal: goal.map(|goal| format!("{goal} × git")).unwrap_or_default(),
            is_met: goal.map(|goal| pairs.ratio() <= goal),
            ..Self::time_beside(what, pairs, None)
        }
    }

    /// A number with its unit.
    pub(crate) fn number(what: impl Into<String>, ours: f64, unit: &str, goal: Option<f64>) -> Self {
        Self {
            what: what.into(),
            ours: format!("{} {unit}", (ours * 10.0).round() / 10.0),
            git: String::new(),
            ratio: String::new(),
            goal: goal.map(|goal| format!("{goal} {unit}")).unwrap_or_default(),
            is_met: goal.map(|goal| ours <= goal),
        }
    }

    pub(crate) fn is_missed(&self) -> bool {
        self.is_met == Some(false)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let met = match self.is_met {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        };
        let Self {
            what,
            ours,
            git,
            ratio,
            goal,
            ..
        } = self;
        write!(f, "| {what} | {ours} | {git} | {ratio} | {goal} | {met} |")
    }
}

fn shown(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1000.0;
    if millis < 1.0 {
        format!("{millis:.3} ms")
    } else if millis < 100.0 {
        format!("{millis:.1} ms")
    } else {
        format!("{millis:.0} ms")
    }
}
