//! The cost of `mdmem watch` while nothing happens: the ticks of user and system time that 60 s take, and its memory,
//! with 10,000 files and after a save.

use std::time::{Duration, Instant};

use crate::corpus;
use crate::held::status;
use crate::row::Row;
use crate::sandbox::Sandbox;
use crate::watching::Watching;

const MEMORIES: usize = 10_000;
const SPAN: Duration = Duration::from_mins(1);
const MOST_MIB: f64 = 30.0;

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&corpus::files(MEMORIES));
    // The quiet time that people have.
    let watching = Watching::start(&sandbox, 2000);
    settle(watching.pid());
    let before = ticks(watching.pid());
    std::thread::sleep(SPAN);
    let spent = ticks(watching.pid()) - before;
    report(Row::number(
        format!("idle: ticks in {} s, {MEMORIES} files", SPAN.as_secs()),
        f64::from(spent),
        "ticks",
        Some(0.0),
    ));
    report(Row::number(
        format!("idle: resident memory, {MEMORIES} files"),
        status(watching.pid(), "VmRSS:") / 1024.0,
        "MiB",
        Some(MOST_MIB),
    ));
    report(Row::number(
        format!("most resident memory until then, {MEMORIES} files"),
        status(watching.pid(), "VmHWM:") / 1024.0,
        "MiB",
        None,
    ));
}

/// Waits until it has done nothing for two seconds.
fn settle(pid: u32) {
    let limit = Instant::now() + Duration::from_secs(30);
    let (mut last, mut since) = (ticks(pid), Instant::now());
    while since.elapsed() < Duration::from_secs(2) {
        assert!(Instant::now() < limit, "the watcher does not come to rest");
        std::thread::sleep(Duration::from_millis(100));
        let now = ticks(pid);
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}

/// User and system time of all its threads, in clock ticks: fields 14 and 15 of `/proc/PID/stat`.
fn ticks(pid: u32) -> u32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    fields[11].parse::<u32>().unwrap() + fields[12].parse::<u32>().unwrap()
}
