//! Enemies of the store, with seeds: kills at each system call that changes something, a crowd, restores against saves,
//! a store that goes and returns, and git's own commands beside it.
//!
//! `MDMEM_TORTURE=N` runs the long form: every kill point, and everything else N times as long. `MDMEM_SEED` gives other
//! chances; a failure names the seed.

mod beside_git;
mod children;
mod clones;
mod crowd;
mod kills;
mod machine;
mod races;
mod state;
mod strace;
mod vanishing;
mod victims;

use crate::env::Chance;

/// The time for which the enemies stay: `None` in every run, `Some(n)` where somebody asks for more.
pub(crate) fn times() -> Option<u64> {
    let asked = std::env::var("MDMEM_TORTURE").ok()?;
    Some(asked.parse().expect("because MDMEM_TORTURE is a number"))
}

/// So many rounds in every run, and as many more as somebody asks for.
fn rounds(usual: u64, long: u64) -> u64 {
    times().map_or(usual, |times| long * times)
}

/// Says on a failure which seed it was; then `MDMEM_SEED` gives the same chances again.
struct TellSeed(&'static str);

impl Drop for TellSeed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let seed = std::env::var("MDMEM_SEED").unwrap_or_else(|_| "0".to_owned());
            eprintln!("{}: failed with MDMEM_SEED={seed}", self.0);
        }
    }
}

/// One of them.
fn one_of<'a, T>(chance: &mut Chance, all: &'a [T]) -> &'a T {
    &all[usize::try_from(chance.below(all.len() as u64)).expect("because an index is small")]
}
