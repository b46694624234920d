//! `mdmem watch`, kept running: what it says is collected, and it ends with the test.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{TestEnv, wait_for};

/// A machine that runs all other tests at the same time may be slow; what takes longer than this does not come.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A running `mdmem watch`.
pub(crate) struct Watching {
    child: Child,
    said: Arc<Mutex<Vec<String>>>,
}

impl TestEnv {
    /// Starts the watcher with these variables, and waits until it watches.
    #[track_caller]
    pub(crate) fn watch(&self, vars: &[(&str, &str)]) -> Watching {
        let watching = self.start_watching(vars);
        watching.wait_until_said("watching ");
        watching
    }

    /// Starts the watcher with these variables.
    pub(crate) fn start_watching(&self, vars: &[(&str, &str)]) -> Watching {
        let mut command = self.command(env!("CARGO_BIN_EXE_mdmem"));
        command.arg("watch").envs(vars.iter().copied());
        Watching::start(command)
    }
}

impl Watching {
    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Starts a command that is prepared.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Arc::default();
        collect(child.stdout.take().unwrap(), &said);
        collect(child.stderr.take().unwrap(), &said);
        Self { child, said }
    }

    /// Everything that it has printed so far, line by line, to both streams.
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for a line that holds this.
    #[track_caller]
    pub(crate) fn wait_until_said(&self, part: &str) {
        wait_for(&format!("the watcher to say {part:?}"), LIMIT, || {
            self.said().iter().any(|line| line.contains(part)).then_some(())
        });
    }

    /// True while it is still there.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Ends it as the power button does.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself: then the test says so where it matters.
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let said = self.said();
            let last = said.len().saturating_sub(20);
            eprintln!("the watcher said last: {:#?}", &said[last..]);
        }
    }
}

fn collect(stream: impl Read + Send + 'static, said: &Arc<Mutex<Vec<String>>>) {
    let said = Arc::clone(said);
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            said.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
    });
}
