//! The machine that a run was made on.

use std::process::Command;

/// Cores, memory, kernel, git, load: what a reader needs to compare.
pub(crate) fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory_kib: f64 = first_line("/proc/meminfo")
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or_default();
    let kernel = rustix::system::uname();
    format!(
        "mdmem {}, {cores} cores, {:.0} GiB, {} {}, {}, load {}",
        env!("CARGO_PKG_VERSION"),
        memory_kib / 1024.0 / 1024.0,
        kernel.sysname().to_string_lossy(),
        kernel.release().to_string_lossy(),
        git_version(),
        load(),
    )
}

/// The load of the last minute, of five and of fifteen.
pub(crate) fn load() -> String {
    first_line("/proc/loadavg")
        .split_whitespace()
        .take(3)
        .collect::<Vec<_>>()
        .join(" ")
}

fn git_version() -> String {
    let output = Command::new("git").arg("--version").output();
    output.map_or_else(
        |error| error.to_string(),
        |output| String::from_utf8_lossy(&output.stdout).trim_end().to_owned(),
    )
}

fn first_line(path: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}
