//! The process that watches the store answers the hooks. A relay in the place of its socket counts its answers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Session, memories, memory};
use crate::env::{TestEnv, wait_for};

const LIMIT: Duration = Duration::from_secs(30);

/// Takes the place of the watcher's socket. Gives the number of its answers so far.
fn relay(env: &TestEnv) -> Arc<AtomicUsize> {
    let path = env.store().join(".mdmem/watch.sock");
    wait_for("the watcher's socket", LIMIT, || path.exists().then_some(()));
    let real = path.with_extension("real");
    std::fs::rename(&path, &real).unwrap();
    let listener = UnixListener::bind(&path).unwrap();
    let answers = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&answers);
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let watcher = UnixStream::connect(&real);
            // A hook that has waited long enough is gone, and so is a watcher that was killed.
            if let (Ok(client), Ok(watcher)) = (client, watcher) {
                let answer = pass_on(client, watcher).unwrap_or(0);
                count.fetch_add(usize::from(answer > 0), Ordering::SeqCst);
            }
        }
    });
    answers
}

/// Gives the length of the answer, in bytes.
fn pass_on(mut client: UnixStream, mut watcher: UnixStream) -> std::io::Result<usize> {
    let mut ready = [0];
    watcher.read_exact(&mut ready)?;
    client.write_all(&ready)?;
    let mut question = Vec::new();
    client.read_to_end(&mut question)?;
    watcher.write_all(&question)?;
    watcher.shutdown(Shutdown::Write)?;
    let mut answer = Vec::new();
    watcher.read_to_end(&mut answer)?;
    client.write_all(&answer)?;
    Ok(answer.len())
}

#[test]
fn the_process_that_watches_answers_a_session() {
    let env = TestEnv::with_store();
    env.mdmem([
        "add",
        "--path",
        "system/fridays.md",
        "Releases are cut on Fridays",
    ])
    .any_stdout()
    .any_stderr()
    .run();
    let watching = env.watch(&[]);
    let answers = relay(&env);
    let mut session = Session::new(&env, "s");
    assert!(session.start("startup").contains("cut on Fridays"));
    let told = session
        .says("Remember: the port of the test server is 4000")
        .unwrap();
    let stored = memory(&env, "4000");
    assert!(told.contains(&stored), "{told}");
    session.uses(
        "Read",
        &json!({"file_path": env.workspace().join("a.rs").display().to_string()}),
        &json!({}),
    );
    assert!(session.compacts().contains("4000"));
    assert_eq!(answers.load(Ordering::SeqCst), 4);

    let text = env.read("system/fridays.md");
    env.write("system/fridays.md", &text.replace("Fridays", "Mondays"));
    watching.wait_until_said("edit system/fridays");
    let anew = session.start("compact");
    assert!(anew.contains("cut on Mondays") && anew.contains("4000"), "{anew}");
    assert_eq!(answers.load(Ordering::SeqCst), 5);

    // At the end the host ends the other process too.
    session.ends("exit");
    assert_eq!(answers.load(Ordering::SeqCst), 5);
}

#[test]
fn where_the_watcher_hangs_or_is_gone_the_hook_does_the_work_itself_and_once() {
    let env = TestEnv::with_store();
    let mut watching = env.watch(&[]);
    let answers = relay(&env);
    let mut session = Session::new(&env, "s");
    session.start("startup");
    assert_eq!(answers.load(Ordering::SeqCst), 1);

    let pid = Pid::from_raw(i32::try_from(watching.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    session
        .says("Remember: the port of the test server is 4000")
        .unwrap();
    kill_process(pid, Signal::CONT).unwrap();
    assert_eq!(memories(&env).len(), 1);

    watching.kill();
    session
        .says("Remember: the queue of the mailer is called slow")
        .unwrap();
    assert_eq!(memories(&env).len(), 2);
    assert_eq!(answers.load(Ordering::SeqCst), 1);
}

#[test]
fn a_server_of_the_model_context_protocol_answers_hooks_once_it_listed_its_tools() {
    let env = TestEnv::with_store();
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.stderr(Stdio::null()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let client = json!({"name": "test", "version": "1"});
    let initialize = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize}));
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    let mut line = String::new();
    while !line.contains("memory_add") {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the server ended");
    }
    let answers = relay(&env);
    let mut session = Session::new(&env, "s");
    session.start("startup");
    session
        .says("Remember: the port of the test server is 4000")
        .unwrap();
    assert_eq!(memories(&env).len(), 1);
    assert_eq!(answers.load(Ordering::SeqCst), 2);
    drop(input);
    server.wait().unwrap();
}
