//! The decision whether a remote's head is applied without asking (docs/sync.md).

use std::fmt;

use crate::store::Loss;

/// The place of a remote's head, seen from the head that was accepted last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descent {
    /// It descends from it.
    Onward,
    /// It came before it: so many commits were taken back.
    Rewound(usize),
    /// Both come from another commit, and so many commits that were there are gone.
    Rewritten(usize),
    /// The two share no commit.
    Unrelated,
}

/// The reason why a remote's head waits for a person's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quarantine {
    /// Its place.
    pub descent: Descent,
    /// The memories that a day ago were there, and are not now.
    pub loss: Loss,
}

/// Judges a head. `loss` compares it with the head that was accepted a day ago, so that nobody takes a store away in
/// small pieces.
pub fn judge(descent: Descent, loss: Loss) -> Option<Quarantine> {
    let is_plain = descent == Descent::Onward && !loss.is_most();
    (!is_plain).then_some(Quarantine { descent, loss })
}

impl fmt::Display for Quarantine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loss { lost, of } = self.loss;
        let commits = |count: usize| match count {
            1 => "1 commit is missing".to_owned(),
            count => format!("{count} commits are missing"),
        };
        let gone = format!(
            "{lost} of {of} memories are removed, emptied, hidden, archived, superseded or forgotten"
        );
        match self.descent {
            Descent::Onward => return f.write_str(&gone),
            Descent::Rewound(count) => write!(f, "its branch was rewound: {}", commits(count))?,
            Descent::Rewritten(count) => {
                write!(
                    f,
                    "its history was rewritten by a forced push: {}",
                    commits(count)
                )?;
            }
            Descent::Unrelated => {
                f.write_str("it now has an unrelated history")?;
            }
        }
        if lost > 0 {
            write!(f, "; {gone}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_that_descends_waits_only_where_most_is_gone() {
        let waits = |lost, of| judge(Descent::Onward, Loss { lost, of }).is_some();
        assert!(!waits(0, 0) && !waits(10, 10) && !waits(11, 22) && !waits(400, 1000));
        assert!(waits(11, 21) && waits(11, 11) && waits(501, 1000));
    }

    #[test]
    fn a_head_that_does_not_descend_waits_always_and_says_why() {
        let told = |descent| judge(descent, Loss::default()).unwrap().to_string();
        assert!(told(Descent::Rewound(1)).ends_with("rewound: 1 commit is missing"));
        assert!(told(Descent::Rewritten(12)).contains("12 commits"));
        assert!(told(Descent::Unrelated).contains("unrelated"));
        let loss = Loss { lost: 71, of: 79 };
        let both = judge(Descent::Rewritten(3), loss).unwrap().to_string();
        assert!(both.contains("71 of 79 memories"), "{both}");
    }
}
