//! How far a long work is: told by the code that does it, shown by a host where a person waits at a terminal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Instant;

/// The works that are being done, the outermost first: that one is shown.
static WORKS: Mutex<Vec<Arc<Step>>> = Mutex::new(Vec::new());
/// The thread that shows them; without one nothing is kept.
static VIEWER: OnceLock<Thread> = OnceLock::new();

struct Step {
    what: String,
    all: usize,
    done: AtomicUsize,
    begun: Instant,
}

/// A work that is being done, until it is dropped.
pub struct Work(Option<Arc<Step>>);

impl Work {
    /// Begins a work of so many parts. 0: nobody knows how many, and its time is told; 1: `what` says it all.
    pub fn of(what: impl Into<String>, all: usize) -> Self {
        Self(VIEWER.get().map(|viewer| {
            let step = Arc::new(Step {
                what: what.into(),
                all,
                done: AtomicUsize::new(0),
                begun: Instant::now(),
            });
            works().push(Arc::clone(&step));
            viewer.unpark();
            step
        }))
    }

    /// One part more is done.
    pub fn part_is_done(&self) {
        if let Some(step) = &self.0 {
            step.done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some(step) = &self.0 {
            works().retain(|other| !Arc::ptr_eq(other, step));
        }
    }
}

/// The items, each of which is a part of a work.
pub fn each<I: IntoIterator>(what: &str, items: I) -> impl Iterator<Item = I::Item> + use<I> {
    let items = items.into_iter();
    let work = Work::of(what, items.size_hint().0);
    items.inspect(move |_| work.part_is_done())
}

/// Has works kept for this thread, which is woken when one begins.
pub fn view_works() {
    let _ = VIEWER.set(std::thread::current());
}

/// What is being done, and how far it is: `reading memories: 1200 of 10000`; `None`: nothing.
pub fn present_work() -> Option<String> {
    let works = works();
    let Step {
        what,
        all,
        done,
        begun,
    } = &**works.first()?;
    Some(match all {
        0 => format!("{what} ({} s)", begun.elapsed().as_secs()),
        1 => what.clone(),
        all => format!("{what}: {} of {all}", done.load(Ordering::Relaxed)),
    })
}

fn works() -> MutexGuard<'static, Vec<Arc<Step>>> {
    WORKS.lock().unwrap_or_else(PoisonError::into_inner)
}
