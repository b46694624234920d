//! Every way in which editors, tools and people save, under a running watcher: nothing is missed, nothing is committed
//! twice, no temporary name is in a commit, and MEMORY.md follows.

mod folders;
mod full_speed;
mod one_by_one;
mod ways;

pub(crate) use ways::{Way, save};
