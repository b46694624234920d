//! The change that a commit made to `forgotten`, and the opposite of it.

use crate::document::{Forgotten, Tombstone};
use crate::model::Timestamp;
/// The lines that a commit put in force, and those that it put out of force.
pub(in crate::service) struct ForgottenChange {
    forgot: Vec<Tombstone>,
    lifted: Vec<Tombstone>,
}

impl ForgottenChange {
    /// The change of the file `forgotten` from these bytes to those.
    pub(in crate::service) fn of(before: &[u8], after: &[u8]) -> Self {
        let [before, after] = [before, after].map(Forgotten::parse);
        Self {
            forgot: after.since(&before).in_force().to_vec(),
            lifted: before.since(&after).in_force().to_vec(),
        }
    }

    /// Says whether nothing was put in force or out of it.
    pub(in crate::service) fn is_empty(&self) -> bool {
        self.forgot.is_empty() && self.lifted.is_empty()
    }

    /// Says whether the opposite changes anything now.
    pub(in crate::service) fn is_left(&self, now: &Forgotten) -> bool {
        !self.to_lift(now).is_empty() || !self.to_forget(now).is_empty()
    }

    /// The lines with the opposite done. Each line that is forgotten anew gets a token of its own.
    pub(in crate::service) fn taken_back(
        &self,
        now: &Forgotten,
        at: Timestamp,
        mut token: impl FnMut() -> String,
    ) -> Forgotten {
        let anew = self.to_forget(now).into_iter().map(|line| Tombstone {
            token: token(),
            ..line.clone()
        });
        now.lift(self.to_lift(now), at).forget_again(anew, at)
    }

    /// The tokens of what the commit forgot, under whatever token it is forgotten now.
    fn to_lift<'a>(&self, now: &'a Forgotten) -> Vec<&'a str> {
        let is_of_it = |line: &&Tombstone| self.forgot.iter().any(|forgot| is_one(forgot, line));
        let lines = now.in_force().iter().filter(is_of_it);
        lines.map(|line| line.token.as_str()).collect()
    }

    fn to_forget(&self, now: &Forgotten) -> Vec<&Tombstone> {
        let is_there = |line: &Tombstone| now.in_force().iter().any(|other| is_one(other, line));
        self.lifted.iter().filter(|line| !is_there(line)).collect()
    }
}

/// Says whether two lines forget the same words of the same memory.
fn is_one(one: &Tombstone, other: &Tombstone) -> bool {
    (&one.id, &one.hash) == (&other.id, &other.hash)
}
