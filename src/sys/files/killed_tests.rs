//! A writer that is killed at any instant: what it acknowledged is there, and the next start tidies up after it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Exchange, drop_leftover, exchange, leftovers, read, settle_displaced, write_new};
use crate::sys::{Env, scan};

const CHILD: &str = "sys::files::killed_tests::a_writer_that_the_other_test_kills";
const STORE: &str = "MDMEM_TEST_STORE";

/// The content of the child's n-th change: long enough to be torn if anything tears.
fn content(n: usize) -> String {
    format!("{n}\n{}", "x".repeat(20_000))
}

fn number(bytes: &[u8]) -> usize {
    let text = std::str::from_utf8(bytes).unwrap();
    let n = text.lines().next().unwrap().parse().unwrap();
    assert_eq!(text, content(n), "whole");
    n
}

/// Not a test of its own: changes and creates files until it is killed, and says so after each.
#[test]
#[ignore = "runs as the child of the next test"]
fn a_writer_that_the_other_test_kills() {
    let Some(store) = Env::real().unwrap().var(STORE).map(PathBuf::from) else {
        return;
    };
    let mut n = number(&read(&store, "d/a.md", 1 << 20).unwrap().bytes);
    // The one before may have been killed between the two writes of a round.
    write_new(&store, format!("n/{n}.md"), content(n).as_bytes()).unwrap();
    loop {
        let outcome = exchange(&store, "d/a.md", content(n).as_bytes(), content(n + 1).as_bytes()).unwrap();
        assert_eq!(outcome, Exchange::Exchanged);
        n += 1;
        write_new(&store, format!("n/{n}.md"), content(n).as_bytes()).unwrap();
        println!("did {n}");
    }
}

#[test]
fn what_a_killed_writer_acknowledged_is_there_and_nothing_stays_behind() {
    let store = tempfile::tempdir().unwrap();
    let root = store.path();
    std::fs::create_dir(root.join(".git")).unwrap();
    write_new(root, "d/a.md", content(0).as_bytes()).unwrap();
    // A fixed seed: the pauses are the same in each run, the instants they hit are not.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..20 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let acknowledged = kill_after(root, Duration::from_micros(random % 30_000));
        check(root, acknowledged);
    }
}

/// Starts the child, kills it some time after its first word, and says what it acknowledged last.
fn kill_after(root: &Path, pause: Duration) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD, "--ignored", "--nocapture"])
        .env(STORE, root)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = lines
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("did ")?.parse().ok());
    let first = said.next().expect("because the child works until it is killed");
    let end = Instant::now() + pause;
    let last = said.by_ref().find(|_| Instant::now() >= end).unwrap_or(first);
    child.kill().unwrap();
    child.wait().unwrap();
    said.last().unwrap_or(last)
}

fn check(root: &Path, acknowledged: usize) {
    for leftover in leftovers(root, &scan(root).unwrap().temporaries).unwrap() {
        assert_eq!(leftover.target.as_deref(), Some(Path::new("d/a.md")));
        assert!(number(&leftover.bytes) >= acknowledged, "what was displaced last");
        drop_leftover(root, &leftover).unwrap();
    }
    let scan = scan(root).unwrap();
    assert_eq!(scan.temporaries, Vec::<PathBuf>::new());
    assert!(number(&read(root, "d/a.md", 1 << 20).unwrap().bytes) >= acknowledged);
    for n in 1..=acknowledged {
        assert_eq!(
            number(&read(root, format!("n/{n}.md"), 1 << 20).unwrap().bytes),
            n
        );
    }
    assert_eq!(settle_displaced(root, Duration::ZERO).unwrap(), []);
}
