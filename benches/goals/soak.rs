//! A server and a watcher of one store for half an hour, under everything that a day brings: saves, conversations that
//! begin, ask, compact and end, and a store that goes and comes back. Their resources must not grow: memory, threads,
//! file descriptors, inotify instances. It runs only when it is named: `cargo bench -- soak`, for so many minutes as
//! `MDMEM_SOAK_MINUTES` says.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::corpus;
use crate::held::Held;
use crate::row::Row;
use crate::sandbox::{Sandbox, run};
use crate::serve::Server;
use crate::watching::Watching;

const MEMORIES: usize = 1_000;
const MINUTES: u64 = 30;
/// The first minutes fill caches, allocators and sessions.
const WARM_UP: Duration = Duration::from_mins(3);
/// The most that memory may grow between the first look and the last one, as a share of the first.
const GROWTH: f64 = 1.15;
const STEP: Duration = Duration::from_millis(250);
const PLAIN: &str = "The list of orders is empty after a reload.\nCan you find out why?";

/// The resources of the two programs at one moment.
struct Look {
    server: Held,
    watcher: Held,
}

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let minutes = std::env::var("MDMEM_SOAK_MINUTES").ok();
    let minutes = minutes.and_then(|text| text.parse().ok()).unwrap_or(MINUTES);
    let span = Duration::from_mins(minutes);
    let sandbox = Sandbox::with_store(&corpus::files(MEMORIES));
    let watching = Watching::start(&sandbox, 200);
    let mut day = Day::begin(&sandbox);
    let begin = Instant::now();
    let mut first = None;
    while begin.elapsed() < span {
        day.step();
        if first.is_none() && begin.elapsed() >= WARM_UP.min(span / 2) {
            first = Some(look(&mut day, &watching));
        }
    }
    let first = first.expect("because the warm-up is shorter than the whole");
    let last = look(&mut day, &watching);
    tell(report, minutes, "serve", &first.server, &last.server);
    tell(report, minutes, "watch", &first.watcher, &last.watcher);
    let steps = u32::try_from(day.steps).unwrap_or(u32::MAX);
    report(Row::number(
        format!("soak, {minutes} min: steps"),
        f64::from(steps),
        "steps",
        None,
    ));
    report(Row::number(
        "soak: folders that were away and made anew",
        f64::from(day.made_anew),
        "folders",
        Some(0.0),
    ));
    let left = day.end();
    let left = u32::try_from(left).unwrap_or(u32::MAX);
    report(Row::number(
        "soak: files that are not committed at the end",
        f64::from(left),
        "files",
        Some(0.0),
    ));
}

fn tell(report: &mut dyn FnMut(Row), minutes: u64, name: &str, first: &Held, last: &Held) {
    let mut row = |what: &str, first: f64, last: f64, unit: &str, most: f64| {
        let what =
            format!("soak, {minutes} min: {what} of `mdmem {name}`, {first:.0} {unit} in the beginning");
        report(Row::number(what, last, unit, Some((most * 10.0).round() / 10.0)));
    };
    row(
        "memory",
        first.memory_mib,
        last.memory_mib,
        "MiB",
        first.memory_mib * GROWTH,
    );
    let counts = [
        ("threads", first.threads, last.threads),
        ("descriptors", first.descriptors, last.descriptors),
        ("inotify instances", first.inotify, last.inotify),
    ];
    for (what, first, last) in counts {
        row(what, f64::from(first), f64::from(last), "", f64::from(first));
    }
}

/// Looks when both have come to rest.
fn look(day: &mut Day<'_>, watching: &Watching) -> Look {
    std::thread::sleep(Duration::from_secs(10));
    Look {
        server: Held::by(day.server.pid()),
        watcher: Held::by(watching.pid()),
    }
}

/// A day of work, a step at a time.
struct Day<'a> {
    sandbox: &'a Sandbox,
    server: Server,
    steps: usize,
    /// The number of times that a folder came back by itself after it was away.
    made_anew: u32,
}

impl<'a> Day<'a> {
    fn begin(sandbox: &'a Sandbox) -> Self {
        let mut server = Server::start(sandbox);
        let hello = json!({"protocol": 1, "host": "soak", "version": "1", "directory": sandbox.workspace()});
        server.ask("hello", &hello);
        Self {
            sandbox,
            server,
            steps: 0,
            made_anew: 0,
        }
    }

    fn step(&mut self) {
        let n = self.steps;
        self.steps += 1;
        // A session lives for a hundred steps; then the next one begins, and the host deletes the one before the last.
        let session = format!("ses_{}", n / 100);
        let file = self.sandbox.store().join(format!("project/saved-{}.md", n % 50));
        drop(std::fs::write(
            file,
            format!("Saved {n} times, in session {session}.\n"),
        ));
        self.server.prompt(&session, n);
        let say = |text: &str| json!({"session": session, "messageId": format!("msg_{n}"), "text": text});
        self.server.ask("message", &say(PLAIN));
        let command = json!({
            "session": session, "callId": format!("c{n}"), "tool": "bash", "exit": n % 2,
            "args": {"command": "cargo test"}, "output": "error: test failed\nsrc/orders.rs:12:5: empty",
        });
        self.server.ask("tool", &command);
        match n % 100 {
            10 => drop(self.server.ask(
                "message",
                &say(&format!("remember: service {n} keeps a queue of its own")),
            )),
            40 => self.compact(&session),
            60 => self.take_away(&self.sandbox.store()),
            80 => self.take_away(&self.sandbox.store().join(".git")),
            90 if n > 200 => {
                let gone = json!({"session": format!("ses_{}", n / 100 - 2)});
                self.server.ask("deleted", &gone);
            }
            _ => {}
        }
        std::thread::sleep(STEP);
    }

    fn compact(&mut self, session: &str) {
        self.server.ask("compacting", &json!({"session": session}));
        let line = |n: usize| {
            format!("- [project] Worker {n} of {session} reads its queue, because the table was slow.")
        };
        let lines: Vec<String> = (0..5).map(line).collect();
        let lines = lines.join("\n");
        let summary = format!("We looked at the orders.\n\nMemory candidates:\n{lines}\n");
        self.server
            .ask("compacted", &json!({"session": session, "summary": summary}));
    }

    /// A folder goes for two seconds, and something is saved right after it came back.
    fn take_away(&mut self, folder: &Path) {
        let aside = self.sandbox.root().join("aside");
        std::fs::rename(folder, &aside).unwrap();
        std::thread::sleep(Duration::from_secs(2));
        let server = &mut self.server;
        server.ask(
            "message",
            &json!({"session": "ses_gone", "messageId": format!("g{}", self.steps), "text": PLAIN}),
        );
        // A folder that a program made anew meanwhile goes, as with a restored backup.
        self.made_anew += u32::from(std::fs::remove_dir_all(folder).is_ok());
        std::fs::rename(&aside, folder).unwrap();
    }

    /// Ends, and says how many files git would still commit.
    fn end(self) -> usize {
        std::thread::sleep(Duration::from_secs(30));
        self.server.end();
        let store = self.sandbox.store();
        let status = run(self.sandbox.git(&store).args(["status", "--porcelain"]));
        String::from_utf8_lossy(&status.stdout).lines().count()
    }
}
