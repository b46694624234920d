//! The server is killed between the answer of the host's model and the end of the pass, right before each of its system
//! calls that change something. After a restart each proposal is carried out once, and the messages count as read once.

use std::path::Path;
use std::process::Child;

use serde_json::{Value, json};

use super::strace::{self, Point};
use super::{TellSeed, one_of, times};
use crate::env::{Chance, LIMIT, Repository, wait_for};
use crate::passes::reconciling::plant;
use crate::passes::{ANSWERS, Model};
use crate::serve::server::Server;

/// The number of kills in every run; the long form takes all points.
const POINTS: usize = 6;
const SAID: &str =
    "run the linter before every commit. the port of the server is 9090 now. deploys run at night";
const LINTER: &str = "Always run the linter before a commit, because CI refuses what it finds.";
const PORT: &str = "The server listens on port 8080";
const NEW_PORT: &str = "The server listens on port 9090";
const DEPLOYS: &str = "Deploys run at night";

fn machine() -> Model {
    let mut model = Model::new(ANSWERS);
    for (name, value) in [("EXTRACT", "true"), ("MODEL", "host"), ("PAUSE", "1ms")] {
        model.env.set_var(&format!("MDMEM_PASSES__{name}"), value);
    }
    plant(
        &model,
        &[
            ("project/deploys.md", "extraction", DEPLOYS),
            ("project/port.md", "extraction", PORT),
        ],
    );
    model
}

fn come(server: &mut Server) -> u64 {
    server.send("pass", &json!({"smallModel": "a/b"}))
}

fn rests(server: &mut Server, session: &str, text: &str) {
    let messages = json!([{"by": "user", "text": text, "at": 1}]);
    server.ask("idle", &json!({"session": session, "messages": messages}));
}

/// The answer to a question about the conversation: one memory more, one with other words, one that recurred.
fn answer(question: &Value) -> Value {
    let text = question["ask"]["text"].as_str().unwrap();
    let shown = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let shown: Vec<Value> = shown.filter(|line| line.get("ref").is_some()).collect();
    let number = |words: &[&str]| {
        let is_it = |memory: &&Value| words.iter().any(|words| memory["text"] == *words);
        shown.iter().find(is_it).unwrap()["ref"].clone()
    };
    let proposals = json!([
        {"action": "add", "type": "feedback", "text": LINTER, "evidence": "run the linter before every commit"},
        {"action": "update", "ref": number(&[PORT, NEW_PORT]), "text": NEW_PORT, "evidence": "the port of the server is 9090 now"},
        {"action": "reinforce", "ref": number(&[DEPLOYS]), "evidence": "deploys run at night"},
    ]);
    json!({"title": question["ask"]["title"], "deleted": true, "answer": proposals.to_string()})
}

fn passes(model: &Model) -> u64 {
    model.env.decisions("pass_ended").len() as u64
}

/// What the memories say, without what differs each time.
fn memories(model: &Model) -> Vec<String> {
    let listed = model
        .env
        .mdmem(["list", "--all", "--json"])
        .any_stdout()
        .run()
        .json();
    let told = listed.as_array().unwrap().iter().map(|memory| {
        format!(
            "{} {} x{}",
            memory["type"], memory["text"], memory["reinforcement"]
        )
    });
    let mut told: Vec<String> = told.collect();
    told.sort();
    told
}

/// A pass up to the answer, which is sent to a traced server. True when that was killed.
fn answered(model: &Model, log: &Path, point: Option<&Point>) -> bool {
    let mut server = Server::start(&model.env);
    let waits = come(&mut server);
    rests(&mut server, "s", SAID);
    let question = server.answer(waits)["result"].take();
    let traced = Traced(strace::attached(server.pid(), log, point));
    server.send("passed", &answer(&question));
    let is_killed = wait_for("the pass or the kill", LIMIT, || {
        let ended = server.has_ended();
        (ended || passes(model) == 1).then_some(ended)
    });
    drop(server);
    drop(traced);
    is_killed
}

/// Ends the tracer with the test.
struct Traced(Child);

impl Drop for Traced {
    fn drop(&mut self) {
        // It ends with the server that it traces, which is dropped before.
        let _ = self.0.wait();
    }
}

/// The next server, which reads the conversation again where its messages do not count as read. Gives the number of the
/// questions about it. `other` is a conversation that no server has read: the question about it comes last.
fn read_again(model: &Model, other: &str) -> u32 {
    let mut server = Server::start(&model.env);
    let mut asked = 0;
    loop {
        let waits = come(&mut server);
        if asked == 0 {
            rests(&mut server, "s", SAID);
            rests(&mut server, other, "another conversation altogether");
        }
        let task = server.answer(waits)["result"].take();
        if let Some(left) = task["clear"].as_array() {
            for title in left {
                server.ask("passed", &json!({"title": title, "deleted": true}));
            }
            continue;
        }
        if task["ask"]["parent"] == other {
            let nothing = json!({"title": task["ask"]["title"], "deleted": true, "answer": "[]"});
            server.ask("passed", &nothing);
            return asked;
        }
        asked += 1;
        assert!(asked < 3, "{task}");
        server.ask("passed", &answer(&task));
    }
}

#[test]
fn a_killed_pass_is_made_once() {
    let _seed = TellSeed("host_pass");
    if !strace::is_there() {
        eprintln!("\n*** no strace here: the pass is killed nowhere ***\n");
        return;
    }
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().join("strace.log");
    let whole = machine();
    assert!(!answered(&whole, &log, None));
    assert_eq!(read_again(&whole, "t"), 0, "what is read is asked about once");
    let expected = memories(&whole);
    assert_eq!(expected.len(), 3, "{expected:?}");
    let points = strace::points(&log);
    let mut chance = Chance::new(0x7a55);
    let mut left = if times().is_some() {
        points.len()
    } else {
        4 * POINTS
    };
    let (mut kills, mut asked_again) = (0, 0);
    while left > 0 && (times().is_some() || kills < POINTS) {
        left -= 1;
        let point = match times() {
            Some(_) => &points[left],
            None => one_of(&mut chance, &points),
        };
        let model = machine();
        if !answered(&model, Path::new("/dev/null"), Some(point)) {
            continue;
        }
        kills += 1;
        asked_again += read_again(&model, "t");
        assert_eq!(memories(&model), expected, "killed before {point}");
        assert_eq!(read_again(&model, "u"), 0, "killed before {point}: read twice");
        let suggested = model.env.mdmem(["suggestions", "--json"]);
        assert_eq!(
            suggested.any_stdout().run().json(),
            json!([]),
            "killed before {point}"
        );
        Repository::of(&model.env).assert_sound();
    }
    println!(
        "{kills} kills at {} points, {asked_again} times asked again",
        points.len()
    );
    assert!(kills > 0, "nothing was killed");
}
