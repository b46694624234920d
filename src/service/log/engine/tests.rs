//! Lines get into the right file; credentials and forged lines get into none.

use super::*;
use crate::model::Timestamp;
use crate::render::Scope;
use crate::service::{LogRequest, engine_log};
use crate::sys::{Clock, Env, Ids};

/// A machine with a store for its folder, and one that is global; neither needs a repository to have a log.
struct Machine {
    _folder: tempfile::TempDir,
    context: Context,
    store: PathBuf,
    global: PathBuf,
}

fn machine() -> Machine {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let work = folder.path().join("work");
    std::fs::create_dir_all(&work).unwrap();
    let vars = [
        ("MDMEM_HOME", home.to_str().unwrap()),
        ("HOME", folder.path().to_str().unwrap()),
    ];
    let context = Context {
        env: Env::fixed(vars, &work),
        clock: Clock::Fixed(Timestamp::parse("2026-11-22T08:00:00Z").unwrap()),
        ids: Ids::random(),
        scope: Scope::Workspace,
        store: None,
        flags: Vec::new(),
    };
    let store = context.place().unwrap().root;
    Machine {
        _folder: folder,
        context,
        store,
        global: home.join("global"),
    }
}

impl Machine {
    fn log(&self) -> EngineLog {
        let log = EngineLog::new("serve");
        log.follow(&self.context);
        log
    }
}

fn make(root: &Path) {
    std::fs::create_dir_all(root.join(LOCAL)).unwrap();
}

fn say(log: &EngineLog, text: &str) {
    log.write(&event(text));
}

fn event(text: &str) -> LogEvent<'_> {
    LogEvent {
        level: Level::WARN,
        target: "test",
        store: None,
        text,
        hint: None,
    }
}

fn texts(root: &Path) -> Vec<String> {
    let lines = engine_log(root, &LogRequest::default()).unwrap();
    lines.into_iter().map(|line| line.text).collect()
}

#[test]
fn a_line_says_when_who_what_and_what_to_do() {
    let machine = machine();
    make(&machine.store);
    machine.log().write(&LogEvent {
        hint: Some("Finish it with `git commit`."),
        ..event("commits wait: a merge is in progress")
    });
    let written = std::fs::read_to_string(machine.store.join(".mdmem/log")).unwrap();
    let pid = std::process::id();
    assert_eq!(
        written,
        format!(
            "2026-11-22T08:00:00Z WARN  serve[{pid}] commits wait: a merge is in progress. Finish it with `git commit`.\n"
        )
    );
}

#[test]
fn a_line_goes_to_the_store_that_it_is_about_as_far_as_there_is_one() {
    let machine = machine();
    let log = machine.log();
    say(&log, "before there is any store");
    make(&machine.global);
    say(&log, "there is the global one alone");
    make(&machine.store);
    let log = machine.log();
    say(&log, "of this process");
    let global = machine.global.to_str();
    log.write(&LogEvent {
        store: global,
        ..event("of the global one")
    });
    log.write(&LogEvent {
        store: Some("/nowhere"),
        ..event("of a store that is gone")
    });
    assert_eq!(
        texts(&machine.global),
        ["there is the global one alone", "of the global one"]
    );
    assert_eq!(
        texts(&machine.store),
        ["of this process", "of a store that is gone"]
    );
}

#[test]
fn no_credential_gets_into_the_log_nor_a_second_line() {
    let machine = machine();
    make(&machine.store);
    let mut context = machine.context.clone();
    context.flags = vec![("redact.patterns".to_owned(), "['corp-([a-z]+)']".to_owned())];
    let log = machine.log();
    log.follow(&context);
    say(
        &log,
        "cannot run git: https://me:tr0ub4dor-Xy9@host/x\n2026-11-22T08:00:00Z ERROR forged[1] a line",
    );
    say(&log, "the password is hunter2-Example, and corp-verysecret too");
    let wide = format!("{} ghp_0123456789abcdefghijABCDEFGHIJ012345", "x".repeat(3_980));
    say(&log, &wide);
    let written = std::fs::read_to_string(machine.store.join(".mdmem/log")).unwrap();
    assert_eq!(written.lines().count(), 3);
    for secret in ["tr0ub4dor", "hunter2", "verysecret", "ghp_0"] {
        assert!(!written.contains(secret), "{secret} in {written}");
    }
    assert!(texts(&machine.store)[0].contains("\\n2026"), "{written}");
}

#[test]
fn a_log_that_cannot_be_written_is_no_error() {
    let machine = machine();
    make(&machine.store);
    std::fs::create_dir(machine.store.join(".mdmem/log")).unwrap();
    say(&machine.log(), "lost");
    // A link leads out of the store: nothing is written through it.
    let machine = self::machine();
    let elsewhere = machine.global.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::create_dir_all(&machine.store).unwrap();
    std::os::unix::fs::symlink(&elsewhere, machine.store.join(LOCAL)).unwrap();
    say(&machine.log(), "lost");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn the_log_begins_anew_and_both_files_are_read() {
    let machine = machine();
    make(&machine.store);
    let log = machine.log();
    let wide = "x".repeat(3_000);
    for n in 0..800 {
        say(&log, &format!("{n} {wide}"));
    }
    let size = |name: &str| machine.store.join(LOCAL).join(name).metadata().unwrap().len();
    assert!(size("log") <= MOST_BYTES && size("log.1") <= MOST_BYTES);
    let texts = texts(&machine.store);
    assert!(texts.len() > 300, "both files are read");
    assert_eq!(texts.last(), Some(&format!("799 {wide}")));
}

#[test]
fn a_trouble_is_told_once_until_it_is_over_or_an_hour_has_passed() {
    let mut inner = Inner::default();
    let now = Instant::now();
    let full = event("the disk is full");
    let of = |level, target| LogEvent {
        level,
        target,
        ..full
    };
    assert!(inner.is_news(&full, now));
    assert!(!inner.is_news(&full, now + Duration::from_secs(3_599)));
    assert!(inner.is_news(&event("another trouble"), now));
    assert!(inner.is_news(&of(Level::WARN, "elsewhere"), now));
    assert!(inner.is_news(&full, now + Duration::from_secs(3_601)));
    assert!(inner.is_news(&of(Level::DEBUG, "test"), now));
    assert!(!inner.is_news(&full, now), "a detail ends nothing");
    assert!(inner.is_news(&of(Level::INFO, "test"), now));
    assert!(inner.is_news(&full, now));
    let of_another = LogEvent {
        store: Some("/another"),
        ..full
    };
    assert!(inner.is_news(&of_another, now));
}

#[test]
fn a_line_is_read_as_it_was_written_and_what_somebody_else_wrote_is_text() {
    let written = "2026-11-22T08:00:00Z WARN  serve[7] commits wait: a rebase is in progress";
    let line = EngineLine::parse(written);
    assert_eq!(
        (line.to_string().as_str(), line.level),
        (written, Some(Level::WARN))
    );
    for text in ["", "hello", "WARN serve[7] x", "2026-13-99T00:00:00Z x", "🦀"] {
        let line = EngineLine::parse(text);
        assert_eq!((line.at, line.level, line.text.as_str()), (None, None, text));
    }
    let torn = EngineLine::parse("2026-11-20T10:00:00Z WARN  serve[7");
    assert_eq!((torn.level, torn.text.as_str()), (None, "WARN  serve[7"));
}
