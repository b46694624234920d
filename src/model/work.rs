//! A test that work takes its length: measured by the time that the thread worked, which a busy machine hardly changes.
#![cfg(test)]

use std::time::Duration;

/// The measurements that all have to fail: a core that somebody else uses meanwhile works at half its speed.
const TRIES: usize = 4;

/// Fails where eight times the text takes much more than eight times the work; quadratic work takes sixty times.
///
/// The texts are short, because hundreds of pieces are tried. The time that is granted beside the factor shrinks with
/// the square of the length: quadratic work of the same kind fails at any length.
pub(crate) fn takes_its_length<T>(name: &str, make: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let taken = |bytes: usize| {
        let text = make(bytes);
        let begin = worked();
        work(&text);
        worked().saturating_sub(begin)
    };
    let mut measured = Vec::new();
    while measured.len() < TRIES {
        let (short, long) = (taken(5_000), taken(40_000));
        // Shown by `--nocapture`.
        println!("{:7.1} ms per MB  {name:?}", long.as_secs_f64() * 1000.0 / 0.04);
        if long < short * 16 + Duration::from_micros(12_500) {
            return;
        }
        measured.push((short, long));
    }
    panic!("{name:?}: {measured:?}");
}

/// So many bytes of a piece over and over, in which `#` counts.
pub(crate) fn repeated(piece: &str, bytes: usize) -> String {
    let pieces = 0..bytes / piece.len();
    pieces.map(|n| piece.replace('#', &n.to_string())).collect()
}

/// The time that this thread has worked so far.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("no time is below zero")
}
