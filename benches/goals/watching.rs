//! `mdmem watch`, running.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::sandbox::Sandbox;

const LIMIT: Duration = Duration::from_secs(30);

/// A watcher that is ended with this.
pub(crate) struct Watching {
    child: Child,
    commits: Receiver<Instant>,
}

impl Watching {
    /// Starts it, and waits until it commits what is saved.
    pub(crate) fn start(sandbox: &Sandbox, quiet_ms: u32) -> Self {
        let mut child = sandbox
            .mdmem(["watch"])
            .env("MDMEM_WATCH__QUIET_MS", quiet_ms.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, commits) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                if line.is_err() || sender.send(Instant::now()).is_err() {
                    break;
                }
            }
        });
        let watching = Self { child, commits };
        watching.settle(sandbox);
        watching
    }

    /// A save that came before the watch was on is committed by its first sweep, one that came after by an event: after
    /// the second commit it is known to be on, with everything loaded.
    fn settle(&self, sandbox: &Sandbox) {
        let file = sandbox.store().join("settling.md");
        for round in 0..2 {
            std::fs::write(&file, format!("Settled {round} times\n")).unwrap();
            self.next_commit();
        }
    }

    /// When the next commit was told of; MEMORY.md is written before.
    pub(crate) fn next_commit(&self) -> Instant {
        self.commits
            .recv_timeout(LIMIT)
            .expect("because the watcher commits every save")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
