//! A program under `strace`: its system calls that change something, and its death right before one of them.
//!
//! strace counts the calls of each name and of each thread by itself, so a point is a name and a number: the first thread
//! that gets there dies, and its process with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The calls that change what a disk has, or what somebody hears. Of those that open, only what creates a file counts.
const CHANGING: &str = "openat,write,writev,pwrite64,pwritev,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,\
rmdir,link,linkat,symlink,symlinkat,fsync,fdatasync,sync_file_range,syncfs,ftruncate,fallocate,chmod,fchmod,fchmodat,\
utimensat,copy_file_range,sendfile";

/// Right before the call of this name that has this number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    call: String,
    number: u32,
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} number {}", self.call, self.number)
    }
}

/// Says if there is a strace that may trace here: a container may forbid it.
pub(super) fn is_there() -> bool {
    let traced = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .output();
    traced.is_ok_and(|output| output.status.success())
}

/// The same command under strace, which notes the calls that change something.
pub(super) fn noted(command: &Command, log: &Path) -> Command {
    under(command, log, &["-e".to_owned(), format!("trace={CHANGING}")])
}

/// The same command, killed at the point.
pub(super) fn killed_at(command: &Command, point: &Point) -> Command {
    under(command, Path::new("/dev/null"), &at(point))
}

fn at(point: &Point) -> [String; 4] {
    let call = &point.call;
    let inject = format!("inject={call}:signal=SIGKILL:when={}", point.number);
    ["-e".to_owned(), format!("trace={call}"), "-e".to_owned(), inject]
}

fn under(command: &Command, log: &Path, options: &[String]) -> Command {
    let mut traced = Command::new("strace");
    // With `-I 2` it ends, and the program with it, when it is told to.
    traced.args(["-f", "-I", "2", "-o"]).arg(log).args(options);
    traced
        .arg("--")
        .arg(command.get_program())
        .args(command.get_args());
    traced.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            traced.env(name, value);
        }
    }
    if let Some(folder) = command.get_current_dir() {
        traced.current_dir(folder);
    }
    traced
}

/// The points of a log, in the order in which the program came to them.
pub(super) fn points(log: &Path) -> Vec<Point> {
    let text = String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned();
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut points = Vec::new();
    for line in text.lines() {
        // `1234 rename("a", "b") = 0`; what is resumed, and signals and ends, have no name before a parenthesis.
        let Some((pid, rest)) = line.split_once(' ') else {
            continue;
        };
        let Some((call, arguments)) = rest.trim_start().split_once('(') else {
            continue;
        };
        if call.is_empty() || !call.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let number = counts.entry((pid, call)).or_default();
        *number += 1;
        let changes = (call != "openat" || arguments.contains("O_CREAT")) && !arguments.contains(" = -1 ");
        let point = Point {
            call: call.to_owned(),
            number: *number,
        };
        if changes && !points.contains(&point) {
            points.push(point);
        }
    }
    points
}
