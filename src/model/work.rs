//! A test that work takes its length: measured by the time that the thread worked, which a busy machine does not change.
#![cfg(test)]

use std::time::Duration;

/// Fails where eight times the text takes much more than eight times the work; quadratic work takes sixty times.
pub(crate) fn takes_its_length<T>(name: &str, make: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let taken = |bytes: usize| {
        let text = make(bytes);
        let begin = worked();
        work(&text);
        worked().saturating_sub(begin)
    };
    let (short, long) = (taken(20_000), taken(160_000));
    // Shown by `--nocapture`.
    println!("{:7.1} ms per MB  {name:?}", long.as_secs_f64() * 1000.0 / 0.16);
    let limit = short * 30 + Duration::from_millis(200);
    assert!(long < limit, "{name:?}: {short:?}, {long:?}");
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
