//! Answers on a terminal: pagers that fail, floods, the zone of times, a meter that stays.

use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::names::seen_on_terminal;
use crate::env::{TestEnv, wait_for, write_at};
use crate::serve::context::used;
use crate::serve::server::Server;

/// A machine that runs all other tests at the same time may be slow; what takes longer than this does not come.
const LIMIT: Duration = Duration::from_secs(30);

/// The variables of a terminal with this pager.
fn paged_by(pager: &str) -> [(&str, &str); 2] {
    [("TERM", "xterm"), ("GIT_PAGER", pager)]
}

#[test]
fn a_pager_that_is_not_there_loses_no_answer() {
    let env = TestEnv::with_store();
    env.write("project/zebra.md", "Zebras have stripes\n");
    for pager in ["no-such-pager --side", "cat -"] {
        let seen = seen_on_terminal(&env, "list", "", &paged_by(pager));
        assert!(seen.contains("Zebras have stripes"), "{pager}: {seen}");
    }
    let seen = seen_on_terminal(&env, "list", "", &paged_by("sed s/Zebras/Horses/"));
    assert!(
        seen.contains("Horses have stripes") && !seen.contains("Zebras"),
        "{seen}"
    );
}

#[test]
fn a_flood_is_cut_on_a_terminal_alone() {
    let env = TestEnv::with_store();
    for number in 0..30 {
        env.write(&format!("project/n{number}.md"), &format!("Fact {number}\n"));
    }
    let dumb = [("TERM", "dumb")];
    let seen = seen_on_terminal(&env, "status", "", &dumb);
    assert!(
        seen.contains("… and 20 more") && seen.lines().count() < 25,
        "{seen}"
    );
    let whole = seen_on_terminal(&env, "status --verbose", "", &dumb);
    assert!(
        whole.contains("project/n29.md") && !whole.contains("more"),
        "{whole}"
    );
    env.mdmem(["status"]).stdout_has("project/n29.md").run();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for command in ["rm -n project/", "rm -r project/"] {
        let seen = seen_on_terminal(&env, command, "", &dumb);
        assert!(
            seen.contains("… and 10 more") && seen.lines().count() < 25,
            "{seen}"
        );
    }
}

#[test]
fn a_person_picks_a_memory_where_none_is_clear() {
    let mut env = TestEnv::with_store();
    env.write("project/port.md", "The port is 8080\n");
    env.write("archive/port.md", "The port was 80\n");
    let dumb = [("TERM", "dumb")];
    let seen = seen_on_terminal(&env, "show port --body", "2\n", &dumb);
    assert!(
        seen.contains("  1  project/port.md  The port is 8080")
            && seen.contains("The port was 80 (archived)")
            && seen.ends_with("The port was 80\r\n"),
        "{seen}"
    );
    let seen = seen_on_terminal(&env, "show", "1\n", &dumb);
    assert!(
        seen.contains("type:") || seen.contains("The port is 8080\r\n"),
        "{seen}"
    );
    let seen = seen_on_terminal(&env, "rm port", "x\n", &dumb);
    assert!(seen.contains("no memory was picked"), "{seen}");
    assert!(env.store().join("project/port.md").exists());
    // A command that takes no part of a name asks too, and words leave fewer to pick from.
    for number in 0..40 {
        let colour = ["red", "green", "blue", "black"][number % 4];
        env.write(
            &format!("project/rule-{number:02}.md"),
            &format!("Room {number} has a {colour} teapot\n"),
        );
    }
    let seen = seen_on_terminal(&env, "rm rule", "teapot blue\n3\n", &dumb);
    assert!(
        seen.contains("number [1-30] of 40, or") && seen.contains("number [1-10] of 10, or"),
        "{seen}"
    );
    assert!(seen.contains("removed project/rule-10.md"), "{seen}");
    let seen = seen_on_terminal(&env, "pin", "rule-12\n1\n", &dumb);
    assert!(
        seen.contains("moved project/rule-12.md -> system/rule-12.md"),
        "{seen}"
    );
    let seen = seen_on_terminal(&env, "mv teapots.md", "rule-13\n1\n", &dumb);
    assert!(
        seen.contains("which memory is to become `teapots.md`?\r\n")
            && seen.contains("moved project/rule-13.md -> teapots.md"),
        "{seen}"
    );
    env.mdmem(["mv", "teapots.md"])
        .refuses("name a memory and where it goes")
        .run();
    // Where nobody answers, nobody is asked: not in the terminal of an agent either.
    let seen = seen_on_terminal(&env, "show port", "1\n", &[("TERM", "dumb"), ("CLAUDECODE", "1")]);
    assert!(seen.contains("`port` names 2 memories"), "{seen}");
    env.mdmem(["show", "port"]).fails("`port` names 2 memories").run();
    env.mdmem(["show"]).refuses("name a memory").run();

    let programs = env.home().join("programs");
    let fzf = write_at(
        &programs.join("fzf"),
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > ~/asked; tail -n 1\n",
    );
    std::fs::set_permissions(fzf, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    env.set_var("PATH", &format!("{}:{path}", programs.display()));
    let seen = seen_on_terminal(&env, "show port --body", "", &dumb);
    assert!(seen.ends_with("The port was 80\r\n"), "{seen}");
    let asked = std::fs::read_to_string(env.home().join("asked")).unwrap();
    assert!(asked.contains("--preview\ntr -d "), "{asked}");
    seen_on_terminal(&env, "mv -n pot.md", "", &dumb);
    let asked = std::fs::read_to_string(env.home().join("asked")).unwrap();
    assert!(
        asked.contains("--header=which memory is to become `pot.md`?\n"),
        "{asked}"
    );
}

#[test]
fn the_log_of_the_engine_tells_local_time() {
    let mut env = TestEnv::with_store();
    env.write(".mdmem/log", "2026-11-20T22:00:05Z WARN  serve[7] no luck\n");
    let told = |env: &TestEnv| env.mdmem(["log", "--engine"]).any_stdout().run().stdout;
    assert!(
        told(&env).contains("2026-11-20 22:00:05 WARN  serve[7] no luck"),
        "{}",
        told(&env)
    );
    env.set_var("TZ", "Asia/Tokyo");
    assert!(told(&env).contains("2026-11-21 07:00:05 WARN"), "{}", told(&env));
    env.mdmem(["log", "--engine", "--json"])
        .stdout_has("2026-11-20T22:00:05")
        .run();
}

/// A program that stays on a terminal of its own, with 80 columns and 24 lines.
struct Terminal {
    child: Child,
    seen: Arc<Mutex<Vec<u8>>>,
    device: String,
}

impl Terminal {
    fn start(env: &TestEnv, command: &str) -> Self {
        let named = env.home().join("tty");
        // The children of tests that run in the background of a script ignore Ctrl-C.
        let line = format!(
            "stty cols 80 rows 24; tty > {}; exec env --default-signal=INT {} {command}",
            named.display(),
            env!("CARGO_BIN_EXE_mdmem")
        );
        let mut script = env.command("script");
        script.args(["-qefc", &line, "/dev/null"]).env("TERM", "xterm");
        let mut child = script
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (mut output, into) = (child.stdout.take().unwrap(), Arc::clone(&seen));
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut part) {
                into.lock().unwrap().extend(&part[..count]);
            }
        });
        let device = wait_for("the terminal", LIMIT, || {
            let name = std::fs::read_to_string(&named).ok()?;
            name.ends_with('\n').then(|| name.trim().to_owned())
        });
        Self { child, seen, device }
    }

    /// Everything that was sent to it so far, once this is in it behind the first `from` bytes.
    #[track_caller]
    fn wait_for(&self, from: usize, part: &str) -> String {
        wait_for(&format!("{part:?} on the terminal"), LIMIT, || {
            let seen = String::from_utf8_lossy(&self.seen.lock().unwrap()[from..]).into_owned();
            seen.contains(part).then_some(seen)
        })
    }

    fn sent(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_meter_follows_its_window_and_ends_by_ctrl_c() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let mut terminal = Terminal::start(&env, "sessions context --watch");
    let nothing = "\u{1b}[H\u{1b}[2Jno session has reported its token usage yet\r\n";
    assert_eq!(terminal.wait_for(0, nothing), nothing);
    used(&mut server, "one", 60_000);
    // In the place of everything; the heading is bold, the bar green.
    let first = terminal.wait_for(nothing.len(), "p/m\r\n");
    assert!(
        first.starts_with("\u{1b}[H\u{1b}[2J\u{1b}[1mCONTEXT "),
        "{first:?}"
    );
    let line = first.lines().nth(1).unwrap();
    assert!(
        line.starts_with("\u{1b}[32m█████░░░░░\u{1b}[0m  50 %  green"),
        "{first:?}"
    );

    let before = terminal.sent();
    let mut stty = env.command("stty");
    assert!(
        stty.args(["-F", &terminal.device, "cols", "40"])
            .status()
            .unwrap()
            .success()
    );
    terminal.wait_for(before, "50 %");
    let before = terminal.sent();
    used(&mut server, "one", 111_600);
    terminal.wait_for(before, "93 %  critical");

    terminal.child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let ended = wait_for("the end of the meter", LIMIT, || {
        terminal.child.try_wait().unwrap()
    });
    assert!(!ended.success());
    server.bye();
}

#[test]
fn what_takes_longer_than_a_second_is_named_until_it_ends() {
    let env = TestEnv::with_store();
    for text in ["The port is 8080", "Kim reviews migrations"] {
        env.mdmem(["add", text]).any_stdout().any_stderr().run();
    }
    let model = [
        "sh",
        "-c",
        "until [ -e ~/answer ]; do sleep 0.1; done; echo '{\"memories\":[]}'",
    ];
    let model = serde_json::to_string(&model).unwrap();
    env.mdmem(["config", "set", "--user", "passes.command", &model])
        .any_stderr()
        .run();
    let mut terminal = Terminal::start(&env, "reconcile");
    terminal.wait_for(0, "\r\u{1b}[Kasking sh (");
    let before = terminal.sent();
    std::fs::write(env.home().join("answer"), "").unwrap();
    wait_for("the end of the command", LIMIT, || {
        terminal.child.try_wait().unwrap()
    });
    // Nothing is left of it.
    let seen = terminal.wait_for(before, "\r\u{1b}[K");
    assert!(!seen.ends_with(')'), "{seen:?}");
    let piped = env
        .command(env!("CARGO_BIN_EXE_mdmem"))
        .arg("reconcile")
        .output()
        .unwrap();
    assert!(
        !String::from_utf8_lossy(&piped.stderr).contains("asking"),
        "{piped:?}"
    );
}
